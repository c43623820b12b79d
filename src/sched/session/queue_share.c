/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/queue_share.c - see the header. */
#include "sched/session/queue_share.h"

#include "base/macro.h"
#include "model/value/resources.h"
#include "sched/cluster/cluster.h"
#include "sched/cluster/queue_info.h"

#include "base/banned.h"

static const struct resources *sum_of(const struct queue_info *queue, enum queue_sum which)
{
	switch (which) {
	case QUEUE_PIPELINED:
		return &queue->pipelined;
	case QUEUE_PENDING:
		return &queue->pending;
	case QUEUE_INQUEUE:
		return &queue->inqueue;
	case QUEUE_ELASTIC:
		return &queue->elastic;
	case QUEUE_ALLOCATED:
	case QUEUE_SUM_COUNT:
		break;
	}
	return &queue->allocated;
}

const struct resources *queue_sum(const struct queue_info *queue, enum queue_sum which, bool tree,
				  struct resources *scratch)
{
	const struct resources *sum = sum_of(queue, which);

	if (tree || list_is_empty(&queue->children))
		return sum;
	resources_copy(scratch, sum);
	for (const struct list *link = queue->children.next; link != &queue->children;
	     link = link->next)
		resources_sub(scratch,
			      sum_of(container_of(link, struct queue_info, sibling), which));
	return scratch;
}

void queue_sum_add(const struct queue_info *queue, enum queue_sum which, bool tree, int sign,
		   struct resources *to)
{
	AUTO(resources_done) struct resources scratch = RESOURCES_INIT;
	const struct resources *sum = queue_sum(queue, which, tree, &scratch);

	if (sign > 0)
		resources_add(to, sum);
	else
		resources_sub(to, sum);
}

double queue_share(const struct resources *held, const struct resources *deserved)
{
	double most = 0;

	for (dim_set rest = resources_dims(deserved); rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		double one =
			resources_share(resources_get(held, dim), resources_get(deserved, dim));

		if (one > most)
			most = one;
	}
	return most;
}

struct reason queue_reason(enum reason_code code, const struct queue_info *queue)
{
	return (struct reason){.code = (uint8_t)code, .dim = DIM_NONE, .subject = queue->name};
}

/* Of several resources one that the limit can never allow, else the first. */
static int worst_of(const struct queue_excess *excess)
{
	for (dim_set rest = excess->over; rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);

		if (resources_get(excess->asked, dim) > resources_get(excess->limit, dim))
			return dim;
	}
	return __builtin_ctzll(excess->over);
}

struct reason queue_reason_over(enum reason_code code, const struct queue_info *queue,
				const struct queue_excess *excess)
{
	struct reason why = queue_reason(code, queue);
	int dim = worst_of(excess);
	int64_t sum = resources_get(excess->sum, dim);

	why.dim = (int8_t)dim;
	why.dims = excess->over;
	why.have = resources_get(excess->held, dim);
	why.asked = resources_get(excess->asked, dim);
	why.reserved = sum - why.have - why.asked; /* below 0: what is held can be taken back */
	why.limit = resources_get(excess->limit, dim);
	why.need = sum - why.limit;
	why.beyond = why.asked > why.limit;
	return why;
}

void queue_reason_whose(struct reason *why, const struct cluster *cluster,
			const struct queue_info *queue, bool tree)
{
	for (const struct queue_info *q = queue; q; q = tree ? q->parent : NULL)
		if (q->has_capability && resources_has(&q->capability, why->dim) &&
		    resources_get(&q->capability, why->dim) == why->limit)
			return;
	why->code = why->limit < resources_get(&cluster->total, why->dim) ? REASON_GUARANTEED
									  : REASON_CLUSTER;
}
