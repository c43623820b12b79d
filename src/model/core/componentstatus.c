/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/componentstatus.c - the table of ComponentStatus. There are no such objects; old clients
 * still read the list. */
#include "model/core/componentstatus.h"

#include "model/core/meta.h"
#include "model/rules/rules.h"

#include "base/banned.h"

static const struct field component_condition_fields[] = {
	{"type", F_STR, F_ALWAYS, F_REQUIRED},
	{"status", F_STR, F_ALWAYS, F_REQUIRED},
	{"message", F_STR},
	{"error", F_STR},
};
static const struct type component_condition_type = {
	TYPE_KNOWN("ComponentCondition", "v1", component_condition_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field componentstatus_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), F_DEFAULT("{}")},
	{"conditions", F_LIST(F_OBJECT(component_condition)), F_LIST_MAP("type"),
	 F_MERGE_KEY("type")},
};
const struct type componentstatus_type = {
	TYPE_KNOWN("ComponentStatus", "v1", componentstatus_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.rules = &rules_none,
};
