/* SPDX-License-Identifier: Apache-2.0 */
/* sched/evict/evict_domains.c - evictions for jobs that ask for domains of the network.
 *
 * Capacity that is freed in several domains helps no gang that must be in one. So the search is made inside of one domain
 * after the other, undone each time, and made again in the one in which it costs least: fewest gangs broken, fewest pods
 * evicted, then the one that came first (most capacity free, lowest tier). Sub-groups with a topology of their own do the
 * same inside of the domain of their job. */
#include "base/mem.h"
#include "base/vec.h"
#include "sched/cluster/hypernodes.h"
#include "sched/evict/evict_internal.h"
#include "sched/place/domain_search.h"
#include "sched/session/pq.h"
#include "sched/session/session.h"
#include "sched/session/session_hooks.h"
#include "sched/session/statement.h"

#include "base/banned.h"

enum { DOMAINS_MAX = 8 }; /* that are tried, if nothing says how many */

/* How far a search is, to go back to. */
struct search_mark {
	size_t statement;
	size_t placements;
	size_t rests;
	struct task_list victims;
	bool waits;
};

static void mark_search(const struct search *s, struct search_mark *mark)
{
	*mark = (struct search_mark){.statement = statement_mark(s->st),
				     .placements = s->placements.len,
				     .rests = s->rests.len,
				     .waits = s->waits};
	for (size_t i = 0; i < s->victims.len; i++)
		vec_push(&mark->victims, s->victims.ptr[i]);
}

static void go_back(struct search *s, const struct search_mark *mark)
{
	statement_undo_to(s->st, mark->statement, false);
	s->placements.len = mark->placements;
	s->rests.len = mark->rests;
	s->waits = mark->waits;
	vec_clear(&s->victims);
	for (size_t i = 0; i < mark->victims.len; i++)
		vec_push(&s->victims, mark->victims.ptr[i]);
	search_drop_plans(s);
}

static void enter(struct search *s, const struct domain *domain)
{
	s->in = domain;
	search_drop_plans(s);
}

/* --- what to ask ------------------------------------------------------------------------------- */

static size_t most_domains(const struct search *s)
{
	int64_t most = s->rules->max_domains;

	for (size_t i = 0; i < s->ssn->config->plugins.len; i++) {
		int64_t of_plugin = s->ssn->config->plugins.ptr[i]->max_domains;

		if (of_plugin > 0 && (most <= 0 || of_plugin < most))
			most = of_plugin;
	}
	return most > 0 ? (size_t)most : DOMAINS_MAX;
}

/* Tasks of a sub-group (NULL: of the job) that wait, in order. */
static void collect_tasks(const struct search *s, const struct sub_job *sub, struct task_list *to)
{
	AUTO(pq_done) struct pq tasks;
	struct task *task;

	pq_init(&tasks, s->ssn, pq_tasks);
	LIST_EACH(&s->job->tasks[TASK_PENDING], struct task, job_link, waiting)
		if (session_is_waiting(s->ssn, waiting) && (!sub || waiting->sub == sub))
			pq_push(&tasks, waiting);
	while ((task = pq_pop(&tasks)))
		vec_push(to, task);
}

static size_t at_least(int64_t min, const struct tally *tally, size_t count)
{
	int64_t need = min - (int64_t)tally_of(tally, TASKS_READY | TASK_BIT(TASK_PIPELINED));

	if (need < 1)
		need = 1;
	return need > (int64_t)count ? count : (size_t)need;
}

static int64_t limit_of(const struct search *s, const struct network_topology *topology)
{
	return topology ? hook_domain_limit(s->ssn, topology) : INT64_MAX;
}

/* --- one group --------------------------------------------------------------------------------- */

typedef bool group_done_fn(const struct search *s, const struct sub_job *sub);

static bool is_job_done(const struct search *s, const struct sub_job *sub)
{
	(void)sub;
	return !search_needs_more(s);
}

static bool is_sub_done(const struct search *s, const struct sub_job *sub)
{
	return hook_sub_ready(s->ssn, sub) || hook_sub_pipelined(s->ssn, sub);
}

/* Tasks, one after the other, in the domain that was entered. */
static bool place_tasks(struct search *s, const struct task_list *tasks, const struct sub_job *sub,
			group_done_fn *is_done)
{
	const struct class *failed = NULL;

	for (size_t i = 0; i < tasks->len && !is_done(s, sub); i++) {
		if (tasks->ptr[i]->class == failed || search_place(s, tasks->ptr[i]))
			continue;
		failed = tasks->ptr[i]->class;
	}
	return is_done(s, sub);
}

