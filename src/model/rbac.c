/* SPDX-License-Identifier: Apache-2.0 */
/* model/rbac.c - roles and who has them: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/rbac.h"

#include "model/rules.h"

#include "base/banned.h"

#define VIEW struct policy_rule
static const struct field policy_rule_fields[] = {
	{"verbs", F_LIST(F_STR), AT(verbs), F_ALWAYS, F_REQUIRED, F_LIST_ATOMIC},
	{"apiGroups", F_LIST(F_STR), AT(api_groups), F_LIST_ATOMIC},
	{"resources", F_LIST(F_STR), AT(resources), F_LIST_ATOMIC},
	{"resourceNames", F_LIST(F_STR), AT(resource_names), F_LIST_ATOMIC},
	{"nonResourceURLs", F_LIST(F_STR), AT(non_resource_urls), F_LIST_ATOMIC},
};
#undef VIEW
const struct type policy_rule_type = {
	TYPE("PolicyRule", "v1", struct policy_rule, policy_rule_fields),
	.group = "io.k8s.api.rbac",
	.as_go = true,
};

#define VIEW struct role
static const struct field role_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"rules", F_LIST(F_OBJECT(policy_rule)), AT(rules), F_ALWAYS, F_LIST_ATOMIC},
};
#undef VIEW
const struct type role_type = {
	TYPE("Role", "v1", struct role, role_fields),
	.group = "io.k8s.api.rbac",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

#define VIEW struct aggregation_rule
static const struct field aggregation_rule_fields[] = {
	{"clusterRoleSelectors", F_LIST(F_OBJECT(label_selector)), AT(cluster_role_selectors),
	 F_LIST_ATOMIC},
};
#undef VIEW
const struct type aggregation_rule_type = {
	TYPE("AggregationRule", "v1", struct aggregation_rule, aggregation_rule_fields),
	.group = "io.k8s.api.rbac",
	.as_go = true,
};

#define VIEW struct clusterrole
static const struct field clusterrole_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"rules", F_LIST(F_OBJECT(policy_rule)), AT(rules), F_ALWAYS, F_LIST_ATOMIC},
	{"aggregationRule", F_OBJECT(aggregation_rule), AT(aggregation_rule)},
};
#undef VIEW
const struct type clusterrole_type = {
	TYPE("ClusterRole", "v1", struct clusterrole, clusterrole_fields),
	.group = "io.k8s.api.rbac",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

#define VIEW struct subject
static const struct field subject_fields[] = {
	{"kind", F_STR, AT(kind), F_ALWAYS, F_REQUIRED},
	{"apiGroup", F_STR, AT(api_group)},
	{"name", F_STR, AT(name), F_ALWAYS, F_REQUIRED},
	{"namespace", F_STR, AT(namespace)},
};
#undef VIEW
const struct type subject_type = {
	TYPE("Subject", "v1", struct subject, subject_fields),
	.group = "io.k8s.api.rbac",
	.as_go = true,
};

#define VIEW struct role_ref
static const struct field role_ref_fields[] = {
	{"apiGroup", F_STR, AT(api_group), F_ALWAYS, F_REQUIRED},
	{"kind", F_STR, AT(kind), F_ALWAYS, F_REQUIRED},
	{"name", F_STR, AT(name), F_ALWAYS, F_REQUIRED},
};
#undef VIEW
const struct type role_ref_type = {
	TYPE("RoleRef", "v1", struct role_ref, role_ref_fields),
	.group = "io.k8s.api.rbac",
	.as_go = true,
};

#define VIEW struct rolebinding
static const struct field rolebinding_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"subjects", F_LIST(F_OBJECT(subject)), AT(subjects), F_LIST_ATOMIC},
	{"roleRef", F_OBJECT(role_ref), AT(role_ref), F_ALWAYS, F_REQUIRED},
};
#undef VIEW
const struct type rolebinding_type = {
	TYPE("RoleBinding", "v1", struct rolebinding, rolebinding_fields),
	.group = "io.k8s.api.rbac",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

#define VIEW struct clusterrolebinding
static const struct field clusterrolebinding_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"subjects", F_LIST(F_OBJECT(subject)), AT(subjects), F_LIST_ATOMIC},
	{"roleRef", F_OBJECT(role_ref), AT(role_ref), F_ALWAYS, F_REQUIRED},
};
#undef VIEW
const struct type clusterrolebinding_type = {
	TYPE("ClusterRoleBinding", "v1", struct clusterrolebinding, clusterrolebinding_fields),
	.group = "io.k8s.api.rbac",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};
