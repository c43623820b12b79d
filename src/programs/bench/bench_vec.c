/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_vec.c - a vector pushed to from empty, and walked. */
#include "base/vec.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

struct point {
	int64_t x, y;
};

static void measure_vec(struct bench_run *run)
{
	size_t count = bench_size(run);
	VEC(struct point) points = {0};

	bench_phase(run, "push");
	while (bench_round(run, count)) {
		vec_done(&points);
		for (size_t i = 0; i < count; i++)
			vec_push(&points, (struct point){.x = (int64_t)i});
		bench_use(points.ptr);
	}
	bench_value(run, "bytes_per_element",
		    (double)(points.size * sizeof(points.ptr[0])) / (double)count);
	bench_phase(run, "walk");
	while (bench_round(run, count)) {
		int64_t sum = 0;

		for (size_t i = 0; i < points.len; i++)
			sum += points.ptr[i].x;
		bench_use(&sum);
	}
	vec_done(&points);
}

const struct bench bench_vec = {
	.name = "vec",
	.about = "a vector of 16-byte elements: pushed to, walked",
	.item = "elements",
	.size = 1000000,
	.run = measure_vec,
};
