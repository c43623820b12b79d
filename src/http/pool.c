/* SPDX-License-Identifier: Apache-2.0 */
/* http/pool.c - connections of a client, and which call goes where.
 *
 * Calls wait in one queue per class. At the end of the turn they are assigned, oldest first, to
 * connections that can take more calls. If there is none, a new connection is dialled: one at a time
 * as long as the server may use HTTP/2, one per waiting call once it is known that it does not.
 *
 * 1. A call is in exactly one list: a queue, or a connection's calls (conn != NULL).
 * 2. Connections are freed from callbacks of their stream or by doom() only. */
#include <assert.h>

#include "base/mem.h"
#include "base/time.h"
#include "http/client_internal.h"
#include "http/tls.h"

#include "base/banned.h"

enum { MAX_H1 = 64, MAX_H2 = 4 };

/* After a failed attempt, if other connections work, wait this long before the next one. */
#define DIAL_PAUSE TIME_SECOND

/* ---- Connections ---- */

static void fail_calls(struct client_conn *conn)
{
	while (!list_is_empty(&conn->calls)) {
		struct http_call *call =
			container_of(list_first(&conn->calls), struct http_call, link);

		if (call->in_ended) { /* the response is complete, only its user has paused it */
			pool_detach(call);
			list_push(&conn->client->arrived, &call->link);
		} else {
			call_fail(call, &conn->why, call->sent ? HTTP_MAYBE_SENT : HTTP_NOT_SENT);
		}
	}
}

/* Can one of the existing connections serve waiting calls later? Ordinary calls end and free their
 * connection. Long-lived calls do not, so that for them only a connection that is being opened
 * counts. */
static bool can_be_served(const struct http_client *client, enum call_class class)
{
	LIST_EACH(&client->conns[class], struct client_conn, link, conn)
		if (!conn->retired && !conn->doomed && (!conn->protocol || class == CALL_ORDINARY))
			return true;
	return false;
}

/* A connection could not be opened: fails the calls that no other connection can serve. */
static void fail_waiting(struct http_client *client, enum call_class class, const struct err *err)
{
	struct list failing = LIST_INIT(failing);

	client->no_dial_before[class] = loop_uptime(client->loop) + DIAL_PAUSE;
	if (can_be_served(client, class))
		return;
	list_splice(
		&failing,
		&client->waiting[class]); /* calls that callbacks add get an attempt of their own */
	while (!list_is_empty(&failing))
		call_fail(container_of(list_first(&failing), struct http_call, link), err,
			  HTTP_NOT_SENT);
}

static void conn_free(struct client_conn *conn)
{
	struct http_client *client = conn->client;

	conn->doomed = true;
	if (list_is_linked(&conn->link)) {
		list_remove(&conn->link);
		client->conn_count[conn->class]--;
	}
	fail_calls(conn);
	loop_defer_cancel(client->loop, &conn->doom);
	if (conn->protocol)
		conn->protocol->free(conn);
	stream_free(conn->stream);
	deadline_done(&conn->deadline);
	mem_free(conn);
}

/* Closes the connection; conn->why is the reason. */
static void conn_end(struct client_conn *conn)
{
	struct http_client *client = conn->client;
	bool connected = conn->protocol || conn->retired;
	enum call_class class = conn->class;
	struct err why = conn->why;

	conn_free(conn);
	if (!connected)
		fail_waiting(client, class, &why);
	pool_dispatch(client);
}

static void on_doom(void *arg)
{
	conn_end(arg);
}

void conn_fail(struct client_conn *conn, const struct err *err)
{
	if (conn->doomed)
		return;
	conn->doomed = true;
	conn->why = *err;
	loop_defer(conn->client->loop, &conn->doom, on_doom, conn);
}

void conn_retire(struct client_conn *conn)
{
	struct err err;

	conn->retired = true;
	if (conn->call_count || !conn->protocol)
		return;
	err_set(&err, ERR_UNAVAILABLE, "the connection is no longer used");
	conn_fail(conn, &err);
}

void conn_arm_client(struct client_conn *conn, int64_t due)
{
	if (!conn->doomed)
		deadline_set(&conn->deadline, due);
}

