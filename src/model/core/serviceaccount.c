/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/serviceaccount.c - service accounts: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/core/serviceaccount.h"

#include "model/rules/rules.h"

#include "base/banned.h"

#define VIEW struct serviceaccount
static const struct field serviceaccount_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"secrets", F_LIST(F_OBJECT(object_reference)), AT(secrets), F_LIST_MAP("name"),
	 F_MERGE_KEY("name")},
	{"imagePullSecrets", F_LIST(F_OBJECT(local_ref)), AT(image_pull_secrets), F_LIST_ATOMIC},
	{"automountServiceAccountToken", F_BOOL, AT(automount_service_account_token), F_POINTER},
};
#undef VIEW
const struct type serviceaccount_type = {
	TYPE("ServiceAccount", "v1", struct serviceaccount, serviceaccount_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.rules = &rules_none,
};
