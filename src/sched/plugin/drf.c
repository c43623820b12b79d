/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/drf.c - dominant resource fairness (scheduler specification, 6.4): between jobs, the one
 * whose largest share of any resource is the smallest goes first; with enableHierarchy also between
 * queues, by a tree that their annotations describe.
 *
 * Shares of jobs are made from what they hold when they are asked for; there is nothing to keep up to
 * date. The tree's branches keep their shares, since each is made from all below it:
 *
 * 1. A branch is stale from the moment a job below it gains or loses something until it is asked for;
 *    then it is counted again, with those of its children that are stale.
 * 2. A leaf is a job with what it holds and is about to get. It is saturated when it holds all that it
 *    asks for of some resource, or when a resource that it holds is used up in the whole cluster.
 * 3. What a branch holds is what its children would hold if the unsaturated ones had the share of the
 *    smallest: a child that is stuck does not speak for the others.
 * 4. Jobs that neither hold nor want anything, and branches without jobs, are not there. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/number.h"
#include "model/value/labels.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

#define PATH_NOTE "volcano.sh/hierarchy"
#define WEIGHTS_NOTE "volcano.sh/hierarchy-weights"

static const double same_share = 0.000001;
enum { DEPTH_MAX = 64 }; /* a longer path ends there */

/* Of a job, or of a branch. */
struct holding {
	double at[DIMS_MAX];
	double share;
	bool saturated;
	bool empty; /* is not there */
};

struct branch {
	struct list link; /* among its parent's */
	struct branch *parent;
	struct list below;
	struct list leaves;              /* queues that end here */
	const struct queue_info *oldest; /* of those below it */
	struct str name;
	double weight;
	size_t depth;
	bool stale;
	struct holding holding;
	double plain[DIMS_MAX]; /* what is below it, as it is */
};
struct leaf {
	struct list link;
	const struct queue_info *queue;
};

struct drf {
	struct arena *arena; /* the tree of this session */
	struct branch *root; /* NULL: flat */
	VEC(struct branch *) by_queue;
	dim_set demanding; /* dimensions of which there is something left, as the tree was counted */
};

static int drf_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct drf *drf = mem_new(struct drf);

	(void)args;
	(void)err;
	drf->arena = arena_new(0);
	p->state = drf;
	return 0;
}

static void drf_free(struct plugin *p)
{
	struct drf *drf = p->state;

	if (!drf)
		return;
	vec_done(&drf->by_queue);
	arena_free(drf->arena);
	mem_free(drf);
}

/* --- jobs ------------------------------------------------------------------------------------ */

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
			held += resources_get(class_charge(more->class), dim);
		if (less)
			held -= resources_get(class_charge(less->class), dim);
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

static bool drf_preemptable(const struct plugin *p, const struct evict_ask *ask,
			    const struct task *victim)
{
	double own, other;

	if (!victim->job || !ask->job)
		return false;
	own = share_with(p, ask->job, ask->task, NULL);
	other = share_with(p, victim->job, NULL, victim);
	return own < other || fabs(own - other) <= same_share;
}

/* --- the tree -------------------------------------------------------------------------------- */

static struct branch *branch_new(struct drf *drf, struct branch *parent, struct str name,
				 double weight)
{
	struct branch *branch = arena_new_of(drf->arena, struct branch);

	branch->parent = parent;
	branch->name = name;
	branch->weight = weight < 1 ? 1 : weight;
	branch->depth = parent ? parent->depth + 1 : 0;
	branch->stale = true;
	list_init(&branch->link);
	list_init(&branch->below);
	list_init(&branch->leaves);
	if (parent)
		list_push(&parent->below, &branch->link);
	return branch;
}

static struct branch *branch_below(struct drf *drf, struct branch *parent, struct str name,
				   struct str weight)
{
	double value = 1;

	LIST_EACH(&parent->below, struct branch, link, known)
		if (str_eq(known->name, name))
			return known;
	if (number_parse_double(weight, &value, NULL) < 0)
		value = 1;
	return branch_new(drf, parent, name, value);
}

/* "root/sci/dev" with "100/50/50"; the first of each is the root's. A queue without is at the root. */
static void plant(struct drf *drf, const struct queue_info *queue)
{
	struct str path = str_none(), weights = str_none(), name, weight;
	struct branch *at = drf->root;
	struct leaf *leaf = arena_new_of(drf->arena, struct leaf);

	if (queue->view) {
		path = labels_get(&queue->view->meta.annotations, STR(PATH_NOTE));
		weights = labels_get(&queue->view->meta.annotations, STR(WEIGHTS_NOTE));
	}
	for (size_t i = 0; str_split(&path, '/', &name); i++) {
		if (!str_split(&weights, '/', &weight))
			weight = str_none();
		if (i > 0 && i < DEPTH_MAX)
			at = branch_below(drf, at, name, weight);
	}
	leaf->queue = queue;
	list_push(&at->leaves, &leaf->link);
	drf->by_queue.ptr[queue->id] = at;
	for (; at; at = at->parent)
		if (!at->oldest || queue_order(queue, at->oldest) < 0)
			at->oldest = queue;
}

