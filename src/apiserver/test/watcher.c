/* SPDX-License-Identifier: Apache-2.0 */
/* Watches whose reader is slower than what happens. */
#include "apiserver/watch/watcher.h"

#include "apiserver/test/world.h"
#include "base/time.h"

#define MAPS "/api/v1/namespaces/a/configmaps"

/* Takes a few events, and then no more until the test allows it. */
struct reader {
	struct call *call;
	struct buf lines;
	size_t room;
	bool ended;
};

static void on_watching(struct call *call)
{
	(void)call;
}

static size_t on_event(struct call *call, const struct call_event *event)
{
	struct reader *reader = call->arg;
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(chunk_str(event->text), NULL, &err);
	struct json object = json_get(json_doc_root(doc), "object");
	struct json metadata = json_get(object, "metadata");

	if (json_is(json_get(object, "code"), JSON_INT))
		buf_printf(&reader->lines, "%s:%d ", event->type,
			   (int)json_int(json_get(object, "code")));
	else if (json_is(json_get(metadata, "annotations"), JSON_OBJ))
		buf_puts(&reader->lines, "END ");
	else
		buf_printf(&reader->lines, "%.3s:%.*s ", event->type,
			   STR_ARG(json_str(json_get(metadata, "name"))));
	if (reader->room > 0)
		reader->room--;
	return reader->room ? 0 : SIZE_MAX;
}

static void on_ended(struct call *call)
{
	struct reader *reader = call->arg;

	reader->ended = true;
	reader->call = NULL;
	call_free(call);
}

static const struct call_sink sink = {
	.answered = on_watching, .event = on_event, .ended = on_ended};

static void reader_start(struct world *w, struct reader *reader, size_t room)
{
	*reader = (struct reader){.room = room, .lines = buf_make(100000)};
	reader->call = call_new(w->api, &sink, reader);
	reader->call->kind = kinds_find(api_kinds(w->api), STR(""), STR("v1"), STR("configmaps"));
	reader->call->verb = VERB_WATCH;
	reader->call->sub = STR("");
	reader->call->options.send_initial_events = OPTION_TRUE;
	reader->call->options.version_match = STR("NotOlderThan");
	reader->call->options.allow_bookmarks = OPTION_TRUE;
	reader->call->options.timeout_seconds = 50;
	reader->call->options.watch = OPTION_TRUE;
	api_serve(reader->call);
}

static void give_room(struct world *w, struct reader *reader, size_t room)
{
	reader->room = room;
	watcher_can_send(reader->call->work.watcher);
	loop_drain(w->loop);
}

static void change(struct world *w, const char *method, const char *path, const char *body)
{
	answer_done(&(struct answer){.doc = ask(w, method, path, body).doc});
}

static void set(struct world *w, const char *name, int value)
{
	char path[64];
	char body[64];

	snprintf(path, sizeof(path), MAPS "/%s", name);
	snprintf(body, sizeof(body), "{\"data\":{\"k\":\"%d\"}}", value);
	change(w, "PATCH merge", path, body);
}

static struct world open_world(size_t history_events)
{
	struct world w = world_new_still();

	api_free(w.api);
	store_close(w.store);
	struct err err;

	w.store =
		store_open(w.loop, &(struct store_options){.history_events = history_events}, &err);
	w.api = api_new(&(struct api_options){.loop = w.loop, .store = w.store});
	change(&w, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"a\"}}");
	for (int i = 0; i < 4; i++) {
		char body[64];

		snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"m%d\"}}", i);
		change(&w, "POST", MAPS, body);
	}
	return w;
}

/* The state of the beginning, whatever happens meanwhile, then what has happened. */
static void test_at_its_pace(void)
{
	struct world w = open_world(100);
	struct reader reader;

	reader_start(&w, &reader, 2);
	is(buf_text(&reader.lines), "ADD:m0 ADD:m1 ");
	change(&w, "DELETE", MAPS "/m3", NULL);
	set(&w, "m0", 1);
	change(&w, "POST", "/api/v1/namespaces/a/secrets", "{\"metadata\":{\"name\":\"s\"}}");
	is(buf_text(&reader.lines), "ADD:m0 ADD:m1 ");
	give_room(&w, &reader, 1);
	is(buf_text(&reader.lines), "ADD:m0 ADD:m1 ADD:m2 ");
	give_room(&w, &reader, 2);
	is(buf_text(&reader.lines), "ADD:m0 ADD:m1 ADD:m2 ADD:m3 END ");
	buf_clear(&reader.lines);
	give_room(&w, &reader, 1);
	is(buf_text(&reader.lines), "DEL:m3 ");
	set(&w, "m1", 1);
	give_room(&w, &reader, 100);
	is(buf_text(&reader.lines), "DEL:m3 MOD:m0 MOD:m1 ");
	buf_clear(&reader.lines);
	set(&w, "m1", 2);
	is(buf_text(&reader.lines), "MOD:m1 ");
	reader.room = 1;
	set(&w, "m1", 3);
	set(&w, "m1", 4);
	set(&w, "m2", 5);
	is(buf_text(&reader.lines), "MOD:m1 MOD:m1 ");
	give_room(&w, &reader, 100);
	is(buf_text(&reader.lines), "MOD:m1 MOD:m1 MOD:m1 MOD:m2 ");
	watcher_can_send(reader.call->work.watcher);
	ok(!reader.ended, "permission that was not asked for changes nothing");
	call_free(reader.call);
	buf_done(&reader.lines);
	world_free(&w);
}

static void test_too_slow(void)
{
	struct world w = open_world(8);
	struct reader reader;

	reader_start(&w, &reader, 100);
	buf_clear(&reader.lines);
	reader.room = 1;
	for (int i = 0; i < 20; i++)
		set(&w, "m0", i);
	is(buf_text(&reader.lines), "MOD:m0 ");
	give_room(&w, &reader, 100);
	is(buf_text(&reader.lines), "MOD:m0 ERROR:410 ");
	ok(reader.ended, "a watcher that is older than the history gets an error and ends");
	buf_done(&reader.lines);

	reader_start(&w, &reader, 1);
	for (int i = 0; i < 20; i++)
		set(&w, "m0", i);
	give_room(&w, &reader, 100);
	is(buf_text(&reader.lines), "ADD:m0 ADD:m1 ADD:m2 ADD:m3 END ERROR:410 ");
	ok(reader.ended, "the state of the beginning is whole all the same");
	buf_done(&reader.lines);
	world_free(&w);
}

static void test_no_silent_end(void)
{
	struct world w = open_world(100);
	struct reader reader;

	reader_start(&w, &reader, 2);
	while (!reader.ended)
		loop_turn(w.loop, -1);
	is(buf_text(&reader.lines), "ADD:m0 ADD:m1 ERROR:504 ");
	buf_done(&reader.lines);
	reader_start(&w, &reader, 2);
	call_free(reader.call);
	buf_done(&reader.lines);
	world_free(&w);
}

int main(void)
{
	test_at_its_pace();
	test_too_slow();
	test_no_silent_end();
	return tap_done();
}
