/* SPDX-License-Identifier: Apache-2.0 */
/* base/map.c - hash map with entries in order of insertion.
 *
 * entries[] is dense but for holes left by removal (value NULL). slots[] is a table of 2^k indexes into
 * it, probed linearly until SLOT_EMPTY. Removal moves back the entries that collided with the slot, so
 * that a key that is added and removed again and again leaves no slots to skip.
 *
 * Always true:
 * 1. every live entry is found from its hash by probing until SLOT_EMPTY, and no slot leads to a hole;
 * 2. at most 3/4 of the slots are not SLOT_EMPTY, so that every probe ends;
 * 3. live entries keep their order; they move only in rebuild(), which no look-up or removal calls.
 */
#include "base/map.h"

#include <assert.h>

#include "base/hash.h"
#include "base/mem.h"

#include "base/banned.h"

#define SLOT_EMPTY UINT32_MAX
enum { SLOTS_MIN = 8 };

struct entry {
	struct str key;
	uint64_t hash;
	void *value;
};

struct map {
	struct entry *entries;
	uint32_t *slots;
	size_t used;     /* entries written, holes included */
	size_t capacity; /* entries allocated: 3/4 of the slots */
	size_t live;     /* entries that are not holes */
	size_t mask;     /* slots - 1 */
	uint64_t seed;
};

struct map *map_new(uint64_t seed)
{
	struct map *map = mem_new(struct map);

	map->seed = seed ^ hash_secret();
	return map;
}

void map_free(struct map *map)
{
	if (!map)
		return;
	mem_free(map->entries);
	mem_free(map->slots);
	mem_free(map);
}

size_t map_len(const struct map *map)
{
	return map->live;
}

static size_t free_slot(const struct map *map, uint64_t hash)
{
	size_t at = hash & map->mask;

	while (map->slots[at] != SLOT_EMPTY)
		at = (at + 1) & map->mask;
	return at;
}

/* Make the tables fit the live entries and one more, and close the holes. */
static void rebuild(struct map *map)
{
	size_t slots = SLOTS_MIN;
	struct entry *old = map->entries;
	size_t old_used = map->used;

	while (slots * 3 / 4 < (map->live + 1) * 3 / 2)
		slots *= 2;
	mem_free(map->slots);
	map->slots = mem_calloc(slots, sizeof(*map->slots));
	memset(map->slots, 0xff, slots * sizeof(*map->slots));
	map->mask = slots - 1;
	map->capacity = slots * 3 / 4;
	map->entries = mem_calloc(map->capacity, sizeof(*map->entries));
	map->used = 0;
	for (size_t i = 0; i < old_used; i++) {
		if (!old[i].value)
			continue;
		map->slots[free_slot(map, old[i].hash)] = (uint32_t)map->used;
		map->entries[map->used++] = old[i];
	}
	mem_free(old);
}

/* The slot that leads to `key`, or NULL. */
static uint32_t *find(const struct map *map, struct str key, uint64_t hash)
{
	if (map->live == 0)
		return NULL;
	for (size_t at = hash & map->mask; map->slots[at] != SLOT_EMPTY;
	     at = (at + 1) & map->mask) {
		const struct entry *entry = &map->entries[map->slots[at]];

		if (entry->hash == hash && str_eq(entry->key, key))
			return &map->slots[at];
	}
	return NULL;
}

void *map_get(const struct map *map, struct str key)
{
	uint32_t *slot = find(map, key, hash_str(key, map->seed));

	return slot ? map->entries[*slot].value : NULL;
}

void *map_put(struct map *map, struct str key, void *value)
{
	uint64_t hash = hash_str(key, map->seed);
	uint32_t *slot = find(map, key, hash);

	assert(value);
	if (slot) {
		struct entry *entry = &map->entries[*slot];
		void *old = entry->value;

		entry->key = key;
		entry->value = value;
		return old;
	}
	if (map->used == map->capacity)
		rebuild(map);
	map->slots[free_slot(map, hash)] = (uint32_t)map->used;
	map->entries[map->used++] = (struct entry){key, hash, value};
	map->live++;
	return NULL;
}

/* Empties a slot. Entries that could no longer be found after the gap move closer to their own
 * slot. */
static void close_slot(struct map *map, size_t hole)
{
	for (size_t at = (hole + 1) & map->mask; map->slots[at] != SLOT_EMPTY;
	     at = (at + 1) & map->mask) {
		size_t home = map->entries[map->slots[at]].hash & map->mask;

		if (((at - home) & map->mask) < ((at - hole) & map->mask))
			continue;
		map->slots[hole] = map->slots[at];
		hole = at;
	}
	map->slots[hole] = SLOT_EMPTY;
}

void *map_remove(struct map *map, struct str key)
{
	uint32_t *slot = find(map, key, hash_str(key, map->seed));
	uint32_t entry;
	void *value;

	if (!slot)
		return NULL;
	entry = *slot;
	value = map->entries[entry].value;
	close_slot(map, (size_t)(slot - map->slots));
	map->entries[entry] = (struct entry){.value = NULL};
	if (entry + 1 == map->used)
		map->used--;
	map->live--;
	return value;
}

void map_clear(struct map *map)
{
	mem_free(map->entries);
	mem_free(map->slots);
	*map = (struct map){.seed = map->seed};
}

bool map_next(const struct map *map, size_t *at, struct str *key, void **value)
{
	while (*at < map->used) {
		const struct entry *entry = &map->entries[(*at)++];

		if (!entry->value)
			continue;
		if (key)
			*key = entry->key;
		*value = entry->value;
		return true;
	}
	return false;
}

size_t map_longest_probe(const struct map *map)
{
	size_t longest = 0;

	for (size_t at = 0; map->live && at <= map->mask; at++) {
		size_t home, length;

		if (map->slots[at] == SLOT_EMPTY)
			continue;
		home = map->entries[map->slots[at]].hash & map->mask;
		length = ((at - home) & map->mask) + 1;
		longest = length > longest ? length : longest;
	}
	return longest;
}
