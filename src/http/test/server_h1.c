/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/1.1 as raw bytes: a table of requests and what they are answered with, limits, time limits,
 * pipelining, and clients that leave. Each request is sent whole and then byte by byte. */
#include <errno.h>
#include <unistd.h>

#include "base/limits.h"
#include "fixture.h"

#include "base/banned.h"

/* One raw connection to the server. */
struct raw {
	struct world *world;
	int fd;
	struct buf got;
	bool closed;
};

static void raw_open(struct raw *raw, struct world *world)
{
	struct err err;

	world->security = HTTP_PLAIN;
	*raw = (struct raw){.world = world, .fd = world_dial(world, &err), .got = BUF_UNBOUNDED};
}

static void raw_read(struct raw *raw)
{
	char data[65536];
	ssize_t len = 0;

	do {
		loop_drain(raw->world->loop);
		len = recv(raw->fd, data, sizeof(data), 0);
		if (len > 0)
			buf_put(&raw->got, data, (size_t)len);
	} while (len > 0);
	if (len == 0 || errno != EAGAIN)
		raw->closed = true;
}

static void raw_send(struct raw *raw, struct str data)
{
	while (data.len) {
		ssize_t len = send(raw->fd, data.ptr, data.len, MSG_NOSIGNAL);

		if (len > 0)
			data = str_skip(data, (size_t)len);
		else if (errno != EAGAIN)
			break;
		raw_read(raw);
	}
	raw_read(raw);
}

static void raw_done(struct raw *raw)
{
	close(raw->fd);
	buf_done(&raw->got);
	loop_drain(raw->world->loop);
}

/* The response with the date taken out, which the virtual clock makes constant but long. */
static const char *without_date(struct buf *got)
{
	static const char date[] = "date: Tue, 14 Nov 2023 22:13:20 GMT\r\n";
	ptrdiff_t at;

	while (got->ptr && (at = str_find(buf_str(got), STR("date: "), 0)) >= 0) {
		memmove(got->ptr + at, got->ptr + at + sizeof(date) - 1,
			got->len - (size_t)at - sizeof(date) + 2);
		got->len -= sizeof(date) - 1;
	}
	return buf_text(got);
}

#define HELLO "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello"
#define LAST                                                                   \
	"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n" \
	"connection: close\r\n\r\nhello"

