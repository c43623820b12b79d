/* SPDX-License-Identifier: Apache-2.0 */
/* http/server_h1.c - HTTP/1.1 on one connection, parsed by llhttp in its strict mode.
 *
 * Requests are served one after the other. The parser stops at the end of each head and of each
 * message; what follows is held back (and above a bound the socket is not read) until the reply has
 * ended, so pipelined requests are answered in order and cost no more than their bytes. No request is
 * started while the client has not read much of the previous replies.
 *
 * 1. The parser is never entered from within one of its own callbacks: run() is the only place.
 * 2. A request is freed by run() only, never while a handler is on the stack.
 * 3. After an error in the input, or if its end is not certain, the connection closes: nothing
 *    after it is ever read as a request. */
#include <assert.h>
#include <llhttp.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/time.h"
#include "http/chunk.h"
#include "http/server_internal.h"

#include "base/banned.h"

enum {
	HOLD_BYTES = 64 * 1024,   /* unparsed input above which the socket is not read */
	DRAIN_BYTES = 256 * 1024, /* of an unwanted body that are read to keep the connection */
	TRAILER_BYTES = 16 * 1024,
};

enum h1_phase {
	H1_IDLE, /* between requests */
	H1_HEAD,
	H1_BODY, /* the head is complete; the handler may have been called */
	H1_DONE, /* the whole request has arrived */
};

struct h1 {
	llhttp_t parser;
	struct server_conn *conn;
	struct http_request *request; /* from the head's first byte to the reply's end */
	enum h1_phase phase;
	struct buf name, value; /* the field being parsed */
	struct buf held;
	struct loop_defer again;
	int64_t since; /* when the phase began, for H1_IDLE and H1_HEAD */
	int refuse;    /* status of an error that a callback found; 0: none */
	bool running;
	bool head_ready;  /* the handler is to be called */
	bool pending;     /* the parser can continue without more input */
	bool keep_alive;  /* the client allows it */
	bool close_after; /* this request is the last one */
	bool input_ended;
	size_t drained;
};

static struct h1 *h1_of(const struct server_conn *conn)
{
	return conn->state;
}

/* ---- The parser's callbacks ---- */

static int stop(struct h1 *h1, int status)
{
	h1->refuse = status;
	return HPE_USER;
}

static int on_message_begin(llhttp_t *parser)
{
	struct h1 *h1 = parser->data;

	assert(!h1->request);
	h1->request = request_new(h1->conn);
	h1->phase = H1_HEAD;
	h1->since = loop_uptime(h1->conn->server->loop);
	return 0;
}

static int on_url(llhttp_t *parser, const char *at, size_t len)
{
	struct h1 *h1 = parser->data;

	return buf_add(&h1->request->target, at, len, NULL) < 0 ? stop(h1, 414) : 0;
}

static int on_field(llhttp_t *parser, const char *at, size_t len)
{
	struct h1 *h1 = parser->data;

	return buf_add(&h1->name, at, len, NULL) < 0 ? stop(h1, 431) : 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t len)
{
	struct h1 *h1 = parser->data;

	return buf_add(&h1->value, at, len, NULL) < 0 ? stop(h1, 431) : 0;
}

static int on_value_complete(llhttp_t *parser)
{
	struct h1 *h1 = parser->data;
	struct err err;
	int rc = 0;

	if (h1->phase == H1_HEAD) {
		rc = headers_add(&h1->request->headers, buf_str(&h1->name), buf_str(&h1->value),
				 &err);
		if (rc < 0)
			rc = stop(h1, err.code == ERR_TOO_LARGE ? 431 : 400);
	} else {
		/* A trailer: skipped, up to a limit. */
		h1->drained += h1->name.len + h1->value.len + 4;
		if (h1->drained > TRAILER_BYTES)
			rc = stop(h1, 431);
	}
	buf_clear(&h1->name);
	buf_clear(&h1->value);
	return rc;
}

