/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/api.c - the API without a transport: calls in flight, and which file serves which verb.
 * */
#include "apiserver/api.h"

#include <assert.h>
#include <string.h>

#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"
#include "apiserver/crd/definition.h"
#include "apiserver/kind/kind_rows.h"
#include "apiserver/openapi/openapi.h"
#include "apiserver/reconcile/reconcilers.h"
#include "apiserver/request/backup.h"
#include "apiserver/request/fair.h"
#include "apiserver/request/form.h"
#include "apiserver/request/offload.h"
#include "apiserver/request/options.h"
#include "apiserver/request/reading.h"
#include "apiserver/store/backups.h"
#include "apiserver/verb/edit.h"
#include "apiserver/verb/podlog.h"
#include "apiserver/watch/watcher.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "http/chunk.h"
#include "loop/loop.h"
#include "model/rules/causes.h"

#include "base/banned.h"

enum {
	HTTP_REDIRECTION = 300, /* the first code that is not success */
	ARENAS_KEPT = 64,
	ARENA_KEPT_BYTES = 8192, /* one that a call has put more into is given back */
};

static void set_if_zero(size_t *limit, size_t fallback)
{
	if (!*limit)
		*limit = fallback;
}

static void set_limits(struct api_options *options)
{
	set_if_zero(&options->max_in_flight, LIMIT_IN_FLIGHT);
	set_if_zero(&options->max_watchers, LIMIT_WATCHERS);
	set_if_zero(&options->max_events, LIMIT_EVENTS);
	set_if_zero(&options->watcher_bytes, LIMIT_WATCHER_BYTES);
	if (options->watcher_bytes < LIMIT_SEND_BUFFER_BYTES)
		options->watcher_bytes = LIMIT_SEND_BUFFER_BYTES;
	set_if_zero(&options->list_bytes, LIMIT_RESPONSE_BYTES);
	set_if_zero(&options->user_in_flight, LIMIT_USER_IN_FLIGHT);
	set_if_zero(&options->user_watchers, LIMIT_USER_WATCHERS);
	set_if_zero(&options->user_body_bytes, LIMIT_USER_BODY_BYTES);
	set_if_zero(&options->user_waiting_bytes, LIMIT_USER_WAITING_BYTES);
	set_if_zero(&options->large_bytes, LIMIT_LARGE_BYTES);
}

struct api *api_new(const struct api_options *options)
{
	struct api *api = mem_new(struct api);
	const struct api_options *own;

	api->options = *options;
	set_limits(&api->options);
	own = &api->options;
	api->fair = fair_new(options->loop, &(struct fair_limits){{
						    [FAIR_CALLS] = own->user_in_flight,
						    [FAIR_WATCHES] = own->user_watchers,
						    [FAIR_BODY_BYTES] = own->user_body_bytes,
						    [FAIR_WAITING] = own->user_waiting_bytes,
					    }});
	api->kinds = kinds_new(loop_random_u64(options->loop));
	kind_rows_add(api->kinds);
	api->kind_watches = map_new(loop_random_u64(options->loop));
	list_init(&api->calls);
	list_init(&api->podlogs);
	api->decoded = decoded_new(options->loop);
	api->volcano = admit_volcano_new(options->admission);
	api->offloads = offloads_new(api);
	api->definitions = definitions_new(api);
	api->openapi = openapi_new();
	api->before = buf_make(LIMIT_OBJECT_BYTES);
	api->tail = buf_make(LIMIT_OBJECT_BYTES);
	return api;
}

/* What the reconcilers wanted to write while writes were suspended was refused: they start again, as after a
 * restart. */
static void on_resumed(void *arg)
{
	struct api *api = arg;

	reconcilers_stop(api->reconcilers);
	api->reconcilers = reconcilers_start(api);
	definitions_look_again(api->definitions);
}

