/* SPDX-License-Identifier: Apache-2.0 */
/* test/world.h - an API in process on the virtual loop, for tests that talk to it as clients do.
 *
 *	struct world w = world_new();			with everything that it does by itself
 *	struct answer a = ask(&w, "POST", "/api/v1/namespaces", "{...}");
 *	world_steps(&w, steps, ARRAY_LEN(steps));	a table of questions and what is answered
 *	world_restart(&w);				as after a kill: only the store is left
 *	world_free(&w); */
#ifndef APISERVER_TEST_WORLD_H
#define APISERVER_TEST_WORLD_H

#include <inttypes.h>
#include <stdio.h>

#include "apiserver/api.h"
#include "apiserver/request/call.h"
#include "apiserver/request/options.h"
#include "apiserver/request/route.h"
#include "apiserver/store/store.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/url.h"
#include "http/chunk.h"
#include "json/pointer.h"
#include "loop/loop.h"
#include "tap.h"

/* From how many bytes on a request takes its steps apart; 0: as the server has it. */
#ifndef WORLD_LARGE_BYTES
#define WORLD_LARGE_BYTES 0
#endif

struct world {
	struct loop *loop;
	struct store *store;
	struct api *api;
};

struct answer {
	bool done;
	int code;
	int64_t retry_after;
	struct json_doc *doc;
	char warnings[1024]; /* each after a bar */
};

static inline void answer_done(struct answer *answer)
{
	json_doc_unref(answer->doc);
}
DEFINE_AUTO_IN_PLACE(struct answer, answer_done);

static inline void world_answered(struct call *call)
{
	struct answer *answer = call->arg;
	struct err err;
	struct str text = call->answer.text     ? chunk_str(call->answer.text)
			  : call->answer.object ? call->answer.object->text
						: str_none();

	for (size_t i = 0, at = 0; i < call->answer.warnings.len && at < sizeof(answer->warnings);
	     i++)
		at += (size_t)snprintf(answer->warnings + at, sizeof(answer->warnings) - at, "|%s",
				       call->answer.warnings.ptr[i]);
	answer->done = true;
	answer->code = call->answer.code;
	answer->retry_after = call->answer.retry_after;
	answer->doc =
		call->answer.doc ? json_doc_ref(call->answer.doc) : json_parse(text, NULL, &err);
	call_free(call);
}

static inline enum http_method world_method(const char *method)
{
	static const char *const names[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_starts(str_from(method), str_from(names[i])))
			return (enum http_method)i;
	return HTTP_METHOD_OTHER;
}

/* "PATCH merge" is a merge patch; "PATCH json" and plain "PATCH" (strategic) work the same way. */
static inline enum patch_type world_patch(const char *method)
{
	return strstr(method, "merge")  ? PATCH_MERGE
	       : strstr(method, "json") ? PATCH_JSON
					: PATCH_STRATEGIC;
}

/* The path may have a query. */
static inline struct call *world_call(struct world *w, const struct call_sink *sink, void *arg,
				      const char *method, const char *path)
{
	static const struct str administrators[] = {STR_INIT("system:masters")};
	struct call *call = call_new(w->api, sink, arg);
	struct str rest = str_from(path);
	struct str bare;

	(void)str_split(&rest, '?', &bare);
	struct route route = route_parse(bare);

	call->user = (struct user){.name = STR("tester"),
				   .groups = administrators,
				   .group_count = ARRAY_LEN(administrators)};
	call->kind = kinds_find(api_kinds(w->api), route.group, route.version, route.plural);
	call->verb = route_verb(&route, world_method(method), false);
	call->namespace = arena_str(call->arena, route.namespace);
	call->name = arena_str(call->arena, route.name);
	call->sub = arena_str(call->arena, route.sub);
	if (call->verb == VERB_PATCH)
		call->patch = world_patch(method);
	return call;
}

