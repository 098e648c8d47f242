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

{{/* Values that fit to no other: one sentence each, before anything is made. */}}
{{- define "deltaboard.check" -}}
{{- $v := .Values -}}
{{- if and (ne $v.signIn.mode "portForward") (not $v.hosts) -}}
{{- fail "hosts is empty: name the host under which browsers open Deltaboard, such as hosts: [deltaboard.example.com]" -}}
{{- end -}}
{{- if and (eq $v.signIn.mode "portForward") (or $v.ingress.enabled $v.gateway.enabled) -}}
{{- fail "signIn.mode is portForward, so that nobody can come through an Ingress or a Gateway: choose oidc or proxy, or switch them off" -}}
{{- end -}}
{{- if and (eq $v.signIn.mode "portForward") (ne $v.web.service.type "ClusterIP") -}}
{{- fail (printf "signIn.mode is portForward, so that nobody can come through a Service of type %s: choose oidc or proxy, or web.service.type=ClusterIP" $v.web.service.type) -}}
{{- end -}}
{{- range $component := list "worker" "web" -}}
{{- $account := (index $v $component).serviceAccount -}}
{{- if not (or $account.create $account.name) -}}
{{- fail (printf "%s.serviceAccount.create is off: name the one to use in %s.serviceAccount.name" $component $component) -}}
{{- end -}}
{{- if and $account.annotations (not $account.create) -}}
{{- fail (printf "%s.serviceAccount.annotations has no effect with %s.serviceAccount.create off: annotate the one that is there" $component $component) -}}
{{- end -}}
{{- end -}}
{{- if and $v.worker.serviceAccount.create $v.web.serviceAccount.create $v.web.serviceAccount.name (eq $v.worker.serviceAccount.name $v.web.serviceAccount.name) -}}
{{- fail "worker.serviceAccount and web.serviceAccount have one name: give them two, or set create off for one of them" -}}
{{- end -}}
{{- if and (or $v.networkPolicy.tracesTo $v.networkPolicy.tracesPorts) (not $v.traces.endpoint) -}}
{{- fail "networkPolicy.tracesTo and tracesPorts have no effect without traces.endpoint: name the collector there" -}}
{{- end -}}
{{- range $owner, $variables := dict "extraEnv" $v.extraEnv "worker.extraEnv" $v.worker.extraEnv "web.extraEnv" $v.web.extraEnv -}}
{{- range $variables -}}
{{- if has .name (list "SECRET_KEY" "DELTABOARD_FEED_KEY" "DELTABOARD_AUDIT_KEY" "REDIS_URL" "REDIS_PASSWORD" "DATABASE_URL" "POSTGRES_PASSWORD" "DELTABOARD_TRUST_PROXY_SECRET" "DELTABOARD_METRICS") -}}
{{- fail (printf "%s: the chart sets %s itself, by another value or a Secret (README.md of the chart)" $owner .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and (eq $v.signIn.mode "portForward") (eq $v.rights.whose "person") -}}
{{- fail "rights.whose is person, but with signIn.mode portForward nobody has a name: choose oidc or proxy" -}}
{{- end -}}
{{- if and (eq $v.signIn.mode "oidc") (not $v.signIn.oidc.issuers) (not $v.signIn.oidc.existingSecret) -}}
{{- fail "signIn.mode is oidc: list signIn.oidc.issuers, or name a Secret with issuers.yaml in signIn.oidc.existingSecret" -}}
{{- end -}}
{{- if and (eq $v.signIn.mode "proxy") (not $v.signIn.proxy.peers) -}}
{{- fail "signIn.mode is proxy: list in signIn.proxy.peers from where it connects, such as the network of the pods" -}}
{{- end -}}
{{- if and (eq $v.rights.scope "namespaces") (not $v.rights.namespaces) -}}
{{- fail "rights.scope is namespaces: list them in rights.namespaces" -}}
{{- end -}}
{{- if and (eq $v.rights.scope "cluster") $v.rights.namespaces -}}
{{- fail "rights.namespaces has no effect with rights.scope cluster: set rights.scope=namespaces, or leave it out" -}}
{{- end -}}
{{- if and $v.rights.write (eq (include "deltaboard.whose" .) "person") -}}
{{- fail "rights.write has no effect where people have their own rights: leave it out, or set rights.whose=account" -}}
{{- end -}}
{{- if and $v.gateway.enabled (not $v.gateway.parentRefs) -}}
{{- fail "gateway.parentRefs is empty: name the Gateway" -}}
{{- end -}}
{{- if and $v.redis.url $v.redis.existingSecret -}}
{{- fail "redis.url and redis.existingSecret both name a Redis: leave one of them out" -}}
{{- end -}}
{{- if and $v.postgresql.url $v.postgresql.existingSecret -}}
{{- fail "postgresql.url and postgresql.existingSecret both name a PostgreSQL: leave one of them out" -}}
{{- end -}}
{{- if and $v.metrics.serviceMonitor.enabled (not $v.metrics.enabled) -}}
{{- fail "metrics.serviceMonitor needs metrics.enabled" -}}
{{- end -}}
{{- if and $v.metrics.prometheusRule.enabled (not $v.metrics.enabled) -}}
{{- fail "metrics.prometheusRule needs metrics.enabled: alerts rest on the metrics of web processes" -}}
{{- end -}}
{{- if and $v.settings.DELTABOARD_CONTROLLERS (include "deltaboard.readOnly" .) -}}
{{- fail "settings.DELTABOARD_CONTROLLERS: controllers write to the cluster, and this Deltaboard is read-only (readOnly, rights.write)" -}}
{{- end -}}
{{- $own := list "DELTABOARD_CHANNEL_PREFIX" "DELTABOARD_HISTORY" "DELTABOARD_HISTORY_AGE" "DELTABOARD_HISTORY_SIZE" "DELTABOARD_VAR" "DELTABOARD_KINDS" "DELTABOARD_CLUSTER" "DELTABOARD_CONTEXT" "DELTABOARD_CLUSTER_COLOUR" "DELTABOARD_PRODUCTION" "DELTABOARD_READ_ONLY" "DELTABOARD_NAMESPACES" "DELTABOARD_TOKEN" "DELTABOARD_RIGHTS" "DELTABOARD_SIGN_IN" "DELTABOARD_OIDC" "DELTABOARD_TRUST_PROXY_USER" "DELTABOARD_TRUST_PROXY_GROUPS" "DELTABOARD_TRUST_PROXY_PEERS" "DELTABOARD_TRUST_PROXY_SECRET" "DELTABOARD_FEED_KEY" "DELTABOARD_AUDIT_KEY" "DELTABOARD_METRICS" "DELTABOARD_TRACES" "DELTABOARD_TRACES_RATIO" -}}
{{- if $v.settings.DELTABOARD_PROMETHEUS_TOKEN -}}
{{- fail "settings.DELTABOARD_PROMETHEUS_TOKEN is a secret, and settings are in a ConfigMap: name a Secret in extraEnv, with valueFrom" -}}
{{- end -}}
{{- range $name, $_ := $v.settings -}}
{{- if has $name $own -}}
{{- fail (printf "settings.%s: another value of the chart is for this variable, or a Secret (README.md of the chart)" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
