/* SPDX-License-Identifier: Apache-2.0 */
/* controller/lookups.h - objects that are read when a decision needs them: of kinds that are not watched, because
 * few of them matter (owners of pods), because a role should not list them (secrets), or because it may not.
 *
 *	struct json found;
 *	if (!lookups_get(lookups, RESOURCE_SECRETS, ns, name, key, &found))
 *		return;		not known yet: `known` is called with the key, then decide again
 *
 * An answer is used for a moment (LOOKUPS_FRESH), so that the steps of a job and the pods of an owner share it.
 * Without the permission to read, there is no such object. */
#ifndef CONTROLLER_LOOKUPS_H
#define CONTROLLER_LOOKUPS_H

#include <stdbool.h>

#include "base/macro.h"
#include "base/str.h"
#include "base/time.h"
#include "client/resource.h"
#include "json/doc.h"

struct client;
struct lookups;

#define LOOKUPS_FRESH (2 * TIME_SECOND)

/* What was not known is, or could not be read: ask again. */
typedef void lookups_known_fn(void *arg, struct str waiter);

struct lookups *lookups_new(struct client *client, lookups_known_fn *known, void *arg)
	__attribute__((returns_nonnull));
/* Takes NULL. */
void lookups_free(struct lookups *lookups);
DEFINE_AUTO(struct lookups *, lookups_free);

/* True: *ret is the object, lent until control goes back to the loop, or absent. False: it is being read;
 * `waiter` is copied. */
bool lookups_get(struct lookups *lookups, enum resource_id resource, struct str namespace,
		 struct str name, struct str waiter, struct json *ret);
/* What the server answered to a write; `doc` is NULL if the object was deleted. */
void lookups_put(struct lookups *lookups, enum resource_id resource, struct str namespace,
		 struct str name, struct json_doc *doc);

#endif
