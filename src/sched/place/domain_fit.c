/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/domain_fit.c - see the header. The counts belong to the finder of the class, whose verdicts they use, and
 * are made again when the finder or the tree of domains was. */
#include "sched/place/domain_fit.h"

#include "base/mem.h"
#include "sched/cluster/hypernodes.h"
#include "sched/place/finder.h"
#include "sched/session/session.h"

#include "base/banned.h"

struct domain_fit {
	uint64_t generation; /* of the finder */
	uint64_t tree;       /* version of the domains */
	uint64_t synced;     /* changes that are counted */
	int32_t *at;         /* by slot */
	int64_t *in;         /* by domain */
	int64_t *in_own;
};

void domain_fit_free(struct domain_fit *fit)
{
	if (!fit)
		return;
	mem_free(fit->at);
	mem_free(fit->in);
	mem_free(fit->in_own);
	mem_free(fit);
}

/* How often the request is in what a node has. */
static int64_t copies(const struct cluster *cluster, enum capacity_kind capacity,
		      const struct class *class, uint32_t slot)
{
	int64_t least = INT32_MAX;

	for (dim_set rest = class->dims; rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		int64_t each = resources_get(&class->request, dim);
		int64_t have = columns_get(&cluster->columns, capacity, dim, slot);

		if (each <= 0)
			continue;
		if (have < each)
			return 0;
		if (have / each < least)
			least = have / each;
	}
	if (class->terms->port_count && least > 1)
		least = 1;
	return least;
}

static bool is_own(const struct domain *domain, struct domain *const *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (all[i]->parent == domain)
			return false;
	return true;
}

static void count_slot(const struct hypernodes *tree, struct domain_fit *fit, uint32_t slot,
		       int32_t now)
{
	struct domain *const *all = NULL;
	size_t count = hypernodes_of(tree, slot, &all);
	int64_t by = (int64_t)now - fit->at[slot];

	fit->at[slot] = now;
	for (size_t i = 0; by && i < count; i++) {
		fit->in[all[i]->id] += by;
		if (is_own(all[i], all, count))
			fit->in_own[all[i]->id] += by;
	}
}

static void count_all(const struct cluster *cluster, const struct class *class,
		      const struct finder_look *look, struct domain_fit *fit)
{
	const struct hypernodes *tree = cluster->hypernodes;

	mem_free(fit->at);
	mem_free(fit->in);
	mem_free(fit->in_own);
	fit->at = mem_calloc(look->size + 1, sizeof(*fit->at));
	fit->in = mem_calloc(tree->domains.len, sizeof(*fit->in));
	fit->in_own = mem_calloc(tree->domains.len, sizeof(*fit->in_own));
	for (uint32_t slot = 0; slot < look->size; slot++)
		if (!look->verdicts[slot])
			count_slot(tree, fit, slot,
				   (int32_t)copies(cluster, CAPACITY_FUTURE, class, slot));
	fit->generation = look->generation;
	fit->tree = tree->version;
}

const struct domain_fit *domain_fit_of(struct session *ssn, const struct task *task)
{
	struct cluster *cluster = ssn->cluster;
	struct finder_look look = finder_look(ssn, task);
	struct domain_fit *fit = *look.counts;

	if (!fit)
		fit = *look.counts = mem_new(struct domain_fit);
	if (fit->generation != look.generation || fit->tree != cluster->hypernodes->version ||
	    cluster->changes - fit->synced > CHANGE_RING) {
		count_all(cluster, task->class, &look, fit);
	} else {
		for (uint64_t i = fit->synced; i < cluster->changes; i++) {
			uint32_t slot = cluster->change_ring[i % CHANGE_RING];

			count_slot(cluster->hypernodes, fit, slot,
				   look.verdicts[slot] ? 0
						       : (int32_t)copies(cluster, CAPACITY_FUTURE,
									 task->class, slot));
		}
	}
	fit->synced = cluster->changes;
	return fit;
}

int64_t domain_fit_in(const struct domain_fit *fit, const struct domain *domain)
{
	return fit->in[domain->id];
}

int64_t domain_fit_in_own(const struct domain_fit *fit, const struct domain *domain)
{
	return fit->in_own[domain->id];
}

int64_t domain_fit_empty(const struct session *ssn, const struct task *task,
			 const struct domain *domain)
{
	int64_t sum = 0;

	for (size_t i = 0; i < domain->slots.len; i++)
		sum += copies(ssn->cluster, CAPACITY_ALLOCATABLE, task->class,
			      domain->slots.ptr[i]);
	return sum;
}
