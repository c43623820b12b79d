/* SPDX-License-Identifier: Apache-2.0 */
/* model/workload/workload.c - controllers of pods: apps/v1 and replication controllers: their tables and
 * defaults.
 *
 * The tables know every field of Kubernetes 1.34; defaults are hooks of them. The rules are in
 * workload_validate.c. */
#include "model/workload/workload.h"

#include "model/core/pvc.h"
#include "model/field/fill.h"
#include "model/pod/pod.h"
#include "model/rules/rules.h"

#include "base/banned.h"

/* What all conditions of controllers have; `go` is the type of their types. */
#define CONDITION_ROWS(go)                                                           \
	{"type", F_STR, F_ALWAYS, F_REQUIRED, F_GO(go)},                             \
		{"status", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.ConditionStatus")}, \
		{"lastTransitionTime", F_TIME, F_ALWAYS}, {"reason", F_STR},         \
	{                                                                            \
		"message", F_STR                                                     \
	}

static const struct field rolling_update_deployment_fields[] = {
	{"maxUnavailable", F_INTSTR},
	{"maxSurge", F_INTSTR},
};
static const struct type rolling_update_deployment_type = {
	TYPE_KNOWN("RollingUpdateDeployment", "v1", rolling_update_deployment_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

static const struct field deployment_strategy_fields[] = {
	{"type", F_STR, F_GO("v1.DeploymentStrategyType")},
	{"rollingUpdate", F_OBJECT(rolling_update_deployment)},
};
static const struct type deployment_strategy_type = {
	TYPE_KNOWN("DeploymentStrategy", "v1", deployment_strategy_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

static void fill_strategy(struct json_doc *doc, struct json strategy)
{
	struct json rolling;

	fill_plain_text(doc, strategy, "type", "RollingUpdate");
	if (!str_is(json_str(json_get(strategy, "type")), "RollingUpdate"))
		return;
	rolling = json_ensure_obj(doc, strategy, "rollingUpdate");
	fill_text(doc, rolling, "maxUnavailable", "25%");
	fill_text(doc, rolling, "maxSurge", "25%");
}

static void fill_deployment_spec(struct json_doc *doc, struct json spec)
{
	fill_int(doc, spec, "replicas", 1);
	fill_strategy(doc, json_ensure_obj(doc, spec, "strategy"));
	fill_int(doc, spec, "revisionHistoryLimit", 10);
	fill_int(doc, spec, "progressDeadlineSeconds", 600);
}

#define VIEW struct deployment_spec
static const struct field deployment_spec_fields[] = {
	{"replicas", F_INT32, AT(replicas), F_POINTER},
	{"selector", F_OBJECT(label_selector), AT(selector), F_POINTER, F_ALWAYS, F_REQUIRED},
	{"template", F_OBJECT(pod_template_spec), F_ALWAYS, F_REQUIRED},
	{"strategy", F_OBJECT(deployment_strategy), F_RETAIN_KEYS, F_DEFAULT("{}")},
	{"minReadySeconds", F_INT32},
	{"revisionHistoryLimit", F_INT32, F_POINTER},
	{"paused", F_BOOL, AT(paused)},
	{"progressDeadlineSeconds", F_INT32, F_POINTER},
};
#undef VIEW
const struct type deployment_spec_type = {
	TYPE("DeploymentSpec", "v1", struct deployment_spec, deployment_spec_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
	.fill = fill_deployment_spec,
};

static const struct field deployment_condition_fields[] = {
	CONDITION_ROWS("v1.DeploymentConditionType"),
	{"lastUpdateTime", F_TIME, F_ALWAYS},
};
static const struct type deployment_condition_type = {
	TYPE_KNOWN("DeploymentCondition", "v1", deployment_condition_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

static const struct field deployment_status_fields[] = {
	{"observedGeneration", F_INT64},
	{"replicas", F_INT32},
	{"updatedReplicas", F_INT32},
	{"readyReplicas", F_INT32},
	{"availableReplicas", F_INT32},
	{"unavailableReplicas", F_INT32},
	{"terminatingReplicas", F_INT32, F_POINTER},
	{"conditions", F_LIST(F_OBJECT(deployment_condition)), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
	{"collisionCount", F_INT32, F_POINTER},
};
static const struct type deployment_status_type = {
	TYPE_KNOWN("DeploymentStatus", "v1", deployment_status_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

#define VIEW struct deployment
static const struct field deployment_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(deployment_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(deployment_status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type deployment_type = {
	TYPE("Deployment", "v1", struct deployment, deployment_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
	.rules = &deployment_rules,
	.update = &deployment_update_rules,
	.status = &deployment_status_rules,
};

static void fill_replica_set_spec(struct json_doc *doc, struct json spec)
{
	fill_int(doc, spec, "replicas", 1);
}

#define VIEW struct replica_set_spec
static const struct field replica_set_spec_fields[] = {
	{"replicas", F_INT32, AT(replicas), F_POINTER},
	{"minReadySeconds", F_INT32},
	{"selector", F_OBJECT(label_selector), AT(selector), F_POINTER, F_ALWAYS, F_REQUIRED},
	{"template", F_OBJECT(pod_template_spec), F_DEFAULT("{}")},
};
#undef VIEW
const struct type replica_set_spec_type = {
	TYPE("ReplicaSetSpec", "v1", struct replica_set_spec, replica_set_spec_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
	.fill = fill_replica_set_spec,
};

static const struct field replica_set_condition_fields[] = {
	CONDITION_ROWS("v1.ReplicaSetConditionType"),
};
static const struct type replica_set_condition_type = {
	TYPE_KNOWN("ReplicaSetCondition", "v1", replica_set_condition_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

static const struct field replica_set_status_fields[] = {
	{"replicas", F_INT32, F_ALWAYS, F_REQUIRED},
	{"fullyLabeledReplicas", F_INT32},
	{"readyReplicas", F_INT32},
	{"availableReplicas", F_INT32},
	{"terminatingReplicas", F_INT32, F_POINTER},
	{"observedGeneration", F_INT64},
	{"conditions", F_LIST(F_OBJECT(replica_set_condition)), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
};
static const struct type replica_set_status_type = {
	TYPE_KNOWN("ReplicaSetStatus", "v1", replica_set_status_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

#define VIEW struct replicaset
static const struct field replicaset_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(replica_set_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(replica_set_status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type replicaset_type = {
	TYPE("ReplicaSet", "v1", struct replicaset, replicaset_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
	.rules = &replicaset_rules,
	.update = &replicaset_update_rules,
	.status = &replicaset_status_rules,
};

static const struct field rolling_update_stateful_set_strategy_fields[] = {
	{"partition", F_INT32, F_POINTER},
	{"maxUnavailable", F_INTSTR},
};
static const struct type rolling_update_stateful_set_strategy_type = {
	TYPE_KNOWN("RollingUpdateStatefulSetStrategy", "v1",
		   rolling_update_stateful_set_strategy_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

static const struct field stateful_set_update_strategy_fields[] = {
	{"type", F_STR, F_GO("v1.StatefulSetUpdateStrategyType")},
	{"rollingUpdate", F_OBJECT(rolling_update_stateful_set_strategy)},
};
static const struct type stateful_set_update_strategy_type = {
	TYPE_KNOWN("StatefulSetUpdateStrategy", "v1", stateful_set_update_strategy_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

static const struct field stateful_set_persistent_volume_claim_retention_policy_fields[] = {
	{"whenDeleted", F_STR, F_GO("v1.PersistentVolumeClaimRetentionPolicyType")},
	{"whenScaled", F_STR, F_GO("v1.PersistentVolumeClaimRetentionPolicyType")},
};
static const struct type stateful_set_persistent_volume_claim_retention_policy_type = {
	TYPE_KNOWN("StatefulSetPersistentVolumeClaimRetentionPolicy", "v1",
		   stateful_set_persistent_volume_claim_retention_policy_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

static const struct field stateful_set_ordinals_fields[] = {
	{"start", F_INT32, F_ALWAYS},
};
static const struct type stateful_set_ordinals_type = {
	TYPE_KNOWN("StatefulSetOrdinals", "v1", stateful_set_ordinals_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

static void fill_stateful_strategy(struct json_doc *doc, struct json strategy)
{
	struct json rolling;

	if (rules_is_empty(json_get(strategy, "type"))) {
		json_set_str(doc, strategy, "type", STR("RollingUpdate"));
		json_ensure_obj(doc, strategy, "rollingUpdate");
	}
	rolling = json_get(strategy, "rollingUpdate");
	if (str_is(json_str(json_get(strategy, "type")), "RollingUpdate") &&
	    json_is(rolling, JSON_OBJ))
		fill_int(doc, rolling, "partition", 0);
}

static void fill_stateful_set_spec(struct json_doc *doc, struct json spec)
{
	struct json policy = json_ensure_obj(doc, spec, "persistentVolumeClaimRetentionPolicy");
	struct json_iter it = json_iter(json_get(spec, "volumeClaimTemplates"));

	fill_plain_text(doc, spec, "podManagementPolicy", "OrderedReady");
	fill_stateful_strategy(doc, json_ensure_obj(doc, spec, "updateStrategy"));
	fill_plain_text(doc, policy, "whenDeleted", "Retain");
	fill_plain_text(doc, policy, "whenScaled", "Retain");
	fill_int(doc, spec, "replicas", 1);
	fill_int(doc, spec, "revisionHistoryLimit", 10);
	while (json_next(&it)) {
		fill_text(doc, it.value, "apiVersion", "v1");
		fill_text(doc, it.value, "kind", "PersistentVolumeClaim");
	}
}

#define VIEW struct stateful_set_spec
static const struct field stateful_set_spec_fields[] = {
	{"replicas", F_INT32, AT(replicas), F_POINTER},
	{"selector", F_OBJECT(label_selector), AT(selector), F_POINTER, F_ALWAYS, F_REQUIRED},
	{"template", F_OBJECT(pod_template_spec), F_ALWAYS, F_REQUIRED},
	{"volumeClaimTemplates", F_LIST(F_OBJECT(pvc)), F_LIST_ATOMIC},
	{"serviceName", F_STR, AT(service_name), F_ALWAYS},
	{"podManagementPolicy", F_STR, F_GO("v1.PodManagementPolicyType")},
	{"updateStrategy", F_OBJECT(stateful_set_update_strategy), F_DEFAULT("{}")},
	{"revisionHistoryLimit", F_INT32, F_POINTER},
	{"minReadySeconds", F_INT32},
	{"persistentVolumeClaimRetentionPolicy",
	 F_OBJECT(stateful_set_persistent_volume_claim_retention_policy)},
	{"ordinals", F_OBJECT(stateful_set_ordinals)},
};
#undef VIEW
const struct type stateful_set_spec_type = {
	TYPE("StatefulSetSpec", "v1", struct stateful_set_spec, stateful_set_spec_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
	.fill = fill_stateful_set_spec,
};

static const struct field stateful_set_condition_fields[] = {
	CONDITION_ROWS("v1.StatefulSetConditionType"),
};
static const struct type stateful_set_condition_type = {
	TYPE_KNOWN("StatefulSetCondition", "v1", stateful_set_condition_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

static const struct field stateful_set_status_fields[] = {
	{"observedGeneration", F_INT64},
	{"replicas", F_INT32, F_ALWAYS, F_REQUIRED},
	{"readyReplicas", F_INT32},
	{"currentReplicas", F_INT32},
	{"updatedReplicas", F_INT32},
	{"currentRevision", F_STR},
	{"updateRevision", F_STR},
	{"collisionCount", F_INT32, F_POINTER},
	{"conditions", F_LIST(F_OBJECT(stateful_set_condition)), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
	{"availableReplicas", F_INT32, F_ALWAYS},
};
static const struct type stateful_set_status_type = {
	TYPE_KNOWN("StatefulSetStatus", "v1", stateful_set_status_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

#define VIEW struct statefulset
static const struct field statefulset_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(stateful_set_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(stateful_set_status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type statefulset_type = {
	TYPE("StatefulSet", "v1", struct statefulset, statefulset_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
	.rules = &statefulset_rules,
	.update = &statefulset_update_rules,
	.status = &statefulset_status_rules,
};

static const struct field rolling_update_daemon_set_fields[] = {
	{"maxUnavailable", F_INTSTR},
	{"maxSurge", F_INTSTR},
};
static const struct type rolling_update_daemon_set_type = {
	TYPE_KNOWN("RollingUpdateDaemonSet", "v1", rolling_update_daemon_set_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

static const struct field daemon_set_update_strategy_fields[] = {
	{"type", F_STR, F_GO("v1.DaemonSetUpdateStrategyType")},
	{"rollingUpdate", F_OBJECT(rolling_update_daemon_set)},
};
static const struct type daemon_set_update_strategy_type = {
	TYPE_KNOWN("DaemonSetUpdateStrategy", "v1", daemon_set_update_strategy_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

static void fill_daemon_set_spec(struct json_doc *doc, struct json spec)
{
	struct json strategy = json_ensure_obj(doc, spec, "updateStrategy");
	struct json rolling;

	fill_plain_text(doc, strategy, "type", "RollingUpdate");
	if (str_is(json_str(json_get(strategy, "type")), "RollingUpdate")) {
		rolling = json_ensure_obj(doc, strategy, "rollingUpdate");
		fill_int(doc, rolling, "maxUnavailable", 1);
		fill_int(doc, rolling, "maxSurge", 0);
	}
	fill_int(doc, spec, "revisionHistoryLimit", 10);
}

#define VIEW struct daemon_set_spec
static const struct field daemon_set_spec_fields[] = {
	{"selector", F_OBJECT(label_selector), AT(selector), F_POINTER, F_ALWAYS, F_REQUIRED},
	{"template", F_OBJECT(pod_template_spec), F_ALWAYS, F_REQUIRED},
	{"updateStrategy", F_OBJECT(daemon_set_update_strategy), F_DEFAULT("{}")},
	{"minReadySeconds", F_INT32},
	{"revisionHistoryLimit", F_INT32, F_POINTER},
};
#undef VIEW
const struct type daemon_set_spec_type = {
	TYPE("DaemonSetSpec", "v1", struct daemon_set_spec, daemon_set_spec_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
	.fill = fill_daemon_set_spec,
};

static const struct field daemon_set_condition_fields[] = {
	CONDITION_ROWS("v1.DaemonSetConditionType"),
};
static const struct type daemon_set_condition_type = {
	TYPE_KNOWN("DaemonSetCondition", "v1", daemon_set_condition_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

static const struct field daemon_set_status_fields[] = {
	{"currentNumberScheduled", F_INT32, F_ALWAYS, F_REQUIRED},
	{"numberMisscheduled", F_INT32, F_ALWAYS, F_REQUIRED},
	{"desiredNumberScheduled", F_INT32, F_ALWAYS, F_REQUIRED},
	{"numberReady", F_INT32, F_ALWAYS, F_REQUIRED},
	{"observedGeneration", F_INT64},
	{"updatedNumberScheduled", F_INT32},
	{"numberAvailable", F_INT32},
	{"numberUnavailable", F_INT32},
	{"collisionCount", F_INT32, F_POINTER},
	{"conditions", F_LIST(F_OBJECT(daemon_set_condition)), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
};
static const struct type daemon_set_status_type = {
	TYPE_KNOWN("DaemonSetStatus", "v1", daemon_set_status_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
};

#define VIEW struct daemonset
static const struct field daemonset_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(daemon_set_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(daemon_set_status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type daemonset_type = {
	TYPE("DaemonSet", "v1", struct daemonset, daemonset_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
	.rules = &daemonset_rules,
	.update = &daemonset_update_rules,
	.status = &daemonset_status_rules,
};

static const struct field replication_controller_spec_fields[] = {
	{"replicas", F_INT32, F_POINTER},
	{"minReadySeconds", F_INT32},
	{"selector", F_LABELS, F_ATOMIC},
	{"template", F_OBJECT(pod_template_spec)},
};
static const struct type replication_controller_spec_type = {
	TYPE_KNOWN("ReplicationControllerSpec", "v1", replication_controller_spec_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field replication_controller_condition_fields[] = {
	CONDITION_ROWS("v1.ReplicationControllerConditionType"),
};
static const struct type replication_controller_condition_type = {
	TYPE_KNOWN("ReplicationControllerCondition", "v1", replication_controller_condition_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field replication_controller_status_fields[] = {
	{"replicas", F_INT32, F_ALWAYS, F_REQUIRED},
	{"fullyLabeledReplicas", F_INT32},
	{"readyReplicas", F_INT32},
	{"availableReplicas", F_INT32},
	{"observedGeneration", F_INT64},
	{"conditions", F_LIST(F_OBJECT(replication_controller_condition)), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
};
static const struct type replication_controller_status_type = {
	TYPE_KNOWN("ReplicationControllerStatus", "v1", replication_controller_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

/* The labels of the template are those of the controller, and what it chooses by. */
static void fill_replicationcontroller(struct json_doc *doc, struct json controller)
{
	struct json spec = json_ensure_obj(doc, controller, "spec");
	struct json meta = json_ensure_obj(doc, controller, "metadata");
	struct json labels = json_get(json_get(json_get(spec, "template"), "metadata"), "labels");

	fill_int(doc, spec, "replicas", 1);
	if (!json_len(labels))
		return;
	if (rules_is_empty(json_get(spec, "selector")))
		json_set(doc, spec, STR("selector"), json_new_copy(doc, labels));
	if (rules_is_empty(json_get(meta, "labels")))
		json_set(doc, meta, STR("labels"), json_new_copy(doc, labels));
}

static const struct field replicationcontroller_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(replication_controller_spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(replication_controller_status), F_DEFAULT("{}")},
};
const struct type replicationcontroller_type = {
	TYPE_KNOWN("ReplicationController", "v1", replicationcontroller_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.rules = &replicationcontroller_rules,
	.update = &replicationcontroller_rules,
	.status = &replicaset_status_rules,
	.fill = fill_replicationcontroller,
};
