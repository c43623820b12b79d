/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/direct.c - a client's way to the server in the same process.
 *
 * A request becomes a call, as in the HTTP front end. The server may answer from anywhere inside
 * it, so answers are not delivered at once: they are queued and delivered in a separate turn, in
 * the order of the server, across all requests of the transport. So a watcher gets a write before
 * its writer gets the answer, as the store guarantees.
 *
 * Texts of a request live in its client's memory as long as the request does (transport.h), so that
 * calls refer to them. Decoding waits until delivery and is shared (decoded.h): a queued event costs
 * a reference, so there is no bound on how many wait. */
#include "apiserver/request/direct.h"

#include "apiserver/api_internal.h"
#include "apiserver/auth/auth.h"
#include "apiserver/openapi/discovery.h"
#include "apiserver/request/options.h"
#include "apiserver/request/reading.h"
#include "apiserver/request/route.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/url.h"
#include "client/transport.h"
#include "http/chunk.h"
#include "loop/loop.h"

#include "base/banned.h"

struct direct {
	struct transport transport;
	struct api *api;
	struct arena *arena; /* of the user's texts */
	struct user user;
	struct list requests;
	struct list queue; /* of struct delivery */
	struct loop_defer defer;
};

struct request {
	struct direct *direct;
	const struct transport_ask *ask;
	struct call *call; /* NULL: ended, or refused before one was made */
	struct list link;
	struct list deliveries;
	struct err err; /* what ended a watch, or why there is no call */
	struct query query;
	struct buf path;
	bool collects;        /* a stream that is wanted whole, ... */
	struct buf collected; /* ... and what has come of it */
};

enum delivery_type { DELIVER_ANSWER, DELIVER_OPENED, DELIVER_EVENT, DELIVER_DATA, DELIVER_ENDED };

struct delivery {
	struct list link; /* in the transport's queue */
	struct list own;  /* in its request's */
	struct request *request;
	enum delivery_type type;
	enum client_event_type event;
	struct object *object; /* of an event: this ... */
	struct chunk *text;    /* ... or the whole event as text; of a stream: the bytes */
};

/* --- delivering --- */

static void delivery_free(struct delivery *delivery)
{
	list_remove(&delivery->link);
	list_remove(&delivery->own);
	object_unref(delivery->object);
	chunk_unref(delivery->text);
	mem_free(delivery);
}

static void request_free(struct request *request)
{
	LIST_EACH(&request->deliveries, struct delivery, own, delivery)
		delivery_free(delivery);
	list_remove(&request->link);
	call_free(request->call);
	query_done(&request->query);
	buf_done(&request->path);
	buf_done(&request->collected);
	mem_free(request);
}

/* The answer's document, if there is one and the client wants it. */
static struct json_doc *answer_doc(struct request *request)
{
	struct call *call = request->call;

	if (call->answer.doc)
		return json_doc_ref(call->answer.doc);
	if (request->ask->ask.discard)
		return NULL;
	if (call->answer.object)
		return decoded_get(call->api->decoded, call->answer.object);
	if (call->answer.text && !call->answer.content_type)
		return json_parse(chunk_str(call->answer.text), NULL, NULL);
	return NULL;
}

static void deliver_answer(struct request *request)
{
	const struct transport_sink *sink = request->ask->sink;
	void *arg = request->ask->arg;
	struct call *call = request->call;
	struct transport_answer answer = {.retry_after_us = -1, .err = request->err};
	AUTO(json_doc_unref) struct json_doc *doc = call ? answer_doc(request) : NULL;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	answer.code = err_http(request->err.code);
	if (call) {
		answer.code = call->answer.code;
		answer.retry_after_us = call->answer.retry_after
						? time_span(call->answer.retry_after)
						: INT64_C(-1);
		if (call->answer.code >= 400)
			transport_err_from_status(json_doc_root(doc), call->answer.code,
						  &answer.err);
		if (request->ask->ask.verb == CLIENT_RAW && call->answer.text)
			buf_put_str(&text, chunk_str(call->answer.text));
		else if (request->ask->ask.verb == CLIENT_RAW)
			json_print(json_doc_root(doc), JSON_COMPACT, &text);
	}
	if (request->collects) {
		answer.code = 200;
		buf_put_str(&text, buf_str(&request->collected));
	}
	answer.doc = doc;
	answer.text = buf_str(&text);
	request_free(request);
	sink->answered(arg, &answer);
}

