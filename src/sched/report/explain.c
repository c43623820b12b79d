/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/explain.c - see the header.
 *
 * Two hashes show whether something has changed, so that a job that waits as before costs no text:
 * `content` covers every number of the reasons, `meaning` only what they are about. */
#include "sched/report/explain.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/doc.h"
#include "model/core/taints.h"
#include "model/value/resources.h"
#include "model/volcano/wait_reason.h"
#include "sched/report/message.h"
#include "sched/session/session.h"

#include "base/banned.h"

/* --- what follows from how tasks stand --------------------------------------------------------- */

struct placement {
	int64_t gated;
	int64_t placed; /* could be placed, were the others */
	int64_t soon;   /* wait for capacity that is being released */
};

/* Do pods leave the node that it was tried on? Places of a search for victims that failed are no such. */
static bool is_released(const struct session *ssn, const struct task *task,
			const struct task_note *note)
{
	dim_set rest = task->class->dims;

	for (; rest && !note->undone_evicting && !note->undone_held; rest &= rest - 1)
		if (columns_get(&ssn->cluster->columns, CAPACITY_RELEASING, __builtin_ctzll(rest),
				note->undone_node) > 0)
			return true;
	return false;
}

static struct placement placement_of(const struct session *ssn, const struct job *job)
{
	struct placement ret = {0};

	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task) {
		const struct task_note *note = session_find_note(ssn, task);

		ret.gated += task->gated;
		ret.placed += note->undone == TASK_ALLOCATED;
		ret.soon += note->undone == TASK_PIPELINED && is_released(ssn, task, note);
	}
	ret.placed += job->tally.count[TASK_ALLOCATED];
	ret.soon += job->tally.count[TASK_PIPELINED];
	return ret;
}

static void add_placement(struct session *ssn, struct job *job)
{
	struct placement placement = placement_of(ssn, job);
	int64_t could = (int64_t)tally_of(&job->tally, TASKS_READY) -
			job->tally.count[TASK_ALLOCATED] + placement.placed;
	struct reason why = {.dim = DIM_NONE, .limit = job->min_available};

	if (placement.gated) {
		why.code = REASON_GATED;
		why.have = placement.gated;
		session_refuse(ssn, job, &why);
	}
	if (placement.soon) {
		why.code = REASON_RELEASING;
		why.have = placement.soon;
		session_refuse(ssn, job, &why);
	}
	if (placement.placed && could < job->min_available) {
		why.code = REASON_GANG;
		why.have = could;
		session_refuse(ssn, job, &why);
	}
	if (!job->tally.total && job->min_available > 0 && !job_is_pending(job)) {
		why.code = REASON_TASKS;
		why.have = 0;
		session_refuse(ssn, job, &why);
	}
}

/* If there are no nodes, that is the reason, and not what follows from it: that a queue may have 0 of 0. */
static void report_no_nodes(struct session *ssn, struct job *job)
{
	const struct reason why = {.code = REASON_NO_NODES, .dim = DIM_NONE};
	struct reasons *all = job->reasons;
	size_t left = 0;

	if (ssn->cluster->node_count || job->refused_session != ssn->id)
		return;
	for (size_t i = 0; i < all->len; i++)
		if (!reason_follows_no_nodes(&all->at[i]))
			all->at[left++] = all->at[i];
	if (left == all->len)
		return;
	all->len = left;
	if (reason_follows_no_nodes(&job->refusal))
		job->refusal = why;
	session_refuse(ssn, job, &why);
}

/* --- has it changed? --------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return hash_bytes(&value, sizeof(value), hash);
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	return text ? hash_str(str_from(text), hash) : mix(hash, 0);
}

static uint64_t hash_fit(const struct fit *fit, const struct reason_names *names, bool numbers,
			 uint64_t hash)
{
	struct fit_count counts[FIT_COUNTS_MAX];
	size_t len = fit_sort(fit, counts, ARRAY_LEN(counts));

	hash = mix_text(hash, fit->whole);
	if (fit->taint)
		hash = hash_str(fit->taint->value, hash_str(fit->taint->key, hash));
	hash = mix(hash, numbers ? fit->nodes : 0);
	for (size_t i = 0; i < len; i++) {
		const struct fit_count *at = &counts[i];

		hash = mix(hash, at->code);
		/* A number of a text may mean something else one day, see session_text(). */
		if (at->code == FIT_OTHER || at->code == FIT_ZONE_CLOSED ||
		    at->code == FIT_ATTACH || at->code == FIT_NUMA)
			hash = mix_text(hash, at->detail < names->text_count
						      ? names->texts[at->detail]
						      : NULL);
		else
			hash = mix(hash, at->detail);
		if (!numbers)
			continue;
		hash = mix(hash, at->count);
		hash = mix(hash, (uint64_t)at->most);
	}
	return hash;
}

