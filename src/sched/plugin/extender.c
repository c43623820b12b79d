/* SPDX-License-Identifier: Apache-2.0 */
/* sched/plugin/extender.c - asks an HTTP server about decisions (scheduler specification, 6.23; additions, part 6;
 * docs/design/024-extender.md).
 *
 * Hooks do not wait. What has no answer yet is a question for the service (outside.h), and the job that it is about
 * is held: it is neither placed nor reported in this cycle; others go on. When the answer is there, a cycle finds it. A
 * refusal counts as long as it is asked again; a consent counts for ten seconds. Of a gang all pods are asked about at
 * once, as each call takes its time.
 *
 * Bodies are a documented part of what Volcano sends, under its names: what does not change while a job is being placed, so
 * that the same question is asked again. */
#include "sched/plugin/extender.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "model/value/duration.h"
#include "sched/plugin/outside.h"
#include "sched/plugin/plugin_rows.h"
#include "sched/session/session.h"

#include "base/banned.h"

enum verb {
	VERB_OPEN,
	VERB_CLOSE,
	VERB_PREDICATE,
	VERB_PRIORITIZE,
	VERB_PREEMPTABLE,
	VERB_RECLAIMABLE,
	VERB_OVERUSED,
	VERB_ENQUEUEABLE,
	VERB_READY,
	VERB_ALLOCATE,
	VERB_DEALLOCATE,
	VERB_COUNT
};

struct extender {
	char *url;
	int64_t timeout;
	char *verbs[VERB_COUNT]; /* NULL: not asked */
	bool ignorable;
	VEC(char *) managed;
	struct outside *outside;
	bool silent;                     /* in this session: it could not be opened */
	bool waits;                      /* ... is not known */
	VEC(const struct job *) held;    /* in this session */
	VEC(const struct task *) barred; /* tasks that may not be placed, the same */
	/* The task for which the others of its job were asked about, the same. */
	const struct task *ahead;
	const struct job *ahead_job;
};

/* --- arguments ------------------------------------------------------------------------------- */

static void read_verbs(struct plugin *p, struct plugin_args *args)
{
	struct extender *e = p->state;
	const struct str texts[VERB_COUNT] = {
		[VERB_OPEN] = args_str(args, "extender.onSessionOpenVerb", str_none()),
		[VERB_CLOSE] = args_str(args, "extender.onSessionCloseVerb", str_none()),
		[VERB_PREDICATE] = args_str(args, "extender.predicateVerb", str_none()),
		[VERB_PRIORITIZE] = args_str(args, "extender.prioritizeVerb", str_none()),
		[VERB_PREEMPTABLE] = args_str(args, "extender.preemptableVerb", str_none()),
		[VERB_RECLAIMABLE] = args_str(args, "extender.reclaimableVerb", str_none()),
		[VERB_OVERUSED] = args_str(args, "extender.queueOverusedVerb", str_none()),
		[VERB_ENQUEUEABLE] = args_str(args, "extender.jobEnqueueableVerb", str_none()),
		[VERB_READY] = args_str(args, "extender.jobReadyVerb", str_none()),
		[VERB_ALLOCATE] = args_str(args, "extender.allocateFuncVerb", str_none()),
		[VERB_DEALLOCATE] = args_str(args, "extender.deallocateFuncVerb", str_none()),
	};
	static const struct {
		enum verb verb;
		enum plugin_switch which;
	} switches[] = {
		{VERB_PREDICATE, SWITCH_PREDICATE},      {VERB_PRIORITIZE, SWITCH_NODE_ORDER},
		{VERB_PREEMPTABLE, SWITCH_PREEMPTABLE},  {VERB_RECLAIMABLE, SWITCH_RECLAIMABLE},
		{VERB_OVERUSED, SWITCH_OVERUSED},        {VERB_OVERUSED, SWITCH_ALLOCATABLE},
		{VERB_ENQUEUEABLE, SWITCH_JOB_ENQUEUED}, {VERB_READY, SWITCH_JOB_READY}};

	for (int i = 0; i < VERB_COUNT; i++)
		e->verbs[i] = texts[i].len ? str_dup(texts[i]) : NULL;
	/* Without its verb a hook has no opinion: it is as if it were switched off. */
	for (size_t i = 0; i < ARRAY_LEN(switches); i++)
		if (!e->verbs[switches[i].verb])
			p->on &= ~(UINT32_C(1) << switches[i].which);
}