static int on_headers_complete(llhttp_t *parser)
{
	struct h1 *h1 = parser->data;

	h1->keep_alive = llhttp_should_keep_alive(parser);
	h1->head_ready = true;
	if (parser->method != HTTP_CONNECT)
		parser->upgrade = 0; /* served as if it had not asked */
	return HPE_PAUSED;
}

static int on_body(llhttp_t *parser, const char *at, size_t len)
{
	struct h1 *h1 = parser->data;

	if (h1->request->use == BODY_DISCARD) {
		h1->drained += len;
		if (h1->drained > DRAIN_BYTES)
			h1->close_after = true;
	}
	(void)request_body(h1->request, at, len); /* the request keeps the rest */
	return 0;
}

static int on_message_complete(llhttp_t *parser)
{
	struct h1 *h1 = parser->data;

	h1->phase = H1_DONE;
	return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
	.on_message_begin = on_message_begin,
	.on_url = on_url,
	.on_header_field = on_field,
	.on_header_value = on_value,
	.on_header_value_complete = on_value_complete,
	.on_headers_complete = on_headers_complete,
	.on_body = on_body,
	.on_message_complete = on_message_complete,
};

/* ---- From bytes to requests ---- */

static void refuse(struct h1 *h1, int status, const char *why)
{
	if (!h1->request)
		h1->request = request_new(h1->conn);
	h1->close_after = true;
	h1->phase = H1_DONE;
	h1->request->body_done = h1->request->body_end_sent = true;
	if (h1->request->version == 0)
		h1->request->version = 11;
	if (h1->request->ended)
		return;
	request_refuse(h1->request, status, why);
}

static void parse_failed(struct h1 *h1, llhttp_errno_t code)
{
	const char *reason = llhttp_get_error_reason(&h1->parser);
	const char *at = llhttp_get_error_pos(&h1->parser);
	int status = 400;

	if (h1->refuse)
		status = h1->refuse;
	else if (code == HPE_INVALID_VERSION && reason && strncmp(reason, "Invalid", 7) == 0)
		status = 505;
	else if (code == HPE_INVALID_METHOD && at && *at >= 'A' && *at <= 'Z')
		status = 501;
	refuse(h1, status, h1->refuse || !reason || !*reason ? http_status_text(status) : reason);
}

/* Checks rules beyond the grammar. Returns 0, or the status of the rejection. */
static int check_head(struct h1 *h1)
{
	struct http_request *request = h1->request;
	struct str coding = headers_get(&request->headers, STR("transfer-encoding"));
	struct str expect = headers_get(&request->headers, STR("expect"));
	size_t hosts = 0;
	int status;

	if (request->version != 10 && request->version != 11)
		return 505;
	for (size_t i = 0; i < headers_count(&request->headers); i++)
		hosts += str_eq(headers_name(&request->headers, i), STR("host"));
	if (hosts > 1 || (hosts == 0 && request->version == 11))
		return 400;
	if (!str_is_none(coding)) {
		if (request->version == 10)
			return 400;
		if (!str_eq_nocase(coding, STR("chunked")))
			return 501;
	}
	status = request_set_method(
		request, str_from(llhttp_method_name((llhttp_method_t)h1->parser.method)));
	if (status == 0)
		status = request_set_target(request);
	if (status == 0 && !str_is_none(expect) && request->version == 11) {
		if (!str_eq_nocase(expect, STR("100-continue")))
			return 417;
		request->expects = true;
	}
	return status;
}

static void take_head(struct h1 *h1)
{
	struct http_request *request = h1->request;
	bool chunked = h1->parser.flags & F_CHUNKED;
	int status;

	h1->head_ready = false;
	h1->phase = H1_BODY;
	h1->drained = 0;
	h1->close_after = !h1->keep_alive || h1->conn->server->closing;
	request->version = h1->parser.http_major * 10 + h1->parser.http_minor;
	request->length = chunked ? -1
			  : h1->parser.content_length > INT64_MAX
				  ? INT64_MAX
				  : (int64_t)h1->parser.content_length;
	request->body_done = request->length == 0;
	status = check_head(h1);
	if (status == 0)
		request_handle(request);
	else
		refuse(h1, status, http_status_text(status));
}

