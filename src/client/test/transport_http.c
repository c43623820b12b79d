/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP transport against a server that behaves oddly: events cut anywhere, refusals that are no
 * Status, answers that are no JSON, tokens that were changed. */
#include "client/transport_http.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/time.h"
#include "client/client.h"
#include "client/transport.h"
#include "http/headers.h"
#include "http/http_server.h"
#include "loop/loop.h"
#include "tap.h"

struct world {
	struct loop *loop;
	struct http_server *server;
	struct client *client;
	char url[64];
	const char *token; /* the one that is good, and what the file holds */
	int asked;
	/* the watch that is on, and what it is sent byte by byte */
	struct http_request *watch;
	const char *text;
	bool abort; /* at the end, in place of an orderly one */
	struct loop_timer *timer;
};

__attribute__((noreturn)) static void bail_out(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(1);
}

/* --- the server --- */

/* Some bytes of the watch, never a whole line at once. */
static void on_timer(struct loop_timer *timer, void *arg)
{
	struct world *w = arg;
	size_t len = strlen(w->text) < 7 ? strlen(w->text) : 7;

	if (!w->watch)
		return;
	if (len) {
		(void)http_reply_write(w->watch, w->text, len);
		w->text += len;
		loop_timer_set(timer, 0);
	} else if (w->abort) {
		http_reply_abort(TAKE(w->watch));
	} else {
		http_reply_end(TAKE(w->watch));
	}
}

static void on_aborted(struct http_request *request, const struct err *why, void *arg)
{
	(void)request;
	(void)why;
	((struct world *)arg)->watch = NULL;
}

static void start_watch(struct world *w, struct http_request *request)
{
	static const struct http_request_events events = {.aborted = on_aborted};

	http_request_on(request, &events, w);
	w->watch = request;
	http_reply_start(request, 200, STR("application/json"));
	loop_timer_set(w->timer, 0);
}

static const struct {
	const char *path;
	int code;
	const char *type;
	const char *body;
} pages[] = {
	{"/api/v1/nodes/html", 502, "text/html", "<h1>Bad Gateway</h1>\n"},
	{"/api/v1/nodes/broken", 200, "application/json", "{\"kind\":"},
	{"/api/v1/nodes/strange", 418, "application/json", "{}"},
	{"/api/v1/nodes/status", 422, "application/json",
	 "{\"kind\":\"Status\",\"reason\":\"Invalid\",\"message\":\"no good\"}"},
	{"/api/v1/nodes/good", 200, "application/json", "{\"metadata\":{\"name\":\"good\"}}"},
	{"/api/v1/nodes/busy", 429, "application/json",
	 "{\"kind\":\"Status\",\"details\":{\"retryAfterSeconds\":1}}"},
};

static void handle(struct http_request *request, void *arg)
{
	struct world *w = arg;
	struct str path = http_request_path(request);
	char want[64];

	w->asked++;
	snprintf(want, sizeof(want), "Bearer %s", w->token);
	if (!str_is(http_request_header(request, STR("authorization")), want)) {
		http_reply(request, 401, STR("application/json"),
			   STR("{\"reason\":\"Unauthorized\"}"));
		return;
	}
	if (str_is(path, "/api/v1/pods")) {
		start_watch(w, request);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(pages); i++) {
		if (!str_is(path, pages[i].path))
			continue;
		if (str_is(path, "/api/v1/nodes/busy") && w->asked > 1)
			break; /* only at first */
		http_reply(request, pages[i].code, str_from(pages[i].type),
			   str_from(pages[i].body));
		return;
	}
	http_reply(request, 200, STR("application/json"), STR("{}"));
}

/* --- the client --- */

static int read_token(void *arg, const char *path, struct buf *to, struct err *err)
{
	struct world *w = arg;

	(void)path;
	(void)err;
	buf_puts(to, w->token);
	return 0;
}

