/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/domain_search.c - see the header. Nothing is placed here: counts are asked, who places tries. */
#include "sched/place/domain_search.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "model/volcano/networktopology.h"
#include "sched/cluster/hypernodes.h"
#include "sched/place/domain_fit.h"
#include "sched/place/finder.h"
#include "sched/session/session.h"
#include "sched/session/session_hooks.h"

#include "base/banned.h"

/* Of a gang with more classes the others are taken to fit: the attempt decides. */
enum { CLASSES_MAX = 8 };

struct counted_class {
	const struct domain_fit *fit;
	const struct class *class;
	const struct task *task;
	int64_t count;
};

struct candidate {
	const struct domain *domain;
	int64_t fits;  /* of the tasks */
	int64_t reach; /* the same of the largest domain around it that is allowed */
	double score;
	bool whole; /* holds all of them */
};

struct finding {
	const struct domain_ask *ask;
	struct counted_class classes[CLASSES_MAX];
	size_t class_count;
	int64_t others;  /* tasks of further classes */
	int64_t *placed; /* by domain: tasks of the group that have a node */
	int64_t placed_count;
	bool hinted;              /* ... that is only reserved for them */
	struct resources request; /* of all tasks */
	VEC(struct candidate) list;
};

static const struct hypernodes *tree_of(const struct session *ssn)
{
	return ssn->cluster->hypernodes;
}

bool domain_search_applies(const struct session *ssn, const struct job *job)
{
	if (!ssn->config->hooks[HOOK_DOMAIN_LIMIT].len)
		return false;
	for (size_t i = 0; i < job->policy_count; i++)
		if (job->policies[i].topology)
			return true;
	return job_topology(job);
}

const struct network_topology *domain_topology(const struct sub_job *sub)
{
	return sub->policy ? sub->policy->topology : job_topology(sub->job);
}

/* --- counting -------------------------------------------------------------------------------- */

static void count_class(struct finding *f, const struct task *task)
{
	for (size_t i = 0; i < f->class_count; i++)
		if (f->classes[i].class == task->class) {
			f->classes[i].count++;
			return;
		}
	if (f->class_count == CLASSES_MAX) {
		f->others++;
		return;
	}
	f->classes[f->class_count++] =
		(struct counted_class){.class = task->class, .task = task, .count = 1};
}

static void count_place(const struct hypernodes *tree, int64_t *placed, uint32_t slot)
{
	struct domain *const *all = NULL;
	size_t count = hypernodes_of(tree, slot, &all);

	for (size_t i = 0; i < count; i++)
		placed[all[i]->id]++;
}

static bool is_of(const struct domain_ask *ask, const struct task *task)
{
	return !ask->sub || task->sub == ask->sub;
}

/* Nodes on which the group runs, or has places in a statement. Pods that are leaving hold no other pod near them. */
static int64_t count_placed(const struct domain_ask *ask, int64_t *placed)
{
	static const unsigned statuses = TASKS_ALLOCATED | TASK_BIT(TASK_PIPELINED);
	int64_t count = 0;

	for (int status = 0; status < TASK_STATUS_COUNT; status++) {
		if (!(TASK_BIT(status) & statuses))
			continue;
		LIST_EACH(&ask->job->tasks[status], struct task, job_link, task)
			if (is_of(ask, task) && task->node->there) {
				count_place(tree_of(ask->ssn), placed, task->node->slot);
				count++;
			}
	}
	return count;
}

/* Nodes on which capacity was freed for it. */
static int64_t count_reserved(const struct domain_ask *ask, int64_t *placed)
{
	const struct cluster *cluster = ask->ssn->cluster;
	int64_t count = 0;

	for (size_t i = 0; i < ask->count; i++) {
		uint32_t name = ask->tasks[i]->reserved_node ? ask->tasks[i]->reserved_node
							     : ask->tasks[i]->nominated;
		const struct node_info *node =
			name ? cluster_find_node(cluster, symbols_text(cluster->symbols, name))
			     : NULL;

		if (!node)
			continue;
		count_place(cluster->hypernodes, placed, node->slot);
		count++;
	}
	return count;
}

