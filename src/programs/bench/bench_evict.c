/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_evict.c - a proven set of victims for a gang of 100 on full nodes: the whole cycle in
 * which nothing is free, and every pod that has to go for the gang is found.
 *
 *	preempt		from jobs of lower priority in the same queue, each down to its minimum
 *	reclaim		from a queue that holds more than its share
 *	gangpreempt	as preempt; minimums may be broken, but need not be
 *	gangreclaim	as reclaim, for gangs
 *	in_vain		preempt for a gang for which too little can be evicted: nothing is
 *
 * Nodes hold eight pods of eight cpus; each of the gang asks for 32, so that four have to go for it. The
 * number of victims and the model are checked in the same run. */
#include "base/mem.h"
#include "programs/bench/benches.h"
#include "programs/bench/sched_scene.h"

#include "base/banned.h"

enum { HELD_A_NODE = 8, HELD_CPUS = 8, GANG_CPUS = 32, VICTIMS = GANG_CPUS / HELD_CPUS };
enum { ALL = 20, HALF = 10 }; /* of the gangs that hold the nodes */

struct mode {
	const char *action;
	const char *phase;
	const char *from; /* the queue of the victims */
	size_t min;       /* of their gangs */
};

static void measure(struct bench_run *run, const struct mode *mode)
{
	static const char *const tiers =
		"tiers: [{plugins: [{name: priority}, {name: gang}, {name: conformance}]}, "
		"{plugins: [{name: overcommit}, {name: drf}, {name: predicates}, {name: "
		"proportion}, {name: nodeorder}]}]";
	AUTO(mem_free)
	char *config = mem_printf("{actions: \"enqueue, allocate, %s\", %s}", mode->action, tiers);
	size_t nodes = scene_nodes(run), gang = (size_t)bench_option(run, "gang");
	const struct scene_gangs held = {.name = "held",
					 .pods = HELD_A_NODE * nodes,
					 .size = ALL,
					 .min = mode->min,
					 .queue = mode->from,
					 .class = "low",
					 .cpus = HELD_CPUS,
					 .running = true};
	/* What fits into half of the cluster if that is less. */
	const struct scene_gangs wants = {.name = "wants",
					  .pods = gang < nodes / 4 ? gang : nodes / 4,
					  .size = gang,
					  .queue = "asking",
					  .class = "high",
					  .cpus = GANG_CPUS};
	size_t evictions = mode->min < held.size ? wants.pods * VICTIMS : 0;
	struct scene scene;

	scene_init(&scene, run, nodes, config);
	scene_add_queues(&scene, "asking", 0);
	scene_add_queues(&scene, "holding", 0);
	scene_add_class(&scene, "low", 1);
	scene_add_class(&scene, "high", 1000);
	scene_add_gangs(&scene, &held);
	scene_add_gangs(&scene, &wants);
	bench_phase(run, mode->phase);
	while (bench_round(run, 1)) {
		scene_stir(&scene);
		scene_cycle(&scene, 0, evictions);
	}
	scene_check(&scene);
	scene_done(&scene);
}

static void measure_evict(struct bench_run *run)
{
	static const struct mode modes[] = {
		{"preempt", "preempt", "asking", HALF},
		{"reclaim", "reclaim", "holding", HALF},
		{"gangpreempt", "gangpreempt", "asking", HALF},
		{"gangreclaim", "gangreclaim", "holding", HALF},
		{"preempt", "in_vain", "asking", ALL},
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		measure(run, &modes[i]);
}

static const struct flag evict_flags[] = {
	BENCH_FLAG_NODES,
	BENCH_FLAG("gang", "100", "pods of the gang"),
	{.name = NULL},
};

const struct bench bench_evict = {
	.name = "evict",
	.about = "victims for a gang on full nodes, proven: preempt, reclaim, their gang "
		 "kinds",
	.item = "nodes",
	.size = 5000,
	.run = measure_evict,
	.flags = evict_flags,
};
