/* SPDX-License-Identifier: Apache-2.0 */
/* Events go an hour after they were last seen, whatever they say of the future. */
#include "apiserver/test/world.h"
#include "base/time.h"

#define EVENTS "/api/v1/namespaces/default/events"
#define EVENT(name, more)                 \
	"{\"metadata\":{\"name\":\"" name \
	"\"},\"involvedObject\":{\"kind\":\"Pod\",\"namespace\":\"default\"}" more "}"
#define MINUTES(n) (INT64_C(60) * (n)*TIME_SECOND)

static int code_of(struct world *w, const char *path)
{
	AUTO(answer_done) struct answer answer = ask(w, "GET", path, NULL);

	return answer.code;
}

static void make(struct world *w, const char *body)
{
	AUTO(answer_done) struct answer answer = ask(w, "POST", EVENTS, body);

	ok(answer.code == 201, "an event");
}

static void test_hour(void)
{
	struct world w = world_new(); /* it is 03:04:05 */

	make(&w, EVENT("plain", ""));
	make(&w, EVENT("future", ",\"lastTimestamp\":\"2036-01-01T00:00:00Z\""));
	make(&w, EVENT("again", ""));
	world_wait(&w, MINUTES(30));
	json_doc_unref(ask(&w, "PATCH merge", EVENTS "/again",
			   "{\"lastTimestamp\":\"2026-01-02T03:34:00Z\"}")
			       .doc);
	world_wait(&w, MINUTES(29));
	ok(code_of(&w, EVENTS "/plain") == 200, "stays for an hour");
	world_restart(&w);
	world_wait(&w, MINUTES(2));
	ok(code_of(&w, EVENTS "/plain") == 404, "and goes, also over a restart");
	ok(code_of(&w, EVENTS "/future") == 404, "a time that has not come is not believed");
	ok(code_of(&w, EVENTS "/again") == 200, "one that was seen again stays");
	world_wait(&w, MINUTES(31));
	ok(code_of(&w, EVENTS "/again") == 404, "for an hour from then");
	world_free(&w);
}

/* Which of a, b, c, d and e are there. */
static void there(struct world *w, char *text)
{
	for (const char *name = "abcde"; *name; name++) {
		AUTO(mem_free) char *path = mem_printf(EVENTS "/%c", *name);

		if (code_of(w, path) == 200)
			*text++ = *name;
	}
	*text = '\0';
}

static void test_surplus(void)
{
	struct world w = world_new_still();
	char text[8];

	api_free(w.api);
	w.api = api_new(&(struct api_options){.loop = w.loop, .store = w.store, .max_events = 3});
	api_start(w.api, &(struct api_place){.root_ca = "PEM", .token_key = "secret"});
	world_settle(&w);
	make(&w, EVENT("a", ""));
	world_wait(&w, MINUTES(1));
	make(&w, EVENT("b", ""));
	world_wait(&w, MINUTES(1));
	make(&w, EVENT("c", ""));
	there(&w, text);
	is(text, "abc");
	json_doc_unref(
		ask(&w, "PATCH merge", EVENTS "/a", "{\"lastTimestamp\":\"2026-01-02T03:06:00Z\"}")
			.doc);
	make(&w, EVENT("d", ""));
	world_settle(&w);
	there(&w, text);
	is(text, "acd"); /* a has been seen again: b is the oldest */
	make(&w, EVENT("e", ""));
	world_settle(&w);
	there(&w, text);
	is(text, "cde");
	world_restart(&w); /* with space for all */
	there(&w, text);
	is(text, "cde");
	world_wait(&w, MINUTES(61));
	there(&w, text);
	is(text, "");
	world_free(&w);
}

int main(void)
{
	test_hour();
	test_surplus();
	return tap_done();
}
