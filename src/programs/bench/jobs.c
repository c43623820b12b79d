/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/jobs.c - the job controller over the API server in the same process, with jobs that
 * wait to be admitted; the store is in memory, so that the cost is the processor's.
 *
 * job: a job of one pod from its creation to Completed, everybody's work included: the API server's,
 * the controller's, that of a few lines which stand in for the scheduler, and a simulated node's. pod: a
 * pod of one job that has as many as there are waiting jobs, from its creation until it runs and is
 * counted.
 *
 * bytes_per_job is what a waiting job takes, in the store and in the controller. writes_per_job and
 * writes_per_pod are the controller's. */
#include <stdio.h>

#include "apiserver/api.h"
#include "apiserver/direct.h"
#include "apiserver/install.h"
#include "apiserver/store.h"
#include "base/mem.h"
#include "client/client.h"
#include "client/informer.h"
#include "controller/controller.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "node/simulated.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

enum { BATCH = 100, NODES = 100 };

struct world {
	struct bench_run *run;
	struct loop *loop;
	struct store *store;
	struct api *api;
	struct client *client;  /* the bench's own */
	struct client *manager; /* the controllers' */
	struct controllers *controllers;
	struct simulated *nodes;
	struct informer *jobs;
	struct informer *groups;
	struct informer *pods;
	size_t left;      /* answers to come */
	size_t made;      /* jobs, ever */
	size_t completed; /* jobs, ever */
	size_t gone;      /* jobs, ever */
	int64_t running;  /* pods of the large job, as its status says */
	size_t bound;
};

static void on_answer(void *arg, const struct client_result *result)
{
	struct world *w = arg;

	bench_require(!result->err, result->err);
	w->left--;
}

static void wait(struct world *w)
{
	while (w->left)
		(void)loop_turn(w->loop, -1);
}

static void send(struct world *w, struct client_ask ask)
{
	ask.done = on_answer;
	ask.arg = w;
	ask.discard = true;
	w->left++;
	client_send(w->client, &ask);
}

static struct json_doc *parse(const char *text)
{
	struct err err;
	struct json_doc *doc = json_parse(str_from(text), NULL, &err);

	bench_require(doc, &err);
	return doc;
}

static void create(struct world *w, enum resource_id resource, const char *text)
{
	AUTO(json_doc_unref) struct json_doc *doc = parse(text);

	send(w, (struct client_ask){.verb = CLIENT_CREATE,
				    .resource = &resources[resource],
				    .namespace = resources[resource].namespaced ? STR("default")
										: str_none(),
				    .body = doc});
}

static void patch(struct world *w, enum resource_id resource, struct str name, const char *sub,
		  const char *text)
{
	AUTO(json_doc_unref) struct json_doc *doc = parse(text);

	send(w, (struct client_ask){.verb = CLIENT_PATCH,
				    .patch = CLIENT_PATCH_MERGE,
				    .resource = &resources[resource],
				    .namespace = resources[resource].namespaced ? STR("default")
										: str_none(),
				    .name = name,
				    .sub = str_from(sub),
				    .body = doc});
}

/* --- the scheduler's part -------------------------------------------------------------------- */

/* Groups of jobs that are called wait-* are not admitted. */
static void see_group(void *arg, const struct informer_object *object)
{
	struct json status = json_get(json_doc_root(object->doc), "status");

	if (json_str(json_get(status, "phase")).len == 0 && !str_starts(object->name, STR("wait-")))
		patch(arg, RESOURCE_PODGROUPS, object->name, "",
		      "{\"status\":{\"phase\":\"Inqueue\"}}");
}

static void see_pod(void *arg, const struct informer_object *object)
{
	struct world *w = arg;
	struct json spec = json_get(json_doc_root(object->doc), "spec");
	char node[32];

	if (json_str(json_get(spec, "nodeName")).len > 0)
		return;
	snprintf(node, sizeof(node), "node-%05zu", w->bound++ % NODES);
	w->left++;
	client_bind(w->client,
		    &(struct client_bind){.namespace = object->namespace,
					  .name = object->name,
					  .node = str_from(node)},
		    on_answer, w);
}

static void see_job(void *arg, const struct informer_object *object)
{
	struct world *w = arg;
	struct json status = json_get(json_doc_root(object->doc), "status");
	struct str phase = json_str(json_get(json_get(status, "state"), "phase"));
	struct json old = object->old ? json_get(json_doc_root(object->old), "status") : JSON_NONE;

	if (str_is(object->name, "large"))
		w->running = json_int(json_get(status, "running"));
	if (str_is(phase, "Completed") &&
	    !str_is(json_str(json_get(json_get(old, "state"), "phase")), "Completed"))
		w->completed++;
}

