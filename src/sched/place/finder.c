/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/finder.c - see the header.
 *
 * 1. For every slot, verdict and score are those of the node as it was at change `synced`; slots that
 *    changed later are in the cluster's ring, or the finder is made again.
 * 2. A slot is in the heap of its group (idle capacity, future capacity) exactly if its verdict is 0; the
 *    heaps are made when the class is asked for a second time.
 * 3. Normalised scores (100 x score / largest) are of the largest among nodes with idle capacity; when that
 *    changes, all scores are made again. */
#include "sched/place/finder.h"

#include <assert.h>

#include "base/mem.h"
#include "base/vec.h"
#include "sched/device/cards.h"
#include "sched/place/domain_fit.h"
#include "sched/place/simd.h"
#include "sched/place/slotheap.h"
#include "sched/report/fit_counts.h"
#include "sched/session/rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

/* The first that has a node decides. Foreign nodes are those of other shards. */
enum group {
	GROUP_IDLE,
	GROUP_IDLE_FOREIGN,
	GROUP_FUTURE,
	GROUP_FUTURE_FOREIGN,
	GROUP_COUNT,
	GROUP_NONE = GROUP_COUNT
};
enum { FINDERS_MAX = 64 }; /* kept; the one that was used longest ago goes */
enum { NORMALISED_MAX = 8 };

enum profile_state { PROFILE_UNKNOWN, PROFILE_FITS, PROFILE_BARS };

struct finder {
	struct list link;
	struct class *class;
	uint64_t config;
	uint64_t key; /* of the rows */
	uint64_t shape;
	uint64_t synced;
	uint32_t size; /* slots */
	uint32_t uses;
	verdict *verdicts;
	verdict *
		wide; /* with what the rows of SCOPE_CLUSTER say, of one search; and space to compute it */
	uint8_t *lack; /* what a look at all nodes works in */
	uint8_t *groups;
	struct slot_ranks ranks; /* scores, and places in the heaps */
	struct slot_heap heaps[GROUP_COUNT];
	bool heaped;
	/* By profile: what does not depend on the node itself. */
	verdict *by_profile;
	uint8_t *profile_known; /* enum profile_state */
	size_t profile_size;
	double most[NORMALISED_MAX]; /* the largest raw score of each normalised row */
	/* What was found last for all nodes when none fitted. */
	const struct fit *fit;
	uint32_t fit_session;
	uint64_t fit_changes;
	uint64_t generation; /* looks at all nodes so far */
	struct domain_fit *counts;
};

/* --- heaps ----------------------------------------------------------------------------------- */

static void make_heaps(struct finder *f)
{
	for (int g = 0; g < GROUP_COUNT; g++) {
		if (!f->heaps[g].at)
			f->heaps[g].at = mem_calloc(f->size, sizeof(uint32_t));
		f->heaps[g].len = 0;
	}
	for (uint32_t slot = 0; slot < f->size; slot++)
		if (f->groups[slot] != GROUP_NONE)
			slot_heap_append(&f->heaps[f->groups[slot]], &f->ranks, slot);
	for (int g = 0; g < GROUP_COUNT; g++)
		slot_heap_order(&f->heaps[g], &f->ranks);
	f->heaped = true;
}

/* --- one node -------------------------------------------------------------------------------- */

static verdict test_profile(struct finder *f, const struct rows *rows, const struct task *task,
			    const struct node_info *node)
{
	uint32_t id = node->profile->id;

	if (f->class->terms->by_name)
		return rows_test(rows, SCOPE_PROFILE, task, node);
	if (f->profile_known[id] == PROFILE_UNKNOWN) {
		f->by_profile[id] = rows_test(rows, SCOPE_PROFILE, task, node);
		f->profile_known[id] = f->by_profile[id] ? PROFILE_BARS : PROFILE_FITS;
	}
	return f->by_profile[id];
}

static double score_node(const struct finder *f, const struct rows *rows, const struct task *task,
			 const struct node_info *node)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < rows->score_count; i++) {
		const struct config_score *score = rows->scores[i];

		sum += score->weight * rows_normalise(score,
						      score->row->score(score->plugin, task, node),
						      f->most[n]);
		n += score->row->normalise != NORMALISE_NONE && n + 1 < NORMALISED_MAX;
	}
	return sum;
}

