/* SPDX-License-Identifier: Apache-2.0 */
/* client/client.h - asynchronous requests to an API server, over any transport.
 *
 *	client_send(client, &(struct client_ask){
 *		.verb = CLIENT_PATCH, .patch = CLIENT_PATCH_MERGE, .body = doc,
 *		.resource = &resources[RESOURCE_PODS], .namespace = ns, .name = name, .sub = STR("status"),
 *		.done = patched, .arg = me });
 *	...
 *	static void patched(void *arg, const struct client_result *result)
 *	{
 *		if (result->err)	result->err->code is the reason: ERR_CONFLICT, ERR_NOT_FOUND, ...
 *
 * It uses a transport (client/transport.h): HTTP to a kube-apiserver, or the server in the same
 * process. The client does what both need: it limits the requests in flight (the others wait in
 * order), retries when the server asks for it, and ends every request.
 *
 * LIFE OF A REQUEST. It ends by exactly one of: `done` (of a watch or a stream: `ended`) is called,
 * client_cancel(), client_free(). Nothing is called from within a function of this header, and
 * nothing after the end. Do not use the handle after the end.
 *
 * RETRIES. The client retries after 429, 503 and 504 with Retry-After, and if the request was not
 * sent, with growing, jittered pauses of at least Retry-After, until `attempts` are used up or the
 * deadline has passed. A request that the server may have processed is retried only if it reads.
 * All other errors go to the caller at once.
 *
 * REFUSALS. A write that was refused may be asked for again at any time, but the client sends it only
 * after a pause that grows with each refusal in a row (client/refusals.h). If the
 * deadline passes before that, the request ends with the last refusal.
 *
 * MISSING PERMISSIONS. Requests that the server denies for want of a permission are listed by
 * client_next_denial() until one of the same sort is permitted.
 *
 * OUTAGES. After requests without an answer, the first success wakes what pauses (client_wake_add()). */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/list.h"
#include "base/macro.h"
#include "base/str.h"
#include "client/resource.h"
#include "json/doc.h"

struct client;
struct client_request;
struct log;
struct loop;
struct transport;

enum client_verb {
	CLIENT_GET,
	CLIENT_LIST,
	CLIENT_WATCH, /* client_watch() */
	CLIENT_CREATE,
	CLIENT_UPDATE,
	CLIENT_PATCH,
	CLIENT_DELETE,
	CLIENT_DELETE_COLLECTION,
	CLIENT_RAW, /* `method` and `path` as they are */
	CLIENT_VERB_COUNT
};

enum client_patch {
	CLIENT_PATCH_JSON,
	CLIENT_PATCH_MERGE,
	CLIENT_PATCH_STRATEGIC,
	CLIENT_PATCH_APPLY, /* server-side apply: needs `field_manager` */
	CLIENT_PATCH_COUNT
};

enum client_propagation {
	CLIENT_PROPAGATION_UNSET,
	CLIENT_BACKGROUND,
	CLIENT_FOREGROUND,
	CLIENT_ORPHAN
};

/* Valid during the call; take a reference of `doc` to keep it. */
struct client_result {
	int code;              /* HTTP status; 0 if there was no answer */
	const struct err *err; /* NULL: success */
	/* The object, the list or the Status; NULL if there was no answer, if the caller set
	 * `discard`, or if the body is not JSON. */
	struct json_doc *doc;
	struct str text; /* CLIENT_RAW: the body as received */
};
typedef void client_done_fn(void *arg, const struct client_result *result);

/* A request. Read during the call only; texts are copied, `body` is kept by reference (and must not
 * be changed after that). Zeroes mean "not set". */
struct client_ask {
	enum client_verb verb;
	const struct resource *resource; /* must outlive the request */
	struct str namespace;
	struct str name;
	struct str sub; /* "status", "binding", "eviction", "scale", ... */
	struct json_doc *body;
	bool discard; /* the caller does not need the answer's document: it is not decoded */

	enum client_patch patch;
	struct str field_manager;
	bool force;   /* with CLIENT_PATCH_APPLY */
	bool dry_run; /* of every write */

	/* get, list, delete collection */
	struct str label_selector;
	struct str field_selector;
	struct str resource_version;
	struct str version_match; /* "Exact", "NotOlderThan" */
	int64_t limit;
	struct str continue_token;

	/* delete, delete collection */
	const int64_t *grace_seconds; /* NULL: not set */
	enum client_propagation propagation;
	struct str precondition_uid;
	struct str precondition_version;

	/* CLIENT_RAW */
	struct str method;
	struct str path; /* with its query, encoded */
	struct str content_type;
	struct str raw_body; /* copied; instead of `body` */

	int64_t deadline_us; /* including waiting and retries; 0: the client's, < 0: none */
	int attempts;        /* 0: the client's */
	bool low_priority; /* low priority: waits while other requests wait, so that it delays none */
	bool own_pace;     /* the caller limits its retries itself: REFUSALS do not concern it */

	client_done_fn *done; /* may be NULL */
	void *arg;
};

struct client_options {
	size_t max_in_flight;   /* 0: adapts (client/window.h). Watches and streams do not count. */
	int64_t deadline_us;    /* 0: 60 s; < 0: none */
	int attempts;           /* 0: 10 */
	int64_t backoff_us;     /* the first pause; 0: 50 ms. Doubles up to ... */
	int64_t backoff_max_us; /* ... this; 0: 10 s */
	struct str field_manager; /* of writes that name none; copied */
	struct log *log;          /* missing permissions and outages; may be NULL */
};

