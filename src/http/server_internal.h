/* SPDX-License-Identifier: Apache-2.0 */
/* http/server_internal.h - shared by http_server.c (listening, connections, time limits), request.c
 * (functions for handlers), server_h1.c and server_h2.c (the two protocols). */
#ifndef HTTP_SERVER_INTERNAL_H
#define HTTP_SERVER_INTERNAL_H

#include "base/buf.h"
#include "base/list.h"
#include "base/url.h"
#include "http/deadline.h"
#include "http/field.h"
#include "http/headers.h"
#include "http/http_server.h"
#include "http/pieces.h"
#include "http/stream.h"
#include "loop/loop.h"

struct server_conn;

/* What the body of a request is used for. */
enum body_use {
	BODY_WAITS,   /* not asked for yet: it is held back, or what has arrived is kept */
	BODY_COLLECT, /* http_request_read_all() */
	BODY_STREAM,  /* http_request_read() */
	BODY_DISCARD, /* the reply has ended */
};

struct http_request {
	struct server_conn *conn;
	struct list link; /* in conn->requests */

	enum http_method method;
	int version;
	char *method_name; /* of HTTP_METHOD_OTHER; else NULL */
	struct buf target; /* as sent; raw_path and raw_query point into it */
	struct str raw_path, raw_query;
	char *path; /* decoded, with its length; NULL: raw_path needs no decoding */
	size_t path_len;
	struct headers headers;
	struct query query;
	bool query_made;
	int64_t length;

	const struct http_request_events *events;
	void *arg;
	bool owned; /* the handler may use it: neither ended nor aborted */

	enum body_use use;
	struct buf body; /* collected, or waiting to be streamed */
	size_t body_limit;
	size_t body_seen;
	size_t body_kept;   /* bytes of `body` for which the client's window was not extended yet */
	bool body_done;     /* all of it has arrived */
	bool body_end_sent; /* and the handler was notified */
	bool body_paused;   /* by the handler */
	bool expects;       /* waits for "100 Continue" */
	int64_t body_at;    /* when its last piece arrived */
	http_body_fn *body_fn;
	void *body_arg;
	struct loop_defer deliver;

	struct headers reply;
	int status;
	bool started;
	bool ended;
	bool bodyless;      /* HEAD, 204, 304 */
	bool chunked;       /* HTTP/1.1: of unknown length */
	bool want_writable; /* a write returned false */

	int32_t stream_id; /* HTTP/2 */
	struct pieces out; /* HTTP/2: bytes that the windows do not allow yet */
	int64_t out_at; /* HTTP/2: when some of it was last sent, or the first of it was queued */
	bool held;      /* HTTP/2: not passed to the handler yet, because too much is unread */
	bool sent;      /* HTTP/2: the last frame of the reply was sent */
	int64_t sent_at;
	int refuse; /* HTTP/2: status to answer with when the head is complete; 0: none */
};

/* The operations of a protocol. */
struct server_protocol {
	void (*start)(struct server_conn *conn);
	void (*input)(struct server_conn *conn, const char *data, size_t len);
	void (*ended)(struct server_conn *conn);
	void (*flush)(struct server_conn *conn);
	void (*wrote)(struct server_conn *conn);
	/* When the next time limit ends (loop_uptime), and what to do then. */
	int64_t (*due)(const struct server_conn *conn);
	void (*expire)(struct server_conn *conn);
	void (*shutdown)(struct server_conn *conn);
	void (*free)(struct server_conn *conn);

	/* The head may be sent: status and fields are set. `length` is -1 for a reply in pieces;
	 * `last`: nothing follows the head. */
	void (*head)(struct http_request *request, int64_t length, bool last);
	void (*data)(struct http_request *request, const void *data, size_t len);
	void (*chunk)(struct http_request *request, struct chunk *chunk);
	void (*end)(struct http_request *request);
	void (*abort)(struct http_request *request);
	size_t (*queued)(const struct http_request *request);
	/* The handler has started to read the body, or paused or resumed it, and has consumed
	 * `consumed` kept bytes. */
	void (*read)(struct http_request *request, size_t consumed);
	void (*send_continue)(struct http_request *request);
};

extern const struct server_protocol server_h1;
extern const struct server_protocol server_h2;

struct server_conn {
	struct http_server *server;
	struct list link;
	struct stream *stream;
	const struct server_protocol *protocol; /* NULL: not known yet */
	void *state;                            /* the protocol's */
	struct list requests;
	struct deadline deadline;
	int64_t since; /* when it was accepted, or began to linger */
	struct loop_defer doom;
	bool doomed;    /* will be freed at the end of the turn */
	bool lingering; /* everything was sent; waiting for the client to close */
	char sniffed[4];
	size_t sniffed_len;
	size_t out_bytes; /* HTTP/2: of all its requests */
	size_t waiting;   /* unread bytes as last reported to the server and the handler */
	void *data;       /* the handler's */
	http_connection_done_fn *data_done;
};

struct http_server {
	struct loop *loop;
	struct http_server_options options;
	struct tls *tls;
	struct list listeners;
	struct list conns;
	struct list spare; /* request structs for reuse */
	size_t spare_count;
	struct http_server_stats stats;
	bool paused; /* at max_connections: idle connections are closed sooner */
	int64_t paused_at;
	bool closing;
	struct loop_timer *drain;
	int64_t dropped_at; /* when the last check for stalled connections was */
	struct loop_defer done_later;
	http_server_done_fn *done;
	void *done_arg;
	char date[FIELD_DATE_SIZE];
	int64_t date_second;
};

/* http_server.c */
/* Frees the connection at the end of the turn; nothing more is sent. */
void conn_doom(struct server_conn *conn);
/* Send what is queued, close our side, and wait a little for the client to close its own, so that it
 * can read the last reply. */
void conn_linger(struct server_conn *conn);
/* A time limit may now end earlier: updates the timer. */
void conn_arm(struct server_conn *conn, int64_t due);
struct str server_date(struct http_server *server);
/* How long a connection may be idle now. */
int64_t server_idle_us(const struct http_server *server);

/* Updates the count of unread bytes. */
void conn_count(struct server_conn *conn);
/* Are so many bytes unread that no request should be started? */
bool conn_is_full(const struct server_conn *conn);

/* request.c */
struct http_request *request_new(struct server_conn *conn);
/* Returns the struct to the server; the handler must not own it. */
void request_free(struct http_request *request);
/* Parses method and target. Returns 0, or the status of the rejection. */
int request_set_method(struct http_request *request, struct str method);
int request_set_target(struct http_request *request);
/* Calls the handler. */
void request_handle(struct http_request *request);
/* The client has disconnected: calls `aborted` if the handler still owns the request. */
void request_abort(struct http_request *request, enum err_code code, const char *why);
/* Replies with an error of the server. Calls `aborted` if the handler owns the request. */
void request_refuse(struct http_request *request, int status, const char *why);
/* A piece of the body arrived; returns how many bytes were consumed (the rest was kept). */
size_t request_body(struct http_request *request, const char *data, size_t len);
void request_body_end(struct http_request *request);
/* More can be written again: calls `writable` if a write had returned false. */
void request_writable(struct http_request *request);

#endif