static void deliver_event(struct delivery *delivery)
{
	struct request *request = delivery->request;
	struct client_event event = {.type = delivery->event};
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	AUTO(json_doc_unref) struct json_doc *whole = NULL;

	if (delivery->object) {
		doc = decoded_get(request->direct->api->decoded, delivery->object);
	} else {
		whole = json_parse(chunk_str(delivery->text), NULL, NULL);
		doc = json_doc_freeze(json_get(json_doc_root(whole), "object"));
		event.initial_end = transport_is_initial_end(json_doc_root(doc));
	}
	event.doc = doc;
	delivery_free(delivery);
	request->ask->sink->event(request->ask->arg, &event);
}

static void deliver_data(struct delivery *delivery)
{
	const struct transport_ask *ask = delivery->request->ask;
	AUTO(chunk_unref) struct chunk *text = chunk_ref(delivery->text);

	delivery_free(delivery);
	ask->sink->data(ask->arg, chunk_str(text));
}

static void deliver_ended(struct request *request)
{
	const struct transport_ask *ask = request->ask;
	struct err err = request->err;

	request_free(request);
	ask->sink->ended(ask->arg, err.code == ERR_NONE ? NULL : &err);
}

static void deliver(struct delivery *delivery)
{
	struct request *request = delivery->request;

	switch (delivery->type) {
	case DELIVER_ANSWER:
		deliver_answer(request);
		break;
	case DELIVER_OPENED:
		delivery_free(delivery);
		request->ask->sink->opened(request->ask->arg);
		break;
	case DELIVER_EVENT:
		deliver_event(delivery);
		break;
	case DELIVER_DATA:
		deliver_data(delivery);
		break;
	case DELIVER_ENDED:
		deliver_ended(request);
		break;
	}
}

/* What is queued now, as far as the turn has time; what that leads to comes in the next one. */
static void on_deliver(void *arg)
{
	struct direct *direct = arg;
	struct loop *loop = api_loop(direct->api);
	struct list now = LIST_INIT(now);
	struct list *first;

	list_splice(&now, &direct->queue);
	while ((first = list_first(&now))) {
		deliver(container_of(first, struct delivery, link));
		if (list_is_empty(&now) || !loop_is_late(loop))
			continue;
		/* the rest comes before what was queued meanwhile */
		list_splice(&now, &direct->queue);
		list_splice(&direct->queue, &now);
		loop_defer(loop, &direct->defer, on_deliver, direct);
	}
}

static struct delivery *enqueue(struct request *request, enum delivery_type type)
{
	struct direct *direct = request->direct;
	struct delivery *delivery = mem_new(struct delivery);

	delivery->type = type;
	delivery->request = request;
	list_push(&direct->queue, &delivery->link);
	list_push(&request->deliveries, &delivery->own);
	loop_defer(api_loop(direct->api), &direct->defer, on_deliver, direct);
	return delivery;
}

/* --- what the server says --- */

/* The answer as bytes. */
static struct chunk *answer_text(const struct call *call)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (call->answer.text)
		return chunk_ref(call->answer.text);
	if (call->answer.object)
		buf_put_str(&text, call->answer.object->text);
	else
		json_print(json_doc_root(call->answer.doc), JSON_COMPACT, &text);
	return chunk_take(&text);
}

