/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_jobs.c - jobs through everything that one machine runs, in one process: API server, all
 * controllers, scheduler, simulated nodes. The store is in memory, so that the cost is CPU time.
 *
 * queued: a job that waits in a full queue, from its creation until it is known to wait. bound: while these
 * wait, a job of one pod from its creation until its pod is bound. job: the same until the job is Completed.
 *
 * one, few, many, single: as many pods as --pods says (or as jobs wait, if those are fewer) in 1, 20, 500
 * jobs and in jobs of one pod; each a pod from the creation of its job until all run and are counted.
 *
 * bytes_per_job is what a waiting job takes, everywhere; heap_per_pod what a running one does. Writes are
 * the controllers' and the scheduler's. */
#include <stdio.h>

#include "apiserver/api.h"
#include "apiserver/crd/install.h"
#include "apiserver/request/direct.h"
#include "apiserver/store/store.h"
#include "base/mem.h"
#include "base/time.h"
#include "client/client.h"
#include "client/informer.h"
#include "controller/controller.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "node/simulated/simulated.h"
#include "programs/bench/bench.h"
#include "programs/bench/bench_requests.h"
#include "programs/bench/benches.h"
#include "scheduler/scheduler.h"

#include "base/banned.h"

enum { BATCH = 100, NODES = 100 };

struct world {
	struct bench_run *run;
	struct loop *loop;
	struct store *store;
	struct api *api;
	struct client *client;  /* the bench's own */
	struct client *manager; /* the controllers' */
	struct client *placer;  /* the scheduler's */
	struct controllers *controllers;
	struct scheduler *scheduler;
	struct simulated *nodes;
	struct informer *jobs;
	struct informer *groups;
	struct informer *pods;
	size_t left;      /* answers to come */
	size_t made;      /* jobs, ever */
	size_t completed; /* jobs, ever */
	size_t bound;     /* pods, ever */
	int64_t running;  /* pods, as the jobs that are there say */
};

static void wait(struct world *w)
{
	bench_wait(w->loop, &w->left);
}

static void send(struct world *w, struct client_ask ask)
{
	ask.discard = true;
	bench_send(w->client, ask, &w->left);
}

static void create(struct world *w, enum resource_id resource, const char *text)
{
	AUTO(json_doc_unref) struct json_doc *doc = bench_parse(text);

	send(w, (struct client_ask){.verb = CLIENT_CREATE,
				    .resource = &resources[resource],
				    .namespace = resources[resource].namespaced ? STR("default")
										: str_none(),
				    .body = doc});
}

/* --- what is seen ---------------------------------------------------------------------------- */

static struct str node_of(struct json_doc *doc)
{
	return doc ? json_str(json_get(json_get(json_doc_root(doc), "spec"), "nodeName"))
		   : str_none();
}

static void see_pod(void *arg, const struct informer_object *object)
{
	struct world *w = arg;

	if (node_of(object->old).len == 0 && node_of(object->doc).len > 0)
		w->bound++;
}

static void see_job(void *arg, const struct informer_object *object)
{
	struct world *w = arg;
	struct json status = json_get(json_doc_root(object->doc), "status");
	struct str phase = json_str(json_get(json_get(status, "state"), "phase"));
	struct json old = object->old ? json_get(json_doc_root(object->old), "status") : JSON_NONE;

	w->running += json_int(json_get(status, "running")) - json_int(json_get(old, "running"));
	if (str_is(phase, "Completed") &&
	    !str_is(json_str(json_get(json_get(old, "state"), "phase")), "Completed"))
		w->completed++;
}

static void lose_job(void *arg, const struct informer_object *object)
{
	struct world *w = arg;
	struct json status = json_get(json_doc_root(object->doc), "status");

	w->running -= json_int(json_get(status, "running"));
}

static struct informer *listen(struct world *w, enum resource_id resource, bool store,
			       const struct informer_events *events)
{
	struct informer *informer =
		informer_new(w->client, &(struct informer_options){.resource = &resources[resource],
								   .store = store});

	informer_listen(informer, events, w);
	informer_start(informer);
	return informer;
}

/* --- the world ------------------------------------------------------------------------------- */

static struct client *client_of(struct world *w, const char *name)
{
	return client_new(w->loop, direct_new(w->api, &(struct direct_user){.name = name}), NULL);
}

static void open_server(struct world *w)
{
	struct err err;

	w->loop = loop_new_virtual(1, INT64_C(1767225600000000), &err);
	bench_require(w->loop, &err);
	w->store = store_open(w->loop, &(struct store_options){0}, &err);
	bench_require(w->store, &err);
	w->api = api_new(&(struct api_options){.loop = w->loop, .store = w->store});
	bench_require(install_definitions(w->api, &err) == 0, &err);
	api_start(w->api, &(struct api_place){0});
	w->client = client_of(w, "bench");
	w->manager = client_of(w, "controllers");
	w->placer = client_of(w, "scheduler");
}

