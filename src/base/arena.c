/* SPDX-License-Identifier: Apache-2.0 */
/* base/arena.c - memory that is freed as a whole.
 *
 * Pieces are cut off the front of chunks; a chunk doubles in size up to CHUNK_MAX, a piece larger
 * than that gets a chunk of its own. Resetting keeps the newest (largest) chunk. Under
 * AddressSanitizer every piece is a chunk of its own, so that the sanitizer knows its exact bounds.
 */
#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

#include "base/banned.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_PIECEWISE true
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_PIECEWISE true
#endif
#ifndef ARENA_PIECEWISE
#define ARENA_PIECEWISE false
#endif

enum { CHUNK_MIN = 4096, CHUNK_MAX = 1024 * 1024, SMALL_TEXT = 256 };

struct chunk {
	struct chunk *older;
	size_t size;
	size_t used;
	alignas(max_align_t) char bytes[];
};

struct arena {
	struct chunk *newest;
	size_t used;
	size_t limit;
};

struct arena *arena_new(size_t limit)
{
	struct arena *arena = mem_new(struct arena);

	arena->limit = limit;
	return arena;
}

static void free_chunks(struct chunk *chunk)
{
	while (chunk) {
		struct chunk *older = chunk->older;

		mem_free(chunk);
		chunk = older;
	}
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	free_chunks(arena->newest);
	mem_free(arena);
}

void arena_reset(struct arena *arena)
{
	struct chunk *kept = arena->newest;

	arena->used = 0;
	if (!kept)
		return;
	free_chunks(kept->older);
	kept->older = NULL;
	kept->used = 0;
	if (ARENA_PIECEWISE || kept->size > CHUNK_MAX) {
		mem_free(kept);
		arena->newest = NULL;
	}
}

size_t arena_used(const struct arena *arena)
{
	return arena->used;
}

static struct chunk *add_chunk(struct arena *arena, size_t size)
{
	struct chunk *chunk = mem_alloc(sizeof(*chunk) + size);

	chunk->older = arena->newest;
	chunk->size = size;
	chunk->used = 0;
	arena->newest = chunk;
	return chunk;
}

static size_t next_chunk_size(const struct arena *arena, size_t want)
{
	size_t size = arena->newest ? arena->newest->size * 2 : CHUNK_MIN;

	if (ARENA_PIECEWISE)
		return want;
	if (size > CHUNK_MAX)
		size = CHUNK_MAX;
	return want > size ? want : size;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	struct chunk *chunk = arena->newest;
	size_t rounded = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	char *piece;

	assert(rounded >= size);
	arena->used += rounded;
	if (arena->limit && arena->used > arena->limit) {
		fprintf(stderr, "arena: the request exceeds the limit of %zu bytes\n",
			arena->limit);
		abort();
	}
	if (ARENA_PIECEWISE)
		rounded = size;
	if (!chunk || ARENA_PIECEWISE || chunk->size - chunk->used < rounded)
		chunk = add_chunk(arena, next_chunk_size(arena, rounded));
	piece = chunk->bytes + chunk->used;
	chunk->used += rounded;
	return piece;
}

void *arena_zalloc(struct arena *arena, size_t size)
{
	return memset(arena_alloc(arena, size), 0, size);
}

void *arena_calloc(struct arena *arena, size_t count, size_t size)
{
	size_t bytes;
	bool overflow = __builtin_mul_overflow(count, size, &bytes);

	assert(!overflow);
	return arena_zalloc(arena, bytes);
}

char *arena_strdup(struct arena *arena, const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(arena_alloc(arena, size), text, size);
}

struct str arena_str(struct arena *arena, struct str text)
{
	char *copy = arena_alloc(arena, text.len + 1);

	if (text.len)
		memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	return str_of(copy, text.len);
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = arena_vprintf(arena, format, args);
	va_end(args);
	return text;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
	char small[SMALL_TEXT]; /* short texts are printed once; long ones are measured first */
	va_list again;
	int len;
	char *text;

	va_copy(again, args);
	len = vsnprintf(small, sizeof(small), format, again);
	va_end(again);
	assert(len >= 0);
	text = arena_alloc(arena, (size_t)len + 1);
	if ((size_t)len < sizeof(small))
		return memcpy(text, small, (size_t)len + 1);
	(void)vsnprintf(text, (size_t)len + 1, format, args); /* measured above */
	return text;
}
