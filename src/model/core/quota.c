/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/quota.c - resource quotas: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/core/quota.h"

#include "model/rules/rules.h"

#include "base/banned.h"

#define VIEW struct scoped_resource_selector_requirement
static const struct field scoped_resource_selector_requirement_fields[] = {
	{"scopeName", F_STR, AT(scope_name), F_ALWAYS, F_REQUIRED, F_GO("v1.ResourceQuotaScope")},
	{"operator", F_STR, AT(operator), F_ALWAYS, F_REQUIRED, F_GO("v1.ScopeSelectorOperator")},
	{"values", F_LIST(F_STR), AT(values), F_LIST_ATOMIC},
};
#undef VIEW
const struct type scoped_resource_selector_requirement_type = {
	TYPE("ScopedResourceSelectorRequirement", "v1", struct scoped_resource_selector_requirement,
	     scoped_resource_selector_requirement_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct scope_selector
static const struct field scope_selector_fields[] = {
	{"matchExpressions", F_LIST(F_OBJECT(scoped_resource_selector_requirement)),
	 AT(match_expressions), F_LIST_ATOMIC},
};
#undef VIEW
const struct type scope_selector_type = {
	TYPE("ScopeSelector", "v1", struct scope_selector, scope_selector_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.atomic = true,
};

#define VIEW struct quota_spec
static const struct field quota_spec_fields[] = {
	{"hard", F_RESOURCES, AT(hard), F_GO("v1.ResourceList")},
	{"scopes", F_LIST(F_STR, F_GO("v1.ResourceQuotaScope")), AT(scopes), F_LIST_ATOMIC},
	{"scopeSelector", F_OBJECT(scope_selector), AT(scope_selector)},
};
#undef VIEW
const struct type quota_spec_type = {
	TYPE("ResourceQuotaSpec", "v1", struct quota_spec, quota_spec_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct quota_status
static const struct field quota_status_fields[] = {
	{"hard", F_RESOURCES, AT(hard), F_GO("v1.ResourceList")},
	{"used", F_RESOURCES, AT(used), F_GO("v1.ResourceList")},
};
#undef VIEW
const struct type quota_status_type = {
	TYPE("ResourceQuotaStatus", "v1", struct quota_status, quota_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct quota
static const struct field quota_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(quota_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(quota_status), AT(status), F_DEFAULT("{}")},
};
#undef VIEW

static bool is_in(struct str name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(name, names[i]))
			return true;
	return false;
}

/* Everything that is known without a domain, but what only containers and volumes have. */
static bool is_quota_resource(struct str name)
{
	return rules_is_standard_resource(name) && !str_is(name, "storage");
}

static void check_resource(const struct rule_at *at)
{
	struct str name = at->path->name;

	rule_resource_name(at); /* both are reported, as upstream does */
	if (str_find_byte(name, '/', 0) < 0 && !is_quota_resource(name))
		rule_invalid_str(at, NULL, name, "must be a standard resource for quota");
}

static const struct rule amount_rules[] = {
	{R_CHECK(check_resource)},
	{R_CHECK(rule_amount)},
};

static const char *const scopes[] = {
	"Terminating",   "NotTerminating", "BestEffort",
	"NotBestEffort", "PriorityClass",  "VolumeAttributesClass",
};

static bool is_scope_for(struct str scope, struct str resource)
{
	static const char *const computed[] = {
		"pods",          "cpu",          "memory",          "limits.cpu",
		"limits.memory", "requests.cpu", "requests.memory",
	};
	static const char *const of_pods[] = {
		"Terminating",
		"NotTerminating",
		"NotBestEffort",
		"PriorityClass",
		"CrossNamespacePodAffinity",
	};

	if (is_in(scope, of_pods, ARRAY_LEN(of_pods)))
		return is_in(resource, computed, ARRAY_LEN(computed));
	if (str_is(scope, "BestEffort"))
		return str_is(resource, "pods");
	if (str_is(scope, "VolumeAttributesClass"))
		return str_is(resource, "persistentvolumeclaims") ||
		       str_is(resource, "requests.storage");
	return true;
}

/* How many of the limits are on resources that the scope does not have. */
static size_t count_unfit(struct json spec, struct str scope)
{
	struct json_iter it = json_iter(json_get(spec, "hard"));
	size_t count = 0;

	while (json_next(&it))
		count += is_quota_resource(it.key) && !is_scope_for(scope, it.key);
	return count;
}

static void check_scopes(const struct rule_at *at)
{
	struct json list = at->value;
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		struct str scope = json_str(it.value);

		if (!is_in(scope, scopes, ARRAY_LEN(scopes)))
			rule_invalid(at, NULL, "unsupported scope");
		for (size_t i = count_unfit(at->up->value, scope); i > 0; i--)
			rule_invalid(at, NULL, "unsupported scope applied to resource");
	}
	if (json_has_str(list, STR("BestEffort")) && json_has_str(list, STR("NotBestEffort")))
		rule_invalid(at, NULL, "conflicting scopes");
	if (json_has_str(list, STR("Terminating")) && json_has_str(list, STR("NotTerminating")))
		rule_invalid(at, NULL, "conflicting scopes");
}

static void check_scope_name(const struct rule_at *at)
{
	if (!is_in(json_str(at->value), scopes, ARRAY_LEN(scopes)) &&
	    !str_is(json_str(at->value), "CrossNamespacePodAffinity"))
		rule_invalid(at, NULL, "unsupported scope");
}

/* Shown as the whole selector. */
static void check_unfit(const struct rule_at *at)
{
	struct json spec = json_get(rule_top(at)->value, "spec");

	for (size_t i = count_unfit(spec, rule_text(at->value, "scopeName")); i > 0; i--)
		causes_invalid(at->causes, at->path, json_get(spec, "scopeSelector"),
			       "unsupported scope applied to resource");
}

static void check_exists(const struct rule_at *at)
{
	struct str scope = rule_beside(at, "scopeName");

	if (!str_is(json_str(at->value), "Exists") && scope.len &&
	    !str_is(scope, "PriorityClass") && !str_is(scope, "VolumeAttributesClass") &&
	    (is_in(scope, scopes, ARRAY_LEN(scopes)) || str_is(scope, "CrossNamespacePodAffinity")))
		rule_invalid(at, NULL,
			     "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
			     "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
			     "ResourceQuotaScopeNotBestEffort or "
			     "ResourceQuotaScopeCrossNamespacePodAffinity");
}

static void check_operator(const struct rule_at *at)
{
	struct json op = json_get(at->value, "operator");
	size_t count = json_len(json_get(at->value, "values"));

	if (str_is(json_str(op), "In") || str_is(json_str(op), "NotIn")) {
		if (!count)
			rule_required_as(at, "values",
					 "must be at least one value when `operator` is 'In' or "
					 "'NotIn' for scope selector");
	} else if (str_is(json_str(op), "Exists") || str_is(json_str(op), "DoesNotExist")) {
		if (count)
			rule_invalid(at, "values",
				     "must be no value when `operator` is 'Exist' or "
				     "'DoesNotExist' for scope selector");
	} else {
		rule_invalid(at, "operator", "not a valid selector operator");
	}
}

static bool selects(struct json expressions, const char *scope)
{
	struct json_iter it = json_iter(expressions);

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "scopeName")), scope))
			return true;
	return false;
}

