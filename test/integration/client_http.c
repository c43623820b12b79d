/* SPDX-License-Identifier: Apache-2.0 */
/* Clients over HTTPS against a whole API server on loopback: every verb, watches, informers, and
 * credentials that a program prints. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/request/direct.h"
#include "apiserver/server.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/time.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/transport.h"
#include "client/transport_http.h"
#include "got.h"
#include "http/cert.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "tap.h"

struct world {
	char folder[64];
	struct loop *loop;
	struct apiserver *server;
	struct client *client; /* over HTTPS */
	struct client *direct;
};

__attribute__((noreturn)) static void bail_out(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(1);
}

/* `change` may alter the access before it is used. */
static struct client *open_client(struct world *w,
				  void (*change)(struct kubeconfig_access *, void *), void *arg)
{
	static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
	AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(NULL);
	AUTO(mem_free) char *path = mem_printf("%s/kubeconfig", w->folder);
	AUTO(kubeconfig_access_done) struct kubeconfig_access access = {0};
	struct transport *transport;
	struct err err;

	if (kubeconfig_load(config, path, &err) < 0 ||
	    kubeconfig_select(config, &(struct kubeconfig_choice){0}, &access, &err) < 0)
		bail_out(err.text);
	if (change)
		change(&access, arg);
	transport = transport_http_new(
		w->loop,
		&(struct transport_http_options){.access = &access, .environment = environment},
		&err);
	if (!transport)
		bail_out(err.text);
	return client_new(w->loop, transport, NULL);
}

static void open_world(struct world *w)
{
	struct err err;

	*w = (struct world){.folder = "/tmp/client-http.XXXXXX"};
	if (!mkdtemp(w->folder))
		bail_out("no temporary folder");
	w->loop = loop_new(&err);
	if (!w->loop)
		bail_out(err.text);
	struct apiserver_options options = {.folder = w->folder};
	if (address_parse(STR("127.0.0.1:0"), &options.listen, &err) < 0)
		bail_out(err.text);
	w->server = apiserver_new(w->loop, &options, &err);
	if (!w->server)
		bail_out(err.text);
	w->client = open_client(w, NULL, NULL);
	w->direct = client_new(
		w->loop,
		direct_new(apiserver_api(w->server), &(struct direct_user){.name = "here"}), NULL);
}

static void close_world(struct world *w)
{
	AUTO(mem_free) char *command = mem_printf("rm -rf '%s'", w->folder);

	client_free(w->client);
	client_free(w->direct);
	apiserver_free(w->server);
	loop_free(w->loop);
	ok(system(command) == 0, "its folder is removed");
}

#define PATIENCE (100 * TIME_SECOND)

/* Turn until something is so; false where it takes far too long. */
static bool wait_for(struct world *w, const int *what, int want)
{
	int64_t end = loop_uptime(w->loop) + PATIENCE;

	while (*what < want && loop_uptime(w->loop) < end)
		(void)loop_turn(w->loop, TIME_SECOND);
	return *what >= want;
}

static int ask(struct world *w, struct client *client, struct got *got, struct client_ask what)
{
	got->calls = 0;
	what.done = got_it;
	what.arg = got;
	client_send(client, &what);
	(void)wait_for(w, &got->calls, 1);
	return got->code;
}

static struct json_doc *doc_of(const char *text)
{
	struct err err;
	struct json_doc *doc = json_parse(str_from(text), NULL, &err);

	if (!doc)
		bail_out(err.text);
	return doc;
}

static struct json_doc *configmap(unsigned number, unsigned value)
{
	AUTO(mem_free)
	char *text = mem_printf("{\"metadata\":{\"name\":\"c%u\",\"namespace\":\"default\"},"
				"\"data\":{\"v\":\"%u\"}}",
				number, value);

	return doc_of(text);
}

#define CONFIGMAPS .resource = &resources[RESOURCE_CONFIGMAPS], .namespace = STR("default")

static struct str value_of(const struct got *got)
{
	return json_str(json_get(json_get(json_doc_root(got->doc), "data"), "v"));
}

