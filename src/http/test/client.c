/* SPDX-License-Identifier: Apache-2.0 */
/* Client and server against each other over every transport, on virtual time: whole and streamed
 * bodies both ways, back-pressure, cancelling, pools, time limits, lost connections. */
#include <unistd.h>

#include "base/limits.h"
#include "fixture.h"
#include "http/http_client.h"

#include "base/banned.h"

static void test_whole(struct world *world)
{
	AUTO(headers_done) struct headers headers = HEADERS_INIT;
	struct result r = {0};
	struct http_client_stats stats;

	result_start(&r, world->client, (struct http_call_options){.target = STR("/echo")});
	ok(r.heads == 0 && r.ends == 0, "no callback from within the call");
	loop_drain(world->loop);
	ok(r.ends == 1 && r.heads == 1 && r.status == 200, "GET");
	is(buf_text(&r.body), "hello");
	result_start(&r, world->client,
		     (struct http_call_options){
			     .method = STR("POST"), .target = STR("/echo"), .body = STR("abc")});
	loop_drain(world->loop);
	is(buf_text(&r.body), "abc");
	result_start(&r, world->client,
		     (struct http_call_options){.method = STR("HEAD"), .target = STR("/echo")});
	loop_drain(world->loop);
	ok(r.ends == 1 && r.status == 200 && r.body.len == 0, "HEAD has no body");
	headers_put(&headers, STR("X-Field"), STR("some value"));
	headers_put(&headers, STR("Host"), STR("ours"));
	result_start(&r, world->client,
		     (struct http_call_options){.method = STR("DELETE"),
						.target = STR("/fields?x=%20"),
						.headers = &headers});
	loop_drain(world->loop);
	ok(r.status == 203 && strstr(buf_text(&r.body), "DELETE /fields\n") &&
		   strstr(buf_text(&r.body), "\nx-field: some value\n") &&
		   strstr(buf_text(&r.body), "host: localhost\n") &&
		   !strstr(buf_text(&r.body), "ours"),
	   "method, path and fields arrive");
	result_start(&r, world->client, (struct http_call_options){.target = STR("/nope")});
	loop_drain(world->loop);
	ok(r.status == 404 && r.ends == 1, "404 is an answer");
	result_start(&r, world->client, (struct http_call_options){.target = STR("/stream")});
	loop_drain(world->loop);
	is(buf_text(&r.body), "one two");
	http_client_stats(world->client, &stats);
	ok(stats.connections == 1 && stats.dialled == 1 && stats.calls == 0,
	   "one connection served all");
	buf_done(&r.body);
}

static void test_big(struct world *world)
{
	struct result r = {0};
	struct chunk *chunk = chunk_alloc(2 * 1024 * 1024), *taken = NULL;

	memset(chunk->ptr, 'b', chunk->len);
	result_start(&r, world->client,
		     (struct http_call_options){.target = STR("/big?n=9000000")});
	loop_drain(world->loop);
	ok(r.ends == 1 && r.body.len == 9000000, "a body of 9 MB down");
	result_start(&r, world->client,
		     (struct http_call_options){
			     .method = STR("PUT"), .target = STR("/echo"), .body_chunk = chunk});
	loop_drain(world->loop);
	ok(r.ends == 1 && str_eq(buf_str(&r.body), chunk_str(chunk)), "2 MB up and down");
	ok(chunk->refs == 1, "the chunk is ours alone again");
	result_start(&r, world->client,
		     (struct http_call_options){.target = STR("/big?n=1000"), .max_body = 999});
	loop_drain(world->loop);
	ok(r.failures == 1 && r.err.code == ERR_TOO_LARGE && r.sent == HTTP_MAYBE_SENT,
	   "a bound on the response: %s", r.err.text);
	chunk_unref(chunk);
	chunk_unref(taken);
	buf_done(&r.body);
}

static void test_upload(struct world *world)
{
	static char block[100000];
	struct result r = {0};
	size_t total = 0;
	bool go = true;

	/* The server reads one piece and pauses: the client has to wait. */
	world->pause_upload = true;
	result_start(&r, world->client,
		     (struct http_call_options){
			     .method = STR("POST"), .target = STR("/upload"), .stream_body = true});
	for (int i = 0; i < 200 && go; i++) {
		go = http_call_write(r.call, block, sizeof(block));
		total += sizeof(block);
		loop_drain(world->loop);
	}
	ok(!go && total < 4000000, "a server that does not read stops its client at %zu bytes",
	   total);
	ok(world->uploaded < total && r.writable == 0, "most of it waits");
	world->pause_upload = false;
	http_request_resume(world->held);
	loop_drain(world->loop);
	ok(r.writable == 1 && world->uploaded == total, "all arrived, and writing may go on");
	http_call_write(r.call, "end", 3);
	http_call_write_end(r.call);
	loop_drain(world->loop);
	ok(r.ends == 1 && world->uploaded == total + 3, "the body ends");
	buf_done(&r.body);
}

