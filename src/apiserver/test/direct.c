/* SPDX-License-Identifier: Apache-2.0 */
/* A client of the server in the same process: every verb, errors, watches, and ends of all sorts. */
#include "apiserver/request/direct.h"

#include "apiserver/verb/podlog.h"
#include "base/time.h"
#include "client_world.h"

#define CONFIGMAPS .resource = &resources[RESOURCE_CONFIGMAPS]

static struct json_doc *configmap(const char *name, const char *value)
{
	return doc_of("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\","
		      "\"namespace\":\"a\",\"labels\":{\"v\":\"%s\"}},\"data\":{\"v\":\"%s\"}}",
		      name, value, value);
}

static void make_namespace(struct world *w)
{
	AUTO(json_doc_unref) struct json_doc *doc = doc_of("{\"metadata\":{\"name\":\"a\"}}");
	struct got got = {0};

	client_create(w->client, &resources[RESOURCE_NAMESPACES], doc, got_it, &got);
	world_wait(w, &got);
	json_doc_unref(got.doc);
}

static void put(struct world *w, struct got *got, const char *name, const char *value)
{
	AUTO(json_doc_unref) struct json_doc *doc = configmap(name, value);

	got->calls = 0;
	client_create(w->client, &resources[RESOURCE_CONFIGMAPS], doc, got_it, got);
	world_wait(w, got);
}

static void test_verbs(void)
{
	struct world w;
	struct got got = {0};
	AUTO(json_doc_unref) struct json_doc *merge = doc_of("{\"data\":{\"w\":\"2\"}}");
	AUTO(json_doc_unref)
	struct json_doc *ops = doc_of("[{\"op\":\"add\",\"path\":\"/data/x\",\"value\":\"3\"}]");
	AUTO(json_doc_unref) struct json_doc *changed = configmap("one", "9");
	struct client_ask one = {CONFIGMAPS, .namespace = STR("a"), .name = STR("one")};

	world_open(&w, 1, 0);
	make_namespace(&w);
	put(&w, &got, "one", "1");
	ok(got.code == 201 && got.reason == ERR_NONE, "create answers 201");
	is(text_at(got.doc, "data.v"), "1");
	one.verb = CLIENT_GET;
	ok(world_ask(&w, &got, &one) == 200, "get answers 200");
	is(text_at(got.doc, "metadata.name"), "one");
	one.verb = CLIENT_PATCH;
	one.patch = CLIENT_PATCH_MERGE;
	one.body = merge;
	ok(world_ask(&w, &got, &one) == 200, "a merge patch is taken");
	one.patch = CLIENT_PATCH_JSON;
	one.body = ops;
	ok(world_ask(&w, &got, &one) == 200, "a JSON patch is taken");
	is(text_at(got.doc, "data"), "{\"v\":\"1\",\"w\":\"2\",\"x\":\"3\"}");
	got.calls = 0;
	client_update(w.client, &resources[RESOURCE_CONFIGMAPS], "", changed, got_it, &got);
	world_wait(&w, &got);
	is(text_at(got.doc, "data"), "{\"v\":\"9\"}");
	put(&w, &got, "two", "1");
	ok(world_ask(&w, &got,
		     &(struct client_ask){CONFIGMAPS, .verb = CLIENT_LIST, .namespace = STR("a"),
					  .label_selector = STR("v=9")}) == 200,
	   "a list with a selector");
	ok(json_len(json_get(json_doc_root(got.doc), "items")) == 1, "gives what is selected");
	one.body = NULL;
	one.verb = CLIENT_DELETE;
	one.precondition_uid = STR("no-such-uid");
	ok(world_ask(&w, &got, &one) == 409 && got.reason == ERR_CONFLICT,
	   "a delete of another uid is a conflict");
	one.precondition_uid = str_none();
	ok(world_ask(&w, &got, &one) == 200, "a delete");
	ok(world_ask(&w, &got, &one) == 404 && got.reason == ERR_NOT_FOUND,
	   "and it was deleted: the reason is NotFound");
	is(got.text, "configmaps \"one\" not found");
	ok(world_ask(&w, &got,
		     &(struct client_ask){CONFIGMAPS, .verb = CLIENT_DELETE_COLLECTION,
					  .namespace = STR("a")}) == 200,
	   "delete of a collection");
	ok(world_ask(&w, &got, &(struct client_ask){CONFIGMAPS, .verb = CLIENT_LIST}) == 200 &&
		   json_len(json_get(json_doc_root(got.doc), "items")) == 0,
	   "leaves nothing");
	json_doc_unref(got.doc);
	world_close(&w);
}

