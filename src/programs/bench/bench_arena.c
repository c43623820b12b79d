/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_arena.c - an arena filled and forgotten, compared with the heap doing the same. */
#include "base/arena.h"
#include "base/mem.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

/* As the pieces of a decoded object: mostly small. */
static size_t piece_size(size_t i)
{
	static const uint8_t sizes[] = {16, 24, 8, 40, 16, 64, 24, 200};

	return sizes[i % ARRAY_LEN(sizes)];
}

static void measure_arena(struct bench_run *run)
{
	size_t count = bench_size(run);
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(mem_free) void **pieces = mem_calloc(count, sizeof(pieces[0]));
	size_t heap = bench_heap();

	for (size_t i = 0; i < count; i++)
		bench_use(arena_alloc(arena, piece_size(i)));
	bench_value(run, "overhead_bytes_per_piece",
		    ((double)(bench_heap() - heap) - (double)arena_used(arena)) / (double)count);
	bench_phase(run, "alloc");
	while (bench_round(run, count)) {
		arena_reset(arena);
		for (size_t i = 0; i < count; i++)
			bench_use(arena_alloc(arena, piece_size(i)));
	}
	bench_phase(run, "heap");
	while (bench_round(run, count)) {
		for (size_t i = 0; i < count; i++)
			bench_use(pieces[i] = mem_alloc(piece_size(i)));
		for (size_t i = 0; i < count; i++)
			mem_free(pieces[i]);
	}
}

const struct bench bench_arena = {
	.name = "arena",
	.about = "pieces from an arena, compared with the same from the heap",
	.item = "pieces",
	.size = 1000000,
	.run = measure_arena,
};
