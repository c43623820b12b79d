/* SPDX-License-Identifier: Apache-2.0 */
/* model/workload/workload_validate.c - the rules of the controllers of pods, in the order and the words of
 * kube-apiserver 1.34.
 *
 * What they have in common is a selector that must choose what the template makes, and a template
 * whose pods restart for ever. Metadata is validated by whoever calls, before. */
#include "model/core/pvc.h"
#include "model/pod/pod.h"
#include "model/rules/rules.h"
#include "model/value/labels.h"
#include "model/value/names.h"
#include "model/workload/workload.h"

#include "base/banned.h"

/* A count of 0, or 0%. */
static bool is_none(struct json value)
{
	struct str text = json_str(value);

	if (json_is(value, JSON_INT))
		return json_int(value) == 0;
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != '0' && !(text.ptr[i] == '%' && i + 1 == text.len))
			return false;
	return true;
}

static void validate_template(struct json spec, const char *kind, const struct path *path,
			      struct causes *causes)
{
	struct path at = path_member(path, STR("template"));
	struct json template = json_get(spec, "template");

	type_validate_at(&pod_template_spec_type, template, &at, causes);
	rules_pod_template(template, kind, &at, causes);
}

static void validate_selector_kept(struct json object, struct json old, struct causes *causes)
{
	struct path spec = path_member(NULL, STR("spec"));
	struct path path = path_member(&spec, STR("selector"));

	rules_immutable(json_get(json_get(object, "spec"), "selector"),
			json_get(json_get(old, "spec"), "selector"), &path, causes);
}

/* --- deployments ----------------------------------------------------------------------------- */

static void validate_rolling(struct json rolling, const struct path *path, struct causes *causes)
{
	struct path unavailable = path_member(path, STR("maxUnavailable"));
	struct path surge = path_member(path, STR("maxSurge"));
	struct json down = json_get(rolling, "maxUnavailable");

	rules_int_or_percent(down, &unavailable, causes);
	rules_int_or_percent(json_get(rolling, "maxSurge"), &surge, causes);
	if (is_none(down) && is_none(json_get(rolling, "maxSurge")))
		causes_invalid(causes, &unavailable, down, "may not be 0 when `maxSurge` is 0");
	rules_at_most_all(down, &unavailable, causes);
}

static const struct rules_go strategy_rows[] = {
	{"Type", "type", "\"\""},
	{"RollingUpdate", "rollingUpdate", "null"},
};

static void tell_go(struct json value, const struct rules_go *rows, size_t count,
		    const struct path *path, const char *detail, struct causes *causes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	rules_print_go(value, rows, count, &text);
	causes_add(causes, CAUSE_INVALID, path, "Invalid value: %s: %s", buf_text(&text), detail);
}

static void tell_strategy(struct json strategy, const char *const *names, size_t count,
			  const struct path *path, struct causes *causes)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_puts(&text, "Unsupported value: ");
	rules_print_go(strategy, strategy_rows, ARRAY_LEN(strategy_rows), &text);
	for (size_t i = 0; i < count; i++)
		buf_printf(&text, "%s\"%s\"", i ? ", " : ": supported values: ", names[i]);
	causes_add(causes, CAUSE_NOT_SUPPORTED, path, "%s", buf_text(&text));
}

static void validate_strategy(struct json strategy, const struct path *path, struct causes *causes)
{
	static const char *const types[] = {"Recreate", "RollingUpdate"};
	struct path rolling = path_member(path, STR("rollingUpdate"));
	struct str type = json_str(json_get(strategy, "type"));
	bool has = json_is(json_get(strategy, "rollingUpdate"), JSON_OBJ);

	if (str_is(type, "Recreate")) {
		if (has)
			causes_forbidden(causes, &rolling,
					 "may not be specified when strategy `type` is 'Recreate'");
	} else if (!str_is(type, "RollingUpdate")) {
		tell_strategy(strategy, types, ARRAY_LEN(types), path, causes);
	} else if (has) {
		validate_rolling(json_get(strategy, "rollingUpdate"), &rolling, causes);
	} else {
		causes_required(causes, &rolling, "this should be defaulted and never be nil");
	}
}

