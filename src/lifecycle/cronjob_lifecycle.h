/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/cronjob_lifecycle.h - a Job at set times.
 *
 * cronjob_step() decides about one CronJob and the jobs that it controls. A run is named after the
 * minute in which it is due, so that repeated attempts create it once. The first step that observes
 * the job records it (status.active, lastScheduleTime). Of several missed times only the latest is
 * run, if the deadline allows it. Times before the current schedule was set do not count as missed.
 *
 * The time zone is an input: cronjob_zone() returns its name. */
#ifndef LIFECYCLE_CRONJOB_LIFECYCLE_H
#define LIFECYCLE_CRONJOB_LIFECYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"
#include "lifecycle/lifecycle_plan.h"

struct zone;

struct cronjob_world {
	struct json cron;
	const struct json *jobs; /* that it controls */
	size_t job_count;
	/* A Job of its namespace by name, with any owner, or JSON_NONE. */
	struct json (*find_job)(void *arg, struct str name);
	void *arg;
	const struct zone *zone; /* NULL: UTC */
	bool zone_missing;       /* its time zone is unknown */
	int64_t changed;         /* when the schedule was set; 0: it never changed */
	int64_t now;
};

/* The name of the time zone of its schedule, or none. */
struct str cronjob_zone(struct json cron);

int cronjob_step(const struct cronjob_world *world, struct plan *plan, struct err *err) MUST_CHECK;

#endif
