/* SPDX-License-Identifier: Apache-2.0 */
/* http.h - bytes into an HTTP connection, for fuzz_http1.c and fuzz_http2.c.
 *
 * The first byte chooses the side (bit 0: the client's) and how the rest is cut into pieces. The
 * connection is a socket pair on a virtual loop; handlers and calls do what users do: read whole,
 * stream, pause, answer late, cancel. In the end time passes and everything is freed: asserts,
 * sanitizers and the leak checker are the judges. */
#ifndef FUZZ_HTTP_H
#define FUZZ_HTTP_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/time.h"
#include "http/headers.h"
#include "http/http_client.h"
#include "http/http_server.h"
#include "loop/loop.h"

struct fuzz {
	struct loop *loop;
	int fd; /* our end */
	struct http_request *held;
	struct http_call *calls[3];
	bool over; /* no more connections */
};

static inline void fuzz_all(struct http_request *request, struct str body, void *arg)
{
	(void)arg;
	http_reply(request, 200, STR("text/plain"), body);
}

static inline void fuzz_body(struct http_request *request, struct str data, void *arg)
{
	struct fuzz *fuzz = arg;

	if (data.len & 1) {
		http_request_pause(request);
		fuzz->held = request;
	}
}

static inline void fuzz_body_end(struct http_request *request, void *arg)
{
	struct fuzz *fuzz = arg;

	if (fuzz->held == request)
		fuzz->held = NULL;
	http_reply_start(request, 200, STR("text/plain"));
	http_reply_write(request, "piece", 5);
	http_reply_end(request);
}

static inline void fuzz_aborted(struct http_request *request, const struct err *why, void *arg)
{
	struct fuzz *fuzz = arg;

	(void)why;
	if (fuzz->held == request)
		fuzz->held = NULL;
}

static const struct http_request_events fuzz_request_events = {
	.body = fuzz_body,
	.body_end = fuzz_body_end,
	.aborted = fuzz_aborted,
};

static inline void fuzz_serve(struct http_request *request, void *arg)
{
	struct fuzz *fuzz = arg;
	struct str path = http_request_path(request);

	http_request_on(request, &fuzz_request_events, fuzz);
	switch (path.len > 1 ? path.ptr[1] : 0) {
	case 'a':
		http_request_read_all(request, 64, fuzz_all, fuzz);
		break;
	case 'r':
		http_request_read(request, 1000);
		break;
	case 'w':
		http_reply_start(request, 200, STR("text/plain"));
		http_reply_write(request, "watching\n", 9);
		if (fuzz->held)
			http_reply_end(request);
		else
			fuzz->held = request;
		break;
	case 'x':
		http_reply_abort(request);
		break;
	default:
		(void)http_request_query(request);
		http_reply(request, 404, str_none(), http_request_path(request));
		break;
	}
}

/* What was held goes on, now and then. */
static inline void fuzz_poke(struct fuzz *fuzz)
{
	struct http_request *request = fuzz->held;

	fuzz->held = NULL;
	if (!request)
		return;
	if (http_reply_is_started(request))
		http_reply_end(request);
	else
		http_request_resume(request);
}

static inline int fuzz_dial(void *arg, struct err *err)
{
	struct fuzz *fuzz = arg;
	int ends[2];

	if (fuzz->fd >= 0 || fuzz->over)
		return err_set(err, ERR_UNAVAILABLE, "one connection is enough");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0)
		abort();
	fuzz->fd = ends[1];
	return ends[0];
}

static inline void fuzz_forget(struct http_call *call, struct fuzz *fuzz)
{
	for (int i = 0; i < 3; i++)
		if (fuzz->calls[i] == call)
			fuzz->calls[i] = NULL;
}

static inline void fuzz_data(struct http_call *call, struct str data, void *arg)
{
	struct fuzz *fuzz = arg;

	if (data.len == 7) {
		fuzz_forget(call, fuzz);
		http_call_cancel(call);
	} else if (data.len & 1) {
		http_call_pause(call);
	}
}

