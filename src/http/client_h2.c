/* SPDX-License-Identifier: Apache-2.0 */
/* http/client_h2.c - many calls on one HTTP/2 connection, by nghttp2.
 *
 * Frames are made when the stream is about to be flushed, so that all calls of a turn are sent
 * together. The windows are large (a stream 4 MB, the connection 64 MB), because round trips would
 * slow lists and watches down otherwise; they are extended again for bytes that the user has
 * consumed.
 *
 * 1. The session's user data of a stream is its call, or NULL after the call has ended.
 * 2. Callbacks of the user may cancel the call: call find() again after each. */
#include <stdio.h>

#include "base/limits.h"
#include "base/mem.h"
#include "http/chunk.h"
#include "http/client_internal.h"
#include "http/h2.h"

#include "base/banned.h"

enum {
	STREAM_WINDOW = 4 * 1024 * 1024,
	CONNECTION_WINDOW = 64 * 1024 * 1024,
	FIRST_STREAMS = 100,   /* until the server has sent its limit */
	LAST_STREAM = 1 << 30, /* ids above: a new connection */
	FEW_FIELDS = 32,
};

struct h2 {
	nghttp2_session *session;
	struct client_conn *conn;
	bool has_settings;
	int64_t ping_at; /* when an unanswered PING was sent; 0: none */
};

static struct h2 *h2_of(const struct client_conn *conn)
{
	return conn->state;
}

static struct http_call *find(nghttp2_session *session, int32_t stream_id)
{
	return nghttp2_session_get_stream_user_data(session, stream_id);
}

/* Reset the stream, whose call is over. */
static void drop_stream(struct h2 *h2, int32_t stream_id, uint32_t code)
{
	/* Both fail only for streams that are already closed: then there is nothing to do. */
	(void)nghttp2_session_set_stream_user_data(h2->session, stream_id, NULL);
	(void)nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, stream_id, code);
	stream_schedule(h2->conn->stream);
}

static void fail_call(struct h2 *h2, struct http_call *call, const struct err *err,
		      enum http_sent sent)
{
	(void)nghttp2_session_set_stream_user_data(h2->session, call->stream_id, NULL);
	call_fail(call, err, sent);
}

/* ---- Receiving ---- */

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct http_call *call = find(session, frame->hd.stream_id);

	(void)arg;
	if (call && !call->has_head)
		headers_clear(&call->reply);
	return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, nghttp2_rcbuf *name,
		     nghttp2_rcbuf *value, uint8_t flags, void *arg)
{
	struct http_call *call = find(session, frame->hd.stream_id);
	struct h2 *h2 = h2_of(arg);
	struct err err;

	(void)flags;
	if (!call || call->has_head) /* trailers */
		return 0;
	if (str_eq(h2_text(name), STR(":status"))) {
		struct str text = h2_text(value);

		call->status = 0;
		for (size_t i = 0; i < text.len && i < 3; i++) /* nghttp2 has checked it */
			call->status = call->status * 10 + (text.ptr[i] - '0');
		return 0;
	}
	if (headers_add(&call->reply, h2_text(name), h2_text(value), &err) < 0) {
		err_wrap(&err, "response");
		drop_stream(h2, call->stream_id, NGHTTP2_CANCEL);
		call_fail(call, &err, HTTP_MAYBE_SENT);
	}
	return 0;
}

/* The last frame of a response has arrived. */
static void end_stream(struct h2 *h2, struct http_call *call)
{
	int32_t stream_id = call->stream_id;

	/* The response is complete, so the rest of the request need not be sent. */
	if (!call->out_ended || call->out.bytes)
		drop_stream(h2, stream_id, NGHTTP2_NO_ERROR);
	else
		(void)nghttp2_session_set_stream_user_data(h2->session, stream_id, NULL);
	call_ended(call);
}

