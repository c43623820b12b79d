/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/nodeorder.c - the scores of Kubernetes (scheduler specification, 6.19): which of the
 * nodes that fit is best. Each is a whole number from 0 to 100, as there, times its weight. */
#include <math.h>

#include "base/mem.h"
#include "base/vec.h"
#include "model/core/taints.h"
#include "model/pod/affinity.h"
#include "sched/place/affinity_index.h"
#include "sched/place/simd.h"
#include "sched/place/spread.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

enum scorer {
	LEAST_REQUESTED,
	MOST_REQUESTED,
	BALANCED,
	NODE_AFFINITY,
	POD_AFFINITY,
	TAINTS,
	IMAGES,
	SPREAD,
	SCORER_COUNT
};
struct nodeorder {
	double weight[SCORER_COUNT];
	int gpu; /* the dimension of nvidia.com/gpu; DIM_NONE: no node has one */
	struct spread_counts counts;
};

static const double top = 100; /* of a score */

static int nodeorder_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	static const struct {
		const char *argument;
		int64_t weight;
	} rows[SCORER_COUNT] = {
		[LEAST_REQUESTED] = {"leastrequested.weight", 1},
		[MOST_REQUESTED] = {"mostrequested.weight", 0},
		[BALANCED] = {"balancedresource.weight", 1},
		[NODE_AFFINITY] = {"nodeaffinity.weight", 2},
		[POD_AFFINITY] = {"podaffinity.weight", 2},
		[TAINTS] = {"tainttoleration.weight", 3},
		[IMAGES] = {"imagelocality.weight", 1},
		[SPREAD] = {"podtopologyspread.weight", 2},
	};
	struct nodeorder *order = mem_new(struct nodeorder);

	(void)err;
	for (int i = 0; i < SCORER_COUNT; i++)
		order->weight[i] = (double)args_int(args, rows[i].argument, rows[i].weight);
	p->state = order;
	return 0;
}

static void nodeorder_free(struct plugin *p)
{
	struct nodeorder *order = p->state;

	if (order)
		spread_counts_done(&order->counts);
	mem_free(order);
}

static void nodeorder_open(struct plugin *p)
{
	struct nodeorder *order = p->state;

	order->gpu = dims_find(p->ssn->cluster->dims, STR("nvidia.com/gpu"));
	spread_counts_clear(&order->counts);
}

static double weight_of(const struct plugin *p, enum scorer which)
{
	return ((const struct nodeorder *)p->state)->weight[which];
}

/* --- capacity ------------------------------------------------------------------------------------ */

static int64_t allocatable(const struct plugin *p, const struct node_info *node, int dim)
{
	return columns_get(&p->ssn->cluster->columns, CAPACITY_ALLOCATABLE, dim, node->slot);
}

/* Rounded down, as whole numbers are divided; a product that should be whole may miss it by the last
 * bit. */
static inline double whole(double x)
{
	return (double)(int32_t)(x + 1e-9);
}

/* Of what is asked for of one resource: what is left, or what is used, in percent. */
static inline double part(int64_t asked, double percent, bool least)
{
	double used = (double)asked * percent;

	if (used > top + 1e-9 || percent == 0)
		return 0;
	return whole(least ? top - used : used);
}

/* Least or most of cpu and memory, each counted as a little where nothing is asked for. */
static inline double requested(const struct columns *cols, uint32_t slot, const int64_t own[2],
			       bool least)
{
	double cpu = cols->percent[DIM_CPU][slot], memory = cols->percent[DIM_MEMORY][slot];
	double sum = part(cols->nonzero[DIM_CPU][slot] + own[0], cpu, least) +
		     part(cols->nonzero[DIM_MEMORY][slot] + own[1], memory, least);

	return cpu > 0 && memory > 0 ? whole(sum / 2) : sum;
}

static double score_requested(const struct plugin *p, const struct task *task,
			      const struct node_info *node, bool least)
{
	const int64_t own[] = {task->class->nonzero_cpu, task->class->nonzero_memory};

	return requested(&p->ssn->cluster->columns, node->slot, own, least);
}

