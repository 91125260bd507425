{{- define "eurekad.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
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
