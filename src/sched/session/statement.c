/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/statement.c - see the header. A step remembers the status and node that a task had, so that
 * undoing it is one move of the ledger. */
#include "sched/session/statement.h"

#include <assert.h>

#include "base/list.h"
#include "base/mem.h"
#include "base/vec.h"
#include "sched/cluster/ledger.h"
#include "sched/device/cards.h"
#include "sched/place/reservation.h"
#include "sched/session/session.h"
#include "sched/session/session_hooks.h"

#include "base/banned.h"

enum step_kind { STEP_ALLOCATE, STEP_PIPELINE, STEP_EVICT, STEP_SPARED };

struct step {
	enum step_kind kind;
	struct task *task;
	enum task_status old_status;
	struct node_info *old_node;
	const char *why;
	struct job *job; /* for whom */
};

struct statement {
	struct list link; /* in the session */
	struct session *ssn;
	VEC(struct step) steps;
};

struct statement *statement_new(struct session *ssn)
{
	struct statement *st = mem_new(struct statement);

	st->ssn = ssn;
	list_push(&ssn->statements, &st->link);
	return st;
}

static void statement_free(struct statement *st)
{
	list_remove(&st->link);
	vec_done(&st->steps);
	mem_free(st);
}

static void undo(struct statement *st, const struct step *step)
{
	struct cluster *cluster = st->ssn->cluster;

	if (step->kind == STEP_SPARED)
		return;
	if (step->kind != STEP_EVICT)
		hook_unplaced(st->ssn, step->task);
	ledger_move(cluster, step->task, step->old_status, step->old_node);
	step->task->evicting = false;
	if (step->kind == STEP_EVICT)
		(void)hook_placed(st->ssn, step->task); /* it was there: no plugin may refuse */
}

static int place(struct statement *st, struct task *task, struct node_info *node,
		 enum step_kind kind, bool evicting)
{
	struct step step = {.kind = kind,
			    .task = task,
			    .old_status = (enum task_status)task->status,
			    .old_node = task->node};

	assert(task->status == TASK_PENDING);
	ledger_move(st->ssn->cluster, task, kind == STEP_ALLOCATE ? TASK_ALLOCATED : TASK_PIPELINED,
		    node);
	task->evicting = evicting;
	if (hook_placed(st->ssn, task) < 0) {
		ledger_move(st->ssn->cluster, task, step.old_status, step.old_node);
		task->evicting = false;
		return -1;
	}
	vec_push(&st->steps, step);
	return 0;
}

int statement_allocate(struct statement *st, struct task *task, struct node_info *node)
{
	return place(st, task, node, STEP_ALLOCATE, false);
}

int statement_pipeline(struct statement *st, struct task *task, struct node_info *node,
		       bool evicting)
{
	return place(st, task, node, STEP_PIPELINE, evicting);
}

void statement_evict(struct statement *st, struct task *task, const char *why, struct job *job)
{
	struct step step = {.kind = STEP_EVICT,
			    .task = task,
			    .old_status = (enum task_status)task->status,
			    .old_node = task->node,
			    .why = why,
			    .job = job};

	assert(task_is(task, TASKS_EVICTABLE));
	hook_unplaced(st->ssn, task);
	ledger_move(st->ssn->cluster, task, TASK_RELEASING, task->node);
	vec_push(&st->steps, step);
}

size_t statement_mark(const struct statement *st)
{
	return st->steps.len;
}

/* How a task that could not stay had been placed. */
static void note_undone(struct statement *st, const struct step *step)
{
	struct task_note *note = session_note(st->ssn, step->task);

	if (step->kind != STEP_ALLOCATE && step->kind != STEP_PIPELINE)
		return;
	note->undone = (uint32_t)step->task->status & TASK_STATUS_MASK;
	note->undone_evicting = step->task->evicting;
	note->undone_node = step->task->node->slot & TASK_SLOT_MASK;
}

void statement_undo_to(struct statement *st, size_t mark, bool noted)
{
	while (st->steps.len > mark) {
		const struct step *step = &st->steps.ptr[st->steps.len - 1];

		if (noted)
			note_undone(st, step);
		undo(st, step);
		st->steps.len--;
	}
}

