/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/container_env.h - a container's environment, command and arguments, as a kubelet makes them.
 *
 * Later ones replace earlier ones: what every process has (PATH, HOME, HOSTNAME), services, envFrom in order, env
 * in order. `$(NAME)` in a value refers to variables before it; in command, args and subPathExpr to all of them.
 * Pure. */
#ifndef NODE_CONTAINER_ENV_H
#define NODE_CONTAINER_ENV_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "model/pod/container.h"
#include "node/pod/sandbox.h"

struct container_env {
	const char *const *env; /* "NAME=value", each name once; ends in NULL */
	size_t n_env;
	const char *const *argv; /* command and args; ends in NULL */
	size_t argc;             /* 0: no command; only an image could have one */
	struct map *names;       /* values by name, for container_env_expand() */
};
void container_env_done(struct container_env *env);
DEFINE_AUTO_IN_PLACE(struct container_env, container_env_done);

/* Everything is in the arena, except what container_env_done() frees. `home` may be NULL. Errors have a kubelet's
 * texts for CreateContainerConfigError: ERR_NOT_FOUND while a referenced object may still be created, ERR_INVALID
 * otherwise. */
int container_env_make(const struct sandbox *sandbox, const struct container *container,
		       const char *home, struct arena *arena, struct container_env *ret,
		       struct err *err) MUST_CHECK;

/* The pod does not name this variable: an image may set it. */
bool container_env_is_common(const struct container_env *env, struct str name);

/* Expands `$(NAME)` in a text. Unknown references stay as they are; with `strict`, and for empty names, they are
 * an error: "missing value for NAME". */
int container_env_expand(const struct container_env *env, struct str text, bool strict,
			 struct arena *arena, struct str *ret, struct err *err) MUST_CHECK;

#endif
