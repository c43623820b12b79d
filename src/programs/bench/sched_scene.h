/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/sched_scene.h - a cluster for the benchmarks of the scheduler: nodes of 64 cpus and 256 Gi
 * in ten zones, queues, gangs and pods, made of documents as a server sends them.
 *
 *	struct scene scene;
 *	scene_init(&scene, run, scene_nodes(run), NULL);
 *	scene_add_gangs(&scene, &(struct scene_gangs){.name = "job", .pods = 1000, .size = 100});
 *	... scene_cycle() ...
 *	scene_check(&scene);
 *	scene_done(&scene);
 *
 * A scene that cannot be made, or that turns out wrong, ends the run. */
#ifndef PROGRAMS_BENCH_SCHED_SCENE_H
#define PROGRAMS_BENCH_SCHED_SCENE_H

#include <stddef.h>
#include <stdint.h>

#include "programs/bench/bench.h"
#include "sched/session/session.h"

struct buf;

enum { SCENE_CPUS = 64, SCENE_GIB = 256, SCENE_ZONES = 10, SCENE_SLOTS = 110 };

struct scene {
	struct bench_run *run;
	struct cluster *cluster;
	struct config *config;
	size_t nodes;
	int64_t now;
};

/* --nodes, or the size of the run. */
size_t scene_nodes(struct bench_run *run);

/* `config` is that of the scheduler; NULL: what is built in. Queues root and default are there. */
void scene_init(struct scene *scene, struct bench_run *run, size_t nodes, const char *config);
void scene_done(struct scene *scene);
/* Everything that is counted is counted again. */
void scene_check(const struct scene *scene);
void scene_require(bool good, const char *text);

/* A queue of weight 1: "NAME", or "NAME-N" for n of them. */
void scene_add_queues(struct scene *scene, const char *name, size_t count);
/* HyperNodes of three tiers: so many racks with an equal part of the nodes each, a tenth as many spines, one top. */
void scene_add_racks(struct scene *scene, size_t racks);
/* A priority class. */
void scene_add_class(struct scene *scene, const char *name, int value);

/* How pods differ from one another, and what else they ask for. */
enum scene_wish { WISH_EQUAL, WISH_DIFFERENT, WISH_APART };

/* Pods called NAME-GANG-INDEX, in gangs of `size`, one after the other. */
struct scene_gangs {
	const char *name;
	size_t pods;
	size_t size;
	size_t min;        /* of each gang; 0: all of it */
	const char *queue; /* NULL: default; with `queues` it is "QUEUE-N" in turn */
	size_t queues;
	const char *class; /* of priority; NULL: none */
	enum scene_wish wish;
	size_t cpus;  /* a pod; 0: 1 */
	size_t gib;   /* of memory, the same */
	bool running; /* on the nodes, in turn; else waiting */
	int tier;     /* of the network that the gang may not leave; 0: it asks for none */
	size_t group; /* pods per sub-group, all of which are needed; 0: there are none */
};
void scene_add_gangs(struct scene *scene, const struct scene_gangs *gangs);
/* The document of one of them, for code that makes events of it; for json_doc_unref(). */
struct json_doc *scene_pod(const struct scene *scene, const struct scene_gangs *gangs,
			   size_t index);

/* Something has happened that may help jobs that wait: the next cycle looks at all of them. */
void scene_stir(struct scene *scene);
/* One cycle, which must decide this many bindings and evictions; then, outside of what is measured, all
 * of them fail, so that the next one finds what this one found. */
void scene_cycle(struct scene *scene, size_t binds, size_t evictions);

#endif
