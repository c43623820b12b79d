/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/explain.c - see the header.
 *
 * Two hashes show whether something has changed, so that a job that waits as before costs no text:
 * `content` covers every number of the reasons, `meaning` only what they are about. */
#include "sched/report/explain.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/doc.h"
#include "model/core/taints.h"
#include "model/value/resources.h"
#include "sched/session/session.h"

#include "base/banned.h"

/* --- what follows from how tasks stand --------------------------------------------------------- */

struct standing {
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

static struct standing standing_of(const struct session *ssn, const struct job *job)
{
	struct standing ret = {0};

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

static void add_standing(struct session *ssn, struct job *job)
{
	struct standing stands = standing_of(ssn, job);
	int64_t could = (int64_t)tally_of(&job->tally, TASKS_READY) -
			job->tally.count[TASK_ALLOCATED] + stands.placed;
	struct reason why = {.dim = DIM_NONE, .limit = job->min_available};

	if (stands.gated) {
		why.code = REASON_GATED;
		why.have = stands.gated;
		session_refuse(ssn, job, &why);
	}
	if (stands.soon) {
		why.code = REASON_RELEASING;
		why.have = stands.soon;
		session_refuse(ssn, job, &why);
	}
	if (stands.placed && could < job->min_available) {
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

/* Where there are no nodes, that is why, and not what follows from it: that a queue may have 0 of 0. */
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
		if (at->code == FIT_OTHER || at->code == FIT_ZONE_CLOSED || at->code == FIT_ATTACH)
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
	}
	return hash;
}

/* --- the annotation ---------------------------------------------------------------------------- */

/* A list under way. */
struct page {
	struct json_doc *doc;
	struct reason_names names;
	struct buf text; /* to print into */
};

static void set_text(struct page *page, struct json object, const char *key)
{
	json_set_str(page->doc, object, key, buf_str(&page->text));
	buf_clear(&page->text);
}

static void set_amount(struct page *page, struct json object, const char *key, int dim,
		       int64_t amount)
{
	reason_print_amount(dim, amount, &page->names, &page->text);
	set_text(page, object, key);
}

static void add_counts(struct page *page, struct json object, const struct fit *fit)
{
	struct fit_count counts[FIT_COUNTS_MAX];
	size_t len = fit_sort(fit, counts, ARRAY_LEN(counts));
	struct json list = json_new_arr(page->doc);

	json_set_int(page->doc, object, "nodes", fit->nodes);
	if (fit->domain.len)
		json_set_str(page->doc, object, "domain", fit->domain);
	for (size_t i = 0; i < len; i++) {
		struct json count = json_new_obj(page->doc);
		const struct fit_count *at = &counts[i];

		json_append(page->doc, list, count);
		json_set_str(page->doc, count, "code", str_from(fit_code_name(at->code)));
		fit_code_print(at->code, at->detail, &page->names, &page->text);
		set_text(page, count, "text");
		json_set_int(page->doc, count, "nodes", at->count);
		if (at->code == FIT_TAINT && fit->taint) {
			reason_print_taint(fit->taint, &page->text);
			set_text(page, count, "taint");
		}
		if (at->code != FIT_INSUFFICIENT)
			continue;
		json_set_str(page->doc, count, "dimension",
			     reason_dim_name(&page->names, at->detail));
		if (fit->request)
			set_amount(page, count, "asked", at->detail,
				   resources_get(fit->request, at->detail));
		set_amount(page, count, "largestFree", at->detail, at->most);
	}
	if (len)
		json_set(page->doc, object, STR("counts"), list);
}

static void add_amounts(struct page *page, struct json object, const struct reason *reason)
{
	if (reason->dim != DIM_NONE) {
		json_set_str(page->doc, object, "dimension",
			     reason_dim_name(&page->names, reason->dim));
		set_amount(page, object, "have", reason->dim, reason->have);
		if (reason->reserved > 0)
			set_amount(page, object, "promised", reason->dim, reason->reserved);
		set_amount(page, object, "limit", reason->dim, reason->limit);
		set_amount(page, object, "asked", reason->dim, reason->asked);
		set_amount(page, object, "shortfall", reason->dim, reason->need);
	} else if (reason->have || reason->limit) {
		json_set_int(page->doc, object, "have", reason->have);
		if (reason->limit)
			json_set_int(page->doc, object, "limit", reason->limit);
	}
}

static void add_reason(struct page *page, struct json list, const struct reason *reason,
		       int64_t since)
{
	struct json object = json_new_obj(page->doc);
	char time[TIME_TEXT_SIZE];

	json_append(page->doc, list, object);
	json_set_str(page->doc, object, "code", str_from(reason_name(reason->code)));
	reason_print(reason, &page->names, &page->text);
	set_text(page, object, "text");
	reason_print_help(reason, &page->names, &page->text);
	set_text(page, object, "help");
	json_set_str(page->doc, object, "since", str_from(time_print(since, time)));
	if (reason->subject)
		json_set_str(page->doc, object, "subject",
			     symbols_text(page->names.symbols, reason->subject));
	add_amounts(page, object, reason);
	if (reason->fit)
		add_counts(page, object, reason->fit);
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
	struct page page = {doc, session_names_of(ssn, job), BUF_UNBOUNDED};
	struct reported_reasons *reported = &job->reported_reasons;
	struct reported_reasons now = *reported;
	struct json list = json_new_arr(doc);

	json_doc_set_root(doc, list);
	memset(now.at, 0, sizeof(now.at));
	for (size_t i = 0; i < job->reasons->len; i++) {
		const struct reason *reason = &job->reasons->at[i];

		now.at[i].code = reason->code;
		now.at[i].since = since_of(reported, reason->code, ssn->now);
		add_reason(&page, list, reason, now.at[i].since);
	}
	*reported = now;
	buf_done(&page.text);
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

static enum explained report(struct session *ssn, struct job *job, struct decision *d)
{
	struct reason_names names = session_names_of(ssn, job);
	struct reported_reasons *reported = &job->reported_reasons;
	uint64_t content = hash_reasons(job->reasons, &names, true);
	uint64_t meaning;
	const char *text;
	bool numbers;

	if (content == reported->content && reported->decided == reported->published)
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
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct reason_names names = session_names_of(ssn, job);
	enum explained explained;

	if (!waits)
		return take_away(job, d);
	add_standing(ssn, job);
	report_no_nodes(ssn, job);
	if (!job->waiting_since)
		job->waiting_since = ssn->now;
	if (job->refused_session != ssn->id) /* nobody looked at it: what held still holds */
		return EXPLAINED_SAME;
	reason_print(&job->refusal, &names, &text);
	mem_free(job->why);
	job->why = buf_take(&text);
	explained = report(ssn, job, d);
	job->refusal.fit = NULL;
	job->refusal.text = NULL;
	job->reasons = NULL;
	return explained;
}

void explain_read(struct job *job, struct str text)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct reported_reasons *reported = &job->reported_reasons;
	struct json_iter it;

	if (text_hash(text) == reported->published)
		return;
	reported->published = text_hash(text);
	doc = text.len ? json_parse(text, NULL, NULL) : NULL;
	it = json_iter(doc ? json_doc_root(doc) : JSON_NONE);
	for (size_t i = 0; i < REASONS_MAX && json_next(&it); i++) {
		struct str code = json_str(json_get(it.value, "code"));

		if (reported->at[i].since || time_parse(json_str(json_get(it.value, "since")),
							&reported->at[i].since, NULL) < 0)
			continue;
		for (int c = 0; c < REASON_CODE_COUNT; c++)
			if (str_is(code, reason_name((enum reason_code)c)))
				reported->at[i].code = (uint8_t)c;
	}
}
