/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/front.h - the API over HTTP.
 *
 * Makes a call out of each request and prints its answer; serves discovery, health, version and
 * metrics (pages.h); asks who is calling (auth.h). */
#ifndef APISERVER_FRONT_H
#define APISERVER_FRONT_H

#include <stdint.h>

#include "base/macro.h"

struct api;
struct auth;
struct front;
struct http_request;

/* Both are lent and outlive it. */
struct front *front_new(struct api *api, struct auth *auth) __attribute__((returns_nonnull));
/* The HTTP server must have been freed before. Takes NULL. */
void front_free(struct front *front);
DEFINE_AUTO(struct front *, front_free);

/* The handler of an http_server; `arg` is the front. */
void front_handle(struct http_request *request, void *arg);
/* http_server_options.waiting: unread answers count for their user. */
void front_waiting(void *data, int64_t change);

#endif