static void finding_init(struct finding *f, const struct domain_ask *ask)
{
	*f = (struct finding){.ask = ask, .request = RESOURCES_INIT};
	for (size_t i = 0; i < ask->count; i++) {
		count_class(f, ask->tasks[i]);
		resources_add(&f->request, &ask->tasks[i]->class->request);
	}
	for (size_t i = 0; i < f->class_count; i++)
		f->classes[i].fit = domain_fit_of(ask->ssn, f->classes[i].task);
	f->placed = mem_calloc(tree_of(ask->ssn)->domains.len, sizeof(*f->placed));
	f->placed_count = count_placed(ask, f->placed);
	if (!f->placed_count) {
		f->placed_count = count_reserved(ask, f->placed);
		f->hinted = f->placed_count;
	}
}

static void finding_done(struct finding *f)
{
	mem_free(f->placed);
	resources_done(&f->request);
	vec_done(&f->list);
}

/* How many of the tasks fit, each class by itself. */
static int64_t fits_in(const struct finding *f, const struct domain *domain)
{
	int64_t sum = f->others;

	for (size_t i = 0; i < f->class_count; i++) {
		int64_t fits = domain_fit_in(f->classes[i].fit, domain);

		sum += fits < f->classes[i].count ? fits : f->classes[i].count;
	}
	return sum;
}

static bool is_allowed(const struct finding *f, const struct domain *domain)
{
	return domain->tier <= f->ask->limit && domain_contains(f->ask->within, domain);
}

/* --- ordering -------------------------------------------------------------------------------- */

static int by_merit(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->whole != b->whole)
		return a->whole ? -1 : 1;
	if (!a->whole && a->reach != b->reach)
		return a->reach > b->reach ? -1 : 1;
	if (a->domain->tier != b->domain->tier)
		return a->domain->tier < b->domain->tier ? -1 : 1;
	if (!a->whole && a->fits != b->fits)
		return a->fits > b->fits ? -1 : 1;
	if (a->score < b->score || a->score > b->score)
		return a->score > b->score ? -1 : 1;
	return a->domain->id < b->domain->id ? -1 : a->domain->id > b->domain->id;
}

static int64_t reach_of(const struct finding *f, const struct domain *domain)
{
	int64_t most = 0;

	for (; domain && is_allowed(f, domain); domain = domain->parent) {
		int64_t fits = fits_in(f, domain);

		most = fits > most ? fits : most;
	}
	return most;
}

static void add_candidate(struct finding *f, const struct domain *domain)
{
	struct candidate now = {.domain = domain, .fits = fits_in(f, domain)};

	if (now.fits < (int64_t)f->ask->need || !now.fits)
		return;
	now.whole = now.fits >= (int64_t)f->ask->count;
	now.reach = now.whole ? now.fits : reach_of(f, domain);
	now.score = hook_domain_score(f->ask->ssn, domain, &f->request);
	vec_push(&f->list, now);
}

/* --- near those that run --------------------------------------------------------------------- */

/* The domains that hold all of the group that has places, the smallest first; as far as the limit and the domain that was
 * asked for go. */
static void find_around(struct finding *f, struct domain_list *to)
{
	const struct hypernodes *tree = tree_of(f->ask->ssn);
	const struct domain *within = f->ask->within;

	for (size_t i = 0; i < tree->domains.len; i++) {
		const struct domain *domain = tree->domains.ptr[i];

		if (f->placed[i] < f->placed_count || domain->tier > f->ask->limit)
			continue;
		if (domain_contains(within, domain))
			vec_push(to, domain);
		else if (domain_contains(domain, within))
			vec_push(to, within);
		if (to->len && to->ptr[to->len - 1] == within)
			return;
	}
}

