/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/decisions.c - what a session ends with: phases, conditions and events that have changed
 * (scheduler specification, 1.29 to 1.31).
 *
 * Texts are Volcano's, since people and programs search for them; they are made from the reasons that
 * the session noted. Something is decided only if it differs from what the API has, so that a job
 * that waits for the same reason as before costs no write. */
#include "sched/session/decisions.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "sched/cluster/ledger.h"
#include "sched/place/job_group.h"
#include "sched/plugin/extender.h"
#include "sched/report/explain.h"
#include "sched/report/object_warnings.h"
#include "sched/session/session.h"
#include "sched/session/statement.h"

#include "base/banned.h"

struct decision *decisions_add(struct session *ssn, enum decision_kind kind)
{
	struct decision *d = vec_add(&ssn->decisions.all);

	d->kind = kind;
	return d;
}

void decisions_add_event(struct session *ssn, struct job *job, struct task *task, const char *type,
			 const char *reason, const char *message)
{
	struct decision *d = decisions_add(ssn, DECIDE_EVENT);

	d->job = job;
	d->task = task;
	d->type = type;
	d->reason = reason;
	d->message = message;
}

/* --- how often ------------------------------------------------------------------------------- */

/* News in which only numbers differ (how many nodes are full, how much is free) is reported at once while
 * there is little of it: of one object a few in a row, then one in half a minute. */
enum { TELL_EVERY = 30, TELL_AHEAD = 8 * TELL_EVERY };

/* When it is due: 0 for at once. `until` is what has been reported so far, as time: each piece of news
 * takes TELL_EVERY seconds. */
static int64_t defer(int64_t now_us, int64_t *until)
{
	int64_t now = now_us / TIME_SECOND;

	if (*until < now)
		*until = now;
	if (*until - now > TELL_AHEAD)
		return (*until - TELL_AHEAD) * TIME_SECOND;
	*until += TELL_EVERY;
	return 0;
}

/* --- texts ----------------------------------------------------------------------------------- */

struct count_text {
	uint32_t count;
	const char *name;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "1 Pending, 2 Running, 3 minAvailable": sorted as texts, as Volcano does. */
static void put_counts(struct session *ssn, struct buf *to, const struct count_text *counts,
		       size_t len)
{
	const char *texts[TASK_STATUS_COUNT + 2] = {NULL};
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		if (counts[i].name)
			texts[n++] =
				arena_printf(ssn->arena, "%u %s", counts[i].count, counts[i].name);
	qsort(texts, n, sizeof(*texts), by_text);
	for (size_t i = 0; i < n; i++) {
		buf_puts(to, i ? ", " : "");
		buf_puts(to, texts[i]);
	}
}

/* How a task stands: as the attempt that was undone last had left it, else as it is. */
static enum task_status stands(const struct session *ssn, const struct task *task)
{
	const struct task_note *note = session_find_note(ssn, task);

	return note->undone != TASK_PENDING ? (enum task_status)note->undone
					    : (enum task_status)task->status;
}

/* Pending tasks that are reported as if they had capacity that is being released. */
static uint32_t count_held(const struct session *ssn, const struct job *job)
{
	uint32_t count = 0;

	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		count += session_find_note(ssn, task)->undone_held;
	return count;
}

static void put_pending(struct session *ssn, const struct job *job, struct buf *to)
{
	struct count_text counts[2] = {{0, NULL}, {0, NULL}};

	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task) {
		struct count_text *c = &counts[stands(ssn, task) != TASK_ALLOCATED];

		if (session_find_note(ssn, task)->undone_held)
			continue;
		c->name = c == counts ? "Schedulable" : "Unschedulable";
		c->count++;
	}
	if (!counts[0].count && !counts[1].count)
		return;
	buf_puts(to, "; Pending: ");
	put_counts(ssn, to, counts, 2);
}

/* Why tasks of a job found no node: what comes first is the origin of why it waits. */
struct origins {
	size_t len;
	const struct task *tasks[1 + ALSO_MAX];
	const struct fit *fits[1 + ALSO_MAX];
};

