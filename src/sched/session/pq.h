/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/pq.h - a priority queue whose order is a hook's answer, and so needs the session.
 *
 * The order of elements may change while they wait (shares do); an element is compared as it stands
 * when it is pushed or moved, as in Volcano. To get the latest order, push again. */
#ifndef SCHED_PQ_H
#define SCHED_PQ_H

#include <stddef.h>

#include "base/macro.h"

struct session;

/* Below 0: `a` comes out first. */
typedef int pq_order_fn(const struct session *ssn, const void *a, const void *b);

struct pq {
	void **ptr;
	size_t len;
	size_t size;
	const struct session *ssn;
	pq_order_fn *order;
};

void pq_init(struct pq *pq, const struct session *ssn, pq_order_fn *order);
void pq_done(struct pq *pq);
DEFINE_AUTO_IN_PLACE(struct pq, pq_done);

void pq_push(struct pq *pq, void *element);
/* The first, or NULL. */
void *pq_pop(struct pq *pq);

/* The orders of the hooks. */
int pq_queues(const struct session *ssn, const void *a, const void *b);
int pq_jobs(const struct session *ssn, const void *a, const void *b);
int pq_tasks(const struct session *ssn, const void *a, const void *b);

#endif
