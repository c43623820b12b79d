/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/front.c - the API over HTTP.
 *
 * An exchange is one request and its answer: it holds the HTTP side and the call, and ends when either
 * does. Requests are checked in this order, as by kube-apiserver: who are you (401),
 * may you (403), is there such a thing (404), can one do that to it (405), in what form (406, 415),
 * and what is in it (400, 413, 422).
 *
 * Always true: an exchange is freed once, by its answer, by the end of its watch, or when the client
 * disconnects, whichever comes first; code that answers a call must not use its exchange afterwards. */
#include "apiserver/request/front.h"

#include <inttypes.h>

#include "apiserver/api_internal.h"
#include "apiserver/auth/auth.h"
#include "apiserver/auth/impersonation.h"
#include "apiserver/metrics.h"
#include "apiserver/request/call.h"
#include "apiserver/request/fair.h"
#include "apiserver/request/media.h"
#include "apiserver/request/offload.h"
#include "apiserver/request/options.h"
#include "apiserver/request/pages.h"
#include "apiserver/request/route.h"
#include "apiserver/store/object.h"
#include "apiserver/watch/watcher.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/url.h"
#include "http/chunk.h"
#include "http/gzip.h"
#include "http/headers.h"
#include "http/http_server.h"
#include "json/yaml.h"

#include "base/banned.h"

struct front {
	struct api *api;
	struct auth *auth;
	struct metrics *metrics;
	size_t gathered; /* bytes, of all exchanges */
};

struct exchange {
	struct front *front;
	struct http_request *request;
	struct call *call;
	enum verb verb;      /* VERB_COUNT: none of the API's */
	struct route route;  /* its texts are the request's */
	struct str body;     /* the same, when it has arrived */
	size_t body_held;    /* bytes of it that count for the user */
	struct fair_job job; /* that is next: to serve, or to make a piece of the answer */
	struct buf gathered; /* the pieces so far, ... */
	bool streams;        /* ... unless they are sent as they are made */
	bool waits;          /* until more can be sent */
};

enum {
	/* Bodies from this size on are compressed for clients that take it, as kube-apiserver does. */
	GZIP_FROM = 128 * 1024,
	/* A document takes about so many times the memory of its text. */
	DOC_BYTES_PER_TEXT = 4,
	/* Lists up to this size are sent in one piece, with their length. */
	GATHER_BYTES = 1024 * 1024,
	/* About what things take at worst, in microseconds: so that small requests go before them. */
	PIECE_COST = 4000,
	LIST_COST = 10000,
	BODY_BYTES_PER_COST = 4,
};

/* A user has too many unread answers: a connection that takes nothing has this long. */
#define STALLED (5 * TIME_SECOND)
#define NO_SUCH_RESOURCE "the server could not find the requested resource"
#define NO_SUCH_METHOD "the server does not allow this method on the requested resource"

struct front *front_new(struct api *api, struct auth *auth)
{
	struct front *front = mem_new(struct front);

	front->api = api;
	front->auth = auth;
	front->metrics = metrics_new();
	return front;
}

void front_free(struct front *front)
{
	if (!front)
		return;
	metrics_free(front->metrics);
	mem_free(front);
}

static void exchange_free(struct exchange *exchange)
{
	fair_cancel(&exchange->job);
	if (exchange->body_held)
		fair_give(exchange->call->account.flow, FAIR_BODY_BYTES, exchange->body_held);
	exchange->front->gathered -= exchange->gathered.len;
	buf_done(&exchange->gathered);
	call_free(exchange->call);
	mem_free(exchange);
}

/* --- the answer ------------------------------------------------------------------------------ */

static void put_warnings(const struct call *call, struct headers *headers)
{
	for (size_t i = 0; i < call->answer.warnings.len; i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		buf_puts(&text, "299 - \"");
		media_quote(&text, call->answer.warnings.ptr[i]);
		buf_putc(&text, '"');
		if (headers_add(headers, STR("warning"), buf_str(&text), NULL) < 0)
			break; /* the answer matters more */
	}
}

static bool is_dressed(const struct call *call)
{
	return call->options.pretty == OPTION_TRUE || call->options.yaml;
}

