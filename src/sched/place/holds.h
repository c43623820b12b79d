/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/holds.h - room that was made for a job is kept for it until it is placed, or gives up.
 *
 * When victims are committed for a job, each task that the proof placed is promised its node. From then
 * on every session begins with these tasks on their nodes, as if they waited for room to be released:
 * nobody else can plan with it. When the job's turn comes in allocate the hold is let go and the job
 * placed; if that does not work yet, it is held again. A promise ends when the job is placed, when the
 * room is no longer there (an eviction failed, a node went), or after HOLD_PATIENCE.
 *
 * Promises outlive the process: each task tells its node in status.nominatedNodeName, and who comes after
 * us begins with what these say, where it makes the job complete. */
#ifndef SCHED_HOLDS_H
#define SCHED_HOLDS_H

#include <stdbool.h>

struct cluster;
struct job;
struct node_info;
struct session;
struct task;

/* A statement with evictions was committed, with this task on that node. */
void holds_promise(struct session *ssn, struct task *task, const struct node_info *node);
/* At the beginning of a session. */
void holds_open(struct session *ssn);
/* ... and at its end, while what was kept is not undone yet. */
void holds_close(struct session *ssn);
/* The job is to be placed: its tasks wait again, and nobody comes between. */
void holds_let_go(struct session *ssn, struct job *job);
/* ... and were not placed: as before, if that is possible. */
void holds_take_back(struct session *ssn, struct job *job);
/* It needs its promise no more. */
void holds_forget(struct cluster *cluster, struct task *task);
/* Is the task on its promised node only because it is held there? */
bool holds_has(const struct job *job, const struct task *task);
/* The node that a task was promised, or NULL. */
struct node_info *holds_node(const struct session *ssn, const struct task *task);

#endif
