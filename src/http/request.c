/* SPDX-License-Identifier: Apache-2.0 */
/* http/request.c - the functions for handlers, the same for both protocols.
 *
 * 1. While `owned`, exactly one end follows: the end of the reply, or `aborted`.
 * 2. A handler's callback is never called from within a function that the handler called, except the
 *    http_body_fn of http_request_read_all().
 * 3. `body` holds at most the limit when collecting; when streaming, at most what the client was
 *    allowed to send before the handler paused. */
#include <assert.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/mem.h"
#include "http/chunk.h"
#include "http/server_internal.h"

#include "base/banned.h"

enum { MAX_SPARE = 64, SPARE_TEXT = 4096 };

static const struct http_request_events no_events;

static const char *const method_names[] = {
	[HTTP_METHOD_GET] = "GET",     [HTTP_METHOD_HEAD] = "HEAD",
	[HTTP_METHOD_POST] = "POST",   [HTTP_METHOD_PUT] = "PUT",
	[HTTP_METHOD_PATCH] = "PATCH", [HTTP_METHOD_DELETE] = "DELETE",
	[HTTP_METHOD_OTHER] = "other", [HTTP_METHOD_OPTIONS] = "OPTIONS",
};
_Static_assert(ARRAY_LEN(method_names) == HTTP_METHOD_COUNT, "name every method");

/* ---- Life ---- */

struct http_request *request_new(struct server_conn *conn)
{
	struct list *node = list_pop(&conn->server->spare);
	struct http_request *request;

	if (node) {
		request = container_of(node, struct http_request, link);
		conn->server->spare_count--;
	} else {
		request = mem_new(struct http_request);
		list_init(&request->link);
	}
	request->conn = conn;
	request->events = &no_events;
	request->target.limit = LIMIT_URL_BYTES;
	request->body.limit = LIMIT_BODY_BYTES;
	request->body_at = loop_uptime(conn->server->loop);
	list_push(&conn->requests, &request->link);
	conn->server->stats.requests++;
	return request;
}

void request_free(struct http_request *request)
{
	struct http_server *server = request->conn->server;
	struct buf target = request->target;
	struct headers headers = request->headers, reply = request->reply;

	assert(!request->owned);
	server->stats.requests--;
	list_remove(&request->link);
	loop_defer_cancel(server->loop, &request->deliver);
	mem_free(request->method_name);
	mem_free(request->path);
	if (request->query_made)
		query_done(&request->query);
	buf_done(&request->body);
	request->conn->out_bytes -= request->out.bytes;
	pieces_done(&request->out);
	if (server->spare_count >= MAX_SPARE || target.size > SPARE_TEXT ||
	    headers.text_size > SPARE_TEXT || reply.text_size > SPARE_TEXT) {
		buf_done(&target);
		headers_done(&headers);
		headers_done(&reply);
		mem_free(request);
		return;
	}
	buf_clear(&target);
	headers_clear(&headers);
	headers_clear(&reply);
	*request = (struct http_request){.target = target, .headers = headers, .reply = reply};
	list_init(&request->link);
	list_push_front(&server->spare, &request->link);
	server->spare_count++;
}

int request_set_method(struct http_request *request, struct str method)
{
	request->method = HTTP_METHOD_OTHER;
	for (size_t i = 0; i < HTTP_METHOD_COUNT; i++)
		if (i != HTTP_METHOD_OTHER && str_is(method, method_names[i]))
			request->method = (enum http_method)i;
	if (request->method == HTTP_METHOD_OTHER)
		request->method_name = str_dup(method);
	request->bodyless = request->method == HTTP_METHOD_HEAD;
	return str_is(method, "CONNECT") ? 501 : 0;
}

int request_set_target(struct http_request *request)
{
	struct buf decoded = BUF_INIT(LIMIT_URL_BYTES);

	if (url_split_target(buf_str(&request->target), &request->raw_path, &request->raw_query,
			     NULL) < 0)
		return 400;
	if (!memchr(request->raw_path.ptr, '%', request->raw_path.len))
		return 0;
	if (url_decode_path(request->raw_path, &decoded, NULL) < 0) {
		buf_done(&decoded);
		return 400;
	}
	request->path_len = decoded.len;
	request->path = buf_take(&decoded);
	return 0;
}

