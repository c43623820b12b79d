/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/apiserver.c - a whole API server with its store on disk, asked over HTTPS, 64
 * requests in flight; client and server share the process, and so the cost.
 *
 * create, update: of config maps of 300 bytes, each durable before it is answered; by the wall's
 * clock, since much of it is waiting for the disk. direct_create: the same from within the process.
 * get: by name, in no order. list: all of them in pages of 500, by object.
 *
 * The folder is made in $TMPDIR: put that on the disk that is meant. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "apiserver/direct.h"
#include "apiserver/server.h"
#include "base/buf.h"
#include "base/mem.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/transport.h"
#include "client/transport_http.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

enum { IN_FLIGHT = 64, ROUND = 640, NAME_BYTES = 32 };

struct world {
	struct bench_run *run;
	char *folder;
	struct loop *loop;
	struct apiserver *server;
	struct client *https;
	struct client *direct;
	size_t left;
	size_t made;
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

static void ask(struct world *w, struct client *client, struct client_ask what)
{
	what.resource = &resources[RESOURCE_CONFIGMAPS];
	what.namespace = STR("bench");
	what.done = on_answer;
	what.arg = w;
	w->left++;
	client_send(client, &what);
}

static struct json_doc *configmap(size_t number, size_t version)
{
	AUTO(mem_free)
	char *text = mem_printf(
		"{\"metadata\":{\"name\":\"c-%zu\",\"labels\":{\"app\":\"bench\"}},\"data\":{"
		"\"version\":\"%zu\",\"text\":\"%0200d\"}}",
		number, version, 7);
	struct err err;
	struct json_doc *doc = json_parse(str_from(text), NULL, &err);

	bench_require(doc, &err);
	return doc;
}

static void create(struct world *w, struct client *client, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		AUTO(json_doc_unref) struct json_doc *doc = configmap(w->made++, 0);

		ask(w, client,
		    (struct client_ask){.verb = CLIENT_CREATE, .body = doc, .discard = true});
	}
	wait(w);
}

static struct str any_name(struct world *w, char text[NAME_BYTES])
{
	int len = snprintf(text, NAME_BYTES, "c-%zu", bench_dice_below(w->run, w->made));

	return str_of(text, (size_t)len);
}

/* --- life --- */

static struct transport *open_https(struct world *w)
{
	AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(NULL);
	AUTO(kubeconfig_access_done) struct kubeconfig_access access = {0};
	AUTO(mem_free) char *path = mem_printf("%s/kubeconfig", w->folder);
	struct transport *transport;
	struct err err = {0};

	bench_require(kubeconfig_load(config, path, &err) == 0 &&
			      kubeconfig_select(config, &(struct kubeconfig_choice){0}, &access,
						&err) == 0,
		      &err);
	transport = transport_http_new(w->loop, &(struct transport_http_options){.access = &access},
				       &err);
	bench_require(transport, &err);
	return transport;
}

static void open_world(struct world *w, struct bench_run *run)
{
	const char *root = secure_getenv("TMPDIR");
	struct apiserver_options options = {0};
	const struct client_options bound = {.max_in_flight = IN_FLIGHT};
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct err err = {.text = "no temporary folder"};

	*w = (struct world){.run = run};
	w->folder = mem_printf("%s/vc-bench.XXXXXX", root ? root : "/tmp");
	bench_require(mkdtemp(w->folder), &err);
	w->loop = loop_new(&err);
	bench_require(w->loop, &err);
	options.folder = w->folder;
	bench_require(address_parse(STR("127.0.0.1:0"), &options.listen, &err) == 0, &err);
	w->server = apiserver_new(w->loop, &options, &err);
	bench_require(w->server, &err);
	w->https = client_new(w->loop, open_https(w), &bound);
	w->direct = client_new(
		w->loop,
		direct_new(apiserver_api(w->server), &(struct direct_user){.name = "bench"}),
		&(struct client_options){.max_in_flight = ROUND});
	doc = json_parse(STR("{\"metadata\":{\"name\":\"bench\"}}"), NULL, &err);
	bench_require(doc, &err);
	w->left++;
	client_create(w->direct, &resources[RESOURCE_NAMESPACES], doc, on_answer, w);
	wait(w);
}

/* Files before their folders. What is not known stays, in a temporary folder. */
static void remove_folder(const char *folder)
{
	static const char *const paths[] = {
		"kubeconfig",
		"pki/admin.crt",
		"pki/admin.key",
		"pki/apiserver.crt",
		"pki/apiserver.key",
		"pki/ca.crt",
		"pki/ca.key",
		"pki/tokens.csv",
		"pki",
		"store/data.mdb",
		"store/format",
		"store/lock",
		"store",
	};

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		AUTO(mem_free) char *path = mem_printf("%s/%s", folder, paths[i]);

		(void)remove(path);
	}
	(void)rmdir(folder);
}

static void close_world(struct world *w)
{
	client_free(w->https);
	client_free(w->direct);
	apiserver_free(w->server);
	loop_free(w->loop);
	remove_folder(w->folder);
	mem_free(w->folder);
}

/* --- phases --- */

static void measure_writes(struct world *w)
{
	char name[NAME_BYTES];
	size_t version = 1;

	bench_phase_wall(w->run, "direct_create");
	while (w->made < bench_size(w->run) || bench_round(w->run, ROUND))
		create(w, w->direct, ROUND);
	bench_phase_wall(w->run, "create");
	while (bench_round(w->run, ROUND))
		create(w, w->https, ROUND);
	bench_phase_wall(w->run, "update");
	while (bench_round(w->run, ROUND)) {
		for (size_t i = 0; i < ROUND; i++) {
			struct str any = any_name(w, name);
			AUTO(mem_free)
			char *text = mem_printf("{\"data\":{\"version\":\"%zu\"}}", version++);
			AUTO(json_doc_unref)
			struct json_doc *patch = json_parse(str_from(text), NULL, NULL);

			ask(w, w->https,
			    (struct client_ask){.verb = CLIENT_PATCH,
						.patch = CLIENT_PATCH_MERGE,
						.name = any,
						.body = patch,
						.discard = true});
		}
		wait(w);
	}
	bench_value(w->run, "creates_per_second", 1e9 / bench_cost(w->run, "create_wall_ns"));
}

static void measure_reads(struct world *w)
{
	char name[NAME_BYTES];

	bench_phase(w->run, "get");
	while (bench_round(w->run, ROUND)) {
		for (size_t i = 0; i < ROUND; i++)
			ask(w, w->https,
			    (struct client_ask){.verb = CLIENT_GET, .name = any_name(w, name)});
		wait(w);
	}
	bench_phase(w->run, "list");
	while (bench_round(w->run, w->made)) {
		struct informer *informer = informer_new(
			w->https,
			&(struct informer_options){.resource = &resources[RESOURCE_CONFIGMAPS],
						   .namespace = STR("bench")});

		informer_start(informer);
		while (!informer_synced(informer))
			(void)loop_turn(w->loop, -1);
		informer_free(informer);
	}
}

void bench_apiserver(struct bench_run *run)
{
	struct world w;

	open_world(&w, run);
	measure_writes(&w);
	measure_reads(&w);
	close_world(&w);
}
