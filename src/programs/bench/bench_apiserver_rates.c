/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_apiserver_rates.c - a whole API server with its store on disk, and so many config
 * maps in it: what it takes a second, and what an answer costs it.
 *
 * create: config maps of 300 bytes, each durable before it is answered. create_pod: pods of a few
 * fields, which become 1.6 kB with their defaults. update: merge patches of one field. get: by name,
 * in no order. list: all config maps in pages, an object.
 *
 * By the wall's clock, since waiting for the disk is part of it; <phase>_cpu_ns is the CPU time
 * an item of the process that the server is in: over HTTPS the server's alone, else the client's
 * too. */
#include <stdio.h>

#include "base/mem.h"
#include "client/informer.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "programs/bench/apiworld.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

enum { ROUND = 640, IN_FLIGHT = 64, LABEL = 48 };

struct rates {
	struct apiworld world;
	size_t configmaps;
	size_t pods;
	size_t version;
};

typedef void item_fn(struct rates *r);

static void create(struct rates *r)
{
	AUTO(json_doc_unref) struct json_doc *doc = apiworld_configmap(r->configmaps++, 0);

	apiworld_ask(&r->world,
		     (struct client_ask){.verb = CLIENT_CREATE, .body = doc, .discard = true});
}

static void create_pod(struct rates *r)
{
	AUTO(json_doc_unref) struct json_doc *doc = apiworld_pod(r->pods++);

	apiworld_ask(&r->world, (struct client_ask){.verb = CLIENT_CREATE,
						    .resource = &resources[RESOURCE_PODS],
						    .body = doc,
						    .discard = true});
}

static struct str any_name(struct rates *r, char text[APIWORLD_NAME_BYTES])
{
	int len = snprintf(text, APIWORLD_NAME_BYTES, "c-%zu",
			   bench_dice_below(r->world.run, r->configmaps));

	return str_of(text, (size_t)len);
}

static void update(struct rates *r)
{
	char name[APIWORLD_NAME_BYTES];
	AUTO(mem_free) char *text = mem_printf("{\"data\":{\"version\":\"%zu\"}}", ++r->version);
	AUTO(json_doc_unref) struct json_doc *patch = json_parse(str_from(text), NULL, NULL);

	apiworld_ask(&r->world, (struct client_ask){.verb = CLIENT_PATCH,
						    .patch = CLIENT_PATCH_MERGE,
						    .name = any_name(r, name),
						    .body = patch,
						    .discard = true});
}

static void get(struct rates *r)
{
	char name[APIWORLD_NAME_BYTES];

	apiworld_ask(&r->world, (struct client_ask){.verb = CLIENT_GET, .name = any_name(r, name)});
}

static void list(struct rates *r)
{
	struct informer *informer =
		informer_new(r->world.client,
			     &(struct informer_options){.resource = &resources[RESOURCE_CONFIGMAPS],
							.namespace = STR("bench")});

	informer_start(informer);
	while (!informer_synced(informer))
		(void)loop_turn(r->world.loop, -1);
	informer_free(informer);
}

/* A phase, then its cost in CPU time. `items` are those of one call. */
static void measure(struct rates *r, const char *name, item_fn *fn, size_t calls)
{
	struct bench_run *run = r->world.run;
	int64_t before = apiworld_cpu(&r->world);
	char label[LABEL];
	size_t done = 0;
	size_t each = fn == list ? r->configmaps : 1;

	bench_phase_wall(run, name);
	while (bench_round(run, calls * each)) {
		for (size_t i = 0; i < calls; i++)
			fn(r);
		apiworld_wait(&r->world);
		done += calls * each;
	}
	(void)snprintf(label, sizeof(label), "%s_cpu_ns", name);
	bench_value(run, label, (double)(apiworld_cpu(&r->world) - before) / (double)done);
	(void)snprintf(label, sizeof(label), "%s_wall_ns", name);
	double cost = bench_cost(run, label);

	(void)snprintf(label, sizeof(label), "%s_per_second", name);
	bench_value(run, label, 1e9 / cost);
}

static void measure_all(struct rates *r)
{
	r->configmaps = bench_size(r->world.run);
	measure(r, "create", create, ROUND);
	measure(r, "create_pod", create_pod, ROUND);
	measure(r, "update", update, ROUND);
	measure(r, "get", get, ROUND);
	measure(r, "list", list, 1);
	apiworld_close(&r->world);
}

static void measure_apiserver_https(struct bench_run *run)
{
	struct rates r = {0};

	apiworld_open_apart(&r.world, run, bench_size(run), IN_FLIGHT);
	measure_all(&r);
}

static void measure_apiserver_direct(struct bench_run *run)
{
	struct rates r = {0};

	apiworld_open_within(&r.world, run, bench_size(run), ROUND);
	measure_all(&r);
}

const struct bench bench_apiserver_direct = {
	.name = "apiserver-direct",
	.about = "an API server with its store on disk, asked from within its process",
	.item = "objects",
	.size = 100000,
	.run = measure_apiserver_direct,
};

const struct bench bench_apiserver_https = {
	.name = "apiserver-https",
	.about = "the same in a process of its own, over HTTPS, 64 requests in flight",
	.item = "objects",
	.size = 100000,
	.run = measure_apiserver_https,
};