void request_handle(struct http_request *request)
{
	struct http_server *server = request->conn->server;

	request->owned = true;
	server->stats.served++;
	server->options.handler(request, server->options.arg);
}

void request_abort(struct http_request *request, enum err_code code, const char *why)
{
	struct err err;

	if (!request->owned)
		return;
	request->owned = false;
	err_set(&err, code, "%s", why);
	if (request->events->aborted)
		request->events->aborted(request, &err, request->arg);
}

void request_refuse(struct http_request *request, int status, const char *why)
{
	AUTO(mem_free) char *text = mem_printf("%s\n", why);

	request->conn->server->stats.refused++;
	request_abort(request, err_from_reason(NULL, status), why);
	if (request->started) {
		request->conn->protocol->abort(request);
		return;
	}
	headers_clear(&request->reply);
	http_reply(request, status, STR("text/plain; charset=utf-8"), str_from(text));
}

/* ---- Reading the request ---- */

enum http_method http_request_method(const struct http_request *request)
{
	return request->method;
}

struct str http_request_method_name(const struct http_request *request)
{
	return str_from(request->method_name ? request->method_name
					     : method_names[request->method]);
}

struct str http_request_path(const struct http_request *request)
{
	return request->path ? str_of(request->path, request->path_len) : request->raw_path;
}

struct str http_request_raw_path(const struct http_request *request)
{
	return request->raw_path;
}

struct str http_request_raw_query(const struct http_request *request)
{
	return request->raw_query;
}

const struct query *http_request_query(struct http_request *request)
{
	if (!request->query_made) {
		query_init(&request->query, request->raw_query);
		request->query_made = true;
	}
	return &request->query;
}

const struct headers *http_request_headers(const struct http_request *request)
{
	return &request->headers;
}

struct str http_request_header(const struct http_request *request, struct str name)
{
	return headers_get(&request->headers, name);
}

const struct stream_peer *http_request_peer(const struct http_request *request)
{
	return stream_peer(request->conn->stream);
}

int http_request_version(const struct http_request *request)
{
	return request->version;
}

int64_t http_request_length(const struct http_request *request)
{
	return request->length;
}

struct http_server *http_request_server(const struct http_request *request)
{
	return request->conn->server;
}

void *http_connection_data(const struct http_request *request)
{
	return request->conn->data;
}

void http_connection_set_data(struct http_request *request, void *data,
			      http_connection_done_fn *done)
{
	struct server_conn *conn = request->conn;
	const struct http_server_options *options = &conn->server->options;

	if (conn->data && options->waiting && conn->waiting)
		options->waiting(conn->data, -(int64_t)conn->waiting);
	if (conn->data_done)
		conn->data_done(conn->data);
	conn->data = data;
	conn->data_done = done;
	if (data && options->waiting && conn->waiting)
		options->waiting(data, (int64_t)conn->waiting);
}

void http_request_on(struct http_request *request, const struct http_request_events *events,
		     void *arg)
{
	request->events = events;
	request->arg = arg;
}

/* ---- The body ---- */

static bool is_too_long(const struct http_request *request)
{
	return request->body_seen > request->body_limit ||
	       (request->length > 0 && (uint64_t)request->length > request->body_limit);
}

/* The kept bytes were consumed. */
static void give_back(struct http_request *request)
{
	size_t kept = request->body_kept;

	request->body_kept = 0;
	request->conn->protocol->read(request, kept);
}

static void too_large(struct http_request *request)
{
	request->use = BODY_DISCARD;
	buf_clear(&request->body);
	give_back(request);
	if (request->events->too_large && request->owned)
		request->events->too_large(request, request->arg);
	else
		request_refuse(request, 413, "the request's body is too large");
}

static void collected(struct http_request *request)
{
	request->body_end_sent = true;
	request->body_fn(request, buf_str(&request->body), request->body_arg);
}

