/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit_rows.h - the admitters; each is in a file of its own. */
#ifndef APISERVER_ADMIT_ROWS_H
#define APISERVER_ADMIT_ROWS_H

#include "apiserver/admit/admit.h"
#include "base/macro.h"

/* All of them, in kube-apiserver's order. To add one: its file with a
 * `const struct admitter admitter_<name>`, and its row here. */
#define ADMITTERS(row) \
	ROWS( \
	row(namespace) /* nothing is created in a namespace that is missing or being deleted */ \
	row(namespace_removal) /* the initial namespaces cannot be deleted */ \
	row(pod_limits) /* defaults and bounds of containers and pods */ \
	row(claim_limits) /* bounds of claims */ \
	row(account) /* the service account of a pod, and its token */ \
	row(node) /* a new node is tainted until it is ready */ \
	row(priority) /* the priority of a pod, by its class */ \
	row(priority_class) /* the rules of classes */ \
	row(priority_class_removal) /* system classes cannot be deleted */ \
	row(tolerations) /* how long a pod stays on a node that fails */ \
	row(claim_class) /* the default storage class */ \
	row(claim_protection) /* finalizers of claims */ \
	row(volume_protection) /* finalizers of volumes */ \
	row(claim_growth) /* claims may grow if their class permits it */ \
	row(runtime) /* overhead and placement by runtime class */ \
	row(volcano) /* defaults and rules of Volcano's kinds and pods (admission/) */ \
	row(submitter) /* who submitted a job */ \
	row(submitter_group) /* ... and a PodGroup */ \
	row(role) /* a role grants at most what its writer has, ... */ \
	row(cluster_role) \
	row(role_binding) /* ... and so does a binding */ \
	row(cluster_role_binding) \
	row(effect) /* fields without an effect here: a warning or a refusal */ \
	row(quota) /* quotas of a namespace (reconcile_quotas.c) */)

#define ADMITTER_DECLARE(name) extern const struct admitter admitter_##name;
ADMITTERS(ADMITTER_DECLARE)
#undef ADMITTER_DECLARE

/* Bindings and evictions ask this as well: they are no kinds of their own. */
admit_fn admit_namespace;

/* What the admitter `volcano` needs: the queues as documents. `config` may be NULL. */
struct admission_config;
struct admit_volcano *admit_volcano_new(const struct admission_config *config)
	__attribute__((returns_nonnull));
void admit_volcano_free(struct admit_volcano *volcano);

#endif
