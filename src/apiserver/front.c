/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/front.c - the API over HTTP.
 *
 * A visit is one request on its way: it holds the HTTP side and the call, and ends when either
 * does. Requests are answered in this order of doubts, as kube-apiserver has it: who are you (401),
 * may you (403), is there such a thing (404), can one do that to it (405), in what form (406, 415),
 * and what is in it (400, 413, 422).
 *
 * Always true: a visit is freed once, by its answer, by the end of its watch, or by the client's
 * going away, whichever comes first; whoever answers a call must not touch its visit afterwards. */
#include "apiserver/front.h"

#include <inttypes.h>

#include "apiserver/api.h"
#include "apiserver/auth.h"
#include "apiserver/call.h"
#include "apiserver/media.h"
#include "apiserver/metrics.h"
#include "apiserver/object.h"
#include "apiserver/options.h"
#include "apiserver/pages.h"
#include "apiserver/route.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "http/chunk.h"
#include "http/gzip.h"
#include "http/headers.h"
#include "http/server.h"
#include "http/url.h"
#include "json/yaml.h"

#include "base/banned.h"

struct front {
	struct api *api;
	struct auth *auth;
	struct gzip *gzip;
	struct metrics *metrics;
};

struct visit {
	struct front *front;
	struct http_request *request;
	struct call *call;
	enum verb verb; /* VERB_COUNT: none of the API's */
};

/* Bodies from this size on are compressed for clients that take it, as kube-apiserver does. */
enum { GZIP_FROM = 128 * 1024 };

#define NO_SUCH_RESOURCE "the server could not find the requested resource"
#define NO_SUCH_METHOD "the server does not allow this method on the requested resource"

struct front *front_new(struct api *api, struct auth *auth)
{
	struct front *front = mem_new(struct front);

	front->api = api;
	front->auth = auth;
	front->gzip = gzip_new(GZIP_LEVEL_FAST);
	front->metrics = metrics_new();
	return front;
}

void front_free(struct front *front)
{
	if (!front)
		return;
	gzip_free(front->gzip);
	metrics_free(front->metrics);
	mem_free(front);
}

static void visit_free(struct visit *visit)
{
	call_free(visit->call);
	mem_free(visit);
}

/* --- the answer ------------------------------------------------------------------------------ */

static void put_warnings(const struct call *call, struct headers *headers)
{
	for (size_t i = 0; i < call->warnings.len; i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		buf_puts(&text, "299 - \"");
		media_quote(&text, call->warnings.ptr[i]);
		buf_putc(&text, '"');
		if (headers_add(headers, STR("warning"), buf_str(&text), NULL) < 0)
			break; /* the answer matters more */
	}
}

/* JSON text in another dress: indented, or as YAML. */
static struct chunk *dress(struct str json, bool yaml)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(json, NULL, &err);

	if (!doc) /* it is ours: only a damaged object in the store ends here */
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
	bool pretty = call->options.pretty == OPTION_TRUE;

	if (call->text && call->content_type)
		return chunk_ref(call->text);
	if (call->text)
		plain = chunk_ref(call->text);
	else if (call->doc)
		json_print(json_doc_root(call->doc), JSON_COMPACT, &text);
	else
		buf_put_str(&text, call->object->text);
	if (!plain)
		plain = chunk_take(&text);
	return pretty || call->options.yaml ? dress(chunk_str(plain), call->options.yaml)
					    : TAKE(plain);
}

static void reply(struct visit *visit, const char *type, struct chunk *body)
{
	struct headers *headers = http_reply_headers(visit->request);
	struct str accept = http_request_header(visit->request, STR("accept-encoding"));
	AUTO(buf_done) struct buf packed = BUF_INIT(LIMIT_RESPONSE_BYTES);
	AUTO(chunk_unref) struct chunk *small = NULL;

	if (body->len >= GZIP_FROM && media_takes_gzip(accept) &&
	    !headers_has(headers, STR("content-encoding")) &&
	    gzip_compress(visit->front->gzip, chunk_str(body), &packed, NULL) == 0) {
		small = chunk_take(&packed);
		headers_put(headers, STR("content-encoding"), STR("gzip"));
		headers_put(headers, STR("vary"), STR("Accept-Encoding"));
	}
	http_reply_chunk(visit->request, visit->call->code, str_from(type), small ? small : body);
}

static void on_answered(struct call *call)
{
	struct visit *visit = call->arg;
	struct headers *headers = http_reply_headers(visit->request);
	AUTO(chunk_unref) struct chunk *text = NULL;
	const char *type = call->content_type   ? call->content_type
			   : call->options.yaml ? "application/yaml"
			   : call->json_type    ? call->json_type
						: "application/json";

	metrics_count(visit->front->metrics, visit->verb, call->code);
	if (!headers_has(headers, STR("cache-control")))
		headers_put(headers, STR("cache-control"), STR("no-cache, private"));
	put_warnings(call, headers);
	if (call->watcher || call->podlog) {
		http_reply_start(visit->request, call->code,
				 call->podlog ? str_from(call->content_type)
					      : STR("application/json"));
		return;
	}
	if (call->retry_after)
		headers_printf(headers, STR("retry-after"), "%" PRId64, call->retry_after);
	text = answer_text(call);
	reply(visit, type, text);
	visit_free(visit);
}

