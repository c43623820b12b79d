/* SPDX-License-Identifier: Apache-2.0 */
/* http/server_h2.c - HTTP/2 on one connection, by nghttp2.
 *
 * nghttp2 keeps and checks the state of the protocol; this file handles requests, bodies and limits.
 * Frames are made when the stream is about to be flushed, as many as the send buffer may hold, so
 * that all replies of a turn are sent together. DATA frames refer to the handlers' chunks and copy
 * none of them.
 *
 * 1. A request lives from its HEADERS frame to the closing of its stream by nghttp2, whatever the
 *    handler does: the session's user data always points to a live request.
 * 2. The client's windows are extended only for bytes that were consumed: a handler that pauses
 *    stops its client at STREAM_WINDOW.
 * 3. nghttp2's session is deleted with the connection only, never from within its callbacks.
 * 4. conn->out_bytes is the sum of the requests' queues. While too much waits on the connection,
 *    new requests are held back: a client that opens no window makes no progress. A stream that
 *    reads nothing of its queue is reset after a time limit.
 * 5. Frames that carry no work (empty DATA, PRIORITY, PING, SETTINGS) are counted, and too many in
 *    a row close the connection; nghttp2 itself counts resets and CONTINUATION frames. */
#include <stdio.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/time.h"
#include "http/chunk.h"
#include "http/h2.h"
#include "http/server_internal.h"

#include "base/banned.h"

#define DRAIN_TIME TIME_SECOND

enum {
	STREAM_WINDOW = 256 * 1024,
	CONNECTION_WINDOW = 4 * 1024 * 1024,
	MAX_IDLE_FRAMES = 10000, /* without work in between */
	/* A head that exceeds the limit by this much is reset without a reply. */
	HEAD_PATIENCE = 4 * LIMIT_HEADER_BYTES,
	FEW_FIELDS = 32,
};

struct h2 {
	nghttp2_session *session;
	struct server_conn *conn;
	size_t idle_frames;
	size_t head_bytes; /* of the head being received */
	int64_t since;     /* when the last request ended, or the connection began */
	bool said_goaway;
	size_t held; /* requests that are held back */
	struct loop_defer release;
};

static struct h2 *h2_of(const struct server_conn *conn)
{
	return conn->state;
}

static struct http_request *find(nghttp2_session *session, int32_t stream_id)
{
	return nghttp2_session_get_stream_user_data(session, stream_id);
}

/* ---- Receiving ---- */

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct server_conn *conn = arg;
	struct http_request *request;

	if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
		return 0;
	request = request_new(conn);
	request->stream_id = frame->hd.stream_id;
	request->version = 20;
	request->length = -1;
	h2_of(conn)->head_bytes = 0;
	h2_of(conn)->idle_frames = 0;
	nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, request);
	return 0;
}

/* Returns 0, or the status of the rejection. */
static int take_pseudo(struct http_request *request, struct str name, struct str value)
{
	if (str_eq(name, STR(":method")))
		return request_set_method(request, value);
	if (str_eq(name, STR(":path")))
		return buf_add(&request->target, value.ptr, value.len, NULL) < 0 ? 414 : 0;
	if (str_eq(name, STR(":authority")))
		return headers_add(&request->headers, STR("host"), value, NULL) < 0 ? 431 : 0;
	return 0; /* :scheme */
}

