/* SPDX-License-Identifier: Apache-2.0 */
/* fixture.h - a server and a client against each other on one virtual loop, over socket pairs.
 *
 * The server knows these paths: /echo (body, or "hello"), /stream (two pieces and the end),
 * /watch (a line, then it is held), /hold (held without an answer), /upload (counts a streamed
 * body), /big?n=N, /abort, /fields, /who. What is held is in world.held. */
#ifndef HTTP_TEST_FIXTURE_H
#define HTTP_TEST_FIXTURE_H

#include <sys/socket.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/time.h"
#include "base/url.h"
#include "http/cert.h"
#include "http/chunk.h"
#include "http/headers.h"
#include "http/http_client.h"
#include "http/http_server.h"
#include "http/stream.h"
#include "http/tls.h"
#include "loop/loop.h"
#include "tap.h"

#define START (INT64_C(1700000000) * TIME_SECOND)

struct world {
	struct loop *loop;
	struct http_server *server;
	struct http_client *client;
	enum http_security security;
	struct cert_pair ca, server_cert, client_cert;
	struct tls *server_tls, *client_tls;

	struct http_request *held; /* the last one; NULL once it was aborted */
	int aborted;
	struct err why;
	int writable;
	size_t uploaded;
	bool pause_upload; /* pause after the first piece */
	size_t limit;      /* of /echo; 0: the default */
	bool refuse_dial;
	int dialled;
};

static inline void world_aborted(struct http_request *request, const struct err *why, void *arg)
{
	struct world *world = arg;

	if (world->held == request)
		world->held = NULL;
	world->aborted++;
	world->why = *why;
}

static inline void world_writable(struct http_request *request, void *arg)
{
	struct world *world = arg;

	(void)request;
	world->writable++;
}

static inline void world_body(struct http_request *request, struct str data, void *arg)
{
	struct world *world = arg;

	world->uploaded += data.len;
	if (world->pause_upload)
		http_request_pause(request);
}

static inline void world_body_end(struct http_request *request, void *arg)
{
	struct world *world = arg;
	AUTO(mem_free) char *text = mem_printf("%zu", world->uploaded);

	world->held = NULL;
	http_reply(request, 200, STR("text/plain"), str_from(text));
}

static const struct http_request_events world_events = {
	.body = world_body,
	.body_end = world_body_end,
	.writable = world_writable,
	.aborted = world_aborted,
};

static inline void world_echo(struct http_request *request, struct str body, void *arg)
{
	(void)arg;
	http_reply(request, 200, STR("text/plain"), body.len ? body : STR("hello"));
}

static inline void world_fields(struct http_request *request)
{
	const struct headers *headers = http_request_headers(request);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_printf(&text, "%.*s %.*s\n", STR_ARG(http_request_method_name(request)),
		   STR_ARG(http_request_path(request)));
	for (size_t i = 0; i < headers_count(headers); i++)
		buf_printf(&text, "%.*s: %.*s\n", STR_ARG(headers_name(headers, i)),
			   STR_ARG(headers_value(headers, i)));
	headers_put(http_reply_headers(request), STR("x-test"), STR("yes"));
	headers_put(http_reply_headers(request), STR("connection"), STR("ignored"));
	http_reply(request, 203, STR("text/plain"), buf_str(&text));
}

static inline void world_who(struct http_request *request)
{
	const struct stream_peer *peer = http_request_peer(request);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_printf(&text, "%s", peer->name ? peer->name : "nobody");
	for (size_t i = 0; i < peer->group_count; i++)
		buf_printf(&text, " %s", peer->groups[i]);
	http_reply(request, 200, STR("text/plain"), buf_str(&text));
}

static inline void world_big(struct http_request *request)
{
	uint64_t len = 0;
	struct chunk *chunk;

	if (number_parse_u64(query_get(http_request_query(request), STR("n")), &len, NULL) < 0)
		len = 0;
	chunk = chunk_alloc(len);
	memset(chunk->ptr, 'x', len);
	http_reply_chunk(request, 200, STR("text/plain"), chunk);
	chunk_unref(chunk);
}

