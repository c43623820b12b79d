/* SPDX-License-Identifier: Apache-2.0 */
/* model/pvc.c - claims of volumes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/pvc.h"

#include "model/rules.h"

#include "base/banned.h"

static const struct field pvc_condition_fields[] = {
	{"type", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.PersistentVolumeClaimConditionType")},
	{"status", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.ConditionStatus")},
	{"lastProbeTime", F_TIME, F_ALWAYS},
	{"lastTransitionTime", F_TIME, F_ALWAYS},
	{"reason", F_STR},
	{"message", F_STR},
};
static const struct type pvc_condition_type = {
	TYPE_KNOWN("PersistentVolumeClaimCondition", "v1", pvc_condition_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field modify_volume_status_fields[] = {
	{"targetVolumeAttributesClassName", F_STR},
	{"status", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.PersistentVolumeClaimModifyVolumeStatus")},
};
static const struct type modify_volume_status_type = {
	TYPE_KNOWN("ModifyVolumeStatus", "v1", modify_volume_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct pvc_status
static const struct field pvc_status_fields[] = {
	{"phase", F_STR, AT(phase), F_GO("v1.PersistentVolumeClaimPhase")},
	{"accessModes", F_LIST(F_STR, F_GO("v1.PersistentVolumeAccessMode")), AT(access_modes),
	 F_LIST_ATOMIC},
	{"capacity", F_RESOURCES, AT(capacity), F_GO("v1.ResourceList")},
	{"conditions", F_LIST(F_OBJECT(pvc_condition)), F_LIST_MAP("type"), F_MERGE_KEY("type")},
	{"allocatedResources", F_RESOURCES, F_GO("v1.ResourceList")},
	{"allocatedResourceStatuses", F_MAP(F_STR, F_GO("v1.ClaimResourceStatus"))},
	{"currentVolumeAttributesClassName", F_STR, F_POINTER},
	{"modifyVolumeStatus", F_OBJECT(modify_volume_status)},
};
#undef VIEW
const struct type pvc_status_type = {
	TYPE("PersistentVolumeClaimStatus", "v1", struct pvc_status, pvc_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct pvc
static const struct field pvc_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(claim_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(pvc_status), AT(status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type pvc_type = {
	TYPE("PersistentVolumeClaim", "v1", struct pvc, pvc_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};
