/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/service_env.h - the variables with the addresses of services: NAME_SERVICE_HOST, NAME_SERVICE_PORT, and
 * those of Docker links. Pure. */
#ifndef NODE_SERVICE_ENV_H
#define NODE_SERVICE_ENV_H

#include "base/arena.h"
#include "base/str.h"
#include "json/doc.h"

struct sandbox;

/* Texts are in the arena. */
typedef void service_env_fn(void *arg, struct str name, struct str value);
/* For the sandbox's services; for those of the pod's namespace unless the pod has enableServiceLinks: false. A
 * service without an address (headless) has no variables. */
void service_env_walk(const struct sandbox *sandbox, struct arena *arena, service_env_fn *fn,
		      void *arg);

#endif
