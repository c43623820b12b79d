/* SPDX-License-Identifier: Apache-2.0 */
/* model/workload/workload_validate.c - the rules of the controllers of pods, in the order and the words of
 * kube-apiserver 1.34.
 *
 * What they have in common is a selector that must choose what the template makes, and a template
 * whose pods restart forever. Metadata is validated by the caller, before. */
#include "base/mem.h"
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

/* --- selectors and templates ----------------------------------------------------------------- */

static bool is_bad_selector(struct json selector)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;

	rules_label_selector(selector, NULL, &causes);
	return causes.len > 0;
}

/* Of the spec of a controller: is its template looked at? */
static bool has_good_selector(const struct rule_at *at)
{
	return !is_bad_selector(json_get(at->value, "selector"));
}

static void report_labels(const struct rule_at *at, struct json labels)
{
	AUTO(mem_free) char *text = json_text(labels, JSON_COMPACT);

	rule_add(at, "template.metadata.labels", CAUSE_INVALID,
		 "Invalid value: %s: `selector` does not match template `labels`",
		 text[0] ? text : "null");
}

static struct json labels_of(struct json spec)
{
	return json_get(json_get(json_get(spec, "template"), "metadata"), "labels");
}

static bool is_empty_selector(struct json selector)
{
	return json_is(selector, JSON_OBJ) && rules_is_empty(json_get(selector, "matchLabels")) &&
	       rules_is_empty(json_get(selector, "matchExpressions"));
}

/* The selector must be there and not empty (as `what` says it), and choose what the template makes. */
static void check_selector(const struct rule_at *at, const char *what, const char *bad_words)
{
	struct json selector = json_get(at->value, "selector");
	bool there = json_is(selector, JSON_OBJ);
	bool empty = is_empty_selector(selector);
	bool bad = is_bad_selector(selector);
	AUTO(mem_free) char *text = NULL;

	if (!there)
		rule_required_as(at, "selector", "");
	if (empty)
		rule_invalid(at, "selector", "empty selector is invalid for %s", what);
	text = json_text(selector, JSON_COMPACT);
	if (bad)
		rule_add(at, "selector", CAUSE_INVALID, "Invalid value: %s%s", text, bad_words);
	if (!bad && !empty && (!there || !rules_selects(selector, labels_of(at->value))))
		report_labels(at, labels_of(at->value));
}

static void check_deployment_selector(const struct rule_at *at)
{
	check_selector(at, "deployment", ": invalid label selector");
}

static void check_stateful_selector(const struct rule_at *at)
{
	check_selector(at, "statefulset", "");
}

static void check_daemon_selector(const struct rule_at *at)
{
	struct json selector = json_get(at->value, "selector");
	bool there = json_is(selector, JSON_OBJ);
	bool empty = is_empty_selector(selector);

	if (!is_bad_selector(selector) && !empty &&
	    (!there || !rules_selects(selector, labels_of(at->value))))
		report_labels(at, labels_of(at->value));
	if (empty)
		rule_invalid(at, "selector", "empty selector is invalid for daemonset");
}

/* What a controller cannot have in the template of its pods: an end of their own. */
#define TEMPLATE_ROWS(noun, kind)                                                    \
	static const struct rule noun##_pod_rows[] = {                               \
		{"restartPolicy", R_ALWAYS, R_TEXTS("Always")},                      \
		{"activeDeadlineSeconds",                                            \
		 R_FORBIDDEN("activeDeadlineSeconds in " kind " is not Supported")}, \
	};                                                                           \
	static const struct rule noun##_template_rows[] = {                          \
		{"spec", R_ALWAYS, R_OBJECT(noun##_pod_rows)},                       \
	}
TEMPLATE_ROWS(replica, "ReplicaSet");
TEMPLATE_ROWS(stateful, "StatefulSet");
TEMPLATE_ROWS(daemon, "DaemonSet");
TEMPLATE_ROWS(controller, "ReplicationController");

static const struct rule selector_kept_rows[] = {
	{"selector", R_IMMUTABLE},
};

/* --- strategies ------------------------------------------------------------------------------ */

static const struct rules_go strategy_go[] = {
	{"Type", "type", "\"\""},
	{"RollingUpdate", "rollingUpdate", "null"},
};

static void report_go(const struct rule_at *at, const struct rules_go *rows, size_t count,
		      const char *detail)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	rules_print_go(at->value, rows, count, &text);
	rule_add(at, NULL, CAUSE_INVALID, "Invalid value: %s: %s", buf_text(&text), detail);
}