static void open_world(struct world *w, struct bench_run *run)
{
	struct err err;

	*w = (struct world){.run = run};
	open_server(w);
	w->nodes = simulated_new(w->loop, w->client,
				 &(struct simulated_options){.nodes = NODES, .pods = "100000"});
	while (!simulated_is_ready(w->nodes))
		(void)loop_turn(w->loop, -1);
	w->controllers =
		controllers_new(w->loop, w->manager, &(struct controllers_options){0}, &err);
	bench_require(w->controllers, &err);
	w->scheduler = scheduler_new(w->loop, w->placer, &(struct scheduler_options){0}, &err);
	bench_require(w->scheduler, &err);
	while (!controllers_synced(w->controllers) || !scheduler_is_ready(w->scheduler))
		(void)loop_turn(w->loop, -1);
	create(w, RESOURCE_QUEUES,
	       "{\"metadata\":{\"name\":\"full\"},\"spec\":{\"capability\":{\"cpu\":\"1m\"}}}");
	wait(w);
	loop_drain(w->loop);
	w->groups = listen(w, RESOURCE_PODGROUPS, false, &(struct informer_events){0});
	w->pods = listen(w, RESOURCE_PODS, true,
			 &(struct informer_events){.added = see_pod, .updated = see_pod});
	w->jobs = listen(w, RESOURCE_VCJOBS, true,
			 &(struct informer_events){.updated = see_job, .deleted = lose_job});
}

static void close_world(struct world *w)
{
	scheduler_free(w->scheduler);
	client_free(w->placer);
	controllers_free(w->controllers);
	client_free(w->manager);
	informer_free(w->jobs);
	informer_free(w->groups);
	informer_free(w->pods);
	simulated_free(w->nodes);
	client_free(w->client);
	api_free(w->api);
	store_close(w->store);
	loop_free(w->loop);
}

/* Writes so far: the controllers', events included, and the scheduler's without them. */
struct writes {
	uint64_t controllers;
	uint64_t scheduler;
};

static struct writes writes_of(const struct world *w)
{
	struct client_stats client;
	struct scheduler_stats scheduler;

	client_stats(w->manager, &client);
	scheduler_stats(w->scheduler, &scheduler);
	return (struct writes){client.sent, scheduler.writes};
}

static void report_writes(struct world *w, struct writes since, const char *key, size_t items)
{
	struct writes now = writes_of(w);
	char name[64];

	snprintf(name, sizeof(name), "controller_writes_per_%s", key);
	bench_value(w->run, name, (double)(now.controllers - since.controllers) / (double)items);
	snprintf(name, sizeof(name), "scheduler_writes_per_%s", key);
	bench_value(w->run, name, (double)(now.scheduler - since.scheduler) / (double)items);
}

static void submit(struct world *w, const char *name, const char *queue, size_t pods,
		   const char *seconds)
{
	AUTO(mem_free)
	char *text = mem_printf(
		"{\"metadata\":{\"name\":\"%s\",\"namespace\":\"default\"},\"spec\":{\"queue\":\"%"
		"s\","
		"\"tasks\":[{\"name\":\"t\",\"replicas\":%zu,\"template\":{\"metadata\":{"
		"\"annotations\":{\"run-seconds\":\"%s\"}},\"spec\":{\"restartPolicy\":\"Never\","
		"\"containers\":[{\"name\":\"main\",\"image\":\"registry.example.com/train:1.0\","
		"\"resources\":{\"requests\":{\"cpu\":\"10m\",\"memory\":\"10Mi\"}}}]}}}]}}",
		name, queue, pods, seconds);

	create(w, RESOURCE_VCJOBS, text);
}

/* --- phases ---------------------------------------------------------------------------------- */

/* All reports about jobs that wait were written. */
static void turn_to_rest(struct world *w)
{
	int64_t until = loop_uptime(w->loop) + 10 * TIME_SECOND;

	wait(w);
	while (loop_uptime(w->loop) < until)
		(void)loop_turn(w->loop, until - loop_uptime(w->loop));
	loop_drain(w->loop);
}

/* Jobs in a row, the next numbers as names. */
static void submit_some(struct world *w, const char *queue, size_t jobs, size_t pods,
			const char *seconds)
{
	char name[32];

	for (size_t i = 0; i < jobs; i++) {
		snprintf(name, sizeof(name), "job-%zu", w->made++);
		submit(w, name, queue, pods, seconds);
	}
}

