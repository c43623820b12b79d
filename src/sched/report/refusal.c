/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/refusal.c - see the header. Costs something only for the first refusal of a kind that a job meets in
 * a session. */
#include "sched/report/refusal.h"

#include "base/number.h"
#include "sched/session/session.h"

#include "base/banned.h"

/* What a job's pods take on trial. */
static int64_t on_trial(const struct job *job, int dim)
{
	int64_t sum = 0;

	LIST_EACH(&job->tasks[TASK_ALLOCATED], struct task, job_link, task)
		sum = number_add(sum, resources_get(class_charge(task->class), dim));
	LIST_EACH(&job->tasks[TASK_PIPELINED], struct task, job_link, task)
		sum = number_add(sum, resources_get(class_charge(task->class), dim));
	return sum;
}

/* What it lacks of its minimum in addition to that: its pods that wait, or as many like this one. */
static int64_t lacking(const struct task *task, int dim)
{
	const struct job *job = task->job;
	uint32_t there = job_ready_count(job) + job->tally.count[TASK_PIPELINED];
	int64_t count = job->min_available - (int64_t)there;

	if (count > 1 && (int64_t)job->tally.count[TASK_PENDING] <= count)
		return resources_get(&job->pending, dim);
	return number_multiply(resources_get(class_charge(task->class), dim),
			       count > 1 ? count : 1);
}

/* What it has on trial is given back, unless it is enough to run with: so it is a part of what the gang
 * asks for, and of nothing that other jobs hold. */
static void adjust_for_gang(const struct task *task, struct reason *why)
{
	int64_t own;

	if (why->dim == DIM_NONE)
		return;
	own = on_trial(task->job, why->dim);
	why->have -= own;
	why->asked = number_add(own, lacking(task, why->dim));
	why->need = number_add(number_add(why->have, why->reserved), why->asked) - why->limit;
	why->beyond = why->asked > why->limit;
}

/* Are there nodes, were they empty, for so many pods like this one? */
static bool would_hold(const struct cluster *cluster, const struct task *task, int dim,
		       int64_t count)
{
	int64_t each = resources_get(&task->class->request, dim);

	for (uint32_t slot = 0; slot < cluster->nodes.len && count > 0 && each > 0; slot++)
		if (cluster->columns.profile[slot] != NODE_ABSENT)
			count -= columns_get(&cluster->columns, CAPACITY_ALLOCATABLE, dim, slot) /
				 each;
	return count <= 0 || each <= 0;
}

int64_t refusal_gang_of_equals(const struct task *task)
{
	const struct job *job = task->job;

	for (int status = 0; status < TASK_STATUS_COUNT; status++)
		LIST_EACH(&job->tasks[status], struct task, job_link, other)
			if (other->class != task->class)
				return 0;
	return job->min_available;
}

/* What it needs of the resource that most nodes lack, and what is free of it. */
static void set_demand(const struct cluster *cluster, const struct task *task, struct reason *why)
{
	int64_t own, each, count = task->job->min_available - (int64_t)job_ready_count(task->job);
	int dim = DIM_NONE;
	uint32_t most = 0;

	for (size_t i = 0; i < why->fit->len; i++)
		if (why->fit->at[i].code == FIT_INSUFFICIENT && why->fit->at[i].count > most) {
			most = why->fit->at[i].count;
			dim = why->fit->at[i].detail;
		}
	count += task->job->tally.count[TASK_ALLOCATED];
	why->pods = count > 1 ? (int32_t)count : 1;
	why->task = task;
	if (dim == DIM_NONE)
		return;
	each = resources_get(&task->class->request, dim);
	own = job_is_ready(task->job) ? 0 : on_trial(task->job, dim);
	why->dim = (int8_t)dim;
	why->asked = job_is_ready(task->job) ? each : number_add(own, lacking(task, dim));
	why->limit = resources_get(&cluster->total, dim);
	why->free = why->limit - resources_get(&cluster->used, dim) + own;
}

/* Would it be too much for all nodes, were they empty? */
static bool is_beyond_nodes(struct cluster *cluster, const struct task *task,
			    const struct reason *why)
{
	int64_t asked;
	struct fit_count most;
	int dim;

	if (!fit_sort(why->fit, &most, 1) || most.code != FIT_INSUFFICIENT)
		return false;
	dim = most.detail;
	asked = resources_get(&task->class->request, dim);
	if (asked > cluster_most(cluster, CAPACITY_ALLOCATABLE, dim))
		return true;
	asked = number_add(on_trial(task->job, dim), lacking(task, dim));
	if (asked > resources_get(&cluster->total, dim))
		return true;
	return why->have && !would_hold(cluster, task, dim, refusal_gang_of_equals(task));
}

void refusal_add(struct session *ssn, const struct task *task, struct reason *why)
{
	struct job *job = task->job;
	bool ready = job_is_ready(job);

	if (job->refused_session == ssn->id && reasons_have(job->reasons, why))
		return;
	if (why->code == REASON_NODES) {
		if (!ready)
			why->have =
				job->tally.count[TASK_ALLOCATED] + job->tally.count[TASK_PIPELINED];
		why->beyond = is_beyond_nodes(ssn->cluster, task, why);
		set_demand(ssn->cluster, task, why);
	} else if (!ready) {
		adjust_for_gang(task, why);
	}
	session_refuse(ssn, job, why);
}
