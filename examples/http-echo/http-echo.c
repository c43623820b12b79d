/* SPDX-License-Identifier: Apache-2.0 */
/* http-echo - a small server that shows http/ and that outside judges (curl, h2load, openssl) talk to.
 *
 *	http-echo [--plain ADDRESS] [--tls ADDRESS --cert FILE --key FILE]
 *		[--client-ca FILE [--require]] [--write-seconds N]
 *
 * Prints one line when it is ready: "plain=127.0.0.1:4711 tls=127.0.0.1:4712". Ends in an orderly way
 * on SIGTERM and SIGINT; SIGHUP reads certificate and key again.
 *
 *	/echo        the body of the request, or "hello"
 *	/who         who the client is, by certificate or Unix socket
 *	/big?n=N     N bytes at once
 *	/stream?n=N  N lines in pieces, as fast as the client takes them
 *	/watch       a line, then nothing until the client goes away
 *	/upload      reads a body of any length, and says how long it was
 *	/fields      the header fields of the request */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/time.h"
#include "base/url.h"
#include "http/chunk.h"
#include "http/headers.h"
#include "http/http_server.h"
#include "http/stream.h"
#include "http/tls.h"
#include "loop/loop.h"

#include "base/banned.h"

#define TEXT STR("text/plain")

struct echo {
	struct loop *loop;
	struct http_server *server;
	const char *plain, *tls_address;
	const char *certificate, *key, *client_ca;
	bool require;
	int64_t write_us;
};

/* One reply in pieces, or one body being read. */
struct work {
	struct http_request *request;
	uint64_t left;
	uint64_t seen;
};

static uint64_t get_number(struct http_request *request, struct str name, uint64_t fallback)
{
	uint64_t value;

	if (number_parse_u64(query_get(http_request_query(request), name), &value, NULL) < 0)
		return fallback;
	return value;
}

static void echo_body(struct http_request *request, struct str body, void *arg)
{
	(void)arg;
	http_reply(request, 200, TEXT, body.len ? body : STR("hello\n"));
}

static void serve_who(struct http_request *request)
{
	const struct stream_peer *peer = http_request_peer(request);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_printf(&text, "name=%s", peer->name ? peer->name : "");
	for (size_t i = 0; i < peer->group_count; i++)
		buf_printf(&text, " group=%s", peer->groups[i]);
	if (peer->uid >= 0)
		buf_printf(&text, " uid=%lld", (long long)peer->uid);
	buf_printf(&text, " version=%d\n", http_request_version(request));
	http_reply(request, 200, TEXT, buf_str(&text));
}

static void serve_big(struct http_request *request)
{
	uint64_t len = get_number(request, STR("n"), 1000000);
	AUTO(chunk_unref) struct chunk *chunk = NULL;

	if (len > 256 * 1024 * 1024) {
		http_reply(request, 400, TEXT, STR("too big\n"));
		return;
	}
	chunk = chunk_alloc(len);
	memset(chunk->ptr, 'x', len);
	http_reply_chunk(request, 200, STR("application/octet-stream"), chunk);
}

static void serve_fields(struct http_request *request)
{
	const struct headers *headers = http_request_headers(request);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	for (size_t i = 0; i < headers_count(headers); i++)
		buf_printf(&text, "%.*s: %.*s\n", STR_ARG(headers_name(headers, i)),
			   STR_ARG(headers_value(headers, i)));
	http_reply(request, 200, TEXT, buf_str(&text));
}

static struct work *new_work(struct http_request *request)
{
	struct work *work = mem_new(struct work);

	work->request = request;
	return work;
}

static void work_aborted(struct http_request *request, const struct err *why, void *arg)
{
	(void)request;
	fprintf(stderr, "aborted: %s\n", why->text);
	mem_free(arg);
}

static void write_lines(struct http_request *request, void *arg)
{
	struct work *work = arg;
	char line[64];

	while (work->left) {
		int len = snprintf(line, sizeof(line), "line %llu\n",
				   (unsigned long long)work->left--);

		if (!http_reply_write(request, line, (size_t)len))
			return;
	}
	http_reply_end(request);
	mem_free(work);
}

static const struct http_request_events stream_events = {
	.writable = write_lines,
	.aborted = work_aborted,
};

static void serve_stream(struct http_request *request, uint64_t lines)
{
	struct work *work = new_work(request);

	work->left = lines;
	http_request_on(request, &stream_events, work);
	http_reply_start(request, 200, TEXT);
	write_lines(request, work);
}

static void serve_watch(struct http_request *request)
{
	http_request_on(request, &stream_events, new_work(request));
	http_reply_start(request, 200, TEXT);
	http_reply_write(request, "watching\n", 9);
}

static void count_bytes(struct http_request *request, struct str data, void *arg)
{
	struct work *work = arg;

	(void)request;
	work->seen += data.len;
}

static void tell_count(struct http_request *request, void *arg)
{
	struct work *work = arg;
	char text[64];
	int len = snprintf(text, sizeof(text), "%llu\n", (unsigned long long)work->seen);

	mem_free(work);
	http_reply(request, 200, TEXT, str_of(text, (size_t)len));
}

static const struct http_request_events upload_events = {
	.body = count_bytes,
	.body_end = tell_count,
	.aborted = work_aborted,
};