static double score_least(const struct plugin *p, const struct task *task,
			  const struct node_info *node)
{
	return score_requested(p, task, node, true);
}

static double score_most(const struct plugin *p, const struct task *task,
			 const struct node_info *node)
{
	return score_requested(p, task, node, false);
}

static inline simd left_of(const int64_t *asked, const double *percent, int64_t own)
{
	simd used = simd_from(simd_load_i64(asked) + own) * simd_load(percent);

	return simd_whole(simd_at_least_0(top + 1e-9 - used));
}

/* Some node has no cpu or no memory: then the other counts alone. */
static bool has_hollow(const struct plugin *p)
{
	return p->ssn->cluster->columns.hollow > 0;
}

static void score_all_least(const struct plugin *p, const struct task *task, uint32_t count,
			    double weight, double *scores)
{
	const struct columns *cols = &p->ssn->cluster->columns;
	const int64_t own[] = {task->class->nonzero_cpu, task->class->nonzero_memory};
	uint32_t one_by_one = has_hollow(p) ? count : 0;

	for (uint32_t i = 0; i < one_by_one; i++)
		scores[i] += weight * requested(cols, i, own, true);
	for (uint32_t i = one_by_one; i < count; i += SIMD_WIDTH) {
		simd cpu = left_of(cols->nonzero[DIM_CPU] + i, cols->percent[DIM_CPU] + i, own[0]);
		simd memory = left_of(cols->nonzero[DIM_MEMORY] + i, cols->percent[DIM_MEMORY] + i,
				      own[1]);

		simd_add(scores + i, weight * simd_whole((cpu + memory) / 2));
	}
}

static void score_all_most(const struct plugin *p, const struct task *task, uint32_t count,
			   double weight, double *scores)
{
	const struct columns *cols = &p->ssn->cluster->columns;
	const int64_t own[] = {task->class->nonzero_cpu, task->class->nonzero_memory};

	for (uint32_t i = 0; i < count; i++)
		scores[i] += weight * requested(cols, i, own, false);
}

/* For any of the resources that are balanced. */
static bool asks_something(const struct plugin *p, const struct task *task)
{
	const struct resources *request = &task->class->request;
	int gpu = ((const struct nodeorder *)p->state)->gpu;

	return resources_get(request, DIM_CPU) || resources_get(request, DIM_MEMORY) ||
	       (gpu != DIM_NONE && resources_get(request, gpu));
}

static inline double balance_of_two(double a, double b)
{
	return whole(top - fabs(a - b) / 2);
}

static double balance_of(const double *fractions, size_t n)
{
	double mean = 0, deviation = 0;

	if (n == 2)
		return balance_of_two(fractions[0], fractions[1]);
	for (size_t i = 0; i < n; i++)
		mean += fractions[i] / (double)n;
	for (size_t i = 0; n > 1 && i < n; i++)
		deviation += (fractions[i] - mean) * (fractions[i] - mean) / (double)n;
	return whole(top - sqrt(deviation));
}

static inline double capped(double percent)
{
	return percent > top ? top : percent;
}

/* 100 - the deviation of the parts that would be used, in percent. */
static double score_balanced(const struct plugin *p, const struct task *task,
			     const struct node_info *node)
{
	const struct columns *cols = &p->ssn->cluster->columns;
	const struct resources *request = &task->class->request;
	int gpu = ((const struct nodeorder *)p->state)->gpu;
	double fractions[3];
	size_t n = 0;

	for (int dim = DIM_CPU; dim <= DIM_MEMORY; dim++)
		if (cols->percent[dim][node->slot] > 0)
			fractions[n++] = capped((double)(cols->at[CAPACITY_USED][dim][node->slot] +
							 resources_get(request, dim)) *
						cols->percent[dim][node->slot]);
	if (gpu != DIM_NONE && resources_get(request, gpu) && allocatable(p, node, gpu) > 0)
		fractions[n++] = capped((double)(cols->at[CAPACITY_USED][gpu][node->slot] +
						 resources_get(request, gpu)) *
					top / (double)allocatable(p, node, gpu));
	return balance_of(fractions, n);
}

