/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/priorityclass.c - priority classes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/group/priorityclass.h"

#include "model/rules/rules.h"

#include "base/banned.h"

static void fill_priorityclass(struct json_doc *doc, struct json class)
{
	if (json_is_absent(json_get(class, "preemptionPolicy")))
		json_set_str(doc, class, "preemptionPolicy", STR("PreemptLowerPriority"));
}

#define VIEW struct priorityclass
static const struct field priorityclass_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"value", F_INT32, AT(value), F_ALWAYS, F_REQUIRED},
	{"globalDefault", F_BOOL, AT(global_default)},
	{"description", F_STR, AT(description)},
	{"preemptionPolicy", F_STR, AT(preemption_policy), F_POINTER, F_GO("v1.PreemptionPolicy")},
};
#undef VIEW

const struct priority_system_class priority_system_classes[] = {
	{STR_INIT("system-node-critical"), PRIORITY_SYSTEM + 1000,
	 "Used for system critical pods that must not be moved from their current node."},
	{STR_INIT("system-cluster-critical"), PRIORITY_SYSTEM,
	 "Used for system critical pods that must run in the cluster, but can be moved to another "
	 "node if necessary."},
	{{NULL, 0}, 0, NULL},
};

static bool is_system_name(const struct rule_at *at)
{
	return str_starts(rule_text(at->value, "name"), STR("system-"));
}

static bool is_user_class(const struct rule_at *at)
{
	return !str_starts(rule_text(json_get(at->value, "metadata"), "name"), STR("system-"));
}

/* A name that begins like those of the system must be one of them, as it is. */
static void check_system(const struct rule_at *at)
{
	struct json class = rule_top(at)->value;
	struct str name = json_str(at->value);
	const struct priority_system_class *known = priority_system_classes;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	while (known->name.len && !str_eq(known->name, name))
		known++;
	if (!known->name.len)
		buf_printf(&text, "%.*s is not a known system priority class", STR_ARG(name));
	else if (known->value != json_int(json_get(class, "value")))
		buf_printf(&text, "value of %.*s PriorityClass must be %d", STR_ARG(name),
			   known->value);
	else if (json_bool(json_get(class, "globalDefault")))
		buf_printf(&text, "globalDefault of %.*s PriorityClass must be false",
			   STR_ARG(name));
	if (text.len)
		rule_add(at, NULL, CAUSE_FORBIDDEN,
			 "Forbidden: priority class names with 'system-' prefix are reserved for "
			 "system use only. error: %s",
			 buf_text(&text));
}

static void check_value(const struct rule_at *at)
{
	if (json_int(at->value) > PRIORITY_HIGHEST_USER)
		rule_forbidden(at, NULL,
			       "maximum allowed value of a user defined priority is 1000000000");
}

static const struct rule meta_rules[] = {
	{"name", R_WHEN(is_system_name), R_CHECK(check_system)},
};
static const struct rule class_rules[] = {
	{"metadata", R_OBJECT(meta_rules)},
	{"value", R_WHEN(is_user_class), R_CHECK(check_value)},
	{"preemptionPolicy", R_NONEMPTY, R_TEXTS("PreemptLowerPriority", "Never")},
};

static const struct rule update_rules[] = {
	{"value", R_FIXED("may not be changed in an update.")},
	{"preemptionPolicy", R_IMMUTABLE},
};

const struct type priorityclass_type = {
	TYPE("PriorityClass", "v1", struct priorityclass, priorityclass_fields),
	.group = "io.k8s.api.scheduling",
	.as_go = true,
	.fill = fill_priorityclass,
	TYPE_RULES(class_rules),
	TYPE_UPDATE(update_rules),
};
