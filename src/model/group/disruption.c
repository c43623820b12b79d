/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/disruption.c - disruption budgets, and evictions, which they guard against: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
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
const struct type pdb_type = {
	TYPE("PodDisruptionBudget", "v1", struct pdb, pdb_fields),
	.group = "io.k8s.api.policy",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

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
	.validate = rules_elsewhere,
	.whole = true,
};

static void validate_bound(struct json spec, const char *which, struct causes *causes)
{
	struct path path = path_member(NULL, STR("spec"));
	struct path at = path_member(&path, str_from(which));

	rules_int_or_percent(json_get(spec, which), &at, causes);
	rules_at_most_all(json_get(spec, which), &at, causes);
}

static void tell_both(struct json spec, const struct path *path, struct causes *causes)
{
	static const struct rules_go rows[] = {
		{"MinAvailable", "minAvailable", "null"},
		{"Selector", "selector", "null"},
		{"MaxUnavailable", "maxUnavailable", "null"},
		{"UnhealthyPodEvictionPolicy", "unhealthyPodEvictionPolicy", "null"},
	};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	rules_print_go(spec, rows, ARRAY_LEN(rows), &text);
	causes_add(causes, CAUSE_INVALID, path,
		   "Invalid value: %s: minAvailable and maxUnavailable cannot be both set",
		   buf_text(&text));
}

void pdb_validate_create(struct json pdb, struct causes *causes)
{
	static const char *const policies[] = {"AlwaysAllow", "IfHealthyBudget"};
	struct json spec = json_get(pdb, "spec");
	struct path path = path_member(NULL, STR("spec"));
	struct path selector = path_member(&path, STR("selector"));
	struct path policy = path_member(&path, STR("unhealthyPodEvictionPolicy"));

	if (!json_is_absent(json_get(spec, "minAvailable")) &&
	    !json_is_absent(json_get(spec, "maxUnavailable")))
		tell_both(spec, &path, causes);
	validate_bound(spec, "minAvailable", causes);
	validate_bound(spec, "maxUnavailable", causes);
	rules_label_selector(json_get(spec, "selector"), &selector, causes);
	if (!json_is_absent(json_get(spec, "unhealthyPodEvictionPolicy")))
		rules_one_of(json_get(spec, "unhealthyPodEvictionPolicy"), policies,
			     ARRAY_LEN(policies), &policy, causes);
}

void pdb_validate_update(struct json pdb, struct json old, struct causes *causes)
{
	(void)old;
	pdb_validate_create(pdb, causes);
}

void pdb_validate_status(struct json pdb, struct json old, struct causes *causes)
{
	static const char *const counts[] = {"disruptionsAllowed", "currentHealthy",
					     "desiredHealthy", "expectedPods"};
	struct json status = json_get(pdb, "status");
	struct path path = path_member(NULL, STR("status"));

	(void)old;
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		struct path at = path_member(&path, str_from(counts[i]));

		rules_not_negative(json_get(status, counts[i]), &at, causes);
	}
}
