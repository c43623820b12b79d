/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_event.c - events, which are served in two groups: an event of events.k8s.io is one of
 * the core with other names for most of its fields. What is stored is that of the core. */
#include "apiserver/kind/kind_event.h"

#include "apiserver/kind/columns.h"
#include "apiserver/kind/kind_row.h"
#include "model/core/event.h"

#include "base/banned.h"

/* Its reporter is its source, if it names no other. */
static const char *event_field_path(struct json event, struct str name)
{
	if (!str_is(name, "source"))
		return name.ptr;
	return json_str(json_get(json_get(event, "source"), "component")).len
		       ? "source.component"
		       : "reportingComponent";
}

const struct kind_ops kind_event_ops = {KIND_RULED, .field_path = event_field_path};

static const struct kind rows[] = {
	{ROW("events.k8s.io", "v1", "events", "event", "Event", events_event_type),
	 .columns = columns_event, .namespaced = true, .create_on_update = true,
	 .name_format = NAME_PATH_SEGMENT, .short_names = NAMES("ev"), .stored_as = STR_INIT("v1"),
	 .to_stored = event_from_events, .from_stored = event_to_events,
	 .selectable = NAMES("reason", "regarding.kind", "regarding.namespace", "regarding.name",
			     "regarding.uid", "regarding.apiVersion", "regarding.resourceVersion",
			     "regarding.fieldPath", "reportingController", "type"),
	 .selectable_as = NAMES("reason", "involvedObject.kind", "involvedObject.namespace",
				"involvedObject.name", "involvedObject.uid",
				"involvedObject.apiVersion", "involvedObject.resourceVersion",
				"involvedObject.fieldPath", "reportingComponent", "type"),
	 RULES(VALIDATED(events_event))},
};

const struct kind_group kind_group_events = {rows, ARRAY_LEN(rows)};
