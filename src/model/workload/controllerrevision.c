/* SPDX-License-Identifier: Apache-2.0 */
/* model/workload/controllerrevision.c - controller revisions: their table and rules.
 *
 * What a revision holds is the business of the controller that made it. */
#include "model/workload/controllerrevision.h"

#include "model/core/meta.h"
#include "model/rules/rules.h"

#include "base/banned.h"

static const struct field controllerrevision_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), F_DEFAULT("{}")},
	{"data", F_ANY},
	{"revision", F_INT64, F_ALWAYS, F_REQUIRED},
};
const struct type controllerrevision_type = {
	TYPE_KNOWN("ControllerRevision", "v1", controllerrevision_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

void controllerrevision_validate_create(struct json revision, struct causes *causes)
{
	struct path data = path_member(NULL, STR("data"));
	struct path number = path_member(NULL, STR("revision"));
	struct json value = json_get(revision, "data");

	rules_not_negative(json_get(revision, "revision"), &number, causes);
	if (json_is_absent(value) || json_is(value, JSON_NULL))
		causes_required(causes, &data, "data is mandatory");
	else if (!json_is(value, JSON_OBJ))
		causes_required(causes, &data, "data must be a valid JSON object");
}

void controllerrevision_validate_update(struct json revision, struct json old,
					struct causes *causes)
{
	struct path data = path_member(NULL, STR("data"));
	struct path number = path_member(NULL, STR("revision"));

	rules_meta(revision, NAME_DNS_SUBDOMAIN, true, causes);
	rules_not_negative(json_get(revision, "revision"), &number, causes);
	rules_immutable(json_get(revision, "data"), json_get(old, "data"), &data, causes);
}
