/* SPDX-License-Identifier: Apache-2.0 */
/* sched/device/device_choose.c - which cards of a node a task gets (additions to the specification, 1.5 to 1.8,
 * 1.10).
 *
 * Containers are served in their order. Each piece is counted on its card in the view that is asked about, so that the
 * next container sees it; at the end all of them are taken off again: a trial leaves no trace. */
#include "base/list.h"
#include "sched/cluster/cluster.h"
#include "sched/device/cards.h"
#include "sched/device/device.h"

#include "base/banned.h"

enum { VGPU_CORES = 100 };
static const double top_score = 100;
static const double network_weight = 10;

struct chooser {
	const struct cluster *cluster;
	struct devices *devices;
	const struct task *task;
	const struct device_ask *ask;
	const struct node_info *node;
	enum device_view view;
	uint64_t rules; /* that the task matches */
	double score;
};

/* One container, on the cards of one type. */
struct round {
	const struct container_ask *ask;
	struct device_pool *pool;
	uint16_t type;
	size_t first;  /* of its pieces in the trial */
	size_t before; /* ... of those of all containers of this type */
};

/* --- who else is on a card ---------------------------------------------------------------------- */

static bool counts_in(const struct task *task, enum device_view view)
{
	return view == DEVICES_NOW ? task->status != TASK_PIPELINED
				   : task->status != TASK_RELEASING;
}

static bool holds(const struct task *task, uint16_t type, uint16_t card)
{
	const struct device_pieces *pieces = &task->devices->pieces;

	for (size_t i = 0; i < pieces->len; i++)
		if (pieces->ptr[i].type == type && pieces->ptr[i].card == card)
			return true;
	return false;
}

/* Is a pod there that it must not share the card with? */
static bool has_rival(const struct chooser *c, uint16_t type, uint16_t card)
{
	bool apart = c->ask->apart && c->task->job;

	if ((!apart && !c->rules) || c->devices->types[type].kind != DEVICE_VGPU)
		return false;
	LIST_EACH(&c->node->tasks, struct task, node_link, other) {
		if (other == c->task || !other->devices || !counts_in(other, c->view) ||
		    !holds(other, type, card))
			continue;
		if (apart && other->job == c->task->job)
			return true;
		if (c->rules & cards_rules_of(c->cluster, other))
			return true;
	}
	return false;
}

/* --- pieces ------------------------------------------------------------------------------------- */

static double score_of(const struct chooser *c, const struct card *card, bool was_free)
{
	switch (c->devices->on.policy) {
	case DEVICES_BINPACK:
		return card->memory ? top_score * (double)card->use[c->view].memory /
					      (double)card->memory
				    : 0;
	case DEVICES_SPREAD:
		return was_free ? top_score : 0;
	default:
		return 0;
	}
}

static void take(struct chooser *c, const struct round *r, struct device_piece piece)
{
	struct card *card = &r->pool->cards[piece.card];
	bool was_free = card->use[c->view].count == 0;

	piece.type = r->type;
	piece.container = r->ask->container;
	for (enum device_view view = c->view; view < DEVICE_VIEW_COUNT; view++)
		card_count(card, &piece, view, 1);
	vec_push(&c->devices->trial, piece);
	if (c->devices->types[r->type].kind == DEVICE_VGPU)
		c->score += score_of(c, card, was_free);
}

/* Has this container (from `first`), or this pod (`before`), the card already? */
static bool has_card(const struct chooser *c, size_t from, uint16_t type, uint16_t card)
{
	for (size_t i = from; i < c->devices->trial.len; i++)
		if (c->devices->trial.ptr[i].card == card && c->devices->trial.ptr[i].type == type)
			return true;
	return false;
}

static size_t taken(const struct chooser *c, const struct round *r)
{
	return c->devices->trial.len - r->first;
}

/* --- vGPU --------------------------------------------------------------------------------------- */

/* Is `a` tried before `b`, which comes before it? */
static bool goes_before(const struct chooser *c, const struct card *a, const struct card *b)
{
	const struct card_use *x = &a->use[c->view], *y = &b->use[c->view];

	if (c->devices->on.policy == DEVICES_BINPACK)
		return x->memory > y->memory;
	if (c->devices->on.policy == DEVICES_SPREAD)
		return x->count < y->count;
	return true; /* the last one first */
}

