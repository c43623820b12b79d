/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/runtimeclass.c - runtime classes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/group/runtimeclass.h"

#include "model/rules/rules.h"
#include "model/value/labels.h"
#include "model/value/names.h"

#include "base/banned.h"

#define VIEW struct overhead
static const struct field overhead_fields[] = {
	{"podFixed", F_RESOURCES, AT(pod_fixed), F_GO("v1.ResourceList")},
};
#undef VIEW
const struct type overhead_type = {
	TYPE("Overhead", "v1", struct overhead, overhead_fields),
	.group = "io.k8s.api.node",
	.as_go = true,
};

#define VIEW struct scheduling
static const struct field scheduling_fields[] = {
	{"nodeSelector", F_LABELS, AT(node_selector), F_ATOMIC},
	{"tolerations", F_LIST(F_OBJECT(toleration)), AT(tolerations), F_LIST_ATOMIC},
};
#undef VIEW
const struct type scheduling_type = {
	TYPE("Scheduling", "v1", struct scheduling, scheduling_fields),
	.group = "io.k8s.api.node",
	.as_go = true,
};

#define VIEW struct runtimeclass
static const struct field runtimeclass_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"handler", F_STR, AT(handler), F_ALWAYS, F_REQUIRED},
	{"overhead", F_OBJECT(overhead), AT(overhead)},
	{"scheduling", F_OBJECT(scheduling), AT(scheduling)},
};
#undef VIEW
const struct type runtimeclass_type = {
	TYPE("RuntimeClass", "v1", struct runtimeclass, runtimeclass_fields),
	.group = "io.k8s.api.node",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

static void validate_overhead(struct json amounts, const struct path *up, struct causes *causes)
{
	struct path path = path_member(up, STR("limits"));
	struct json_iter it = json_iter(amounts);

	while (json_next(&it)) {
		struct path at = path_key(&path, it.key);

		rules_container_resource_name(it.key, &at, causes);
		rules_amount(it.key, it.value, &at, causes);
	}
}

void runtimeclass_validate_create(struct json class, struct causes *causes)
{
	struct path handler = path_member(NULL, STR("handler"));
	struct path overhead = path_member(NULL, STR("overhead"));
	struct path scheduling = path_member(NULL, STR("scheduling"));
	struct path selector = path_member(&scheduling, STR("nodeSelector"));
	struct path tolerations = path_member(&scheduling, STR("tolerations"));
	struct path inner = path_member(&tolerations, STR("tolerations"));
	struct json_iter it = json_iter(json_get(json_get(class, "scheduling"), "tolerations"));

	name_validate(NAME_DNS_LABEL, json_str(json_get(class, "handler")), &handler, causes);
	validate_overhead(json_get(json_get(class, "overhead"), "podFixed"), &overhead, causes);
	labels_validate(json_get(json_get(class, "scheduling"), "nodeSelector"), &selector, causes);
	while (json_next(&it)) {
		struct path at = path_index(&inner, it.index);

		type_validate_at(&toleration_type, it.value, &at, causes);
	}
}

void runtimeclass_validate_update(struct json class, struct json old, struct causes *causes)
{
	struct path handler = path_member(NULL, STR("handler"));

	rules_meta(class, NAME_DNS_SUBDOMAIN, false, causes);
	runtimeclass_validate_create(class, causes);
	rules_immutable(json_get(class, "handler"), json_get(old, "handler"), &handler, causes);
}
