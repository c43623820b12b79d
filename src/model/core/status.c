/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/status.c - the Status of a request, and options of a deletion: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/core/status.h"

#include "model/rules/rules.h"

#include "base/banned.h"

static const struct field list_meta_fields[] = {
	{"selfLink", F_STR},
	{"resourceVersion", F_STR},
	{"continue", F_STR},
	{"remainingItemCount", F_INT64, F_POINTER},
};
const struct type list_meta_type = {
	TYPE_KNOWN("ListMeta", "v1", list_meta_fields),
	.group = "io.k8s.apimachinery.pkg.apis.meta",
	.as_go = true,
};

#define VIEW struct status_cause
static const struct field status_cause_fields[] = {
	{"reason", F_STR, AT(reason), F_GO("v1.CauseType")},
	{"message", F_STR, AT(message)},
	{"field", F_STR, AT(field)},
};
#undef VIEW
const struct type status_cause_type = {
	TYPE("StatusCause", "v1", struct status_cause, status_cause_fields),
	.group = "io.k8s.apimachinery.pkg.apis.meta",
	.as_go = true,
};

#define VIEW struct status_details
static const struct field status_details_fields[] = {
	{"name", F_STR, AT(name)},
	{"group", F_STR, AT(group)},
	{"kind", F_STR, AT(kind)},
	{"uid", F_STR, AT(uid), F_GO("types.UID")},
	{"causes", F_LIST(F_OBJECT(status_cause)), AT(causes), F_LIST_ATOMIC},
	{"retryAfterSeconds", F_INT32, AT(retry_after_seconds)},
};
#undef VIEW
const struct type status_details_type = {
	TYPE("StatusDetails", "v1", struct status_details, status_details_fields),
	.group = "io.k8s.apimachinery.pkg.apis.meta",
	.as_go = true,
};

#define VIEW struct api_status
static const struct field api_status_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(list_meta), F_DEFAULT("{}")},
	{"status", F_STR, AT(status)},
	{"message", F_STR, AT(message)},
	{"reason", F_STR, AT(reason), F_GO("v1.StatusReason")},
	{"details", F_OBJECT(status_details), AT(details), F_LIST_ATOMIC},
	{"code", F_INT32, AT(code)},
};
#undef VIEW
const struct type api_status_type = {
	TYPE("Status", "v1", struct api_status, api_status_fields),
	.group = "io.k8s.apimachinery.pkg.apis.meta",
	.as_go = true,
	.rules = &rules_none,
};

#define VIEW struct preconditions
static const struct field preconditions_fields[] = {
	{"uid", F_STR, AT(uid), F_POINTER, F_GO("types.UID")},
	{"resourceVersion", F_STR, AT(resource_version), F_POINTER},
};
#undef VIEW
const struct type preconditions_type = {
	TYPE("Preconditions", "v1", struct preconditions, preconditions_fields),
	.group = "io.k8s.apimachinery.pkg.apis.meta",
	.as_go = true,
};

#define VIEW struct delete_options
static const struct field delete_options_fields[] = {
	F_TYPE_META,
	{"gracePeriodSeconds", F_INT64, AT(grace_period_seconds), F_POINTER},
	{"preconditions", F_OBJECT(preconditions), AT(preconditions)},
	{"orphanDependents", F_BOOL, AT(orphan_dependents), F_POINTER},
	{"propagationPolicy", F_STR, AT(propagation_policy), F_POINTER,
	 F_GO("v1.DeletionPropagation")},
	{"dryRun", F_LIST(F_STR), AT(dry_run), F_LIST_ATOMIC},
	{"ignoreStoreReadErrorWithClusterBreakingPotential", F_BOOL,
	 AT(ignore_store_read_error_with_cluster_breaking_potential), F_POINTER},
};
#undef VIEW
const struct type delete_options_type = {
	TYPE("DeleteOptions", "v1", struct delete_options, delete_options_fields),
	.group = "io.k8s.apimachinery.pkg.apis.meta",
	.as_go = true,
	.rules = &rules_none,
};
