/* SPDX-License-Identifier: Apache-2.0 */
/* model/limitrange.c - limit ranges: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/limitrange.h"

#include "model/rules.h"

#include "base/banned.h"

#define VIEW struct limitrange_item
static const struct field limitrange_item_fields[] = {
	{"type", F_STR, AT(type), F_ALWAYS, F_REQUIRED, F_GO("v1.LimitType")},
	{"max", F_RESOURCES, AT(max), F_GO("v1.ResourceList")},
	{"min", F_RESOURCES, AT(min), F_GO("v1.ResourceList")},
	{"default", F_RESOURCES, AT(default_), F_GO("v1.ResourceList")},
	{"defaultRequest", F_RESOURCES, AT(default_request), F_GO("v1.ResourceList")},
	{"maxLimitRequestRatio", F_RESOURCES, AT(max_limit_request_ratio), F_GO("v1.ResourceList")},
};
#undef VIEW
const struct type limitrange_item_type = {
	TYPE("LimitRangeItem", "v1", struct limitrange_item, limitrange_item_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct limitrange_spec
static const struct field limitrange_spec_fields[] = {
	{"limits", F_LIST(F_OBJECT(limitrange_item)), AT(limits), F_ALWAYS, F_REQUIRED,
	 F_LIST_ATOMIC},
};
#undef VIEW
const struct type limitrange_spec_type = {
	TYPE("LimitRangeSpec", "v1", struct limitrange_spec, limitrange_spec_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct limitrange
static const struct field limitrange_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(limitrange_spec), AT(spec), F_DEFAULT("{}")},
};
#undef VIEW
const struct type limitrange_type = {
	TYPE("LimitRange", "v1", struct limitrange, limitrange_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};
