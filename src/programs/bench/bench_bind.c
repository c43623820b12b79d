/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_bind.c - what the scheduler gets out of an API server over HTTPS, compared with a bare loop of
 * bind requests to the same one. The server is ours, in a process of its own, its store on disk; or with --kubeconfig any
 * other that has Volcano's kinds, from which everything is deleted again.
 *
 * The scheduler has a process of its own, too. Its pods, in gangs of a hundred, are there beforehand; the clock
 * runs from when it knows everything until the last pod is bound. In addition to the bindings it writes phases of
 * groups, and events, which give way. The loop binds as many other pods, half of them before and half of them
 * after, so that a server that becomes slower or faster meanwhile does so for both. */
#include "base/mem.h"
#include "client/client.h"
#include "flags/complete.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "programs/bench/apiworld.h"
#include "programs/bench/benches.h"
#include "programs/bench/scheduler_apart.h"

#include "base/banned.h"

enum { GANG = 100, AT_ONCE = 256 };

/* Pods of this run only, whatever else runs at the server. */
#define SCHEDULER_NAME "vc-bench"

struct scene {
	struct apiworld world;
	struct scheduler_apart scheduler;
	size_t nodes;
	size_t pods;
};

/* --- objects --- */

static void create(struct apiworld *w, enum resource_id resource, const char *text)
{
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(str_from(text), NULL, &err);

	bench_require(doc, &err);
	apiworld_ask(w, (struct client_ask){.verb = CLIENT_CREATE,
					    .resource = &resources[resource],
					    .body = doc,
					    .discard = true});
	if (w->left >= AT_ONCE)
		apiworld_wait(w);
}

static void erase(struct apiworld *w, enum resource_id resource, const char *name)
{
	static const int64_t at_once = 0;

	apiworld_delete_if_there(w, (struct client_ask){.verb = CLIENT_DELETE,
							.resource = &resources[resource],
							.name = str_from(name),
							.grace_seconds = &at_once,
							.discard = true});
	if (w->left >= AT_ONCE)
		apiworld_wait(w);
}

static char *node_name(const struct apiworld *w, size_t number)
{
	return mem_printf("%s-%zu", apiworld_namespace(w), number);
}

static void make_node(struct apiworld *w, size_t number)
{
	AUTO(mem_free) char *name = node_name(w, number);
	AUTO(mem_free)
	char *text = mem_printf(
		"{\"metadata\":{\"name\":\"%s\"},\"status\":{\"allocatable\":{\"cpu\":\"32\","
		"\"memory\":\"256Gi\",\"pods\":\"110\"},\"capacity\":{\"cpu\":\"32\","
		"\"memory\":\"256Gi\",\"pods\":\"110\"},\"conditions\":[{\"type\":\"Ready\","
		"\"status\":\"True\"}]}}",
		name);

	create(w, RESOURCE_NODES, text);
}

static void make_groups(struct scene *scene)
{
	for (size_t i = 0; i * GANG < scene->pods; i++) {
		size_t rest = scene->pods - i * GANG;
		size_t pods = rest < GANG ? rest : GANG;
		AUTO(mem_free)
		char *text =
			mem_printf("{\"metadata\":{\"name\":\"g-%zu\"},\"spec\":{\"minMember\":%zu,"
				   "\"minResources\":{\"cpu\":\"%zu\"}}}",
				   i, pods, pods);

		create(&scene->world, RESOURCE_PODGROUPS, text);
	}
}

static void make_pods(struct apiworld *w, const char *prefix, const char *scheduler, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		AUTO(mem_free)
		char *text = mem_printf(
			"{\"metadata\":{\"name\":\"%s-%zu\",\"annotations\":{"
			"\"scheduling.k8s.io/"
			"group-name\":\"g-%zu\"}},\"spec\":{\"schedulerName\":\"%s\","
			"\"tolerations\":[{\"operator\":\"Exists\"}]," /* new nodes are not ready yet */
			"\"containers\":[{\"name\":\"main\",\"image\":\"train\",\"resources\":{"
			"\"requests\":{\"cpu\":\"1\"}}}]}}",
			prefix, i, i / GANG, scheduler);

		create(w, RESOURCE_PODS, text);
	}
	apiworld_wait(w);
}

static void delete_pods(struct apiworld *w, const char *prefix, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		AUTO(mem_free) char *name = mem_printf("%s-%zu", prefix, i);

		erase(w, RESOURCE_PODS, name);
	}
	apiworld_wait(w);
}

/* --- binding --- */

static void on_bound(void *arg, const struct client_result *result)
{
	struct apiworld *w = arg;

	bench_require(!result->err, result->err);
	w->left--;
}