/* JSON text in another layout: indented, or as YAML. */
static struct chunk *format(struct str json, bool yaml)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(json, NULL, &err);

	if (!doc) /* our own text: only a damaged object in the store cannot be parsed */
		return chunk_new(json.ptr, json.len);
	if (yaml)
		yaml_print(json_doc_root(doc), &text);
	else
		json_print(json_doc_root(doc), JSON_INDENTED, &text);
	return chunk_take(&text);
}

/* The answer's bytes; one reference is the caller's. */
static struct chunk *answer_text(const struct call *call)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(chunk_unref) struct chunk *plain = NULL;

	if (call->answer.text && call->answer.content_type)
		return chunk_ref(call->answer.text);
	if (call->answer.text)
		plain = chunk_ref(call->answer.text);
	else if (call->answer.doc)
		json_print(json_doc_root(call->answer.doc), JSON_COMPACT, &text);
	else
		buf_put_str(&text, call->answer.object->text);
	if (!plain)
		plain = chunk_take(&text);
	return is_dressed(call) ? format(chunk_str(plain), call->options.yaml) : TAKE(plain);
}

static const char *answer_type(const struct call *call)
{
	return call->answer.content_type ? call->answer.content_type
	       : call->options.yaml      ? "application/yaml"
	       : call->answer.json_type  ? call->answer.json_type
					 : "application/json";
}

/* An answer that takes longer to make than a turn may: a worker makes it. In the arena of its call. */
struct making {
	struct exchange *exchange; /* not for the worker: it may be freed */
	struct call *call;
	bool dressed; /* is in the form that was asked for already */
	bool packs;
	bool packed;
};

/* Into call->answer.sent. */
static void make_answer(void *arg)
{
	struct making *making = arg;
	struct call *call = making->call;
	AUTO(buf_done) struct buf packed = BUF_INIT(LIMIT_RESPONSE_BYTES);
	AUTO(chunk_unref) struct chunk *made = NULL;
	AUTO(gzip_free) struct gzip *gzip = NULL;

	/* only the loop may count references to a shared text */
	if (making->dressed || (call->answer.text && call->answer.content_type))
		made = chunk_new(call->answer.text->ptr, call->answer.text->len);
	else if (call->answer.text)
		made = is_dressed(call) ? format(chunk_str(call->answer.text), call->options.yaml)
					: chunk_new(call->answer.text->ptr, call->answer.text->len);
	else
		made = answer_text(call);
	if (making->packs && made->len >= GZIP_FROM) {
		gzip = gzip_new(GZIP_LEVEL_FAST);
		making->packed = gzip_compress(gzip, chunk_str(made), &packed, NULL) == 0;
	}
	call->answer.sent = making->packed ? chunk_take(&packed) : TAKE(made);
}

static void send_made(void *arg)
{
	struct making *making = arg;
	struct exchange *exchange = making->exchange;
	struct headers *headers = http_reply_headers(exchange->request);

	if (making->packed) {
		headers_put(headers, STR("content-encoding"), STR("gzip"));
		headers_put(headers, STR("vary"), STR("Accept-Encoding"));
	}
	http_reply_chunk(exchange->request, exchange->call->answer.code,
			 str_from(answer_type(exchange->call)), exchange->call->answer.sent);
	exchange_free(exchange);
}

/* About how long its text will be. */
static size_t answer_size(const struct call *call)
{
	return call->answer.text     ? call->answer.text->len
	       : call->answer.object ? call->answer.object->text.len
				     : json_doc_bytes(call->answer.doc) / DOC_BYTES_PER_TEXT;
}

/* Send the answer, when it is made; the exchange ends. */
static void answer(struct exchange *exchange, bool dressed)
{
	struct call *call = exchange->call;
	AUTO(chunk_unref) struct chunk *text = NULL;
	size_t size = answer_size(call);
	bool packs =
		size >= GZIP_FROM / 2 &&
		!headers_has(http_reply_headers(exchange->request), STR("content-encoding")) &&
		media_takes_gzip(http_request_header(exchange->request, STR("accept-encoding")));
	bool printed =
		!dressed && (call->answer.doc || is_dressed(call)) && api_is_large(call->api, size);
	struct making *making;

	if (!printed && !packs) {
		text = dressed ? chunk_ref(call->answer.text) : answer_text(call);
		http_reply_chunk(exchange->request, call->answer.code, str_from(answer_type(call)),
				 text);
		exchange_free(exchange);
		return;
	}
	making = arena_new_of(call->arena, struct making);
	*making = (struct making){exchange, call, dressed, packs, false};
	call_offload(call, LOOP_LANE_COMPRESS, make_answer, send_made, making);
}

