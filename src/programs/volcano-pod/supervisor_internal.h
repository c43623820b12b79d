/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/supervisor_internal.h - shared by the files of the supervisor:
 *
 *	supervisor.c	containers, time and the loop
 *	agent_socket.c	the agent's socket
 *	exec.c		commands that run in a container: probes and hooks */
#ifndef PROGRAMS_VOLCANO_POD_SUPERVISOR_INTERNAL_H
#define PROGRAMS_VOLCANO_POD_SUPERVISOR_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/vec.h"
#include "pod/pod_messages.h"
#include "pod/pod_plan.h"
#include "pod/record.h"
#include "programs/volcano-pod/output.h"

struct container {
	struct record record;
	struct output *output;
	int pipe;  /* its output; -1: none */
	int end;   /* reports how its program has ended (pod_child.h); -1: none */
	int hosts; /* files in memory (pod_child.h); -1: none */
	int message;
	int mounts; /* its mount namespace, open while processes of it may be left (family.h); -1: none */
	int64_t kill_at; /* by supervisor_uptime() */
	bool stopping;
	bool lingers; /* its first process has ended with `status`; others have grace time left */
	int status;
};

/* A command that runs in a container. */
struct exec {
	uint64_t id;
	pid_t pid;
	int pipe;
	int64_t due; /* by supervisor_uptime() */
	bool timed_out;
	struct buf output;
};

/* A connection that has not sent the secret yet. */
struct candidate {
	int fd; /* -1: none */
	int64_t until;
};

enum { SUPERVISOR_CANDIDATES = 4 };

struct supervisor {
	struct arena *arena; /* of the plan */
	struct pod_plan plan;
	struct container *containers;
	VEC(struct exec) execs;
	struct buf hosts;        /* names that the agent has sent after the plan */
	struct buf hosts_coming; /* the part of new names that has arrived */
	int agent;               /* -1: none */
	char *message;           /* buffer for its messages; NULL: none has arrived yet */
	int plan_file;           /* in memory; -1: it was read */
	const char *control; /* folder of its socket while it has no agent (pod/pod_messages.h) */
	const char *name;    /* name of that socket */
	const char *secret;
	int listener; /* -1: it has an agent, or could not listen */
	struct candidate candidates[SUPERVISOR_CANDIDATES];
	int signals;
	int folder;
	int lock; /* lock of the folder, if the folder itself cannot be locked; -1: none */
	int64_t next_listen; /* by supervisor_uptime(): when to try again */
	int64_t deadline;    /* by supervisor_uptime() */
	int64_t next_check;
	bool past_deadline;
	bool quitting;
	bool quit_when_ended;
};

int64_t supervisor_wall(void);
int64_t supervisor_uptime(void);
void supervisor_start(struct supervisor *self, size_t index, unsigned run);
void supervisor_stop(struct supervisor *self, size_t index, int64_t grace);
void supervisor_stop_all(struct supervisor *self, int64_t grace);
/* Send the record of a container to the agent. */
void supervisor_report(struct supervisor *self, size_t index);

/* --- agent_socket.c --- */

/* The agent's connection was closed: another agent may connect from now on. */
void supervisor_lose_agent(struct supervisor *self);
/* Stop listening, and close connections that have not sent the secret. */
void supervisor_stop_listening(struct supervisor *self);
/* Listen if that failed before; close connections that have sent nothing for too long. */
void supervisor_check_connections(struct supervisor *self, int64_t now);
/* The earlier of `next` and the time at which that has to be done. */
int64_t supervisor_connections_due(const struct supervisor *self, int64_t next);
/* Send all records to an agent that has connected. */
void supervisor_send_all(struct supervisor *self);
/* Does nothing without an agent. */
void supervisor_send(struct supervisor *self, const char *message, size_t len);
/* Read and execute the agent's messages. */
void supervisor_read_agent(struct supervisor *self);
/* Accept a connection, or read from those that have not sent the secret yet. */
void supervisor_accept(struct supervisor *self);

/* --- exec.c --- */

struct exec_ask {
	uint64_t id;
	size_t container;
	int64_t timeout_us; /* 0: none */
	struct str args;    /* each ends in NUL */
};
void supervisor_exec(struct supervisor *self, const struct exec_ask *ask);
void supervisor_exec_ended(struct supervisor *self, pid_t pid, int status);
void supervisor_exec_read(struct supervisor *self);
/* End commands that take too long. */
void supervisor_exec_check(struct supervisor *self, int64_t now);

#endif