static bool says_same(const struct session *ssn, const struct job *job, const struct fit *a,
		      const struct fit *b)
{
	struct reason_names names = session_names_of(ssn, job);
	AUTO(buf_done) struct buf one = BUF_UNBOUNDED, two = BUF_UNBOUNDED;

	if (a == b)
		return true;
	fit_print(a, &names, &one);
	fit_print(b, &names, &two);
	return str_eq(buf_str(&one), buf_str(&two));
}

static void add_origin(const struct session *ssn, struct origins *origins, const struct task *task,
		       const struct fit *fit)
{
	if (!fit || origins->len == ARRAY_LEN(origins->fits))
		return;
	for (size_t i = 0; i < origins->len; i++)
		if (fit->whole && origins->fits[i]->whole
			    ? origins->tasks[i]->role == task->role
			    : says_same(ssn, task->job, origins->fits[i], fit))
			return;
	origins->tasks[origins->len] = task;
	origins->fits[origins->len++] = fit;
}

static int by_order(const void *a, const void *b)
{
	return task_order(*(const struct task *const *)a, *(const struct task *const *)b);
}

struct task_vec VEC_FIELDS(const struct task *);

/* Tasks of which a fit is noted, in their order. That of the list is no order: a task that is tried without
 * success goes to its end, so that the text would differ from cycle to cycle. */
static void collect_noted(const struct session *ssn, const struct job *job, struct task_vec *ret)
{
	bool ordered = true;

	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task) {
		if (!session_find_note(ssn, task)->fit)
			continue;
		ordered = ordered && (!ret->len || task_order(ret->ptr[ret->len - 1], task) < 0);
		vec_push(ret, task);
	}
	if (!ordered)
		qsort(ret->ptr, ret->len, sizeof(*ret->ptr), by_order);
}

/* Those that say something about nodes, then one of each role of which others were skipped. */
static struct origins origins_of(const struct session *ssn, const struct job *job)
{
	struct origins ret = {0}, skipped = {0};
	struct task_vec noted = {0};

	collect_noted(ssn, job, &noted);
	for (size_t i = 0; i < noted.len; i++) {
		const struct task *task = noted.ptr[i];
		const struct fit *fit = session_find_note(ssn, task)->fit;

		if (fit->whole) {
			add_origin(ssn, &skipped, task, fit);
		} else if (ret.len < ARRAY_LEN(ret.fits)) {
			add_origin(ssn, &ret, task, fit);
			add_origin(ssn, &ret, task, fit->other);
		}
	}
	vec_done(&noted);
	if (skipped.len && ret.len == ARRAY_LEN(ret.fits))
		ret.len--;
	for (size_t i = 0; i < skipped.len; i++)
		add_origin(ssn, &ret, skipped.tasks[i], skipped.fits[i]);
	return ret;
}

static void put_origin(const struct session *ssn, const struct origins *origins, size_t which,
		       struct buf *to)
{
	const struct task *task = which < origins->len ? origins->tasks[which] : NULL;
	struct reason_names names;

	if (!task)
		return;
	names = session_names_of(ssn, task->job);
	buf_puts(to, ". Origin reason is ");
	buf_put_str(to, task_name(task));
	buf_puts(to, ": ");
	fit_print(origins->fits[which], &names, to);
}

/* With one of its origins; 0: the first. */
static const char *job_text(struct session *ssn, const struct job *job,
			    const struct origins *origins, size_t which)
{
	struct count_text counts[TASK_STATUS_COUNT + 1] = {{0, NULL}};
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);
	uint32_t held = count_held(ssn, job);

	for (int s = 0; s < TASK_STATUS_COUNT; s++) {
		uint32_t count = job->tally.count[s];

		count -= s == TASK_PENDING ? held : 0;
		count += s == TASK_PIPELINED ? held : 0;
		if (count)
			counts[s] = (struct count_text){count, task_status_names[s]};
	}
	counts[TASK_STATUS_COUNT] =
		(struct count_text){(uint32_t)job->min_available, "minAvailable"};
	buf_puts(&text,
		 job_count_is_ready(job) ? "pod group is ready, " : "pod group is not ready, ");
	put_counts(ssn, &text, counts, ARRAY_LEN(counts));
	put_pending(ssn, job, &text);
	put_origin(ssn, origins, which, &text);
	return arena_strdup(ssn->arena, buf_text(&text));
}