static int64_t read_timeout(struct plugin_args *args)
{
	struct str text = args_str(args, "extender.httpTimeout", STR("1s"));
	int64_t nanoseconds;

	if (duration_parse(text, &nanoseconds, NULL) == 0 && nanoseconds >= DURATION_MICROSECOND)
		return nanoseconds / DURATION_MICROSECOND;
	vec_push(&args->notes,
		 mem_printf("argument extender.httpTimeout: \"%.*s\" is no duration; 1s holds",
			    STR_ARG(text)));
	return TIME_SECOND;
}

static int extender_new(struct plugin *p, struct plugin_args *args, struct err *err)
{
	struct extender *e = mem_new(struct extender);
	struct str url = args_str(args, "extender.urlPrefix", str_none());
	struct json_iter it = json_iter(args_get(args, "extender.managedResources"));

	p->state = e;
	p->restless = true;
	e->outside = outside_new();
	while (url.len && url.ptr[url.len - 1] == '/')
		url.len--;
	e->url = str_dup(url);
	e->timeout = read_timeout(args);
	e->ignorable = args_bool(args, "extender.ignorable", false);
	read_verbs(p, args);
	while (json_next(&it))
		vec_push(&e->managed, str_dup(json_str(it.value)));
	if (!str_starts(url, STR("http://")) && !str_starts(url, STR("https://")))
		return err_set(
			err, ERR_INVALID,
			"extender.urlPrefix: must be a URL that begins with http:// or https://");
	return 0;
}

static void extender_free(struct plugin *p)
{
	struct extender *e = p->state;

	for (int i = 0; i < VERB_COUNT; i++)
		mem_free(e->verbs[i]);
	for (size_t i = 0; i < e->managed.len; i++)
		mem_free(e->managed.ptr[i]);
	vec_done(&e->managed);
	vec_done(&e->held);
	vec_done(&e->barred);
	outside_free(e->outside);
	mem_free(e->url);
	mem_free(e);
}

/* --- bodies ---------------------------------------------------------------------------------- */

struct body {
	struct json_doc *doc;
	struct json root;
	struct buf text;
};

static struct body body_new(void)
{
	struct body body = {.doc = json_doc_new(), .text = BUF_UNBOUNDED};

	body.root = json_new_obj(body.doc);
	json_doc_set_root(body.doc, body.root);
	return body;
}

static void body_done(struct body *body)
{
	json_doc_unref(body->doc);
	buf_done(&body->text);
}
DEFINE_AUTO_IN_PLACE(struct body, body_done);

static struct str body_text(struct body *body)
{
	buf_clear(&body->text);
	json_print(body->root, JSON_COMPACT, &body->text);
	return buf_str(&body->text);
}

static struct json labels_json(const struct cluster *cluster, struct json_doc *doc,
			       const struct label_set *labels)
{
	struct json made = json_new_obj(doc);

	for (size_t i = 0; labels && i < labels->len; i++)
		json_set(doc, made, symbols_text(cluster->symbols, labels->at[i].key),
			 json_new_str(doc, symbols_text(cluster->symbols, labels->at[i].value)));
	return made;
}

static struct json task_json(const struct cluster *cluster, struct json_doc *doc,
			     const struct task *task)
{
	struct json made = json_new_obj(doc);

	json_set_str(doc, made, "UID", task_uid(task));
	json_set_str(doc, made, "Name", task_name(task));
	json_set_str(doc, made, "Namespace", task_namespace(task));
	if (task->job)
		json_set_str(doc, made, "Job", job_key(task->job));
	json_set_int(doc, made, "Priority", task->priority);
	json_set(doc, made, STR("Resreq"),
		 resources_encode(&task->class->request, cluster->dims, doc));
	json_set(doc, made, STR("Labels"), labels_json(cluster, doc, task->labels));
	return made;
}

