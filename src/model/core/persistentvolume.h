/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/persistentvolume.h - persistent volumes. */
#ifndef MODEL_PERSISTENTVOLUME_H
#define MODEL_PERSISTENTVOLUME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/core/reference.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/pod/affinity.h"
#include "model/pod/volume.h"
#include "model/rules/causes.h"

struct local_volume_source {
	struct str path;
	struct str fs_type;
};
extern const struct type local_volume_source_type;

struct csi_persistent_volume_source {
	struct str driver;
	struct str volume_handle;
};
extern const struct type csi_persistent_volume_source_type;

struct volume_node_affinity {
	const struct node_selector *required;
};
extern const struct type volume_node_affinity_type;

struct pv_spec {
	struct resource_list capacity;
	const struct host_path_volume *host_path;
	const struct local_volume_source *local;
	const struct csi_persistent_volume_source *csi;
	struct strs access_modes;
	const struct object_reference *claim_ref;
	struct str persistent_volume_reclaim_policy;
	struct str storage_class_name;
	struct str volume_mode;
	const struct volume_node_affinity *node_affinity;
};
extern const struct type pv_spec_type;

struct pv_status {
	struct str phase;
};
extern const struct type pv_status_type;

struct pv {
	struct meta meta;
	struct pv_spec spec;
	struct pv_status status;
};
extern const struct type pv_type;

/* What kube-apiserver sets on a new volume: the status, and the finalizer that protects it. */
void pv_prepare_create(struct json_doc *doc, struct json pv);

#endif
