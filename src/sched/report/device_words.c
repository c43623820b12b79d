/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/device_words.c - why the cards of nodes do not serve a pod: the card that comes nearest, and what it lacks;
 * see node_look.h. */
#include "sched/device/device.h"
#include "sched/report/node_look.h"
#include "sched/session/session.h"

#include "base/banned.h"

/* What all cards of one type amount to, for one container. */
struct card_survey {
	const struct container_ask *ask;
	size_t cards;                 /* that it may use */
	size_t unhealthy;             /* ... but for their health */
	size_t most_cards;            /* of these on one node */
	int64_t largest;              /* memory of the largest */
	const struct card *freest;    /* the one with most memory free */
	const struct node_info *node; /* its node */
	const struct card *idlest;    /* with enough memory: the one with most cores free */
	const struct node_info *idlest_node;
	const char *wrong; /* with the registration of a node */
	const struct node_info *wrong_node;
};

static int64_t memory_free(const struct card *card)
{
	return card->memory - card->use[DEVICES_SOON].memory;
}

static void see_card(struct card_survey *s, const struct card *card, const struct node_info *node)
{
	int64_t asked = card_memory_asked(card, s->ask);

	if (card->memory > s->largest)
		s->largest = card->memory;
	if (!s->freest || memory_free(card) > memory_free(s->freest)) {
		s->freest = card;
		s->node = node;
	}
	if (memory_free(card) < asked)
		return;
	if (!s->idlest || card->use[DEVICES_SOON].cores < s->idlest->use[DEVICES_SOON].cores) {
		s->idlest = card;
		s->idlest_node = node;
	}
}

static void see_node(struct card_survey *s, const struct device_type *type,
		     const struct device_ask *ask, const struct node_info *node, size_t at)
{
	const struct device_pool *pool = &node->devices->pools[at];
	size_t here = 0;

	if (pool->wrong && !s->wrong) {
		s->wrong = pool->wrong;
		s->wrong_node = node;
	}
	for (size_t i = 0; i < pool->len; i++) {
		const struct card *card = &pool->cards[i];

		s->unhealthy += !card->healthy;
		if (!card_suits(card, type, ask))
			continue;
		here++;
		see_card(s, card, node);
	}
	s->cards += here;
	s->most_cards = here > s->most_cards ? here : s->most_cards;
}

/* The container that asks for most, of the first type that the pod asks for. */
static size_t find_ask(const struct devices *devices, const struct device_ask *ask,
		       struct card_survey *s)
{
	for (size_t i = 0; i < devices->type_count; i++) {
		const struct type_ask *mine = &ask->types[i];

		for (size_t j = 0; j < mine->len; j++)
			if (!s->ask || mine->at[j].memory > s->ask->memory ||
			    mine->at[j].percent > s->ask->percent)
				s->ask = &mine->at[j];
		if (mine->len)
			return i;
	}
	return devices->type_count;
}

static const char *noun(const struct device_type *type)
{
	return type->kind == DEVICE_NPU ? "NPU" : "GPU";
}

static void say_none(struct look *l, const struct card_survey *s, const struct device_type *type)
{
	struct message *m = l->m;

	if (s->wrong) {
		buf_printf(&m->text, "node `%.*s` registers its cards wrongly: %s",
			   STR_ARG(s->wrong_node->text), s->wrong);
		buf_puts(&m->advice, "Look at the device plugin of the node");
	} else if (s->unhealthy) {
		buf_printf(&m->text, "no healthy %s that it may use (%zu %s not healthy)",
			   noun(type), s->unhealthy, s->unhealthy == 1 ? "is" : "are");
		buf_puts(&m->advice, "Repair the cards, or look at the device plugin of the node");
	} else {
		buf_printf(&m->text, "no node has registered a %s that it may use (%zu checked)",
			   noun(type), l->m->ssn->cluster->node_count);
		buf_puts(&m->advice, "Install the device plugin on a node, or change the "
				     "annotations of the pod");
	}
	buf_printf(&m->brief, "no %s it may use", noun(type));
}

static void say_count(struct look *l, const struct card_survey *s, const struct device_type *type)
{
	struct message *m = l->m;

	buf_printf(&m->text,
		   "can never start: needs %lld %ss on one node, no node has more than %zu that it "
		   "may use",
		   (long long)s->ask->count, noun(type), s->most_cards);
	buf_printf(&m->brief, "needs %lld %ss on one node", (long long)s->ask->count, noun(type));
	buf_puts(&m->advice, "Ask for fewer cards, or add a node with more");
}

