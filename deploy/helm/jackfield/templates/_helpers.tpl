{{- define "jackfield.environment" }}
- name: POD_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- name: POD_IP
  valueFrom: { fieldRef: { fieldPath: status.podIP } }
# Below the volume, so that the daemon makes it and nobody else may read it.
- name: JACKFIELD_CONFIG_DIR
  value: /data/jackfield
- name: JACKFIELD_HOSTS_NAME
  value: $(POD_NAME)
- name: JACKFIELD_HOSTS_ADDRESS
  value: http://$(POD_IP):{{ .Values.port }}
- name: JACKFIELD_SERVER_HOST
  value: 0.0.0.0
- name: JACKFIELD_SERVER_PORT
  value: {{ .Values.port | quote }}
- name: JACKFIELD_SERVER_PUBLIC_URL
  value: {{ .Values.publicUrl | quote }}
# The Ingress's name, the Service's, and the pod's own for Prometheus.
- name: JACKFIELD_SERVER_PUBLIC_HOSTS
  value: {{ .Values.publicHost }},{{ .Release.Name }}:{{ .Values.port }},$(POD_IP):{{ .Values.port }}
- name: JACKFIELD_SERVER_TRUSTED_PROXIES
  value: {{ .Values.trustedProxies | quote }}
- name: JACKFIELD_DAEMON_REMOTE_AGENTS
  value: {{ .Values.remoteAgents | quote }}
- name: JACKFIELD_DAEMON_SHUTDOWN_TIMEOUT
  value: {{ .Values.shutdownTimeout | quote }}
- name: JACKFIELD_STORE_NAME
  value: postgres
- name: JACKFIELD_STORE_POSTGRES_DSN
  valueFrom: { secretKeyRef: { name: {{ .Values.existingSecret }}, key: postgres-dsn } }
- name: JACKFIELD_BUS_NAME
  value: {{ .Values.bus | quote }}
- name: JACKFIELD_BUS_NATS_SERVERS
  value: {{ .Values.natsServers | quote }}
- name: JACKFIELD_ENCRYPTION_KEY
  valueFrom: { secretKeyRef: { name: {{ .Values.existingSecret }}, key: encryption-key } }
- name: JACKFIELD_ADMIN_USERNAME
  valueFrom: { secretKeyRef: { name: {{ .Values.existingSecret }}, key: admin-username } }
- name: JACKFIELD_ADMIN_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ .Values.existingSecret }}, key: admin-password } }
{{- range $name, $value := .Values.extraEnvironment }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "jackfield.container" }}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
args: [serve]
ports:
  - { name: http, containerPort: {{ .Values.port }} }
# A daemon knows itself by its own address alone, hence the Host.
readinessProbe:
  httpGet: &ready
    path: /ready
    port: http
    httpHeaders: [{ name: Host, value: "127.0.0.1:{{ .Values.port }}" }]
  periodSeconds: 3
  timeoutSeconds: 3
livenessProbe:
  httpGet:
    path: /health
    port: http
    httpHeaders: [{ name: Host, value: "127.0.0.1:{{ .Values.port }}" }]
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
startupProbe:
  httpGet: *ready
  periodSeconds: 2
  failureThreshold: 60
# Nobody sends to this pod any more when it stops.
lifecycle:
  preStop: { exec: { command: [sleep, {{ .Values.preStopSeconds | quote }}] } }
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
  seccompProfile: { type: RuntimeDefault }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
{{- end }}
