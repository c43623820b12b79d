/* SPDX-License-Identifier: Apache-2.0 */
/* cli/pod_problem.h - what is wrong with pods that have a node: containers that fail again and again, that cannot start,
 * volumes that cannot be mounted, nodes that do not answer. Pure: documents in, text out. */
#ifndef CLI_POD_PROBLEM_H
#define CLI_POD_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "cli/pods.h"
#include "json/doc.h"

struct arena;

struct pod_problem {
	struct str cause; /* "CrashLoop", "CannotStart", "CannotMount", "NodeSilent" */
	struct str text;
	struct str advice;
	struct str brief; /* for a column of a list, without the name of the pod */
	struct str since; /* RFC 3339; may be empty */
};

/* What is known in addition to the pods; all may be absent. */
struct pod_problem_facts {
	struct json events; /* an array */
	struct json nodes;  /* an array */
	int64_t now;        /* microseconds since 1970 */
	struct str output_pod;
	struct str output; /* the last line that this pod printed before it failed */
};

/* The first in this order: a node that does not answer, failures again and again, what keeps a container from starting.
 * Texts are in the arena. False: there is none. */
bool pod_problem_find(const struct pod_places *pods, const struct pod_problem_facts *facts,
		      struct arena *arena, struct pod_problem *ret);

/* ": init container `prepare`", if the name of the pod does not say which container it was. */
void pod_failure_put_container(const struct pod_failure *failure, struct buf *to);
/* The same as pod_failure_print() without the last output, in the arena. */
struct str pod_failure_brief(const struct pod_failure *failure, struct arena *arena);
/* How a container ended: "exited with code 7", "was killed: it used more than its memory limit of 100Mi". */
void pod_failure_print(const struct pod_failure *failure, struct buf *to);
/* What would help against it; may be nothing. */
const char *pod_failure_advice(const struct pod_failure *failure);

#endif
