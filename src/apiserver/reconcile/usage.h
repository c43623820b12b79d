/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/usage.h - what an object uses of what quotas limit. Pure.
 *
 *	pods		pods, cpu, requests.cpu, limits.cpu, ..., hugepages, extended resources
 *	services	services, services.nodeports, services.loadbalancers
 *	claims		persistentvolumeclaims, requests.storage, and both a storage class
 *	every kind	count/<plural>.<group>; configmaps, secrets, ... under their old names too */
#ifndef APISERVER_USAGE_H
#define APISERVER_USAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"
#include "json/doc.h"
#include "model/value/quantity.h"

struct kind;

struct amount {
	struct str name;
	struct quantity value; /* without a text of its own */
};
struct usage VEC_FIELDS(struct amount);

void usage_done(struct usage *usage);
DEFINE_AUTO_IN_PLACE(struct usage, usage_done);

/* Of one object. Names are in the arena, or static. `ret` must be empty. */
void usage_of(const struct kind *kind, struct json object, struct arena *arena, struct usage *ret);
struct quantity *usage_find(const struct usage *usage, struct str name);
/* Add an amount, or subtract it. */
void usage_add(struct usage *usage, struct str name, const struct quantity *value);

/* May an object of the kind use this at all? */
bool usage_is_of(const struct kind *kind, struct str name);
/* Is the object one of those that the quota is for? */
bool usage_is_in_scope(struct json quota_spec, const struct kind *kind, struct json object);
/* Which of the limited names of cpu and memory some container of a pod leaves open, with Kubernetes'
 * message: "must specify limits.memory for: c"; false if there is none. */
bool usage_is_open(struct json pod, const struct str *names, size_t count, struct buf *to);

#endif
