/* SPDX-License-Identifier: Apache-2.0 */
/* http/http_client.c - calls: the public part of the client, the same for both protocols.
 *
 * 1. A call ends once: by `end`, `failed` or http_call_cancel(). From then on it is `over`, belongs to
 *    no connection, and is freed when the last of its callbacks has returned.
 * 2. `body` holds at most max_body when it is collected; while paused at most what the server was
 *    allowed to send. */
#include "http/http_client.h"

#include <assert.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/url.h"
#include "http/chunk.h"
#include "http/client_internal.h"
#include "http/tls.h"

#include "base/banned.h"

#define FOREVER (INT64_MAX / 4)

/* ---- The client ---- */

static int64_t time_or(int64_t given, int64_t fallback)
{
	return given < 0 ? FOREVER : given == 0 ? fallback : given;
}

static void set_defaults(struct http_client_options *options)
{
	options->connect_us = time_or(options->connect_us, 30 * TIME_SECOND);
	options->idle_us = time_or(options->idle_us, 90 * TIME_SECOND);
	options->ping_us = time_or(options->ping_us, 30 * TIME_SECOND);
	options->pong_us = time_or(options->pong_us, 15 * TIME_SECOND);
	options->max_watches = options->max_watches ? options->max_watches : 1000;
	options->max_streams = options->max_streams ? options->max_streams : SIZE_MAX;
}

static char *make_authority(const struct url *url)
{
	bool v6 = str_find_byte(url->host, ':', 0) >= 0;
	int standard = str_is(url->scheme, "https") ? 443 : 80;
	AUTO(mem_free) char *host = mem_printf(v6 ? "[%.*s]" : "%.*s", STR_ARG(url->host));

	if (url->port == standard)
		return TAKE(host);
	return mem_printf("%s:%d", host, url->port);
}

struct http_client *http_client_new(struct loop *loop, const struct http_client_options *options,
				    struct err *err)
{
	struct http_client *client;
	struct str base;
	struct url url;

	if (url_parse(options->url, &url, err) < 0)
		return NULL;
	if (str_is(url.scheme, "https") && !options->tls) {
		err_set(err, ERR_INVALID, "%.*s requires TLS", STR_ARG(options->url));
		return NULL;
	}
	client = mem_new(struct http_client);
	client->loop = loop;
	client->options = *options;
	set_defaults(&client->options);
	client->secure = str_is(url.scheme, "https");
	client->host = str_dup(url.host);
	client->port = url.port;
	client->authority = make_authority(&url);
	base = url.path;
	while (base.len && base.ptr[base.len - 1] == '/')
		base.len--;
	client->base = str_dup(base);
	if (options->unix_path.len)
		client->unix_path = str_dup(options->unix_path);
	client->tls = options->tls ? tls_ref(options->tls) : NULL;
	list_init(&client->wrong);
	list_init(&client->arrived);
	for (size_t i = 0; i < CALL_CLASS_COUNT; i++) {
		list_init(&client->waiting[i]);
		list_init(&client->conns[i]);
	}
	return client;
}

void http_client_free(struct http_client *client)
{
	if (!client)
		return;
	LIST_EACH(&client->wrong, struct http_call, link, call)
		http_call_cancel(call);
	for (size_t i = 0; i < CALL_CLASS_COUNT; i++) {
		LIST_EACH(&client->waiting[i], struct http_call, link, call)
			http_call_cancel(call);
		LIST_EACH(&client->conns[i], struct client_conn, link, conn)
			LIST_EACH(&conn->calls, struct http_call, link, call)
				http_call_cancel(call);
	}
	pool_free(client);
	loop_defer_cancel(client->loop, &client->dispatch);
	tls_unref(client->tls);
	mem_free(client->host);
	mem_free(client->authority);
	mem_free(client->base);
	mem_free(client->unix_path);
	mem_free(client);
}

