/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/storage.h - storage classes, CSI drivers, CSI nodes, attachments and capacities. */
#ifndef MODEL_STORAGE_H
#define MODEL_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"
#include "model/value/labels.h"

struct topology_selector_label_requirement {
	struct str key;
	struct strs values;
};
extern const struct type topology_selector_label_requirement_type;

struct topology_selector_term {
	VIEW_LIST(struct topology_selector_label_requirement) match_label_expressions;
};
extern const struct type topology_selector_term_type;

struct storageclass {
	struct meta meta;
	struct str provisioner;
	struct str reclaim_policy;
	struct opt_bool allow_volume_expansion;
	struct str volume_binding_mode;
	VIEW_LIST(struct topology_selector_term) allowed_topologies;
};
extern const struct type storageclass_type;

struct volume_node_resources {
	struct opt_int32 count;
};
extern const struct type volume_node_resources_type;

struct csinode_driver {
	struct str name;
	struct str node_id;
	struct strs topology_keys;
	const struct volume_node_resources *allocatable;
};
extern const struct type csinode_driver_type;

struct csinode_spec {
	VIEW_LIST(struct csinode_driver) drivers;
};
extern const struct type csinode_spec_type;

struct csinode {
	struct meta meta;
	struct csinode_spec spec;
};
extern const struct type csinode_type;

extern const struct type csidriver_type;

extern const struct type volumeattachment_type;

struct csistoragecapacity {
	struct meta meta;
	const struct label_selector *node_topology;
	struct str storage_class_name;
	const struct quantity *capacity;
	const struct quantity *maximum_volume_size;
};
extern const struct type csistoragecapacity_type;

/* In storage_validate.c, for the tables. */
extern const struct rules storageclass_rules, storageclass_update_rules, csidriver_rules,
	csidriver_update_rules, volumeattachment_rules, volumeattachment_update_rules,
	csistoragecapacity_rules, csistoragecapacity_update_rules, csinode_rules,
	csinode_update_rules;
extern const struct type volume_attachment_spec_type;

#endif
