/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/keep.h - what the API server does by itself: its keepers, each of which keeps something
 * true of the objects.
 *
 * A keeper is one file (keep_*.c) and one row of KEEPERS below. It is told of every object at the
 * start and of every change afterwards, in order, and acts later in the same turn or when it is time
 * (todo.h), by writes of the server's own (self.h). Everything that it knows it has from what it was
 * told, so that a restart at any point loses nothing. */
#ifndef APISERVER_KEEP_H
#define APISERVER_KEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

struct api;
struct kind;
struct object;

/* A change of one object. */
struct change {
	struct api *api;
	const struct kind *kind; /* as stored; NULL: of a kind that is not served (any more) */
	struct str key;
	struct str namespace;
	struct str name;
	struct object *object; /* NULL: it is gone */
	struct object *old;    /* NULL: it is new, or was there at the start */
	bool at_start;         /* it was there when the keepers were started */

	struct json_doc *docs[2]; /* made when first asked for */
};
/* The object as it is and as it was; absent where there is none. Lent for the call. */
struct json change_object(struct change *change);
struct json change_old(struct change *change);
/* Of this kind of Kubernetes' own? */
bool change_is(const struct change *change, const char *group, const char *plural);

struct keeper {
	const char *name;
	void *(*start)(struct api *api);
	void (*told)(void *self, struct change *change);
	void (*stop)(void *self);
};

/* All of them, in the order in which they get events. To add one: its file keep_<name>.c with a
 * `const struct keeper keep_<name>`, and its row here. */
#define KEEPERS(row) \
	ROWS( \
	row(DEFAULTS, defaults) /* the namespaces, classes and accounts that a cluster begins with */ \
	row(OWNERS, owners) /* owner clean-up: background, foreground, orphans */ \
	row(NAMESPACES, namespaces) /* deletion of a namespace: its contents, conditions, finalizer */ \
	row(BUDGETS, budgets) /* the status of disruption budgets */ \
	row(CLAIMS, claims) /* deletion of claims and volumes that were in use */ \
	row(QUOTAS, quotas) /* what is used of quotas */ \
	row(NODES, nodes) /* the taints of nodes, by whether they are ready */ \
	row(EVENTS, events) /* deletion of old events */)

#define KEEPER_ID(id, name) KEEP_##id,
enum keeper_id { KEEPERS(KEEPER_ID) KEEP_COUNT /* the last */ };
#undef KEEPER_ID
#define KEEPER_DECLARE(id, name) extern const struct keeper keep_##name;
KEEPERS(KEEPER_DECLARE)
#undef KEEPER_DECLARE

struct keep;
struct keep *keep_start(struct api *api) __attribute__((returns_nonnull));
/* Takes NULL. */
void keep_stop(struct keep *keep);
/* The state of a keeper, for the admitter or the sub-resource that works with it; NULL before
 * api_start(). */
void *keep_state(const struct keep *keep, enum keeper_id id);

/* --- what single keepers offer --- */

/* An object has been staged: if it is a namespace, what every namespace has goes into the same commit, so
 * that a watcher that gets the namespace finds it complete. */
void keep_defaults_made(struct api *api, const struct kind *kind, struct str name);
/* How often the use of an object was computed, for the quotas that are there: for tests of how admission
 * scales. */
uint64_t quotas_counts(const struct api *api);

/* --- keys --- */

/* "<group>/<plural>/<namespace>/<name>" in parts, which borrow `key`. */
struct key_parts {
	struct str prefix; /* of the kind, with the slash behind it */
	struct str namespace;
	struct str name;
};
struct key_parts key_split(struct str key);
/* The kind as stored whose keys have this prefix, or NULL. */
const struct kind *keep_kind(struct api *api, struct str prefix);

#endif
