/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/queue_info.h - a queue, as a node of the tree of queues, with what its jobs hold and want.
 *
 * Sums are of the queue and of everything below it, and always current: the ledger changes them with
 * each task. A queue whose parent is missing, or whose ancestors form a ring, stands alone
 * (`broken`), and is healed when the tree is.
 *
 * A limit may be declared or not, and this matters: `spec` says what was declared. */
#ifndef SCHED_QUEUE_INFO_H
#define SCHED_QUEUE_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/str.h"
#include "model/value/resources.h"
#include "model/volcano/queue.h"

struct arena;
struct json_doc;

struct queue_info {
	uint32_t id;   /* small, and its alone as long as it lives: for plugins' arrays */
	uint32_t name; /* symbol */
	struct str text;
	struct json_doc *doc;
	struct arena *arena;
	const struct queue *view; /* of `doc`; NULL for one that only children name */

	struct queue_info *parent; /* NULL: root, or broken */
	struct list sibling;
	struct list children;
	bool broken;

	int32_t weight;
	int32_t priority;
	bool reclaimable;
	bool open;
	int64_t created;
	uint64_t arrival;            /* among all, as they came to us */
	struct resources capability; /* see `has_capability` */
	struct resources deserved;
	struct resources guarantee;
	bool has_capability;

	struct list jobs; /* its own, not those of its children */
	uint32_t job_count;
	uint32_t task_count;

	struct resources allocated; /* of tasks in TASKS_ALLOCATED */
	struct resources pipelined; /* of pipelined tasks: nothing between two sessions */
	struct resources pending;   /* of pending tasks */
	struct resources inqueue;   /* admitted but not placed: of jobs with minResources */
	struct resources elastic;   /* placed beyond minResources */
	bool touched;               /* `allocated` has changed since it was looked at */
	/* Of its jobs that hold something, as of that session (evict.h). */
	int32_t lowest_priority;
	uint32_t lowest_session;
	uint64_t reported; /* hash of status.allocated as it was decided last */
};

/* Without a hook's opinion: the older; of one second, who came to us first. */
int queue_order(const struct queue_info *a, const struct queue_info *b);
/* Is `queue` below `other`, or the same? */
bool queue_is_below(const struct queue_info *queue, const struct queue_info *other);

#endif