/* Takes the transport. `options` may be NULL. */
struct client *client_new(struct loop *loop, struct transport *transport,
			  const struct client_options *options) __attribute__((returns_nonnull));
/* Ends all requests without calling their callbacks. Must not be called from a callback of one of
 * its requests. Takes NULL. */
void client_free(struct client *client);
DEFINE_AUTO(struct client *, client_free);

struct loop *client_loop(const struct client *client);
/* The field manager that it was made with; "" if none. */
const char *client_name(const struct client *client);

struct client_request *client_send(struct client *client, const struct client_ask *ask)
	__attribute__((returns_nonnull));
/* Stops a request: its callback is not called. A write may have been done or not. Allowed in its
 * own callbacks except the last one. Takes NULL. */
void client_cancel(struct client_request *request);

/* --- short forms --- */

struct client_request *client_get(struct client *client, const struct resource *resource,
				  struct str namespace, struct str name, client_done_fn *done,
				  void *arg);
/* Everything, in one piece. Namespace none: all. */
struct client_request *client_list(struct client *client, const struct resource *resource,
				   struct str namespace, client_done_fn *done, void *arg);
/* In the namespace that its metadata names. */
struct client_request *client_create(struct client *client, const struct resource *resource,
				     struct json_doc *body, client_done_fn *done, void *arg);
/* The object that its metadata names; `sub` may be "". */
struct client_request *client_update(struct client *client, const struct resource *resource,
				     const char *sub, struct json_doc *body, client_done_fn *done,
				     void *arg);
/* In the background, with the object's own grace. */
struct client_request *client_delete(struct client *client, const struct resource *resource,
				     struct str namespace, struct str name, client_done_fn *done,
				     void *arg);
/* Bind a pod to a node. With `uid` only that pod: the server rejects another pod of that name. */
struct client_bind {
	struct str namespace;
	struct str name;
	struct str uid;
	struct str node;
	/* Annotations to set on the pod with the binding; may be absent. */
	struct json annotations;
};
struct client_request *client_bind(struct client *client, const struct client_bind *bind,
				   client_done_fn *done, void *arg);

/* --- watches --- */

enum client_event_type {
	CLIENT_ADDED,
	CLIENT_MODIFIED,
	CLIENT_DELETED,
	CLIENT_BOOKMARK, /* an object with nothing but its resourceVersion */
	CLIENT_EVENT_COUNT
};

struct client_event {
	enum client_event_type type;
	struct json_doc *doc; /* borrowed; shared with other watchers, so it must not be changed */
	bool initial_end;     /* of a bookmark: the initial events are complete */
};

struct client_watch {
	const struct resource *resource;
	struct str namespace; /* none: all */
	struct str label_selector;
	struct str field_selector;
	/* Sends the changes after this version. None: existing objects as ADDED, then changes. */
	struct str resource_version;
	bool initial_events; /* ask for a bookmark after the existing objects */
	int64_t timeout_s;   /* how long the server keeps it; 0: the server decides */

	/* The server has agreed to it; may be NULL. */
	void (*opened)(void *arg);
	void (*event)(void *arg, const struct client_event *event);
	/* The watch has ended; `err` is NULL for an ordinary end (the server's timeout).
	 * ERR_EXPIRED and ERR_GONE: the version is too old, list again. The client never restarts a
	 * watch. */
	void (*ended)(void *arg, const struct err *err);
	void *arg;
};
struct client_request *client_watch(struct client *client, const struct client_watch *watch)
	__attribute__((returns_nonnull));

/* --- streams of bytes: logs --- */

struct client_stream {
	struct str
		path; /* with its query, encoded: "/api/v1/namespaces/ns/pods/p/log?follow=true" */
	/* A piece of the data, valid during the call. */
	void (*data)(void *arg, struct str data);
	/* `err` is NULL if all data arrived. */
	void (*ended)(void *arg, const struct err *err);
	void *arg;
};
struct client_request *client_stream(struct client *client, const struct client_stream *stream)
	__attribute__((returns_nonnull));

/* --- properties --- */

/* Can the same request succeed later? (Not after a conflict, which needs a new read.)
 */
bool client_is_transient(enum err_code code);

struct client_stats {
	size_t in_flight;
	size_t limit; /* requests that may be in flight */
	size_t waiting;
	size_t held;            /* writes that wait because they were refused */
	size_t watches;         /* and streams */
	uint64_t watches_ended; /* by the server, after they were open */
	uint64_t sent;
	uint64_t repeated;
};
void client_stats(const struct client *client, struct client_stats *ret);

/* A permission that is missing, in the words of a role; valid until control returns to the loop. */
struct client_denial {
	const char *verb; /* "list" */
	const struct resource *resource;
	struct str sub;   /* "status"; often "" */
	struct str text;  /* what the server said */
	int64_t since_us; /* by loop_now() */
};
/* Does the error say that the user lacks a permission (and not that this object is not wanted)? */
bool client_is_denial(const struct err *err);
/* The next one; *at begins as 0. */
bool client_next_denial(const struct client *client, size_t *at, struct client_denial *ret);

/* Called when the server answers again after an outage. */
struct client_wake {
	struct list link;
	void (*woken)(void *arg);
	void *arg;
};
/* Lent until client_wake_remove(), which must be called before the client is freed. */
void client_wake_add(struct client *client, struct client_wake *wake);
void client_wake_remove(struct client_wake *wake);

#endif