/* Those with capacity for all come before those that are nearer and have less. */
static void keep_capable(const struct finding *f, struct domain_list *list)
{
	struct domain_list some = {0};
	size_t len = 0;

	for (size_t i = 0; i < list->len; i++) {
		int64_t fits = fits_in(f, list->ptr[i]);

		if (fits >= (int64_t)f->ask->count)
			list->ptr[len++] = list->ptr[i];
		else if (fits >= (int64_t)f->ask->need && fits)
			vec_push(&some, list->ptr[i]);
	}
	list->len = len;
	/* The widest holds most, and places near by all the same. */
	for (size_t i = some.len; i-- > 0;)
		vec_push(list, some.ptr[i]);
	vec_done(&some);
}

static bool has(const struct domain_list *list, const struct domain *domain)
{
	for (size_t i = 0; i < list->len; i++)
		if (list->ptr[i] == domain)
			return true;
	return false;
}

void domain_search(const struct domain_ask *ask, struct domain_list *to)
{
	const struct hypernodes *tree = tree_of(ask->ssn);
	struct finding f;

	finding_init(&f, ask);
	if (f.placed_count) {
		find_around(&f, to);
		keep_capable(&f, to);
	}
	if (!f.placed_count || f.hinted) {
		for (size_t i = 0; i < tree->domains.len; i++)
			if (is_allowed(&f, tree->domains.ptr[i]))
				add_candidate(&f, tree->domains.ptr[i]);
		if (f.list.len)
			qsort(f.list.ptr, f.list.len, sizeof(*f.list.ptr), by_merit);
		for (size_t i = 0; i < f.list.len; i++)
			if (!has(to, f.list.ptr[i].domain))
				vec_push(to, f.list.ptr[i].domain);
	}
	finding_done(&f);
}

/* --- evicting -------------------------------------------------------------------------------- */

/* Would it hold the minimum if it were empty? */
static int64_t empty_fits(const struct finding *f, const struct domain *domain)
{
	int64_t sum = f->others;

	for (size_t i = 0; i < f->class_count; i++) {
		int64_t fits = domain_fit_empty(f->ask->ssn, f->classes[i].task, domain);

		sum += fits < f->classes[i].count ? fits : f->classes[i].count;
	}
	return sum;
}

static int by_evictions(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->fits != b->fits)
		return a->fits > b->fits ? -1 : 1;
	if (a->domain->tier != b->domain->tier)
		return a->domain->tier < b->domain->tier ? -1 : 1;
	if (a->score < b->score || a->score > b->score)
		return a->score > b->score ? -1 : 1;
	return a->domain->id < b->domain->id ? -1 : a->domain->id > b->domain->id;
}

static void add_evictable(struct finding *f, const struct domain *domain)
{
	struct candidate now = {.domain = domain};

	if (empty_fits(f, domain) < (int64_t)f->ask->need)
		return;
	now.fits = fits_in(f, domain);
	if (now.fits > (int64_t)f->ask->need)
		now.fits = (int64_t)f->ask->need;
	now.score = hook_domain_score(f->ask->ssn, domain, &f->request);
	vec_push(&f->list, now);
}

void domain_search_evict(const struct domain_ask *ask, size_t most, struct domain_list *to)
{
	const struct hypernodes *tree = tree_of(ask->ssn);
	struct finding f;

	finding_init(&f, ask);
	if (f.placed_count && !f.hinted) {
		struct domain_list around = {0};

		find_around(&f, &around);
		for (size_t i = 0; i < around.len; i++)
			add_evictable(&f, around.ptr[i]);
		vec_done(&around);
	} else {
		for (size_t i = 0; i < tree->domains.len; i++)
			if (is_allowed(&f, tree->domains.ptr[i]))
				add_evictable(&f, tree->domains.ptr[i]);
	}
	if (f.list.len)
		qsort(f.list.ptr, f.list.len, sizeof(*f.list.ptr), by_evictions);
	for (size_t i = 0; i < f.list.len && i < most; i++)
		vec_push(to, f.list.ptr[i].domain);
	finding_done(&f);
}

/* --- why not --------------------------------------------------------------------------------- */

struct domain_shortage domain_search_explain(const struct domain_ask *ask)
{
	const struct hypernodes *tree = tree_of(ask->ssn);
	struct domain_shortage ret = {.fits = -1, .beyond = true};
	struct domain_list list = {0};
	struct finding f;

