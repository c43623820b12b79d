/* SPDX-License-Identifier: Apache-2.0 */
/* client/refusals.h - writes that the server refused, and when each may be sent again.
 *
 * Two sorts of keys. A write is refused for its object: pauses grow from 50 ms to 30 s. Or it is
 * refused for want of a permission, which concerns all objects alike: one write at a time tries
 * again, at most 2 s later, whatever the number of objects, so that a permission that is granted
 * is used within seconds. The first conflict of an object has no pause: it only needs a new read.
 *
 * While a key has refusals, one write with it is under way at a time. A success forgets the key. */
#ifndef CLIENT_REFUSALS_H
#define CLIENT_REFUSALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "client/client.h"

struct refusals;

struct refusals *refusals_new(uint64_t seed) __attribute__((returns_nonnull));
void refusals_free(struct refusals *refusals);
DEFINE_AUTO(struct refusals *, refusals_free);

/* How long the request must wait from now on; 0: it may be sent. */
int64_t refusals_wait(const struct refusals *refusals, const struct client_ask *ask, int64_t now);
/* It is sent ... */
void refusals_sent(struct refusals *refusals, const struct client_ask *ask);
/* ... was cancelled, or lost without an answer ... */
void refusals_dropped(struct refusals *refusals, const struct client_ask *ask);
/* ... or answered; `err` is NULL for a success. */
void refusals_answered(struct refusals *refusals, const struct client_ask *ask,
		       const struct err *err, int64_t now);
/* The server answers again: writes that failed because it did not may be sent, once, without a pause. */
void refusals_outage_ended(struct refusals *refusals);
/* Why such a request was refused last; false: it was not. */
bool refusals_why(const struct refusals *refusals, const struct client_ask *ask, struct err *ret);

/* Does the error say that the user lacks a permission (and not that this object is not wanted)? */
bool refusals_is_denial(const struct err *err);
/* The verb as a role names it: "patch". */
const char *refusals_verb(enum client_verb verb);

#endif
