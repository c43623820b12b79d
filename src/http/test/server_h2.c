/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/2 as raw frames: what is answered, reset or ended with GOAWAY; floods; time limits. */
#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <unistd.h>

#include "base/limits.h"
#include "fixture.h"

#include "base/banned.h"

#define PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

enum {
	DATA,
	HEADERS,
	PRIORITY,
	RST_STREAM,
	SETTINGS,
	PUSH_PROMISE,
	PING,
	GOAWAY,
	WINDOW,
	CONTINUATION
};
enum { END_STREAM = 1, ACK = 1, END_HEADERS = 4 };

/* One raw connection, and what the server said on it. */
struct raw {
	struct world *world;
	int fd;
	struct buf out;
	struct buf in;
	nghttp2_hd_inflater *inflater;
	bool closed;
	int goaway;     /* error code; -1: none */
	int status[64]; /* by stream */
	int reset[64];
	bool ended[64];
	size_t data, pongs, acks, updates;
};

static void raw_open(struct raw *raw, struct world *world)
{
	struct err err;

	world->security = HTTP_PLAIN;
	*raw = (struct raw){.world = world,
			    .fd = world_dial(world, &err),
			    .out = BUF_UNBOUNDED,
			    .in = BUF_UNBOUNDED,
			    .goaway = -1};
	for (int i = 0; i < 64; i++)
		raw->reset[i] = -1;
	nghttp2_hd_inflate_new(&raw->inflater);
}

static void raw_done(struct raw *raw)
{
	close(raw->fd);
	buf_done(&raw->out);
	buf_done(&raw->in);
	nghttp2_hd_inflate_del(raw->inflater);
	loop_drain(raw->world->loop);
}

static uint32_t number(const char *at, int bytes)
{
	uint32_t value = 0;

	for (int i = 0; i < bytes; i++)
		value = value << 8 | (unsigned char)at[i];
	return value;
}

static void take_headers(struct raw *raw, uint32_t stream, const char *at, size_t len)
{
	int flags = 0;

	for (;;) {
		nghttp2_nv nv;
		ssize_t used = nghttp2_hd_inflate_hd2(raw->inflater, &nv, &flags,
						      (const uint8_t *)at, len, 1);

		if (used < 0)
			break;
		at += used;
		len -= (size_t)used;
		if ((flags & NGHTTP2_HD_INFLATE_EMIT) && nv.namelen == 7 &&
		    memcmp(nv.name, ":status", 7) == 0)
			raw->status[stream & 63] = (nv.value[0] - '0') * 100 +
						   (nv.value[1] - '0') * 10 + (nv.value[2] - '0');
		if (flags & NGHTTP2_HD_INFLATE_FINAL)
			break;
	}
	nghttp2_hd_inflate_end_headers(raw->inflater);
}

static void take_frame(struct raw *raw, const char *head, const char *at, size_t len)
{
	uint32_t stream = number(head + 5, 4);

	switch (head[3]) {
	case DATA:
		raw->data += len;
		raw->ended[stream & 63] |= head[4] & END_STREAM;
		break;
	case HEADERS:
		take_headers(raw, stream, at, len);
		raw->ended[stream & 63] |= head[4] & END_STREAM;
		break;
	case RST_STREAM:
		raw->reset[stream & 63] = (int)number(at, 4);
		break;
	case GOAWAY:
		raw->goaway = (int)number(at + 4, 4);
		break;
	case PING:
		raw->pongs += head[4] & ACK;
		break;
	case SETTINGS:
		raw->acks += head[4] & ACK;
		break;
	case WINDOW:
		raw->updates++;
		break;
	default:
		break;
	}
}

static void raw_read(struct raw *raw)
{
	char data[65536];
	ssize_t len;

	do {
		loop_drain(raw->world->loop);
		len = recv(raw->fd, data, sizeof(data), 0);
		if (len > 0)
			buf_put(&raw->in, data, (size_t)len);
	} while (len > 0);
	if (len == 0 || errno != EAGAIN)
		raw->closed = true;
	while (raw->in.len >= 9) {
		size_t size = number(raw->in.ptr, 3);

		if (raw->in.len < 9 + size)
			break;
		take_frame(raw, raw->in.ptr, raw->in.ptr + 9, size);
		buf_consume(&raw->in, 9 + size);
	}
}

