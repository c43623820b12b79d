/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/podgroup.h - PodGroup (scheduling.volcano.sh/v1beta1): pods that are placed together or not
 * at all. It has no status sub-resource: spec and status are written together. */
#ifndef MODEL_PODGROUP_H
#define MODEL_PODGROUP_H

#include <stdint.h>

#include "base/str.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/value/labels.h"
#include "model/volcano/networktopology.h"

enum podgroup_phase {
	PODGROUP_PHASE_NONE,
	PODGROUP_PENDING,
	PODGROUP_RUNNING,
	PODGROUP_UNKNOWN,
	PODGROUP_INQUEUE,
	PODGROUP_COMPLETED,
	PODGROUP_PHASE_COUNT
};
extern const char *const podgroup_phase_names[PODGROUP_PHASE_COUNT];

struct podgroup_sub_group {
	struct str name;
	const struct network_topology *network_topology;
	struct opt_int32 sub_group_size;
	struct opt_int32 min_sub_groups;
	const struct label_selector *label_selector;
	struct strs match_label_keys;
};

struct podgroup_spec {
	int32_t min_member;
	VIEW_MAP(int32_t) min_task_member;
	struct str queue;
	struct str priority_class_name;
	struct resource_list min_resources;
	const struct network_topology *network_topology;
	VIEW_LIST(struct podgroup_sub_group) sub_group_policy;
};

struct podgroup_condition {
	struct str type; /* Unschedulable, Scheduled */
	struct str status;
	struct str transition_id;
	int64_t last_transition_time;
	struct str reason;
	struct str message;
};

struct podgroup_status {
	enum podgroup_phase phase;
	VIEW_LIST(struct podgroup_condition) conditions;
	int32_t running;
	int32_t succeeded;
	int32_t failed;
};

struct podgroup {
	struct meta meta;
	struct podgroup_spec spec;
	struct podgroup_status status;
};

extern const struct type podgroup_type;
extern const struct type podgroup_spec_type;
extern const struct type podgroup_status_type;

#endif
