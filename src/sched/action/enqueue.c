/* SPDX-License-Identifier: Apache-2.0 */
/* sched/action/enqueue.c - let groups in: Pending becomes Inqueue where the plugins find room for
 * minResources (scheduler specification, 5.1). Only then are a job's pods created. */
#include "sched/action_rows.h"
#include "sched/crowd.h"
#include "sched/hooks.h"
#include "sched/lineup.h"
#include "sched/session.h"

#include "base/banned.h"

static bool let_in(struct session *ssn, struct job *job)
{
	struct reason why = {.dim = DIM_NONE};

	if (job->has_min_resources && !hook_job_vote(ssn, JOB_ENQUEUEABLE, job, &why)) {
		session_refuse(ssn, job, &why);
		return false;
	}
	hook_job_enqueued(ssn, job);
	cluster_set_phase(ssn->cluster, job, PODGROUP_INQUEUE);
	return true;
}

static void collect(struct session *ssn, struct lineup *lineup)
{
	struct job *first;
	size_t at = 0;

	LIST_EACH(&ssn->cluster->active, struct job, active_link, job)
	if (session_has_job(ssn, job) && job_is_pending(job))
		lineup_add(lineup, job);
	while ((first = crowds_next(ssn, CROWD_ENTER, &at)))
		lineup_add(lineup, first);
}

static void enqueue_run(struct session *ssn, struct json arguments)
{
	AUTO(lineup_done) struct lineup lineup;
	struct queue_info *queue;

	(void)arguments;
	lineup_init(&lineup, ssn);
	collect(ssn, &lineup);
	while ((queue = lineup_next_queue(&lineup))) {
		struct job *job = lineup_next_job(&lineup, queue);
		struct job *next = NULL;

		if (!job)
			continue;
		if (let_in(ssn, job))
			next = crowd_follow(ssn, job);
		if (next)
			lineup_return_job(&lineup, next);
		lineup_return_queue(&lineup, queue);
	}
}

const struct action_type enqueue_action = {.name = "enqueue", .run = enqueue_run};