static int take_field(struct http_request *request, struct str name, struct str value)
{
	struct err err;

	if (name.len && name.ptr[0] == ':')
		return take_pseudo(request, name, value);
	if (str_eq(name, STR("host")) && headers_has(&request->headers, name))
		return 0; /* :authority counts */
	if (headers_add(&request->headers, name, value, &err) < 0)
		return err.code == ERR_TOO_LARGE ? 431 : 400;
	return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, nghttp2_rcbuf *name,
		     nghttp2_rcbuf *value, uint8_t flags, void *arg)
{
	struct http_request *request = find(session, frame->hd.stream_id);
	struct h2 *h2 = h2_of(arg);

	(void)flags;
	if (!request || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
		return 0; /* trailers */
	h2->head_bytes += h2_text(name).len + h2_text(value).len;
	if (h2->head_bytes > HEAD_PATIENCE)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	if (!request->refuse)
		request->refuse = take_field(request, h2_text(name), h2_text(value));
	return 0;
}

static void take_length(struct http_request *request)
{
	struct str text = headers_get(&request->headers, STR("content-length"));
	int64_t length = 0;

	if (str_is_none(text))
		return;
	for (size_t i = 0; i < text.len; i++) { /* nghttp2 has checked that it is a number */
		if (length > (INT64_MAX - 9) / 10)
			return;
		length = length * 10 + (text.ptr[i] - '0');
	}
	request->length = length;
}

static void take_head(struct http_request *request, bool ends)
{
	struct str expect;

	take_length(request);
	if (ends) {
		request->length = 0;
		request->body_done = true;
	}
	if (!request->refuse)
		request->refuse = request_set_target(request);
	expect = headers_get(&request->headers, STR("expect"));
	if (!str_is_none(expect)) {
		if (!str_eq_nocase(expect, STR("100-continue")))
			request->refuse = request->refuse ? request->refuse : 417;
		request->expects = true;
	}
	if (request->refuse) {
		request_refuse(request, request->refuse, http_status_text(request->refuse));
	} else if (h2_of(request->conn)->held || conn_is_full(request->conn)) {
		request->held = true;
		h2_of(request->conn)->held++;
	} else {
		request_handle(request);
	}
}

/* Few bytes wait again: starts the requests that were held back, oldest first. */
static void release(void *arg)
{
	struct h2 *h2 = arg;
	struct server_conn *conn = h2->conn;

	LIST_EACH(&conn->requests, struct http_request, link, request) {
		if (!h2->held || conn->doomed || conn_is_full(conn))
			break;
		if (!request->held)
			continue;
		request->held = false;
		h2->held--;
		request_handle(request);
	}
	stream_schedule(conn->stream);
}

static void release_later(struct h2 *h2)
{
	if (h2->held && !conn_is_full(h2->conn))
		loop_defer(h2->conn->server->loop, &h2->release, release, h2);
}

/* Counts a frame without work; true if there were too many. */
static int count_idle(nghttp2_session *session, struct h2 *h2)
{
	if (++h2->idle_frames < MAX_IDLE_FRAMES)
		return 0;
	(void)nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM);
	return 0;
}

static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct h2 *h2 = h2_of(arg);
	bool ends = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
	struct http_request *request;

	switch (frame->hd.type) {
	case NGHTTP2_HEADERS:
	case NGHTTP2_DATA:
		break;
	case NGHTTP2_PING:
		if ((frame->hd.flags & NGHTTP2_FLAG_ACK) && h2->conn->server->closing)
			(void)nghttp2_submit_goaway(
				session, NGHTTP2_FLAG_NONE,
				nghttp2_session_get_last_proc_stream_id(session), NGHTTP2_NO_ERROR,
				NULL,
				0); /* if it fails, the end of the drain closes the connection */
		return count_idle(session, h2);
	case NGHTTP2_WINDOW_UPDATE:
	case NGHTTP2_RST_STREAM:
		return 0;
	default:
		return count_idle(session, h2);
	}
	request = find(session, frame->hd.stream_id);
	if (!request)
		return 0;
	if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
		take_head(request, ends);
	else if (ends && !request->body_done)
		request_body_end(request);
	else if (frame->hd.type == NGHTTP2_DATA && frame->hd.length == 0)
		return count_idle(session, h2);
	return 0;
}

static void consume(struct h2 *h2, int32_t stream_id, size_t len)
{
	if (len) /* fails only for closed streams, and on overflow, which ends the session later */
		(void)nghttp2_session_consume(h2->session, stream_id, len);
}

static int on_data_chunk(nghttp2_session *session, uint8_t flags, int32_t stream_id,
			 const uint8_t *data, size_t len, void *arg)
{
	struct http_request *request = find(session, stream_id);
	struct h2 *h2 = h2_of(arg);

	(void)flags;
	h2->idle_frames = 0;
	if (request && !request->ended)
		consume(h2, stream_id, request_body(request, (const char *)data, len));
	else /* nothing reads it: the stream may use up its window, no more */
		(void)nghttp2_session_consume_connection(session, len); /* as in consume() */
	return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t stream_id, uint32_t code, void *arg)
{
	struct http_request *request = find(session, stream_id);
	struct h2 *h2 = h2_of(arg);

	(void)code;
	if (!request)
		return 0;
	nghttp2_session_set_stream_user_data(session, stream_id, NULL);
	h2->held -= request->held;
	/* Body bytes that were kept but not consumed are returned to the connection's window. */
	if (request->body_kept) /* fails only on overflow, which ends the session later */
		(void)nghttp2_session_consume_connection(session, request->body_kept);
	request_abort(request, ERR_UNAVAILABLE, "the client has disconnected");
	request_free(request);
	h2->since = loop_uptime(h2->conn->server->loop);
	release_later(h2);
	return 0;
}

