/* SPDX-License-Identifier: Apache-2.0 */
/* The API in process, on the virtual loop and a store in memory: what each verb answers, by tables of steps. */
#include "apiserver/test/world.h"

/* What a watch got: one line per event. */
struct events_got {
	struct buf lines;
	bool ended;
};

static const struct step steps[] = {
	{"POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"a\"}}", 201, "/kind",
	 "Namespace"},
	{"POST", "/api/v1/namespaces/none/configmaps", "{\"metadata\":{\"name\":\"c\"}}", 404,
	 "/message", "namespaces \"none\" not found"},
	{"POST", "/api/v1/namespaces/a/configmaps",
	 "{\"metadata\":{\"name\":\"c\",\"labels\":{\"x\":\"1\"}},\"data\":{\"k\":\"v\"}}", 201,
	 "/metadata/namespace", "a"},
	{"POST", "/api/v1/namespaces/a/configmaps", "{\"metadata\":{\"name\":\"c\"}}", 409,
	 "/message", "configmaps \"c\" already exists"},
	{"POST", "/api/v1/namespaces/a/configmaps", "{\"metadata\":{\"name\":\"Bad_\"}}", 422,
	 "/reason", "Invalid"},
	{"POST", "/api/v1/namespaces/a/configmaps", "{\"data\":{\"k\":5}}", 400, "/reason",
	 "BadRequest"},
	{"POST", "/api/v1/namespaces/a/configmaps",
	 "{\"metadata\":{\"name\":\"c\",\"namespace\":\"b\"}}", 400, "/reason", "BadRequest"},
	{"GET", "/api/v1/namespaces/a/configmaps/c", NULL, 200, "/data/k", "v"},
	{"GET", "/api/v1/namespaces/a/configmaps/d", NULL, 404, "/details/name", "d"},
	{"GET", "/api/v1/namespaces/a/configmaps", NULL, 200, "/items/0/metadata/name", "c"},
	{"GET", "/api/v1/namespaces/a/configmaps", NULL, 200, "/items/0/kind", NULL},
	{"PUT", "/api/v1/namespaces/a/configmaps/c",
	 "{\"metadata\":{\"name\":\"c\",\"resourceVersion\":\"1\"}}", 409, "/reason", "Conflict"},
	{"PUT", "/api/v1/namespaces/a/configmaps/c",
	 "{\"metadata\":{\"name\":\"c\"},\"data\":{\"k\":\"w\"}}", 200, "/data/k", "w"},
	{"PUT", "/api/v1/namespaces/a/configmaps/c", "{\"metadata\":{\"name\":\"d\"}}", 400,
	 "/message", "the name of the object (d) does not match the name on the URL (c)"},
	{"PUT", "/api/v1/namespaces/a/configmaps/new", "{\"metadata\":{\"name\":\"new\"}}", 404,
	 "/reason", "NotFound"},
	{"PUT", "/apis/coordination.k8s.io/v1/namespaces/a/leases/l",
	 "{\"metadata\":{\"name\":\"l\"},\"spec\":{}}", 201, "/kind", "Lease"},
	{"PATCH merge", "/api/v1/namespaces/a/configmaps/c", "{\"data\":{\"m\":\"1\"}}", 200,
	 "/data/m", "1"},
	{"PATCH json", "/api/v1/namespaces/a/configmaps/c",
	 "[{\"op\":\"remove\",\"path\":\"/data/m\"}]", 200, "/data/m", NULL},
	{"PATCH strategic", "/api/v1/namespaces/a/configmaps/c",
	 "{\"metadata\":{\"finalizers\":[\"a.com/x\"]}}", 200, "/metadata/finalizers/0", "a.com/x"},
	{"DELETE", "/api/v1/namespaces/a/configmaps/c", NULL, 200, "/metadata/finalizers/0",
	 "a.com/x"},
	{"GET", "/api/v1/namespaces/a/configmaps/c", NULL, 200, "/kind", "ConfigMap"},
	{"PATCH merge", "/api/v1/namespaces/a/configmaps/c", "{\"metadata\":{\"finalizers\":null}}",
	 200, "/metadata/finalizers", NULL},
	{"GET", "/api/v1/namespaces/a/configmaps/c", NULL, 404, "/reason", "NotFound"},
	{"POST", "/api/v1/namespaces/a/configmaps", "{\"metadata\":{\"generateName\":\"g-\"}}", 201,
	 "/metadata/generateName", "g-"},
	{"POST", "/api/v1/namespaces/a/configmaps",
	 "{\"metadata\":{\"name\":\"n\"},\"data\":{\"x\":null}}", 201, "/data/x", ""},
	{"POST", "/api/v1/namespaces/a/secrets", "{\"metadata\":{\"name\":\"s\"}}", 201, "/kind",
	 "Secret"},
	{"DELETE", "/api/v1/namespaces/a/secrets/s", "{\"preconditions\":{\"uid\":\"x\"}}", 409,
	 "/reason", "Conflict"},
	{"DELETE", "/api/v1/namespaces/a/secrets/s", NULL, 200, "/status", "Success"},
	{"DELETE", "/api/v1/namespaces/a/configmaps", NULL, 200, "/kind", "ConfigMapList"},
	{"GET", "/api/v1/namespaces/a/configmaps", NULL, 200, "/items/0", NULL},
	{"DELETE", "/api/v1/namespaces/default", NULL, 404, "/reason", "NotFound"},
};

/* --- watches ----------------------------------------------------------------------------------------- */

static void on_watching(struct call *call)
{
	struct events_got *events_got = call->arg;

	buf_printf(&events_got->lines, "%d ", call->answer.code);
}

