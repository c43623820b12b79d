/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/admit/admit_rows.h - the admitters; each is in a file of its own. */
#ifndef APISERVER_ADMIT_ROWS_H
#define APISERVER_ADMIT_ROWS_H

#include "apiserver/admit/admit.h"

/* NamespaceLifecycle: nothing is made in a namespace that is not there or on its way out, and the
 * first namespaces stay. */
admit_fn admit_namespace, admit_namespace_removal;
/* LimitRanger: defaults and bounds of containers, pods and claims. */
admit_fn admit_limits, admit_limits_check;
/* ServiceAccount: the account of a pod, and its token. */
admit_fn admit_account;
/* TaintNodesByCondition, DefaultTolerationSeconds. */
admit_fn admit_node, admit_tolerations;
/* Priority: of pods, by their class; and the rules of classes. */
admit_fn admit_priority, admit_priority_class, admit_priority_class_removal;
/* DefaultStorageClass, StorageObjectInUseProtection, PersistentVolumeClaimResize. */
admit_fn admit_claim_class, admit_claim_protection, admit_volume_protection, admit_claim_growth;
/* RuntimeClass: what a pod costs and where it runs. */
admit_fn admit_runtime, admit_runtime_check;
/* ResourceQuota: nothing beyond the quotas of a namespace (keep_quotas.c). */
admit_fn admit_quota;

/* Defaults and rules of Volcano's kinds and of the pods that it schedules (admission/). */
admit_fn admit_volcano_change, admit_volcano_check;
/* What has no effect here: a warning, or a refusal. */
admit_fn admit_effect;

/* What they need: the queues as documents. `config` may be NULL. */
struct admission_config;
struct admit_volcano *admit_volcano_new(const struct admission_config *config)
	__attribute__((returns_nonnull));
void admit_volcano_free(struct admit_volcano *volcano);

#endif
