/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/downward.h - the downward API: what a pod can be told about itself, in variables
 * and in files. Pure. */
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
/* limits.cpu, requests.memory, ... in units of the divisor, rounded up. A limit that the container
 * does not have is what the node can give. `container` is the one that asks; NULL in a volume. */
int downward_resource(const struct sandbox *sandbox, const struct container *container,
		      const struct resource_field_ref *ref, struct arena *arena, struct str *ret,
		      struct err *err) MUST_CHECK;

#endif
