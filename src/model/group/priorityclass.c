/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/priorityclass.c - priority classes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
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
const struct type priorityclass_type = {
	TYPE("PriorityClass", "v1", struct priorityclass, priorityclass_fields),
	.group = "io.k8s.api.scheduling",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
	.fill = fill_priorityclass,
};

const struct priority_system_class priority_system_classes[] = {
	{STR_INIT("system-node-critical"), PRIORITY_SYSTEM + 1000,
	 "Used for system critical pods that must not be moved from their current node."},
	{STR_INIT("system-cluster-critical"), PRIORITY_SYSTEM,
	 "Used for system critical pods that must run in the cluster, but can be moved to another "
	 "node if necessary."},
	{{NULL, 0}, 0, NULL},
};

/* A name that begins like those of the system must be one of them, as it is. */
static void validate_system(struct json class, struct str name, struct causes *causes)
{
	struct path meta = path_member(NULL, STR("metadata"));
	struct path path = path_member(&meta, STR("name"));
	int64_t value = json_int(json_get(class, "value"));
	const struct priority_system_class *known = priority_system_classes;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	while (known->name.len && !str_eq(known->name, name))
		known++;
	if (!known->name.len)
		buf_printf(&text, "%.*s is not a known system priority class", STR_ARG(name));
	else if (known->value != value)
		buf_printf(&text, "value of %.*s PriorityClass must be %d", STR_ARG(name),
			   known->value);
	else if (json_bool(json_get(class, "globalDefault")))
		buf_printf(&text, "globalDefault of %.*s PriorityClass must be false",
			   STR_ARG(name));
	if (text.len)
		causes_add(causes, CAUSE_FORBIDDEN, &path,
			   "Forbidden: priority class names with 'system-' prefix are reserved for "
			   "system use only. error: %s",
			   buf_text(&text));
}

void priorityclass_validate_create(struct json class, struct causes *causes)
{
	static const char *const policies[] = {"PreemptLowerPriority", "Never"};
	struct path value = path_member(NULL, STR("value"));
	struct path policy = path_member(NULL, STR("preemptionPolicy"));
	struct str name = json_str(json_get(json_get(class, "metadata"), "name"));

	if (str_starts(name, STR("system-")))
		validate_system(class, name, causes);
	else if (json_int(json_get(class, "value")) > PRIORITY_HIGHEST_USER)
		causes_forbidden(causes, &value,
				 "maximum allowed value of a user defined priority is 1000000000");
	if (!json_is_absent(json_get(class, "preemptionPolicy")))
		rules_one_of_required(json_get(class, "preemptionPolicy"), policies,
				      ARRAY_LEN(policies), &policy, causes);
}

void priorityclass_validate_update(struct json class, struct json old, struct causes *causes)
{
	struct path value = path_member(NULL, STR("value"));
	struct path policy = path_member(NULL, STR("preemptionPolicy"));

	if (json_int(json_get(class, "value")) != json_int(json_get(old, "value")))
		causes_forbidden(causes, &value, "may not be changed in an update.");
	rules_immutable(json_get(class, "preemptionPolicy"), json_get(old, "preemptionPolicy"),
			&policy, causes);
}