static void test_pause(struct world *world)
{
	struct result r = {.pause = true};

	result_start(&r, world->client,
		     (struct http_call_options){.target = STR("/big?n=20000000"),
						.events = &piece_events});
	loop_drain(world->loop);
	ok(r.pieces == 1 && r.ends == 0, "paused after the first piece");
	r.pause = false;
	http_call_resume(r.call);
	loop_drain(world->loop);
	ok(r.ends == 1 && r.body.len == 20000000, "and all the rest after");
	r.pause = true;
	result_start(&r, world->client,
		     (struct http_call_options){.target = STR("/stream"), .events = &piece_events});
	loop_drain(world->loop);
	ok(r.pieces >= 1 && r.ends == 0, "the end waits as well");
	for (int i = 0; i < 5 && r.call; i++) {
		http_call_resume(r.call);
		loop_drain(world->loop);
	}
	ok(r.ends == 1, "it comes");
	is(buf_text(&r.body), "one two");
	result_start(&r, world->client,
		     (struct http_call_options){.target = STR("/big?n=300000"),
						.events = &piece_events});
	loop_drain(world->loop);
	http_call_cancel(r.call);
	loop_drain(world->loop);
	ok(r.ends == 0 && r.failures == 0, "a paused call is cancelled");
	buf_done(&r.body);
}

static void test_cancel(struct world *world)
{
	struct result r = {.cancel = true};

	world->aborted = 0;
	result_start(&r, world->client,
		     (struct http_call_options){.target = STR("/watch"), .events = &piece_events});
	loop_drain(world->loop);
	ok(r.pieces == 1 && !r.call && r.ends == 0 && r.failures == 0,
	   "cancelled from its own callback");
	ok(world->aborted == 1 && !world->held, "the server is notified");
	r.cancel = false;
	result_start(&r, world->client, (struct http_call_options){.target = STR("/hold")});
	http_call_cancel(r.call);
	loop_drain(world->loop);
	ok(r.ends == 0 && r.failures == 0 && world->aborted == 1, "cancelled before it was sent");
	result_start(&r, world->client, (struct http_call_options){.target = STR("/hold")});
	loop_drain(world->loop);
	ok(world->held != NULL, "held");
	http_call_cancel(r.call);
	loop_drain(world->loop);
	ok(r.ends == 0 && r.failures == 0 && world->aborted == 2, "cancelled while it waits");
	http_call_cancel(NULL);
	result_start(&r, world->client, (struct http_call_options){.target = STR("/echo")});
	loop_drain(world->loop);
	ok(r.ends == 1, "the client goes on");
	buf_done(&r.body);
}

static void test_watch(struct world *world)
{
	AUTO(chunk_unref) struct chunk *event = chunk_alloc(5000);
	struct http_client_stats stats;
	struct result r = {0}, e = {0};
	bool go = true;
	int count = 0;

	memset(event->ptr, 'e', event->len);
	result_start(&r, world->client,
		     (struct http_call_options){
			     .target = STR("/watch"), .long_lived = true, .events = &piece_events});
	loop_drain(world->loop);
	ok(r.heads == 1 && r.pieces == 1, "the head comes before the end");
	http_client_stats(world->client, &stats);
	ok(stats.watches == 1 && stats.connections == 2, "a watch has a connection of its own");
	http_reply_write_chunk(world->held, event);
	loop_drain(world->loop);
	ok(r.body.len == 9 + 5000, "an event");
	result_start(&e, world->client, (struct http_call_options){.target = STR("/echo")});
	loop_drain(world->loop);
	ok(e.ends == 1, "other calls go on");
	/* A client that does not read. */
	http_call_pause(r.call);
	world->writable = 0;
	for (; go && count < 10000; count++) {
		go = http_reply_write_chunk(world->held, event);
		loop_drain(world->loop);
	}
	ok(!go && http_reply_queued(world->held) > LIMIT_SEND_BUFFER_BYTES, "full after %d events",
	   count);
	ok(event->refs > 10, "which are queued without being copied");
	http_call_resume(r.call);
	loop_drain(world->loop);
	ok(world->writable == 1 && http_reply_queued(world->held) == 0, "then writing may go on");
	ok(r.body.len == 9 + 5000 + (size_t)count * 5000, "nothing is lost");
	http_reply_end(world->held);
	world->held = NULL;
	loop_drain(world->loop);
	ok(r.ends == 1 && event->refs == 1, "the watch ends");
	buf_done(&r.body);
	buf_done(&e.body);
}

