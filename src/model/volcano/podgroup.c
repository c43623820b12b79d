/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/podgroup.c - the tables of PodGroup. */
#include "model/volcano/podgroup.h"

#include "base/banned.h"

const char *const podgroup_phase_names[PODGROUP_PHASE_COUNT] = {
	[PODGROUP_PHASE_NONE] = "",     [PODGROUP_PENDING] = "Pending",
	[PODGROUP_RUNNING] = "Running", [PODGROUP_UNKNOWN] = "Unknown",
	[PODGROUP_INQUEUE] = "Inqueue", [PODGROUP_COMPLETED] = "Completed",
};

#define SCHEDULING .group = "sh.volcano.scheduling"

#define VIEW struct podgroup_sub_group
static const struct field podgroup_sub_group_fields[] = {
	{"name", F_STR, AT(name), F_MAX_LEN(253)},
	{"networkTopology", F_OBJECT(network_topology), AT(network_topology),
	 F_DOC("constraint on each sub-group")},
	{"subGroupSize", F_INT32, AT(sub_group_size), F_DEFAULT("1"), F_MIN(1),
	 F_DOC("pods in each sub-group")},
	{"minSubGroups", F_INT32, AT(min_sub_groups), F_DEFAULT("0"), F_MIN(0),
	 F_DOC("sub-groups that must be placed")},
	{"labelSelector", F_OBJECT(label_selector), AT(label_selector), F_DOC("which pods")},
	{"matchLabelKeys", F_LIST(F_STR), AT(match_label_keys), F_LIST_ATOMIC,
	 F_DOC("pods with the same values of these labels form a sub-group")},
};
#undef VIEW
static const struct type podgroup_sub_group_type = {
	TYPE("SubGroupPolicySpec", "v1beta1", struct podgroup_sub_group, podgroup_sub_group_fields),
	SCHEDULING,
	.doc = "gangs within the gang",
};

#define VIEW struct podgroup_spec
static const struct field podgroup_spec_fields[] = {
	{"minMember", F_INT32, AT(min_member), F_MIN(0), F_DOC("pods of the smallest gang")},
	{"minTaskMember", F_MAP(F_INT32), AT(min_task_member), F_DOC("the same for each task")},
	{"queue", F_STR, AT(queue), F_DEFAULT("default"), F_FORMAT(DNS_SUBDOMAIN),
	 F_DOC("the queue that it waits in")},
	{"priorityClassName", F_STR, AT(priority_class_name), F_MAX_LEN(253)},
	{"minResources", F_RESOURCES, AT(min_resources),
	 F_DOC("what the queue must have free before pods are made")},
	{"networkTopology", F_OBJECT(network_topology), AT(network_topology),
	 F_DOC("constraint on the whole group")},
	{"subGroupPolicy", F_LIST(F_OBJECT(podgroup_sub_group)), AT(sub_group_policy),
	 F_DOC("gangs within the gang")},
};
#undef VIEW
const struct type podgroup_spec_type = {
	TYPE("PodGroupSpec", "v1beta1", struct podgroup_spec, podgroup_spec_fields),
	SCHEDULING,
};

#define VIEW struct podgroup_condition
static const struct field podgroup_condition_fields[] = {
	{"type", F_STR, AT(type)},
	{"status", F_STR, AT(status)},
	{"transitionID", F_STR, AT(transition_id), F_DOC("the session that wrote it")},
	{"lastTransitionTime", F_TIME, AT(last_transition_time)},
	{"reason", F_STR, AT(reason)},
	{"message", F_STR, AT(message)},
};
#undef VIEW
static const struct type podgroup_condition_type = {
	TYPE("PodGroupCondition", "v1beta1", struct podgroup_condition, podgroup_condition_fields),
	SCHEDULING,
};

#define VIEW struct podgroup_status
static const struct field podgroup_status_fields[] = {
	{"phase", F_ENUM(podgroup_phase_names), AT(phase)},
	{"conditions", F_LIST(F_OBJECT(podgroup_condition)), AT(conditions)},
	{"running", F_INT32, AT(running), F_MIN(0)},
	{"succeeded", F_INT32, AT(succeeded), F_MIN(0)},
	{"failed", F_INT32, AT(failed), F_MIN(0)},
};
#undef VIEW
const struct type podgroup_status_type = {
	TYPE("PodGroupStatus", "v1beta1", struct podgroup_status, podgroup_status_fields),
	SCHEDULING,
};

#define VIEW struct podgroup
static const struct field podgroup_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta)},
	{"spec", F_OBJECT(podgroup_spec), AT(spec)},
	{"status", F_OBJECT(podgroup_status), AT(status)},
};
#undef VIEW
const struct type podgroup_type = {
	TYPE("PodGroup", "v1beta1", struct podgroup, podgroup_fields),
	SCHEDULING,
	.doc = "pods that are placed together or not at all",
};
