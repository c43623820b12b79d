/* SPDX-License-Identifier: Apache-2.0 */
/* client/faults.h - a transport that wraps another one and lets things go wrong, by chance from the
 * loop: for tests and simulations. What it does is what networks and servers do: every client must
 * come through it. */
#ifndef CLIENT_FAULTS_H
#define CLIENT_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct transport;

/* How often, in thousandths. May be changed at any time. */
struct faults {
	unsigned refuse;      /* 503 with Retry-After: nothing was done */
	unsigned lose_ask;    /* the connection breaks before the request arrives ... */
	unsigned lose_answer; /* ... or after it was done; the client cannot tell these two apart */
	unsigned conflict;    /* 409 to an update or patch, as if somebody else had been faster */
	unsigned end_watch;   /* after an event, or instead of being opened */
	unsigned expire;      /* a watch is told that its version is too old */
	int64_t delay_us;     /* an answer takes up to so much longer */
	bool cut;             /* nothing gets through: requests fail, watches end */
};

/* Takes the transport; `faults` is lent and outlives it. */
struct transport *faults_new(struct loop *loop, struct transport *inner,
			     const struct faults *faults) __attribute__((returns_nonnull));

#endif
