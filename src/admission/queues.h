/* SPDX-License-Identifier: Apache-2.0 */
/* admission/queues.h - shared by the rules of queues: the old tree by annotations, and the tree by
 * spec.parent. */
#ifndef ADMISSION_QUEUES_H
#define ADMISSION_QUEUES_H

#include "admission/hooks.h"
#include "model/volcano/queue.h"

#define QUEUE_HIERARCHY "volcano.sh/hierarchy"
#define QUEUE_WEIGHTS "volcano.sh/hierarchy-weights"

enum { QUEUE_STEPS_MAX = 1024 }; /* up or down a tree that may have a cycle */

/* Checks the place of a queue in the tree: its parent exists, may have children, and is not one of
 * its descendants. */
int queue_tree_place(const struct admission_case *c, const struct queue *queue);
/* Checks that its resources fit those of its ancestors, and those of its descendants fit into them.
 */
int queue_tree_fits(const struct admission_case *c, const struct queue *queue);

/* The number of its allocated pods; 0 if the status has none. */
int64_t queue_allocated_pods(struct json queue);

#endif