static struct json node_json(const struct cluster *cluster, struct json_doc *doc,
			     const struct node_info *node)
{
	AUTO(resources_done) struct resources all = RESOURCES_INIT;
	struct json made = json_new_obj(doc);

	cluster_capacity(cluster, CAPACITY_ALLOCATABLE, node, &all);
	json_set_str(doc, made, "Name", node->text);
	json_set(doc, made, STR("Allocatable"), resources_encode(&all, cluster->dims, doc));
	json_set(doc, made, STR("Labels"), labels_json(cluster, doc, node->labels));
	return made;
}

static struct json job_json(const struct cluster *cluster, struct json_doc *doc,
			    const struct job *job)
{
	struct json made = json_new_obj(doc);

	json_set_str(doc, made, "UID", job_key(job));
	json_set_str(doc, made, "Name", job_name(job));
	json_set_str(doc, made, "Namespace", job_namespace(job));
	if (job->queue)
		json_set_str(doc, made, "Queue", job->queue->text);
	json_set_int(doc, made, "Priority", job->priority);
	json_set_int(doc, made, "MinAvailable", job->min_available);
	json_set_int(doc, made, "ReadyTaskNum", (int64_t)job_ready_count(job));
	json_set(doc, made, STR("MinResources"),
		 resources_encode(&job->min_resources, cluster->dims, doc));
	return made;
}

/* --- asking ---------------------------------------------------------------------------------- */

/* Does it ask for one of the managed resources? Without such a list every task is of interest. */
static bool is_managed(const struct plugin *p, const struct task *task)
{
	const struct extender *e = p->state;
	const struct dims *dims = p->ssn->cluster->dims;

	if (!e->managed.len)
		return true;
	for (dim_set rest = task->class->dims; rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);

		for (size_t i = 0; dim != DIM_OTHER && i < e->managed.len; i++)
			if (str_is(dims_name(dims, dim), e->managed.ptr[i]))
				return true;
	}
	return false;
}

static void hold(const struct plugin *p, const struct job *job)
{
	struct extender *e = p->state;

	for (size_t i = 0; i < e->held.len; i++)
		if (e->held.ptr[i] == job)
			return;
	if (job)
		vec_push(&e->held, job);
}

static void bar(const struct plugin *p, const struct task *task)
{
	struct extender *e = p->state;

	vec_push(&e->barred, task);
}

static bool is_barred(const struct plugin *p, const struct task *task)
{
	const struct extender *e = p->state;

	for (size_t i = 0; i < e->barred.len; i++)
		if (e->barred.ptr[i] == task)
			return true;
	return false;
}

static struct outside_answer ask(const struct plugin *p, enum verb verb, struct str subject,
				 struct body *body)
{
	struct extender *e = p->state;

	if (e->waits)
		return (struct outside_answer){.state = OUTSIDE_WAITS, .reply = JSON_NONE};
	return outside_ask(e->outside, e->verbs[verb], subject, body_text(body), p->ssn->now);
}

/* Is the verb asked at all in this session? */
static bool is_asked(const struct plugin *p, enum verb verb)
{
	const struct extender *e = p->state;

	return e->verbs[verb] && !e->silent;
}

/* --- nodes ----------------------------------------------------------------------------------- */

static bool asks_predicate(const struct plugin *p, const struct task *task)
{
	return is_asked(p, VERB_PREDICATE) && is_managed(p, task);
}

static bool asks_prioritize(const struct plugin *p, const struct task *task)
{
	return is_asked(p, VERB_PRIORITIZE) && is_managed(p, task);
}

static verdict refuse(const struct plugin *p, const char *text)
{
	return VERDICT_OF(FIT_OTHER, session_text(p->ssn, text));
}

static struct outside_answer ask_predicate(const struct plugin *p, const struct task *task,
					   const struct node_info *node)
{
	AUTO(body_done) struct body body = body_new();

	json_set(body.doc, body.root, STR("task"), task_json(p->ssn->cluster, body.doc, task));
	json_set(body.doc, body.root, STR("node"), node_json(p->ssn->cluster, body.doc, node));
	return ask(p, VERB_PREDICATE, task_key(task), &body);
}

/* An answer about a task is missing: ask about the others of its job now, not one after the other. */
static void ask_ahead(const struct plugin *p, const struct task *task, const struct node_info *node)
{
	struct extender *e = p->state;

	if (!task->job || (e->ahead_job == task->job && e->ahead != task))
		return;
	e->ahead_job = task->job;
	e->ahead = task;
	LIST_EACH(&task->job->tasks[TASK_PENDING], struct task, job_link, other)
		if (other != task && session_is_waiting(p->ssn, other) && is_managed(p, other))
			(void)ask_predicate(p, other, node);
}

