/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/rbac.c - roles and who has them: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
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

static void validate_rule(struct json rule, bool namespaced, const struct path *path,
			  struct causes *causes)
{
	struct path verbs = path_member(path, STR("verbs"));
	struct path urls_path = path_member(path, STR("nonResourceURLs"));
	struct path groups = path_member(path, STR("apiGroups"));
	struct path resources = path_member(path, STR("resources"));
	struct json urls = json_get(rule, "nonResourceURLs");
	bool plain = json_len(json_get(rule, "apiGroups")) ||
		     json_len(json_get(rule, "resources")) ||
		     json_len(json_get(rule, "resourceNames"));

	if (!json_len(json_get(rule, "verbs")))
		causes_required(causes, &verbs, "verbs must contain at least one value");
	if (json_len(urls)) {
		if (namespaced)
			causes_invalid(causes, &urls_path, urls,
				       "namespaced rules cannot apply to non-resource URLs");
		if (plain)
			causes_invalid(causes, &urls_path, urls,
				       "rules cannot apply to both regular resources and "
				       "non-resource URLs");
		return;
	}
	if (!json_len(json_get(rule, "apiGroups")))
		causes_required(causes, &groups,
				"resource rules must supply at least one api group");
	if (!json_len(json_get(rule, "resources")))
		causes_required(causes, &resources,
				"resource rules must supply at least one resource");
}

static void validate_rules(struct json role, bool namespaced, struct causes *causes)
{
	struct path path = path_member(NULL, STR("rules"));
	struct json_iter it = json_iter(json_get(role, "rules"));

	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);

		validate_rule(it.value, namespaced, &at, causes);
	}
}

void role_validate_create(struct json role, struct causes *causes)
{
	validate_rules(role, true, causes);
}

void role_validate_update(struct json role, struct json old, struct causes *causes)
{
	(void)old;
	rules_meta(role, NAME_PATH_SEGMENT, true, causes);
	validate_rules(role, true, causes);
}

void clusterrole_validate_create(struct json role, struct causes *causes)
{
	struct path up = path_member(NULL, STR("aggregationRule"));
	struct path path = path_member(&up, STR("clusterRoleSelectors"));
	struct json aggregation = json_get(role, "aggregationRule");
	struct json_iter it = json_iter(json_get(aggregation, "clusterRoleSelectors"));

	validate_rules(role, false, causes);
	if (!json_is(aggregation, JSON_OBJ))
		return;
	if (!json_len(json_get(aggregation, "clusterRoleSelectors")))
		causes_required(causes, &path,
				"at least one clusterRoleSelector required if aggregationRule is "
				"non-nil");
	while (json_next(&it)) {
		struct path at = path_index(&path, it.index);

		rules_label_selector(it.value, &at, causes);
	}
}

void clusterrole_validate_update(struct json role, struct json old, struct causes *causes)
{
	(void)old;
	rules_meta(role, NAME_PATH_SEGMENT, false, causes);
	clusterrole_validate_create(role, causes);
}

static void validate_subject(struct json subject, bool namespaced, const struct path *path,
			     struct causes *causes)
{
	static const char *const kinds[] = {"ServiceAccount", "User", "Group"};
	static const char *const groups[] = {RBAC_GROUP};
	struct path name_path = path_member(path, STR("name"));
	struct path group_path = path_member(path, STR("apiGroup"));
	struct path namespace_path = path_member(path, STR("namespace"));
	struct path kind_path = path_member(path, STR("kind"));
	struct str kind = json_str(json_get(subject, "kind"));
	struct str name = json_str(json_get(subject, "name"));
	struct str group = json_str(json_get(subject, "apiGroup"));

	if (!name.len)
		causes_required(causes, &name_path, "");
	if (str_is(kind, "ServiceAccount")) {
		if (name.len)
			name_validate(NAME_DNS_SUBDOMAIN, name, &name_path, causes);
		if (group.len)
			causes_add(causes, CAUSE_NOT_SUPPORTED, &group_path,
				   "Unsupported value: \"%.*s\": supported values: \"\"",
				   STR_ARG(group));
		if (!namespaced && !json_str(json_get(subject, "namespace")).len)
			causes_required(causes, &namespace_path, "");
	} else if (!str_is(kind, "User") && !str_is(kind, "Group")) {
		causes_not_supported(causes, &kind_path, kind, kinds, ARRAY_LEN(kinds));
	} else if (!str_is(group, RBAC_GROUP)) {
		causes_not_supported(causes, &group_path, group, groups, ARRAY_LEN(groups));
	}
}

static void validate_binding(struct json binding, bool namespaced, struct causes *causes)
{
	static const char *const groups[] = {RBAC_GROUP};
	static const char *const kinds[] = {"Role", "ClusterRole"};
	struct json ref = json_get(binding, "roleRef");
	struct path ref_path = path_member(NULL, STR("roleRef"));
	struct path group = path_member(&ref_path, STR("apiGroup"));
	struct path kind = path_member(&ref_path, STR("kind"));
	struct path name = path_member(&ref_path, STR("name"));
	struct path subjects = path_member(NULL, STR("subjects"));
	struct json_iter it = json_iter(json_get(binding, "subjects"));

	rules_one_of(json_get(ref, "apiGroup"), groups, ARRAY_LEN(groups), &group, causes);
	rules_one_of(json_get(ref, "kind"), namespaced ? kinds : kinds + 1,
		     ARRAY_LEN(kinds) - !namespaced, &kind, causes);
	if (json_str(json_get(ref, "name")).len)
		name_validate(NAME_PATH_SEGMENT, json_str(json_get(ref, "name")), &name, causes);
	else
		causes_required(causes, &name, "");
	while (json_next(&it)) {
		struct path at = path_index(&subjects, it.index);

		validate_subject(it.value, namespaced, &at, causes);
	}
}

static void validate_ref_kept(struct json binding, struct json old, struct causes *causes)
{
	static const struct rules_go rows[] = {
		{"APIGroup", "apiGroup", "\"\""},
		{"Kind", "kind", "\"\""},
		{"Name", "name", "\"\""},
	};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct path path = path_member(NULL, STR("roleRef"));

	if (rules_same(json_get(binding, "roleRef"), json_get(old, "roleRef")))
		return;
	rules_print_go(json_get(binding, "roleRef"), rows, ARRAY_LEN(rows), &text);
	causes_add(causes, CAUSE_INVALID, &path, "Invalid value: %s: cannot change roleRef",
		   buf_text(&text));
}

void rolebinding_validate_create(struct json binding, struct causes *causes)
{
	validate_binding(binding, true, causes);
}

void rolebinding_validate_update(struct json binding, struct json old, struct causes *causes)
{
	rules_meta(binding, NAME_PATH_SEGMENT, true, causes);
	validate_binding(binding, true, causes);
	validate_ref_kept(binding, old, causes);
}

void clusterrolebinding_validate_create(struct json binding, struct causes *causes)
{
	validate_binding(binding, false, causes);
}

void clusterrolebinding_validate_update(struct json binding, struct json old, struct causes *causes)
{
	rules_meta(binding, NAME_PATH_SEGMENT, false, causes);
	validate_binding(binding, false, causes);
	validate_ref_kept(binding, old, causes);
}
