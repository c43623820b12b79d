/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/protobuf_rows.c - the numbers of fields on the wire: everything but the core group. To add a
 * type: its line in the group's table, in the order of the alphabet. */
#include <string.h>

#include "model/field/protobuf.h"

#include "base/banned.h"

static const struct protobuf_message meta[] = {
	{"Condition", "type status observedGeneration lastTransitionTime reason message"},
	{"DeleteOptions",
	 "gracePeriodSeconds preconditions orphanDependents propagationPolicy dryRun "
	 "ignoreStoreReadErrorWithClusterBreakingPotential"},
	{"FieldSelectorRequirement", "key operator values"},
	{"LabelSelector", "matchLabels matchExpressions"},
	{"LabelSelectorRequirement", "key operator values"},
	{"ManagedFieldsEntry",
	 "manager operation apiVersion time 6:fieldsType fieldsV1 subresource"},
	{"ObjectMeta",
	 "name generateName namespace selfLink uid resourceVersion generation creationTimestamp "
	 "deletionTimestamp deletionGracePeriodSeconds labels annotations ownerReferences "
	 "finalizers 17:managedFields"},
	{"OwnerReference", "kind 3:name uid apiVersion controller blockOwnerDeletion"},
	{"Preconditions", "uid resourceVersion"},
};

static const struct protobuf_message admissionregistration[] = {
	{"MatchCondition", "name expression"},
	{"MutatingWebhook",
	 "name clientConfig rules failurePolicy namespaceSelector sideEffects timeoutSeconds "
	 "admissionReviewVersions matchPolicy reinvocationPolicy objectSelector matchConditions"},
	{"MutatingWebhookConfiguration", "metadata webhooks"},
	{"Rule", "apiGroups apiVersions resources scope"},
	{"RuleWithOperations", "operations @Rule"},
	{"ServiceReference", "namespace name path port"},
	{"ValidatingWebhook",
	 "name clientConfig rules failurePolicy namespaceSelector sideEffects timeoutSeconds "
	 "admissionReviewVersions matchPolicy objectSelector matchConditions"},
	{"ValidatingWebhookConfiguration", "metadata webhooks"},
	{"WebhookClientConfig", "service caBundle url"},
};

static const struct protobuf_message apps[] = {
	{"ControllerRevision", "metadata data revision"},
	{"DaemonSet", "metadata spec status"},
	{"DaemonSetCondition", "type status lastTransitionTime reason message"},
	{"DaemonSetSpec",
	 "selector template updateStrategy minReadySeconds 6:revisionHistoryLimit"},
	{"DaemonSetStatus",
	 "currentNumberScheduled numberMisscheduled desiredNumberScheduled numberReady "
	 "observedGeneration updatedNumberScheduled numberAvailable numberUnavailable "
	 "collisionCount conditions"},
	{"DaemonSetUpdateStrategy", "type rollingUpdate"},
	{"Deployment", "metadata spec status"},
	{"DeploymentCondition", "type status 4:reason message lastUpdateTime lastTransitionTime"},
	{"DeploymentSpec",
	 "replicas selector template strategy minReadySeconds revisionHistoryLimit paused "
	 "9:progressDeadlineSeconds"},
	{"DeploymentStatus",
	 "observedGeneration replicas updatedReplicas availableReplicas unavailableReplicas "
	 "conditions readyReplicas collisionCount terminatingReplicas"},
	{"DeploymentStrategy", "type rollingUpdate"},
	{"ReplicaSet", "metadata spec status"},
	{"ReplicaSetCondition", "type status lastTransitionTime reason message"},
	{"ReplicaSetSpec", "replicas selector template minReadySeconds"},
	{"ReplicaSetStatus",
	 "replicas fullyLabeledReplicas observedGeneration readyReplicas availableReplicas "
	 "conditions terminatingReplicas"},
	{"RollingUpdateDaemonSet", "maxUnavailable maxSurge"},
	{"RollingUpdateDeployment", "maxUnavailable maxSurge"},
	{"RollingUpdateStatefulSetStrategy", "partition maxUnavailable"},
	{"StatefulSet", "metadata spec status"},
	{"StatefulSetCondition", "type status lastTransitionTime reason message"},
	{"StatefulSetOrdinals", "start"},
	{"StatefulSetPersistentVolumeClaimRetentionPolicy", "whenDeleted whenScaled"},
	{"StatefulSetSpec",
	 "replicas selector template volumeClaimTemplates serviceName podManagementPolicy "
	 "updateStrategy revisionHistoryLimit minReadySeconds "
	 "persistentVolumeClaimRetentionPolicy ordinals"},
	{"StatefulSetStatus",
	 "observedGeneration replicas readyReplicas currentReplicas updatedReplicas "
	 "currentRevision updateRevision 9:collisionCount conditions availableReplicas"},
	{"StatefulSetUpdateStrategy", "type rollingUpdate"},
};