/* Send what was put together. */
static void raw_send(struct raw *raw, bool listen)
{
	size_t sent = 0;

	while (sent < raw->out.len) {
		ssize_t len = send(raw->fd, raw->out.ptr + sent, raw->out.len - sent, MSG_NOSIGNAL);

		if (len > 0)
			sent += (size_t)len;
		else if (errno != EAGAIN)
			break;
		if (listen)
			raw_read(raw);
		else
			loop_drain(raw->world->loop);
		if (!listen && len < 0)
			break;
	}
	buf_clear(&raw->out);
	if (listen)
		raw_read(raw);
}

static void put_frame(struct raw *raw, int type, int flags, uint32_t stream, struct str payload)
{
	char head[9] = {(char)(payload.len >> 16),
			(char)(payload.len >> 8),
			(char)payload.len,
			(char)type,
			(char)flags,
			(char)(stream >> 24),
			(char)(stream >> 16),
			(char)(stream >> 8),
			(char)stream};

	buf_put(&raw->out, head, 9);
	buf_put_str(&raw->out, payload);
}

static void put_hpack_length(struct buf *to, size_t len)
{
	if (len < 127) {
		buf_putc(to, (char)len);
		return;
	}
	buf_putc(to, 127);
	for (len -= 127; len >= 128; len >>= 7)
		buf_putc(to, (char)(len | 128));
	buf_putc(to, (char)len);
}

static void put_field(struct buf *to, struct str name, struct str value)
{
	buf_putc(to, 0);
	put_hpack_length(to, name.len);
	buf_put_str(to, name);
	put_hpack_length(to, value.len);
	buf_put_str(to, value);
}

/* HEADERS with these fields after the four pseudo fields; one "name: value" per line. */
static void put_request(struct raw *raw, uint32_t stream, int flags, const char *method,
			const char *path, const char *fields)
{
	AUTO(buf_done) struct buf block = BUF_UNBOUNDED;
	struct str rest = str_from(fields), line;

	put_field(&block, STR(":method"), str_from(method));
	put_field(&block, STR(":scheme"), STR("http"));
	put_field(&block, STR(":authority"), STR("x"));
	put_field(&block, STR(":path"), str_from(path));
	while (rest.len && str_split(&rest, '\n', &line)) {
		ptrdiff_t colon = str_find(line, STR(": "), 1);

		put_field(&block, str_slice(line, 0, (size_t)colon),
			  str_skip(line, (size_t)colon + 2));
	}
	put_frame(raw, HEADERS, flags | END_HEADERS, stream, buf_str(&block));
}

static void raw_hello(struct raw *raw, struct world *world)
{
	raw_open(raw, world);
	buf_puts(&raw->out, PREFACE);
	put_frame(raw, SETTINGS, 0, 0, str_none());
}