static uint8_t group_of(const struct session *ssn, uint32_t slot, bool idle)
{
	int group = idle ? GROUP_IDLE : GROUP_FUTURE;

	return (uint8_t)(group + (ssn->options.shard_soft && ssn->cluster->columns.foreign[slot]));
}

static bool is_barred(const struct session *ssn, uint32_t slot)
{
	return ssn->options.shard_hard && ssn->cluster->columns.foreign[slot];
}

/* What is left once resources are known to suffice: idle ones, or those of the future. */
static void look_closer(struct finder *f, const struct rows *rows, const struct task *task,
			const struct node_info *node, uint8_t group)
{
	verdict v = test_profile(f, rows, task, node);

	if (!v || !verdict_is_final(v))
		v |= rows_test(rows, SCOPE_NODE, task, node);
	f->verdicts[node->slot] = v;
	f->groups[node->slot] = v ? GROUP_NONE : group;
}

static void look_at(const struct session *ssn, struct finder *f, const struct rows *rows,
		    const struct task *task, uint32_t slot)
{
	const struct cluster *cluster = ssn->cluster;
	const struct node_info *node = cluster->nodes.ptr[slot];
	const struct class *class = task->class;

	f->groups[slot] = GROUP_NONE;
	if (!node || !node->there)
		f->verdicts[slot] = VERDICT_ABSENT;
	else if (is_barred(ssn, slot))
		f->verdicts[slot] = VERDICT(FIT_SHARD);
	else if (!class->empty && !cluster_fits(cluster, CAPACITY_FUTURE, slot, class))
		f->verdicts[slot] = VERDICT(FIT_INSUFFICIENT);
	else
		look_closer(f, rows, task, node,
			    group_of(ssn, slot,
				     class->empty ||
					     (cluster_fits(cluster, CAPACITY_IDLE, slot, class) &&
					      cards_are_free(ssn->cluster, task, node))));
}

/* --- all nodes ------------------------------------------------------------------------------- */

void finder_free(struct cluster *cluster, struct finder *finder)
{
	if (!finder)
		return;
	list_remove(&finder->link);
	cluster->finder_count--;
	finder->class->finder = NULL;
	mem_free(finder->verdicts);
	mem_free(finder->wide);
	mem_free(finder->ranks.scores);
	mem_free(finder->groups);
	mem_free(finder->lack);
	mem_free(finder->ranks.places);
	mem_free(finder->by_profile);
	mem_free(finder->profile_known);
	domain_fit_free(finder->counts);
	for (int g = 0; g < GROUP_COUNT; g++)
		mem_free(finder->heaps[g].at);
	mem_free(finder);
}

/* A finder for a class: its own, a new one, or the one that was used longest ago. */
static struct finder *finder_take(struct cluster *cluster, struct class *class)
{
	struct finder *f = class->finder;

	if (!f && cluster->finder_count >= FINDERS_MAX) {
		f = container_of(cluster->finders.prev, struct finder, link);
		f->class->finder = NULL;
		f->config = 0;
	}
	if (!f) {
		f = mem_new(struct finder);
		list_init(&f->link);
		cluster->finder_count++;
	}
	f->class = class;
	class->finder = f;
	list_remove(&f->link);
	list_push_front(&cluster->finders, &f->link);
	return f;
}

static void resize(struct finder *f, const struct cluster *cluster)
{
	size_t profiles = cluster->profile_by_id.len + 1;

	if (f->size != cluster->nodes.len || !f->verdicts) {
		f->size = (uint32_t)cluster->nodes.len;
		f->verdicts = mem_realloc(f->verdicts, f->size + 1, sizeof(*f->verdicts));
		f->ranks.scores = mem_realloc(f->ranks.scores, f->size + SIMD_WIDTH,
					      sizeof(*f->ranks.scores));
		f->groups = mem_realloc(f->groups, f->size + 1, sizeof(*f->groups));
		f->lack = mem_realloc(f->lack, f->size + 1, 2);
		mem_free(f->wide);
		f->wide = NULL;
		f->ranks.places =
			mem_realloc(f->ranks.places, f->size + 1, sizeof(*f->ranks.places));
		for (int g = 0; g < GROUP_COUNT; g++) {
			mem_free(f->heaps[g].at);
			f->heaps[g].at = NULL;
		}
	}
	if (profiles > f->profile_size) {
		f->profile_size = profiles;
		mem_free(f->by_profile);
		mem_free(f->profile_known);
		f->by_profile = mem_calloc(profiles, sizeof(*f->by_profile));
		f->profile_known = mem_calloc(profiles, 1);
	}
	memset(f->profile_known, 0, f->profile_size);
	memset(f->by_profile, 0, f->profile_size * sizeof(*f->by_profile));
}

