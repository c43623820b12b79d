/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/volume_lifecycle.h - claims get volumes, where no Kubernetes controller does that: on one machine.
 *
 *	claim without a volume	-> the volume that is kept for it, else the smallest that suits; a claim
 *				   of a class that waits for the first pod: only once the scheduler has
 *				   kept a volume for it or named a node
 *	nothing suits		-> of the class of local folders: a volume is made
 *	volume of no claim	-> Available; whose claim is gone: Released, or deleted if it was made here
 *				   and its policy says so
 *
 * A volume that is made is a folder `<folder>/pvc-<uid of the claim>`; whoever mounts it creates it. */
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
	struct json class;  /* the claim's; JSON_NONE: it is not there */
	const char *folder; /* of local volumes; NULL: none are made */
};

/* One claim. */
int volume_claim_step(struct json document, const struct volume_world *world, struct plan *plan,
		      struct err *err) MUST_CHECK;
/* One volume, with the claim that it is kept for (JSON_NONE: that is not there). */
int volume_step(struct json document, struct json claim, struct plan *plan,
		struct err *err) MUST_CHECK;
/* The class of local folders, which is the default one; nothing where it is there. */
void volume_class_step(struct json known, struct plan *plan);

/* The name of a claim's class. */
struct str volume_class_of(struct json claim);

#endif
