/* SPDX-License-Identifier: Apache-2.0 */
/* base/arena.h - memory that is freed as a whole: one arena per request, one arena per cycle.
 *
 * Memory from an arena is never freed piece by piece and is not used after the arena: what must
 * outlive it is copied by a function named _dup. Exceeding the arena's limit aborts: the limit
 * catches a runaway program; the size of inputs is checked earlier (base/limits.h).
 *
 * In sanitizer builds each piece comes from malloc, so that ASan sees overruns and use after the
 * arena's end. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"

struct arena;

/* `limit` is the most bytes that may be allocated between two resets; 0 means no limit. */
struct arena *arena_new(size_t limit) __attribute__((returns_nonnull));
void arena_free(struct arena *arena);
DEFINE_AUTO(struct arena *, arena_free);

/* Free everything that was allocated; keeps some memory for reuse. */
void arena_reset(struct arena *arena);

/* Bytes allocated since the last reset. */
size_t arena_used(const struct arena *arena);

/* Aligned for any type. arena_alloc() leaves the bytes unset, arena_zalloc() clears them. */
void *arena_alloc(struct arena *arena, size_t size)
	__attribute__((malloc, returns_nonnull, alloc_size(2)));
void *arena_zalloc(struct arena *arena, size_t size)
	__attribute__((malloc, returns_nonnull, alloc_size(2)));
void *arena_calloc(struct arena *arena, size_t count, size_t size)
	__attribute__((malloc, returns_nonnull, alloc_size(2, 3)));
char *arena_strdup(struct arena *arena, const char *text);
/* A copy, followed by a NUL. */
struct str arena_str(struct arena *arena, struct str text);
char *arena_printf(struct arena *arena, const char *format, ...) PRINTF(2, 3);
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

#define arena_new_of(arena, type) ((type *)arena_zalloc((arena), sizeof(type)))

#endif
