/* SPDX-License-Identifier: Apache-2.0 */
/* model/event.c - events, of the core and of events.k8s.io: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/event.h"

#include "model/rules.h"

#include "base/banned.h"

#define VIEW struct event_source
static const struct field event_source_fields[] = {
	{"component", F_STR, AT(component)},
	{"host", F_STR, AT(host)},
};
#undef VIEW
const struct type event_source_type = {
	TYPE("EventSource", "v1", struct event_source, event_source_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct event_series
static const struct field event_series_fields[] = {
	{"count", F_INT32, AT(count)},
	{"lastObservedTime", F_MICROTIME, AT(last_observed_time), F_ALWAYS},
};
#undef VIEW
const struct type event_series_type = {
	TYPE("EventSeries", "v1", struct event_series, event_series_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct event
static const struct field event_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_ALWAYS, F_REQUIRED},
	{"involvedObject", F_OBJECT(object_reference), AT(involved_object), F_ALWAYS, F_REQUIRED},
	{"reason", F_STR, AT(reason)},
	{"message", F_STR, AT(message)},
	{"source", F_OBJECT(event_source), AT(source), F_DEFAULT("{}")},
	{"firstTimestamp", F_TIME, AT(first_timestamp), F_ALWAYS},
	{"lastTimestamp", F_TIME, AT(last_timestamp), F_ALWAYS},
	{"count", F_INT32, AT(count)},
	{"type", F_STR, AT(type)},
	{"eventTime", F_MICROTIME, AT(event_time), F_ALWAYS},
	{"series", F_OBJECT(event_series), AT(series)},
	{"action", F_STR, AT(action)},
	{"related", F_OBJECT(object_reference), AT(related)},
	{"reportingComponent", F_STR, AT(reporting_component), F_ALWAYS},
	{"reportingInstance", F_STR, AT(reporting_instance), F_ALWAYS},
};
#undef VIEW
const struct type event_type = {
	TYPE("Event", "v1", struct event, event_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};

#define VIEW struct events_event_series
static const struct field events_event_series_fields[] = {
	{"count", F_INT32, AT(count), F_ALWAYS, F_REQUIRED},
	{"lastObservedTime", F_MICROTIME, AT(last_observed_time), F_ALWAYS, F_REQUIRED},
};
#undef VIEW
const struct type events_event_series_type = {
	TYPE("EventSeries", "v1", struct events_event_series, events_event_series_fields),
	.group = "io.k8s.api.events",
	.as_go = true,
};

#define VIEW struct events_event
static const struct field events_event_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_ALWAYS},
	{"eventTime", F_MICROTIME, AT(event_time), F_ALWAYS, F_REQUIRED},
	{"series", F_OBJECT(events_event_series), AT(series)},
	{"reportingController", F_STR, AT(reporting_controller)},
	{"reportingInstance", F_STR, AT(reporting_instance)},
	{"action", F_STR, AT(action)},
	{"reason", F_STR, AT(reason)},
	{"regarding", F_OBJECT(object_reference), AT(regarding), F_DEFAULT("{}")},
	{"related", F_OBJECT(object_reference), AT(related)},
	{"note", F_STR, AT(note)},
	{"type", F_STR, AT(type)},
	{"deprecatedSource", F_OBJECT(event_source), AT(deprecated_source), F_DEFAULT("{}")},
	{"deprecatedFirstTimestamp", F_TIME, AT(deprecated_first_timestamp), F_ALWAYS},
	{"deprecatedLastTimestamp", F_TIME, AT(deprecated_last_timestamp), F_ALWAYS},
	{"deprecatedCount", F_INT32, AT(deprecated_count)},
};
#undef VIEW
const struct type events_event_type = {
	TYPE("Event", "v1", struct events_event, events_event_fields),
	.group = "io.k8s.api.events",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};
