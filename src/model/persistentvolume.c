/* SPDX-License-Identifier: Apache-2.0 */
/* model/persistentvolume.c - persistent volumes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/persistentvolume.h"

#include "model/rules.h"
#include "model/volume_cloud.h"

#include "base/banned.h"

#define VIEW struct host_path_volume_source
static const struct field host_path_volume_source_fields[] = {
	{"path", F_STR, AT(path), F_ALWAYS, F_REQUIRED},
	{"type", F_STR, AT(type), F_POINTER, F_GO("v1.HostPathType")},
};
#undef VIEW
const struct type host_path_volume_source_type = {
	TYPE("HostPathVolumeSource", "v1", struct host_path_volume_source,
	     host_path_volume_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

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

static const struct field nfs_volume_source_fields[] = {
	{"server", F_STR, F_ALWAYS, F_REQUIRED},
	{"path", F_STR, F_ALWAYS, F_REQUIRED},
	{"readOnly", F_BOOL},
};
static const struct type nfs_volume_source_type = {
	TYPE_KNOWN("NFSVolumeSource", "v1", nfs_volume_source_fields),
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
	{"secretRef", F_OBJECT(secret_reference), F_ALWAYS, F_REQUIRED},
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

#define VIEW struct pv_spec
static const struct field pv_spec_fields[] = {
	{"capacity", F_RESOURCES, AT(capacity), F_GO("v1.ResourceList")},
	{"gcePersistentDisk", F_OBJECT(gce_volume)},
	{"awsElasticBlockStore", F_OBJECT(aws_volume)},
	{"hostPath", F_OBJECT(host_path_volume_source), AT(host_path)},
	{"glusterfs", F_OBJECT(glusterfs_persistent_volume_source)},
	{"nfs", F_OBJECT(nfs_volume_source)},
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
	{"claimRef", F_OBJECT(object_reference), AT(claim_ref)},
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
};

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