static void test_verbs(struct world *w)
{
	struct got got = {0};
	AUTO(json_doc_unref) struct json_doc *one = configmap(1, 1);
	AUTO(json_doc_unref) struct json_doc *merge = doc_of("{\"data\":{\"v\":\"2\"}}");
	AUTO(json_doc_unref)
	struct json_doc *json =
		doc_of("[{\"op\":\"replace\",\"path\":\"/data/v\",\"value\":\"3\"}]");
	int64_t grace = 0;

	ok(ask(w, w->client, &got,
	       (struct client_ask){CONFIGMAPS, .verb = CLIENT_CREATE, .body = one}) == 201,
	   "create");
	ok(ask(w, w->client, &got,
	       (struct client_ask){CONFIGMAPS, .verb = CLIENT_CREATE, .body = one}) == 409 &&
		   got.reason == ERR_ALREADY_EXISTS,
	   "once only: the reason comes over");
	is(got.text, "configmaps \"c1\" already exists");
	(void)ask(w, w->client, &got,
		  (struct client_ask){CONFIGMAPS, .verb = CLIENT_PATCH, .name = STR("c1"),
				      .patch = CLIENT_PATCH_MERGE, .body = merge});
	ok(str_is(value_of(&got), "2"), "a merge patch");
	(void)ask(w, w->client, &got,
		  (struct client_ask){CONFIGMAPS, .verb = CLIENT_PATCH, .name = STR("c1"),
				      .patch = CLIENT_PATCH_STRATEGIC, .body = merge});
	ok(got.code == 200, "a strategic merge patch");
	(void)ask(w, w->client, &got,
		  (struct client_ask){CONFIGMAPS, .verb = CLIENT_PATCH, .name = STR("c1"),
				      .patch = CLIENT_PATCH_JSON, .body = json});
	ok(str_is(value_of(&got), "3"), "a JSON patch");
	(void)ask(w, w->client, &got,
		  (struct client_ask){CONFIGMAPS, .verb = CLIENT_UPDATE, .name = STR("c1"),
				      .body = one, .discard = true});
	ok(got.code == 200 && !got.doc, "an update whose answer no one wants");
	ok(ask(w, w->client, &got,
	       (struct client_ask){CONFIGMAPS, .verb = CLIENT_GET, .name = STR("c1")}) == 200 &&
		   str_is(value_of(&got), "1"),
	   "get");
	ok(ask(w, w->client, &got,
	       (struct client_ask){CONFIGMAPS, .verb = CLIENT_LIST, .limit = 1,
				   .field_selector = STR("metadata.name=c1")}) == 200 &&
		   json_len(json_get(json_doc_root(got.doc), "items")) == 1,
	   "list with a selector");
	ok(ask(w, w->client, &got,
	       (struct client_ask){CONFIGMAPS, .verb = CLIENT_DELETE, .name = STR("c1"),
				   .precondition_uid = STR("x"), .grace_seconds = &grace}) == 409,
	   "a delete of another uid");
	ok(ask(w, w->client, &got,
	       (struct client_ask){CONFIGMAPS, .verb = CLIENT_DELETE, .name = STR("c1"),
				   .propagation = CLIENT_BACKGROUND}) == 200,
	   "a delete");
	ok(ask(w, w->client, &got,
	       (struct client_ask){
		       .verb = CLIENT_RAW, .method = STR("GET"), .path = STR("/healthz")}) == 200,
	   "a raw path");
	is(got.raw, "ok");
	ok(ask(w, w->client, &got,
	       (struct client_ask){
		       .verb = CLIENT_RAW, .method = STR("GET"), .path = STR("/version")}) == 200 &&
		   json_is(json_get(json_doc_root(got.doc), "gitVersion"), JSON_STR),
	   "one with a document");
	json_doc_unref(got.doc);
}

/* --- many at once, and what an informer makes of it --- */

struct heard {
	int synced;
	int count;
};

static void on_added(void *arg, const struct informer_object *object)
{
	(void)object;
	((struct heard *)arg)->count++;
}

static void on_deleted(void *arg, const struct informer_object *object)
{
	(void)object;
	((struct heard *)arg)->count--;
}

static void on_synced(void *arg)
{
	((struct heard *)arg)->synced++;
}

static void count_answer(void *arg, const struct client_result *result)
{
	(void)result;
	++*(int *)arg;
}