static void test_broken(struct world *world)
{
	struct result r = {0};

	result_start(&r, world->client, (struct http_call_options){.target = STR("/abort")});
	loop_drain(world->loop);
	ok(r.failures == 1 && r.sent == HTTP_MAYBE_SENT && r.err.code == ERR_UNAVAILABLE,
	   "broken off before the head: %s", r.err.text);
	result_start(&r, world->client, (struct http_call_options){.target = STR("/watch")});
	loop_drain(world->loop);
	http_reply_abort(world->held);
	world->held = NULL;
	loop_drain(world->loop);
	ok(r.failures == 1 && r.heads == 1, "broken off within the body: %s", r.err.text);
	result_start(&r, world->client,
		     (struct http_call_options){.target = STR("/a b"), .method = STR("GET")});
	loop_drain(world->loop);
	ok(r.failures == 1 && r.err.code == ERR_BAD_REQUEST && r.sent == HTTP_NOT_SENT,
	   "a target that cannot be sent: %s", r.err.text);
	result_start(&r, world->client,
		     (struct http_call_options){.target = STR("x"), .method = STR("GET")});
	http_call_cancel(r.call);
	result_start(&r, world->client,
		     (struct http_call_options){.target = STR("/"), .method = STR("G ET")});
	loop_drain(world->loop);
	ok(r.failures == 1 && r.err.code == ERR_BAD_REQUEST, "nor such a method: %s", r.err.text);
	result_start(&r, world->client, (struct http_call_options){.target = STR("/echo")});
	loop_drain(world->loop);
	ok(r.ends == 1, "the client goes on");
	buf_done(&r.body);
}

static void test_limits(struct world *world)
{
	struct result r = {0};

	result_start(
		&r, world->client,
		(struct http_call_options){.target = STR("/hold"), .head_us = 5 * TIME_SECOND});
	world_pass(world, 4 * TIME_SECOND);
	ok(r.failures == 0, "not yet");
	world_pass(world, 2 * TIME_SECOND);
	ok(r.failures == 1 && r.err.code == ERR_TIMEOUT && r.sent == HTTP_MAYBE_SENT,
	   "no head in time: %s", r.err.text);
	result_start(&r, world->client,
		     (struct http_call_options){.target = STR("/watch"),
						.idle_us = 5 * TIME_SECOND,
						.events = &piece_events});
	world_pass(world, 4 * TIME_SECOND);
	http_reply_write(world->held, "x", 1);
	world_pass(world, 4 * TIME_SECOND);
	ok(r.failures == 0 && r.body.len == 10, "a piece in time");
	world_pass(world, 2 * TIME_SECOND);
	ok(r.failures == 1 && r.err.code == ERR_TIMEOUT, "none in time: %s", r.err.text);
	result_start(&r, world->client,
		     (struct http_call_options){.target = STR("/watch"),
						.deadline_us = 10 * TIME_SECOND,
						.events = &piece_events});
	world_pass(world, 9 * TIME_SECOND);
	http_reply_write(world->held, "x", 1);
	world_pass(world, 2 * TIME_SECOND);
	ok(r.failures == 1 && r.err.code == ERR_TIMEOUT && r.body.len == 10,
	   "past its deadline: %s", r.err.text);
	ok(!world->held, "the server is notified each time");
	buf_done(&r.body);
}

static void test_idle(struct world *world)
{
	struct http_client_stats stats;
	struct result r = {0};

	result_start(&r, world->client, (struct http_call_options){.target = STR("/echo")});
	world_pass(world, 80 * TIME_SECOND);
	http_client_stats(world->client, &stats);
	ok(stats.connections >= 1, "kept for a while");
	world_pass(world, 60 * TIME_SECOND);
	http_client_stats(world->client, &stats);
	ok(stats.connections == 0, "then closed");
	result_start(&r, world->client, (struct http_call_options){.target = STR("/echo")});
	loop_drain(world->loop);
	ok(r.ends == 1, "and opened again");
	buf_done(&r.body);
}