/* --- PodGroups ------------------------------------------------------------------------------- */

static const char *unschedulable_text(struct session *ssn, const struct job *job, const char *text)
{
	int64_t could = job_ready_count(job);

	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		if (stands(ssn, task) == TASK_ALLOCATED)
			could++;
	return arena_printf(ssn->arena, "%lld/%u tasks in gang unschedulable: %s",
			    (long long)(job->min_available - could), job->tally.total, text);
}

static bool set_condition(struct decision *d, struct job *job, enum group_condition which,
			  const char *reason, const char *message)
{
	static const char *const types[] = {
		[GROUP_UNSCHEDULABLE] = "Unschedulable", [GROUP_SCHEDULED] = "Scheduled"};
	uint32_t hash = job_text_hash(str_from(reason), str_from(message));

	if (job->reported[which] == hash)
		return false;
	job->reported[which] = hash;
	d->conditions[which] = (struct group_condition_text){types[which], reason, message};
	return true;
}

/* Conditions are the gang plugin's: without it there are none. They go by the number of tasks alone: what a
 * role lacks is in the reasons. */
static bool set_conditions(struct session *ssn, struct job *job, struct decision *d,
			   const char *text)
{
	if (!config_find_plugin(ssn->config, "gang") || !job->tally.total)
		return false;
	if (job_count_is_ready(job))
		return set_condition(d, job, GROUP_SCHEDULED,
				     "tasks in gang are ready to be scheduled", "");
	job->unschedulable_session = ssn->id;
	job->retries++;
	return set_condition(d, job, GROUP_UNSCHEDULABLE, "NotEnoughResources",
			     unschedulable_text(ssn, job, text));
}

/* Has it no pods, and says so itself: each of its roles wants none? One that names no roles may still
 * get pods. */
static bool is_empty(const struct job *job)
{
	return !job->tally.total && job->roles.len > 0;
}

static enum podgroup_phase phase_of(const struct session *ssn, const struct job *job)
{
	int64_t scheduled = tally_of(&job->tally, TASKS_SCHEDULED);
	int64_t completed = tally_of(&job->tally, TASKS_COMPLETED);

	if (job->tally.count[TASK_RUNNING] && job->unschedulable_session == ssn->id)
		return PODGROUP_UNKNOWN;
	if (scheduled >= job->min_available &&
	    (scheduled > 0 || is_empty(job) || job->phase == PODGROUP_RUNNING ||
	     job->phase == PODGROUP_COMPLETED))
		return scheduled == completed ? PODGROUP_COMPLETED : PODGROUP_RUNNING;
	return job->phase == PODGROUP_INQUEUE ? PODGROUP_INQUEUE : PODGROUP_PENDING;
}

static bool set_counts(struct job *job, struct decision *d)
{
	int32_t now[] = {(int32_t)job->tally.count[TASK_RUNNING],
			 (int32_t)job->tally.count[TASK_SUCCEEDED],
			 (int32_t)job->tally.count[TASK_FAILED]};
	bool changed = memcmp(now, job->reported_counts, sizeof(now)) != 0;

	d->running = now[0];
	d->succeeded = now[1];
	d->failed = now[2];
	memcpy(job->reported_counts, now, sizeof(now));
	return changed;
}

static const char *event_text(struct session *ssn, const struct job *job, const char *text)
{
	return arena_printf(ssn->arena, "%u/%u tasks in gang unschedulable: %s",
			    job->tally.count[TASK_PENDING] - count_held(ssn, job), job->tally.total,
			    text);
}

/* If nothing that Volcano reports says why its pods wait (a queue's limit or share): what does; else NULL. */
static const char *cause_of(const struct session *ssn, const struct job *job,
			    const struct origins *origins)
{
	if (origins->len || !job->tally.count[TASK_PENDING] || !job->why ||
	    job->refused_session != ssn->id || job->refusal.code == REASON_RELEASING ||
	    reason_rank(job->refusal.code) <= reason_rank(REASON_NODES))
		return NULL;
	return arena_printf(ssn->arena, "%.*s", (int)job->why_len, job->why);
}

