/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/message_nodes.c - why no node can take a pod of a job, in words; see message.h.
 *
 * The cause is found in this order. No node matches what the pod asks for: that is it. Some match, but each of them has
 * something that only a change can cure (a taint, cordoned, a claim elsewhere): that is it. Otherwise what the usable
 * nodes lack is the cause: a resource, or other pods are in the way. */
#include <string.h>

#include "base/number.h"
#include "sched/report/node_look.h"
#include "sched/report/refusal.h"
#include "sched/report/words.h"
#include "sched/session/session.h"

#include "base/banned.h"

static const struct cluster *cluster_of(const struct look *l)
{
	return l->m->ssn->cluster;
}

/* --- resources ---------------------------------------------------------------------------------- */

/* All pods would fit by the sum, but not node by node, even on empty nodes. */
static void say_too_many(struct look *l, const struct demand *d, int64_t places)
{
	struct message *m = l->m;

	m->never = true;
	buf_puts(&m->text, "can never start: ");
	words_count(d->pods, "pod", &m->text);
	buf_puts(&m->text, " with ");
	words_quantity(&m->names, d->dim, d->each, &m->text);
	buf_printf(&m->text, " each must start together, %s can hold %lld",
		   d->where[0] ? d->where + strlen(" on ") : "the nodes", (long long)places);
	buf_puts(&m->brief, "can never start: too many pods at once");
	buf_puts(&m->advice, "Use fewer or smaller pods, lower minAvailable, or add nodes");
}

/* Enough is free, but not on one node. */
static void say_scattered(struct look *l, const struct demand *d, int64_t largest, uint32_t slot)
{
	const struct cluster *cluster = cluster_of(l);
	struct message *m = l->m;

	buf_puts(&m->text, "waiting for ");
	words_resource(&m->names, d->dim, &m->text);
	buf_printf(&m->text, "%s: ", d->where);
	words_quantity(&m->names, d->dim, d->free, &m->text);
	buf_printf(&m->text, " %s free, but ", words_is(d->dim, d->free));
	if (largest < d->each) {
		buf_puts(&m->text, "no node has ");
		words_amount(&m->names, d->dim, d->each, &m->text);
		buf_puts(&m->text, " (largest free: ");
		words_amount(&m->names, d->dim, largest > 0 ? largest : 0, &m->text);
		if (slot < cluster->nodes.len && largest > 0)
			buf_printf(&m->text, " on `%.*s`", STR_ARG(cluster->nodes.ptr[slot]->text));
		buf_putc(&m->text, ')');
	} else {
		buf_printf(&m->text, "spread over nodes: %lld of %lld pods with ",
			   (long long)l->why->have, (long long)d->pods);
		words_amount(&m->names, d->dim, d->each, &m->text);
		buf_puts(&m->text, " each fit");
	}
	buf_puts(&m->brief, "no node has ");
	words_quantity(&m->names, d->dim, d->each, &m->brief);
	buf_puts(&m->brief, " free");
	m->dim = d->dim;
	m->needs = d->needs;
	m->free = d->free;
	m->total = d->total;
	m->has_free = true;
	m->text_len = m->text.len;
	buf_puts(&m->advice, "Wait for pods to end, ask for less per pod, or add a node");
}

static uint32_t find_largest(const struct cluster *cluster, int dim, int64_t amount)
{
	for (uint32_t slot = 0; slot < cluster->nodes.len; slot++)
		if (cluster->columns.profile[slot] != NODE_ABSENT &&
		    columns_get(&cluster->columns, CAPACITY_FUTURE, dim, slot) == amount)
			return slot;
	return NODE_ABSENT;
}

/* What the usable nodes have: those of the survey, else all. */
struct supply {
	int64_t largest; /* free on one node */
	int64_t largest_total;
	int64_t places; /* on empty nodes */
	uint32_t slot;
};

static int64_t places_of(const struct cluster *cluster, int dim, int64_t each)
{
	int64_t places = 0;

	for (uint32_t slot = 0; slot < cluster->nodes.len && each > 0; slot++)
		if (cluster->columns.profile[slot] != NODE_ABSENT)
			places += columns_get(&cluster->columns, CAPACITY_ALLOCATABLE, dim, slot) /
				  each;
	return places;
}

