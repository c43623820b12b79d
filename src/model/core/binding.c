/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/binding.c - the binding of a pod to a node: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
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

static void check_kind(const struct rule_at *at)
{
	static const char *const kinds[] = {"Node", "<empty>"};

	if (!str_is(json_str(at->value), kinds[0]))
		causes_not_supported(at->causes, at->path, json_str(at->value), kinds,
				     ARRAY_LEN(kinds));
}

static const struct rule target_rules[] = {
	{"kind", R_FILLED, R_CHECK(check_kind)},
	{"name", R_REQUIRED},
};
static const struct rule binding_rules[] = {
	{"target", R_ALWAYS, R_OBJECT(target_rules)},
};

const struct type binding_type = {
	TYPE("Binding", "v1", struct binding, binding_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	TYPE_RULES(binding_rules),
};