static void on_answered(struct call *call)
{
	struct request *request = call->arg;
	bool good = call->answer.code < 400;

	request->collects = call->work.podlog && !request->ask->stream;
	if (request->collects)
		return; /* until it has ended */
	if (call->work.podlog) {
		(void)enqueue(request, DELIVER_OPENED);
	} else if (good && request->ask->stream) {
		(void)enqueue(request, DELIVER_OPENED);
		enqueue(request, DELIVER_DATA)->text = answer_text(call);
		(void)enqueue(request, DELIVER_ENDED);
	} else {
		(void)enqueue(request,
			      good && call->verb == VERB_WATCH ? DELIVER_OPENED : DELIVER_ANSWER);
	}
}

/* An ERROR ends the watch: its Status is why. */
static void note_error(struct request *request, const struct chunk *text)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(chunk_str(text), NULL, NULL);
	struct json status = json_get(json_doc_root(doc), "object");

	transport_err_from_status(status, 0, &request->err);
}

static size_t on_event(struct call *call, const struct call_event *event)
{
	struct request *request = call->arg;
	enum client_event_type type;
	struct delivery *delivery;

	if (request->collects) {
		buf_put_str(&request->collected, chunk_str(event->text));
		return 0;
	}
	if (call->work.podlog) {
		enqueue(request, DELIVER_DATA)->text = chunk_ref(event->text);
		return 0;
	}
	if (!transport_event_type(str_from(event->type), &type)) {
		note_error(request, event->text);
		return 0;
	}
	delivery = enqueue(request, DELIVER_EVENT);
	delivery->event = type;
	if (event->object)
		delivery->object = object_ref(event->object);
	else
		delivery->text = chunk_ref(event->text);
	return 0;
}

static void on_ended(struct call *call)
{
	struct request *request = call->arg;

	request->call = NULL;
	call_free(call);
	(void)enqueue(request, request->collects ? DELIVER_ANSWER : DELIVER_ENDED);
}

static const struct call_sink sink = {
	.answered = on_answered,
	.event = on_event,
	.ended = on_ended,
	.takes_objects = true,
};

/* --- from a request to a call --- */

static const char *const propagations[] = {
	[CLIENT_BACKGROUND] = "Background",
	[CLIENT_FOREGROUND] = "Foreground",
	[CLIENT_ORPHAN] = "Orphan",
};

static void set_options(struct call *call, const struct transport_ask *from)
{
	const struct client_ask *ask = &from->ask;
	struct call_options *to = &call->options;

	to->field_manager = ask->field_manager;
	to->force = ask->force ? OPTION_TRUE : OPTION_UNSET;
	if (ask->dry_run)
		to->dry_run = STR(CALL_DRY_RUN_ALL);
	to->label_selector = ask->label_selector;
	to->field_selector = ask->field_selector;
	to->resource_version = ask->resource_version;
	to->version_match = ask->version_match;
	to->continue_token = ask->continue_token;
	if (ask->limit > 0)
		to->limit = ask->limit;
	if (ask->grace_seconds)
		to->grace_seconds = *ask->grace_seconds;
	if (ask->propagation)
		to->propagation = str_from(propagations[ask->propagation]);
	/* empty ones would have to be the object's */
	if (ask->precondition_uid.len)
		to->precondition_uid = ask->precondition_uid;
	if (ask->precondition_version.len)
		to->precondition_version = ask->precondition_version;
	if (ask->verb != CLIENT_WATCH)
		return;
	to->watch = OPTION_TRUE;
	to->allow_bookmarks = OPTION_TRUE;
	if (from->timeout_s > 0)
		to->timeout_seconds = from->timeout_s;
	if (from->initial_events) {
		to->send_initial_events = OPTION_TRUE;
		to->version_match = STR("NotOlderThan");
	}
}

static int refuse_method(struct err *err)
{
	return err_set(err, ERR_METHOD_NOT_ALLOWED,
		       "the server does not allow this method on the requested resource");
}

static int refuse_resource(struct err *err)
{
	return err_set(err, ERR_NOT_FOUND, "the server could not find the requested resource");
}