/* Each pod alone would fit, and no resource is missing. */
static void say_together(struct look *l, const struct demand *d)
{
	struct message *m = l->m;

	buf_printf(&m->text, "its %lld pods do not fit on the nodes together", (long long)d->pods);
	buf_puts(&m->brief, "its pods do not fit together");
	buf_puts(&m->advice, "Add nodes, or lower minAvailable if fewer pods are enough to start");
}

/* Volumes alone keep it from the nodes that it may not use. */
static bool is_by_volumes(const struct look *l)
{
	static const uint64_t volumes = VERDICT(FIT_VOLUME_ZONE) | VERDICT(FIT_VOLUME_AFFINITY) |
					VERDICT(FIT_VOLUME_NONE) | VERDICT(FIT_VOLUME_STORAGE);
	const struct survey *s = l->s;

	for (uint32_t slot = 0; slot < cluster_of(l)->nodes.len; slot++)
		if (s->at[slot].wanted && !s->at[slot].usable && !(s->at[slot].codes & volumes))
			return false;
	return s->usable < s->wanted;
}

/* " on the 2 nodes with the label disk=ssd" */
static void put_where(const struct look *l, struct buf *to)
{
	bool volumes = is_by_volumes(l);

	if (l->s->usable == 1)
		buf_puts(to, " on the only node ");
	else
		buf_printf(to, " on the %u nodes ", l->s->usable);
	if ((l->s->usable == l->s->wanted || volumes) && l->s->wanted < l->s->nodes) {
		buf_puts(to, "with the label ");
		look_put_selector(l, to);
		buf_puts(to, volumes ? " and a volume for " : "");
	} else {
		buf_puts(to, volumes ? "with a volume for " : "that it may use");
	}
	if (volumes)
		look_put_claims(l, to);
}

/* What there is on the nodes that it may use, if these are only some, or in the cluster. */
static struct supply find_supply(const struct look *l, bool some, struct demand *d)
{
	struct cluster *cluster = l->m->ssn->cluster;

	if (some) {
		d->free = l->s->free;
		d->total = l->s->total;
		return (struct supply){l->s->largest, l->s->largest_total, l->s->places,
				       l->s->largest_slot};
	}
	d->free = l->why->free;
	d->total = resources_get(&cluster->total, d->dim);
	return (struct supply){
		.largest = cluster_most(cluster, CAPACITY_FUTURE, d->dim),
		.largest_total = cluster_most(cluster, CAPACITY_ALLOCATABLE, d->dim),
		.places = l->why->beyond ? places_of(cluster, d->dim, d->each) : INT64_MAX,
		.slot = NODE_ABSENT,
	};
}

static void say_resource(struct look *l)
{
	struct cluster *cluster = l->m->ssn->cluster;
	const struct reason *why = l->why;
	bool some = l->s && l->s->usable < l->s->nodes && l->s->dim != DIM_NONE;
	AUTO(buf_done) struct buf where = BUF_UNBOUNDED;
	struct demand d = {.dim = some ? l->s->dim : why->dim, .where = ""};
	struct supply supply;

	d.pods = why->pods;
	if (d.dim == DIM_PODS) {
		l->nodes = l->s ? l->s->usable : (uint32_t)cluster->node_count;
		l->first = find_largest(cluster, DIM_PODS, 0);
		look_say(l, FIT_POD_COUNT);
		return;
	}
	if (d.dim == DIM_NONE) {
		say_together(l, &d);
		return;
	}
	d.each = resources_get(&l->task->class->request, d.dim);
	d.needs = d.dim == why->dim ? why->asked : number_multiply(d.each, d.pods);
	supply = find_supply(l, some, &d);
	if (some) {
		put_where(l, &where);
		d.where = buf_text(&where);
		l->m->holders = survey_holders(l->m->ssn, l->s, d.dim);
	}
	if (d.needs > d.total && ((d.pods > 1 && !some) || d.each <= supply.largest_total)) {
		message_never(l->m, &d);
	} else if (d.each > supply.largest_total) {
		if (supply.largest_total >= cluster_most(cluster, CAPACITY_ALLOCATABLE, d.dim))
			d.where = "";
		message_too_large(l->m, &d, supply.largest_total);
	} else if ((why->beyond || some) && supply.places < d.pods &&
		   refusal_gang_of_equals(l->task)) {
		say_too_many(l, &d, supply.places);
	} else if (d.needs > d.free) {
		message_waiting(l->m, &d);
	} else {
		if (!some)
			supply.slot = find_largest(cluster, d.dim, supply.largest);
		if (supply.largest >= d.each && d.pods <= 1)
			message_waiting(l->m, &d);
		else
			say_scattered(l, &d, supply.largest, supply.slot);
	}
}

