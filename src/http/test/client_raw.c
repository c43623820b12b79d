/* SPDX-License-Identifier: Apache-2.0 */
/* The client against raw bytes: what it makes of good, odd and broken HTTP/1.1 responses, and of
 * HTTP/2 frames that only a broken server sends. */
#include <errno.h>
#include <unistd.h>

#include "base/limits.h"
#include "fixture.h"

#include "base/banned.h"

/* The server's end of the client's connections. */
struct end {
	struct world world;
	int fd; /* of the newest connection; -1: none */
	int count;
};

static int end_dial(void *arg, struct err *err)
{
	struct end *end = arg;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0)
		return err_set(err, ERR_INTERNAL, "socketpair");
	if (end->fd >= 0)
		close(end->fd);
	end->fd = ends[0];
	end->count++;
	return ends[1];
}

static void end_init(struct end *end, bool http2)
{
	struct err err;
	struct http_client_options options = {.url = STR("http://x"),
					      .dial = end_dial,
					      .dial_arg = end,
					      .http2_plain = http2,
					      .max_connections = 1};

	*end = (struct end){.fd = -1};
	end->world.loop = loop_new_virtual(1, START, &err);
	end->world.client = http_client_new(end->world.loop, &options, &err);
}

static void end_done(struct end *end)
{
	http_client_free(end->world.client);
	if (end->fd >= 0)
		close(end->fd);
	loop_free(end->world.loop);
}

static void end_send(struct end *end, struct str data)
{
	while (data.len) {
		ssize_t len = send(end->fd, data.ptr, data.len, MSG_NOSIGNAL);

		if (len > 0)
			data = str_skip(data, (size_t)len);
		else if (errno != EAGAIN)
			break;
		loop_drain(end->world.loop);
	}
	loop_drain(end->world.loop);
}

/* What the client sent, as text. */
static const char *end_received(struct end *end, char *text, size_t size)
{
	ssize_t len = recv(end->fd, text, size - 1, 0);

	text[len > 0 ? len : 0] = '\0';
	return text;
}

static const struct {
	const char *what, *method, *response;
	int status;       /* 0: it fails */
	const char *body; /* or what the error says */
	bool kept;        /* the connection is used for the next call */
	bool closes;      /* the server closes after it */
} rows[] = {
	{"a length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", true,
	 false},
	{"chunked", "GET",
	 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nA: "
	 "b\r\n\r\n",
	 200, "abcde", true, false},
	{"no body", "GET", "HTTP/1.1 204 No Content\r\n\r\n", 204, "", true, false},
	{"not modified", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n", 304, "",
	 true, false},
	{"HEAD", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 200, "", true, false},
	{"interim responses", "GET",
	 "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
	 "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
	 200, "ok", true, false},
	{"connection: close", "GET",
	 "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", 200, "ok", false,
	 false},
	{"HTTP/1.0", "GET", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", false,
	 false},
	{"until the end", "GET", "HTTP/1.1 200 OK\r\n\r\nall of it", 200, "all of it", false, true},
	{"bytes after the end", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200",
	 200, "ok", false, false},
	{"an odd status", "GET", "HTTP/1.1 799 Odd\r\nContent-Length: 0\r\n\r\n", 799, "", true,
	 false},
	{"no reason", "GET", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, "", true, false},

	{"nothing", "GET", "", 0, "closed the connection", false, true},
	{"half a head", "GET", "HTTP/1.1 200 OK\r\nConte", 0, "closed the connection", false, true},
	{"half a body", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", 0,
	 "closed the connection", false, true},
	{"half a chunk", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", 0,
	 "closed the connection", false, true},
	{"junk", "GET", "SSH-2.0-OpenSSH_9.2\r\n", 0, "malformed response", false, false},
	{"another version", "GET", "HTTP/9.9 200 OK\r\n\r\n", 0, "malformed response", false,
	 false},
	{"length and chunked", "GET",
	 "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 0,
	 "malformed response", false, false},
	{"two lengths", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
	 0, "malformed response", false, false},
	{"a bad chunk", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 0,
	 "malformed response", false, false},
	{"an upgrade unasked", "GET",
	 "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", 0,
	 "switches protocols", false, false},
};

