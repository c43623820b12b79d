/* SPDX-License-Identifier: Apache-2.0 */
/* http/tls.h - certificate and trusted authorities of a TLS client or server; shared by all its
 * connections.
 *
 * A struct tls never changes. To use a new certificate, make a new struct and pass it to
 * http_server_set_tls() or http_client_set_tls(); existing connections keep the old one, which
 * lives as long as the last of them. TLS 1.2 and 1.3; 1.2 only with forward-secret AEAD ciphers.
 * Dates of certificates are compared with the time of the loop, not of the system.
 *
 * Session resumption is off: connections live long, and a changed certificate takes effect at once.
 */
#ifndef HTTP_TLS_H
#define HTTP_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct tls;

/* Which protocols ALPN offers or accepts. */
enum tls_alpn {
	TLS_ALPN_ANY,   /* h2, then http/1.1 */
	TLS_ALPN_HTTP1, /* http/1.1 only */
	TLS_ALPN_HTTP2, /* h2 only */
	TLS_ALPN_COUNT
};

/* Does the server ask the client for a certificate? */
enum tls_clients {
	TLS_CLIENTS_NONE,
	/* Asks. A certificate that none of the CAs signed does not end the connection but gives no
	 * identity, as with kube-apiserver: the request then gets a 401. */
	TLS_CLIENTS_OPTIONAL,
	TLS_CLIENTS_REQUIRED, /* a connection without a valid one is rejected */
	TLS_CLIENTS_COUNT
};

struct tls_server_options {
	struct str certificate; /* PEM: the server's own first, then intermediates */
	struct str key;         /* PEM */
	struct str client_ca;   /* PEM: who may sign client certificates */
	enum tls_clients clients;
	enum tls_alpn alpn;
};

struct tls_client_options {
	struct str certificate; /* PEM; none: sends no certificate */
	struct str key;
	struct str ca; /* PEM: who may sign the server's; none: the system's authorities */
	/* The name to ask for (SNI) and to find in the certificate; none: the host connected to. */
	struct str server_name;
	bool insecure; /* accept any certificate (insecure-skip-tls-verify) */
	enum tls_alpn alpn;
};

/* Fail with an error that names the option if a PEM text cannot be read or the key does not belong
 * to the certificate. The options are only read during the call. */
struct tls *tls_server_new(const struct tls_server_options *options, struct err *err) MUST_CHECK;
struct tls *tls_client_new(const struct tls_client_options *options, struct err *err) MUST_CHECK;
struct tls *tls_ref(struct tls *tls);
void tls_unref(struct tls *tls);
DEFINE_AUTO(struct tls *, tls_unref);

#endif