void http_client_set_tls(struct http_client *client, struct tls *tls)
{
	struct tls *old = client->tls;

	client->tls = tls_ref(tls);
	tls_unref(old);
	for (size_t i = 0; i < CALL_CLASS_COUNT; i++)
		LIST_EACH(&client->conns[i], struct client_conn, link, conn)
			conn_retire(conn);
}

void http_client_stats(const struct http_client *client, struct http_client_stats *ret)
{
	ret->connections = client->conn_count[CALL_ORDINARY] + client->conn_count[CALL_LONG_LIVED];
	ret->watches = client->conn_count[CALL_LONG_LIVED];
	ret->calls = client->call_count;
	ret->waiting =
		client->waiting_count[CALL_ORDINARY] + client->waiting_count[CALL_LONG_LIVED];
	ret->dialled = client->dialled;
}

/* ---- A call's life ---- */

static void free_call(struct http_call *call)
{
	loop_defer_cancel(call->client->loop, &call->deliver);
	loop_timer_free(call->timer);
	mem_free(call->method);
	mem_free(call->target);
	headers_done(&call->headers);
	headers_done(&call->reply);
	pieces_done(&call->out);
	buf_done(&call->body);
	mem_free(call);
}

static void enter(struct http_call *call)
{
	call->depth++;
}

/* Is the call still active? */
static bool leave(struct http_call *call)
{
	bool over = call->over;

	if (--call->depth == 0 && over)
		free_call(call);
	return !over;
}

/* Removes the call from its queue or connection. After this only the final callback may follow. */
static void finish(struct http_call *call)
{
	assert(!call->over);
	call->over = true;
	call->client->call_count--;
	if (call->timer)
		loop_timer_stop(call->timer);
	loop_defer_cancel(call->client->loop, &call->deliver);
	if (call->conn) {
		pool_detach(call);
	} else {
		list_remove(&call->link);
		if (!call->is_wrong && !call->in_ended)
			call->client->waiting_count[call->class]--;
	}
}

void call_fail(struct http_call *call, const struct err *err, enum http_sent sent)
{
	struct err copy = *err; /* it may belong to the connection, which is freed */

	enter(call);
	finish(call);
	if (call->events->failed)
		call->events->failed(call, &copy, sent, call->arg);
	(void)leave(call); /* nothing follows */
}

void http_call_cancel(struct http_call *call)
{
	if (!call)
		return;
	enter(call);
	if (call->conn)
		call->conn->protocol->cancel(call);
	finish(call);
	(void)leave(call); /* nothing follows */
}

/* ---- What arrives ---- */

void call_head(struct http_call *call)
{
	call->has_head = true;
	call->last_data = loop_uptime(call->client->loop);
	enter(call);
	if (call->events->head)
		call->events->head(call, call->arg);
	(void)leave(call); /* the protocols hold the call and check `over` themselves */
}

static void too_large(struct http_call *call)
{
	struct err err;

	err_set(&err, ERR_TOO_LARGE, "the response has more than %zu bytes", call->max_body);
	call->conn->protocol->cancel(call);
	call_fail(call, &err, HTTP_MAYBE_SENT);
}

size_t call_data(struct http_call *call, const char *data, size_t len)
{
	call->last_data = loop_uptime(call->client->loop);
	if (!call->events->data) {
		if (call->body.len + len > call->max_body) {
			too_large(call);
			return len;
		}
		buf_put(&call->body, data, len);
		return len;
	}
	if (call->paused || call->body.len || call->deliver.queued) {
		buf_put(&call->body, data, len);
		call->kept += len;
		return 0;
	}
	enter(call);
	call->events->data(call, str_of(data, len), call->arg);
	(void)leave(call); /* as in call_head() */
	return len;
}

void call_ended(struct http_call *call)
{
	call->in_ended = true;
	if (call->events->data && (call->paused || call->kept || call->deliver.queued))
		return; /* deliver() ends it */
	enter(call);
	finish(call);
	if (call->events->end)
		call->events->end(call, call->arg);
	(void)leave(call); /* nothing follows */
}

