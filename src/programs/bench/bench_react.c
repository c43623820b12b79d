/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_react.c - how soon a pod is bound on one machine that has nothing else to do: API server
 * with its store on disk, scheduler and simulated nodes in one process, by the clock.
 *
 * Groups that wait for their pod are there; then pods come one at a time, the next when the last one
 * runs. The time is from the event of the pod to the event of its node: in addition to
 * the decision it has the bind request and its commit to disk in it. */
#include "apiserver/request/direct.h"
#include "apiserver/server.h"
#include "base/mem.h"
#include "base/vec.h"
#include "client/informer.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "node/simulated/simulated.h"
#include "programs/bench/apiworld.h"
#include "programs/bench/benches.h"
#include "scheduler/scheduler.h"

#include "base/banned.h"

enum { PODS_MOST = 300, PODS_A_NODE = 50, IN_FLIGHT = 64 };

struct reaction {
	struct apiworld world;
	struct client *placer; /* the scheduler's */
	struct scheduler *scheduler;
	struct simulated *nodes;
	struct informer *groups;
	struct informer *pods;
	size_t open;       /* groups that were admitted */
	size_t running;    /* pods */
	double came;       /* the last pod, in milliseconds */
	VEC(double) waits; /* milliseconds */
};

static struct str text_at(struct json_doc *doc, const char *part, const char *field)
{
	return doc ? json_str(json_get(json_get(json_doc_root(doc), part), field)) : str_none();
}

static bool turns(const struct informer_object *object, const char *value)
{
	return str_is(text_at(object->doc, "status", "phase"), value) &&
	       !str_is(text_at(object->old, "status", "phase"), value);
}

static void see_group(void *arg, const struct informer_object *object)
{
	struct reaction *r = arg;

	if (turns(object, "Inqueue"))
		r->open++;
}

static void see_new_pod(void *arg, const struct informer_object *object)
{
	struct reaction *r = arg;

	(void)object;
	r->came = bench_clock_ms();
}

static void see_pod(void *arg, const struct informer_object *object)
{
	struct reaction *r = arg;

	if (!text_at(object->old, "spec", "nodeName").len &&
	    text_at(object->doc, "spec", "nodeName").len)
		vec_push(&r->waits, bench_clock_ms() - r->came);
	if (turns(object, "Running"))
		r->running++;
}

static struct informer *hear(struct reaction *r, enum resource_id resource,
			     const struct informer_events *events)
{
	struct informer *informer = informer_new(
		r->world.client,
		&(struct informer_options){.resource = &resources[resource], .store = true});

	informer_listen(informer, events, r);
	informer_start(informer);
	return informer;
}

static void create(struct reaction *r, enum resource_id resource, const char *text)
{
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(str_from(text), NULL, &err);

	bench_require(doc, &err);
	apiworld_ask(&r->world, (struct client_ask){.verb = CLIENT_CREATE,
						    .resource = &resources[resource],
						    .body = doc,
						    .discard = true});
}

static void open_home(struct reaction *r, struct bench_run *run)
{
	struct err err;

	apiworld_open_within(&r->world, run, 1, IN_FLIGHT);
	r->nodes = simulated_new(r->world.loop, r->world.client,
				 &(struct simulated_options){.nodes = bench_size(run)});
	while (!simulated_is_ready(r->nodes))
		(void)loop_turn(r->world.loop, -1);
	r->placer = client_new(r->world.loop,
			       direct_new(apiserver_api(r->world.server),
					  &(struct direct_user){.name = "scheduler"}),
			       NULL);
	r->scheduler =
		scheduler_new(r->world.loop, r->placer, &(struct scheduler_options){0}, &err);
	bench_require(r->scheduler, &err);
	r->groups = hear(r, RESOURCE_PODGROUPS,
			 &(struct informer_events){.added = see_group, .updated = see_group});
	r->pods = hear(r, RESOURCE_PODS,
		       &(struct informer_events){.added = see_new_pod, .updated = see_pod});
	while (!scheduler_is_ready(r->scheduler))
		(void)loop_turn(r->world.loop, -1);
}

static void close_home(struct reaction *r)
{
	informer_free(r->pods);
	informer_free(r->groups);
	scheduler_free(r->scheduler);
	client_free(r->placer);
	simulated_free(r->nodes);
	vec_done(&r->waits);
	apiworld_close(&r->world);
}

static void make_group(struct reaction *r, size_t number)
{
	AUTO(mem_free)
	char *text = mem_printf("{\"metadata\":{\"name\":\"g-%zu\"},\"spec\":{\"minMember\":1,"
				"\"minResources\":{\"cpu\":\"10m\"}}}",
				number);

	create(r, RESOURCE_PODGROUPS, text);
}

static void make_pod(struct reaction *r, size_t number)
{
	AUTO(mem_free)
	char *text =
		mem_printf("{\"metadata\":{\"name\":\"p-%zu\",\"annotations\":{"
			   "\"scheduling.k8s.io/group-name\":\"g-%zu\"}},\"spec\":{"
			   "\"schedulerName\":\"volcano\",\"containers\":[{\"name\":\"main\","
			   "\"image\":\"true\",\"resources\":{\"requests\":{\"cpu\":\"10m\"}}}]}}",
			   number, number);

	create(r, RESOURCE_PODS, text);
}

static void measure_react(struct bench_run *run)
{
	struct reaction r = {0};
	size_t room = bench_size(run) * PODS_A_NODE;
	size_t pods = room < PODS_MOST ? room : PODS_MOST;

	open_home(&r, run);
	for (size_t i = 0; i < pods; i++)
		make_group(&r, i);
	while (r.open < pods)
		(void)loop_turn(r.world.loop, -1);
	for (size_t i = 0; i < pods; i++) {
		make_pod(&r, i);
		while (r.running <= i)
			(void)loop_turn(r.world.loop, -1);
	}
	bench_latencies(run, "bound", r.waits.ptr, r.waits.len);
	close_home(&r);
}

const struct bench bench_react = {
	.name = "react",
	.about = "how soon a pod that comes is bound on one machine with nothing else to do",
	.item = "nodes",
	.size = 5000,
	.run = measure_react,
};
