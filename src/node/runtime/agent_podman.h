/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/agent_podman.h - containers with podman (--runtime podman); agent_runtime.h describes the
 * functions. */
#ifndef NODE_AGENT_PODMAN_H
#define NODE_AGENT_PODMAN_H

#include "node/runtime/agent_runtime.h"

struct agent_podman;

/* `program`: the path of podman. */
struct agent_podman *agent_podman_new(struct agent *agent, const struct agent_options *options,
				      const char *program);
/* Takes NULL. */
void agent_podman_free(struct agent_podman *self);

int agent_podman_wrap(const struct agent_podman *self, const struct agent_runtime_container *in,
		      struct plan_container *plan, const char **ret_reason,
		      struct err *err) MUST_CHECK;
size_t agent_podman_exec(const struct agent_podman *self, const struct agent_pod *pod,
			 struct str container, struct arena *arena,
			 struct str words[AGENT_RUNTIME_WORDS]);
/* Why the program of the last run could not be started, for mem_free(); NULL: it was started, or that is unknown. */
char *agent_podman_start_error(const struct agent_pod *pod, size_t container);
void agent_podman_renew(const struct agent_pod *pod, struct str container);
/* The pod has ended: remove containers that a killed podman has left. */
void agent_podman_forget(const struct agent_podman *self, const struct agent_pod *pod);

#endif