static void order_cards(const struct chooser *c, const struct device_pool *pool, uint16_t *order)
{
	for (size_t i = 0; i < pool->len; i++) {
		size_t at = i;

		for (; at > 0 && goes_before(c, &pool->cards[i], &pool->cards[order[at - 1]]); at--)
			order[at] = order[at - 1];
		order[at] = (uint16_t)i;
	}
}

static bool leaves_free(const struct card *card, const struct card_use *use,
			const struct container_ask *ask, int64_t memory)
{
	if (use->count >= card->count || card->memory - use->memory < memory ||
	    use->cores + ask->cores > VGPU_CORES)
		return false;
	/* All cores are the card alone; none does not go next to all. */
	return !(ask->cores == VGPU_CORES && use->count > 0) &&
	       !(ask->cores == 0 && use->cores >= VGPU_CORES);
}

/* In the view that is asked about, and in those after it: what is placed now stays. */
static bool has_free(const struct chooser *c, const struct card *card,
		     const struct container_ask *ask, int64_t memory)
{
	for (enum device_view view = c->view; view < DEVICE_VIEW_COUNT; view++)
		if (!leaves_free(card, &card->use[view], ask, memory))
			return false;
	return true;
}

static void try_vgpu(struct chooser *c, const struct round *r, uint16_t at)
{
	const struct card *card = &r->pool->cards[at];
	struct device_piece piece = {.card = at,
				     .instance = INSTANCE_NONE,
				     .memory = card_memory_asked(card, r->ask),
				     .cores = r->ask->cores};

	piece.charged = piece.memory;
	if (!card_suits(card, &c->devices->types[r->type], c->ask) ||
	    !has_free(c, card, r->ask, piece.memory) || has_card(c, r->first, r->type, at) ||
	    has_rival(c, r->type, at))
		return;
	if (card->mig &&
	    !card_find_instance(card, c->view, piece.memory, &piece.instance, &piece.charged))
		return;
	take(c, r, piece);
}

/* Could the card serve it if it were free? */
static bool vgpu_could(const struct chooser *c, const struct round *r, const struct card *card)
{
	static const struct card_use none = {0};
	int64_t memory = card_memory_asked(card, r->ask);
	bool possible = !card->mig;

	for (size_t i = 0; card->mig && i < card->mig->len; i++)
		for (size_t j = 0; j < card->mig->groups[i].len; j++)
			possible |= card->mig->groups[i].profiles[j].memory >= memory;
	return possible && card_suits(card, &c->devices->types[r->type], c->ask) &&
	       leaves_free(card, &none, r->ask, memory);
}

static enum device_answer choose_vgpu(struct chooser *c, const struct round *r)
{
	uint16_t order[CARDS_MAX];
	bool packs = c->devices->on.policy != DEVICES_SPREAD;
	int64_t could = 0;

	if (c->ask->mode.len && !str_is(c->ask->mode, r->pool->mig ? "mig" : "hami-core"))
		return DEVICES_NEVER;
	if (r->ask->count > (int64_t)r->pool->len)
		return DEVICES_NEVER;
	order_cards(c, r->pool, order);
	/* Cards that are cut up already go before those that are whole. */
	for (int round = r->pool->mig && packs ? 0 : 1; round < 2; round++)
		for (size_t i = 0; i < r->pool->len && (int64_t)taken(c, r) < r->ask->count; i++) {
			const struct card *card = &r->pool->cards[order[i]];

			if (round || (card->mig && card_is_cut(card, c->view)))
				try_vgpu(c, r, order[i]);
		}
	if ((int64_t)taken(c, r) == r->ask->count)
		return DEVICES_FIT;
	for (size_t i = 0; i < r->pool->len; i++)
		could += vgpu_could(c, r, &r->pool->cards[i]);
	return could < r->ask->count ? DEVICES_NEVER : DEVICES_SHORT;
}

