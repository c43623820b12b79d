/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/reservation.h - capacity that evictions free for a job is reserved for it until it is placed, or gives up.
 *
 * When victims are committed for a job, each task that the search placed gets its node reserved. From then on
 * every session begins with these tasks on their nodes, as if they waited for capacity to be released, so no
 * other job can use it. When the job's turn comes in allocate the reservation is suspended and the job
 * placed; if that fails, the reservation is resumed. It ends when the job is placed, when the capacity no
 * longer exists (an eviction failed, a node was removed), or after RESERVATION_TIMEOUT.
 *
 * Reservations survive a restart: each task names its node in status.nominatedNodeName, and the next scheduler
 * begins with these, if they make the job complete. */
#ifndef SCHED_RESERVATION_H
#define SCHED_RESERVATION_H

#include <stdbool.h>

struct cluster;
struct job;
struct node_info;
struct session;
struct task;

/* A statement with evictions was committed, with this task on that node. */
void reservation_make(struct session *ssn, struct task *task, const struct node_info *node);
/* At the beginning of a session. */
void reservations_open(struct session *ssn);
/* ... and at its end, before reservations are undone. */
void reservations_close(struct session *ssn);
/* The job is to be placed: its tasks are pending again, and no other job is tried in between. */
void reservation_suspend(struct session *ssn, struct job *job);
/* ... and was not placed: reserve the same again, if that is possible. */
void reservation_resume(struct session *ssn, struct job *job);
/* It does not need its reservation any more. */
void reservation_drop(struct cluster *cluster, struct task *task);
/* Is the task on its reserved node only because of the reservation? */
bool reservation_has(const struct job *job, const struct task *task);
/* The node that is reserved for a task, or NULL. */
struct node_info *reservation_node(const struct session *ssn, const struct task *task);

#endif
