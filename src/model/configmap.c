/* SPDX-License-Identifier: Apache-2.0 */
/* model/configmap.c - config maps: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/configmap.h"

#include "model/rules.h"

#include "base/banned.h"

#define VIEW struct configmap
static const struct field configmap_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"immutable", F_BOOL, AT(immutable), F_POINTER},
	{"data", F_LABELS, AT(data)},
	{"binaryData", F_MAP(F_BYTES), AT(binary_data)},
};
#undef VIEW
const struct type configmap_type = {
	TYPE("ConfigMap", "v1", struct configmap, configmap_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};