static void test_row(size_t i, bool by_bytes)
{
	struct result r = {0}, next = {0};
	struct str response = str_from(rows[i].response);
	struct end end;
	bool good;

	end_init(&end, false);
	result_start(
		&r, end.world.client,
		(struct http_call_options){.method = str_from(rows[i].method), .target = STR("/")});
	loop_drain(end.world.loop);
	for (size_t at = 0; by_bytes && at < response.len; at++)
		end_send(&end, str_slice(response, at, at + 1));
	if (!by_bytes)
		end_send(&end, response);
	if (rows[i].closes)
		shutdown(end.fd, SHUT_WR);
	loop_drain(end.world.loop);
	if (rows[i].status)
		good = r.ends == 1 && r.status == rows[i].status &&
		       str_is(buf_str(&r.body), rows[i].body);
	else
		good = r.failures == 1 && r.sent == HTTP_MAYBE_SENT &&
		       strstr(r.err.text, rows[i].body);
	ok(good, "%s%s: %d %s", rows[i].what, by_bytes ? ", byte by byte" : "", r.status,
	   r.err.text);
	result_start(&next, end.world.client, (struct http_call_options){.target = STR("/")});
	loop_drain(end.world.loop);
	ok(end.count == (rows[i].kept ? 1 : 2), "the connection is %s",
	   rows[i].kept ? "used again" : "not used again");
	http_call_cancel(next.call);
	buf_done(&r.body);
	buf_done(&next.body);
	end_done(&end);
}