void deployment_validate_create(struct json deployment, struct causes *causes)
{
	static const char *const counts[] = {"minReadySeconds", "revisionHistoryLimit",
					     "progressDeadlineSeconds"};
	static const char *const replicas[] = {"replicas"};
	struct json spec = json_get(deployment, "spec");
	struct json deadline = json_get(spec, "progressDeadlineSeconds");
	struct path path = path_member(NULL, STR("spec"));
	struct path strategy = path_member(&path, STR("strategy"));
	struct path deadline_path = path_member(&path, STR("progressDeadlineSeconds"));

	rules_counts(spec, replicas, ARRAY_LEN(replicas), &path, causes);
	if (rules_pod_selector(spec, "deployment", &path, causes))
		validate_template(spec, "ReplicaSet", &path, causes);
	validate_strategy(json_get(spec, "strategy"), &strategy, causes);
	rules_counts(spec, counts, ARRAY_LEN(counts), &path, causes);
	if (json_is(deadline, JSON_INT) &&
	    json_int(deadline) <= json_int(json_get(spec, "minReadySeconds")))
		causes_invalid(causes, &deadline_path, deadline,
			       "must be greater than minReadySeconds");
}

void deployment_validate_update(struct json deployment, struct json old, struct causes *causes)
{
	deployment_validate_create(deployment, causes);
	validate_selector_kept(deployment, old, causes);
}

/* --- replica sets ---------------------------------------------------------------------------- */

void replicaset_validate_create(struct json set, struct causes *causes)
{
	static const char *const counts[] = {"replicas", "minReadySeconds"};
	struct json spec = json_get(set, "spec");
	struct path path = path_member(NULL, STR("spec"));

	rules_counts(spec, counts, ARRAY_LEN(counts), &path, causes);
	if (rules_pod_selector(spec, "deployment", &path, causes))
		validate_template(spec, "ReplicaSet", &path, causes);
}

void replicaset_validate_update(struct json set, struct json old, struct causes *causes)
{
	replicaset_validate_create(set, causes);
	validate_selector_kept(set, old, causes);
}

/* --- stateful sets --------------------------------------------------------------------------- */

static void validate_stateful_strategy(struct json strategy, const struct path *path,
				       struct causes *causes)
{
	static const struct rules_go partitioned[] = {
		{"Partition", "partition", "0"},
		{"MaxUnavailable", "maxUnavailable", "null"},
	};
	struct path rolling = path_member(path, STR("rollingUpdate"));
	struct path partition = path_member(&rolling, STR("partition"));
	struct path unavailable = path_member(&rolling, STR("maxUnavailable"));
	struct json how = json_get(strategy, "rollingUpdate");
	struct str type = json_str(json_get(strategy, "type"));

	if (!type.len) {
		causes_required(causes, path, "");
	} else if (str_is(type, "OnDelete")) {
		if (json_is(how, JSON_OBJ))
			tell_go(how, partitioned, ARRAY_LEN(partitioned), &rolling,
				"only allowed for updateStrategy 'RollingUpdate'", causes);
	} else if (!str_is(type, "RollingUpdate")) {
		tell_go(strategy, strategy_rows, ARRAY_LEN(strategy_rows), path,
			"must be 'RollingUpdate' or 'OnDelete'", causes);
	} else {
		rules_not_negative(json_get(how, "partition"), &partition, causes);
		rules_int_or_percent(json_get(how, "maxUnavailable"), &unavailable, causes);
		rules_at_most_all(json_get(how, "maxUnavailable"), &unavailable, causes);
	}
}

static void validate_retention(struct json policy, const struct path *path, struct causes *causes)
{
	static const char *const names[] = {"whenDeleted", "whenScaled"};
	static const char *const known[] = {"Delete", "Retain"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct path at = path_member(path, str_from(names[i]));
		struct json value = json_get(policy, names[i]);

		if (json_str(value).len)
			rules_one_of(value, known, ARRAY_LEN(known), &at, causes);
	}
}

/* A copy of the template as the controller completes it: with a volume for each claim, and without
 * the names that it sets. */
static struct json_doc *completed_template(struct json spec)
{
	struct json_doc *doc = json_doc_thaw(json_get(spec, "template"));
	struct json pod = json_ensure_obj(doc, json_doc_root(doc), "spec");
	struct json_iter it = json_iter(json_get(spec, "volumeClaimTemplates"));

