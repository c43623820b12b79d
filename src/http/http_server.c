/* SPDX-License-Identifier: Apache-2.0 */
/* http/http_server.c - listening, connections and their time limits.
 *
 * A connection begins without a protocol: ALPN names it, or on a plain socket the first four bytes
 * do ("PRI " starts HTTP/2's preface and no HTTP/1.1 request).
 *
 * Each connection has one timer, set to the earliest time at which one of its limits may be
 * exceeded. When it fires, the protocol checks its limits, and usually the timer is just set again.
 * So requests need no timers of their own.
 *
 * 1. A connection is freed from a callback of its stream or by doom() only: never while a handler is
 *    on the stack.
 * 2. options.*_us are positive here; "none" is a very long time. */
#include "http/http_server.h"

#include <assert.h>

#include "base/fd.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/time.h"
#include "http/listener.h"
#include "http/server_internal.h"
#include "http/tls.h"

#include "base/banned.h"

/* While too many bytes wait on the whole server, a connection that reads nothing is closed after
 * this time. */
#define STALLED (5 * TIME_SECOND)
#define FOREVER (INT64_MAX / 4)
#define LINGER (2 * TIME_SECOND)
/* How long a connection may be idle while others wait to be accepted. */
#define IDLE_WHEN_FULL TIME_SECOND

struct server_listener {
	struct list link;
	struct http_server *server;
	struct listener *listener;
	enum http_security security;
};

/* ---- Connections ---- */

static void check_done(struct http_server *server);

int64_t server_idle_us(const struct http_server *server)
{
	if (server->paused && server->options.idle_us > IDLE_WHEN_FULL)
		return IDLE_WHEN_FULL;
	return server->options.idle_us;
}

/* The server is full: idle connections are closed sooner. */
static void hurry_idle(struct http_server *server)
{
	int64_t now = loop_uptime(server->loop);

	if (server->paused_at && now - server->paused_at < IDLE_WHEN_FULL)
		return; /* done a moment ago: not repeated for each connection */
	server->paused_at = now;
	LIST_EACH(&server->conns, struct server_conn, link, conn)
		conn_arm(conn, now + IDLE_WHEN_FULL);
}

static void set_accepting(struct http_server *server)
{
	bool pause = server->stats.connections >= server->options.max_connections;

	if (pause == server->paused)
		return;
	server->paused = pause;
	if (pause)
		hurry_idle(server);
	LIST_EACH(&server->listeners, struct server_listener, link, on) {
		if (pause)
			listener_pause(on->listener);
		else
			listener_resume(on->listener);
	}
}

/* ---- Bytes that clients have not read ---- */

static void count_waiting(struct server_conn *conn, size_t waiting)
{
	struct http_server *server = conn->server;
	int64_t change = (int64_t)waiting - (int64_t)conn->waiting;

	if (!change)
		return;
	conn->waiting = waiting;
	server->stats.waiting = (size_t)((int64_t)server->stats.waiting + change);
	if (server->options.waiting && conn->data)
		server->options.waiting(conn->data, change);
}

void conn_count(struct server_conn *conn)
{
	struct http_server *server = conn->server;

	count_waiting(conn, stream_queued(conn->stream) + conn->out_bytes);
	if (server->stats.waiting > server->options.max_waiting_all)
		http_server_drop_stalled(server, STALLED);
}

bool conn_is_full(const struct server_conn *conn)
{
	const struct http_server *server = conn->server;
	size_t limit = server->stats.waiting > server->options.max_waiting_all
			       ? LIMIT_CONNECTION_WAITING_SMALL
			       : server->options.max_waiting;

	return stream_queued(conn->stream) + conn->out_bytes > limit;
}

/* When the connection last sent something while bytes waited; single streams may be stuck longer. */
static int64_t last_taken(const struct server_conn *conn)
{
	int64_t at = stream_last_write(conn->stream);

	LIST_EACH(&conn->requests, struct http_request, link, request)
		if (request->out_at > at)
			at = request->out_at;
	return at;
}