static inline void fuzz_end(struct http_call *call, void *arg)
{
	(void)headers_get(http_call_headers(call), STR("x"));
	fuzz_forget(call, arg);
}

static inline void fuzz_failed(struct http_call *call, const struct err *err, enum http_sent sent,
			       void *arg)
{
	(void)err;
	(void)sent;
	fuzz_forget(call, arg);
}

static inline void fuzz_feed(struct fuzz *fuzz, const uint8_t *data, size_t size, size_t step)
{
	char sink[65536];

	while (size && fuzz->fd >= 0) {
		size_t part = step && step < size ? step : size;
		ssize_t sent = send(fuzz->fd, data, part, MSG_NOSIGNAL);

		loop_drain(fuzz->loop);
		while (recv(fuzz->fd, sink, sizeof(sink), 0) > 0)
			loop_drain(fuzz->loop);
		fuzz_poke(fuzz);
		for (int i = 0; i < 3; i++)
			if (fuzz->calls[i])
				http_call_resume(fuzz->calls[i]);
		if (sent <= 0)
			break;
		data += sent;
		size -= (size_t)sent;
	}
}

/* Nothing more comes: let every time limit pass, then hang up. */
static inline void fuzz_wind_down(struct fuzz *fuzz)
{
	int64_t end = loop_uptime(fuzz->loop) + 5 * TIME_MINUTE;

	loop_drain(fuzz->loop);
	fuzz_poke(fuzz);
	while (loop_uptime(fuzz->loop) < end)
		loop_turn(fuzz->loop, end - loop_uptime(fuzz->loop));
	fuzz->over = true; /* or a client that waits would dial once more */
	if (fuzz->fd >= 0)
		close(fuzz->fd);
	fuzz->fd = -1;
	loop_drain(fuzz->loop);
}

static inline void fuzz_server(const char *greeting, const uint8_t *data, size_t size, size_t step)
{
	struct fuzz fuzz = {.fd = -1, .loop = loop_new_virtual(1, 0, NULL)};
	struct http_server_options options = {.handler = fuzz_serve, .arg = &fuzz};
	struct http_server *server = http_server_new(fuzz.loop, &options, NULL);

	http_server_adopt(server, fuzz_dial(&fuzz, NULL), HTTP_PLAIN);
	fuzz_feed(&fuzz, (const uint8_t *)greeting, strlen(greeting), 0);
	fuzz_feed(&fuzz, data, size, step);
	fuzz_wind_down(&fuzz);
	http_server_free(server);
	loop_free(fuzz.loop);
}

static inline void fuzz_client(bool http2, const uint8_t *data, size_t size, size_t step)
{
	static const struct http_call_events whole = {.end = fuzz_end, .failed = fuzz_failed};
	static const struct http_call_events pieces = {
		.data = fuzz_data, .end = fuzz_end, .failed = fuzz_failed};
	struct fuzz fuzz = {.fd = -1, .loop = loop_new_virtual(1, 0, NULL)};
	struct http_client_options options = {.url = STR("http://x"),
					      .dial = fuzz_dial,
					      .dial_arg = &fuzz,
					      .http2_plain = http2,
					      .max_connections = 1};
	struct http_client *client = http_client_new(fuzz.loop, &options, NULL);

	for (int i = 0; i < 3; i++)
		fuzz.calls[i] = http_client_call(
			client, &(struct http_call_options){
					.method = i == 1 ? STR("POST") : STR("GET"),
					.target = STR("/"),
					.body = i == 1 ? STR("body") : str_none(),
					.max_body = 100,
					.deadline_us = i == 2 ? TIME_MINUTE : 0,
					.events = i == 0 ? &pieces : &whole,
					.arg = &fuzz,
				});
	loop_drain(fuzz.loop);
	fuzz_feed(&fuzz, data, size, step);
	fuzz_wind_down(&fuzz);
	http_client_free(client);
	loop_free(fuzz.loop);
}

#endif