/* --- the cause ---------------------------------------------------------------------------------- */

/* All nodes are equal for it: then a search that found only a resource missing says everything. */
static bool is_plain(const struct look *l)
{
	const struct session *ssn = l->m->ssn;
	const struct cluster *cluster = ssn->cluster;
	const struct fit *fit = l->why->fit;

	if (l->task->class->terms->selects_nodes || ssn->options.shard_hard ||
	    config_find_plugin(ssn->config, "nodegroup") || config_find_plugin(ssn->config, "tdm"))
		return false;
	for (size_t i = 0; i < fit->len; i++)
		if (fit->at[i].code != FIT_INSUFFICIENT)
			return false;
	for (size_t i = 0; i < cluster->profile_by_id.len; i++)
		if (cluster->profile_by_id.ptr[i] && cluster->profile_by_id.ptr[i]->unschedulable)
			return false;
	return !cluster_common_taint(cluster, l->task->class);
}

/* The code of most nodes, of those with enough capacity if there are any; FIT_CODE_COUNT: none. */
static enum fit_code worst_code(const struct survey *s, bool final, bool *ret_capable)
{
	enum fit_code best = FIT_CODE_COUNT;
	uint32_t most = 0;

	for (int pass = 0; pass < 2 && best == FIT_CODE_COUNT; pass++)
		for (int code = 0; code < FIT_CODE_COUNT; code++) {
			uint32_t nodes = pass ? s->codes[code].nodes : s->codes[code].capable;

			if (code == FIT_INSUFFICIENT || verdict_is_final(VERDICT(code)) != final ||
			    nodes <= most)
				continue;
			best = (enum fit_code)code;
			most = nodes;
			*ret_capable = !pass;
		}
	return best;
}

static void take_code(struct look *l, enum fit_code code, bool capable)
{
	const struct survey_code *found = &l->s->codes[code];

	l->nodes = capable ? found->capable : found->nodes;
	l->first = found->first;
	l->detail = found->detail;
	l->capable = capable;
}

/* Nodes could take the pod alone: what keeps the gang from starting is what its own pods would do to each other. */
static bool say_own(struct look *l)
{
	const struct fit *fit = l->why->fit;

	for (size_t i = 0; i < fit->len; i++) {
		enum fit_code code = fit->at[i].code;

		if (code != FIT_POD_ANTI_AFFINITY && code != FIT_EXISTING_ANTI_AFFINITY &&
		    code != FIT_PORTS && code != FIT_SPREAD)
			continue;
		l->nodes = fit->at[i].count;
		if (code != FIT_PORTS && look_own_term(l->task->class->terms))
			look_say_apart(l, look_own_term(l->task->class->terms));
		else
			look_say(l, code);
		return true;
	}
	return false;
}

/* The nodes that it may use are too small even if they were empty, and others are not: what keeps it from these is the
 * cause. */
static bool is_too_small(const struct look *l)
{
	const struct cluster *cluster = cluster_of(l);
	int dim = l->s->dim;
	int64_t each = dim == DIM_NONE ? 0 : resources_get(&l->task->class->request, dim);

	if (!l->s->usable || dim == DIM_NONE || each <= l->s->largest_total)
		return false;
	for (uint32_t slot = 0; slot < cluster->nodes.len; slot++)
		if (l->s->at[slot].wanted && !l->s->at[slot].usable &&
		    columns_get(&cluster->columns, CAPACITY_ALLOCATABLE, dim, slot) >= each)
			return true;
	return false;
}