static uint64_t hash_reasons(const struct reasons *reasons, const struct reason_names *names,
			     bool numbers)
{
	uint64_t hash = reasons->len;

	for (size_t i = 0; i < reasons->len; i++) {
		const struct reason *at = &reasons->at[i];

		hash = mix(hash, at->code);
		hash = mix(hash, at->subject);
		hash = mix(hash, (uint64_t)at->dim);
		hash = mix(hash, at->beyond);
		hash = mix_text(hash, at->text);
		if (at->fit)
			hash = hash_fit(at->fit, names, numbers, hash);
		if (!numbers)
			continue;
		hash = mix(hash, (uint64_t)at->have);
		hash = mix(hash, (uint64_t)at->reserved);
		hash = mix(hash, (uint64_t)at->limit);
		hash = mix(hash, (uint64_t)at->asked);
		hash = mix(hash, (uint64_t)at->need);
		hash = mix(hash, (uint64_t)at->free);
	}
	return hash;
}

/* --- the annotation ---------------------------------------------------------------------------- */

/* A list that is being made. Texts are in the arena of the session. */
struct page {
	struct session *ssn;
	struct json_doc *doc;
	struct reason_names names;
};

static struct str keep(struct page *page, struct buf *text)
{
	struct str kept = str_from(arena_strdup(page->ssn->arena, buf_text(text)));

	buf_clear(text);
	return kept;
}

static struct str amount(struct page *page, int dim, int64_t value)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	reason_print_amount(dim, value, &page->names, &text);
	return keep(page, &text);
}

static void set_counts(struct page *page, const struct fit *fit, struct wait_reason *to)
{
	struct fit_count counts[FIT_COUNTS_MAX];
	size_t len = fit_sort(fit, counts, ARRAY_LEN(counts));
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	to->nodes = fit->nodes;
	to->domain = fit->domain;
	to->counts.ptr = arena_calloc(page->ssn->arena, len + 1, sizeof(*to->counts.ptr));
	to->counts.len = len;
	for (size_t i = 0; i < len; i++) {
		struct wait_count *count = &to->counts.ptr[i];
		const struct fit_count *at = &counts[i];

		count->cause = str_from(fit_code_name(at->code));
		fit_code_print(at->code, at->detail, &page->names, &text);
		count->text = keep(page, &text);
		count->nodes = at->count;
		if (at->code == FIT_TAINT && fit->taint) {
			reason_print_taint(fit->taint, &text);
			count->taint = keep(page, &text);
		}
		if (at->code != FIT_INSUFFICIENT)
			continue;
		count->resource = reason_dim_name(&page->names, at->detail);
		if (fit->request)
			count->needs =
				amount(page, at->detail, resources_get(fit->request, at->detail));
		count->largest_free = amount(page, at->detail, at->most);
	}
}

static void set_holders(struct page *page, const struct message *m, struct wait_reason *to)
{
	const struct holders *holders = m->holders;

	if (!holders || !holders->len)
		return;
	to->holders.ptr = arena_calloc(page->ssn->arena, holders->len, sizeof(*to->holders.ptr));
	to->holders.len = holders->len;
	to->more_holders = (int64_t)holders->more;
	for (size_t i = 0; i < holders->len; i++)
		to->holders.ptr[i] = (struct wait_holder){
			.job = holders->at[i].job,
			.namespace = holders->at[i].namespace,
			.user = holders->at[i].user,
			.uses = amount(page, m->dim, holders->at[i].uses),
			.reserved = m->reserved,
		};
}

static void set_amounts(struct page *page, const struct message *m, const struct reason *reason,
			struct wait_reason *to)
{
	if (m->dim == DIM_NONE)
		return;
	to->resource = reason_dim_name(&page->names, m->dim);
	to->needs = amount(page, m->dim, m->needs);
	to->total = amount(page, m->dim, m->total);
	if (m->has_free)
		to->free = amount(page, m->dim, m->free > 0 ? m->free : 0);
	if (m->dim == reason->dim && reason->reserved > 0)
		to->reserved = amount(page, m->dim, reason->reserved);
}

/* Appends it; true: something in it may be outdated. */
static bool add_reason(struct page *page, struct json list, struct job *job,
		       const struct reason *reason, int64_t since)
{
	struct message m;
	char time[TIME_TEXT_SIZE];
	struct wait_reason to;

	message_make(page->ssn, job, reason, &m);
	page->names = m.names; /* a survey may have added texts */
	to = (struct wait_reason){
		.cause = str_from(reason_name(reason->code)),
		.text = buf_str(&m.text),
		.advice = buf_str(&m.advice),
		.brief = buf_str(&m.brief),
		.since = str_from(time_print(since, time)),
		.never = m.never,
		.subject = symbols_text(page->names.symbols, reason->subject),
	};
	set_amounts(page, &m, reason, &to);
	set_holders(page, &m, &to);
	if (reason->fit)
		set_counts(page, reason->fit, &to);
	wait_reason_append(&to, page->doc, list);
	if (reason == &job->reasons->at[0]) {
		mem_free(job->why);
		job->why = mem_strdup(buf_text(&m.text));
		job->why_len = (uint32_t)m.text_len;
	}
	message_done(&m);
	return m.outdated;
}

