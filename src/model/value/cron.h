/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/cron.h - cron schedules:
 *
 *	30 2 * * mon-fri	minute, hour, day of the month, month, day of the week
 *	@daily, @every 90m	descriptors
 *
 * Lists (1,15), ranges (1-5), steps (every 10: 0/10 or *|10 with a slash), names (jan, MON), and '?'
 * for '*', as Volcano's parser (robfig/cron, standard form) takes them. When both days are given,
 * either is enough. */
#ifndef MODEL_CRON_H
#define MODEL_CRON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct zone;

enum cron_field { CRON_MINUTE, CRON_HOUR, CRON_DAY, CRON_MONTH, CRON_WEEKDAY, CRON_FIELD_COUNT };

struct cron {
	struct str zone;                 /* of a TZ= prefix, lent by the text; none */
	int64_t every;                   /* of "@every", microseconds; 0: by the fields */
	uint64_t bits[CRON_FIELD_COUNT]; /* which values count */
	bool any_day;                    /* the day of the month was '*' */
	bool any_weekday;
};

/* ERR_BAD_REQUEST says which field and what is wrong with it. */
int cron_parse(struct str text, struct cron *ret, struct err *err) MUST_CHECK;

/* The first time later than `after` (microseconds since 1970), or 0 when there is none within five
 * years. */
int64_t cron_next(const struct cron *cron, const struct zone *zone, int64_t after);

#endif
