/* SPDX-License-Identifier: Apache-2.0 */
/* What a client does over any transport: waiting, repeating, ending. */
#include "client/client.h"

#include "base/buf.h"
#include "base/time.h"
#include "fake.h"

struct world {
	struct loop *loop;
	struct fake fake;
	struct client *client;
};

struct got {
	int calls;
	int code;
	enum err_code reason;
};

static void got_it(void *arg, const struct client_result *result)
{
	struct got *got = arg;

	got->calls++;
	got->code = result->code;
	got->reason = result->err ? result->err->code : ERR_NONE;
}

static void open_world(struct world *w, const struct client_options *options)
{
	w->loop = loop_new_virtual(1, 0, NULL);
	fake_init(&w->fake);
	w->client = client_new(w->loop, &w->fake.transport, options);
}

static void close_world(struct world *w)
{
	client_free(w->client);
	ok(w->fake.freed, "the transport goes with its client");
	loop_free(w->loop);
}

static struct client_request *ask(struct world *w, enum client_verb verb, struct got *got)
{
	*got = (struct got){0};
	return client_send(w->client, &(struct client_ask){
					      .verb = verb,
					      .resource = &resources[RESOURCE_PODS],
					      .namespace = STR("ns"),
					      .name = STR("p"),
					      .done = got_it,
					      .arg = got,
				      });
}

/* Let time pass until it is sent again; gives how long that took, or -1. */
static int64_t until_sent(struct world *w)
{
	int64_t from = loop_uptime(w->loop);

	while (!w->fake.count)
		if (!loop_turn(w->loop, TIME_HOUR))
			return -1;
	return loop_uptime(w->loop) - from;
}

static void test_repeating(void)
{
	struct world w;
	struct got got;
	int64_t waited;

	open_world(&w, NULL);
	ask(&w, CLIENT_CREATE, &got);
	fake_code(&w.fake, 503, 3 * TIME_SECOND);
	waited = until_sent(&w);
	ok(waited >= 3 * TIME_SECOND && waited < 4 * TIME_SECOND,
	   "a server that says when is asked again then");
	fake_code(&w.fake, 201, -1);
	ok(got.calls == 1 && got.code == 201, "and its answer is the answer");

	ask(&w, CLIENT_CREATE, &got);
	fake_broken(&w.fake, false);
	waited = until_sent(&w);
	ok(waited >= 0 && waited < TIME_SECOND, "a write that was not sent is sent again");
	fake_broken(&w.fake, true);
	ok(got.calls == 1 && got.reason == ERR_UNAVAILABLE,
	   "one that may have been done is not: its sender must look");

	ask(&w, CLIENT_GET, &got);
	fake_broken(&w.fake, true);
	ok(until_sent(&w) >= 0, "a read may always be repeated");
	fake_code(&w.fake, 502, -1);
	ok(until_sent(&w) >= 0, "also when something between was out of order");
	fake_code(&w.fake, 404, -1);
	ok(got.calls == 1 && got.reason == ERR_NOT_FOUND, "\"no\" is an answer");

	ask(&w, CLIENT_CREATE, &got);
	fake_code(&w.fake, 429, -1);
	ok(got.calls == 1 && got.reason == ERR_TOO_MANY_REQUESTS,
	   "429 without a time is a \"no\": an eviction that a budget forbids");
	ask(&w, CLIENT_UPDATE, &got);
	fake_code(&w.fake, 409, -1);
	ok(got.calls == 1 && got.reason == ERR_CONFLICT, "a conflict wants a new read first");
	close_world(&w);
}

static void test_giving_up(void)
{
	struct world w;
	struct got got;
	int tries = 1;

	open_world(&w, &(struct client_options){.attempts = 4, .deadline_us = -1});
	ask(&w, CLIENT_GET, &got);
	fake_broken(&w.fake, false);
	while (until_sent(&w) >= 0) {
		tries++;
		fake_broken(&w.fake, false);
	}
	ok(tries == 4 && got.calls == 1 && got.reason == ERR_UNAVAILABLE,
	   "after so many tries it has failed");
	close_world(&w);

	open_world(&w, &(struct client_options){.deadline_us = 10 * TIME_SECOND, .attempts = 1000});
	ask(&w, CLIENT_GET, &got);
	ok(fake_first(&w.fake)->try_us == 10 * TIME_SECOND, "a try has the time that is left");
	for (tries = 1; fake_code(&w.fake, 503, -1), !got.calls; tries++)
		(void)until_sent(&w);
	ok(loop_uptime(w.loop) < 10 * TIME_SECOND && tries > 3 && tries < 30,
	   "no pause goes past the deadline, and they grow");
	ok(got.reason == ERR_UNAVAILABLE && got.code == 503,
	   "the last answer of the server is reported");
	close_world(&w);
}

static void test_waiting(void)
{
	struct world w;
	struct got got[5];
	struct client_request *requests[5];
	struct client_stats stats;

	open_world(&w, &(struct client_options){.max_in_flight = 2});
	for (int i = 0; i < 5; i++)
		requests[i] = ask(&w, CLIENT_GET, &got[i]);
	ok(w.fake.count == 2, "as many as may are sent");
	client_cancel(requests[0]);
	ok(w.fake.count == 2 && w.fake.sent == 3, "cancelling a request frees its slot");
	client_cancel(requests[3]);
	fake_code(&w.fake, 503, TIME_SECOND);
	ok(w.fake.sent == 4 && w.fake.count == 2, "so does one that pauses");
	fake_code(&w.fake, 200, -1);
	fake_code(&w.fake, 200, -1);
	ok(got[2].calls && got[4].calls && !got[1].calls && !got[3].calls && !got[0].calls,
	   "the others are answered in order");
	(void)until_sent(&w);
	client_stats(w.client, &stats);
	ok(stats.in_flight == 1 && stats.waiting == 0 && stats.repeated == 1, "numbers are kept");
	close_world(&w);
	ok(!got[1].calls, "freeing a client calls no callback");
}

