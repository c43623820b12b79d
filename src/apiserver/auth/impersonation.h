/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/auth/impersonation.h - acting as another user (kubectl --as): the header fields Impersonate-User,
 * -Group, -Uid and -Extra-KEY. Each of them needs the verb "impersonate" on what it names: users or serviceaccounts,
 * groups, uids.authentication.k8s.io, userextras/KEY.authentication.k8s.io. */
#ifndef APISERVER_IMPERSONATION_H
#define APISERVER_IMPERSONATION_H

#include "base/err.h"
#include "base/macro.h"

struct call;
struct headers;

/* Replaces the call's user if the header fields say so. ERR_FORBIDDEN if a permission is missing, ERR_BAD_REQUEST if
 * there are fields but no user. */
int impersonation_apply(struct call *call, const struct headers *headers,
			struct err *err) MUST_CHECK;

#endif