static void test_request(void)
{
	struct result r = {0};
	struct end end;
	char text[1024];

	end_init(&end, false);
	result_start(&r, end.world.client, (struct http_call_options){.target = STR("/a?b")});
	loop_drain(end.world.loop);
	is(end_received(&end, text, sizeof(text)), "GET /a?b HTTP/1.1\r\nhost: x\r\n\r\n");
	end_send(&end, STR("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
	result_start(&r, end.world.client,
		     (struct http_call_options){.method = STR("POST"), .target = STR("/")});
	loop_drain(end.world.loop);
	is(end_received(&end, text, sizeof(text)),
	   "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n");
	end_send(&end, STR("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
	result_start(&r, end.world.client,
		     (struct http_call_options){
			     .method = STR("PUT"), .target = STR("/"), .stream_body = true});
	http_call_write(r.call, "abc", 3);
	loop_drain(end.world.loop);
	http_call_write(r.call, "de", 2);
	http_call_write_end(r.call);
	loop_drain(end.world.loop);
	is(end_received(&end, text, sizeof(text)),
	   "PUT / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
	   "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
	/* An answer before the request is whole: the connection is not used again. */
	end_send(&end, STR("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
	result_start(&r, end.world.client,
		     (struct http_call_options){
			     .method = STR("PUT"), .target = STR("/"), .stream_body = true});
	loop_drain(end.world.loop);
	end_send(&end, STR("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"));
	ok(r.ends == 1 && r.status == 403 && end.count == 1, "an early answer");
	result_start(&r, end.world.client, (struct http_call_options){.target = STR("/")});
	loop_drain(end.world.loop);
	ok(end.count == 2, "and then another connection");
	http_call_cancel(r.call);
	buf_done(&r.body);
	end_done(&end);
}

/* Between calls the server talks or leaves. */
static void test_between(void)
{
	struct http_client_stats stats;
	struct result r = {0};
	struct end end;

	for (int leaves = 0; leaves < 2; leaves++) {
		end_init(&end, false);
		result_start(&r, end.world.client, (struct http_call_options){.target = STR("/")});
		loop_drain(end.world.loop);
		end_send(&end, STR("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
		if (leaves)
			shutdown(end.fd, SHUT_RDWR);
		else
			end_send(&end, STR("HTTP/1.1 408 Request Timeout\r\n\r\n"));
		loop_drain(end.world.loop);
		http_client_stats(end.world.client, &stats);
		ok(stats.connections == 0, "%s, and the connection is given up",
		   leaves ? "it leaves" : "it talks unasked");
		end_done(&end);
	}
	buf_done(&r.body);
}

static void test_bounds(void)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct result r = {0};
	struct end end;

	for (int kind = 0; kind < 3; kind++) {
		buf_clear(&text);
		buf_puts(&text, "HTTP/1.1 200 OK\r\n");
		for (int i = 0; i <= LIMIT_HEADER_BYTES + 1; i++)
			buf_puts(&text, kind == 0 ? "n" : kind == 1 ? "a: b\r\n" : i ? "v" : "a: ");
		end_init(&end, false);
		result_start(&r, end.world.client, (struct http_call_options){.target = STR("/")});
		loop_drain(end.world.loop);
		end_send(&end, buf_str(&text));
		ok(r.failures == 1 && r.err.code == ERR_TOO_LARGE, "a head without end: %s",
		   r.err.text);
		end_done(&end);
	}
	buf_done(&r.body);
}

/* HTTP/2: length 3, type, flags, stream 4, payload. */
static void test_http2(void)
{
	static const struct {
		const char *what;
		struct str frames;
		enum err_code code;
		enum http_sent sent;
	} cases[] = {
		{"reset",
		 STR_INIT("\0\0\0\4\0\0\0\0\0"
			  "\0\0\4\3\0\0\0\0\1\0\0\0\2"),
		 ERR_UNAVAILABLE, HTTP_MAYBE_SENT},
		{"refused",
		 STR_INIT("\0\0\0\4\0\0\0\0\0"
			  "\0\0\4\3\0\0\0\0\1\0\0\0\7"),
		 ERR_UNAVAILABLE, HTTP_NOT_SENT},
		{"GOAWAY before it",
		 STR_INIT("\0\0\0\4\0\0\0\0\0"
			  "\0\0\x8\7\0\0\0\0\0\0\0\0\0\0\0\0\0"),
		 ERR_UNAVAILABLE, HTTP_NOT_SENT},
		{"not HTTP/2", STR_INIT("HTTP/1.1 400 Bad Request\r\n\r\n"), ERR_INTERNAL,
		 HTTP_MAYBE_SENT},
		{"broken compression",
		 STR_INIT("\0\0\0\4\0\0\0\0\0"
			  "\0\0\4\1\5\0\0\0\1\xff\xff\xff\xff"),
		 ERR_INTERNAL, HTTP_MAYBE_SENT},
		{"no status",
		 STR_INIT("\0\0\0\4\0\0\0\0\0"
			  "\0\0\5\1\5\0\0\0\1\0\1a\1b"),
		 ERR_INTERNAL, HTTP_MAYBE_SENT},
		{"a body before its head",
		 STR_INIT("\0\0\0\4\0\0\0\0\0"
			  "\0\0\1\0\1\0\0\0\1x"),
		 ERR_INTERNAL, HTTP_MAYBE_SENT},
	};
	struct result r = {0};
	struct end end;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		end_init(&end, true);
		result_start(&r, end.world.client, (struct http_call_options){.target = STR("/")});
		loop_drain(end.world.loop);
		end_send(&end, cases[i].frames);
		ok(r.failures == 1 && r.err.code == cases[i].code && r.sent == cases[i].sent,
		   "%s: %s", cases[i].what, r.err.text);
		end_done(&end);
	}
	/* 100, then 200 with a body, then trailers. */
	end_init(&end, true);
	result_start(&r, end.world.client, (struct http_call_options){.target = STR("/")});
	loop_drain(end.world.loop);
	end_send(&end, STR("\0\0\0\4\0\0\0\0\0"
			   "\0\0\xd\1\4\0\0\0\1\0\7:status\3"
			   "100"
			   "\0\0\1\1\4\0\0\0\1\x88"
			   "\0\0\2\0\0\0\0\0\1ok"
			   "\0\0\5\1\5\0\0\0\1\0\1t\1v"));
	ok(r.ends == 1 && r.status == 200 && str_is(buf_str(&r.body), "ok"),
	   "an interim response, a body, trailers: %s", r.err.text);
	buf_done(&r.body);
	end_done(&end);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row(i, false);
		test_row(i, true);
	}
	test_request();
	test_between();
	test_bounds();
	test_http2();
	return tap_done();
}
