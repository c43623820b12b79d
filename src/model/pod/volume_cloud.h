/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/volume_cloud.h - tables of the volume sources of single vendors. Most are deprecated; they are
 * accepted, kept and validated, and that is all. */
#ifndef MODEL_VOLUME_CLOUD_H
#define MODEL_VOLUME_CLOUD_H

#include "model/field/fields.h"

extern const struct type gce_volume_type;
extern const struct type aws_volume_type;
extern const struct type git_repo_volume_type;
extern const struct type iscsi_volume_type;
extern const struct type glusterfs_volume_type;
extern const struct type rbd_volume_type;
extern const struct type flex_volume_type;
extern const struct type cinder_volume_type;
extern const struct type cephfs_volume_type;
extern const struct type flocker_volume_type;
extern const struct type fc_volume_type;
extern const struct type azure_file_volume_type;
extern const struct type vsphere_volume_type;
extern const struct type quobyte_volume_type;
extern const struct type azure_disk_volume_type;
extern const struct type photon_volume_type;
extern const struct type portworx_volume_type;
extern const struct type scale_io_volume_type;
extern const struct type storageos_volume_type;

#endif
