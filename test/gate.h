/* SPDX-License-Identifier: Apache-2.0 */
/* gate.h - a transport that answers some requests itself, as a test says, and passes the others on. */
#ifndef GATE_H
#define GATE_H

#include "base/list.h"
#include "base/mem.h"
#include "base/time.h"
#include "client/transport.h"
#include "loop/loop.h"

/* True: the request ends with *ret, whose code and error are used. Called for every request. */
typedef bool gate_fn(void *arg, const struct client_ask *ask, struct transport_answer *ret);

struct gate {
	struct transport transport;
	struct transport *inner;
	struct loop *loop;
	gate_fn *fn;
	void *arg;
	struct list list; /* requests that it answers */
};

struct gate_ask {
	struct list link;
	const struct transport_ask *ask;
	struct transport_answer answer;
	struct loop_timer *timer;
};

static inline void gate_ask_free(struct gate_ask *gated)
{
	list_remove(&gated->link);
	loop_timer_free(gated->timer);
	mem_free(gated);
}

static inline void gate_answer(struct loop_timer *timer, void *arg)
{
	struct gate_ask *gated = arg;
	const struct transport_ask *ask = gated->ask;
	struct transport_answer answer = gated->answer;

	(void)timer;
	gate_ask_free(gated);
	ask->sink->answered(ask->arg, &answer);
}

/* What passes has the inner transport's own token. */
static inline void *gate_send(struct transport *transport, const struct transport_ask *ask)
{
	struct gate *gate = container_of(transport, struct gate, transport);
	struct transport_answer answer = {.retry_after_us = -1};
	struct gate_ask *gated;

	if (!gate->fn(gate->arg, &ask->ask, &answer))
		return gate->inner->ops->send(gate->inner, ask);
	gated = mem_new(struct gate_ask);
	gated->ask = ask;
	gated->answer = answer;
	list_push(&gate->list, &gated->link);
	gated->timer = loop_timer_new(gate->loop, gate_answer, gated);
	loop_timer_set(gated->timer, TIME_MILLISECOND);
	return gated;
}

static inline void gate_cancel(struct transport *transport, void *token)
{
	struct gate *gate = container_of(transport, struct gate, transport);

	LIST_EACH(&gate->list, struct gate_ask, link, gated)
		if (gated == token) {
			gate_ask_free(gated);
			return;
		}
	gate->inner->ops->cancel(gate->inner, token);
}

static inline void gate_free(struct transport *transport)
{
	struct gate *gate = container_of(transport, struct gate, transport);

	LIST_EACH(&gate->list, struct gate_ask, link, gated)
		gate_ask_free(gated);
	transport_free(gate->inner);
	mem_free(gate);
}

/* Takes `inner`. */
static inline struct transport *gate_new(struct loop *loop, struct transport *inner, gate_fn *fn,
					 void *arg)
{
	static const struct transport_ops ops = {
		.send = gate_send, .cancel = gate_cancel, .free = gate_free};
	struct gate *gate = mem_new(struct gate);

	gate->transport.ops = &ops;
	gate->inner = inner;
	gate->loop = loop;
	gate->fn = fn;
	gate->arg = arg;
	list_init(&gate->list);
	return &gate->transport;
}

#endif
