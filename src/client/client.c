/* SPDX-License-Identifier: Apache-2.0 */
/* client/client.c - requests in progress: waiting for a slot, sent, pausing before the next
 * attempt.
 *
 * A request is in one state at a time:
 *
 *	WAITING --slot--> SENT --answer--> ended
 *	   ^                |
 *	   +--pause over-- PAUSED (retry, or held: the server refused its like before)
 *
 * 1. At most as many as the window has are SENT; a watch or a stream is never counted and never waits.
 * 2. Requests are sent from the front of the queue; after a pause a request returns to the front.
 *    Requests with low priority have a queue of their own, which is used when the other one is
 *    empty, and at most a quarter of the slots, so that the next normal request finds a free one.
 * 3. The slot of a request that has ended is reused before its `done` is called, so that what the
 *    owner sends next comes after requests that were waiting.
 * 4. Deadlines need no timer here: a pause starts only if it ends before the deadline, the
 *    transport limits the time of an attempt, and a request that has waited too long gets hardly
 *    any time when it is sent. */
#include "client/client.h"

#include <assert.h>
#include <string.h>

#include "base/list.h"
#include "base/mem.h"
#include "base/time.h"
#include "client/amend.h"
#include "client/denials.h"
#include "client/refusals.h"
#include "client/transport.h"
#include "client/window.h"
#include "loop/loop.h"

#include "base/banned.h"

enum state { STATE_WAITING, STATE_SENT, STATE_PAUSED };

struct client {
	struct loop *loop;
	struct transport *transport;
	struct transport *amend; /* for patches */
	struct client_options options;
	char *field_manager;
	struct list waiting;
	struct list low_waiting; /* waiting, low priority */
	struct list others;      /* sent or paused */
	size_t low_sent;         /* number of low-priority requests that are sent */
	struct list wakes;
	struct window window;
	struct refusals *refusals;
	struct denials *denials;
	bool out;         /* there was a failure, and no success for OUTAGE before it */
	int64_t heard_at; /* the last success, by loop_uptime() */
	struct client_stats stats;
};

struct client_request {
	struct client *client;
	struct list link;
	enum state state;
	bool long_lived; /* a watch or a stream */
	bool held;       /* while PAUSED: for what the server refused before */
	int64_t sent_at; /* by the stopwatch */
	int tries;
	int tries_left;
	int64_t deadline; /* by loop_uptime(); 0: none */
	void *token;      /* while SENT, of this transport */
	struct transport *via;
	struct loop_timer *timer;
	struct transport_ask ask;
	int64_t grace;
	union {
		struct client_watch watch;
		struct client_stream stream;
	};
	char texts[];
};

#define DEFAULT_DEADLINE TIME_MINUTE
#define DEFAULT_ATTEMPTS 10
#define DEFAULT_BACKOFF (50 * TIME_MILLISECOND)
#define DEFAULT_BACKOFF_MAX (10 * TIME_SECOND)
#define WAKE_SPREAD (50 * TIME_MILLISECOND)
/* One request that fails among others that succeed is no outage. */
#define OUTAGE (5 * TIME_SECOND)

/* --- life --- */

struct client *client_new(struct loop *loop, struct transport *transport,
			  const struct client_options *options)
{
	struct client *client = mem_new(struct client);
	struct client_options *own = &client->options;

	client->loop = loop;
	client->heard_at = loop_uptime(loop);
	client->transport = transport;
	client->amend = amend_new(loop, transport);
	if (options)
		*own = *options;
	window_init(&client->window, own->max_in_flight);
	if (!own->deadline_us)
		own->deadline_us = DEFAULT_DEADLINE;
	if (!own->attempts)
		own->attempts = DEFAULT_ATTEMPTS;
	if (!own->backoff_us)
		own->backoff_us = DEFAULT_BACKOFF;
	if (!own->backoff_max_us)
		own->backoff_max_us = DEFAULT_BACKOFF_MAX;
	client->field_manager = str_dup(own->field_manager);
	own->field_manager = str_from(client->field_manager);
	list_init(&client->waiting);
	list_init(&client->low_waiting);
	list_init(&client->others);
	list_init(&client->wakes);
	client->refusals = refusals_new(loop_random_u64(loop));
	client->denials = denials_new(loop, own->log);
	return client;
}

