/* SPDX-License-Identifier: Apache-2.0 */
/* client/transport_http.c - requests over HTTP.
 *
 *	waits for credentials --> sent --> head --> body --> answered, or (watch, stream) ended
 *	        ^                  |
 *	        +---- 401, once ---+
 *
 * A watch's body is lines of JSON, each an event; the object in it is decoded in place, so that an
 * event is parsed once. If a watch or stream is rejected, the body is collected and reported as the
 * answer. */
#include "client/transport_http.h"

#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/time.h"
#include "base/url.h"
#include "client/credentials.h"
#include "client/transport.h"
#include "client/transport_http_ask.h"
#include "http/headers.h"
#include "http/tls.h"
#include "loop/loop.h"

#include "base/banned.h"

struct http_transport {
	struct transport transport;
	struct loop *loop;
	struct kubeconfig_access access;
	struct http_client *http;
	struct credentials *credentials;
	struct headers headers; /* the same for all requests */
	struct list requests;
	void (*warning)(void *arg, struct str text);
	void *warning_arg;
	int (*reload)(void *arg, struct kubeconfig_access *ret, struct err *err);
	void *reload_arg;
	int64_t reload_us;
	int64_t loaded_at;                /* by loop_uptime() */
	struct kubeconfig_access renewed; /* the renewed access; empty: nothing was renewed */
};

struct request {
	struct http_transport *to;
	struct list link;
	const struct transport_ask *ask;
	struct credentials_wait wait;
	unsigned generation; /* of the credentials it was sent with */
	bool again;          /* it was rejected once */
	bool opened;
	bool in_callback; /* its sink is being called ... */
	bool dead;        /* ... and has ended it: it is freed when that returns */
	struct http_call *call;
	struct buf line; /* of a watch: the beginning of an event; of a rejection: its body */
	struct err *err; /* why it cannot be sent */
	struct loop_defer failed;
};

/* A watch is ended this long after the timeout that the server was asked for. */
#define WATCH_SLACK (30 * TIME_SECOND)
#define RELOAD_AGE (10 * TIME_MINUTE)

static void request_start(struct request *request);
static void take_renewed(struct http_transport *to);

static bool is_long_lived(const struct request *request)
{
	return request->ask->ask.verb == CLIENT_WATCH || request->ask->stream;
}

static void request_free(struct request *request)
{
	list_remove(&request->link);
	credentials_cancel(&request->wait);
	http_call_cancel(request->call);
	loop_defer_cancel(request->to->loop, &request->failed);
	mem_free(request->err);
	buf_done(&request->line);
	request->dead = true;
	if (!request->in_callback)
		mem_free(request);
}

/* --- answers --- */

static void answer(struct request *request, const struct transport_answer *answer)
{
	const struct transport_ask *ask = request->ask;

	request_free(request);
	ask->sink->answered(ask->arg, answer);
}

/* No answer came. */
static void answer_err(struct request *request, const struct err *err, bool maybe_done)
{
	struct transport_answer none = {
		.err = *err, .retry_after_us = -1, .maybe_done = maybe_done};

	answer(request, &none);
}

static void end(struct request *request, const struct err *err)
{
	const struct transport_ask *ask = request->ask;

	request_free(request);
	ask->sink->ended(ask->arg, err);
}

/* When the server asks to retry, by its header or its Status; -1: not given. */
static int64_t retry_after(struct str header, struct json status)
{
	struct json details = json_get(json_get(status, "details"), "retryAfterSeconds");
	int64_t seconds;

	if (header.len && number_parse_range(header, 0, INT32_MAX, &seconds, NULL) == 0)
		return seconds * TIME_SECOND;
	if (json_int(details) > 0)
		return time_span(json_int(details));
	return -1;
}

static bool is_json(struct str content_type)
{
	return str_starts(content_type, STR("application/json"));
}