static inline simd filled(const int64_t *used, const double *percent, int64_t own)
{
	return simd_at_most(simd_from(simd_load_i64(used) + own) * simd_load(percent), top);
}

static void score_all_balanced(const struct plugin *p, const struct task *task, uint32_t count,
			       double weight, double *scores)
{
	const struct cluster *cluster = p->ssn->cluster;
	const struct columns *cols = &cluster->columns;
	const struct resources *request = &task->class->request;
	int gpu = ((const struct nodeorder *)p->state)->gpu;
	bool plain = !has_hollow(p) && (gpu == DIM_NONE || !resources_get(request, gpu));
	uint32_t one_by_one = plain ? 0 : count;
	int64_t own_cpu = resources_get(request, DIM_CPU);
	int64_t own_memory = resources_get(request, DIM_MEMORY);

	for (uint32_t i = 0; i < one_by_one; i++)
		if (cluster->nodes.ptr[i])
			scores[i] += weight * score_balanced(p, task, cluster->nodes.ptr[i]);
	for (uint32_t i = one_by_one; i < count; i += SIMD_WIDTH) {
		simd cpu = filled(cols->at[CAPACITY_USED][DIM_CPU] + i, cols->percent[DIM_CPU] + i,
				  own_cpu);
		simd memory = filled(cols->at[CAPACITY_USED][DIM_MEMORY] + i,
				     cols->percent[DIM_MEMORY] + i, own_memory);
		simd apart = cpu - memory;
		simd_i64 negative = apart < 0;

		apart = (simd)((simd_i64)apart ^ (negative & INT64_MIN));
		simd_add(scores + i, weight * simd_whole(top + 1e-9 - apart / 2));
	}
}

/* --- node affinity, taints, images ----------------------------------------------------------- */

static bool prefers_nodes(const struct plugin *p, const struct task *task)
{
	(void)p;
	return task->class->terms->prefers_nodes;
}

static double score_node_affinity(const struct plugin *p, const struct task *task,
				  const struct node_info *node)
{
	struct label space[LABELS_MAX];
	struct labels labels = label_set_view(node->labels, p->ssn->cluster->symbols, space);

	return (double)node_affinity_score(task->class->terms->spec->affinity->node, node->text,
					   &labels);
}

/* Only where some node advises against something does it distinguish nodes. */
static bool some_advise(const struct plugin *p, const struct task *task)
{
	const struct cluster *cluster = p->ssn->cluster;

	(void)task;
	for (size_t i = 0; i < cluster->profile_by_id.len; i++)
		if (cluster->profile_by_id.ptr[i] && cluster->profile_by_id.ptr[i]->advises)
			return true;
	return false;
}

static double score_taints(const struct plugin *p, const struct task *task,
			   const struct node_info *node)
{
	(void)p;
	return (double)taints_count_untolerated(
		&node->profile->taints, &task->class->terms->spec->tolerations, TAINTS_THAT_ADVISE);
}

enum { MIB = 1024 * 1024, IMAGE_LEAST = 23 * MIB, IMAGE_MOST = 1000 * MIB };

static bool has_images(const struct plugin *p, const struct task *task)
{
	return task->class->terms->image_count && p->ssn->cluster->image_nodes;
}

static int64_t image_bytes(const struct node_info *node, uint32_t image)
{
	for (size_t i = 0; i < node->image_count; i++)
		if (node->images[i].name == image)
			return node->images[i].bytes;
	return 0;
}

static double image_spread(const struct cluster *cluster, uint32_t image)
{
	size_t have = 0;

	for (size_t i = 0; i < cluster->nodes.len; i++)
		have += cluster->nodes.ptr[i] && image_bytes(cluster->nodes.ptr[i], image) > 0;
	return cluster->node_count ? (double)have / (double)cluster->node_count : 0;
}