/* How many seconds it takes. The pods are deleted after that: the scheduler need not know them. */
static double bind_bare(struct scene *scene, size_t count)
{
	struct apiworld *w = &scene->world;

	make_pods(w, "bare", "nobody", count);
	double begin = bench_clock_ms();

	w->left = count;
	for (size_t i = 0; i < count; i++) {
		AUTO(mem_free) char *name = mem_printf("bare-%zu", i);
		AUTO(mem_free) char *node = node_name(w, i % scene->nodes);

		(void)client_bind(
			w->client,
			&(struct client_bind){.namespace = str_from(apiworld_namespace(w)),
					      .name = str_from(name),
					      .node = str_from(node)},
			on_bound, w);
	}
	apiworld_wait(w);
	double seconds = (bench_clock_ms() - begin) / 1e3;

	delete_pods(w, "bare", count);
	return seconds;
}

static double bind_scheduled(struct scene *scene)
{
	struct apiworld *w = &scene->world;
	struct scheduler_apart_result result;

	make_groups(scene);
	make_pods(w, "gang", SCHEDULER_NAME, scene->pods);
	scheduler_apart_run(&scene->scheduler, w->kubeconfig, SCHEDULER_NAME, scene->pods, &result);
	bench_require(result.bind_failures == 0, &(struct err){.text = "pods were not bound"});
	bench_value(w->run, "writes_per_pod", (double)result.writes / (double)scene->pods);
	bench_value(w->run, "scheduler_cpu_ms", result.cpu_ms);
	bench_value(w->run, "scheduler_peak_rss_kb", (double)result.peak_kb);
	bench_value(w->run, "scheduler_in_flight", (double)result.in_flight_limit);
	bench_value(w->run, "scheduler_watches_ended", (double)result.watches_ended);
	return result.seconds;
}

/* --- the run --- */

static void open_scene(struct scene *scene, struct bench_run *run)
{
	const char *kubeconfig = bench_text(run, "kubeconfig");
	size_t in_flight = (size_t)bench_option(run, "in-flight");
	struct scheduler_apart_result ignored;

	scene->nodes = bench_size(run);
	scene->pods = scene->nodes * (size_t)bench_option(run, "pods-per-node");
	bench_require(scene->pods > 0,
		      &(struct err){.text = "--pods-per-node: must be at least 1"});
	scheduler_apart_start(&scene->scheduler);
	if (kubeconfig)
		apiworld_open_remote(&scene->world, run, kubeconfig, in_flight);
	else
		apiworld_open_apart(&scene->world, run, 1, in_flight);
	scheduler_apart_run(&scene->scheduler, scene->world.kubeconfig, SCHEDULER_NAME, 0,
			    &ignored);
	for (size_t i = 0; i < scene->nodes; i++)
		make_node(&scene->world, i);
	apiworld_wait(&scene->world);
}

static void close_scene(struct scene *scene)
{
	struct apiworld *w = &scene->world;

	delete_pods(w, "gang", scene->pods);
	for (size_t i = 0; i * GANG < scene->pods; i++) {
		AUTO(mem_free) char *name = mem_printf("g-%zu", i);

		erase(w, RESOURCE_PODGROUPS, name);
	}
	for (size_t i = 0; i < scene->nodes; i++) {
		AUTO(mem_free) char *name = node_name(w, i);

		erase(w, RESOURCE_NODES, name);
	}
	apiworld_wait(w);
	apiworld_close(w); /* first: its process has inherited the pipe whose end stops the other */
	scheduler_apart_stop(&scene->scheduler);
}

static void measure_bind(struct bench_run *run)
{
	struct scene scene = {0};

	open_scene(&scene, run);
	size_t half = (scene.pods + 1) / 2;
	double before = bind_bare(&scene, half);
	double scheduled = (double)scene.pods / bind_scheduled(&scene);
	double bare = 2 * (double)half / (before + bind_bare(&scene, half));

	bench_value(run, "bare_per_second", bare);
	bench_value(run, "scheduled_per_second", scheduled);
	bench_value(run, "ratio", scheduled / bare);
	close_scene(&scene);
}

static const struct flag flags[] = {
	BENCH_FLAG("pods-per-node", "4", "pods that are bound, per node"),
	BENCH_FLAG("in-flight", "0",
		   "requests of the bare loop at once; 0: as many as the server takes"),
	{.name = "kubeconfig",
	 .about = "use this API server, which must have Volcano's CRDs, instead of one of its own",
	 .noun = "FILE",
	 .completes = COMPLETE_FILES},
	{.name = NULL},
};

const struct bench bench_bind = {
	.name = "bind",
	.about = "gangs bound by the scheduler over HTTPS, compared with a bare loop of bind "
		 "requests",
	.item = "nodes",
	.size = 5000,
	.run = measure_bind,
	.flags = flags,
};
