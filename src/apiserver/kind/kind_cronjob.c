/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_cronjob.c - cron jobs of Kubernetes itself: what needs files of the machine.
 *
 * The rules in model/workload/batchjob.c check how the name of a time zone is written. Whether there is such a zone is
 * checked here; an unchanged name is accepted, so that an object can still be changed after tzdata was removed. */
#include "apiserver/kind/kind_cronjob.h"

#include "apiserver/kind/kind_rules.h"
#include "apiserver/request/call.h"
#include "client/zone_file.h"
#include "model/rules/causes.h"
#include "model/rules/rules.h"
#include "model/value/zone.h"

#include "base/banned.h"

static void check_zone(struct json cron, struct json old, struct causes *causes)
{
	struct json zone = json_get(json_get(cron, "spec"), "timeZone");
	struct str name = json_str(zone);
	PATH(spec, NULL, "spec");
	PATH(path, &spec, "timeZone");

	if (!zone_name_is_safe(name) || json_eq(zone, json_get(json_get(old, "spec"), "timeZone")))
		return; /* the rules have reported it, or it was accepted before */
	if (!zone_file_exists(name))
		causes_invalid(causes, &path, zone, "unknown time zone %.*s", STR_ARG(name));
}

static void validate_create(struct call *call, struct json cron, struct causes *causes)
{
	kind_ruled_validate_create(call, cron, causes);
	check_zone(cron, JSON_NONE, causes);
}

static void validate_update(struct call *call, struct json cron, struct json old,
			    struct causes *causes)
{
	kind_ruled_validate_update(call, cron, old, causes);
	if (!str_is(call->sub, "status"))
		check_zone(cron, old, causes);
}

const struct kind_ops kind_cronjob_ops = {
	.prepare_create = kind_ruled_prepare_create,
	.prepare_update = kind_ruled_prepare_update,
	.validate_create = validate_create,
	.validate_update = validate_update,
	.warn = kind_ruled_warn,
};
