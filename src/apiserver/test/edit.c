/* SPDX-License-Identifier: Apache-2.0 */
/* Large writes, whose steps others can come between: the answer is the one that some order of whole writes
 * would have given, small ones overtake them, and one that is given up leaks nothing. Here every
 * write is large but those of the server's own. */
#define WORLD_LARGE_BYTES 1
#include "apiserver/test/world.h"

#define MAPS "/api/v1/namespaces/default/configmaps"
#define NEW(name, data) "{\"metadata\":{\"name\":\"" name "\"},\"data\":{" data "}}"

static void on_answer(struct call *call)
{
	world_answered(call);
}

static const struct call_sink sink = {.answered = on_answer};

/* A call that has begun, and not gone on. */
static struct call *begin(struct world *w, const char *method, const char *path, const char *body,
			  struct answer *answer)
{
	struct call *call = world_question(w, method, path, body, answer);

	call->sink = &sink;
	api_serve(call);
	return call;
}

static void wait_for(struct world *w, const struct answer *answer)
{
	while (!answer->done)
		loop_turn(w->loop, -1);
}

/* In one turn, as a small one. */
static int at_once(struct world *w, const char *method, const char *path, const char *body)
{
	AUTO(answer_done) struct answer answer = {0};
	struct call *call = world_question(w, method, path, body, &answer);

	call->internal = true;
	api_serve(call);
	wait_for(w, &answer);
	return answer.code;
}

static const char *at(const struct answer *answer, const char *pointer)
{
	struct json value = json_pointer_get(json_doc_root(answer->doc), str_from(pointer));

	return json_is_absent(value) ? "absent" : json_str(value).ptr;
}

/* Another write comes between the steps of a large one. */
struct interleaving {
	const char *method, *path, *body;            /* the large one */
	const char *other, *other_path, *other_body; /* what comes between */
	int code;
	const char *pointer, *value;
	const char *what;
};

static const struct interleaving between[] = {
	{"PATCH merge", MAPS "/m", "{\"data\":{\"a\":\"1\"}}", "PATCH merge", MAPS "/m",
	 "{\"data\":{\"b\":\"2\"}}", 200, "/data/b", "2",
	 "a patch is of the version that is there when it is stored"},
	{"PATCH json", MAPS "/m",
	 "[{\"op\":\"test\",\"path\":\"/data/k\",\"value\":\"v\"},{\"op\":\"remove\",\"path\":\"/"
	 "data/"
	 "k\"}]",
	 "PATCH merge", MAPS "/m", "{\"data\":{\"k\":\"other\"}}", 422, "/reason", "Invalid",
	 "what a patch tests is tested in that version"},
	{"PATCH merge", MAPS "/m", "{\"data\":{\"a\":\"1\"}}", "DELETE", MAPS "/m", NULL, 404,
	 "/reason", "NotFound", "a patch of what was deleted meanwhile finds nothing"},
	{"PUT", MAPS "/m", NEW("m", "\"only\":\"this\""), "PATCH merge", MAPS "/m",
	 "{\"data\":{\"b\":\"2\"}}", 200, "/data/b", "absent",
	 "a replacement without a version replaces whatever is there"},
	{"PUT", MAPS "/m", NEW("m", "\"only\":\"this\""), "DELETE", MAPS "/m", NULL, 404, "/reason",
	 "NotFound", "and needs something that is there"},
	{"DELETE", MAPS "/m", NULL, "PATCH merge", MAPS "/m", "{\"data\":{\"b\":\"2\"}}", 200,
	 "/status", "Success", "a removal is of the version that is there when it is stored"},
	{"DELETE", MAPS "/m", NULL, "PATCH merge", MAPS "/m",
	 "{\"metadata\":{\"finalizers\":[\"example.com/f\"]}}", 200, "/metadata/finalizers/0",
	 "example.com/f", "and a finalizer that comes meanwhile holds it"},
	{"DELETE", MAPS "/m", NULL, "DELETE", MAPS "/m", NULL, 404, "/reason", "NotFound",
	 "of two removals one finds nothing"},
	{"POST", MAPS, NEW("new", "\"a\":\"1\""), "POST", MAPS, NEW("new", "\"b\":\"2\""), 409,
	 "/reason", "AlreadyExists", "of two that make the same object one does"},
};

/* Each with the other write after 0, 1, 2, ... turns, until it comes too late. */
static void test_between(struct world *w)
{
	for (size_t i = 0; i < ARRAY_LEN(between); i++) {
		const struct interleaving *row = &between[i];
		bool same = true;
		int turns = 0;
		bool late = false;

		for (; !late && turns < 100; turns++) {
			AUTO(answer_done) struct answer answer = {0};

			(void)at_once(w, "PATCH merge", MAPS "/m",
				      "{\"metadata\":{\"finalizers\":null}}");
			(void)at_once(w, "DELETE", MAPS "/m", NULL);
			(void)at_once(w, "DELETE", MAPS "/new", NULL);
			(void)at_once(w, "POST", MAPS, NEW("m", "\"k\":\"v\""));
			struct call *call = begin(w, row->method, row->path, row->body, &answer);

			for (int turn = 0; turn < turns && !answer.done; turn++)
				loop_turn(w->loop, 0);
			/* then it is before the other one, and its answer is its own */
			late = answer.done || call->work.staged;
			(void)at_once(w, row->other, row->other_path, row->other_body);
			wait_for(w, &answer);
			if (late)
				continue;
			same = same && answer.code == row->code &&
			       strcmp(at(&answer, row->pointer), row->value) == 0;
			if (!same)
				printf("# after %d turns: %d %s\n", turns, answer.code,
				       at(&answer, row->pointer));
		}
		ok(same && late && turns > 1, "%s (after up to %d turns)", row->what, turns - 2);
		world_settle(w);
	}
}

