/* SPDX-License-Identifier: Apache-2.0 */
/* http/http_server.h - an HTTP/1.1 and HTTP/2 server on the loop; one handler for both.
 *
 *	static void handle(struct http_request *request, void *arg)
 *	{
 *		http_reply(request, 200, STR("text/plain"), STR("hello\n"));
 *	}
 *	struct http_server *server = http_server_new(loop, &(struct http_server_options){
 *		.handler = handle, .tls = tls }, err);
 *	http_server_listen(server, &address, HTTP_TLS, err);
 *
 * HTTP/2 is used if ALPN selects it, and on plain sockets if the client starts with its preface.
 * Wrong input never reaches the handler: it gets 400, 408, 413, 414, 431, 501 or 505, or under
 * HTTP/2 a reset or GOAWAY.
 *
 * LIFE OF A REQUEST. The handler is called when the head has arrived. The request then belongs to
 * it until exactly one of these happens, and must not be used afterwards:
 *   - it ends the reply: http_reply(), http_reply_chunk(), http_reply_end(), http_reply_abort();
 *   - the client disconnects, or a time limit is exceeded: `aborted` is called, and returns.
 * Until then it may answer now or in any later turn. Everything that a request lends (headers,
 * path, body) is valid until then. */
#ifndef HTTP_HTTP_SERVER_H
#define HTTP_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "http/address.h"

struct buf;
struct chunk;
struct headers;
struct http_request;
struct http_server;
struct loop;
struct query;
struct stream_peer;
struct tls;

typedef void http_handler_fn(struct http_request *request, void *arg);

/* 0 means the default, which is named here; a negative time means no limit. */
struct http_server_options {
	http_handler_fn *handler;
	void *arg;
	struct tls *tls; /* for the addresses listened on with HTTP_TLS; kept by reference */

	/* LIMIT_CONNECTIONS; at it new ones wait in the kernel, and idle ones are closed for them */
	size_t max_connections;
	size_t max_streams; /* LIMIT_STREAMS: concurrent requests per HTTP/2 connection */
	size_t max_resets;  /* LIMIT_STREAM_RESETS; refill LIMIT_STREAM_RESETS_PER_SECOND */

	int64_t handshake_us; /* 10 s: TLS handshake, HTTP/2 preface */
	int64_t header_us;    /* 10 s: from a request's first byte to the end of its head */
	int64_t body_us;      /* 60 s: longest pause within a body that is being read */
	int64_t idle_us;      /* 120 s: connection without a request */
	int64_t write_us;     /* 60 s: something is queued and the client reads none of it */

	/* Bytes of responses that clients have not read: LIMIT_CONNECTION_WAITING_BYTES,
	 * LIMIT_SERVER_WAITING_BYTES */
	size_t max_waiting;
	size_t max_waiting_all;
	/* The unread bytes of a connection have changed; `data` is http_connection_data(). May be
	 * NULL. */
	void (*waiting)(void *data, int64_t change);
};

struct http_server *http_server_new(struct loop *loop, const struct http_server_options *options,
				    struct err *err) MUST_CHECK;
/* Closes every connection at once; `aborted` is called for open requests first. Must not be called
 * from a handler. Takes NULL. */
void http_server_free(struct http_server *server);
DEFINE_AUTO(struct http_server *, http_server_free);

enum http_security { HTTP_PLAIN, HTTP_TLS };
/* Listen on one more address; with HTTP_TLS connections are closed until there is a certificate. `ret_bound`, which may be NULL, gets the address with the port that
 * the kernel chose. */
int http_server_listen(struct http_server *server, const struct address *address,
		       enum http_security security, struct address *ret_bound,
		       struct err *err) MUST_CHECK;
/* Serves a socket that is already connected; takes the descriptor. */
void http_server_adopt(struct http_server *server, int fd, enum http_security security);

/* New connections use this certificate; kept by reference. */
void http_server_set_tls(struct http_server *server, struct tls *tls);

/* Stops listening and closes all connections: idle ones at once; the others are notified that no
 * request may follow (Connection: close, GOAWAY), and those still open after `drain_us` are closed.
 * `done` is called in a later turn, after the last one was closed; http_server_free() is still
 * needed. */
typedef void http_server_done_fn(void *arg);
void http_server_shutdown(struct http_server *server, int64_t drain_us, http_server_done_fn *done,
			  void *arg);

/* Numbers for /metrics. */
struct http_server_stats {
	size_t connections; /* now */
	size_t requests;    /* open now */
	uint64_t accepted;  /* connections, ever */
	uint64_t served;    /* requests handed to the handler, ever */
	uint64_t refused;   /* malformed requests that were rejected or reset, ever */
	size_t waiting;     /* bytes of responses that clients have not read yet */
	uint64_t stalled; /* connections and streams ended because the client read nothing, ever */
};
void http_server_stats(const struct http_server *server, struct http_server_stats *ret);
/* Closes connections with many unread bytes that have read none of them for `stalled_us`. Checks at
 * most once per second. */
void http_server_drop_stalled(struct http_server *server, int64_t stalled_us);

/* ---- The request ---- */

enum http_method {
	HTTP_METHOD_GET,
	HTTP_METHOD_HEAD,
	HTTP_METHOD_POST,
	HTTP_METHOD_PUT,
	HTTP_METHOD_PATCH,
	HTTP_METHOD_DELETE,
	HTTP_METHOD_OPTIONS,
	HTTP_METHOD_OTHER, /* see http_request_method_name() */
	HTTP_METHOD_COUNT
};

