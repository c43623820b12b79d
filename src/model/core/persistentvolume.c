/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/persistentvolume.c - persistent volumes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
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
const struct type pv_type = {
	TYPE("PersistentVolume", "v1", struct pv, pv_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

void pv_prepare_create(struct json_doc *doc, struct json pv)
{
	struct json finalizers =
		json_ensure_arr(doc, json_ensure_obj(doc, pv, "metadata"), "finalizers");
	struct json status = json_new_obj(doc);

	if (!rules_has(finalizers, STR("kubernetes.io/pv-protection")))
		json_append(doc, finalizers, json_new_str(doc, STR("kubernetes.io/pv-protection")));
	json_set_str(doc, status, "phase", STR("Pending"));
	json_set(doc, pv, STR("status"), status);
}

static void validate_capacity(struct json spec, const struct path *up, struct causes *causes)
{
	static const char *const known[] = {"storage"};
	struct path path = path_member(up, STR("capacity"));
	struct json capacity = json_get(spec, "capacity");
	struct json_iter it = json_iter(capacity);

	if (!json_len(capacity))
		causes_required(causes, &path, "");
	if (json_is_absent(json_get(capacity, known[0])) || json_len(capacity) > 1) {
		AUTO(mem_free) char *text = json_text(capacity, JSON_COMPACT);

		causes_add(causes, CAUSE_NOT_SUPPORTED, &path,
			   "Unsupported value: %s: supported values: \"storage\"",
			   text[0] ? text : "null");
	}
	while (json_next(&it)) {
		struct path at = path_key(&path, it.key);

		rules_quantity_positive(it.value, &at, causes);
	}
}

static bool validate_affinity(struct json affinity, const struct path *up, struct causes *causes)
{
	struct path path = path_member(up, STR("nodeAffinity"));
	struct path required = path_member(&path, STR("required"));

	if (!json_is(affinity, JSON_OBJ))
		return false;
	if (json_is(json_get(affinity, "required"), JSON_OBJ))
		type_validate_at(&node_selector_type, json_get(affinity, "required"), &required,
				 causes);
	else
		causes_required(causes, &required, "must specify required node constraints");
	return true;
}

/* A path that does not lead back. */
static void validate_path(struct json source, const struct path *up, struct causes *causes)
{
	struct path path = path_member(up, STR("path"));
	struct str text = json_str(json_get(source, "path"));
	struct str rest = text;
	struct str part;

	if (!text.len) {
		causes_required(causes, &path, "");
		return;
	}
	while (str_split(&rest, '/', &part))
		if (str_is(part, "..")) {
			causes_invalid_str(causes, &path, text, "must not contain '..'");
			return;
		}
}

static void validate_host_path(struct json source, const struct path *path, struct causes *causes)
{
	static const char *const types[] = {
		"",     "BlockDevice",  "CharDevice", "Directory", "DirectoryOrCreate",
		"File", "FileOrCreate", "Socket"};
	struct path type_path = path_member(path, STR("type"));
	struct str type = json_str(json_get(source, "type"));

	validate_path(source, path, causes);
	if (type.len)
		rules_one_of(json_get(source, "type"), types, ARRAY_LEN(types), &type_path, causes);
}

static void validate_nfs(struct json source, const struct path *path, struct causes *causes)
{
	struct path server = path_member(path, STR("server"));
	struct path at = path_member(path, STR("path"));
	struct str text = json_str(json_get(source, "path"));

	if (!json_str(json_get(source, "server")).len)
		causes_required(causes, &server, "");
	if (!text.len)
		causes_required(causes, &at, "");
	if (!str_starts(text, STR("/")))
		causes_invalid_str(causes, &at, text, "must be an absolute path");
}

static void validate_csi(struct json source, const struct path *path, struct causes *causes)
{
	struct path driver = path_member(path, STR("driver"));
	struct path handle = path_member(path, STR("volumeHandle"));

	rules_csi_driver(json_str(json_get(source, "driver")), &driver, causes);
	if (!json_str(json_get(source, "volumeHandle")).len)
		causes_required(causes, &handle, "");
}

/* In the order in which upstream looks for them. */
static const struct {
	const char *name;
	type_validate_fn *validate;
} sources[] = {
	{"hostPath", validate_host_path},
	{"gcePersistentDisk", NULL},
	{"awsElasticBlockStore", NULL},
	{"glusterfs", NULL},
	{"flocker", NULL},
	{"nfs", validate_nfs},
	{"rbd", NULL},
	{"quobyte", NULL},
	{"cephfs", NULL},
	{"iscsi", NULL},
	{"cinder", NULL},
	{"fc", NULL},
	{"flexVolume", NULL},
	{"azureFile", NULL},
	{"vsphereVolume", NULL},
	{"photonPersistentDisk", NULL},
	{"portworxVolume", NULL},
	{"azureDisk", NULL},
	{"scaleIO", NULL},
	{"local", validate_path},
	{"storageos", NULL},
	{"csi", validate_csi},
};

static void validate_sources(struct json spec, bool placed, const struct path *path,
			     struct causes *causes)
{
	struct path affinity = path_member(path, STR("nodeAffinity"));
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		struct json source = json_get(spec, sources[i].name);
		struct path at = path_member(path, str_from(sources[i].name));

		if (!json_is(source, JSON_OBJ))
			continue;
		if (count++) {
			causes_forbidden(causes, &at, "may not specify more than 1 volume type");
			continue;
		}
		if (sources[i].validate)
			sources[i].validate(source, &at, causes);
		if (str_is(STR("local"), sources[i].name) && !placed)
			causes_required(causes, &affinity, "Local volume requires node affinity");
	}
	if (!count)
		causes_required(causes, path, "must specify a volume type");
}

void pv_validate_create(struct json pv, struct causes *causes)
{
	static const char *const policies[] = {"Delete", "Recycle", "Retain"};
	static const char *const volume_modes[] = {"Block", "Filesystem"};
	struct json spec = json_get(pv, "spec");
	struct json policy = json_get(spec, "persistentVolumeReclaimPolicy");
	struct path path = path_member(NULL, STR("spec"));
	struct path modes = path_member(&path, STR("accessModes"));
	struct path policy_path = path_member(&path, STR("persistentVolumeReclaimPolicy"));
	struct path class = path_member(&path, STR("storageClassName"));
	struct path mode = path_member(&path, STR("volumeMode"));
	bool placed;

	if (!json_len(json_get(spec, "accessModes")))
		causes_required(causes, &modes, "");
	pvc_validate_modes(json_get(spec, "accessModes"), &modes, causes);
	validate_capacity(spec, &path, causes);
	if (json_str(policy).len)
		rules_one_of(policy, policies, ARRAY_LEN(policies), &policy_path, causes);
	placed = validate_affinity(json_get(spec, "nodeAffinity"), &path, causes);
	validate_sources(spec, placed, &path, causes);
	if (str_is(json_str(json_get(json_get(spec, "hostPath"), "path")), "/") &&
	    str_is(json_str(policy), "Recycle"))
		causes_forbidden(causes, &policy_path,
				 "may not be 'recycle' for a hostPath mount of '/'");
	if (json_str(json_get(spec, "storageClassName")).len)
		name_validate(NAME_DNS_SUBDOMAIN, json_str(json_get(spec, "storageClassName")),
			      &class, causes);
	if (!json_is_absent(json_get(spec, "volumeMode")))
		rules_one_of(json_get(spec, "volumeMode"), volume_modes, ARRAY_LEN(volume_modes),
			     &mode, causes);
}

static struct json_doc *sources_of(struct json pv)
{
	struct json_doc *doc = json_doc_new();
	struct json all = json_new_obj(doc);

	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		struct json source = json_get(json_get(pv, "spec"), sources[i].name);

		if (json_is(source, JSON_OBJ))
			json_set(doc, all, str_from(sources[i].name), json_new_copy(doc, source));
	}
	json_doc_set_root(doc, all);
	return doc;
}