static double score_images(const struct plugin *p, const struct task *task,
			   const struct node_info *node)
{
	const struct terms *terms = task->class->terms;
	int64_t most = (int64_t)IMAGE_MOST * (int64_t)terms->container_count;
	int64_t sum = 0;

	for (size_t i = 0; i < terms->image_count; i++) {
		int64_t bytes = image_bytes(node, terms->images[i]);

		if (bytes)
			sum += (int64_t)((double)bytes *
					 image_spread(p->ssn->cluster, terms->images[i]));
	}
	sum = sum < IMAGE_LEAST ? IMAGE_LEAST : sum > most ? most : sum;
	sum = (int64_t)top * (sum - IMAGE_LEAST) / (most - IMAGE_LEAST);
	return (double)sum;
}

/* --- other pods ------------------------------------------------------------------------------ */

static bool has_soft_terms(const struct plugin *p, const struct task *task)
{
	const struct terms *terms = task->class->terms;

	(void)p;
	for (size_t i = 0; i < terms->matched.len; i++)
		if (terms->matched.ptr[i]->use == TERM_SOFT &&
		    terms->matched.ptr[i]->carrying_total)
			return true;
	return terms->soft.len > 0;
}

static int64_t soft_score(const struct terms *terms, uint32_t slot)
{
	int64_t score = 0;

	for (size_t i = 0; i < terms->soft.len; i++) {
		const struct pod_term *term = terms->soft.ptr[i].term;

		score += (int64_t)terms->soft.ptr[i].weight *
			 pod_term_matching(term, topology_domain(term->topology, slot));
	}
	for (size_t i = 0; i < terms->matched.len; i++) {
		const struct pod_term *term = terms->matched.ptr[i];

		if (term->use == TERM_SOFT)
			score += (int64_t)term->weight *
				 pod_term_carrying(term, topology_domain(term->topology, slot));
	}
	return score;
}

static void score_pod_affinity(const struct plugin *p, const struct task *task,
			       struct node_info *const *nodes, size_t count, double *scores)
{
	AUTO(mem_free) int64_t *raw = mem_calloc(count + 1, sizeof(*raw));
	int64_t low = INT64_MAX, high = INT64_MIN;

	for (size_t i = 0; i < count; i++) {
		raw[i] = soft_score(task->class->terms, nodes[i]->slot);
		low = raw[i] < low ? raw[i] : low;
		high = raw[i] > high ? raw[i] : high;
	}
	for (size_t i = 0; i < count && high > low; i++)
		scores[i] += weight_of(p, POD_AFFINITY) *
			     (double)(int64_t)(top * (double)(raw[i] - low) / (double)(high - low));
}

static bool has_soft_spread(const struct plugin *p, const struct task *task)
{
	const struct terms *terms = task->class->terms;

	(void)p;
	for (size_t i = 0; i < terms->spread.len; i++)
		if (!spread_is_hard(&terms->spread.ptr[i]))
			return true;
	return false;
}

/* How many domains of a topology the candidates are in, without those that are marked by -1. */
static size_t domains_of(const struct topology *topology, struct node_info *const *nodes,
			 size_t count, const double *raw)
{
	AUTO(mem_free) uint8_t *seen = mem_zalloc(topology->values.len + 1);
	size_t domains = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t domain = topology_domain(topology, nodes[i]->slot);

		if (raw[i] < 0 || seen[domain])
			continue;
		seen[domain] = 1;
		domains++;
	}
	return domains;
}

/* Nodes without the key of a constraint are marked by -1. */
static void mark_without(const struct topology *topology, struct node_info *const *nodes,
			 size_t count, double *raw)
{
	for (size_t i = 0; i < count; i++)
		if (topology_domain(topology, nodes[i]->slot) == AFFINITY_NONE)
			raw[i] = -1;
}

/* Add one constraint's part. */
static void add_spread(const struct spread_term *spread, const struct spread_count *pods,
		       struct node_info *const *nodes, size_t count, double *raw)
{
	double weight = log((double)domains_of(spread->term->topology, nodes, count, raw) + 2);

	for (size_t i = 0; i < count; i++) {
		uint32_t domain = topology_domain(spread->term->topology, nodes[i]->slot);

		if (raw[i] >= 0)
			raw[i] += (double)spread_pods(spread, pods, domain) * weight +
				  (double)(spread->rule->max_skew - 1);
	}
}

