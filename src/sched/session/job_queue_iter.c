/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/job_queue_iter.c - see the header. */
#include "sched/session/job_queue_iter.h"

#include "base/mem.h"
#include "sched/session/session.h"

#include "base/banned.h"

void job_queue_iter_init(struct job_queue_iter *iter, struct session *ssn)
{
	*iter = (struct job_queue_iter){.ssn = ssn};
	pq_init(&iter->queues, ssn, pq_queues);
	while (iter->jobs.len < ssn->cluster->queue_by_id.len)
		vec_push(&iter->jobs, NULL);
}

void job_queue_iter_done(struct job_queue_iter *iter)
{
	for (size_t i = 0; i < iter->jobs.len; i++) {
		if (iter->jobs.ptr[i])
			pq_done(iter->jobs.ptr[i]);
		mem_free(iter->jobs.ptr[i]);
	}
	vec_done(&iter->jobs);
	pq_done(&iter->queues);
}

void job_queue_iter_return_job(struct job_queue_iter *iter, struct job *job)
{
	pq_push(iter->jobs.ptr[job->queue->id], job);
}

void job_queue_iter_add(struct job_queue_iter *iter, struct job *job)
{
	struct pq **jobs = &iter->jobs.ptr[job->queue->id];

	if (!*jobs) {
		*jobs = mem_new(struct pq);
		pq_init(*jobs, iter->ssn, pq_jobs);
		pq_push(&iter->queues, job->queue);
	}
	pq_push(*jobs, job);
}

struct queue_info *job_queue_iter_next_queue(struct job_queue_iter *iter)
{
	return pq_pop(&iter->queues);
}

void job_queue_iter_return_queue(struct job_queue_iter *iter, struct queue_info *queue)
{
	pq_push(&iter->queues, queue);
}

struct job *job_queue_iter_next_job(struct job_queue_iter *iter, const struct queue_info *queue)
{
	struct pq *jobs = iter->jobs.ptr[queue->id];

	return jobs ? pq_pop(jobs) : NULL;
}