void api_start(struct api *api, const struct api_place *place)
{
	assert(!api->reconcilers);
	api->root_ca = mem_strdup(place->root_ca ? place->root_ca : "");
	api->port = place->port;
	api->token_key = place->token_key ? mem_strdup(place->token_key) : NULL;
	api->reconcilers = reconcilers_start(api);
	store_observe_resumed(api_store(api), on_resumed, api);
	if (place->backups)
		api->backups = backups_new(api_loop(api), api_store(api), place->backups);
}

void api_free(struct api *api)
{
	if (!api)
		return;
	store_observe_resumed(api_store(api), NULL, NULL);
	backups_free(api->backups);
	reconcilers_stop(api->reconcilers);
	offloads_settle(api->offloads);
	definitions_free(api->definitions);
	openapi_free(api->openapi);
	assert(list_is_empty(&api->calls));
	offloads_free(api->offloads);
	assert(map_len(api->kind_watches) == 0);
	map_free(api->kind_watches);
	fair_free(api->fair);
	decoded_free(api->decoded);
	admit_volcano_free(api->volcano);
	kinds_free(api->kinds);
	buf_done(&api->before);
	buf_done(&api->tail);
	for (size_t i = 0; i < api->arenas.len; i++)
		arena_free(api->arenas.ptr[i]);
	vec_done(&api->arenas);
	if (api->token_key)
		explicit_bzero(api->token_key, strlen(api->token_key));
	mem_free(api->token_key);
	mem_free(api->root_ca);
	mem_free(api);
}

void api_stop(struct api *api)
{
	api->stopping = true;
	watchers_end(api);
	podlogs_end(api);
}

bool api_is_stopping(const struct api *api)
{
	return api->stopping;
}

struct backups *api_backups(const struct api *api)
{
	return api->backups;
}

struct loop *api_loop(const struct api *api)
{
	return api->options.loop;
}

bool api_is_large(const struct api *api, size_t bytes)
{
	return bytes >= api->options.large_bytes;
}

struct store *api_store(const struct api *api)
{
	return api->options.store;
}

struct kinds *api_kinds(const struct api *api)
{
	return api->kinds;
}

struct log *api_log(const struct api *api)
{
	return api->options.log;
}

struct fair *api_fair(const struct api *api)
{
	return api->fair;
}

int64_t api_now(const struct api *api)
{
	return loop_now(api->options.loop);
}

static char *put_text(char *to, struct str text)
{
	if (text.len)
		memcpy(to, text.ptr, text.len);
	return to + text.len;
}

static size_t key_len(const struct kind *kind, struct str namespace, struct str name)
{
	return kind->prefix.len + namespace.len + 1 + name.len;
}

/* Prints the key into a buffer of key_len() bytes and a NUL. */
static struct str put_key(char *key, const struct kind *kind, struct str namespace, struct str name)
{
	char *at = put_text(put_text(key, kind->prefix), namespace);

	*at = '/';
	*put_text(at + 1, name) = '\0';
	return str_of(key, key_len(kind, namespace, name));
}

struct str api_key(struct arena *arena, const struct kind *kind, struct str namespace,
		   struct str name)
{
	char *key = arena_alloc(arena, key_len(kind, namespace, name) + 1);

	return put_key(key, kind, namespace, name);
}

static struct json_doc *decode(struct api *api, struct object *object)
{
	return object ? decoded_get(api->decoded, object) : NULL;
}

struct json_doc *api_read(struct api *api, const struct kind *kind, struct str namespace,
			  struct str name)
{
	AUTO(mem_free) char *key = mem_alloc(key_len(kind, namespace, name) + 1);

	return decode(api, store_get(api_store(api), put_key(key, kind, namespace, name)));
}

struct json_doc *api_read_newest(struct api *api, const struct kind *kind, struct str namespace,
				 struct str name)
{
	AUTO(mem_free) char *key = mem_alloc(key_len(kind, namespace, name) + 1);

