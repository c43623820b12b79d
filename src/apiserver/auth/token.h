/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/auth/token.h - tokens of service accounts: JSON web tokens that the server signs, and knows again
 * by its own key (HS256), with the claims that Kubernetes' have.
 *
 * A token stands for its account as long as that account is there (the same one, by its uid), and the pod
 * that it is bound to, and its time is not over. */
#ifndef APISERVER_TOKEN_H
#define APISERVER_TOKEN_H

#include <stdint.h>

#include "apiserver/request/call.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

struct api;
struct arena;

/* The default audience of tokens: this server. */
#define TOKEN_ISSUER "https://kubernetes.default.svc.cluster.local"

struct token_claims {
	struct str namespace;
	struct str account;
	struct str account_uid;
	struct str pod; /* that it is bound to; none: to none */
	struct str pod_uid;
	struct json audiences; /* texts */
	int64_t issued;        /* microseconds since 1970 */
	int64_t expires;
};
/* There must be a key: api_place.token_key. */
void token_print(struct api *api, const struct token_claims *claims, struct buf *to);
/* The claims of a token of ours that is good for one of these audiences; of none: for this server.
 * NULL: it is not. */
struct json_doc *token_read(struct api *api, struct str token, struct json audiences);
/* Whose token is it? ERR_UNAUTHORIZED if it is none of ours, or no longer good. The user's texts are in
 * the arena. */
int token_identify(struct api *api, struct str token, struct arena *arena, struct user *ret,
		   struct err *err) MUST_CHECK;

#endif
