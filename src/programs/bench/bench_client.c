/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_client.c - the client library over the API server in the same process, with pods in
 * it; the store is in memory, so that the cost is CPU time.
 *
 * get: by name, in no order, the document wanted. create: a pod, validated and stored. patch: its
 * status, while an informer without documents hears of it. simulated: a pod on a simulated node
 * from its creation over Running to Succeeded, three writes. All of them 200 at a time.
 *
 * bytes_per_pod is what an informer without documents keeps of a pod. */
#include <stdio.h>

#include "apiserver/api.h"
#include "apiserver/request/direct.h"
#include "apiserver/store/store.h"
#include "base/mem.h"
#include "client/client.h"
#include "client/informer.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "node/simulated/simulated.h"
#include "programs/bench/bench.h"
#include "programs/bench/bench_requests.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

enum { BATCH = 200, NODES = 100 };

struct world {
	struct bench_run *run;
	struct loop *loop;
	struct store *store;
	struct api *api;
	struct client *client;
	size_t left; /* answers to come */
	size_t made; /* pods, ever */
};

static void wait(struct world *w)
{
	bench_wait(w->loop, &w->left);
}

static void send(struct world *w, struct client_ask ask)
{
	bench_send(w->client, ask, &w->left);
}

/* One of `bound` to a simulated node ends at once. */
static void create_pod(struct world *w, bool bound)
{
	AUTO(mem_free)
	char *text = mem_printf(
		"{\"metadata\":{\"name\":\"train-worker-%zu\",\"namespace\":\"default\",\"labels\":"
		"{"
		"\"volcano.sh/job-name\":\"train\",\"volcano.sh/task-spec\":\"worker\"},"
		"\"annotations\":{\"scheduling.k8s.io/"
		"group-name\":\"train\",\"run-seconds\":\"0\"}},"
		"\"spec\":{%s\"schedulerName\":\"volcano\",\"containers\":[{\"name\":\"main\","
		"\"image\":\"registry.example.com/train:1.0\",\"command\":[\"train\",\"--all\"],"
		"\"resources\":{\"requests\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}}]}}",
		w->made, bound ? "\"nodeName\":\"node-00007\"," : "");
	AUTO(json_doc_unref) struct json_doc *doc = bench_parse(text);

	w->made++;
	send(w, (struct client_ask){.verb = CLIENT_CREATE,
				    .resource = &resources[RESOURCE_PODS],
				    .namespace = STR("default"),
				    .body = doc,
				    .discard = true});
}

static struct client_ask ask_pod(size_t number, char name[64])
{
	int len = snprintf(name, 64, "train-worker-%zu", number);

	return (struct client_ask){.resource = &resources[RESOURCE_PODS],
				   .namespace = STR("default"),
				   .name = str_of(name, (size_t)len)};
}

static void open_world(struct world *w, struct bench_run *run)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct err err;

	*w = (struct world){.run = run};
	w->loop = loop_new_virtual(1, INT64_C(1767225600000000), &err);
	bench_require(w->loop, &err);
	w->store = store_open(w->loop, &(struct store_options){0}, &err);
	bench_require(w->store, &err);
	w->api = api_new(&(struct api_options){.loop = w->loop, .store = w->store});
	w->client = client_new(w->loop, direct_new(w->api, &(struct direct_user){.name = "bench"}),
			       NULL);
	doc = bench_parse("{\"metadata\":{\"name\":\"default\"}}");
	send(w, (struct client_ask){.verb = CLIENT_CREATE,
				    .resource = &resources[RESOURCE_NAMESPACES],
				    .body = doc});
	wait(w);
}

static void close_world(struct world *w)
{
	client_free(w->client);
	api_free(w->api);
	store_close(w->store);
	loop_free(w->loop);
}

static void measure_get(struct world *w)
{
	char name[64];

	bench_phase(w->run, "get");
	while (bench_round(w->run, BATCH)) {
		for (size_t i = 0; i < BATCH; i++) {
			struct client_ask ask = ask_pod(bench_dice_below(w->run, w->made), name);

			ask.verb = CLIENT_GET;
			send(w, ask);
		}
		wait(w);
	}
}

static void measure_patch(struct world *w)
{
	char name[64];
	char text[100];
	size_t round = 0;

	bench_phase(w->run, "patch");
	while (bench_round(w->run, BATCH)) {
		snprintf(text, sizeof(text), "{\"status\":{\"message\":\"round %zu\"}}", round++);
		AUTO(json_doc_unref) struct json_doc *patch = bench_parse(text);

		for (size_t i = 0; i < BATCH; i++) {
			struct client_ask ask = ask_pod(bench_dice_below(w->run, w->made), name);

			ask.verb = CLIENT_PATCH;
			ask.patch = CLIENT_PATCH_STRATEGIC;
			ask.sub = STR("status");
			ask.body = patch;
			ask.discard = true;
			send(w, ask);
		}
		wait(w);
	}
}

static void measure_simulated(struct world *w)
{
	struct simulated *simulated =
		simulated_new(w->loop, w->client, &(struct simulated_options){.nodes = NODES});
	struct simulated_stats stats;
	size_t made = 0;

	while (!simulated_is_ready(simulated))
		(void)loop_turn(w->loop, -1);
	bench_phase(w->run, "simulated");
	while (bench_round(w->run, BATCH)) {
		for (size_t i = 0; i < BATCH; i++)
			create_pod(w, true);
		made += BATCH;
		do {
			(void)loop_turn(w->loop, -1);
			simulated_stats(simulated, &stats);
		} while (stats.ends < made);
		wait(w);
	}
	/* Running and Succeeded: what is left of the three writes without the creation. */
	bench_value(w->run, "transitions_per_second",
		    2e9 / (bench_cost(w->run, "simulated_ns") - bench_cost(w->run, "create_ns")));
	simulated_free(simulated);
}

static void measure_client(struct bench_run *run)
{
	size_t count = bench_size(run);
	struct world w;
	struct informer *informer;
	size_t heap;

	open_world(&w, run);
	bench_phase(run, "create");
	while (w.made < count || bench_round(run, BATCH)) {
		for (size_t i = 0; i < BATCH; i++)
			create_pod(&w, false);
		wait(&w);
	}
	heap = bench_heap();
	informer = informer_new(w.client,
				&(struct informer_options){.resource = &resources[RESOURCE_PODS]});
	informer_start(informer);
	while (!informer_synced(informer))
		(void)loop_turn(w.loop, -1);
	bench_value(run, "bytes_per_pod",
		    (double)(bench_heap() - heap) / (double)informer_len(informer));
	measure_get(&w);
	measure_patch(&w);
	measure_simulated(&w);
	informer_free(informer);
	close_world(&w);
}

const struct bench bench_client = {
	.name = "client",
	.about = "requests to the API server in the same process, and simulated nodes",
	.item = "pods",
	.size = 100000,
	.run = measure_client,
};