static int64_t conn_due(const struct client_conn *conn)
{
	int64_t due = INT64_MAX;

	if (!conn->protocol) /* a moment after stream_connect() would have failed itself */
		return conn->idle_since + conn->client->options.connect_us + TIME_MILLISECOND;
	if (conn->call_count == 0)
		return conn->idle_since + conn->client->options.idle_us;
	if (conn->protocol->due)
		due = conn->protocol->due(conn);
	return due;
}

static void expire(struct client_conn *conn)
{
	struct err err;

	if (!conn->protocol) {
		err_set(&err, ERR_TIMEOUT, "connect to %s: no answer within %.3g s",
			conn->client->authority,
			(double)conn->client->options.connect_us / (double)TIME_SECOND);
		conn_fail(conn, &err);
	} else if (conn->call_count == 0) {
		conn_retire(conn);
	} else {
		conn->protocol->expire(conn);
	}
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct client_conn *conn = arg;
	int64_t soon = loop_uptime(conn->client->loop) + TIME_SECOND;
	int64_t due = conn_due(conn);

	(void)timer;
	deadline_fired(&conn->deadline);
	if (conn->doomed)
		return;
	if (due <= loop_uptime(conn->client->loop)) {
		expire(conn);
		due = conn_due(conn);
		if (due < soon) /* never without a delay */
			due = soon;
	}
	if (due < INT64_MAX)
		conn_arm_client(conn, due);
}

void pool_detach(struct http_call *call)
{
	struct client_conn *conn = call->conn;

	assert(conn);
	list_remove(&call->link);
	call->conn = NULL;
	conn->call_count--;
	if (conn->call_count == 0) {
		conn->idle_since = loop_uptime(conn->client->loop);
		if (conn->retired)
			conn_retire(conn);
		else
			conn_arm_client(conn, conn_due(conn));
	}
	if (conn->client->waiting_count[conn->class])
		pool_dispatch(conn->client);
}

/* ---- Their streams ---- */

static void on_opened(struct stream *stream, void *arg)
{
	struct client_conn *conn = arg;
	struct http_client *client = conn->client;
	bool h2 = client->secure ? str_eq(stream_alpn(stream), STR("h2"))
				 : client->options.http2_plain;

	if (conn->doomed)
		return;
	conn->protocol = h2 ? &client_h2 : &client_h1;
	client->known = conn->protocol->version;
	conn->idle_since = loop_uptime(client->loop);
	conn->protocol->start(conn);
	conn_arm_client(conn, conn_due(conn));
	if (conn->retired)
		conn_retire(conn);
	pool_dispatch(client);
}

static void on_data(struct stream *stream, const char *data, size_t len, void *arg)
{
	struct client_conn *conn = arg;

	(void)stream;
	if (!conn->doomed && conn->protocol)
		conn->protocol->input(conn, data, len);
}

static void on_ended(struct stream *stream, void *arg)
{
	struct client_conn *conn = arg;
	struct err err;

	(void)stream;
	if (conn->doomed)
		return;
	if (conn->protocol)
		conn->protocol->ended(conn);
	err_set(&err, ERR_UNAVAILABLE, "the server closed the connection");
	conn_fail(conn, &err);
}

static void on_flush(struct stream *stream, void *arg)
{
	struct client_conn *conn = arg;

	(void)stream;
	if (conn->protocol && conn->protocol->flush && !conn->doomed)
		conn->protocol->flush(conn);
}

static void on_wrote(struct stream *stream, void *arg)
{
	struct client_conn *conn = arg;

	(void)stream;
	if (conn->protocol && !conn->doomed)
		conn->protocol->wrote(conn);
}

static void on_closed(struct stream *stream, const struct err *err, void *arg)
{
	struct client_conn *conn = arg;

	(void)stream;
	if (!conn->doomed)
		conn->why = *err;
	conn_end(conn);
}

static const struct stream_events conn_events = {
	.opened = on_opened,
	.data = on_data,
	.ended = on_ended,
	.flush = on_flush,
	.wrote = on_wrote,
	.closed = on_closed,
};

/* Makes the stream. NULL: it failed at once. */
static struct stream *dial(struct client_conn *conn, struct err *err)
{
	struct http_client *client = conn->client;
	struct tls *tls = client->secure ? client->tls : NULL;
	struct stream_target target = {
		.host = str_from(client->host),
		.port = client->port,
		.tls = tls,
		.timeout_us = client->options.connect_us,
	};
	int fd;

