/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/jobflow.c - the tables of JobFlow. Probes and patches are in the schema, as upstream has
 * them, and are kept as documents: nothing acts on them. */
#include "model/volcano/jobflow.h"

#include "base/banned.h"

static const char *const retain_names[JOBFLOW_RETAIN_COUNT] = {
	[JOBFLOW_RETAIN_NONE] = "",
	[JOBFLOW_RETAIN] = "retain",
	[JOBFLOW_DELETE] = "delete",
};

static const char *const phase_names[JOBFLOW_PHASE_COUNT] = {
	[JOBFLOW_PHASE_NONE] = "",
	[JOBFLOW_SUCCEED] = "Succeed",
	[JOBFLOW_TERMINATING] = "Terminating",
	[JOBFLOW_FAILED] = "Failed",
	[JOBFLOW_RUNNING] = "Running",
	[JOBFLOW_PENDING] = "Pending",
};

#define FLOW .group = "sh.volcano.flow"

/* --- probes ---------------------------------------------------------------------------------- */

static const struct field http_header_fields[] = {
	{"name", F_STR, F_NEEDED},
	{"value", F_STR, F_NEEDED},
};
static const struct type http_header_type = {
	TYPE_KNOWN("HTTPHeader", "v1", http_header_fields),
};

static const struct field http_get_fields[] = {
	{"taskName", F_STR, F_MAX_LEN(253)},
	{"path", F_STR},
	{"port", F_INT64, F_RANGE(0, 65535)},
	{"httpHeader", F_OBJECT(http_header)},
};
static const struct type http_get_type = {
	TYPE_KNOWN("HttpGet", "v1alpha1", http_get_fields),
	FLOW,
};

static const struct field tcp_socket_fields[] = {
	{"taskName", F_STR, F_MAX_LEN(253)},
	{"port", F_INT64, F_NEEDED, F_RANGE(0, 65535)},
};
static const struct type tcp_socket_type = {
	TYPE_KNOWN("TcpSocket", "v1alpha1", tcp_socket_fields),
	FLOW,
};

static const struct field task_status_fields[] = {
	{"taskName", F_STR, F_MAX_LEN(253)},
	{"phase", F_STR, F_MAX_LEN(63)},
};
static const struct type task_status_type = {
	TYPE_KNOWN("TaskStatus", "v1alpha1", task_status_fields),
	FLOW,
};

static const struct field probe_fields[] = {
	{"httpGetList", F_LIST(F_OBJECT(http_get))},
	{"tcpSocketList", F_LIST(F_OBJECT(tcp_socket))},
	{"taskStatusList", F_LIST(F_OBJECT(task_status))},
};
static const struct type probe_type = {
	TYPE_KNOWN("Probe", "v1alpha1", probe_fields),
	FLOW,
};

/* --- spec ------------------------------------------------------------------------------------ */

#define VIEW struct jobflow_depends_on
static const struct field jobflow_depends_on_fields[] = {
	{"targets", F_LIST(F_STR), AT(targets), F_DOC("flows to wait for")},
	{"probe", F_OBJECT(probe), AT(probe), F_DOC("when they are ready")},
};
#undef VIEW
static const struct type jobflow_depends_on_type = {
	TYPE("DependsOn", "v1alpha1", struct jobflow_depends_on, jobflow_depends_on_fields),
	FLOW,
};

static const struct field patch_fields[] = {
	{"jobSpec", F_OBJECT(vcjob_spec)},
};
static const struct type patch_type = {
	TYPE_KNOWN("Patch", "v1alpha1", patch_fields),
	FLOW,
};

#define VIEW struct jobflow_flow
static const struct field jobflow_flow_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED, F_MIN_LEN(1), F_DOC("the job template's name")},
	{"dependsOn", F_OBJECT(jobflow_depends_on), AT(depends_on)},
	{"patch", F_OBJECT(patch), AT(patch), F_DOC("changes to the template")},
};
#undef VIEW
static const struct type jobflow_flow_type = {
	TYPE("Flow", "v1alpha1", struct jobflow_flow, jobflow_flow_fields),
	FLOW,
};

