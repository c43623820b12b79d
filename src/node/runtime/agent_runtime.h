/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/agent_runtime.h - containers in images, by a runtime that is installed (--runtime). */
#ifndef NODE_AGENT_RUNTIME_H
#define NODE_AGENT_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct agent;
struct agent_options;
struct agent_pod;
struct agent_runtime;
struct container;
struct container_env;
struct plan_container;
struct pod;

/* The runtime of options->runtime. ERR_NOT_FOUND: it is not installed. */
struct agent_runtime *agent_runtime_new(struct agent *agent, const struct agent_options *options,
					struct err *err) MUST_CHECK;
void agent_runtime_free(struct agent_runtime *self);
const char *agent_runtime_name(const struct agent_runtime *self);
/* Does the runtime make all namespaces of a container itself, except the one for its mounts? */
bool agent_runtime_has_own_namespaces(const struct agent_runtime *self);

struct agent_runtime_container {
	const struct pod *pod;
	const struct container *container;
	const struct container_env *env;
	struct arena *arena;
	const char *folder; /* the pod's */
	const char *uid_text;
	const char *hidden; /* the node's folder */
	const char *netns;  /* NULL: the machine's network */
	const char *hostname;
	const char *const *devices; /* device files of the container; may be missing */
	size_t n_devices;
	bool is_root;   /* the node */
	bool can_mount; /* there are mount namespaces */
	int64_t uid, gid;
	/* On a root node: the user if neither pod nor image name a user other than root; 0: the node's user. */
	int64_t default_user;
	bool allow_root; /* an image may name root */
};
/* Turn the plan of a process into that of the runtime's program; makes what it needs in the pod's folder.
 * `ret_reason`: why the container waits after a failure. */
int agent_runtime_wrap(const struct agent_runtime *self, const struct agent_runtime_container *in,
		       struct plan_container *plan, const char **ret_reason,
		       struct err *err) MUST_CHECK;

enum { AGENT_RUNTIME_WORDS = 20 };
/* The words that go before a command to run it in a container, in the arena; returns their number. */
size_t agent_runtime_exec(const struct agent_runtime *self, const struct agent_pod *pod,
			  struct str container, struct arena *arena,
			  struct str words[AGENT_RUNTIME_WORDS]);
/* A run has ended: if its program could not be started, the record gets the reason. */
void agent_runtime_note_end(const struct agent_runtime *self, struct agent_pod *pod,
			    size_t container);
/* Before another run: delete what the last one has written. */
void agent_runtime_renew(const struct agent_runtime *self, struct agent_pod *pod,
			 struct str container);
/* The last process of a pod has ended. */
void agent_runtime_leave(const struct agent_runtime *self, const struct agent_pod *pod);

#endif
