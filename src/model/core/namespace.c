/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/namespace.c - namespaces: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/core/namespace.h"

#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

#define VIEW struct namespace_spec
static const struct field namespace_spec_fields[] = {
	{"finalizers", F_LIST(F_STR, F_GO("v1.FinalizerName")), AT(finalizers), F_LIST_ATOMIC},
};
#undef VIEW
const struct type namespace_spec_type = {
	TYPE("NamespaceSpec", "v1", struct namespace_spec, namespace_spec_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field namespace_condition_fields[] = {
	{"type", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.NamespaceConditionType")},
	{"status", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.ConditionStatus")},
	{"lastTransitionTime", F_TIME, F_ALWAYS},
	{"reason", F_STR},
	{"message", F_STR},
};
static const struct type namespace_condition_type = {
	TYPE_KNOWN("NamespaceCondition", "v1", namespace_condition_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static void fill_namespace_status(struct json_doc *doc, struct json status)
{
	if (rules_is_empty(json_get(status, "phase")))
		json_set_str(doc, status, "phase", STR("Active"));
}

#define VIEW struct namespace_status
static const struct field namespace_status_fields[] = {
	{"phase", F_STR, AT(phase), F_GO("v1.NamespacePhase")},
	{"conditions", F_LIST(F_OBJECT(namespace_condition)), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
};
#undef VIEW
const struct type namespace_status_type = {
	TYPE("NamespaceStatus", "v1", struct namespace_status, namespace_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.fill = fill_namespace_status,
};

/* Every namespace has its name as a label. */
static void fill_namespace(struct json_doc *doc, struct json namespace)
{
	struct json meta = json_ensure_obj(doc, namespace, "metadata");
	struct str name = json_str(json_get(meta, "name"));

	if (name.len)
		json_set_str(doc, json_ensure_obj(doc, meta, "labels"),
			     "kubernetes.io/metadata.name", name);
}

#define VIEW struct namespace
static const struct field namespace_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(namespace_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(namespace_status), AT(status), F_DEFAULT("{}")},
};
#undef VIEW

void namespace_prepare_create(struct json_doc *doc, struct json namespace)
{
	struct json spec = json_ensure_obj(doc, namespace, "spec");
	struct json finalizers = json_ensure_arr(doc, spec, "finalizers");
	struct json status = json_new_obj(doc);

	if (!json_has_str(finalizers, STR("kubernetes")))
		json_append(doc, finalizers, json_new_str(doc, STR("kubernetes")));
	json_set_str(doc, status, "phase", STR("Active"));
	json_set(doc, namespace, STR("status"), status);
}

static void check_finalizer(const struct rule_at *at)
{
	struct str name = json_str(at->value);

	if (str_find_byte(name, '/', 0) < 0 && !str_is(name, "kubernetes") &&
	    !str_is(name, "orphan") && !str_is(name, "foregroundDeletion"))
		rule_invalid(at, NULL,
			     "name is neither a standard finalizer name nor is it fully "
			     "qualified");
}

static void check_phase(const struct rule_at *at)
{
	struct json meta = json_get(rule_top(at)->value, "metadata");
	bool deleting = json_is(json_get(meta, "deletionTimestamp"), JSON_STR);

	if (!deleting && !str_is(json_str(at->value), "Active"))
		rule_invalid(at, NULL, "may only be 'Active' if `deletionTimestamp` is empty");
	if (deleting && !str_is(json_str(at->value), "Terminating"))
		rule_invalid(at, NULL,
			     "may only be 'Terminating' if `deletionTimestamp` is not empty");
}

/* At creation the elements are reported under the list. */
static const struct rule spec_rules[] = {
	{"finalizers", R_FLAT, R_EACH(R_FORMAT(QUALIFIED), R_CHECK(check_finalizer))},
};
static const struct rule namespace_rules[] = {
	{"spec", R_OBJECT(spec_rules)},
};

static const struct rule update_rules[] = {
	{R_CHECK(rule_meta_cluster_label)},
	{R_OBJECT(namespace_rules)},
};

static const struct rule status_rules[] = {
	{"phase", R_AS("Phase"), R_ALWAYS, R_CHECK(check_phase)},
};
static const struct rule update_status_rules[] = {
	{"status", R_ALWAYS, R_OBJECT(status_rules)},
};

static const struct rule finalize_spec_rules[] = {
	{"finalizers", R_EACH(R_FORMAT(QUALIFIED), R_CHECK(check_finalizer))},
};
static const struct rule finalize_rules[] = {
	{"spec", R_OBJECT(finalize_spec_rules)},
};
const struct rules namespace_finalize_rules = RULES_OF(finalize_rules);

const struct type namespace_type = {
	TYPE("Namespace", "v1", struct namespace, namespace_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.fill = fill_namespace,
	TYPE_RULES(namespace_rules),
	TYPE_UPDATE(update_rules),
	TYPE_STATUS(update_status_rules),
};
