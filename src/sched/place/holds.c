/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/holds.c - see the header. A hold is a statement that is kept until the end of the session, or
 * until the job's turn comes. */
#include "sched/place/holds.h"

#include "base/time.h"
#include "sched/place/finder.h"
#include "sched/session/hooks.h"
#include "sched/session/session.h"
#include "sched/session/statement.h"

#include "base/banned.h"

/* Pods that were evicted have gone by then, or never will. */
#define HOLD_PATIENCE (10 * TIME_MINUTE)

void holds_forget(struct cluster *cluster, struct task *task)
{
	symbols_drop(cluster->symbols, task->held);
	task->held = SYMBOL_NONE;
}

void holds_promise(struct session *ssn, struct task *task, const struct node_info *node)
{
	holds_forget(ssn->cluster, task);
	task->held = symbols_take(ssn->cluster->symbols, node->text);
	task->job->promised = ssn->now + HOLD_PATIENCE;
}

struct node_info *holds_node(const struct session *ssn, const struct task *task)
{
	return task->held ? cluster_find_node(ssn->cluster,
					      symbols_text(ssn->cluster->symbols, task->held))
			  : NULL;
}

bool holds_has(const struct job *job, const struct task *task)
{
	return job->hold && task->status == TASK_PIPELINED && task->held;
}

static void give_up(struct session *ssn, struct job *job)
{
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		holds_forget(ssn->cluster, task);
	job->promised = 0;
}

/* The filter of pod counts knows only of now. */
static bool fits(struct session *ssn, const struct task *task, const struct node_info *node)
{
	verdict v = finder_test(ssn, task, node, ROOM_FUTURE);

	return !(verdict_codes(v) & ~verdict_codes(VERDICT(FIT_POD_COUNT))) &&
	       columns_get(&ssn->cluster->columns, ROOM_FUTURE, DIM_PODS, node->slot) > 0;
}

/* Gives the number of tasks that have a promise and wait. */
static size_t hold(struct session *ssn, struct job *job)
{
	struct statement *st = statement_new(ssn);
	bool good = true;
	size_t count = 0;

	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task) {
		struct node_info *node = holds_node(ssn, task);

		if (!task->held || !good)
			continue;
		good = node && session_is_waiting(ssn, task) && fits(ssn, task, node) &&
		       statement_pipeline(st, task, node, true) == 0;
		count++;
	}
	if (good && count) {
		job->hold = st;
		return count;
	}
	statement_undo_to(st, 0, false);
	statement_discard(st);
	/* Where none waits they are all placed, or wait in a statement of their own. */
	if (!good)
		give_up(ssn, job);
	return count;
}

/* Whoever scheduled before us told the tasks for whom room was made where it is. If the job is complete
 * with that, the promise is kept: others have gone for it. Else it is an old tale. */
static void recall(struct session *ssn, struct job *job)
{
	if (!session_has_job(ssn, job) || job_is_pending(job))
		return;
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		if (session_is_waiting(ssn, task) && task->nominated && !task->held)
			task->held = symbols_ref(ssn->cluster->symbols, task->nominated);
	job->promised = ssn->now + HOLD_PATIENCE;
	(void)hold(ssn, job);
	if (job->hold && hook_job_vote(ssn, JOB_PIPELINED, job, NULL))
		return;
	holds_let_go(ssn, job);
	give_up(ssn, job);
}

void holds_open(struct session *ssn)
{
	LIST_EACH(&ssn->cluster->active, struct job, active_link, job) {
		job->hold = NULL;
		if (!job->promised) {
			if (job->recalls)
				recall(ssn, job);
			job->recalls = false;
			continue;
		}
		job->recalls = false;
		if (!session_has_job(ssn, job) || ssn->now >= job->promised)
			give_up(ssn, job);
		else if (!hold(ssn, job))
			job->promised = 0;
	}
}

void holds_close(struct session *ssn)
{
	LIST_EACH(&ssn->cluster->active, struct job, active_link, job)
		job->hold = NULL;
}

void holds_let_go(struct session *ssn, struct job *job)
{
	struct statement *st = job->hold;

	(void)ssn;
	if (!st)
		return;
	job->hold = NULL;
	statement_undo_to(st, 0, false);
	statement_discard(st);
}

void holds_take_back(struct session *ssn, struct job *job)
{
	if (job->promised && !job->hold)
		(void)hold(ssn, job);
}
