/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain_text.h - why a job is where it is, in one line, then what would help, and then in detail. Pure: documents in,
 * text out.
 *
 * The scheduler says why a gang waits in an annotation of its PodGroup (model/volcano/wait_reason.h). If it has said
 * nothing (another scheduler, an older one), the conditions of the PodGroup, of the pods and the
 * events are read instead. */
#ifndef CLI_EXPLAIN_TEXT_H
#define CLI_EXPLAIN_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "json/doc.h"

struct arena;
struct pod_failure;

/* What is absent is not known. */
struct explain_facts {
	struct json job;
	struct json group;  /* its PodGroup */
	struct json queue;  /* the queue that it is in */
	struct json pods;   /* an array */
	struct json nodes;  /* an array: those that its pods run on */
	struct json events; /* an array: of the job, the PodGroup and the pods, deleted ones too */
	int64_t now;        /* microseconds since 1970 */
	struct str output_pod;
	struct str output; /* the last line that this pod printed before it failed */
	/* Colours; "" for none. */
	const char *bold, *faint, *good, *busy, *bad, *plain;
};

/* The line, then the detail. */
void explain_print(const struct explain_facts *facts, struct arena *arena, struct buf *to);
/* What would help, of the same line; nothing if nothing would. In the arena. */
struct str explain_advice(const struct explain_facts *facts, struct arena *arena);
/* The last failure of its pods; false: there is none. */
bool explain_find_failure(const struct explain_facts *facts, struct arena *arena,
			  struct pod_failure *ret);
/* A job that no longer exists: what its events say, of which there is at least one. */
void explain_print_deleted(const struct explain_facts *facts, struct str name, struct arena *arena,
			   struct buf *to);
/* The line alone, without its end. */
void explain_line(const struct explain_facts *facts, struct arena *arena, struct buf *to);

#endif
