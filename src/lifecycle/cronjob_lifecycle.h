/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/cronjob_lifecycle.h - a Job at set times.
 *
 * cronjob_step() looks at one CronJob and the jobs that it controls. A run is named after the minute
 * that it is due in, so that it is made once however often it is tried; that it was made is recorded
 * (status.active, lastScheduleTime) when the job is seen, by whichever step sees it first. Of several
 * times that were missed the latest is made up for, if the deadline allows it. Times before it got the
 * schedule that it has were not missed.
 *
 * The zone is an input: cronjob_zone() tells which one is meant. */
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
	/* A Job of its namespace by name, whoever made it; JSON_NONE. */
	struct json (*find_job)(void *arg, struct str name);
	void *arg;
	const struct zone *zone; /* NULL: UTC */
	bool zone_missing;       /* the one that it names is not known */
	int64_t changed;         /* when it got this schedule; 0: it has had it all the time */
	int64_t now;
};

/* The name of the zone of its schedule, or none where it names none. */
struct str cronjob_zone(struct json cron);

int cronjob_step(const struct cronjob_world *world, struct plan *plan, struct err *err) MUST_CHECK;

#endif
