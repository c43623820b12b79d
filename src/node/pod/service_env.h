/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/service_env.h - the variables that tell a container where services are:
 * NAME_SERVICE_HOST, NAME_SERVICE_PORT, and those that Docker's links had. Pure. */
#ifndef NODE_SERVICE_ENV_H
#define NODE_SERVICE_ENV_H

#include "base/arena.h"
#include "base/str.h"
#include "json/doc.h"

struct sandbox;

/* Texts are in the arena. */
typedef void service_env_fn(void *arg, struct str name, struct str value);
/* Of the sandbox's services; those of the pod's namespace unless it says enableServiceLinks: false.
 * A service without an address (headless) has none. */
void service_env_walk(const struct sandbox *sandbox, struct arena *arena, service_env_fn *fn,
		      void *arg);

#endif