static void test_requests(struct world *world)
{
	struct raw raw;

	raw_hello(&raw, world);
	put_request(&raw, 1, END_STREAM, "GET", "/echo", "");
	put_request(&raw, 3, 0, "POST", "/echo", "content-length: 3");
	put_frame(&raw, DATA, 0, 3, STR("ab"));
	put_frame(&raw, DATA, END_STREAM, 3, STR("c"));
	put_request(&raw, 5, END_STREAM, "HEAD", "/echo", "");
	put_request(&raw, 7, END_STREAM, "GET", "/stream", "");
	put_request(&raw, 9, END_STREAM, "HEAD", "/stream", "");
	put_request(&raw, 11, END_STREAM, "CONNECT", "/", "");
	put_request(&raw, 13, END_STREAM, "FROB", "/echo", "");
	put_request(&raw, 15, END_STREAM, "GET", "/fields", "host: ignored\nx-y: z");
	put_request(&raw, 17, END_STREAM, "GET", "/%zz", "");
	put_request(&raw, 19, 0, "POST", "/echo", "expect: 100-continue");
	put_request(&raw, 21, 0, "POST", "/echo", "expect: magic");
	raw_send(&raw, true);
	ok(raw.goaway == -1 && raw.acks == 1, "the connection stands");
	ok(raw.status[1] == 200 && raw.ended[1], "GET");
	ok(raw.status[3] == 200 && raw.ended[3], "POST");
	ok(raw.status[5] == 200 && raw.ended[5], "HEAD");
	ok(raw.status[7] == 200 && raw.ended[7], "a reply in pieces");
	ok(raw.status[9] == 200 && raw.ended[9], "and its head alone");
	ok(raw.status[11] == 501 || raw.reset[11] == NGHTTP2_PROTOCOL_ERROR,
	   "CONNECT with a path is refused");
	ok(raw.status[13] == 200, "any method is the handler's business");
	ok(raw.status[15] == 203, "fields");
	ok(raw.status[17] == 400, "a bad escape");
	ok(raw.status[19] == 100 && !raw.ended[19], "100 Continue");
	ok(raw.status[21] == 417, "an unknown expectation");
	put_frame(&raw, DATA, END_STREAM, 19, STR("body"));
	put_request(&raw, 23, 0, "POST", "/echo", "");
	put_frame(&raw, DATA, 0, 23, STR("body"));
	put_frame(&raw, HEADERS, END_STREAM | END_HEADERS, 23, STR("\0\3abc\1x"));
	raw_send(&raw, true);
	ok(raw.status[19] == 200 && raw.ended[19], "the body follows");
	ok(raw.status[23] == 200 && raw.ended[23], "trailers are read over");
	put_frame(&raw, PING, 0, 0, STR("12345678"));
	raw_send(&raw, true);
	ok(raw.pongs == 1, "PING is answered");
	raw_done(&raw);
}

static void test_wrong_requests(struct world *world)
{
	static const struct {
		const char *what, *method, *path, *fields;
	} rows[] = {
		{"a name in capitals", "GET", "/echo", "Abc: x"},
		{"a connection field", "GET", "/echo", "connection: close"},
		{"transfer-encoding", "POST", "/echo", "transfer-encoding: chunked"},
		{"te other than trailers", "GET", "/echo", "te: gzip"},
		{"a pseudo field late", "GET", "/echo", "a: b\n:path: /x"},
		{"an unknown pseudo field", "GET", "/echo", ":what: x"},
		{"two paths", "GET", "/echo", ":path: /x"},
		{"an empty path", "GET", "", ""},
		{"a relative path", "GET", "echo", ""},
		{"a line break in a value", "GET", "/echo", "a: b\rc"},
		{"a length and no body", "GET", "/echo", "content-length: 3"},
		{"a length that is none", "POST", "/echo", "content-length: x"},
	};
	struct raw raw;
	uint32_t stream = 1;

	raw_hello(&raw, world);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++, stream += 2) {
		put_request(&raw, stream, END_STREAM, rows[i].method, rows[i].path, rows[i].fields);
		raw_send(&raw, true);
		ok(raw.reset[stream] == NGHTTP2_PROTOCOL_ERROR && raw.status[stream] == 0, "%s",
		   rows[i].what);
	}
	put_request(&raw, stream, 0, "POST", "/echo", "content-length: 2");
	put_frame(&raw, DATA, END_STREAM, stream, STR("abc"));
	raw_send(&raw, true);
	ok(raw.reset[stream] == NGHTTP2_PROTOCOL_ERROR, "more than was announced");
	stream += 2;
	put_request(&raw, stream, END_STREAM, "GET", "/echo", "");
	raw_send(&raw, true);
	ok(raw.status[stream] == 200 && raw.goaway == -1, "the connection goes on");
	raw_done(&raw);
}

static void expect_goaway(struct raw *raw, int code, const char *what)
{
	raw_send(raw, true);
	ok(raw->goaway == code && raw->closed, "%s: GOAWAY %d, %s", what, raw->goaway,
	   raw->closed ? "closed" : "open");
	raw_done(raw);
}