static verdict extender_test(const struct plugin *p, const struct task *task,
			     const struct node_info *node)
{
	const struct extender *e = p->state;
	AUTO(mem_free) char *text = NULL;
	struct outside_answer answer = ask_predicate(p, task, node);
	struct str status;

	status = json_str(json_get(answer.reply, "status"));
	if (answer.state == OUTSIDE_ANSWERED && status.len) {
		text = str_dup(status);
		return refuse(p, text);
	}
	if (answer.state == OUTSIDE_WAITS || (answer.state == OUTSIDE_ANSWERED && answer.old)) {
		hold(p, task->job);
		ask_ahead(p, task, node);
		return refuse(p, "waiting for the answer of the extender");
	}
	if (answer.state == OUTSIDE_ANSWERED || e->ignorable)
		return 0;
	text = mem_printf("extender: %s", answer.why);
	return refuse(p, text);
}

static void extender_scores(const struct plugin *p, const struct task *task,
			    struct node_info *const *nodes, size_t count, double *scores)
{
	const struct extender *e = p->state;
	AUTO(body_done) struct body body = body_new();
	struct json list = json_new_arr(body.doc), given;
	struct outside_answer answer;

	json_set(body.doc, body.root, STR("task"), task_json(p->ssn->cluster, body.doc, task));
	for (size_t i = 0; i < count; i++)
		json_append(body.doc, list, node_json(p->ssn->cluster, body.doc, nodes[i]));
	json_set(body.doc, body.root, STR("nodes"), list);
	answer = ask(p, VERB_PRIORITIZE, task_key(task), &body);
	if (answer.state == OUTSIDE_WAITS || answer.old)
		hold(p, task->job);
	if (answer.state == OUTSIDE_WAITS || (answer.state == OUTSIDE_FAILED && !e->ignorable) ||
	    (json_str(json_get(answer.reply, "errorMessage")).len && !e->ignorable))
		bar(p, task);
	given = json_get(answer.reply, "nodeScore");
	for (size_t i = 0; i < count; i++)
		scores[i] += json_real(json_get_str(given, nodes[i]->text));
}

/* --- evictions ------------------------------------------------------------------------------- */

static bool names(struct json victims, const struct task *victim)
{
	struct json_iter it = json_iter(victims);

	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "Name")), task_name(victim)) &&
		    (str_eq(json_str(json_get(it.value, "Namespace")), task_namespace(victim)) ||
		     str_eq(json_str(json_get(it.value, "UID")), task_uid(victim))))
			return true;
	return false;
}

static bool may_evict(const struct plugin *p, enum verb verb, const struct evict_ask *why,
		      const struct task *victim)
{
	AUTO(body_done) struct body body = body_new();
	struct json list = json_new_arr(body.doc);
	struct outside_answer answer;
	int64_t vote;

	if (!is_asked(p, verb) || !why->task || !is_managed(p, why->task))
		return true;
	json_append(body.doc, list, task_json(p->ssn->cluster, body.doc, victim));
	json_set(body.doc, body.root, STR("evictor"),
		 task_json(p->ssn->cluster, body.doc, why->task));
	json_set(body.doc, body.root, STR("evictees"), list);
	answer = ask(p, verb, task_key(why->task), &body);
	if (answer.state == OUTSIDE_WAITS || (answer.state == OUTSIDE_ANSWERED && answer.old))
		hold(p, why->job);
	if (answer.state != OUTSIDE_ANSWERED || answer.old)
		return false;
	vote = json_int(json_get(answer.reply, "status"));
	return vote == VOTE_ABSTAIN ||
	       (vote > 0 && names(json_get(answer.reply, "victims"), victim));
}

static bool extender_preemptable(const struct plugin *p, const struct evict_ask *why,
				 const struct task *victim)
{
	return may_evict(p, VERB_PREEMPTABLE, why, victim);
}

static bool extender_reclaimable(const struct plugin *p, const struct evict_ask *why,
				 const struct task *victim)
{
	return may_evict(p, VERB_RECLAIMABLE, why, victim);
}

/* --- jobs and queues ------------------------------------------------------------------------- */

