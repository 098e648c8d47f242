{{/* What the pods of Deltaboard have in common. */}}
{{- define "deltaboard.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Variables with secrets, of all containers of Deltaboard. Names of Secrets only. */}}
{{- define "deltaboard.secretEnv" -}}
{{- $v := .Values -}}
{{- $own := include "deltaboard.fullname" . -}}
{{- $keys := $v.secrets.existingSecret | default $own -}}
- name: SECRET_KEY
  valueFrom: {secretKeyRef: {name: {{ $keys }}, key: SECRET_KEY}}
- name: DELTABOARD_FEED_KEY
  valueFrom: {secretKeyRef: {name: {{ $keys }}, key: DELTABOARD_FEED_KEY, optional: true}}
- name: DELTABOARD_AUDIT_KEY
  valueFrom: {secretKeyRef: {name: {{ $keys }}, key: DELTABOARD_AUDIT_KEY, optional: true}}
{{- if include "deltaboard.bundlesRedis" . }}
- name: REDIS_PASSWORD
  valueFrom: {secretKeyRef: {name: {{ $own }}, key: REDIS_PASSWORD}}
- name: REDIS_URL
  value: redis://:$(REDIS_PASSWORD)@{{ $own }}-redis:6379
{{- else }}
- name: REDIS_URL
  valueFrom: {secretKeyRef: {name: {{ $v.redis.existingSecret | default $own }}, key: {{ empty $v.redis.existingSecret | ternary "REDIS_URL" $v.redis.existingSecretKey }}}}
{{- end }}
{{- if include "deltaboard.bundlesPostgresql" . }}
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
{{- with $v.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Image, variables, mounts and security of a container of Deltaboard. */}}
{{- define "deltaboard.container" -}}
image: {{ include "deltaboard.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
envFrom:
  - configMapRef: {name: {{ include "deltaboard.fullname" . }}}
securityContext:
  {{- include "deltaboard.containerSecurity" . | nindent 2 }}
volumeMounts:
  - {name: var, mountPath: /var/lib/deltaboard}
  - {name: tmp, mountPath: /tmp}
  {{- if .Values.clusterName }}
  - {name: cluster, mountPath: /etc/deltaboard/cluster, readOnly: true}
  {{- end }}
  {{- if eq .Values.signIn.mode "oidc" }}
  - {name: sign-in, mountPath: /etc/deltaboard/sign-in, readOnly: true}
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "deltaboard.volumes" -}}
- name: var
  emptyDir: {sizeLimit: 100Mi}
- name: tmp
  emptyDir: {sizeLimit: 1Gi}
{{- if .Values.clusterName }}
- name: cluster
  configMap: {name: {{ include "deltaboard.fullname" . }}-cluster}
{{- end }}
{{- if eq .Values.signIn.mode "oidc" }}
- name: sign-in
  projected:
    sources:
      {{- if .Values.signIn.oidc.issuers }}
      - configMap: {name: {{ include "deltaboard.fullname" . }}-issuers}
      {{- end }}
      {{- with .Values.signIn.oidc.existingSecret }}
      - secret: {name: {{ . }}}
      {{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Annotations that change with what a process reads when it starts, so that it is restarted. Secrets that are made here never change. */}}
{{- define "deltaboard.checksums" -}}
checksum/settings: {{ include (print .Template.BasePath "/settings.yaml") . | sha256sum }}
{{- $found := dict -}}
{{- range list .Values.secrets.existingSecret .Values.redis.existingSecret .Values.postgresql.existingSecret .Values.signIn.oidc.existingSecret .Values.signIn.proxy.existingSecret -}}
{{- if . -}}
{{- $_ := set $found . (dig "data" dict (lookup "v1" "Secret" $.Release.Namespace .)) -}}
{{- end -}}
{{- end }}
{{- if $found }}
checksum/secrets: {{ $found | toJson | sha256sum }}
{{- end }}
{{- if or .Values.redis.url .Values.postgresql.url }}
checksum/addresses: {{ list .Values.redis.url .Values.postgresql.url | toJson | sha256sum }}
{{- end }}
{{- end -}}

{{/* Metadata and scheduling of the pods of worker and web: {root, component, values}. */}}
{{- define "deltaboard.podMetadata" -}}
labels:
  {{- include "deltaboard.selector" . | nindent 2 }}
  {{- with .values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations:
  {{- include "deltaboard.checksums" .root | nindent 2 }}
  {{- with .values.podAnnotations }}
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

{{/* Which nodes pods go to: {root, values}. */}}
{{- define "deltaboard.nodes" -}}
{{- with .values.nodeSelector | default .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations | default .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "deltaboard.podSpec" -}}
serviceAccountName: {{ include "deltaboard.fullname" .root }}-{{ .component }}
enableServiceLinks: false
terminationGracePeriodSeconds: 30
securityContext:
  {{- toYaml .root.Values.podSecurityContext | nindent 2 }}
{{- include "deltaboard.pullSecrets" .root }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- include "deltaboard.nodes" . }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  {{- if .values.topologySpreadConstraints }}
  {{- toYaml .values.topologySpreadConstraints | nindent 2 }}
  {{- else }}
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "deltaboard.selector" . | nindent 8 }}
  {{- end }}
volumes:
  {{- include "deltaboard.volumes" .root | nindent 2 }}
initContainers:
  - name: wait-for-tables
    command: {{ toJson .root.Values.migration.waitCommand }}
    resources:
      {{- toYaml .root.Values.migration.resources | nindent 6 }}
    env:
      {{- include "deltaboard.secretEnv" .root | nindent 6 }}
    {{- include "deltaboard.container" .root | nindent 4 }}
{{- end -}}