/* The largest raw score of each normalised row, among nodes with idle capacity; says whether one of them
 * is another than before. */
static bool find_most(const struct session *ssn, struct finder *f, const struct rows *rows,
		      const struct task *task)
{
	double most[NORMALISED_MAX] = {0};
	bool changed = false;
	size_t n = 0;

	for (size_t i = 0; i < rows->score_count && n < NORMALISED_MAX; i++) {
		const struct config_score *score = rows->scores[i];

		if (score->row->normalise == NORMALISE_NONE)
			continue;
		for (uint32_t slot = 0; slot < f->size; slot++) {
			double raw;

			if (f->groups[slot] > GROUP_IDLE_FOREIGN)
				continue;
			raw = score->row->score(score->plugin, task, ssn->cluster->nodes.ptr[slot]);
			if (raw > most[n])
				most[n] = raw;
		}
		n++;
	}
	for (n = 0; n < NORMALISED_MAX; n++) {
		changed |= most[n] != f->most[n];
		f->most[n] = most[n];
	}
	return changed;
}

static void score_row(const struct session *ssn, struct finder *f, const struct config_score *score,
		      const struct task *task, double most)
{
	for (uint32_t slot = 0; slot < f->size; slot++)
		if (f->groups[slot] != GROUP_NONE)
			f->ranks.scores[slot] +=
				score->weight *
				rows_normalise(score,
					       score->row->score(score->plugin, task,
								 ssn->cluster->nodes.ptr[slot]),
					       most);
}

static void score_all(const struct session *ssn, struct finder *f, const struct rows *rows,
		      const struct task *task)
{
	size_t n = 0;

	memset(f->ranks.scores, 0, (f->size + SIMD_WIDTH) * sizeof(*f->ranks.scores));
	for (size_t i = 0; i < rows->score_count; i++) {
		const struct config_score *score = rows->scores[i];

		if (score->row->all)
			score->row->all(score->plugin, task, f->size, score->weight,
					f->ranks.scores);
		else
			score_row(ssn, f, score, task, f->most[n]);
		n += score->row->normalise != NORMALISE_NONE && n + 1 < NORMALISED_MAX;
	}
	f->heaped = false;
}

/* For each slot: is the request more than it has? */
static void find_short(const struct cluster *cluster, const struct class *class,
		       enum capacity_kind capacity, uint32_t count, uint8_t *restrict ret)
{
	const int64_t *restrict cpus = cluster->columns.at[capacity][DIM_CPU];
	const int64_t *restrict memories = cluster->columns.at[capacity][DIM_MEMORY];
	int64_t cpu = resources_get(&class->request, DIM_CPU);
	int64_t memory = resources_get(&class->request, DIM_MEMORY);
	dim_set rest = class->dims & ~(DIM_BIT(DIM_CPU) | DIM_BIT(DIM_MEMORY));

	for (uint32_t slot = 0; slot < count; slot++)
		ret[slot] = (cpu > cpus[slot]) | (memory > memories[slot]);
	for (; rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		const int64_t *restrict have = cluster->columns.at[capacity][dim];
		int64_t want = resources_get(&class->request, dim);

		for (uint32_t slot = 0; slot < count; slot++)
			ret[slot] |= want > have[slot];
	}
}

/* For each slot: are the cards that the task would get being released? */
static void find_moving_cards(struct cluster *cluster, const struct task *task, uint32_t count,
			      uint8_t *ret)
{
	for (uint32_t slot = 0; task->class->ask && slot < count; slot++)
		if (!ret[slot] && cluster->columns.profile[slot] != NODE_ABSENT)
			ret[slot] = !cards_are_free(cluster, task, cluster->nodes.ptr[slot]);
}

/* What is known of a node that has the capacity: what its profile says, and what is on it. A verdict that
 * nothing can change stands alone. */
