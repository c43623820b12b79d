/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/unsupported.h - fields of a pod that this node does not support: refused or warned about by name, never
 * ignored silently. Pure; one table.
 *
 * A field is refused if its owner relies on it and the pod would differ without it (a raw device, another
 * operating system). A warning is for fields that make little or no difference here. */
#ifndef NODE_UNSUPPORTED_H
#define NODE_UNSUPPORTED_H

#include <stdbool.h>

#include "base/str.h"
#include "json/doc.h"

struct unsupported_world {
	bool root;       /* the node runs as root */
	bool runtime;    /* containers run in images (--runtime) */
	bool namespaces; /* mount namespaces are permitted */
};

enum unsupported_is { UNSUPPORTED_WARNED, UNSUPPORTED_REFUSED };

/* `field` as in "spec.containers[0].volumeDevices", `why` a sentence; lent for the call. */
typedef void unsupported_fn(void *arg, enum unsupported_is is, struct str field, const char *why);
/* Calls `fn` for every such field of the pod's document; true: one of them is refused. */
bool unsupported_walk(struct json pod, const struct unsupported_world *world, unsupported_fn *fn,
		      void *arg);

#endif
