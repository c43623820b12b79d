/* SPDX-License-Identifier: Apache-2.0 */
/* sched/evict/eviction_estimate.c - see the header. */
#include "sched/evict/eviction_estimate.h"

#include "sched/session/session.h"
#include "sched/session/session_hooks.h"

#include "base/banned.h"

bool eviction_estimate_needs_shares(const struct session *ssn)
{
	return ssn->config->shares;
}

static bool is_configured(const struct session *ssn, const char *one, const char *other)
{
	for (size_t i = 0; i < ssn->config->actions.len; i++) {
		struct str name = str_from(ssn->config->actions.ptr[i].type->name);

		if (str_is(name, one) || str_is(name, other))
			return true;
	}
	return false;
}

bool eviction_estimate_reclaim(const struct session *ssn, const struct job *job)
{
	/* Stands for what the queue has admitted, and the job. */
	struct class sum = {.request = RESOURCES_INIT};
	struct task whole = {.class = &sum, .job = (struct job *)job};
	struct task *tasks[] = {&whole};
	bool could;

	if (!is_configured(ssn, "reclaim", "gangreclaim") || !eviction_estimate_needs_shares(ssn) ||
	    hook_overused(ssn, job->queue))
		return false;
	resources_copy(&sum.request, &job->queue->inqueue);
	resources_add(&sum.request, &job->min_resources);
	could = hook_preemptive(ssn, job->queue, tasks, 1);
	resources_done(&sum.request);
	return could;
}

/* The lowest priority of a queue's jobs that hold something; counted once a session. */
static int32_t lowest_priority(const struct session *ssn, struct queue_info *queue)
{
	if (queue->lowest_session == ssn->id)
		return queue->lowest_priority;
	queue->lowest_session = ssn->id;
	queue->lowest_priority = INT32_MAX;
	LIST_EACH(&queue->jobs, struct job, queue_link, job)
		if (tally_of(&job->tally, TASKS_EVICTABLE) &&
		    job->priority < queue->lowest_priority)
			queue->lowest_priority = job->priority;
	return queue->lowest_priority;
}

bool eviction_estimate_preempt(const struct session *ssn, const struct job *job)
{
	AUTO(resources_done) struct resources sum = RESOURCES_INIT;

	if (!is_configured(ssn, "preempt", "gangpreempt") ||
	    lowest_priority(ssn, job->queue) >= job->priority)
		return false;
	resources_copy(&sum, &job->queue->inqueue);
	resources_add(&sum, &job->min_resources);
	return !resources_over_limit(&sum, &job->queue->allocated, &job->min_resources);
}
