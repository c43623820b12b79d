/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/hypernode_lifecycle.h - how many nodes a HyperNode has: each once, however many members name it. A
 * member by name counts even if the node does not exist; a member by pattern or labels counts the nodes that
 * match. And whether its place in the tree is sound: it has one parent, and does not contain itself. */
#ifndef LIFECYCLE_HYPERNODE_LIFECYCLE_H
#define LIFECYCLE_HYPERNODE_LIFECYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "json/doc.h"
#include "lifecycle/lifecycle_plan.h"

int hypernode_step(struct json hypernode, const struct json *nodes, size_t node_count,
		   struct plan *plan, struct err *err) MUST_CHECK;

/* Who has whom as a member, of all HyperNodes; texts are copied. */
struct hypernode_parents *hypernode_parents_new(const struct json *all, size_t count)
	__attribute__((returns_nonnull));
void hypernode_parents_free(struct hypernode_parents *tree);
DEFINE_AUTO(struct hypernode_parents *, hypernode_parents_free);
/* The condition `Sound` and a Warning, if its place is not; and when it is again. Gives whether it is. */
bool hypernode_check(struct json hypernode, const struct hypernode_parents *tree, int64_t now,
		     struct plan *plan);

struct hypernode_condition {
	const char *type;
	bool is;    /* True, else False */
	bool quiet; /* the value that is not written unless the other one was */
	const char *reason;
	const char *message;
};
/* Writes a condition that is new or different; the other value than `quiet` is a Warning as well. */
void hypernode_set_condition(struct json hypernode, const struct hypernode_condition *now,
			     int64_t time, struct plan *plan);

#endif
