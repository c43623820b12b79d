/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/supervisor_client.h - the agent's end of supervisors: starts them, connects to them, sends messages and
 * delivers events.
 *
 * There is one supervisor process (programs/volcano-pod) per pod, which outlives the agent. A launcher starts it,
 * a small process that runs as long as the agent: the agent itself is never copied. pod/pod_messages.h lists the
 * messages. */
#ifndef NODE_SUPERVISOR_H
#define NODE_SUPERVISOR_H

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

/* Starts `program` at once, and again if it ends. `control` is the folder in which supervisors without an agent
 * listen (pod/pod_messages.h); it is made, with a secret in it. */
struct launcher *launcher_new(struct loop *loop, const char *program, const char *control,
			      struct log *log, struct err *err) MUST_CHECK;
/* Its process ends; supervisors stay. Takes NULL. */
void launcher_free(struct launcher *launcher);
DEFINE_AUTO(struct launcher *, launcher_free);

struct supervisor_events {
	/* The record of a container: of each that has ever run at the beginning, then with every change. */
	void (*state)(void *arg, size_t container, const struct record *record);
	/* All records have been delivered. */
	void (*ready)(void *arg);
	/* A command has ended, with its exit code, POD_EXEC_NOT_STARTED or POD_EXEC_TIMED_OUT. */
	void (*done)(void *arg, uint64_t id, int code, struct str output);
	/* The supervisor has ended. Nothing is called after this; free it. If a connection breaks while the
	 * supervisor lives, it is made again first; a supervisor that cannot be reached for long is killed. */
	void (*lost)(void *arg);
	/* The addresses that it was started with, before anything else; may be NULL. */
	void (*hello)(void *arg, struct str pod_ip, struct str host_ip);
	/* Called after `ready`, when a connection was made again: the supervisor may not have received the last
	 * messages, and answers may be missing. */
	void (*found)(void *arg);
};

/* Start a supervisor for the pod in `folder`, with this plan (pod/pod_plan.h). Messages may be sent at once. If it
 * cannot be started, `lost` is called before `ready`. */
struct supervisor *supervisor_launch(struct launcher *launcher, const char *folder, struct str plan,
				     const struct supervisor_events *events, void *arg,
				     struct err *err) MUST_CHECK;
/* Connect to the supervisor of the pod in `folder`. ERR_NOT_FOUND: there is none. It may take some time to answer. */
struct supervisor *supervisor_connect(struct launcher *launcher, const char *folder,
				      const struct supervisor_events *events, void *arg,
				      struct err *err) MUST_CHECK;
/* Is there a supervisor? It is not disturbed. */
bool supervisor_is_there(const char *folder);
/* Kill the supervisor if there is one, and wait until it has ended, for at most a second. */
void supervisor_kill(const char *folder);
/* Its pod was deleted: delete the socket that a killed supervisor has left. */
void supervisor_forget(const struct launcher *launcher, const char *folder);
/* Has it reported that it removed its control groups? If not, the caller has to remove them when it is lost. */
bool supervisor_is_clean(const struct supervisor *supervisor);
/* Close the connection; the supervisor continues. Allowed in its events. Takes NULL. */
void supervisor_free(struct supervisor *supervisor);
DEFINE_AUTO(struct supervisor *, supervisor_free);

void supervisor_start(struct supervisor *supervisor, size_t container, unsigned run);
void supervisor_stop(struct supervisor *supervisor, size_t container, int64_t grace_us);
/* `timeout_us` 0: none. */
void supervisor_exec(struct supervisor *supervisor, uint64_t id, size_t container,
		     int64_t timeout_us, const struct str *args, size_t n_args);
/* New names for its containers: the text of their hosts files, if these are in memory (PLAN_HOSTS). */
void supervisor_hosts(struct supervisor *supervisor, struct str hosts);
/* End the supervisor and what it runs. `lost` follows. */
void supervisor_quit(struct supervisor *supervisor);

/* Reads the records of `count` containers that a supervisor has written; RECORD_NEW without one. */
void supervisor_read_records(const char *folder, struct record *records, size_t count);

#endif