static void drf_open(struct plugin *p)
{
	struct drf *drf = p->state;
	const struct cluster *cluster = p->ssn->cluster;

	drf->root = NULL;
	if (!plugin_is_on(p, SWITCH_HIERARCHY) || cluster_is_idle(cluster))
		return;
	arena_reset(drf->arena);
	drf->root = branch_new(drf, NULL, STR("root"), 1);
	drf->by_queue.len = 0;
	for (size_t i = 0; i < cluster->queue_by_id.len; i++)
		vec_push(&drf->by_queue, drf->root);
	for (size_t i = 0; i < cluster->queue_by_id.len; i++)
		if (cluster->queue_by_id.ptr[i])
			plant(drf, cluster->queue_by_id.ptr[i]);
	drf->demanding = 0;
}

/* --- shares in the tree ---------------------------------------------------------------------- */

static double share_of(const struct plugin *p, const double *at)
{
	const struct resources *total = &p->ssn->cluster->total;
	double most = 0;

	for (dim_set rest = resources_dims(total); rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		double one = at[dim] / (double)resources_get(total, dim);

		if (one > most)
			most = one;
	}
	return most;
}

static void add_request(double *at, const struct resources *request, double sign)
{
	for (dim_set rest = resources_dims(request); rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);

		at[dim] += sign * (double)resources_get(request, dim);
	}
}

/* What a job holds, pipelined tasks included. */
static void weigh_job(const struct plugin *p, const struct job *job, struct holding *ret)
{
	const struct drf *drf = p->state;

	*ret = (struct holding){.share = 0};
	add_request(ret->at, &job->allocated, 1);
	LIST_EACH(&job->tasks[TASK_PIPELINED], struct task, job_link, task)
		add_request(ret->at, class_charge(task->class), 1);
	ret->share = share_of(p, ret->at);
	ret->empty = ret->share <= 0 && resources_is_empty(&job->pending);
	for (dim_set rest = resources_dims(&p->ssn->cluster->total); rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		bool wants = resources_get(&job->pending, dim) > 0;

		if (ret->at[dim] >= 1)
			ret->saturated |= !wants || !(drf->demanding & DIM_BIT(dim));
	}
}

/* One child more: first its share, for the smallest; then what it holds at that share. */
static void take_share(const struct holding *child, double *smallest)
{
	if (!child->empty && !child->saturated && child->share > 0 && child->share < *smallest)
		*smallest = child->share;
}

static void take_holding(const struct holding *child, double smallest, struct holding *sum)
{
	double scale = child->saturated ? 1 : smallest / child->share;

	if (child->empty)
		return;
	sum->empty = false;
	sum->saturated &= child->saturated;
	for (int dim = 0; child->share > 0 && dim < DIMS_MAX; dim++)
		sum->at[dim] += child->at[dim] * scale;
}

static void add_up(double *to, const double *at)
{
	for (int dim = 0; dim < DIMS_MAX; dim++)
		to[dim] += at[dim];
}

static void refresh(const struct plugin *p, struct branch *branch)
{
	struct holding sum = {.saturated = true, .empty = true}, job_holding;
	double smallest = 1;

	if (!branch->stale)
		return;
	branch->stale = false;
	memset(branch->plain, 0, sizeof(branch->plain));
	LIST_EACH(&branch->below, struct branch, link, child) {
		refresh(p, child);
		take_share(&child->holding, &smallest);
	}
	for (int pass = 0; pass < 2; pass++)
		LIST_EACH(&branch->leaves, struct leaf, link, leaf)
			LIST_EACH(&leaf->queue->jobs, struct job, queue_link, job) {
				weigh_job(p, job, &job_holding);
				if (pass == 0) {
					take_share(&job_holding, &smallest);
					add_up(branch->plain, job_holding.at);
				} else {
					take_holding(&job_holding, smallest, &sum);
				}
			}
	LIST_EACH(&branch->below, struct branch, link, child) {
		take_holding(&child->holding, smallest, &sum);
		add_up(branch->plain, child->plain);
	}
	sum.share = share_of(p, sum.at);
	branch->holding = sum;
}

static void mark_all(struct branch *branch)
{
	branch->stale = true;
	LIST_EACH(&branch->below, struct branch, link, child)
		mark_all(child);
}

static void mark_queue(const struct plugin *p, const struct queue_info *queue)
{
	const struct drf *drf = p->state;

	if (!drf->root || !queue || queue->id >= drf->by_queue.len)
		return;
	for (struct branch *b = drf->by_queue.ptr[queue->id]; b; b = b->parent)
		b->stale = true;
}