static inline void world_serve(struct http_request *request, void *arg)
{
	struct world *world = arg;
	struct str path = http_request_path(request);

	http_request_on(request, &world_events, world);
	if (str_is(path, "/echo")) {
		http_request_read_all(request, world->limit, world_echo, world);
	} else if (str_is(path, "/stream")) {
		http_reply_start(request, 200, STR("text/plain"));
		http_reply_write(request, "one ", 4);
		http_reply_write(request, "two", 3);
		http_reply_end(request);
	} else if (str_is(path, "/watch")) {
		http_reply_start(request, 200, STR("text/plain"));
		http_reply_write(request, "watching\n", 9);
		world->held = request;
	} else if (str_is(path, "/hold")) {
		world->held = request;
	} else if (str_is(path, "/upload")) {
		world->held = request;
		world->uploaded = 0;
		http_request_read(request, SIZE_MAX);
	} else if (str_is(path, "/big")) {
		world_big(request);
	} else if (str_is(path, "/abort")) {
		http_reply_abort(request);
	} else if (str_is(path, "/fields")) {
		world_fields(request);
	} else if (str_is(path, "/who")) {
		world_who(request);
	} else {
		http_reply(request, 404, str_none(), STR("no such path"));
	}
}

/* A pair of sockets, one end of which the server serves. */
static inline int world_dial(void *arg, struct err *err)
{
	struct world *world = arg;
	int ends[2];

	world->dialled++;
	if (world->refuse_dial)
		return err_set(err, ERR_UNAVAILABLE, "refused by the test");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0)
		return err_set(err, ERR_INTERNAL, "socketpair");
	http_server_adopt(world->server, ends[0], world->security);
	return ends[1];
}

static inline void world_certify(struct world *world)
{
	static const char *const hosts[] = {"localhost", "127.0.0.1"};
	static const char *const groups[] = {"system:masters", "devs"};
	struct cert_request ask = {.name = "test-ca", .now = START, .lifetime = 100 * TIME_DAY};
	struct err err;
	int rc = cert_new_ca(&ask, &world->ca, &err);

	ask.name = "server";
	ask.hosts = hosts;
	ask.host_count = 2;
	rc |= cert_new_server(&world->ca, &ask, &world->server_cert, &err);
	ask.name = "admin";
	ask.hosts = NULL;
	ask.host_count = 0;
	ask.groups = groups;
	ask.group_count = 2;
	rc |= cert_new_client(&world->ca, &ask, &world->client_cert, &err);
	ok(rc == 0, "certificates are made");
	world->server_tls = tls_server_new(
		&(struct tls_server_options){.certificate = str_from(world->server_cert.cert),
					     .key = str_from(world->server_cert.key),
					     .client_ca = str_from(world->ca.cert),
					     .clients = TLS_CLIENTS_OPTIONAL},
		&err);
	world->client_tls =
		tls_client_new(&(struct tls_client_options){.ca = str_from(world->ca.cert)}, &err);
	ok(world->server_tls && world->client_tls, "both sides of TLS stand");
}

enum transport { PLAIN_1, PLAIN_2, TLS_1, TLS_2, TRANSPORT_COUNT };
static const char *const transport_names[] = {"HTTP/1.1", "HTTP/2", "HTTP/1.1 over TLS",
					      "HTTP/2 over TLS"};

