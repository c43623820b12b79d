/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/pq.c - a binary heap; see the header. */
#include "sched/session/pq.h"

#include "base/vec.h"
#include "sched/session/session_hooks.h"

#include "base/banned.h"

void pq_init(struct pq *pq, const struct session *ssn, pq_order_fn *order)
{
	*pq = (struct pq){.ssn = ssn, .order = order};
}

void pq_done(struct pq *pq)
{
	vec_done(pq);
}

void pq_push(struct pq *pq, void *element)
{
	size_t at = pq->len;

	vec_push(pq, element);
	while (at && pq->order(pq->ssn, element, pq->ptr[(at - 1) / 2]) < 0) {
		pq->ptr[at] = pq->ptr[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	pq->ptr[at] = element;
}

void *pq_pop(struct pq *pq)
{
	void *first, *last;
	size_t at = 0;

	if (!pq->len)
		return NULL;
	first = pq->ptr[0];
	last = pq->ptr[--pq->len];
	for (size_t child; (child = 2 * at + 1) < pq->len; at = child) {
		if (child + 1 < pq->len &&
		    pq->order(pq->ssn, pq->ptr[child + 1], pq->ptr[child]) < 0)
			child++;
		if (pq->order(pq->ssn, pq->ptr[child], last) >= 0)
			break;
		pq->ptr[at] = pq->ptr[child];
	}
	if (pq->len)
		pq->ptr[at] = last;
	return first;
}

int pq_queues(const struct session *ssn, const void *a, const void *b)
{
	return hook_queue_order(ssn, a, b);
}

int pq_jobs(const struct session *ssn, const void *a, const void *b)
{
	return hook_job_order(ssn, a, b);
}

int pq_tasks(const struct session *ssn, const void *a, const void *b)
{
	return hook_task_order(ssn, a, b);
}