/* Is the verb one that the kind, or its sub-resource, has, and may the user have it? */
static int check_verb(struct call *call, struct err *err)
{
	const struct kind_sub *sub = NULL;

	if (call->sub.len) {
		sub = kind_sub_find(call->kind, call->sub);
		if (!sub)
			return refuse_resource(err);
	}
	if (!((sub ? sub->verbs : call->kind->verbs) & 1U << call->verb) ||
	    route_lacks_namespace(call->kind, call->verb, call->namespace))
		return refuse_method(err);
	return auth_authorize_call(call, err);
}

static int find_kind(struct call *call, struct str group, struct str version, struct str plural,
		     struct err *err)
{
	call->kind = kinds_find(api_kinds(call->api), group, version, plural);
	return call->kind ? 0 : refuse_resource(err);
}

static const enum verb verbs[] = {
	[CLIENT_GET] = VERB_GET,       [CLIENT_LIST] = VERB_LIST,
	[CLIENT_WATCH] = VERB_WATCH,   [CLIENT_CREATE] = VERB_CREATE,
	[CLIENT_UPDATE] = VERB_UPDATE, [CLIENT_PATCH] = VERB_PATCH,
	[CLIENT_DELETE] = VERB_DELETE, [CLIENT_DELETE_COLLECTION] = VERB_DELETE_COLLECTION,
};
static const enum patch_type patches[] = {
	[CLIENT_PATCH_JSON] = PATCH_JSON,
	[CLIENT_PATCH_MERGE] = PATCH_MERGE,
	[CLIENT_PATCH_STRATEGIC] = PATCH_STRATEGIC,
	[CLIENT_PATCH_APPLY] = PATCH_APPLY,
};
_Static_assert(ARRAY_LEN(patches) == CLIENT_PATCH_COUNT, "every patch");

static int fill_call(struct call *call, const struct transport_ask *from, struct err *err)
{
	const struct client_ask *ask = &from->ask;
	const struct resource *resource = ask->resource;

	if (find_kind(call, resource->group, resource->version, resource->plural, err) < 0)
		return -1;
	call->verb = verbs[ask->verb];
	if (resource->namespaced)
		call->namespace = ask->namespace;
	call->name = ask->name;
	call->sub = ask->sub;
	if (ask->verb == CLIENT_PATCH)
		call->patch = patches[ask->patch];
	if (ask->body)
		call->body.doc = json_doc_ref(ask->body);
	set_options(call, from);
	return check_verb(call, err);
}

/* --- raw paths --- */

static enum http_method method_of(struct str name)
{
	static const char *const names[] = {
		[HTTP_METHOD_GET] = "GET",     [HTTP_METHOD_HEAD] = "HEAD",
		[HTTP_METHOD_POST] = "POST",   [HTTP_METHOD_PUT] = "PUT",
		[HTTP_METHOD_PATCH] = "PATCH", [HTTP_METHOD_DELETE] = "DELETE",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_is(name, names[i]))
			return (enum http_method)i;
	return HTTP_METHOD_OTHER;
}

static enum patch_type patch_of(struct str content_type)
{
	static const char *const names[] = {
		[PATCH_JSON] = "application/json-patch+json",
		[PATCH_MERGE] = "application/merge-patch+json",
		[PATCH_STRATEGIC] = "application/strategic-merge-patch+json",
		[PATCH_APPLY] = "application/apply-patch+yaml",
	};

	for (size_t i = PATCH_JSON; i < ARRAY_LEN(names); i++)
		if (str_is(content_type, names[i]))
			return (enum patch_type)i;
	return PATCH_NONE;
}

/* A discovery document; NULL if the path is none. */
static struct json_doc *discover(const struct api *api, const struct route *route)
{
	switch (route->class) {
	case ROUTE_CORE:
		return discovery_core(STR(""));
	case ROUTE_GROUPS:
		return discovery_groups(api_kinds(api));
	case ROUTE_GROUP:
		return discovery_group(api_kinds(api), route->group);
	case ROUTE_VERSION:
		return discovery_version(api_kinds(api), route->group, route->version);
	case ROUTE_NONE:
	case ROUTE_RESOURCE:
	case ROUTE_OTHER:
	case ROUTE_WRONG:
		break;
	}
	return NULL;
}

