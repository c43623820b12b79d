/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_slots.c - the pods of a job sorted into the slots of its tasks, and counted.
 *
 * A pod that is being deleted counts only as terminating; so does a pod that is marked as being
 * killed, and a surplus pod (its index is above the replicas, or its task is not in the spec). */
#include "base/number.h"
#include "lifecycle/job_internal.h"

#include "base/banned.h"

ptrdiff_t job_find_task(const struct vcjob *job, struct str name)
{
	for (size_t i = 0; i < job->spec.tasks.len; i++)
		if (str_eq(job->spec.tasks.ptr[i].name, name))
			return (ptrdiff_t)i;
	return -1;
}

static int32_t *count_of(struct job_count *count, enum pod_phase phase)
{
	switch (phase) {
	case POD_RUNNING:
		return &count->running;
	case POD_SUCCEEDED:
		return &count->succeeded;
	case POD_FAILED:
		return &count->failed;
	case POD_UNKNOWN:
		return &count->unknown;
	default:
		return &count->pending;
	}
}

static void view_pod(struct job_view *view, const struct job_pod *pod, ptrdiff_t at)
{
	struct job_task_view *task = at < 0 ? NULL : &view->tasks[at];

	if (pod->deleting)
		view->deleting++;
	if (task)
		task->there++;
	if (!task || pod->index < 0 || pod->index >= task->spec->replicas) {
		view->all.terminating++;
		return;
	}
	task->slots[pod->index] = pod;
	if (pod->deleting || pod->out_of_sync) {
		view->all.terminating++;
		return;
	}
	++*count_of(&view->all, pod->phase);
	++*count_of(&task->count, pod->phase);
}

static int32_t recorded(const struct vcjob_status *status, struct str task)
{
	int32_t sum = 0;

	for (size_t i = 0; i < status->task_status_count.len; i++) {
		const struct vcjob_task_state *state = &status->task_status_count.ptr[i].value;

		if (!str_eq(status->task_status_count.ptr[i].key, task))
			continue;
		for (size_t k = 0; k < state->phase.len; k++)
			sum = number_add_i32(sum, state->phase.ptr[k].value);
	}
	return sum;
}

void job_view_pods(struct job_view *view)
{
	const struct vcjob *job = view->job;
	struct str last = str_none();
	ptrdiff_t at = -1;

	view->tasks = arena_calloc(view_arena(view), job->spec.tasks.len + 1, sizeof(*view->tasks));
	for (size_t i = 0; i < job->spec.tasks.len; i++) {
		struct job_task_view *task = &view->tasks[i];

		task->spec = &job->spec.tasks.ptr[i];
		task->slots = arena_calloc(view_arena(view), (size_t)task->spec->replicas + 1,
					   sizeof(struct job_pod *));
		task->recorded = recorded(&job->status, task->spec->name);
	}
	for (size_t i = 0; i < view->world->pod_count; i++) {
		const struct job_pod *pod = view->world->pods[i];

		if (i == 0 || !str_eq(pod->task, last)) {
			at = job_find_task(job, pod->task);
			last = pod->task;
		}
		view_pod(view, pod, at);
	}
}

int32_t job_view_evicted(const struct job_task_view *task)
{
	int32_t lost = task->recorded - task->there;

	return lost > 0 ? lost : 0;
}

void job_view_discount(struct job_view *view, const struct job_pod *pod)
{
	ptrdiff_t at = job_find_task(view->job, pod->task);

	if (at < 0 || pod->index < 0 || pod->index >= view->tasks[at].spec->replicas ||
	    pod->deleting || pod->out_of_sync)
		return;
	view->all.terminating++;
	--*count_of(&view->all, pod->phase);
	--*count_of(&view->tasks[at].count, pod->phase);
}
