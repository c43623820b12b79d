/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_cluster.c - the kinds with which a cluster is run: webhooks, certificates, leases, runtimes,
 * budgets, roles, priorities. */
#include "apiserver/kind/columns.h"
#include "apiserver/kind/kind_certificate.h"
#include "apiserver/kind/kind_row.h"
#include "model/group/certificates.h"
#include "model/group/disruption.h"
#include "model/group/lease.h"
#include "model/group/priorityclass.h"
#include "model/group/rbac.h"
#include "model/group/runtimeclass.h"
#include "model/group/webhookconfig.h"
#include "model/rules/warn_rules.h"

#include "base/banned.h"

#define RBAC(plural_name, singular_name, kind_name, table) \
	ROW("rbac.authorization.k8s.io", "v1", plural_name, singular_name, kind_name, table)

static const struct kind rows[] = {
	{ROW("admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations",
	     "mutatingwebhookconfiguration", "MutatingWebhookConfiguration",
	     mutating_webhook_configuration_type),
	 .columns = columns_webhooks, .version_on_update = true, .generation = true,
	 .categories = NAMES("api-extensions"), RULED},
	{ROW("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
	     "validatingwebhookconfiguration", "ValidatingWebhookConfiguration",
	     validating_webhook_configuration_type),
	 .columns = columns_webhooks, .version_on_update = true, .generation = true,
	 .categories = NAMES("api-extensions"), RULED},
	{ROW("certificates.k8s.io", "v1", "certificatesigningrequests", "certificatesigningrequest",
	     "CertificateSigningRequest", certificate_request_type),
	 .columns = columns_certificate, .status = true, .spec_once = true,
	 .name_format = NAME_PATH_SEGMENT, .short_names = NAMES("csr"),
	 .subs = kind_certificate_subs, .selectable = NAMES("spec.signerName"),
	 .ops = &kind_certificate_ops},
	{ROW("coordination.k8s.io", "v1", "leases", "lease", "Lease", lease_type),
	 .columns = columns_lease, .namespaced = true, .create_on_update = true,
	 .version_on_update = true, .empty = ",\"spec\":{}",
	 RULES(.prepare_create = lease_prepare_create, .prepare_update = lease_prepare_update)},
	{ROW("node.k8s.io", "v1", "runtimeclasses", "runtimeclass", "RuntimeClass",
	     runtimeclass_type),
	 .columns = columns_runtimeclass, .version_on_update = true, .create_on_update = true,
	 RULES(.warn = runtimeclass_warn)},
	{ROW("policy", "v1", "poddisruptionbudgets", "poddisruptionbudget", "PodDisruptionBudget",
	     pdb_type),
	 .columns = columns_pdb, .version_on_update = true, .namespaced = true, .status = true,
	 .generation = true, .name_format = NAME_PATH_SEGMENT, .meta_once = true,
	 .short_names = NAMES("pdb"), .subs = kind_subs_status, RULED},
	{RBAC("clusterrolebindings", "clusterrolebinding", "ClusterRoleBinding",
	      clusterrolebinding_type),
	 .columns = columns_binding, .create_on_update = true, .name_format = NAME_PATH_SEGMENT,
	 RULED},
	{RBAC("clusterroles", "clusterrole", "ClusterRole", clusterrole_type),
	 .create_on_update = true, .name_format = NAME_PATH_SEGMENT, RULED},
	{RBAC("rolebindings", "rolebinding", "RoleBinding", rolebinding_type),
	 .columns = columns_binding, .namespaced = true, .create_on_update = true,
	 .name_format = NAME_PATH_SEGMENT, RULED},
	{RBAC("roles", "role", "Role", role_type), .namespaced = true, .create_on_update = true,
	 .name_format = NAME_PATH_SEGMENT, RULED},
	{ROW("scheduling.k8s.io", "v1", "priorityclasses", "priorityclass", "PriorityClass",
	     priorityclass_type),
	 .columns = columns_priorityclass, .generation = true, .short_names = NAMES("pc"),
	 .ops = &kind_ruled_still},
};

const struct kind_group kind_group_cluster = {rows, ARRAY_LEN(rows)};