/* `299 - "text"`, with a backslash before quotes in it. */
static void report_warnings(const struct request *request)
{
	const struct http_transport *to = request->to;
	const struct headers *headers = http_call_headers(request->call);

	for (size_t i = 0; to->warning && i < headers_count(headers); i++) {
		struct str value = headers_value(headers, i);
		ptrdiff_t first = str_find_byte(value, '"', 0);
		ptrdiff_t last = str_rfind_byte(value, '"');
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		if (!str_is(headers_name(headers, i), "warning") || first < 0 || last <= first)
			continue;
		for (size_t k = (size_t)first + 1; k < (size_t)last; k++) {
			if (value.ptr[k] == '\\' && k + 1 < (size_t)last)
				k++;
			buf_putc(&text, value.ptr[k]);
		}
		to->warning(to->warning_arg, buf_str(&text));
	}
}

/* The response is complete. */
static void answer_body(struct request *request, struct str body)
{
	struct http_call *call = request->call;
	const struct client_ask *ask = &request->ask->ask;
	int code = http_call_status(call);
	bool wanted = code >= 400 || !ask->discard;
	struct transport_answer full = {.code = code, .text = body};
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	AUTO(mem_free) char *text = ask->verb == CLIENT_RAW ? str_dup(body) : NULL;

	if (wanted && is_json(http_call_header(call, STR("content-type"))) &&
	    !(doc = json_parse(body, NULL, &full.err))) {
		full.err.code = ERR_INTERNAL;
		(void)err_wrap(&full.err, "the answer of the server");
	}
	full.doc = doc;
	full.text = str_of(text, text ? body.len : 0);
	full.retry_after_us =
		retry_after(http_call_header(call, STR("retry-after")), json_doc_root(doc));
	if (code >= 400 && !doc && body.len) /* not from the API server itself */
		(void)err_set(&full.err, err_from_reason("", code), "%.*s",
			      STR_ARG(str_trim(str_slice(body, 0, 200))));
	else if (code >= 400)
		transport_err_from_status(json_doc_root(doc), code, &full.err);
	report_warnings(request);
	request->call = NULL; /* the call ends with this callback */
	answer(request, &full);
}

/* Rejected with 401? Then retries once, if there are other credentials. */
static bool tries_again(struct request *request)
{
	if (http_call_status(request->call) != 401 || request->again ||
	    !credentials_reject(request->to->credentials, request->generation))
		return false;
	request->again = true;
	request->call = NULL;
	buf_clear(&request->line);
	request_start(request);
	return true;
}

static void on_end(struct http_call *call, void *arg)
{
	struct request *request = arg;

	if (!tries_again(request))
		answer_body(request, http_call_body(call));
}

static void on_failed(struct http_call *call, const struct err *err, enum http_sent sent, void *arg)
{
	struct request *request = arg;

	(void)call;
	request->call = NULL;
	answer_err(request, err, sent == HTTP_MAYBE_SENT);
}

static const struct http_call_events call_events = {.end = on_end, .failed = on_failed};

/* --- watches and streams --- */

static void on_long_head(struct http_call *call, void *arg)
{
	struct request *request = arg;

	if (http_call_status(call) >= 400)
		return;
	request->opened = true;
	request->ask->sink->opened(request->ask->arg);
}

/* The object of an event's line, and its type: decoded in place if the line has the form that all
 * servers print. `name` is a buffer for the type. */
static struct json_doc *read_event(struct str line, struct buf *name)
{
	static const struct str head = STR_INIT("{\"type\":\"");
	static const struct str middle = STR_INIT("\",\"object\":");
	ptrdiff_t quote = str_starts(line, head) ? str_find_byte(line, '"', head.len) : -1;
	AUTO(json_doc_unref) struct json_doc *whole = NULL;
	struct json object;

	if (quote > 0 && str_starts(str_skip(line, (size_t)quote), middle) &&
	    str_ends(line, STR("}"))) {
		buf_put_str(name, str_slice(line, head.len, (size_t)quote));
		return json_parse(str_slice(line, (size_t)quote + middle.len, line.len - 1), NULL,
				  NULL);
	}
	whole = json_parse(line, NULL, NULL);
	object = json_get(json_doc_root(whole), "object");
	buf_put_str(name, json_str(json_get(json_doc_root(whole), "type")));
	return json_is(object, JSON_OBJ) ? json_doc_freeze(object) : NULL;
}

