/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_apiserver_memory.c - what stays in an API server's memory after a load.
 *
 * So many config maps of 1 MB are created while a client watches them, listed and deleted; then three
 * minutes of virtual time pass. The store is in memory, so that everything is the heap's. heap_* is what is
 * allocated, rss_* what the process has of the system after malloc_trim(). The run fails if more than half
 * as much again is allocated afterwards as before, but at least ALLOWED: history that is kept on purpose
 * (LIMIT_HISTORY_OLD_BYTES) is more than half of a server without objects. */
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "apiserver/api.h"
#include "apiserver/crd/install.h"
#include "apiserver/request/direct.h"
#include "apiserver/store/store.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/time.h"
#include "client/informer.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "programs/bench/apiworld.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

enum {
	OBJECT_BYTES = 1000 * 1000,
	AT_ONCE = 10,
	ALLOWED = LIMIT_HISTORY_OLD_BYTES + 4 * 1024 * 1024,
};

struct memory_world {
	struct apiworld apiworld; /* loop, client and counting of answers */
	struct store *store;
	struct api *api;
	struct informer *informer;
	size_t others; /* config maps that the server itself has made */
	char *filling;
};

static void open_world(struct memory_world *m, struct bench_run *run)
{
	struct apiworld *w = &m->apiworld;
	struct err err;

	*m = (struct memory_world){.apiworld = {.run = run}};
	w->loop = loop_new_virtual(1, INT64_C(1767225600000000), &err);
	bench_require(w->loop, &err);
	m->store = store_open(w->loop, &(struct store_options){0}, &err);
	bench_require(m->store, &err);
	m->api = api_new(&(struct api_options){.loop = w->loop, .store = m->store});
	bench_require(install_definitions(m->api, &err) == 0, &err);
	api_start(m->api, &(struct api_place){0});
	w->client = client_new(w->loop, direct_new(m->api, &(struct direct_user){.name = "bench"}),
			       NULL);
	AUTO(json_doc_unref)
	struct json_doc *namespace =
		json_parse(STR("{\"metadata\":{\"name\":\"bench\"}}"), NULL, NULL);

	apiworld_ask(w, (struct client_ask){.verb = CLIENT_CREATE,
					    .resource = &resources[RESOURCE_NAMESPACES],
					    .body = namespace});
	apiworld_wait(w);
	m->filling = mem_zalloc(OBJECT_BYTES + 1);
	memset(m->filling, 'x', OBJECT_BYTES);
	m->informer = informer_new(
		w->client, &(struct informer_options){.resource = &resources[RESOURCE_CONFIGMAPS],
						      .store = true});
	informer_start(m->informer);
	while (!informer_synced(m->informer))
		(void)loop_turn(w->loop, -1);
	loop_drain(w->loop);
	m->others = informer_len(m->informer);
}

static void close_world(struct memory_world *m)
{
	informer_free(m->informer);
	client_free(m->apiworld.client);
	api_free(m->api);
	store_close(m->store);
	loop_free(m->apiworld.loop);
	mem_free(m->filling);
}

static void create(struct memory_world *m, size_t number)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	AUTO(mem_free) char *name = mem_printf("c-%zu", number);

	json_doc_set_root(doc, root);
	json_set_str(doc, json_ensure_obj(doc, root, "metadata"), "name", str_from(name));
	json_set_str(doc, json_ensure_obj(doc, root, "data"), "text",
		     str_of(m->filling, OBJECT_BYTES));
	apiworld_ask(&m->apiworld,
		     (struct client_ask){.verb = CLIENT_CREATE, .body = doc, .discard = true});
}

static void delete (struct memory_world *m, size_t number)
{
	AUTO(mem_free) char *name = mem_printf("c-%zu", number);

	apiworld_ask(&m->apiworld, (struct client_ask){.verb = CLIENT_DELETE,
						       .name = str_from(name),
						       .discard = true});
}

static void for_all(struct memory_world *m, void (*fn)(struct memory_world *m, size_t number))
{
	size_t count = bench_size(m->apiworld.run);

	for (size_t i = 0; i < count; i++) {
		fn(m, i);
		if (m->apiworld.left >= AT_ONCE)
			apiworld_wait(&m->apiworld);
	}
	apiworld_wait(&m->apiworld);
	while (informer_len(m->informer) != m->others + (fn == create ? count : 0))
		(void)loop_turn(m->apiworld.loop, -1);
}

static void let_time_pass(struct memory_world *m)
{
	struct loop *loop = m->apiworld.loop;
	int64_t until = loop_uptime(loop) + 3 * TIME_MINUTE;

	while (loop_uptime(loop) < until)
		(void)loop_turn(loop, until - loop_uptime(loop));
	(void)malloc_trim(0);
}

static size_t note_memory(struct memory_world *m, const char *when)
{
	struct bench_run *run = m->apiworld.run;
	size_t heap = bench_heap();
	char key[64];

	(void)snprintf(key, sizeof(key), "heap_%s_kb", when);
	bench_value(run, key, (double)heap / 1024);
	(void)snprintf(key, sizeof(key), "rss_%s_kb", when);
	bench_value(run, key, (double)apiworld_memory(&m->apiworld) / 1024);
	return heap;
}

static void measure_apiserver_memory(struct bench_run *run)
{
	struct memory_world m;
	struct err err;

	open_world(&m, run);
	let_time_pass(&m);
	size_t before = note_memory(&m, "before");

	for_all(&m, create);
	(void)note_memory(&m, "loaded");
	apiworld_ask(&m.apiworld, (struct client_ask){.verb = CLIENT_LIST, .limit = AT_ONCE});
	apiworld_wait(&m.apiworld);
	for_all(&m, delete);
	let_time_pass(&m);
	size_t after = note_memory(&m, "after");
	size_t allowed = before / 2 > ALLOWED ? before / 2 : ALLOWED;

	(void)err_set(&err, ERR_INTERNAL, "%zu bytes are allocated after the load, %zu before it",
		      after, before);
	bench_require(after <= before + allowed, &err);
	close_world(&m);
}

const struct bench bench_apiserver_memory = {
	.name = "apiserver-memory",
	.about = "what stays in memory after objects of 1 MB were created and deleted",
	.item = "objects",
	.size = 200,
	.run = measure_apiserver_memory,
};