static size_t on_event(struct call *call, const struct call_event *event)
{
	struct visit *visit = call->arg;

	(void)http_reply_write_chunk(visit->request,
				     event->text); /* the watcher looks at the sum */
	return http_reply_queued(visit->request);
}

static void on_ended(struct call *call)
{
	struct visit *visit = call->arg;

	http_reply_end(visit->request);
	visit_free(visit);
}

static size_t queued(struct call *call)
{
	const struct visit *visit = call->arg;

	return http_reply_queued(visit->request);
}

static const struct call_sink sink = {
	.answered = on_answered, .event = on_event, .ended = on_ended, .queued = queued};

/* --- the request ----------------------------------------------------------------------------- */

static void on_aborted(struct http_request *request, const struct err *why, void *arg)
{
	(void)request;
	(void)why;
	visit_free(arg);
}

static void on_too_large(struct http_request *request, void *arg)
{
	struct visit *visit = arg;
	struct err err;

	(void)request;
	(void)err_set(&err, ERR_TOO_LARGE, "Request entity too large: limit is %d",
		      LIMIT_BODY_BYTES);
	call_answer_err(visit->call, &err);
}

static const struct http_request_events events = {.aborted = on_aborted, .too_large = on_too_large};

static void on_body(struct http_request *request, struct str body, void *arg)
{
	struct visit *visit = arg;
	struct call *call = visit->call;
	struct err err;

	if (media_read_body(call, http_request_header(request, STR("content-type")), body, &err) <
		    0 ||
	    options_from_query(call, http_request_query(request), &err) < 0)
		call_answer_err(call, &err);
	else
		api_serve(call);
}

static bool has_body(enum verb verb)
{
	return verb == VERB_CREATE || verb == VERB_UPDATE || verb == VERB_PATCH ||
	       verb == VERB_DELETE || verb == VERB_DELETE_COLLECTION;
}

/* Which kind and which part of it; an error where there is no such thing. */
static int find_resource(struct visit *visit, const struct route *route, unsigned *ret_verbs,
			 struct err *err)
{
	struct call *call = visit->call;
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

/* Fill the call in; -1 and an error where the request cannot be served. */
static int prepare(struct visit *visit, const struct route *route, struct err *err)
{
	struct call *call = visit->call;
	unsigned verbs = 0;

	if (find_resource(visit, route, &verbs, err) < 0)
		return -1;
	call->verb = visit->verb;
	call->namespace = arena_str(call->arena, route->namespace);
	call->name = arena_str(call->arena, route->name);
	call->sub = arena_str(call->arena, route->sub);
	if (call->verb == VERB_COUNT || !(1u << call->verb & verbs) ||
	    route_lacks_namespace(call->kind, call->verb, call->namespace)) {
		call->kind = NULL;
		return err_set(err, ERR_METHOD_NOT_ALLOWED, NO_SUCH_METHOD);
	}
	return media_negotiate(call, http_request_header(visit->request, STR("accept")), err);
}

static bool is_connection(const struct call *call)
{
	const struct kind_sub *sub = call->sub.len ? kind_sub_find(call->kind, call->sub) : NULL;

	return sub && sub->connect;
}

static void serve_resource(struct visit *visit, const struct route *route)
{
	struct err err;
	bool body = has_body(visit->verb);

	if (prepare(visit, route, &err) < 0) {
		if (visit->call->kind || err.code != ERR_NOT_FOUND ||
		    kinds_has_built_in(api_kinds(visit->call->api), route->group))
			call_answer_err(visit->call, &err);
		else
			pages_not_found(visit->call);
	} else if (is_connection(visit->call))
		api_serve(visit->call);
	else if (!body &&
		 options_from_query(visit->call, http_request_query(visit->request), &err) < 0)
		call_answer_err(visit->call, &err);
	else if (body)
		http_request_read_all(visit->request, LIMIT_BODY_BYTES, on_body, visit);
	else
		api_serve(visit->call);
}

static void serve_page(struct visit *visit, const struct route *route)
{
	struct pages_request page = {
		.call = visit->call,
		.route = route,
		.request = visit->request,
		.path = http_request_path(visit->request),
		.metrics = visit->front->metrics,
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

void front_handle(struct http_request *request, void *arg)
{
	struct front *front = arg;
	struct visit *visit = mem_new(struct visit);
	struct str path = http_request_path(request);
	struct route route = route_parse(path);
	struct err err;

	visit->front = front;
	visit->request = request;
	visit->call = call_new(front->api, &sink, visit);
	visit->call->agent = program_name(visit->call, request);
	visit->verb = route_verb(&route, http_request_method(request),
				 options_ask_for_watch(http_request_query(request)));
	http_request_on(request, &events, visit);
	if (auth_identify(front->auth, http_request_peer(request),
			  http_request_header(request, STR("authorization")), visit->call->arena,
			  &visit->call->user, &err) < 0 ||
	    auth_impersonate(visit->call, http_request_headers(request), &err) < 0 ||
	    auth_authorize(visit->call, &route, visit->verb, http_request_method_name(request),
			   path, &err) < 0)
		call_answer_err(visit->call, &err);
	else if (route.class == ROUTE_RESOURCE)
		serve_resource(visit, &route);
	else
		serve_page(visit, &route);
}
