/* SPDX-License-Identifier: Apache-2.0 */
/* sched/finder.c - see the header.
 *
 * 1. For every slot, verdict and score are those of the node as it was at change `synced`; slots that
 *    changed later are in the cluster's ring, or the finder is made anew.
 * 2. A slot is in the heap of its group (idle room, future room) exactly if its verdict is 0; the
 *    heaps are made when the class is asked for a second time.
 * 3. Normalised scores (100 x score / largest) are of the largest among nodes with idle room; when that
 *    changes, all scores are made anew. */
#include "sched/finder.h"

#include <assert.h>

#include "base/mem.h"
#include "base/vec.h"
#include "sched/lanes.h"
#include "sched/session.h"
#include "sched/slotheap.h"

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

/* The rows that concern a class, found once for all nodes. */
enum { ROWS_MAX = 32 };
struct rows {
	const struct config_filter *filters[SCOPE_CLUSTER + 1][ROWS_MAX];
	size_t filter_count[SCOPE_CLUSTER + 1];
	const struct config_score *scores[ROWS_MAX]; /* of single nodes */
	size_t score_count;
	const struct config_score *batches[ROWS_MAX]; /* of SCOPE_CLUSTER */
	size_t batch_count;
	bool normalises;
	uint64_t key; /* of what they look at beside the class */
};

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
};

/* A node that is not there has this verdict, and is not counted. */
#define ABSENT (~UINT64_C(0))

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

static bool is_local(const struct rows *rows)
{
	return !rows->filter_count[SCOPE_CLUSTER] && !rows->batch_count;
}

static uint64_t mixed_key(uint64_t key, row_key_fn *row, const struct plugin *plugin,
			  const struct task *task)
{
	static const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);

	return row ? (key ^ row(plugin, task)) * odd : key;
}

/* The filters of one scope. */
static void find_filters(const struct session *ssn, const struct task *task, enum scope scope,
			 struct rows *rows)
{
	const struct config *config = ssn->config;
	size_t count = 0;

	for (size_t i = 0; i < config->filters.len && count < ROWS_MAX; i++) {
		const struct config_filter *filter = &config->filters.ptr[i];

		if (filter->row->scope != scope ||
		    (filter->row->applies && !filter->row->applies(filter->plugin, task)))
			continue;
		rows->filters[scope][count++] = filter;
		rows->key = mixed_key(rows->key, filter->row->key, filter->plugin, task);
	}
	rows->filter_count[scope] = count;
}

static void find_rows(const struct session *ssn, const struct task *task, struct rows *rows)
{
	const struct config *config = ssn->config;

	rows->score_count = rows->batch_count = 0;
	rows->normalises = false;
	rows->key = 0;
	for (enum scope scope = SCOPE_PROFILE; scope <= SCOPE_CLUSTER; scope++)
		find_filters(ssn, task, scope, rows);
	for (size_t i = 0; i < config->scores.len; i++) {
		const struct config_score *score = &config->scores.ptr[i];

		if (score->row->applies && !score->row->applies(score->plugin, task))
			continue;
		rows->key = mixed_key(rows->key, score->row->key, score->plugin, task);
		if (score->row->scope == SCOPE_CLUSTER) {
			if (rows->batch_count < ROWS_MAX)
				rows->batches[rows->batch_count++] = score;
		} else if (rows->score_count < ROWS_MAX) {
			rows->scores[rows->score_count++] = score;
			rows->normalises |= score->row->normalise != NORMALISE_NONE;
		}
	}
}

/* The rows of one scope; a verdict that nothing can change ends it. */
static verdict test_rows(const struct rows *rows, enum scope scope, const struct task *task,
			 const struct node_info *node)
{
	verdict all = 0;

	for (size_t i = 0; i < rows->filter_count[scope]; i++) {
		const struct config_filter *filter = rows->filters[scope][i];

		all |= filter->row->test(filter->plugin, task, node);
		if (all && verdict_is_final(all))
			break;
	}
	return all;
}

static verdict test_profile(struct finder *f, const struct rows *rows, const struct task *task,
			    const struct node_info *node)
{
	uint32_t id = node->profile->id;

	if (f->class->terms->by_name)
		return test_rows(rows, SCOPE_PROFILE, task, node);
	if (f->profile_known[id] == PROFILE_UNKNOWN) {
		f->by_profile[id] = test_rows(rows, SCOPE_PROFILE, task, node);
		f->profile_known[id] = f->by_profile[id] ? PROFILE_BARS : PROFILE_FITS;
	}
	return f->by_profile[id];
}