static const struct protobuf_message authentication[] = {
	{"BoundObjectReference", "kind apiVersion name uid"},
	{"SelfSubjectReview", "metadata status"},
	{"SelfSubjectReviewStatus", "userInfo"},
	{"TokenRequest", "metadata spec status"},
	{"TokenRequestSpec", "audiences 3:boundObjectRef expirationSeconds attestations"},
	{"TokenRequestStatus", "token expirationTimestamp"},
	{"TokenReview", "metadata spec status"},
	{"TokenReviewSpec", "token audiences"},
	{"TokenReviewStatus", "authenticated user error audiences"},
	{"UserInfo", "username uid groups extra"},
};

static const struct protobuf_message authorization[] = {
	{"FieldSelectorAttributes", "rawSelector requirements"},
	{"LabelSelectorAttributes", "rawSelector requirements"},
	{"LocalSubjectAccessReview", "metadata spec status"},
	{"NonResourceAttributes", "path verb"},
	{"NonResourceRule", "verbs nonResourceURLs"},
	{"ResourceAttributes",
	 "namespace verb group version resource subresource name fieldSelector labelSelector"},
	{"ResourceRule", "verbs apiGroups resources resourceNames"},
	{"SelfSubjectAccessReview", "metadata spec status"},
	{"SelfSubjectAccessReviewSpec", "resourceAttributes nonResourceAttributes"},
	{"SelfSubjectRulesReview", "metadata spec status"},
	{"SelfSubjectRulesReviewSpec", "namespace"},
	{"SubjectAccessReview", "metadata spec status"},
	{"SubjectAccessReviewSpec",
	 "resourceAttributes nonResourceAttributes user groups extra uid"},
	{"SubjectAccessReviewStatus", "allowed reason evaluationError denied"},
	{"SubjectRulesReviewStatus", "resourceRules nonResourceRules incomplete evaluationError"},
};

static const struct protobuf_message autoscaling[] = {
	{"CrossVersionObjectReference", "kind name apiVersion"},
	{"HorizontalPodAutoscaler", "metadata spec status"},
	{"HorizontalPodAutoscalerSpec",
	 "scaleTargetRef minReplicas maxReplicas targetCPUUtilizationPercentage"},
	{"HorizontalPodAutoscalerStatus",
	 "observedGeneration lastScaleTime currentReplicas desiredReplicas "
	 "currentCPUUtilizationPercentage"},
	{"Scale", "metadata spec status"},
	{"ScaleSpec", "replicas"},
	{"ScaleStatus", "replicas selector"},
};

static const struct protobuf_message autoscaling_v2[] = {
	{"ContainerResourceMetricSource", "name target container"},
	{"ContainerResourceMetricStatus", "name current container"},
	{"CrossVersionObjectReference", "kind name apiVersion"},
	{"ExternalMetricSource", "metric target"},
	{"ExternalMetricStatus", "metric current"},
	{"HPAScalingPolicy", "type value periodSeconds"},
	{"HPAScalingRules", "selectPolicy policies stabilizationWindowSeconds tolerance"},
	{"HorizontalPodAutoscaler", "metadata spec status"},
	{"HorizontalPodAutoscalerBehavior", "scaleUp scaleDown"},
	{"HorizontalPodAutoscalerCondition", "type status lastTransitionTime reason message"},
	{"HorizontalPodAutoscalerSpec", "scaleTargetRef minReplicas maxReplicas metrics behavior"},
	{"HorizontalPodAutoscalerStatus",
	 "observedGeneration lastScaleTime currentReplicas desiredReplicas currentMetrics "
	 "conditions"},
	{"MetricIdentifier", "name selector"},
	{"MetricSpec", "type object pods resource external 7:containerResource"},
	{"MetricStatus", "type object pods resource external 7:containerResource"},
	{"MetricTarget", "type value averageValue averageUtilization"},
	{"MetricValueStatus", "value averageValue averageUtilization"},
	{"ObjectMetricSource", "describedObject target metric"},
	{"ObjectMetricStatus", "metric current describedObject"},
	{"PodsMetricSource", "metric target"},
	{"PodsMetricStatus", "metric current"},
	{"ResourceMetricSource", "name target"},
	{"ResourceMetricStatus", "name current"},
};

