/* SPDX-License-Identifier: Apache-2.0 */
/* cli/queue_bars.h - queues as a tree, each with what it uses of what it may, as bars. Pure: documents in,
 * text out. */
#ifndef CLI_QUEUE_BARS_H
#define CLI_QUEUE_BARS_H

#include <stdbool.h>

#include "base/buf.h"
#include "json/doc.h"

struct arena;

struct queue_tree_facts {
	struct json queues; /* an array */
	struct json nodes;  /* an array: what the cluster has */
	bool unicode;
	/* Colours; "" for none. */
	const char *bold, *faint, *good, *busy, *bad, *plain;
};

void queue_tree_print(const struct queue_tree_facts *facts, struct arena *arena, struct buf *to);

#endif