	finding_init(&f, ask);
	if (f.placed_count && !f.hinted)
		find_around(&f, &list);
	else
		for (size_t i = 0; i < tree->domains.len; i++)
			if (is_allowed(&f, tree->domains.ptr[i]))
				vec_push(&list, tree->domains.ptr[i]);
	ret.spread = !list.len && f.placed_count && !f.hinted;
	for (size_t i = 0; i < list.len; i++) {
		int64_t fits = fits_in(&f, list.ptr[i]);

		if (fits > ret.fits) {
			ret.best = list.ptr[i];
			ret.fits = fits;
		}
		ret.beyond = ret.beyond && empty_fits(&f, list.ptr[i]) < (int64_t)ask->need;
	}
	vec_done(&list);
	finding_done(&f);
	return ret;
}

struct domain_sums {
	size_t domains;
	size_t dims;
	int64_t *at[2]; /* idle, future: by dimension and domain */
};

void domain_search_note_sums(struct session *ssn)
{
	static const enum capacity_kind kinds[] = {CAPACITY_IDLE, CAPACITY_FUTURE};
	const struct hypernodes *tree = tree_of(ssn);
	const struct columns *cols = &ssn->cluster->columns;
	struct domain_sums *sums = arena_zalloc(ssn->arena, sizeof(*sums));

	sums->domains = tree->domains.len;
	sums->dims = cols->dims;
	for (int k = 0; k < 2; k++) {
		sums->at[k] = arena_calloc(ssn->arena, sums->domains * sums->dims, sizeof(int64_t));
		for (uint32_t slot = 0; slot < ssn->cluster->nodes.len; slot++) {
			struct domain *const *all = NULL;
			size_t count = hypernodes_of(tree, slot, &all);

			for (size_t dim = 0; count && dim < sums->dims; dim++)
				for (size_t i = 0; i < count; i++)
					sums->at[k][dim * sums->domains + all[i]->id] +=
						cols->at[kinds[k]][dim][slot];
		}
	}
	ssn->domain_sums = sums;
}

static bool covers(const struct domain_sums *sums, int kind, const struct resources *need,
		   const struct domain *domain)
{
	for (dim_set rest = resources_dims(need); rest; rest &= rest - 1) {
		size_t dim = (size_t)__builtin_ctzll(rest);

		if (dim >= sums->dims || sums->at[kind][dim * sums->domains + domain->id] <
						 resources_get(need, (int)dim))
			return false;
	}
	return true;
}

/* Sub-groups are tried one by one in a domain of their job: there only minResources counts. */
static bool would_be_tried(const struct finding *f, const struct domain *domain)
{
	const struct domain_ask *ask = f->ask;
	const struct resources *need =
		!ask->sub && ask->job->policy_count ? &ask->job->min_resources : &f->request;

	return covers(ask->ssn->domain_sums, 0, need, domain) ||
	       covers(ask->ssn->domain_sums, 1, need, domain);
}

const struct domain *domain_search_reported(const struct domain_ask *ask)
{
	const struct hypernodes *tree = tree_of(ask->ssn);
	const struct domain *found = NULL;
	struct finding f;

	if (!ask->ssn->domain_sums)
		return NULL;
	finding_init(&f, ask);
	if (f.placed_count && !f.hinted) {
		struct domain_list around = {0};

		find_around(&f, &around);
		found = around.len ? around.ptr[around.len - 1] : NULL;
		vec_done(&around);
	}
	for (size_t i = 0; (!f.placed_count || f.hinted) && i < tree->domains.len; i++)
		if (is_allowed(&f, tree->domains.ptr[i]) &&
		    would_be_tried(&f, tree->domains.ptr[i]))
			found = tree->domains.ptr[i];
	finding_done(&f);
	return found;
}

/* --- inside of a domain ---------------------------------------------------------------------- */