static const struct {
	const char *what, *request, *reply; /* "NNN": that status, and the connection closes */
	bool closes;
} rows[] = {
	{"GET", "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n", HELLO, false},
	{"names without case, values trimmed", "GET /echo HTTP/1.1\r\nhOsT:   x  \r\n\r\n", HELLO,
	 false},
	{"an empty line before", "\r\nGET /echo HTTP/1.1\r\nHost: x\r\n\r\n", HELLO, false},
	{"a whole URL", "GET http://x/echo?a=b HTTP/1.1\r\nHost: x\r\n\r\n", HELLO, false},
	{"an encoded path", "GET /%65cho HTTP/1.1\r\nHost: x\r\n\r\n", HELLO, false},
	{"Connection: close", "GET /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", LAST,
	 true},
	{"HTTP/1.0", "GET /echo HTTP/1.0\r\n\r\n", LAST, true},
	{"HTTP/1.0 keep-alive", "GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
	 "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n"
	 "connection: keep-alive\r\n\r\nhello",
	 false},
	{"POST", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
	 "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 3\r\n\r\nabc", false},
	{"chunked",
	 "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
	 "3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\n",
	 "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nabcde", false},
	{"HEAD", "HEAD /echo HTTP/1.1\r\nHost: x\r\n\r\n",
	 "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\n", false},
	{"a reply in pieces", "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n",
	 "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n"
	 "4\r\none \r\n3\r\ntwo\r\n0\r\n\r\n",
	 false},
	{"the same for HTTP/1.0", "GET /stream HTTP/1.0\r\n\r\n",
	 "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\none two", true},
	{"the same for HEAD", "HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n",
	 "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n", false},
	{"Expect",
	 "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab",
	 "HTTP/1.1 100 Continue\r\n\r\n"
	 "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nab",
	 false},
	{"an upgrade not taken",
	 "GET /echo HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\n"
	 "Connection: upgrade\r\n\r\n",
	 HELLO, false},
	{"pipelined",
	 "GET /echo HTTP/1.1\r\nHost: x\r\n\r\nGET /stream HTTP/1.0\r\nHost: x\r\n\r\n"
	 "GET /never HTTP/1.1\r\nHost: x\r\n\r\n",
	 HELLO "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\none two",
	 true},
	{"no path here", "GET /nope HTTP/1.1\r\nHost: x\r\n\r\n",
	 "HTTP/1.1 404 Not Found\r\ncontent-length: 12\r\n\r\nno such path", false},
	{"a body that is not read",
	 "POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
	 "HTTP/1.1 404 Not Found\r\ncontent-length: 12\r\n\r\nno such path", false},

	{"junk", "\x16\x03\x01\x02\r\n\r\n", "400", true},
	{"no such method", "FROB /echo HTTP/1.1\r\nHost: x\r\n\r\n", "501", true},
	{"CONNECT", "CONNECT host:1 HTTP/1.1\r\nHost: x\r\n\r\n", "501", true},
	{"no such version", "GET /echo HTTP/3.7\r\nHost: x\r\n\r\n", "505", true},
	{"HTTP/2 in a request line", "GET /echo HTTP/2.0\r\nHost: x\r\n\r\n", "505", true},
	{"HTTP/0.9", "GET /echo\r\n\r\n", "505", true},
	{"no Host", "GET /echo HTTP/1.1\r\n\r\n", "400", true},
	{"two Hosts", "GET /echo HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "400", true},
	{"a bad escape", "GET /ec%zzo HTTP/1.1\r\nHost: x\r\n\r\n", "400", true},
	{"a relative path", "GET echo HTTP/1.1\r\nHost: x\r\n\r\n", "400", true},
	{"a blank in a name", "GET /echo HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n", "400", true},
	{"a blank before the colon", "GET /echo HTTP/1.1\r\nHost : x\r\n\r\n", "400", true},
	{"a folded line", "GET /echo HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", "400", true},
	{"a bare LF", "GET /echo HTTP/1.1\nHost: x\n\n", "400", true},
	{"a bare CR", "GET /echo HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n", "400", true},
	{"length and chunked",
	 "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
	 "0\r\n\r\n",
	 "400", true},
	{"chunked and length",
	 "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"
	 "0\r\n\r\n",
	 "400", true},
	{"two lengths",
	 "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na", "400",
	 true},
	{"a list of lengths", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\na",
	 "400", true},
	{"a negative length", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "400",
	 true},
	{"a length past 64 bits",
	 "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", "400",
	 true},
	{"an unknown coding",
	 "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
	 "501", true},
	{"a coding that hides",
	 "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n", "501", true},
	{"chunked in HTTP/1.0",
	 "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400", true},
	{"an unknown expectation",
	 "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: magic\r\n"
	 "Content-Length: 1\r\n\r\na",
	 "417", true},
	{"a bad chunk size",
	 "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n", "400",
	 true},
	{"a chunk size past 64 bits",
	 "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
	 "fffffffffffffffff\r\nabc\r\n",
	 "400", true},
	{"a chunk without its end",
	 "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
	 "chunked\r\n\r\n3\r\nabcde\r\n0\r\n\r\n",
	 "400", true},
	{"a request after an error", "BAD\r\n\r\nGET /echo HTTP/1.1\r\nHost: x\r\n\r\n", "501",
	 true},
};

static void check(struct raw *raw, size_t i, const char *how)
{
	const char *got = without_date(&raw->got);
	char line[32];
	bool good;

	snprintf(line, sizeof(line), "HTTP/1.1 %s ", rows[i].reply);
	if (strlen(rows[i].reply) == 3)
		good = strncmp(got, line, strlen(line)) == 0 &&
		       strstr(got, "\r\nconnection: close\r\n") &&
		       !strstr(got + 1, "HTTP/1.1 "); /* and only that one */
	else
		good = strcmp(got, rows[i].reply) == 0;
	ok(good && raw->closed == rows[i].closes, "%s%s", rows[i].what, how);
	if (!good || raw->closed != rows[i].closes)
		printf("#   closed %d, got: %s\n", raw->closed, got);
}

static void test_table(struct world *world)
{
	struct raw raw;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct str request = str_from(rows[i].request);

		raw_open(&raw, world);
		raw_send(&raw, request);
		check(&raw, i, "");
		raw_done(&raw);
		raw_open(&raw, world);
		for (size_t at = 0; at < request.len; at++)
			raw_send(&raw, str_slice(request, at, at + 1));
		check(&raw, i, ", byte by byte");
		raw_done(&raw);
	}
}

static void expect_status(struct world *world, struct str request, const char *status,
			  const char *what)
{
	struct raw raw;

	raw_open(&raw, world);
	raw_send(&raw, request);
	ok(raw.got.len > 12 && strncmp(raw.got.ptr + 9, status, 3) == 0 && raw.closed, "%s: %.*s",
	   what, raw.got.len > 30 ? 30 : (int)raw.got.len, buf_text(&raw.got));
	raw_done(&raw);
}

