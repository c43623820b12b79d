/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/hypernode_lifecycle.h - how many nodes a HyperNode has: each once, however many members name it. A
 * member by name counts even if the node does not exist; a member by pattern or labels counts the nodes that
 * match. */
#ifndef LIFECYCLE_HYPERNODE_LIFECYCLE_H
#define LIFECYCLE_HYPERNODE_LIFECYCLE_H

#include <stddef.h>

#include "base/err.h"
#include "base/macro.h"
#include "json/doc.h"
#include "lifecycle/lifecycle_plan.h"

int hypernode_step(struct json hypernode, const struct json *nodes, size_t node_count,
		   struct plan *plan, struct err *err) MUST_CHECK;

#endif