static verdict verdict_of(struct finder *f, const struct rows *rows, const struct task *task,
			  const struct node_info *node, verdict found)
{
	verdict v = test_profile(f, rows, task, node);

	if (v && verdict_is_final(v))
		return v;
	v |= found;
	for (size_t i = 0; i < rows->filter_count[SCOPE_NODE]; i++) {
		const struct config_filter *filter = rows->filters[SCOPE_NODE][i];

		if (!filter->row->all)
			v |= filter->row->test(filter->plugin, task, node);
		if (v && verdict_is_final(v))
			break;
	}
	return v;
}

/* Is all that is left to know of a node what its profile says? */
static bool is_plain(const struct session *ssn, const struct finder *f, const struct rows *rows)
{
	bool plain =
		!f->class->terms->by_name && !ssn->options.shard_hard && !ssn->options.shard_soft;

	for (size_t i = 0; i < rows->filter_count[SCOPE_NODE]; i++)
		plain &= rows->filters[SCOPE_NODE][i]->row->all != NULL;
	return plain;
}

static verdict conclude_slot(const struct session *ssn, struct finder *f, const struct rows *rows,
			     const struct task *task, uint32_t slot)
{
	if (ssn->cluster->columns.profile[slot] == NODE_ABSENT)
		return VERDICT_ABSENT;
	if (is_barred(ssn, slot))
		return VERDICT(FIT_SHARD);
	if (f->lack[slot])
		return VERDICT(FIT_INSUFFICIENT);
	return verdict_of(f, rows, task, ssn->cluster->nodes.ptr[slot], f->verdicts[slot]);
}

/* Slot by slot, with what the filters of all nodes at once have found in `verdicts`. */
static void conclude_verdicts(const struct session *ssn, struct finder *f, const struct rows *rows,
			      const struct task *task)
{
	const uint32_t *profile = ssn->cluster->columns.profile;
	const uint8_t *lack = f->lack, *lack_now = f->lack + f->size;
	const uint8_t *known = f->profile_known;
	verdict *verdicts = f->verdicts;
	uint8_t *restrict groups = f->groups;
	bool plain = is_plain(ssn, f, rows);

	for (uint32_t slot = 0; slot < f->size; slot++) {
		if (plain && !lack[slot] && profile[slot] != NODE_ABSENT &&
		    known[profile[slot]] == PROFILE_FITS) {
			groups[slot] = verdicts[slot]   ? GROUP_NONE
				       : lack_now[slot] ? GROUP_FUTURE
							: GROUP_IDLE;
			continue;
		}
		verdicts[slot] = conclude_slot(ssn, f, rows, task, slot);
		groups[slot] = verdicts[slot] ? GROUP_NONE : group_of(ssn, slot, !lack_now[slot]);
	}
}

static void look_at_all(const struct session *ssn, struct finder *f, const struct rows *rows,
			const struct task *task)
{
	const struct cluster *cluster = ssn->cluster;
	uint8_t *lack_now;

	resize(f, cluster);
	memset(f->most, 0, sizeof(f->most));
	lack_now = f->lack + f->size;
	memset(f->lack, 0, 2 * (size_t)f->size);
	if (!task->class->empty) {
		find_short(cluster, task->class, CAPACITY_FUTURE, f->size, f->lack);
		if (cluster->moving)
			find_short(cluster, task->class, CAPACITY_IDLE, f->size, lack_now);
		if (cluster->moving)
			find_moving_cards(ssn->cluster, task, f->size, lack_now);
	}
	memset(f->verdicts, 0, f->size * sizeof(*f->verdicts));
	for (size_t i = 0; i < rows->filter_count[SCOPE_NODE]; i++) {
		const struct config_filter *filter = rows->filters[SCOPE_NODE][i];

		if (filter->row->all)
			filter->row->all(filter->plugin, task, f->size, f->verdicts);
	}
	conclude_verdicts(ssn, f, rows, task);
	session_mark(ssn, MARK_FILTERED, NULL);
	if (rows->normalises)
		(void)find_most(ssn, f, rows, task);
	score_all(ssn, f, rows, task);
	session_mark(ssn, MARK_SCORED, NULL);
	f->config = ssn->config->number;
	f->key = rows->key;
	f->shape = cluster->shape;
	f->fit = NULL;
	f->uses = 0;
	f->generation++;
}