/* One event; may free the request. */
static void take_line(struct request *request, struct str line)
{
	AUTO(buf_done) struct buf type = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *doc = read_event(line, &type);
	struct client_event event = {.doc = doc};
	struct err err;

	if (doc && transport_event_type(buf_str(&type), &event.type)) {
		event.initial_end = transport_is_initial_end(json_doc_root(doc));
		request->ask->sink->event(request->ask->arg, &event);
		return;
	}
	if (doc && str_is(buf_str(&type), "ERROR"))
		transport_err_from_status(json_doc_root(doc), 0, &err);
	else
		(void)err_set(&err, ERR_INTERNAL,
			      "the server sent a line that is not an event: %.*s",
			      STR_ARG(str_slice(line, 0, 100)));
	end(request, &err);
}

/* Complete lines are parsed in place; an incomplete line is kept for the next piece. */
static void take_events(struct request *request, struct str data)
{
	ptrdiff_t at;

	request->in_callback = true;
	while (!request->dead && (at = str_find_byte(data, '\n', 0)) >= 0) {
		struct str line = str_slice(data, 0, (size_t)at);
		AUTO(buf_done) struct buf held = BUF_UNBOUNDED;

		data = str_skip(data, (size_t)at + 1);
		if (request->line.len) {
			held = request->line;
			request->line = buf_make(LIMIT_RESPONSE_BYTES);
			buf_put_str(&held, line);
			line = buf_str(&held);
		}
		if (str_trim(line).len)
			take_line(request, str_trim(line));
	}
	request->in_callback = false;
	if (request->dead) {
		mem_free(request);
		return;
	}
	buf_put_str(&request->line, data);
	if (buf_is_over(&request->line)) {
		struct err err;

		(void)err_set(&err, ERR_TOO_LARGE, "an event of the watch is too large");
		end(request, &err);
	}
}

static void on_long_data(struct http_call *call, struct str data, void *arg)
{
	struct request *request = arg;

	(void)call;
	if (!request->opened)
		buf_put_str(&request->line, data); /* the reason of the rejection */
	else if (request->ask->stream)
		request->ask->sink->data(request->ask->arg, data);
	else
		take_events(request, data);
}

static void on_long_end(struct http_call *call, void *arg)
{
	struct request *request = arg;

	(void)call;
	if (request->opened) {
		request->call = NULL;
		end(request, NULL);
	} else if (!tries_again(request)) {
		answer_body(request, buf_str(&request->line));
	}
}

static void on_long_failed(struct http_call *call, const struct err *err, enum http_sent sent,
			   void *arg)
{
	struct request *request = arg;

	(void)call;
	request->call = NULL;
	if (request->opened)
		end(request, err);
	else
		answer_err(request, err, sent == HTTP_MAYBE_SENT);
}

static const struct http_call_events long_events = {
	.head = on_long_head,
	.data = on_long_data,
	.end = on_long_end,
	.failed = on_long_failed,
};

/* --- sending --- */

static void on_unsendable(void *arg)
{
	struct request *request = arg;
	struct err err = *request->err;

	answer_err(request, &err, false);
}

