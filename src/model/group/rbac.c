/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/rbac.c - roles and role bindings: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/group/rbac.h"

#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

#define RBAC_GROUP "rbac.authorization.k8s.io"

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

/* Users and groups are of this group; service accounts of the core. */
static void fill_subject(struct json_doc *doc, struct json subject)
{
	struct str kind = json_str(json_get(subject, "kind"));

	if (rules_is_empty(json_get(subject, "apiGroup")) &&
	    (str_is(kind, "User") || str_is(kind, "Group")))
		json_set_str(doc, subject, "apiGroup", STR(RBAC_GROUP));
}

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
	.fill = fill_subject,
	.atomic = true,
};

static void fill_role_ref(struct json_doc *doc, struct json ref)
{
	if (rules_is_empty(json_get(ref, "apiGroup")))
		json_set_str(doc, ref, "apiGroup", STR(RBAC_GROUP));
}

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
	.fill = fill_role_ref,
	.atomic = true,
};

#define VIEW struct rolebinding
static const struct field rolebinding_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"subjects", F_LIST(F_OBJECT(subject)), AT(subjects), F_LIST_ATOMIC},
	{"roleRef", F_OBJECT(role_ref), AT(role_ref), F_ALWAYS, F_REQUIRED},
};
#undef VIEW

#define VIEW struct clusterrolebinding
static const struct field clusterrolebinding_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"subjects", F_LIST(F_OBJECT(subject)), AT(subjects), F_LIST_ATOMIC},
	{"roleRef", F_OBJECT(role_ref), AT(role_ref), F_ALWAYS, F_REQUIRED},
};
#undef VIEW

/* --- roles ----------------------------------------------------------------------------------- */

static bool is_about_both(const struct rule_at *at)
{
	return json_len(json_get(at->value, "apiGroups")) ||
	       json_len(json_get(at->value, "resources")) ||
	       json_len(json_get(at->value, "resourceNames"));
}

static bool is_about_resources(const struct rule_at *at)
{
	return !json_len(json_get(at->value, "nonResourceURLs"));
}

static const struct rule verb_rules[] = {
	{"verbs", R_REQUIRED_AS("verbs must contain at least one value")},
};
static const struct rule resource_rules[] = {
	{"nonResourceURLs", R_WHEN(is_about_both), R_FILLED,
	 R_INVALID("rules cannot apply to both regular resources and non-resource URLs")},
	{"apiGroups", R_WHEN(is_about_resources),
	 R_REQUIRED_AS("resource rules must supply at least one api group")},
	{"resources", R_WHEN(is_about_resources),
	 R_REQUIRED_AS("resource rules must supply at least one resource")},
};
static const struct rule namespaced_rules[] = {
	{R_OBJECT(verb_rules)},
	{"nonResourceURLs", R_FILLED,
	 R_INVALID("namespaced rules cannot apply to non-resource URLs")},
	{R_OBJECT(resource_rules)},
};
static const struct rule cluster_rules[] = {
	{R_OBJECT(verb_rules)},
	{R_OBJECT(resource_rules)},
};

static const struct rule role_rules[] = {
	{"rules", R_EACH(R_OBJECT(namespaced_rules))},
};
static const struct rule role_update_rules[] = {
	{R_CHECK(rule_meta_segment)},
	{R_OBJECT(role_rules)},
};

/* A selector that is no selector is reported a second time, as a whole. */
static void check_selector(const struct rule_at *at)
{
	size_t before = at->causes->len;

	rule_selector(at);
	if (at->causes->len > before)
		rule_add(at, NULL, CAUSE_INVALID, "Invalid value: null: invalid label selector.");
}

static const struct rule aggregation_rules[] = {
	{"clusterRoleSelectors",
	 R_REQUIRED_AS("at least one clusterRoleSelector required if aggregationRule is non-nil"),
	 R_EACH(R_CHECK(check_selector))},
};
static const struct rule clusterrole_rules[] = {
	{"rules", R_EACH(R_OBJECT(cluster_rules))},
	{"aggregationRule", R_OBJECT(aggregation_rules)},
};
static const struct rule clusterrole_update_rules[] = {
	{R_CHECK(rule_meta_cluster_segment)},
	{R_OBJECT(clusterrole_rules)},
};

/* --- bindings -------------------------------------------------------------------------------- */

static bool is_user_or_group(const struct rule_at *at)
{
	struct str kind = rule_text(at->value, "kind");

	return str_is(kind, "User") || str_is(kind, "Group");
}

