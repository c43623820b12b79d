/* SPDX-License-Identifier: Apache-2.0 */
/* client/faults.c - a transport that injects faults.
 *
 * The fate of each request is drawn when it is sent. A timer delivers a fault, so that send()
 * itself calls nothing. Events of a watch are never dropped or reordered, because no server does
 * that; a watch may only end. */
#include "client/faults.h"

#include "base/list.h"
#include "base/mem.h"
#include "base/time.h"
#include "client/transport.h"
#include "loop/loop.h"

#include "base/banned.h"

enum fate { FATE_PASS, FATE_REFUSE, FATE_LOSE_ASK, FATE_LOSE_ANSWER, FATE_CONFLICT, FATE_EXPIRE };

struct faulty {
	struct transport transport;
	struct transport *inner;
	struct loop *loop;
	const struct faults *faults;
	struct list requests;
};

struct request {
	struct faulty *faulty;
	struct list link;
	const struct transport_ask *outer;
	struct transport_ask ask; /* the same with our sink */
	void *token;              /* of the inner transport; NULL: not sent there */
	enum fate fate;
	struct loop_timer *timer;
	struct transport_answer held; /* an answer that is delayed */
	char *held_text;
};

static bool by_chance(struct faulty *faulty, unsigned thousandths)
{
	return thousandths && loop_random_below(faulty->loop, 1000) < thousandths;
}

static bool is_long_lived(const struct request *request)
{
	return request->ask.ask.verb == CLIENT_WATCH || request->ask.stream;
}

static void request_free(struct request *request)
{
	struct faulty *faulty = request->faulty;

	list_remove(&request->link);
	if (request->token)
		faulty->inner->ops->cancel(faulty->inner, request->token);
	loop_timer_free(request->timer);
	json_doc_unref(request->held.doc);
	mem_free(request->held_text);
	mem_free(request);
}

/* --- ends --- */

static void end_with(struct request *request, const struct transport_answer *answer)
{
	const struct transport_ask *outer = request->outer;

	request->held = (struct transport_answer){0};
	request_free(request);
	outer->sink->answered(outer->arg, answer);
}

static void end_watch(struct request *request, bool failed)
{
	const struct transport_ask *outer = request->outer;
	struct err err;

	(void)err_set(&err, ERR_UNAVAILABLE, "fault: the connection was lost");
	request_free(request);
	outer->sink->ended(outer->arg, failed ? &err : NULL);
}

/* Delivers the faults that this transport makes itself. */
static void deliver_fault(struct request *request)
{
	struct transport_answer answer = {.retry_after_us = -1};

	switch (request->fate) {
	case FATE_REFUSE:
		answer.code = 503;
		answer.retry_after_us = 0;
		(void)err_set(&answer.err, ERR_UNAVAILABLE, "fault: busy");
		break;
	case FATE_CONFLICT:
		answer.code = 409;
		(void)err_set(&answer.err, ERR_CONFLICT, "fault: the object has been modified");
		break;
	case FATE_EXPIRE:
		answer.code = 410;
		(void)err_set(&answer.err, ERR_EXPIRED, "fault: too old resource version");
		break;
	case FATE_PASS:
	case FATE_LOSE_ASK:
	case FATE_LOSE_ANSWER:
		answer.maybe_done = true;
		(void)err_set(&answer.err, ERR_UNAVAILABLE, "fault: the connection was lost");
		break;
	}
	end_with(request, &answer);
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct request *request = arg;
	struct transport_answer answer = request->held;
	AUTO(mem_free) char *text = TAKE(request->held_text);
	AUTO(json_doc_unref) struct json_doc *doc = TAKE(request->held.doc);

	(void)timer;
	(void)text;
	(void)doc;
	if (request->fate == FATE_PASS)
		end_with(request, &answer);
	else
		deliver_fault(request);
}

/* --- callbacks of the inner transport --- */

