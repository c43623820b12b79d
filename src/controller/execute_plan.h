/* SPDX-License-Identifier: Apache-2.0 */
/* controller/execute_plan.h - executes a plan: its writes stage by stage, its events, its failures.
 *
 * The writes of a stage are under way together, up to a bound, so that one plan of hundreds of writes
 * does not keep others waiting. Failures are reported as the plan says. */
#ifndef CONTROLLER_EXECUTE_PLAN_H
#define CONTROLLER_EXECUTE_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/time.h"
#include "base/vec.h"
#include "json/doc.h"
#include "lifecycle/lifecycle_plan.h"

struct execution;
struct client;
struct recorder;

enum { EXECUTION_IN_FLIGHT = 64 };

enum execution_end {
	EXECUTION_DONE, /* everything is written */
	EXECUTION_AGAIN, /* something else was there, it had changed, or the server takes no writes for
		       * now (its disk is full): reconcile again; not a failure */
	EXECUTION_FAILED, /* the server said no */
	EXECUTION_DENIED, /* ... because a permission is missing: not a failure of the object */
};
/* Pause before a plan that was denied is made again: a permission may be granted at any time. */
#define EXECUTION_DENIED_PAUSE (2 * TIME_SECOND)

/* States that were reported and need not be reported again; zeroed is empty. */
struct execution_reports {
	VEC(uint64_t) hashes;
};
void execution_reports_done(struct execution_reports *reported);

struct execution_options {
	struct client *client;
	struct recorder *recorder;          /* may be NULL: events are dropped */
	struct execution_reports *reported; /* lent until the end; may be NULL */
	size_t in_flight;                   /* writes at once; 0: EXECUTION_IN_FLIGHT */
	/* One write is done; `doc` is the object as the server has it now (lent), NULL if it was
	 * deleted. May be NULL. */
	void (*written)(void *arg, const struct plan_write *write, struct json_doc *doc);
	/* One write failed, and not because something had changed meanwhile. May be NULL. */
	void (*failed)(void *arg, const struct plan_write *write, const struct err *err);
	/* All is done, or nothing more will be. Frees itself afterwards. */
	void (*done)(void *arg, enum execution_end end);
	void *arg;
};

/* Takes what is in the plan, which must have writes, and leaves it empty. */
struct execution *execution_start(const struct execution_options *options, struct plan *plan)
	__attribute__((returns_nonnull));
/* Stop; `done` is not called. Not from within `written` or `done`. Takes NULL. */
void execution_cancel(struct execution *execution);

/* Record the events of a plan that has no writes. */
void execution_report(const struct execution_options *options, const struct plan *plan);

#endif