static void test_wrong_frames(struct world *world)
{
	struct raw raw;

	raw_open(&raw, world);
	buf_puts(&raw.out, "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n");
	raw_send(&raw, true);
	ok(raw.closed, "a wrong preface closes");
	raw_done(&raw);
	raw_hello(&raw, world);
	put_frame(&raw, DATA, 0, 1, STR("abc"));
	expect_goaway(&raw, NGHTTP2_PROTOCOL_ERROR, "DATA on an idle stream");
	raw_hello(&raw, world);
	put_request(&raw, 2, END_STREAM, "GET", "/echo", "");
	expect_goaway(&raw, NGHTTP2_PROTOCOL_ERROR, "an even stream");
	raw_hello(&raw, world);
	put_frame(&raw, HEADERS, END_STREAM | END_HEADERS, 1, STR("\xff\xff\xff\xff\xff\xff\xff"));
	expect_goaway(&raw, NGHTTP2_COMPRESSION_ERROR, "broken compression");
	raw_hello(&raw, world);
	put_frame(&raw, SETTINGS, 0, 0, STR("abc"));
	expect_goaway(&raw, NGHTTP2_FRAME_SIZE_ERROR, "a broken SETTINGS");
	raw_hello(&raw, world);
	put_frame(&raw, WINDOW, 0, 0, STR("\x7f\xff\xff\xff"));
	expect_goaway(&raw, NGHTTP2_FLOW_CONTROL_ERROR, "a window past its end");
	raw_hello(&raw, world);
	put_frame(&raw, PING, 0, 0, STR("1"));
	expect_goaway(&raw, NGHTTP2_FRAME_SIZE_ERROR, "a broken PING");
	raw_hello(&raw, world);
	buf_put(&raw.out, "\xff\xff\xff\x00\x00\x00\x00\x00\x01", 9);
	expect_goaway(&raw, NGHTTP2_FRAME_SIZE_ERROR, "a frame too large");
	raw_hello(&raw, world);
	put_frame(&raw, PUSH_PROMISE, END_HEADERS, 1, STR("\0\0\0\2"));
	expect_goaway(&raw, NGHTTP2_PROTOCOL_ERROR, "a push from a client");
	raw_open(&raw, world);
	buf_puts(&raw.out, PREFACE);
	put_frame(&raw, PING, 0, 0, STR("12345678"));
	raw_send(&raw, true);
	ok(raw.closed, "a preface without SETTINGS");
	raw_done(&raw);
	raw_hello(&raw, world);
	put_frame(&raw, 0x77, 0, 5, STR("whatever"));
	put_request(&raw, 1, END_STREAM, "GET", "/echo", "");
	raw_send(&raw, true);
	ok(raw.status[1] == 200, "unknown frames are read over");
	raw_done(&raw);
}

static void test_bounds(struct world *world)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(mem_free) char *path = mem_zalloc(LIMIT_URL_BYTES + 2);
	AUTO(mem_free) char *block = mem_zalloc(16384);
	struct raw raw;

	raw_hello(&raw, world);
	for (int i = 0; i < LIMIT_HEADER_COUNT + 1; i++)
		buf_puts(&text, "a: b\n");
	buf_truncate(&text, text.len - 1);
	put_request(&raw, 1, END_STREAM, "GET", "/echo", buf_text(&text));
	put_request(&raw, 3, 0, "POST", "/echo", "content-length: 3145729");
	raw_send(&raw, true);
	ok(raw.status[1] == 431, "many fields: 431");
	ok(raw.status[3] == 413, "a body that will be too long: 413");
	ok(raw.reset[3] == -1, "and no reset at once");
	world_pass(world, 2 * TIME_SECOND);
	raw_read(&raw);
	ok(raw.reset[3] == NGHTTP2_NO_ERROR, "but in a while");
	world->limit = 100;
	put_request(&raw, 5, 0, "POST", "/echo", "");
	put_frame(&raw, DATA, 0, 5, str_of(block, 101));
	raw_send(&raw, true);
	ok(raw.status[5] == 413, "a body that turns out too long: 413");
	put_frame(&raw, DATA, END_STREAM, 5, str_of(block, 10));
	raw_send(&raw, true);
	world_pass(world, 2 * TIME_SECOND);
	raw_read(&raw);
	ok(raw.reset[5] == -1, "a body that ends by itself is not reset");
	world->limit = 0;
	raw_done(&raw);

	/* A head in many frames. */
	raw_hello(&raw, world);
	memset(path, 'p', LIMIT_URL_BYTES + 1);
	path[0] = '/';
	buf_clear(&text);
	put_field(&text, STR(":method"), STR("GET"));
	put_field(&text, STR(":scheme"), STR("http"));
	put_field(&text, STR(":authority"), STR("x"));
	put_field(&text, STR(":path"), str_from(path));
	put_frame(&raw, HEADERS, END_STREAM, 1, str_slice(buf_str(&text), 0, 16384));
	put_frame(&raw, CONTINUATION, 0, 1, str_slice(buf_str(&text), 16384, 32768));
	put_frame(&raw, CONTINUATION, END_HEADERS, 1, str_skip(buf_str(&text), 32768));
	raw_send(&raw, true);
	ok(raw.status[1] == 414, "a long path: 414");
	raw_done(&raw);
	raw_hello(&raw, world);
	buf_clear(&text);
	put_field(&text, STR(":method"), STR("GET"));
	put_frame(&raw, HEADERS, END_STREAM, 1, buf_str(&text));
	buf_clear(&text);
	while (text.len < 16000)
		put_field(&text, STR("a"),
			  STR("bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"));
	for (int i = 0; i < 200; i++)
		put_frame(&raw, CONTINUATION, 0, 1, buf_str(&text));
	raw_send(&raw, true);
	ok(raw.closed || raw.goaway > 0, "a head without end ends the connection");
	raw_done(&raw);
}

