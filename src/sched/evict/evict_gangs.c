/* SPDX-License-Identifier: Apache-2.0 */
/* sched/evict/evict_gangs.c - what the gang actions ask beyond the search for one task: whether a gang may be
 * broken, what becomes of its rest, and whether a whole gang is in reach.
 *
 * A gang that is broken goes whole, since what is left of it only holds capacity. So every guard is asked about
 * all of it before it is broken, with the model as it is while no pod goes, once a look at the nodes. Shares
 * are asked about the first of it: a queue that holds more than it deserves by a gang gives up the gang. */
#include "base/map.h"
#include "sched/evict/evict_internal.h"
#include "sched/session/session.h"
#include "sched/session/session_hooks.h"
#include "sched/session/statement.h"

#include "base/banned.h"

/* All of a job that the rules are about. */
static void collect_job(const struct search *s, const struct task *task, const struct job *job,
			struct task_list *to)
{
	for (int status = TASK_BOUND; status <= TASK_RUNNING; status++)
		LIST_EACH(&job->tasks[status], struct task, job_link, victim)
			if (search_is_candidate(s, task, victim))
				vec_push(to, victim);
}

/* All of a gang go, if every guard agrees with each. */
static bool evict_all(struct search *s, const struct evict_ask *ask, const struct task_list *list)
{
	struct evict_ask whole = *ask;

	whole.rest = true;
	for (size_t i = 0; i < list->len; i++) {
		if (!hook_evictable(s->ssn, &whole, list->ptr[i]))
			return false;
		statement_evict(s->st, list->ptr[i], s->rules->word, s->job);
	}
	return true;
}

/* A gang that is broken goes whole: where a guard keeps some of it, or some of it cannot go (its binding is under way, it
 * may not be preempted), it is not broken. */
static bool may_break(struct search *s, const struct evict_ask *ask, const struct job *job)
{
	size_t mark = statement_mark(s->st);
	struct task_list all = {0};
	bool may;

	collect_job(s, ask->task, job, &all);
	may = all.len == tally_of(&job->tally, TASKS_ALLOCATED) && evict_all(s, ask, &all);
	statement_undo_to(s->st, mark, false);
	vec_done(&all);
	return may;
}

void gangs_judge(struct search *s, const struct evict_ask *ask)
{
	if (!s->gangs)
		s->gangs = map_new(0);
	if (s->gangs_made != s->placements.len)
		map_clear(s->gangs);
	s->gangs_made = s->placements.len;
	for (size_t i = 0; i < s->candidates.len; i++) {
		struct job *job = s->candidates.ptr[i]->job;

		if (!map_get(s->gangs, job_key(job)))
			map_put(s->gangs, job_key(job),
				may_break(s, ask, job) ? (void *)job : (void *)s);
	}
}

bool gangs_keep(const struct search *s, const struct task *victim, bool whole)
{
	if (!search_is_about_gangs(s) || job_can_spare(victim))
		return false;
	return !whole || map_get(s->gangs, job_key(victim->job)) != victim->job;
}

static size_t count_of(const struct task_list *list, const struct job *job)
{
	size_t count = 0;

	for (size_t i = 0; i < list->len; i++)
		count += list->ptr[i]->job == job;
	return count;
}

/* Has it lost its minimum by this search, and by what is planned (may be NULL)? */
static bool is_broken(const struct search *s, const struct task_list *planned,
		      const struct job *job)
{
	int64_t ready = job_ready_count(job), before = ready;

	if (ready >= job->min_available)
		return false;
	before += (int64_t)count_of(&s->victims, job);
	before += (int64_t)count_of(&s->rests, job);
	before += planned ? (int64_t)count_of(planned, job) : 0;
	return before >= job->min_available;
}

bool gangs_may_go(const struct search *s, const struct evict_ask *ask,
		  const struct task_list *planned, const struct task *victim)
{
	struct evict_ask asked = *ask;

	asked.rest = search_is_about_gangs(s) && is_broken(s, planned, victim->job);
	return hook_evictable(s->ssn, &asked, victim);
}

size_t gangs_count_lost(const struct search *s, const struct task_list *planned)
{
	size_t lost = planned->len;

	if (!search_is_about_gangs(s))
		return lost;
	for (size_t i = 0; i < planned->len; i++) {
		const struct job *job = planned->ptr[i]->job;
		bool first = true;

		for (size_t j = 0; j < i; j++)
			first &= planned->ptr[j]->job != job;
		if (first && is_broken(s, planned, job))
			lost += tally_of(&job->tally, TASKS_EVICTABLE);
	}
	return lost;
}