static void test_bounds(struct world *world)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_puts(&text, "GET /");
	for (int i = 0; i < LIMIT_URL_BYTES; i++)
		buf_putc(&text, 'a');
	buf_puts(&text, " HTTP/1.1\r\nHost: x\r\n\r\n");
	expect_status(world, buf_str(&text), "414", "a long URL");
	buf_clear(&text);
	buf_puts(&text, "GET / HTTP/1.1\r\nHost: x\r\nbig: ");
	for (int i = 0; i < LIMIT_HEADER_BYTES; i++)
		buf_putc(&text, 'a');
	buf_puts(&text, "\r\n\r\n");
	expect_status(world, buf_str(&text), "431", "a long field");
	buf_clear(&text);
	buf_puts(&text, "GET / HTTP/1.1\r\nHost: x\r\n");
	for (int i = 0; i < LIMIT_HEADER_COUNT; i++)
		buf_puts(&text, "a: b\r\n");
	buf_puts(&text, "\r\n");
	expect_status(world, buf_str(&text), "431", "many fields");
	buf_clear(&text);
	buf_puts(&text, "GET / HTTP/1.1\r\nHost: x\r\n");
	for (int i = 0; i <= LIMIT_HEADER_BYTES; i++)
		buf_putc(&text, 'n');
	expect_status(world, buf_str(&text), "431", "a name without end");
	buf_clear(&text);
	buf_puts(&text,
		 "POST /upload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n");
	for (int i = 0; i < 10000; i++)
		buf_puts(&text, "trailer: x\r\n");
	expect_status(world, buf_str(&text), "431", "trailers without end");
	expect_status(world,
		      STR("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3145729\r\n\r\n"),
		      "413", "a body that will be too long");
	buf_clear(&text);
	buf_puts(&text, "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
	for (int i = 0; i < 49; i++) {
		buf_puts(&text, "10000\r\n");
		for (int k = 0; k < 65536; k++)
			buf_putc(&text, 'b');
		buf_puts(&text, "\r\n");
	}
	expect_status(world, buf_str(&text), "413", "a body that turns out too long");
}

static void test_times(struct world *world)
{
	struct raw raw;

	raw_open(&raw, world);
	world_pass(world, 9 * TIME_SECOND);
	raw_read(&raw);
	ok(!raw.closed, "a silent connection is borne");
	world_pass(world, 2 * TIME_SECOND);
	raw_read(&raw);
	ok(raw.closed && raw.got.len == 0, "for 10 s");
	raw_done(&raw);

	raw_open(&raw, world);
	raw_send(&raw, STR("GET /echo HTTP/1.1\r\nHos"));
	for (int i = 0; i < 8; i++) {
		world_pass(world, TIME_SECOND);
		raw_send(&raw, STR("x"));
	}
	ok(raw.got.len == 0, "a slow head is borne");
	world_pass(world, 3 * TIME_SECOND);
	raw_read(&raw);
	ok(raw.closed && strncmp(buf_text(&raw.got), "HTTP/1.1 408", 12) == 0,
	   "for 10 s, however it trickles");
	raw_done(&raw);

	raw_open(&raw, world);
	raw_send(&raw, STR("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"));
	world_pass(world, 59 * TIME_SECOND);
	raw_send(&raw, STR("d"));
	world_pass(world, 59 * TIME_SECOND);
	raw_read(&raw);
	ok(raw.got.len == 0, "a slow body is borne");
	world_pass(world, 2 * TIME_SECOND);
	raw_read(&raw);
	ok(strncmp(buf_text(&raw.got), "HTTP/1.1 408", 12) == 0, "not a dead one");
	raw_done(&raw);

	raw_open(&raw, world);
	raw_send(&raw, STR("GET /echo HTTP/1.1\r\nHost: x\r\n\r\n"));
	world_pass(world, 119 * TIME_SECOND);
	raw_read(&raw);
	ok(!raw.closed, "an idle connection is kept");
	world_pass(world, 2 * TIME_SECOND);
	raw_read(&raw);
	ok(raw.closed, "for two minutes");
	raw_done(&raw);

	raw_open(&raw, world);
	raw_send(&raw, STR("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n"));
	world_pass(world, TIME_HOUR);
	raw_read(&raw);
	ok(!raw.closed && world->held, "a handler may take its time");
	http_reply(world->held, 200, str_none(), STR("at last"));
	raw_read(&raw);
	ok(strstr(buf_text(&raw.got), "at last"), "it answers");
	raw_done(&raw);

	raw_open(&raw, world);
	(void)!send(raw.fd, "GET /big?n=5000000 HTTP/1.1\r\nHost: x\r\n\r\n", 41, 0);
	world_pass(world, 59 * TIME_SECOND);
	ok(raw.got.len == 0, "a client that does not read is borne");
	world_pass(world, 2 * TIME_SECOND);
	raw_read(&raw);
	ok(raw.closed && raw.got.len < 5000000, "for a minute: %zu bytes", raw.got.len);
	raw_done(&raw);
}