static void open_world(struct world *w)
{
	struct address address, bound;
	struct kubeconfig_access access = {.server = w->url,
					   .tls_server_name = "",
					   .proxy_url = "",
					   .ca = "",
					   .client_cert = "",
					   .client_key = "",
					   .token = "old",
					   .token_file = "/token",
					   .username = "",
					   .password = "",
					   .as = "marie",
					   .as_uid = ""};
	struct transport *transport = NULL;
	char text[ADDRESS_TEXT_SIZE];
	struct err err;

	*w = (struct world){.loop = loop_new_virtual(1, 0, &err), .token = "old"};
	if (!w->loop)
		bail_out(err.text);
	w->timer = loop_timer_new(w->loop, on_timer, w);
	w->server = http_server_new(
		w->loop, &(struct http_server_options){.handler = handle, .arg = w}, &err);
	if (!w->server || address_parse(STR("127.0.0.1:0"), &address, &err) < 0 ||
	    http_server_listen(w->server, &address, HTTP_PLAIN, &bound, &err) < 0)
		bail_out(err.text);
	snprintf(w->url, sizeof(w->url), "http://%s", address_print(&bound, text));
	transport = transport_http_new(
		w->loop,
		&(struct transport_http_options){.access = &access,
						 .files = {.read = read_token, .arg = w}},
		&err);
	if (!transport)
		bail_out(err.text);
	w->client = client_new(w->loop, transport, NULL);
}

static void close_world(struct world *w)
{
	client_free(w->client);
	http_server_free(w->server);
	loop_timer_free(w->timer);
	loop_free(w->loop);
}

struct got {
	int calls;
	int code;
	enum err_code reason;
	char text[ERR_TEXT_SIZE];
	bool doc;
};

static void got_it(void *arg, const struct client_result *result)
{
	struct got *got = arg;

	got->calls++;
	got->code = result->code;
	got->reason = result->err ? result->err->code : ERR_NONE;
	snprintf(got->text, sizeof(got->text), "%s", result->err ? result->err->text : "");
	got->doc = result->doc != NULL;
}

static struct got ask(struct world *w, const char *name, int attempts)
{
	struct got got = {0};
	int64_t end = loop_uptime(w->loop) + 30 * TIME_SECOND;

	w->asked = 0;
	client_send(w->client, &(struct client_ask){.verb = CLIENT_GET,
						    .resource = &resources[RESOURCE_NODES],
						    .name = str_from(name),
						    .attempts = attempts,
						    .done = got_it,
						    .arg = &got});
	while (!got.calls && loop_uptime(w->loop) < end)
		(void)loop_turn(w->loop, TIME_SECOND);
	return got;
}

static void test_answers(struct world *w)
{
	struct got got = ask(w, "good", 1);

	ok(got.code == 200 && got.doc && !got.reason, "a document");
	got = ask(w, "html", 1);
	ok(got.code == 502 && got.reason != ERR_NONE, "a refusal by something between");
	is(got.text, "<h1>Bad Gateway</h1>");
	got = ask(w, "broken", 1);
	ok(got.code == 200 && got.reason == ERR_INTERNAL && !got.doc,
	   "an answer that is no JSON is an error: %s", got.text);
	got = ask(w, "strange", 1);
	ok(got.reason == ERR_INTERNAL, "an unknown code");
	got = ask(w, "status", 1);
	ok(got.reason == ERR_INVALID, "a Status");
	is(got.text, "no good");
	got = ask(w, "busy", 0);
	ok(got.code == 200 && w->asked == 2, "\"later\" by the Status alone is heeded");
}

static void test_tokens(struct world *w)
{
	struct got got;

	w->token = "new";
	got = ask(w, "good", 1);
	ok(got.code == 401 && w->asked == 1, "a token that was read just now is not read again");
	for (int64_t end = loop_uptime(w->loop) + 6 * TIME_SECOND; loop_uptime(w->loop) < end;)
		(void)loop_turn(w->loop, TIME_SECOND);
	got = ask(w, "good", 1);
	ok(got.code == 200 && w->asked == 2, "an older one is, and the request sent once more");
}

struct seen {
	struct buf lines;
	int ended;
	enum err_code reason;
	struct client_request *request;
	int cancel_after;
};

static void on_event(void *arg, const struct client_event *event)
{
	static const char *const types[] = {"+", "~", "-", "b"};
	struct seen *seen = arg;
	struct json meta = json_get(json_doc_root(event->doc), "metadata");

	buf_printf(&seen->lines, "%s%.*s ", types[event->type],
		   STR_ARG(json_str(json_get(meta, "name"))));
	if (seen->cancel_after && --seen->cancel_after == 0)
		client_cancel(TAKE(seen->request));
}

