/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/auth/renewal.h - certificates that stay good while the server runs.
 *
 * Every day the folder of the identity is read again (identity.h): a certificate that ends within 30 days
 * is made again there, one that an administrator has replaced is taken as it is. What differs from what
 * is in use is reported, so that it can be put into use without ending a connection. */
#ifndef APISERVER_RENEWAL_H
#define APISERVER_RENEWAL_H

#include <stdbool.h>

#include "apiserver/auth/identity.h"
#include "base/err.h"
#include "base/macro.h"

struct log;
struct loop;
struct renewal;

/* One or both are others now. -1: the error says why they cannot be used; it is asked again a day later. */
typedef int renewal_fn(void *arg, const struct identity *identity, bool server, bool admin,
		       struct err *err);

struct renewal_options {
	struct identity_options identity; /* copied */
	struct log *log;
	renewal_fn *changed;
	void *arg;
};

/* `identity` is what is in use; taken. */
struct renewal *renewal_new(struct loop *loop, const struct renewal_options *options,
			    struct identity *identity) __attribute__((returns_nonnull));
void renewal_free(struct renewal *renewal);
DEFINE_AUTO(struct renewal *, renewal_free);

/* What is in use; lent until the next change. */
const struct identity *renewal_identity(const struct renewal *renewal);
/* Look now. */
void renewal_check(struct renewal *renewal);

#endif