static void flood(struct world *world, int type, int flags, struct str payload, const char *what)
{
	struct raw raw;

	raw_hello(&raw, world);
	if (type == DATA)
		put_request(&raw, 1, 0, "POST", "/upload", "");
	for (int i = 0; i < 30000; i++)
		put_frame(&raw, type, flags, type == DATA || type == PRIORITY ? 1 : 0, payload);
	raw_send(&raw, true);
	ok(raw.closed && raw.goaway > 0, "a flood of %s ends the connection: GOAWAY %d", what,
	   raw.goaway);
	raw_done(&raw);
}

static void test_floods(struct world *world)
{
	struct http_server_stats before, after;
	struct raw raw;

	flood(world, DATA, 0, str_none(), "empty DATA");
	flood(world, PING, 0, STR("12345678"), "PING");
	flood(world, SETTINGS, 0, str_none(), "SETTINGS");
	flood(world, PRIORITY, 0, STR("\0\0\0\0\1"), "PRIORITY");

	/* Nothing is read: what would be answered must not pile up without bound. */
	raw_hello(&raw, world);
	for (int i = 0; i < 20000; i++)
		put_frame(&raw, PING, 0, 0, STR("12345678"));
	raw_send(&raw, false);
	raw_read(&raw);
	ok(raw.closed || raw.pongs <= 20000, "a flood from one who does not read");
	raw_done(&raw);

	http_server_stats(world->server, &before);
	raw_hello(&raw, world);
	for (uint32_t i = 1; i < 60000; i += 2) {
		put_request(&raw, i, END_STREAM, "GET", "/hold", "");
		put_frame(&raw, RST_STREAM, 0, i, STR("\0\0\0\x08"));
	}
	raw_send(&raw, true);
	http_server_stats(world->server, &after);
	ok(raw.closed && raw.goaway > 0 && after.served - before.served < 12000,
	   "rapid resets end the connection after %llu requests",
	   (unsigned long long)(after.served - before.served));
	raw_done(&raw);

	raw_hello(&raw, world);
	world->aborted = 0;
	for (uint32_t i = 1; i < 2 * LIMIT_STREAMS + 2; i += 2)
		put_request(&raw, i, END_STREAM, "GET", "/hold", "");
	raw_send(&raw, true);
	ok(raw.goaway == -1, "as many streams as allowed");
	put_request(&raw, 2 * LIMIT_STREAMS + 1, END_STREAM, "GET", "/hold", "");
	raw_send(&raw, true);
	ok(raw.reset[(2 * LIMIT_STREAMS + 1) & 63] == NGHTTP2_REFUSED_STREAM || raw.goaway >= 0,
	   "and one more is refused");
	raw_done(&raw);
	ok(world->aborted == LIMIT_STREAMS,
	   "all of them are notified that the client disconnected");
	world->held = NULL;
}

