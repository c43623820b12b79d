/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/auth/auth.h - who is calling.
 *
 * A client certificate of our CA names a user (CN) and groups (O); a bearer token is looked up in
 * the file of tokens, or is one of a service account (token.h). Anyone without either is anonymous.
 * What each may do is decided in access.h. */
#ifndef APISERVER_AUTH_H
#define APISERVER_AUTH_H

#include <stdbool.h>

#include "apiserver/request/call.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct auth;
struct stream_peer;

struct auth *auth_new(void) __attribute__((returns_nonnull));
void auth_free(struct auth *auth);
DEFINE_AUTO(struct auth *, auth_free);

/* Know tokens of service accounts of this API, too. */
struct api;
void auth_set_api(struct auth *auth, struct api *api);
/* The user of a token in a file, or NULL. */
const struct user *auth_find_token(const struct auth *auth, struct str text);
/* One more token for a user; copied. Tokens are compared in constant time. */
void auth_add_token(struct auth *auth, struct str token, const struct user *user);

/* Authenticates a request. `authorization` is the header of that name; a certificate of our CA has precedence. The
 * user's texts are in the arena. ERR_UNAUTHORIZED for an unknown token, and for a certificate that our CA did not
 * sign; without credentials the user is "system:anonymous". */
int auth_identify(const struct auth *auth, const struct stream_peer *peer, struct str authorization,
		  struct arena *arena, struct user *ret, struct err *err) MUST_CHECK;
/* The users of a file as kube-apiserver reads one: token,user,uid[,"group1,group2"] in each line.
 * ERR_INVALID names the line. */
int auth_add_tokens(struct auth *auth, struct str csv, struct err *err) MUST_CHECK;

/* May the call's user do this? ERR_FORBIDDEN says in Kubernetes' words what they cannot do, and why if a role is
 * missing. */
struct access;
int auth_check(struct call *call, const struct access *access, struct err *err) MUST_CHECK;

/* May the call's user have what the route leads to? The method and the path are for what is no resource; `verb` is
 * VERB_COUNT for a method that is none of the API's at that place. */
struct query;
struct route;
struct auth_request {
	struct str method;
	struct str path;
	const struct query *query;
};
int auth_authorize(struct call *call, const struct route *route, enum verb verb,
		   const struct auth_request *request, struct err *err) MUST_CHECK;
/* The same for a call that came in without a path: its kind, verb, names and user are set. */
int auth_authorize_call(struct call *call, struct err *err) MUST_CHECK;

#endif
