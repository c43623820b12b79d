/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/storage.c - storage classes, CSI drivers, CSI nodes, attachments and capacities: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/group/storage.h"

#include "model/core/persistentvolume.h"
#include "model/field/fill.h"
#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

#define VIEW struct topology_selector_label_requirement
static const struct field topology_selector_label_requirement_fields[] = {
	{"key", F_STR, AT(key), F_ALWAYS, F_REQUIRED},
	{"values", F_LIST(F_STR), AT(values), F_ALWAYS, F_REQUIRED, F_LIST_ATOMIC},
};
#undef VIEW
const struct type topology_selector_label_requirement_type = {
	TYPE("TopologySelectorLabelRequirement", "v1", struct topology_selector_label_requirement,
	     topology_selector_label_requirement_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct topology_selector_term
static const struct field topology_selector_term_fields[] = {
	{"matchLabelExpressions", F_LIST(F_OBJECT(topology_selector_label_requirement)),
	 AT(match_label_expressions), F_LIST_ATOMIC},
};
#undef VIEW
const struct type topology_selector_term_type = {
	TYPE("TopologySelectorTerm", "v1", struct topology_selector_term,
	     topology_selector_term_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.atomic = true,
};

static void fill_storageclass(struct json_doc *doc, struct json class)
{
	fill_text(doc, class, "reclaimPolicy", "Delete");
	fill_text(doc, class, "volumeBindingMode", "Immediate");
}

#define VIEW struct storageclass
static const struct field storageclass_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"provisioner", F_STR, AT(provisioner), F_ALWAYS, F_REQUIRED},
	{"parameters", F_LABELS},
	{"reclaimPolicy", F_STR, AT(reclaim_policy), F_POINTER,
	 F_GO("v1.PersistentVolumeReclaimPolicy")},
	{"mountOptions", F_LIST(F_STR), F_LIST_ATOMIC},
	{"allowVolumeExpansion", F_BOOL, AT(allow_volume_expansion), F_POINTER},
	{"volumeBindingMode", F_STR, AT(volume_binding_mode), F_POINTER,
	 F_GO("v1.VolumeBindingMode")},
	{"allowedTopologies", F_LIST(F_OBJECT(topology_selector_term)), AT(allowed_topologies),
	 F_LIST_ATOMIC},
};
#undef VIEW
const struct type storageclass_type = {
	TYPE("StorageClass", "v1", struct storageclass, storageclass_fields),
	.group = "io.k8s.api.storage",
	.as_go = true,
	.rules = &storageclass_rules,
	.update = &storageclass_update_rules,
	.fill = fill_storageclass,
};

#define VIEW struct volume_node_resources
static const struct field volume_node_resources_fields[] = {
	{"count", F_INT32, AT(count), F_POINTER},
};
#undef VIEW
const struct type volume_node_resources_type = {
	TYPE("VolumeNodeResources", "v1", struct volume_node_resources,
	     volume_node_resources_fields),
	.group = "io.k8s.api.storage",
	.as_go = true,
};

#define VIEW struct csinode_driver
static const struct field csinode_driver_fields[] = {
	{"name", F_STR, AT(name), F_ALWAYS, F_REQUIRED},
	{"nodeID", F_STR, AT(node_id), F_ALWAYS, F_REQUIRED},
	{"topologyKeys", F_LIST(F_STR), AT(topology_keys), F_ALWAYS, F_LIST_ATOMIC},
	{"allocatable", F_OBJECT(volume_node_resources), AT(allocatable)},
};
#undef VIEW
const struct type csinode_driver_type = {
	TYPE("CSINodeDriver", "v1", struct csinode_driver, csinode_driver_fields),
	.group = "io.k8s.api.storage",
	.as_go = true,
};

#define VIEW struct csinode_spec
static const struct field csinode_spec_fields[] = {
	{"drivers", F_LIST(F_OBJECT(csinode_driver)), AT(drivers), F_ALWAYS, F_REQUIRED,
	 F_LIST_MAP("name"), F_MERGE_KEY("name")},
};
#undef VIEW
const struct type csinode_spec_type = {
	TYPE("CSINodeSpec", "v1", struct csinode_spec, csinode_spec_fields),
	.group = "io.k8s.api.storage",
	.as_go = true,
};

#define VIEW struct csinode
static const struct field csinode_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(csinode_spec), AT(spec), F_ALWAYS, F_REQUIRED},
};
#undef VIEW
const struct type csinode_type = {
	TYPE("CSINode", "v1", struct csinode, csinode_fields),
	.group = "io.k8s.api.storage",
	.as_go = true,
	.rules = &csinode_rules,
	.update = &csinode_update_rules,
};

static const struct field token_request_fields[] = {
	{"audience", F_STR, F_ALWAYS, F_REQUIRED},
	{"expirationSeconds", F_INT64, F_POINTER},
};
static const struct type token_request_type = {
	TYPE_KNOWN("TokenRequest", "v1", token_request_fields),
	.group = "io.k8s.api.storage",
	.as_go = true,
};