/* May the parser continue? */
static bool can_parse(const struct h1 *h1)
{
	const struct http_request *request = h1->request;

	switch (h1->phase) {
	case H1_IDLE:
		return !h1->close_after && !conn_is_full(h1->conn);
	case H1_HEAD:
		return true;
	case H1_BODY:
		if (request->body_done && !request->body_seen)
			return true; /* the body is complete, the parser just has not reported it */
		return request->use != BODY_WAITS &&
		       !(request->use == BODY_STREAM && request->body_paused);
	default:
		return false;
	}
}

static size_t parse(struct h1 *h1, struct str data)
{
	llhttp_errno_t code = llhttp_execute(&h1->parser, data.ptr ? data.ptr : "", data.len);
	const char *at;

	h1->pending = false;
	if (code == HPE_OK)
		return data.len;
	at = llhttp_get_error_pos(&h1->parser);
	if (code == HPE_PAUSED) {
		llhttp_resume(&h1->parser);
		h1->pending = h1->head_ready;
		return at && data.ptr ? (size_t)(at - data.ptr) : 0;
	}
	parse_failed(h1, code == HPE_PAUSED_UPGRADE ? HPE_INVALID_METHOD : code);
	return data.len;
}

/* The reply has ended, and so has the request, or the rest of it is not waited for. */
static void next_request(struct h1 *h1)
{
	request_free(h1->request);
	h1->request = NULL;
	h1->phase = H1_IDLE;
	h1->since = loop_uptime(h1->conn->server->loop);
	if (h1->close_after || h1->conn->server->closing)
		conn_linger(h1->conn);
}

static bool step(struct h1 *h1, struct str *data)
{
	struct http_request *request = h1->request;

	if (h1->conn->doomed || h1->conn->lingering)
		return false;
	if (h1->head_ready) {
		take_head(h1);
		return true;
	}
	if (h1->phase == H1_DONE) {
		if (!request->body_done)
			request_body_end(request);
		if (!request->ended)
			return false;
		next_request(h1);
		return true;
	}
	if (h1->phase == H1_BODY && request->ended && h1->close_after) {
		next_request(h1);
		return true;
	}
	if (!can_parse(h1) || (data->len == 0 && !h1->pending))
		return false;
	*data = str_skip(*data, parse(h1, *data));
	return true;
}

/* The input has ended and all of it was parsed. */
static void after_end(struct h1 *h1)
{
	if (h1->conn->doomed || h1->conn->lingering || h1->held.len)
		return;
	if (h1->phase == H1_IDLE)
		conn_linger(h1->conn);
	else if (h1->phase == H1_HEAD || (h1->phase == H1_BODY && !h1->request->body_done) ||
		 (h1->request->started && !h1->request->ended))
		conn_doom(h1->conn); /* this notifies the handler */
}

static void run(struct h1 *h1, struct str data)
{
	struct buf input = BUF_INIT(SIZE_MAX / 4);
	struct server_conn *conn = h1->conn;

	if (h1->running || conn->doomed)
		return;
	h1->running = true;
	if (h1->held.len) {
		buf_put(&h1->held, data.ptr, data.len);
		input = h1->held;
		h1->held = buf_make(SIZE_MAX / 4);
		data = buf_str(&input);
	}
	while (step(h1, &data))
		continue;
	if (data.len && !conn->lingering)
		buf_put(&h1->held, data.ptr, data.len);
	buf_done(&input);
	h1->running = false;
	if (h1->input_ended)
		after_end(h1);
	if (h1->held.len > HOLD_BYTES)
		stream_pause(conn->stream);
	else
		stream_resume(conn->stream);
	conn_arm(conn, conn->protocol->due(conn));
}

