/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/network_topology_aware.c - pods of a gang near each other in the network (scheduler specification, 6.21).
 *
 * What a topology allows is a tier; the search over domains is place/domain_search.c. Here is which of two domains is
 * better: the one that is used more, so that others stay whole. Ordinary pods are scored the same way, tier by tier, so
 * that they do not fill domains that gangs could use.
 *
 * What domains have and what is used of it is counted once and kept current by what changes (cluster->changes). */
#include <math.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/volcano/networktopology.h"
#include "sched/cluster/hypernodes.h"
#include "sched/place/domain_search.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

enum { TIERS_MAX = 256 }; /* of which ordinary pods are scored */

struct weighted {
	char *name;
	int64_t weight;
	int dim; /* DIM_NONE: no node offers it */
};

/* Of one resource: by slot as counted, and by domain. */
struct sums {
	int64_t *seen[2]; /* allocatable, used */
	int64_t *in[2];
};

struct topology_aware {
	int64_t weight;
	bool scores_normal;
	double fading;
	VEC(struct weighted) resources;
	VEC(struct sums) sums; /* of each resource */
	uint64_t tree;         /* version of the domains that they are of */
	uint64_t synced;       /* changes that they have */
	size_t slots;
	const struct cluster *cluster;
	VEC(double) of_domain; /* for a batch */
};

/* --- arguments ------------------------------------------------------------------------------- */

static void add(struct topology_aware *t, struct plugin_args *args, struct str name,
		const char *argument)
{
	int64_t weight = args_int(args, argument, 1);

	for (size_t i = 0; i < t->resources.len; i++)
		if (str_is(name, t->resources.ptr[i].name)) {
			t->resources.ptr[i].weight = weight < 0 ? 1 : weight;
			return;
		}
	vec_push(&t->resources,
		 (struct weighted){str_dup(name), weight < 0 ? 1 : weight, DIM_NONE});
}

static int topology_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct topology_aware *t = mem_new(struct topology_aware);
	struct str rest = args_str(args, "hypernode.binpack.resources", str_none()), part;

	(void)err;
	t->weight = args_int(args, "weight", 1);
	if (t->weight < 0)
		t->weight = 1;
	t->scores_normal = args_bool(args, "hypernode.binpack.normal-pod.enable", true);
	t->fading = args_real(args, "hypernode.binpack.normal-pod.fading", 0.8);
	if (!(t->fading >= 0))
		t->fading = 0.8;
	while (str_split(&rest, ',', &part)) {
		struct str name = str_trim(part);
		AUTO(mem_free) char *argument = NULL;

		if (!name.len)
			continue;
		argument = mem_printf("hypernode.binpack.resources.%.*s", STR_ARG(name));
		add(t, args, name, argument);
	}
	add(t, args, STR("cpu"), "hypernode.binpack.cpu");
	add(t, args, STR("memory"), "hypernode.binpack.memory");
	p->max_domains = args_int(args, "hypernode.gradient.evict.max-hypernodes", 8);
	if (p->max_domains <= 0)
		p->max_domains = 8;
	p->state = t;
	return 0;
}

static void drop_sums(struct topology_aware *t)
{
	for (size_t i = 0; i < t->sums.len; i++)
		for (int k = 0; k < 2; k++) {
			mem_free(t->sums.ptr[i].seen[k]);
			mem_free(t->sums.ptr[i].in[k]);
		}
	vec_clear(&t->sums);
}

static void topology_free(struct plugin *p)
{
	struct topology_aware *t = p->state;

	if (!t)
		return;
	drop_sums(t);
	vec_done(&t->sums);
	vec_done(&t->of_domain);
	for (size_t i = 0; i < t->resources.len; i++)
		mem_free(t->resources.ptr[i].name);
	vec_done(&t->resources);
	mem_free(t);
}

static void topology_open(struct plugin *p)
{
	struct topology_aware *t = p->state;
	const struct cluster *cluster = p->ssn->cluster;

	for (size_t i = 0; i < t->resources.len; i++) {
		struct weighted *resource = &t->resources.ptr[i];
		int dim = dims_find(cluster->dims, str_from(resource->name));

		if (dim != resource->dim || t->cluster != cluster)
			drop_sums(t);
		resource->dim = dim;
	}
	t->cluster = cluster;
}

/* --- what domains have ----------------------------------------------------------------------- */

static void count_slot(const struct topology_aware *t, uint32_t slot)
{
	static const enum capacity_kind kinds[2] = {CAPACITY_ALLOCATABLE, CAPACITY_USED};
	struct domain *const *all = NULL;
	size_t count = hypernodes_of(t->cluster->hypernodes, slot, &all);

	for (size_t i = 0; count && i < t->resources.len; i++)
		for (int k = 0; k < 2 && t->resources.ptr[i].dim != DIM_NONE; k++) {
			const struct sums *sums = &t->sums.ptr[i];
			int64_t now = columns_get(&t->cluster->columns, kinds[k],
						  t->resources.ptr[i].dim, slot);
			int64_t by = now - sums->seen[k][slot];

			sums->seen[k][slot] = now;
			for (size_t j = 0; by && j < count; j++)
				sums->in[k][all[j]->id] += by;
		}
}