static void test_many(struct world *world, size_t most)
{
	enum { MANY = 600 };
	struct result *many = mem_calloc(MANY, sizeof(*many));
	struct http_client_stats stats;
	int ends = 0;

	for (size_t i = 0; i < MANY; i++)
		result_start(&many[i], world->client,
			     (struct http_call_options){.target = STR("/big?n=2000")});
	for (size_t i = 0; i < MANY; i += 7) {
		http_call_cancel(many[i].call);
		many[i].call = NULL;
	}
	loop_drain(world->loop);
	for (size_t i = 0; i < MANY; i++) {
		ends += many[i].ends;
		buf_done(&many[i].body);
	}
	ok(ends == MANY - (MANY + 6) / 7, "%d calls at once, but those cancelled", ends);
	http_client_stats(world->client, &stats);
	ok(stats.connections <= most && stats.waiting == 0, "over %zu connections",
	   stats.connections);
	mem_free(many);
}

static void test_transport(enum transport transport)
{
	struct world world;

	world_init(&world, NULL);
	world.client = world_client(&world, transport, NULL);
	printf("# %s\n", transport_names[transport]);
	test_whole(&world);
	test_big(&world);
	test_upload(&world);
	test_pause(&world);
	test_cancel(&world);
	test_watch(&world);
	test_broken(&world);
	test_limits(&world);
	test_idle(&world);
	test_many(&world, transport == PLAIN_1 || transport == TLS_1 ? 65 : 5);
	world_done(&world);
}

/* ---- What only one protocol has ---- */

static void test_streams(void)
{
	struct http_server_options few = {.max_streams = 2};
	struct http_client_options options = {.max_connections = 2};
	struct http_client_stats stats;
	struct result r[6] = {0};
	struct world world;

	world_init(&world, &few);
	world.client = world_client(&world, TLS_2, &options);
	result_start(&r[0], world.client, (struct http_call_options){.target = STR("/echo")});
	loop_drain(world.loop);
	for (int i = 0; i < 6; i++)
		result_start(
			&r[i], world.client,
			(struct http_call_options){.target = STR("/hold"), .head_us = TIME_MINUTE});
	loop_drain(world.loop);
	http_client_stats(world.client, &stats);
	ok(stats.connections == 2 && stats.waiting == 2,
	   "2 streams on 2 connections, the others wait (%zu, %zu)", stats.connections,
	   stats.waiting);
	world_pass(&world, 2 * TIME_MINUTE);
	for (int i = 0; i < 6; i++) {
		ok(r[i].failures == 1, "call %d timed out", i);
		buf_done(&r[i].body);
	}
	world_done(&world);
}

static void test_goaway(void)
{
	struct http_client_stats stats;
	struct result held = {0}, r = {0};
	struct world world;

	world_init(&world, NULL);
	world.client = world_client(&world, TLS_2, NULL);
	result_start(&held, world.client,
		     (struct http_call_options){.target = STR("/watch"), .events = &piece_events});
	loop_drain(world.loop);
	http_server_shutdown(world.server, 10 * TIME_SECOND, NULL, NULL);
	loop_drain(world.loop);
	ok(held.failures == 0 && world.held, "GOAWAY leaves what is running");
	result_start(&r, world.client, (struct http_call_options){.target = STR("/echo")});
	loop_drain(world.loop);
	ok(r.failures == 1 && r.sent == HTTP_NOT_SENT, "a new call finds no server: %s",
	   r.err.text);
	http_reply_end(world.held);
	world.held = NULL;
	loop_drain(world.loop);
	http_client_stats(world.client, &stats);
	ok(held.ends == 1 && stats.connections == 0, "and the connection ends with the last call");
	buf_done(&r.body);
	buf_done(&held.body);
	world_done(&world);
}

static int deaf_dial(void *arg, struct err *err)
{
	int ends[2];

	(void)err;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	*(int *)((struct world *)arg)->held = ends[0];
	return ends[1];
}

/* A server that takes everything and says nothing. */
static void test_silence(void)
{
	struct http_client_options options = {.dial = deaf_dial};
	struct result r = {0};
	struct world world;
	int other = -1;

	world_init(&world, NULL);
	world.held = (struct http_request *)(void *)&other;
	world.client = world_client(&world, PLAIN_2, &options);
	result_start(&r, world.client, (struct http_call_options){.target = STR("/echo")});
	world_pass(&world, 44 * TIME_SECOND);
	ok(r.failures == 0, "silence is borne for a while");
	world_pass(&world, 2 * TIME_SECOND);
	ok(r.failures == 1 && strstr(r.err.text, "PING") && r.sent == HTTP_MAYBE_SENT,
	   "then a PING goes unanswered: %s", r.err.text);
	http_client_free(world.client);
	close(other);
	world.client = world_client(&world, TLS_2, &options);
	result_start(&r, world.client, (struct http_call_options){.target = STR("/echo")});
	world_pass(&world, 31 * TIME_SECOND);
	ok(r.failures == 1 && r.err.code == ERR_TIMEOUT && r.sent == HTTP_NOT_SENT,
	   "no handshake: %s", r.err.text);
	close(other);
	world.held = NULL;
	buf_done(&r.body);
	world_done(&world);
}