static void run_again(void *arg)
{
	run(arg, STR(""));
}

static void run_later(struct h1 *h1)
{
	if (!h1->running)
		loop_defer(h1->conn->server->loop, &h1->again, run_again, h1);
}

/* ---- The connection ---- */

static void start(struct server_conn *conn)
{
	struct h1 *h1 = mem_new(struct h1);

	conn->state = h1;
	h1->conn = conn;
	h1->name = buf_make(LIMIT_HEADER_BYTES);
	h1->value = buf_make(LIMIT_HEADER_BYTES);
	h1->held = buf_make(SIZE_MAX / 4);
	h1->since = loop_uptime(conn->server->loop);
	llhttp_init(&h1->parser, HTTP_REQUEST, &settings);
	h1->parser.data = h1;
	conn_arm(conn, conn->protocol->due(conn));
}

static void input(struct server_conn *conn, const char *data, size_t len)
{
	run(h1_of(conn), str_of(data, len));
}

static void ended(struct server_conn *conn)
{
	struct h1 *h1 = h1_of(conn);

	h1->input_ended = true;
	run(h1, STR(""));
}

static void wrote(struct server_conn *conn)
{
	struct h1 *h1 = h1_of(conn);

	if (h1->request)
		request_writable(h1->request);
	if (h1->held.len && h1->phase == H1_IDLE)
		run_later(h1); /* a request that waited because too much was unread */
}

static int64_t due(const struct server_conn *conn)
{
	const struct http_server_options *options = &conn->server->options;
	const struct h1 *h1 = h1_of(conn);
	const struct http_request *request = h1->request;
	int64_t at = INT64_MAX;

	if (h1->phase == H1_IDLE)
		at = h1->since + server_idle_us(conn->server);
	else if (h1->phase == H1_HEAD)
		at = h1->since + options->header_us;
	else if (h1->phase == H1_BODY && request && !request->body_done &&
		 request->use != BODY_WAITS && !request->body_paused)
		at = request->body_at + options->body_us;
	if (stream_is_blocked(conn->stream)) {
		int64_t write = stream_last_write(conn->stream) + options->write_us;

		at = write < at ? write : at;
	}
	return at;
}

static void expire(struct server_conn *conn)
{
	struct h1 *h1 = h1_of(conn);

	if (stream_is_blocked(conn->stream) || h1->phase == H1_IDLE || !h1->request ||
	    h1->request->started) {
		conn->server->stats.stalled += stream_is_blocked(conn->stream);
		conn_doom(conn);
		return;
	}
	refuse(h1, 408, "the request did not arrive in time");
	run_later(h1);
}

static void shut_down(struct server_conn *conn)
{
	struct h1 *h1 = h1_of(conn);

	h1->close_after = true;
	if (h1->phase == H1_IDLE)
		conn_linger(conn);
}

static void h1_free(struct server_conn *conn)
{
	struct h1 *h1 = h1_of(conn);

	if (h1->request) {
		request_abort(h1->request, ERR_UNAVAILABLE, "the client has disconnected");
		request_free(h1->request);
	}
	loop_defer_cancel(conn->server->loop, &h1->again);
	buf_done(&h1->name);
	buf_done(&h1->value);
	buf_done(&h1->held);
	mem_free(h1);
}

/* ---- Replies ---- */

/* Can the connection be used again although the reply comes before the request's end? Only if the
 * rest of the body is short and certain to come. */
static bool must_close(const struct h1 *h1)
{
	const struct http_request *request = h1->request;

	if (request->body_done)
		return false;
	if (request->expects || request->length < 0)
		return true;
	return (uint64_t)request->length - request->body_seen > DRAIN_BYTES;
}

static bool is_ours(struct str name)
{
	return str_eq(name, STR("date")) || str_eq(name, STR("content-length")) ||
	       str_eq(name, STR("transfer-encoding")) || str_eq(name, STR("connection"));
}

