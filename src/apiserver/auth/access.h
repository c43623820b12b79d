/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/auth/access.h - may a user do this? Pure: a user and an action in, yes or no out.
 *
 * Until roles decide, one table of rules does (access.c), by the groups of the user:
 *
 *	system:masters		everything
 *	volcano:users		people who are no administrators: work in namespaces, read the rest
 *	system:serviceaccounts	read the objects of the account's own namespace, but no Secret
 *	system:authenticated	discovery, and questions about oneself
 *	everyone		health and version
 *
 * The HTTP front, the direct transport and the access reviews all ask here, so that what
 * `kubectl auth can-i` answers is what happens. */
#ifndef APISERVER_ACCESS_H
#define APISERVER_ACCESS_H

#include <stdbool.h>

#include "apiserver/request/call.h"
#include "base/str.h"

#define GROUP_ADMINISTRATORS STR("system:masters")
#define GROUP_USERS STR("volcano:users")
#define GROUP_ACCOUNTS STR("system:serviceaccounts")
#define GROUP_AUTHENTICATED STR("system:authenticated")
#define GROUP_UNAUTHENTICATED STR("system:unauthenticated")
#define USER_ANONYMOUS STR("system:anonymous")
#define USER_ACCOUNT_PREFIX STR("system:serviceaccount:")

struct access {
	struct str verb;      /* "get", "deletecollection", ... */
	struct str path;      /* of what is no resource; none: it is one */
	struct str group;     /* "" for the core */
	struct str plural;    /* "pods" */
	struct str sub;       /* "log"; "" for the object itself */
	struct str namespace; /* "": the cluster scope, and so a list of all namespaces */
};

/* May they? `ret_reason` is a sentence for an access review, NULL where there is nothing to say; it may
 * be NULL. */
bool access_is_allowed(const struct user *user, const struct access *access,
		       const char **ret_reason);
/* The paths that the user may GET, one per call; a '*' at the end stands for the rest. `at` begins with
 * 0. NULL: no more. */
const char *access_next_path(const struct user *user, size_t *at);

bool user_has_group(const struct user *user, struct str group);
/* The namespace of a service account; none where the user is none. */
struct str user_account_namespace(const struct user *user);

#endif