/* A call that is answered there, not served yet. */
static inline struct call *world_question(struct world *w, const char *method, const char *path,
					  const char *body, struct answer *answer)
{
	static const struct call_sink sink = {.answered = world_answered};
	struct call *call = world_call(w, &sink, answer, method, path);
	struct err err;

	if (strchr(path, '?'))
		call->options.dry_run = STR(CALL_DRY_RUN_ALL); /* the one query that tests have */
	if (body) {
		call->body.doc = json_parse(str_from(body), NULL, &err);
		if (!call->body.doc)
			printf("# %s: %s\n", body, err.text);
	}
	return call;
}

static inline struct answer ask(struct world *w, const char *method, const char *path,
				const char *body)
{
	struct answer answer = {0};

	api_serve(world_question(w, method, path, body, &answer));
	while (!answer.done)
		loop_turn(w->loop, -1);
	return answer;
}

/* Let the reconcilers do what there is to do, without letting time pass. */
static inline void world_settle(struct world *w)
{
	int64_t revision;

	do {
		revision = store_revision(w->store);
		loop_drain(w->loop);
		store_flush(w->store);
		loop_drain(w->loop);
	} while (store_revision(w->store) != revision);
	store_check(w->store);
}

/* Let time pass. */
static inline void world_wait(struct world *w, int64_t us)
{
	int64_t end = loop_uptime(w->loop) + us;

	while (loop_uptime(w->loop) < end)
		if (!loop_turn(w->loop, end - loop_uptime(w->loop)))
			break;
	world_settle(w);
}

struct step {
	const char *method, *path, *body;
	int code; /* 0: not compared */
	const char *at,
		*want; /* a pointer into the answer, and what is there, as text; NULL: absent */
};

static inline bool step_holds(const struct step *step, const struct answer *answer)
{
	struct json at = json_pointer_get(json_doc_root(answer->doc), str_from(step->at));
	AUTO(mem_free) char *text = json_text(at, JSON_COMPACT);

	if (step->code && answer->code != step->code)
		return false;
	if (!step->want)
		return json_is_absent(at);
	return json_is(at, JSON_STR) ? str_is(json_str(at), step->want)
				     : strcmp(text, step->want) == 0;
}

/* Each step is asked when everything that the one before has set off is done. */
static inline void world_steps(struct world *w, const struct step *steps, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct step *step = &steps[i];
		AUTO(answer_done)
		struct answer answer = ask(w, step->method, step->path, step->body);

		if (!ok(step_holds(step, &answer), "%s %s: %d, %s %s", step->method, step->path,
			step->code, step->at, step->want ? step->want : "absent")) {
			AUTO(mem_free)
			char *text = json_text(json_doc_root(answer.doc), JSON_COMPACT);

			printf("#   %d %s\n", answer.code, text);
		}
		world_settle(w);
	}
}

/* One in which nothing happens by itself. */
static inline struct world world_new_still(void)
{
	struct err err;
	struct world w = {.loop = loop_new_virtual(1, INT64_C(1767323045000000), &err)};

	w.store = store_open(w.loop, &(struct store_options){.folder = NULL}, &err);
	w.api = api_new(&(struct api_options){
		.loop = w.loop, .store = w.store, .large_bytes = WORLD_LARGE_BYTES});
	return w;
}

static inline struct world world_new(void)
{
	struct world w = world_new_still();

	api_start(w.api, &(struct api_place){.root_ca = "PEM", .token_key = "secret"});
	world_settle(&w);
	return w;
}

static inline void world_restart(struct world *w)
{
	api_free(w->api);
	store_flush(w->store);
	w->api = api_new(&(struct api_options){
		.loop = w->loop, .store = w->store, .large_bytes = WORLD_LARGE_BYTES});
	api_start(w->api, &(struct api_place){.root_ca = "PEM", .token_key = "secret"});
	world_settle(w);
}

static inline void world_free(struct world *w)
{
	api_free(w->api);
	store_close(w->store);
	loop_free(w->loop);
}

#endif