static void test_leaving(struct world *world)
{
	struct http_server_stats stats;
	struct raw raw;

	world->aborted = 0;
	raw_open(&raw, world);
	raw_send(&raw, STR("GET /watch HTTP/1.1\r\nHost: x\r\n\r\n"));
	ok(world->held && strstr(buf_text(&raw.got), "watching"), "a watch stands");
	raw_done(&raw);
	ok(world->aborted == 1 && !world->held, "its client leaves: %s", world->why.text);

	raw_open(&raw, world);
	raw_send(&raw, STR("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab"));
	raw_done(&raw);
	ok(world->aborted == 2, "a client leaves within its body");

	raw_open(&raw, world);
	raw_send(&raw, STR("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n"));
	shutdown(raw.fd, SHUT_WR);
	raw_read(&raw);
	ok(world->held && world->aborted == 2, "a client that has nothing more to say may listen");
	http_reply(world->held, 200, str_none(), STR("heard"));
	world->held = NULL;
	raw_read(&raw);
	ok(strstr(buf_text(&raw.got), "heard") && raw.closed, "and hears the answer");
	raw_done(&raw);

	raw_open(&raw, world);
	raw_send(&raw, STR("GET /echo HTTP/1.1\r\nHost: x\r\n\r\nGET /echo HTTP/1.1\r\nHos"));
	shutdown(raw.fd, SHUT_WR);
	raw_read(&raw);
	ok(raw.closed && strstr(buf_text(&raw.got), "hello"), "half a request is nothing");
	raw_done(&raw);
	http_server_stats(world->server, &stats);
	ok(stats.connections == 0 && stats.requests == 0 && stats.served > 20 &&
		   stats.refused > 20 && stats.accepted > 100,
	   "nothing is left behind");
}

static void test_pipeline(struct world *world)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct raw raw;
	size_t found = 0;
	ptrdiff_t at = 0;

	/* While one is held, the others wait; with too many of them the socket is not read. */
	raw_open(&raw, world);
	raw_send(&raw, STR("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n"));
	for (int i = 0; i < 4000; i++)
		buf_puts(&text, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n12345");
	for (size_t sent = 0; sent < text.len;) {
		ssize_t len = send(raw.fd, text.ptr + sent, text.len - sent, MSG_NOSIGNAL);

		if (len > 0)
			sent += (size_t)len;
		else if (world->held)
			http_reply(TAKE(world->held), 200, str_none(), STR("first"));
		raw_read(&raw);
	}
	if (world->held)
		http_reply(TAKE(world->held), 200, str_none(), STR("first"));
	raw_read(&raw);
	while ((at = str_find(buf_str(&raw.got), STR("\r\n\r\n12345"), (size_t)at)) >= 0) {
		at++;
		found++;
	}
	ok(found == 4000 && strstr(buf_text(&raw.got), "first"),
	   "4,000 requests at once, in order");
	raw_done(&raw);

	/* An upload that is answered before it was read. */
	raw_open(&raw, world);
	raw_send(&raw, STR("POST /hold HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc"));
	http_reply(TAKE(world->held), 200, str_none(), STR("no need"));
	raw_read(&raw);
	ok(strstr(buf_text(&raw.got), "no need") && !raw.closed,
	   "the rest of a short body is awaited");
	raw_send(&raw, STR("defGET /echo HTTP/1.1\r\nHost: x\r\n\r\n"));
	ok(strstr(buf_text(&raw.got), "hello"), "and the connection goes on");
	raw_done(&raw);
	raw_open(&raw, world);
	raw_send(&raw, STR("POST /hold HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n"
			   "Expect: 100-continue\r\n\r\n"));
	ok(raw.got.len == 0, "100 Continue only when the body is wanted");
	http_reply(TAKE(world->held), 200, str_none(), STR("no need"));
	raw_read(&raw);
	ok(strstr(buf_text(&raw.got), "connection: close") && raw.closed,
	   "then it is not certain that it comes: the connection closes");
	raw_done(&raw);
}

