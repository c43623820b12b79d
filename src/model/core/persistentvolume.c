/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/persistentvolume.c - persistent volumes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/core/persistentvolume.h"

#include "base/mem.h"
#include "model/core/pvc.h"
#include "model/field/textdiff.h"
#include "model/pod/affinity.h"
#include "model/pod/volume_cloud.h"
#include "model/rules/rules.h"
#include "model/value/names.h"

#include "base/banned.h"

static const struct field glusterfs_persistent_volume_source_fields[] = {
	{"endpoints", F_STR, F_ALWAYS, F_REQUIRED},
	{"path", F_STR, F_ALWAYS, F_REQUIRED},
	{"readOnly", F_BOOL},
	{"endpointsNamespace", F_STR, F_POINTER},
};
static const struct type glusterfs_persistent_volume_source_type = {
	TYPE_KNOWN("GlusterfsPersistentVolumeSource", "v1",
		   glusterfs_persistent_volume_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field rbd_persistent_volume_source_fields[] = {
	{"monitors", F_LIST(F_STR), F_ALWAYS, F_REQUIRED, F_LIST_ATOMIC},
	{"image", F_STR, F_ALWAYS, F_REQUIRED},
	{"fsType", F_STR},
	{"pool", F_STR},
	{"user", F_STR},
	{"keyring", F_STR},
	{"secretRef", F_OBJECT(secret_reference)},
	{"readOnly", F_BOOL},
};
static const struct type rbd_persistent_volume_source_type = {
	TYPE_KNOWN("RBDPersistentVolumeSource", "v1", rbd_persistent_volume_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field iscsi_persistent_volume_source_fields[] = {
	{"targetPortal", F_STR, F_ALWAYS, F_REQUIRED},
	{"iqn", F_STR, F_ALWAYS, F_REQUIRED},
	{"lun", F_INT32, F_ALWAYS, F_REQUIRED},
	{"iscsiInterface", F_STR},
	{"fsType", F_STR},
	{"readOnly", F_BOOL},
	{"portals", F_LIST(F_STR), F_LIST_ATOMIC},
	{"chapAuthDiscovery", F_BOOL},
	{"chapAuthSession", F_BOOL},
	{"secretRef", F_OBJECT(secret_reference)},
	{"initiatorName", F_STR, F_POINTER},
};
static const struct type iscsi_persistent_volume_source_type = {
	TYPE_KNOWN("ISCSIPersistentVolumeSource", "v1", iscsi_persistent_volume_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field cinder_persistent_volume_source_fields[] = {
	{"volumeID", F_STR, F_ALWAYS, F_REQUIRED},
	{"fsType", F_STR},
	{"readOnly", F_BOOL},
	{"secretRef", F_OBJECT(secret_reference)},
};
static const struct type cinder_persistent_volume_source_type = {
	TYPE_KNOWN("CinderPersistentVolumeSource", "v1", cinder_persistent_volume_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field ceph_fs_persistent_volume_source_fields[] = {
	{"monitors", F_LIST(F_STR), F_ALWAYS, F_REQUIRED, F_LIST_ATOMIC},
	{"path", F_STR},
	{"user", F_STR},
	{"secretFile", F_STR},
	{"secretRef", F_OBJECT(secret_reference)},
	{"readOnly", F_BOOL},
};
static const struct type ceph_fs_persistent_volume_source_type = {
	TYPE_KNOWN("CephFSPersistentVolumeSource", "v1", ceph_fs_persistent_volume_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field flex_persistent_volume_source_fields[] = {
	{"driver", F_STR, F_ALWAYS, F_REQUIRED},
	{"fsType", F_STR},
	{"secretRef", F_OBJECT(secret_reference)},
	{"readOnly", F_BOOL},
	{"options", F_LABELS},
};
static const struct type flex_persistent_volume_source_type = {
	TYPE_KNOWN("FlexPersistentVolumeSource", "v1", flex_persistent_volume_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field azure_file_persistent_volume_source_fields[] = {
	{"secretName", F_STR, F_ALWAYS, F_REQUIRED},
	{"shareName", F_STR, F_ALWAYS, F_REQUIRED},
	{"readOnly", F_BOOL},
	{"secretNamespace", F_STR, F_ALWAYS, F_POINTER},
};
static const struct type azure_file_persistent_volume_source_type = {
	TYPE_KNOWN("AzureFilePersistentVolumeSource", "v1",
		   azure_file_persistent_volume_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field scale_io_persistent_volume_source_fields[] = {
	{"gateway", F_STR, F_ALWAYS, F_REQUIRED},
	{"system", F_STR, F_ALWAYS, F_REQUIRED},
	{"secretRef", F_OBJECT(secret_reference), F_POINTER, F_ALWAYS, F_REQUIRED},
	{"sslEnabled", F_BOOL},
	{"protectionDomain", F_STR},
	{"storagePool", F_STR},
	{"storageMode", F_STR},
	{"volumeName", F_STR},
	{"fsType", F_STR},
	{"readOnly", F_BOOL},
};
static const struct type scale_io_persistent_volume_source_type = {
	TYPE_KNOWN("ScaleIOPersistentVolumeSource", "v1", scale_io_persistent_volume_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct local_volume_source
static const struct field local_volume_source_fields[] = {
	{"path", F_STR, AT(path), F_ALWAYS, F_REQUIRED},
	{"fsType", F_STR, AT(fs_type), F_POINTER},
};
#undef VIEW
const struct type local_volume_source_type = {
	TYPE("LocalVolumeSource", "v1", struct local_volume_source, local_volume_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field storage_os_persistent_volume_source_fields[] = {
	{"volumeName", F_STR},
	{"volumeNamespace", F_STR},
	{"fsType", F_STR},
	{"readOnly", F_BOOL},
	{"secretRef", F_OBJECT(object_reference)},
};
static const struct type storage_os_persistent_volume_source_type = {
	TYPE_KNOWN("StorageOSPersistentVolumeSource", "v1",
		   storage_os_persistent_volume_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct csi_persistent_volume_source
static const struct field csi_persistent_volume_source_fields[] = {
	{"driver", F_STR, AT(driver), F_ALWAYS, F_REQUIRED},
	{"volumeHandle", F_STR, AT(volume_handle), F_ALWAYS, F_REQUIRED},
	{"readOnly", F_BOOL},
	{"fsType", F_STR},
	{"volumeAttributes", F_LABELS},
	{"controllerPublishSecretRef", F_OBJECT(secret_reference)},
	{"nodeStageSecretRef", F_OBJECT(secret_reference)},
	{"nodePublishSecretRef", F_OBJECT(secret_reference)},
	{"controllerExpandSecretRef", F_OBJECT(secret_reference)},
	{"nodeExpandSecretRef", F_OBJECT(secret_reference)},
};
#undef VIEW
const struct type csi_persistent_volume_source_type = {
	TYPE("CSIPersistentVolumeSource", "v1", struct csi_persistent_volume_source,
	     csi_persistent_volume_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct volume_node_affinity
static const struct field volume_node_affinity_fields[] = {
	{"required", F_OBJECT(node_selector), AT(required)},
};
#undef VIEW
const struct type volume_node_affinity_type = {
	TYPE("VolumeNodeAffinity", "v1", struct volume_node_affinity, volume_node_affinity_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static void fill_pv_spec(struct json_doc *doc, struct json spec)
{
	if (rules_is_empty(json_get(spec, "persistentVolumeReclaimPolicy")))
		json_set_str(doc, spec, "persistentVolumeReclaimPolicy", STR("Retain"));
	if (json_is_absent(json_get(spec, "volumeMode")))
		json_set_str(doc, spec, "volumeMode", STR("Filesystem"));
}

#define VIEW struct pv_spec
static const struct field pv_spec_fields[] = {
	{"capacity", F_RESOURCES, AT(capacity), F_GO("v1.ResourceList")},
	{"gcePersistentDisk", F_OBJECT(gce_volume)},
	{"awsElasticBlockStore", F_OBJECT(aws_volume)},
	{"hostPath", F_OBJECT(host_path_volume), AT(host_path)},
	{"glusterfs", F_OBJECT(glusterfs_persistent_volume_source)},
	{"nfs", F_OBJECT(nfs_volume)},
	{"rbd", F_OBJECT(rbd_persistent_volume_source)},
	{"iscsi", F_OBJECT(iscsi_persistent_volume_source)},
	{"cinder", F_OBJECT(cinder_persistent_volume_source)},
	{"cephfs", F_OBJECT(ceph_fs_persistent_volume_source)},
	{"fc", F_OBJECT(fc_volume)},
	{"flocker", F_OBJECT(flocker_volume)},
	{"flexVolume", F_OBJECT(flex_persistent_volume_source)},
	{"azureFile", F_OBJECT(azure_file_persistent_volume_source)},
	{"vsphereVolume", F_OBJECT(vsphere_volume)},
	{"quobyte", F_OBJECT(quobyte_volume)},
	{"azureDisk", F_OBJECT(azure_disk_volume)},
	{"photonPersistentDisk", F_OBJECT(photon_volume)},
	{"portworxVolume", F_OBJECT(portworx_volume)},
	{"scaleIO", F_OBJECT(scale_io_persistent_volume_source)},
	{"local", F_OBJECT(local_volume_source), AT(local)},
	{"storageos", F_OBJECT(storage_os_persistent_volume_source)},
	{"csi", F_OBJECT(csi_persistent_volume_source), AT(csi)},
	{"accessModes", F_LIST(F_STR, F_GO("v1.PersistentVolumeAccessMode")), AT(access_modes),
	 F_LIST_ATOMIC},
	{"claimRef", F_OBJECT(object_reference), AT(claim_ref), F_GRANULAR},
	{"persistentVolumeReclaimPolicy", F_STR, AT(persistent_volume_reclaim_policy),
	 F_GO("v1.PersistentVolumeReclaimPolicy")},
	{"storageClassName", F_STR, AT(storage_class_name)},
	{"mountOptions", F_LIST(F_STR), F_LIST_ATOMIC},
	{"volumeMode", F_STR, AT(volume_mode), F_POINTER, F_GO("v1.PersistentVolumeMode")},
	{"nodeAffinity", F_OBJECT(volume_node_affinity), AT(node_affinity)},
	{"volumeAttributesClassName", F_STR, F_POINTER},
};
#undef VIEW
const struct type pv_spec_type = {
	TYPE("PersistentVolumeSpec", "v1", struct pv_spec, pv_spec_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.fill = fill_pv_spec,
};

static void fill_pv_status(struct json_doc *doc, struct json status)
{
	if (rules_is_empty(json_get(status, "phase")))
		json_set_str(doc, status, "phase", STR("Pending"));
}

#define VIEW struct pv_status
static const struct field pv_status_fields[] = {
	{"phase", F_STR, AT(phase), F_GO("v1.PersistentVolumePhase")},
	{"message", F_STR},
	{"reason", F_STR},
	{"lastPhaseTransitionTime", F_TIME},
};
#undef VIEW
const struct type pv_status_type = {
	TYPE("PersistentVolumeStatus", "v1", struct pv_status, pv_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.fill = fill_pv_status,
};

#define VIEW struct pv
static const struct field pv_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(pv_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(pv_status), AT(status), F_DEFAULT("{}")},
};
#undef VIEW

void pv_prepare_create(struct json_doc *doc, struct json pv)
{
	struct json finalizers =
		json_ensure_arr(doc, json_ensure_obj(doc, pv, "metadata"), "finalizers");
	struct json status = json_new_obj(doc);

	if (!json_has_str(finalizers, STR("kubernetes.io/pv-protection")))
		json_append(doc, finalizers, json_new_str(doc, STR("kubernetes.io/pv-protection")));
	json_set_str(doc, status, "phase", STR("Pending"));
	json_set(doc, pv, STR("status"), status);
}

static void check_capacity(const struct rule_at *at)
{
	AUTO(mem_free) char *text = NULL;

	if (!json_len(at->value))
		rule_required_as(at, NULL, "");
	if (rule_has(at->value, "storage") && json_len(at->value) == 1)
		return;
	text = json_text(at->value, JSON_CANONICAL);
	rule_add(at, NULL, CAUSE_NOT_SUPPORTED,
		 "Unsupported value: %s: supported values: \"storage\"", text[0] ? text : "null");
}

static void check_placed(const struct rule_at *at)
{
	if (!rule_has(at->up->value, "nodeAffinity"))
		rule_required_as(at->up, "nodeAffinity", "Local volume requires node affinity");
}

static bool is_root(const struct rule_at *at)
{
	return str_is(rule_text(json_get(at->value, "hostPath"), "path"), "/");
}

static const struct rule affinity_rules[] = {
	{"required", R_REQUIRED_AS("must specify required node constraints"),
	 R_TYPE(node_selector)},
};
static const struct rule host_path_rules[] = {
	{"path", R_REQUIRED, R_CHECK(rule_no_backsteps_in)},
	{"type", R_FILLED,
	 R_TEXTS("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File",
		 "FileOrCreate", "Socket")},
};
static const struct rule nfs_rules[] = {
	{"server", R_REQUIRED},
	{"path", R_REQUIRED},
	{"path", R_ALWAYS, R_CHECK(rule_absolute)},
};
static const struct rule local_rules[] = {
	{"path", R_REQUIRED, R_CHECK(rule_no_backsteps_in)},
	{R_CHECK(check_placed)},
};
static const struct rule csi_rules[] = {
	{"driver", R_ALWAYS, R_CHECK(rule_csi_driver)},
	{"volumeHandle", R_REQUIRED},
};
/* In the order in which upstream looks for them. */
static const struct rule source_rules[] = {
	{"hostPath", R_OBJECT(host_path_rules)},
	{"gcePersistentDisk", R_ALWAYS},
	{"awsElasticBlockStore", R_ALWAYS},
	{"glusterfs", R_ALWAYS},
	{"flocker", R_ALWAYS},
	{"nfs", R_OBJECT(nfs_rules)},
	{"rbd", R_ALWAYS},
	{"quobyte", R_ALWAYS},
	{"cephfs", R_ALWAYS},
	{"iscsi", R_ALWAYS},
	{"cinder", R_ALWAYS},
	{"fc", R_ALWAYS},
	{"flexVolume", R_ALWAYS},
	{"azureFile", R_ALWAYS},
	{"vsphereVolume", R_ALWAYS},
	{"photonPersistentDisk", R_ALWAYS},
	{"portworxVolume", R_ALWAYS},
	{"azureDisk", R_ALWAYS},
	{"scaleIO", R_ALWAYS},
	{"local", R_OBJECT(local_rules)},
	{"storageos", R_ALWAYS},
	{"csi", R_OBJECT(csi_rules)},
};
static const struct rule spec_rules[] = {
	{"accessModes", R_REQUIRED},
	{"accessModes", R_CHECK(rule_access_modes)},
	{"capacity", R_ALWAYS, R_CHECK(check_capacity)},
	{"capacity", R_EACH(R_CHECK(rule_amount_positive))},
	{"persistentVolumeReclaimPolicy", R_FILLED, R_TEXTS("Delete", "Recycle", "Retain")},
	{"nodeAffinity", R_OBJECT(affinity_rules)},
	{R_ONE(source_rules, "must specify a volume type",
	       "may not specify more than 1 volume type")},
	{"persistentVolumeReclaimPolicy", R_IF("persistentVolumeReclaimPolicy", "Recycle"),
	 R_WHEN(is_root), R_FORBIDDEN("may not be 'recycle' for a hostPath mount of '/'")},
	{"storageClassName", R_FILLED, R_FORMAT(DNS_SUBDOMAIN)},
	{"volumeMode", R_TEXTS("Block", "Filesystem")},
};
static const struct rule pv_rules[] = {
	{"spec", R_ALWAYS, R_OBJECT(spec_rules)},
};

/* --- updates --------------------------------------------------------------------------------- */

static struct json_doc *sources_of(struct json spec)
{
	struct json_doc *doc = json_doc_new();
	struct json all = json_new_obj(doc);

	for (size_t i = 0; i < ARRAY_LEN(source_rules); i++) {
		struct json source = json_get(spec, source_rules[i].member);

		if (json_is(source, JSON_OBJ))
			json_set(doc, all, str_from(source_rules[i].member),
				 json_new_copy(doc, source));
	}
	json_doc_set_root(doc, all);
	return doc;
}

static void check_same_source(const struct rule_at *at)
{
	AUTO(json_doc_unref) struct json_doc *before = sources_of(at->up->old);
	AUTO(json_doc_unref) struct json_doc *after = sources_of(at->up->value);
	AUTO(buf_done) struct buf left = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf right = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (json_eq(json_doc_root(before), json_doc_root(after)))
		return;
	textdiff_put_value(json_doc_root(before), &left);
	textdiff_put_value(json_doc_root(after), &right);
	buf_puts(&text, "spec.persistentvolumesource is immutable after creation\n");
	textdiff_print(buf_str(&left), buf_str(&right), &text);
	rule_forbidden(at, NULL, buf_text(&text));
}

static bool had_affinity(const struct rule_at *at)
{
	return json_is(json_get(at->old, "nodeAffinity"), JSON_OBJ);
}

/* All sources together, as Go embeds them. */
static const struct rule source_update_rules[] = {
	{"persistentvolumesource", R_ALWAYS, R_CHECK(check_same_source)},
};
static const struct rule spec_update_rules[] = {
	{"volumeMode", R_IMMUTABLE},
	{"nodeAffinity", R_WHEN(had_affinity),
	 R_IMMUTABLE_AS("field is immutable, except for updating from beta label to GA")},
};
static const struct rule update_rules[] = {
	{R_CHECK(rule_meta_cluster)},
	{R_OBJECT(pv_rules)}, /* twice, as upstream */
	{R_OBJECT(pv_rules)},
	{"spec", R_ALWAYS, R_OBJECT(source_update_rules)},
	{"spec", R_HIDDEN, R_ALWAYS, R_OBJECT(spec_update_rules)},
};

const struct type pv_type = {
	TYPE("PersistentVolume", "v1", struct pv, pv_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	TYPE_RULES(pv_rules),
	TYPE_UPDATE(update_rules),
};
