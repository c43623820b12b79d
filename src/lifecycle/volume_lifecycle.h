/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/volume_lifecycle.h - binds claims to volumes in single-node mode, in which no Kubernetes
 * controller does it.
 *
 *	claim without a volume	-> the volume that is reserved for it, else the smallest that fits; a claim
 *				   of a class that waits for the first pod: only once the scheduler has
 *				   reserved a volume for it or named a node
 *	nothing fits		-> of the class of local folders: a volume is created
 *	volume without a claim	-> Available; its claim was deleted: Released, or deleted if it was created here
 *				   and its policy says so
 *
 * A created volume is a folder `<folder>/pvc-<uid of the claim>`; the node creates it when a pod mounts
 * it. */
#ifndef LIFECYCLE_VOLUME_LIFECYCLE_H
#define LIFECYCLE_VOLUME_LIFECYCLE_H

#include <stddef.h>

#include "base/err.h"
#include "base/macro.h"
#include "json/doc.h"
#include "lifecycle/lifecycle_plan.h"

#define VOLUME_PROVISIONER "volcano.sh/local"
#define VOLUME_CLASS "local"

struct volume_world {
	const struct json *volumes;
	size_t volume_count;
	struct json class;  /* of the claim; JSON_NONE: it does not exist */
	const char *folder; /* of local volumes; NULL: none are created */
};

/* One claim. */
int volume_claim_step(struct json document, const struct volume_world *world, struct plan *plan,
		      struct err *err) MUST_CHECK;
/* One volume, with the claim that it is reserved for (JSON_NONE: it does not exist). */
int volume_step(struct json document, struct json claim, struct plan *plan,
		struct err *err) MUST_CHECK;
/* Creates the class of local folders, which is the default class, if it does not exist. */
void volume_class_step(struct json known, struct plan *plan);

/* The name of a claim's class. */
struct str volume_class_of(struct json claim);

#endif
