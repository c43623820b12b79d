/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/overcommit.c - admits no more than the cluster can hold, and a little (scheduler
 * specification, 6.7). What has been admitted is counted by the ledger. */
#include "base/mem.h"
#include "sched/evict/eviction_estimate.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

struct overcommit {
	double factor;
	struct resources idle; /* what can be admitted, of this session */
};

static const double default_factor = 1.2;

static int overcommit_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct overcommit *o = mem_new(struct overcommit);

	(void)err;
	o->factor = args_real(args, "overcommit-factor", default_factor);
	if (o->factor < 1) {
		vec_push(&args->notes, mem_strdup("overcommit-factor: is below 1; 1.2 is used"));
		o->factor = default_factor;
	}
	p->state = o;
	return 0;
}

static void overcommit_free(struct plugin *p)
{
	struct overcommit *o = p->state;

	if (o)
		resources_done(&o->idle);
	mem_free(o);
}

static void overcommit_open(struct plugin *p)
{
	struct overcommit *o = p->state;

	resources_copy(&o->idle, &p->ssn->cluster->total);
	resources_multiply(&o->idle, o->factor);
	resources_sub(&o->idle, &p->ssn->cluster->used);
}

static enum vote overcommit_enqueueable(const struct plugin *p, const struct job *job,
					struct reason *why)
{
	const struct overcommit *o = p->state;
	AUTO(resources_done) struct resources sum = RESOURCES_INIT;
	const struct resources *used = &p->ssn->cluster->used;
	dim_set over;
	int dim;

	if (!job->has_min_resources)
		return VOTE_PERMIT;
	resources_copy(&sum, &p->ssn->cluster->inqueue_whole);
	resources_add(&sum, &job->min_resources);
	over = resources_over_limit(&sum, &o->idle, &job->min_resources);
	if (!over || eviction_estimate_reclaim(p->ssn, job) ||
	    eviction_estimate_preempt(p->ssn, job))
		return VOTE_PERMIT;
	dim = __builtin_ctzll(over);
	*why = (struct reason){.code = REASON_OVERCOMMIT,
			       .dim = (int8_t)dim,
			       .dims = over,
			       .have = resources_get(used, dim),
			       .reserved = resources_get(&p->ssn->cluster->inqueue_whole, dim),
			       .asked = resources_get(&job->min_resources, dim),
			       .limit = resources_get(used, dim) + resources_get(&o->idle, dim),
			       .need = resources_get(&sum, dim) - resources_get(&o->idle, dim)};
	why->beyond = why->asked > why->limit;
	return VOTE_REJECT;
}

const struct plugin_type overcommit_plugin = {
	.name = "overcommit",
	.alike = true,
	.new = overcommit_new,
	.free = overcommit_free,
	.open = overcommit_open,
	.job_vote = {[JOB_ENQUEUEABLE] = overcommit_enqueueable},
};