static struct client_request *ask_low_priority(struct world *w, const char *name)
{
	return client_send(w->client, &(struct client_ask){.verb = CLIENT_PATCH,
							   .resource = &resources[RESOURCE_EVENTS],
							   .name = str_from(name),
							   .low_priority = true});
}

/* Names of what is sent and not answered, in order. */
static const char *under_way(struct world *w, struct buf *text)
{
	buf_clear(text);
	LIST_EACH(&w->fake.asked, struct fake_ask, link, asked)
		buf_printf(text, "%.*s ", STR_ARG(asked->ask->ask.name));
	return buf_text(text);
}

/* A low-priority request is sent when nothing else waits, and they use only a part of the slots. */
static void test_giving_way(void)
{
	struct world w;
	struct got got[5];
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct client_request *third;

	open_world(&w, &(struct client_options){.max_in_flight = 4});
	(void)ask_low_priority(&w, "a");
	(void)ask_low_priority(&w, "b");
	third = ask_low_priority(&w, "c");
	is(under_way(&w, &text), "a "); /* a quarter of the slots */
	for (int i = 0; i < 5; i++)
		ask(&w, CLIENT_GET, &got[i]);
	is(under_way(&w, &text), "a p p p ");
	fake_code(&w.fake, 200, -1);
	is(under_way(&w, &text), "p p p p "); /* the others first */
	fake_code(&w.fake, 200, -1);
	is(under_way(&w, &text), "p p p p ");
	fake_code(&w.fake, 200, -1);
	is(under_way(&w, &text), "p p p b ");
	for (int i = 0; i < 3; i++)
		fake_code(&w.fake, 200, -1);
	is(under_way(&w, &text), "b ");
	fake_code(&w.fake, 503, TIME_SECOND); /* it pauses, and frees its slot */
	is(under_way(&w, &text), "c ");
	client_cancel(third);
	(void)until_sent(&w);
	is(under_way(&w, &text), "b ");
	(void)ask_low_priority(&w, "left");
	close_world(&w);
}

struct chain {
	struct world *w;
	int left;
};

static void next_of_chain(void *arg, const struct client_result *result)
{
	struct chain *chain = arg;

	(void)result;
	if (chain->left-- > 0)
		client_send(chain->w->client,
			    &(struct client_ask){.verb = CLIENT_LIST,
						 .resource = &resources[RESOURCE_PODS],
						 .done = next_of_chain,
						 .arg = chain});
}

/* What a callback sends comes after what was waiting. */
static void test_order(void)
{
	struct world w;
	struct chain chain = {&w, 1};
	struct got got;

	open_world(&w, &(struct client_options){.max_in_flight = 1});
	client_send(w.client, &(struct client_ask){.verb = CLIENT_LIST,
						   .resource = &resources[RESOURCE_PODS],
						   .done = next_of_chain,
						   .arg = &chain});
	ask(&w, CLIENT_GET, &got);
	fake_code(&w.fake, 200, -1);
	ok(fake_first(&w.fake)->ask.verb == CLIENT_GET, "first come, first sent");
	fake_code(&w.fake, 200, -1);
	ok(fake_first(&w.fake)->ask.verb == CLIENT_LIST, "then the follower");
	close_world(&w);
}

static void test_texts(void)
{
	struct world w;
	char name[] = "mine";
	int64_t grace = 0;
	const struct client_ask *sent;

	open_world(&w, &(struct client_options){.field_manager = STR("vc")});
	client_send(w.client, &(struct client_ask){
				      .verb = CLIENT_DELETE,
				      .resource = &resources[RESOURCE_PODS],
				      .name = str_from(name),
				      .grace_seconds = &grace,
			      });
	name[0] = '!';
	grace = 7;
	sent = &fake_first(&w.fake)->ask;
	ok(str_is(sent->name, "mine") && *sent->grace_seconds == 0, "what is asked is copied");
	ok(str_is(sent->field_manager, "vc"), "with the client's field manager");
	close_world(&w);
}

static enum err_code code_of(const char *text, int http)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(str_from(text), NULL, NULL);
	struct err err = {0};

	transport_err_from_status(json_doc_root(doc), http, &err);
	return err.code;
}

static void test_statuses(void)
{
	ok(code_of("{\"reason\":\"BadRequest\",\"message\":\"m\"}", 400) == ERR_BAD_REQUEST,
	   "a request that is wrong");
	ok(code_of("{\"reason\":\"\",\"message\":\"admission webhook says no\"}", 400) ==
		   ERR_DENIED,
	   "one that a webhook denies has no reason");
	ok(code_of("{}", 400) == ERR_BAD_REQUEST, "nor has one of which nothing is known");
	ok(code_of("{\"reason\":\"\",\"message\":\"m\"}", 404) == ERR_NOT_FOUND,
	   "other codes decide by themselves");
}

int main(void)
{
	test_repeating();
	test_statuses();
	test_giving_up();
	test_waiting();
	test_giving_way();
	test_order();
	test_texts();
	return tap_done();
}