static void fill_csidriver_spec(struct json_doc *doc, struct json spec)
{
	fill_bool(doc, spec, "attachRequired", true);
	fill_bool(doc, spec, "podInfoOnMount", false);
	fill_bool(doc, spec, "storageCapacity", false);
	fill_text(doc, spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
	if (rules_is_empty(json_get(spec, "volumeLifecycleModes")))
		json_append(doc, json_ensure_arr(doc, spec, "volumeLifecycleModes"),
			    json_new_str(doc, STR("Persistent")));
	fill_bool(doc, spec, "requiresRepublish", false);
	fill_bool(doc, spec, "seLinuxMount", false);
}

static const struct field csidriver_spec_fields[] = {
	{"attachRequired", F_BOOL, F_POINTER},
	{"podInfoOnMount", F_BOOL, F_POINTER},
	{"volumeLifecycleModes", F_LIST(F_STR, F_GO("v1.VolumeLifecycleMode")), F_LIST_SET},
	{"storageCapacity", F_BOOL, F_POINTER},
	{"fsGroupPolicy", F_STR, F_POINTER, F_GO("v1.FSGroupPolicy")},
	{"tokenRequests", F_LIST(F_OBJECT(token_request)), F_LIST_ATOMIC},
	{"requiresRepublish", F_BOOL, F_POINTER},
	{"seLinuxMount", F_BOOL, F_POINTER},
	{"nodeAllocatableUpdatePeriodSeconds", F_INT64, F_POINTER},
};
static const struct type csidriver_spec_type = {
	TYPE_KNOWN("CSIDriverSpec", "v1", csidriver_spec_fields),
	.group = "io.k8s.api.storage",
	.as_go = true,
	.fill = fill_csidriver_spec,
};

static const struct field csidriver_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(csidriver_spec), F_ALWAYS, F_REQUIRED},
};
const struct type csidriver_type = {
	TYPE_KNOWN("CSIDriver", "v1", csidriver_fields),
	.group = "io.k8s.api.storage",
	.as_go = true,
	.rules = &csidriver_rules,
	.update = &csidriver_update_rules,
};

static const struct field volume_attachment_source_fields[] = {
	{"persistentVolumeName", F_STR, F_POINTER},
	{"inlineVolumeSpec", F_OBJECT(pv_spec)},
};
static const struct type volume_attachment_source_type = {
	TYPE_KNOWN("VolumeAttachmentSource", "v1", volume_attachment_source_fields),
	.group = "io.k8s.api.storage",
	.as_go = true,
};

static const struct field volume_attachment_spec_fields[] = {
	{"attacher", F_STR, F_ALWAYS, F_REQUIRED},
	{"source", F_OBJECT(volume_attachment_source), F_ALWAYS, F_REQUIRED},
	{"nodeName", F_STR, F_ALWAYS, F_REQUIRED},
};
const struct type volume_attachment_spec_type = {
	TYPE_KNOWN("VolumeAttachmentSpec", "v1", volume_attachment_spec_fields),
	.group = "io.k8s.api.storage",
	.as_go = true,
};

static const struct field volume_error_fields[] = {
	{"time", F_TIME, F_ALWAYS},
	{"message", F_STR},
	{"errorCode", F_INT32, F_POINTER},
};
static const struct type volume_error_type = {
	TYPE_KNOWN("VolumeError", "v1", volume_error_fields),
	.group = "io.k8s.api.storage",
	.as_go = true,
};

static const struct field volume_attachment_status_fields[] = {
	{"attached", F_BOOL, F_ALWAYS, F_REQUIRED},
	{"attachmentMetadata", F_LABELS},
	{"attachError", F_OBJECT(volume_error)},
	{"detachError", F_OBJECT(volume_error)},
};
static const struct type volume_attachment_status_type = {
	TYPE_KNOWN("VolumeAttachmentStatus", "v1", volume_attachment_status_fields),
	.group = "io.k8s.api.storage",
	.as_go = true,
};

static const struct field volumeattachment_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(volume_attachment_spec), F_ALWAYS, F_REQUIRED},
	{"status", F_OBJECT(volume_attachment_status), F_DEFAULT("{}")},
};
const struct type volumeattachment_type = {
	TYPE_KNOWN("VolumeAttachment", "v1", volumeattachment_fields),
	.group = "io.k8s.api.storage",
	.as_go = true,
	.rules = &volumeattachment_rules,
	.update = &volumeattachment_update_rules,
	.status = &volumeattachment_update_rules,
};

#define VIEW struct csistoragecapacity
static const struct field csistoragecapacity_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"nodeTopology", F_OBJECT(label_selector), AT(node_topology)},
	{"storageClassName", F_STR, AT(storage_class_name), F_ALWAYS, F_REQUIRED},
	{"capacity", F_QUANTITY, AT(capacity)},
	{"maximumVolumeSize", F_QUANTITY, AT(maximum_volume_size)},
};
#undef VIEW
const struct type csistoragecapacity_type = {
	TYPE("CSIStorageCapacity", "v1", struct csistoragecapacity, csistoragecapacity_fields),
	.group = "io.k8s.api.storage",
	.as_go = true,
	.rules = &csistoragecapacity_rules,
	.update = &csistoragecapacity_update_rules,
};