/* Random writes by two clients, one on each way. */
static int storm(struct world *w, int count, int *answered)
{
	for (int i = 0; i < count; i++) {
		struct client *client = loop_random_below(w->loop, 2) ? w->client : w->direct;
		unsigned number = (unsigned)loop_random_below(w->loop, 40);
		AUTO(json_doc_unref)
		struct json_doc *doc =
			configmap(number, (unsigned)loop_random_below(w->loop, 1000));
		struct client_ask what = {CONFIGMAPS, .done = count_answer, .arg = answered,
					  .body = doc};
		AUTO(mem_free) char *name = mem_printf("c%u", number);
		static const enum client_verb verbs[] = {CLIENT_CREATE, CLIENT_CREATE,
							 CLIENT_UPDATE, CLIENT_DELETE};

		what.verb = verbs[loop_random_below(w->loop, 4)];
		if (what.verb != CLIENT_CREATE)
			what.name = str_from(name);
		if (what.verb == CLIENT_DELETE)
			what.body = NULL;
		client_send(client, &what);
		if (loop_random_below(w->loop, 4) == 0)
			(void)loop_turn(w->loop, 0);
	}
	return count;
}

static bool agrees(struct world *w, struct informer *informer, struct heard *heard)
{
	struct got got = {0};
	struct json_iter it;
	size_t count = 0;
	bool same = true;

	(void)ask(w, w->direct, &got, (struct client_ask){CONFIGMAPS, .verb = CLIENT_LIST});
	it = json_iter(json_get(json_doc_root(got.doc), "items"));
	while (json_next(&it)) {
		struct json_doc *kept =
			informer_get(informer, STR("default"),
				     json_str(json_get(json_get(it.value, "metadata"), "name")));

		same = same && kept &&
		       json_eq(json_get(json_doc_root(kept), "metadata"),
			       json_get(it.value, "metadata")) &&
		       json_eq(json_get(json_doc_root(kept), "data"), json_get(it.value, "data"));
		count++;
	}
	json_doc_unref(got.doc);
	return same && count == informer_len(informer) && heard->count == (int)count;
}

static void test_storm(struct world *w)
{
	struct heard heard = {0};
	struct informer *informer = informer_new(
		w->client, &(struct informer_options){CONFIGMAPS, .store = true, .page = 7});
	int answered = 0;
	int asked = storm(w, 100, &answered);
	int64_t end;
	bool same = false;

	ok(wait_for(w, &answered, asked), "every request is answered");
	informer_listen(informer,
			&(struct informer_events){
				.added = on_added, .deleted = on_deleted, .synced = on_synced},
			&heard);
	informer_start(informer);
	asked += storm(w, 1000, &answered);
	ok(wait_for(w, &answered, asked), "and again");
	ok(wait_for(w, &heard.synced, 1), "an informer has listed");
	end = loop_uptime(w->loop) + PATIENCE;
	while (!(same = agrees(w, informer, &heard)) && loop_uptime(w->loop) < end)
		(void)loop_turn(w->loop, TIME_SECOND);
	ok(same, "what it keeps is what is there");
	informer_free(informer);
}

/* --- a server that ends and comes back --- */

static void test_restart(struct world *w)
{
	struct heard heard = {0};
	struct informer *informer =
		informer_new(w->client, &(struct informer_options){CONFIGMAPS, .store = true});
	struct apiserver_options options = {.folder = w->folder,
					    .listen = *apiserver_address(w->server)};
	int answered = 0;
	int64_t end;
	bool same = false;
	struct err err;

	informer_listen(informer,
			&(struct informer_events){
				.added = on_added, .deleted = on_deleted, .synced = on_synced},
			&heard);
	informer_start(informer);
	ok(wait_for(w, &heard.synced, 1), "an informer has listed");
	client_free(w->direct);
	apiserver_free(w->server);
	for (int i = 0; i < 20; i++)
		(void)loop_turn(w->loop, 10 * TIME_MILLISECOND);
	/* Nothing keeps its port free meanwhile: another program's connection may have it for a moment. */
	end = loop_uptime(w->loop) + PATIENCE;
	while (!(w->server = apiserver_new(w->loop, &options, &err)) && loop_uptime(w->loop) < end)
		(void)loop_turn(w->loop, 100 * TIME_MILLISECOND);
	if (!w->server)
		bail_out(err.text);
	w->direct = client_new(
		w->loop,
		direct_new(apiserver_api(w->server), &(struct direct_user){.name = "here"}), NULL);
	ok(wait_for(w, &answered, storm(w, 200, &answered)),
	   "requests to the one that came back are answered");
	end = loop_uptime(w->loop) + PATIENCE;
	while (!(same = agrees(w, informer, &heard)) && loop_uptime(w->loop) < end)
		(void)loop_turn(w->loop, TIME_SECOND);
	ok(same && heard.synced == 1, "the informer goes on");
	informer_free(informer);
}

