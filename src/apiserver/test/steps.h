/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/test/steps.h - the API in process, on the virtual loop and a store in memory, asked by
 * rows of steps. */
#ifndef APISERVER_TEST_STEPS_H
#define APISERVER_TEST_STEPS_H

#include <stdio.h>

#include "apiserver/api.h"
#include "apiserver/call.h"
#include "apiserver/route.h"
#include "apiserver/store.h"
#include "base/buf.h"
#include "base/mem.h"
#include "http/chunk.h"
#include "json/pointer.h"
#include "loop/loop.h"
#include "tap.h"

struct world {
	struct loop *loop;
	struct store *store;
	struct api *api;
};

struct answer {
	bool done;
	int code;
	struct json_doc *doc;
	char warnings[1024]; /* each behind a bar */
};

static inline void on_answered(struct call *call)
{
	struct answer *answer = call->arg;
	struct err err;
	struct str text = call->text     ? chunk_str(call->text)
			  : call->object ? call->object->text
					 : str_none();

	for (size_t i = 0, at = 0; i < call->warnings.len && at < sizeof(answer->warnings); i++)
		at += (size_t)snprintf(answer->warnings + at, sizeof(answer->warnings) - at, "|%s",
				       call->warnings.ptr[i]);
	answer->done = true;
	answer->code = call->code;
	answer->doc = call->doc ? json_doc_ref(call->doc) : json_parse(text, NULL, &err);
	call_free(call);
}

static const struct call_sink sink = {.answered = on_answered};

/* "PATCH merge /api/v1/..." is a merge patch; "json" and "strategic" likewise. */
static inline enum patch_type patch_of(const char *method)
{
	return strstr(method, "merge")  ? PATCH_MERGE
	       : strstr(method, "json") ? PATCH_JSON
					: PATCH_STRATEGIC;
}

static inline enum http_method method_of(const char *method)
{
	static const char *const names[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_starts(str_from(method), str_from(names[i])))
			return (enum http_method)i;
	return HTTP_METHOD_OTHER;
}

static inline struct call *make_call(struct world *w, const char *method, const char *path,
				     const char *body, void *arg)
{
	struct call *call = call_new(w->api, &sink, arg);
	struct route route = route_parse(str_from(path));
	struct err err;

	call->kind = kinds_find(api_kinds(w->api), route.group, route.version, route.plural);
	call->verb = route_verb(&route, method_of(method), false);
	call->namespace = arena_str(call->arena, route.namespace);
	call->name = arena_str(call->arena, route.name);
	call->sub = arena_str(call->arena, route.sub);
	if (call->verb == VERB_PATCH)
		call->patch = patch_of(method);
	if (body)
		call->body = json_parse(str_from(body), NULL, &err);
	return call;
}

static inline struct answer ask(struct world *w, const char *method, const char *path,
				const char *body)
{
	struct answer answer = {0};

	api_serve(make_call(w, method, path, body, &answer));
	while (!answer.done)
		loop_turn(w->loop, -1);
	return answer;
}

struct step {
	const char *method, *path, *body;
	int code;
	const char *at,
		*want; /* a pointer into the answer, and what is there: a text, or JSON; NULL:
				  absent */
};

static inline bool is_wanted(struct json value, const char *want)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (!want || json_is(value, JSON_STR) || json_is_absent(value))
		return want ? str_is(json_str(value), want) : json_is_absent(value);
	json_print(value, JSON_COMPACT, &text);
	return str_is(buf_str(&text), want);
}

static inline void run_steps(struct world *w, const struct step *steps, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct step *step = &steps[i];
		struct answer answer = ask(w, step->method, step->path, step->body);
		struct json at;

		at = json_pointer_get(json_doc_root(answer.doc), str_from(step->at));
		if (!ok(answer.code == step->code && is_wanted(at, step->want), "%s %s: %d, %s",
			step->method, step->path, step->code, step->at)) {
			AUTO(mem_free)
			char *text = json_text(json_doc_root(answer.doc), JSON_COMPACT);

			printf("#   %d %s\n", answer.code, text);
		}
		json_doc_unref(answer.doc);
		store_check(w->store);
	}
}

static inline struct world world_open(void)
{
	struct err err;
	struct world w = {.loop = loop_new_virtual(1, INT64_C(1767323045000000), &err)};

	w.store = store_open(w.loop, &(struct store_options){.folder = NULL}, &err);
	w.api = api_new(&(struct api_options){.loop = w.loop, .store = w.store});
	return w;
}

static inline void world_close(struct world *w)
{
	api_free(w->api);
	store_close(w->store);
	loop_free(w->loop);
}

#endif