static void check_no_group(const struct rule_at *at)
{
	rule_add(at, NULL, CAUSE_NOT_SUPPORTED,
		 "Unsupported value: \"%.*s\": supported values: \"\"",
		 STR_ARG(json_str(at->value)));
}

static void check_ref_kept(const struct rule_at *at)
{
	static const struct rules_go rows[] = {
		{"APIGroup", "apiGroup", "\"\""},
		{"Kind", "kind", "\"\""},
		{"Name", "name", "\"\""},
	};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (rules_same(at->value, at->old))
		return;
	rules_print_go(at->value, rows, ARRAY_LEN(rows), &text);
	rule_add(at, NULL, CAUSE_INVALID, "Invalid value: %s: cannot change roleRef",
		 buf_text(&text));
}

static const struct rule account_rules[] = {
	{"name", R_REQUIRED},
	{"name", R_IF("kind", "ServiceAccount"), R_FILLED, R_FORMAT(DNS_SUBDOMAIN)},
	{"apiGroup", R_IF("kind", "ServiceAccount"), R_FILLED, R_CHECK(check_no_group)},
};
static const struct rule user_rules[] = {
	{"kind", R_ALWAYS, R_TEXTS("ServiceAccount", "User", "Group")},
	{"apiGroup", R_WHEN(is_user_or_group), R_ALWAYS, R_TEXTS(RBAC_GROUP)},
};
static const struct rule subject_rules[] = {
	{R_OBJECT(account_rules)},
	{R_OBJECT(user_rules)},
};
static const struct rule cluster_subject_rules[] = {
	{R_OBJECT(account_rules)},
	{"namespace", R_IF("kind", "ServiceAccount"), R_REQUIRED},
	{R_OBJECT(user_rules)},
};

static const struct rule ref_rules[] = {
	{"apiGroup", R_ALWAYS, R_TEXTS(RBAC_GROUP)},
	{"kind", R_ALWAYS, R_TEXTS("Role", "ClusterRole")},
	{"name", R_REQUIRED, R_FORMAT(PATH_SEGMENT)},
};
static const struct rule cluster_ref_rules[] = {
	{"apiGroup", R_ALWAYS, R_TEXTS(RBAC_GROUP)},
	{"kind", R_ALWAYS, R_TEXTS("ClusterRole")},
	{"name", R_REQUIRED, R_FORMAT(PATH_SEGMENT)},
};

static const struct rule rolebinding_rules[] = {
	{"roleRef", R_ALWAYS, R_OBJECT(ref_rules)},
	{"subjects", R_EACH(R_OBJECT(subject_rules))},
};
static const struct rule rolebinding_update_rules[] = {
	{R_CHECK(rule_meta_segment)},
	{R_OBJECT(rolebinding_rules)},
	{"roleRef", R_ALWAYS, R_CHECK(check_ref_kept)},
};

static const struct rule clusterrolebinding_rules[] = {
	{"roleRef", R_ALWAYS, R_OBJECT(cluster_ref_rules)},
	{"subjects", R_EACH(R_OBJECT(cluster_subject_rules))},
};
static const struct rule clusterrolebinding_update_rules[] = {
	{R_CHECK(rule_meta_cluster_segment)},
	{R_OBJECT(clusterrolebinding_rules)},
	{"roleRef", R_ALWAYS, R_CHECK(check_ref_kept)},
};

const struct type role_type = {
	TYPE("Role", "v1", struct role, role_fields),
	.group = "io.k8s.api.rbac",
	.as_go = true,
	TYPE_RULES(role_rules),
	TYPE_UPDATE(role_update_rules),
};

const struct type clusterrole_type = {
	TYPE("ClusterRole", "v1", struct clusterrole, clusterrole_fields),
	.group = "io.k8s.api.rbac",
	.as_go = true,
	TYPE_RULES(clusterrole_rules),
	TYPE_UPDATE(clusterrole_update_rules),
};

const struct type rolebinding_type = {
	TYPE("RoleBinding", "v1", struct rolebinding, rolebinding_fields),
	.group = "io.k8s.api.rbac",
	.as_go = true,
	TYPE_RULES(rolebinding_rules),
	TYPE_UPDATE(rolebinding_update_rules),
};

const struct type clusterrolebinding_type = {
	TYPE("ClusterRoleBinding", "v1", struct clusterrolebinding, clusterrolebinding_fields),
	.group = "io.k8s.api.rbac",
	.as_go = true,
	TYPE_RULES(clusterrolebinding_rules),
	TYPE_UPDATE(clusterrolebinding_update_rules),
};