bool gangs_are_broken(const struct search *s, const struct job *job)
{
	return search_is_about_gangs(s) && is_broken(s, NULL, job);
}

bool gangs_evict_rests(struct search *s, const struct evict_ask *ask,
		       const struct task_list *planned)
{
	size_t before = s->rests.len;
	bool good = true;

	for (size_t i = 0; search_is_about_gangs(s) && good && i < planned->len; i++) {
		struct task_list rest = {0};

		if (!is_broken(s, planned, planned->ptr[i]->job))
			continue;
		collect_job(s, ask->task, planned->ptr[i]->job, &rest);
		good = evict_all(s, ask, &rest);
		for (size_t j = 0; good && j < rest.len; j++)
			vec_push(&s->rests, rest.ptr[j]);
		vec_done(&rest);
	}
	if (!good)
		s->rests.len = before;
	return good;
}

/* Whom the rules are about, on all nodes, and what they have in sum. */
static void collect_everybody(const struct search *s, const struct task *task, struct task_list *to,
			      struct resources *sum)
{
	const struct cluster *cluster = s->ssn->cluster;

	for (size_t i = 0; i < cluster->nodes.len; i++) {
		if (!cluster->nodes.ptr[i])
			continue;
		LIST_EACH(&cluster->nodes.ptr[i]->tasks, struct task, node_link, victim)
			if (search_is_candidate(s, task, victim)) {
				vec_push(to, victim);
				resources_add(sum, &victim->class->request);
			}
	}
}

/* Every pod goes that may: what gangs have beyond their minimum, then whole gangs. */
static void evict_everybody(struct search *s, const struct evict_ask *ask,
			    const struct task_list *all)
{
	AUTO(map_free) struct map *seen = map_new(0);
	struct task_list gang = {0};

	for (size_t i = 0; i < all->len; i++)
		if (job_can_spare(all->ptr[i]) && hook_evictable(s->ssn, ask, all->ptr[i]))
			statement_evict(s->st, all->ptr[i], s->rules->word, s->job);
	for (size_t i = 0; s->rules->whole_gangs && i < all->len; i++) {
		size_t mark = statement_mark(s->st);
		struct job *job = all->ptr[i]->job;

		if (map_get(seen, job_key(job)) || !hook_evictable(s->ssn, ask, all->ptr[i]))
			continue;
		map_put(seen, job_key(job), job);
		vec_clear(&gang);
		collect_job(s, ask->task, job, &gang);
		if (!evict_all(s, ask, &gang))
			statement_undo_to(s->st, mark, false);
	}
	vec_done(&gang);
}

/* Is there as much as is needed, in sum over the nodes and in addition to them? */
static bool covers(const struct search *s, const struct resources *need,
		   const struct resources *extra)
{
	const struct cluster *cluster = s->ssn->cluster;

	for (dim_set rest = resources_dims(need); rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);
		int64_t capacity = extra ? resources_get(extra, dim) : 0;

		for (size_t i = 0; i < cluster->nodes.len; i++)
			if (cluster->nodes.ptr[i])
				capacity += search_capacity(s, cluster->nodes.ptr[i], dim);
		if (capacity < resources_get(need, dim))
			return false;
	}
	return true;
}

/* What a job waits for; false if its queue may not take that. */
static bool sum_up(const struct search *s, struct resources *need)
{
	struct task_list waiting = {0};
	bool may;

	LIST_EACH(&s->job->tasks[TASK_PENDING], struct task, job_link, task)
		if (session_is_waiting(s->ssn, task)) {
			vec_push(&waiting, task);
			resources_add(need, &task->class->request);
		}
	may = !s->rules->across_queues ||
	      hook_preemptive(s->ssn, s->job->queue, waiting.ptr, waiting.len);
	vec_done(&waiting);
	return may;
}

bool gangs_in_reach(struct search *s)
{
	const struct evict_ask ask = {
		.kind = s->rules->kind, .job = s->job, .task = s->placements.ptr[0].task};
	AUTO(resources_done) struct resources need = RESOURCES_INIT, sum = RESOURCES_INIT;
	struct task_list all = {0};
	bool reach;

	if (!sum_up(s, &need))
		return false;
	collect_everybody(s, ask.task, &all, &sum);
	reach = covers(s, &need, &sum);
	if (reach) {
		evict_everybody(s, &ask, &all);
		reach = statement_evictions(s->st) > 0 && covers(s, &need, NULL);
		statement_undo_to(s->st, 0, false);
	}
	vec_done(&all);
	return reach;
}
