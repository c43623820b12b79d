/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/jobflow.h - JobFlow (flow.volcano.sh/v1alpha1): jobs that wait for one another. */
#ifndef MODEL_JOBFLOW_H
#define MODEL_JOBFLOW_H

#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/volcano/vcjob.h"

enum jobflow_retain { JOBFLOW_RETAIN_NONE, JOBFLOW_RETAIN, JOBFLOW_DELETE, JOBFLOW_RETAIN_COUNT };

enum jobflow_phase {
	JOBFLOW_PHASE_NONE,
	JOBFLOW_SUCCEED,
	JOBFLOW_TERMINATING,
	JOBFLOW_FAILED,
	JOBFLOW_RUNNING,
	JOBFLOW_PENDING,
	JOBFLOW_PHASE_COUNT
};

struct jobflow_depends_on {
	struct strs targets;
	struct json probe; /* when they are ready before they are done */
};

struct jobflow_flow {
	struct str name; /* of a JobTemplate */
	const struct jobflow_depends_on *depends_on;
	struct json patch; /* accepted, and not acted on */
};

struct jobflow_spec {
	VIEW_LIST(struct jobflow_flow) flows;
	enum jobflow_retain job_retain_policy;
};

struct jobflow_history {
	int64_t start;
	int64_t end;
	enum vcjob_phase state;
};

struct jobflow_job {
	struct str name;
	enum vcjob_phase state;
	int64_t start;
	int64_t end;
	int32_t restart_count;
	VIEW_LIST(struct jobflow_history) running_histories;
};

struct jobflow_condition {
	enum vcjob_phase phase;
	int64_t create_time;
	struct opt_int64 running_duration;
	VIEW_MAP(struct vcjob_task_state) task_status_count;
};

struct jobflow_state {
	enum jobflow_phase phase;
};

struct jobflow_status {
	struct strs pending_jobs;
	struct strs running_jobs;
	struct strs failed_jobs;
	struct strs completed_jobs;
	struct strs terminated_jobs;
	struct strs unknown_jobs;
	VIEW_LIST(struct jobflow_job) job_status_list;
	VIEW_MAP(struct jobflow_condition) conditions; /* by the name of the job */
	struct jobflow_state state;
};

struct jobflow {
	struct meta meta;
	struct jobflow_spec spec;
	struct jobflow_status status;
};

extern const struct type jobflow_type;

#endif
