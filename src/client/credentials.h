/* SPDX-License-Identifier: Apache-2.0 */
/* client/credentials.h - the identity of the client: Authorization header and client certificate,
 * kept up to date.
 *
 *	a token, or user and password	as they are
 *	a file with a token		read again when a minute has passed, and after a 401
 *	a program (exec plugin)		run when first needed, again shortly before its credentials
 *					expire, and after a 401; callers wait meanwhile */
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
	const struct kubeconfig_access *access; /* borrowed for the life of the credentials */
	struct kubeconfig_files files;
	const char *const *environment; /* as in transport_http.h */
	/* A program has printed another client certificate; both are PEM, valid during the call. */
	void (*certificate)(void *arg, const char *cert, const char *key);
	void *arg;
};

struct credentials *credentials_new(struct loop *loop, const struct credentials_options *options)
	__attribute__((returns_nonnull));
/* Waiting callers are not called. Accepts NULL. */
void credentials_free(struct credentials *credentials);
DEFINE_AUTO(struct credentials *, credentials_free);

/* A waiting caller; the memory is the caller's, zeroed at first. */
struct credentials_wait {
	struct list link;
	void (*ready)(void *arg, const struct err *err);
	void *arg;
};

/* True: credentials_header() has them. False: `wait` is called in a later turn, with NULL or the
 * error. */
bool credentials_get(struct credentials *credentials, struct credentials_wait *wait);
void credentials_cancel(struct credentials_wait *wait);

/* "Bearer ...", "Basic ...", or "" if there is only a certificate. Valid until control returns to
 * the loop. */
const char *credentials_header(struct credentials *credentials);

/* Increases with each change. */
unsigned credentials_generation(const struct credentials *credentials);
/* The server rejected the credentials of this generation. True: retry once with those that
 * credentials_get() then returns. */
bool credentials_reject(struct credentials *credentials, unsigned generation);

#endif