static void make_piece(void *arg);

static void make_piece_later(struct exchange *exchange)
{
	exchange->job.cost = PIECE_COST;
	fair_run(exchange->call->account.flow, &exchange->job, make_piece, exchange);
}

/* Send what has been made so far, as a part of the answer. */
static void send_gathered(struct exchange *exchange)
{
	struct call *call = exchange->call;
	AUTO(chunk_unref) struct chunk *piece = NULL;

	exchange->front->gathered -= exchange->gathered.len;
	piece = chunk_take(&exchange->gathered);
	if (!exchange->streams)
		http_reply_start(exchange->request, call->answer.code, str_from(answer_type(call)));
	exchange->streams = true;
	exchange->waits = !http_reply_write_chunk(exchange->request, piece);
}

/* One item of it that takes longer than a turn may. */
static void make_long_item(void *arg)
{
	const struct call *call = arg;

	call->answer.source->work(call->answer.source_state);
}

static void take_long_item(void *arg)
{
	make_piece(((const struct call *)arg)->arg);
}

/* One more piece of an answer that is made as its reader takes it. */
static void make_piece(void *arg)
{
	struct exchange *exchange = arg;
	struct front *front = exchange->front;
	struct call *call = exchange->call;
	size_t before = exchange->gathered.len;
	bool more;

	if (http_reply_must_wait(exchange->request)) {
		exchange->waits = true;
		return;
	}
	if (call->answer.source->is_long &&
	    call->answer.source->is_long(call->answer.source_state)) {
		call_offload(call, LOOP_LANE_COMPRESS, make_long_item, take_long_item, call);
		return;
	}
	more = call->answer.source->next(call->answer.source_state, &exchange->gathered);
	front->gathered += exchange->gathered.len - before;
	if (!more && !exchange->streams) {
		front->gathered -= exchange->gathered.len;
		call->answer.text = chunk_take(&exchange->gathered);
		answer(exchange, true);
		return;
	}
	if (exchange->streams || exchange->gathered.len >= GATHER_BYTES ||
	    front->gathered > LIMIT_GATHER_BYTES)
		send_gathered(exchange);
	if (!more) {
		http_reply_end(exchange->request);
		exchange_free(exchange);
	} else if (!exchange->waits) {
		make_piece_later(exchange);
	}
}

static void on_answered(struct call *call)
{
	struct exchange *exchange = call->arg;
	struct headers *headers = http_reply_headers(exchange->request);

	metrics_count(exchange->front->metrics, exchange->verb, call->answer.code);
	if (!headers_has(headers, STR("cache-control")))
		headers_put(headers, STR("cache-control"), STR("no-cache, private"));
	put_warnings(call, headers);
	if (call->work.watcher || call->work.podlog) {
		http_reply_start(exchange->request, call->answer.code,
				 call->work.podlog ? str_from(call->answer.content_type)
						   : STR("application/json"));
		return;
	}
	if (call->answer.retry_after)
		headers_printf(headers, STR("retry-after"), "%" PRId64, call->answer.retry_after);
	if (call->answer.source) {
		make_piece_later(exchange);
		return;
	}
	answer(exchange, false);
}

static size_t on_event(struct call *call, const struct call_event *event)
{
	struct exchange *exchange = call->arg;

	/* The watcher looks at the sum. */
	(void)http_reply_write_chunk(exchange->request, event->text);
	return http_reply_queued(exchange->request);
}

static void on_ended(struct call *call)
{
	struct exchange *exchange = call->arg;

	http_reply_end(exchange->request);
	exchange_free(exchange);
}

static size_t queued(struct call *call)
{
	const struct exchange *exchange = call->arg;

	return http_reply_queued(exchange->request);
}

static const struct call_sink sink = {
	.answered = on_answered,
	.event = on_event,
	.ended = on_ended,
	.queued = queued,
	.takes_sources = true,
};

