/* SPDX-License-Identifier: Apache-2.0 */
/* cli/toplist.h - who holds what: nodes, queues and jobs with the resources that their pods have
 * reserved. Pure: documents in, text out. */
#ifndef CLI_TOPLIST_H
#define CLI_TOPLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"
#include "json/doc.h"

struct arena;

struct top_facts {
	struct json nodes, pods, queues, groups, jobs; /* arrays */
	bool unicode;
	/* Colours; "" for none. */
	const char *bold, *good, *busy, *bad, *plain;
	size_t most; /* rows of each part */
};

void top_nodes(const struct top_facts *facts, struct arena *arena, struct buf *to);
void top_queues(const struct top_facts *facts, struct arena *arena, struct buf *to);
void top_jobs(const struct top_facts *facts, struct arena *arena, struct buf *to);

#endif
