/* SPDX-License-Identifier: Apache-2.0 */
/* sched/report/refusal.h - why a task was not placed, reported in numbers that hold when the attempt is over.
 *
 * While a gang is tried, its pods that fit hold it: its queue and the nodes look fuller than they
 * are for any other job. If the gang does not become complete all of it is given back. So what it has on trial is
 * reported as a part of what it asks for; and whether an empty queue, or empty nodes, would do decides whether it helps
 * to wait. */
#ifndef SCHED_REFUSAL_H
#define SCHED_REFUSAL_H

#include <stdint.h>

struct reason;
struct session;
struct task;

/* A reason of the task's job, as session_refuse(); *why is made to hold. */
void refusal_add(struct session *ssn, const struct task *task, struct reason *why);

/* The number of pods that its job needs at once, if all its pods are like this one; else 0. */
int64_t refusal_gang_of_equals(const struct task *task);

#endif
