/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/supervisor_client.h - the agent's end: supervisors are started, found again, asked and heard.
 *
 * A supervisor (programs/volcano-pod) is a process a pod, which outlives the agent. It is started by a
 * launcher, a small process that is there as long as the agent is: the agent itself is never copied.
 * pod/pod_messages.h tells what is said. */
#ifndef NODE_SUPERVISOR_CLIENT_H
#define NODE_SUPERVISOR_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "pod/record.h"

struct launcher;
struct log;
struct loop;
struct supervisor;

/* Starts `program` at once, and again where it ends. `control` is the folder in which supervisors listen that have lost
 * their agent (pod/pod_messages.h); it is made, with a secret in it. */
struct launcher *launcher_new(struct loop *loop, const char *program, const char *control,
			      struct log *log, struct err *err) MUST_CHECK;
/* Its process ends; supervisors stay. Takes NULL. */
void launcher_free(struct launcher *launcher);
DEFINE_AUTO(struct launcher *, launcher_free);

struct supervisor_events {
	/* How a container is: of each that has ever run, once at the beginning, then with every
	 * change. */
	void (*state)(void *arg, size_t container, const struct record *record);
	/* All that it knew has been told. */
	void (*ready)(void *arg);
	/* A command has ended, by its code or by WIRE_NOT_STARTED and the like. */
	void (*done)(void *arg, uint64_t id, int code, struct str output);
	/* It is no longer there. Nothing is called after this; free it. A connection that breaks while the supervisor
	 * lives is made again before that; only one that cannot be reached for long is killed. */
	void (*lost)(void *arg);
	/* The addresses that it was started with, before anything else; may be NULL. */
	void (*hello)(void *arg, struct str pod_ip, struct str host_ip);
	/* The connection was made again, after `ready`: what it was asked shortly before it may not have heard, and
	 * answers may be missing. */
	void (*found)(void *arg);
};

/* Start one for the pod in `folder`, with this plan (pod/pod_plan.h). It may be asked at once. That it could not
 * be started is seen by `lost` before `ready`. */
struct supervisor *supervisor_launch(struct launcher *launcher, const char *folder, struct str plan,
				     const struct supervisor_events *events, void *arg,
				     struct err *err) MUST_CHECK;
/* Find the one of the pod in `folder`. ERR_NOT_FOUND: there is none. It may take a while until it answers. */
struct supervisor *supervisor_connect(struct launcher *launcher, const char *folder,
				      const struct supervisor_events *events, void *arg,
				      struct err *err) MUST_CHECK;
/* Is there one? Nobody is disturbed by the question. */
bool supervisor_is_there(const char *folder);
/* Kill it, where there is one, and wait until it has gone, for a second at most. */
void supervisor_kill(const char *folder);
/* Its pod is gone: so is the socket that one that was killed has left. */
void supervisor_forget(const struct launcher *launcher, const char *folder);
/* Has it told that it took its control groups away? Otherwise, once it is lost, that is left to do. */
bool supervisor_is_clean(const struct supervisor *supervisor);
/* It stays, and goes on. Allowed in its events. Takes NULL. */
void supervisor_free(struct supervisor *supervisor);
DEFINE_AUTO(struct supervisor *, supervisor_free);

void supervisor_start(struct supervisor *supervisor, size_t container, unsigned run);
void supervisor_stop(struct supervisor *supervisor, size_t container, int64_t grace_us);
/* `timeout_us` 0: none. */
void supervisor_exec(struct supervisor *supervisor, uint64_t id, size_t container,
		     int64_t timeout_us, const struct str *args, size_t n_args);
/* Other names for its containers, as the text of their hosts files, where these are in memory (PLAN_HOSTS). */
void supervisor_hosts(struct supervisor *supervisor, struct str hosts);
/* Kill whatever runs, and go. `lost` follows. */
void supervisor_quit(struct supervisor *supervisor);

/* What a supervisor has written down about `count` containers; those it has not are RECORD_NEW. */
void supervisor_read_records(const char *folder, struct record *records, size_t count);

#endif
