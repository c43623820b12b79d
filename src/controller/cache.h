/* SPDX-License-Identifier: Apache-2.0 */
/* controller/cache.h - the newest version of objects that is known: what an informer
 * reports, and what the server answered to a write.
 *
 * A controller that has just written something looks again at once, and must see what it wrote,
 * though no watch has reported it yet. Versions only go forward: what is older than what is known is
 * passed over. */
#ifndef CONTROLLER_CACHE_H
#define CONTROLLER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

struct buf;
struct cache;
struct informer;

/* Is it worth keeping? */
typedef bool cache_keep_fn(struct json object);

struct cache_events {
	/* It is there in a new version, or (`gone`) not any more. `object` is lent. */
	void (*changed)(void *arg, struct str namespace, struct str name, struct json object,
			bool gone);
	/* Is a new version (of what was known as `old`) worth an event? NULL: always. */
	bool (*matters)(struct json old, struct json object);
	void *arg;
};

/* `keep` may be NULL: everything. `events` may be NULL; it is copied. */
struct cache *cache_new(cache_keep_fn *keep, const struct cache_events *events)
	__attribute__((returns_nonnull));
void cache_free(struct cache *cache);
DEFINE_AUTO(struct cache *, cache_free);

/* Keep them by groups as well, from the beginning on. `group` puts the name of an object's group into
 * *to, and leaves it empty where it has none. */
typedef void cache_group_fn(struct json object, struct buf *to);
void cache_group_by(struct cache *cache, cache_group_fn *group);
/* Walk the members of a group, in no order that means anything; starts with 0. */
struct json_doc *cache_group_next(const struct cache *cache, struct str group, size_t *at);

/* Listen to an informer, before it is started. */
void cache_listen(struct cache *cache, struct informer *informer);

/* Store what the server answered. Calls no listener. */
void cache_put(struct cache *cache, struct json_doc *doc);
/* It was deleted; `uid` is that of the deleted object. Calls no listener. */
void cache_remove(struct cache *cache, struct str namespace, struct str name, struct str uid);

/* Lent until control goes back to the loop; NULL: not there. */
struct json_doc *cache_get(const struct cache *cache, struct str namespace, struct str name);
/* Walk them, in no order that means anything; starts with 0. */
struct json_doc *cache_next(const struct cache *cache, size_t *at);
size_t cache_len(const struct cache *cache);

/* The number in an object's resourceVersion; 0 where there is none. */
uint64_t cache_version(struct json object);

#endif
