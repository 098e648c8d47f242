{{/* What follows from the values: who signs in, whose rights they have, which settings the processes get. */}}
{{- define "deltaboard.whose" -}}
{{- .Values.rights.whose | default (ternary "account" "person" (eq .Values.signIn.mode "portForward")) -}}
{{- end -}}

{{- define "deltaboard.readOnly" -}}
{{- if or .Values.readOnly (and (eq (include "deltaboard.whose" .) "account") (not .Values.rights.write)) -}}on{{- end -}}
{{- end -}}

{{- define "deltaboard.impersonation" -}}
{{- $byVersion := ternary "constrained" "plain" (semverCompare ">=1.36.0-0" .Capabilities.KubeVersion.Version) -}}
{{- .Values.rights.impersonation | default $byVersion -}}
{{- end -}}

{{- define "deltaboard.bundlesRedis" -}}
{{- if not (or .Values.redis.url .Values.redis.existingSecret) -}}yes{{- end -}}
{{- end -}}

{{- define "deltaboard.bundlesPostgresql" -}}
{{- if not (or .Values.postgresql.url .Values.postgresql.existingSecret) -}}yes{{- end -}}
{{- end -}}

{{/* Whether the chart has a Secret of its own. */}}
{{- define "deltaboard.hasSecret" -}}
{{- $v := .Values -}}
{{- if or (not $v.secrets.existingSecret) (not $v.redis.existingSecret) (not $v.postgresql.existingSecret) -}}yes{{- end -}}
{{- end -}}

{{/* Port in traces.endpoint, or that of its scheme. */}}
{{- define "deltaboard.tracesPort" -}}
{{- $url := urlParse .Values.traces.endpoint -}}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (ternary "443" "80" (eq $url.scheme "https")) -}}
{{- end -}}

{{- define "deltaboard.settings" -}}
ALLOWED_HOSTS: {{ prepend (prepend (prepend .Values.hosts "[::1]") "127.0.0.1") "localhost" | join "," | quote }}
{{- if and .Values.https .Values.hosts }}
CSRF_TRUSTED_ORIGINS: {{ printf "https://%s" (join ",https://" .Values.hosts) | quote }}
{{- end }}
DELTABOARD_CHANNEL_PREFIX: {{ printf "%s-%s" .Release.Namespace (include "deltaboard.fullname" .) | quote }}
DELTABOARD_HISTORY: {{ ternary "on" "off" .Values.history.enabled | quote }}
DELTABOARD_HISTORY_AGE: {{ .Values.history.days | int64 | quote }}
DELTABOARD_HISTORY_SIZE: {{ .Values.history.sizeMiB | int64 | quote }}
DELTABOARD_VAR: /var/lib/deltaboard
HOME: /var/lib/deltaboard
{{- with .Values.kinds }}
DELTABOARD_KINDS: {{ join "," . | quote }}
{{- end }}
{{- with .Values.clusterName }}
KUBECONFIG: /etc/deltaboard/cluster/kubeconfig
{{- end }}
{{- with .Values.clusterColour }}
DELTABOARD_CLUSTER_COLOUR: {{ . | quote }}
{{- end }}
{{- if .Values.production }}
DELTABOARD_PRODUCTION: "on"
{{- end }}
{{- if include "deltaboard.readOnly" . }}
DELTABOARD_READ_ONLY: "on"
{{- end }}
{{- if eq .Values.rights.scope "namespaces" }}
DELTABOARD_NAMESPACES: {{ join "," .Values.rights.namespaces | quote }}
{{- end }}
{{- if eq .Values.signIn.mode "portForward" }}
DELTABOARD_TOKEN: "off"
{{- else }}
DELTABOARD_RIGHTS: {{ include "deltaboard.whose" . | quote }}
{{- end }}
DELTABOARD_SIGN_IN: {{ get (dict "portForward" "token" "oidc" "oidc" "proxy" "proxy") .Values.signIn.mode | quote }}
{{- if eq .Values.signIn.mode "oidc" }}
DELTABOARD_OIDC: /etc/deltaboard/sign-in/issuers.yaml
{{- end }}
{{- if eq .Values.signIn.mode "proxy" }}
DELTABOARD_TRUST_PROXY_USER: {{ .Values.signIn.proxy.userHeader | quote }}
{{- with .Values.signIn.proxy.groupsHeader }}
DELTABOARD_TRUST_PROXY_GROUPS: {{ . | quote }}
{{- end }}
DELTABOARD_TRUST_PROXY_PEERS: {{ join "," .Values.signIn.proxy.peers | quote }}
{{- end }}
{{- with .Values.traces.endpoint }}
DELTABOARD_TRACES: {{ . | quote }}
DELTABOARD_TRACES_RATIO: {{ $.Values.traces.ratio | toString | quote }}
{{- end }}
{{- end -}}

{{/* What values.schema.json cannot refuse: one sentence each, before anything is made. */}}
{{- define "deltaboard.check" -}}
{{- $v := .Values -}}
{{- if and $v.worker.serviceAccount.create $v.web.serviceAccount.create $v.web.serviceAccount.name (eq $v.worker.serviceAccount.name $v.web.serviceAccount.name) -}}
{{- fail "worker.serviceAccount and web.serviceAccount have one name: give them two, or set create off for one of them" -}}
{{- end -}}
{{- if and (gt (int $v.worker.shards) 1) (eq $v.rights.scope "namespaces") -}}
{{- fail "worker.shards divides all namespaces of a cluster: it cannot go with rights.scope=namespaces" -}}
{{- end -}}
{{- end -}}
