/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdalign.h>

#include "tap.h"

enum { BIG = 3 * 1024 * 1024 };

int main(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	bool aligned = true;
	bool kept = true;
	char *pieces[500];

	for (size_t i = 0; i < 500; i++) {
		pieces[i] = arena_alloc(arena, i * 7 % 300 + 1);
		aligned = aligned && (uintptr_t)pieces[i] % alignof(max_align_t) == 0;
		memset(pieces[i], (int)i, i * 7 % 300 + 1);
	}
	for (size_t i = 0; i < 500; i++)
		for (size_t j = 0; j < i * 7 % 300 + 1; j++)
			kept = kept && pieces[i][j] == (char)i;
	ok(aligned, "pieces are aligned");
	ok(kept, "pieces do not overlap");
	ok(arena_used(arena) >= 500, "use is counted");
	arena_reset(arena);
	ok(arena_used(arena) == 0, "a reset arena is empty");
	is(arena_strdup(arena, "text"), "text");
	is(arena_printf(arena, "%d-%s", 7, "x"), "7-x");
	ok(str_is(arena_str(arena, str_of("abc", 2)), "ab"), "a view is copied");
	ok(arena_str(arena, str_none()).len == 0, "so is none");
	ok(*(int *)arena_zalloc(arena, sizeof(int)) == 0, "cleared memory");
	ok(*(int *)arena_calloc(arena, 3, sizeof(int)) == 0, "cleared array");
	memset(arena_alloc(arena, BIG), 1, BIG);
	arena_reset(arena);
	arena_reset(arena);
	ok(arena_alloc(arena, 0) != NULL, "a piece of nothing");
	arena_free(NULL);
	return tap_done();
}