/* Pipelined requests for much, by a client that does not read. */
static void test_unread(struct world *world)
{
	struct http_server_stats stats;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	uint64_t served;
	struct raw raw;

	http_server_stats(world->server, &stats);
	served = stats.served;
	raw_open(&raw, world);
	for (int i = 0; i < 20; i++)
		buf_puts(&text, "GET /big?n=3000000 HTTP/1.1\r\nHost: x\r\n\r\n");
	ok(send(raw.fd, text.ptr, text.len, MSG_NOSIGNAL) == (ssize_t)text.len, "20 requests");
	loop_drain(world->loop);
	http_server_stats(world->server, &stats);
	ok(stats.served - served == 2 && stats.waiting > 4000000 && stats.waiting < 6100000,
	   "no more are begun while 4 MB wait: %d, %zu", (int)(stats.served - served),
	   stats.waiting);
	raw_read(&raw);
	http_server_stats(world->server, &stats);
	ok(stats.served - served == 20 && raw.got.len > 60000000 && stats.waiting == 0,
	   "who reads gets all of them");
	raw_done(&raw);

	raw_open(&raw, world);
	ok(send(raw.fd, text.ptr, text.len, MSG_NOSIGNAL) == (ssize_t)text.len, "and who does not");
	loop_drain(world->loop);
	world_pass(world, 61 * TIME_SECOND);
	http_server_stats(world->server, &stats);
	ok(stats.waiting == 0 && stats.connections == 0, "is given up after a minute");
	raw_done(&raw);
}

static void too_large(struct http_request *request, void *arg)
{
	(void)arg;
	http_reply(request, 413, STR("application/json"), STR("{}"));
}

static void serve_own(struct http_request *request, void *arg)
{
	static const struct http_request_events events = {.too_large = too_large};

	http_request_on(request, &events, arg);
	if (str_is(http_request_path(request), "/all"))
		http_request_read_all(request, 4, world_echo, arg);
	else
		http_request_read(request, 4);
}

/* A handler that answers for itself when a body is too long. */
static void test_own_413(struct world *world)
{
	struct http_server *usual = world->server;
	struct err err;
	struct raw raw;
	static const char *const requests[] = {
		"POST /all HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n12345",
		"POST /all HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
		"chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n",
		"POST /some HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n12345",
		"POST /some HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
		"chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n",
	};

	world->server = http_server_new(
		world->loop, &(struct http_server_options){.handler = serve_own, .arg = world},
		&err);
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		raw_open(&raw, world);
		raw_send(&raw, str_from(requests[i]));
		ok(strncmp(buf_text(&raw.got), "HTTP/1.1 413", 12) == 0 &&
			   strstr(buf_text(&raw.got), "\r\n\r\n{}"),
		   "a 413 of the handler's own, %zu", i);
		raw_done(&raw);
	}
	http_server_free(world->server);
	ok(!http_server_new(world->loop, &(struct http_server_options){0}, &err),
	   "a server needs a handler: %s", err.text);
	world->server = usual;
}

static void test_shutdown(void)
{
	struct world world;
	struct raw idle, busy, watch, silent;

	world_init(&world, NULL);
	raw_open(&idle, &world);
	raw_send(&idle, STR("GET /echo HTTP/1.1\r\nHost: x\r\n\r\n"));
	raw_open(&watch, &world);
	raw_send(&watch, STR("GET /watch HTTP/1.1\r\nHost: x\r\n\r\n"));
	raw_open(&silent, &world);
	raw_open(&busy, &world);
	raw_send(&busy, STR("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n"));
	http_server_shutdown(world.server, 5 * TIME_SECOND, NULL, NULL);
	raw_read(&idle);
	raw_read(&busy);
	raw_read(&watch);
	raw_read(&silent);
	ok(idle.closed && silent.closed && !busy.closed && !watch.closed,
	   "idle connections close, busy ones do not");
	http_reply(TAKE(world.held), 200, str_none(), STR("done"));
	raw_read(&busy);
	ok(busy.closed && strstr(buf_text(&busy.got), "connection: close"),
	   "they do when they are done");
	world_pass(&world, 6 * TIME_SECOND);
	raw_read(&watch);
	ok(watch.closed && world.aborted == 1, "or when the time is over");
	raw_done(&idle);
	raw_done(&busy);
	raw_done(&watch);
	raw_done(&silent);
	world_done(&world);
}

int main(void)
{
	struct world world;

	world_init(&world, NULL);
	test_table(&world);
	test_bounds(&world);
	test_times(&world);
	test_leaving(&world);
	test_pipeline(&world);
	test_unread(&world);
	test_own_413(&world);
	world_done(&world);
	test_shutdown();
	return tap_done();
}
