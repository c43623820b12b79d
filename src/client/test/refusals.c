/* SPDX-License-Identifier: Apache-2.0 */
/* How often a write that is refused again and again is sent: by its object, by the permission it lacks. */
#include "client/refusals.h"

#include "base/time.h"
#include "fake.h"

struct world {
	struct loop *loop;
	struct fake fake;
	struct client *client;
	int ended;
	enum err_code reason;
};

static void open_world(struct world *w)
{
	*w = (struct world){0};
	w->loop = loop_new_virtual(1, 0, NULL);
	fake_init(&w->fake);
	w->client = client_new(w->loop, &w->fake.transport, NULL);
}

static void close_world(struct world *w)
{
	client_free(w->client);
	loop_free(w->loop);
}

static void on_done(void *arg, const struct client_result *result)
{
	struct world *w = arg;

	w->ended++;
	w->reason = result->err ? result->err->code : ERR_NONE;
}

static void write_to(struct world *w, enum client_verb verb, const char *name)
{
	client_send(w->client, &(struct client_ask){.verb = verb,
						    .patch = CLIENT_PATCH_MERGE,
						    .resource = &resources[RESOURCE_PODGROUPS],
						    .namespace = STR("a"),
						    .name = str_from(name),
						    .sub = STR("status"),
						    .done = on_done,
						    .arg = w});
}

static void answer(struct world *w, enum err_code code, const char *text)
{
	struct transport_answer answer = {.code = err_http(code), .retry_after_us = -1};

	if (code)
		(void)err_set(&answer.err, code, "%s", text);
	fake_answer(&w->fake, &answer);
}

#define DENIED "podgroups is forbidden: User \"x\" cannot patch resource \"podgroups\" in API group"

/* A caller that asks again at once, as often as it gets an answer. Gives how often the server was asked. */
static size_t ask_for(struct world *w, int64_t time, enum err_code code, const char *text)
{
	int64_t until = loop_uptime(w->loop) + time;
	size_t before = w->fake.sent;

	write_to(w, CLIENT_PATCH, "g");
	while (loop_uptime(w->loop) < until) {
		while (w->fake.count) {
			answer(w, code, text);
			write_to(w, CLIENT_PATCH, "g");
		}
		(void)loop_turn(w->loop, until - loop_uptime(w->loop));
	}
	return w->fake.sent - before;
}

static void test_hot_loop(void)
{
	static const enum err_code codes[] = {
		ERR_BAD_REQUEST,
		ERR_UNAUTHORIZED,
		ERR_FORBIDDEN,
		ERR_NOT_FOUND,
		ERR_CONFLICT,
		ERR_ALREADY_EXISTS,
		ERR_GONE,
		ERR_EXPIRED,
		ERR_TOO_LARGE,
		ERR_INVALID,
		ERR_TOO_MANY_REQUESTS,
		ERR_INTERNAL,
		ERR_UNAVAILABLE,
		ERR_DENIED,
	};

	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		struct world w;
		size_t asked;

		open_world(&w);
		asked = ask_for(&w, TIME_MINUTE, codes[i], "no");
		ok(asked > 3 && asked < 15, "%s: asked %zu times in a minute", err_reason(codes[i]),
		   asked);
		close_world(&w);
	}
}

static void test_permission(void)
{
	struct client_denial denial;
	size_t asked, at = 0;
	struct world w;

	open_world(&w);
	asked = ask_for(&w, TIME_MINUTE, ERR_FORBIDDEN, DENIED);
	ok(asked > 20 && asked < 50, "a permission is asked for every two seconds: %zu", asked);
	ok(client_next_denial(w.client, &at, &denial), "it is listed as missing");
	is(denial.verb, "patch");
	ok(str_is(denial.sub, "status") && denial.resource == &resources[RESOURCE_PODGROUPS],
	   "by its resource and sub-resource");
	for (int i = 0; i < 1000; i++) {
		AUTO(mem_free) char *name = mem_printf("g%d", i);

		write_to(&w, CLIENT_PATCH, name);
	}
	asked = ask_for(&w, 30 * TIME_SECOND, ERR_FORBIDDEN, DENIED);
	ok(asked < 25, "not more often for a thousand objects: %zu", asked);
	for (int64_t until = loop_uptime(w.loop) + 3 * TIME_SECOND; loop_uptime(w.loop) < until;) {
		while (w.fake.count)
			answer(&w, ERR_NONE, "");
		(void)loop_turn(w.loop, until - loop_uptime(w.loop));
	}
	at = 0;
	ok(!client_next_denial(w.client, &at, &denial), "when it is granted it is not missing");
	{
		struct client_stats stats;

		client_stats(w.client, &stats);
		ok(stats.held == 0, "and all are sent within seconds: %zu wait", stats.held);
	}
	close_world(&w);
}

static void test_others(void)
{
	struct world w;

	open_world(&w);
	(void)ask_for(&w, TIME_MINUTE, ERR_INVALID, "no");
	w.ended = 0;
	write_to(&w, CLIENT_PATCH, "other");
	ok(w.fake.count == 1, "another object is not held back");
	answer(&w, ERR_NONE, "");
	write_to(&w, CLIENT_DELETE, "g");
	ok(w.fake.count == 1, "nor another verb");
	answer(&w, ERR_NONE, "");
	ok(w.ended == 2, "they end");
	close_world(&w);

	open_world(&w);
	write_to(&w, CLIENT_UPDATE, "g");
	answer(&w, ERR_CONFLICT, "changed");
	write_to(&w, CLIENT_UPDATE, "g");
	ok(w.fake.count == 1, "one conflict costs no time");
	answer(&w, ERR_NONE, "");
	write_to(&w, CLIENT_UPDATE, "g");
	ok(w.fake.count == 1, "a success ends it");
	close_world(&w);
}

static void test_deadline(void)
{
	struct world w;

	open_world(&w);
	(void)ask_for(&w, TIME_MINUTE, ERR_INVALID, "no");
	w.ended = 0;
	client_send(w.client, &(struct client_ask){.verb = CLIENT_PATCH,
						   .patch = CLIENT_PATCH_MERGE,
						   .resource = &resources[RESOURCE_PODGROUPS],
						   .namespace = STR("a"),
						   .name = STR("g"),
						   .sub = STR("status"),
						   .deadline_us = TIME_SECOND,
						   .done = on_done,
						   .arg = &w});
	for (int64_t until = loop_uptime(w.loop) + 2 * TIME_SECOND; loop_uptime(w.loop) < until;)
		(void)loop_turn(w.loop, until - loop_uptime(w.loop));
	ok(w.ended == 1 && w.reason == ERR_INVALID, "a deadline ends it with the last refusal");
	close_world(&w);
}

int main(void)
{
	test_hot_loop();
	test_permission();
	test_others();
	test_deadline();
	return tap_done();
}