void http_server_drop_stalled(struct http_server *server, int64_t stalled_us)
{
	int64_t now = loop_uptime(server->loop);

	if (server->dropped_at && now - server->dropped_at < TIME_SECOND)
		return; /* done a moment ago: not repeated for each request */
	server->dropped_at = now;
	LIST_EACH(&server->conns, struct server_conn, link, conn) {
		if (conn->doomed || conn->waiting < LIMIT_CONNECTION_WAITING_SMALL ||
		    last_taken(conn) + stalled_us > now)
			continue;
		server->stats.stalled++;
		conn_doom(conn);
	}
}

static void conn_free(struct server_conn *conn)
{
	struct http_server *server = conn->server;

	conn->doomed = true;
	list_remove(&conn->link);
	loop_defer_cancel(server->loop, &conn->doom);
	if (conn->protocol)
		conn->protocol->free(conn);
	count_waiting(conn, 0);
	if (conn->data_done)
		conn->data_done(conn->data);
	stream_free(conn->stream);
	deadline_done(&conn->deadline);
	mem_free(conn);
	server->stats.connections--;
	set_accepting(server);
	check_done(server);
}

static void on_doom(void *arg)
{
	conn_free(arg);
}

void conn_doom(struct server_conn *conn)
{
	conn->doomed = true;
	loop_defer(conn->server->loop, &conn->doom, on_doom, conn);
}

void conn_linger(struct server_conn *conn)
{
	if (conn->lingering || conn->doomed)
		return;
	conn->lingering = true;
	conn->since = loop_uptime(conn->server->loop);
	stream_end(conn->stream);
	stream_resume(conn->stream);
	conn_arm(conn, conn->since + LINGER);
}

void conn_arm(struct server_conn *conn, int64_t due)
{
	if (!conn->doomed)
		deadline_set(&conn->deadline, due);
}

static int64_t conn_due(const struct server_conn *conn)
{
	const struct http_server_options *options = &conn->server->options;

	if (conn->lingering) {
		if (stream_is_done(conn->stream))
			return conn->since + LINGER;
		/* Queued bytes get the time limit for writing. */
		return (stream_is_blocked(conn->stream) ? stream_last_write(conn->stream)
							: conn->since) +
		       options->write_us;
	}
	if (!conn->protocol)
		return conn->since + options->handshake_us;
	return conn->protocol->due(conn);
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct server_conn *conn = arg;
	int64_t soon = loop_uptime(conn->server->loop) + TIME_SECOND;
	int64_t due = conn_due(conn);

	(void)timer;
	deadline_fired(&conn->deadline);
	if (conn->doomed)
		return;
	if (due > loop_uptime(conn->server->loop)) {
		if (due < INT64_MAX)
			conn_arm(conn, due);
	} else if (conn->protocol && !conn->lingering) {
		conn->protocol->expire(conn);
		due = conn_due(conn);
		if (!conn->doomed && due < INT64_MAX) /* never without a delay */
			conn_arm(conn, due > soon ? due : soon);
	} else {
		conn_free(conn);
	}
}

static void choose_protocol(struct server_conn *conn, const struct server_protocol *protocol)
{
	conn->protocol = protocol;
	protocol->start(conn);
}

static void on_opened(struct stream *stream, void *arg)
{
	struct server_conn *conn = arg;

	if (conn->lingering || !stream_peer(stream)->tls)
		return;
	choose_protocol(conn, str_eq(stream_alpn(stream), STR("h2")) ? &server_h2 : &server_h1);
}