static struct outside_answer ask_job(const struct plugin *p, enum verb verb, const struct job *job)
{
	AUTO(body_done) struct body body = body_new();
	struct outside_answer answer;

	json_set(body.doc, body.root, STR("job"), job_json(p->ssn->cluster, body.doc, job));
	answer = ask(p, verb, job_key(job), &body);
	if (answer.state == OUTSIDE_WAITS)
		hold(p, job);
	return answer;
}

static enum vote extender_enqueueable(const struct plugin *p, const struct job *job,
				      struct reason *why)
{
	const struct extender *e = p->state;
	struct outside_answer answer;
	int64_t vote;

	(void)why;
	if (!is_asked(p, VERB_ENQUEUEABLE))
		return VOTE_ABSTAIN;
	answer = ask_job(p, VERB_ENQUEUEABLE, job);
	if (answer.state == OUTSIDE_FAILED)
		return e->ignorable ? VOTE_PERMIT : VOTE_REJECT;
	vote = json_int(json_get(answer.reply, "status"));
	if (answer.state == OUTSIDE_WAITS || vote < 0)
		return VOTE_REJECT;
	if (answer.old) {
		hold(p, job);
		return VOTE_REJECT;
	}
	return vote > 0 ? VOTE_PERMIT : VOTE_ABSTAIN;
}

/* A server that fails says nothing: Volcano takes a job for not ready if it may be ignored, and for ready otherwise. */
static bool extender_ready(const struct plugin *p, const struct job *job, struct reason *why)
{
	struct outside_answer answer;

	(void)why;
	if (!is_asked(p, VERB_READY))
		return true;
	answer = ask_job(p, VERB_READY, job);
	if (answer.state == OUTSIDE_FAILED)
		return true;
	if (answer.old)
		hold(p, job);
	return answer.state == OUTSIDE_ANSWERED && !answer.old &&
	       json_bool(json_get(answer.reply, "status"));
}

static bool extender_overused(const struct plugin *p, const struct queue_info *queue)
{
	const struct extender *e = p->state;
	AUTO(body_done) struct body body = body_new();
	struct json made = json_new_obj(body.doc);
	struct outside_answer answer;

	if (!is_asked(p, VERB_OVERUSED))
		return false;
	json_set_str(body.doc, made, "UID", queue->text);
	json_set_str(body.doc, made, "Name", queue->text);
	json_set(body.doc, body.root, STR("queue"), made);
	answer = ask(p, VERB_OVERUSED, queue->text, &body);
	if (answer.state == OUTSIDE_WAITS)
		LIST_EACH(&queue->jobs, struct job, queue_link, job)
			if (job->tally.count[TASK_PENDING])
				hold(p, job);
	if (answer.state == OUTSIDE_FAILED)
		return !e->ignorable;
	return answer.state == OUTSIDE_WAITS || json_bool(json_get(answer.reply, "overused"));
}

/* What the server calls overused gets nothing, idle capacity included. */
static enum allowance extender_allocatable(const struct plugin *p, const struct queue_info *queue,
					   const struct task *task, struct reason *why)
{
	(void)task;
	(void)why;
	return extender_overused(p, queue) ? ALLOWANCE_NONE : ALLOWANCE_OWN;
}

/* --- placing --------------------------------------------------------------------------------- */

static void put_placement(const struct plugin *p, struct body *body, const struct task *task)
{
	json_set(body->doc, body->root, STR("task"), task_json(p->ssn->cluster, body->doc, task));
	if (task->node)
		json_set_str(body->doc, body->root, "node", task->node->text);
}

static int extender_placed(const struct plugin *p, struct task *task)
{
	const struct extender *e = p->state;
	AUTO(body_done) struct body body = body_new();
	struct outside_answer answer;

	if (is_barred(p, task))
		return -1;
	if (!is_asked(p, VERB_ALLOCATE) || task->status != TASK_ALLOCATED || !is_managed(p, task))
		return 0;
	put_placement(p, &body, task);
	answer = ask(p, VERB_ALLOCATE, task_key(task), &body);
	if (answer.state == OUTSIDE_WAITS) {
		hold(p, task->job);
		return -1;
	}
	if (e->ignorable)
		return 0;
	return answer.state == OUTSIDE_FAILED ||
			       json_str(json_get(answer.reply, "errorMessage")).len
		       ? -1
		       : 0;
}