static void validate_same_source(struct json pv, struct json old, struct causes *causes)
{
	AUTO(json_doc_unref) struct json_doc *before = sources_of(old);
	AUTO(json_doc_unref) struct json_doc *after = sources_of(pv);
	AUTO(buf_done) struct buf left = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf right = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct path spec = path_member(NULL, STR("spec"));
	struct path path = path_member(&spec, STR("persistentvolumesource"));

	if (json_eq(json_doc_root(before), json_doc_root(after)))
		return;
	textdiff_put_value(json_doc_root(before), &left);
	textdiff_put_value(json_doc_root(after), &right);
	buf_puts(&text, "spec.persistentvolumesource is immutable after creation\n");
	textdiff_print(buf_str(&left), buf_str(&right), &text);
	causes_forbidden(causes, &path, buf_text(&text));
}

void pv_validate_update(struct json pv, struct json old, struct causes *causes)
{
	struct json spec = json_get(pv, "spec");
	struct json before = json_get(old, "spec");
	struct path mode = path_member(NULL, STR("volumeMode"));
	struct path affinity = path_member(NULL, STR("nodeAffinity"));

	rules_meta(pv, NAME_DNS_SUBDOMAIN, false, causes);
	pv_validate_create(pv, causes);
	validate_same_source(pv, old, causes);
	rules_immutable(json_get(spec, "volumeMode"), json_get(before, "volumeMode"), &mode,
			causes);
	if (json_is(json_get(before, "nodeAffinity"), JSON_OBJ) &&
	    !rules_same(json_get(spec, "nodeAffinity"), json_get(before, "nodeAffinity")))
		rules_invalid(json_get(spec, "nodeAffinity"), &affinity,
			      "field is immutable, except for updating from beta label to GA",
			      causes);
}