static double normalised(const struct config_score *score, double raw, double most)
{
	static const double top = 100; /* of a score */
	double scaled;

	if (score->row->normalise == NORMALISE_NONE)
		return raw;
	scaled = most > 0 ? (double)(int64_t)(top * raw / most) : 0;
	return score->row->normalise == NORMALISE_UP ? scaled : top - scaled;
}

static double score_node(const struct finder *f, const struct rows *rows, const struct task *task,
			 const struct node_info *node)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < rows->score_count; i++) {
		const struct config_score *score = rows->scores[i];

		sum += score->weight *
		       normalised(score, score->row->score(score->plugin, task, node), f->most[n]);
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
		v |= test_rows(rows, SCOPE_NODE, task, node);
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
		f->verdicts[slot] = ABSENT;
	else if (is_barred(ssn, slot))
		f->verdicts[slot] = VERDICT(FIT_SHARD);
	else if (!class->empty && !cluster_fits(cluster, ROOM_FUTURE, slot, class))
		f->verdicts[slot] = VERDICT(FIT_INSUFFICIENT);
	else
		look_closer(
			f, rows, task, node,
			group_of(ssn, slot,
				 class->empty || cluster_fits(cluster, ROOM_IDLE, slot, class)));
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
	mem_free(finder->ranks.scores);
	mem_free(finder->groups);
	mem_free(finder->lack);
	mem_free(finder->ranks.places);
	mem_free(finder->by_profile);
	mem_free(finder->profile_known);
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
		f->ranks.scores =
			mem_realloc(f->ranks.scores, f->size + LANES, sizeof(*f->ranks.scores));
		f->groups = mem_realloc(f->groups, f->size + 1, sizeof(*f->groups));
		f->lack = mem_realloc(f->lack, f->size + 1, 2);
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

/* The largest raw score of each normalised row, among nodes with idle room; says whether one of them
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
				normalised(score,
					   score->row->score(score->plugin, task,
							     ssn->cluster->nodes.ptr[slot]),
					   most);
}

static void score_all(const struct session *ssn, struct finder *f, const struct rows *rows,
		      const struct task *task)
{
	size_t n = 0;

	memset(f->ranks.scores, 0, (f->size + LANES) * sizeof(*f->ranks.scores));
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
static void find_short(const struct cluster *cluster, const struct class *class, enum room room,
		       uint32_t count, uint8_t *restrict ret)
{
	const int64_t *restrict cpus = cluster->columns.at[room][DIM_CPU];
	const int64_t *restrict memories = cluster->columns.at[room][DIM_MEMORY];
	int64_t cpu = resources_get(&class->request, DIM_CPU);
	int64_t memory = resources_get(&class->request, DIM_MEMORY);
	dim_set rest = class->dims & ~(DIM_BIT(DIM_CPU) | DIM_BIT(DIM_MEMORY));

	for (uint32_t slot = 0; slot < count; slot++)
		ret[slot] = (cpu > cpus[slot]) | (memory > memories[slot]);
	for (; rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		const int64_t *restrict have = cluster->columns.at[room][dim];
		int64_t want = resources_get(&class->request, dim);

		for (uint32_t slot = 0; slot < count; slot++)
			ret[slot] |= want > have[slot];
	}
}

/* What is known of a node that has the room: what its profile says, and what is on it. A verdict that
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
		return ABSENT;
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
		find_short(cluster, task->class, ROOM_FUTURE, f->size, f->lack);
		if (cluster->moving)
			find_short(cluster, task->class, ROOM_IDLE, f->size, lack_now);
	}
	memset(f->verdicts, 0, f->size * sizeof(*f->verdicts));
	for (size_t i = 0; i < rows->filter_count[SCOPE_NODE]; i++) {
		const struct config_filter *filter = rows->filters[SCOPE_NODE][i];

		if (filter->row->all)
			filter->row->all(filter->plugin, task, f->size, f->verdicts);
	}
	conclude_verdicts(ssn, f, rows, task);
	if (rows->normalises)
		(void)find_most(ssn, f, rows, task);
	score_all(ssn, f, rows, task);
	f->config = ssn->config->number;
	f->key = rows->key;
	f->shape = cluster->shape;
	f->fit = NULL;
	f->uses = 0;
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
	uint64_t behind = cluster->changes - f->synced;

	find_rows(ssn, task, rows);
	if (f->config != ssn->config->number || f->key != rows->key || f->shape != cluster->shape ||
	    f->size != cluster->nodes.len || behind > CHANGE_RING || behind > f->size) {
		look_at_all(ssn, f, rows, task);
	} else if (behind) {
		for (uint64_t i = f->synced; i < cluster->changes; i++)
			look_again(ssn, f, rows, task, cluster->change_ring[i % CHANGE_RING]);
		if (rows->normalises && find_most(ssn, f, rows, task))
			score_all(ssn, f, rows, task);
	}
	f->synced = cluster->changes;
	return f;
}

/* --- why not --------------------------------------------------------------------------------- */

struct counts {
	VEC(struct fit_count) list;
	uint32_t nodes;
};

static void count_code(struct counts *counts, enum fit_code code, uint16_t detail, int64_t free)
{
	struct fit_count *found = NULL;

	for (size_t i = 0; i < counts->list.len && !found; i++)
		if (counts->list.ptr[i].code == code && counts->list.ptr[i].detail == detail)
			found = &counts->list.ptr[i];
	if (!found) {
		found = vec_add(&counts->list);
		found->code = (uint16_t)code;
		found->detail = detail;
		found->most = free;
	}
	found->count++;
	if (free > found->most)
		found->most = free;
}

static bool has_detail(int code)
{
	return code == FIT_PROPORTION || code == FIT_OTHER || code == FIT_ZONE_CLOSED ||
	       code == FIT_ATTACH;
}

/* Which dimension is short is found only now that somebody wants to know. */
static void count_verdict(const struct session *ssn, const struct class *class,
			  struct counts *counts, uint32_t slot, verdict v)
{
	if (v == ABSENT)
		return;
	counts->nodes++;
	for (uint64_t rest = verdict_codes(v); rest; rest &= rest - 1) {
		int code = __builtin_ctzll(rest);
		uint16_t detail = has_detail(code) ? verdict_detail(v) : 0;
		int64_t free = 0;

		if (code == FIT_INSUFFICIENT) {
			detail = (uint16_t)cluster_short_of(ssn->cluster, ROOM_FUTURE, slot, class);
			free = columns_get(&ssn->cluster->columns, ROOM_FUTURE, detail, slot);
		}
		count_code(counts, (enum fit_code)code, detail, free);
	}
}

static const struct fit *make_fit(struct session *ssn, const struct class *class,
				  struct counts *counts, const struct node_set *set)
{
	struct fit *fit =
		arena_zalloc(ssn->arena, sizeof(*fit) + counts->list.len * sizeof(fit->at[0]));

	fit->nodes = counts->nodes;
	fit->domain = set->name;
	fit->request = &class->request;
	fit->len = counts->list.len;
	if (fit->len)
		memcpy(fit->at, counts->list.ptr, fit->len * sizeof(fit->at[0]));
	for (size_t i = 0; i < fit->len; i++)
		if (fit->at[i].code == FIT_TAINT)
			fit->taint = cluster_common_taint(ssn->cluster, class);
	vec_done(&counts->list);
	return fit;
}

static const struct fit *fit_of_all(struct session *ssn, struct finder *f,
				    const struct node_set *set)
{
	struct counts counts = {0};

	if (f->fit && f->fit_session == ssn->id && f->fit_changes == f->synced)
		return f->fit;
	for (uint32_t slot = 0; slot < f->size; slot++)
		count_verdict(ssn, f->class, &counts, slot, f->verdicts[slot]);
	f->fit = make_fit(ssn, f->class, &counts, set);
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

static bool choose_local(struct session *ssn, struct finder *f, const struct node_set *set,
			 struct choice *ret, const struct fit **ret_fit)
{
	uint32_t slot = UINT32_MAX;

	f->uses++;
	for (uint8_t g = 0; g < GROUP_COUNT && slot == UINT32_MAX; g++) {
		slot = best_of(f, g);
		ret->idle = g < GROUP_FUTURE;
	}
	if (slot == UINT32_MAX) {
		if (ret_fit)
			*ret_fit = fit_of_all(ssn, f, set);
		return false;
	}
	ret->node = ssn->cluster->nodes.ptr[slot];
	return true;
}

struct search {
	struct session *ssn;
	struct finder *f;
	struct rows rows;
	const struct node_set *set;
};

struct candidates {
	VEC(struct node_info *) nodes;
	VEC(double) scores;
};

static void add_batches(const struct rows *rows, const struct task *task,
			struct node_info *const *nodes, size_t count, double *scores)
{
	for (size_t i = 0; i < rows->batch_count; i++) {
		const struct config_score *score = rows->batches[i];

		if (score->row->batch)
			score->row->batch(score->plugin, task, nodes, count, scores);
		for (size_t j = 0; score->row->score && j < count; j++)
			scores[j] +=
				score->weight * score->row->score(score->plugin, task, nodes[j]);
	}
}

static struct node_info *best_candidate(const struct rows *rows, const struct task *task,
					struct candidates *c)
{
	size_t best = 0;

	if (c->nodes.len > 1)
		add_batches(rows, task, c->nodes.ptr, c->nodes.len, c->scores.ptr);
	for (size_t i = 1; i < c->nodes.len; i++)
		if (c->scores.ptr[i] > c->scores.ptr[best] ||
		    (c->scores.ptr[i] == c->scores.ptr[best] &&
		     c->nodes.ptr[i]->slot < c->nodes.ptr[best]->slot))
			best = i;
	return c->nodes.len ? c->nodes.ptr[best] : NULL;
}

/* Node by node: for sets, and where something beyond the node has a say. */
static bool choose_widely(const struct search *search, const struct task *task, struct choice *ret,
			  const struct fit **ret_fit)
{
	struct session *ssn = search->ssn;
	const struct finder *f = search->f;
	const struct node_set *set = search->set;
	struct candidates groups[GROUP_COUNT] = {0};
	struct counts counts = {0};
	size_t len = set->slots ? set->len : f->size;

	for (size_t i = 0; i < len; i++) {
		uint32_t slot = set->slots ? set->slots[i] : (uint32_t)i;
		struct node_info *node = ssn->cluster->nodes.ptr[slot];
		verdict v = f->verdicts[slot];

		if (v == ABSENT)
			continue;
		if (!(verdict_codes(v) & VERDICT(FIT_INSUFFICIENT)) && !verdict_is_final(v))
			v |= test_rows(&search->rows, SCOPE_CLUSTER, task, node);
		if (v) {
			count_verdict(ssn, task->class, &counts, slot, v);
			continue;
		}
		vec_push(&groups[f->groups[slot]].nodes, node);
		vec_push(&groups[f->groups[slot]].scores, f->ranks.scores[slot]);
	}
	ret->node = NULL;
	for (int g = 0; g < GROUP_COUNT && !ret->node; g++) {
		ret->node = best_candidate(&search->rows, task, &groups[g]);
		ret->idle = g < GROUP_FUTURE;
	}
	if (!ret->node && ret_fit)
		*ret_fit = make_fit(ssn, task->class, &counts, set);
	vec_done(&counts.list);
	for (int g = 0; g < GROUP_COUNT; g++) {
		vec_done(&groups[g].nodes);
		vec_done(&groups[g].scores);
	}
	return ret->node;
}

bool finder_choose(struct session *ssn, struct task *task, const struct node_set *set,
		   struct choice *ret, const struct fit **ret_fit)
{
	struct search search = {.ssn = ssn, .set = set};

	search.f = finder_of(ssn, task, &search.rows);
	if (!set->slots && is_local(&search.rows))
		return choose_local(ssn, search.f, set, ret, ret_fit);
	return choose_widely(&search, task, ret, ret_fit);
}

verdict finder_test(struct session *ssn, const struct task *task, const struct node_info *node,
		    enum room room)
{
	struct rows rows = {.score_count = 0};
	verdict v = 0;
	int dim = DIM_NONE;

	if (!node->there)
		return VERDICT_OF(FIT_OTHER, 0);
	if (is_barred(ssn, node->slot))
		return VERDICT(FIT_SHARD);
	if (room != ROOM_COUNT && !task->class->empty)
		dim = cluster_short_of(ssn->cluster, room, node->slot, task->class);
	if (dim != DIM_NONE)
		return VERDICT_OF(FIT_INSUFFICIENT, dim);
	find_rows(ssn, task, &rows);
	for (enum scope scope = SCOPE_PROFILE; scope <= SCOPE_CLUSTER; scope++) {
		v |= test_rows(&rows, scope, task, node);
		if (v && verdict_is_final(v))
			break;
	}
	return v;
}

void finder_score(struct session *ssn, const struct task *task, struct node_info *const *nodes,
		  size_t count, double *ret_scores)
{
	struct rows rows = {.score_count = 0};
	const struct finder *f = finder_of(ssn, task, &rows);

	for (size_t i = 0; i < count; i++)
		ret_scores[i] = score_node(f, &rows, task, nodes[i]);
	add_batches(&rows, task, nodes, count, ret_scores);
}
