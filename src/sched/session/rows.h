/* SPDX-License-Identifier: Apache-2.0 */
/* sched/session/rows.h - the filters and scores of the configuration that concern a task.
 *
 * Which rows apply is found once for all nodes; what is cached under their key holds for every task of
 * the class for which the key is the same. */
#ifndef SCHED_ROWS_H
#define SCHED_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/plugin/plugin.h"
#include "sched/report/reason.h"

struct config_filter;
struct config_score;
struct node_info;
struct session;
struct task;

enum { ROWS_MAX = 32 };
struct rows {
	const struct config_filter *filters[SCOPE_CLUSTER + 1][ROWS_MAX];
	size_t filter_count[SCOPE_CLUSTER + 1];
	const struct config_score *scores[ROWS_MAX]; /* of single nodes */
	size_t score_count;
	const struct config_score *batches[ROWS_MAX]; /* of SCOPE_CLUSTER */
	size_t batch_count;
	bool normalises;
	uint64_t key; /* of what they look at in addition to the class */
};

void rows_find(const struct session *ssn, const struct task *task, struct rows *rows);
/* Does what they say of a node depend on that node alone? */
bool rows_are_local(const struct rows *rows);
/* The filters of one scope; a verdict that nothing can change ends it. */
verdict rows_test(const struct rows *rows, enum scope scope, const struct task *task,
		  const struct node_info *node);
/* All filters in the order of the configuration, for what is reported of a node that does not fit: the
 * first plugin that refuses it is the only one that is reported, up to the filter that nothing can change.
 * Does that depend on the order? Else what each scope says is the same. */
bool rows_differ_in_order(const struct rows *rows, const struct task *task);
verdict rows_test_in_order(const struct session *ssn, const struct task *task,
			   const struct node_info *node);
/* A score as its row wants it normalised, where the largest of all is `most`. */
double rows_normalise(const struct config_score *score, double raw, double most);
/* Scores of nodes, compared with each other and no others. */
void rows_score(const struct rows *rows, const struct task *task, struct node_info *const *nodes,
		size_t count, double *ret_scores);
/* Add what the scores of SCOPE_CLUSTER say of these nodes. */
void rows_add_batches(const struct rows *rows, const struct task *task,
		      struct node_info *const *nodes, size_t count, double *scores);

#endif