static void on_ended(void *arg, const struct err *err)
{
	struct seen *seen = arg;

	seen->ended++;
	seen->reason = err ? err->code : ERR_NONE;
	buf_puts(&seen->lines, err ? "!" : ".");
}

/* What is heard of a watch that is sent this text. */
static struct seen watch(struct world *w, const char *text, int cancel_after)
{
	struct seen seen = {.lines = BUF_UNBOUNDED, .cancel_after = cancel_after};
	int64_t end = loop_uptime(w->loop) + 30 * TIME_SECOND;

	w->text = text;
	seen.request = client_watch(w->client, &(struct client_watch){
						       .resource = &resources[RESOURCE_PODS],
						       .event = on_event,
						       .ended = on_ended,
						       .arg = &seen,
					       });
	while (!seen.ended && seen.request && loop_uptime(w->loop) < end)
		(void)loop_turn(w->loop, TIME_SECOND);
	for (int i = 0; i < 20; i++)
		(void)loop_turn(w->loop, 0);
	return seen;
}

#define EVENT(type, name) \
	"{\"type\":\"" type "\",\"object\":{\"metadata\":{\"name\":\"" name "\"}}}\n"

static void test_watch(struct world *w, const char *text, int cancel_after, const char *want)
{
	struct seen seen = watch(w, text, cancel_after);

	is(buf_text(&seen.lines), want);
	buf_done(&seen.lines);
}

static void test_watches(struct world *w)
{
	struct seen seen;

	test_watch(w, EVENT("ADDED", "a") "\n" EVENT("MODIFIED", "b") EVENT("DELETED", "c"), 0,
		   "+a ~b -c .");
	test_watch(w, "{ \"object\": {\"metadata\":{\"name\":\"x\"}}, \"type\":\"ADDED\" }\n", 0,
		   "+x .");
	test_watch(w, EVENT("ADDED", "a") EVENT("WONDERED", "b") EVENT("ADDED", "c"), 0, "+a !");
	test_watch(w, EVENT("ADDED", "a") "no json\n" EVENT("ADDED", "c"), 0, "+a !");
	test_watch(w, EVENT("ADDED", "a") "{\"type\":\"ADDED\",\"object\":\n", 0, "+a !");
	test_watch(w, EVENT("ADDED", "a") EVENT("ADDED", "b") EVENT("ADDED", "c"), 2, "+a +b ");
	test_watch(w, "", 0, ".");
	seen = watch(w, "{\"type\":\"ERROR\",\"object\":{\"reason\":\"Expired\",\"code\":410}}\n",
		     0);
	ok(seen.ended == 1 && seen.reason == ERR_EXPIRED, "an ERROR ends a watch with its reason");
	buf_done(&seen.lines);
	w->abort = true;
	seen = watch(w, EVENT("ADDED", "a") "{\"type\":", 0);
	ok(seen.ended == 1 && seen.reason == ERR_UNAVAILABLE, "a connection that is lost as such");
	is(buf_text(&seen.lines), "+a !");
	buf_done(&seen.lines);
	w->abort = false;
}

static void test_refusals(void)
{
	struct loop *loop = loop_new_virtual(1, 0, NULL);
	struct kubeconfig_access access = {.server = "ftp://x", .proxy_url = "", .as = ""};
	struct transport_http_options options = {.access = &access};
	struct err err = {0};

	ok(!transport_http_new(loop, &options, &err) && err.code == ERR_INVALID,
	   "an address that is none is refused: %s", err.text);
	access = (struct kubeconfig_access){
		.server = "http://x", .proxy_url = "http://proxy", .as = ""};
	ok(!transport_http_new(loop, &options, &err) && err.code == ERR_INVALID,
	   "so is a proxy: %s", err.text);
	loop_free(loop);
}

int main(void)
{
	struct world w;

	test_refusals();
	open_world(&w);
	test_answers(&w);
	test_tokens(&w);
	test_watches(&w);
	close_world(&w);
	return tap_done();
}