/* A version that is named must be the newest when the write is stored. */
static void test_version(struct world *w)
{
	AUTO(answer_done) struct answer made = ask(w, "POST", MAPS, NEW("v", "\"k\":\"v\""));
	AUTO(answer_done) struct answer answer = {0};
	char body[256];

	snprintf(body, sizeof(body),
		 "{\"metadata\":{\"name\":\"v\",\"resourceVersion\":\"%s\"},\"data\":{}}",
		 at(&made, "/metadata/resourceVersion"));
	(void)begin(w, "PUT", MAPS "/v", body, &answer);
	(void)at_once(w, "PATCH merge", MAPS "/v", "{\"data\":{\"b\":\"2\"}}");
	wait_for(w, &answer);
	ok(answer.code == 409,
	   "a replacement of a version that is no longer the newest is a conflict");
}

/* Many at once: each is done once, and small ones are not kept waiting. */
static void test_many(struct world *w)
{
	enum { MANY = 20 };
	struct answer answers[MANY] = {0};
	size_t made = 0;
	size_t first = 0;
	char body[128];

	(void)at_once(w, "POST", MAPS, NEW("many", "\"k\":\"v\""));
	for (int i = 0; i < MANY; i++) {
		snprintf(body, sizeof(body), "{\"data\":{\"k%d\":\"v\"}}", i);
		(void)begin(w, "PATCH merge", MAPS "/many", body, &answers[i]);
	}
	ok(at_once(w, "POST", MAPS, NEW("small", "\"k\":\"v\"")) == 201, "a small write is made");
	for (int i = 0; i < MANY; i++)
		first += answers[i].done;
	ok(first < MANY, "before %d large ones are, of which %zu are done", MANY, first);
	for (int i = 0; i < MANY; i++) {
		wait_for(w, &answers[i]);
		made += answers[i].code == 200;
		answer_done(&answers[i]);
	}
	AUTO(answer_done) struct answer all = ask(w, "GET", MAPS "/many", NULL);

	ok(made == MANY && json_len(json_get(json_doc_root(all.doc), "data")) == MANY + 1,
	   "patches of one object at the same time are all in it: %zu", made);
}

/* The call is given up after so many turns; the sanitizers see what is left. */
static void test_given_up(struct world *w)
{
	bool ended = false;
	int turns = 0;

	for (; !ended && turns < 100; turns++) {
		struct answer answer = {0};
		struct answer other = {0};
		struct call *call;
		struct call *waits[3];

		(void)at_once(w, "POST", MAPS, NEW("given", "\"k\":\"v\""));
		call = begin(w, "PATCH merge", MAPS "/given", "{\"data\":{\"a\":\"1\"}}", &answer);
		for (size_t i = 0; i < ARRAY_LEN(waits); i++)
			waits[i] = begin(w, "PATCH merge", MAPS "/given",
					 "{\"data\":{\"b\":\"1\"}}", &other);
		for (int turn = 0; turn < turns && !answer.done; turn++)
			loop_turn(w->loop, 0);
		ended = answer.done;
		if (ended)
			answer_done(&answer);
		else
			call_free(call);
		for (size_t i = 0; i < ARRAY_LEN(waits) && !other.done; i++)
			call_free(waits[i]);
		if (other.done)
			answer_done(&other);
		world_settle(w);
		(void)at_once(w, "DELETE", MAPS "/given", NULL);
		world_settle(w);
		if (other.done)
			break; /* one of those that wait has been answered: freed already */
	}
	ok(turns > 1, "a large write that is given up after any of %d turns leaks nothing", turns);
}

/* What admission found must still be so when the object is stored. */
static void test_namespace(struct world *w)
{
	AUTO(answer_done) struct answer answer = {0};

	(void)at_once(w, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"ending\"}}");
	world_settle(w);
	(void)begin(w, "POST", "/api/v1/namespaces/ending/configmaps", NEW("late", ""), &answer);
	loop_turn(w->loop, 0);
	(void)at_once(w, "DELETE", "/api/v1/namespaces/ending", NULL);
	wait_for(w, &answer);
	ok(answer.code == 403 || answer.code == 404,
	   "nothing is made in a namespace that was deleted meanwhile: %d", answer.code);
	world_settle(w);
}

/* Workers are waited for when the API goes. */
static void test_end(struct world *w)
{
	struct answer answer = {0};

	call_free(begin(w, "POST", MAPS, NEW("end", "\"k\":\"v\""), &answer));
	world_restart(w);
	ok(!answer.done, "an API that goes waits for the call that a worker has");
}

int main(void)
{
	struct world w = world_new();

	(void)at_once(&w, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"default\"}}");
	world_settle(&w);
	test_between(&w);
	test_version(&w);
	test_many(&w);
	test_given_up(&w);
	test_namespace(&w);
	test_end(&w);
	world_free(&w);
	return tap_done();
}