static int fill_raw_body(struct call *call, const struct client_ask *ask, struct err *err)
{
	if (ask->body) {
		call->body.doc = json_doc_ref(ask->body);
		return 0;
	}
	if (ask->raw_body.len == 0)
		return 0;
	call->body.doc = json_parse(ask->raw_body, NULL, err);
	return call->body.doc ? 0 : -1;
}

static int fill_raw(struct request *request, struct call *call, bool *ret_answered, struct err *err)
{
	const struct client_ask *ask = &request->ask->ask;
	struct str path, query;
	struct route route;
	struct json_doc *doc;

	if (url_split_target(ask->path, &path, &query, err) < 0 ||
	    url_decode_path(path, &request->path, err) < 0)
		return -1;
	query_init(&request->query, query);
	route = route_parse(buf_str(&request->path));
	doc = discover(call->api, &route);
	if (doc) {
		*ret_answered = true;
		call_answer_doc(call, 200, doc);
		return 0;
	}
	if (route.class != ROUTE_RESOURCE)
		return refuse_resource(err);
	if (find_kind(call, route.group, route.version, route.plural, err) < 0 ||
	    options_from_query(call, &request->query, err) < 0 || fill_raw_body(call, ask, err) < 0)
		return -1;
	call->verb = route_verb(&route, method_of(ask->method), false);
	if (call->verb == VERB_COUNT)
		return refuse_method(err);
	call->namespace = route.namespace;
	call->name = route.name;
	call->sub = route.sub;
	call->patch = patch_of(ask->content_type);
	return check_verb(call, err);
}

/* --- the transport --- */

static void *direct_send(struct transport *transport, const struct transport_ask *ask)
{
	struct direct *direct = container_of(transport, struct direct, transport);
	struct request *request = mem_new(struct request);
	struct call *call = call_new(direct->api, &sink, request);
	bool answered = false;
	int filled;

	request->direct = direct;
	request->ask = ask;
	request->call = call;
	request->path = buf_make(LIMIT_URL_BYTES);
	request->collected = buf_make(LIMIT_RESPONSE_BYTES);
	list_init(&request->deliveries);
	list_push(&direct->requests, &request->link);
	call->user = direct->user;
	filled = ask->ask.verb == CLIENT_RAW ? fill_raw(request, call, &answered, &request->err)
					     : fill_call(call, ask, &request->err);
	if (filled < 0) {
		request->call = NULL;
		call_free(call);
		(void)enqueue(request, DELIVER_ANSWER);
	} else if (!answered) {
		api_serve(call);
	}
	return request;
}

static void direct_cancel(struct transport *transport, void *token)
{
	(void)transport;
	request_free(token);
}

static void direct_free(struct transport *transport)
{
	struct direct *direct = container_of(transport, struct direct, transport);

	LIST_EACH(&direct->requests, struct request, link, request)
		request_free(request);
	loop_defer_cancel(api_loop(direct->api), &direct->defer);
	arena_free(direct->arena);
	mem_free(direct);
}

static const struct transport_ops ops = {
	.send = direct_send,
	.cancel = direct_cancel,
	.free = direct_free,
};

struct transport *direct_new(struct api *api, const struct direct_user *user)
{
	static const char *const masters[] = {"system:masters", "system:authenticated"};
	struct direct *direct = mem_new(struct direct);
	const char *const *groups = user->groups ? user->groups : masters;
	size_t count = user->groups ? user->group_count : ARRAY_LEN(masters);
	struct str *own;

	direct->transport.ops = &ops;
	direct->api = api;
	direct->arena = arena_new(0);
	own = arena_calloc(direct->arena, count, sizeof(*own));
	for (size_t i = 0; i < count; i++)
		own[i] = arena_str(direct->arena, str_from(groups[i]));
	direct->user = (struct user){
		.name = arena_str(direct->arena, str_from(user->name)),
		.groups = own,
		.group_count = count,
	};
	list_init(&direct->requests);
	list_init(&direct->queue);
	return &direct->transport;
}