/* All jobs from this number on, and what is theirs. */
static void delete_from(struct world *w, size_t from, size_t groups_left)
{
	char name[32];

	for (size_t i = from; i < w->made; i++) {
		snprintf(name, sizeof(name), "job-%zu", i);
		send(w, (struct client_ask){.verb = CLIENT_DELETE,
					    .resource = &resources[RESOURCE_VCJOBS],
					    .namespace = STR("default"),
					    .name = str_from(name),
					    .propagation = CLIENT_BACKGROUND});
	}
	wait(w);
	while (informer_len(w->jobs) > groups_left || informer_len(w->groups) > groups_left ||
	       informer_len(w->pods) > 0)
		(void)loop_turn(w->loop, -1);
}

static void wait_groups(struct world *w, size_t count)
{
	wait(w);
	while (informer_len(w->groups) < count)
		(void)loop_turn(w->loop, -1);
}

static void make_waiting(struct world *w, size_t count)
{
	size_t heap = bench_heap();

	for (size_t made = 0; made < count; made += BATCH) {
		submit_some(w, "full", count - made < BATCH ? count - made : BATCH, 1, "0");
		wait_groups(w, w->made);
	}
	turn_to_rest(w);
	bench_value(w->run, "bytes_per_job", (double)(bench_heap() - heap) / (double)count);
}

static void measure_queued(struct world *w, size_t waiting)
{
	bench_phase(w->run, "queued");
	while (bench_round(w->run, BATCH)) {
		submit_some(w, "full", BATCH, 1, "0");
		wait_groups(w, waiting + BATCH);
		bench_pause(w->run);
		delete_from(w, w->made - BATCH, waiting);
		bench_resume(w->run);
	}
}

/* Jobs of one pod, until all are bound. */
static void measure_bound(struct world *w, size_t waiting)
{
	bench_phase(w->run, "bound");
	while (bench_round(w->run, BATCH)) {
		size_t want = w->bound + BATCH;

		submit_some(w, "default", BATCH, 1, "1000000");
		while (w->bound < want)
			(void)loop_turn(w->loop, -1);
		bench_pause(w->run);
		delete_from(w, w->made - BATCH, waiting);
		bench_resume(w->run);
	}
	bench_value(w->run, "jobs_per_second", 1e9 / bench_cost(w->run, "bound_ns"));
}

/* The same until all are done. */
static void measure_jobs(struct world *w, size_t waiting)
{
	struct writes before = writes_of(w);
	size_t jobs = 0;

	bench_phase(w->run, "job");
	while (bench_round(w->run, BATCH)) {
		size_t want = w->completed + BATCH;

		submit_some(w, "default", BATCH, 1, "0");
		while (w->completed < want)
			(void)loop_turn(w->loop, -1);
		bench_pause(w->run);
		jobs += BATCH;
		delete_from(w, w->made - BATCH, waiting);
		bench_resume(w->run);
	}
	report_writes(w, before, "job", jobs);
}

static void measure_shape(struct world *w, const char *name, size_t jobs, size_t pods)
{
	size_t waiting = informer_len(w->jobs);
	size_t heap = bench_heap();
	size_t held = heap, rounds = 0;
	struct writes before = writes_of(w);
	AUTO(mem_free) char *key = mem_printf("pod_%s", name);
	AUTO(mem_free) char *bytes = mem_printf("heap_per_pod_%s", name);

	if (jobs == 0 || pods == 0)
		return;
	bench_phase(w->run, name);
	while (bench_round(w->run, jobs * pods)) {
		submit_some(w, "default", jobs, pods, "1000000");
		while (w->running < (int64_t)(jobs * pods))
			(void)loop_turn(w->loop, -1);
		wait(w);
		bench_pause(w->run);
		held = bench_heap();
		rounds++;
		delete_from(w, w->made - jobs, waiting);
		bench_resume(w->run);
	}
	report_writes(w, before, key, rounds * jobs * pods);
	bench_value(w->run, bytes, held > heap ? (double)(held - heap) / (double)(jobs * pods) : 0);
}

static void measure_all(struct bench_run *run)
{
	size_t waiting = bench_size(run);
	size_t pods = (size_t)bench_option(run, "pods");
	struct world w;

	if (pods > waiting)
		pods = waiting;
	open_world(&w, run);
	make_waiting(&w, waiting);
	measure_queued(&w, waiting);
	measure_bound(&w, waiting);
	measure_jobs(&w, waiting);
	measure_shape(&w, "one", 1, pods);
	measure_shape(&w, "few", 20, pods / 20);
	measure_shape(&w, "many", 500, pods / 500);
	measure_shape(&w, "single", pods, 1);
	close_world(&w);
}

static const struct flag jobs_flags[] = {
	BENCH_FLAG("pods", "10000", "pods at most in 1, 20, 500 jobs and one a job"),
	{.name = NULL},
};

const struct bench bench_jobs = {
	.name = "jobs",
	.about = "the whole system in one process: jobs of one pod while others wait, "
		 "many pods in jobs of several sizes",
	.item = "jobs",
	.size = 10000,
	.run = measure_all,
	.flags = jobs_flags,
};
