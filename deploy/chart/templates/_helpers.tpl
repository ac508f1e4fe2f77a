{{/* The name of everything: the release's, which says what chart it is of. */}}
{{- define "berth.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What a Deployment selects by: it can never change. */}}
{{- define "berth.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "berth.labels" -}}
{{ include "berth.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: scheduler
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* The name of what is not in the release's namespace, or not in any. */}}
{{- define "berth.clusterName" -}}
{{ .Release.Namespace }}:{{ include "berth.fullname" . }}
{{- end -}}

{{- define "berth.serviceAccountName" -}}
{{ .Values.serviceAccount.name | default (include "berth.fullname" .) }}
{{- end -}}

{{- define "berth.leaseName" -}}
{{ .Values.leaderElection.resourceName | default (include "berth.fullname" .) }}
{{- end -}}

{{- define "berth.leaseNamespace" -}}
{{ .Values.leaderElection.resourceNamespace | default .Release.Namespace }}
{{- end -}}

{{- define "berth.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end -}}

{{/* What the restricted Pod Security Standard asks of a container, and a root file system that nobody writes to. */}}
{{- define "berth.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* The configuration file's text. */}}
{{- define "berth.configuration" -}}
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
{{ toYaml .Values.configuration }}
{{- end -}}

{{/* The volume of the plugins directory. */}}
{{- define "berth.pluginsVolume" -}}
{{- $plugins := .Values.plugins -}}
name: plugins
{{- if and (eq $plugins.source "configMap") (or $plugins.configMap.names $plugins.configMap.binaryData) }}
# ConfigMaps side by side: the kubelet exchanges all their files at once, through the link ..data.
projected:
  sources:
    {{- range $plugins.configMap.names }}
    - configMap:
        name: {{ . | quote }}
        optional: true
    {{- end }}
    {{- if $plugins.configMap.binaryData }}
    - configMap:
        name: {{ include "berth.fullname" . }}-chart-plugins
    {{- end }}
{{- else if eq $plugins.source "image" }}
image:
  reference: {{ required "plugins.image.reference: name the OCI image whose root holds the plugins" $plugins.image.reference | quote }}
  pullPolicy: {{ $plugins.image.pullPolicy }}
{{- else if eq $plugins.source "persistentVolumeClaim" }}
persistentVolumeClaim:
  claimName: {{ required "plugins.persistentVolumeClaim.claimName: name the claim whose volume holds the plugins" $plugins.persistentVolumeClaim.claimName | quote }}
  readOnly: true
{{- else }}
emptyDir: {}
{{- end }}
{{- end -}}
