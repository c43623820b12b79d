/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/metrics.h - numbers for /metrics, in the names that kube-apiserver has for them. */
#ifndef APISERVER_METRICS_H
#define APISERVER_METRICS_H

#include "apiserver/kind/kind.h"
#include "base/macro.h"

struct api;
struct buf;
struct http_server;
struct metrics;

struct metrics *metrics_new(void) __attribute__((returns_nonnull));
/* Takes NULL. */
void metrics_free(struct metrics *metrics);
DEFINE_AUTO(struct metrics *, metrics_free);

/* One more request has been answered. VERB_COUNT stands for what is no resource. */
void metrics_count(struct metrics *metrics, enum verb verb, int code);

/* Everything, as Prometheus reads it. */
void metrics_print(const struct metrics *metrics, const struct api *api,
		   const struct http_server *server, struct buf *to);

#endif