static void request_send(struct request *request)
{
	struct http_transport *to = request->to;
	const struct transport_ask *ask = request->ask;
	const char *authorization = credentials_header(to->credentials);
	AUTO(transport_http_ask_done) struct transport_http_ask made = {0};
	AUTO(headers_done) struct headers headers = HEADERS_INIT;
	struct http_call_options options = {.arg = request};
	struct err err;

	transport_http_ask_init(&made, ask);
	request->generation = credentials_generation(to->credentials);
	if (headers_copy(&headers, &to->headers, &err) < 0 ||
	    (authorization[0] &&
	     headers_add(&headers, STR("authorization"), str_from(authorization), &err) < 0) ||
	    (made.content_type.len &&
	     headers_add(&headers, STR("content-type"), made.content_type, &err) < 0)) {
		request->err = mem_dup(&err, sizeof(err));
		loop_defer(to->loop, &request->failed, on_unsendable, request);
		return;
	}
	options.method = made.method;
	options.target = buf_str(&made.target);
	options.body = made.body;
	options.headers = &headers;
	options.long_lived = is_long_lived(request);
	options.events = options.long_lived ? &long_events : &call_events;
	if (!options.long_lived)
		options.deadline_us = ask->try_us;
	else
		options.head_us = ask->try_us;
	if (ask->timeout_s > 0)
		options.deadline_us = time_span(ask->timeout_s) + WATCH_SLACK;
	request->call = http_client_call(to->http, &options);
}

static void on_credentials(void *arg, const struct err *err)
{
	struct request *request = arg;

	if (err)
		answer_err(request, err, false);
	else
		request_send(request);
}

static void request_start(struct request *request)
{
	take_renewed(request->to);
	request->wait.ready = on_credentials;
	request->wait.arg = request;
	if (credentials_get(request->to->credentials, &request->wait))
		request_send(request);
}

static void *transport_http_send(struct transport *transport, const struct transport_ask *ask)
{
	struct http_transport *to = container_of(transport, struct http_transport, transport);
	struct request *request = mem_new(struct request);

	request->to = to;
	request->ask = ask;
	request->line = buf_make(LIMIT_RESPONSE_BYTES);
	list_push(&to->requests, &request->link);
	request_start(request);
	return request;
}

static void transport_http_cancel(struct transport *transport, void *token)
{
	(void)transport;
	request_free(token);
}

/* --- life --- */

static void transport_http_free(struct transport *transport)
{
	struct http_transport *to = container_of(transport, struct http_transport, transport);

	LIST_EACH(&to->requests, struct request, link, request)
		request_free(request);
	credentials_free(to->credentials);
	http_client_free(to->http);
	headers_done(&to->headers);
	kubeconfig_access_done(&to->access);
	kubeconfig_access_done(&to->renewed);
	mem_free(to);
}

static const struct transport_ops ops = {
	.send = transport_http_send,
	.cancel = transport_http_cancel,
	.free = transport_http_free,
};

static struct tls *make_tls(const struct kubeconfig_access *access, const char *cert,
			    const char *key, struct err *err)
{
	struct tls_client_options options = {.insecure = access->insecure};

	if (cert[0]) {
		options.certificate = str_from(cert);
		options.key = str_from(key);
	}
	if (access->ca[0])
		options.ca = str_from(access->ca);
	if (access->tls_server_name[0])
		options.server_name = str_from(access->tls_server_name);
	return tls_client_new(&options, err);
}

/* A certificate that cannot be used is skipped: the server will then reject the request. */
static void on_certificate(void *arg, const char *cert, const char *key)
{
	struct http_transport *to = arg;
	AUTO(tls_unref) struct tls *tls = make_tls(&to->access, cert, key, NULL);

	if (tls)
		http_client_set_tls(to->http, tls);
}

static bool shows_same(const struct kubeconfig_access *a, const struct kubeconfig_access *b)
{
	return strcmp(a->client_cert, b->client_cert) == 0 &&
	       strcmp(a->client_key, b->client_key) == 0 && strcmp(a->ca, b->ca) == 0;
}

/* Existing connections keep their certificate and get no more requests. */
static void take_renewed(struct http_transport *to)
{
	AUTO(kubeconfig_access_done) struct kubeconfig_access now = {0};
	AUTO(tls_unref) struct tls *tls = NULL;
	bool first = !to->renewed.memory;
	struct err err;

	if (!to->reload || loop_uptime(to->loop) - to->loaded_at < to->reload_us)
		return;
	to->loaded_at = loop_uptime(to->loop);
	if (to->reload(to->reload_arg, &now, &err) < 0 || !now.client_cert[0] ||
	    shows_same(&now, first ? &to->access : &to->renewed))
		return;
	tls = make_tls(&now, now.client_cert, now.client_key, NULL);
	if (!tls)
		return;
	http_client_set_tls(to->http, tls);
	kubeconfig_access_done(&to->renewed);
	to->renewed = now;
	now = (struct kubeconfig_access){0};
}