/* The other reasons for which its tasks wait: reported when one of them is new. */
static bool find_also(struct session *ssn, struct job *job, const struct origins *origins,
		      const char **ret)
{
	const char *cause = cause_of(ssn, job, origins);
	uint32_t hash = 0;

	if (cause) {
		ret[0] = cause;
		hash = job_words_hash(str_from(cause));
	}
	for (size_t i = 0; i < ALSO_MAX && i + 1 < origins->len; i++) {
		ret[i] = event_text(ssn, job, job_text(ssn, job, origins, i + 1));
		hash = hash * 31 + job_text_hash(STR("also"), str_from(ret[i]));
	}
	if (hash == job->reported_also)
		return false;
	job->reported_also = hash;
	return hash != 0;
}

static void report_group(struct session *ssn, struct job *job, const struct decision *group,
			 bool written, const struct origins *origins, const char *text)
{
	const char *also[ALSO_MAX] = {NULL};
	bool waits = job->phase == PODGROUP_UNKNOWN || job->phase == PODGROUP_PENDING ||
		     job->phase == PODGROUP_INQUEUE;
	const char *message = "pod group is ready";
	struct decision *event;
	bool more = false;
	uint32_t hash;

	if (waits && job->tally.total && !job->tally.count[TASK_PENDING] && job_count_is_ready(job))
		return; /* it is being bound */
	if (job->phase == PODGROUP_INQUEUE && !job->tally.total)
		return; /* it was admitted, and its pods are about to come */
	if (waits) {
		message = event_text(ssn, job, text);
		more = find_also(ssn, job, origins, also);
	} else if (!written) {
		return;
	}
	hash = job_text_hash(STR("event"), str_from(message));
	if (hash == job->reported_event && !more)
		return;
	job->reported_event = hash;
	if (waits)
		decisions_add_event(ssn, job, NULL, "Warning", "Unschedulable", message);
	else
		decisions_add_event(ssn, job, NULL, "Normal", "Scheduled", message);
	event = &ssn->decisions.all.ptr[ssn->decisions.all.len - 1];
	event->not_before = group->not_before;
	if (more)
		memcpy(event->also, also, sizeof(also));
}

/* A group that the plugins did not admit: what they said, once. */
static void report_refusal(struct session *ssn, struct job *job)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);
	struct reason_names names = session_names_of(ssn, job);
	uint32_t hash;

	if (!job_is_pending(job) || job->refused_session != ssn->id)
		return;
	reason_print_event(&job->refusal, &names, &text);
	hash = job_text_hash(STR("refusal"), buf_str(&text));
	if (!text.len || hash == job->reported_refusal)
		return;
	job->reported_refusal = hash;
	decisions_add_event(ssn, job, NULL, "Normal", "Unschedulable",
			    arena_strdup(ssn->arena, buf_text(&text)));
}

/* Does the next cycle have to look at it, even if no event is about it? */
static bool stays_active(const struct job *job)
{
	return job->grouped && (job->tally.count[TASK_PENDING] || job_is_pending(job));
}

/* Has it something to explain? That its pods are not there yet is reported only if it lasts. */
static bool waits(const struct job *job, enum podgroup_phase phase)
{
	return stays_active(job) || job->tally.count[TASK_PIPELINED] ||
	       job->tally.count[TASK_ALLOCATED] ||
	       (!job->tally.total && phase == PODGROUP_INQUEUE && job->reported_phase == phase);
}

static void conclude_group(struct session *ssn, struct job *job, const struct origins *origins,
			   const char *text)
{
	struct decision d = {.kind = DECIDE_GROUP, .job = job};
	bool known = job->reported[GROUP_UNSCHEDULABLE] != 0;
	bool reworded = set_conditions(ssn, job, &d, text);
	bool changed = set_counts(job, &d) || (reworded && (job_count_is_ready(job) || !known));
	enum podgroup_phase phase = phase_of(ssn, job);
	enum explained explained;

	report_refusal(ssn, job);
	cluster_set_phase(ssn->cluster, job, phase);
	explained = explain_job(ssn, job, waits(job, phase), &d);
	changed |= phase != job->reported_phase;
	job->reported_phase = phase;
	d.phase = phase;
	if (!changed && explained != EXPLAINED_CHANGED && (reworded || explained))
		d.not_before = defer(ssn->now, &job->reported_until);
	if (changed || reworded || explained)
		vec_push(&ssn->decisions.all, d);
	report_group(ssn, job, &d, changed || reworded, origins, text);
}