/* Delivers what was kept, then the end. */
static void deliver(void *arg)
{
	struct http_request *request = arg;
	size_t len = request->body.len;

	if (request->use != BODY_STREAM || request->body_paused || request->body_end_sent)
		return;
	if (is_too_long(request)) {
		too_large(request);
		return;
	}
	if (len) {
		struct buf kept = request->body;

		request->body = buf_make(kept.limit);
		if (request->events->body)
			request->events->body(request, buf_str(&kept), request->arg);
		buf_done(&kept);
		if (!request->owned)
			return; /* the request has ended: it is freed, or being drained */
		give_back(request);
	}
	if (request->body_done && !request->body_end_sent && !request->body_paused &&
	    request->body.len == 0) {
		request->body_end_sent = true;
		if (request->events->body_end)
			request->events->body_end(request, request->arg);
	}
}

static void deliver_later(struct http_request *request)
{
	loop_defer(request->conn->server->loop, &request->deliver, deliver, request);
}

size_t request_body(struct http_request *request, const char *data, size_t len)
{
	request->body_at = loop_uptime(request->conn->server->loop);
	request->body_seen += len;
	request->expects = false;
	if (request->use == BODY_DISCARD)
		return len;
	if (request->use != BODY_WAITS && request->body_seen > request->body_limit) {
		too_large(request);
		return len;
	}
	if (request->use == BODY_STREAM && !request->body_paused && request->body.len == 0 &&
	    !request->deliver.queued) {
		if (request->events->body)
			request->events->body(request, str_of(data, len), request->arg);
		return len;
	}
	buf_put(&request->body, data, len);
	if (request->use == BODY_COLLECT)
		return len;
	request->body_kept += len;
	return 0;
}

void request_body_end(struct http_request *request)
{
	request->body_done = true;
	if (!request->owned || request->body_end_sent)
		return;
	if (request->use == BODY_COLLECT)
		collected(request);
	else if (request->use == BODY_STREAM && request->body.len == 0 && !request->body_paused &&
		 !request->deliver.queued)
		deliver(request);
}

void http_request_take_body(struct http_request *request, struct buf *to)
{
	*to = request->body;
	request->body = buf_make(to->limit);
}

static void start_reading(struct http_request *request, enum body_use use, size_t limit)
{
	assert(request->owned && request->use == BODY_WAITS);
	request->use = use;
	request->body_limit = limit ? limit : LIMIT_BODY_BYTES;
	request->body.limit = SIZE_MAX / 4; /* limited by body_limit and by the windows */
	request->body_at = loop_uptime(request->conn->server->loop);
}

void http_request_read_all(struct http_request *request, size_t limit, http_body_fn *fn, void *arg)
{
	start_reading(request, BODY_COLLECT, limit);
	request->body_fn = fn;
	request->body_arg = arg;
	if (is_too_long(request)) {
		too_large(request);
	} else if (request->body_done) {
		collected(request);
	} else {
		if (request->expects)
			request->conn->protocol->send_continue(request);
		give_back(request);
	}
}

void http_request_read(struct http_request *request, size_t limit)
{
	start_reading(request, BODY_STREAM, limit);
	if (request->expects && !request->body_done && !is_too_long(request))
		request->conn->protocol->send_continue(request);
	deliver_later(request);
	request->conn->protocol->read(request, 0);
}

void http_request_pause(struct http_request *request)
{
	request->body_paused = true;
}

void http_request_resume(struct http_request *request)
{
	if (!request->body_paused)
		return;
	request->body_paused = false;
	request->body_at = loop_uptime(request->conn->server->loop);
	deliver_later(request);
	request->conn->protocol->read(request, 0);
}

/* ---- The reply ---- */

struct headers *http_reply_headers(struct http_request *request)
{
	return &request->reply;
}

static void begin(struct http_request *request, int status, struct str type)
{
	assert(!request->started && !request->ended && status >= 200 && status <= 999);
	request->started = true;
	request->status = status;
	request->bodyless = request->bodyless || status == 204 || status == 304;
	if (!str_is_none(type) && headers_set(&request->reply, STR("content-type"), type, NULL) < 0)
		headers_remove(&request->reply, STR("content-type"));
}

static void finish(struct http_request *request)
{
	conn_count(request->conn);
	request->owned = false;
	request->ended = true;
	request->use = BODY_DISCARD;
	buf_clear(&request->body);
	request->conn->protocol->end(request);
	if (request->body_kept)
		give_back(request);
}

