/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/auth/access.h - may a user do this? Pure: a user and an action in, yes or no out.
 *
 * Roles and bindings decide (authorization/roles.h), and before them a table of rules by the groups of the user
 * (access.c), for what roles cannot express:
 *
 *	system:masters		everything
 *	volcano:users		people who are no administrators: work in namespaces, read the rest
 *	system:serviceaccounts	read the objects of the account's own namespace, but no Secret
 *
 * The HTTP front, the direct transport and the access reviews all ask here, so that what
 * `kubectl auth can-i` answers is what happens. */
#ifndef APISERVER_ACCESS_H
#define APISERVER_ACCESS_H

#include <stdbool.h>

#include "apiserver/request/call.h"
#include "authorization/permission.h"
#include "base/str.h"

struct buf;
struct roles;

#define GROUP_ADMINISTRATORS STR("system:masters")
#define GROUP_USERS STR("volcano:users")
#define GROUP_ACCOUNTS STR("system:serviceaccounts")
#define GROUP_AUTHENTICATED STR("system:authenticated")
#define GROUP_UNAUTHENTICATED STR("system:unauthenticated")
#define USER_ANONYMOUS STR("system:anonymous")
#define USER_ACCOUNT_PREFIX STR("system:serviceaccount:")

/* May they? `roles` may be NULL: there are none. `reason`, which may be NULL, gets a sentence for an access review, or
 * nothing. */
bool access_is_allowed(struct roles *roles, const struct user *user, const struct access *access,
		       struct buf *reason);
/* The same with the roles of the API. */
struct api;
bool access_is_allowed_by(const struct api *api, const struct user *user,
			  const struct access *access, struct buf *reason);

bool user_has_group(const struct user *user, struct str group);
/* The namespace of a service account; none where the user is none. */
struct str user_account_namespace(const struct user *user);

#endif
