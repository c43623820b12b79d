/* SPDX-License-Identifier: Apache-2.0 */
/* Probes of tasks by HTTP and TCP, on real sockets: pods of a task whose addresses are this machine's,
 * and a server that answers or does not. Waits for what is found out, never for a time. */
#include "apiserver/test/client_world.h"
#include "controller/task_probe.h"
#include "http/address.h"
#include "http/http_server.h"

#include "base/banned.h"

enum { TURNS_MAX = 20000 };

struct bench {
	struct world w;
	struct http_server *server;
	struct prober *prober;
	int port;
	int status; /* what the server answers */
	size_t asked;
	char header[40];
	char path[40];
	size_t touched;
};

static void handle(struct http_request *request, void *arg)
{
	struct bench *b = arg;

	b->asked++;
	snprintf(b->header, sizeof(b->header), "%.*s",
		 STR_ARG(http_request_header(request, STR("x-probe"))));
	snprintf(b->path, sizeof(b->path), "%.*s", STR_ARG(http_request_path(request)));
	http_reply(request, b->status, STR("text/plain"), STR("x"));
}

static void touched(void *arg, struct str asker)
{
	struct bench *b = arg;

	ok(str_is(asker, "a/f"), "the asker is touched");
	b->touched++;
}

static void open_bench(struct bench *b)
{
	struct address address;
	struct address bound;
	struct err err;

	*b = (struct bench){.status = 200};
	b->w.loop = loop_new(&err);
	b->w.store = store_open(b->w.loop, &(struct store_options){0}, &err);
	b->w.api = api_new(&(struct api_options){.loop = b->w.loop, .store = b->w.store});
	b->w.client = world_client(&b->w, "tester");
	b->server = http_server_new(
		b->w.loop, &(struct http_server_options){.handler = handle, .arg = b}, &err);
	ok(b->server && address_parse(STR("127.0.0.1:0"), &address, &err) == 0 &&
		   http_server_listen(b->server, &address, HTTP_PLAIN, &bound, &err) == 0,
	   "a server listens");
	b->port = address_port(&bound);
	b->prober = prober_new(b->w.loop, b->w.client, touched, b);
}

static void close_bench(struct bench *b)
{
	prober_free(b->prober);
	http_server_free(b->server);
	world_close(&b->w);
}

static void ask_api(struct bench *b, const struct client_ask *ask)
{
	struct got got = {0};

	(void)world_ask(&b->w, &got, ask);
	ok(!got.reason, "the API takes it%s%s", got.reason ? ": " : "", got.text);
	json_doc_unref(got.doc);
}

/* A running pod of task t of job j, at this machine's address. */
static void make_pod(struct bench *b, const char *name)
{
	AUTO(json_doc_unref)
	struct json_doc *account =
		doc_of("{\"metadata\":{\"name\":\"%s\",\"namespace\":\"a\"}}", name);
	AUTO(json_doc_unref)
	struct json_doc *pod =
		doc_of("{\"metadata\":{\"name\":\"%s\",\"namespace\":\"a\",\"labels\":{"
		       "\"volcano.sh/job-name\":\"j\",\"volcano.sh/task-spec\":\"t\"}},\"spec\":{"
		       "\"serviceAccountName\":\"%s\",\"containers\":[{\"name\":\"c\",\"image\":"
		       "\"i\"}]}}",
		       name, name);
	AUTO(json_doc_unref)
	struct json_doc *status =
		doc_of("{\"status\":{\"phase\":\"Running\",\"podIP\":\"127.0.0.1\"}}");

	ask_api(b, &(struct client_ask){.verb = CLIENT_CREATE,
					.resource = &resources[RESOURCE_SERVICEACCOUNTS],
					.namespace = STR("a"),
					.body = account});
	ask_api(b, &(struct client_ask){.verb = CLIENT_CREATE,
					.resource = &resources[RESOURCE_PODS],
					.namespace = STR("a"),
					.body = pod});
	ask_api(b, &(struct client_ask){.verb = CLIENT_PATCH,
					.resource = &resources[RESOURCE_PODS],
					.namespace = STR("a"),
					.name = str_from(name),
					.sub = STR("status"),
					.patch = CLIENT_PATCH_MERGE,
					.body = status});
}

static bool answers(struct bench *b, enum flow_probe probe, int port)
{
	AUTO(json_doc_unref)
	struct json_doc *entry =
		doc_of("{\"taskName\":\"t\",\"port\":%d,\"path\":\"/ready\",\"httpHeader\":{"
		       "\"name\":\"x-probe\",\"value\":\"yes\"}}",
		       port);

	return prober_answers(b->prober, &(struct probe_question){.asker = STR("a/f"),
								  .namespace = STR("a"),
								  .job = STR("j"),
								  .probe = probe,
								  .entry = json_doc_root(entry)});
}

/* Asks until it is so: a machine that is busy may be slower once than a probe waits. */
static bool turns_out(struct bench *b, enum flow_probe probe, bool want)
{
	bool is = answers(b, probe, b->port);

	for (int i = 0; is != want && i < TURNS_MAX; i++) {
		(void)loop_turn(b->w.loop, 50 * TIME_MILLISECOND);
		is = answers(b, probe, b->port);
	}
	return is == want;
}

int main(void)
{
	AUTO(json_doc_unref) struct json_doc *namespace = doc_of("{\"metadata\":{\"name\":\"a\"}}");
	struct bench b;

	open_bench(&b);
	ask_api(&b, &(struct client_ask){.verb = CLIENT_CREATE,
					 .resource = &resources[RESOURCE_NAMESPACES],
					 .body = namespace});
	make_pod(&b, "p0");
	make_pod(&b, "p1");

	ok(!answers(&b, FLOW_PROBE_HTTP, b.port), "at first nothing is known");
	ok(turns_out(&b, FLOW_PROBE_HTTP, true), "pods that answer a GET are found out");
	ok(b.touched >= 1, "of which the caller was notified");
	ok(b.asked >= 2, "each of them is asked");
	is(b.header, "yes");
	is(b.path, "/ready");

	ok(!answers(&b, FLOW_PROBE_TCP, b.port), "a port is another question");
	ok(turns_out(&b, FLOW_PROBE_TCP, true), "pods that listen are found out");

	b.status = 503;
	ok(turns_out(&b, FLOW_PROBE_HTTP, false), "pods that do not feel well do not count");

	/* what is under way when everything ends is dropped */
	ok(!answers(&b, FLOW_PROBE_TCP, 1), "nobody listens there");
	(void)loop_turn(b.w.loop, 0);
	close_bench(&b);
	return tap_done();
}
