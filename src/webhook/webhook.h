/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/webhook.h - the service of vc-webhook-manager: Volcano's rules of admission over HTTPS, for a real
 * kube-apiserver. The rules are those of admission/, which the embedded API server runs in process.
 *
 * Several replicas may run; all of them work. It is ready when it has read what the rules need and has a certificate;
 * only then does it write the webhook configurations that make kube-apiserver ask it. */
#ifndef WEBHOOK_WEBHOOK_H
#define WEBHOOK_WEBHOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "http/address.h"
#include "webhook/cert_files.h"
#include "webhook/configuration.h"

struct client;
struct log;
struct loop;
struct webhook;

/* Texts are lent, and outlive the service. */
struct webhook_options {
	struct configuration_settings
		settings; /* settings.admission.groups is read from conf_file */
	struct address address;
	const char *conf_file;   /* resource groups; read again when it changes; NULL: none */
	struct cert_paths files; /* a certificate that is given; all NULL: makes its own */
	const char *secret;      /* where its own is kept, in the namespace of the service */
	int64_t lifetime;        /* of its own */
	struct log *log;
};

/* ERR_BAD_REQUEST names an option that cannot be used. */
struct webhook *webhook_new(struct loop *loop, struct client *client,
			    const struct webhook_options *options, struct err *err) MUST_CHECK;
void webhook_free(struct webhook *webhook);
DEFINE_AUTO(struct webhook *, webhook_free);

/* If not, says why. */
bool webhook_is_ready(const struct webhook *webhook, struct buf *why);
/* The certificate that new connections get, PEM; "" before there is one. Valid until control returns to the loop. */
struct str webhook_certificate(const struct webhook *webhook);
/* The address that it listens on. */
const struct address *webhook_address(const struct webhook *webhook);
void webhook_print_metrics(const struct webhook *webhook, struct buf *to);

/* It is not ready any more; after `delay_us`, in which callers can notice that, it stops listening, finishes open
 * requests for at most `drain_us`, and calls `done`. */
void webhook_drain(struct webhook *webhook, int64_t delay_us, int64_t drain_us,
		   void (*done)(void *arg), void *arg);

#endif
