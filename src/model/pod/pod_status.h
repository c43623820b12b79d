/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_status.h - what has become of a pod. */
#ifndef MODEL_POD_STATUS_H
#define MODEL_POD_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "model/core/conditions.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/pod/container.h"

enum pod_phase {
	POD_NONE, /* new */
	POD_PENDING,
	POD_RUNNING,
	POD_SUCCEEDED,
	POD_FAILED,
	POD_UNKNOWN,
	POD_PHASE_COUNT
};
/* "Pending"; "" for POD_NONE. */
const char *pod_phase_name(enum pod_phase phase);

enum pod_qos {
	POD_QOS_NONE,
	POD_QOS_BEST_EFFORT,
	POD_QOS_BURSTABLE,
	POD_QOS_GUARANTEED,
	POD_QOS_COUNT
};
/* "BestEffort", ... */
const char *pod_qos_name(enum pod_qos qos);

/* At most one is there; none: waiting. */
struct container_waiting {
	struct str reason;
	struct str message;
};
struct container_running {
	int64_t started_at;
};
struct container_terminated {
	int32_t exit_code;
	int32_t signal;
	struct str reason;
	struct str message;
	int64_t started_at;
	int64_t finished_at;
};
struct container_state {
	const struct container_waiting *waiting;
	const struct container_running *running;
	const struct container_terminated *terminated;
};
extern const struct type container_state_type;

struct container_status {
	struct str name;
	struct container_state state;
	struct container_state last_state;
	bool ready;
	int32_t restart_count;
	struct str image;
	struct str image_id;
	struct str container_id;
	struct opt_bool started;
	struct resource_list allocated_resources;
	const struct requirements *resources;
};
struct container_statuses {
	struct container_status *ptr;
	size_t len;
};
extern const struct type container_status_type;

struct pod_ip {
	struct str ip;
};
extern const struct type pod_ip_type;
struct pod_claim_status {
	struct str name;
	const struct str *claim;
};
/* Like condition_type, with the time of the last probe and without its rules. */
extern const struct type pod_condition_type;

struct pod_status {
	int64_t observed_generation;
	enum pod_phase phase;
	struct conditions conditions;
	struct str message;
	struct str reason;
	struct str nominated_node_name;
	struct str host_ip;
	struct str pod_ip;
	VIEW_LIST(struct pod_ip) pod_ips;
	int64_t start_time;
	struct container_statuses init_statuses;
	struct container_statuses statuses;
	enum pod_qos qos;
	struct container_statuses ephemeral_statuses;
	struct str resize;
	VIEW_LIST(struct pod_claim_status) claim_statuses;
};
extern const struct type pod_status_type;

#endif