/* The dimensions of which jobs do not hold everything. */
static dim_set find_demanding(const struct plugin *p)
{
	const struct cluster *cluster = p->ssn->cluster;
	double held[DIMS_MAX] = {0};
	dim_set ret = 0;

	for (size_t i = 0; i < cluster->queue_by_id.len; i++) {
		const struct queue_info *queue = cluster->queue_by_id.ptr[i];

		if (queue && !queue->parent) { /* with all below it */
			add_request(held, &queue->allocated, 1);
			add_request(held, &queue->pipelined, 1);
		}
	}
	for (dim_set rest = resources_dims(&cluster->total); rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);

		if (held[dim] < (double)resources_get(&cluster->total, dim))
			ret |= DIM_BIT(dim);
	}
	return ret;
}

static void refresh_tree(const struct plugin *p)
{
	struct drf *drf = p->state;
	dim_set demanding;

	if (!drf->root->stale)
		return;
	demanding = find_demanding(p);
	if (demanding != drf->demanding)
		mark_all(drf->root);
	drf->demanding = demanding;
	refresh(p, drf->root);
}

/* --- between queues -------------------------------------------------------------------------- */

static const struct branch *ancestor_at(const struct branch *branch, size_t depth)
{
	while (branch->depth > depth)
		branch = branch->parent;
	return branch;
}

/* In step from the root: who is not saturated goes first, then the smaller share by weight. Where two branches
 * have the same, that of the oldest queue goes first, with all below it: were it the older of the two queues, one
 * could stand between two others of which the second goes before the first. */
static int compare_branches(const struct branch *a, const struct branch *b)
{
	size_t depth = a->depth < b->depth ? a->depth : b->depth;

	for (size_t i = 0; i <= depth; i++) {
		const struct branch *l = ancestor_at(a, i), *r = ancestor_at(b, i);
		double left = l->holding.share / l->weight, right = r->holding.share / r->weight;

		if (l->holding.saturated != r->holding.saturated)
			return l->holding.saturated ? 1 : -1;
		if (left < right || left > right)
			return left < right ? -1 : 1;
		if (l != r)
			return queue_order(l->oldest, r->oldest);
	}
	return 0;
}

static int compare_queues(const struct plugin *p, const struct queue_info *a,
			  const struct queue_info *b)
{
	const struct drf *drf = p->state;

	if (!drf->root || a->id >= drf->by_queue.len || b->id >= drf->by_queue.len)
		return 0;
	refresh_tree(p);
	return compare_branches(drf->by_queue.ptr[a->id], drf->by_queue.ptr[b->id]);
}

/* The share of all that is below a branch by its weight, with a request more or less. */
static double plain_share(const struct plugin *p, const struct branch *branch,
			  const struct task *task, double sign)
{
	double at[DIMS_MAX];

	memcpy(at, branch->plain, sizeof(at));
	if (task)
		add_request(at, class_charge(task->class), sign);
	return share_of(p, at) / branch->weight;
}

/* A queue takes from another only if it still has the smaller share with what it takes: so neither can
 * take it back. Saturation, which upstream looks at here too, would let a queue that wants more take
 * all from one that has what it wants. */
static bool drf_reclaimable(const struct plugin *p, const struct evict_ask *ask,
			    const struct task *victim)
{
	const struct drf *drf = p->state;
	const struct queue_info *own = ask->job ? ask->job->queue : NULL;
	const struct queue_info *other = victim->job ? victim->job->queue : NULL;
	const struct branch *a, *b;

	if (!plugin_is_on(p, SWITCH_HIERARCHY) || ask->rest)
		return true;
	if (!drf->root || !own || !other)
		return false;
	refresh_tree(p);
	a = drf->by_queue.ptr[own->id];
	b = drf->by_queue.ptr[other->id];
	for (size_t i = 0; i <= a->depth && i <= b->depth; i++) {
		const struct branch *l = ancestor_at(a, i), *r = ancestor_at(b, i);
		double left, right;

		if (l == r)
			continue;
		left = plain_share(p, l, ask->task, 1);
		right = plain_share(p, r, victim, -1);
		if (left < right || left > right)
			return left < right;
	}
	return false;
}

static int drf_placed(const struct plugin *p, struct task *task)
{
	mark_queue(p, task->job ? task->job->queue : NULL);
	return 0;
}

static void drf_unplaced(const struct plugin *p, struct task *task)
{
	mark_queue(p, task->job ? task->job->queue : NULL);
}

const struct plugin_type drf_plugin = {
	.name = "drf",
	.shares_in_tree = true,
	.new = drf_new,
	.free = drf_free,
	.open = drf_open,
	.alike = true,
	.job_order = drf_job_order,
	.queue_order = compare_queues,
	.evictable = {[EVICT_PREEMPT] = drf_preemptable,
		      [EVICT_RECLAIM] = drf_reclaimable,
		      [EVICT_GANG_RECLAIM] = drf_reclaimable},
	.placed = drf_placed,
	.unplaced = drf_unplaced,
};
