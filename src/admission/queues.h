/* SPDX-License-Identifier: Apache-2.0 */
/* admission/queues.h - what the rules of queues share: the old tree by annotations, and the tree by
 * spec.parent. */
#ifndef ADMISSION_QUEUES_H
#define ADMISSION_QUEUES_H

#include "admission/hooks.h"
#include "model/volcano/queue.h"

#define QUEUE_HIERARCHY "volcano.sh/hierarchy"
#define QUEUE_WEIGHTS "volcano.sh/hierarchy-weights"

enum { QUEUE_STEPS_MAX = 1024 }; /* up or down a tree that may have a cycle */

/* The place of a queue in the tree: its parent is there, may have children, and is not below it. */
int queue_tree_place(const struct admission_case *c, const struct queue *queue);
/* Its resources fit those above it, and those below fit into them. */
int queue_tree_fits(const struct admission_case *c, const struct queue *queue);

/* Pods that count as allocated in it; 0 where nothing is said. */
int64_t queue_allocated_pods(struct json queue);

#endif