static void test_refusals(void)
{
	static const struct resource unknown = {STR_INIT("no.such"), STR_INIT("v1"),
						STR_INIT("things"), STR_INIT("Thing"), true};
	struct world w;
	struct got got = {0};

	world_open(&w, 2, 0);
	ok(world_ask(&w, &got, &(struct client_ask){.verb = CLIENT_LIST, .resource = &unknown}) ==
		   404,
	   "a kind that is not there is not found");
	is(got.text, "the server could not find the requested resource");
	ok(world_ask(&w, &got,
		     &(struct client_ask){CONFIGMAPS, .verb = CLIENT_GET, .namespace = STR("a"),
					  .name = STR("x"), .sub = STR("scale")}) == 404,
	   "nor is a sub-resource");
	ok(world_ask(&w, &got,
		     &(struct client_ask){CONFIGMAPS, .verb = CLIENT_LIST,
					  .label_selector = STR("a in (")}) == 400,
	   "a selector that is none is a bad request");
	ok(world_ask(&w, &got,
		     &(struct client_ask){
			     .verb = CLIENT_RAW, .method = STR("GET"), .path = STR("/apis")}) ==
		   200,
	   "discovery by its raw path");
	is(text_at(got.doc, "kind"), "APIGroupList");
	ok(str_starts(str_from(got.raw), STR("{")), "its text is there as well");
	ok(world_ask(&w, &got,
		     &(struct client_ask){
			     .verb = CLIENT_RAW,
			     .method = STR("GET"),
			     .path = STR("/api/v1/namespaces/a/configmaps?limit=1")}) == 200,
	   "a list by its raw path");
	is(text_at(got.doc, "kind"), "ConfigMapList");
	ok(world_ask(&w, &got,
		     &(struct client_ask){.verb = CLIENT_RAW,
					  .method = STR("GET"),
					  .path = STR("/no/such/path")}) == 404,
	   "a path that is nothing");
	json_doc_unref(got.doc);
	world_close(&w);
}

struct seen {
	char lines[600];
	int ended;
	enum err_code reason;
	struct client_request *request;
	bool cancel_at_first;
};

static void seen_event(void *arg, const struct client_event *event)
{
	static const char *const types[] = {"+", "~", "-", "b"};
	struct seen *seen = arg;
	size_t len = strlen(seen->lines);

	snprintf(seen->lines + len, sizeof(seen->lines) - len, "%s%s%s ", types[event->type],
		 event->type == CLIENT_BOOKMARK ? "" : text_at(event->doc, "metadata.name"),
		 event->initial_end ? "!" : "");
	if (seen->cancel_at_first)
		client_cancel(TAKE(seen->request));
}

static void seen_ended(void *arg, const struct err *err)
{
	struct seen *seen = arg;

	seen->ended++;
	seen->reason = err ? err->code : ERR_NONE;
}

static void start_watch(struct world *w, struct seen *seen, struct client_watch watch)
{
	*seen = (struct seen){.cancel_at_first = seen->cancel_at_first};
	watch.resource = &resources[RESOURCE_CONFIGMAPS];
	watch.event = seen_event;
	watch.ended = seen_ended;
	watch.arg = seen;
	seen->request = client_watch(w->client, &watch);
}