	return decode(api, store_newest(api_store(api), put_key(key, kind, namespace, name)));
}

/* --- calls
 * -------------------------------------------------------------------------------------------------
 * */

static struct arena *take_arena(struct api *api)
{
	return api->arenas.len ? api->arenas.ptr[--api->arenas.len] : arena_new(0);
}

static void give_arena(struct api *api, struct arena *arena)
{
	if (api->arenas.len >= ARENAS_KEPT || arena_used(arena) > ARENA_KEPT_BYTES) {
		offload_discard_arena(api, arena);
		return;
	}
	arena_reset(arena);
	vec_push(&api->arenas, arena);
}

struct call *call_new(struct api *api, const struct call_sink *sink, void *arg)
{
	struct call *call = mem_new(struct call);

	call->api = api;
	call->arena = take_arena(api);
	call->sink = sink;
	call->arg = arg;
	call->options.limit = -1;
	call->options.timeout_seconds = -1;
	call->options.grace_seconds = -1;
	call->options.since_seconds = CALL_UNSET;
	call->options.tail_lines = CALL_UNSET;
	call->options.limit_bytes = CALL_UNSET;
	call->epoch = api->epoch;
	list_push(&api->calls, &call->link);
	return call;
}

void call_step_later(struct call *call, struct call_step *step, void (*fn)(void *arg), void *arg)
{
	if (call->account.flow)
		fair_run(call->account.flow, &step->job, fn, arg);
	else
		loop_defer(api_loop(call->api), &step->defer, fn, arg);
}

void call_step_cancel(struct call *call, struct call_step *step)
{
	fair_cancel(&step->job);
	loop_defer_cancel(api_loop(call->api), &step->defer);
}

bool call_step_is_queued(const struct call_step *step)
{
	return step->job.flow || step->defer.queued;
}

bool call_count(struct call *call, enum fair_use use)
{
	if (!fair_take(call->account.flow, use, 1))
		return false;
	call->account.counted = true;
	call->account.counted_as = use;
	return true;
}

/* It is over, or not in flight any more. */
static void uncount(struct call *call)
{
	if (call->work.in_flight)
		call->api->in_flight--;
	call->work.in_flight = false;
	if (call->account.counted)
		fair_give(call->account.flow, call->account.counted_as, 1);
	call->account.counted = false;
}

void call_become_stream(struct call *call)
{
	uncount(call);
	if (!call->account.flow)
		return;
	fair_add(call->account.flow, FAIR_WATCHES, 1);
	call->account.counted = true;
	call->account.counted_as = FAIR_WATCHES;
}

void call_free(struct call *call)
{
	if (!call || !call_end_offload(call))
		return;
	edit_forget(call->work.edit);
	if (call->work.staged)
		stage_forget(call->work.staged);
	if (call->work.sweep)
		sweep_forget(call->work.sweep);
	if (call->work.watcher)
		watcher_free(call->work.watcher);
	if (call->work.backup)
		backup_forget(call->work.backup);
	if (call->work.podlog)
		podlog_free(call->work.podlog);
	uncount(call);
	if (call->answer.source)
		call->answer.source->free(call->answer.source_state);
	fair_flow_unref(call->account.flow);
	list_remove(&call->link);
	offload_discard(call->api, call->body.doc);
	buf_done(&call->body.text);
	offload_discard(call->api, call->work.managed);
	offload_discard(call->api, call->answer.doc);
	object_unref(call->answer.object);
	chunk_unref(call->answer.text);
	chunk_unref(call->answer.sent);
	vec_done(&call->answer.warnings);
	vec_done(&call->body.odd_fields);
	vec_done(&call->error.causes);
	give_arena(call->api, call->arena);
	mem_free(call);
}

#define VERB_FUNCTION(id, function, word, options) verb_##function,
static verb_fn *const verbs[] = {VERBS(VERB_FUNCTION)};

