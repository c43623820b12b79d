/* SPDX-License-Identifier: Apache-2.0 */
/* http/client_internal.h - shared by http_client.c (calls), pool.c (connections), client_h1.c and
 * client_h2.c (the two protocols). */
#ifndef HTTP_CLIENT_INTERNAL_H
#define HTTP_CLIENT_INTERNAL_H

#include "base/buf.h"
#include "base/list.h"
#include "http/deadline.h"
#include "http/headers.h"
#include "http/http_client.h"
#include "http/pieces.h"
#include "http/stream.h"
#include "loop/loop.h"

struct client_conn;

/* Ordinary and long-lived calls never share a connection. */
enum call_class { CALL_ORDINARY, CALL_LONG_LIVED, CALL_CLASS_COUNT };

struct http_call {
	struct http_client *client;
	struct list link;         /* in a queue of the client's, or in the connection's calls */
	struct client_conn *conn; /* NULL: it waits, or its response is complete */
	enum call_class class;
	const struct http_call_events *events;
	void *arg;
	unsigned depth; /* our callbacks on the stack: memory stays until they return */
	bool over;      /* ended, failed or cancelled */

	/* the request */
	char *method;
	char *target;
	struct headers headers;
	struct pieces out; /* the part of the body that is not sent yet */
	int64_t length;    /* -1: streamed */
	bool out_ended;
	bool want_writable;
	bool sent; /* the head may have reached the server */

	/* the response */
	int status;
	int version;
	struct headers reply;
	bool has_head;
	bool paused;
	bool in_ended;   /* the response is complete */
	struct buf body; /* collected, or kept while paused */
	size_t max_body;
	size_t kept; /* bytes of `body` for which the window was not extended yet */
	struct loop_defer deliver;

	/* time limits, as loop_uptime; INT64_MAX: none */
	struct loop_timer *timer; /* NULL: no limit at all */
	int64_t deadline, head_by;
	int64_t idle_us, last_data;

	struct err wrong; /* why it cannot be sent; the next dispatch fails the call */
	bool is_wrong;
	int32_t stream_id; /* HTTP/2 */
};

struct client_protocol {
	int version;
	void (*start)(struct client_conn *conn);
	void (*input)(struct client_conn *conn, const char *data, size_t len);
	void (*ended)(struct client_conn *conn);
	void (*flush)(struct client_conn *conn);
	void (*wrote)(struct client_conn *conn);
	void (*free)(struct client_conn *conn);
	/* How many more calls it accepts now. */
	size_t (*slots)(const struct client_conn *conn);
	/* Start a call; it is in conn->calls. */
	void (*send)(struct http_call *call);
	/* More of the request body is in `out`, or it has ended. */
	void (*write)(struct http_call *call);
	/* The call was cancelled or has failed. */
	void (*cancel)(struct http_call *call);
	/* The user has consumed `consumed` bytes, or has paused or resumed the call. */
	void (*read)(struct http_call *call, size_t consumed);
	/* When to check that the server still answers (loop_uptime), and the check itself. */
	int64_t (*due)(const struct client_conn *conn);
	void (*expire)(struct client_conn *conn);
};

extern const struct client_protocol client_h1;
extern const struct client_protocol client_h2;

struct client_conn {
	struct http_client *client;
	struct list link; /* in client->conns[class] */
	enum call_class class;
	struct stream *stream;
	const struct client_protocol *protocol; /* NULL: not connected yet */
	void *state;
	struct list calls;
	size_t call_count;
	bool retired; /* accepts no more calls */
	bool doomed;  /* will be freed at the end of the turn */
	struct err why;
	struct loop_defer doom;
	struct deadline deadline;
	int64_t idle_since;
};

struct http_client {
	struct loop *loop;
	struct http_client_options options; /* without its strings */
	char *host;                         /* to connect to, and to find in the certificate */
	int port;
	char *authority; /* value of "host" and ":authority" */
	char *base;      /* put before every target */
	char *unix_path;
	bool secure;
	struct tls *tls;
	uint32_t streams; /* the last limit that the server sent; 0: none yet */
	int known;        /* protocol of the last connection: 11, 20; 0: not known */
	struct list waiting[CALL_CLASS_COUNT];
	size_t waiting_count[CALL_CLASS_COUNT];
	struct list wrong;   /* calls that cannot be sent; the next dispatch fails them */
	struct list arrived; /* calls with a complete response whose connection was closed */
	struct list conns[CALL_CLASS_COUNT];
	size_t conn_count[CALL_CLASS_COUNT];
	size_t call_count;
	int64_t no_dial_before[CALL_CLASS_COUNT]; /* loop_uptime */
	uint64_t dialled;
	struct loop_defer dispatch;
};

/* http_client.c */
/* The response's head is complete. */
void call_head(struct http_call *call);
/* A piece of its body; returns how many bytes were consumed. */
size_t call_data(struct http_call *call, const char *data, size_t len);
/* The response is complete. */
void call_ended(struct http_call *call);
void call_fail(struct http_call *call, const struct err *err, enum http_sent sent);
void call_writable(struct http_call *call);
/* Fields that the protocols write themselves. */
bool call_is_ours(struct str name);

/* pool.c */
/* Assigns waiting calls to connections, at the end of the turn. */
void pool_dispatch(struct http_client *client);
/* The call no longer needs its connection. */
void pool_detach(struct http_call *call);
/* End the connection at the end of the turn; its calls fail with `err`. */
void conn_fail(struct client_conn *conn, const struct err *err);
/* Accepts no new calls and closes after the last one. */
void conn_retire(struct client_conn *conn);
void conn_arm_client(struct client_conn *conn, int64_t due);
void pool_free(struct http_client *client);

#endif