static void test_watches(void)
{
	struct world w;
	struct got got = {0};
	struct seen seen = {0}, other = {0}, brief = {.cancel_at_first = true};

	world_open(&w, 3, 4);
	make_namespace(&w);
	put(&w, &got, "one", "1");
	start_watch(&w, &seen, (struct client_watch){.initial_events = true});
	start_watch(&w, &other, (struct client_watch){.label_selector = STR("v=2")});
	start_watch(&w, &brief, (struct client_watch){0});
	put(&w, &got, "two", "2");
	loop_drain(w.loop);
	is(seen.lines, "+one b! +two ");
	is(other.lines, "b! +two ");
	is(brief.lines, "+one ");
	ok(!brief.ended, "a watch that was cancelled in its own event hears nothing more");
	client_cancel(seen.request);
	client_cancel(other.request);
	start_watch(&w, &seen, (struct client_watch){.timeout_s = 5});
	start_watch(&w, &other,
		    (struct client_watch){.resource_version = STR("1"), .timeout_s = 5});
	for (int i = 0; i < 5; i++) {
		char name[16];

		snprintf(name, sizeof(name), "x%d", i);
		put(&w, &got, name, "3");
	}
	while (!seen.ended && loop_turn(w.loop, TIME_MINUTE))
		;
	ok(seen.ended == 1 && seen.reason == ERR_NONE, "a watch whose time is up ends as usual");
	start_watch(&w, &seen, (struct client_watch){.resource_version = STR("2")});
	while (!seen.ended && loop_turn(w.loop, 0))
		;
	ok(seen.ended == 1 && seen.reason == ERR_EXPIRED, "one from too long ago gets an error");
	start_watch(&w, &seen, (struct client_watch){.label_selector = STR("a in (")});
	while (!seen.ended && loop_turn(w.loop, 0))
		;
	ok(seen.ended == 1 && seen.reason == ERR_BAD_REQUEST, "one that is refused, why");
	json_doc_unref(got.doc);
	world_close(&w);
}

static void on_data(void *arg, struct str data)
{
	struct seen *seen = arg;
	size_t len = strlen(seen->lines);

	snprintf(seen->lines + len, sizeof(seen->lines) - len, "%.*s", STR_ARG(data));
	if (seen->cancel_at_first)
		client_cancel(TAKE(seen->request));
}

static void test_streams(void)
{
	struct world w;
	struct seen seen = {0};
	struct client_stream stream = {
		.path = STR("/apis"), .data = on_data, .ended = seen_ended, .arg = &seen};

	world_open(&w, 6, 0);
	seen.request = client_stream(w.client, &stream);
	loop_drain(w.loop);
	ok(seen.ended == 1 && seen.reason == ERR_NONE &&
		   str_starts(str_from(seen.lines), STR("{\"kind\":\"APIGroupList\"")),
	   "a stream hands over the bytes");
	seen = (struct seen){.cancel_at_first = true};
	seen.request = client_stream(w.client, &stream);
	loop_drain(w.loop);
	ok(!seen.ended && seen.lines[0] == '{', "one that is cancelled meanwhile ends there");
	seen = (struct seen){0};
	stream.path = STR("/api/v1/namespaces/a/pods/p");
	client_stream(w.client, &stream);
	loop_drain(w.loop);
	ok(seen.ended == 1 && seen.reason == ERR_NOT_FOUND && !seen.lines[0],
	   "one of nothing gets an error");
	world_close(&w);
}

/* Ends while things are under way; the sanitizers look on. */
static void test_ends(void)
{
	struct world w;
	struct got got = {0}, left = {0};
	struct seen seen = {0};
	struct client *other;
	AUTO(json_doc_unref) struct json_doc *doc = configmap("one", "1");
	struct client_request *request;

	world_open(&w, 4, 0);
	make_namespace(&w);
	request = client_create(w.client, &resources[RESOURCE_CONFIGMAPS], doc, got_it, &got);
	client_cancel(request);
	loop_drain(w.loop);
	ok(got.calls == 0, "a request that was cancelled is not heard of");
	other = world_client(&w, "other");
	client_list(other, &resources[RESOURCE_CONFIGMAPS], str_none(), got_it, &left);
	start_watch(&(struct world){.client = other}, &seen, (struct client_watch){0});
	client_free(other);
	loop_drain(w.loop);
	ok(left.calls == 0 && !seen.ended, "nor are those of a client that was freed");
	(void)world_ask(&w, &got,
			&(struct client_ask){CONFIGMAPS, .verb = CLIENT_GET, .namespace = STR("a"),
					     .name = STR("one")});
	/* its steps are taken in one turn; those of a large one are not, and it is given up */
	ok(got.code == (WORLD_LARGE_BYTES ? 404 : 200),
	   "the cancelled write had been done all the same, unless it was large");
	json_doc_unref(got.doc);
	world_close(&w);
}