/* --- pods ------------------------------------------------------------------------------------ */

static struct node_info *possible_node(const struct session *ssn, const struct task *task)
{
	const struct task_note *note = session_find_note(ssn, task);

	return note->undone != TASK_PENDING ? ssn->cluster->nodes.ptr[note->undone_node]
					    : task->node;
}

/* In the arena of the session. */
static const char *pod_text(struct session *ssn, const struct task *task, const char *text,
			    const char **ret_nominated)
{
	const struct task_note *note = session_find_note(ssn, task);
	struct node_info *node = possible_node(ssn, task);
	enum task_status status = stands(ssn, task);
	AUTO(buf_done) struct buf own = BUF_INIT(SIZE_MAX);
	struct reason_names names;

	if (status == TASK_ALLOCATED && node)
		return arena_printf(ssn->arena,
				    "Pod %s can possibly be assigned to %s, once minAvailable is "
				    "satisfied",
				    task->text, node->text.ptr);
	if (status == TASK_PIPELINED && node) {
		bool evicting =
			note->undone != TASK_PENDING ? note->undone_evicting : task->evicting;

		*ret_nominated = evicting ? node->text.ptr : NULL;
		return arena_printf(ssn->arena,
				    "Pod %s can possibly be assigned to %s, once resource is "
				    "released and minAvailable is satisfied",
				    task->text, node->text.ptr);
	}
	if (!note->fit)
		return text;
	names = task->job ? session_names_of(ssn, task->job) : session_names(ssn);
	fit_print(note->fit, &names, &own);
	return arena_strdup(ssn->arena, buf_text(&own));
}

/* What is reported of a pod. Many pods of a job report the same: then it is hashed once. */
struct pod_news {
	const char *reason;
	const char *message;
	bool patient; /* see is_patient() */
	uint32_t hash;
	uint32_t words;
};

static void hash_news(struct pod_news *news, const char *reason, const char *message)
{
	if (news->message == message && news->reason == reason)
		return;
	*news = (struct pod_news){reason, message, false,
				  job_text_hash(str_from(reason), str_from(message)),
				  job_words_hash(str_from(message))};
}

/* Of a job with many pods that wait for the same, each would report again how many of them wait whenever one
 * does not any more: only the group reports that. */
static bool is_patient(const struct job *job, const char *message, const char *text)
{
	enum { MANY = 100 };

	return message == text && job->tally.count[TASK_PENDING] > MANY;
}

/* Has it to be reported, and when? */
static bool is_news(const struct session *ssn, struct task *task, const struct pod_news *news,
		    int64_t *ret_due)
{
	int64_t until = task->reported_until;

	if (task->reported == news->hash ||
	    (news->patient && task->reported && task->reported_words == news->words))
		return false;
	*ret_due = task->reported_words == news->words ? defer(ssn->now, &until) : 0;
	task->reported = news->hash;
	task->reported_words = news->words;
	task->reported_until = (uint32_t)until;
	return true;
}

/* The same with what else its nodes lack, where that has not been said. */
static const char *other_text(struct session *ssn, const struct task *task)
{
	const struct task_note *note = session_find_note(ssn, task);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct reason_names names;

	if (stands(ssn, task) != TASK_PENDING || !note->fit || !note->fit->other)
		return NULL;
	names = session_names_of(ssn, task->job);
	fit_print(note->fit->other, &names, &text);
	return arena_strdup(ssn->arena, buf_text(&text));
}

/* What else there is to report: of a pod of which the job's text is reported, that text with its other origins. */
static void set_also(struct session *ssn, const struct task *task, const struct origins *origins,
		     const char **also)
{
	also[0] = other_text(ssn, task);
	if (origins && task->job->tally.total == 1 &&
	    !also[0]) /* of several the group reports it */
		also[0] = cause_of(ssn, task->job, origins);
	for (size_t i = 0; origins && i < ALSO_MAX && i + 1 < origins->len; i++)
		also[i] = job_text(ssn, task->job, origins, i + 1);
}

