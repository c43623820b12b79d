/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/binding.c - the binding of a pod to a node: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/core/binding.h"

#include "model/rules/rules.h"

#include "base/banned.h"

#define VIEW struct binding
static const struct field binding_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"target", F_OBJECT(object_reference), AT(target), F_ALWAYS, F_REQUIRED},
};
#undef VIEW
const struct type binding_type = {
	TYPE("Binding", "v1", struct binding, binding_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

void binding_validate_create(struct json binding, struct causes *causes)
{
	static const char *const kinds[] = {"Node", "<empty>"};
	struct json target = json_get(binding, "target");
	struct path path = path_member(NULL, STR("target"));
	struct path kind = path_member(&path, STR("kind"));
	struct path name = path_member(&path, STR("name"));
	struct str of = json_str(json_get(target, "kind"));

	if (of.len && !str_is(of, kinds[0]))
		causes_not_supported(causes, &kind, of, kinds, ARRAY_LEN(kinds));
	if (!json_str(json_get(target, "name")).len)
		causes_required(causes, &name, "");
}
