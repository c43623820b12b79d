/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_command.h - runs a program on the loop, and collects what it prints.
 *
 * It is a child of the loop: nothing blocks. Any number may run at once; the caller limits that. */
#ifndef NODE_COMMAND_H
#define NODE_COMMAND_H

#include <stddef.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct agent_command;
struct loop;

/* Called once, when it has ended: its exit code, 128 plus the number of the signal that ended it, or -1 if that is
 * unknown; and what it printed to both streams, lent for the call. The command is freed when this returns. */
typedef void agent_command_fn(void *arg, int code, struct str output);

struct agent_command_options {
	const char *const *argv; /* a program's path or name first, NULL last */
	const char *const *env;
	size_t output_max; /* bytes of output that are kept; 0: none, and there is no pipe */
	agent_command_fn *done;
	void *arg;
};

/* NULL: it could not be started; `done` is not called. */
struct agent_command *agent_command_start(struct loop *loop,
					  const struct agent_command_options *options,
					  struct err *err) MUST_CHECK;
/* Stop waiting: the program continues, `done` is not called. Takes NULL. */
void agent_command_abandon(struct agent_command *command);

#endif
