/* SPDX-License-Identifier: Apache-2.0 */
/* base/intern.c - interned strings: each text is stored once and has a small number.
 *
 * A map from text to its record; records and texts live in an arena, so that a record never moves.
 */
#include "base/intern.h"

#include <assert.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

#include "base/banned.h"

struct record {
	struct str text;
	uint32_t id;
};

struct intern {
	struct map *by_text;
	struct arena *memory;
	VEC(struct record *) records;
};

struct intern *intern_new(uint64_t seed)
{
	struct intern *pool = mem_new(struct intern);

	pool->by_text = map_new(seed);
	pool->memory = arena_new(0);
	return pool;
}

void intern_free(struct intern *pool)
{
	if (!pool)
		return;
	map_free(pool->by_text);
	arena_free(pool->memory);
	vec_done(&pool->records);
	mem_free(pool);
}

uint32_t intern_id(struct intern *pool, struct str text)
{
	struct record *record = map_get(pool->by_text, text);

	if (record)
		return record->id;
	assert(pool->records.len < INTERN_NONE);
	record = arena_new_of(pool->memory, struct record);
	record->text = arena_str(pool->memory, text);
	record->id = (uint32_t)pool->records.len;
	vec_push(&pool->records, record);
	map_put(pool->by_text, record->text, record);
	return record->id;
}

uint32_t intern_find(const struct intern *pool, struct str text)
{
	const struct record *record = map_get(pool->by_text, text);

	return record ? record->id : INTERN_NONE;
}

struct str intern_text(const struct intern *pool, uint32_t id)
{
	assert(id < pool->records.len);
	return pool->records.ptr[id]->text;
}

size_t intern_len(const struct intern *pool)
{
	return pool->records.len;
}
