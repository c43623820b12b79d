/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/volume.c - tables of volumes and their sources. */
#include "model/pod/volume.h"

#include "model/pod/pod_default.h"
#include "model/pod/volume_cloud.h"

#include "base/banned.h"

#define CORE .group = "io.k8s.api.core", .as_go = true

#define VIEW struct host_path_volume
static const struct field host_path_volume_fields[] = {
	{"path", F_STR, AT(path), F_REQUIRED},
	{"type", F_STR, AT(type), F_GO("v1.HostPathType"), F_POINTER},
};
#undef VIEW
const struct type host_path_volume_type = {
	TYPE("HostPathVolumeSource", "v1", struct host_path_volume, host_path_volume_fields),
	CORE,
	.fill = pod_default_host_path,
};

#define VIEW struct empty_dir_volume
static const struct field empty_dir_volume_fields[] = {
	{"medium", F_STR, AT(medium), F_GO("v1.StorageMedium")},
	{"sizeLimit", F_QUANTITY, AT(size_limit), F_POINTER},
};
#undef VIEW
static const struct type empty_dir_volume_type = {
	TYPE("EmptyDirVolumeSource", "v1", struct empty_dir_volume, empty_dir_volume_fields),
	CORE,
};

#define VIEW struct key_path
static const struct field key_path_fields[] = {
	{"key", F_STR, AT(key), F_REQUIRED},
	{"path", F_STR, AT(path), F_REQUIRED},
	{"mode", F_INT32, AT(mode), F_POINTER},
};
#undef VIEW
static const struct type key_path_type = {
	TYPE("KeyToPath", "v1", struct key_path, key_path_fields),
	CORE,
};

#define VIEW struct secret_volume
static const struct field secret_volume_fields[] = {
	{"secretName", F_STR, AT(name)},
	{"items", F_LIST(F_OBJECT(key_path)), AT(items), F_LIST_ATOMIC},
	{"defaultMode", F_INT32, AT(mode), F_POINTER},
	{"optional", F_BOOL, AT(optional), F_POINTER},
};
#undef VIEW
static const struct type secret_volume_type = {
	TYPE("SecretVolumeSource", "v1", struct secret_volume, secret_volume_fields),
	CORE,
	.fill = pod_default_mode,
};

#define VIEW struct config_map_volume
static const struct field config_map_volume_fields[] = {
	{"name", F_STR, AT(name)},
	{"items", F_LIST(F_OBJECT(key_path)), AT(items), F_LIST_ATOMIC},
	{"defaultMode", F_INT32, AT(mode), F_POINTER},
	{"optional", F_BOOL, AT(optional), F_POINTER},
};
#undef VIEW
static const struct type config_map_volume_type = {
	TYPE("ConfigMapVolumeSource", "v1", struct config_map_volume, config_map_volume_fields),
	CORE,
	.fill = pod_default_mode,
};

#define VIEW struct downward_file
static const struct field downward_file_fields[] = {
	{"path", F_STR, AT(path), F_REQUIRED},
	{"fieldRef", F_OBJECT(field_ref), AT(field)},
	{"resourceFieldRef", F_OBJECT(resource_field_ref), AT(resource)},
	{"mode", F_INT32, AT(mode), F_POINTER},
};
#undef VIEW
static const struct type downward_file_type = {
	TYPE("DownwardAPIVolumeFile", "v1", struct downward_file, downward_file_fields),
	CORE,
};

#define VIEW struct downward_volume
static const struct field downward_volume_fields[] = {
	{"items", F_LIST(F_OBJECT(downward_file)), AT(items), F_LIST_ATOMIC},
	{"defaultMode", F_INT32, AT(mode), F_POINTER},
};
#undef VIEW
static const struct type downward_volume_type = {
	TYPE("DownwardAPIVolumeSource", "v1", struct downward_volume, downward_volume_fields),
	CORE,
	.fill = pod_default_mode,
};

#define VIEW struct claim_volume
static const struct field claim_volume_fields[] = {
	{"claimName", F_STR, AT(name), F_REQUIRED},
	{"readOnly", F_BOOL, AT(read_only)},
};
#undef VIEW
static const struct type claim_volume_type = {
	TYPE("PersistentVolumeClaimVolumeSource", "v1", struct claim_volume, claim_volume_fields),
	CORE,
};

#define VIEW struct key_projection
static const struct field secret_projection_fields[] = {
	{"name", F_STR, AT(name)},
	{"items", F_LIST(F_OBJECT(key_path)), AT(items), F_LIST_ATOMIC},
	{"optional", F_BOOL, AT(optional), F_POINTER},
};
#undef VIEW
static const struct type secret_projection_type = {
	TYPE("SecretProjection", "v1", struct key_projection, secret_projection_fields),
	CORE,
};

#define VIEW struct key_projection
static const struct field config_map_projection_fields[] = {
	{"name", F_STR, AT(name)},
	{"items", F_LIST(F_OBJECT(key_path)), AT(items), F_LIST_ATOMIC},
	{"optional", F_BOOL, AT(optional), F_POINTER},
};
#undef VIEW
static const struct type config_map_projection_type = {
	TYPE("ConfigMapProjection", "v1", struct key_projection, config_map_projection_fields),
	CORE,
};

