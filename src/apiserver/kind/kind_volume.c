/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_volume.c - persistent volumes: what needs the clock.
 *
 * status.lastPhaseTransitionTime is when the phase last changed, from the creation on; who writes
 * another phase may bring another time along. */
#include "apiserver/kind/kind_volume.h"

#include "apiserver/api_internal.h"
#include "apiserver/kind/kind_rules.h"
#include "base/time.h"

#include "base/banned.h"

#define CHANGED_AT "lastPhaseTransitionTime"

static void set_changed(struct call *call, struct json_doc *doc, struct json volume)
{
	char text[TIME_TEXT_SIZE];

	json_set_str(doc, json_ensure_obj(doc, volume, "status"), CHANGED_AT,
		     str_from(time_print(api_now(call->api), text)));
}

static int prepare_create(struct call *call, struct json_doc *doc, struct json volume,
			  struct err *err)
{
	if (kind_ruled_prepare_create(call, doc, volume, err) < 0)
		return -1;
	set_changed(call, doc, volume);
	return 0;
}

static int prepare_update(struct call *call, struct json_doc *doc, struct json volume,
			  struct json old, struct err *err)
{
	struct json now = json_get(volume, "status");
	struct json before = json_get(old, "status");
	struct json at = json_get(now, CHANGED_AT);

	if (kind_ruled_prepare_update(call, doc, volume, old, err) < 0)
		return -1;
	if (!str_is(call->sub, "status"))
		return 0;
	if (json_is_absent(at) && !json_is_absent(json_get(before, CHANGED_AT)))
		json_set(doc, json_ensure_obj(doc, volume, "status"), STR(CHANGED_AT),
			 json_new_copy(doc, json_get(before, CHANGED_AT)));
	if (!json_eq(json_get(now, "phase"), json_get(before, "phase")) &&
	    (json_is_absent(at) || json_eq(at, json_get(before, CHANGED_AT))))
		set_changed(call, doc, volume);
	return 0;
}

const struct kind_ops kind_volume_ops = {
	.prepare_create = prepare_create,
	.prepare_update = prepare_update,
	.validate_create = kind_ruled_validate_create,
	.validate_update = kind_ruled_validate_update,
	.warn = kind_ruled_warn,
};
