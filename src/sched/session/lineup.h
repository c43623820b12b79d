/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/lineup.h - who is next: queues in order, and the jobs of each in order.
 *
 * Every action that goes from queue to queue and from job to job does it through a line-up: add the
 * jobs, then take the next queue and the next job of it, and give the queue back as long as it has
 * more, so that its share is looked at again between two jobs. */
#ifndef SCHED_LINEUP_H
#define SCHED_LINEUP_H

#include <stddef.h>

#include "base/macro.h"
#include "base/vec.h"
#include "sched/session/pq.h"

struct job;
struct queue_info;
struct session;

struct lineup {
	struct session *ssn;
	struct pq queues;
	VEC(struct pq *) jobs; /* by queue id */
};

void lineup_init(struct lineup *lineup, struct session *ssn);
void lineup_done(struct lineup *lineup);
DEFINE_AUTO_IN_PLACE(struct lineup, lineup_done);

/* A job, under its queue; the queue is lined up with its first job. */
void lineup_add(struct lineup *lineup, struct job *job);
/* A job whose queue is lined up already, or is about to be given back. */
void lineup_return_job(struct lineup *lineup, struct job *job);
/* The next queue, or NULL. */
struct queue_info *lineup_next_queue(struct lineup *lineup);
void lineup_return_queue(struct lineup *lineup, struct queue_info *queue);
/* The next job of a queue, or NULL. */
struct job *lineup_next_job(struct lineup *lineup, const struct queue_info *queue);

#endif
