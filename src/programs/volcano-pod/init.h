/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/init.h - the first process of a container that has a namespace of processes.
 *
 * The kernel spares the first process every signal that it has no handler for, and gives it all orphans. Few
 * programs are made for that; so a small one is it, and the container's program is its child. */
#ifndef PROGRAMS_VOLCANO_POD_INIT_H
#define PROGRAMS_VOLCANO_POD_INIT_H

#include <stddef.h>

#include "base/err.h"

struct init_program {
	/* Called in a child, which leads a session of its own and has this process's memory, not a copy of it: it is
	 * to start the program. Where it comes back the child ends. */
	void (*become)(void *arg);
	void *arg;
	size_t n_args; /* of the program: room that it may need on its stack */
};

/* In the first process, with the program's identity: start the program. Then it closes all its descriptors but
 * `status`, hands on signals (from outside to the program's group, from inside to the program) and reaps. How the
 * program has ended, as waitpid() says it, is written into `status`; then the first process ends, and all that is left
 * in the namespace with it. Where it was told to end by SIGTERM from outside, it waits for the program's
 * group first. Comes back only with an error. */
void init_run(const struct init_program *program, int status, struct err *err);

#endif
