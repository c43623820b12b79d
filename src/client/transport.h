/* SPDX-License-Identifier: Apache-2.0 */
/* client/transport.h - the interface to a server that a client uses.
 *
 * There are two: HTTP (client/transport_http.h) and the embedded server in the same process
 * (apiserver/request/direct.h). A third wraps another one and injects faults (tests, simulation).
 *
 * A transport sends each request once: the client does retries, queueing and limits. Rules for a
 * new transport:
 * 1. No function of the sink is called from within `send`, `cancel` or `free`.
 * 2. A request ends by exactly one of: `answered` (not for a watch or stream that was opened),
 *    `ended`, `cancel`, `free`. The token is not used afterwards, and the request may be cancelled
 *    from any callback except the last one.
 * 3. `free` ends all requests without calling the sink. */
#ifndef CLIENT_TRANSPORT_H
#define CLIENT_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "client/client.h"

struct transport;

/* The answer. Valid during the call. */
struct transport_answer {
	int code; /* 0: no answer */
	/* ERR_NONE on success; else the reason and text of the Status, or the error of the
	 * connection. */
	struct err err;
	struct json_doc *doc; /* see struct client_result */
	struct str text;
	int64_t retry_after_us; /* -1: not given */
	/* Without an answer: may the server have processed the request? */
	bool maybe_done;
};

/* The callbacks of a request. */
struct transport_sink {
	/* The answer. For a watch or a stream: it was rejected and has ended. */
	void (*answered)(void *arg, const struct transport_answer *answer);
	/* A watch or stream was opened. */
	void (*opened)(void *arg);
	void (*event)(void *arg, const struct client_event *event);
	void (*data)(void *arg, struct str data);
	/* An opened watch or stream has ended; `err` is NULL for an ordinary end. */
	void (*ended)(void *arg, const struct err *err);
};

/* The client keeps it as long as the request lives. */
struct transport_ask {
	struct client_ask ask; /* of a watch: with CLIENT_WATCH and what a list has ... */
	bool initial_events;   /* ... and these */
	int64_t timeout_s;
	bool stream; /* CLIENT_RAW: deliver the body piece by piece */
	/* How long this attempt may take; 0: no limit. Watches and streams: until they are opened.
	 */
	int64_t try_us;
	const struct transport_sink *sink;
	void *arg;
};

struct transport_ops {
	/* Starts the request; returns a token for cancel(). */
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

/* --- helpers for transports --- */

/* "ADDED", ..., "BOOKMARK"; false for anything else. */
bool transport_event_type(struct str name, enum client_event_type *ret);
/* Does this bookmark end the initial events? */
bool transport_is_initial_end(struct json object);
/* The error in a Status; ERR_INTERNAL if `status` is not a Status. */
void transport_err_from_status(struct json status, int code, struct err *ret);

#endif