#define VIEW struct downward_projection
static const struct field downward_projection_fields[] = {
	{"items", F_LIST(F_OBJECT(downward_file)), AT(items), F_LIST_ATOMIC},
};
#undef VIEW
static const struct type downward_projection_type = {
	TYPE("DownwardAPIProjection", "v1", struct downward_projection, downward_projection_fields),
	CORE,
};

#define VIEW struct token_projection
static const struct field token_projection_fields[] = {
	{"audience", F_STR, AT(audience)},
	{"expirationSeconds", F_INT64, AT(expiration_seconds), F_POINTER},
	{"path", F_STR, AT(path), F_REQUIRED},
};
#undef VIEW
static const struct type token_projection_type = {
	TYPE("ServiceAccountTokenProjection", "v1", struct token_projection,
	     token_projection_fields),
	CORE,
	.fill = pod_default_token,
};

static const struct field trust_bundle_projection_fields[] = {
	{"name", F_STR, F_POINTER},
	{"signerName", F_STR, F_POINTER},
	{"labelSelector", F_OBJECT(label_selector)},
	{"optional", F_BOOL, F_POINTER},
	{"path", F_STR, F_REQUIRED},
};
static const struct type trust_bundle_projection_type = {
	TYPE_KNOWN("ClusterTrustBundleProjection", "v1", trust_bundle_projection_fields),
	CORE,
};

static const struct field pod_certificate_projection_fields[] = {
	{"signerName", F_STR, F_REQUIRED},
	{"keyType", F_STR, F_REQUIRED},
	{"maxExpirationSeconds", F_INT32, F_POINTER},
	{"credentialBundlePath", F_STR},
	{"keyPath", F_STR},
	{"certificateChainPath", F_STR},
};
static const struct type pod_certificate_projection_type = {
	TYPE_KNOWN("PodCertificateProjection", "v1", pod_certificate_projection_fields),
	CORE,
};

#define VIEW struct volume_projection
static const struct field volume_projection_fields[] = {
	{"secret", F_OBJECT(secret_projection), AT(secret)},
	{"downwardAPI", F_OBJECT(downward_projection), AT(downward)},
	{"configMap", F_OBJECT(config_map_projection), AT(config_map)},
	{"serviceAccountToken", F_OBJECT(token_projection), AT(token)},
	{"clusterTrustBundle", F_OBJECT(trust_bundle_projection)},
	{"podCertificate", F_OBJECT(pod_certificate_projection)},
};
#undef VIEW
static const struct type volume_projection_type = {
	TYPE("VolumeProjection", "v1", struct volume_projection, volume_projection_fields),
	CORE,
};

#define VIEW struct projected_volume
static const struct field projected_volume_fields[] = {
	{"sources", F_LIST(F_OBJECT(volume_projection)), AT(sources), F_ALWAYS, F_LIST_ATOMIC},
	{"defaultMode", F_INT32, AT(mode), F_POINTER},
};
#undef VIEW
static const struct type projected_volume_type = {
	TYPE("ProjectedVolumeSource", "v1", struct projected_volume, projected_volume_fields),
	CORE,
	.fill = pod_default_mode,
};

#define VIEW struct volume_requirements
static const struct field volume_requirements_fields[] = {
	{"limits", F_RESOURCES, AT(limits), F_GO("v1.ResourceList")},
	{"requests", F_RESOURCES, AT(requests), F_GO("v1.ResourceList")},
};
#undef VIEW
static const struct type volume_requirements_type = {
	TYPE("VolumeResourceRequirements", "v1", struct volume_requirements,
	     volume_requirements_fields),
	CORE,
};

static const struct field typed_local_ref_fields[] = {
	{"apiGroup", F_STR, F_POINTER, F_ALWAYS},
	{"kind", F_STR, F_REQUIRED},
	{"name", F_STR, F_REQUIRED},
};
static const struct type typed_local_ref_type = {
	TYPE_KNOWN("TypedLocalObjectReference", "v1", typed_local_ref_fields),
	CORE,
	.atomic = true,
};

static const struct field typed_ref_fields[] = {
	{"apiGroup", F_STR, F_POINTER, F_ALWAYS},
	{"kind", F_STR, F_REQUIRED},
	{"name", F_STR, F_REQUIRED},
	{"namespace", F_STR, F_POINTER},
};
static const struct type typed_ref_type = {
	TYPE_KNOWN("TypedObjectReference", "v1", typed_ref_fields),
	CORE,
};