static void lose_job(void *arg, const struct informer_object *object)
{
	struct world *w = arg;

	(void)object;
	w->gone++;
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

static void open_world(struct world *w, struct bench_run *run)
{
	struct err err;

	*w = (struct world){.run = run};
	w->loop = loop_new_virtual(1, INT64_C(1767225600000000), &err);
	bench_require(w->loop, &err);
	w->store = store_open(w->loop, &(struct store_options){0}, &err);
	bench_require(w->store, &err);
	w->api = api_new(&(struct api_options){.loop = w->loop, .store = w->store});
	bench_require(install_definitions(w->api, &err) == 0, &err);
	api_start(w->api, &(struct api_place){0});
	w->client = client_new(w->loop, direct_new(w->api, &(struct direct_user){.name = "bench"}),
			       NULL);
	w->manager = client_new(
		w->loop, direct_new(w->api, &(struct direct_user){.name = "controllers"}), NULL);
	create(w, RESOURCE_QUEUES, "{\"metadata\":{\"name\":\"default\"},\"spec\":{}}");
	wait(w);
	patch(w, RESOURCE_QUEUES, STR("default"), "status", "{\"status\":{\"state\":\"Open\"}}");
	wait(w);
	w->nodes = simulated_new(w->loop, w->client,
				 &(struct simulated_options){.nodes = NODES, .pods = "100000"});
	w->groups =
		listen(w, RESOURCE_PODGROUPS, false, &(struct informer_events){.added = see_group});
	w->pods = listen(w, RESOURCE_PODS, false, &(struct informer_events){.added = see_pod});
	w->jobs = listen(w, RESOURCE_VCJOBS, true,
			 &(struct informer_events){.updated = see_job, .deleted = lose_job});
	w->controllers = controllers_new(
		w->loop, w->manager, &(struct controllers_options){.controllers = "job-controller"},
		&err);
	bench_require(w->controllers, &err);
	while (!controllers_synced(w->controllers))
		(void)loop_turn(w->loop, -1);
}

static void close_world(struct world *w)
{
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

static uint64_t sent(const struct world *w)
{
	struct client_stats stats;

	client_stats(w->manager, &stats);
	return stats.sent;
}

static void submit(struct world *w, const char *name, size_t pods, const char *seconds)
{
	AUTO(mem_free)
	char *text = mem_printf(
		"{\"metadata\":{\"name\":\"%s\",\"namespace\":\"default\"},\"spec\":{\"tasks\":[{"
		"\"name\":\"t\",\"replicas\":%zu,\"template\":{\"metadata\":{\"annotations\":{"
		"\"run-seconds\":\"%s\"}},\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{"
		"\"name\":\"main\",\"image\":\"registry.example.com/train:1.0\",\"resources\":{"
		"\"requests\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}}]}}}]}}",
		name, pods, seconds);

	create(w, RESOURCE_VCJOBS, text);
}

/* --- phases ---------------------------------------------------------------------------------- */

static void make_waiting(struct world *w, size_t count)
{
	size_t heap = bench_heap();
	char name[32];

	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "wait-%zu", i);
		submit(w, name, 1, "0");
		if (i % BATCH == BATCH - 1)
			wait(w);
	}
	while (informer_len(w->groups) < count)
		(void)loop_turn(w->loop, -1);
	loop_drain(w->loop);
	bench_value(w->run, "bytes_per_job", (double)(bench_heap() - heap) / (double)count);
}

static void delete_jobs(struct world *w, size_t from)
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
	while (w->gone < w->made || informer_len(w->pods) > 0)
		(void)loop_turn(w->loop, -1);
}

static void measure_jobs(struct world *w)
{
	uint64_t before = sent(w);
	char name[32];

	bench_phase(w->run, "job");
	while (bench_round(w->run, BATCH)) {
		size_t from = w->made;

		for (size_t i = 0; i < BATCH; i++) {
			snprintf(name, sizeof(name), "job-%zu", w->made++);
			submit(w, name, 1, "0");
		}
		while (w->completed < w->made)
			(void)loop_turn(w->loop, -1);
		wait(w);
		bench_pause(w->run);
		delete_jobs(w, from);
		bench_resume(w->run);
	}
	bench_value(w->run, "writes_per_job", (double)(sent(w) - before) / (double)w->made);
	bench_value(w->run, "jobs_per_second", 1e9 / bench_cost(w->run, "job_ns"));
}

static void measure_pods(struct world *w, size_t pods)
{
	uint64_t writes = 0;
	size_t rounds = 0;

	bench_phase(w->run, "pod");
	while (bench_round(w->run, pods)) {
		uint64_t before = sent(w);
		size_t gone = w->gone;

		submit(w, "large", pods, "1000000");
		while (w->running < (int64_t)pods)
			(void)loop_turn(w->loop, -1);
		wait(w);
		bench_pause(w->run);
		writes += sent(w) - before;
		rounds++;
		send(w, (struct client_ask){.verb = CLIENT_DELETE,
					    .resource = &resources[RESOURCE_VCJOBS],
					    .namespace = STR("default"),
					    .name = STR("large"),
					    .propagation = CLIENT_BACKGROUND});
		while (w->gone == gone || informer_len(w->pods) > 0)
			(void)loop_turn(w->loop, -1);
		w->running = 0;
		bench_resume(w->run);
	}
	bench_value(w->run, "writes_per_pod", (double)writes / (double)(rounds * pods));
}

void bench_jobs(struct bench_run *run)
{
	struct world w;

	open_world(&w, run);
	make_waiting(&w, bench_size(run));
	measure_jobs(&w);
	measure_pods(&w, bench_size(run));
	close_world(&w);
}
