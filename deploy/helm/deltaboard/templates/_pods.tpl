{{/* What the pods of Deltaboard have in common. */}}
{{- define "deltaboard.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Variables with secrets (names of Secrets only), and those of values: {root, values}. */}}
{{- define "deltaboard.env" -}}
{{- $v := .root.Values -}}
{{- $own := include "deltaboard.fullname" .root -}}
{{- $keys := $v.secrets.existingSecret | default $own -}}
- name: SECRET_KEY
  valueFrom: {secretKeyRef: {name: {{ $keys }}, key: SECRET_KEY}}
- name: DELTABOARD_FEED_KEY
  valueFrom: {secretKeyRef: {name: {{ $keys }}, key: DELTABOARD_FEED_KEY, optional: true}}
- name: DELTABOARD_AUDIT_KEY
  valueFrom: {secretKeyRef: {name: {{ $keys }}, key: DELTABOARD_AUDIT_KEY, optional: true}}
{{- if include "deltaboard.bundlesRedis" .root }}
- name: REDIS_PASSWORD
  valueFrom: {secretKeyRef: {name: {{ $own }}, key: REDIS_PASSWORD}}
- name: REDIS_URL
  value: redis://:$(REDIS_PASSWORD)@{{ $own }}-redis:6379
{{- else }}
- name: REDIS_URL
  valueFrom: {secretKeyRef: {name: {{ $v.redis.existingSecret | default $own }}, key: {{ empty $v.redis.existingSecret | ternary "REDIS_URL" $v.redis.existingSecretKey }}}}
{{- end }}
{{- if include "deltaboard.bundlesPostgresql" .root }}
- name: POSTGRES_PASSWORD
  valueFrom: {secretKeyRef: {name: {{ $own }}, key: POSTGRES_PASSWORD}}
- name: DATABASE_URL
  value: postgres://deltaboard:$(POSTGRES_PASSWORD)@{{ $own }}-postgresql:5432/deltaboard
{{- else }}
- name: DATABASE_URL
  valueFrom: {secretKeyRef: {name: {{ $v.postgresql.existingSecret | default $own }}, key: {{ empty $v.postgresql.existingSecret | ternary "DATABASE_URL" $v.postgresql.existingSecretKey }}}}
{{- end }}
{{- with $v.signIn.proxy.existingSecret }}
- name: DELTABOARD_TRUST_PROXY_SECRET
  valueFrom: {secretKeyRef: {name: {{ . }}, key: DELTABOARD_TRUST_PROXY_SECRET}}
{{- end }}
{{- with include "deltaboard.extraEnv" . }}
{{ . }}
{{- end }}
{{- end -}}

{{/* A list of all and that of a component: {root, values, name}. */}}
{{- define "deltaboard.both" -}}
{{- concat (index .root.Values .name | default list) (index .values .name | default list) | toYaml -}}
{{- end -}}

{{/* extraEnv of all and of a component, whose own counts where both name a variable: {root, values}. */}}
{{- define "deltaboard.extraEnv" -}}
{{- $own := .values.extraEnv | default list -}}
{{- $names := list -}}
{{- range $own }}{{ $names = append $names .name }}{{ end -}}
{{- $all := list -}}
{{- range .root.Values.extraEnv }}{{ if not (has .name $names) }}{{ $all = append $all . }}{{ end }}{{ end -}}
{{- with concat $all $own }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/* Image, variables, mounts and security of a container of Deltaboard: {root, values}. Of envFrom the last source counts. */}}
{{- define "deltaboard.container" -}}
image: {{ include "deltaboard.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
envFrom:
  {{- with include "deltaboard.both" (dict "root" .root "values" .values "name" "extraEnvFrom") | fromYamlArray }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  - configMapRef: {name: {{ include "deltaboard.fullname" .root }}}
securityContext:
  {{- include "deltaboard.containerSecurity" . | nindent 2 }}
volumeMounts:
  - {name: var, mountPath: /var/lib/deltaboard}
  - {name: tmp, mountPath: /tmp}
  {{- if .root.Values.clusterName }}
  - {name: cluster, mountPath: /etc/deltaboard/cluster, readOnly: true}
  {{- end }}
  {{- if eq .root.Values.signIn.mode "oidc" }}
  - {name: sign-in, mountPath: /etc/deltaboard/sign-in, readOnly: true}
  {{- end }}
  {{- with include "deltaboard.both" (dict "root" .root "values" .values "name" "extraVolumeMounts") | fromYamlArray }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Volumes of a pod of Deltaboard: {root, values}. */}}
{{- define "deltaboard.volumes" -}}
- name: var
  emptyDir: {sizeLimit: 100Mi}
- name: tmp
  emptyDir: {sizeLimit: 1Gi}
{{- if .root.Values.clusterName }}
- name: cluster
  configMap: {name: {{ include "deltaboard.fullname" .root }}-cluster}
{{- end }}
{{- if eq .root.Values.signIn.mode "oidc" }}
- name: sign-in
  projected:
    sources:
      {{- if .root.Values.signIn.oidc.issuers }}
      - configMap: {name: {{ include "deltaboard.fullname" .root }}-issuers}
      {{- end }}
      {{- with .root.Values.signIn.oidc.existingSecret }}
      - secret: {name: {{ . }}}
      {{- end }}
{{- end }}
{{- with include "deltaboard.both" (dict "root" .root "values" .values "name" "extraVolumes") | fromYamlArray }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/*
Annotations that change with what a process reads when it starts, so that it is restarted: {root, values}. Secrets that
are made here never change.
*/}}
{{- define "deltaboard.checksums" -}}
{{- $v := .root.Values -}}
checksum/settings: {{ include (print .root.Template.BasePath "/settings.yaml") .root | sha256sum }}
{{- $secrets := list $v.secrets.existingSecret $v.redis.existingSecret $v.postgresql.existingSecret $v.signIn.oidc.existingSecret $v.signIn.proxy.existingSecret -}}
{{- $configMaps := list -}}
{{- range include "deltaboard.both" (dict "root" .root "values" .values "name" "extraEnvFrom") | fromYamlArray -}}
{{- $secrets = append $secrets (dig "secretRef" "name" "" .) -}}
{{- $configMaps = append $configMaps (dig "configMapRef" "name" "" .) -}}
{{- end -}}
{{- range include "deltaboard.both" (dict "root" .root "values" .values "name" "extraEnv") | fromYamlArray -}}
{{- $secrets = append $secrets (dig "valueFrom" "secretKeyRef" "name" "" .) -}}
{{- $configMaps = append $configMaps (dig "valueFrom" "configMapKeyRef" "name" "" .) -}}
{{- end -}}
{{- $found := dict -}}
{{- range $kind, $names := dict "Secret" $secrets "ConfigMap" $configMaps -}}
{{- range compact $names -}}
{{- $_ := set $found (eq $kind "Secret" | ternary . (printf "%s/%s" $kind .)) (dig "data" dict (lookup "v1" $kind $.root.Release.Namespace .)) -}}
{{- end -}}
{{- end }}
{{- if $found }}
checksum/secrets: {{ $found | toJson | sha256sum }}
{{- end }}
{{- if or $v.redis.url $v.postgresql.url }}
checksum/addresses: {{ list $v.redis.url $v.postgresql.url | toJson | sha256sum }}
{{- end }}
{{- end -}}

{{/* Metadata and scheduling of the pods of worker and web: {root, component, values}. */}}
{{- define "deltaboard.podMetadata" -}}
labels:
  {{- include "deltaboard.podLabels" (dict "root" .root "component" .component "labels" .values.podLabels) | nindent 2 }}
annotations:
  {{- include "deltaboard.checksums" . | nindent 2 }}
  {{- with merge dict (.values.podAnnotations | default dict) (.root.Values.commonAnnotations | default dict) }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Secrets to pull images with: names, or {name: …} as other charts have them. */}}
{{- define "deltaboard.pullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ if kindIs "string" . }}{{ . }}{{ else }}{{ .name }}{{ end }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Which nodes pods go to, and before which others: {root, values}. */}}
{{- define "deltaboard.scheduling" -}}
{{- with .values.priorityClassName | default .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector | default .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations | default .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* How names are resolved in pods of Deltaboard: the root. */}}
{{- define "deltaboard.nameResolution" -}}
{{- with .Values.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.dnsPolicy }}
dnsPolicy: {{ . }}
{{- end }}
{{- with .Values.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "deltaboard.podSpec" -}}
serviceAccountName: {{ include "deltaboard.serviceAccount" . }}
{{- if not .values.serviceAccount.create }}
# Whatever the account says: without its token nothing can be read.
automountServiceAccountToken: true
{{- end }}
enableServiceLinks: false
terminationGracePeriodSeconds: {{ .values.terminationGracePeriodSeconds | int64 }}
securityContext:
  {{- toYaml .root.Values.podSecurityContext | nindent 2 }}
{{- include "deltaboard.pullSecrets" .root }}
{{- include "deltaboard.scheduling" . }}
{{- include "deltaboard.nameResolution" .root }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  {{- $these := dict "labelSelector" (dict "matchLabels" (include "deltaboard.selector" . | fromYaml)) }}
  {{- range .values.topologySpreadConstraints }}
  {{- $constraint := . }}
  {{- if not .labelSelector }}{{ $constraint = merge dict . $these }}{{ end }}
  - {{ toYaml $constraint | indent 4 | trim }}
  {{- else }}
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "deltaboard.selector" . | nindent 8 }}
  {{- end }}
volumes:
  {{- include "deltaboard.volumes" . | nindent 2 }}
initContainers:
  {{- with .root.Values.extraInitContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  - name: wait-for-tables
    command: {{ toJson .root.Values.migration.waitCommand }}
    resources:
      {{- toYaml .root.Values.migration.resources | nindent 6 }}
    env:
      {{- include "deltaboard.env" . | nindent 6 }}
    {{- include "deltaboard.container" . | nindent 4 }}
{{- end -}}