static int put_extra(struct http_transport *to, const struct kubeconfig_extra *extra,
		     struct err *err)
{
	AUTO(buf_done) struct buf name = BUF_UNBOUNDED;

	buf_puts(&name, "impersonate-extra-");
	url_encode_path(str_from(extra->key), &name);
	for (size_t i = 0; i < extra->values.len; i++)
		if (headers_add(&to->headers, buf_str(&name), str_from(extra->values.ptr[i]), err) <
		    0)
			return -1;
	return 0;
}

/* The header fields of every request. */
static int put_headers(struct http_transport *to, struct str user_agent, struct err *err)
{
	const struct kubeconfig_access *access = &to->access;
	struct headers *headers = &to->headers;

	if (user_agent.len == 0)
		user_agent = STR("volcano/" VOLCANO_VERSION);
	if (headers_add(headers, STR("accept"), STR("application/json"), err) < 0 ||
	    headers_add(headers, STR("user-agent"), user_agent, err) < 0)
		return -1;
	if (!access->as[0])
		return 0;
	if (headers_add(headers, STR("impersonate-user"), str_from(access->as), err) < 0 ||
	    (access->as_uid[0] &&
	     headers_add(headers, STR("impersonate-uid"), str_from(access->as_uid), err) < 0))
		return -1;
	for (size_t i = 0; i < access->as_groups.len; i++)
		if (headers_add(headers, STR("impersonate-group"),
				str_from(access->as_groups.ptr[i]), err) < 0)
			return -1;
	for (size_t i = 0; i < access->as_extra_len; i++)
		if (put_extra(to, &access->as_extra[i], err) < 0)
			return -1;
	return 0;
}

static int open_client(struct http_transport *to, const struct transport_http_options *options,
		       struct err *err)
{
	const struct kubeconfig_access *access = &to->access;
	AUTO(tls_unref) struct tls *tls = NULL;
	struct url url;

	if (access->proxy_url[0])
		return err_set(err, ERR_INVALID, "proxy-url: proxies are not supported");
	if (url_parse(str_from(access->server), &url, err) < 0) {
		err->code = ERR_INVALID;
		return err_wrap(err, "server");
	}
	if (str_is(url.scheme, "https")) {
		tls = make_tls(access, access->client_cert, access->client_key, err);
		if (!tls)
			return -1;
	}
	to->http = http_client_new(to->loop,
				   &(struct http_client_options){
					   .url = str_from(access->server),
					   .tls = tls,
					   .dial = options->dial,
					   .dial_arg = options->dial_arg,
				   },
				   err);
	return to->http ? 0 : -1;
}

struct transport *transport_http_new(struct loop *loop,
				     const struct transport_http_options *options, struct err *err)
{
	struct http_transport *to = mem_new(struct http_transport);
	AUTO(transport_free) struct transport *transport = &to->transport;

	to->transport.ops = &ops;
	to->loop = loop;
	to->access = *options->access;
	*options->access = (struct kubeconfig_access){0};
	to->warning = options->warning;
	to->warning_arg = options->warning_arg;
	to->reload = options->reload;
	to->reload_arg = options->reload_arg;
	to->reload_us = options->reload_us ? options->reload_us : RELOAD_AGE;
	to->loaded_at = loop_uptime(loop);
	list_init(&to->requests);
	if (put_headers(to, options->user_agent, err) < 0 || open_client(to, options, err) < 0)
		return NULL;
	to->credentials = credentials_new(loop, &(struct credentials_options){
							.access = &to->access,
							.files = options->files,
							.environment = options->environment,
							.certificate = on_certificate,
							.arg = to,
						});
	return TAKE(transport);
}
