/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_resources.c - resource vectors, as a scheduler compares and sums them: what a pod
 * asks for (cpu, memory, pods, a GPU) against what many nodes have left. */
#include "base/mem.h"
#include "model/value/resources.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

static struct resources amount(struct dims *dims, int64_t cpu, int64_t memory, int64_t gpus)
{
	struct resources r = RESOURCES_INIT;

	resources_set(&r, DIM_CPU, cpu);
	resources_set(&r, DIM_MEMORY, memory);
	resources_set(&r, DIM_PODS, 1);
	resources_set(&r, dims_add(dims, STR("nvidia.com/gpu")), gpus * 1000);
	return r;
}

static void measure_resources(struct bench_run *run)
{
	size_t count = bench_size(run);
	AUTO(dims_free) struct dims *dims = dims_new();
	struct resources *nodes = mem_calloc(count, sizeof(*nodes));
	AUTO(resources_done) struct resources task = amount(dims, 4000, INT64_C(8) << 30, 1);
	AUTO(resources_done) struct resources total = amount(dims, 0, 0, 0);
	size_t fits = 0;

	for (size_t i = 0; i < count; i++)
		nodes[i] = amount(dims, (int64_t)bench_dice_below(run, 64000),
				  (int64_t)bench_dice_below(run, 256) << 30,
				  (int64_t)bench_dice_below(run, 8));
	bench_phase(run, "less_equal");
	while (bench_round(run, count))
		for (size_t i = 0; i < count; i++)
			fits += resources_less_equal(&task, &nodes[i], ABSENT_ZERO);
	bench_use(&fits);
	bench_phase(run, "add");
	while (bench_round(run, count)) {
		resources_clear(&total);
		for (size_t i = 0; i < count; i++)
			resources_add(&total, &nodes[i]);
		bench_use(&total);
	}
	bench_phase(run, "take_and_give_back");
	while (bench_round(run, count)) {
		for (size_t i = 0; i < count; i++) {
			resources_sub(&nodes[i], &task);
			resources_add(&nodes[i], &task);
		}
		bench_use(nodes);
	}
	for (size_t i = 0; i < count; i++)
		resources_done(&nodes[i]);
	mem_free(nodes);
}

const struct bench bench_resources = {
	.name = "resources",
	.about = "vectors of resources: a pod's request against what nodes have left",
	.item = "nodes",
	.size = 100000,
	.run = measure_resources,
};