/* The first bytes of a plain connection. */
static void sniff(struct server_conn *conn, const char *data, size_t len)
{
	static const char preface[] = "PRI ";
	struct buf input = BUF_UNBOUNDED;
	size_t before = conn->sniffed_len;

	for (size_t i = 0; i < len && conn->sniffed_len < sizeof(conn->sniffed); i++)
		conn->sniffed[conn->sniffed_len++] = data[i];
	if (memcmp(conn->sniffed, preface, conn->sniffed_len) != 0)
		choose_protocol(conn, &server_h1);
	else if (conn->sniffed_len == sizeof(conn->sniffed))
		choose_protocol(conn, &server_h2);
	else
		return;
	if (before == 0) {
		conn->protocol->input(conn, data, len);
		return;
	}
	buf_put(&input, conn->sniffed, before);
	buf_put(&input, data, len);
	conn->protocol->input(conn, input.ptr, input.len);
	buf_done(&input);
}

static void on_data(struct stream *stream, const char *data, size_t len, void *arg)
{
	struct server_conn *conn = arg;

	(void)stream;
	if (conn->doomed || conn->lingering)
		return;
	if (conn->protocol)
		conn->protocol->input(conn, data, len);
	else
		sniff(conn, data, len);
}

static void on_ended(struct stream *stream, void *arg)
{
	struct server_conn *conn = arg;

	(void)stream;
	if (conn->lingering ? stream_is_done(conn->stream) : !conn->protocol)
		conn_free(conn);
	else if (!conn->lingering)
		conn->protocol->ended(conn);
}

static void on_flush(struct stream *stream, void *arg)
{
	struct server_conn *conn = arg;

	(void)stream;
	if (conn->protocol && conn->protocol->flush && !conn->doomed)
		conn->protocol->flush(conn);
	conn_count(conn);
	if (conn->waiting)
		conn_arm(conn, loop_uptime(conn->server->loop) + conn->server->options.write_us);
}

static void on_wrote(struct stream *stream, void *arg)
{
	struct server_conn *conn = arg;

	(void)stream;
	conn_count(conn);
	if (conn->doomed || conn->lingering || !conn->protocol)
		return;
	conn->protocol->wrote(conn);
}

static void on_closed(struct stream *stream, const struct err *err, void *arg)
{
	(void)stream;
	(void)err; /* a client that disconnects is not an error */
	conn_free(arg);
}

static const struct stream_events conn_events = {
	.opened = on_opened,
	.data = on_data,
	.ended = on_ended,
	.flush = on_flush,
	.wrote = on_wrote,
	.closed = on_closed,
};

void http_server_adopt(struct http_server *server, int fd, enum http_security security)
{
	struct server_conn *conn;

	if (server->closing || (security == HTTP_TLS && !server->tls)) {
		fd_close(fd);
		return;
	}
	conn = mem_new(struct server_conn);
	conn->server = server;
	conn->since = loop_uptime(server->loop);
	list_init(&conn->requests);
	list_push(&server->conns, &conn->link);
	deadline_init(&conn->deadline, server->loop, on_timer, conn);
	conn->stream = stream_adopt(server->loop, fd, security == HTTP_TLS ? server->tls : NULL,
				    str_none(), &conn_events, conn);
	server->stats.connections++;
	server->stats.accepted++;
	conn_arm(conn, conn->since + server->options.handshake_us);
	set_accepting(server);
}

/* ---- The server ---- */

static int64_t time_or(int64_t given, int64_t fallback)
{
	return given < 0 ? FOREVER : given == 0 ? fallback : given;
}

struct http_server *http_server_new(struct loop *loop, const struct http_server_options *options,
				    struct err *err)
{
	struct http_server *server;
	struct http_server_options *own;