/* --- the request ----------------------------------------------------------------------------- */

static void on_aborted(struct http_request *request, const struct err *why, void *arg)
{
	(void)request;
	(void)why;
	exchange_free(arg);
}

/* A body that is not stored is decoded in one turn, and never large. */
static size_t body_limit(const struct call *call)
{
	const struct kind_sub *sub = call->sub.len ? kind_sub_find(call->kind, call->sub) : NULL;
	bool removes = call->verb == VERB_DELETE || call->verb == VERB_DELETE_COLLECTION;

	return removes || call->kind->serve || (sub && sub->serve) ? LIMIT_SMALL_BODY_BYTES
								   : LIMIT_BODY_BYTES;
}

static void on_too_large(struct http_request *request, void *arg)
{
	struct exchange *exchange = arg;
	struct err err;

	(void)request;
	(void)err_set(&err, ERR_TOO_LARGE, "Request entity too large: limit is %zu",
		      body_limit(exchange->call));
	call_answer_err(exchange->call, &err);
}

static void on_writable(struct http_request *request, void *arg)
{
	struct exchange *exchange = arg;

	(void)request;
	if (exchange->call->work.watcher)
		watcher_can_send(exchange->call->work.watcher);
	if (!exchange->waits)
		return;
	exchange->waits = false;
	make_piece_later(exchange);
}

static const struct http_request_events events = {
	.aborted = on_aborted, .too_large = on_too_large, .writable = on_writable};

/* A large body is parsed by a worker. In the arena of its call. */
struct parsing {
	struct exchange *exchange; /* not for the worker: it may be freed */
	struct call *call;
	struct str type;
	int rc;
	struct err err;
};

static void parse_body(void *arg)
{
	struct parsing *parsing = arg;
	struct call *call = parsing->call;

	parsing->rc =
		media_read_body(call, parsing->type, buf_str(&call->body.text), &parsing->err);
	buf_done(&call->body.text);
}

/* A patch is decoded only if its object exists: a missing object is reported first. */
static bool is_for_nothing(struct call *call, const struct err *err)
{
	return call->patch != PATCH_NONE && call->patch != PATCH_APPLY &&
	       err->code == ERR_BAD_REQUEST &&
	       !store_newest(api_store(call->api), call_key(call, call->name));
}

static void serve_read(struct exchange *exchange, int rc, struct err *err)
{
	struct call *call = exchange->call;

	if (rc < 0 && is_for_nothing(call, err))
		(void)call_err_not_found(call, call->name, err);
	if (rc < 0 || options_from_query(call, http_request_query(exchange->request), err) < 0)
		call_answer_err(call, err);
	else
		api_serve(call);
}

static void serve_parsed(void *arg)
{
	struct parsing *parsing = arg;

	serve_read(parsing->exchange, parsing->rc, &parsing->err);
}

static void serve_body(void *arg)
{
	struct exchange *exchange = arg;
	struct call *call = exchange->call;
	struct str type = http_request_header(exchange->request, STR("content-type"));
	struct parsing *parsing;
	struct err err;

	if (!call->work.large) {
		serve_read(exchange, media_read_body(call, type, exchange->body, &err), &err);
		return;
	}
	parsing = arena_new_of(call->arena, struct parsing);
	parsing->exchange = exchange;
	parsing->call = call;
	parsing->type = arena_str(call->arena, type);
	media_prepare_body(call, type, exchange->body);
	call_offload(call, LOOP_LANE_REQUEST, parse_body, serve_parsed, parsing);
}

static void on_body(struct http_request *request, struct str body, void *arg)
{
	struct exchange *exchange = arg;

	exchange->body = body;
	if (api_is_large(exchange->front->api, body.len)) {
		exchange->call->work.large = true;
		http_request_take_body(request, &exchange->call->body.text);
		exchange->body = buf_str(&exchange->call->body.text);
	}
	exchange->job.cost = (int64_t)body.len / BODY_BYTES_PER_COST;
	fair_run(exchange->call->account.flow, &exchange->job, serve_body, exchange);
}

