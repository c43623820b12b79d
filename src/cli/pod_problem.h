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
	struct str since; /* RFC 3339; may be empty */
};

/* The first in this order: a node that does not answer, failures again and again, what keeps a container from starting.
 * `events` and `nodes` may be absent; texts are in the arena. False: there is none. */
bool pod_problem_find(const struct pod_places *pods, struct json events, struct json nodes,
		      int64_t now, struct arena *arena, struct pod_problem *ret);

/* How a container ended: "exited with code 7", "was killed: it used more than its memory limit of 100Mi". */
void pod_failure_print(const struct pod_failure *failure, struct buf *to);
/* What would help against it; may be nothing. */
const char *pod_failure_advice(const struct pod_failure *failure);

#endif
