// SPDX-License-Identifier: Apache-2.0
/* sched/action/enqueue.c - let groups in: Pending becomes Inqueue where the plugins find room for
 * minResources (scheduler specification, 5.1). Only then are a job's pods created. */
#include "sched/action_rows.h"
#include "sched/hooks.h"
#include "sched/lineup.h"
#include "sched/session.h"

#include "base/banned.h"

static void let_in(struct session *ssn, struct job *job)
{
	struct reason why = {.dim = DIM_NONE};

	if (job->has_min_resources && !hook_job_vote(ssn, JOB_ENQUEUEABLE, job, &why)) {
		session_refuse(ssn, job, &why);
		return;
	}
	hook_job_enqueued(ssn, job);
	cluster_set_phase(ssn->cluster, job, PODGROUP_INQUEUE);
}

static void enqueue_run(struct session *ssn, struct json arguments)
{
	AUTO(lineup_done) struct lineup lineup;
	struct queue_info *queue;

	(void)arguments;
	lineup_init(&lineup, ssn);
	LIST_EACH(&ssn->cluster->active, struct job, active_link, job)
	if (session_has_job(ssn, job) && job_is_pending(job))
		lineup_add(&lineup, job);
	while ((queue = lineup_next_queue(&lineup))) {
		struct job *job = lineup_next_job(&lineup, queue);

		if (!job)
			continue;
		let_in(ssn, job);
		lineup_return_queue(&lineup, queue);
	}
}

const struct action_type enqueue_action = {.name = "enqueue", .run = enqueue_run};