static inline struct http_client *world_client(struct world *world, enum transport transport,
					       const struct http_client_options *more)
{
	struct http_client_options options = more ? *more : (struct http_client_options){0};
	struct tls_client_options tls = {.ca = str_from(world->ca.cert), .alpn = TLS_ALPN_HTTP1};
	struct http_client *client;
	struct tls *own = NULL;
	struct err err;

	world->security = transport >= TLS_1 ? HTTP_TLS : HTTP_PLAIN;
	if (transport == TLS_1)
		own = tls_client_new(&tls, &err);
	if (!options.dial && !options.unix_path.len && !options.url.len)
		options.dial = world_dial;
	options.dial_arg = world;
	if (!options.url.len)
		options.url =
			transport >= TLS_1 ? STR("https://localhost") : STR("http://localhost");
	if (!options.tls)
		options.tls = own ? own : world->client_tls;
	options.http2_plain = transport == PLAIN_2;
	client = http_client_new(world->loop, &options, &err);
	ok(client != NULL, "a client for %s%s", transport_names[transport], client ? "" : err.text);
	tls_unref(own);
	return client;
}

static inline void world_init(struct world *world, const struct http_server_options *more)
{
	struct http_server_options options = more ? *more : (struct http_server_options){0};
	struct err err;

	*world = (struct world){0};
	world->loop = loop_new_virtual(1, START, &err);
	world_certify(world);
	options.handler = world_serve;
	options.arg = world;
	options.tls = world->server_tls;
	world->server = http_server_new(world->loop, &options, &err);
	ok(world->server != NULL, "a server");
}

static inline void world_done(struct world *world)
{
	http_client_free(world->client);
	http_server_free(world->server);
	tls_unref(world->server_tls);
	tls_unref(world->client_tls);
	cert_pair_done(&world->ca);
	cert_pair_done(&world->server_cert);
	cert_pair_done(&world->client_cert);
	loop_free(world->loop);
}

/* Let time pass. */
static inline void world_pass(struct world *world, int64_t us)
{
	int64_t end = loop_uptime(world->loop) + us;

	loop_drain(world->loop);
	while (loop_uptime(world->loop) < end)
		loop_turn(world->loop, end - loop_uptime(world->loop));
	loop_drain(world->loop);
}

/* ---- Calls ---- */

struct result {
	struct http_call *call;
	int heads, ends, failures, writable;
	int status;
	int version;
	struct buf body;
	struct err err;
	enum http_sent sent;
	bool pause;  /* at the first piece */
	bool cancel; /* at the first piece */
	size_t pieces;
};

static inline void result_head(struct http_call *call, void *arg)
{
	struct result *result = arg;

	result->heads++;
	result->status = http_call_status(call);
	result->version = http_call_version(call);
}

static inline void result_data(struct http_call *call, struct str data, void *arg)
{
	struct result *result = arg;

	result->pieces++;
	buf_put_str(&result->body, data);
	if (result->pause)
		http_call_pause(call);
	if (result->cancel) {
		http_call_cancel(call);
		result->call = NULL;
	}
}

static inline void result_end(struct http_call *call, void *arg)
{
	struct result *result = arg;

	if (http_call_body(call).len)
		buf_put_str(&result->body, http_call_body(call));
	result->ends++;
	result->call = NULL;
}

static inline void result_failed(struct http_call *call, const struct err *err, enum http_sent sent,
				 void *arg)
{
	struct result *result = arg;

	(void)call;
	result->failures++;
	result->err = *err;
	result->sent = sent;
	result->call = NULL;
}

static inline void result_writable(struct http_call *call, void *arg)
{
	struct result *result = arg;

	(void)call;
	result->writable++;
}

/* The body collected by the client, or piece by piece. */
static const struct http_call_events whole_events = {.head = result_head,
						     .end = result_end,
						     .failed = result_failed,
						     .writable = result_writable};
static const struct http_call_events piece_events = {.head = result_head,
						     .data = result_data,
						     .end = result_end,
						     .failed = result_failed,
						     .writable = result_writable};

static inline void result_start(struct result *result, struct http_client *client,
				struct http_call_options options)
{
	buf_done(&result->body);
	*result = (struct result){
		.body = BUF_UNBOUNDED, .pause = result->pause, .cancel = result->cancel};
	if (!options.events)
		options.events = &whole_events;
	if (!options.method.len)
		options.method = STR("GET");
	options.arg = result;
	result->call = http_client_call(client, &options);
}

#endif