/* One node has changed. */
static void look_again(const struct session *ssn, struct finder *f, const struct rows *rows,
		       const struct task *task, uint32_t slot)
{
	uint8_t group = f->groups[slot];

	if (f->heaped && group != GROUP_NONE)
		slot_heap_remove(&f->heaps[group], &f->ranks, slot);
	look_at(ssn, f, rows, task, slot);
	group = f->groups[slot];
	if (group == GROUP_NONE)
		return;
	f->ranks.scores[slot] = score_node(f, rows, task, ssn->cluster->nodes.ptr[slot]);
	if (f->heaped)
		slot_heap_add(&f->heaps[group], &f->ranks, slot);
}

static struct finder *finder_of(const struct session *ssn, const struct task *task,
				struct rows *rows)
{
	struct cluster *cluster = ssn->cluster;
	struct finder *f = finder_take(cluster, task->class);
	uint64_t missed = cluster->changes - f->synced;

	rows_find(ssn, task, rows);
	if (f->config != ssn->config->number || f->key != rows->key || f->shape != cluster->shape ||
	    f->size != cluster->nodes.len || missed > CHANGE_RING || missed > f->size) {
		look_at_all(ssn, f, rows, task);
	} else if (missed) {
		for (uint64_t i = f->synced; i < cluster->changes; i++)
			look_again(ssn, f, rows, task, cluster->change_ring[i % CHANGE_RING]);
		if (rows->normalises && find_most(ssn, f, rows, task))
			score_all(ssn, f, rows, task);
	}
	f->synced = cluster->changes;
	return f;
}

/* --- why not --------------------------------------------------------------------------------- */

struct search {
	struct session *ssn;
	struct finder *f;
	struct rows rows;
	const struct node_set *set;
};

static size_t search_len(const struct search *search)
{
	return search->set->slots ? search->set->len : search->f->size;
}

static uint32_t search_at(const struct search *search, size_t i)
{
	return search->set->slots ? search->set->slots[i] : (uint32_t)i;
}

/* How often each reason is reported; `verdicts` are those of all slots. */
static void count_reported(const struct search *search, const struct task *task,
			   const verdict *verdicts, struct fit_counts *counts)
{
	static const verdict before = VERDICT(FIT_INSUFFICIENT) | VERDICT(FIT_SHARD);
	const struct cluster *cluster = search->ssn->cluster;
	bool in_order = rows_differ_in_order(&search->rows, task);

	for (size_t i = 0; i < search_len(search); i++) {
		uint32_t slot = search_at(search, i);
		verdict v = verdicts[slot];

		if (in_order && v && v != VERDICT_ABSENT && !(v & before))
			v = rows_test_in_order(search->ssn, task, cluster->nodes.ptr[slot]);
		fit_counts_add(counts, search->ssn, task->class, slot, v);
	}
}

static const struct fit *fit_of_all(const struct search *search, const struct task *task)
{
	struct session *ssn = search->ssn;
	struct finder *f = search->f;
	struct fit_counts counts = {0};

	if (f->fit && f->fit_session == ssn->id && f->fit_changes == f->synced)
		return f->fit;
	count_reported(search, task, f->verdicts, &counts);
	f->fit = fit_counts_make(&counts, ssn, f->class, search->set);
	f->fit_session = ssn->id;
	f->fit_changes = f->synced;
	return f->fit;
}

/* --- choosing -------------------------------------------------------------------------------- */

/* The first of a group by a look at all; for a class that is asked for once. */
static uint32_t scan_best(const struct finder *f, uint8_t group)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t slot = 0; slot < f->size; slot++)
		if (f->groups[slot] == group &&
		    (best == UINT32_MAX || f->ranks.scores[slot] > f->ranks.scores[best]))
			best = slot;
	return best;
}

static uint32_t best_of(struct finder *f, uint8_t group)
{
	if (!f->heaped && f->uses > 1)
		make_heaps(f);
	if (f->heaped)
		return f->heaps[group].len ? f->heaps[group].at[0] : UINT32_MAX;
	return scan_best(f, group);
}

static bool choose_local(const struct search *search, const struct task *task, struct choice *ret,
			 const struct fit **ret_fit)
{
	struct finder *f = search->f;
	uint32_t slot = UINT32_MAX;

	f->uses++;
	for (uint8_t g = 0; g < GROUP_COUNT && slot == UINT32_MAX; g++) {
		slot = best_of(f, g);
		ret->idle = g < GROUP_FUTURE;
	}
	if (slot == UINT32_MAX) {
		if (ret_fit)
			*ret_fit = fit_of_all(search, task);
		return false;
	}
	ret->node = search->ssn->cluster->nodes.ptr[slot];
	return true;
}

