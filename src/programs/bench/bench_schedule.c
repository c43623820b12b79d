/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_schedule.c - decisions of the scheduler, with its default configuration and its real
 * actions and plugins; nothing is bound.
 *
 *	place		gangs of equal pods on empty nodes: a pod
 *	different	the same if every pod asks for something else
 *	spread		pods that keep away from their like, and spread over zones: a pod
 *	queues		the gangs of `place`, each of ten pods, in a queue for every five nodes: a pod
 *	gang		one gang of 1,000: the whole cycle
 *	subgroups	one gang of sub-groups of 8, all of which it needs, one per 6 nodes: the whole cycle
 *	domains		one gang of 1,000 that must be in one rack, of a hundred, in three tiers: the whole cycle
 *	domains_wide	the same with pods so large that it needs five racks of one spine
 *	full		a cycle in which no gang finds capacity: a gang
 *	backlog		twenty pods a node wait in jobs of one; a running pod ends and one of them takes its
 *			capacity: the whole cycle
 *	array		the same if they are of one job that needs but one of them
 *	motley		the same if no two pods are alike
 *	motley_memory	... and what they lack is memory
 *	arrival		... and one more comes: its event and the whole cycle
 *
 * Then with twice the nodes, ten running pods on each:
 *
 *	idle		a cycle with nothing to do
 *	event		a pod comes and goes: one of both
 *	update		a running pod reports something: the event
 *
 * The model is checked after each phase. */
#include "programs/bench/benches.h"
#include "programs/bench/sched_scene.h"

#include "base/banned.h"

enum { GANG = 1000, SMALL_GANG = 10, TOO_BIG = SCENE_CPUS + 1 };

static size_t pods_of(struct bench_run *run)
{
	return bench_option(run, "pods") ? (size_t)bench_option(run, "pods")
					 : (size_t)bench_option(run, "a-node") * scene_nodes(run);
}

/* --- placing --------------------------------------------------------------------------------- */

/* What its pods weigh in the model, with their jobs and with all that was kept to place them. */
static void weigh(struct bench_run *run, const char *phase, size_t before, size_t pods)
{
	AUTO(mem_free) char *key = mem_printf("%s_bytes_per_pod", phase);

	bench_value(run, key, (double)(bench_heap() - before) / (double)pods);
}

static void measure(struct bench_run *run, const char *phase, struct scene_gangs gangs,
		    size_t items)
{
	struct scene scene;
	size_t heap;

	scene_init(&scene, run, scene_nodes(run), NULL);
	if (gangs.queues)
		scene_add_queues(&scene, gangs.queue, gangs.queues);
	heap = bench_heap();
	scene_add_gangs(&scene, &gangs);
	bench_phase(run, phase);
	while (bench_round(run, items))
		scene_cycle(&scene, gangs.pods, 0);
	weigh(run, phase, heap, gangs.pods);
	scene_check(&scene);
	scene_done(&scene);
}

static void measure_placing(struct bench_run *run)
{
	enum { APART_SHARE = 4, QUEUE_SHARE = 5, SUB_GROUP = 8, NODES_A_SUB_GROUP = 6 };
	size_t nodes = scene_nodes(run), pods = pods_of(run);
	size_t gang = (size_t)bench_option(run, "gang"), apart = nodes / APART_SHARE + 1;
	size_t queues = nodes / QUEUE_SHARE + 1;
	size_t one = nodes * SCENE_CPUS < GANG ? nodes : GANG;
	size_t groups = nodes / NODES_A_SUB_GROUP + 1;

	measure(run, "place", (struct scene_gangs){.name = "job", .pods = pods, .size = gang},
		pods);
	bench_value(run, "pods_per_second", 1e9 / bench_cost(run, "place_ns"));
	measure(run, "different",
		(struct scene_gangs){
			.name = "job", .pods = pods, .size = gang, .wish = WISH_DIFFERENT},
		pods);
	bench_value(run, "different_pods_per_second", 1e9 / bench_cost(run, "different_ns"));
	measure(run, "spread",
		(struct scene_gangs){
			.name = "apart", .pods = apart, .size = apart, .wish = WISH_APART},
		apart);
	measure(run, "queues",
		(struct scene_gangs){.name = "job",
				     .pods = pods,
				     .size = SMALL_GANG,
				     .queue = "team",
				     .queues = queues},
		pods);
	measure(run, "gang", (struct scene_gangs){.name = "job", .pods = one, .size = one}, 1);
	measure(run, "subgroups",
		(struct scene_gangs){.name = "job",
				     .pods = groups * SUB_GROUP,
				     .size = groups * SUB_GROUP,
				     .group = SUB_GROUP},
		1);
}