/* Frees the slot of a request that is no longer in flight. */
static void free_slot(struct client_request *request)
{
	struct client *client = request->client;

	client->stats.in_flight--;
	if (request->ask.ask.low_priority)
		client->low_sent--;
}

static void request_free(struct client_request *request)
{
	struct client *client = request->client;

	list_remove(&request->link);
	if (request->state == STATE_WAITING)
		client->stats.waiting--;
	else if (request->state == STATE_SENT && !request->long_lived)
		free_slot(request);
	if (request->long_lived)
		client->stats.watches--;
	if (request->held)
		client->stats.held--;
	loop_timer_free(request->timer);
	json_doc_unref(request->ask.ask.body);
	mem_free(request);
}

void client_free(struct client *client)
{
	if (!client)
		return;
	transport_free(client->amend);
	transport_free(client->transport);
	LIST_EACH(&client->waiting, struct client_request, link, request)
		request_free(request);
	LIST_EACH(&client->low_waiting, struct client_request, link, request)
		request_free(request);
	LIST_EACH(&client->others, struct client_request, link, request)
		request_free(request);
	refusals_free(client->refusals);
	denials_free(client->denials);
	mem_free(client->field_manager);
	mem_free(client);
}

const char *client_name(const struct client *client)
{
	return client->field_manager;
}

struct loop *client_loop(const struct client *client)
{
	return client->loop;
}

void client_stats(const struct client *client, struct client_stats *ret)
{
	*ret = client->stats;
	ret->limit = client->window.limit;
}

bool client_next_denial(const struct client *client, size_t *at, struct client_denial *ret)
{
	return denials_next(client->denials, at, ret);
}

bool client_is_denial(const struct err *err)
{
	return refusals_is_denial(err);
}

bool client_is_transient(enum err_code code)
{
	return code == ERR_TOO_MANY_REQUESTS || code == ERR_UNAVAILABLE || code == ERR_TIMEOUT ||
	       code == ERR_INTERNAL;
}

/* --- sending --- */

static void request_send(struct client_request *request)
{
	struct client *client = request->client;

	list_remove(&request->link);
	list_push(&client->others, &request->link);
	request->state = STATE_SENT;
	request->tries++;
	request->tries_left--;
	if (!request->long_lived)
		client->stats.in_flight++;
	if (request->ask.ask.low_priority)
		client->low_sent++;
	client->stats.sent++;
	if (request->deadline) {
		int64_t left = request->deadline - loop_uptime(client->loop);

		request->ask.try_us = left > 0 ? left : 1;
	}
	request->sent_at = loop_stopwatch(client->loop);
	refusals_sent(client->refusals, &request->ask.ask);
	request->token = request->via->ops->send(request->via, &request->ask);
}

/* Removes the request from all lists, calls `done` and frees it. */
static void request_end(struct client_request *request, const struct transport_answer *answer)
{
	struct client_ask *ask = &request->ask.ask;
	struct client_result result = {
		.code = answer->code,
		.err = answer->err.code == ERR_NONE ? NULL : &answer->err,
		.doc = answer->doc,
		.text = answer->text,
	};
	client_done_fn *done = ask->done;
	void *arg = ask->arg;

	request_free(request);
	if (done)
		done(arg, &result);
}

/* The next request to send, or NULL. */
static struct list *first_waiting(const struct client *client)
{
	struct list *first = list_first(&client->waiting);

	if (first || client->low_sent * 4 >= client->window.limit)
		return first;
	return list_first(&client->low_waiting);
}

static void on_held(struct loop_timer *timer, void *arg);

/* Holds a write back if its like was refused a moment ago; at the latest until its deadline. */
static bool request_hold(struct client_request *request)
{
	struct client *client = request->client;
	int64_t now = loop_uptime(client->loop);
	int64_t wait = refusals_wait(client->refusals, &request->ask.ask, now);

	if (!wait)
		return false;
	if (request->deadline && now + wait > request->deadline)
		wait = request->deadline > now ? request->deadline - now : 0;
	list_remove(&request->link);
	list_push(&client->others, &request->link);
	request->state = STATE_PAUSED;
	if (!request->held)
		client->stats.held++;
	request->held = true;
	if (!request->timer)
		request->timer = loop_timer_new(client->loop, on_held, request);
	loop_timer_set(request->timer, wait);
	return true;
}