/* More at once than the client lets through, and than the server takes. */
static void test_bound(void)
{
	enum { MANY = 3000 };
	struct world w;
	struct got got = {0};
	struct client_stats stats;
	int answered = 0;

	world_open(&w, 5, 0);
	make_namespace(&w);
	for (int i = 0; i < MANY; i++) {
		AUTO(json_doc_unref)
		struct json_doc *doc =
			doc_of("{\"metadata\":{\"name\":\"c%d\",\"namespace\":\"a\"}}", i);

		client_create(w.client, &resources[RESOURCE_CONFIGMAPS], doc, NULL, NULL);
	}
	client_stats(w.client, &stats);
	ok(stats.in_flight == stats.limit && stats.limit < MANY &&
		   stats.waiting == MANY - stats.limit,
	   "the rest waits");
	loop_drain(w.loop);
	(void)world_ask(&w, &got, &(struct client_ask){CONFIGMAPS, .verb = CLIENT_LIST});
	answered = (int)json_len(json_get(json_doc_root(got.doc), "items"));
	client_stats(w.client, &stats);
	ok(answered == MANY && stats.in_flight == 0 && stats.waiting == 0 && stats.repeated == 0,
	   "and all are done in the end");
	json_doc_unref(got.doc);
	world_close(&w);
}

/* --- the output of containers --- */

static void *log_open(void *arg, const struct log_request *request, struct err *err)
{
	(void)err;
	*(int *)arg = str_is(request->container, "c") ? 2 : 0;
	return arg;
}

static enum log_state log_read(void *log, struct buf *to, size_t most)
{
	int *left = log;

	(void)most;
	buf_printf(to, "line %d\n", (*left)--);
	return *left ? LOG_MORE : LOG_END;
}

static void log_follow(void *log, void (*wake)(void *arg), void *arg)
{
	(void)log;
	(void)wake;
	(void)arg;
}

static void log_close(void *log)
{
	*(int *)log = -1;
}

struct streamed {
	char text[64];
	bool ended;
};

static void on_log_data(void *arg, struct str data)
{
	struct streamed *streamed = arg;
	size_t len = strlen(streamed->text);

	snprintf(streamed->text + len, sizeof(streamed->text) - len, "%.*s", STR_ARG(data));
}

static void on_log_end(void *arg, const struct err *err)
{
	((struct streamed *)arg)->ended = !err;
}

static void test_logs(void)
{
	static const struct log_source source = {
		.open = log_open, .read = log_read, .follow = log_follow, .close = log_close};
	const struct str path = STR("/api/v1/namespaces/a/pods/p/log?container=c");
	struct world w;
	struct got got = {0};
	struct streamed streamed = {.text = ""};
	int left = 0;
	AUTO(json_doc_unref)
	struct json_doc *pod = doc_of(
		"{\"metadata\":{\"name\":\"p\",\"namespace\":\"a\"},\"spec\":{\"nodeName\":\"n\","
		"\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");

	world_open(&w, 9, 0);
	api_set_log_source(w.api, &source, &left);
	make_namespace(&w);
	client_create(w.client, &resources[RESOURCE_PODS], pod, got_it, &got);
	world_wait(&w, &got);
	world_ask(&w, &got,
		  &(struct client_ask){.verb = CLIENT_RAW, .method = STR("GET"), .path = path});
	is(got.raw, "line 2\nline 1\n");
	client_stream(w.client, &(struct client_stream){.path = path,
							.data = on_log_data,
							.ended = on_log_end,
							.arg = &streamed});
	loop_drain(w.loop);
	is(streamed.text, "line 2\nline 1\n");
	ok(streamed.ended && left == -1, "a log comes whole, or in pieces");
	json_doc_unref(got.doc);
	world_close(&w);
}

int main(void)
{
	test_verbs();
	test_refusals();
	test_watches();
	test_streams();
	test_ends();
	test_bound();
	test_logs();
	return tap_done();
}