static const struct protobuf_message certificates[] = {
	{"CertificateSigningRequest", "metadata spec status"},
	{"CertificateSigningRequestCondition",
	 "type reason message lastUpdateTime lastTransitionTime status"},
	{"CertificateSigningRequestSpec",
	 "request username uid groups usages extra signerName expirationSeconds"},
	{"CertificateSigningRequestStatus", "conditions certificate"},
};

static const struct protobuf_message batch[] = {
	{"CronJob", "metadata spec status"},
	{"CronJobSpec", "schedule startingDeadlineSeconds concurrencyPolicy suspend jobTemplate "
			"successfulJobsHistoryLimit failedJobsHistoryLimit timeZone"},
	{"CronJobStatus", "active 4:lastScheduleTime lastSuccessfulTime"},
	{"Job", "metadata spec status"},
	{"JobCondition", "type status lastProbeTime lastTransitionTime reason message"},
	{"JobSpec",
	 "parallelism completions activeDeadlineSeconds selector manualSelector template "
	 "backoffLimit ttlSecondsAfterFinished completionMode suspend podFailurePolicy "
	 "backoffLimitPerIndex maxFailedIndexes podReplacementPolicy managedBy successPolicy "
	 "scheduling"},
	{"JobStatus",
	 "conditions startTime completionTime active succeeded failed completedIndexes "
	 "uncountedTerminatedPods ready failedIndexes terminating"},
	{"JobTemplateSpec", "metadata spec"},
	{"PodFailurePolicy", "rules"},
	{"PodFailurePolicyOnExitCodesRequirement", "containerName operator values"},
	{"PodFailurePolicyOnPodConditionsPattern", "type status"},
	{"PodFailurePolicyRule", "action onExitCodes onPodConditions"},
	{"SuccessPolicy", "rules"},
	{"SuccessPolicyRule", "succeededIndexes succeededCount"},
	{"UncountedTerminatedPods", "succeeded failed"},
};

static const struct protobuf_message coordination[] = {
	{"Lease", "metadata spec"},
	{"LeaseSpec",
	 "holderIdentity leaseDurationSeconds acquireTime renewTime leaseTransitions strategy "
	 "preferredHolder"},
};

static const struct protobuf_message discovery[] = {
	{"Endpoint",
	 "addresses conditions hostname targetRef deprecatedTopology nodeName zone hints"},
	{"EndpointConditions", "ready serving terminating"},
	{"EndpointHints", "forZones forNodes"},
	{"EndpointPort", "name protocol port appProtocol"},
	{"EndpointSlice", "metadata endpoints ports addressType"},
	{"ForNode", "name"},
	{"ForZone", "name"},
};

static const struct protobuf_message events[] = {
	{"Event", "metadata eventTime series reportingController reportingInstance action reason "
		  "regarding related note type deprecatedSource deprecatedFirstTimestamp "
		  "deprecatedLastTimestamp deprecatedCount"},
	{"EventSeries", "count lastObservedTime"},
};

static const struct protobuf_message networking[] = {
	{"HTTPIngressPath", "path backend pathType"},
	{"HTTPIngressRuleValue", "paths"},
	{"IPBlock", "cidr except"},
	{"Ingress", "metadata spec status"},
	{"IngressBackend", "3:resource service"},
	{"IngressClass", "metadata spec"},
	{"IngressClassParametersReference", "apiGroup kind name scope namespace"},
	{"IngressClassSpec", "controller parameters"},
	{"IngressLoadBalancerIngress", "ip hostname 4:ports"},
	{"IngressLoadBalancerStatus", "ingress"},
	{"IngressPortStatus", "port protocol error"},
	{"IngressRule", "host @IngressRuleValue"},
	{"IngressRuleValue", "http"},
	{"IngressServiceBackend", "name port"},
	{"IngressSpec", "defaultBackend tls rules ingressClassName"},
	{"IngressStatus", "loadBalancer"},
	{"IngressTLS", "hosts secretName"},
	{"NetworkPolicy", "metadata spec"},
	{"NetworkPolicyEgressRule", "ports to"},
	{"NetworkPolicyIngressRule", "ports from"},
	{"NetworkPolicyPeer", "podSelector namespaceSelector ipBlock"},
	{"NetworkPolicyPort", "protocol port endPort"},
	{"NetworkPolicySpec", "podSelector ingress egress policyTypes"},
	{"ServiceBackendPort", "name number"},
};

static const struct protobuf_message node[] = {
	{"Overhead", "podFixed"},
	{"RuntimeClass", "metadata handler overhead scheduling"},
	{"Scheduling", "nodeSelector tolerations"},
};

