/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/quota.c - resource quotas: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
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
const struct type quota_type = {
	TYPE("ResourceQuota", "v1", struct quota, quota_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

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

static void validate_resource(struct str name, const struct path *path, struct causes *causes)
{
	(void)rules_resource_name(name, path, causes); /* the next is told as well, as upstream */
	if (str_find_byte(name, '/', 0) < 0 && !is_quota_resource(name))
		causes_invalid_str(causes, path, name, "must be a standard resource for quota");
}

static void validate_list(struct json quota, const char *part, const char *which,
			  struct causes *causes)
{
	struct path up = path_member(NULL, str_from(part));
	struct path path = path_member(&up, str_from(which));
	struct json_iter it = json_iter(json_get(json_get(quota, part), which));

	while (json_next(&it)) {
		struct path at = path_key(&path, it.key);

		validate_resource(it.key, &at, causes);
		rules_amount(it.key, it.value, &at, causes);
	}
}

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

static void validate_scopes(struct json spec, const struct path *up, struct causes *causes)
{
	struct path path = path_member(up, STR("scopes"));
	struct json list = json_get(spec, "scopes");
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		struct str scope = json_str(it.value);

		if (!is_in(scope, scopes, ARRAY_LEN(scopes)))
			causes_invalid(causes, &path, list, "unsupported scope");
		for (size_t i = count_unfit(spec, scope); i > 0; i--)
			causes_invalid(causes, &path, list,
				       "unsupported scope applied to resource");
	}
	if (rules_has(list, STR("BestEffort")) && rules_has(list, STR("NotBestEffort")))
		causes_invalid(causes, &path, list, "conflicting scopes");
	if (rules_has(list, STR("Terminating")) && rules_has(list, STR("NotTerminating")))
		causes_invalid(causes, &path, list, "conflicting scopes");
}

static void validate_operator(struct json expression, const struct path *path,
			      struct causes *causes)
{
	struct str scope = json_str(json_get(expression, "scopeName"));
	struct json op = json_get(expression, "operator");
	struct json values = json_get(expression, "values");
	struct path op_path = path_member(path, STR("operator"));
	struct path values_path = path_member(path, STR("values"));
	bool exists = str_is(json_str(op), "Exists");

	if (!exists && scope.len && !str_is(scope, "PriorityClass") &&
	    !str_is(scope, "VolumeAttributesClass") &&
	    (is_in(scope, scopes, ARRAY_LEN(scopes)) || str_is(scope, "CrossNamespacePodAffinity")))
		causes_invalid(
			causes, &op_path, op,
			"must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
			"ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
			"ResourceQuotaScopeNotBestEffort or "
			"ResourceQuotaScopeCrossNamespacePodAffinity");
	if (str_is(json_str(op), "In") || str_is(json_str(op), "NotIn")) {
		if (!json_len(values))
			causes_required(causes, &values_path,
					"must be at least one value when `operator` is 'In' or "
					"'NotIn' for scope selector");
	} else if (exists || str_is(json_str(op), "DoesNotExist")) {
		if (json_len(values))
			causes_invalid(causes, &values_path, values,
				       "must be no value when `operator` is 'Exist' or "
				       "'DoesNotExist' for scope selector");
	} else {
		causes_invalid(causes, &op_path, op, "not a valid selector operator");
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

static void validate_selector(struct json spec, const struct path *up, struct causes *causes)
{
	struct json selector = json_get(spec, "scopeSelector");
	struct json expressions = json_get(selector, "matchExpressions");
	struct path at = path_member(up, STR("scopeSelector"));
	struct path path = path_member(&at, STR("matchExpressions"));
	struct path name_path = path_member(&path, STR("scopeName"));
	struct json_iter it = json_iter(expressions);

	while (json_next(&it)) {
		struct json name = json_get(it.value, "scopeName");

		if (!is_in(json_str(name), scopes, ARRAY_LEN(scopes)) &&
		    !str_is(json_str(name), "CrossNamespacePodAffinity"))
			causes_invalid(causes, &name_path, name, "unsupported scope");
		for (size_t i = count_unfit(spec, json_str(name)); i > 0; i--)
			causes_invalid(causes, &path, selector,
				       "unsupported scope applied to resource");
		validate_operator(it.value, &path, causes);
	}
	if ((selects(expressions, "BestEffort") && selects(expressions, "NotBestEffort")) ||
	    (selects(expressions, "Terminating") && selects(expressions, "NotTerminating")))
		rules_invalid(json_get(spec, "scopes"), &path, "conflicting scopes", causes);
}

static void validate_spec(struct json quota, struct causes *causes)
{
	struct path path = path_member(NULL, STR("spec"));
	struct json spec = json_get(quota, "spec");

	validate_list(quota, "spec", "hard", causes);
	validate_scopes(spec, &path, causes);
	validate_selector(spec, &path, causes);
}

void quota_validate_create(struct json quota, struct causes *causes)
{
	validate_spec(quota, causes);
	validate_list(quota, "status", "hard", causes);
	validate_list(quota, "status", "used", causes);
}

/* The same set of texts? */
static bool same_set(struct json a, struct json b)
{
	struct json_iter it = json_iter(a);

	while (json_next(&it))
		if (!rules_has(b, json_str(it.value)))
			return false;
	it = json_iter(b);
	while (json_next(&it))
		if (!rules_has(a, json_str(it.value)))
			return false;
	return true;
}

void quota_validate_update(struct json quota, struct json old, struct causes *causes)
{
	struct path spec = path_member(NULL, STR("spec"));
	struct path path = path_member(&spec, STR("scopes"));
	struct json new_scopes = json_get(json_get(quota, "spec"), "scopes");

	validate_spec(quota, causes);
	if (!same_set(new_scopes, json_get(json_get(old, "spec"), "scopes")))
		rules_invalid(new_scopes, &path, "field is immutable", causes);
}

void quota_validate_status(struct json quota, struct json old, struct causes *causes)
{
	(void)old;
	validate_list(quota, "status", "hard", causes);
	validate_list(quota, "status", "used", causes);
}