/* Rejects the request for now; Retry-After says when to try again. */
static void put_off(struct exchange *exchange, const char *why)
{
	struct err err;

	(void)err_set(&err, ERR_TOO_MANY_REQUESTS, "%s", why);
	exchange->call->answer.retry_after = 1;
	call_answer_err(exchange->call, &err);
}

/* What has arrived of a body counts for its user until the answer has been made. */
static void read_body(struct exchange *exchange)
{
	int64_t length = http_request_length(exchange->request);
	size_t limit = body_limit(exchange->call);
	size_t held = length < 0 || (uint64_t)length > limit ? limit : (size_t)length;

	if (!fair_take(exchange->call->account.flow, FAIR_BODY_BYTES, held)) {
		put_off(exchange, "too many bytes of this user's requests are waiting, please try "
				  "again later");
		return;
	}
	exchange->body_held = held;
	http_request_read_all(exchange->request, limit, on_body, exchange);
}

static bool has_body(enum verb verb)
{
	return verb == VERB_CREATE || verb == VERB_UPDATE || verb == VERB_PATCH ||
	       verb == VERB_DELETE || verb == VERB_DELETE_COLLECTION;
}

/* Which kind and which part of it; an error if there is no such thing. */
static int find_resource(struct exchange *exchange, const struct route *route, unsigned *ret_verbs,
			 struct err *err)
{
	struct call *call = exchange->call;
	const struct kind *kind =
		kinds_find(api_kinds(call->api), route->group, route->version, route->plural);
	const struct kind_sub *sub =
		kind && route->sub.len ? kind_sub_find(kind, route->sub) : NULL;

	if (!kind || (route->namespace.len && !kind->namespaced) ||
	    (route->name.len && kind->namespaced && !route->namespace.len) ||
	    (route->sub.len && !sub && !kind->custom))
		return err_set(err, ERR_NOT_FOUND, NO_SUCH_RESOURCE);
	call->kind = kind;
	if (route->sub.len && !sub)
		return call_err_not_found(call, route->name, err);
	*ret_verbs = sub ? sub->verbs : kind->verbs;
	return 0;
}

/* A part of a custom object is found by its definition, which says what can be done to it. */
static int refuse_custom_verb(struct call *call, struct err *err)
{
	call->error.kind = call->kind->plural;
	return err_set(err, ERR_METHOD_NOT_ALLOWED,
		       "%s is not supported on resources of kind \"%.*s\"", verb_name(call->verb),
		       STR_ARG(call->kind->resource));
}

/* Fill the call in; -1 and an error if the request cannot be served. */
static int prepare(struct exchange *exchange, const struct route *route, struct err *err)
{
	struct call *call = exchange->call;
	unsigned verbs = 0;

	if (find_resource(exchange, route, &verbs, err) < 0)
		return -1;
	if (call->kind->custom && http_request_method(exchange->request) == HTTP_METHOD_HEAD)
		exchange->verb = route_verb(route, HTTP_METHOD_GET, false);
	call->verb = exchange->verb;
	call->namespace = arena_str(call->arena, route->namespace);
	call->name = arena_str(call->arena, route->name);
	call->sub = arena_str(call->arena, route->sub);
	if (call->kind->custom && call->verb == VERB_DELETE_COLLECTION &&
	    route_lacks_namespace(call->kind, call->verb, call->namespace)) {
		call->kind = NULL; /* there is no such page */
		return err_set(err, ERR_NOT_FOUND, NO_SUCH_RESOURCE);
	}
	if (call->verb == VERB_COUNT || !(1u << call->verb & verbs) ||
	    route_lacks_namespace(call->kind, call->verb, call->namespace)) {
		if (call->kind->custom && call->sub.len && call->verb != VERB_COUNT)
			return refuse_custom_verb(call, err);
		call->kind = NULL;
		return err_set(err, ERR_METHOD_NOT_ALLOWED, NO_SUCH_METHOD);
	}
	return media_negotiate(call, http_request_header(exchange->request, STR("accept")), err);
}

static bool is_connection(const struct call *call)
{
	const struct kind_sub *sub = call->sub.len ? kind_sub_find(call->kind, call->sub) : NULL;

	return sub && sub->connect;
}

