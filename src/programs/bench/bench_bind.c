/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_bind.c - what the scheduler gets out of an API server over HTTPS, compared with a bare loop of
 * bind requests to the same one: a process of its own, its store on disk.
 *
 * Four pods a node, in gangs of a hundred, are there beforehand. First as many others, which no
 * scheduler cares for, are bound one after the other, as many at a time as the scheduler may have under
 * way. Then the scheduler starts, in this process; the clock runs from when it knows everything until the
 * last pod is bound. In addition to the bindings it writes phases of groups, and events, which give way. */
#include "base/mem.h"
#include "client/client.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "programs/bench/apiworld.h"
#include "programs/bench/benches.h"
#include "scheduler/scheduler.h"

#include "base/banned.h"

enum { PODS_A_NODE = 4, GANG = 100, IN_FLIGHT = 256 };

static void create(struct apiworld *w, enum resource_id resource, const char *text)
{
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(str_from(text), NULL, &err);

	bench_require(doc, &err);
	apiworld_ask(w, (struct client_ask){.verb = CLIENT_CREATE,
					    .resource = &resources[resource],
					    .body = doc,
					    .discard = true});
	if (w->left >= IN_FLIGHT)
		apiworld_wait(w);
}

static void make_node(struct apiworld *w, size_t number)
{
	AUTO(mem_free)
	char *text = mem_printf(
		"{\"metadata\":{\"name\":\"n-%zu\"},\"status\":{\"allocatable\":{\"cpu\":\"32\","
		"\"memory\":\"256Gi\",\"pods\":\"110\"},\"capacity\":{\"cpu\":\"32\","
		"\"memory\":\"256Gi\",\"pods\":\"110\"},\"conditions\":[{\"type\":\"Ready\","
		"\"status\":\"True\"}]}}",
		number);

	create(w, RESOURCE_NODES, text);
}

static void make_group(struct apiworld *w, size_t number, size_t pods)
{
	AUTO(mem_free)
	char *text = mem_printf("{\"metadata\":{\"name\":\"g-%zu\"},\"spec\":{\"minMember\":%zu,"
				"\"minResources\":{\"cpu\":\"%zu\"}}}",
				number, pods, pods);

	create(w, RESOURCE_PODGROUPS, text);
}

static void make_pod(struct apiworld *w, const char *prefix, const char *scheduler, size_t number)
{
	AUTO(mem_free)
	char *text = mem_printf(
		"{\"metadata\":{\"name\":\"%s-%zu\",\"annotations\":{"
		"\"scheduling.k8s.io/group-name\":\"g-%zu\"}},\"spec\":{\"schedulerName\":\"%s\","
		"\"tolerations\":[{\"operator\":\"Exists\"}]," /* new nodes are not ready yet */
		"\"containers\":[{\"name\":\"main\",\"image\":\"train\",\"resources\":{"
		"\"requests\":{\"cpu\":\"1\"}}}]}}",
		prefix, number, number / GANG, scheduler);

	create(w, RESOURCE_PODS, text);
}

static void make_pods(struct apiworld *w, const char *prefix, const char *scheduler, size_t count)
{
	for (size_t i = 0; i < count; i++)
		make_pod(w, prefix, scheduler, i);
	apiworld_wait(w);
}

static void on_bound(void *arg, const struct client_result *result)
{
	struct apiworld *w = arg;

	bench_require(!result->err, result->err);
	w->left--;
}

static double bind_bare(struct apiworld *w, size_t count)
{
	double begin = bench_clock_ms();

	w->left = count;
	for (size_t i = 0; i < count; i++) {
		AUTO(mem_free) char *name = mem_printf("bare-%zu", i);
		AUTO(mem_free) char *node = mem_printf("n-%zu", i / PODS_A_NODE);

		(void)client_bind(w->client,
				  &(struct client_bind){.namespace = STR("bench"),
							.name = str_from(name),
							.node = str_from(node)},
				  on_bound, w);
	}
	apiworld_wait(w);
	return (double)count * 1e3 / (bench_clock_ms() - begin);
}

/* With the first queues, which it makes where there are none. */
static struct scheduler *start_scheduler(struct apiworld *w)
{
	struct err err;
	struct scheduler *scheduler =
		scheduler_new(w->loop, w->client, &(struct scheduler_options){0}, &err);

	bench_require(scheduler, &err);
	while (!scheduler_is_ready(scheduler) || !scheduler_has_tried_queues(scheduler))
		(void)loop_turn(w->loop, -1);
	return scheduler;
}

static double bind_scheduled(struct apiworld *w, size_t count)
{
	AUTO(scheduler_free) struct scheduler *scheduler = start_scheduler(w);
	struct scheduler_stats stats;
	double begin = bench_clock_ms();

	do {
		(void)loop_turn(w->loop, -1);
		scheduler_stats(scheduler, &stats);
	} while (stats.binds < count || stats.in_flight);
	double seconds = (bench_clock_ms() - begin) / 1e3;

	bench_require(stats.bind_failures == 0, &(struct err){.text = "pods were not bound"});
	bench_value(w->run, "writes_per_pod", (double)stats.writes / (double)count);
	return (double)count / seconds;
}

static void measure_bind(struct bench_run *run)
{
	struct apiworld w;
	size_t count = bench_size(run) * PODS_A_NODE;

	apiworld_open_apart(&w, run, 1, IN_FLIGHT);
	for (size_t i = 0; i < bench_size(run); i++)
		make_node(&w, i);
	make_pods(&w, "bare", "nobody", count);
	double bare = bind_bare(&w, count);

	scheduler_free(start_scheduler(&w));
	for (size_t i = 0; i * GANG < count; i++)
		make_group(&w, i, count - i * GANG < GANG ? count - i * GANG : GANG);
	make_pods(&w, "gang", "volcano", count);
	double scheduled = bind_scheduled(&w, count);

	bench_value(run, "bare_per_second", bare);
	bench_value(run, "scheduled_per_second", scheduled);
	bench_value(run, "ratio", scheduled / bare);
	apiworld_close(&w);
}

const struct bench bench_bind = {
	.name = "bind",
	.about = "gangs bound by the scheduler over HTTPS, compared with a bare loop of bind "
		 "requests",
	.item = "nodes",
	.size = 5000,
	.run = measure_bind,
};
