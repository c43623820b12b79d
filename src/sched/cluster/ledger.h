/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/ledger.h - the one place where a task changes status or node.
 *
 * Everything that is counted from it changes with it: the capacity of nodes, tallies of jobs, roles and
 * sub-groups, sums of jobs and queues up to the root, pods a domain. All of it is sums of whole
 * numbers, so that moving a task back restores what was, to the unit. */
#ifndef SCHED_LEDGER_H
#define SCHED_LEDGER_H

#include "sched/cluster/task.h"

struct cluster;
struct queue_info;

/* `node` must be given for a status in TASKS_PLACED, and NULL for the others. */
void ledger_move(struct cluster *cluster, struct task *task, enum task_status status,
		 struct node_info *node);

/* Take a task out of all sums, change what it is (job, class, labels), and put it back. */
void ledger_lift(struct cluster *cluster, struct task *task);
void ledger_put(struct cluster *cluster, struct task *task);

/* Its eviction is decided, or its pod is being deleted: for affinities it stays where it is until it
 * was deleted. */
void ledger_set_leaving(struct cluster *cluster, struct task *task, bool leaving);

/* Something about a node has changed. */
void ledger_note_change(struct cluster *cluster, struct node_info *node);

/* Move a job's sums from one queue to another; either may be NULL. */
void ledger_move_job(struct cluster *cluster, struct job *job, struct queue_info *to);
/* Its sums, in a queue and its ancestors: for code that rebuilds the tree. */
void ledger_add_to_queue(struct queue_info *queue, const struct job *job, int sign);
/* What it counts for as a job that has been admitted, by its phase, minResources and holdings. */
void ledger_count_job(struct cluster *cluster, struct job *job);

#endif
