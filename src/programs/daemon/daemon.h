/* SPDX-License-Identifier: Apache-2.0 */
/* programs/daemon/daemon.h - what the programs that run beside a Kubernetes API server share:
 * flags, access to the server, leader election, health, metrics, signals.
 *
 *	static const struct daemon_program program = { .name = "vc-controller-manager", ... };
 *	int main(int argc, char **argv) { return daemon_main(&program, ...); }
 *
 * A program's work starts when it leads (at once without leader election). When it does not lead any
 * more the process ends: whoever started it starts it again, and it begins afresh. */
#ifndef PROGRAMS_DAEMON_DAEMON_H
#define PROGRAMS_DAEMON_DAEMON_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "programs/daemon/flags.h"

struct client;
struct log;
struct loop;

/* What the work is started with; lent, and outlives it. */
struct daemon_world {
	struct loop *loop;
	struct log *log;
	struct client *client;
};

struct daemon_program {
	const char *name;
	const char *about;
	const char *healthz_address; /* the default of --healthz-address */
	/* Flags of its own; `value`s are in what `arg` points to. */
	const struct daemon_flag *flags;
	size_t flag_count;
	/* Start the work; NULL with an error, which ends the program. */
	void *(*start)(void *arg, const struct daemon_world *world, struct err *err);
	void (*stop)(void *work);
	void (*print_metrics)(const void *work, struct buf *to); /* may be NULL */
	/* SIGUSR1 or SIGUSR2 has come, with whatever that means to the program; NULL: they end it, as they
	 * end any. */
	void (*told)(void *work, const struct daemon_world *world, int signo);
	void *arg;
};

/* The whole life of the program; gives the exit code: 0 after a signal, 1 after a failure or when it
 * has lost the lead, 2 for flags that make no sense. */
int daemon_main(const struct daemon_program *program, int argc, char **argv);

#endif