/* --- gpu-share ---------------------------------------------------------------------------------- */

/* Enough memory; or, if whole cards are asked for, no other pod. */
static bool has_share(const struct chooser *c, const struct card *card, int64_t memory)
{
	for (enum device_view view = c->view; view < DEVICE_VIEW_COUNT; view++)
		if (memory ? card->memory - card->use[view].memory < memory
			   : card->use[view].count > 0)
			return false;
	return true;
}

static enum device_answer choose_share(struct chooser *c, const struct round *r)
{
	int64_t could = 0;

	for (size_t i = 0; i < r->pool->len && (int64_t)taken(c, r) < r->ask->count; i++) {
		const struct card *card = &r->pool->cards[i];

		if (!card->healthy || card->memory < r->ask->memory)
			continue;
		could++;
		if (!has_share(c, card, r->ask->memory))
			continue;
		take(c, r,
		     (struct device_piece){.card = (uint16_t)i,
					   .instance = INSTANCE_NONE,
					   .memory = r->ask->memory,
					   .charged = r->ask->memory});
	}
	if ((int64_t)taken(c, r) == r->ask->count)
		return DEVICES_FIT;
	return could < r->ask->count ? DEVICES_NEVER : DEVICES_SHORT;
}

/* --- NPUs --------------------------------------------------------------------------------------- */

static double npu_score(const struct chooser *c, const struct card *card)
{
	return score_of(c, card, card->use[c->view].count == 0);
}

/* By score, the highest first; equal ones as they are registered. */
static void order_npus(const struct chooser *c, const struct device_pool *pool, uint16_t *order)
{
	for (size_t i = 0; i < pool->len; i++) {
		size_t at = i;
		double score = npu_score(c, &pool->cards[i]);

		for (; at > 0 && score > npu_score(c, &pool->cards[order[at - 1]]); at--)
			order[at] = order[at - 1];
		order[at] = (uint16_t)i;
	}
}

static bool has_networks(const struct device_type *type, const struct device_pool *pool)
{
	if (!str_starts(type->npu->word, STR("Ascend910")))
		return false;
	for (size_t i = 0; i < pool->len; i++)
		if (!pool->cards[i].has_network)
			return false;
	return true;
}

static size_t count_network(const struct device_pool *pool, const uint16_t *cards, size_t len,
			    int64_t network)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += pool->cards[cards[i]].network == network;
	return count;
}

/* Cards of the networks with most candidates first; otherwise in their order. */
static void group_networks(const struct device_pool *pool, uint16_t *cards, size_t len)
{
	for (size_t i = 1; i < len; i++) {
		uint16_t card = cards[i];
		int64_t network = pool->cards[card].network;
		size_t mine = count_network(pool, cards, len, network);
		size_t at = i;

		while (at > 0) {
			int64_t other = pool->cards[cards[at - 1]].network;
			size_t theirs = count_network(pool, cards, len, other);

			if (other == network || theirs > mine ||
			    (theirs == mine && other < network))
				break;
			cards[at] = cards[at - 1];
			at--;
			cards[at] = card;
		}
	}
}

static bool has_npu(const struct chooser *c, const struct card *card, int64_t memory)
{
	for (enum device_view view = c->view; view < DEVICE_VIEW_COUNT; view++)
		if (card->use[view].count >= card->count ||
		    card->memory - card->use[view].memory < memory)
			return false;
	return true;
}

static size_t find_npus(const struct chooser *c, const struct round *r, int64_t memory,
			uint16_t *fitting)
{
	uint16_t order[CARDS_MAX];
	size_t len = 0;

	order_npus(c, r->pool, order);
	for (size_t i = 0; i < r->pool->len; i++) {
		const struct card *card = &r->pool->cards[order[i]];

		if (card->healthy && has_npu(c, card, memory) &&
		    !has_card(c, r->before, r->type, order[i]))
			fitting[len++] = order[i];
	}
	return len;
}