/* A gang in a network of racks, spines and a top. */
static void measure_domains(struct bench_run *run, const char *phase, int tier, size_t cpus)
{
	enum { RACKS = 100 };
	size_t nodes = scene_nodes(run), racks = nodes < RACKS ? nodes : RACKS;
	size_t fits = nodes / racks * (SCENE_CPUS / cpus);
	size_t pods = fits * (size_t)(tier > 1 ? 5 : 1) < GANG ? fits : GANG;
	struct scene scene;

	scene_init(&scene, run, nodes, NULL);
	scene_add_racks(&scene, racks);
	scene_add_gangs(
		&scene,
		&(struct scene_gangs){
			.name = "near", .pods = pods, .size = pods, .cpus = cpus, .tier = tier});
	bench_phase(run, phase);
	while (bench_round(run, 1))
		scene_cycle(&scene, pods, 0);
	scene_check(&scene);
	scene_done(&scene);
}

/* --- waiting --------------------------------------------------------------------------------- */

static void measure_full(struct bench_run *run)
{
	size_t pods = pods_of(run), gang = (size_t)bench_option(run, "gang");
	const struct scene_gangs big = {.name = "big", .pods = pods, .size = gang, .cpus = TOO_BIG};
	struct scene scene;

	scene_init(&scene, run, scene_nodes(run), NULL);
	scene_add_gangs(&scene, &big);
	scene_cycle(&scene, 0, 0); /* what is reported for the first time */
	bench_phase(run, "full");
	while (bench_round(run, (pods + gang - 1) / gang))
		scene_cycle(&scene, 0, 0);
	scene_check(&scene);
	scene_done(&scene);
}

static void apply_pod(struct scene *scene, struct json_doc *doc)
{
	struct err err = {0};

	bench_require(cluster_apply(scene->cluster, CLUSTER_POD, doc, &err) == 0, &err);
}

static void remove_pod(struct scene *scene, struct json_doc *doc)
{
	struct json meta = json_get(json_doc_root(doc), "metadata");

	cluster_remove(scene->cluster, CLUSTER_POD, STR("bench"), json_str(json_get(meta, "name")));
}

/* A cycle in which one who waits takes the capacity of a pod that has ended. */
static void measure_freed(struct bench_run *run, struct scene *scene, struct json_doc *ended,
			  const char *phase)
{
	bench_phase(run, phase);
	while (bench_round(run, 1)) {
		remove_pod(scene, ended);
		scene_cycle(scene, 1, 0);
		bench_pause(run);
		apply_pod(scene, ended);
		session_free(session_run(scene->cluster, scene->config, scene->now, NULL));
		bench_resume(run);
	}
}

/* Nodes that are full of pods as large as those that wait. */
struct full_cluster {
	struct scene scene;
	struct json_doc *ended; /* one that runs */
	size_t heap;            /* without those that wait */
};

enum { WAITING_A_NODE = 20, HOLDERS = 4, HOLDER_CPUS = SCENE_CPUS / HOLDERS };

static void full_init(struct full_cluster *full, struct bench_run *run,
		      const struct scene_gangs *waiting)
{
	size_t nodes = scene_nodes(run);
	const struct scene_gangs holders = {.name = "holder",
					    .pods = HOLDERS * nodes,
					    .size = HOLDERS * nodes,
					    .min = 1,
					    .cpus = waiting->cpus,
					    .gib = waiting->gib,
					    .running = true};

	scene_init(&full->scene, run, nodes, NULL);
	scene_add_gangs(&full->scene, &holders);
	full->ended = scene_pod(&full->scene, &holders, 0);
	full->heap = bench_heap();
	scene_add_gangs(&full->scene, waiting);
	scene_cycle(&full->scene, 0, 0);
}

static void full_done(struct full_cluster *full)
{
	scene_check(&full->scene);
	scene_done(&full->scene);
	json_doc_unref(full->ended);
}

static void measure_phase(struct bench_run *run, const char *phase,
			  const struct scene_gangs *waiting)
{
	struct full_cluster full;

	full_init(&full, run, waiting);
	measure_freed(run, &full.scene, full.ended, phase);
	full_done(&full);
}

/* Jobs of one pod each, ever so many, and no two alike: nearly all ask for more cpu, or memory, than a pod
 * that ends leaves. */
static void measure_motley(struct bench_run *run, bool memory)
{
	measure_phase(run, memory ? "motley_memory" : "motley",
		      &(struct scene_gangs){.name = "waiting",
					    .pods = WAITING_A_NODE * scene_nodes(run),
					    .size = 1,
					    .cpus = memory ? 1 : HOLDER_CPUS,
					    .gib = memory ? SCENE_GIB / HOLDERS : 1,
					    .wish = WISH_DIFFERENT});
}