static void serve_resource(struct exchange *exchange)
{
	const struct route *route = &exchange->route;
	struct err err;
	bool body = has_body(exchange->verb);

	if (prepare(exchange, route, &err) < 0) {
		if (exchange->call->kind || err.code != ERR_NOT_FOUND ||
		    kinds_has_built_in(api_kinds(exchange->call->api), route->group))
			call_answer_err(exchange->call, &err);
		else
			pages_not_found(exchange->call);
	} else if (!is_connection(exchange->call) && body)
		read_body(exchange);
	else if (!is_connection(exchange->call) &&
		 options_from_query(exchange->call, http_request_query(exchange->request), &err) <
			 0)
		call_answer_err(exchange->call, &err);
	else
		api_serve(exchange->call);
}

static void serve_page(struct exchange *exchange)
{
	struct pages_request page = {
		.call = exchange->call,
		.route = &exchange->route,
		.request = exchange->request,
		.path = http_request_path(exchange->request),
		.metrics = exchange->front->metrics,
	};

	pages_serve(&page);
}

/* "vc-scheduler" of "vc-scheduler/v1.15.1 (linux/amd64)"; a client without a name is unknown. */
static struct str program_name(struct call *call, struct http_request *request)
{
	struct str agent = http_request_header(request, STR("user-agent"));
	struct str name = str_none();

	(void)str_split(&agent, '/', &name);
	return name.len ? arena_str(call->arena, name) : STR("unknown");
}

void front_waiting(void *data, int64_t change)
{
	if (change > 0)
		fair_add(data, FAIR_WAITING, (size_t)change);
	else
		fair_give(data, FAIR_WAITING, (size_t)-change);
}

static void drop_flow(void *data)
{
	fair_flow_unref(data);
}

/* The flow of this user's requests on this connection. */
static struct fair_flow *find_flow(struct exchange *exchange)
{
	struct fair_flow *flow = http_connection_data(exchange->request);
	struct str user = exchange->call->user.name;

	if (!flow || !fair_flow_is_of(flow, user)) {
		flow = fair_flow_new(api_fair(exchange->front->api), user);
		http_connection_set_data(exchange->request, flow, drop_flow);
	}
	return fair_flow_ref(flow);
}

static void serve(void *arg)
{
	struct exchange *exchange = arg;

	if (exchange->route.class == ROUTE_RESOURCE)
		serve_resource(exchange);
	else
		serve_page(exchange);
}

void front_handle(struct http_request *request, void *arg)
{
	struct front *front = arg;
	struct exchange *exchange = mem_new(struct exchange);
	struct str path = http_request_path(request);
	struct route route = route_parse(path);
	struct err err;

	exchange->front = front;
	exchange->request = request;
	exchange->route = route;
	exchange->gathered = buf_make(SIZE_MAX / 4);
	exchange->call = call_new(front->api, &sink, exchange);
	exchange->call->agent = program_name(exchange->call, request);
	exchange->verb = route_verb(&route, http_request_method(request),
				    options_ask_for_watch(http_request_query(request)));
	http_request_on(request, &events, exchange);
	if (auth_identify(front->auth, http_request_peer(request),
			  http_request_header(request, STR("authorization")), exchange->call->arena,
			  &exchange->call->user, &err) < 0 ||
	    impersonation_apply(exchange->call, http_request_headers(request), &err) < 0 ||
	    auth_authorize(exchange->call, &route, exchange->verb,
			   &(struct auth_request){http_request_method_name(request), path,
						  http_request_query(request)},
			   &err) < 0) {
		call_answer_err(exchange->call, &err);
		return;
	}
	exchange->call->account.flow = find_flow(exchange);
	if (fair_is_over(exchange->call->account.flow, FAIR_WAITING)) {
		http_server_drop_stalled(http_request_server(request), STALLED);
		put_off(exchange,
			"too many bytes of answers wait to be read by this user, please try "
			"again later");
		return;
	}
	if (!call_count(exchange->call, exchange->verb == VERB_WATCH ? FAIR_WATCHES : FAIR_CALLS)) {
		put_off(exchange, "too many requests, please try again later");
		return;
	}
	exchange->job.cost = exchange->verb == VERB_LIST ? LIST_COST : 0;
	fair_run(exchange->call->account.flow, &exchange->job, serve, exchange);
}