/* Sends waiting requests while slots are free. */
static void pump(struct client *client)
{
	while (client->stats.in_flight < client->window.limit) {
		struct list *first = first_waiting(client);
		struct client_request *request;

		if (!first)
			return;
		request = container_of(first, struct client_request, link);
		client->stats.waiting--;
		if (!request_hold(request))
			request_send(request);
	}
}

static void request_wait(struct client_request *request, bool front)
{
	struct client *client = request->client;
	struct list *queue =
		request->ask.ask.low_priority ? &client->low_waiting : &client->waiting;

	list_remove(&request->link);
	if (request->held)
		client->stats.held--;
	request->held = false;
	request->state = STATE_WAITING;
	client->stats.waiting++;
	if (front)
		list_push_front(queue, &request->link);
	else
		list_push(queue, &request->link);
	pump(client);
}

/* --- retries --- */

static bool is_read(const struct client_ask *ask)
{
	return ask->verb == CLIENT_GET || ask->verb == CLIENT_LIST ||
	       (ask->verb == CLIENT_RAW && str_is(ask->method, "GET"));
}

/* Should this request be retried after this answer? */
static bool wants_repeat(const struct client_ask *ask, const struct transport_answer *answer)
{
	bool busy = answer->code == 429 || answer->code >= 502;

	if (answer->err.code == ERR_NONE)
		return false;
	if (answer->code == 0)
		return (answer->err.code == ERR_UNAVAILABLE || answer->err.code == ERR_TIMEOUT) &&
		       (!answer->maybe_done || is_read(ask));
	if (answer->retry_after_us >= 0)
		return answer->code == 429 || answer->code >= 500;
	return busy && is_read(ask);
}

/* A random pause around a doubling average (50% to 150%), at least as long as the server asks for.
 */
static int64_t pause_us(const struct client_request *request, int64_t retry_after_us)
{
	const struct client *client = request->client;
	int64_t pause = client->options.backoff_us;

	for (int i = 1; i < request->tries && pause < client->options.backoff_max_us; i++)
		pause *= 2;
	if (pause > client->options.backoff_max_us)
		pause = client->options.backoff_max_us;
	pause = pause / 2 + (int64_t)loop_random_below(client->loop, (uint64_t)pause + 1);
	return retry_after_us > 0 ? retry_after_us + pause / 4 : pause;
}

/* The pause is over. A write that was held until its deadline ends as its like did. */
static void on_held(struct loop_timer *timer, void *arg)
{
	struct client_request *request = arg;
	const struct client *client = request->client;
	int64_t now = loop_uptime(client->loop);
	struct transport_answer answer = {.retry_after_us = -1};

	(void)timer;
	if (request->held && request->deadline && now >= request->deadline &&
	    refusals_why(client->refusals, &request->ask.ask, &answer.err)) {
		answer.code = err_http(answer.err.code);
		request_end(request, &answer);
		return;
	}
	request_wait(request, true);
}

/* --- outages --- */

/* The server answers again: what pauses goes on, spread over a moment. What is held for another reason is
 * held again. */
static void end_outage(struct client *client)
{
	client->heard_at = loop_uptime(client->loop);
	if (!client->out)
		return;
	client->out = false;
	refusals_outage_ended(client->refusals);
	LIST_EACH(&client->others, struct client_request, link, request)
		if (request->state == STATE_PAUSED)
			loop_timer_set(request->timer,
				       (int64_t)loop_random_below(client->loop, WAKE_SPREAD));
	LIST_EACH(&client->wakes, struct client_wake, link, wake)
		wake->woken(wake->arg);
}

