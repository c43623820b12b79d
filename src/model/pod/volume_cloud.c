/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/volume_cloud.c - tables of the volume sources of single vendors. None has a view. */
#include "model/pod/volume_cloud.h"

#include "model/pod/container.h"

#include "base/banned.h"

#define CORE .group = "io.k8s.api.core", .as_go = true

static const struct field gce_volume_fields[] = {
	{"pdName", F_STR, F_REQUIRED},
	{"fsType", F_STR},
	{"partition", F_INT32},
	{"readOnly", F_BOOL},
};
const struct type gce_volume_type = {
	TYPE_KNOWN("GCEPersistentDiskVolumeSource", "v1", gce_volume_fields),
	CORE,
};

static const struct field aws_volume_fields[] = {
	{"volumeID", F_STR, F_REQUIRED},
	{"fsType", F_STR},
	{"partition", F_INT32},
	{"readOnly", F_BOOL},
};
const struct type aws_volume_type = {
	TYPE_KNOWN("AWSElasticBlockStoreVolumeSource", "v1", aws_volume_fields),
	CORE,
};

static const struct field git_repo_volume_fields[] = {
	{"repository", F_STR, F_REQUIRED},
	{"revision", F_STR},
	{"directory", F_STR},
};
const struct type git_repo_volume_type = {
	TYPE_KNOWN("GitRepoVolumeSource", "v1", git_repo_volume_fields),
	CORE,
};

static const struct field iscsi_volume_fields[] = {
	{"targetPortal", F_STR, F_REQUIRED},
	{"iqn", F_STR, F_REQUIRED},
	{"lun", F_INT32, F_REQUIRED},
	{"iscsiInterface", F_STR, F_DEFAULT("default")},
	{"fsType", F_STR},
	{"readOnly", F_BOOL},
	{"portals", F_LIST(F_STR), F_LIST_ATOMIC},
	{"chapAuthDiscovery", F_BOOL},
	{"chapAuthSession", F_BOOL},
	{"secretRef", F_OBJECT(local_ref)},
	{"initiatorName", F_STR, F_POINTER},
};
const struct type iscsi_volume_type = {
	TYPE_KNOWN("ISCSIVolumeSource", "v1", iscsi_volume_fields),
	CORE,
};

static const struct field glusterfs_volume_fields[] = {
	{"endpoints", F_STR, F_REQUIRED},
	{"path", F_STR, F_REQUIRED},
	{"readOnly", F_BOOL},
};
const struct type glusterfs_volume_type = {
	TYPE_KNOWN("GlusterfsVolumeSource", "v1", glusterfs_volume_fields),
	CORE,
};

static const struct field rbd_volume_fields[] = {
	{"monitors", F_LIST(F_STR), F_REQUIRED, F_LIST_ATOMIC},
	{"image", F_STR, F_REQUIRED},
	{"fsType", F_STR},
	{"pool", F_STR, F_DEFAULT("rbd")},
	{"user", F_STR, F_DEFAULT("admin")},
	{"keyring", F_STR, F_DEFAULT("/etc/ceph/keyring")},
	{"secretRef", F_OBJECT(local_ref)},
	{"readOnly", F_BOOL},
};
const struct type rbd_volume_type = {
	TYPE_KNOWN("RBDVolumeSource", "v1", rbd_volume_fields),
	CORE,
};

static const struct field flex_volume_fields[] = {
	{"driver", F_STR, F_REQUIRED}, {"fsType", F_STR},     {"secretRef", F_OBJECT(local_ref)},
	{"readOnly", F_BOOL},          {"options", F_LABELS},
};
const struct type flex_volume_type = {
	TYPE_KNOWN("FlexVolumeSource", "v1", flex_volume_fields),
	CORE,
};

static const struct field cinder_volume_fields[] = {
	{"volumeID", F_STR, F_REQUIRED},
	{"fsType", F_STR},
	{"readOnly", F_BOOL},
	{"secretRef", F_OBJECT(local_ref)},
};
const struct type cinder_volume_type = {
	TYPE_KNOWN("CinderVolumeSource", "v1", cinder_volume_fields),
	CORE,
};

static const struct field cephfs_volume_fields[] = {
	{"monitors", F_LIST(F_STR), F_REQUIRED, F_LIST_ATOMIC},
	{"path", F_STR},
	{"user", F_STR},
	{"secretFile", F_STR},
	{"secretRef", F_OBJECT(local_ref)},
	{"readOnly", F_BOOL},
};
const struct type cephfs_volume_type = {
	TYPE_KNOWN("CephFSVolumeSource", "v1", cephfs_volume_fields),
	CORE,
};

