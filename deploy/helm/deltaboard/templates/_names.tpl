{{/* Names, labels and images. */}}
{{- define "deltaboard.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "deltaboard.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $both := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $both .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Names of objects without a namespace: two releases of one name in two namespaces must not share them. */}}
{{- define "deltaboard.clusterName" -}}
{{- $name := include "deltaboard.fullname" . -}}
{{- ternary $name (printf "%s-%s" .Release.Namespace $name) (eq .Release.Namespace $name) -}}
{{- end -}}

{{- define "deltaboard.selector" -}}
app.kubernetes.io/name: {{ include "deltaboard.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{/* Labels of an object: {root, component, labels}. */}}
{{- define "deltaboard.labels" -}}
{{ include "deltaboard.selector" . }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | trunc 63 | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- include "deltaboard.labelsOfValues" . }}
{{- end -}}

{{/* Labels of a pod: {root, component, labels}. */}}
{{- define "deltaboard.podLabels" -}}
{{ include "deltaboard.selector" . }}
{{- include "deltaboard.labelsOfValues" . }}
{{- end -}}

{{/* Where `labels` and commonLabels have the same, that of `labels` counts. */}}
{{- define "deltaboard.labelsOfValues" -}}
{{- with merge dict (.labels | default dict) (.root.Values.commonLabels | default dict) }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Annotations of an object or a pod, those of `annotations` before commonAnnotations: {root, annotations, indent}. */}}
{{- define "deltaboard.annotations" -}}
{{- with merge dict (.annotations | default dict) (.root.Values.commonAnnotations | default dict) }}
{{- dict "annotations" . | toYaml | nindent $.indent }}
{{- end }}
{{- end -}}

{{/* Name of the service account of worker or web: {root, component}. */}}
{{- define "deltaboard.serviceAccount" -}}
{{- (index .root.Values .component).serviceAccount.name | default (printf "%s-%s" (include "deltaboard.fullname" .root) .component) -}}
{{- end -}}

{{- define "deltaboard.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}
