/* SPDX-License-Identifier: Apache-2.0 */
/* admission/graph.h - a dependency graph by name: is there an order in which each node comes after
 * its dependencies? */
#ifndef ADMISSION_GRAPH_H
#define ADMISSION_GRAPH_H

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "model/field/view.h"

struct graph_node {
	struct str name; /* of several with the same name the last one counts */
	struct strs after;
};

enum graph_answer { GRAPH_ORDERED, GRAPH_CYCLE, GRAPH_UNDEFINED };

/* If the result is that a name is not defined, `undefined` is set to it. */
enum graph_answer graph_check(const struct graph_node *nodes, size_t count, struct arena *arena,
			      struct str *ret_undefined);

#endif