/* ---- Sending ---- */

/* The reply was sent. A client that is still sending gets a moment to read it and to stop by itself
 * (curl loses a reply if a reset follows at once); then expire() resets the stream. */
static int on_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct server_conn *conn = arg;
	struct http_request *request;

	if (!(frame->hd.flags & NGHTTP2_FLAG_END_STREAM) ||
	    (frame->hd.type != NGHTTP2_DATA && frame->hd.type != NGHTTP2_HEADERS))
		return 0;
	request = find(session, frame->hd.stream_id);
	if (!request)
		return 0;
	request->sent = true;
	request->sent_at = loop_uptime(conn->server->loop);
	if (!request->body_done)
		conn_arm(conn, request->sent_at + DRAIN_TIME);
	return 0;
}

static ssize_t read_out(nghttp2_session *session, int32_t stream_id, uint8_t *to, size_t size,
			uint32_t *flags, nghttp2_data_source *source, void *arg)
{
	const struct http_request *request = source->ptr;

	(void)session;
	(void)stream_id;
	(void)to;
	(void)arg;
	return h2_offer_body(&request->out, request->ended, size, flags);
}

static int send_data(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *head,
		     size_t len, nghttp2_data_source *source, void *arg)
{
	struct server_conn *conn = arg;
	struct http_request *request = source->ptr;

	(void)session;
	(void)frame;
	h2_send_body(conn->stream, head, &request->out, len);
	conn->out_bytes -= len;
	request->out_at = loop_uptime(conn->server->loop);
	return 0;
}

static void flush(struct server_conn *conn)
{
	struct h2 *h2 = h2_of(conn);

	if (h2_send_frames(h2->session, conn->stream) < 0)
		conn_doom(conn);
	else if (h2_is_over(h2->session))
		conn_linger(conn);
}

static void wrote(struct server_conn *conn)
{
	struct h2 *h2 = h2_of(conn);

	LIST_EACH(&conn->requests, struct http_request, link, request)
		if (request->want_writable)
			request_writable(request);
	release_later(h2);
	if (nghttp2_session_want_write(h2->session))
		stream_schedule(conn->stream);
}

/* ---- The connection ---- */

static nghttp2_session *make_session(struct server_conn *conn)
{
	static const struct h2_calls calls = H2_CALLS;
	nghttp2_option *option = h2_option_new();

	nghttp2_option_set_stream_reset_rate_limit(option, conn->server->options.max_resets,
						   LIMIT_STREAM_RESETS_PER_SECOND);
	return h2_session_new(nghttp2_session_server_new2, &calls, conn, option);
}

static void start(struct server_conn *conn)
{
	const struct http_server_options *options = &conn->server->options;
	struct h2 *h2 = mem_new(struct h2);
	nghttp2_settings_entry entries[] = {
		{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, (uint32_t)options->max_streams},
		{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW},
		{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, LIMIT_HEADER_BYTES},
	};

	conn->state = h2;
	h2->conn = conn;
	h2->since = loop_uptime(conn->server->loop);
	h2->session = make_session(conn);
	if (h2_settle(h2->session, entries, ARRAY_LEN(entries), CONNECTION_WINDOW) < 0)
		conn_doom(conn);
	stream_schedule(conn->stream);
	conn_arm(conn, conn->protocol->due(conn));
}

static void input(struct server_conn *conn, const char *data, size_t len)
{
	struct h2 *h2 = h2_of(conn);
	ssize_t used = nghttp2_session_mem_recv(h2->session, (const uint8_t *)data, len);

	if (used == NGHTTP2_ERR_BAD_CLIENT_MAGIC || used == NGHTTP2_ERR_NOMEM) {
		conn_doom(conn);
		return;
	}
	if (used < 0) {
		conn->server->stats.refused++;
		if (nghttp2_session_terminate_session(
			    h2->session, used == NGHTTP2_ERR_FLOODED ? NGHTTP2_ENHANCE_YOUR_CALM
								     : NGHTTP2_PROTOCOL_ERROR))
			conn_doom(conn);
	}
	stream_schedule(conn->stream);
}

