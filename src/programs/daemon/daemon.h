/* SPDX-License-Identifier: Apache-2.0 */
/* programs/daemon/daemon.h - what the programs that run next to a Kubernetes API server share:
 * flags, access to the server, leader election, health, metrics, signals.
 *
 *	static const struct daemon_program program = { .name = "vc-controller-manager", ... };
 *	int main(int argc, char **argv) { return daemon_main(&program, ...); }
 *
 * A program's work starts when it leads (at once without leader election). When it loses
 * the lease the process ends; what started it starts it again. */
#ifndef PROGRAMS_DAEMON_DAEMON_H
#define PROGRAMS_DAEMON_DAEMON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "flags/command_line.h"

struct client;
struct log;
struct loop;

/* What the work is started with; lent, and outlives it. */
struct daemon_world {
	const struct command_line *line;
	struct loop *loop;
	struct log *log;
	struct client *client;
};

struct daemon_program {
	const char *name;
	const char *lease; /* its name, as Volcano's program has it; NULL: the program's */
	const char *about;
	const struct flag *flags; /* its own, up to one without a name */
	/* Every replica works, and the program has a server of its own: no leader election, and
	 * --listen-address and the certificate are the program's flags. /healthz, /readyz and /metrics are
	 * plain HTTP at --healthz-address. */
	bool serves;
	/* Start the work; NULL with an error, which ends the program. */
	void *(*start)(const struct daemon_world *world, struct err *err);
	void (*stop)(void *work);
	void (*print_metrics)(const void *work, struct buf *to); /* may be NULL */
	/* Does it know what is there? If not, it may say why, a line per reason. NULL: always. */
	bool (*is_ready)(const void *work, struct buf *why);
	/* The first signal was received: finish what has begun, then call `done`. NULL: stop at once. */
	void (*drain)(void *work, void (*done)(void *arg), void *arg);
	/* SIGUSR1 or SIGUSR2 was received; NULL: they end the program. */
	void (*on_signal)(void *work, const struct daemon_world *world, int signo);
};

/* The whole life of the program. Returns the exit code: 0 after a signal, 1 after a failure or when it
 * has lost the lease, 2 if the command line is wrong. */
int daemon_main(const struct daemon_program *program, int argc, char **argv);

/* Is the feature on, by --feature-gates? `usual` if the flag does not name it. */
bool daemon_has_gate(const struct command_line *line, const char *name, bool usual);

#endif
