/* SPDX-License-Identifier: Apache-2.0 */
/* controller/carry.h - carrying out a plan: its writes stage by stage, its events, its failures.
 *
 * The writes of a stage are under way together, up to a bound, so that one plan of hundreds of writes
 * does not keep others waiting. What failed is told as the plan says. */
#ifndef CONTROLLER_CARRY_H
#define CONTROLLER_CARRY_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/vec.h"
#include "json/doc.h"
#include "lifecycle/plan.h"

struct carry;
struct client;
struct recorder;

enum { CARRY_IN_FLIGHT = 64 };

enum carry_end {
	CARRY_DONE,   /* everything is written */
	CARRY_AGAIN,  /* something else was there, it had changed, or the server takes no writes for
		       * now (its disk is full): look again. That is nobody's failure */
	CARRY_FAILED, /* the server said no */
};

/* States that were told of and need not be told again; zeroed is empty. */
struct carry_told {
	VEC(uint64_t) hashes;
};
void carry_told_done(struct carry_told *told);

struct carry_options {
	struct client *client;
	struct recorder *recorder; /* may be NULL: events are dropped */
	struct carry_told *told;   /* lent until the end; may be NULL */
	size_t in_flight;          /* writes at once; 0: CARRY_IN_FLIGHT */
	/* One write is done; `doc` is the object as the server has it now (lent), NULL where it is
	 * gone. May be NULL. */
	void (*written)(void *arg, const struct plan_write *write, struct json_doc *doc);
	/* One write failed, and not because something had changed meanwhile. May be NULL. */
	void (*failed)(void *arg, const struct plan_write *write, const struct err *err);
	/* All is done, or nothing more will be. Frees itself afterwards. */
	void (*done)(void *arg, enum carry_end end);
	void *arg;
};

/* Takes what is in the plan, which must have writes, and leaves it empty. */
struct carry *carry_start(const struct carry_options *options, struct plan *plan)
	__attribute__((returns_nonnull));
/* Stop; `done` is not called. Not from within `written` or `done`. Takes NULL. */
void carry_cancel(struct carry *carry);

/* Record the events of a plan that has no writes. */
void carry_tell(const struct carry_options *options, const struct plan *plan);

#endif
