/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/job_queue_iter.h - who is next: queues in order, and the jobs of each in order.
 *
 * Every action that goes from queue to queue and from job to job uses this iterator: add the
 * jobs, then take the next queue and the next job of it, and give the queue back as long as it has
 * more, so that its share is looked at again between two jobs. */
#ifndef SCHED_JOB_QUEUE_ITER_H
#define SCHED_JOB_QUEUE_ITER_H

#include <stddef.h>

#include "base/macro.h"
#include "base/vec.h"
#include "sched/session/pq.h"

struct job;
struct queue_info;
struct session;

struct job_queue_iter {
	struct session *ssn;
	struct pq queues;
	VEC(struct pq *) jobs; /* by queue id */
};

void job_queue_iter_init(struct job_queue_iter *iter, struct session *ssn);
void job_queue_iter_done(struct job_queue_iter *iter);
DEFINE_AUTO_IN_PLACE(struct job_queue_iter, job_queue_iter_done);

/* A job, under its queue; the queue is added with its first job. */
void job_queue_iter_add(struct job_queue_iter *iter, struct job *job);
/* A job whose queue was added already, or is about to be given back. */
void job_queue_iter_return_job(struct job_queue_iter *iter, struct job *job);
/* The next queue, or NULL. */
struct queue_info *job_queue_iter_next_queue(struct job_queue_iter *iter);
void job_queue_iter_return_queue(struct job_queue_iter *iter, struct queue_info *queue);
/* The next job of a queue, or NULL. */
struct job *job_queue_iter_next_job(struct job_queue_iter *iter, const struct queue_info *queue);

#endif