/* `origins`: of the text, of the one that reports them; or NULL. `news`: of the pod before it. */
static void conclude_pod(struct session *ssn, struct task *task, const char *text,
			 const struct origins *origins, struct pod_news *news)
{
	const char *nominated = NULL;
	const char *message = pod_text(ssn, task, text, &nominated);
	const char *reason = stands(ssn, task) == TASK_ALLOCATED ? "Schedulable" : "Unschedulable";
	bool same_node = !nominated ||
			 str_is(symbols_text(ssn->cluster->symbols, task->nominated), nominated);
	const char *also[ALSO_MAX] = {NULL};
	int64_t due = 0;
	struct decision *d;

	hash_news(news, reason, message);
	news->patient = is_patient(task->job, message, text);
	if (!is_news(ssn, task, news, &due) && same_node)
		return;
	set_also(ssn, task, origins, also);
	if (!same_node) {
		symbols_drop(ssn->cluster->symbols, task->nominated);
		task->nominated = symbols_take(ssn->cluster->symbols, str_from(nominated));
		due = 0;
	}
	d = decisions_add(ssn, DECIDE_POD);
	d->task = task;
	d->reason = reason;
	d->message = message;
	d->nominated = nominated;
	d->not_before = due;
	memcpy(d->also, also, sizeof(also));
	decisions_add_event(ssn, NULL, task, "Warning", "FailedScheduling", message);
	d = &ssn->decisions.all.ptr[ssn->decisions.all.len - 1];
	memcpy(d->also, also, sizeof(also));
}

/* The pod of which the job's other origins are reported: the first of those of which the job's text is reported, in
 * the order of tasks and not of the list, or it would be another one in each cycle. */
static const struct task *find_reporter(const struct session *ssn, const struct job *job)
{
	const struct task *first = NULL;

	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		if (!task->gated && stands(ssn, task) == TASK_PENDING &&
		    !session_find_note(ssn, task)->fit && (!first || task_order(task, first) < 0))
			first = task;
	return first;
}

static void conclude_pods(struct session *ssn, struct job *job, const struct origins *origins,
			  const char *text)
{
	static const enum task_status statuses[] = {TASK_ALLOCATED, TASK_PENDING, TASK_PIPELINED};
	bool more = origins->len > 1 || job->tally.total == 1; /* is there something to report? */
	const struct task *reporter = more ? find_reporter(ssn, job) : NULL;
	struct pod_news news = {.hash = 0};

	for (size_t i = 0; i < ARRAY_LEN(statuses); i++)
		LIST_EACH(&job->tasks[statuses[i]], struct task, job_link, task)
			if (!task->gated)
				conclude_pod(ssn, task, text, task == reporter ? origins : NULL,
					     &news);
}

/* --- the end --------------------------------------------------------------------------------- */

/* Without a queue, or a group, nothing is said of it but that. */
static void conclude_orphan(struct session *ssn, struct job *job)
{
	struct decision d = {.kind = DECIDE_GROUP, .job = job, .no_status = true};
	struct reason missing = {
		.code = REASON_QUEUE_MISSING, .dim = DIM_NONE, .subject = job->queue_name};

	if (!job->grouped) {
		LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
			object_warnings_set_lost(ssn->cluster->warnings, task);
		return;
	}
	session_refuse(ssn, job, &missing);
	if (explain_job(ssn, job, true, &d) != EXPLAINED_SAME)
		vec_push(&ssn->decisions.all, d);
}

/* Capacity that a job held at the end of the last session, and holds no more, may be others'. If it begins to
 * hold some, what others reported becomes outdated. */
static bool has_let_go(struct session *ssn, struct job *job)
{
	bool held = job->holding_session != 0;

	job->holding_session =
		job->tally.count[TASK_ALLOCATED] || job->tally.count[TASK_PIPELINED] ? ssn->id : 0;
	ssn->cluster->moves += !held && job->holding_session;
	return held && !job->holding_session;
}

