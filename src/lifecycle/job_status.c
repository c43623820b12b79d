/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_status.c - the status of a job: from counts to what is written.
 *
 * state.lastTransitionTime is the time of the last change of any kind, as in upstream: the time to
 * live of a finished job counts from there. A condition has the time at which its phase was
 * entered. */
#include <stdlib.h>
#include <string.h>

#include "lifecycle/job_internal.h"
#include "model/pod/pod_status.h"

#include "base/banned.h"

/* Pods of one task by phase, in the order of names, without zeroes. */
static struct vcjob_task_state task_state(struct arena *arena, const struct job_count *count)
{
	const struct {
		enum pod_phase phase;
		int32_t count;
	} rows[] = {
		{POD_FAILED, count->failed},   {POD_PENDING, count->pending},
		{POD_RUNNING, count->running}, {POD_SUCCEEDED, count->succeeded},
		{POD_UNKNOWN, count->unknown},
	};
	struct vcjob_task_state ret = {
		.phase.ptr = arena_calloc(arena, ARRAY_LEN(rows), sizeof(*ret.phase.ptr))};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].count == 0)
			continue;
		ret.phase.ptr[ret.phase.len].key = str_from(pod_phase_name(rows[i].phase));
		ret.phase.ptr[ret.phase.len++].value = rows[i].count;
	}
	return ret;
}

static void count_tasks(const struct job_view *view, struct vcjob_status *status)
{
	size_t tasks = view->job->spec.tasks.len;

	status->task_status_count.ptr =
		arena_calloc(view_arena(view), tasks + 1, sizeof(*status->task_status_count.ptr));
	status->task_status_count.len = 0;
	for (size_t i = 0; i < tasks; i++) {
		struct vcjob_task_state state = task_state(view_arena(view), &view->tasks[i].count);
		size_t at = status->task_status_count.len;

		if (state.phase.len == 0)
			continue;
		/* sorted by name, as every map of a view */
		while (at > 0 && str_cmp(status->task_status_count.ptr[at - 1].key,
					 view->tasks[i].spec->name) > 0) {
			status->task_status_count.ptr[at] = status->task_status_count.ptr[at - 1];
			at--;
		}
		status->task_status_count.ptr[at].key = view->tasks[i].spec->name;
		status->task_status_count.ptr[at].value = state;
		status->task_status_count.len++;
	}
}

struct vcjob_status job_status_begin(const struct job_view *view)
{
	struct vcjob_status status = view->job->status;

	status.min_available = view->job->spec.min_available;
	status.pending = view->all.pending;
	status.running = view->all.running;
	status.succeeded = view->all.succeeded;
	status.failed = view->all.failed;
	status.unknown = view->all.unknown;
	status.terminating = view->all.terminating;
	status.running_duration = (struct opt_int64){0};
	count_tasks(view, &status);
	return status;
}

void job_status_clear(struct vcjob_status *status, int32_t terminating)
{
	status->pending = 0;
	status->running = 0;
	status->succeeded = 0;
	status->failed = 0;
	status->unknown = 0;
	status->terminating = terminating;
	status->task_status_count.len = 0;
}

void job_status_enter(const struct job_view *view, struct vcjob_status *status,
		      enum vcjob_phase phase)
{
	struct vcjob_condition *list = arena_calloc(view_arena(view), status->conditions.len + 1,
						    sizeof(struct vcjob_condition));
	size_t len = 0;

	status->state.phase = phase;
	status->state.reason = str_none();
	status->state.message = str_none();
	for (size_t i = 0; i < status->conditions.len; i++)
		if (status->conditions.ptr[i].status != phase)
			list[len++] = status->conditions.ptr[i];
	list[len++] = (struct vcjob_condition){phase, view->world->now};
	status->conditions.ptr = list;
	status->conditions.len = len;
}

bool job_status_differs(const struct vcjob_status *a, const struct vcjob_status *b)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct vcjob_status left = *a, right = *b;

	/* Differences in times alone do not count as a change. */
	left.state.last_transition_time = right.state.last_transition_time;
	left.running_duration = right.running_duration;
	return !json_eq(type_encode_new(&vcjob_status_type, &left, doc),
			type_encode_new(&vcjob_status_type, &right, doc));
}

struct plan_write *job_status_write(struct job_view *view, struct vcjob_status *status)
{
	struct json_doc *doc = json_doc_thaw(view->world->job);
	struct json root = json_doc_root(doc);

	status->state.last_transition_time = view->world->now;
	if (!job_phase_is_live(status->state.phase))
		status->running_duration = (struct opt_int64){
			true, view->world->now - view->job->meta.creation_timestamp};
	type_encode(&vcjob_status_type, status, doc, json_ensure_obj(doc, root, "status"));
	view->outcome->phase = status->state.phase;
	return plan_update_status(view->plan, PLAN_JOB, doc);
}