struct candidates {
	VEC(struct node_info *) nodes;
	VEC(double) scores;
};

static struct node_info *best_candidate(const struct rows *rows, const struct task *task,
					struct candidates *c)
{
	size_t best = 0;

	if (c->nodes.len > 1)
		rows_add_batches(rows, task, c->nodes.ptr, c->nodes.len, c->scores.ptr);
	for (size_t i = 1; i < c->nodes.len; i++)
		if (c->scores.ptr[i] > c->scores.ptr[best] ||
		    (c->scores.ptr[i] == c->scores.ptr[best] &&
		     c->nodes.ptr[i]->slot < c->nodes.ptr[best]->slot))
			best = i;
	return c->nodes.len ? c->nodes.ptr[best] : NULL;
}

/* Nothing that is still to be asked could change it. */
static bool is_settled(verdict v)
{
	return v && ((verdict_codes(v) & VERDICT(FIT_INSUFFICIENT)) || verdict_is_final(v));
}

/* What the rows of SCOPE_CLUSTER say of all nodes: row by row, each of all nodes at once if it can. */
static void ask_of_all(const struct search *search, const struct task *task)
{
	const struct finder *f = search->f;
	const struct rows *rows = &search->rows;
	verdict *found = f->wide + f->size;

	memcpy(f->wide, f->verdicts, f->size * sizeof(*f->wide));
	for (size_t i = 0; i < rows->filter_count[SCOPE_CLUSTER]; i++) {
		const struct config_filter *filter = rows->filters[SCOPE_CLUSTER][i];

		if (filter->row->all) {
			memset(found, 0, f->size * sizeof(*found));
			filter->row->all(filter->plugin, task, f->size, found);
		}
		for (uint32_t slot = 0; slot < f->size; slot++) {
			if (is_settled(f->wide[slot]))
				continue;
			f->wide[slot] |=
				filter->row->all
					? found[slot]
					: filter->row->test(filter->plugin, task,
							    search->ssn->cluster->nodes.ptr[slot]);
		}
	}
}

/* ... and of the nodes of a set, one by one. */
static void ask_of_set(const struct search *search, const struct task *task)
{
	const struct finder *f = search->f;

	for (size_t i = 0; i < search->set->len; i++) {
		uint32_t slot = search->set->slots[i];
		verdict v = f->verdicts[slot];

		if (!is_settled(v))
			v |= rows_test(&search->rows, SCOPE_CLUSTER, task,
				       search->ssn->cluster->nodes.ptr[slot]);
		f->wide[slot] = v;
	}
}

/* The best of a group where no row compares nodes with each other. */
static struct node_info *best_alone(const struct search *search, int group)
{
	const struct finder *f = search->f;
	uint32_t best = UINT32_MAX;

	for (size_t i = 0; i < search_len(search); i++) {
		uint32_t slot = search_at(search, i);

		if (f->wide[slot] || f->groups[slot] != group)
			continue;
		if (best == UINT32_MAX || f->ranks.scores[slot] > f->ranks.scores[best] ||
		    (slot < best && f->ranks.scores[slot] == f->ranks.scores[best]))
			best = slot;
	}
	return best == UINT32_MAX ? NULL : search->ssn->cluster->nodes.ptr[best];
}

static struct node_info *best_together(const struct search *search, const struct task *task,
				       int group)
{
	const struct finder *f = search->f;
	struct candidates candidates = {0};
	struct node_info *best;

	for (size_t i = 0; i < search_len(search); i++) {
		uint32_t slot = search_at(search, i);

		if (f->wide[slot] || f->groups[slot] != group)
			continue;
		vec_push(&candidates.nodes, search->ssn->cluster->nodes.ptr[slot]);
		vec_push(&candidates.scores, f->ranks.scores[slot]);
	}
	best = best_candidate(&search->rows, task, &candidates);
	vec_done(&candidates.nodes);
	vec_done(&candidates.scores);
	return best;
}

static const struct fit *wide_fit(const struct search *search, const struct task *task)
{
	struct fit_counts counts = {0};

	count_reported(search, task, search->f->wide, &counts);
	return fit_counts_make(&counts, search->ssn, task->class, search->set);
}

