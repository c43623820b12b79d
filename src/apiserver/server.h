/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/server.h - the whole API server as one object: store, API, certificates, HTTPS.
 *
 *	struct apiserver *server = apiserver_new(loop, &(struct apiserver_options){
 *		.folder = "/home/marie/.volcano", .listen = address, .log = log }, err);
 *	loop_run(loop);					... until some code calls
 *	apiserver_stop(server, stopped, me);		and then stopped() is called
 *	apiserver_free(server);
 *
 * In the folder: store/ (the objects), pki/ (identity.h) and, for its administrator, kubeconfig. */
#ifndef APISERVER_SERVER_H
#define APISERVER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "http/address.h"

struct api;
struct apiserver;
struct log;
struct loop;

struct apiserver_options {
	const char *folder; /* made (mode 0700) if it is missing */
	struct address listen;
	bool or_any_port; /* a free port, if that of `listen` is taken */
	/* Names and addresses of the server, in addition to those of loopback and `kubernetes`. */
	const char *const *hosts;
	size_t host_count;
	bool plain;                 /* none of Volcano's rules of admission */
	bool queue_gates;           /* the feature SchedulingGatesQueueAdmission */
	const char *admission_conf; /* file with the resource groups of pods; NULL: none */
	const char *backup_folder;  /* copies of the store by schedule; NULL: none */
	int64_t backup_every_us;
	int64_t backup_keep;
	struct log *log;

	/* 0: as base/limits.h says */
	size_t max_in_flight;
	size_t max_watchers;
	size_t max_connections;
	size_t watcher_bytes;
	size_t list_bytes;
	size_t large_bytes;
	size_t user_in_flight;
	size_t user_body_bytes;
	size_t user_waiting_bytes;
};

/* Ready when it returns: the store has been read, the socket listens, kubeconfig is written.
 * ERR_UNAVAILABLE when another process has the folder. */
struct apiserver *apiserver_new(struct loop *loop, const struct apiserver_options *options,
				struct err *err) MUST_CHECK;
/* Commits what is staged and closes the store. Turns the loop, so not from a callback. Clients that
 * are still connected are cut off: call apiserver_stop() before. Takes NULL. */
void apiserver_free(struct apiserver *server);
DEFINE_AUTO(struct apiserver *, apiserver_free);

/* Take no more connections, end the watches, let what is under way finish (for at most some
 * seconds), then call `done`, in a later turn. */
typedef void apiserver_done_fn(void *arg);
void apiserver_stop(struct apiserver *server, apiserver_done_fn *done, void *arg);

/* Serve at one more IP address, at the same port. ERR_ALREADY_EXISTS if that is taken. */
int apiserver_listen_also(struct apiserver *server, struct str ip, struct err *err) MUST_CHECK;

/* Look now whether certificates are to be renewed, or were replaced in pki/, as happens every day. New
 * connections get the new one, those that exist go on; kubeconfig is written again with the
 * administrator's. */
void apiserver_renew(struct apiserver *server);

/* "https://127.0.0.1:6443", as kubeconfig has it. Lent. */
const char *apiserver_url(const struct apiserver *server);
const struct address *apiserver_address(const struct apiserver *server);
/* For what runs in the same process. */
struct api *apiserver_api(const struct apiserver *server);

#endif