static void ended(struct server_conn *conn)
{
	conn_doom(conn); /* a client that does not answer SETTINGS and PING is no longer there */
}

/* When does the time limit of this request's body end? */
static int64_t body_due(const struct http_request *request)
{
	if (request->body_done)
		return INT64_MAX;
	if (request->sent)
		return request->sent_at + DRAIN_TIME;
	if (request->ended || request->body_paused || request->use == BODY_WAITS)
		return INT64_MAX;
	return request->body_at + request->conn->server->options.body_us;
}

/* When does the time limit for reading its queue end? */
static int64_t write_due(const struct http_request *request)
{
	if (!request->out.bytes)
		return INT64_MAX;
	return request->out_at + request->conn->server->options.write_us;
}

static int64_t due(const struct server_conn *conn)
{
	const struct http_server_options *options = &conn->server->options;
	const struct h2 *h2 = h2_of(conn);
	int64_t at = INT64_MAX;

	if (list_is_empty(&conn->requests))
		at = h2->since + server_idle_us(conn->server);
	LIST_EACH(&conn->requests, struct http_request, link, request) {
		int64_t body = body_due(request);
		int64_t write = write_due(request);

		at = body < at ? body : at;
		at = write < at ? write : at;
	}
	if (stream_is_blocked(conn->stream) &&
	    stream_last_write(conn->stream) + options->write_us < at)
		at = stream_last_write(conn->stream) + options->write_us;
	/* Requests do not set the timer: check again before any limit can be exceeded. */
	if (at == INT64_MAX)
		at = loop_uptime(conn->server->loop) + options->body_us;
	return at;
}

static void reset(struct http_request *request, uint32_t code)
{
	struct server_conn *conn = request->conn;

	conn->out_bytes -= request->out.bytes;
	pieces_done(&request->out);
	if (nghttp2_submit_rst_stream(h2_of(conn)->session, NGHTTP2_FLAG_NONE, request->stream_id,
				      code))
		conn_doom(conn);
	stream_schedule(conn->stream);
}

static void expire(struct server_conn *conn)
{
	const struct http_server_options *options = &conn->server->options;
	struct h2 *h2 = h2_of(conn);
	int64_t now = loop_uptime(conn->server->loop);

	if (stream_is_blocked(conn->stream) &&
	    stream_last_write(conn->stream) + options->write_us <= now) {
		conn->server->stats.stalled++;
		conn_doom(conn);
		return;
	}
	if (list_is_empty(&conn->requests)) {
		if (nghttp2_session_terminate_session(h2->session, NGHTTP2_NO_ERROR))
			conn_doom(conn);
		h2->since = now;
		stream_schedule(conn->stream);
		return;
	}
	LIST_EACH(&conn->requests, struct http_request, link, request) {
		if (write_due(request) <= now) {
			conn->server->stats.stalled++;
			reset(request, NGHTTP2_CANCEL);
			continue;
		}
		if (body_due(request) > now)
			continue;
		if (request->sent) {
			request->sent_at = INT64_MAX / 2; /* once is enough */
			reset(request, NGHTTP2_NO_ERROR);
		} else {
			request_refuse(request, 408, "the request did not arrive in time");
		}
	}
}

static void shut_down(struct server_conn *conn)
{
	struct h2 *h2 = h2_of(conn);

	if (h2->said_goaway)
		return;
	h2->said_goaway = true;
	/* Sends a warning first. When the client has answered the PING, everything that it sent
	 * before the warning has arrived; then the final GOAWAY names the last request served. */
	if (nghttp2_submit_shutdown_notice(h2->session) ||
	    nghttp2_submit_ping(h2->session, NGHTTP2_FLAG_NONE, NULL))
		conn_doom(conn);
	stream_schedule(conn->stream);
}

static void h2_free(struct server_conn *conn)
{
	struct h2 *h2 = h2_of(conn);

	LIST_EACH(&conn->requests, struct http_request, link, request) {
		request_abort(request, ERR_UNAVAILABLE, "the client has disconnected");
		request_free(request);
	}
	loop_defer_cancel(conn->server->loop, &h2->release);
	nghttp2_session_del(h2->session);
	mem_free(h2);
}

/* ---- Replies ---- */