	json_remove(doc, pod, STR("hostname"));
	json_remove(doc, pod, STR("subdomain"));
	while (json_next(&it)) {
		struct json volumes = json_ensure_arr(doc, pod, "volumes");
		struct str name = json_str(json_get(json_get(it.value, "metadata"), "name"));
		struct json volume = json_new_obj(doc);
		struct json claim = json_new_obj(doc);
		struct json_iter old = json_iter(volumes);

		while (json_next(&old))
			if (str_eq(json_str(json_get(old.value, "name")), name)) {
				json_remove_at(doc, volumes, old.index);
				break;
			}
		json_set_str(doc, volume, "name", name);
		json_set_str(doc, claim, "claimName", name);
		json_set(doc, volume, STR("persistentVolumeClaim"), claim);
		json_append(doc, volumes, volume);
	}
	return doc;
}

static void validate_claims(struct json claims, const struct path *up, struct causes *causes)
{
	struct json_iter it = json_iter(claims);
	PATH(path, up, "volumeClaimTemplates");

	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);
		PATH(spec, &at, "spec");

		struct rule_at in = rule_start(json_get(it.value, "spec"), &spec, causes);

		rules_check(&pvc_spec_rules, &in);
	}
}

static void validate_stateful(struct json spec, bool new, const struct path *path,
			      struct causes *causes)
{
	static const char *const counts[] = {"replicas", "minReadySeconds"};
	AUTO(json_doc_unref) struct json_doc *template = completed_template(spec);
	struct path policy = path_member(path, STR("podManagementPolicy"));
	struct path strategy = path_member(path, STR("updateStrategy"));
	struct path retention = path_member(path, STR("persistentVolumeClaimRetentionPolicy"));
	struct path start = path_member(path, STR("ordinals.start"));
	struct path service = path_member(path, STR("serviceName"));
	struct path at = path_member(path, STR("template"));
	struct str name = json_str(json_get(spec, "podManagementPolicy"));

	if (!name.len)
		causes_required(causes, &policy, "");
	else if (!str_is(name, "OrderedReady") && !str_is(name, "Parallel"))
		causes_invalid_str(causes, &policy, name, "must be 'OrderedReady' or 'Parallel'");
	validate_stateful_strategy(json_get(spec, "updateStrategy"), &strategy, causes);
	validate_retention(json_get(spec, "persistentVolumeClaimRetentionPolicy"), &retention,
			   causes);
	if (new)
		validate_claims(json_get(spec, "volumeClaimTemplates"), path, causes);
	rules_counts(spec, counts, ARRAY_LEN(counts), path, causes);
	rules_not_negative(json_get(json_get(spec, "ordinals"), "start"), &start, causes);
	if (new &&json_str(json_get(spec, "serviceName")).len)
		name_validate(NAME_DNS_LABEL, json_str(json_get(spec, "serviceName")), &service,
			      causes);
	if (rules_pod_selector(spec, "statefulset", path, causes))
		type_validate_at(&pod_template_spec_type, json_doc_root(template), &at, causes);
	rules_pod_template(json_get(spec, "template"), "StatefulSet", &at, causes);
}

void statefulset_validate_create(struct json set, struct causes *causes)
{
	struct path path = path_member(NULL, STR("spec"));

	validate_stateful(json_get(set, "spec"), true, &path, causes);
}

static bool may_change(struct str field)
{
	static const char *const names[] = {"replicas",
					    "template",
					    "updateStrategy",
					    "minReadySeconds",
					    "ordinals",
					    "revisionHistoryLimit",
					    "persistentVolumeClaimRetentionPolicy"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_is(field, names[i]))
			return true;
	return false;
}

static bool has_other_changes(struct json spec, struct json other)
{
	struct json_iter it = json_iter(spec);

	while (json_next(&it))
		if (!may_change(it.key) && !rules_same(it.value, json_get_str(other, it.key)))
			return true;
	return false;
}

