/* SPDX-License-Identifier: Apache-2.0 */
/* http/http_client.h - an HTTP client on the loop, for one origin: HTTP/2 if ALPN selects it, otherwise
 * a pool of HTTP/1.1 connections; over TLS, plain TCP or a Unix socket.
 *
 *	static const struct http_call_events events = { .end = got, .failed = failed };
 *	http_client_call(client, &(struct http_call_options){
 *		.method = STR("GET"), .target = STR("/version"), .events = &events, .arg = me });
 *	...
 *	static void got(struct http_call *call, void *arg)
 *	{
 *		use(http_call_status(call), http_call_body(call));
 *	}
 *
 * Connections come in two classes that never share one: ordinary calls, and long-lived ones
 * (watches), so that a burst of writes cannot stall a watch and watches do not use up the streams
 * that writes need. Calls that find no free connection wait in order.
 *
 * LIFE OF A CALL. It ends with exactly one of: `end` returns, `failed` returns, or
 * http_call_cancel(). It must not be used afterwards. http_client_call() itself calls no callback.
 */
#ifndef HTTP_HTTP_CLIENT_H
#define HTTP_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct chunk;
struct headers;
struct http_call;
struct http_client;
struct loop;
struct tls;

/* Returns a connected socket, or -1 and an error: for tests and simulated networks. */
typedef int http_dial_fn(void *arg, struct err *err);

/* 0 means the default, which is named here; a negative time means no limit. Read during
 * http_client_new() only. */
struct http_client_options {
	/* "https://10.0.0.1:6443" or "http://..."; a path in it is put before every target. */
	struct str url;
	struct str unix_path; /* connect to this socket instead of the URL's host */
	struct tls *tls;      /* required for https; kept by reference */
	http_dial_fn *dial;   /* where sockets come from; NULL: the URL's host or unix_path */
	void *dial_arg;

	bool http2_plain;       /* use HTTP/2 over http:// without negotiation (prior knowledge) */
	size_t max_connections; /* ordinary calls: 4 with HTTP/2, 64 with HTTP/1.1 */
	size_t max_watches;     /* connections of long-lived calls: 1000 */
	size_t max_streams;     /* per HTTP/2 connection; the server's own limit applies as well */

	int64_t connect_us; /* 30 s: name, connection and handshake */
	int64_t idle_us;    /* 90 s: an unused connection is closed */
	int64_t ping_us;    /* 30 s: if an HTTP/2 server sends nothing for this long, send a PING */
	int64_t pong_us;    /* 15 s: and close the connection if no answer comes */
};

struct http_client *http_client_new(struct loop *loop, const struct http_client_options *options,
				    struct err *err) MUST_CHECK;
/* Cancels calls that have not ended, without a callback. Must not be called from a callback of one of
 * its calls. Takes NULL. */
void http_client_free(struct http_client *client);
DEFINE_AUTO(struct http_client *, http_client_free);

/* New connections use these settings; connections in use finish their calls, idle ones are closed.
 */
void http_client_set_tls(struct http_client *client, struct tls *tls);

/* Can the server have processed the request? */
enum http_sent {
	HTTP_NOT_SENT,  /* the server did not receive or process it: safe to repeat */
	HTTP_MAYBE_SENT /* repeat only idempotent requests */
};

/* Every member may be NULL. */
struct http_call_events {
	/* Status and header fields have arrived. Interim (1xx) responses are skipped. */
	void (*head)(struct http_call *call, void *arg);
	/* A piece of the body, lent for the call. Without this the body is collected, at most
	 * `max_body`, and http_call_body() lends it at `end`. */
	void (*data)(struct http_call *call, struct str data, void *arg);
	/* The response is complete. No further callback follows. */
	void (*end)(struct http_call *call, void *arg);
	/* The call failed. No further callback follows. ERR_TIMEOUT: a time limit of the client was
	 * exceeded; ERR_TOO_LARGE: a size limit was; ERR_UNAVAILABLE: the connection failed;
	 * ERR_INTERNAL: the server violates the protocol; ERR_BAD_REQUEST: the request cannot be
	 * sent. */
	void (*failed)(struct http_call *call, const struct err *err, enum http_sent sent,
		       void *arg);
	/* A streamed request body: http_call_write() had returned false; more can be written now. */
	void (*writable)(struct http_call *call, void *arg);
};

/* Only read during http_client_call(), except `body_chunk`, which is kept by reference, and
 * `events`. */
struct http_call_options {
	struct str method; /* "GET" */
	struct str target; /* "/api/v1/pods?watch=1": path and query, encoded */
	const struct headers
		*headers;         /* may be NULL; host, content-length and connection are ours */
	struct str body;          /* whole; copied */
	struct chunk *body_chunk; /* or whole, kept by reference */
	bool stream_body;         /* or by http_call_write() and http_call_write_end() */
	bool long_lived;          /* a watch or a followed log: on a connection of its class */

	int64_t deadline_us; /* from the call to its end, waiting included; 0: none */
	int64_t head_us;     /* from the call to its head; 0: none */
	int64_t idle_us;     /* longest pause within the response's body; 0: none */
	size_t max_body;     /* when it is collected; 0: LIMIT_RESPONSE_BYTES */

	const struct http_call_events *events; /* must outlive the call */
	void *arg;
};

/* Never fails itself: errors are reported by `failed` in a later turn. */
struct http_call *http_client_call(struct http_client *client,
				   const struct http_call_options *options)
	__attribute__((returns_nonnull));
/* Stops the call now; no callback follows. Allowed in its own callbacks except `end` and `failed`.
 * Takes NULL. */
void http_call_cancel(struct http_call *call);

/* From `head` on. Headers are lent until the call's end. */
int http_call_status(const struct http_call *call);
const struct headers *http_call_headers(const struct http_call *call);
struct str http_call_header(const struct http_call *call, struct str name);
/* The collected body, at `end`. */
struct str http_call_body(const struct http_call *call);
/* Takes the collected body, at `end`: the caller owns one reference. */
struct chunk *http_call_take_body(struct http_call *call) __attribute__((returns_nonnull));
/* 11 or 20. */
int http_call_version(const struct http_call *call);

/* Stop and restart `data`; at most one window (HTTP/2: 4 MB) more arrives meanwhile. */
void http_call_pause(struct http_call *call);
void http_call_resume(struct http_call *call);

/* False: more than LIMIT_SEND_BUFFER_BYTES are queued, wait for `writable`. */
bool http_call_write(struct http_call *call, const void *data, size_t len);
void http_call_write_end(struct http_call *call);

/* Numbers for metrics and tests. */
struct http_client_stats {
	size_t connections; /* open or opening */
	size_t watches;     /* of those, for long-lived calls */
	size_t calls;       /* active and waiting */
	size_t waiting;
	uint64_t dialled; /* connections, ever */
};
void http_client_stats(const struct http_client *client, struct http_client_stats *ret);

#endif
