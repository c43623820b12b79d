/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/endpoint.h - the HTTPS server that kube-apiserver asks: a path per rule, /healthz and /readyz.
 *
 * A request that is no review gets an HTTP error: 404 for a path that is not enabled, 405, 413, 415, 400, and 503 as
 * long as the endpoint is not ready: it must not allow what it cannot check. Everything else is answered by a
 * review. */
#ifndef WEBHOOK_ENDPOINT_H
#define WEBHOOK_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "admission/admission.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "http/address.h"

struct client;
struct cluster_view;
struct endpoint;
struct log;
struct loop;
struct review_metrics;
struct tls;

/* Everything is lent, and outlives the endpoint. */
struct endpoint_options {
	struct loop *loop;
	struct client *client; /* to look again before a refusal */
	struct cluster_view *view;
	const struct admission_config *config; /* read for each review: may change between turns */
	struct review_metrics *metrics;
	struct address address;
	/* Says why not. */
	bool (*is_ready)(const void *arg, struct buf *why);
	void *arg;
	struct log *log;
};

/* Listens, but closes connections until it has a certificate. */
struct endpoint *endpoint_new(const struct endpoint_options *options, struct err *err) MUST_CHECK;
/* Ends open requests. Takes NULL. */
void endpoint_free(struct endpoint *endpoint);
DEFINE_AUTO(struct endpoint *, endpoint_free);

/* New connections get this certificate; kept by reference. */
void endpoint_set_tls(struct endpoint *endpoint, struct tls *tls);
bool endpoint_has_tls(const struct endpoint *endpoint);
/* With the port that the kernel chose. */
const struct address *endpoint_address(const struct endpoint *endpoint);

/* Stops listening, finishes open requests, then calls `done`; after `drain_us` it does not wait any more. */
void endpoint_drain(struct endpoint *endpoint, int64_t drain_us, void (*done)(void *arg),
		    void *arg);

#endif
