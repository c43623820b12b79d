/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/supervisor_internal.h - what the files of the supervisor share:
 *
 *	supervisor.c	containers, time and the loop
 *	talk.c		the agent's socket
 *	exec.c		other commands in a container's place: probes and hooks */
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
	int pipe;  /* what it prints; -1: none */
	int end;   /* tells how its program has ended (pod_child.h); -1: none */
	int hosts; /* files in memory (pod_child.h); -1: none */
	int message;
	int mounts; /* its mount namespace, open while processes of it may be left (family.h); -1: none */
	int64_t kill_at; /* by supervisor_uptime() */
	bool stopping;
	bool lingers; /* its first process has ended with `status`, others have some grace left */
	int status;
};

/* Another command in the place of a container. */
struct exec {
	uint64_t id;
	pid_t pid;
	int pipe;
	int64_t due; /* by supervisor_uptime() */
	bool timed_out;
	struct buf output;
};

/* One that has connected and has not said the secret yet. */
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
	struct buf hosts;        /* names that were told after the plan */
	struct buf hosts_coming; /* as far as they have come */
	int agent;               /* -1: none */
	char *heard;             /* room for a message of its; NULL: none has come yet */
	int plan_file;           /* in memory, until it is read; -1: in the folder */
	const char *control;     /* where it listens while it has no agent (pod/pod_messages.h) */
	const char *name;        /* of its socket there */
	const char *secret;
	int listener; /* -1: it has an agent, or could not listen */
	struct candidate candidates[SUPERVISOR_CANDIDATES];
	int signals;
	int folder;
	int lock;            /* of the folder, where that has none itself; -1: none */
	int64_t next_listen; /* by supervisor_uptime(): when it is tried again */
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
/* Tell the agent how a container is. */
void supervisor_tell(struct supervisor *self, size_t index);

/* --- talk.c --- */

/* Of an agent that has gone: another one may come from now on. */
void supervisor_lose_agent(struct supervisor *self);
/* Nobody else may come. */
void supervisor_close_door(struct supervisor *self);
/* Listen where that failed before; send away who says nothing. */
void supervisor_check_door(struct supervisor *self, int64_t now);
/* When that is to be done next, at the latest. */
int64_t supervisor_door_due(const struct supervisor *self, int64_t next);
/* Tell an agent that has come all that is known. */
void supervisor_greet(struct supervisor *self);
/* Does nothing where there is no agent. */
void supervisor_send(struct supervisor *self, const char *message, size_t len);
/* Do what the agent has asked for. */
void supervisor_hear(struct supervisor *self);
/* Somebody has connected, or says something. */
void supervisor_at_door(struct supervisor *self);

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
/* End what takes too long. */
void supervisor_exec_check(struct supervisor *self, int64_t now);

#endif