static void check_conflicts(const struct rule_at *at)
{
	if ((selects(at->value, "BestEffort") && selects(at->value, "NotBestEffort")) ||
	    (selects(at->value, "Terminating") && selects(at->value, "NotTerminating")))
		rules_invalid(json_get(at->up->up->value, "scopes"), at->path, "conflicting scopes",
			      at->causes);
}

/* The same set of texts? */
static bool same_set(struct json a, struct json b)
{
	struct json_iter it = json_iter(a);

	while (json_next(&it))
		if (!json_has_str(b, json_str(it.value)))
			return false;
	it = json_iter(b);
	while (json_next(&it))
		if (!json_has_str(a, json_str(it.value)))
			return false;
	return true;
}

static void check_scopes_kept(const struct rule_at *at)
{
	if (!same_set(at->value, at->old))
		rules_invalid(at->value, at->path, "field is immutable", at->causes);
}

static const struct rule expression_rules[] = {
	{"scopeName", R_ALWAYS, R_CHECK(check_scope_name)},
	{R_CHECK(check_unfit)},
	{"operator", R_ALWAYS, R_CHECK(check_exists)},
	{R_CHECK(check_operator)},
};
/* Upstream reports expressions about their list. */
static const struct rule selector_rules[] = {
	{"matchExpressions", R_FLAT, R_EACH(R_OBJECT(expression_rules))},
	{"matchExpressions", R_CHECK(check_conflicts)},
};
static const struct rule spec_rules[] = {
	{"hard", R_EACH(R_OBJECT(amount_rules))},
	{"scopes", R_CHECK(check_scopes)},
	{"scopeSelector", R_OBJECT(selector_rules)},
};
static const struct rule status_rules[] = {
	{"hard", R_EACH(R_OBJECT(amount_rules))},
	{"used", R_EACH(R_OBJECT(amount_rules))},
};
static const struct rule quota_rules[] = {
	{"spec", R_OBJECT(spec_rules)},
	{"status", R_OBJECT(status_rules)},
};

static const struct rule spec_update_rules[] = {
	{"scopes", R_ALWAYS, R_CHECK(check_scopes_kept)},
};
static const struct rule update_rules[] = {
	{"spec", R_OBJECT(spec_rules)},
	{"spec", R_ALWAYS, R_OBJECT(spec_update_rules)},
};
static const struct rule update_status_rules[] = {
	{"status", R_OBJECT(status_rules)},
};

const struct type quota_type = {
	TYPE("ResourceQuota", "v1", struct quota, quota_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	TYPE_RULES(quota_rules),
	TYPE_UPDATE(update_rules),
	TYPE_STATUS(update_status_rules),
};