	if (!options->handler) {
		err_set(err, ERR_INTERNAL, "an HTTP server needs a handler");
		return NULL;
	}
	server = mem_new(struct http_server);
	own = &server->options;
	*own = *options;
	own->max_connections = own->max_connections ? own->max_connections : LIMIT_CONNECTIONS;
	own->max_streams = own->max_streams ? own->max_streams : LIMIT_STREAMS;
	own->max_resets = own->max_resets ? own->max_resets : LIMIT_STREAM_RESETS;
	own->max_waiting = own->max_waiting ? own->max_waiting : LIMIT_CONNECTION_WAITING_BYTES;
	own->max_waiting_all =
		own->max_waiting_all ? own->max_waiting_all : LIMIT_SERVER_WAITING_BYTES;
	own->handshake_us = time_or(own->handshake_us, 10 * TIME_SECOND);
	own->header_us = time_or(own->header_us, 10 * TIME_SECOND);
	own->body_us = time_or(own->body_us, 60 * TIME_SECOND);
	own->idle_us = time_or(own->idle_us, 120 * TIME_SECOND);
	own->write_us = time_or(own->write_us, 60 * TIME_SECOND);
	server->loop = loop;
	server->date_second = -1;
	server->tls = options->tls ? tls_ref(options->tls) : NULL;
	list_init(&server->listeners);
	list_init(&server->conns);
	list_init(&server->spare);
	return server;
}

static void stop_listening(struct http_server *server)
{
	LIST_EACH(&server->listeners, struct server_listener, link, on) {
		list_remove(&on->link);
		listener_free(on->listener);
		mem_free(on);
	}
}

void http_server_free(struct http_server *server)
{
	if (!server)
		return;
	server->closing = true;
	server->done = NULL;
	stop_listening(server);
	while (!list_is_empty(&server->conns))
		conn_free(container_of(list_first(&server->conns), struct server_conn, link));
	LIST_EACH(&server->spare, struct http_request, link, request) {
		buf_done(&request->target);
		headers_done(&request->headers);
		headers_done(&request->reply);
		mem_free(request);
	}
	loop_defer_cancel(server->loop, &server->done_later);
	loop_timer_free(server->drain);
	tls_unref(server->tls);
	mem_free(server);
}

static void on_accept(int fd, void *arg)
{
	struct server_listener *on = arg;

	http_server_adopt(on->server, fd, on->security);
}

int http_server_listen(struct http_server *server, const struct address *address,
		       enum http_security security, struct address *ret_bound, struct err *err)
{
	struct server_listener *on = mem_new(struct server_listener);

	on->server = server;
	on->security = security;
	on->listener = listener_new(server->loop, address, on_accept, on, err);
	if (!on->listener) {
		mem_free(on);
		return -1;
	}
	list_push(&server->listeners, &on->link);
	if (server->paused)
		listener_pause(on->listener);
	if (ret_bound)
		*ret_bound = *listener_address(on->listener);
	return 0;
}

void http_server_set_tls(struct http_server *server, struct tls *tls)
{
	struct tls *old = server->tls;

	server->tls = tls_ref(tls);
	tls_unref(old);
}

static void on_done(void *arg)
{
	struct http_server *server = arg;
	http_server_done_fn *done = TAKE(server->done);

	if (done)
		done(server->done_arg);
}

static void check_done(struct http_server *server)
{
	if (server->closing && server->done && list_is_empty(&server->conns))
		loop_defer(server->loop, &server->done_later, on_done, server);
}

static void on_drained(struct loop_timer *timer, void *arg)
{
	struct http_server *server = arg;

	(void)timer;
	LIST_EACH(&server->conns, struct server_conn, link, conn)
		conn_doom(conn);
}

void http_server_shutdown(struct http_server *server, int64_t drain_us, http_server_done_fn *done,
			  void *arg)
{
	server->closing = true;
	server->done = done;
	server->done_arg = arg;
	stop_listening(server);
	if (!server->drain)
		server->drain = loop_timer_new(server->loop, on_drained, server);
	loop_timer_set(server->drain, drain_us);
	LIST_EACH(&server->conns, struct server_conn, link, conn) {
		if (conn->protocol)
			conn->protocol->shutdown(conn);
		else
			conn_doom(conn);
	}
	check_done(server);
}

void http_server_stats(const struct http_server *server, struct http_server_stats *ret)
{
	*ret = server->stats;
}

struct str server_date(struct http_server *server)
{
	int64_t second = loop_now(server->loop) / TIME_SECOND;

	if (second != server->date_second) {
		server->date_second = second;
		field_print_date(second * TIME_SECOND, server->date);
	}
	return str_from(server->date);
}