/* Rejects the request for now; Retry-After says when to try again. */
static bool is_put_off(struct call *call)
{
	struct api *api = call->api;
	bool watch = call->verb == VERB_WATCH;
	bool full = watch ? api->watchers >= api->options.max_watchers
			  : api->in_flight >= api->options.max_in_flight;
	struct err err;

	if (call->internal || call->part)
		return false;
	if (!full && !api->stopping)
		return false;
	if (api->stopping)
		(void)err_set(&err, ERR_UNAVAILABLE,
			      "the server is shutting down, please try again later");
	else
		(void)err_set(&err, ERR_TOO_MANY_REQUESTS,
			      "too many requests, please try again later");
	call->answer.retry_after = 1;
	call_answer_err(call, &err);
	return true;
}

/* The definition was removed after the kind was looked up for the call: there is no such resource
 * any more. */
static bool is_deleted_kind(struct call *call)
{
	struct err err;

	if (!call->kind->gone)
		return false;
	(void)err_set(&err, ERR_NOT_FOUND, "the server could not find the requested resource");
	call_answer_err(call, &err);
	return true;
}

static bool are_options_invalid(struct call *call)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	const char *kind;

	if (call->body.doc && (call->verb == VERB_DELETE || call->verb == VERB_DELETE_COLLECTION))
		return false; /* the body takes the place of the query (delete_read_options()) */
	options_validate(call, &kind, &causes);
	if (causes.len == 0)
		return false;
	call_answer_invalid(call, STR("meta.k8s.io"), str_from(kind), str_none(), &causes);
	return true;
}

static bool refuse_part(struct call *call, const char *what, struct str part, const char *why)
{
	struct err err;

	call->error.plain = true;
	(void)err_set(&err, ERR_BAD_REQUEST, "%s parameter invalid: \"%.*s\": %s", what,
		      STR_ARG(part), why);
	call_answer_err(call, &err);
	return true;
}

/* A name that cannot be part of a path is refused before anything is looked for. */
static bool is_name_wrong(struct call *call)
{
	static const char *const rules[][2] = {{"/", "may not contain '/'"},
					       {"%", "may not contain '%'"}};
	AUTO(buf_done) struct buf why = BUF_UNBOUNDED;
	struct str name = call->name;

	if (str_is(name, ".") || str_is(name, ".."))
		buf_printf(&why, "may not be '%.*s'", STR_ARG(name));
	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (str_find_byte(name, rules[i][0][0], 0) >= 0)
			buf_printf(&why, "%s%s", why.len ? ";" : "", rules[i][1]);
	return why.len && refuse_part(call, "Name", name, buf_text(&why));
}

/* Of namespaces only these are refused: upstream answers 500 to them, and looks for any other. */
static bool is_namespace_wrong(struct call *call)
{
	if (str_is(call->namespace, "."))
		return refuse_part(call, "Namespace", call->namespace, "may not be '.'");
	if (str_is(call->namespace, ".."))
		return refuse_part(call, "Namespace", call->namespace, "may not be '..'");
	return false;
}

/* A read is refused once there is something to show, as upstream; a write is not begun. */
static bool is_form_wrong(struct call *call)
{
	struct err err;

	if (call->verb == VERB_GET || call->verb == VERB_LIST || form_check(call, &err) == 0)
		return false;
	call_answer_err(call, &err);
	return true;
}

void api_serve(struct call *call)
{
	const struct kind_sub *sub = call->sub.len ? kind_sub_find(call->kind, call->sub) : NULL;

	if (is_put_off(call))
		return;
	if (call->verb != VERB_WATCH && !call->internal && !call->part) {
		call->api->in_flight++;
		call->work.in_flight = true;
	}
	if (is_deleted_kind(call) || are_options_invalid(call) || is_namespace_wrong(call) ||
	    is_name_wrong(call) || is_form_wrong(call))
		return;
	if (call->kind->deprecated)
		call_warn(call, "%s", call->kind->deprecated);
	if (sub && sub->serve)
		sub->serve(call);
	else if (call->kind->serve)
		call->kind->serve(call);
	else
		verbs[call->verb](call);
}

