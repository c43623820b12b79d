/* SPDX-License-Identifier: Apache-2.0 */
/* sched/action/enqueue.c - admit groups: Pending becomes Inqueue if the plugins find capacity for
 * minResources (scheduler specification, 5.1). Only then are a job's pods created.
 *
 * What is reserved for admitted groups of a lower priority, and not used yet, is not counted against a group: it is
 * placed before them. What is reserved for them is taken off the sums that plugins read while groups of a higher priority are
 * asked about, and put back in the end. */
#include "sched/action/action_rows.h"
#include "sched/place/job_group.h"
#include "sched/session/job_queue_iter.h"
#include "sched/session/session.h"
#include "sched/session/session_hooks.h"

#include "base/banned.h"

/* What is reserved for jobs below this priority is not counted. */
struct admission {
	struct session *ssn;
	bool by_priority; /* jobs are placed in that order */
	int64_t level;
};

static void count_reserved(struct cluster *cluster, const struct job *job, bool count)
{
	int sign = count ? 1 : -1;

	for (struct queue_info *q = job->queue; q; q = q->parent)
		resources_count(&q->inqueue, &job->inqueue, sign);
	resources_count(&cluster->inqueue_whole, &job->inqueue_whole, sign);
}

static void set_level(struct admission *gate, int64_t level)
{
	struct cluster *cluster = gate->ssn->cluster;

	if (!gate->by_priority || level == gate->level)
		return;
	LIST_EACH(&cluster->admitted, struct job, admitted_link, job)
		if ((job->priority < gate->level) != (job->priority < level))
			count_reserved(cluster, job, job->priority >= level);
	gate->level = level;
}

static bool admit(struct admission *gate, struct job *job)
{
	struct session *ssn = gate->ssn;
	struct reason why = {.dim = DIM_NONE};

	set_level(gate, job->priority);
	if (job->has_min_resources && !hook_job_vote(ssn, JOB_ENQUEUEABLE, job, &why)) {
		session_refuse(ssn, job, &why);
		return false;
	}
	hook_job_enqueued(ssn, job);
	cluster_set_phase(ssn->cluster, job, PODGROUP_INQUEUE);
	return true;
}

static void collect(struct session *ssn, struct job_queue_iter *iter)
{
	struct job *first;
	size_t at = 0;

	LIST_EACH(&ssn->cluster->active, struct job, active_link, job)
		if (session_has_job(ssn, job) && job_is_pending(job))
			job_queue_iter_add(iter, job);
	while ((first = job_groups_next(ssn, JOB_GROUP_ADMIT, &at)))
		job_queue_iter_add(iter, first);
}

static void enqueue_run(struct session *ssn, struct json arguments)
{
	const struct plugin *priority = config_find_plugin(ssn->config, "priority");
	struct admission gate = {.ssn = ssn, .level = INT64_MIN};
	AUTO(job_queue_iter_done) struct job_queue_iter iter;
	struct queue_info *queue;

	(void)arguments;
	gate.by_priority = priority && plugin_is_on(priority, SWITCH_JOB_ORDER);
	job_queue_iter_init(&iter, ssn);
	collect(ssn, &iter);
	while ((queue = job_queue_iter_next_queue(&iter))) {
		struct job *job = job_queue_iter_next_job(&iter, queue);
		struct job *next = NULL;

		if (!job)
			continue;
		if (admit(&gate, job))
			next = job_group_follow(ssn, job);
		if (next)
			job_queue_iter_return_job(&iter, next);
		job_queue_iter_return_queue(&iter, queue);
	}
	set_level(&gate, INT64_MIN);
}

const struct action_type enqueue_action = {.name = "enqueue", .run = enqueue_run};
