/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/vcjob.h - Job (batch.volcano.sh/v1alpha1): tasks of equal pods that run as a gang.
 *
 * Pod templates and volume claims are kept as documents: the controller copies the template
 * whole, and looks at a few fields of it only. */
#ifndef MODEL_VCJOB_H
#define MODEL_VCJOB_H

#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/volcano/command.h"
#include "model/volcano/networktopology.h"

enum vcjob_phase {
	VCJOB_PHASE_NONE,
	VCJOB_PENDING,
	VCJOB_ABORTING,
	VCJOB_ABORTED,
	VCJOB_RUNNING,
	VCJOB_RESTARTING,
	VCJOB_COMPLETING,
	VCJOB_COMPLETED,
	VCJOB_TERMINATING,
	VCJOB_TERMINATED,
	VCJOB_FAILED,
	VCJOB_PHASE_COUNT
};
extern const char *const vcjob_phase_names[VCJOB_PHASE_COUNT];

/* NUMA policy of a task. */
enum numa_policy {
	NUMA_POLICY_UNSET,
	NUMA_POLICY_NONE,
	NUMA_POLICY_BEST_EFFORT,
	NUMA_POLICY_RESTRICTED,
	NUMA_POLICY_SINGLE_NODE,
	NUMA_POLICY_COUNT
};
extern const char *const numa_policy_names[NUMA_POLICY_COUNT];

enum vcjob_iteration {
	VCJOB_ITERATION_NONE, /* as "all" */
	VCJOB_ITERATION_ANY,
	VCJOB_ITERATION_ALL,
	VCJOB_ITERATION_COUNT
};

/* Either events or an exit code. */
struct vcjob_policy {
	enum bus_action action;
	enum bus_event event;
	VIEW_LIST(enum bus_event) events; /* together with `event` */
	struct opt_int32 exit_code;
	struct opt_int64 timeout; /* microseconds */
};

struct vcjob_volume {
	struct str mount_path;
	struct str claim_name;
	struct json claim; /* a PersistentVolumeClaimSpec; absent: the claim is there */
};

struct vcjob_partition {
	int32_t total_partitions;
	int32_t partition_size;
	int32_t min_partitions;
	const struct network_topology *network_topology;
};

struct vcjob_depends_on {
	struct strs name; /* tasks */
	enum vcjob_iteration iteration;
};

struct vcjob_task {
	struct str name;
	int32_t replicas;
	struct opt_int32 min_available;
	struct json template; /* a PodTemplateSpec */
	VIEW_LIST(struct vcjob_policy) policies;
	enum numa_policy topology_policy;
	int32_t max_retry;
	const struct vcjob_depends_on *depends_on;
	const struct vcjob_partition *partition_policy;
};

struct vcjob_spec {
	struct str scheduler_name;
	int32_t min_available;
	VIEW_LIST(struct vcjob_volume) volumes;
	VIEW_LIST(struct vcjob_task) tasks;
	VIEW_LIST(struct vcjob_policy) policies;
	VIEW_MAP(struct strs) plugins; /* name: arguments */
	struct opt_int64 running_estimate;
	struct str queue;
	int32_t max_retry;
	struct opt_int32 ttl_seconds_after_finished;
	struct str priority_class_name;
	struct opt_int32 min_success;
	const struct network_topology *network_topology;
};

struct vcjob_state {
	enum vcjob_phase phase;
	struct str reason;
	struct str message;
	int64_t last_transition_time;
};

struct vcjob_condition {
	enum vcjob_phase status;
	int64_t last_transition_time;
};

/* Pods of a task by phase. */
struct vcjob_task_state {
	VIEW_MAP(int32_t) phase;
};

struct vcjob_status {
	struct vcjob_state state;
	int32_t min_available;
	VIEW_MAP(struct vcjob_task_state) task_status_count;
	int32_t pending;
	int32_t running;
	int32_t succeeded;
	int32_t failed;
	int32_t terminating;
	int32_t unknown;
	int32_t version;
	int32_t retry_count;
	struct opt_int64 running_duration;
	struct labels controlled_resources;
	VIEW_LIST(struct vcjob_condition) conditions;
};

struct vcjob {
	struct meta meta;
	struct vcjob_spec spec;
	struct vcjob_status status;
};

extern const struct type vcjob_type;
extern const struct type vcjob_spec_type; /* of cron jobs, job templates, hyper jobs as well */
extern const struct type vcjob_status_type;
extern const struct type vcjob_state_type;
extern const struct type vcjob_task_type;
extern const struct type vcjob_task_state_type;

/* Is it one of the phases that a job never leaves by itself? */
static inline bool vcjob_phase_is_final(enum vcjob_phase phase)
{
	return phase == VCJOB_ABORTED || phase == VCJOB_COMPLETED || phase == VCJOB_TERMINATED ||
	       phase == VCJOB_FAILED;
}

#endif
