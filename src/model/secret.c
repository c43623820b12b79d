/* SPDX-License-Identifier: Apache-2.0 */
/* model/secret.c - secrets: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/secret.h"

#include "model/rules.h"

#include "base/banned.h"

#define VIEW struct secret
static const struct field secret_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"immutable", F_BOOL, AT(immutable), F_POINTER},
	{"data", F_MAP(F_BYTES), AT(data)},
	{"stringData", F_LABELS, AT(string_data)},
	{"type", F_STR, AT(type), F_GO("v1.SecretType")},
};
#undef VIEW
const struct type secret_type = {
	TYPE("Secret", "v1", struct secret, secret_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};