static void test_dial(void)
{
	struct http_client_options nobody = {.url = STR("http://127.0.0.1:1")};
	struct http_client_options no_socket = {.url = STR("http://x"),
						.unix_path = STR("/nonexistent/socket")};
	struct result r = {0};
	struct world world;
	struct err err;

	world_init(&world, NULL);
	world.client = world_client(&world, PLAIN_1, NULL);
	world.refuse_dial = true;
	result_start(&r, world.client, (struct http_call_options){.target = STR("/echo")});
	loop_drain(world.loop);
	ok(r.failures == 1 && r.sent == HTTP_NOT_SENT && strstr(r.err.text, "refused by the test"),
	   "no connection: %s", r.err.text);
	http_client_free(world.client);
	world.client = world_client(&world, PLAIN_1, &nobody);
	result_start(&r, world.client, (struct http_call_options){.target = STR("/echo")});
	world_pass(&world, TIME_SECOND);
	ok(r.failures == 1 && r.sent == HTTP_NOT_SENT && strstr(r.err.text, "127.0.0.1:1") &&
		   strstr(r.err.text, "Connection refused"),
	   "nobody listens: %s", r.err.text);
	http_client_free(world.client);
	world.client = world_client(&world, PLAIN_1, &no_socket);
	result_start(&r, world.client, (struct http_call_options){.target = STR("/echo")});
	world_pass(&world, TIME_SECOND);
	ok(r.failures == 1 && strstr(r.err.text, "unix:/nonexistent/socket"), "no such socket: %s",
	   r.err.text);
	ok(!http_client_new(world.loop, &(struct http_client_options){.url = STR("https://x")},
			    &err),
	   "https requires TLS: %s", err.text);
	ok(!http_client_new(world.loop, &(struct http_client_options){.url = STR("x")}, &err),
	   "not a URL: %s", err.text);
	buf_done(&r.body);
	world_done(&world);
}

/* Everything that is under way when the client goes. */
static void test_free(void)
{
	struct result r[4] = {{.pause = true}};
	struct world world;

	for (enum transport t = 0; t < TRANSPORT_COUNT; t++) {
		world_init(&world, NULL);
		world.client = world_client(&world, t, NULL);
		r[0].pause = true;
		result_start(&r[0], world.client,
			     (struct http_call_options){.target = STR("/stream"),
							.events = &piece_events});
		result_start(&r[1], world.client,
			     (struct http_call_options){.target = STR("/hold")});
		loop_drain(world.loop);
		result_start(&r[2], world.client,
			     (struct http_call_options){.target = STR("/echo")});
		result_start(&r[3], world.client, (struct http_call_options){.target = STR("bad")});
		http_client_free(world.client);
		world.client = NULL;
		loop_drain(world.loop);
		ok(r[1].failures + r[2].failures + r[3].failures + r[1].ends + r[2].ends == 0,
		   "freeing the client cancels without a word");
		ok(world.aborted >= 1, "the server notices");
		world_done(&world);
	}
	for (int i = 0; i < 4; i++)
		buf_done(&r[i].body);
}

/* A complete response whose connection was closed while its user had paused it. */
static void test_arrived(void)
{
	struct result r = {.pause = true};
	struct world world;

	for (int free_it = 0; free_it < 2; free_it++) {
		world_init(&world, NULL);
		world.client = world_client(&world, PLAIN_1, NULL);
		result_start(&r, world.client,
			     (struct http_call_options){.target = STR("/stream"),
							.events = &piece_events});
		loop_drain(world.loop);
		http_server_free(world.server);
		world.server = NULL;
		loop_drain(world.loop);
		ok(r.call && r.failures == 0, "paused, its connection lost");
		for (int i = 0; i < 5 && r.call && !free_it; i++) {
			http_call_resume(r.call);
			loop_drain(world.loop);
		}
		ok(free_it || (r.ends == 1 && str_is(buf_str(&r.body), "one two")) ||
			   r.failures == 1,
		   "it ends: %s", r.err.text);
		world_done(&world);
	}
	buf_done(&r.body);
}

int main(void)
{
	for (enum transport t = 0; t < TRANSPORT_COUNT; t++)
		test_transport(t);
	test_streams();
	test_goaway();
	test_silence();
	test_dial();
	test_free();
	test_arrived();
	return tap_done();
}