/* For those who want the answer in one piece. */
static void drain_source(struct call *call)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	do {
		if (call->answer.source->is_long &&
		    call->answer.source->is_long(call->answer.source_state))
			call->answer.source->work(call->answer.source_state);
	} while (call->answer.source->next(call->answer.source_state, &text));
	call->answer.text = chunk_take(&text);
	call->answer.source->free(call->answer.source_state);
	call->answer.source = NULL;
}

static void finish(struct call *call, int code)
{
	assert(!call->answer.given && !call->answer.waits);
	call->answer.code = code;
	call->answer.waits = call_is_away(call);
	if (call->answer.waits)
		return;
	call->answer.given = true;
	if (call->answer.source && !call->sink->takes_sources)
		drain_source(call);
	if (call->answer.rewrite && code < HTTP_REDIRECTION)
		call->answer.rewrite(call);
	call->sink->answered(call);
}

int64_t call_now(const struct call *call)
{
	return call->work.now ? call->work.now : api_now(call->api);
}

void call_answer_waiting(struct call *call)
{
	call->answer.waits = false;
	finish(call, call->answer.code);
}

void call_answer_doc(struct call *call, int code, struct json_doc *doc)
{
	call->answer.doc = doc;
	finish(call, code);
}

void call_answer_text(struct call *call, int code, struct chunk *text, const char *content_type)
{
	call->answer.text = text;
	call->answer.content_type = content_type;
	finish(call, code);
}

void call_answer_source(struct call *call, int code, const struct call_source *source, void *state)
{
	call->answer.source = source;
	call->answer.source_state = state;
	finish(call, code);
}

/* An answer that is made of an object and takes longer than a turn may. In the arena of its call. */
struct forming {
	struct call *call;
	int code;
};

static void form_large(void *arg)
{
	const struct forming *forming = arg;
	struct call *call = forming->call;
	struct err err;

	if (call->options.form != CALL_FORM_OBJECT)
		call->answer.doc = form_read(call, call->answer.object);
	else
		call->answer.doc = reading_parse(call->kind, call->answer.object, &err);
}

static void answer_formed(void *arg)
{
	const struct forming *forming = arg;
	struct call *call = forming->call;

	object_unref(TAKE(call->answer.object));
	finish(call, forming->code);
}

static bool answer_large(struct call *call, int code, struct object *object)
{
	struct forming *forming;
	struct err err;

	/* a rewritten answer is made of the document, unless it is a mere Status */
	bool rewritten = call->answer.rewrite && !call->answer.success_code;

	if (call->internal || !api_is_large(call->api, object->text.len) ||
	    (call->options.form == CALL_FORM_OBJECT && !rewritten &&
	     reading_is_plain(call->kind, object)))
		return false;
	if (form_check(call, &err) < 0) {
		call_answer_err(call, &err);
		return true;
	}
	forming = arena_new_of(call->arena, struct forming);
	*forming = (struct forming){call, code};
	call->answer.object = object_ref(object);
	call_offload(call, LOOP_LANE_COMPRESS, form_large, answer_formed, forming);
	return true;
}

void call_answer_object(struct call *call, int code, struct object *object)
{
	if (answer_large(call, code, object))
		return;
	if (call->options.form != CALL_FORM_OBJECT) {
		form_answer_object(call, code, object);
		return;
	}
	if (!reading_is_plain(call->kind, object)) {
		struct err err;
		struct json_doc *doc = reading_parse(call->kind, object, &err);

		call_answer_doc(call, code, doc);
		return;
	}
	call->answer.object = object_ref(object);
	finish(call, code);
}

void call_answer_watch(struct call *call)
{
	finish(call, 200);
}