	if (client->options.dial) {
		fd = client->options.dial(client->options.dial_arg, err);
		if (fd < 0)
			return NULL;
		return stream_adopt(client->loop, fd, tls, target.host, &conn_events, conn);
	}
	if (client->unix_path) {
		AUTO(mem_free) char *text = mem_printf("unix:%s", client->unix_path);

		if (address_parse(str_from(text), &target.address, err) < 0)
			return NULL;
	}
	return stream_connect(client->loop, &target, &conn_events, conn);
}

static void open_conn(struct http_client *client, enum call_class class)
{
	struct client_conn *conn = mem_new(struct client_conn);
	struct err err = {0};

	conn->client = client;
	conn->class = class;
	list_init(&conn->calls);
	client->dialled++;
	conn->stream = dial(conn, &err);
	if (!conn->stream) {
		mem_free(conn);
		err.code = ERR_UNAVAILABLE;
		fail_waiting(client, class, &err);
		return;
	}
	deadline_init(&conn->deadline, client->loop, on_timer, conn);
	conn->idle_since = loop_uptime(client->loop);
	list_push(&client->conns[class], &conn->link);
	client->conn_count[class]++;
	conn_arm_client(conn, conn_due(conn));
}

void pool_free(struct http_client *client)
{
	for (size_t i = 0; i < CALL_CLASS_COUNT; i++)
		while (!list_is_empty(&client->conns[i]))
			conn_free(container_of(list_first(&client->conns[i]), struct client_conn,
					       link));
}

/* ---- Assigning calls to connections ---- */

static void give(struct client_conn *conn, struct http_call *call)
{
	conn->client->waiting_count[conn->class]--;
	call->conn = conn;
	call->version = conn->protocol->version;
	list_push(&conn->calls, &call->link);
	conn->call_count++;
	conn->protocol->send(call);
}

/* Assigns calls to open connections, oldest first. */
static void give_out(struct http_client *client, enum call_class class)
{
	LIST_EACH(&client->conns[class], struct client_conn, link, conn) {
		size_t slots;

		if (!conn->protocol || conn->retired || conn->doomed)
			continue;
		slots = conn->protocol->slots(conn);
		for (struct list *node; slots && (node = list_pop(&client->waiting[class]));
		     slots--)
			give(conn, container_of(node, struct http_call, link));
		conn_arm_client(conn, conn_due(conn));
	}
}

/* How many connections to dial for the calls that still wait. */
static size_t count_wanted(const struct http_client *client, enum call_class class)
{
	const struct http_client_options *options = &client->options;
	size_t opening = 0, waiting = client->waiting_count[class], max;

	LIST_EACH(&client->conns[class], struct client_conn, link, conn)
		opening += !conn->protocol && !conn->retired && !conn->doomed;
	if (class == CALL_LONG_LIVED)
		max = options->max_watches;
	else if (options->max_connections)
		max = options->max_connections;
	else
		max = client->known == 11 ? MAX_H1 : MAX_H2;
	if (client->conn_count[class] >= max || waiting <= opening)
		return 0;
	if (loop_uptime(client->loop) < client->no_dial_before[class] &&
	    can_be_served(client, class))
		return 0;
	if (client->known != 11)
		return opening ? 0 : 1;
	max -= client->conn_count[class];
	return waiting - opening < max ? waiting - opening : max;
}

static void fail_wrong(struct http_client *client)
{
	while (!list_is_empty(&client->wrong)) {
		struct http_call *call =
			container_of(list_first(&client->wrong), struct http_call, link);

		call_fail(call, &call->wrong, HTTP_NOT_SENT);
	}
}

static void on_dispatch(void *arg)
{
	struct http_client *client = arg;

	fail_wrong(client);
	for (int i = 0; i < CALL_CLASS_COUNT; i++) {
		enum call_class class = (enum call_class)i;

		give_out(client, class);
		for (size_t wanted = count_wanted(client, class); wanted; wanted--)
			open_conn(client, class);
	}
}

void pool_dispatch(struct http_client *client)
{
	loop_defer(client->loop, &client->dispatch, on_dispatch, client);
}