void descent_init(struct descent *d, const struct domain_ask *ask, const struct domain *domain)
{
	*d = (struct descent){.ssn = ask->ssn, .domain = domain, .left = ask->count};
	d->placed = mem_calloc(tree_of(ask->ssn)->domains.len, sizeof(*d->placed));
	(void)count_placed(ask, d->placed);
}

void descent_done(struct descent *d)
{
	mem_free(d->placed);
	d->placed = NULL;
}

void descent_add(struct descent *d, uint32_t slot)
{
	count_place(tree_of(d->ssn), d->placed, slot);
	d->left -= d->left > 0;
}

/* A part of a domain: a child, or (`own`) its nodes that are in none. */
struct part {
	const struct domain *domain;
	bool own;
	int64_t fits;
	int64_t placed;
};

static struct part part_of(const struct descent *d, const struct domain_fit *fit,
			   const struct domain *domain)
{
	return (struct part){.domain = domain,
			     .fits = domain_fit_in(fit, domain),
			     .placed = d->placed[domain->id]};
}

static struct part own_part(const struct descent *d, const struct domain_fit *fit,
			    const struct domain *domain)
{
	struct part part = {.domain = domain,
			    .own = true,
			    .fits = domain_fit_in_own(fit, domain),
			    .placed = d->placed[domain->id]};

	for (size_t i = 0; i < domain->children.len; i++)
		part.placed -= d->placed[domain->children.ptr[i]->id];
	return part;
}

static bool is_better(const struct descent *d, const struct task *task, const struct part *a,
		      const struct part *b)
{
	bool all = a->fits >= (int64_t)d->left;
	double left, right;

	if (a->placed != b->placed && (a->placed > 0 || b->placed > 0))
		return a->placed > b->placed;
	if (all != (b->fits >= (int64_t)d->left))
		return all;
	if (!all)
		return a->fits > b->fits;
	if (a->own != b->own)
		return b->own;
	left = hook_domain_score(d->ssn, a->domain, &task->class->request);
	right = hook_domain_score(d->ssn, b->domain, &task->class->request);
	return left > right;
}

static bool was_tried(const struct domain_list *tried, const struct part *part)
{
	return has(tried, part->domain);
}

static bool choose_in(struct descent *d, struct task *task, const struct part *in,
		      struct choice *ret);

/* The parts of a domain, the best first. */
static bool choose_part(struct descent *d, struct task *task, const struct domain *domain,
			struct choice *ret)
{
	struct domain_list tried = {0};
	bool found = false;

	for (;;) {
		const struct domain_fit *fit = domain_fit_of(d->ssn, task);
		struct part best = own_part(d, fit, domain);

		if (was_tried(&tried, &best))
			best.fits = 0;
		for (size_t i = 0; i < domain->children.len; i++) {
			struct part part = part_of(d, fit, domain->children.ptr[i]);

			if (part.fits > 0 && !was_tried(&tried, &part) &&
			    (!best.fits || is_better(d, task, &part, &best)))
				best = part;
		}
		if (best.fits <= 0)
			break;
		found = choose_in(d, task, &best, ret);
		if (found)
			break;
		vec_push(&tried, best.domain);
	}
	vec_done(&tried);
	return found;
}

static bool choose_in(struct descent *d, struct task *task, const struct part *in,
		      struct choice *ret)
{
	const struct node_set own = {
		.name = in->domain->name, .slots = in->domain->own.ptr, .len = in->domain->own.len};

	if (in->own || !in->domain->children.len)
		return finder_choose(d->ssn, task, &own, ret, NULL);
	return choose_part(d, task, in->domain, ret);
}

bool descent_choose(struct descent *d, struct task *task, struct choice *ret,
		    const struct fit **ret_fit)
{
	const struct domain *domain = d->domain;
	const struct node_set set = {.name = domain->name,
				     .slots = domain->parent ? domain->slots.ptr : NULL,
				     .len = domain->parent ? domain->slots.len : 0};

	if (domain->children.len && choose_part(d, task, domain, ret))
		return true;
	return finder_choose(d->ssn, task, &set, ret, ret_fit);
}
