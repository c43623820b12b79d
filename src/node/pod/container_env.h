/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/container_env.h - a container's environment, command and arguments, as kubelet makes them.
 *
 * Later ones win: what every process has (PATH, HOME, HOSTNAME), services, envFrom in order, env in
 * order. `$(NAME)` in a value refers to what stands before it; in command, args and subPathExpr to
 * the whole. Pure. */
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
	const char *const *env; /* "NAME=value", names once, NULL behind the last */
	size_t n_env;
	const char *const *argv; /* command and args; NULL behind the last */
	size_t argc;             /* 0: has no command, only an image could tell */
	struct map *names;       /* of the values; for container_env_expand() */
};
void container_env_done(struct container_env *env);
DEFINE_AUTO_IN_PLACE(struct container_env, container_env_done);

/* Everything is in the arena, but for what container_env_done() lets go. `home` may be NULL. Fails
 * with kubelet's words for a CreateContainerConfigError: ERR_NOT_FOUND while what is referred to may
 * still come, ERR_INVALID otherwise. */
int container_env_make(const struct sandbox *sandbox, const struct container *container,
		       const char *home, struct arena *arena, struct container_env *ret,
		       struct err *err) MUST_CHECK;

/* Nobody has named it: an image may know better. */
bool container_env_is_common(const struct container_env *env, struct str name);

/* A text with `$(NAME)`. What is not known stays as it is; where `strict`, and for names that are
 * empty, that is an error: "missing value for NAME". */
int container_env_expand(const struct container_env *env, struct str text, bool strict,
			 struct arena *arena, struct str *ret, struct err *err) MUST_CHECK;

#endif
