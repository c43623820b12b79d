/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_map.c - the hash map: fill, find, miss, walk, empty; and churn: one key
 * that is put and removed again and again. */
#include "base/arena.h"
#include "base/map.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

static void fill(struct map *map, const struct str *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		map_put(map, keys[i], (void *)&keys[i]);
}

static void measure_fill(struct bench_run *run, const struct str *keys, size_t count)
{
	bench_phase(run, "put");
	while (bench_round(run, count)) {
		bench_pause(run);
		struct map *map = map_new(1);

		bench_resume(run);
		fill(map, keys, count);
		bench_pause(run);
		map_free(map);
		bench_resume(run);
	}
}

static void measure_remove(struct bench_run *run, struct map *map, const struct str *keys,
			   size_t count)
{
	bench_phase(run, "remove");
	while (bench_round(run, count)) {
		for (size_t i = 0; i < count; i++)
			map_remove(map, keys[i]);
		bench_pause(run);
		fill(map, keys, count);
		bench_resume(run);
	}
}

static void measure_map(struct bench_run *run)
{
	size_t count = bench_size(run);
	AUTO(arena_free) struct arena *arena = arena_new(0);
	const struct str *keys = bench_keys(run, arena, 2 * count);
	const struct str *others = keys + count; /* not in the map */
	size_t heap = bench_heap();
	AUTO(map_free) struct map *map = map_new(1);

	fill(map, keys, count);
	bench_value(run, "bytes_per_key", (double)(bench_heap() - heap) / (double)count);
	measure_fill(run, keys, count);
	bench_phase(run, "get");
	while (bench_round(run, count))
		for (size_t i = 0; i < count; i++)
			bench_use(map_get(map, keys[i]));
	bench_phase(run, "miss");
	while (bench_round(run, count))
		for (size_t i = 0; i < count; i++)
			bench_use(map_get(map, others[i]));
	bench_phase(run, "walk");
	while (bench_round(run, count)) {
		size_t at = 0;
		void *value;

		while (map_next(map, &at, NULL, &value))
			bench_use(value);
	}
	bench_phase(run, "churn");
	while (bench_round(run, count))
		for (size_t i = 0; i < count; i++) {
			map_put(map, others[0], map);
			map_remove(map, others[0]);
		}
	measure_remove(run, map, keys, count);
}

const struct bench bench_map = {
	.name = "map",
	.about = "the hash map, with names of pods as keys",
	.item = "keys",
	.size = 100000,
	.run = measure_map,
};