static void conclude_job(struct session *ssn, struct job *job)
{
	struct origins origins;
	const char *text;

	if (!session_has_job(ssn, job)) {
		conclude_orphan(ssn, job);
		return;
	}
	origins = origins_of(ssn, job);
	text = job_text(ssn, job, &origins, 0);
	conclude_group(ssn, job, &origins, text);
	conclude_pods(ssn, job, &origins, text);
}

/* What queues hold, reservations of this session included, where that is not what the API has. */
static void conclude_queues(struct session *ssn)
{
	struct cluster *cluster = ssn->cluster;

	for (size_t i = 0; i < cluster->queue_by_id.len; i++) {
		struct queue_info *queue = cluster->queue_by_id.ptr[i];
		struct decision *d;
		uint64_t hash;

		if (!queue || !queue->touched)
			continue;
		queue->touched = false;
		hash = hash_bytes(queue->allocated.at, queue->allocated.len * sizeof(int64_t), 1);
		if (hash == queue->reported)
			continue;
		queue->reported = hash;
		d = decisions_add(ssn, DECIDE_QUEUE);
		d->queue = queue;
		resources_copy(&d->allocated, &queue->allocated);
	}
}

/* Could only freed capacity help it? Not so if other pods that are placed may: near them, or spread, or since
 * nodes are then chosen in another order; nor where it holds capacity in each session that its queue is to be
 * reported of. */
static bool may_be_blocked(const struct session *ssn, const struct job *job)
{
	if (!ssn->config->blocks || job->refused_session != ssn->id ||
	    job->holding_session == ssn->id || job->other_choice_session == ssn->id)
		return false;
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		if (task->class->terms->affinity.len || task->class->terms->spread.len)
			return false;
	return true;
}

/* What no node has enough of for any task of a job that waits. */
static struct shortage shortage_of(const struct session *ssn, const struct job *job)
{
	const struct list *pending = &job->tasks[TASK_PENDING];
	const struct task *first = container_of(pending->next, struct task, job_link);
	dim_set rest;

	if (job_is_pending(job) || list_is_empty(pending))
		return (struct shortage){0};
	rest = first->class->dims & ~(DIM_BIT(DIM_PODS) | DIM_BIT(DIM_OTHER));
	for (; rest; rest &= rest - 1) {
		struct shortage ret = {INT64_MAX, __builtin_ctzll(rest)};

		LIST_EACH(pending, struct task, job_link, task) {
			int64_t amount = resources_get(&task->class->request, ret.dim);

			if (!session_is_waiting(ssn, task))
				return (struct shortage){0};
			ret.amount = amount < ret.amount ? amount : ret.amount;
		}
		if (ret.amount > cluster_most(ssn->cluster, CAPACITY_FUTURE, ret.dim))
			return ret;
	}
	return (struct shortage){0};
}

/* Jobs that only freed capacity can help; `moves` as they were when it was tried. */
static void block_job(struct session *ssn, struct job *job, uint64_t moves)
{
	bool blocked = may_be_blocked(ssn, job);

	job->looked = job->reported_reasons.outdated ? ~moves : moves;
	job->shortage = blocked ? shortage_of(ssn, job) : (struct shortage){0};
	if (blocked && !(job->queue && job_group_join(ssn, job)))
		cluster_block_job(ssn->cluster, job);
}

void decisions_conclude(struct session *ssn)
{
	struct cluster *cluster = ssn->cluster;
	uint64_t moves = cluster->moves;
	bool let_go = false;

	LIST_EACH(&cluster->active, struct job, active_link, job) {
		let_go |= has_let_go(ssn, job);
		if (!extender_holds(ssn, job))
			conclude_job(ssn, job);
	}
	conclude_queues(ssn);
	object_warnings_report(ssn);
	statements_end(ssn);
	LIST_EACH(&cluster->active, struct job, active_link, job) {
		/* Nothing counts it again while it is not active. */
		ledger_count_job(cluster, job);
		if (stays_active(job)) {
			block_job(ssn, job, moves);
			continue;
		}
		list_remove(&job->active_link);
		cluster->active_count--;
	}
	job_groups_tidy(cluster);
	cluster->unblocks_seen = cluster->unblocks;
	if (let_go)
		cluster_unblock_for_capacity(cluster);
}
