/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/lineup.c - see the header. */
#include "sched/session/lineup.h"

#include "base/mem.h"
#include "sched/session/session.h"

#include "base/banned.h"

void lineup_init(struct lineup *lineup, struct session *ssn)
{
	*lineup = (struct lineup){.ssn = ssn};
	pq_init(&lineup->queues, ssn, pq_queues);
	while (lineup->jobs.len < ssn->cluster->queue_by_id.len)
		vec_push(&lineup->jobs, NULL);
}

void lineup_done(struct lineup *lineup)
{
	for (size_t i = 0; i < lineup->jobs.len; i++) {
		if (lineup->jobs.ptr[i])
			pq_done(lineup->jobs.ptr[i]);
		mem_free(lineup->jobs.ptr[i]);
	}
	vec_done(&lineup->jobs);
	pq_done(&lineup->queues);
}

void lineup_return_job(struct lineup *lineup, struct job *job)
{
	pq_push(lineup->jobs.ptr[job->queue->id], job);
}

void lineup_add(struct lineup *lineup, struct job *job)
{
	struct pq **jobs = &lineup->jobs.ptr[job->queue->id];

	if (!*jobs) {
		*jobs = mem_new(struct pq);
		pq_init(*jobs, lineup->ssn, pq_jobs);
		pq_push(&lineup->queues, job->queue);
	}
	pq_push(*jobs, job);
}

struct queue_info *lineup_next_queue(struct lineup *lineup)
{
	return pq_pop(&lineup->queues);
}

void lineup_return_queue(struct lineup *lineup, struct queue_info *queue)
{
	pq_push(&lineup->queues, queue);
}

struct job *lineup_next_job(struct lineup *lineup, const struct queue_info *queue)
{
	struct pq *jobs = lineup->jobs.ptr[queue->id];

	return jobs ? pq_pop(jobs) : NULL;
}