static void test_times(struct world *world)
{
	struct raw raw;

	raw_open(&raw, world);
	buf_puts(&raw.out, "PRI");
	raw_send(&raw, true);
	world_pass(world, 11 * TIME_SECOND);
	raw_read(&raw);
	ok(raw.closed, "half a preface is borne for 10 s");
	raw_done(&raw);
	raw_hello(&raw, world);
	put_request(&raw, 1, 0, "POST", "/echo", "");
	raw_send(&raw, true);
	world_pass(world, 59 * TIME_SECOND);
	raw_read(&raw);
	ok(raw.status[1] == 0, "a slow body is borne");
	world_pass(world, 70 * TIME_SECOND);
	raw_read(&raw);
	ok(raw.status[1] == 408, "not a dead one");
	world_pass(world, 40 * TIME_SECOND);
	raw_read(&raw);
	ok(!raw.closed, "the connection is kept");
	world_pass(world, 60 * TIME_SECOND);
	raw_read(&raw);
	ok(raw.closed && raw.goaway == NGHTTP2_NO_ERROR, "until it was idle for two minutes");
	raw_done(&raw);

	raw_hello(&raw, world);
	put_frame(&raw, WINDOW, 0, 0, STR("\x3f\xff\xff\xff"));
	put_frame(&raw, SETTINGS, 0, 0, STR("\0\4\x3f\xff\xff\xff"));
	put_request(&raw, 1, END_STREAM, "GET", "/big?n=5000000", "");
	raw_send(&raw, false);
	world_pass(world, 2 * TIME_MINUTE);
	raw_read(&raw);
	ok(raw.closed && raw.data < 5000000, "a client that does not read is given up");
	raw_done(&raw);

	raw_hello(&raw, world);
	put_request(&raw, 1, 0, "POST", "/hold", "");
	put_frame(&raw, DATA, 0, 1, STR("abc"));
	raw_send(&raw, true);
	ok(world->held != NULL, "a body that is not read yet");
	http_reply_start(world->held, 200, str_none());
	http_reply_write(world->held, "x", 1);
	world->aborted = 0;
	put_frame(&raw, RST_STREAM, 0, 1, STR("\0\0\0\x08"));
	raw_send(&raw, true);
	ok(world->aborted == 1, "reset by the client");
	put_request(&raw, 3, 0, "POST", "/hold", "");
	put_frame(&raw, DATA, 0, 3, STR("abc"));
	raw_send(&raw, true);
	http_request_read_all(TAKE(world->held), 0, world_echo, world);
	raw_read(&raw);
	ok(raw.status[3] == 0, "half a body is not read");
	put_frame(&raw, DATA, END_STREAM, 3, STR("def"));
	raw_send(&raw, true);
	ok(raw.status[3] == 200 && raw.ended[3], "a whole one is");
	put_request(&raw, 5, END_STREAM, "GET", "/hold", "");
	raw_send(&raw, true);
	shutdown(raw.fd, SHUT_WR);
	raw_read(&raw);
	ok(raw.closed && world->aborted == 2, "the client hangs up");
	raw_done(&raw);
}

static struct http_server_stats stats_of(struct world *world)
{
	struct http_server_stats stats;

	http_server_stats(world->server, &stats);
	return stats;
}

/* A client that opens no window, and asks for as much as it may. */
static void test_closed_window(struct world *world)
{
	uint64_t served = stats_of(world).served;
	struct raw raw;

	raw_hello(&raw, world);
	put_frame(&raw, SETTINGS, 0, 0, STR("\0\4\0\0\0\0")); /* INITIAL_WINDOW_SIZE 0 */
	for (uint32_t i = 0; i < 30; i++)
		put_request(&raw, 2 * i + 1, END_STREAM, "GET", "/big?n=1000000", "");
	raw_send(&raw, true);
	ok(raw.data == 0 && stats_of(world).served - served == 5,
	   "requests are begun until 4 MB wait: %d", (int)(stats_of(world).served - served));
	ok(stats_of(world).waiting == 5000000, "what waits is counted: %zu",
	   stats_of(world).waiting);
	/* the first of them may be sent: then the next is begun */
	put_frame(&raw, WINDOW, 0, 0, STR("\0\xff\xff\xff"));
	put_frame(&raw, WINDOW, 0, 1, STR("\0\x0f\x42\x40"));
	raw_send(&raw, true);
	ok(raw.data == 1000000 && raw.ended[1] && stats_of(world).served - served == 6,
	   "after one was read another one starts");
	put_request(&raw, 61, END_STREAM, "POST", "/echo", "");
	raw_send(&raw, true);
	world_pass(world, 30 * TIME_SECOND);
	raw_read(&raw);
	ok(raw.reset[3] < 0, "what is not read is kept for a while");
	for (int i = 0; i < 12; i++) {
		world_pass(world, TIME_MINUTE);
		raw_read(&raw);
	}
	ok(raw.reset[3] == NGHTTP2_CANCEL && raw.reset[59] == NGHTTP2_CANCEL &&
		   stats_of(world).stalled >= 29,
	   "then its stream is reset, and the others get their turn");
	ok(stats_of(world).waiting < 100 && raw.status[61] == 200, "and nothing of it is left: %zu",
	   stats_of(world).waiting);
	raw_done(&raw);
	ok(stats_of(world).waiting == 0, "nor of the connection");
}

