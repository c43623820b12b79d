/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/queue_share.h - what plugins have in common that divide a cluster among queues: what a queue holds,
 * how much that is of what it deserves, and what to say where it is too much. */
#ifndef SCHED_QUEUE_SHARE_H
#define SCHED_QUEUE_SHARE_H

#include <stdbool.h>

#include "model/value/dims.h"
#include "sched/report/reason.h"

struct cluster;
struct queue_info;
struct resources;

enum queue_sum {
	QUEUE_ALLOCATED,
	QUEUE_PIPELINED,
	QUEUE_PENDING,
	QUEUE_INQUEUE,
	QUEUE_ELASTIC,
	QUEUE_SUM_COUNT
};

/* One of a queue's sums: of all below it as well (`tree`), or of itself alone. Lent by the queue, or
 * made in *scratch, which must be initialised. */
const struct resources *queue_sum(const struct queue_info *queue, enum queue_sum which, bool tree,
				  struct resources *scratch);
/* Add it to *to, `sign` times. */
void queue_sum_add(const struct queue_info *queue, enum queue_sum which, bool tree, int sign,
		   struct resources *to);

/* The largest part of any resource, among those that are deserved. */
double queue_share(const struct resources *held, const struct resources *deserved);

/* Why nothing can be in it. */
struct reason queue_reason(enum reason_code code, const struct queue_info *queue);
/* Why it cannot have more. */
struct queue_excess {
	const struct resources *held;  /* by the queue */
	const struct resources *asked; /* in addition to that */
	const struct resources *sum;   /* of these, and of what is reserved for others */
	const struct resources *limit;
	dim_set over; /* where the sum is beyond the limit */
};
struct reason queue_reason_over(enum reason_code code, const struct queue_info *queue,
				const struct queue_excess *excess);
/* The same for a limit that is what the queue can have at most: is that its capability (or, in a tree, of one above
 * it), what others are guaranteed, or the cluster? */
void queue_reason_whose(struct reason *why, const struct cluster *cluster,
			const struct queue_info *queue, bool tree);

#endif