void statefulset_validate_update(struct json set, struct json old, struct causes *causes)
{
	struct json spec = json_get(set, "spec");
	struct json before = json_get(old, "spec");
	struct path path = path_member(NULL, STR("spec"));

	validate_stateful(spec, false, &path, causes);
	if (has_other_changes(spec, before) || has_other_changes(before, spec))
		causes_forbidden(
			causes, &path,
			"updates to statefulset spec for fields other than 'replicas', 'ordinals', "
			"'template', 'updateStrategy', 'revisionHistoryLimit', "
			"'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are "
			"forbidden");
}

/* --- daemon sets ----------------------------------------------------------------------------- */

static void validate_daemon_rolling(struct json rolling, const struct path *path,
				    struct causes *causes)
{
	struct path unavailable = path_member(path, STR("maxUnavailable"));
	struct path surge = path_member(path, STR("maxSurge"));
	struct json down = json_get(rolling, "maxUnavailable");
	struct json up = json_get(rolling, "maxSurge");

	rules_int_or_percent(down, &unavailable, causes);
	rules_int_or_percent(up, &surge, causes);
	rules_at_most_all(down, &unavailable, causes);
	rules_at_most_all(up, &surge, causes);
	if (!is_none(down) && !is_none(up))
		causes_invalid(causes, &surge, up,
			       "may not be set when maxUnavailable is non-zero");
	else if (is_none(down) && is_none(up))
		causes_required(causes, &unavailable, "cannot be 0 when maxSurge is 0");
}

static void validate_daemon_strategy(struct json strategy, const struct path *path,
				     struct causes *causes)
{
	static const char *const types[] = {"RollingUpdate", "OnDelete"};
	struct path rolling = path_member(path, STR("rollingUpdate"));
	struct str type = json_str(json_get(strategy, "type"));

	if (str_is(type, "OnDelete"))
		return;
	if (!str_is(type, "RollingUpdate"))
		tell_strategy(strategy, types, ARRAY_LEN(types), path, causes);
	else if (json_is(json_get(strategy, "rollingUpdate"), JSON_OBJ))
		validate_daemon_rolling(json_get(strategy, "rollingUpdate"), &rolling, causes);
	else
		causes_required(causes, &rolling, "");
}

void daemonset_validate_create(struct json set, struct causes *causes)
{
	static const char *const counts[] = {"minReadySeconds"};
	static const char *const history[] = {"revisionHistoryLimit"};
	struct json spec = json_get(set, "spec");
	struct path path = path_member(NULL, STR("spec"));
	struct path strategy = path_member(&path, STR("updateStrategy"));

	(void)rules_pod_selector(spec, "daemonset", &path, causes);
	validate_template(spec, "DaemonSet", &path, causes);
	rules_counts(spec, counts, ARRAY_LEN(counts), &path, causes);
	validate_daemon_strategy(json_get(spec, "updateStrategy"), &strategy, causes);
	rules_counts(spec, history, ARRAY_LEN(history), &path, causes);
}

void daemonset_validate_update(struct json set, struct json old, struct causes *causes)
{
	validate_selector_kept(set, old, causes);
	daemonset_validate_create(set, causes);
}

/* --- replication controllers ----------------------------------------------------------------- */

void replicationcontroller_validate_create(struct json controller, struct causes *causes)
{
	static const char *const counts[] = {"minReadySeconds"};
	static const char *const replicas[] = {"replicas"};
	struct json spec = json_get(controller, "spec");
	struct json labels = json_get(json_get(json_get(spec, "template"), "metadata"), "labels");
	struct json_iter it = json_iter(json_get(spec, "selector"));
	struct path path = path_member(NULL, STR("spec"));
	struct path selector = path_member(&path, STR("selector"));
	struct path template = path_member(&path, STR("template"));
	struct path meta = path_member(&template, STR("metadata"));
	struct path labels_path = path_member(&meta, STR("labels"));
	bool fits = true;

	rules_counts(spec, counts, ARRAY_LEN(counts), &path, causes);
	if (!json_len(json_get(spec, "selector")))
		causes_required(causes, &selector, "");
	rules_counts(spec, replicas, ARRAY_LEN(replicas), &path, causes);
	if (!json_is(json_get(spec, "template"), JSON_OBJ)) {
		causes_required(causes, &template, "");
		return;
	}
	while (json_next(&it))
		fits = fits && json_eq(json_get_str(labels, it.key), it.value);
	if (!fits)
		rules_invalid(labels, &labels_path, "`selector` does not match template `labels`",
			      causes);
	validate_template(spec, "ReplicationController", &path, causes);
}

