/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/runtimeclass.c - runtime classes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/group/runtimeclass.h"

#include "model/rules/rules.h"
#include "model/value/labels.h"
#include "model/value/names.h"

#include "base/banned.h"

#define VIEW struct overhead
static const struct field overhead_fields[] = {
	{"podFixed", F_MAP(F_QUANTITY), AT(pod_fixed), F_GO("v1.ResourceList")},
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

static const struct rule amount_rules[] = {
	{R_CHECK(rule_container_resource_name)},
	{R_CHECK(rule_amount)},
};
static const struct rule overhead_rules[] = {
	{"podFixed", R_AS("limits"), R_EACH(R_OBJECT(amount_rules))},
};
static const struct rule scheduling_rules[] = {
	{"nodeSelector", R_CHECK(rule_labels)},
	{"tolerations", R_AS("tolerations.tolerations"), R_EACH(R_TYPE(toleration))},
};
static const struct rule class_rules[] = {
	{"handler", R_ALWAYS, R_FORMAT(DNS_LABEL)},
	{"overhead", R_OBJECT(overhead_rules)},
	{"scheduling", R_OBJECT(scheduling_rules)},
};

static const struct rule update_rules[] = {
	{R_CHECK(rule_meta_cluster)},
	{R_OBJECT(class_rules)},
	{"handler", R_IMMUTABLE},
};

const struct type runtimeclass_type = {
	TYPE("RuntimeClass", "v1", struct runtimeclass, runtimeclass_fields),
	.group = "io.k8s.api.node",
	.as_go = true,
	TYPE_RULES(class_rules),
	TYPE_UPDATE(update_rules),
};