/* For sets, and where something beyond the node has a say. */
static bool choose_widely(const struct search *search, const struct task *task, struct choice *ret,
			  const struct fit **ret_fit)
{
	struct finder *f = search->f;

	if (!f->wide)
		f->wide = mem_calloc(2 * (size_t)f->size + 1, sizeof(*f->wide));
	if (search->set->slots)
		ask_of_set(search, task);
	else
		ask_of_all(search, task);
	session_mark(search->ssn, MARK_FILTERED, NULL);
	ret->node = NULL;
	for (int g = 0; g < GROUP_COUNT && !ret->node; g++) {
		ret->node = search->rows.batch_count ? best_together(search, task, g)
						     : best_alone(search, g);
		ret->idle = g < GROUP_FUTURE;
	}
	if (!ret->node && ret_fit)
		*ret_fit = wide_fit(search, task);
	return ret->node;
}

/* --- without looking ------------------------------------------------------------------------- */

/* Does it ask for more cpu than any node has? Then it is what each of them lacks first, and no finder need
 * be made. That is most of a backlog of jobs that are all different. */
static bool is_still_short(struct session *ssn, const struct task *task, const struct node_set *set,
			   const struct fit **ret_fit)
{
	struct cluster *cluster = ssn->cluster;
	struct fit_counts counts = {0};

	if (set->slots || task->class->finder || ssn->options.shard_hard || !cluster->node_count ||
	    resources_get(&task->class->request, DIM_CPU) <= 0 ||
	    resources_get(&task->class->request, DIM_CPU) <=
		    cluster_most(cluster, CAPACITY_FUTURE, DIM_CPU))
		return false;
	if (!ret_fit)
		return true;
	fit_counts_add_short(&counts, DIM_CPU, cluster->node_count,
			     cluster_most(cluster, CAPACITY_FUTURE, DIM_CPU));
	*ret_fit = fit_counts_make(&counts, ssn, task->class, set);
	return true;
}

bool finder_choose(struct session *ssn, struct task *task, const struct node_set *set,
		   struct choice *ret, const struct fit **ret_fit)
{
	struct search search = {.ssn = ssn, .set = set};
	bool found;

	if (is_still_short(ssn, task, set, ret_fit))
		return false;
	session_mark(ssn, MARK_SEARCH, NULL);
	search.f = finder_of(ssn, task, &search.rows);
	if (!set->slots && rows_are_local(&search.rows)) {
		session_mark(ssn, MARK_FILTERED, NULL);
		found = choose_local(&search, task, ret, ret_fit);
	} else {
		found = choose_widely(&search, task, ret, ret_fit);
	}
	session_mark(ssn, MARK_SCORED, NULL);
	session_mark(ssn, MARK_FOUND, NULL);
	return found;
}

verdict finder_test(struct session *ssn, const struct task *task, const struct node_info *node,
		    enum capacity_kind capacity)
{
	struct rows rows = {.score_count = 0};
	verdict v = 0;
	int dim = DIM_NONE;

	if (!node->there)
		return VERDICT_OF(FIT_OTHER, 0);
	if (is_barred(ssn, node->slot))
		return VERDICT(FIT_SHARD);
	if (capacity != CAPACITY_COUNT && !task->class->empty)
		dim = cluster_short_of(ssn->cluster, capacity, node->slot, task->class);
	if (dim != DIM_NONE)
		return VERDICT_OF(FIT_INSUFFICIENT, dim);
	rows_find(ssn, task, &rows);
	for (enum scope scope = SCOPE_PROFILE; scope <= SCOPE_CLUSTER; scope++) {
		v |= rows_test(&rows, scope, task, node);
		if (v && verdict_is_final(v))
			break;
	}
	return v;
}

struct finder_look finder_look(struct session *ssn, const struct task *task)
{
	struct rows rows = {.score_count = 0};
	struct finder *f = finder_of(ssn, task, &rows);

	return (struct finder_look){f->verdicts, f->size, f->generation, &f->counts};
}

void finder_score(struct session *ssn, const struct task *task, struct node_info *const *nodes,
		  size_t count, double *ret_scores)
{
	struct rows rows = {.score_count = 0};
	const struct finder *f = finder_of(ssn, task, &rows);

	for (size_t i = 0; i < count; i++)
		ret_scores[i] = score_node(f, &rows, task, nodes[i]);
	rows_add_batches(&rows, task, nodes, count, ret_scores);
}