static int on_message_frame(struct h2 *h2, const nghttp2_frame *frame)
{
	int32_t stream_id = frame->hd.stream_id;
	struct http_call *call = find(h2->session, stream_id);

	if (!call)
		return 0;
	if (frame->hd.type == NGHTTP2_HEADERS && !call->has_head) {
		if (call->status / 100 == 1)
			return 0;
		call_head(call);
		call = find(h2->session, stream_id);
	}
	if (call && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
		end_stream(h2, call);
	return 0;
}

static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct client_conn *conn = arg;
	struct h2 *h2 = h2_of(conn);

	switch (frame->hd.type) {
	case NGHTTP2_HEADERS:
	case NGHTTP2_DATA:
		return on_message_frame(h2, frame);
	case NGHTTP2_SETTINGS:
		if (!(frame->hd.flags & NGHTTP2_FLAG_ACK)) {
			h2->has_settings = true;
			conn->client->streams = nghttp2_session_get_remote_settings(
				session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
			pool_dispatch(conn->client); /* the server may allow more streams now */
		}
		return 0;
	case NGHTTP2_PING:
		if (frame->hd.flags & NGHTTP2_FLAG_ACK)
			h2->ping_at = 0;
		return 0;
	case NGHTTP2_GOAWAY:
		conn_retire(conn);
		return 0;
	default:
		return 0;
	}
}

static int on_data_chunk(nghttp2_session *session, uint8_t flags, int32_t stream_id,
			 const uint8_t *data, size_t len, void *arg)
{
	struct http_call *call = find(session, stream_id);
	size_t used = len;

	(void)flags;
	(void)arg;
	if (call)
		used = call_data(call, (const char *)data, len);
	if (used) /* fails only for closed streams, and on overflow, which ends the session later */
		(void)nghttp2_session_consume(session, stream_id, used);
	return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t stream_id, uint32_t code, void *arg)
{
	struct http_call *call = find(session, stream_id);
	struct h2 *h2 = h2_of(arg);
	struct err err;

	if (!call) {
		pool_dispatch(h2->conn->client);
		return 0;
	}
	if (code == NGHTTP2_REFUSED_STREAM)
		err_set(&err, ERR_UNAVAILABLE,
			"the server refused the request without processing it");
	else if (code == NGHTTP2_PROTOCOL_ERROR)
		err_set(&err, ERR_INTERNAL, "malformed response");
	else
		err_set(&err, ERR_UNAVAILABLE, "the server reset the request: %s",
			nghttp2_http2_strerror(code));
	fail_call(h2, call, &err,
		  code == NGHTTP2_REFUSED_STREAM || !call->sent ? HTTP_NOT_SENT : HTTP_MAYBE_SENT);
	return 0;
}

static void input(struct client_conn *conn, const char *data, size_t len)
{
	struct h2 *h2 = h2_of(conn);
	ssize_t used = nghttp2_session_mem_recv(h2->session, (const uint8_t *)data, len);
	struct err err;

	if (used < 0) {
		err_set(&err, ERR_INTERNAL, "HTTP/2: %s", nghttp2_strerror((int)used));
		conn_fail(conn, &err);
		return;
	}
	stream_schedule(conn->stream);
}

static void ended(struct client_conn *conn)
{
	(void)conn; /* the pool fails the remaining calls */
}

/* ---- Sending ---- */

static int on_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct http_call *call;

	(void)arg;
	if (frame->hd.type != NGHTTP2_HEADERS)
		return 0;
	call = find(session, frame->hd.stream_id);
	if (call)
		call->sent = true;
	return 0;
}