static void serve(struct http_request *request, void *arg)
{
	struct str path = http_request_path(request);

	if (str_is(path, "/echo")) {
		http_request_read_all(request, 0, echo_body, arg);
	} else if (str_is(path, "/who")) {
		serve_who(request);
	} else if (str_is(path, "/big")) {
		serve_big(request);
	} else if (str_is(path, "/stream")) {
		serve_stream(request, get_number(request, STR("n"), 10));
	} else if (str_is(path, "/watch")) {
		serve_watch(request);
	} else if (str_is(path, "/fields")) {
		serve_fields(request);
	} else if (str_is(path, "/upload")) {
		http_request_on(request, &upload_events, new_work(request));
		http_request_read(request, SIZE_MAX);
	} else {
		http_reply(request, 404, TEXT, STR("not found\n"));
	}
}

/* ---- Starting and ending ---- */

static struct tls *load_tls(const struct echo *echo, struct err *err)
{
	AUTO(buf_done) struct buf certificate = BUF_INIT(1024 * 1024);
	AUTO(buf_done) struct buf key = BUF_INIT(1024 * 1024);
	AUTO(buf_done) struct buf ca = BUF_INIT(1024 * 1024);
	struct tls_server_options options = {.clients = TLS_CLIENTS_NONE};

	if (!echo->certificate || !echo->key) {
		err_set(err, ERR_INVALID, "--tls wants --cert and --key");
		return NULL;
	}
	if (fd_read_file(echo->certificate, &certificate, err) < 0 ||
	    fd_read_file(echo->key, &key, err) < 0 ||
	    (echo->client_ca && fd_read_file(echo->client_ca, &ca, err) < 0))
		return NULL;
	options.certificate = buf_str(&certificate);
	options.key = buf_str(&key);
	options.client_ca = buf_str(&ca);
	if (echo->client_ca)
		options.clients = echo->require ? TLS_CLIENTS_REQUIRED : TLS_CLIENTS_OPTIONAL;
	return tls_server_new(&options, err);
}

static int listen_on(struct echo *echo, const char *name, const char *text,
		     enum http_security security, struct err *err)
{
	struct address address, bound;
	char printed[ADDRESS_TEXT_SIZE];

	if (address_parse(str_from(text), &address, err) < 0 ||
	    http_server_listen(echo->server, &address, security, &bound, err) < 0)
		return -1;
	printf("%s=%s ", name, address_print(&bound, printed));
	return 0;
}

static void on_drained(void *arg)
{
	loop_stop(arg);
}

static void on_end(struct loop_signal *watch, int signo, void *arg)
{
	struct echo *echo = arg;

	(void)watch;
	(void)signo;
	http_server_shutdown(echo->server, 2 * TIME_SECOND, on_drained, echo->loop);
}

static void on_reload(struct loop_signal *watch, int signo, void *arg)
{
	struct echo *echo = arg;
	struct err err;
	AUTO(tls_unref) struct tls *tls = load_tls(echo, &err);

	(void)watch;
	(void)signo;
	if (tls)
		http_server_set_tls(echo->server, tls);
	else
		fprintf(stderr, "%s\n", err.text);
}

static int run(struct echo *echo, struct err *err)
{
	AUTO(tls_unref) struct tls *tls = echo->tls_address ? load_tls(echo, err) : NULL;
	struct http_server_options options = {
		.handler = serve, .arg = echo, .tls = tls, .write_us = echo->write_us};
	struct loop_signal *ends[3] = {NULL};

	if (echo->tls_address && !tls)
		return -1;
	echo->server = http_server_new(echo->loop, &options, err);
	if (!echo->server)
		return -1;
	if ((echo->plain && listen_on(echo, "plain", echo->plain, HTTP_PLAIN, err) < 0) ||
	    (tls && listen_on(echo, "tls", echo->tls_address, HTTP_TLS, err) < 0))
		return -1;
	ends[0] = loop_signal_add(echo->loop, SIGTERM, on_end, echo, err);
	ends[1] = loop_signal_add(echo->loop, SIGINT, on_end, echo, err);
	ends[2] = loop_signal_add(echo->loop, SIGHUP, on_reload, echo, err);
	printf("\n");
	fflush(stdout);
	loop_run(echo->loop);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (ends[i])
			loop_signal_remove(ends[i]);
	return 0;
}

static int parse_option(struct echo *echo, int argc, char **argv, int *at)
{
	const struct {
		const char *name;
		const char **value;
	} options[] = {
		{"--plain", &echo->plain},         {"--tls", &echo->tls_address},
		{"--cert", &echo->certificate},    {"--key", &echo->key},
		{"--client-ca", &echo->client_ca},
	};
	int64_t seconds;

	if (strcmp(argv[*at], "--require") == 0) {
		echo->require = true;
		return 0;
	}
	if (*at + 1 >= argc)
		return -1;
	if (strcmp(argv[*at], "--write-seconds") == 0) {
		if (number_parse_range(str_from(argv[++*at]), 1, 3600, &seconds, NULL) < 0)
			return -1;
		echo->write_us = seconds * TIME_SECOND;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		if (strcmp(argv[*at], options[i].name) == 0) {
			*options[i].value = argv[++*at];
			return 0;
		}
	}
	return -1;
}

int main(int argc, char **argv)
{
	struct echo echo = {0};
	struct err err = {0};
	int rc;

	for (int i = 1; i < argc; i++) {
		if (parse_option(&echo, argc, argv, &i) < 0) {
			fprintf(stderr, "http-echo: %s is not an option, or wants a value\n",
				argv[i]);
			return 2;
		}
	}
	echo.loop = loop_new(&err);
	if (!echo.loop) {
		fprintf(stderr, "http-echo: %s\n", err.text);
		return 1;
	}
	rc = run(&echo, &err);
	if (rc < 0)
		fprintf(stderr, "http-echo: %s\n", err.text);
	http_server_free(echo.server);
	loop_free(echo.loop);
	return rc < 0 ? 1 : 0;
}
