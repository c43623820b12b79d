/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/auth/identity.h - the certificates and tokens of a server, kept in a folder:
 *
 *	ca.crt, ca.key			made once, for ten years
 *	apiserver.crt, apiserver.key	made again when a name is missing or the end is near (renewal.h)
 *	admin.crt, admin.key		the same; user "kubernetes-admin" of group "system:masters"
 *	tokens.csv			token,user,uid,"groups": one line for the administrator to begin with
 *
 * Whatever is a secret is readable by its owner only. A file that cannot be read is an error and is
 * left as it is. */
#ifndef APISERVER_IDENTITY_H
#define APISERVER_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "http/cert.h"

struct loop;

struct identity {
	struct cert_pair ca;
	struct cert_pair server;
	struct cert_pair admin;
	char *tokens; /* the file's text */
};

struct identity_options {
	const char *folder;       /* made (mode 0700) if it is missing */
	const char *const *hosts; /* names and addresses that the server is reached by */
	size_t host_count;
};

/* Loads what is there and makes what is missing; time and chance are the loop's. */
int identity_open(struct loop *loop, const struct identity_options *options, struct identity *ret,
		  struct err *err) MUST_CHECK;
/* When the CA's certificate ends, in microseconds since 1970. */
int64_t identity_ca_ends(const struct identity *identity);
void identity_done(struct identity *identity);
DEFINE_AUTO_IN_PLACE(struct identity, identity_done);

#endif