static const struct field flocker_volume_fields[] = {
	{"datasetName", F_STR},
	{"datasetUUID", F_STR},
};
const struct type flocker_volume_type = {
	TYPE_KNOWN("FlockerVolumeSource", "v1", flocker_volume_fields),
	CORE,
};

static const struct field fc_volume_fields[] = {
	{"targetWWNs", F_LIST(F_STR), F_LIST_ATOMIC},
	{"lun", F_INT32, F_POINTER},
	{"fsType", F_STR},
	{"readOnly", F_BOOL},
	{"wwids", F_LIST(F_STR), F_LIST_ATOMIC},
};
const struct type fc_volume_type = {
	TYPE_KNOWN("FCVolumeSource", "v1", fc_volume_fields),
	CORE,
};

static const struct field azure_file_volume_fields[] = {
	{"secretName", F_STR, F_REQUIRED},
	{"shareName", F_STR, F_REQUIRED},
	{"readOnly", F_BOOL},
};
const struct type azure_file_volume_type = {
	TYPE_KNOWN("AzureFileVolumeSource", "v1", azure_file_volume_fields),
	CORE,
};

static const struct field vsphere_volume_fields[] = {
	{"volumePath", F_STR, F_REQUIRED},
	{"fsType", F_STR},
	{"storagePolicyName", F_STR},
	{"storagePolicyID", F_STR},
};
const struct type vsphere_volume_type = {
	TYPE_KNOWN("VsphereVirtualDiskVolumeSource", "v1", vsphere_volume_fields),
	CORE,
};

static const struct field quobyte_volume_fields[] = {
	{"registry", F_STR, F_REQUIRED},
	{"volume", F_STR, F_REQUIRED},
	{"readOnly", F_BOOL},
	{"user", F_STR},
	{"group", F_STR},
	{"tenant", F_STR},
};
const struct type quobyte_volume_type = {
	TYPE_KNOWN("QuobyteVolumeSource", "v1", quobyte_volume_fields),
	CORE,
};

static const struct field azure_disk_volume_fields[] = {
	{"diskName", F_STR, F_REQUIRED},
	{"diskURI", F_STR, F_REQUIRED},
	{"cachingMode", F_STR, F_GO("v1.AzureDataDiskCachingMode"), F_POINTER,
	 F_DEFAULT("ReadWrite")},
	{"fsType", F_STR, F_POINTER, F_DEFAULT("ext4")},
	{"readOnly", F_BOOL, F_POINTER, F_DEFAULT("false")},
	{"kind", F_STR, F_GO("v1.AzureDataDiskKind"), F_POINTER, F_DEFAULT("Shared")},
};
const struct type azure_disk_volume_type = {
	TYPE_KNOWN("AzureDiskVolumeSource", "v1", azure_disk_volume_fields),
	CORE,
};

static const struct field photon_volume_fields[] = {
	{"pdID", F_STR, F_REQUIRED},
	{"fsType", F_STR},
};
const struct type photon_volume_type = {
	TYPE_KNOWN("PhotonPersistentDiskVolumeSource", "v1", photon_volume_fields),
	CORE,
};

static const struct field portworx_volume_fields[] = {
	{"volumeID", F_STR, F_REQUIRED},
	{"fsType", F_STR},
	{"readOnly", F_BOOL},
};
const struct type portworx_volume_type = {
	TYPE_KNOWN("PortworxVolumeSource", "v1", portworx_volume_fields),
	CORE,
};

static const struct field scale_io_volume_fields[] = {
	{"gateway", F_STR, F_REQUIRED},
	{"system", F_STR, F_REQUIRED},
	{"secretRef", F_OBJECT(local_ref), F_POINTER, F_REQUIRED},
	{"sslEnabled", F_BOOL},
	{"protectionDomain", F_STR},
	{"storagePool", F_STR},
	{"storageMode", F_STR, F_DEFAULT("ThinProvisioned")},
	{"volumeName", F_STR},
	{"fsType", F_STR, F_DEFAULT("xfs")},
	{"readOnly", F_BOOL},
};
const struct type scale_io_volume_type = {
	TYPE_KNOWN("ScaleIOVolumeSource", "v1", scale_io_volume_fields),
	CORE,
};

static const struct field storageos_volume_fields[] = {
	{"volumeName", F_STR}, {"volumeNamespace", F_STR},         {"fsType", F_STR},
	{"readOnly", F_BOOL},  {"secretRef", F_OBJECT(local_ref)},
};
const struct type storageos_volume_type = {
	TYPE_KNOWN("StorageOSVolumeSource", "v1", storageos_volume_fields),
	CORE,
};
