/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/protobuf_core.c - the numbers of fields on the wire: Kubernetes' core group. They never
 * change upstream; new ones are added at the end. */
#include "model/field/protobuf.h"

#include "base/banned.h"

static const struct protobuf_message messages[] = {
	{"AWSElasticBlockStoreVolumeSource", "volumeID fsType partition readOnly"},
	{"Affinity", "nodeAffinity podAffinity podAntiAffinity"},
	{"AppArmorProfile", "type localhostProfile"},
	{"AttachedVolume", "name devicePath"},
	{"AzureDiskVolumeSource", "diskName diskURI cachingMode fsType readOnly kind"},
	{"AzureFilePersistentVolumeSource", "secretName shareName readOnly secretNamespace"},
	{"AzureFileVolumeSource", "secretName shareName readOnly"},
	{"Binding", "metadata target"},
	{"CSIPersistentVolumeSource",
	 "driver volumeHandle readOnly fsType volumeAttributes controllerPublishSecretRef "
	 "nodeStageSecretRef nodePublishSecretRef controllerExpandSecretRef nodeExpandSecretRef"},
	{"CSIVolumeSource", "driver readOnly fsType volumeAttributes nodePublishSecretRef"},
	{"Capabilities", "add drop"},
	{"CephFSPersistentVolumeSource", "monitors path user secretFile secretRef readOnly"},
	{"CephFSVolumeSource", "monitors path user secretFile secretRef readOnly"},
	{"CinderPersistentVolumeSource", "volumeID fsType readOnly secretRef"},
	{"CinderVolumeSource", "volumeID fsType readOnly secretRef"},
	{"ClientIPConfig", "timeoutSeconds"},
	{"ClusterTrustBundleProjection", "name signerName labelSelector path optional user"},
	{"ComponentCondition", "type status message error"},
	{"ComponentStatus", "metadata conditions"},
	{"ConfigMap", "metadata data binaryData immutable"},
	{"ConfigMapEnvSource", "@LocalObjectReference optional"},
	{"ConfigMapKeySelector", "@LocalObjectReference key optional"},
	{"ConfigMapNodeConfigSource", "namespace name uid resourceVersion kubeletConfigKey"},
	{"ConfigMapProjection", "@LocalObjectReference items 4:optional"},
	{"ConfigMapVolumeSource", "@LocalObjectReference items defaultMode optional defaultUser"},
	{"Container",
	 "name image command args workingDir ports env resources volumeMounts livenessProbe "
	 "readinessProbe lifecycle terminationMessagePath imagePullPolicy securityContext stdin "
	 "stdinOnce tty envFrom terminationMessagePolicy volumeDevices startupProbe "
	 "resizePolicy restartPolicy restartPolicyRules"},
	{"ContainerExtendedResourceRequest", "containerName resourceName requestName"},
	{"ContainerImage", "names sizeBytes"},
	{"ContainerPort", "name hostPort containerPort protocol hostIP"},
	{"ContainerResizePolicy", "resourceName restartPolicy"},
	{"ContainerRestartRule", "action exitCodes"},
	{"ContainerRestartRuleOnExitCodes", "operator values"},
	{"ContainerState", "waiting running terminated"},
	{"ContainerStateRunning", "startedAt"},
	{"ContainerStateTerminated",
	 "exitCode signal reason message startedAt finishedAt containerID"},
	{"ContainerStateWaiting", "reason message"},
	{"ContainerStatus",
	 "name state lastState ready restartCount image imageID containerID started "
	 "allocatedResources resources volumeMounts user allocatedResourcesStatus stopSignal"},
	{"ContainerUser", "linux"},
	{"DaemonEndpoint", "Port"},
	{"DownwardAPIProjection", "items"},
	{"DownwardAPIVolumeFile", "path fieldRef resourceFieldRef mode user"},
	{"DownwardAPIVolumeSource", "items defaultMode defaultUser"},
	{"EmptyDirVolumeSource", "medium sizeLimit mode"},
	{"EndpointAddress", "ip targetRef hostname nodeName"},
	{"EndpointPort", "name port protocol appProtocol"},
	{"EndpointSubset", "addresses notReadyAddresses ports"},
	{"Endpoints", "metadata subsets"},
	{"EnvFromSource", "prefix configMapRef secretRef"},
	{"EnvVar", "name value valueFrom"},
	{"EnvVarSource", "fieldRef resourceFieldRef configMapKeyRef secretKeyRef fileKeyRef"},
	{"EphemeralContainer", "@EphemeralContainerCommon targetContainerName"},
	{"EphemeralContainerCommon",
	 "name image command args workingDir ports env resources volumeMounts livenessProbe "
	 "readinessProbe lifecycle terminationMessagePath imagePullPolicy securityContext stdin "
	 "stdinOnce tty envFrom terminationMessagePolicy volumeDevices startupProbe "
	 "resizePolicy restartPolicy restartPolicyRules"},
	{"EphemeralVolumeSource", "volumeClaimTemplate"},
	{"Event",
	 "metadata involvedObject reason message source firstTimestamp lastTimestamp count type "
	 "eventTime series action related reportingComponent reportingInstance"},
	{"EventSeries", "count lastObservedTime"},
	{"EventSource", "component host"},
	{"ExecAction", "command"},
	{"FCVolumeSource", "targetWWNs lun fsType readOnly wwids"},
	{"FileKeySelector", "volumeName path key optional"},
	{"FlexPersistentVolumeSource", "driver fsType secretRef readOnly options"},
	{"FlexVolumeSource", "driver fsType secretRef readOnly options"},
	{"FlockerVolumeSource", "datasetName datasetUUID"},
	{"GCEPersistentDiskVolumeSource", "pdName fsType partition readOnly"},
	{"GRPCAction", "port service mode"},
	{"GitRepoVolumeSource", "repository revision directory"},
	{"GlusterfsPersistentVolumeSource", "endpoints path readOnly endpointsNamespace"},
	{"GlusterfsVolumeSource", "endpoints path readOnly"},
	{"HTTPGetAction", "path port host scheme httpHeaders protocol"},
	{"HTTPHeader", "name value"},
	{"HostAlias", "ip hostnames"},
	{"HostIP", "ip"},
	{"HostPathVolumeSource", "path type"},
	{"ISCSIPersistentVolumeSource",
	 "targetPortal iqn lun iscsiInterface fsType readOnly portals chapAuthDiscovery "
	 "10:secretRef chapAuthSession initiatorName"},
	{"ISCSIVolumeSource",
	 "targetPortal iqn lun iscsiInterface fsType readOnly portals chapAuthDiscovery "
	 "10:secretRef chapAuthSession initiatorName"},
	{"ImageVolumeSource", "reference pullPolicy"},
	{"KeyToPath", "key path mode user"},
	{"Lifecycle", "postStart preStop stopSignal"},
	{"LifecycleHandler", "exec httpGet tcpSocket sleep"},
	{"LimitRange", "metadata spec"},
	{"LimitRangeItem", "type max min default defaultRequest maxLimitRequestRatio"},
	{"LimitRangeSpec", "limits"},
	{"LinuxContainerUser", "uid gid supplementalGroups"},
	{"LoadBalancerIngress", "ip hostname ipMode ports"},
	{"LoadBalancerStatus", "ingress"},
	{"LocalObjectReference", "name"},
	{"LocalVolumeSource", "path fsType"},
	{"ModifyVolumeStatus", "targetVolumeAttributesClassName status"},
	{"NFSVolumeSource", "server path readOnly"},
	{"Namespace", "metadata spec status"},
	{"NamespaceCondition", "type status 4:lastTransitionTime reason message"},
	{"NamespaceSpec", "finalizers"},
	{"NamespaceStatus", "phase conditions"},
	{"Node", "metadata spec status"},
	{"NodeAddress", "type address"},
	{"NodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution "
			 "preferredDuringSchedulingIgnoredDuringExecution"},
	{"NodeCondition", "type status lastHeartbeatTime lastTransitionTime reason message"},
	{"NodeConfigSource", "2:configMap"},
	{"NodeConfigStatus", "assigned active lastKnownGood error"},
	{"NodeDaemonEndpoints", "kubeletEndpoint"},
	{"NodeFeatures", "supplementalGroupsPolicy"},
	{"NodeRuntimeHandler", "name features"},
	{"NodeRuntimeHandlerFeatures", "recursiveReadOnlyMounts userNamespaces"},
	{"NodeSelector", "nodeSelectorTerms"},
	{"NodeSelectorRequirement", "key operator values"},
	{"NodeSelectorTerm", "matchExpressions matchFields"},
	{"NodeSpec", "podCIDR externalID providerID unschedulable taints configSource podCIDRs "
		     "podPreemptionPolicy"},
	{"NodeStatus",
	 "capacity allocatable phase conditions addresses daemonEndpoints nodeInfo images "
	 "volumesInUse volumesAttached config runtimeHandlers features declaredFeatures"},
	{"NodeSwapStatus", "capacity"},
	{"NodeSystemInfo",
	 "machineID systemUUID bootID kernelVersion osImage containerRuntimeVersion "
	 "kubeletVersion kubeProxyVersion operatingSystem architecture swap"},
	{"ObjectFieldSelector", "apiVersion fieldPath"},
	{"ObjectReference", "kind namespace name uid apiVersion resourceVersion fieldPath"},
	{"PersistentVolume", "metadata spec status"},
	{"PersistentVolumeClaim", "metadata spec status"},
	{"PersistentVolumeClaimCondition",
	 "type status lastProbeTime lastTransitionTime reason message"},
	{"PersistentVolumeClaimSpec",
	 "accessModes resources volumeName selector storageClassName volumeMode dataSource "
	 "dataSourceRef volumeAttributesClassName"},
	{"PersistentVolumeClaimStatus",
	 "phase accessModes capacity conditions allocatedResources 7:allocatedResourceStatuses "
	 "currentVolumeAttributesClassName modifyVolumeStatus healthStatus"},
	{"PersistentVolumeClaimTemplate", "metadata spec"},
	{"PersistentVolumeClaimVolumeSource", "claimName readOnly"},
	{"PersistentVolumeSource",
	 "gcePersistentDisk awsElasticBlockStore hostPath glusterfs nfs rbd iscsi cinder cephfs "
	 "fc flocker flexVolume azureFile vsphereVolume quobyte azureDisk photonPersistentDisk "
	 "portworxVolume scaleIO local storageos csi"},
	{"PersistentVolumeSpec",
	 "capacity @PersistentVolumeSource accessModes claimRef persistentVolumeReclaimPolicy "
	 "storageClassName mountOptions volumeMode nodeAffinity volumeAttributesClassName"},
	{"PersistentVolumeStatus", "phase message reason lastPhaseTransitionTime"},
	{"PhotonPersistentDiskVolumeSource", "pdID fsType"},
	{"Pod", "metadata spec status"},
	{"PodAffinity", "requiredDuringSchedulingIgnoredDuringExecution "
			"preferredDuringSchedulingIgnoredDuringExecution"},
	{"PodAffinityTerm", "labelSelector namespaces topologyKey namespaceSelector matchLabelKeys "
			    "mismatchLabelKeys"},
	{"PodAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution "
			    "preferredDuringSchedulingIgnoredDuringExecution"},
	{"PodCertificateProjection",
	 "signerName keyType maxExpirationSeconds credentialBundlePath keyPath "
	 "certificateChainPath userAnnotations user"},
	{"PodCondition",
	 "type status lastProbeTime lastTransitionTime reason message observedGeneration"},
	{"PodDNSConfig", "nameservers searches options"},
	{"PodDNSConfigOption", "name value"},
	{"PodExtendedResourceClaimStatus", "requestMappings resourceClaimName"},
	{"PodIP", "ip"},
	{"PodOS", "name"},
	{"PodReadinessGate", "conditionType"},
	{"PodResourceClaim", "name 3:resourceClaimName resourceClaimTemplateName"},
	{"PodResourceClaimStatus", "name resourceClaimName"},
	{"PodSchedulingGate", "name"},
	{"PodSecurityContext",
	 "seLinuxOptions runAsUser runAsNonRoot supplementalGroups fsGroup runAsGroup sysctls "
	 "windowsOptions fsGroupChangePolicy seccompProfile appArmorProfile "
	 "supplementalGroupsPolicy seLinuxChangePolicy"},
	{"PodSpec",
	 "volumes containers restartPolicy terminationGracePeriodSeconds activeDeadlineSeconds "
	 "dnsPolicy nodeSelector serviceAccountName serviceAccount nodeName hostNetwork hostPID "
	 "hostIPC securityContext imagePullSecrets hostname subdomain affinity schedulerName "
	 "initContainers automountServiceAccountToken tolerations hostAliases priorityClassName "
	 "priority dnsConfig shareProcessNamespace readinessGates runtimeClassName "
	 "enableServiceLinks preemptionPolicy overhead topologySpreadConstraints "
	 "ephemeralContainers setHostnameAsFQDN os hostUsers schedulingGates resourceClaims "
	 "resources hostnameOverride 43:schedulingGroup evictionResponders"},
	{"PodStatus",
	 "phase conditions message reason hostIP podIP startTime containerStatuses qosClass "
	 "initContainerStatuses nominatedNodeName podIPs ephemeralContainerStatuses resize "
	 "resourceClaimStatuses hostIPs observedGeneration extendedResourceClaimStatus "
	 "allocatedResources resources nodeAllocatableResourceClaimStatuses volumeHealth"},
	{"PodTemplate", "metadata template"},
	{"PodTemplateSpec", "metadata spec"},
	{"PortStatus", "port protocol error"},
	{"PortworxVolumeSource", "volumeID fsType readOnly"},
	{"Preconditions", "uid"},
	{"PreferredSchedulingTerm", "weight preference"},
	{"Probe", "@ProbeHandler initialDelaySeconds timeoutSeconds periodSeconds successThreshold "
		  "failureThreshold terminationGracePeriodSeconds"},
	{"ProbeHandler", "exec httpGet tcpSocket grpc"},
	{"ProjectedVolumeSource", "sources defaultMode defaultUser"},
	{"QuobyteVolumeSource", "registry volume readOnly user group tenant"},
	{"RBDPersistentVolumeSource", "monitors image fsType pool user keyring secretRef readOnly"},
	{"RBDVolumeSource", "monitors image fsType pool user keyring secretRef readOnly"},
	{"ReplicationController", "metadata spec status"},
	{"ReplicationControllerCondition", "type status lastTransitionTime reason message"},
	{"ReplicationControllerSpec", "replicas selector template minReadySeconds"},
	{"ReplicationControllerStatus",
	 "replicas fullyLabeledReplicas observedGeneration readyReplicas availableReplicas "
	 "conditions"},
	{"ResourceClaim", "name request"},
	{"ResourceFieldSelector", "containerName resource divisor"},
	{"ResourceHealth", "resourceID health 6:message"},
	{"ResourceQuota", "metadata spec status"},
	{"ResourceQuotaSpec", "hard scopes scopeSelector"},
	{"ResourceQuotaStatus", "hard used"},
	{"ResourceRequirements", "limits requests claims"},
	{"ResourceStatus", "name resources"},
	{"SELinuxOptions", "user role type level"},
	{"ScaleIOPersistentVolumeSource",
	 "gateway system secretRef sslEnabled protectionDomain storagePool storageMode "
	 "volumeName fsType readOnly"},
	{"ScaleIOVolumeSource",
	 "gateway system secretRef sslEnabled protectionDomain storagePool storageMode "
	 "volumeName fsType readOnly"},
	{"ScopeSelector", "matchExpressions"},
	{"ScopedResourceSelectorRequirement", "scopeName operator values"},
	{"SeccompProfile", "type localhostProfile"},
	{"Secret", "metadata data type stringData immutable"},
	{"SecretEnvSource", "@LocalObjectReference optional"},
	{"SecretKeySelector", "@LocalObjectReference key optional"},
	{"SecretProjection", "@LocalObjectReference items 4:optional"},
	{"SecretReference", "name namespace"},
	{"SecretVolumeSource", "secretName items defaultMode optional defaultUser"},
	{"SecurityContext",
	 "capabilities privileged seLinuxOptions runAsUser runAsNonRoot readOnlyRootFilesystem "
	 "allowPrivilegeEscalation runAsGroup procMount windowsOptions seccompProfile "
	 "appArmorProfile"},
	{"Service", "metadata spec status"},
	{"ServiceAccount", "metadata secrets imagePullSecrets automountServiceAccountToken"},
	{"ServiceAccountTokenProjection", "audience expirationSeconds path user"},
	{"ServicePort", "name protocol port targetPort nodePort appProtocol"},
	{"ServiceSpec",
	 "ports selector clusterIP type externalIPs 7:sessionAffinity loadBalancerIP "
	 "loadBalancerSourceRanges externalName externalTrafficPolicy healthCheckNodePort "
	 "publishNotReadyAddresses sessionAffinityConfig 17:ipFamilyPolicy clusterIPs "
	 "ipFamilies allocateLoadBalancerNodePorts loadBalancerClass internalTrafficPolicy "
	 "trafficDistribution"},
	{"ServiceStatus", "loadBalancer conditions"},
	{"SessionAffinityConfig", "clientIP"},
	{"SleepAction", "seconds"},
	{"StorageOSPersistentVolumeSource", "volumeName volumeNamespace fsType readOnly secretRef"},
	{"StorageOSVolumeSource", "volumeName volumeNamespace fsType readOnly secretRef"},
	{"Sysctl", "name value"},
	{"TCPSocketAction", "port host"},
	{"Taint", "key value effect timeAdded"},
	{"Toleration", "key operator value effect tolerationSeconds"},
	{"TopologySelectorLabelRequirement", "key values"},
	{"TopologySelectorTerm", "matchLabelExpressions"},
	{"TopologySpreadConstraint",
	 "maxSkew topologyKey whenUnsatisfiable labelSelector minDomains nodeAffinityPolicy "
	 "nodeTaintsPolicy matchLabelKeys"},
	{"TypedLocalObjectReference", "apiGroup kind name"},
	{"TypedObjectReference", "apiGroup kind name namespace"},
	{"Volume", "name @VolumeSource"},
	{"VolumeDevice", "name devicePath"},
	{"VolumeMount",
	 "name readOnly mountPath subPath mountPropagation subPathExpr recursiveReadOnly "
	 "bindMountOptions"},
	{"VolumeMountStatus", "name mountPath readOnly recursiveReadOnly volumeStatus"},
	{"VolumeNodeAffinity", "required"},
	{"VolumeProjection",
	 "secret downwardAPI configMap serviceAccountToken clusterTrustBundle podCertificate"},
	{"VolumeResourceRequirements", "limits requests"},
	{"VolumeSource",
	 "hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi "
	 "glusterfs persistentVolumeClaim rbd flexVolume cinder cephfs flocker downwardAPI fc "
	 "azureFile configMap vsphereVolume quobyte azureDisk photonPersistentDisk "
	 "portworxVolume scaleIO projected storageos csi ephemeral image"},
	{"VsphereVirtualDiskVolumeSource", "volumePath fsType storagePolicyName storagePolicyID"},
	{"WeightedPodAffinityTerm", "weight podAffinityTerm"},
	{"WindowsSecurityContextOptions",
	 "gmsaCredentialSpecName gmsaCredentialSpec runAsUserName hostProcess"},
};
const struct protobuf_group protobuf_core = {"io.k8s.api.core", messages, ARRAY_LEN(messages),
					     NULL};