/* What an answer says of the server itself. */
static void note_server(struct client_request *request, const struct transport_answer *answer)
{
	struct client *client = request->client;
	int64_t now = loop_uptime(client->loop);

	if (answer->code == 429)
		window_overloaded(&client->window, now);
	if (answer->code == 0 || answer->code >= 502)
		client->out |= now - client->heard_at > OUTAGE;
	else if (answer->code < 400)
		end_outage(client);
	if (answer->code)
		denials_answered(client->denials, &request->ask.ask,
				 answer->err.code ? &answer->err : NULL);
}

void client_wake_add(struct client *client, struct client_wake *wake)
{
	list_push(&client->wakes, &wake->link);
}

void client_wake_remove(struct client_wake *wake)
{
	list_remove(&wake->link);
}

/* --- retries, continued --- */

/* Starts a pause; false if no attempts or no time are left. */
static bool request_pause(struct client_request *request, const struct transport_answer *answer)
{
	struct client *client = request->client;
	int64_t pause = pause_us(request, answer->retry_after_us);

	if (request->tries_left <= 0 ||
	    (request->deadline && loop_uptime(client->loop) + pause >= request->deadline))
		return false;
	request->state = STATE_PAUSED;
	request->token = NULL;
	free_slot(request);
	client->stats.repeated++;
	if (!request->timer)
		request->timer = loop_timer_new(client->loop, on_held, request);
	loop_timer_set(request->timer, pause);
	pump(client);
	return true;
}

/* --- callbacks of the transport --- */

static void on_answered(void *arg, const struct transport_answer *answer)
{
	struct client_request *request = arg;
	struct client *client = request->client;

	window_answered(&client->window, loop_stopwatch(client->loop) - request->sent_at,
			client->stats.waiting > 0, loop_uptime(client->loop));
	note_server(request, answer);
	if (wants_repeat(&request->ask.ask, answer) && request_pause(request, answer)) {
		refusals_dropped(client->refusals, &request->ask.ask);
		return;
	}
	refusals_answered(client->refusals, &request->ask.ask,
			  answer->err.code ? &answer->err : NULL, loop_uptime(client->loop));
	request->state = STATE_PAUSED; /* its slot is free now */
	free_slot(request);
	pump(client);
	request_end(request, answer);
}

static const struct transport_sink call_sink = {.answered = on_answered};

static void on_watch_opened(void *arg)
{
	struct client_request *request = arg;

	denials_answered(request->client->denials, &request->ask.ask, NULL);
	end_outage(request->client);
	if (request->watch.opened)
		request->watch.opened(request->watch.arg);
}

static void on_watch_event(void *arg, const struct client_event *event)
{
	struct client_request *request = arg;

	request->watch.event(request->watch.arg, event);
}

static void on_watch_ended(void *arg, const struct err *err)
{
	struct client_request *request = arg;
	struct client_watch watch = request->watch;

	request_free(request);
	watch.ended(watch.arg, err);
}

/* A watch that was open and breaks may be one that the server could not serve in time. */
static void on_watch_broken(void *arg, const struct err *err)
{
	struct client_request *request = arg;

	request->client->stats.watches_ended++;
	if (err && err->code != ERR_GONE && err->code != ERR_EXPIRED)
		window_overloaded(&request->client->window, loop_uptime(request->client->loop));
	on_watch_ended(arg, err);
}

static void on_watch_refused(void *arg, const struct transport_answer *answer)
{
	note_server(arg, answer);
	on_watch_ended(arg, answer->err.code == ERR_NONE ? NULL : &answer->err);
}

static const struct transport_sink watch_sink = {
	.answered = on_watch_refused,
	.opened = on_watch_opened,
	.event = on_watch_event,
	.ended = on_watch_broken,
};

static void on_stream_opened(void *arg)
{
	(void)arg;
}

static void on_stream_data(void *arg, struct str data)
{
	struct client_request *request = arg;

	request->stream.data(request->stream.arg, data);
}

static void on_stream_ended(void *arg, const struct err *err)
{
	struct client_request *request = arg;
	struct client_stream stream = request->stream;

	request_free(request);
	stream.ended(stream.arg, err);
}

static void on_stream_refused(void *arg, const struct transport_answer *answer)
{
	on_stream_ended(arg, answer->err.code == ERR_NONE ? NULL : &answer->err);
}

