/* SPDX-License-Identifier: Apache-2.0 */
/* base/map.h - hash map from a string to a pointer.
 *
 * Open addressing over a dense array of entries: walking goes in the order of insertion whatever
 * the seed, so that a program's behaviour does not depend on it. The seed is mixed with a secret of the
 * process (hash_secret()): an outsider cannot choose keys that collide, even if the seed is a constant.
 *
 * The map owns neither keys nor values: a key must live, unchanged, as long as its entry; usually
 * it is a field of the value. Values must not be NULL. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"

struct map;

struct map *map_new(uint64_t seed) __attribute__((returns_nonnull));
void map_free(struct map *map);
DEFINE_AUTO(struct map *, map_free);

size_t map_len(const struct map *map);

/* The value, or NULL. */
void *map_get(const struct map *map, struct str key);

/* Store under `key`. Returns the previous value, or NULL; its entry keeps its place in the order
 * and uses the new key. */
void *map_put(struct map *map, struct str key, void *value);

/* Take out and give back the value, or NULL. Allowed for the current entry while walking. */
void *map_remove(struct map *map, struct str key);

void map_clear(struct map *map);

/* Walk in order of insertion:
 *	size_t at = 0; struct str key; void *value;
 *	while (map_next(map, &at, &key, &value)) ...
 * `key` may be NULL. Entries put while walking may or may not be seen; a walk that has removed some
 * and then puts new keys may miss others, since putting closes the gaps. */
bool map_next(const struct map *map, size_t *at, struct str *key, void **value);

/* The most slots that a look-up of one of the keys compares. Walks the whole map: for tests. */
size_t map_longest_probe(const struct map *map);

#endif