static void score_spread(const struct plugin *p, const struct task *task,
			 struct node_info *const *nodes, size_t count, double *scores)
{
	const struct terms *terms = task->class->terms;
	AUTO(mem_free) double *raw = mem_calloc(count + 1, sizeof(*raw));
	struct spread_counts *counts = &((struct nodeorder *)p->state)->counts;
	double low = INFINITY, high = 0;

	(void)spread_counts_find(counts, p->ssn->cluster, terms);
	for (size_t i = 0; i < terms->spread.len; i++)
		if (!spread_is_hard(&terms->spread.ptr[i]))
			mark_without(terms->spread.ptr[i].term->topology, nodes, count, raw);
	for (size_t i = 0; i < terms->spread.len; i++)
		if (!spread_is_hard(&terms->spread.ptr[i]))
			add_spread(&terms->spread.ptr[i], &counts->at.ptr[i], nodes, count, raw);
	for (size_t i = 0; i < count; i++) {
		raw[i] = round(raw[i]);
		if (raw[i] < 0)
			continue;
		low = raw[i] < low ? raw[i] : low;
		high = raw[i] > high ? raw[i] : high;
	}
	for (size_t i = 0; i < count; i++) {
		double score = 0;

		if (raw[i] >= 0)
			score = high > 0 ? (double)(int64_t)(top * (high + low - raw[i]) / high)
					 : top;
		scores[i] += weight_of(p, SPREAD) * score;
	}
}

/* --- rows ------------------------------------------------------------------------------------ */

#define WEIGHT(name, which)                        \
	static double name(const struct plugin *p) \
	{                                          \
		return weight_of(p, which);        \
	}
WEIGHT(weight_least, LEAST_REQUESTED)
WEIGHT(weight_most, MOST_REQUESTED)
WEIGHT(weight_balanced, BALANCED)
WEIGHT(weight_node_affinity, NODE_AFFINITY)
WEIGHT(weight_pod_affinity, POD_AFFINITY)
WEIGHT(weight_taints, TAINTS)
WEIGHT(weight_images, IMAGES)
WEIGHT(weight_spread, SPREAD)

static const struct score_row nodeorder_scores[] = {
	{.name = "leastrequested",
	 .scope = SCOPE_NODE,
	 .weight = weight_least,
	 .score = score_least,
	 .all = score_all_least},
	{.name = "mostrequested",
	 .scope = SCOPE_NODE,
	 .weight = weight_most,
	 .score = score_most,
	 .all = score_all_most},
	{.name = "balancedresource",
	 .scope = SCOPE_NODE,
	 .applies = asks_something,
	 .weight = weight_balanced,
	 .score = score_balanced,
	 .all = score_all_balanced},
	{.name = "nodeaffinity",
	 .scope = SCOPE_PROFILE,
	 .normalise = NORMALISE_UP,
	 .applies = prefers_nodes,
	 .weight = weight_node_affinity,
	 .score = score_node_affinity},
	{.name = "tainttoleration",
	 .scope = SCOPE_PROFILE,
	 .normalise = NORMALISE_DOWN,
	 .applies = some_advise,
	 .weight = weight_taints,
	 .score = score_taints},
	{.name = "imagelocality",
	 .scope = SCOPE_NODE,
	 .applies = has_images,
	 .weight = weight_images,
	 .score = score_images},
	{.name = "podaffinity",
	 .scope = SCOPE_CLUSTER,
	 .applies = has_soft_terms,
	 .weight = weight_pod_affinity,
	 .batch = score_pod_affinity},
	{.name = "podtopologyspread",
	 .scope = SCOPE_CLUSTER,
	 .applies = has_soft_spread,
	 .weight = weight_spread,
	 .batch = score_spread},
	{.name = NULL},
};

const struct plugin_type nodeorder_plugin = {
	.name = "nodeorder",
	.alike = true,
	.new = nodeorder_new,
	.free = nodeorder_free,
	.open = nodeorder_open,
	.scores = nodeorder_scores,
};
