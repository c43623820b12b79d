/* SPDX-License-Identifier: Apache-2.0 */
/* http/client_h1.c - one HTTP/1.1 call at a time on one connection, parsed by llhttp.
 *
 * 1. The connection is reused only if the response had a definite end, nothing came after it, and
 *    the request was sent completely; otherwise it is closed.
 * 2. Callbacks of the user may cancel the call: call current() again after each. */
#include <assert.h>
#include <llhttp.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/mem.h"
#include "http/chunk.h"
#include "http/client_internal.h"

#include "base/banned.h"

struct h1 {
	llhttp_t parser;
	struct client_conn *conn;
	struct buf name, value; /* the field being parsed */
	struct err wrong;       /* what a callback found */
	bool is_wrong;
	bool interim;  /* a 1xx response */
	bool complete; /* the response has arrived whole */
	bool keep_alive;
};

static struct h1 *h1_of(const struct client_conn *conn)
{
	return conn->state;
}

/* The call being served, or NULL. */
static struct http_call *current(const struct h1 *h1)
{
	struct list *node = list_first(&h1->conn->calls);

	return node ? container_of(node, struct http_call, link) : NULL;
}

/* ---- The parser's callbacks ---- */

static int stop(struct h1 *h1, enum err_code code, const char *why)
{
	err_set(&h1->wrong, code, "%s", why);
	h1->is_wrong = true;
	return HPE_USER;
}

static int on_message_begin(llhttp_t *parser)
{
	struct h1 *h1 = parser->data;
	struct http_call *call = current(h1);

	if (!call || h1->complete)
		return stop(h1, ERR_INTERNAL, "a response without a request");
	headers_clear(&call->reply);
	return 0;
}

static int on_field(llhttp_t *parser, const char *at, size_t len)
{
	struct h1 *h1 = parser->data;

	if (buf_add(&h1->name, at, len, NULL) < 0)
		return stop(h1, ERR_TOO_LARGE, "the response's header is too large");
	return 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t len)
{
	struct h1 *h1 = parser->data;

	if (buf_add(&h1->value, at, len, NULL) < 0)
		return stop(h1, ERR_TOO_LARGE, "the response's header is too large");
	return 0;
}

static int on_value_complete(llhttp_t *parser)
{
	struct h1 *h1 = parser->data;
	struct http_call *call = current(h1);
	int rc = 0;

	if (call && !call->has_head) {
		rc = headers_add(&call->reply, buf_str(&h1->name), buf_str(&h1->value), &h1->wrong);
		h1->is_wrong = rc < 0;
	}
	buf_clear(&h1->name);
	buf_clear(&h1->value);
	return rc < 0 ? HPE_USER : 0;
}

static int on_headers_complete(llhttp_t *parser)
{
	struct h1 *h1 = parser->data;
	struct http_call *call = current(h1);
	bool head_only;

	if (!call)
		return -1;
	h1->interim = parser->status_code / 100 == 1;
	if (parser->status_code == 101) {
		stop(h1, ERR_INTERNAL,
		     "the server switches protocols although no upgrade was requested");
		return -1;
	}
	if (h1->interim)
		return 0;
	head_only = strcmp(call->method, "HEAD") == 0;
	call->status = parser->status_code;
	call_head(call);
	if (!current(h1))
		return -1;
	return head_only ? 1 : 0;
}

static int on_body(llhttp_t *parser, const char *at, size_t len)
{
	struct h1 *h1 = parser->data;
	struct http_call *call = current(h1);

	if (!call)
		return HPE_USER;
	(void)call_data(call, at,
			len); /* how much is kept is limited, because the socket is paused */
	return current(h1) ? 0 : HPE_USER;
}

static int on_message_complete(llhttp_t *parser)
{
	struct h1 *h1 = parser->data;

	if (h1->interim) {
		h1->interim = false;
		return 0;
	}
	h1->keep_alive = llhttp_should_keep_alive(parser);
	h1->complete = true;
	return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
	.on_message_begin = on_message_begin,
	.on_header_field = on_field,
	.on_header_value = on_value,
	.on_header_value_complete = on_value_complete,
	.on_headers_complete = on_headers_complete,
	.on_body = on_body,
	.on_message_complete = on_message_complete,
};

/* ---- Receiving ---- */

static void fail(struct h1 *h1, const char *reason)
{
	if (!h1->is_wrong)
		err_set(&h1->wrong, ERR_INTERNAL, "malformed response: %s",
			reason && *reason ? reason : "unknown");
	conn_fail(h1->conn, &h1->wrong);
}

/* The response is complete. `rest`: bytes that came after it. */
static void completed(struct h1 *h1, size_t rest)
{
	struct http_call *call = current(h1);

	if (!call)
		return;
	if (rest || !h1->keep_alive || !call->out_ended || call->out.bytes)
		h1->conn->retired = true;
	call_ended(call);
}