static void say_small(struct look *l)
{
	struct message *m = l->m;

	if (l->s->usable == 1)
		buf_puts(&m->text, "; the only node that it may use has ");
	else
		buf_printf(&m->text, "; the largest of the %u nodes that it may use has ",
			   l->s->usable);
	words_quantity(&m->names, l->s->dim, l->s->largest_total, &m->text);
	buf_puts(&m->text, ", it needs ");
	words_amount(&m->names, l->s->dim, resources_get(&l->task->class->request, l->s->dim),
		     &m->text);
}

/* "; 2 other nodes have taints": what keeps it from the rest of the nodes that it asks for. */
static void put_others(struct look *l, uint64_t said)
{
	static const struct {
		uint64_t codes;
		const char *one;
		const char *many;
	} rows[] = {
		{VERDICT(FIT_UNSCHEDULABLE), "is cordoned", "are cordoned"},
		{VERDICT(FIT_TAINT), "has a taint", "have taints"},
		{VERDICT(FIT_VOLUME_ZONE) | VERDICT(FIT_VOLUME_AFFINITY) | VERDICT(FIT_VOLUME_NONE),
		 "cannot use its volume", "cannot use its volume"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint32_t count = 0;

		for (uint32_t slot = 0; slot < cluster_of(l)->nodes.len; slot++) {
			const struct survey_node *at = &l->s->at[slot];

			count += at->wanted && !at->usable && (at->codes & rows[i].codes) &&
				 !(at->codes & said);
		}
		if (count)
			buf_printf(&l->m->text, "; %u other node%s %s", count,
				   count == 1 ? "" : "s", count == 1 ? rows[i].one : rows[i].many);
		said |= rows[i].codes;
	}
}

static void say_usable(struct look *l)
{
	bool by_volumes = is_by_volumes(l);

	if (say_own(l))
		return;
	say_resource(l);
	if (!l->m->never && !by_volumes)
		put_others(l, 0);
}

static void say_surveyed(struct look *l)
{
	const struct survey *s = l->s;
	bool capable = false, small;
	enum fit_code code;

	if (!s->wanted) {
		look_say_selector(l);
		return;
	}
	small = is_too_small(l);
	code = worst_code(s, !s->usable || small, &capable);
	if (!s->usable || (small && code != FIT_CODE_COUNT)) {
		take_code(l, code, capable);
		look_say(l, code);
		if (s->usable)
			say_small(l);
		else
			put_others(l, VERDICT(code));
		return;
	}
	if ((code != FIT_CODE_COUNT && !s->fits && capable)) {
		take_code(l, code, capable);
		look_say(l, code);
		return;
	}
	say_usable(l);
}

/* By the counts of the search alone. */
static void say_counted(struct look *l)
{
	struct fit_count most;

	for (size_t i = 0; i < l->why->fit->len; i++)
		if (l->why->fit->at[i].code == FIT_INSUFFICIENT) {
			say_resource(l);
			return;
		}
	if (!fit_sort(l->why->fit, &most, 1))
		return;
	l->nodes = most.count;
	l->detail = most.detail;
	look_say(l, most.code);
}

void message_nodes(struct message *m, const struct reason *why)
{
	struct look l = {.m = m, .why = why, .task = why->task, .first = NODE_ABSENT};
	struct fit_count most;
	struct survey survey;
	struct str role = symbols_text(m->ssn->cluster->symbols, why->subject);

	if (!why->fit || !why->task)
		return;
	if (role.len)
		buf_printf(&m->text, "task `%.*s`: ", STR_ARG(role));
	if (why->fit->whole) {
		look_say_text(&l, why->fit->whole);
		return;
	}
	if (fit_sort(why->fit, &most, 1) && most.code == FIT_OTHER &&
	    most.count == why->fit->nodes) {
		l.detail = most.detail;
		look_say(&l, FIT_OTHER);
		return;
	}
	if (is_plain(&l)) {
		say_resource(&l);
		return;
	}
	if (!survey_make(m->ssn, why->task, &survey)) {
		m->outdated = true;
		say_counted(&l);
		return;
	}
	m->names = session_names_of(m->ssn, m->job); /* the survey may have added texts */
	if (survey.dim == DIM_NONE && why->dim != DIM_NONE && why->dim != DIM_PODS)
		survey_sum(&survey, m->ssn->cluster, why->task->class, why->dim);
	l.s = &survey;
	say_surveyed(&l);
}