static size_t on_event(struct call *call, const struct call_event *event)
{
	struct events_got *events_got = call->arg;
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(chunk_str(event->text), NULL, &err);
	struct json object = json_get(json_doc_root(doc), "object");

	buf_printf(&events_got->lines, "%s:%.*s ", event->type,
		   STR_ARG(json_str(json_get(json_get(object, "metadata"), "name"))));
	return 0;
}

static void on_ended(struct call *call)
{
	struct events_got *events_got = call->arg;

	events_got->ended = true;
	call_free(call);
}

static const struct call_sink watching = {
	.answered = on_watching, .event = on_event, .ended = on_ended};

static struct call *start_watch(struct world *w, struct events_got *events_got,
				const char *selector)
{
	struct call *call = call_new(w->api, &watching, events_got);

	events_got->lines = buf_make(100000);
	call->kind = kinds_find(api_kinds(w->api), STR(""), STR("v1"), STR("configmaps"));
	call->verb = VERB_WATCH;
	call->sub = STR("");
	call->options.label_selector = str_from(selector);
	call->options.timeout_seconds = 5;
	api_serve(call);
	return call;
}

static void test_watch(struct world *w)
{
	static const struct step changes[] = {
		{"POST", "/api/v1/namespaces/a/configmaps",
		 "{\"metadata\":{\"name\":\"w\",\"labels\":{\"x\":\"1\"}}}", 201, NULL, NULL},
		{"PATCH merge", "/api/v1/namespaces/a/configmaps/w", "{\"data\":{\"k\":\"v\"}}",
		 200, NULL, NULL},
		{"PATCH merge", "/api/v1/namespaces/a/configmaps/w",
		 "{\"metadata\":{\"labels\":{\"x\":\"2\"}}}", 200, NULL, NULL},
		{"DELETE", "/api/v1/namespaces/a/configmaps/w", NULL, 200, NULL, NULL},
	};
	struct events_got all = {0};
	struct events_got some = {0};
	struct events_got cancelled = {0};

	json_doc_unref(ask(w, "POST", "/api/v1/namespaces/a/configmaps",
			   "{\"metadata\":{\"name\":\"old\"}}")
			       .doc);
	start_watch(w, &all, NULL);
	start_watch(w, &some, "x=1");
	call_free(start_watch(w, &cancelled, NULL));
	for (size_t i = 0; i < ARRAY_LEN(changes); i++)
		json_doc_unref(ask(w, changes[i].method, changes[i].path, changes[i].body).doc);
	is(buf_text(&all.lines), "200 ADDED:old ADDED:w MODIFIED:w MODIFIED:w DELETED:w ");
	is(buf_text(&some.lines), "200 ADDED:w MODIFIED:w DELETED:w ");
	while (!all.ended || !some.ended)
		loop_turn(w->loop, -1);
	ok(all.ended && some.ended, "watches end when their time is over");
	buf_done(&all.lines);
	buf_done(&some.lines);
	buf_done(&cancelled.lines);
}

/* --- pages ------------------------------------------------------------------------------------------- */

static struct answer ask_page(struct world *w, struct str token)
{
	struct answer answer = {0};
	struct call *call = world_question(w, "GET", "/api/v1/namespaces/a/secrets", NULL, &answer);

	call->options.limit = 2;
	call->options.continue_token = arena_str(call->arena, token);
	api_serve(call);
	return answer;
}

/* Pages are of the state of the first one, whatever happens between them. */
static void test_pages(struct world *w)
{
	struct answer page;
	char names[64] = "";
	char token[512] = "";

	for (int i = 0; i < 5; i++) {
		char body[64];

		snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"s%d\"}}", i);
		json_doc_unref(ask(w, "POST", "/api/v1/namespaces/a/secrets", body).doc);
	}
	do {
		page = ask_page(w, str_from(token));
		for (size_t i = 0; i < json_len(json_get(json_doc_root(page.doc), "items")); i++) {
			struct json item = json_at(json_get(json_doc_root(page.doc), "items"), i);
			struct str name = json_str(json_get(json_get(item, "metadata"), "name"));

			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%.*s ",
				 STR_ARG(name));
		}
		snprintf(token, sizeof(token), "%.*s",
			 STR_ARG(json_str(json_get(json_get(json_doc_root(page.doc), "metadata"),
						   "continue"))));
		json_doc_unref(page.doc);
		json_doc_unref(ask(w, "DELETE", "/api/v1/namespaces/a/secrets/s3", NULL).doc);
		json_doc_unref(ask(w, "POST", "/api/v1/namespaces/a/secrets",
				   "{\"metadata\":{\"name\":\"s9\"}}")
				       .doc);
	} while (token[0]);
	is(names, "s0 s1 s2 s3 s4 ");
	page = ask_page(w, STR("nonsense"));
	ok(page.code == 400, "a token that is none");
	json_doc_unref(page.doc);
}

/* So many that a generated name comes up again: then another is taken. */
enum { GENERATED = 10000 };

static void test_generated(struct world *w)
{
	int made = 0;

	for (int i = 0; i < GENERATED; i++) {
		struct answer answer = ask(w, "POST", "/api/v1/namespaces/a/configmaps",
					   "{\"metadata\":{\"generateName\":\"many-\"}}");

		made += answer.code == 201;
		json_doc_unref(answer.doc);
	}
	ok(made == GENERATED, "%d of %d generated names are free", made, GENERATED);
}

int main(void)
{
	struct world w = world_new_still();

	world_steps(&w, steps, ARRAY_LEN(steps));
	test_watch(&w);
	test_pages(&w);
	test_generated(&w);
	world_free(&w);
	return tap_done();
}