/* Delivers what was kept during a pause. */
static void deliver(void *arg)
{
	struct http_call *call = arg;
	size_t kept = call->kept;

	if (call->paused)
		return;
	if (kept) {
		struct buf held = call->body;

		call->body = buf_make(held.limit);
		call->kept = 0;
		enter(call);
		call->events->data(call, buf_str(&held), call->arg);
		buf_done(&held);
		if (!leave(call))
			return;
	}
	if (call->conn)
		call->conn->protocol->read(call, kept);
	if (call->in_ended && !call->paused)
		call_ended(call);
}

void http_call_pause(struct http_call *call)
{
	if (call->paused || call->over)
		return;
	call->paused = true;
	if (call->conn && !call->in_ended)
		call->conn->protocol->read(call, 0);
}

void http_call_resume(struct http_call *call)
{
	if (!call->paused || call->over)
		return;
	call->paused = false;
	call->last_data = loop_uptime(call->client->loop);
	if (call->conn || call->in_ended)
		loop_defer(call->client->loop, &call->deliver, deliver, call);
}

/* ---- Time limits ---- */

static int64_t call_due(const struct http_call *call)
{
	int64_t at = call->deadline;

	if (!call->has_head && call->head_by < at)
		at = call->head_by;
	if (call->has_head && call->idle_us && !call->paused &&
	    call->last_data + call->idle_us < at)
		at = call->last_data + call->idle_us;
	return at;
}

static void call_arm(struct http_call *call)
{
	int64_t now = loop_uptime(call->client->loop);
	int64_t due = call_due(call);

	/* The limit between two pieces starts with the head, so the timer fires at that time at the
	 * latest. */
	if (call->idle_us && due > now + call->idle_us)
		due = now + call->idle_us;
	if (due < INT64_MAX)
		loop_timer_set(call->timer, due > now ? due - now : 0);
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct http_call *call = arg;
	int64_t now = loop_uptime(call->client->loop);
	struct err err;

	(void)timer;
	if (call_due(call) > now) {
		call_arm(call);
		return;
	}
	if (call->deadline <= now)
		err_set(&err, ERR_TIMEOUT, "%s %s: not finished in time", call->method,
			call->target);
	else
		err_set(&err, ERR_TIMEOUT, "%s %s: no %s in time", call->method, call->target,
			call->has_head ? "further data" : "answer");
	if (call->conn)
		call->conn->protocol->cancel(call);
	call_fail(call, &err, call->sent ? HTTP_MAYBE_SENT : HTTP_NOT_SENT);
}

static void set_limits(struct http_call *call, const struct http_call_options *options)
{
	int64_t now = loop_uptime(call->client->loop);

	call->deadline = options->deadline_us > 0 ? now + options->deadline_us : INT64_MAX;
	call->head_by = options->head_us > 0 ? now + options->head_us : INT64_MAX;
	call->idle_us = options->idle_us > 0 ? options->idle_us : 0;
	if (options->deadline_us <= 0 && options->head_us <= 0 && options->idle_us <= 0)
		return;
	call->timer = loop_timer_new(call->client->loop, on_timer, call);
	call_arm(call);
}

/* ---- Making a call ---- */

bool call_is_ours(struct str name)
{
	return str_eq(name, STR("host")) || str_eq(name, STR("content-length")) ||
	       str_eq(name, STR("connection")) || str_eq(name, STR("transfer-encoding")) ||
	       str_eq(name, STR("keep-alive")) || str_eq(name, STR("upgrade"));
}

