/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/downward.h - the downward API: fields of a pod for its own variables and files. Pure. */
#ifndef NODE_DOWNWARD_H
#define NODE_DOWNWARD_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "model/pod/container.h"
#include "node/pod/sandbox.h"

/* metadata.name, metadata.labels['a'], spec.nodeName, status.podIP, ... */
int downward_field(const struct sandbox *sandbox, struct str path, struct arena *arena,
		   struct str *ret, struct err *err) MUST_CHECK;
/* limits.cpu, requests.memory, ... in units of the divisor, rounded up. A missing limit is what the node can
 * allocate. `container` is the container with the reference; NULL in a volume. */
int downward_resource(const struct sandbox *sandbox, const struct container *container,
		      const struct resource_field_ref *ref, struct arena *arena, struct str *ret,
		      struct err *err) MUST_CHECK;

#endif