static void sync(struct topology_aware *t)
{
	const struct cluster *cluster = t->cluster;
	const struct hypernodes *tree = cluster->hypernodes;

	if (t->sums.len && t->tree == tree->version && t->slots == cluster->nodes.len &&
	    cluster->changes - t->synced <= CHANGE_RING) {
		for (; t->synced < cluster->changes; t->synced++)
			count_slot(t, cluster->change_ring[t->synced % CHANGE_RING]);
		return;
	}
	drop_sums(t);
	for (size_t i = 0; i < t->resources.len; i++) {
		struct sums *sums = vec_add(&t->sums);

		for (int k = 0; k < 2; k++) {
			sums->seen[k] = mem_calloc(cluster->nodes.len + 1, sizeof(int64_t));
			sums->in[k] = mem_calloc(tree->domains.len, sizeof(int64_t));
		}
	}
	for (uint32_t slot = 0; slot < cluster->nodes.len; slot++)
		count_slot(t, slot);
	t->tree = tree->version;
	t->slots = cluster->nodes.len;
	t->synced = cluster->changes;
}

/* The weighted mean of what would be used, between 0 and 1; 0 if it is more than there is. */
static double usage(const struct topology_aware *t, const struct domain *domain,
		    const struct resources *request)
{
	double sum = 0, weights = 0;

	for (size_t i = 0; i < t->resources.len; i++) {
		const struct weighted *resource = &t->resources.ptr[i];
		int64_t asked =
			resource->dim == DIM_NONE ? 0 : resources_get(request, resource->dim);
		double have, used;

		if (asked <= 0)
			continue;
		have = (double)t->sums.ptr[i].in[0][domain->id];
		used = (double)t->sums.ptr[i].in[1][domain->id] + (double)asked;
		if (used > have)
			return 0;
		sum += (double)resource->weight * used / have;
		weights += (double)resource->weight;
	}
	return weights > 0 ? sum / weights : 0;
}

static double topology_domain_score(const struct plugin *p, const struct domain *domain,
				    const struct resources *request)
{
	struct topology_aware *t = p->state;

	sync(t);
	return 100 * (double)t->weight * usage(t, domain, request);
}

/* --- what a topology allows ------------------------------------------------------------------- */

/* Soft is a wish, whatever tier it names; so is a tier that no HyperNode has the name of. */
static int64_t topology_limit(const struct plugin *p, const struct network_topology *topology)
{
	int64_t tier;

	if (topology->mode != NETWORK_TOPOLOGY_HARD)
		return INT64_MAX;
	if (topology->highest_tier_allowed.set)
		return topology->highest_tier_allowed.value;
	if (hypernodes_find_tier(p->ssn->cluster->hypernodes, topology->highest_tier_name, &tier))
		return tier;
	return INT64_MAX;
}

/* --- ordinary pods ---------------------------------------------------------------------------- */

static bool is_normal(const struct plugin *p, const struct task *task)
{
	const struct topology_aware *t = p->state;

	return t->scores_normal && hypernodes_are_there(p->ssn->cluster->hypernodes) &&
	       (!task->sub || !domain_topology(task->sub));
}

/* The sum of the weights of all tiers. */
static double tier_weights(const struct topology_aware *t, const struct hypernodes *tree)
{
	int64_t last = hypernodes_root(tree)->tier;
	double sum = 0;

	if (last - tree->least_tier >= TIERS_MAX)
		last = tree->least_tier + TIERS_MAX - 1;
	for (int64_t tier = tree->least_tier; tier <= last; tier++)
		sum += pow(t->fading, (double)(tier - 1));
	return sum;
}

/* Tier by tier how full the node's domain would be; a tier in which it has none counts as full. */
static double score_normal(const struct topology_aware *t, const struct hypernodes *tree,
			   uint32_t slot, double weights)
{
	struct domain *const *all = NULL;
	size_t count = hypernodes_of(tree, slot, &all);
	double sum = weights;

	for (size_t i = 0; i < count; i++)
		if (!i || all[i]->tier != all[i - 1]->tier)
			sum -= pow(t->fading, (double)(all[i]->tier - 1)) *
			       (1 - t->of_domain.ptr[all[i]->id]);
	return weights > 0 ? 100 * (double)t->weight * sum / weights : 0;
}

static void topology_batch(const struct plugin *p, const struct task *task,
			   struct node_info *const *nodes, size_t count, double *scores)
{
	struct topology_aware *t = p->state;
	const struct hypernodes *tree = p->ssn->cluster->hypernodes;
	double weights = tier_weights(t, tree);

	sync(t);
	vec_clear(&t->of_domain);
	for (size_t i = 0; i < tree->domains.len; i++)
		vec_push(&t->of_domain, usage(t, tree->domains.ptr[i], &task->class->request));
	for (size_t i = 0; i < count; i++)
		scores[i] += score_normal(t, tree, nodes[i]->slot, weights);
}

static double topology_weight(const struct plugin *p)
{
	return (double)((const struct topology_aware *)p->state)->weight;
}

static const struct score_row topology_scores[] = {
	{.name = "hypernode",
	 .scope = SCOPE_CLUSTER,
	 .applies = is_normal,
	 .weight = topology_weight,
	 .batch = topology_batch},
	{.name = NULL},
};

const struct plugin_type network_topology_aware_plugin = {
	.name = "network-topology-aware",
	.alike = true,
	.new = topology_new,
	.free = topology_free,
	.open = topology_open,
	.domain_limit = topology_limit,
	.domain_score = topology_domain_score,
	.scores = topology_scores,
};
