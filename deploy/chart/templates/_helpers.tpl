{{/* The name of all objects: the release's name, extended with the chart's name if it does not contain it. */}}
{{- define "berth.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The labels in the Deployment's selector, which is immutable. */}}
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

{{/* The name of cluster-scoped objects, and of objects in other namespaces than the release's. */}}
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

{{/* The requirements of the restricted Pod Security Standard for a container, and a read-only root file system. */}}
{{- define "berth.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* The content of the configuration file. */}}
{{- define "berth.configuration" -}}
{{- with .Values.configuration -}}
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
{{ toYaml . }}
{{- end }}
{{- with .Values.plugins.settings }}
---
apiVersion: berth.dev/v1alpha1
kind: BerthConfiguration
{{- if not $.Values.configuration }}
schedulerName: {{ $.Values.schedulerName | quote }}
{{- end }}
plugins:
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The volume of the plugins directory. */}}
{{- define "berth.pluginsVolume" -}}
{{- $plugins := .Values.plugins -}}
name: plugins
{{- if and (eq $plugins.source "configMap") (or $plugins.configMap.names $plugins.configMap.binaryData) }}
# One projected volume for all ConfigMaps, so that the kubelet replaces all files at once, through the link ..data.
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
  reference: {{ required "plugins.image.reference: name the OCI image with the plugins in its root" $plugins.image.reference | quote }}
  pullPolicy: {{ $plugins.image.pullPolicy }}
{{- else if eq $plugins.source "persistentVolumeClaim" }}
persistentVolumeClaim:
  claimName: {{ required "plugins.persistentVolumeClaim.claimName: name the claim of the volume with the plugins" $plugins.persistentVolumeClaim.claimName | quote }}
  readOnly: true
{{- else }}
emptyDir: {}
{{- end }}
{{- end -}}