/* `texts` as the message lists them. */
static void report_strategy(const struct rule_at *at, const char *texts)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	rules_print_go(at->value, strategy_go, ARRAY_LEN(strategy_go), &text);
	rule_add(at, NULL, CAUSE_NOT_SUPPORTED, "Unsupported value: %s: supported values: %s",
		 buf_text(&text), texts);
}

static void report_deployment_strategy(const struct rule_at *at)
{
	report_strategy(at, "\"Recreate\", \"RollingUpdate\"");
}

static void report_daemon_strategy(const struct rule_at *at)
{
	report_strategy(at, "\"RollingUpdate\", \"OnDelete\"");
}

static bool is_strategy(const struct rule_at *at, const char *type)
{
	return str_is(rule_text(at->value, "type"), type);
}

static bool is_no_deployment_strategy(const struct rule_at *at)
{
	return !is_strategy(at, "Recreate") && !is_strategy(at, "RollingUpdate");
}

static bool is_no_set_strategy(const struct rule_at *at)
{
	return !is_strategy(at, "OnDelete") && !is_strategy(at, "RollingUpdate");
}

static bool are_none(const struct rule_at *at)
{
	return is_none(json_get(at->value, "maxUnavailable")) &&
	       is_none(json_get(at->value, "maxSurge"));
}

static bool are_some(const struct rule_at *at)
{
	return !is_none(json_get(at->value, "maxUnavailable")) &&
	       !is_none(json_get(at->value, "maxSurge"));
}

/* --- deployments ----------------------------------------------------------------------------- */

static void check_deadline(const struct rule_at *at)
{
	if (json_int(at->value) <= json_int(json_get(at->up->value, "minReadySeconds")))
		rule_invalid(at, NULL, "must be greater than minReadySeconds");
}

static const struct rule rolling_rows[] = {
	{"maxUnavailable", R_CHECK(rule_int_or_percent)},
	{"maxSurge", R_CHECK(rule_int_or_percent)},
	{"maxUnavailable", R_WHEN(are_none), R_ALWAYS,
	 R_INVALID("may not be 0 when `maxSurge` is 0")},
	{"maxUnavailable", R_CHECK(rule_at_most_all)},
};
static const struct rule strategy_rows[] = {
	{"rollingUpdate", R_IF("type", "Recreate"),
	 R_FORBIDDEN("may not be specified when strategy `type` is 'Recreate'")},
	{R_WHEN(is_no_deployment_strategy), R_CHECK(report_deployment_strategy)},
	{"rollingUpdate", R_IF("type", "RollingUpdate"),
	 R_REQUIRED_AS("this should be defaulted and never be nil"), R_OBJECT(rolling_rows)},
};
static const struct rule deployment_spec_rows[] = {
	{"replicas", R_MIN(0)},
	{"selector", R_CHECK(rule_selector)},
	{R_CHECK(check_deployment_selector)},
	{"template", R_WHEN(has_good_selector), R_ALWAYS, R_TYPE(pod_template_spec)},
	{"template", R_WHEN(has_good_selector), R_ALWAYS, R_OBJECT(replica_template_rows)},
	{"strategy", R_ALWAYS, R_OBJECT(strategy_rows)},
	{"minReadySeconds", R_MIN(0)},
	{"revisionHistoryLimit", R_MIN(0)},
	{"progressDeadlineSeconds", R_MIN(0)},
	{"progressDeadlineSeconds", R_CHECK(check_deadline)},
};
static const struct rule deployment_rows[] = {
	{"spec", R_ALWAYS, R_OBJECT(deployment_spec_rows)},
};
const struct rules deployment_rules = RULES_OF(deployment_rows);

static const struct rule deployment_update_rows[] = {
	{R_RULES(deployment_rules)},
	{"spec", R_ALWAYS, R_OBJECT(selector_kept_rows)},
};
const struct rules deployment_update_rules = RULES_OF(deployment_update_rows);

/* --- replica sets ---------------------------------------------------------------------------- */