static void input(struct client_conn *conn, const char *data, size_t len)
{
	struct h1 *h1 = h1_of(conn);
	llhttp_errno_t code;
	size_t used;

	if (h1->complete || !current(h1)) { /* between calls, or after the end of a paused one */
		stop(h1, ERR_INTERNAL, "a response without a request");
		conn_fail(conn, &h1->wrong);
		return;
	}
	code = llhttp_execute(&h1->parser, data, len);
	if (conn->doomed || code == HPE_OK)
		return;
	if (code != HPE_PAUSED || !h1->complete) {
		fail(h1, llhttp_get_error_reason(&h1->parser));
		return;
	}
	used = (size_t)(llhttp_get_error_pos(&h1->parser) - data);
	llhttp_resume(&h1->parser);
	completed(h1, len - used);
}

static void ended(struct client_conn *conn)
{
	struct h1 *h1 = h1_of(conn);

	if (h1->complete || !current(h1) || stream_is_truncated(conn->stream))
		return;
	/* A body that ends with the connection ends now. */
	(void)llhttp_finish(&h1->parser); /* if it fails, the end of the connection is an error */
	if (h1->complete) {
		h1->keep_alive = false;
		completed(h1, 0);
	}
}

static void start(struct client_conn *conn)
{
	struct h1 *h1 = mem_new(struct h1);

	conn->state = h1;
	h1->conn = conn;
	h1->name = buf_make(LIMIT_HEADER_BYTES);
	h1->value = buf_make(LIMIT_HEADER_BYTES);
	llhttp_init(&h1->parser, HTTP_RESPONSE, &settings);
	h1->parser.data = h1;
}

static void h1_free(struct client_conn *conn)
{
	struct h1 *h1 = h1_of(conn);

	buf_done(&h1->name);
	buf_done(&h1->value);
	mem_free(h1);
}

/* ---- Sending ---- */

static size_t slots(const struct client_conn *conn)
{
	return conn->call_count ? 0 : 1;
}

static void put_field(struct buf *to, struct str name, struct str value)
{
	buf_put_str(to, name);
	buf_put(to, ": ", 2);
	buf_put_str(to, value);
	buf_put(to, "\r\n", 2);
}

static void write_body(struct http_call *call)
{
	struct stream *stream = call->conn->stream;

	if (call->length >= 0) {
		stream_write_pieces(stream, &call->out, call->out.bytes);
		return;
	}
	while (call->out.bytes && !stream_is_full(stream)) {
		size_t len = pieces_at(&call->out, 0)->len;
		char *to = stream_reserve(stream, 24);

		stream_commit(stream, (size_t)snprintf(to, 24, "%zx\r\n", len));
		stream_write_pieces(stream, &call->out, len);
		stream_write(stream, "\r\n", 2);
	}
	if (call->out.bytes == 0 && call->out_ended)
		stream_write(stream, "0\r\n\r\n", 5);
}

static void send_call(struct http_call *call)
{
	struct h1 *h1 = h1_of(call->conn);
	AUTO(buf_done) struct buf head = BUF_UNBOUNDED;
	bool bare = strcmp(call->method, "GET") == 0 || strcmp(call->method, "HEAD") == 0;

	h1->complete = h1->interim = false;
	buf_printf(&head, "%s %s HTTP/1.1\r\n", call->method, call->target);
	put_field(&head, STR("host"), str_from(call->client->authority));
	for (size_t i = 0; i < headers_count(&call->headers); i++)
		if (!call_is_ours(headers_name(&call->headers, i)))
			put_field(&head, headers_name(&call->headers, i),
				  headers_value(&call->headers, i));
	if (call->length < 0)
		put_field(&head, STR("transfer-encoding"), STR("chunked"));
	else if (call->length > 0 || !bare)
		buf_printf(&head, "content-length: %lld\r\n", (long long)call->length);
	buf_put(&head, "\r\n", 2);
	stream_write(call->conn->stream, head.ptr, head.len);
	call->sent = true;
	write_body(call);
}

static void write_more(struct http_call *call)
{
	if (call->length < 0)
		write_body(call);
}

static void wrote(struct client_conn *conn)
{
	struct http_call *call = current(h1_of(conn));

	if (!call)
		return;
	if (call->length < 0 && call->out.bytes)
		write_body(call);
	call_writable(call);
}

static void cancel(struct http_call *call)
{
	struct err err;

	err_set(&err, ERR_UNAVAILABLE, "the call was cancelled");
	conn_fail(call->conn, &err);
}

static void read_on(struct http_call *call, size_t consumed)
{
	(void)consumed;
	if (call->paused)
		stream_pause(call->conn->stream);
	else
		stream_resume(call->conn->stream);
}

const struct client_protocol client_h1 = {
	.version = 11,
	.start = start,
	.input = input,
	.ended = ended,
	.wrote = wrote,
	.free = h1_free,
	.slots = slots,
	.send = send_call,
	.write = write_more,
	.cancel = cancel,
	.read = read_on,
};
