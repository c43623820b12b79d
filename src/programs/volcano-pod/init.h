/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/init.h - the first process of a container that has a PID namespace.
 *
 * The kernel does not deliver a signal to the first process unless that has a handler for it, and makes it the
 * parent of all orphans. Few programs are made for that. Therefore the first process is a small one of ours, and
 * the container's program is its child. */
#ifndef PROGRAMS_VOLCANO_POD_INIT_H
#define PROGRAMS_VOLCANO_POD_INIT_H

#include <stddef.h>

#include "base/err.h"

struct init_program {
	/* Called in a child, which leads a session of its own and shares this process's memory: starts the
	 * program. If it returns, the child ends. */
	void (*become)(void *arg);
	void *arg;
	size_t n_args; /* arguments of the program: they take space on its stack */
};

/* Runs in the first process, with the program's identity: starts the program. Then it closes all its descriptors
 * but `status`, passes signals on (from outside to the program's group, from inside to the program) and reaps. It
 * writes how the program ended, as waitpid() reports it, into `status`; then the first process ends, and with it
 * all processes that are left in the namespace. After a SIGTERM from outside it first waits for the program's
 * group. Returns only with an error. */
void init_run(const struct init_program *program, int status, struct err *err);

#endif
