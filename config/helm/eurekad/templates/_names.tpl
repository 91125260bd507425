{{- define "eurekad.name" -}}
{{- if not (regexMatch "^[a-z]" .Release.Name) }}{{ fail "the release's name must begin with a letter, as names of services do" }}{{ end -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- /* The settings of a tree, one NAME=VALUE a line, in the form in which Spring compares names. */ -}}
{{- define "eurekad.flat" -}}
{{- range $key, $value := .tree }}
{{- $name := printf "%s%s" $.before ($key | lower | replace "-" "" | replace "_" "") }}
{{- if kindIs "map" $value }}
{{- include "eurekad.flat" (dict "tree" $value "before" (printf "%s." $name)) }}
{{- else }}
{{- printf "%s=%v\n" $name $value }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "eurekad.selector" -}}
app.kubernetes.io/name: eurekad
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "eurekad.labels" -}}
{{ include "eurekad.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "eurekad.probeScheme" -}}
{{- if .Values.tlsSecret }}, scheme: HTTPS{{ end -}}
{{- end -}}