static ssize_t read_out(nghttp2_session *session, int32_t stream_id, uint8_t *to, size_t size,
			uint32_t *flags, nghttp2_data_source *source, void *arg)
{
	const struct http_call *call = find(session, stream_id);

	(void)to;
	(void)source;
	(void)arg;
	return call ? h2_offer_body(&call->out, call->out_ended, size, flags)
		    : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

static int send_data(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *head,
		     size_t len, nghttp2_data_source *source, void *arg)
{
	struct client_conn *conn = arg;
	struct http_call *call = find(session, frame->hd.stream_id);

	(void)source;
	if (!call)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	h2_send_body(conn->stream, head, &call->out, len);
	return 0;
}

static void flush(struct client_conn *conn)
{
	struct h2 *h2 = h2_of(conn);
	int rc = h2_send_frames(h2->session, conn->stream);
	struct err err;

	if (rc < 0)
		err_set(&err, ERR_INTERNAL, "HTTP/2: %s", nghttp2_strerror(rc));
	else if (h2_is_over(h2->session))
		err_set(&err, ERR_INTERNAL, "HTTP/2: the server violated the protocol");
	else
		return;
	conn_fail(conn, &err);
}

static void wrote(struct client_conn *conn)
{
	struct h2 *h2 = h2_of(conn);
	bool again = true;

	while (again) { /* a callback may end any call: start again after each */
		again = false;
		LIST_EACH(&conn->calls, struct http_call, link, call) {
			if (!call->want_writable || call->out.bytes > LIMIT_SEND_BUFFER_BYTES / 2)
				continue;
			call_writable(call);
			again = true;
			break;
		}
	}
	if (nghttp2_session_want_write(h2->session))
		stream_schedule(conn->stream);
}

/* ---- The connection ---- */

static nghttp2_session *make_session(struct client_conn *conn)
{
	static const struct h2_calls calls = H2_CALLS;
	nghttp2_option *option = h2_option_new();

	nghttp2_option_set_peer_max_concurrent_streams(option, FIRST_STREAMS);
	return h2_session_new(nghttp2_session_client_new2, &calls, conn, option);
}

static void start(struct client_conn *conn)
{
	struct h2 *h2 = mem_new(struct h2);
	nghttp2_settings_entry entries[] = {
		{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
		{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW},
		{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, LIMIT_HEADER_BYTES},
	};
	struct err err;

	conn->state = h2;
	h2->conn = conn;
	h2->session = make_session(conn);
	if (h2_settle(h2->session, entries, ARRAY_LEN(entries), CONNECTION_WINDOW) < 0) {
		err_set(&err, ERR_INTERNAL, "HTTP/2: no memory");
		conn_fail(conn, &err);
	}
	stream_schedule(conn->stream);
}

static void h2_free(struct client_conn *conn)
{
	struct h2 *h2 = h2_of(conn);

	nghttp2_session_del(h2->session);
	mem_free(h2);
}

static size_t slots(const struct client_conn *conn)
{
	struct h2 *h2 = h2_of(conn);
	size_t max = conn->client->streams && conn->client->streams < FIRST_STREAMS
			     ? conn->client->streams
			     : FIRST_STREAMS;

	if (nghttp2_session_get_next_stream_id(h2->session) > LAST_STREAM)
		return 0;
	if (h2->has_settings)
		max = nghttp2_session_get_remote_settings(h2->session,
							  NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
	if (conn->client->options.max_streams < max)
		max = conn->client->options.max_streams;
	return conn->call_count < max ? max - conn->call_count : 0;
}

/* A PING is sent only while a call is active. */
static int64_t due(const struct client_conn *conn)
{
	const struct http_client_options *options = &conn->client->options;
	const struct h2 *h2 = h2_of(conn);

	if (h2->ping_at)
		return h2->ping_at + options->pong_us;
	return stream_last_read(conn->stream) + options->ping_us;
}

static void expire(struct client_conn *conn)
{
	struct h2 *h2 = h2_of(conn);
	struct err err;

	if (h2->ping_at || nghttp2_submit_ping(h2->session, NGHTTP2_FLAG_NONE, NULL)) {
		err_set(&err, ERR_UNAVAILABLE, "the server sends nothing and does not answer PING");
		conn_fail(conn, &err);
		return;
	}
	h2->ping_at = loop_uptime(conn->client->loop);
	stream_schedule(conn->stream);
}

/* ---- Calls ---- */

static void send_call(struct http_call *call)
{
	const uint8_t copied = NGHTTP2_NV_FLAG_NONE;
	struct h2 *h2 = h2_of(call->conn);
	size_t most = headers_count(&call->headers) + 5, count = 0;
	nghttp2_nv few[FEW_FIELDS], *nv = few;
	AUTO(mem_free) nghttp2_nv *many = NULL;
	nghttp2_data_provider provider = {.read_callback = read_out};
	char size[24];
	struct err err;

	if (most > FEW_FIELDS) {
		many = mem_calloc(most, sizeof(*many));
		nv = many;
	}
	nv[count++] = h2_field(STR(":method"), str_from(call->method), copied);
	nv[count++] =
		h2_field(STR(":scheme"), call->client->secure ? STR("https") : STR("http"), copied);
	nv[count++] = h2_field(STR(":authority"), str_from(call->client->authority), copied);
	nv[count++] = h2_field(STR(":path"), str_from(call->target), copied);
	for (size_t i = 0; i < headers_count(&call->headers); i++)
		if (!call_is_ours(headers_name(&call->headers, i)))
			nv[count++] = h2_field(headers_name(&call->headers, i),
					       headers_value(&call->headers, i), copied);
	if (call->length > 0) {
		snprintf(size, sizeof(size), "%lld", (long long)call->length);
		nv[count++] = h2_field(STR("content-length"), str_from(size), copied);
	}
	call->stream_id = nghttp2_submit_request(h2->session, NULL, nv, count,
						 call->length ? &provider : NULL, call);
	if (call->stream_id < 0) {
		err_set(&err, ERR_INTERNAL, "HTTP/2: %s", nghttp2_strerror(call->stream_id));
		call_fail(call, &err, HTTP_NOT_SENT);
		return;
	}
	stream_schedule(call->conn->stream);
}

static void write_more(struct http_call *call)
{
	/* Fails if the stream is not waiting, or does not exist yet: then there is nothing to do. */
	(void)nghttp2_session_resume_data(h2_of(call->conn)->session, call->stream_id);
	stream_schedule(call->conn->stream);
}

static void cancel(struct http_call *call)
{
	struct h2 *h2 = h2_of(call->conn);

	if (!call->in_ended)
		drop_stream(h2, call->stream_id, NGHTTP2_CANCEL);
	if (call->kept) /* fails only on overflow, which ends the session later */
		(void)nghttp2_session_consume_connection(h2->session, call->kept);
	call->kept = 0;
}

static void read_on(struct http_call *call, size_t consumed)
{
	if (!consumed)
		return;
	/* As in on_data_chunk(). */
	(void)nghttp2_session_consume(h2_of(call->conn)->session, call->stream_id, consumed);
	stream_schedule(call->conn->stream);
}

const struct client_protocol client_h2 = {
	.version = 20,
	.start = start,
	.input = input,
	.ended = ended,
	.flush = flush,
	.wrote = wrote,
	.free = h2_free,
	.slots = slots,
	.send = send_call,
	.write = write_more,
	.cancel = cancel,
	.read = read_on,
	.due = due,
	.expire = expire,
};