static const struct rule replicaset_spec_rows[] = {
	{"replicas", R_MIN(0)},
	{"minReadySeconds", R_MIN(0)},
	{"selector", R_CHECK(rule_selector)},
	{R_CHECK(check_deployment_selector)},
	{"template", R_WHEN(has_good_selector), R_ALWAYS, R_TYPE(pod_template_spec)},
	{"template", R_WHEN(has_good_selector), R_ALWAYS, R_OBJECT(replica_template_rows)},
};
static const struct rule replicaset_rows[] = {
	{"spec", R_ALWAYS, R_OBJECT(replicaset_spec_rows)},
};
const struct rules replicaset_rules = RULES_OF(replicaset_rows);

static const struct rule replicaset_update_rows[] = {
	{R_RULES(replicaset_rules)},
	{"spec", R_ALWAYS, R_OBJECT(selector_kept_rows)},
};
const struct rules replicaset_update_rules = RULES_OF(replicaset_update_rows);

/* --- stateful sets --------------------------------------------------------------------------- */

static void check_management(const struct rule_at *at)
{
	if (!str_is(json_str(at->value), "OrderedReady") &&
	    !str_is(json_str(at->value), "Parallel"))
		rule_invalid(at, NULL, "must be 'OrderedReady' or 'Parallel'");
}

static void report_partition(const struct rule_at *at)
{
	static const struct rules_go partitioned[] = {
		{"Partition", "partition", "0"},
		{"MaxUnavailable", "maxUnavailable", "null"},
	};

	report_go(at, partitioned, ARRAY_LEN(partitioned),
		  "only allowed for updateStrategy 'RollingUpdate'");
}

