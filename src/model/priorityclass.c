/* SPDX-License-Identifier: Apache-2.0 */
/* model/priorityclass.c - priority classes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/priorityclass.h"

#include "model/rules.h"

#include "base/banned.h"

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
};