static void say_memory(struct look *l, const struct card_survey *s, const struct device_type *type,
		       int64_t asked)
{
	struct message *m = l->m;

	if (asked > s->largest) {
		buf_printf(&m->text,
			   "can never start: needs %lld of %s memory on one card, the largest card "
			   "has %lld",
			   (long long)asked, noun(type), (long long)s->largest);
		buf_puts(&m->advice,
			 "Ask for less memory per card, or add a node with larger cards");
	} else {
		buf_printf(&m->text,
			   "waiting for %s memory: needs %lld on one card, %lld of %lld is free on "
			   "the card with most (%.*s of node `%.*s`)",
			   noun(type), (long long)asked, (long long)memory_free(s->freest),
			   (long long)s->freest->memory, STR_ARG(s->freest->id),
			   STR_ARG(s->node->text));
		buf_puts(&m->advice, "Wait for a pod on that card to end, or ask for less memory");
	}
	buf_printf(&m->brief, "not enough %s memory", noun(type));
}

static void say_cores(struct look *l, const struct card_survey *s, const struct device_type *type)
{
	enum { ALL = 100 };
	struct message *m = l->m;
	const struct card_use *use = &s->idlest->use[DEVICES_SOON];

	if (s->ask->cores == ALL)
		buf_printf(&m->text,
			   "waiting for a %s without other pods: every card with enough memory has "
			   "some",
			   noun(type));
	else if (use->count >= s->idlest->count)
		buf_printf(&m->text,
			   "waiting for a place on a %s: card %.*s of node `%.*s` is shared by "
			   "%lld, which is its limit",
			   noun(type), STR_ARG(s->idlest->id), STR_ARG(s->idlest_node->text),
			   (long long)use->count);
	else
		buf_printf(&m->text,
			   "waiting for %s cores: needs %lld%% of one card, %lld%% is free on the "
			   "card with most (%.*s of node `%.*s`)",
			   noun(type), (long long)s->ask->cores, (long long)(ALL - use->cores),
			   STR_ARG(s->idlest->id), STR_ARG(s->idlest_node->text));
	buf_printf(&m->brief, "no %s has a place for it", noun(type));
	buf_puts(&m->advice, "Wait for a pod on that card to end, or ask for fewer cores");
}

static void say_together(struct look *l, const struct card_survey *s,
			 const struct device_type *type)
{
	struct message *m = l->m;

	buf_printf(&m->text,
		   "waiting for %ss: needs %lld with that much free on one node at the same time",
		   noun(type), (long long)s->ask->count);
	buf_printf(&m->brief, "not enough %ss on one node", noun(type));
	buf_puts(&m->advice, "Wait for pods on these cards to end, or ask for fewer cards");
}

/* The memory that is asked of a card, as the device gives it. */
static int64_t asked_of(const struct card_survey *s, const struct device_type *type)
{
	struct str template;
	int64_t given;

	if (type->kind != DEVICE_NPU)
		return card_memory_asked(s->freest, s->ask);
	if (s->ask->percent != PERCENT_NONE)
		return type->npu->allocatable;
	given = npu_trim(type->npu, s->ask->memory, &template);
	return given ? given : s->ask->memory;
}

static void say_partial(struct look *l, const struct device_type *type)
{
	buf_printf(
		&l->m->text,
		"can never start: asks for a part of the memory of several NPUs; only one NPU can "
		"be shared (the largest share is %lld)",
		(long long)(type->npu->len ? type->npu->templates[type->npu->len - 1].memory : 0));
	buf_puts(&l->m->brief, "asks for parts of several NPUs");
	buf_puts(&l->m->advice, "Ask for one NPU, or for whole ones");
}

void look_say_devices(struct look *l)
{
	const struct cluster *cluster = l->m->ssn->cluster;
	const struct devices *devices = cluster->devices;
	const struct device_ask *ask = l->task->class->ask;
	struct card_survey s = {.largest = 0};
	const struct device_type *type;
	size_t at;
	int64_t asked;

	if (!devices || !ask)
		return;
	at = find_ask(devices, ask, &s);
	if (!s.ask)
		return;
	type = &devices->types[at];
	for (size_t i = 0; i < cluster->nodes.len; i++) {
		const struct node_info *node = cluster->nodes.ptr[i];

		if (node && node->there && node->devices && at < node->devices->len)
			see_node(&s, type, ask, node, at);
	}
	if (!s.cards) {
		say_none(l, &s, type);
		return;
	}
	asked = asked_of(&s, type);
	if (type->kind == DEVICE_NPU && s.ask->count > 1 && asked != type->npu->allocatable)
		say_partial(l, type);
	else if (s.ask->count > (int64_t)s.most_cards)
		say_count(l, &s, type);
	else if (memory_free(s.freest) < asked)
		say_memory(l, &s, type, asked);
	else if (s.ask->count == 1 && s.idlest)
		say_cores(l, &s, type);
	else
		say_together(l, &s, type);
}
