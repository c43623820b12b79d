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

static void check_data(const struct rule_at *at)
{
	if (json_is_absent(at->value) || json_is(at->value, JSON_NULL))
		rule_required_as(at, NULL, "data is mandatory");
	else if (!json_is(at->value, JSON_OBJ))
		rule_required_as(at, NULL, "data must be a valid JSON object");
}

static const struct rule revision_rules[] = {
	{"revision", R_MIN(0)},
	{"data", R_ALWAYS, R_CHECK(check_data)},
};

static const struct rule update_rules[] = {
	{R_CHECK(rule_meta)},
	{"revision", R_MIN(0)},
	{"data", R_IMMUTABLE},
};

const struct type controllerrevision_type = {
	TYPE_KNOWN("ControllerRevision", "v1", controllerrevision_fields),
	.group = "io.k8s.api.apps",
	.as_go = true,
	TYPE_RULES(revision_rules),
	TYPE_UPDATE(update_rules),
};
