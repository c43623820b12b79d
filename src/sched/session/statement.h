/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/statement.h - steps that are done together or not at all.
 *
 *	struct statement *st = statement_new(ssn);
 *	if (place_gang(st, job))
 *		statement_commit(st);	the only way out of a session
 *	else
 *		statement_discard(st);	the model is what it was, to the unit
 *
 * 1. Each step changes the model at once; nothing leaves the session until statement_commit().
 * 2. Steps are undone newest first; an evicted task returns to the status and node it had.
 * 3. A statement that is neither committed nor discarded (statement_keep) holds its reservations until
 *    the session ends, and is undone then. */
#ifndef SCHED_STATEMENT_H
#define SCHED_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macro.h"

struct job;
struct node_info;
struct session;
struct statement;
struct task;

struct statement *statement_new(struct session *ssn) __attribute__((returns_nonnull));

/* A pending task gets idle capacity, or capacity that is being released (`evicting`: because of evictions in
 * this statement). -1: a plugin refused; nothing has changed. */
int statement_allocate(struct statement *st, struct task *task, struct node_info *node) MUST_CHECK;
int statement_pipeline(struct statement *st, struct task *task, struct node_info *node,
		       bool evicting) MUST_CHECK;
/* A bound or running task goes, for a job. `why` is the word that users see: "preempt". */
void statement_evict(struct statement *st, struct task *task, const char *why, struct job *job);

/* How far it is, and back to there; `noted` as discarding does. */
size_t statement_mark(const struct statement *st);
void statement_undo_to(struct statement *st, size_t mark, bool noted);
/* Take one eviction back, wherever in the statement it is; gives false if there is none. */
bool statement_spare(struct statement *st, struct task *task);
bool statement_is_empty(const struct statement *st);
size_t statement_evictions(const struct statement *st);

/* All three end the statement. Discarding notes with each task how it had been placed. */
void statement_commit(struct statement *st);
void statement_discard(struct statement *st);
void statement_keep(struct statement *st);

/* For the session's end: undo what was kept. */
void statements_end(struct session *ssn);

#endif
