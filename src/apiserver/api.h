/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/api.h - the API itself, without any transport: kinds, a store and what watches over
 * them.
 *
 *	struct api *api = api_new(&(struct api_options){.loop = loop, .store = store, .log = log});
 *	struct call *call = call_new(api, &sink, me);	fill it in
 *	api_serve(call);
 *
 * Everything that the API does by itself (the default namespaces, owner clean-up, quotas' use)
 * starts with api_start(). */
#ifndef APISERVER_API_H
#define APISERVER_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

struct admission_config;
struct api;
struct fair;
struct kind;
struct kinds;
struct log;
struct loop;
struct object;
struct store;

struct api_options {
	struct loop *loop;
	struct store *store; /* lent, and outlives the API */
	struct log *log;
	size_t max_in_flight; /* calls but watches; 0: LIMIT_IN_FLIGHT */
	size_t max_watchers;  /* 0: LIMIT_WATCHERS */
	size_t max_events;    /* objects of that kind; 0: LIMIT_EVENTS */
	/* Waiting for one, which then reads on when they have been taken, if they are more than
	 * LIMIT_SEND_BUFFER_BYTES; 0: LIMIT_WATCHER_BYTES */
	size_t watcher_bytes;
	size_t list_bytes; /* of a list in one piece; 0: LIMIT_RESPONSE_BYTES */
	/* Of one user; 0: LIMIT_USER_IN_FLIGHT, LIMIT_USER_WATCHERS, LIMIT_USER_BODY_BYTES,
	 * LIMIT_USER_WAITING_BYTES */
	size_t user_in_flight;
	size_t user_watchers;
	size_t user_body_bytes;
	size_t user_waiting_bytes;
	size_t large_bytes; /* from which on a request is a worker's; 0: LIMIT_LARGE_BYTES */
	/* Of Volcano's kinds; lent, and outlives the API. NULL: as upstream's flags are. */
	const struct admission_config *admission;
	bool plain; /* none of Volcano's rules: Kubernetes and nothing else */
};

/* Does so much text take longer than a turn may? Then it is a worker's (offload.h). */
bool api_is_large(const struct api *api, size_t bytes);

struct api *api_new(const struct api_options *options) __attribute__((returns_nonnull));
/* What the server does by itself (reconcilers.h). Once, when the store has been read and its kinds are
 * known. */
struct backups_options;
struct api_place {
	const char *root_ca; /* PEM: what pods verify the server by; copied; NULL: nothing */
	int port;            /* that the server listens on, for pods; 0: 6443 */
	const char
		*token_key; /* that signs tokens of service accounts; copied; NULL: none are made */
	const struct backups_options *backups; /* NULL: none by schedule */
};
void api_start(struct api *api, const struct api_place *place);
/* Ends every watch, in a later turn, and takes no more calls (503): before the transports go. */
void api_stop(struct api *api);
bool api_is_stopping(const struct api *api);
/* Every call must have been freed. Takes NULL. */
void api_free(struct api *api);
DEFINE_AUTO(struct api *, api_free);

/* Copies of the store by schedule, or NULL. */
struct backups *api_backups(const struct api *api);
struct loop *api_loop(const struct api *api);
struct store *api_store(const struct api *api);
struct kinds *api_kinds(const struct api *api);
struct log *api_log(const struct api *api);
struct fair *api_fair(const struct api *api);

/* Microseconds since 1970, and as metadata carries it. */
int64_t api_now(const struct api *api);

/* --- objects, for the API's own use --- */

/* The key of an object; in the arena. */
struct arena;
struct str api_key(struct arena *arena, const struct kind *kind, struct str namespace,
		   struct str name);
/* The visible object as a document, or NULL. One reference is the caller's. */
struct json_doc *api_read(struct api *api, const struct kind *kind, struct str namespace,
			  struct str name);
/* The newest version, also if it is only staged: what a writer starts from. */
struct json_doc *api_read_newest(struct api *api, const struct kind *kind, struct str namespace,
				 struct str name);

#endif
