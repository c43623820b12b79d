/* SPDX-License-Identifier: Apache-2.0 */
/* client/credentials.h - who is asking: what goes into the Authorization header and which client
 * certificate is shown, kept fresh.
 *
 *	a token, or user and password	as they are
 *	a file with a token		read again when a minute has passed, and after a 401
 *	a program (exec plugin)		run when first needed, again shortly before its credentials
 *					expire, and after a 401; who asks meanwhile waits */
#ifndef CLIENT_CREDENTIALS_H
#define CLIENT_CREDENTIALS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/list.h"
#include "base/macro.h"
#include "client/kubeconfig.h"

struct credentials;
struct loop;

struct credentials_options {
	const struct kubeconfig_access *access; /* lent for as long as they live */
	struct kubeconfig_files files;
	const char *const *environment; /* as in transport_http.h */
	/* A program has given another client certificate; both are PEM, lent for the call. */
	void (*certificate)(void *arg, const char *cert, const char *key);
	void *arg;
};

struct credentials *credentials_new(struct loop *loop, const struct credentials_options *options)
	__attribute__((returns_nonnull));
/* Nobody who waits is called. Takes NULL. */
void credentials_free(struct credentials *credentials);
DEFINE_AUTO(struct credentials *, credentials_free);

/* Who waits; the caller's memory, zeroed at first. */
struct credentials_wait {
	struct list link;
	void (*ready)(void *arg, const struct err *err);
	void *arg;
};

/* True: there are some, credentials_header() has them. False: `wait` is called in a later turn, with
 * NULL or why there are none. */
bool credentials_get(struct credentials *credentials, struct credentials_wait *wait);
void credentials_cancel(struct credentials_wait *wait);

/* "Bearer ...", "Basic ...", or "" where the certificate is all there is. Lent until control goes
 * back to the loop. */
const char *credentials_header(struct credentials *credentials);

/* Counts up whenever they change. */
unsigned credentials_generation(const struct credentials *credentials);
/* The server did not take those of this generation. True where it is worth asking once more, with
 * those that credentials_get() then gives. */
bool credentials_reject(struct credentials *credentials, unsigned generation);

#endif