void http_reply(struct http_request *request, int status, struct str type, struct str body)
{
	bool empty;

	begin(request, status, type);
	empty = request->bodyless || body.len == 0;
	request->conn->protocol->head(request, (int64_t)body.len, empty);
	if (!empty)
		request->conn->protocol->data(request, body.ptr, body.len);
	finish(request);
}

void http_reply_chunk(struct http_request *request, int status, struct str type, struct chunk *body)
{
	bool empty;

	begin(request, status, type);
	empty = request->bodyless || body->len == 0;
	request->conn->protocol->head(request, (int64_t)body->len, empty);
	if (!empty)
		request->conn->protocol->chunk(request, body);
	finish(request);
}

void http_reply_start(struct http_request *request, int status, struct str type)
{
	begin(request, status, type);
	request->conn->protocol->head(request, -1, false);
}

static bool can_write(struct http_request *request)
{
	conn_count(request->conn);
	if (http_reply_queued(request) <= LIMIT_SEND_BUFFER_BYTES)
		return true;
	request->want_writable = true;
	return false;
}

bool http_reply_write(struct http_request *request, const void *data, size_t len)
{
	assert(request->started && request->owned);
	if (len && !request->bodyless)
		request->conn->protocol->data(request, data, len);
	return can_write(request);
}

bool http_reply_write_chunk(struct http_request *request, struct chunk *chunk)
{
	assert(request->started && request->owned);
	if (chunk->len && !request->bodyless)
		request->conn->protocol->chunk(request, chunk);
	return can_write(request);
}

size_t http_reply_queued(const struct http_request *request)
{
	return request->conn->protocol->queued(request);
}

bool http_reply_must_wait(struct http_request *request)
{
	if (!conn_is_full(request->conn))
		return false;
	request->want_writable = true;
	return true;
}

bool http_reply_is_started(const struct http_request *request)
{
	return request->started;
}

void http_reply_end(struct http_request *request)
{
	assert(request->started && request->owned);
	finish(request);
}

void http_reply_abort(struct http_request *request)
{
	assert(request->owned);
	request->owned = false;
	request->ended = true;
	request->use = BODY_DISCARD;
	request->conn->protocol->abort(request);
}

void request_writable(struct http_request *request)
{
	if (!request->want_writable || !request->owned ||
	    http_reply_queued(request) > LIMIT_SEND_BUFFER_BYTES / 2 || conn_is_full(request->conn))
		return;
	request->want_writable = false;
	if (request->events->writable)
		request->events->writable(request, request->arg);
}

const char *http_status_text(int status)
{
	static const struct {
		int status;
		const char *text;
	} texts[] = {
		{100, "Continue"},
		{101, "Switching Protocols"},
		{200, "OK"},
		{201, "Created"},
		{202, "Accepted"},
		{204, "No Content"},
		{206, "Partial Content"},
		{301, "Moved Permanently"},
		{302, "Found"},
		{303, "See Other"},
		{304, "Not Modified"},
		{307, "Temporary Redirect"},
		{308, "Permanent Redirect"},
		{400, "Bad Request"},
		{401, "Unauthorized"},
		{403, "Forbidden"},
		{404, "Not Found"},
		{405, "Method Not Allowed"},
		{406, "Not Acceptable"},
		{408, "Request Timeout"},
		{409, "Conflict"},
		{410, "Gone"},
		{411, "Length Required"},
		{412, "Precondition Failed"},
		{413, "Request Entity Too Large"},
		{414, "Request URI Too Long"},
		{415, "Unsupported Media Type"},
		{417, "Expectation Failed"},
		{422, "Unprocessable Entity"},
		{426, "Upgrade Required"},
		{428, "Precondition Required"},
		{429, "Too Many Requests"},
		{431, "Request Header Fields Too Large"},
		{500, "Internal Server Error"},
		{501, "Not Implemented"},
		{502, "Bad Gateway"},
		{503, "Service Unavailable"},
		{504, "Gateway Timeout"},
		{505, "HTTP Version Not Supported"},
		{507, "Insufficient Storage"},
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i].status == status)
			return texts[i].text;
	return "";
}
