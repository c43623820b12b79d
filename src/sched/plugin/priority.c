/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/priority.c - the higher priority goes first, and may take from the lower (scheduler
 * specification, 6.2). */
#include "sched/cluster/job.h"
#include "sched/plugin/plugin_rows.h"

#include "base/banned.h"

static int higher_first(int32_t a, int32_t b)
{
	return (a < b) - (a > b);
}

static int priority_task_order(const struct plugin *p, const struct task *a, const struct task *b)
{
	(void)p;
	return higher_first(a->priority, b->priority);
}

static int priority_job_order(const struct plugin *p, const struct job *a, const struct job *b)
{
	(void)p;
	return higher_first(a->priority, b->priority);
}

static int priority_sub_job_order(const struct plugin *p, const struct sub_job *a,
				  const struct sub_job *b)
{
	(void)p;
	return higher_first(sub_job_priority(a), sub_job_priority(b));
}

static bool priority_starving(const struct plugin *p, const struct job *job, struct reason *why)
{
	(void)p;
	(void)why;
	return tally_of(&job->tally, TASKS_READY | TASK_BIT(TASK_PIPELINED)) < job->tally.total;
}

static bool priority_evictable(const struct plugin *p, const struct evict_ask *ask,
			       const struct task *victim)
{
	(void)p;
	if (!ask->job || !victim->job)
		return false;
	if (victim->job != ask->job)
		return victim->job->priority < ask->job->priority;
	return ask->task && victim->priority < ask->task->priority;
}

const struct plugin_type priority_plugin = {
	.name = "priority",
	.alike = true,
	.task_order = priority_task_order,
	.job_order = priority_job_order,
	.sub_job_order = priority_sub_job_order,
	.job_test = {[JOB_STARVING] = priority_starving},
	.evictable =
		{[EVICT_PREEMPT] = priority_evictable, [EVICT_GANG_PREEMPT] = priority_evictable},
};