static const struct transport_sink stream_sink = {
	.answered = on_stream_refused,
	.opened = on_stream_opened,
	.data = on_stream_data,
	.ended = on_stream_ended,
};

/* --- making requests --- */

#define AT(member) offsetof(struct client_ask, member)
static const size_t text_members[] = {
	AT(namespace),
	AT(name),
	AT(sub),
	AT(field_manager),
	AT(label_selector),
	AT(field_selector),
	AT(resource_version),
	AT(version_match),
	AT(continue_token),
	AT(precondition_uid),
	AT(precondition_version),
	AT(method),
	AT(path),
	AT(content_type),
	AT(raw_body),
};
#undef AT

static struct str *text_member(struct client_ask *ask, size_t i)
{
	return (struct str *)(void *)((char *)ask + text_members[i]);
}

/* With copies of all texts after it, in one piece of memory. */
static struct client_request *request_new(struct client *client, const struct client_ask *from)
{
	struct client_ask ask = *from;
	struct client_request *request;
	size_t bytes = 0;
	char *at;

	if (ask.field_manager.len == 0)
		ask.field_manager = client->options.field_manager;
	for (size_t i = 0; i < ARRAY_LEN(text_members); i++)
		bytes += text_member(&ask, i)->len;
	request = mem_zalloc(sizeof(*request) + bytes);
	at = request->texts;
	for (size_t i = 0; i < ARRAY_LEN(text_members); i++) {
		struct str *text = text_member(&ask, i);

		if (text->len)
			memcpy(at, text->ptr, text->len);
		*text = str_of(at, text->len);
		at += text->len;
	}
	request->client = client;
	list_init(&request->link);
	if (ask.body)
		json_doc_ref(ask.body);
	if (ask.grace_seconds) {
		request->grace = *ask.grace_seconds;
		ask.grace_seconds = &request->grace;
	}
	request->via = amend_takes(&ask) ? client->amend : client->transport;
	request->ask.ask = ask;
	request->ask.arg = request;
	return request;
}

struct client_request *client_send(struct client *client, const struct client_ask *ask)
{
	struct client_request *request = request_new(client, ask);
	int64_t deadline = ask->deadline_us ? ask->deadline_us : client->options.deadline_us;

	assert(ask->verb != CLIENT_WATCH);
	assert(ask->verb == CLIENT_RAW || ask->resource);
	request->ask.sink = &call_sink;
	request->tries_left = ask->attempts ? ask->attempts : client->options.attempts;
	if (deadline > 0)
		request->deadline = loop_uptime(client->loop) + deadline;
	request_wait(request, false);
	return request;
}

static void send_long_lived(struct client_request *request, const struct transport_sink *sink)
{
	struct client *client = request->client;

	request->long_lived = true;
	request->ask.sink = sink;
	client->stats.watches++;
	if (client->options.deadline_us > 0)
		request->ask.try_us = client->options.deadline_us;
	request_send(request);
}

struct client_request *client_watch(struct client *client, const struct client_watch *watch)
{
	struct client_request *request =
		request_new(client, &(struct client_ask){
					    .verb = CLIENT_WATCH,
					    .resource = watch->resource,
					    .namespace = watch->namespace,
					    .label_selector = watch->label_selector,
					    .field_selector = watch->field_selector,
					    .resource_version = watch->resource_version,
				    });

	request->watch = *watch;
	request->ask.initial_events = watch->initial_events;
	request->ask.timeout_s = watch->timeout_s;
	send_long_lived(request, &watch_sink);
	return request;
}

struct client_request *client_stream(struct client *client, const struct client_stream *stream)
{
	struct client_request *request = request_new(
		client, &(struct client_ask){
				.verb = CLIENT_RAW, .method = STR("GET"), .path = stream->path});

	request->stream = *stream;
	request->ask.stream = true;
	send_long_lived(request, &stream_sink);
	return request;
}

void client_cancel(struct client_request *request)
{
	struct client *client;

	if (!request)
		return;
	client = request->client;
	if (request->state == STATE_SENT) {
		refusals_dropped(client->refusals, &request->ask.ask);
		request->via->ops->cancel(request->via, request->token);
	}
	request_free(request);
	pump(client);
}