static const struct protobuf_message policy[] = {
	{"Eviction", "metadata deleteOptions"},
	{"PodDisruptionBudget", "metadata spec status"},
	{"PodDisruptionBudgetSpec",
	 "minAvailable selector maxUnavailable unhealthyPodEvictionPolicy"},
	{"PodDisruptionBudgetStatus",
	 "observedGeneration disruptedPods disruptionsAllowed currentHealthy desiredHealthy "
	 "expectedPods conditions"},
};

static const struct protobuf_message rbac[] = {
	{"AggregationRule", "clusterRoleSelectors"},
	{"ClusterRole", "metadata rules aggregationRule"},
	{"ClusterRoleBinding", "metadata subjects roleRef"},
	{"PolicyRule", "verbs apiGroups resources resourceNames nonResourceURLs"},
	{"Role", "metadata rules"},
	{"RoleBinding", "metadata subjects roleRef"},
	{"RoleRef", "apiGroup kind name"},
	{"Subject", "kind apiGroup name namespace"},
};

static const struct protobuf_message scheduling[] = {
	{"PriorityClass", "metadata value globalDefault description preemptionPolicy"},
};

static const struct protobuf_message storage[] = {
	{"CSIDriver", "metadata spec"},
	{"CSIDriverSpec",
	 "attachRequired podInfoOnMount volumeLifecycleModes storageCapacity fsGroupPolicy "
	 "tokenRequests requiresRepublish seLinuxMount nodeAllocatableUpdatePeriodSeconds "
	 "serviceAccountTokenInSecrets preventPodSchedulingIfMissing"},
	{"CSINode", "metadata spec status"},
	{"CSINodeDriver", "name nodeID topologyKeys allocatable"},
	{"CSINodeSpec", "drivers"},
	{"CSIStorageCapacity", "metadata nodeTopology storageClassName capacity maximumVolumeSize"},
	{"StorageClass",
	 "metadata provisioner parameters reclaimPolicy mountOptions allowVolumeExpansion "
	 "volumeBindingMode allowedTopologies"},
	{"TokenRequest", "audience expirationSeconds"},
	{"VolumeAttachment", "metadata spec status"},
	{"VolumeAttachmentSource", "persistentVolumeName inlineVolumeSpec"},
	{"VolumeAttachmentSpec", "attacher source nodeName"},
	{"VolumeAttachmentStatus", "attached attachmentMetadata attachError detachError"},
	{"VolumeError", "time message errorCode"},
	{"VolumeNodeResources", "count"},
};
#define GROUP(name, rows)                             \
	{                                             \
		(name), (rows), ARRAY_LEN(rows), NULL \
	}
static const struct protobuf_group groups[] = {
	GROUP("io.k8s.apimachinery.pkg.apis.meta", meta),
	GROUP("io.k8s.api.admissionregistration", admissionregistration),
	GROUP("io.k8s.api.apps", apps),
	GROUP("io.k8s.api.authentication", authentication),
	GROUP("io.k8s.api.authorization", authorization),
	{"io.k8s.api.autoscaling", autoscaling, ARRAY_LEN(autoscaling), "v1"},
	{"io.k8s.api.autoscaling", autoscaling_v2, ARRAY_LEN(autoscaling_v2), "v2"},
	GROUP("io.k8s.api.batch", batch),
	GROUP("io.k8s.api.certificates", certificates),
	GROUP("io.k8s.api.coordination", coordination),
	GROUP("io.k8s.api.discovery", discovery),
	GROUP("io.k8s.api.events", events),
	GROUP("io.k8s.api.networking", networking),
	GROUP("io.k8s.api.node", node),
	GROUP("io.k8s.api.policy", policy),
	GROUP("io.k8s.api.rbac", rbac),
	GROUP("io.k8s.api.scheduling", scheduling),
	GROUP("io.k8s.api.storage", storage),
};

static const struct protobuf_message *find_in(const struct protobuf_group *group, struct str name)
{
	for (size_t i = 0; i < group->count; i++)
		if (str_is(name, group->messages[i].name))
			return &group->messages[i];
	return NULL;
}

const struct protobuf_message *protobuf_find(const struct type *type, struct str name)
{
	if (!type->group)
		return NULL;
	if (strcmp(type->group, protobuf_core.group) == 0)
		return find_in(&protobuf_core, name);
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (strcmp(type->group, groups[i].group) == 0 &&
		    (!groups[i].package || strcmp(type->package, groups[i].package) == 0))
			return find_in(&groups[i], name);
	return NULL;
}