static bool is_ours(struct str name)
{
	return str_eq(name, STR("date")) || str_eq(name, STR("content-length")) ||
	       str_eq(name, STR("transfer-encoding")) || str_eq(name, STR("connection")) ||
	       str_eq(name, STR("keep-alive")) || str_eq(name, STR("upgrade"));
}

static void head(struct http_request *request, int64_t length, bool last)
{
	/* The reply's fields live until the stream is closed; names of ours are constant. */
	const uint8_t lent = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE;
	struct server_conn *conn = request->conn;
	struct headers *fields = &request->reply;
	nghttp2_nv few[FEW_FIELDS], *nv = few;
	AUTO(mem_free) nghttp2_nv *many = NULL;
	char status[8], size[24];
	nghttp2_data_provider provider = {.source.ptr = request, .read_callback = read_out};
	size_t count = 0;
	bool none = last || request->bodyless;

	if (headers_count(fields) + 3 > FEW_FIELDS) {
		many = mem_calloc(headers_count(fields) + 3, sizeof(*many));
		nv = many;
	}
	snprintf(status, sizeof(status), "%d", request->status);
	nv[count++] = h2_field(STR(":status"), str_from(status), NGHTTP2_NV_FLAG_NO_COPY_NAME);
	for (size_t i = 0; i < headers_count(fields); i++)
		if (!is_ours(headers_name(fields, i)))
			nv[count++] =
				h2_field(headers_name(fields, i), headers_value(fields, i), lent);
	nv[count++] =
		h2_field(STR("date"), server_date(conn->server), NGHTTP2_NV_FLAG_NO_COPY_NAME);
	if (length >= 0 && request->status != 204 && request->status != 304) {
		snprintf(size, sizeof(size), "%lld", (long long)length);
		nv[count++] = h2_field(STR("content-length"), str_from(size),
				       NGHTTP2_NV_FLAG_NO_COPY_NAME);
	}
	/* A reply to HEAD ends with its head; http_reply_end() then changes nothing. */
	if (nghttp2_submit_response(h2_of(conn)->session, request->stream_id, nv, count,
				    none ? NULL : &provider))
		conn_doom(conn);
	stream_schedule(conn->stream);
}

static void resume(struct http_request *request)
{
	/* Fails if the stream is not waiting, or already closed: then there is nothing to do. */
	(void)nghttp2_session_resume_data(h2_of(request->conn)->session, request->stream_id);
	stream_schedule(request->conn->stream);
}

static void count_out(struct http_request *request, size_t len)
{
	if (!request->out.bytes)
		request->out_at = loop_uptime(request->conn->server->loop);
	request->conn->out_bytes += len;
}

static void data(struct http_request *request, const void *bytes, size_t len)
{
	count_out(request, len);
	pieces_copy(&request->out, bytes, len);
	resume(request);
}

static void chunk(struct http_request *request, struct chunk *bytes)
{
	count_out(request, bytes->len);
	pieces_add(&request->out, bytes, 0, bytes->len);
	resume(request);
}

static void end(struct http_request *request)
{
	resume(request);
}

static void abort_reply(struct http_request *request)
{
	reset(request, NGHTTP2_INTERNAL_ERROR);
}

static size_t queued(const struct http_request *request)
{
	return request->out.bytes;
}

static void read_on(struct http_request *request, size_t consumed)
{
	consume(h2_of(request->conn), request->stream_id, consumed);
	stream_schedule(request->conn->stream);
}

static void send_continue(struct http_request *request)
{
	nghttp2_nv nv = h2_field(STR(":status"), STR("100"),
				 NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE);

	request->expects = false;
	/* Only a hint: if it fails, the client sends the body after a while. */
	(void)nghttp2_submit_headers(h2_of(request->conn)->session, NGHTTP2_FLAG_NONE,
				     request->stream_id, NULL, &nv, 1, NULL);
	stream_schedule(request->conn->stream);
}

const struct server_protocol server_h2 = {
	.start = start,
	.input = input,
	.ended = ended,
	.flush = flush,
	.wrote = wrote,
	.due = due,
	.expire = expire,
	.shutdown = shut_down,
	.free = h2_free,
	.head = head,
	.data = data,
	.chunk = chunk,
	.end = end,
	.abort = abort_reply,
	.queued = queued,
	.read = read_on,
	.send_continue = send_continue,
};
