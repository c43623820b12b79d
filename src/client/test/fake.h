/* SPDX-License-Identifier: Apache-2.0 */
/* fake.h - a transport whose answers a test gives by hand. */
#ifndef CLIENT_TEST_FAKE_H
#define CLIENT_TEST_FAKE_H

#include <assert.h>

#include "base/list.h"
#include "base/mem.h"
#include "client/transport.h"
#include "loop/loop.h"
#include "tap.h"

struct fake {
	struct transport transport;
	struct list asked; /* in order, not yet answered */
	size_t count;
	size_t sent; /* ever */
	bool freed;
};

struct fake_ask {
	struct list link;
	struct fake *fake;
	const struct transport_ask *ask;
};

__attribute__((unused)) static void *fake_send(struct transport *transport,
					       const struct transport_ask *ask)
{
	struct fake *fake = container_of(transport, struct fake, transport);
	struct fake_ask *asked = mem_new(struct fake_ask);

	asked->fake = fake;
	asked->ask = ask;
	list_push(&fake->asked, &asked->link);
	fake->count++;
	fake->sent++;
	return asked;
}

static void fake_ask_free(struct fake_ask *asked)
{
	asked->fake->count--;
	list_remove(&asked->link);
	mem_free(asked);
}

__attribute__((unused)) static void fake_cancel(struct transport *transport, void *token)
{
	(void)transport;
	fake_ask_free(token);
}

__attribute__((unused)) static void fake_free(struct transport *transport)
{
	struct fake *fake = container_of(transport, struct fake, transport);

	LIST_EACH(&fake->asked, struct fake_ask, link, asked)
		fake_ask_free(asked);
	fake->freed = true;
}

__attribute__((unused)) static void fake_init(struct fake *fake)
{
	static const struct transport_ops ops = {
		.send = fake_send,
		.cancel = fake_cancel,
		.free = fake_free,
	};

	*fake = (struct fake){.transport = {&ops}};
	list_init(&fake->asked);
}

/* The request that waits longest; there must be one. */
static struct fake_ask *fake_oldest(struct fake *fake)
{
	struct list *first = list_first(&fake->asked);

	assert(first);
	return container_of(first, struct fake_ask, link);
}

__attribute__((unused)) static const struct transport_ask *fake_first(struct fake *fake)
{
	return fake_oldest(fake)->ask;
}

__attribute__((unused)) static void fake_answer(struct fake *fake,
						const struct transport_answer *answer)
{
	const struct transport_ask *ask = fake_first(fake);

	fake_ask_free(fake_oldest(fake));
	ask->sink->answered(ask->arg, answer);
}

__attribute__((unused)) static void fake_code(struct fake *fake, int code, int64_t retry_after_us)
{
	struct transport_answer answer = {.code = code, .retry_after_us = retry_after_us};

	if (code >= 400)
		(void)err_set(&answer.err, err_from_reason("", code), "code %d", code);
	fake_answer(fake, &answer);
}

/* The connection broke. */
__attribute__((unused)) static void fake_broken(struct fake *fake, bool maybe_done)
{
	struct transport_answer answer = {.retry_after_us = -1, .maybe_done = maybe_done};

	(void)err_set(&answer.err, ERR_UNAVAILABLE, "broken");
	fake_answer(fake, &answer);
}

#endif