static void on_answered(void *arg, const struct transport_answer *answer)
{
	struct request *request = arg;
	struct faulty *faulty = request->faulty;
	int64_t delay = faulty->faults->delay_us;

	request->token = NULL;
	if (request->fate == FATE_LOSE_ANSWER) {
		deliver_fault(request);
	} else if (delay > 0) {
		request->held = *answer;
		request->held.doc = answer->doc ? json_doc_ref(answer->doc) : NULL;
		request->held_text = str_dup(answer->text);
		request->held.text = str_from(request->held_text);
		loop_timer_set(request->timer,
			       (int64_t)loop_random_below(faulty->loop, (uint64_t)delay));
	} else {
		end_with(request, answer);
	}
}

static void on_opened(void *arg)
{
	struct request *request = arg;

	request->outer->sink->opened(request->outer->arg);
}

static void on_event(void *arg, const struct client_event *event)
{
	struct request *request = arg;
	struct faulty *faulty = request->faulty;

	if (faulty->faults->cut || by_chance(faulty, faulty->faults->end_watch))
		end_watch(request, loop_random_below(faulty->loop, 2));
	else
		request->outer->sink->event(request->outer->arg, event);
}

static void on_data(void *arg, struct str data)
{
	struct request *request = arg;

	request->outer->sink->data(request->outer->arg, data);
}

static void on_ended(void *arg, const struct err *err)
{
	struct request *request = arg;
	const struct transport_ask *outer = request->outer;

	request->token = NULL;
	request_free(request);
	outer->sink->ended(outer->arg, err);
}

static const struct transport_sink sink = {
	.answered = on_answered,
	.opened = on_opened,
	.event = on_event,
	.data = on_data,
	.ended = on_ended,
};

/* --- the transport --- */

static enum fate draw(struct request *request)
{
	struct faulty *faulty = request->faulty;
	const struct faults *faults = faulty->faults;
	enum client_verb verb = request->ask.ask.verb;

	if (faults->cut || by_chance(faulty, faults->lose_ask))
		return FATE_LOSE_ASK;
	if (by_chance(faulty, faults->refuse))
		return FATE_REFUSE;
	if (verb == CLIENT_WATCH && request->ask.ask.resource_version.len &&
	    by_chance(faulty, faults->expire))
		return FATE_EXPIRE;
	if (verb == CLIENT_WATCH && by_chance(faulty, faults->end_watch))
		return FATE_LOSE_ASK;
	if ((verb == CLIENT_UPDATE || verb == CLIENT_PATCH) && by_chance(faulty, faults->conflict))
		return FATE_CONFLICT;
	if (!is_long_lived(request) && by_chance(faulty, faults->lose_answer))
		return FATE_LOSE_ANSWER;
	return FATE_PASS;
}

static void *faults_send(struct transport *transport, const struct transport_ask *ask)
{
	struct faulty *faulty = container_of(transport, struct faulty, transport);
	struct request *request = mem_new(struct request);

	request->faulty = faulty;
	request->outer = ask;
	request->ask = *ask;
	request->ask.sink = &sink;
	request->ask.arg = request;
	request->timer = loop_timer_new(faulty->loop, on_timer, request);
	list_push(&faulty->requests, &request->link);
	request->fate = draw(request);
	if (request->fate == FATE_PASS || request->fate == FATE_LOSE_ANSWER)
		request->token = faulty->inner->ops->send(faulty->inner, &request->ask);
	else
		loop_timer_set(request->timer, TIME_MILLISECOND);
	return request;
}

static void faults_cancel(struct transport *transport, void *token)
{
	(void)transport;
	request_free(token);
}

static void faults_free(struct transport *transport)
{
	struct faulty *faulty = container_of(transport, struct faulty, transport);

	LIST_EACH(&faulty->requests, struct request, link, request)
		request_free(request);
	transport_free(faulty->inner);
	mem_free(faulty);
}

static const struct transport_ops ops = {
	.send = faults_send,
	.cancel = faults_cancel,
	.free = faults_free,
};

struct transport *faults_new(struct loop *loop, struct transport *inner,
			     const struct faults *faults)
{
	struct faulty *faulty = mem_new(struct faulty);

	faulty->transport.ops = &ops;
	faulty->inner = inner;
	faulty->loop = loop;
	faulty->faults = faults;
	list_init(&faulty->requests);
	return &faulty->transport;
}