#define VIEW struct jobflow_spec
static const struct field jobflow_spec_fields[] = {
	{"flows", F_LIST(F_OBJECT(jobflow_flow)), AT(flows)},
	{"jobRetainPolicy", F_ENUM(retain_names), AT(job_retain_policy),
	 F_DOC("what happens to the jobs when the flow has succeeded")},
};
#undef VIEW
static const struct type jobflow_spec_type = {
	TYPE("JobFlowSpec", "v1alpha1", struct jobflow_spec, jobflow_spec_fields),
	FLOW,
};

/* --- status ---------------------------------------------------------------------------------- */

#define VIEW struct jobflow_history
static const struct field jobflow_history_fields[] = {
	{"startTimestamp", F_TIME, AT(start)},
	{"endTimestamp", F_TIME, AT(end)},
	{"state", F_ENUM(vcjob_phase_names), AT(state), F_OPEN},
};
#undef VIEW
static const struct type jobflow_history_type = {
	TYPE("JobRunningHistory", "v1alpha1", struct jobflow_history, jobflow_history_fields),
	FLOW,
};

#define VIEW struct jobflow_job
static const struct field jobflow_job_fields[] = {
	{"name", F_STR, AT(name)},
	{"state", F_ENUM(vcjob_phase_names), AT(state), F_OPEN},
	{"startTimestamp", F_TIME, AT(start)},
	{"endTimestamp", F_TIME, AT(end)},
	{"restartCount", F_INT32, AT(restart_count), F_MIN(0)},
	{"runningHistories", F_LIST(F_OBJECT(jobflow_history)), AT(running_histories)},
};
#undef VIEW
static const struct type jobflow_job_type = {
	TYPE("JobStatus", "v1alpha1", struct jobflow_job, jobflow_job_fields),
	FLOW,
};

#define VIEW struct jobflow_condition
static const struct field jobflow_condition_fields[] = {
	{"phase", F_ENUM(vcjob_phase_names), AT(phase), F_OPEN},
	{"createTime", F_TIME, AT(create_time)},
	{"runningDuration", F_DURATION, AT(running_duration)},
	{"taskStatusCount", F_MAP(F_OBJECT(vcjob_task_state)), AT(task_status_count)},
};
#undef VIEW
static const struct type jobflow_condition_type = {
	TYPE("Condition", "v1alpha1", struct jobflow_condition, jobflow_condition_fields),
	FLOW,
};

#define VIEW struct jobflow_state
static const struct field jobflow_state_fields[] = {
	{"phase", F_ENUM(phase_names), AT(phase)},
};
#undef VIEW
static const struct type jobflow_state_type = {
	TYPE("State", "v1alpha1", struct jobflow_state, jobflow_state_fields),
	FLOW,
};

#define VIEW struct jobflow_status
static const struct field jobflow_status_fields[] = {
	{"pendingJobs", F_LIST(F_STR), AT(pending_jobs)},
	{"runningJobs", F_LIST(F_STR), AT(running_jobs)},
	{"failedJobs", F_LIST(F_STR), AT(failed_jobs)},
	{"completedJobs", F_LIST(F_STR), AT(completed_jobs)},
	{"terminatedJobs", F_LIST(F_STR), AT(terminated_jobs)},
	{"unKnowJobs", F_LIST(F_STR), AT(unknown_jobs)},
	{"jobStatusList", F_LIST(F_OBJECT(jobflow_job)), AT(job_status_list)},
	{"conditions", F_MAP(F_OBJECT(jobflow_condition)), AT(conditions)},
	{"state", F_OBJECT(jobflow_state), AT(state)},
};
#undef VIEW
static const struct type jobflow_status_type = {
	TYPE("JobFlowStatus", "v1alpha1", struct jobflow_status, jobflow_status_fields),
	FLOW,
};

#define VIEW struct jobflow
static const struct field jobflow_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta)},
	{"spec", F_OBJECT(jobflow_spec), AT(spec)},
	{"status", F_OBJECT(jobflow_status), AT(status)},
};
#undef VIEW
const struct type jobflow_type = {
	TYPE("JobFlow", "v1alpha1", struct jobflow, jobflow_fields),
	FLOW,
	.doc = "jobs that wait for one another",
};
