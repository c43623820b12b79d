/* SPDX-License-Identifier: Apache-2.0 */
/* Events as they come to stand at the server. */
#include "client/recorder.h"

#include "base/limits.h"
#include "base/time.h"
#include "client/faults.h"
#include "client_world.h"

struct bench {
	struct world w;
	struct recorder *recorder;
	struct faults faults;
	struct client *client;
};

static void open_bench(struct bench *b, const struct recorder_options *options)
{
	AUTO(json_doc_unref) struct json_doc *a = doc_of("{\"metadata\":{\"name\":\"a\"}}");
	AUTO(json_doc_unref)
	struct json_doc *other = doc_of("{\"metadata\":{\"name\":\"default\"}}");

	*b = (struct bench){0};
	world_open(&b->w, 1, 0);
	client_create(b->w.client, &resources[RESOURCE_NAMESPACES], a, NULL, NULL);
	client_create(b->w.client, &resources[RESOURCE_NAMESPACES], other, NULL, NULL);
	loop_drain(b->w.loop);
	b->client = client_new(b->w.loop,
			       faults_new(b->w.loop,
					  direct_new(b->w.api, &(struct direct_user){.name = "r"}),
					  &b->faults),
			       NULL);
	b->recorder = recorder_new(b->client, options);
}

static void close_bench(struct bench *b)
{
	recorder_free(b->recorder);
	client_free(b->client);
	world_close(&b->w);
}

/* All events: "count type reason name: message" with a bar between. */
static const char *events(struct bench *b)
{
	static char text[2000];
	struct got got = {0};
	struct json_iter it;
	size_t len = 0;

	loop_drain(b->w.loop);
	(void)world_ask(
		&b->w, &got,
		&(struct client_ask){.verb = CLIENT_LIST, .resource = &resources[RESOURCE_EVENTS]});
	text[0] = '\0';
	it = json_iter(json_get(json_doc_root(got.doc), "items"));
	while (json_next(&it))
		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%s%d %.*s %.*s %.*s: %.*s",
			len ? " | " : "", (int)json_int(json_get(it.value, "count")),
			STR_ARG(json_str(json_get(it.value, "type"))),
			STR_ARG(json_str(json_get(it.value, "reason"))),
			STR_ARG(json_str(json_get(json_get(it.value, "involvedObject"), "name"))),
			STR_ARG(json_str(json_get(it.value, "message"))));
	json_doc_unref(got.doc);
	return text;
}

static const struct recorder_object pod = {
	.api_version = STR_INIT("v1"),
	.kind = STR_INIT("Pod"),
	.namespace = STR_INIT("a"),
	.name = STR_INIT("p"),
	.uid = STR_INIT("u-1"),
};
static const struct recorder_object queue = {
	.api_version = STR_INIT("scheduling.volcano.sh/v1beta1"),
	.kind = STR_INIT("Queue"),
	.name = STR_INIT("q"),
	.uid = STR_INIT("u-2"),
};

static void test_joining(void)
{
	struct bench b;
	struct recorder_stats stats;
	struct got got = {0};

	open_bench(&b, &(struct recorder_options){.component = STR("volcano")});
	recorder_event(b.recorder, &pod, "Normal", "Scheduled", STR("on n1"));
	is(events(&b), "1 Normal Scheduled p: on n1");
	for (int i = 0; i < 4; i++)
		recorder_event(b.recorder, &pod, "Normal", "Scheduled", STR("on n1"));
	is(events(&b), "5 Normal Scheduled p: on n1");
	recorder_stats(b.recorder, &stats);
	ok(stats.written == 3 && stats.recorded == 5, "four at once took two writes");
	recorder_eventf(b.recorder, &queue, "Warning", "Full", "%d of %d", 3, 3);
	is(events(&b), "5 Normal Scheduled p: on n1 | 1 Warning Full q: 3 of 3");
	(void)world_ask(&b.w, &got,
			&(struct client_ask){.verb = CLIENT_LIST,
					     .resource = &resources[RESOURCE_EVENTS],
					     .namespace = STR("default")});
	ok(json_len(json_get(json_doc_root(got.doc), "items")) == 1,
	   "one about something without a namespace is in `default`");
	json_doc_unref(got.doc);
	close_bench(&b);
}

static void test_combining(void)
{
	struct bench b;

	open_bench(&b, &(struct recorder_options){.component = STR("volcano"), .similar = 3});
	for (int i = 0; i < 6; i++)
		recorder_eventf(b.recorder, &pod, "Warning", "Failed", "try %d", i);
	is(events(&b), "1 Warning Failed p: try 0 | 1 Warning Failed p: try 1 | "
		       "4 Warning Failed p: (combined from similar events): try 5");
	recorder_eventf(b.recorder, &pod, "Warning", "Failed", "try 0");
	recorder_eventf(b.recorder, &pod, "Warning", "Other", "try 7");
	is(events(&b), "2 Warning Failed p: try 0 | 1 Warning Failed p: try 1 | "
		       "4 Warning Failed p: (combined from similar events): try 5 | "
		       "1 Warning Other p: try 7");
	close_bench(&b);
}