/* A connection that is ended while requests are held back, and one with a body among them. */
static void test_held_back(struct world *world)
{
	uint64_t served = stats_of(world).served;
	struct raw raw;

	raw_hello(&raw, world);
	put_frame(&raw, SETTINGS, 0, 0, STR("\0\4\0\0\0\0"));
	put_request(&raw, 1, END_STREAM, "GET", "/big?n=5000000", "");
	put_request(&raw, 3, 0, "POST", "/echo", "");
	put_frame(&raw, DATA, END_STREAM, 3, STR("abc"));
	put_request(&raw, 5, END_STREAM, "GET", "/echo", "");
	raw_send(&raw, true);
	ok(stats_of(world).served - served == 1, "two are held back");
	put_frame(&raw, RST_STREAM, 0, 5, STR("\0\0\0\x08"));
	put_frame(&raw, RST_STREAM, 0, 1, STR("\0\0\0\x08"));
	put_frame(&raw, WINDOW, 0, 3, STR("\0\0\0\x10"));
	raw_send(&raw, true);
	ok(stats_of(world).served - served == 2 && raw.status[3] == 200 && raw.ended[3] &&
		   raw.data == 3,
	   "a body that came meanwhile is not lost; what the client has reset is not begun");
	put_request(&raw, 7, END_STREAM, "GET", "/big?n=5000000", "");
	put_request(&raw, 9, END_STREAM, "GET", "/echo", "");
	raw_send(&raw, true);
	raw_done(&raw);
	ok(stats_of(world).requests == 0 && stats_of(world).waiting == 0, "nothing is left");
}

/* Many connections that read nothing: those that stall are ended when too much waits in all. */
static void test_pressure(void)
{
	struct world world;
	struct raw raws[4];
	struct raw innocent;

	world_init(&world, &(struct http_server_options){.max_waiting_all = 10 * 1000 * 1000});
	for (size_t i = 0; i < ARRAY_LEN(raws); i++) {
		raw_hello(&raws[i], &world);
		put_frame(&raws[i], SETTINGS, 0, 0, STR("\0\4\0\0\0\0"));
		put_request(&raws[i], 1, END_STREAM, "GET", "/big?n=3000000", "");
		raw_send(&raws[i], true);
	}
	world_pass(&world, 6 * TIME_SECOND);
	raw_hello(&innocent, &world);
	put_request(&innocent, 1, END_STREAM, "GET", "/echo", "");
	raw_send(&innocent, true);
	ok(innocent.status[1] == 200, "others are served");
	for (size_t i = 0; i < ARRAY_LEN(raws); i++)
		raw_read(&raws[i]);
	ok(raws[0].closed && raws[3].closed && stats_of(&world).waiting == 0,
	   "who has taken nothing for 5 s is ended");
	for (size_t i = 0; i < ARRAY_LEN(raws); i++)
		raw_done(&raws[i]);
	raw_done(&innocent);
	world_done(&world);
}

int main(void)
{
	struct world world;

	world_init(&world, NULL);
	test_requests(&world);
	test_wrong_requests(&world);
	test_wrong_frames(&world);
	test_bounds(&world);
	test_floods(&world);
	test_times(&world);
	test_closed_window(&world);
	test_held_back(&world);
	world_done(&world);
	test_pressure();
	return tap_done();
}