bool statement_spare(struct statement *st, struct task *task)
{
	for (size_t i = st->steps.len; i-- > 0;) {
		struct step *step = &st->steps.ptr[i];

		if (step->kind != STEP_EVICT || step->task != task)
			continue;
		undo(st, step);
		step->kind = STEP_SPARED;
		return true;
	}
	return false;
}

bool statement_is_empty(const struct statement *st)
{
	for (size_t i = 0; i < st->steps.len; i++)
		if (st->steps.ptr[i].kind != STEP_SPARED)
			return false;
	return true;
}

size_t statement_evictions(const struct statement *st)
{
	size_t count = 0;

	for (size_t i = 0; i < st->steps.len; i++)
		count += st->steps.ptr[i].kind == STEP_EVICT;
	return count;
}

static void commit_bind(struct session *ssn, struct task *task)
{
	struct decision *d;

	ledger_move(ssn->cluster, task, TASK_BINDING, task->node);
	cards_stamp(task, ssn->now);
	reservation_drop(ssn->cluster, task);
	d = decisions_add(ssn, DECIDE_BIND);
	d->task = task;
	d->node = task->node->text.ptr;
	ssn->decisions.binds++;
	if (task->job)
		task->job->assumed = ssn->now;
}

/* For whom, and by what right. */
static const char *reason_of_eviction(struct session *ssn, const struct step *step)
{
	const struct job *by = step->job, *of = step->task->job;
	struct str from = of && of->queue ? of->queue->text : str_none();

	if (!by || !of)
		return arena_printf(ssn->arena, "evicted by %s", step->why);
	if (by == of)
		return arena_printf(ssn->arena,
				    "evicted by %s for a pod of higher priority of its own job %s",
				    step->why, by->key);
	if (by->queue == of->queue)
		return arena_printf(ssn->arena,
				    "evicted by %s for job %s (priority %d; this job: %d) of the "
				    "same queue %.*s",
				    step->why, by->key, by->priority, of->priority, STR_ARG(from));
	return arena_printf(
		ssn->arena,
		"evicted by %s for job %s of queue %.*s: queue %.*s holds more than its "
		"share",
		step->why, by->key, STR_ARG(by->queue->text), STR_ARG(from));
}

static void commit_evict(struct session *ssn, const struct step *step)
{
	struct decision *d;

	ledger_set_leaving(ssn->cluster, step->task, true);
	d = decisions_add(ssn, DECIDE_EVICT);
	d->task = step->task;
	d->job = step->job;
	d->reason = step->why;
	d->message = reason_of_eviction(ssn, step);
	ssn->decisions.evictions++;
	if (step->task->job)
		cluster_touch_job(ssn->cluster, step->task->job);
}

void statement_commit(struct statement *st)
{
	struct statement *kept = NULL;
	bool evicts = statement_evictions(st) > 0;

	st->ssn->cluster->moves++;
	for (size_t i = 0; i < st->steps.len; i++) {
		const struct step *step = &st->steps.ptr[i];

		session_note(st->ssn, step->task)->undone = TASK_PENDING;
		session_note(st->ssn, step->task)->undone_held = false;
		if (step->kind == STEP_ALLOCATE)
			commit_bind(st->ssn, step->task);
		else if (step->kind == STEP_EVICT)
			commit_evict(st->ssn, step);
		else if (step->kind == STEP_PIPELINE) {
			/* Holds its capacity until the session ends. */
			if (!kept)
				kept = statement_new(st->ssn);
			vec_push(&kept->steps, *step);
			if (evicts)
				reservation_make(st->ssn, step->task, step->task->node);
		}
	}
	statement_free(st);
}

void statement_discard(struct statement *st)
{
	statement_undo_to(st, 0, true);
	statement_free(st);
}

void statement_keep(struct statement *st)
{
	if (statement_is_empty(st))
		statement_free(st);
}

void statements_end(struct session *ssn)
{
	while (!list_is_empty(&ssn->statements)) {
		struct statement *last = container_of(ssn->statements.prev, struct statement, link);

		statement_undo_to(last, 0, false);
		statement_free(last);
	}
}
