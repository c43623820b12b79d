{{- /* SPDX-License-Identifier: Apache-2.0 */ -}}
{{- /* Pieces that several objects share. Those of a component take a dict: root (the chart's dot), name (scheduler,
       controllers, admission), key (its prefix among the values), lease (by which one replica leads) and port (of metrics). */ -}}

{{- define "volcano.labels" -}}
app.kubernetes.io/name: volcano
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.custom.common_labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "volcano.image" -}}
{{- $basic := .root.Values.basic -}}
{{- $tag := coalesce (index $basic (printf "%s_image_tag_version" .key)) $basic.image_tag_version .root.Chart.AppVersion -}}
{{- $name := printf "%s:%s" (index $basic (printf "%s_image_name" .key)) $tag -}}
{{- if $basic.image_registry -}}
{{- printf "%s/%s" (trimSuffix "/" $basic.image_registry) $name -}}
{{- else -}}
{{- $name -}}
{{- end -}}
{{- end }}

{{- /* What of a pod does not depend on its program. */ -}}
{{- define "volcano.pod" -}}
{{- $custom := .root.Values.custom -}}
serviceAccountName: {{ .root.Release.Name }}-{{ .name }}
{{- with $custom.priority_class_name }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.basic.image_pull_secret }}
imagePullSecrets:
- name: {{ . }}
{{- end }}
securityContext:
  {{- toYaml (coalesce (index $custom (printf "%s_sc" .key)) $custom.default_sc) | nindent 2 }}
affinity:
  {{- with coalesce (index $custom (printf "%s_affinity" .key)) $custom.default_affinity }}
  {{- toYaml . | nindent 2 }}
  {{- else }}
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            app: {{ .root.Release.Name }}-{{ .name }}
  {{- end }}
{{- with coalesce (index $custom (printf "%s_tolerations" .key)) $custom.default_tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with coalesce (index $custom (printf "%s_ns" .key)) $custom.default_ns }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* What of a container does not depend on its program. */ -}}
{{- define "volcano.container" -}}
{{- $custom := .root.Values.custom -}}
image: {{ include "volcano.image" . | quote }}
imagePullPolicy: {{ .root.Values.basic.image_pull_policy }}
securityContext:
  {{- toYaml (coalesce (index $custom (printf "%s_main_csc" .key)) $custom.default_csc) | nindent 2 }}
{{- with index $custom (printf "%s_resources" .key) }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "volcano.probes" -}}
livenessProbe:
  httpGet: {path: /livez, port: health}
  initialDelaySeconds: 5
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet: {path: /readyz, port: health}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}

{{- /* The service account, and the lease by which one of several replicas leads. */ -}}
{{- define "volcano.account" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "volcano.labels" .root | nindent 4 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  labels:
    {{- include "volcano.labels" .root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ .root.Release.Name }}-{{ .name }}
subjects:
- kind: ServiceAccount
  name: {{ .root.Release.Name }}-{{ .name }}
  namespace: {{ .root.Release.Namespace }}
{{- if .lease }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "volcano.labels" .root | nindent 4 }}
rules:
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ .lease }}]
  verbs: [get, update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "volcano.labels" .root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ .root.Release.Name }}-{{ .name }}
subjects:
- kind: ServiceAccount
  name: {{ .root.Release.Name }}-{{ .name }}
  namespace: {{ .root.Release.Namespace }}
{{- end }}
{{- end }}

{{- /* The disruption budget; one replica has none, so that its node can be drained. */ -}}
{{- define "volcano.budget" -}}
{{- if gt (int (index .root.Values.custom (printf "%s_replicas" .key))) 1 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "volcano.labels" .root | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      app: {{ .root.Release.Name }}-{{ .name }}
{{- end }}
{{- end }}

{{- define "volcano.metrics" -}}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}-service
  namespace: {{ .root.Release.Namespace }}
  labels:
    app: {{ .root.Release.Name }}-{{ .name }}
    {{- include "volcano.labels" .root | nindent 4 }}
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/path: /metrics
    prometheus.io/port: {{ .port | quote }}
spec:
  {{- include "volcano.families" .root | nindent 2 }}
  selector:
    app: {{ .root.Release.Name }}-{{ .name }}
  ports:
  - name: metrics
    port: {{ .port }}
    targetPort: metrics
{{- end }}

{{- define "volcano.families" -}}
type: ClusterIP
{{- with .Values.service.ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .Values.service.ipFamilies }}
ipFamilies:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "volcano.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    app: {{ .root.Release.Name }}-{{ .name }}
    {{- include "volcano.labels" .root | nindent 4 }}
    {{- with index .root.Values.custom (printf "%s_labels" .key) }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  replicas: {{ index .root.Values.custom (printf "%s_replicas" .key) }}
  selector:
    matchLabels:
      app: {{ .root.Release.Name }}-{{ .name }}
  template:
    metadata:
      labels:
        app: {{ .root.Release.Name }}-{{ .name }}
        {{- include "volcano.labels" .root | nindent 8 }}
        {{- with index .root.Values.custom (printf "%s_podLabels" .key) }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "volcano.pod" . | nindent 6 }}
{{- end }}