static void test_bound(void)
{
	struct bench b;
	struct recorder_stats stats;

	open_bench(&b, &(struct recorder_options){.component = STR("volcano")});
	for (int i = 0; i < 100; i++)
		recorder_event(b.recorder, &pod, "Normal", "Again", STR("and again"));
	is(events(&b), "25 Normal Again p: and again");
	recorder_stats(b.recorder, &stats);
	ok(stats.dropped == 75, "the rest is dropped, and counted");
	for (int i = 0; i < 610; i++) {
		int64_t until = loop_uptime(b.w.loop) + TIME_SECOND;

		while (loop_uptime(b.w.loop) < until)
			(void)loop_turn(b.w.loop, until - loop_uptime(b.w.loop));
		recorder_event(b.recorder, &pod, "Normal", "Again", STR("and again"));
	}
	is(events(&b), "27 Normal Again p: and again");
	close_bench(&b);
}

/* Events for each pod of a large job at once. */
static void test_flood(void)
{
	struct bench b;
	struct recorder_stats stats;

	open_bench(&b, &(struct recorder_options){.component = STR("volcano")});
	for (int i = 0; i < 5000; i++) {
		AUTO(mem_free) char *name = mem_printf("p%d", i);
		struct recorder_object other = pod;

		other.name = str_from(name);
		recorder_event(b.recorder, &other, "Normal", "Scheduled", STR("x"));
	}
	do {
		(void)loop_turn(b.w.loop, TIME_SECOND);
		recorder_stats(b.recorder, &stats);
	} while (stats.in_flight);
	ok(stats.written == 5000 && stats.dropped == 0, "all are written: %d, but %d",
	   (int)stats.written, (int)stats.dropped);
	close_bench(&b);
}

/* One that was taken away, a server that loses things, many objects. */
static void test_trouble(void)
{
	struct bench b;
	struct recorder_stats stats;
	struct got got = {0};

	open_bench(&b, &(struct recorder_options){.component = STR("volcano")});
	recorder_event(b.recorder, &pod, "Normal", "One", STR("x"));
	is(events(&b), "1 Normal One p: x");
	(void)world_ask(&b.w, &got,
			&(struct client_ask){.verb = CLIENT_DELETE_COLLECTION,
					     .resource = &resources[RESOURCE_EVENTS],
					     .namespace = STR("a")});
	recorder_event(b.recorder, &pod, "Normal", "One", STR("x"));
	is(events(&b), "");
	recorder_event(b.recorder, &pod, "Normal", "One", STR("x"));
	is(events(&b), "1 Normal One p: x");
	b.faults = (struct faults){.refuse = 100, .lose_answer = 200, .delay_us = 1000};
	for (int i = 0; i < 6000; i++) {
		AUTO(mem_free) char *name = mem_printf("p%d", i);
		struct recorder_object other = pod;

		other.name = str_from(name);
		recorder_event(b.recorder, &other, "Normal", "Many", STR("x"));
	}
	do {
		(void)loop_turn(b.w.loop, TIME_SECOND);
		recorder_stats(b.recorder, &stats);
	} while (stats.in_flight);
	ok(stats.in_flight == 0 && stats.written + stats.dropped == stats.recorded,
	   "each is written or counted as dropped: %d and %d", (int)stats.written,
	   (int)stats.dropped);
	recorder_event(b.recorder, &pod, "Normal", "Last", STR("x"));
	json_doc_unref(got.doc);
	close_bench(&b);
}

static void test_long(void)
{
	AUTO(buf_done) struct buf long_text = BUF_UNBOUNDED;
	struct bench b;
	struct str got;

	for (int i = 0; i < LIMIT_EVENT_MESSAGE; i++)
		buf_puts(&long_text, "\u00e9");
	open_bench(&b, &(struct recorder_options){.component = STR("volcano")});
	recorder_event(b.recorder, &pod, "Normal", "Long", buf_str(&long_text));
	got = str_from(events(&b));
	ok(got.len <= LIMIT_EVENT_MESSAGE + STR("1 Normal Long p: ").len &&
		   str_ends(got, STR("\u00e9...")),
	   "a long message is cut after a whole character: %zu", got.len);
	close_bench(&b);
}

int main(void)
{
	test_joining();
	test_long();
	test_combining();
	test_bound();
	test_flood();
	test_trouble();
	return tap_done();
}