/* --- credentials --- */

static void no_certificate(struct kubeconfig_access *access, void *arg)
{
	access->client_cert = "";
	access->client_key = "";
	access->token = arg;
}

struct script {
	char path[128];
	struct kubeconfig_exec exec;
};

static void by_script(struct kubeconfig_access *access, void *arg)
{
	struct script *script = arg;

	no_certificate(access, (void *)(uintptr_t) "");
	script->exec = (struct kubeconfig_exec){
		.api_version = "client.authentication.k8s.io/v1",
		.command = script->path,
		.install_hint = "Ask your administrator.",
		.interactive_mode = "Never",
	};
	access->exec = &script->exec;
}

static void write_script(struct script *script, const struct world *w, const char *text)
{
	struct err err;

	snprintf(script->path, sizeof(script->path), "%s/plugin", w->folder);
	if (fd_write_file(script->path, text, strlen(text), 0700, &err) < 0)
		bail_out(err.text);
}

static char *read_token(const struct world *w)
{
	AUTO(mem_free) char *path = mem_printf("%s/pki/tokens.csv", w->folder);
	AUTO(buf_done) struct buf text = BUF_INIT(100000);
	struct str rest, token;
	struct err err;

	if (fd_read_file(path, &text, &err) < 0)
		bail_out(err.text);
	rest = buf_str(&text);
	(void)str_split(&rest, ',', &token);
	return str_dup(token);
}

static int try_list(struct world *w, void (*change)(struct kubeconfig_access *, void *), void *arg,
		    struct got *got)
{
	struct client *client = open_client(w, change, arg);

	(void)ask(w, client, got,
		  (struct client_ask){CONFIGMAPS, .verb = CLIENT_LIST, .attempts = 1});
	client_free(client);
	return got->code;
}

static void test_credentials(struct world *w)
{
	AUTO(mem_free) char *token = read_token(w);
	AUTO(mem_free)
	char *text =
		mem_printf("#!/bin/sh\nprintf '{\"kind\":\"ExecCredential\",\"apiVersion\":"
			   "\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"%s\"}}'\n",
			   token);
	struct script script;
	struct got got = {0};

	ok(try_list(w, no_certificate, token, &got) == 200, "a token opens");
	ok(try_list(w, no_certificate, (void *)(uintptr_t) "wrong", &got) == 401 &&
		   got.reason == ERR_UNAUTHORIZED,
	   "another does not");
	write_script(&script, w, text);
	ok(try_list(w, by_script, &script, &got) == 200, "a program prints one that does");
	AUTO(mem_free)
	char *certificate = mem_printf(
		"#!/bin/sh\nexec python3 -c 'import json; print(json.dumps({\"kind\":"
		"\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{"
		"\"clientCertificateData\":open(\"%s/pki/admin.crt\").read(),"
		"\"clientKeyData\":open(\"%s/pki/admin.key\").read()}}))'\n",
		w->folder, w->folder);
	write_script(&script, w, certificate);
	ok(try_list(w, by_script, &script, &got) == 200, "or a certificate: %s", got.text);
	write_script(&script, w, "#!/bin/sh\nexit 3\n");
	ok(try_list(w, by_script, &script, &got) == 0 && got.reason == ERR_UNAUTHORIZED,
	   "one that fails is reported");
	ok(strstr(got.text, "it ended with exit code 3. Ask your administrator."),
	   "with its code and the hint: %s", got.text);
	write_script(&script, w, "#!/bin/sh\necho hello\n");
	ok(try_list(w, by_script, &script, &got) == 0 && got.reason != ERR_NONE,
	   "one that prints something else as well");
	snprintf(script.path, sizeof(script.path), "no-such-plugin-anywhere");
	ok(try_list(w, by_script, &script, &got) == 0 &&
		   strstr(got.text, "no-such-plugin-anywhere: no such program"),
	   "and one that is not there: %s", got.text);
	json_doc_unref(got.doc);
}