#define VIEW struct claim_spec
static const struct field claim_spec_fields[] = {
	{"accessModes", F_LIST(F_STR, F_GO("v1.PersistentVolumeAccessMode")), AT(access_modes),
	 F_LIST_ATOMIC},
	{"selector", F_OBJECT(label_selector), AT(selector)},
	{"resources", F_OBJECT(volume_requirements), AT(resources), F_ALWAYS},
	{"volumeName", F_STR, AT(volume_name)},
	{"storageClassName", F_STR, AT(storage_class_name), F_POINTER},
	{"volumeMode", F_STR, AT(volume_mode), F_GO("v1.PersistentVolumeMode"), F_POINTER},
	{"dataSource", F_OBJECT(typed_local_ref)},
	{"dataSourceRef", F_OBJECT(typed_ref)},
	{"volumeAttributesClassName", F_STR, F_POINTER},
};
#undef VIEW
const struct type claim_spec_type = {
	TYPE("PersistentVolumeClaimSpec", "v1", struct claim_spec, claim_spec_fields),
	CORE,
	.fill = pod_default_claim,
};

#define VIEW struct claim_template
static const struct field claim_template_fields[] = {
	{"metadata", F_OBJECT(meta), AT(meta), F_ALWAYS},
	{"spec", F_OBJECT(claim_spec), AT(spec), F_REQUIRED},
};
#undef VIEW
static const struct type claim_template_type = {
	TYPE("PersistentVolumeClaimTemplate", "v1", struct claim_template, claim_template_fields),
	CORE,
};

#define VIEW struct ephemeral_volume
static const struct field ephemeral_volume_fields[] = {
	{"volumeClaimTemplate", F_OBJECT(claim_template), AT(claim_template)},
};
#undef VIEW
static const struct type ephemeral_volume_type = {
	TYPE("EphemeralVolumeSource", "v1", struct ephemeral_volume, ephemeral_volume_fields),
	CORE,
};

static const struct field nfs_volume_fields[] = {
	{"server", F_STR, F_REQUIRED},
	{"path", F_STR, F_REQUIRED},
	{"readOnly", F_BOOL},
};
const struct type nfs_volume_type = {
	TYPE_KNOWN("NFSVolumeSource", "v1", nfs_volume_fields),
	CORE,
};

static const struct field csi_volume_fields[] = {
	{"driver", F_STR, F_REQUIRED},
	{"readOnly", F_BOOL, F_POINTER},
	{"fsType", F_STR, F_POINTER},
	{"volumeAttributes", F_LABELS},
	{"nodePublishSecretRef", F_OBJECT(local_ref)},
};
static const struct type csi_volume_type = {
	TYPE_KNOWN("CSIVolumeSource", "v1", csi_volume_fields),
	CORE,
};

static const struct field image_volume_fields[] = {
	{"reference", F_STR},
	{"pullPolicy", F_STR, F_GO("v1.PullPolicy")},
};
static const struct type image_volume_type = {
	TYPE_KNOWN("ImageVolumeSource", "v1", image_volume_fields),
	CORE,
};

#define VIEW struct volume
static const struct field volume_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED},
	{"hostPath", F_OBJECT(host_path_volume), AT(host_path)},
	{"emptyDir", F_OBJECT(empty_dir_volume), AT(empty_dir)},
	{"gcePersistentDisk", F_OBJECT(gce_volume)},
	{"awsElasticBlockStore", F_OBJECT(aws_volume)},
	{"gitRepo", F_OBJECT(git_repo_volume)},
	{"secret", F_OBJECT(secret_volume), AT(secret)},
	{"nfs", F_OBJECT(nfs_volume)},
	{"iscsi", F_OBJECT(iscsi_volume)},
	{"glusterfs", F_OBJECT(glusterfs_volume)},
	{"persistentVolumeClaim", F_OBJECT(claim_volume), AT(claim)},
	{"rbd", F_OBJECT(rbd_volume)},
	{"flexVolume", F_OBJECT(flex_volume)},
	{"cinder", F_OBJECT(cinder_volume)},
	{"cephfs", F_OBJECT(cephfs_volume)},
	{"flocker", F_OBJECT(flocker_volume)},
	{"downwardAPI", F_OBJECT(downward_volume), AT(downward)},
	{"fc", F_OBJECT(fc_volume)},
	{"azureFile", F_OBJECT(azure_file_volume)},
	{"configMap", F_OBJECT(config_map_volume), AT(config_map)},
	{"vsphereVolume", F_OBJECT(vsphere_volume)},
	{"quobyte", F_OBJECT(quobyte_volume)},
	{"azureDisk", F_OBJECT(azure_disk_volume)},
	{"photonPersistentDisk", F_OBJECT(photon_volume)},
	{"projected", F_OBJECT(projected_volume), AT(projected)},
	{"portworxVolume", F_OBJECT(portworx_volume)},
	{"scaleIO", F_OBJECT(scale_io_volume)},
	{"storageos", F_OBJECT(storageos_volume)},
	{"csi", F_OBJECT(csi_volume)},
	{"ephemeral", F_OBJECT(ephemeral_volume), AT(ephemeral)},
	{"image", F_OBJECT(image_volume)},
};
#undef VIEW
const struct type volume_type = {
	TYPE("Volume", "v1", struct volume, volume_fields),
	CORE,
	.fill = pod_default_volume,
};
