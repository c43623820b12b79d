/* SPDX-License-Identifier: Apache-2.0 */
/* client_world.h - a server and a client of it in one process, on the virtual loop, for tests. */
#ifndef APISERVER_TEST_CLIENT_WORLD_H
#define APISERVER_TEST_CLIENT_WORLD_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "apiserver/api.h"
#include "apiserver/request/direct.h"
#include "apiserver/store/disk_memory.h"
#include "apiserver/store/store.h"
#include "base/mem.h"
#include "client/client.h"
#include "client/transport.h"
#include "got.h"
#include "json/doc.h"
#include "loop/loop.h"
#include "tap.h"

#define WORLD_START INT64_C(1767225600000000) /* 2026-01-01 */

/* From how many bytes on a request takes its steps apart; 0: as the server has it. */
#ifndef WORLD_LARGE_BYTES
#define WORLD_LARGE_BYTES 0
#endif

struct world {
	struct loop *loop;
	struct store *store;
	struct api *api;
	struct client *client;
};

__attribute__((unused)) static struct client *world_client(struct world *w, const char *user)
{
	return client_new(w->loop, direct_new(w->api, &(struct direct_user){.name = user}), NULL);
}

/* `history`: how many events the store remembers; 0: as usual. `plain`: without Volcano's admission. */
__attribute__((unused)) static void world_open_as(struct world *w, uint64_t seed, size_t history,
						  bool plain)
{
	struct err err;

	w->loop = loop_new_virtual(seed, WORLD_START, &err);
	w->store = w->loop ? store_open(w->loop, &(struct store_options){.history_events = history},
					&err)
			   : NULL;
	if (!w->store) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
	w->api = api_new(&(struct api_options){.loop = w->loop,
					       .store = w->store,
					       .large_bytes = WORLD_LARGE_BYTES,
					       .plain = plain});
	w->client = world_client(w, "tester");
}

__attribute__((unused)) static void world_open(struct world *w, uint64_t seed, size_t history)
{
	world_open_as(w, seed, history, false);
}

__attribute__((unused)) static void world_close(struct world *w)
{
	client_free(w->client);
	api_free(w->api);
	store_close(w->store);
	loop_free(w->loop);
}

__attribute__((format(printf, 1, 2), unused)) static struct json_doc *doc_of(const char *format,
									     ...)
{
	struct err err;
	struct json_doc *doc;
	va_list args;

	va_start(args, format);
	AUTO(mem_free) char *text = mem_vprintf(format, args);
	va_end(args);
	doc = json_parse(str_from(text), NULL, &err);
	if (!doc) {
		printf("Bail out! %s: %s\n", err.text, text);
		exit(1);
	}
	return doc;
}

/* Turn until it is answered. */
__attribute__((unused)) static void world_wait(struct world *w, struct got *got)
{
	while (!got->calls && loop_turn(w->loop, INT64_C(3600000000)))
		;
}

/* Ask and wait; the document is freed with the next question of the same struct. */
__attribute__((unused)) static int world_ask(struct world *w, struct got *got,
					     const struct client_ask *ask)
{
	struct client_ask own = *ask;

	got->calls = 0;
	own.done = got_it;
	own.arg = got;
	client_send(w->client, &own);
	world_wait(w, got);
	return got->code;
}

/* "metadata.name" of a document, as a C string for the next call only. */
__attribute__((unused)) static const char *text_at(struct json_doc *doc, const char *path)
{
	static char text[500];
	struct json at = doc ? json_doc_root(doc) : JSON_NONE;
	struct str rest = str_from(path);
	struct str part;

	while (str_split(&rest, '.', &part))
		at = json_get_str(at, part);
	if (json_is(at, JSON_STR)) {
		snprintf(text, sizeof(text), "%.*s", STR_ARG(json_str(at)));
	} else {
		AUTO(mem_free) char *printed = json_text(at, JSON_COMPACT);

		snprintf(text, sizeof(text), "%s", printed);
	}
	return text;
}

/* Advances the time, and runs all pending work. */
__attribute__((unused)) static void world_pass(struct world *w, int64_t time)
{
	int64_t until = loop_uptime(w->loop) + time;

	loop_drain(w->loop);
	while (loop_uptime(w->loop) < until) {
		(void)loop_turn(w->loop, until - loop_uptime(w->loop));
		loop_drain(w->loop);
	}
}

/* A field of an object (of namespace "a"), or the reason why there is none; for the next call only. */
__attribute__((unused)) static const char *world_at(struct world *w, enum resource_id resource,
						    const char *name, const char *path)
{
	static char text[900];
	struct got got = {0};

	(void)world_ask(w, &got,
			&(struct client_ask){
				.verb = CLIENT_GET,
				.resource = &resources[resource],
				.namespace = resources[resource].namespaced ? STR("a") : str_none(),
				.name = str_from(name)});
	snprintf(text, sizeof(text), "%s",
		 got.reason ? err_reason(got.reason) : text_at(got.doc, path));
	json_doc_unref(got.doc);
	return text;
}

#endif
