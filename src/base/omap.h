/* SPDX-License-Identifier: Apache-2.0 */
/* base/omap.h - ordered map from a string to a pointer: a B-tree, for prefix lists and paging.
 *
 * Keys sort by bytes. As with map, keys and values belong to the caller and a key must live as long
 * as its entry. Values must not be NULL. Every operation costs O(log n). */
#ifndef BASE_OMAP_H
#define BASE_OMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/macro.h"
#include "base/str.h"

struct omap;

struct omap *omap_new(void) __attribute__((returns_nonnull));
void omap_free(struct omap *omap);
DEFINE_AUTO(struct omap *, omap_free);

size_t omap_len(const struct omap *omap);
void *omap_get(const struct omap *omap, struct str key);
/* Returns the previous value, or NULL; the entry uses the new key from now on. */
void *omap_put(struct omap *omap, struct str key, void *value);
void *omap_remove(struct omap *omap, struct str key);

/* The entry with the smallest key >= `from` (or > `from`), or NULL. `key` may be NULL.
 * Walking a prefix:
 *	for (v = omap_seek(m, prefix, &key); v && str_starts(key, prefix);
 *	     v = omap_after(m, key, &key)) ... */
void *omap_seek(const struct omap *omap, struct str from, struct str *key);
void *omap_after(const struct omap *omap, struct str from, struct str *key);

/* How many keys are >= `from` and < `to` (none: no end). Visits the nodes between the two keys, not
 * each entry. */
size_t omap_count(const struct omap *omap, struct str from, struct str to);

/* A walk in order, each step in constant time. The map must not change meanwhile.
 *	omap_walk_start(&walk, m, prefix, false);
 *	while ((v = omap_walk_next(&walk, &key)) && str_starts(key, prefix)) ... */
enum { OMAP_DEPTH = 16 }; /* of a tree of 16^16 entries */
struct omap_walk {
	unsigned depth;
	struct {
		const void *node;
		unsigned at; /* the entry that comes next */
	} up[OMAP_DEPTH];
};
/* From the smallest key >= `from`, or > `from` if `after`. */
void omap_walk_start(struct omap_walk *walk, const struct omap *omap, struct str from, bool after);
void *omap_walk_next(struct omap_walk *walk, struct str *key);

/* Asserts every invariant of the tree; for tests. */
void omap_check(const struct omap *omap);

#endif
