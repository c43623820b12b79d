/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_affinity.c - tables of pod affinity and topology spreading. */
#include "model/pod/pod_affinity.h"

#include <assert.h>

#include "base/banned.h"

static const char *const unsatisfiable_names[] = {
	[UNSATISFIABLE_NONE] = "",
	[UNSATISFIABLE_DO_NOT_SCHEDULE] = "DoNotSchedule",
	[UNSATISFIABLE_SCHEDULE_ANYWAY] = "ScheduleAnyway",
};
static_assert(ARRAY_LEN(unsatisfiable_names) == UNSATISFIABLE_COUNT, "name every action");

static const char *const inclusion_names[] = {
	[INCLUSION_DEFAULT] = "",
	[INCLUSION_HONOR] = "Honor",
	[INCLUSION_IGNORE] = "Ignore",
};
static_assert(ARRAY_LEN(inclusion_names) == INCLUSION_COUNT, "name every policy");

#define CORE .group = "io.k8s.api.core", .as_go = true

#define VIEW struct pod_affinity_term
static const struct field pod_affinity_term_fields[] = {
	{"labelSelector", F_OBJECT(label_selector), AT(label_selector)},
	{"namespaces", F_LIST(F_STR), AT(namespaces), F_LIST_ATOMIC},
	{"topologyKey", F_STR, AT(topology_key), F_REQUIRED},
	{"namespaceSelector", F_OBJECT(label_selector), AT(namespace_selector)},
	{"matchLabelKeys", F_LIST(F_STR), AT(match_label_keys), F_LIST_ATOMIC},
	{"mismatchLabelKeys", F_LIST(F_STR), AT(mismatch_label_keys), F_LIST_ATOMIC},
};
#undef VIEW
const struct type pod_affinity_term_type = {
	TYPE("PodAffinityTerm", "v1", struct pod_affinity_term, pod_affinity_term_fields),
	CORE,
};

#define VIEW struct weighted_pod_term
static const struct field weighted_pod_term_fields[] = {
	{"weight", F_INT32, AT(weight), F_REQUIRED},
	{"podAffinityTerm", F_OBJECT(pod_affinity_term), AT(term), F_REQUIRED},
};
#undef VIEW
static const struct type weighted_pod_term_type = {
	TYPE("WeightedPodAffinityTerm", "v1", struct weighted_pod_term, weighted_pod_term_fields),
	CORE,
};

#define VIEW struct pod_affinity
static const struct field pod_affinity_fields[] = {
	{"requiredDuringSchedulingIgnoredDuringExecution", F_LIST(F_OBJECT(pod_affinity_term)),
	 AT(required), F_LIST_ATOMIC},
	{"preferredDuringSchedulingIgnoredDuringExecution", F_LIST(F_OBJECT(weighted_pod_term)),
	 AT(preferred), F_LIST_ATOMIC},
};
#undef VIEW
const struct type pod_affinity_type = {
	TYPE("PodAffinity", "v1", struct pod_affinity, pod_affinity_fields),
	CORE,
};

#define VIEW struct pod_affinity
static const struct field pod_anti_affinity_fields[] = {
	{"requiredDuringSchedulingIgnoredDuringExecution", F_LIST(F_OBJECT(pod_affinity_term)),
	 AT(required), F_LIST_ATOMIC},
	{"preferredDuringSchedulingIgnoredDuringExecution", F_LIST(F_OBJECT(weighted_pod_term)),
	 AT(preferred), F_LIST_ATOMIC},
};
#undef VIEW
const struct type pod_anti_affinity_type = {
	TYPE("PodAntiAffinity", "v1", struct pod_affinity, pod_anti_affinity_fields),
	CORE,
};

#define VIEW struct affinity
static const struct field affinity_fields[] = {
	{"nodeAffinity", F_OBJECT(node_affinity), AT(node)},
	{"podAffinity", F_OBJECT(pod_affinity), AT(pod)},
	{"podAntiAffinity", F_OBJECT(pod_anti_affinity), AT(anti)},
};
#undef VIEW
const struct type affinity_type = {
	TYPE("Affinity", "v1", struct affinity, affinity_fields),
	CORE,
};

#define VIEW struct topology_spread
static const struct field topology_spread_fields[] = {
	{"maxSkew", F_INT32, AT(max_skew), F_REQUIRED},
	{"topologyKey", F_STR, AT(topology_key), F_REQUIRED},
	{"whenUnsatisfiable", F_ENUM(unsatisfiable_names), AT(when_unsatisfiable), F_OPEN,
	 F_GO("v1.UnsatisfiableConstraintAction"), F_REQUIRED},
	{"labelSelector", F_OBJECT(label_selector), AT(label_selector)},
	{"minDomains", F_INT32, AT(min_domains), F_POINTER},
	{"nodeAffinityPolicy", F_ENUM(inclusion_names), AT(node_affinity_policy), F_OPEN,
	 F_GO("v1.NodeInclusionPolicy"), F_POINTER},
	{"nodeTaintsPolicy", F_ENUM(inclusion_names), AT(node_taints_policy), F_OPEN,
	 F_GO("v1.NodeInclusionPolicy"), F_POINTER},
	{"matchLabelKeys", F_LIST(F_STR), AT(match_label_keys), F_LIST_ATOMIC},
};
#undef VIEW
const struct type topology_spread_type = {
	TYPE("TopologySpreadConstraint", "v1", struct topology_spread, topology_spread_fields),
	CORE,
};