/* A client certificate that is renewed while the client is in use. */
struct renewed {
	struct world *w;
	struct cert_pair ca, now;
	int reads;
};

static int read_renewed(void *arg, struct kubeconfig_access *ret, struct err *err)
{
	struct renewed *renewed = arg;
	AUTO(kubeconfig_free) struct kubeconfig *config = kubeconfig_new(NULL);
	AUTO(mem_free) char *path = mem_printf("%s/kubeconfig", renewed->w->folder);

	renewed->reads++;
	if (kubeconfig_load(config, path, err) < 0 ||
	    kubeconfig_select(config, &(struct kubeconfig_choice){0}, ret, err) < 0)
		return -1;
	ret->client_cert = arena_strdup(ret->memory, renewed->now.cert);
	ret->client_key = arena_strdup(ret->memory, renewed->now.key);
	return 0;
}

static void show(struct renewed *renewed, const char *name)
{
	struct err err;

	cert_pair_done(&renewed->now);
	if (cert_new_client(&renewed->ca,
			    &(struct cert_request){.name = name,
						   .now = loop_now(renewed->w->loop),
						   .lifetime = TIME_DAY},
			    &renewed->now, &err) < 0)
		bail_out(err.text);
}

/* Who is it, by what is not for them? */
static bool is_known_as(struct renewed *renewed, struct client *client, const char *name)
{
	struct got got = {0};
	bool known;

	(void)ask(renewed->w, client, &got,
		  (struct client_ask){.verb = CLIENT_RAW,
				      .method = STR("GET"),
				      .path = STR("/metrics"),
				      .attempts = 1});
	known = strstr(got.text, name) != NULL;
	if (!known)
		printf("# %s\n", got.text);
	json_doc_unref(got.doc);
	return known;
}

static void on_warning(void *arg, struct str text)
{
	buf_printf(arg, "|%.*s", STR_ARG(text));
}

/* Warnings that come with an answer. */
static void test_warnings(struct world *w)
{
	static const struct str path =
		STR_INIT("/apis/networking.k8s.io/v1/namespaces/default/networkpolicies");
	struct renewed renewed = {.w = w};
	AUTO(buf_done) struct buf said = BUF_UNBOUNDED;
	AUTO(kubeconfig_access_done) struct kubeconfig_access access = {0};
	AUTO(mem_free) char *config = mem_printf("%s/pki/admin.crt", w->folder);
	AUTO(mem_free) char *key = mem_printf("%s/pki/admin.key", w->folder);
	struct got got = {0};
	struct client *client;
	struct err err;

	if (cert_pair_load(config, key, &renewed.now, &err) < 0 ||
	    read_renewed(&renewed, &access, &err) < 0)
		bail_out(err.text);
	client = client_new(w->loop,
			    transport_http_new(w->loop,
					       &(struct transport_http_options){
						       .access = &access,
						       .warning = on_warning,
						       .warning_arg = &said,
					       },
					       &err),
			    NULL);
	(void)ask(w, client, &got,
		  (struct client_ask){.verb = CLIENT_RAW,
				      .method = STR("POST"),
				      .path = path,
				      .content_type = STR("application/json"),
				      .raw_body = STR("{\"metadata\":{\"name\":\"n\"},\"spec\":{"
						      "\"podSelector\":{},\"no\":1}}"),
				      .attempts = 1});
	ok(got.code == 201, "it is created: %s", got.text);
	is(buf_text(&said), "|unknown field \"spec.no\"|NetworkPolicy has no effect: no traffic is "
			    "restricted");
	json_doc_unref(got.doc);
	client_free(client);
	cert_pair_done(&renewed.now);
}

