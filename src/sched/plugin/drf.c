// SPDX-License-Identifier: Apache-2.0
/* sched/plugin/drf.c - dominant resource fairness between jobs (scheduler specification, 6.4): the
 * job whose largest share of any resource is the smallest goes first.
 *
 * Shares are made from what jobs hold when they are asked for; there is nothing to keep up to date. */
#include <math.h>

#include "sched/plugin_rows.h"
#include "sched/session.h"

#include "base/banned.h"

static const double same_share = 0.000001;

/* The dominant share of a job that held `more` than it does, or less. */
static double share_with(const struct plugin *p, const struct job *job, const struct task *more,
			 const struct task *less)
{
	const struct resources *total = &p->ssn->cluster->total;
	double share = 0;

	for (dim_set rest = resources_dims(total); rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		int64_t held = resources_get(&job->allocated, dim);
		double one;

		if (more)
			held += resources_get(&more->class->request, dim);
		if (less)
			held -= resources_get(&less->class->request, dim);
		one = resources_share(held, resources_get(total, dim));
		if (one > share)
			share = one;
	}
	return share;
}

static int drf_job_order(const struct plugin *p, const struct job *a, const struct job *b)
{
	double left = share_with(p, a, NULL, NULL), right = share_with(p, b, NULL, NULL);

	return (left > right) - (left < right);
}

static bool drf_evictable(const struct plugin *p, const struct evict_ask *ask,
			  const struct task *victim)
{
	double own, other;

	if (!victim->job || !ask->job)
		return false;
	own = share_with(p, ask->job, ask->task, NULL);
	other = share_with(p, victim->job, NULL, victim);
	return own < other || fabs(own - other) <= same_share;
}

const struct plugin_type drf_plugin = {
	.name = "drf",
	.job_order = drf_job_order,
	.evictable = {[EVICT_PREEMPT] = drf_evictable},
};