static char *put(char *to, struct str text)
{
	memcpy(to, text.ptr, text.len);
	return to + text.len;
}

static char *put_fields(char *to, const struct headers *headers)
{
	for (size_t i = 0; i < headers_count(headers); i++) {
		struct str name = headers_name(headers, i);

		if (is_ours(name))
			continue;
		to = put(to, name);
		to = put(to, STR(": "));
		to = put(to, headers_value(headers, i));
		to = put(to, STR("\r\n"));
	}
	return to;
}

static void head(struct http_request *request, int64_t length, bool last)
{
	struct h1 *h1 = h1_of(request->conn);
	struct stream *stream = request->conn->stream;
	struct headers *fields = &request->reply;
	size_t slots = headers_bytes(fields) + 4 * headers_count(fields) + 256;
	char *start = stream_reserve(stream, slots), *to = start;
	bool no_length = request->status == 204 || request->status == 304;

	(void)last;
	h1->close_after |=
		must_close(h1) || request->conn->server->closing || request->conn->server->paused;
	request->chunked = length < 0 && !request->bodyless && request->version == 11;
	if (length < 0 && !request->bodyless && !request->chunked)
		h1->close_after = true; /* HTTP/1.0: the end of the connection ends the body */
	to += snprintf(to, 64, "HTTP/1.1 %d %s\r\n", request->status,
		       http_status_text(request->status));
	to = put_fields(to, fields);
	to = put(put(put(to, STR("date: ")), server_date(request->conn->server)), STR("\r\n"));
	if (request->chunked)
		to = put(to, STR("transfer-encoding: chunked\r\n"));
	else if (length >= 0 && !no_length)
		to += snprintf(to, 40, "content-length: %lld\r\n", (long long)length);
	if (h1->close_after)
		to = put(to, STR("connection: close\r\n"));
	else if (request->version == 10)
		to = put(to, STR("connection: keep-alive\r\n"));
	to = put(to, STR("\r\n"));
	assert((size_t)(to - start) <= slots);
	stream_commit(stream, (size_t)(to - start));
}

static void put_size(struct stream *stream, size_t len)
{
	char *to = stream_reserve(stream, 24);

	stream_commit(stream, (size_t)snprintf(to, 24, "%zx\r\n", len));
}

static void data(struct http_request *request, const void *bytes, size_t len)
{
	struct stream *stream = request->conn->stream;

	if (request->chunked)
		put_size(stream, len);
	stream_write(stream, bytes, len);
	if (request->chunked)
		stream_write(stream, "\r\n", 2);
}

static void chunk(struct http_request *request, struct chunk *bytes)
{
	struct stream *stream = request->conn->stream;

	if (request->chunked)
		put_size(stream, bytes->len);
	stream_write_chunk(stream, bytes, 0, bytes->len);
	if (request->chunked)
		stream_write(stream, "\r\n", 2);
}

static void end(struct http_request *request)
{
	if (request->chunked)
		stream_write(request->conn->stream, "0\r\n\r\n", 5);
	run_later(h1_of(request->conn));
}

static void abort_reply(struct http_request *request)
{
	conn_doom(request->conn);
}

static size_t queued(const struct http_request *request)
{
	return stream_queued(request->conn->stream);
}

static void read_on(struct http_request *request, size_t consumed)
{
	(void)consumed;
	run_later(h1_of(request->conn));
}

static void send_continue(struct http_request *request)
{
	request->expects = false;
	stream_write(request->conn->stream, "HTTP/1.1 100 Continue\r\n\r\n", 25);
}

const struct server_protocol server_h1 = {
	.start = start,
	.input = input,
	.ended = ended,
	.wrote = wrote,
	.due = due,
	.expire = expire,
	.shutdown = shut_down,
	.free = h1_free,
	.head = head,
	.data = data,
	.chunk = chunk,
	.end = end,
	.abort = abort_reply,
	.queued = queued,
	.read = read_on,
	.send_continue = send_continue,
};
