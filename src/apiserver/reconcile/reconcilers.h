/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/reconcilers.h - background controllers of the API server. Each one keeps something true
 * of the objects in the store.
 *
 * A reconciler is one file (reconcile_*.c) and one row of RECONCILERS below. It gets every object at the
 * start and every change afterwards, in order. It acts later in the same turn or when a time has come
 * (todo.h), through the server's own writes (self.h). All that it knows comes from these changes, so a
 * restart at any point loses nothing. */
#ifndef APISERVER_RECONCILERS_H
#define APISERVER_RECONCILERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

struct api;
struct kind;
struct object;
struct roles;

/* A change of one object. */
struct change {
	struct api *api;
	const struct kind *kind; /* as stored; NULL: of a kind that is not served (any more) */
	struct str key;
	struct str namespace;
	struct str name;
	struct object *object; /* NULL: it was deleted */
	struct object *old;    /* NULL: it is new, or was there at the start */
	bool at_start;         /* it was there when the reconcilers were started */

	struct json_doc *docs[2]; /* made when first asked for */
};
/* The object as it is and as it was; absent if there is none. Lent for the call. */
struct json change_object(struct change *change);
struct json change_old(struct change *change);
/* Of this kind of Kubernetes' own? */
bool change_is(const struct change *change, const char *group, const char *plural);

struct reconciler {
	const char *name;
	void *(*start)(struct api *api);
	void (*on_change)(void *self, struct change *change);
	void (*stop)(void *self);
};

/* All of them, in the order in which they get events. To add one: its file reconcile_<name>.c with a
 * `const struct reconciler reconcile_<name>`, and its row here. */
#define RECONCILERS(row) \
	ROWS( \
	row(DEFAULTS, defaults) /* the namespaces, classes and accounts that a cluster begins with */ \
	row(OWNERS, owners) /* owner clean-up: background, foreground, orphans */ \
	row(NAMESPACES, namespaces) /* deletion of a namespace: its contents, conditions, finalizer */ \
	row(BUDGETS, budgets) /* the status of disruption budgets */ \
	row(CLAIMS, claims) /* deletion of claims and volumes that were in use */ \
	row(QUOTAS, quotas) /* what is used of quotas */ \
	row(ROLES, roles) /* roles and bindings as decisions need them; default and aggregated roles */ \
	row(NODES, nodes) /* the taints of nodes, by whether they are ready */ \
	row(EVENTS, events) /* deletion of old events */)

#define RECONCILER_ID(id, name) RECONCILE_##id,
enum reconciler_id { RECONCILERS(RECONCILER_ID) RECONCILE_COUNT /* the last */ };
#undef RECONCILER_ID
#define RECONCILER_DECLARE(id, name) extern const struct reconciler reconcile_##name;
RECONCILERS(RECONCILER_DECLARE)
#undef RECONCILER_DECLARE

struct reconcilers;
struct reconcilers *reconcilers_start(struct api *api) __attribute__((returns_nonnull));
/* Takes NULL. */
void reconcilers_stop(struct reconcilers *self);
/* The state of a reconciler, for the admitter or the sub-resource that works with it; NULL before
 * api_start(). */
void *reconcilers_state(const struct reconcilers *self, enum reconciler_id id);

/* --- what single reconcilers offer --- */

/* An object has been staged: if it is a namespace, what every namespace has goes into the same commit, so
 * that a watcher that gets the namespace finds it complete. */
void reconcile_defaults_made(struct api *api, const struct kind *kind, struct str name);
/* How often the use of an object was computed, for the quotas that are there: for tests of how admission
 * scales. */
uint64_t quotas_counts(const struct api *api);

/* The roles and bindings that there are; NULL before api_start(). */
struct roles *reconcile_roles_get(const struct api *api);

/* --- keys --- */

/* "<group>/<plural>/<namespace>/<name>" in parts, which borrow `key`. */
struct key_parts {
	struct str prefix; /* of the kind, with the slash after it */
	struct str namespace;
	struct str name;
};
struct key_parts key_split(struct str key);
/* The kind as stored whose keys have this prefix, or NULL. */
const struct kind *reconcile_kind(struct api *api, struct str prefix);

#endif