/* Can the request be sent? */
static int check(const struct http_call_options *options, struct err *err)
{
	struct str target = options->target;

	if (!headers_name_is_valid(options->method) || str_is(options->method, "CONNECT"))
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\" is not a method to send",
			       STR_ARG(options->method));
	if (target.len == 0 || (target.ptr[0] != '/' && !str_is(target, "*")))
		return err_set(err, ERR_BAD_REQUEST, "\"%.*s\" is not a path", STR_ARG(target));
	for (size_t i = 0; i < target.len; i++)
		if ((unsigned char)target.ptr[i] <= 0x20 || target.ptr[i] == 0x7f)
			return err_set(err, ERR_BAD_REQUEST,
				       "a path has neither blanks nor control characters");
	return 0;
}

static void take_body(struct http_call *call, const struct http_call_options *options)
{
	if (options->stream_body) {
		call->length = -1;
		return;
	}
	if (options->body_chunk)
		pieces_add(&call->out, options->body_chunk, 0, options->body_chunk->len);
	else
		pieces_copy(&call->out, options->body.ptr, options->body.len);
	call->length = (int64_t)call->out.bytes;
	call->out_ended = true;
}

struct http_call *http_client_call(struct http_client *client,
				   const struct http_call_options *options)
{
	struct http_call *call = mem_new(struct http_call);

	call->client = client;
	call->class = options->long_lived ? CALL_LONG_LIVED : CALL_ORDINARY;
	call->events = options->events;
	call->arg = options->arg;
	call->method = str_dup(options->method);
	call->target = mem_printf("%s%.*s", client->base, STR_ARG(options->target));
	call->max_body = options->max_body ? options->max_body : LIMIT_RESPONSE_BYTES;
	call->body = buf_make(SIZE_MAX / 4); /* limited by max_body and by the windows */
	if (check(options, &call->wrong) < 0 ||
	    (options->headers && headers_copy(&call->headers, options->headers, &call->wrong) < 0))
		call->is_wrong = true;
	take_body(call, options);
	set_limits(call, options);
	if (call->is_wrong) {
		list_push(&client->wrong, &call->link);
	} else {
		list_push(&client->waiting[call->class], &call->link);
		client->waiting_count[call->class]++;
	}
	client->call_count++;
	pool_dispatch(client);
	return call;
}

/* ---- The response ---- */

int http_call_status(const struct http_call *call)
{
	return call->status;
}

const struct headers *http_call_headers(const struct http_call *call)
{
	return &call->reply;
}

struct str http_call_header(const struct http_call *call, struct str name)
{
	return headers_get(&call->reply, name);
}

struct str http_call_body(const struct http_call *call)
{
	return buf_str(&call->body);
}

struct chunk *http_call_take_body(struct http_call *call)
{
	return chunk_take(&call->body);
}

int http_call_version(const struct http_call *call)
{
	return call->version;
}

/* ---- A streamed request body ---- */

static bool has_room(struct http_call *call)
{
	size_t queued = call->out.bytes;

	if (call->conn && call->version == 11)
		queued += stream_queued(call->conn->stream);
	if (queued <= LIMIT_SEND_BUFFER_BYTES)
		return true;
	call->want_writable = true;
	return false;
}

bool http_call_write(struct http_call *call, const void *data, size_t len)
{
	assert(!call->out_ended);
	if (call->over)
		return false;
	pieces_copy(&call->out, data, len);
	if (call->conn)
		call->conn->protocol->write(call);
	return has_room(call);
}

void http_call_write_end(struct http_call *call)
{
	assert(!call->out_ended);
	call->out_ended = true;
	if (call->conn && !call->over)
		call->conn->protocol->write(call);
}

void call_writable(struct http_call *call)
{
	size_t queued = call->out.bytes;

	if (!call->want_writable || call->over)
		return;
	if (call->version == 11)
		queued += stream_queued(call->conn->stream);
	if (queued > LIMIT_SEND_BUFFER_BYTES / 2)
		return;
	call->want_writable = false;
	enter(call);
	if (call->events->writable)
		call->events->writable(call, call->arg);
	(void)leave(call); /* as in call_head() */
}
