/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/unsupported.h - fields of a pod that this node does not honour: refused or warned about by
 * name, never ignored in silence. Pure; one table.
 *
 * Refused is what would make the pod other than it was meant to be in a way that its owner relies on
 * (a raw device, another system). Warned about is what makes no difference here, or a smaller one. */
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
/* Every field of the pod's document that is such; true when one of them is refused. */
bool unsupported_walk(struct json pod, const struct unsupported_world *world, unsupported_fn *fn,
		      void *arg);

#endif
