/* SPDX-License-Identifier: Apache-2.0 */
/* model/namespace.c - namespaces: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/namespace.h"

#include "model/rules.h"

#include "base/banned.h"

#define VIEW struct namespace_spec
static const struct field namespace_spec_fields[] = {
	{"finalizers", F_LIST(F_STR, F_GO("v1.FinalizerName")), AT(finalizers), F_LIST_ATOMIC},
};
#undef VIEW
const struct type namespace_spec_type = {
	TYPE("NamespaceSpec", "v1", struct namespace_spec, namespace_spec_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field namespace_condition_fields[] = {
	{"type", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.NamespaceConditionType")},
	{"status", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.ConditionStatus")},
	{"lastTransitionTime", F_TIME, F_ALWAYS},
	{"reason", F_STR},
	{"message", F_STR},
};
static const struct type namespace_condition_type = {
	TYPE_KNOWN("NamespaceCondition", "v1", namespace_condition_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct namespace_status
static const struct field namespace_status_fields[] = {
	{"phase", F_STR, AT(phase), F_GO("v1.NamespacePhase")},
	{"conditions", F_LIST(F_OBJECT(namespace_condition)), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
};
#undef VIEW
const struct type namespace_status_type = {
	TYPE("NamespaceStatus", "v1", struct namespace_status, namespace_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct namespace
static const struct field namespace_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(namespace_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(namespace_status), AT(status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type namespace_type = {
	TYPE("Namespace", "v1", struct namespace, namespace_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};
