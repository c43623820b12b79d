/* SPDX-License-Identifier: Apache-2.0 */
/* sched/action/backfill.c - place tasks that ask for no resources (scheduler specification, 5.3).
 *
 * They take no capacity, so no queue is asked. A gang of them is whole or absent like any other: what
 * still waits does not count as ready here (part 11). */
#include "sched/action/action_rows.h"
#include "sched/cluster/hypernodes.h"
#include "sched/place/domain_search.h"
#include "sched/place/finder.h"
#include "sched/session/job_queue_iter.h"
#include "sched/session/session.h"
#include "sched/session/session_hooks.h"
#include "sched/session/statement.h"

#include "base/banned.h"

/* It waits, and its job with it. */
static void fail(struct session *ssn, struct task *task, const struct fit *fit)
{
	const struct reason why = {
		.code = REASON_NODES, .dim = DIM_NONE, .pods = 1, .fit = fit, .task = task};

	session_note(ssn, task)->fit = fit;
	if (fit)
		session_refuse(ssn, task->job, &why);
}

/* The nodes that its network topology allows: near those that run. False: there are none. */
static bool find_nodes(struct session *ssn, struct task *task, struct node_set *ret)
{
	const struct hypernodes *tree = ssn->cluster->hypernodes;
	const struct network_topology *topology = domain_topology(task->sub);
	struct domain_ask ask = {.ssn = ssn,
				 .job = task->job,
				 .within = hypernodes_root(tree),
				 .limit = INT64_MAX,
				 .tasks = &task,
				 .count = 1,
				 .need = 1};
	struct domain_list list = {0};
	bool found;

	*ret = (struct node_set){0};
	if (!domain_search_applies(ssn, task->job))
		return true;
	if (job_topology(task->job))
		ask.limit = hook_domain_limit(ssn, job_topology(task->job));
	if (!tree->broken)
		domain_search(&ask, &list);
	/* A sub-group has the smaller domain, inside of that of its job. */
	if (list.len && task->job->policy_count && topology) {
		ask.sub = task->sub;
		ask.within = list.ptr[list.len - 1];
		ask.limit = hook_domain_limit(ssn, topology);
		vec_clear(&list);
		domain_search(&ask, &list);
	}
	if (list.len && list.ptr[0]->parent)
		*ret = (struct node_set){.name = list.ptr[0]->name,
					 .slots = list.ptr[0]->slots.ptr,
					 .len = list.ptr[0]->slots.len};
	found = list.len;
	vec_done(&list);
	return found;
}

static void place(struct session *ssn, struct statement *st, struct task *task)
{
	struct node_set nodes;
	const struct fit *fit = NULL;
	struct choice choice;
	const char *wrong = hook_pre_filter(ssn, task);

	if (wrong) {
		struct fit *everywhere =
			arena_zalloc(ssn->arena, sizeof(*everywhere) + sizeof(everywhere->at[0]));

		everywhere->nodes = (uint32_t)ssn->cluster->node_count;
		everywhere->len = 1;
		everywhere->at[0] = (struct fit_count){.code = FIT_OTHER,
						       .detail = session_text(ssn, wrong),
						       .count = everywhere->nodes};
		fail(ssn, task, everywhere);
		return;
	}
	if (!find_nodes(ssn, task, &nodes) || !finder_choose(ssn, task, &nodes, &choice, &fit) ||
	    statement_allocate(st, task, choice.node) < 0)
		fail(ssn, task, fit);
}

static bool is_whole(const struct session *ssn, const struct job *job)
{
	if (!hook_job_test(ssn, JOB_READY, job, NULL))
		return false;
	return !ssn->config->hooks[HOOK_JOB_READY].len ||
	       (int64_t)job_ready_count(job) >= job->min_available;
}

static void fill_job(struct session *ssn, struct job *job)
{
	struct statement *st = statement_new(ssn);
	AUTO(pq_done) struct pq tasks;
	struct task *task;

	pq_init(&tasks, ssn, pq_tasks);
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, waiting)
		if (session_is_waiting(ssn, waiting) && waiting->class->empty)
			pq_push(&tasks, waiting);
	while ((task = pq_pop(&tasks)))
		place(ssn, st, task);
	if (!statement_is_empty(st) && is_whole(ssn, job))
		statement_commit(st);
	else
		statement_keep(st); /* they could be placed, were the others */
}

static void backfill_run(struct session *ssn, struct json arguments)
{
	AUTO(job_queue_iter_done) struct job_queue_iter iter;
	struct queue_info *queue;
	struct job *job;

	(void)arguments;
	job_queue_iter_init(&iter, ssn);
	LIST_EACH(&ssn->cluster->active, struct job, active_link, waiting)
		if (session_has_job(ssn, waiting) && !job_is_pending(waiting) &&
		    waiting->tally.waiting_empty && hook_job_test(ssn, JOB_VALID, waiting, NULL))
			job_queue_iter_add(&iter, waiting);
	while ((queue = job_queue_iter_next_queue(&iter)))
		while ((job = job_queue_iter_next_job(&iter, queue)))
			fill_job(ssn, job);
}

const struct action_type backfill_action = {.name = "backfill", .run = backfill_run};
