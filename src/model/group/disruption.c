/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/disruption.c - disruption budgets, and evictions, which they guard against: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/group/disruption.h"

#include "model/core/conditions.h"
#include "model/rules/rules.h"

#include "base/banned.h"

#define VIEW struct pdb_spec
static const struct field pdb_spec_fields[] = {
	{"minAvailable", F_INTSTR, AT(min_available)},
	{"selector", F_OBJECT(label_selector), AT(selector), F_REPLACE},
	{"maxUnavailable", F_INTSTR, AT(max_unavailable)},
	{"unhealthyPodEvictionPolicy", F_STR, AT(unhealthy_pod_eviction_policy), F_POINTER,
	 F_GO("v1.UnhealthyPodEvictionPolicyType")},
};
#undef VIEW
const struct type pdb_spec_type = {
	TYPE("PodDisruptionBudgetSpec", "v1", struct pdb_spec, pdb_spec_fields),
	.group = "io.k8s.api.policy",
	.as_go = true,
};

#define VIEW struct pdb_status
static const struct field pdb_status_fields[] = {
	{"observedGeneration", F_INT64, AT(observed_generation)},
	{"disruptedPods", F_MAP(F_TIME), AT(disrupted_pods)},
	{"disruptionsAllowed", F_INT32, AT(disruptions_allowed), F_ALWAYS, F_REQUIRED},
	{"currentHealthy", F_INT32, AT(current_healthy), F_ALWAYS, F_REQUIRED},
	{"desiredHealthy", F_INT32, AT(desired_healthy), F_ALWAYS, F_REQUIRED},
	{"expectedPods", F_INT32, AT(expected_pods), F_ALWAYS, F_REQUIRED},
	{"conditions", F_LIST(F_OBJECT(condition)), F_LIST_MAP("type"), F_MERGE_KEY("type")},
};
#undef VIEW
const struct type pdb_status_type = {
	TYPE("PodDisruptionBudgetStatus", "v1", struct pdb_status, pdb_status_fields),
	.group = "io.k8s.api.policy",
	.as_go = true,
};

#define VIEW struct pdb
static const struct field pdb_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(pdb_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(pdb_status), AT(status), F_DEFAULT("{}")},
};
#undef VIEW

#define VIEW struct eviction
static const struct field eviction_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"deleteOptions", F_OBJECT(delete_options), AT(delete_options)},
};
#undef VIEW
const struct type eviction_type = {
	TYPE("Eviction", "v1", struct eviction, eviction_fields),
	.group = "io.k8s.api.policy",
	.as_go = true,
	.rules = &rules_none,
};

static bool has_both(const struct rule_at *at)
{
	return rule_has(at->value, "minAvailable") && rule_has(at->value, "maxUnavailable");
}

static void check_both(const struct rule_at *at)
{
	static const struct rules_go rows[] = {
		{"MinAvailable", "minAvailable", "null"},
		{"Selector", "selector", "null"},
		{"MaxUnavailable", "maxUnavailable", "null"},
		{"UnhealthyPodEvictionPolicy", "unhealthyPodEvictionPolicy", "null"},
	};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	rules_print_go(at->value, rows, ARRAY_LEN(rows), &text);
	rule_add(at, NULL, CAUSE_INVALID,
		 "Invalid value: %s: minAvailable and maxUnavailable cannot be both set",
		 buf_text(&text));
}

static const struct rule spec_rules[] = {
	{R_WHEN(has_both), R_CHECK(check_both)},
	{"minAvailable", R_CHECK(rule_int_or_percent)},
	{"minAvailable", R_CHECK(rule_at_most_all)},
	{"maxUnavailable", R_CHECK(rule_int_or_percent)},
	{"maxUnavailable", R_CHECK(rule_at_most_all)},
	{"selector", R_CHECK(rule_selector)},
	{"unhealthyPodEvictionPolicy", R_TEXTS("AlwaysAllow", "IfHealthyBudget")},
};
static const struct rule pdb_rules[] = {
	{"spec", R_OBJECT(spec_rules)},
};

static const struct rule status_rules[] = {
	{"disruptionsAllowed", R_MIN(0)},
	{"currentHealthy", R_MIN(0)},
	{"desiredHealthy", R_MIN(0)},
	{"expectedPods", R_MIN(0)},
};
static const struct rule update_status_rules[] = {
	{"status", R_OBJECT(status_rules)},
};

const struct type pdb_type = {
	TYPE("PodDisruptionBudget", "v1", struct pdb, pdb_fields),
	.group = "io.k8s.api.policy",
	.as_go = true,
	TYPE_RULES(pdb_rules),
	TYPE_UPDATE(pdb_rules),
	TYPE_STATUS(update_status_rules),
};
