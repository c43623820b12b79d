/* SPDX-License-Identifier: Apache-2.0 */
/* client/leader.h - one of several leads: by a Lease that it renews.
 *
 * As client-go does it, and compatible with it. Whether a lease has run out is judged by how long
 * this process has seen it unchanged on its own clock that never goes back, not by the times written
 * in it, so that clocks may differ by any amount, as long as they run at about the same speed. A
 * leader that could not renew for `renew_us` stops leading, before anyone else can have begun
 * (`duration_us`, counted by others from later on). Updates carry the version they were made from,
 * so that two cannot both take a lease. */
#ifndef CLIENT_LEADER_H
#define CLIENT_LEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"

struct client;
struct leader;
struct log;

struct leader_options {
	struct str namespace; /* of the lease; texts are copied */
	struct str name;
	struct str identity; /* unique: "host_uuid" */
	int64_t duration_us; /* 0: 15 s: how long others wait before they take over */
	int64_t renew_us;    /* 0: 10 s: how long this one tries to renew before it gives up */
	int64_t retry_us;    /* 0: 2 s: between tries */

	void (*started)(void *arg); /* leads from now on */
	/* Does not lead any more: everything must stop at once. It goes on trying to lead again
	 * (a program that would rather start afresh exits here). */
	void (*stopped)(void *arg);
	/* Somebody else (or this one) leads; may be NULL. */
	void (*changed)(void *arg, struct str identity);
	void *arg;
	struct log *log; /* may be NULL */
};

/* Starts trying at once. */
struct leader *leader_new(struct client *client, const struct leader_options *options)
	__attribute__((returns_nonnull));
/* Without giving the lease up: others wait until it has run out. Takes NULL. */
void leader_free(struct leader *leader);
DEFINE_AUTO(struct leader *, leader_free);

/* Give the lease up so that others need not wait (at the end of a program), and tell when that is
 * done or has failed; nothing but leader_free() may follow. `stopped` is called first where it
 * leads. */
void leader_release(struct leader *leader, void (*released)(void *arg), void *arg);

bool leader_leads(const struct leader *leader);
/* Who leads as far as is known; "" where nobody does. Lent until control goes back to the loop. */
struct str leader_identity(const struct leader *leader);

#endif
