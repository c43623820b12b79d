/* SPDX-License-Identifier: Apache-2.0 */
/* client/transport.h - what is under a client: one way to reach a server.
 *
 * Two are there: HTTP (client/transport_http.h) and the embedded server in the same process
 * (apiserver/request/direct.h). A third wraps another one and lets things go wrong (tests, simulation).
 *
 * A transport gives each request one try: it does not repeat, wait or bound; the client does. Rules
 * for whoever writes one:
 * 1. No function of the sink is called from within `send`, `cancel` or `free`.
 * 2. A request ends by exactly one of: `answered` (not for a watch or stream that was opened),
 *    `ended`, `cancel`, `free`. The token is not used afterwards, and may be cancelled from within
 *    any callback but that last one.
 * 3. `free` ends everything that is under way without a word. */
#ifndef CLIENT_TRANSPORT_H
#define CLIENT_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "client/client.h"

struct transport;

/* What came back. Lent for the call. */
struct transport_answer {
	int code; /* 0: no answer */
	/* ERR_NONE where it went well; else the reason and text of the Status, or what went wrong
	 * on the way. */
	struct err err;
	struct json_doc *doc; /* see struct client_result */
	struct str text;
	int64_t retry_after_us; /* -1: the server said nothing */
	/* Without an answer: may the server have acted upon the request? */
	bool maybe_done;
};

/* Who hears of a request. */
struct transport_sink {
	/* The answer. Of a watch or a stream: it was refused, and this is the end of it. */
	void (*answered)(void *arg, const struct transport_answer *answer);
	/* A watch or stream is on. */
	void (*opened)(void *arg);
	void (*event)(void *arg, const struct client_event *event);
	void (*data)(void *arg, struct str data);
	/* An opened watch or stream is over; `err` is NULL for an ordinary end. */
	void (*ended)(void *arg, const struct err *err);
};

/* Lives as long as the request: the client keeps it. */
struct transport_ask {
	struct client_ask ask; /* of a watch: with CLIENT_WATCH and what a list has ... */
	bool initial_events;   /* ... and these */
	int64_t timeout_s;
	bool stream; /* CLIENT_RAW: hand the body on piece by piece */
	/* How long this try may take; 0: no bound. Watches and streams: until they are opened. */
	int64_t try_us;
	const struct transport_sink *sink;
	void *arg;
};

struct transport_ops {
	/* Start it; gives a token for cancel(). */
	void *(*send)(struct transport *transport, const struct transport_ask *ask);
	void (*cancel)(struct transport *transport, void *token);
	void (*free)(struct transport *transport);
};

/* The first member of each. */
struct transport {
	const struct transport_ops *ops;
};

/* Takes NULL. */
static inline void transport_free(struct transport *transport)
{
	if (transport)
		transport->ops->free(transport);
}
DEFINE_AUTO(struct transport *, transport_free);

/* --- for those who write transports --- */

/* "ADDED", ..., "BOOKMARK"; false for anything else. */
bool transport_event_type(struct str name, enum client_event_type *ret);
/* Does this bookmark end the initial events? */
bool transport_is_initial_end(struct json object);
/* The error that a Status says; ERR_INTERNAL where `status` is none. */
void transport_err_from_status(struct json status, int code, struct err *ret);

#endif