static void extender_unplaced(const struct plugin *p, struct task *task)
{
	struct extender *e = p->state;
	AUTO(body_done) struct body body = body_new();

	if (e->silent || e->waits || !is_managed(p, task) || is_barred(p, task))
		return;
	put_placement(p, &body, task);
	if (e->verbs[VERB_ALLOCATE] && task->status == TASK_ALLOCATED)
		outside_forget(e->outside, e->verbs[VERB_ALLOCATE], body_text(&body));
	if (e->verbs[VERB_DEALLOCATE] && task->status != TASK_PIPELINED)
		outside_tell(e->outside, e->verbs[VERB_DEALLOCATE], body_text(&body));
}

/* --- sessions -------------------------------------------------------------------------------- */

static void put_names(struct json_doc *doc, struct json root, const char *name,
		      const struct map *of)
{
	struct json list = json_ensure_arr(doc, root, name);
	size_t at = 0;
	struct str key;
	void *value;

	while (map_next(of, &at, &key, &value))
		json_append(doc, list, json_new_str(doc, key));
}

static void extender_open(struct plugin *p)
{
	struct extender *e = p->state;
	AUTO(body_done) struct body body = body_new();
	struct outside_answer answer;

	e->silent = e->waits = false;
	e->held.len = e->barred.len = 0;
	e->ahead = NULL;
	e->ahead_job = NULL;
	outside_tidy(e->outside, p->ssn->now);
	if (!e->verbs[VERB_OPEN])
		return;
	put_names(body.doc, body.root, "Jobs", p->ssn->cluster->jobs);
	put_names(body.doc, body.root, "Nodes", p->ssn->cluster->node_names);
	put_names(body.doc, body.root, "Queues", p->ssn->cluster->queues);
	answer = outside_poll(e->outside, e->verbs[VERB_OPEN], body_text(&body), p->ssn->now);
	e->waits = answer.state == OUTSIDE_WAITS;
	e->silent = answer.state == OUTSIDE_FAILED && !e->ignorable;
}

static void extender_close(struct plugin *p)
{
	struct extender *e = p->state;

	if (e->verbs[VERB_CLOSE] && !e->silent && !e->waits)
		(void)outside_poll(e->outside, e->verbs[VERB_CLOSE], STR("{}"), p->ssn->now);
}

struct outside *extender_calls(const struct config *config, struct str *ret_url,
			       int64_t *ret_timeout)
{
	const struct plugin *p = config_find_plugin(config, extender_plugin.name);
	const struct extender *e = p ? p->state : NULL;

	if (!e)
		return NULL;
	*ret_url = str_from(e->url);
	*ret_timeout = e->timeout;
	return e->outside;
}

bool extender_holds(const struct session *ssn, const struct job *job)
{
	const struct plugin *p = config_find_plugin(ssn->config, extender_plugin.name);
	const struct extender *e = p ? p->state : NULL;

	for (size_t i = 0; e && i < e->held.len; i++)
		if (e->held.ptr[i] == job)
			return true;
	return false;
}

static const struct filter_row extender_filters[] = {
	{.name = "extender",
	 .scope = SCOPE_CLUSTER,
	 .applies = asks_predicate,
	 .test = extender_test},
	{.name = NULL},
};

static const struct score_row extender_score_rows[] = {
	{.name = "extender",
	 .scope = SCOPE_CLUSTER,
	 .applies = asks_prioritize,
	 .batch = extender_scores},
	{.name = NULL},
};

const struct plugin_type extender_plugin = {
	.name = "extender",
	.timed = true,
	.new = extender_new,
	.free = extender_free,
	.open = extender_open,
	.close = extender_close,
	.job_test = {[JOB_READY] = extender_ready},
	.job_vote = {[JOB_ENQUEUEABLE] = extender_enqueueable},
	.overused = extender_overused,
	.allocatable = extender_allocatable,
	.evictable =
		{[EVICT_PREEMPT] = extender_preemptable, [EVICT_RECLAIM] = extender_reclaimable},
	.filters = extender_filters,
	.scores = extender_score_rows,
	.placed = extender_placed,
	.unplaced = extender_unplaced,
};