static int64_t since_of(const struct reported_reasons *reported, uint8_t code, int64_t now)
{
	for (size_t i = 0; i < REASONS_MAX; i++)
		if (reported->at[i].code == code && reported->at[i].since)
			return reported->at[i].since;
	return now;
}

/* In the arena of the session; remembers since when. */
static const char *print_reasons(struct session *ssn, struct job *job)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	AUTO(buf_done) struct buf to = BUF_UNBOUNDED;
	struct page page = {ssn, doc, session_names_of(ssn, job)};
	struct reported_reasons *reported = &job->reported_reasons;
	struct reported_reasons now = *reported;
	struct json list = json_new_arr(doc);

	json_doc_set_root(doc, list);
	memset(now.at, 0, sizeof(now.at));
	now.outdated = false;
	now.moves = ssn->cluster->moves;
	now.time = ssn->now;
	for (size_t i = 0; i < job->reasons->len; i++) {
		const struct reason *reason = &job->reasons->at[i];

		now.at[i].code = reason->code;
		now.at[i].since = since_of(reported, reason->code, ssn->now);
		now.outdated |= add_reason(&page, list, job, reason, now.at[i].since);
	}
	*reported = now;
	json_print(list, JSON_COMPACT, &to);
	return arena_strdup(ssn->arena, buf_text(&to));
}

static uint32_t text_hash(struct str text)
{
	uint64_t hash = hash_str(text, 1);

	return text.len ? (uint32_t)(hash ^ hash >> 32) | 1 : 0;
}

/* --- a job -------------------------------------------------------------------------------------- */

static enum explained take_away(struct job *job, struct decision *d)
{
	bool reported = job->reported_reasons.published != 0;

	mem_free(TAKE(job->why));
	job->waiting_since = 0;
	memset(&job->reported_reasons, 0, sizeof(job->reported_reasons));
	if (reported)
		d->reasons = "";
	return reported ? EXPLAINED_CHANGED : EXPLAINED_SAME;
}

/* The numbers are as before. Who holds what may have changed: that is looked at once per second. */
static bool is_current(const struct session *ssn, struct reported_reasons *reported)
{
	if (reported->moves == ssn->cluster->moves && !reported->outdated)
		return true;
	reported->outdated = true;
	return !ssn->options.refresh && ssn->now >= reported->time &&
	       ssn->now - reported->time < TIME_SECOND;
}

static enum explained report(struct session *ssn, struct job *job, struct decision *d)
{
	struct reason_names names = session_names_of(ssn, job);
	struct reported_reasons *reported = &job->reported_reasons;
	uint64_t content = hash_reasons(job->reasons, &names, true);
	uint64_t meaning;
	const char *text;
	bool numbers;

	if (job->why && content == reported->content && reported->decided == reported->published &&
	    is_current(ssn, reported))
		return EXPLAINED_SAME;
	meaning = hash_reasons(job->reasons, &names, false);
	text = print_reasons(ssn, job);
	numbers = meaning == reported->meaning && reported->published;
	reported->content = content;
	reported->meaning = meaning;
	reported->decided = text_hash(str_from(text));
	if (reported->decided == reported->published)
		return EXPLAINED_SAME;
	reported->published = reported->decided;
	d->reasons = text;
	return numbers ? EXPLAINED_NUMBERS : EXPLAINED_CHANGED;
}

enum explained explain_job(struct session *ssn, struct job *job, bool waits, struct decision *d)
{
	enum explained explained;

	if (!waits)
		return take_away(job, d);
	add_placement(ssn, job);
	report_no_nodes(ssn, job);
	if (!job->waiting_since)
		job->waiting_since = ssn->now;
	if (job->refused_session != ssn->id) /* it was not tried: the old reasons are still true */
		return EXPLAINED_SAME;
	explained = report(ssn, job, d);
	job->refusal.fit = NULL;
	job->refusal.text = NULL;
	job->refusal.task = NULL;
	job->refusal.resource = str_none();
	job->reasons = NULL;
	return explained;
}

void explain_read(struct job *job, struct str text)
{
	AUTO(arena_free) struct arena *arena = NULL;
	struct reported_reasons *reported = &job->reported_reasons;
	struct wait_reasons reasons;

	if (text_hash(text) == reported->published)
		return;
	reported->published = text_hash(text);
	if (!text.len)
		return;
	arena = arena_new(0);
	reasons = wait_reasons_parse(text, arena);
	for (size_t i = 0; i < REASONS_MAX && i < reasons.len; i++) {
		if (reported->at[i].since ||
		    time_parse(reasons.ptr[i].since, &reported->at[i].since, NULL) < 0)
			continue;
		for (int c = 0; c < REASON_CODE_COUNT; c++)
			if (str_is(reasons.ptr[i].cause, reason_name((enum reason_code)c)))
				reported->at[i].code = (uint8_t)c;
	}
	wait_reasons_done(&reasons);
}
