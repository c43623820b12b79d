/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/reservation.c - see the header. A reservation is a statement that is kept until the end of the session, or
 * until the job's turn comes. */
#include "sched/place/reservation.h"

#include "base/time.h"
#include "sched/place/finder.h"
#include "sched/session/session.h"
#include "sched/session/session_hooks.h"
#include "sched/session/statement.h"

#include "base/banned.h"

/* Evicted pods have ended by then, or never will. */
#define RESERVATION_TIMEOUT (10 * TIME_MINUTE)

void reservation_drop(struct cluster *cluster, struct task *task)
{
	symbols_drop(cluster->symbols, task->reserved_node);
	task->reserved_node = SYMBOL_NONE;
}

void reservation_make(struct session *ssn, struct task *task, const struct node_info *node)
{
	reservation_drop(ssn->cluster, task);
	task->reserved_node = symbols_take(ssn->cluster->symbols, node->text);
	task->job->reserved_until = ssn->now + RESERVATION_TIMEOUT;
}

struct node_info *reservation_node(const struct session *ssn, const struct task *task)
{
	return task->reserved_node
		       ? cluster_find_node(ssn->cluster,
					   symbols_text(ssn->cluster->symbols, task->reserved_node))
		       : NULL;
}

bool reservation_has(const struct job *job, const struct task *task)
{
	return job->reservation && task->status == TASK_PIPELINED && task->reserved_node;
}

static void give_up(struct session *ssn, struct job *job)
{
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		reservation_drop(ssn->cluster, task);
	job->reserved_until = 0;
}

/* The filter of pod counts knows only of now. */
static bool fits(struct session *ssn, const struct task *task, const struct node_info *node)
{
	verdict v = finder_test(ssn, task, node, CAPACITY_FUTURE);

	return !(verdict_codes(v) & ~verdict_codes(VERDICT(FIT_POD_COUNT))) &&
	       columns_get(&ssn->cluster->columns, CAPACITY_FUTURE, DIM_PODS, node->slot) > 0;
}

/* Returns the number of pending tasks with a reservation. */
static size_t reserve(struct session *ssn, struct job *job)
{
	struct statement *st = statement_new(ssn);
	bool good = true;
	size_t count = 0;

	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task) {
		struct node_info *node = reservation_node(ssn, task);

		if (!task->reserved_node || !good)
			continue;
		good = node && session_is_waiting(ssn, task) && fits(ssn, task, node) &&
		       statement_pipeline(st, task, node, true) == 0;
		count++;
	}
	if (good && count) {
		job->reservation = st;
		return count;
	}
	statement_undo_to(st, 0, false);
	statement_discard(st);
	/* Where none waits they are all placed, or wait in a statement of their own. */
	if (!good)
		give_up(ssn, job);
	return count;
}

/* An earlier scheduler wrote the reserved nodes into its tasks. If the job is complete with these, the
 * reservation is kept: pods were evicted for it. Otherwise it is outdated. */
static void recall(struct session *ssn, struct job *job)
{
	if (!session_has_job(ssn, job) || job_is_pending(job))
		return;
	LIST_EACH(&job->tasks[TASK_PENDING], struct task, job_link, task)
		if (session_is_waiting(ssn, task) && task->nominated && !task->reserved_node)
			task->reserved_node = symbols_ref(ssn->cluster->symbols, task->nominated);
	job->reserved_until = ssn->now + RESERVATION_TIMEOUT;
	(void)reserve(ssn, job);
	if (job->reservation && hook_job_vote(ssn, JOB_PIPELINED, job, NULL))
		return;
	reservation_suspend(ssn, job);
	give_up(ssn, job);
}

void reservations_open(struct session *ssn)
{
	LIST_EACH(&ssn->cluster->active, struct job, active_link, job) {
		job->reservation = NULL;
		if (!job->reserved_until) {
			if (job->recalls)
				recall(ssn, job);
			job->recalls = false;
			continue;
		}
		job->recalls = false;
		if (!session_has_job(ssn, job) || ssn->now >= job->reserved_until)
			give_up(ssn, job);
		else if (!reserve(ssn, job))
			job->reserved_until = 0;
	}
}

void reservations_close(struct session *ssn)
{
	LIST_EACH(&ssn->cluster->active, struct job, active_link, job)
		job->reservation = NULL;
}

void reservation_suspend(struct session *ssn, struct job *job)
{
	struct statement *st = job->reservation;

	(void)ssn;
	if (!st)
		return;
	job->reservation = NULL;
	statement_undo_to(st, 0, false);
	statement_discard(st);
}

void reservation_resume(struct session *ssn, struct job *job)
{
	if (job->reserved_until && !job->reservation)
		(void)reserve(ssn, job);
}
