/* SPDX-License-Identifier: Apache-2.0 */
/* client/faults.h - a transport that wraps another one and injects faults, at random by the loop's
 * generator: for tests and simulations. The faults are those of real networks and servers; every
 * client must survive them. */
#ifndef CLIENT_FAULTS_H
#define CLIENT_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct transport;

/* How often, in thousandths. May be changed at any time. */
struct faults {
	unsigned refuse;   /* 503 with Retry-After: nothing was done */
	unsigned lose_ask; /* the connection breaks before the request arrives ... */
	unsigned
		lose_answer; /* ... or after it was processed; the client cannot distinguish the two */
	unsigned conflict;  /* 409 to an update or patch, as if another client had been faster */
	unsigned end_watch; /* after an event, or instead of being opened */
	unsigned expire;    /* a watch fails because its version is too old */
	int64_t delay_us;   /* an answer takes up to this much longer */
	bool cut;           /* no connection: requests fail, watches end */
};

/* Takes the transport; `faults` is borrowed and must outlive it. */
struct transport *faults_new(struct loop *loop, struct transport *inner,
			     const struct faults *faults) __attribute__((returns_nonnull));

#endif