static void test_renewed(struct world *w)
{
	struct renewed renewed = {.w = w};
	AUTO(mem_free) char *cert = mem_printf("%s/pki/ca.crt", w->folder);
	AUTO(mem_free) char *key = mem_printf("%s/pki/ca.key", w->folder);
	AUTO(kubeconfig_access_done) struct kubeconfig_access access = {0};
	struct transport *transport;
	struct client *client;
	struct err err;

	if (cert_pair_load(cert, key, &renewed.ca, &err) < 0)
		bail_out(err.text);
	show(&renewed, "first");
	if (read_renewed(&renewed, &access, &err) < 0)
		bail_out(err.text);
	transport = transport_http_new(w->loop,
				       &(struct transport_http_options){.access = &access,
									.reload = read_renewed,
									.reload_arg = &renewed,
									.reload_us = 1},
				       &err);
	if (!transport)
		bail_out(err.text);
	client = client_new(w->loop, transport, NULL);
	ok(is_known_as(&renewed, client, "\"first\""), "the first certificate is shown");
	show(&renewed, "second");
	ok(is_known_as(&renewed, client, "\"second\""), "then the one that it was renewed by");
	show(&renewed, "third");
	ok(is_known_as(&renewed, client, "\"third\""), "and that one's");
	ok(renewed.reads >= 4, "it is read before requests");
	client_free(client);
	cert_pair_done(&renewed.now);
	cert_pair_done(&renewed.ca);
}

/* A server that is not there, or goes while it is asked. */
static void elsewhere(struct kubeconfig_access *access, void *arg)
{
	(void)arg;
	access->server = "https://127.0.0.1:1";
}

static void test_absence(struct world *w)
{
	struct got got = {0};

	(void)try_list(w, elsewhere, NULL, &got);
	ok(got.calls == 1 && got.code == 0 && got.reason == ERR_UNAVAILABLE,
	   "a server that is not there is reported: %s", got.text);
}

struct ended {
	int calls;
	enum err_code reason;
};

static void on_event(void *arg, const struct client_event *event)
{
	(void)arg;
	(void)event;
}

static void on_ended(void *arg, const struct err *err)
{
	struct ended *ended = arg;

	ended->calls++;
	ended->reason = err ? err->code : ERR_NONE;
}

static void on_data(void *arg, struct str data)
{
	buf_put_str(arg, data);
}

static void on_stream_ended(void *arg, const struct err *err)
{
	buf_puts(arg, err ? "!" : ".");
}

static void test_streams(struct world *w)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct client_stream stream = {
		.path = STR("/healthz"), .data = on_data, .ended = on_stream_ended, .arg = &text};
	int64_t end = loop_uptime(w->loop) + PATIENCE;

	client_stream(w->client, &stream);
	stream.path = STR("/no/such/path");
	while (text.len < 3 && loop_uptime(w->loop) < end)
		(void)loop_turn(w->loop, TIME_SECOND);
	client_stream(w->client, &stream);
	while (text.len < 4 && loop_uptime(w->loop) < end)
		(void)loop_turn(w->loop, TIME_SECOND);
	is(buf_text(&text), "ok.!");
}

static void test_watches(struct world *w)
{
	struct ended ended = {0};
	struct client_watch watch = {CONFIGMAPS, .event = on_event, .ended = on_ended,
				     .arg = &ended, .timeout_s = 1};

	client_watch(w->client, &watch);
	ok(wait_for(w, &ended.calls, 1) && ended.reason == ERR_NONE,
	   "a watch ends when its time is up");
	watch.label_selector = STR("a in (");
	client_watch(w->client, &watch);
	ok(wait_for(w, &ended.calls, 2) && ended.reason == ERR_BAD_REQUEST,
	   "one that is refused gets the reason");
	watch.label_selector = str_none();
	watch.resource_version = STR("999999999999x");
	client_watch(w->client, &watch);
	ok(wait_for(w, &ended.calls, 3) && ended.reason != ERR_NONE, "a bad version as well");
}

int main(void)
{
	struct world w;

	open_world(&w);
	test_verbs(&w);
	test_storm(&w);
	test_watches(&w);
	test_streams(&w);
	test_credentials(&w);
	test_renewed(&w);
	test_warnings(&w);
	test_absence(&w);
	test_restart(&w);
	close_world(&w);
	return tap_done();
}
