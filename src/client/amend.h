/* SPDX-License-Identifier: Apache-2.0 */
/* client/amend.h - a transport for patches, for users whose role has `update` but not `patch`.
 *
 * A patch is sent as it is. If the server denies that for want of the permission, the object is read, the
 * patch is applied here, and the object is updated with the version that was read; a conflict reads it again.
 * Without the permission to get it, the object is listed by its name. Which way works is remembered for
 * each sort of object for a minute, so that a role costs one request more per minute and not per write.
 *
 * The caller notices nothing: a denial is passed on only if no way is permitted. Patches that cannot be
 * applied here (server-side apply) are only passed on. */
#ifndef CLIENT_AMEND_H
#define CLIENT_AMEND_H

#include <stdbool.h>

#include "base/macro.h"

struct client_ask;
struct loop;
struct transport;

/* Is the request one for this transport? */
bool amend_takes(const struct client_ask *ask);
/* `inner` is lent, and must outlive it. */
struct transport *amend_new(struct loop *loop, struct transport *inner)
	__attribute__((returns_nonnull));

#endif
