/* SPDX-License-Identifier: Apache-2.0 */
/* admission/cronjobs_validate.c - a CronJob has a valid schedule and time zone, and a name that is
 * short enough for the suffix of its jobs. Its job is checked when it is created. */
#include "admission/hooks.h"
#include "model/value/cron.h"
#include "model/value/zone.h"
#include "model/volcano/vccronjob.h"

#include "base/banned.h"

enum { NAME_MAX_ALL = 63, NAME_MAX_OWN = 52 };

static void check_schedule(struct str schedule, struct buf *to)
{
	struct cron cron;

	if (!schedule.len)
		buf_puts(to, " schedule is required, but got empty");
	else if (str_find(schedule, STR("TZ"), 0) >= 0)
		buf_puts(to, " schedule should not contain TZ or CRON_TZ, TZ should only be set in "
			     "the timeZone field");
	else if (cron_parse(schedule, &cron, NULL) < 0)
		buf_puts(to, "schedule is not a valid cron expression");
}

static void check_zone(const struct admission_world *world, struct str zone, struct buf *to)
{
	struct str rest = zone;
	struct str part;
	bool unknown = false;

	if (!zone.len) {
		buf_puts(to, " timeZone must be nil or non-empty string, got empty string");
		return;
	}
	while (str_split(&rest, '/', &part))
		if (!zone_part_is_safe(part)) {
			buf_puts(to, " unknown timeZone");
			unknown = true;
		}
	if (str_eq_nocase(zone, STR("Local")))
		buf_puts(to, " timeZone can't be Local, and must be defined in "
			     "https://www.iana.org/time-zones");
	else if (unknown || !world->has_time_zone(world->arg, zone))
		buf_puts(to, " invalid timeZone");
}

static void put_problem(void *arg, const char *message)
{
	struct buf *to = arg;

	buf_printf(to, "%s%s", to->len ? "; " : "", message);
}

static void check_name(struct str name, struct buf *to)
{
	AUTO(buf_done) struct buf problems = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf quoted = BUF_UNBOUNDED;

	if (name.len > NAME_MAX_OWN) {
		buf_printf(to,
			   "cronJob name must be no more than %d characters to accommodate job "
			   "name suffix (max %d total)",
			   NAME_MAX_OWN, NAME_MAX_ALL);
		return;
	}
	if (name_check(NAME_QUALIFIED, name, put_problem, &problems))
		return;
	causes_quote(&quoted, name);
	buf_printf(to, "invalid cronJob name %s: %s", buf_text(&quoted), buf_text(&problems));
}

int cronjobs_validate(const struct admission_case *c)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json spec = json_get(c->review->object, "spec");
	struct json zone = json_get(spec, "timeZone");

	check_schedule(json_str(json_get(spec, "schedule")), &text);
	if (json_is(zone, JSON_STR))
		check_zone(&c->admission->world, json_str(zone), &text);
	check_name(c->review->name, &text);
	if (!text.len)
		return 0;
	/* upstream trims the text only at creation */
	return hook_deny_str(c, c->review->operation == ADMISSION_CREATE ? str_trim(buf_str(&text))
									 : buf_str(&text));
}