/* One job of as many pods, of which each may run when there is capacity. */
static void measure_array(struct bench_run *run)
{
	size_t pods = WAITING_A_NODE * scene_nodes(run);

	measure_phase(run, "array",
		      &(struct scene_gangs){.name = "array",
					    .pods = pods,
					    .size = pods,
					    .min = 1,
					    .cpus = HOLDER_CPUS});
}

static void measure_backlog(struct bench_run *run)
{
	const struct scene_gangs waiting = {.name = "waiting",
					    .pods = WAITING_A_NODE * scene_nodes(run),
					    .size = 1,
					    .cpus = HOLDER_CPUS};
	const struct scene_gangs late = {.name = "waiting",
					 .pods = waiting.pods + 1,
					 .size = waiting.pods,
					 .cpus = HOLDER_CPUS};
	AUTO(json_doc_unref) struct json_doc *comes = NULL;
	struct full_cluster full;
	struct scene *scene = &full.scene;

	full_init(&full, run, &waiting);
	comes = scene_pod(scene, &late, waiting.pods - 1);
	measure_freed(run, scene, full.ended, "backlog");
	weigh(run, "backlog", full.heap, waiting.pods);
	bench_phase(run, "arrival");
	while (bench_round(run, 1)) {
		apply_pod(scene, comes);
		scene_cycle(scene, 0, 0);
		bench_pause(run);
		remove_pod(scene, comes);
		session_free(session_run(scene->cluster, scene->config, scene->now, NULL));
		bench_resume(run);
	}
	full_done(&full);
}

/* --- running --------------------------------------------------------------------------------- */

static void measure_events(struct scene *scene, const struct scene_gangs *gangs)
{
	struct bench_run *run = scene->run;
	struct scene_gangs one = *gangs;
	AUTO(json_doc_unref) struct json_doc *running = scene_pod(scene, gangs, gangs->pods / 2);
	AUTO(json_doc_unref) struct json_doc *comes = NULL;

	one.running = false;
	comes = scene_pod(scene, &one, gangs->pods - 1);
	remove_pod(scene, comes);
	bench_phase(run, "event");
	while (bench_round(run, 2)) {
		apply_pod(scene, comes);
		remove_pod(scene, comes);
	}
	bench_phase(run, "update");
	while (bench_round(run, 1))
		apply_pod(scene, running);
}

/* Every pod runs: what a cycle and an event cost then, and what it all weighs. */
static void measure_running(struct bench_run *run)
{
	enum { TIMES_THE_NODES = 2, RUNNING_A_NODE = 10 };
	size_t heap = bench_heap(), with_nodes;
	struct scene_gangs gangs = {
		.name = "job", .size = (size_t)bench_option(run, "gang"), .running = true};
	struct scene scene;

	scene_init(&scene, run,
		   bench_option(run, "nodes") ? scene_nodes(run)
					      : TIMES_THE_NODES * scene_nodes(run),
		   NULL);
	with_nodes = bench_heap();
	gangs.pods = bench_option(run, "pods") ? pods_of(run) : RUNNING_A_NODE * scene.nodes;
	scene_add_gangs(&scene, &gangs);
	bench_value(run, "bytes_per_node", (double)(with_nodes - heap) / (double)scene.nodes);
	bench_value(run, "bytes_per_pod", (double)(bench_heap() - with_nodes) / (double)gangs.pods);
	for (int i = 0; i < 3; i++)
		scene_cycle(&scene, 0, 0);
	bench_phase(run, "idle");
	while (bench_round(run, 1))
		session_free(session_run(scene.cluster, scene.config, scene.now, NULL));
	measure_events(&scene, &gangs);
	scene_check(&scene);
	scene_done(&scene);
}

static void measure_schedule(struct bench_run *run)
{
	measure_placing(run);
	measure_domains(run, "domains", 1, 1);
	measure_domains(run, "domains_wide", 2, 16);
	measure_full(run);
	measure_backlog(run);
	measure_array(run);
	measure_motley(run, false);
	measure_motley(run, true);
	measure_running(run);
	bench_value(run, "cycle_us", bench_cost(run, "idle_ns") / 1000);
}

static const struct flag schedule_flags[] = {
	BENCH_FLAG_NODES,
	BENCH_FLAG("pods", "0", "pods to place, instead of so many a node"),
	BENCH_FLAG("a-node", "4", "pods to place a node"),
	BENCH_FLAG("gang", "100", "pods a gang"),
	{.name = NULL},
};

const struct bench bench_schedule = {
	.name = "schedule",
	.about = "decisions of the scheduler: gangs placed, a cycle with nothing to do, an "
		 "event",
	.item = "nodes",
	.size = 5000,
	.run = measure_schedule,
	.flags = schedule_flags,
};
