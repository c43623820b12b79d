/* SPDX-License-Identifier: Apache-2.0 */
/* model/quota.c - resource quotas: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/quota.h"

#include "model/rules.h"

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
