/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/scale.c - the size of what can be scaled: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/core/scale.h"

#include "model/rules/rules.h"

#include "base/banned.h"

#define VIEW struct scale_spec
static const struct field scale_spec_fields[] = {
	{"replicas", F_INT32, AT(replicas)},
};
#undef VIEW
const struct type scale_spec_type = {
	TYPE("ScaleSpec", "v1", struct scale_spec, scale_spec_fields),
	.group = "io.k8s.api.autoscaling",
	.as_go = true,
};

#define VIEW struct scale_status
static const struct field scale_status_fields[] = {
	{"replicas", F_INT32, AT(replicas), F_ALWAYS, F_REQUIRED},
	{"selector", F_STR, AT(selector)},
};
#undef VIEW
const struct type scale_status_type = {
	TYPE("ScaleStatus", "v1", struct scale_status, scale_status_fields),
	.group = "io.k8s.api.autoscaling",
	.as_go = true,
};

#define VIEW struct scale
static const struct field scale_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(scale_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(scale_status), AT(status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type scale_type = {
	TYPE("Scale", "v1", struct scale, scale_fields),
	.group = "io.k8s.api.autoscaling",
	.as_go = true,
	.rules = &rules_none,
};
