/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_omap.c - the ordered map: fill in no order, find, walk in order, empty. */
#include "base/arena.h"
#include "base/omap.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

static void fill(struct omap *omap, const struct str *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		omap_put(omap, keys[i], (void *)&keys[i]);
}

static void measure_fill(struct bench_run *run, const struct str *keys, size_t count)
{
	bench_phase(run, "put");
	while (bench_round(run, count)) {
		bench_pause(run);
		struct omap *omap = omap_new();

		bench_resume(run);
		fill(omap, keys, count);
		bench_pause(run);
		omap_free(omap);
		bench_resume(run);
	}
}

static void measure_remove(struct bench_run *run, struct omap *omap, const struct str *keys,
			   size_t count)
{
	bench_phase(run, "remove");
	while (bench_round(run, count)) {
		for (size_t i = 0; i < count; i++)
			omap_remove(omap, keys[i]);
		bench_pause(run);
		fill(omap, keys, count);
		bench_resume(run);
	}
}

static void measure_omap(struct bench_run *run)
{
	size_t count = bench_size(run);
	AUTO(arena_free) struct arena *arena = arena_new(0);
	const struct str *keys = bench_keys(run, arena, count);
	size_t heap = bench_heap();
	AUTO(omap_free) struct omap *omap = omap_new();

	fill(omap, keys, count);
	bench_value(run, "bytes_per_key", (double)(bench_heap() - heap) / (double)count);
	measure_fill(run, keys, count);
	bench_phase(run, "get");
	while (bench_round(run, count))
		for (size_t i = 0; i < count; i++)
			bench_use(omap_get(omap, keys[i]));
	bench_phase(run, "walk");
	while (bench_round(run, count)) {
		struct str key;

		for (void *v = omap_seek(omap, STR(""), &key); v; v = omap_after(omap, key, &key))
			bench_use(v);
	}
	measure_remove(run, omap, keys, count);
}

const struct bench bench_omap = {
	.name = "omap",
	.about = "the ordered map, with names of pods as keys",
	.item = "keys",
	.size = 100000,
	.run = measure_omap,
};
