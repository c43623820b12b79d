/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/fair.h - whose work is next when there is more of it than fits into a turn, and how much
 * each user may hold at once.
 *
 * A flow is one connection of one user. Jobs run after everything that has arrived in a turn was
 * read, as many as the turn has time for: the next is always the one of the user, and of that user's
 * flows, that has had the least time so far. A client that asks for little is thus served before one
 * that asks for much, whatever waits for the latter. Jobs of one flow run in the order in which they
 * came.
 *
 * Work of the server's own components does not come by here. */
#ifndef APISERVER_FAIR_H
#define APISERVER_FAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/macro.h"
#include "base/str.h"

struct fair;
struct fair_flow;
struct loop;

/* What a user may hold at once. */
enum fair_use {
	FAIR_CALLS,      /* requests in flight, watches aside */
	FAIR_WATCHES,    /* and logs that are followed */
	FAIR_BODY_BYTES, /* of requests that have not been answered */
	FAIR_WAITING,    /* bytes of answers that have not been read */
	FAIR_USE_COUNT
};

struct fair_limits {
	size_t user[FAIR_USE_COUNT]; /* 0: no bound */
};

struct fair *fair_new(struct loop *loop, const struct fair_limits *limits)
	__attribute__((returns_nonnull));
/* Every flow must have been given back. Takes NULL. */
void fair_free(struct fair *fair);
DEFINE_AUTO(struct fair *, fair_free);

/* One more connection of this user. */
struct fair_flow *fair_flow_new(struct fair *fair, struct str name)
	__attribute__((returns_nonnull));
struct fair_flow *fair_flow_ref(struct fair_flow *flow);
/* Takes NULL. */
void fair_flow_unref(struct fair_flow *flow);
bool fair_flow_is_of(const struct fair_flow *flow, struct str user);

/* --- time ------------------------------------------------------------------------------------ */

typedef void fair_job_fn(void *arg);
/* The caller's, zeroed at first; it may be queued again, or freed, from its own call. */
struct fair_job {
	struct list link;
	struct fair_flow *flow; /* that it waits in; NULL: none */
	int64_t cost;           /* microseconds that it is expected to take: see fair_run() */
	fair_job_fn *fn;
	void *arg;
};
/* Call `fn` once, in this turn or a later one, not from within this call. job->cost, which the
 * caller may have set, lets what is short go before what is long and new. */
void fair_run(struct fair_flow *flow, struct fair_job *job, fair_job_fn *fn, void *arg);
void fair_cancel(struct fair_job *job);

/* --- what is held ---------------------------------------------------------------------------- */

/* False: the user has as much of it as is allowed, and nothing was taken. A connection without
 * calls in flight always gets one, so that a flooded connection does not lock out the others of its
 * user. */
bool fair_take(struct fair_flow *flow, enum fair_use use, size_t amount) MUST_CHECK;
void fair_give(struct fair_flow *flow, enum fair_use use, size_t amount);
/* Take it, whatever the limit is; and: has the user more than allowed? */
void fair_add(struct fair_flow *flow, enum fair_use use, size_t amount);
bool fair_is_over(const struct fair_flow *flow, enum fair_use use);

struct fair_stats {
	size_t users;     /* that have connections */
	size_t waiting;   /* jobs */
	uint64_t jobs;    /* that were called, ever */
	uint64_t refused; /* by fair_take(), ever */
};
void fair_stats(const struct fair *fair, struct fair_stats *ret);

#endif
