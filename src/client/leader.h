/* SPDX-License-Identifier: Apache-2.0 */
/* client/leader.h - leader election by a Lease that the leader renews.
 *
 * Compatible with client-go. A lease has expired if this process has seen it unchanged for its
 * duration, by its own monotonic clock; the times written in the lease do not matter. So clocks may
 * differ by any amount, as long as they run at about the same speed. A leader that could not renew
 * for `renew_us` stops leading, before anyone else can have begun (`duration_us`, counted by others
 * from later on). Updates have the version that they are based on, so that two candidates cannot
 * both take a lease. */
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
	int64_t renew_us;    /* 0: 10 s: how long this one tries to renew before it stops leading */
	int64_t retry_us;    /* 0: 2 s: between attempts to renew; candidates look every second */

	void (*started)(void *arg); /* it leads from now on */
	/* It no longer leads: all work must stop at once. It continues to try to lead again (a
	 * program that prefers to restart exits here). */
	void (*stopped)(void *arg);
	/* There is a new leader, another candidate or this one; may be NULL. */
	void (*changed)(void *arg, struct str identity);
	void *arg;
	struct log *log; /* may be NULL */
};

/* Starts the first attempt at once. */
struct leader *leader_new(struct client *client, const struct leader_options *options)
	__attribute__((returns_nonnull));
/* Does not release the lease: others wait until it expires. Accepts NULL. */
void leader_free(struct leader *leader);
DEFINE_AUTO(struct leader *, leader_free);

/* Releases the lease so that others need not wait (at the end of a program), and calls `done` when
 * that has succeeded or failed; only leader_free() may follow. `stopped` is called first if it
 * leads. */
void leader_release(struct leader *leader, void (*released)(void *arg), void *arg);

bool leader_leads(const struct leader *leader);
/* The last known leader; "" if there is none. Valid until control returns to the loop. */
struct str leader_identity(const struct leader *leader);

#endif
