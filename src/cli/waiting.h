/* SPDX-License-Identifier: Apache-2.0 */
/* cli/waiting.h - all jobs that wait, grouped by what they wait for, the most common first. Pure: documents in, text out. */
#ifndef CLI_WAITING_H
#define CLI_WAITING_H

#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "json/doc.h"

struct arena;

struct waiting_facts {
	struct json groups; /* an array of PodGroups */
	struct json pods;   /* an array of their pods; may be absent */
	struct str queue;   /* only those of this queue; empty: all */
	int64_t now;
	const char *bold, *faint, *plain; /* colours; "" for none */
};

/* Prints them; returns how many jobs wait. */
size_t waiting_print(const struct waiting_facts *facts, struct arena *arena, struct buf *to);

/* The job of a PodGroup, as users know it: without the uid at the end of the group's name. */
struct str waiting_name(struct json group);

#endif