enum http_method http_request_method(const struct http_request *request);
struct str http_request_method_name(const struct http_request *request);
/* The path, %-decoded ("/api/v1/pods") and as sent; "*" for OPTIONS *. */
struct str http_request_path(const struct http_request *request);
struct str http_request_raw_path(const struct http_request *request);
/* The part after '?', as sent; none if absent. And decoded, at the first call. */
struct str http_request_raw_query(const struct http_request *request);
const struct query *http_request_query(struct http_request *request);
/* "host" is set for HTTP/2 as well (from :authority). */
const struct headers *http_request_headers(const struct http_request *request);
/* First value of a field; none if absent. */
struct str http_request_header(const struct http_request *request, struct str name);
const struct stream_peer *http_request_peer(const struct http_request *request);
/* 10, 11 or 20. */
int http_request_version(const struct http_request *request);
/* Announced length of the body; -1 if it is not known before its end; 0 for none. */
int64_t http_request_length(const struct http_request *request);
struct http_server *http_request_server(const struct http_request *request);

/* Data that a handler stores with the connection of a request; NULL at first. `done` is called with
 * data that is replaced, and with the last data when the connection ends. */
typedef void http_connection_done_fn(void *data);
void *http_connection_data(const struct http_request *request);
void http_connection_set_data(struct http_request *request, void *data,
			      http_connection_done_fn *done);

/* ---- The body, in one of two ways, or not at all ----
 * A body that the handler does not read stays unread; after the end of the reply it is discarded. */

/* Every member may be NULL. */
struct http_request_events {
	/* A piece of the body, after http_request_read(); lent for the call. */
	void (*body)(struct http_request *request, struct str data, void *arg);
	/* The body is complete. */
	void (*body_end)(struct http_request *request, void *arg);
	/* The body is longer than the given limit: the handler replies. Without this callback the
	 * server replies 413 and calls `aborted`. */
	void (*too_large)(struct http_request *request, void *arg);
	/* A write had returned false; more can be written now. */
	void (*writable)(struct http_request *request, void *arg);
	/* The client has disconnected or a time limit was exceeded. No further callback follows. No
	 * reply function may be called, neither here nor later. */
	void (*aborted)(struct http_request *request, const struct err *why, void *arg);
};
/* `events` is kept by reference. Not needed by a handler that answers before it returns. */
void http_request_on(struct http_request *request, const struct http_request_events *events,
		     void *arg);

/* Collects the whole body, at most `limit` bytes (0: LIMIT_BODY_BYTES), and then calls `fn` once,
 * within this call if the body has already arrived (or there is none). Instead of `fn`, `too_large`
 * is called if the body is longer, and `aborted` if it is incomplete. The body is valid as long as
 * the headers. */
typedef void http_body_fn(struct http_request *request, struct str body, void *arg);
void http_request_read_all(struct http_request *request, size_t limit, http_body_fn *fn, void *arg);
/* Moves the body that http_body_fn was called with to `to`, which must be empty. */
void http_request_take_body(struct http_request *request, struct buf *to);
/* Stream the body into `body` and `body_end`; `limit` as above, SIZE_MAX for none. They are called
 * in later turns, never within this call. */
void http_request_read(struct http_request *request, size_t limit);
/* Stop and restart `body`: at most about one window (HTTP/2: 256 KB) more arrives meanwhile. */
void http_request_pause(struct http_request *request);
void http_request_resume(struct http_request *request);

/* ---- The reply ---- */

/* Header fields of the reply, to be filled before it is started. Set by the server itself: date,
 * content-length, transfer-encoding, connection; those are ignored here. */
struct headers *http_reply_headers(struct http_request *request);

/* The whole reply at once; `type` is the content-type, none for no such field. To HEAD, and with
 * status 204 or 304, the body is not sent. The first copies the body, the second keeps a reference.
 * Ends the request. */
void http_reply(struct http_request *request, int status, struct str type, struct str body);
void http_reply_chunk(struct http_request *request, int status, struct str type,
		      struct chunk *body);

/* A reply in pieces, of unknown length. The head is sent at the end of the turn, so that a watcher
 * sees that its watch was accepted. */
void http_reply_start(struct http_request *request, int status, struct str type);
/* False: more than LIMIT_SEND_BUFFER_BYTES are queued, wait for `writable`. Further writes are
 * still queued: check http_reply_queued() and abort the reply of a client that does not read. */
bool http_reply_write(struct http_request *request, const void *data, size_t len);
bool http_reply_write_chunk(struct http_request *request, struct chunk *chunk);
size_t http_reply_queued(const struct http_request *request);
/* Are so many bytes of all requests waiting on the connection that the handler should produce no
 * more now? If so, `writable` will be called later. */
bool http_reply_must_wait(struct http_request *request);
bool http_reply_is_started(const struct http_request *request);
/* Ends the reply and the request. */
void http_reply_end(struct http_request *request);
/* Ends the request so that the client sees an incomplete reply (HTTP/1.1: the connection closes
 * without the last chunk; HTTP/2: RST_STREAM). What is queued is dropped. */
void http_reply_abort(struct http_request *request);

/* The standard text of a status code ("Not Found"); "" if there is none. */
const char *http_status_text(int status);

/* Upgrades (WebSocket, SPDY for exec and attach) are not supported: a request with "connection:
 * upgrade" is served as if it had not asked. http_reply_upgrade() could reply 101 and hand the
 * stream over by stream_set_events(). */

#endif