static enum device_answer choose_npu(struct chooser *c, const struct round *r)
{
	const struct device_type *type = &c->devices->types[r->type];
	uint16_t fitting[CARDS_MAX] = {0};
	struct str template;
	int64_t memory = r->ask->percent == PERCENT_NONE
				 ? npu_trim(type->npu, r->ask->memory, &template)
				 : type->npu->allocatable;
	int64_t could = 0;
	size_t len;

	if (!memory || (r->ask->count > 1 && memory != type->npu->allocatable))
		return DEVICES_NEVER;
	len = find_npus(c, r, memory, fitting);
	if ((int64_t)len < r->ask->count) {
		for (size_t i = 0; i < r->pool->len; i++)
			could += r->pool->cards[i].healthy && r->pool->cards[i].memory >= memory;
		return could < r->ask->count ? DEVICES_NEVER : DEVICES_SHORT;
	}
	if (has_networks(type, r->pool))
		group_networks(r->pool, fitting, len);
	c->score += npu_score(c, &r->pool->cards[fitting[0]]);
	for (int64_t i = 0; i < r->ask->count; i++)
		take(c, r,
		     (struct device_piece){.card = fitting[i],
					   .instance = INSTANCE_NONE,
					   .memory = memory,
					   .charged = memory});
	return DEVICES_FIT;
}

/* More, the more of its cards are in one network. */
static double score_networks(const struct chooser *c, const struct device_pool *pool, uint16_t type,
			     size_t first)
{
	const struct device_pieces *trial = &c->devices->trial;
	size_t most = 0, all = trial->len - first;

	if (!has_networks(&c->devices->types[type], pool) || !all)
		return 0;
	for (size_t i = first; i < trial->len; i++) {
		int64_t network = pool->cards[trial->ptr[i].card].network;
		size_t same = 0;

		for (size_t j = first; j < trial->len; j++)
			same += pool->cards[trial->ptr[j].card].network == network;
		most = same > most ? same : most;
	}
	return network_weight * (double)most / (double)all;
}

/* --- all of them -------------------------------------------------------------------------------- */

static enum device_answer choose_type(struct chooser *c, uint16_t type)
{
	const struct node_devices *node = c->node->devices;
	const struct type_ask *ask = &c->ask->types[type];
	struct round r = {.type = type, .before = c->devices->trial.len};
	enum device_answer answer = DEVICES_FIT;

	if (!node || type >= node->len || !node->pools[type].len)
		return DEVICES_ABSENT;
	r.pool = &node->pools[type];
	for (size_t i = 0; i < ask->len && answer == DEVICES_FIT; i++) {
		r.ask = &ask->at[i];
		r.first = c->devices->trial.len;
		switch (c->devices->types[type].kind) {
		case DEVICE_VGPU:
			answer = choose_vgpu(c, &r);
			break;
		case DEVICE_SHARE:
			answer = choose_share(c, &r);
			break;
		case DEVICE_NPU:
			answer = choose_npu(c, &r);
			break;
		}
	}
	if (answer == DEVICES_FIT && c->devices->types[type].kind == DEVICE_NPU)
		c->score += score_networks(c, r.pool, type, r.before);
	return answer;
}

struct device_choice cards_choose(struct cluster *cluster, const struct task *task,
				  const struct node_info *node, enum device_view view)
{
	struct devices *devices = cluster->devices;
	struct chooser c = {.cluster = cluster,
			    .devices = devices,
			    .task = task,
			    .ask = task->class->ask,
			    .node = node,
			    .view = view,
			    .rules = cards_rules_of(cluster, task)};
	struct device_choice ret = {.answer = DEVICES_FIT};

	vec_clear(&devices->trial);
	for (size_t i = 0; i < devices->type_count && ret.answer == DEVICES_FIT; i++) {
		if (!c.ask->types[i].len)
			continue;
		ret.type = i;
		ret.answer = choose_type(&c, (uint16_t)i);
	}
	ret.score = c.score;
	for (size_t i = devices->trial.len; i-- > 0;) {
		const struct device_piece *piece = &devices->trial.ptr[i];

		for (enum device_view v = view; v < DEVICE_VIEW_COUNT; v++)
			card_count(&node->devices->pools[piece->type].cards[piece->card], piece, v,
				   -1);
	}
	return ret;
}