void replicationcontroller_validate_update(struct json controller, struct json old,
					   struct causes *causes)
{
	(void)old;
	replicationcontroller_validate_create(controller, causes);
}

/* --- statuses -------------------------------------------------------------------------------- */

enum { PAIRS_MAX = 6 };

/* Counts, and which of them can be no greater than which, as it is called. */
struct status_rules {
	const char *counts[10]; /* the last is NULL */
	struct {
		const char *part;
		const char *whole;
		const char *called;
	} pairs[PAIRS_MAX]; /* the last has no part */
};

static void check_pairs(const struct status_rules *rules, struct json status,
			const struct path *path, struct causes *causes)
{
	for (size_t i = 0; i < PAIRS_MAX && rules->pairs[i].part; i++) {
		struct json part = json_get(status, rules->pairs[i].part);
		struct path at = path_member(path, str_from(rules->pairs[i].part));

		if (json_int(part) > json_int(json_get(status, rules->pairs[i].whole)))
			causes_invalid(causes, &at, part, "cannot be greater than %s",
				       rules->pairs[i].called);
	}
}

static void check_status(const struct status_rules *rules, struct json object, struct json old,
			 struct causes *causes)
{
	struct json status = json_get(object, "status");
	int64_t collisions = json_int(json_get(status, "collisionCount"));
	struct json before = json_get(json_get(old, "status"), "collisionCount");
	size_t count = 0;
	PATH(path, NULL, "status");
	PATH(collision_path, &path, "collisionCount");

	while (rules->counts[count])
		count++;
	rules_counts(status, rules->counts, count, &path, causes);
	check_pairs(rules, status, &path, causes);
	if (json_is(before, JSON_INT) &&
	    (!rule_has(status, "collisionCount") || collisions < json_int(before)))
		causes_invalid_int(causes, &collision_path, collisions, "cannot be decremented");
}

void deployment_validate_status(struct json deployment, struct json old, struct causes *causes)
{
	static const struct status_rules rules = {
		{"observedGeneration", "replicas", "updatedReplicas", "readyReplicas",
		 "availableReplicas", "unavailableReplicas", "terminatingReplicas",
		 "collisionCount"},
		{{"updatedReplicas", "replicas", "status.replicas"},
		 {"readyReplicas", "replicas", "status.replicas"},
		 {"availableReplicas", "replicas", "status.replicas"},
		 {"availableReplicas", "readyReplicas", "readyReplicas"}},
	};

	check_status(&rules, deployment, old, causes);
}

void replicaset_validate_status(struct json set, struct json old, struct causes *causes)
{
	static const struct status_rules rules = {
		{"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas",
		 "observedGeneration", "terminatingReplicas"},
		{{"fullyLabeledReplicas", "replicas", "status.replicas"},
		 {"readyReplicas", "replicas", "status.replicas"},
		 {"availableReplicas", "replicas", "status.replicas"},
		 {"availableReplicas", "readyReplicas", "readyReplicas"}},
	};

	check_status(&rules, set, old, causes);
}

void statefulset_validate_status(struct json set, struct json old, struct causes *causes)
{
	static const struct status_rules rules = {
		{"replicas", "readyReplicas", "currentReplicas", "updatedReplicas",
		 "availableReplicas", "observedGeneration", "collisionCount"},
		{{"readyReplicas", "replicas", "status.replicas"},
		 {"currentReplicas", "replicas", "status.replicas"},
		 {"updatedReplicas", "replicas", "status.replicas"},
		 {"availableReplicas", "replicas", "status.replicas"},
		 {"availableReplicas", "readyReplicas", "status.readyReplicas"}},
	};

	check_status(&rules, set, old, causes);
}

void daemonset_validate_status(struct json set, struct json old, struct causes *causes)
{
	static const struct status_rules rules = {
		{"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled",
		 "numberReady", "observedGeneration", "updatedNumberScheduled", "numberAvailable",
		 "numberUnavailable", "collisionCount"},
		{{NULL, NULL, NULL}},
	};

	check_status(&rules, set, old, causes);
}