/* Without a type it is missing as a whole. */
static void check_stateful_type(const struct rule_at *at)
{
	if (!rule_text(at->value, "type").len)
		rule_required_as(at, NULL, "");
	else if (is_no_set_strategy(at))
		report_go(at, strategy_go, ARRAY_LEN(strategy_go),
			  "must be 'RollingUpdate' or 'OnDelete'");
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

static void check_completed(const struct rule_at *at)
{
	AUTO(json_doc_unref) struct json_doc *template = completed_template(at->up->value);

	type_validate_at(&pod_template_spec_type, json_doc_root(template), at->path, at->causes);
}

static bool is_new(const struct rule_at *at)
{
	return json_is_absent(rule_top(at)->old);
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

static void check_other_changes(const struct rule_at *at)
{
	if (has_other_changes(at->value, at->old) || has_other_changes(at->old, at->value))
		rule_forbidden(
			at, NULL,
			"updates to statefulset spec for fields other than 'replicas', 'ordinals', "
			"'template', 'updateStrategy', 'revisionHistoryLimit', "
			"'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are "
			"forbidden");
}

static const struct rule partition_rows[] = {
	{"partition", R_MIN(0)},
	{"maxUnavailable", R_CHECK(rule_int_or_percent)},
	{"maxUnavailable", R_CHECK(rule_at_most_all)},
};
static const struct rule stateful_strategy_rows[] = {
	{R_CHECK(check_stateful_type)},
	{"rollingUpdate", R_IF("type", "OnDelete"), R_CHECK(report_partition)},
	{"rollingUpdate", R_IF("type", "RollingUpdate"), R_OBJECT(partition_rows)},
};
static const struct rule retention_rows[] = {
	{"whenDeleted", R_FILLED, R_TEXTS("Delete", "Retain")},
	{"whenScaled", R_FILLED, R_TEXTS("Delete", "Retain")},
};
static const struct rule claim_rows[] = {
	{"spec", R_ALWAYS, R_RULES(pvc_spec_rules)},
};
static const struct rule ordinal_rows[] = {
	{"start", R_MIN(0)},
};
static const struct rule stateful_spec_rows[] = {
	{"podManagementPolicy", R_REQUIRED, R_CHECK(check_management)},
	{"updateStrategy", R_ALWAYS, R_OBJECT(stateful_strategy_rows)},
	{"persistentVolumeClaimRetentionPolicy", R_OBJECT(retention_rows)},
	{"volumeClaimTemplates", R_WHEN(is_new), R_EACH(R_OBJECT(claim_rows))},
	{"replicas", R_MIN(0)},
	{"minReadySeconds", R_MIN(0)},
	{"ordinals", R_OBJECT(ordinal_rows)},
	{"serviceName", R_WHEN(is_new), R_FILLED, R_FORMAT(DNS_LABEL)},
	{"selector", R_CHECK(rule_selector)},
	{R_CHECK(check_stateful_selector)},
	{"template", R_WHEN(has_good_selector), R_ALWAYS, R_CHECK(check_completed)},
	{"template", R_ALWAYS, R_OBJECT(stateful_template_rows)},
};
static const struct rule statefulset_rows[] = {
	{"spec", R_ALWAYS, R_OBJECT(stateful_spec_rows)},
};
const struct rules statefulset_rules = RULES_OF(statefulset_rows);

static const struct rule statefulset_update_rows[] = {
	{R_RULES(statefulset_rules)},
	{"spec", R_ALWAYS, R_CHECK(check_other_changes)},
};
const struct rules statefulset_update_rules = RULES_OF(statefulset_update_rows);

/* --- daemon sets ----------------------------------------------------------------------------- */

static const struct rule daemon_rolling_rows[] = {
	{"maxUnavailable", R_CHECK(rule_int_or_percent)},
	{"maxSurge", R_CHECK(rule_int_or_percent)},
	{"maxUnavailable", R_CHECK(rule_at_most_all)},
	{"maxSurge", R_CHECK(rule_at_most_all)},
	{"maxSurge", R_WHEN(are_some), R_ALWAYS,
	 R_INVALID("may not be set when maxUnavailable is non-zero")},
	{"maxUnavailable", R_WHEN(are_none), R_ALWAYS, R_LACKS("cannot be 0 when maxSurge is 0")},
};
static const struct rule daemon_strategy_rows[] = {
	{R_WHEN(is_no_set_strategy), R_CHECK(report_daemon_strategy)},
	{"rollingUpdate", R_IF("type", "RollingUpdate"), R_REQUIRED, R_OBJECT(daemon_rolling_rows)},
};
static const struct rule daemonset_spec_rows[] = {
	{"selector", R_CHECK(rule_selector)},
	{R_CHECK(check_daemon_selector)},
	{"template", R_ALWAYS, R_TYPE(pod_template_spec)},
	{"template", R_ALWAYS, R_OBJECT(daemon_template_rows)},
	{"minReadySeconds", R_MIN(0)},
	{"updateStrategy", R_ALWAYS, R_OBJECT(daemon_strategy_rows)},
	{"revisionHistoryLimit", R_MIN(0)},
};
static const struct rule daemonset_rows[] = {
	{"spec", R_ALWAYS, R_OBJECT(daemonset_spec_rows)},
};
const struct rules daemonset_rules = RULES_OF(daemonset_rows);

static const struct rule daemonset_update_rows[] = {
	{"spec", R_ALWAYS, R_OBJECT(selector_kept_rows)},
	{R_RULES(daemonset_rules)},
};
const struct rules daemonset_update_rules = RULES_OF(daemonset_update_rows);

/* --- replication controllers ----------------------------------------------------------------- */

static bool has_no_selector(const struct rule_at *at)
{
	return !json_len(json_get(at->value, "selector"));
}

static void check_controller_labels(const struct rule_at *at)
{
	struct json labels = labels_of(at->value);
	struct json_iter it = json_iter(json_get(at->value, "selector"));
	bool fits = true;

	while (json_next(&it))
		fits = fits && json_eq(json_get_str(labels, it.key), it.value);
	if (!fits)
		report_labels(at, labels);
}

static const struct rule controller_spec_rows[] = {
	{"minReadySeconds", R_MIN(0)},
	{"selector", R_WHEN(has_no_selector), R_ALWAYS, R_LACKS("")},
	{"replicas", R_MIN(0)},
	{"template", R_REQUIRED, R_STOP},
	{R_CHECK(check_controller_labels)},
	{"template", R_TYPE(pod_template_spec)},
	{"template", R_OBJECT(controller_template_rows)},
};
static const struct rule controller_rows[] = {
	{"spec", R_ALWAYS, R_OBJECT(controller_spec_rows)},
};
const struct rules replicationcontroller_rules = RULES_OF(controller_rows);

/* --- statuses -------------------------------------------------------------------------------- */

/* A count that can be no greater than another one, as the message calls that. */
struct status_pair {
	const char *part;
	const char *whole;
	const char *called;
};

static void check_pairs(const struct rule_at *at, const struct status_pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t part = json_int(json_get(at->value, pairs[i].part)); /* 0: not said */
		struct path path = path_member(at->path, str_from(pairs[i].part));

		if (part > json_int(json_get(at->value, pairs[i].whole)))
			causes_invalid_int(at->causes, &path, part, "cannot be greater than %s",
					   pairs[i].called);
	}
}

static void check_deployment_pairs(const struct rule_at *at)
{
	static const struct status_pair pairs[] = {
		{"updatedReplicas", "replicas", "status.replicas"},
		{"readyReplicas", "replicas", "status.replicas"},
		{"availableReplicas", "replicas", "status.replicas"},
		{"availableReplicas", "readyReplicas", "readyReplicas"},
	};

	check_pairs(at, pairs, ARRAY_LEN(pairs));
}

static void check_replicaset_pairs(const struct rule_at *at)
{
	static const struct status_pair pairs[] = {
		{"fullyLabeledReplicas", "replicas", "status.replicas"},
		{"readyReplicas", "replicas", "status.replicas"},
		{"availableReplicas", "replicas", "status.replicas"},
		{"availableReplicas", "readyReplicas", "readyReplicas"},
	};

	check_pairs(at, pairs, ARRAY_LEN(pairs));
}

static void check_stateful_pairs(const struct rule_at *at)
{
	static const struct status_pair pairs[] = {
		{"readyReplicas", "replicas", "status.replicas"},
		{"currentReplicas", "replicas", "status.replicas"},
		{"updatedReplicas", "replicas", "status.replicas"},
		{"availableReplicas", "replicas", "status.replicas"},
		{"availableReplicas", "readyReplicas", "status.readyReplicas"},
	};

	check_pairs(at, pairs, ARRAY_LEN(pairs));
}

/* An absent one is 0. */
static void check_collisions(const struct rule_at *at)
{
	if (json_is(at->old, JSON_INT) &&
	    (!json_is(at->value, JSON_INT) || json_int(at->value) < json_int(at->old)))
		causes_invalid_int(at->causes, at->path, json_int(at->value),
				   "cannot be decremented");
}

#define COLLISIONS                                                    \
	{                                                             \
		"collisionCount", R_ALWAYS, R_CHECK(check_collisions) \
	}

static const struct rule deployment_counts[] = {
	{"observedGeneration", R_MIN(0)},  {"replicas", R_MIN(0)},
	{"updatedReplicas", R_MIN(0)},     {"readyReplicas", R_MIN(0)},
	{"availableReplicas", R_MIN(0)},   {"unavailableReplicas", R_MIN(0)},
	{"terminatingReplicas", R_MIN(0)}, {"collisionCount", R_MIN(0)},
	{R_CHECK(check_deployment_pairs)}, COLLISIONS,
};
static const struct rule replicaset_counts[] = {
	{"replicas", R_MIN(0)},
	{"fullyLabeledReplicas", R_MIN(0)},
	{"readyReplicas", R_MIN(0)},
	{"availableReplicas", R_MIN(0)},
	{"observedGeneration", R_MIN(0)},
	{"terminatingReplicas", R_MIN(0)},
	{R_CHECK(check_replicaset_pairs)},
};
static const struct rule statefulset_counts[] = {
	{"replicas", R_MIN(0)},
	{"readyReplicas", R_MIN(0)},
	{"currentReplicas", R_MIN(0)},
	{"updatedReplicas", R_MIN(0)},
	{"availableReplicas", R_MIN(0)},
	{"observedGeneration", R_MIN(0)},
	{"collisionCount", R_MIN(0)},
	{R_CHECK(check_stateful_pairs)},
	COLLISIONS,
};
static const struct rule daemonset_counts[] = {
	{"currentNumberScheduled", R_MIN(0)}, {"numberMisscheduled", R_MIN(0)},
	{"desiredNumberScheduled", R_MIN(0)}, {"numberReady", R_MIN(0)},
	{"observedGeneration", R_MIN(0)},     {"updatedNumberScheduled", R_MIN(0)},
	{"numberAvailable", R_MIN(0)},        {"numberUnavailable", R_MIN(0)},
	{"collisionCount", R_MIN(0)},         COLLISIONS,
};

#define STATUS_RULES(noun)                                     \
	static const struct rule noun##_status_rows[] = {      \
		{"status", R_ALWAYS, R_OBJECT(noun##_counts)}, \
	};                                                     \
	const struct rules noun##_status_rules = RULES_OF(noun##_status_rows)
STATUS_RULES(deployment);
STATUS_RULES(replicaset);
STATUS_RULES(statefulset);
STATUS_RULES(daemonset);