static bool place_subs(struct search *s);

static bool place_group(struct search *s, const struct domain_ask *ask,
			const struct task_list *tasks)
{
	if (ask->sub)
		return place_tasks(s, tasks, ask->sub, is_sub_done);
	if (s->job->policy_count)
		return place_subs(s);
	return place_tasks(s, tasks, NULL, is_job_done);
}

/* In the domain in which it costs least; nothing has changed if there is none. */
static bool place_cheaply(struct search *s, const struct domain_ask *ask,
			  const struct task_list *tasks)
{
	const struct domain *before = s->in, *best = NULL;
	struct domain_list list = {0};
	struct search_mark mark;
	size_t least = SIZE_MAX;
	bool placed = false;

	domain_search_evict(ask, most_domains(s), &list);
	mark_search(s, &mark);
	for (size_t i = 0; i < list.len && least; i++) {
		enter(s, list.ptr[i]);
		if (place_group(s, ask, tasks)) {
			size_t cost = s->victims.len + s->rests.len - mark.victims.len - mark.rests;

			if (cost < least) {
				least = cost;
				best = list.ptr[i];
			}
		}
		go_back(s, &mark);
	}
	if (best) {
		enter(s, best);
		placed = place_group(s, ask, tasks);
	}
	if (ask->sub || !best)
		s->in = before;
	vec_done(&mark.victims);
	vec_done(&list);
	return placed;
}

/* --- sub-groups -------------------------------------------------------------------------------- */

static int pq_subs(const struct session *ssn, const void *a, const void *b)
{
	return hook_sub_job_order(ssn, a, b);
}

static void place_sub(struct search *s, const struct sub_job *sub)
{
	const struct network_topology *topology = domain_topology(sub);
	struct task_list tasks = {0};

	collect_tasks(s, sub, &tasks);
	if (topology && tasks.len) {
		const struct domain_ask ask = {
			.ssn = s->ssn,
			.job = s->job,
			.sub = sub,
			.within = s->in,
			.limit = limit_of(s, topology),
			.tasks = tasks.ptr,
			.count = tasks.len,
			.need = at_least(sub->min_available, &sub->tally, tasks.len)};

		(void)place_cheaply(s, &ask, &tasks);
	} else {
		struct search_mark mark;

		mark_search(s, &mark);
		if (!place_tasks(s, &tasks, sub, is_sub_done))
			go_back(s, &mark);
		vec_done(&mark.victims);
	}
	vec_done(&tasks);
}

/* One sub-group after the other, until the job has what it needs. */
static bool place_subs(struct search *s)
{
	AUTO(pq_done) struct pq subs;
	const struct sub_job *sub;

	job_rate_subs(s->job);
	pq_init(&subs, s->ssn, pq_subs);
	LIST_EACH(&s->job->subs, struct sub_job, link, each)
		if (each->tally.count[TASK_PENDING])
			pq_push(&subs, each);
	while (search_needs_more(s) && (sub = pq_pop(&subs)))
		place_sub(s, sub);
	return !search_needs_more(s);
}

/* --- the job ----------------------------------------------------------------------------------- */

static void ask_for_job(const struct search *s, const struct task_list *tasks,
			struct domain_ask *ask)
{
	*ask = (struct domain_ask){.ssn = s->ssn,
				   .job = s->job,
				   .within = hypernodes_root(s->ssn->cluster->hypernodes),
				   .limit = limit_of(s, job_topology(s->job)),
				   .tasks = tasks->ptr,
				   .count = tasks->len};
	ask->need = at_least(s->job->min_available, &s->job->tally, tasks->len);
}

void evict_in_domains(struct search *s)
{
	struct task_list tasks = {0};
	struct domain_ask ask;

	collect_tasks(s, NULL, &tasks);
	ask_for_job(s, &tasks, &ask);
	(void)place_cheaply(s, &ask, &tasks);
	vec_done(&tasks);
}

bool evict_find_domain(struct search *s)
{
	struct task_list tasks = {0};
	struct domain_list list = {0};
	struct domain_ask ask;

	collect_tasks(s, NULL, &tasks);
	ask_for_job(s, &tasks, &ask);
	ask.need = 1;
	domain_search_evict(&ask, 1, &list);
	if (list.len)
		s->in = list.ptr[0];
	vec_done(&tasks);
	vec_done(&list);
	return s->in;
}
