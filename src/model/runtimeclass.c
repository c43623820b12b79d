/* SPDX-License-Identifier: Apache-2.0 */
/* model/runtimeclass.c - runtime classes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/runtimeclass.h"

#include "model/rules.h"

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
	{"nodeSelector", F_LABELS, AT(node_selector)},
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
