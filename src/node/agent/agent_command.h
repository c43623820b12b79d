/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_command.h - a program that is run and waited for on the loop, and what it prints.
 *
 * It is a child of the loop: nothing blocks, and as many as wanted may run at once; the caller bounds
 * that. */
#ifndef NODE_AGENT_COMMAND_H
#define NODE_AGENT_COMMAND_H

#include <stddef.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct command;
struct loop;

/* Called once, when it has ended: its exit code, 128 and the number of the signal that ended it, or -1
 * where nobody knows; and what it printed, both streams, lent for the call. The command is freed when
 * this returns. */
typedef void command_fn(void *arg, int code, struct str output);

struct command_options {
	const char *const *argv; /* a program's path or name first, NULL last */
	const char *const *env;
	size_t output_max; /* what is printed beyond is dropped; 0: all of it, and there is no pipe */
	command_fn *done;
	void *arg;
};

/* NULL: it could not be started; `done` is not called. */
struct command *command_start(struct loop *loop, const struct command_options *options,
			      struct err *err) MUST_CHECK;
/* Stop waiting: the program goes on, `done` is not called. Takes NULL. */
void command_abandon(struct command *command);

#endif
