/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/finder.h - finding the best node for a task, at the cost of what has changed.
 *
 * For each class that is being placed there is a finder: the verdict and the score of every node, and
 * a heap of those that fit. When a class is asked for again, only nodes that have changed since are
 * looked at (cluster->changes), so that placing k equal tasks on n nodes costs n + k log n.
 *
 * That holds for classes to which only rows of SCOPE_PROFILE and SCOPE_NODE apply. If a row of
 * SCOPE_CLUSTER applies (affinity, spreading), nodes that fit otherwise are looked at one by one.
 *
 * Which node is best: one with idle capacity before one whose capacity is being released; then the highest
 * score; then the lowest slot, so that the same cluster gives the same answer. */
#ifndef SCHED_FINDER_H
#define SCHED_FINDER_H

#include <stdbool.h>
#include <stddef.h>

#include "sched/cluster/node_info.h"
#include "sched/report/reason.h"

struct class;
struct cluster;
struct domain_fit;
struct finder;
struct fit;
struct node_set;
struct session;
struct task;

struct choice {
	struct node_info *node;
	bool idle; /* has idle capacity; else it has to be released first */
};

/* The best node of a set. False: there is none, and *ret_fit (may be NULL) says why, in the session's
 * arena. */
bool finder_choose(struct session *ssn, struct task *task, const struct node_set *set,
		   struct choice *ret, const struct fit **ret_fit);

/* One node: what keeps the task from it. With `capacity` CAPACITY_COUNT resources are left out. */
verdict finder_test(struct session *ssn, const struct task *task, const struct node_info *node,
		    enum capacity_kind capacity);
/* Scores of nodes for a task, as finder_choose() compares them. */
void finder_score(struct session *ssn, const struct task *task, struct node_info *const *nodes,
		  size_t count, double *ret_scores);

/* What is known of all nodes for tasks of a class, by slot: 0 where one fits, but for rows of SCOPE_CLUSTER. Current until
 * the model changes. */
struct finder_look {
	const verdict *verdicts;
	uint32_t size;
	uint64_t generation;        /* another one: all of it was made again */
	struct domain_fit **counts; /* of domain_fit.h, kept with it */
};
struct finder_look finder_look(struct session *ssn, const struct task *task);

/* When its class goes; takes NULL. */
void finder_free(struct cluster *cluster, struct finder *finder);

#endif
