/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/event.c - events, of the core and of events.k8s.io: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/core/event.h"

#include "model/rules/rules.h"
#include "model/value/names.h"

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

/* --- one event in two groups ----------------------------------------------------------------- */

/* What is called differently: in the core, in events.k8s.io. */
static const char *const renamed[][2] = {
	{"involvedObject", "regarding"},
	{"message", "note"},
	{"source", "deprecatedSource"},
	{"firstTimestamp", "deprecatedFirstTimestamp"},
	{"lastTimestamp", "deprecatedLastTimestamp"},
	{"count", "deprecatedCount"},
	{"reportingComponent", "reportingController"},
};

static struct json convert(struct json event, struct json_doc *doc, int to, const char *version)
{
	struct json copy = json_new_obj(doc);
	struct json_iter it = json_iter(event);

	while (json_next(&it)) {
		struct str name = it.key;

		for (size_t i = 0; i < ARRAY_LEN(renamed); i++)
			if (str_is(it.key, renamed[i][!to]))
				name = str_from(renamed[i][to]);
		json_add(doc, copy, name, json_new_copy(doc, it.value));
	}
	json_set_str(doc, copy, "apiVersion", str_from(version));
	return copy;
}

struct json event_to_events(struct json event, struct json_doc *doc)
{
	return convert(event, doc, 1, "events.k8s.io/v1");
}

struct json event_from_events(struct json event, struct json_doc *doc)
{
	return convert(event, doc, 0, "v1");
}

/* --- rules ----------------------------------------------------------------------------------- */

enum { SHORT_TEXT_MAX = 128, NOTE_MAX = 1024 };

static void validate_length(struct json event, const char *field, size_t most, bool required,
			    struct causes *causes)
{
	struct path path = path_member(NULL, str_from(field));
	struct str text = json_str(json_get(event, field));

	if (required && !text.len)
		causes_required(causes, &path, "");
	if (text.len > most)
		causes_invalid_str(causes, &path, STR(""), "can have at most %zu characters", most);
}

/* Those of new events, which have a time; `controller` is what errors call the reporter. */
static void validate_new(struct json event, const char *controller, struct causes *causes)
{
	struct path path = path_member(NULL, str_from(controller));
	struct str reporter = json_str(json_get(event, "reportingComponent"));

	if (!reporter.len)
		causes_required(causes, &path, "");
	name_validate(NAME_QUALIFIED, reporter, &path, causes);
	validate_length(event, "reportingInstance", SHORT_TEXT_MAX, true, causes);
	validate_length(event, "action", SHORT_TEXT_MAX, true, causes);
	validate_length(event, "reason", SHORT_TEXT_MAX, true, causes);
	validate_length(event, "message", NOTE_MAX, false, causes);
}

static bool has_time(struct json event, const char *field)
{
	return json_is(json_get(event, field), JSON_STR);
}

/* The namespaces that an event of an object without one may be in. */
static bool is_common(struct str namespace, bool timed)
{
	return str_is(namespace, "default") ||
	       (timed ? str_is(namespace, "kube-system") : namespace.len == 0);
}

static void validate_legacy(struct json event, const char *controller, struct causes *causes)
{
	struct path object = path_member(NULL, STR("involvedObject"));
	struct path path = path_member(&object, STR("namespace"));
	struct path namespace_path = path_member(NULL, STR("namespace"));
	struct str namespace = json_str(json_get(json_get(event, "metadata"), "namespace"));
	struct str involved = json_str(json_get(json_get(event, "involvedObject"), "namespace"));
	bool timed = has_time(event, "eventTime");
	bool fits =
		involved.len ? timed || str_eq(namespace, involved) : is_common(namespace, timed);

	if (!fits)
		causes_invalid_str(causes, &path, involved, "does not match event.namespace");
	if (timed)
		validate_new(event, controller, causes);
	name_validate(NAME_DNS_SUBDOMAIN, namespace, &namespace_path, causes);
}

void event_validate_create(struct json event, struct causes *causes)
{
	validate_legacy(event, "reportingComponent", causes);
}

void event_validate_update(struct json event, struct json old, struct causes *causes)
{
	(void)old;
	validate_legacy(event, "reportingComponent", causes);
}

static void validate_series(struct json event, struct causes *causes)
{
	struct json series = json_get(event, "series");
	struct path count = path_member(NULL, STR("series.count"));
	struct path time = path_member(NULL, STR("series.lastObservedTime"));

	if (!json_is(series, JSON_OBJ))
		return;
	if (json_int(json_get(series, "count")) < 2)
		causes_invalid_str(causes, &count, STR(""), "should be at least 2");
	if (!has_time(series, "lastObservedTime"))
		causes_required(causes, &time, "");
}

/* What belongs to events of the core only. */
static void validate_unset(struct json event, struct causes *causes)
{
	static const char *const fields[] = {"firstTimestamp", "lastTimestamp", "count", "source"};

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		struct path path = path_member(NULL, str_from(fields[i]));
		struct json value = json_get(event, fields[i]);

		if (!rules_is_empty(value) && !(json_is(value, JSON_INT) && !json_int(value)))
			causes_invalid_str(causes, &path, STR(""), "needs to be unset");
	}
}

void events_event_validate_create(struct json event, struct causes *causes)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json core = event_from_events(event, doc);
	struct path time = path_member(NULL, STR("eventTime"));
	struct path path = path_member(NULL, STR("type"));
	struct str type = json_str(json_get(core, "type"));

	validate_legacy(core, "reportingController", causes);
	validate_series(core, causes);
	if (!has_time(core, "eventTime"))
		causes_required(causes, &time, "");
	if (!str_is(type, "Normal") && !str_is(type, "Warning"))
		causes_invalid_str(causes, &path, STR(""), "has invalid value: %.*s",
				   STR_ARG(type));
	validate_unset(core, causes);
}

void events_event_validate_update(struct json event, struct json old, struct causes *causes)
{
	static const char *const fixed[] = {
		"involvedObject",
		"reason",
		"message",
		"source",
		"firstTimestamp",
		"lastTimestamp",
		"count",
		"reason",
		"type",
		"eventTime",
		"action",
		"related",
		"reportingComponent",
		"reportingInstance",
	};
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json after = event_from_events(event, doc);
	struct json before = event_from_events(old, doc);

	validate_legacy(after, "reportingController", causes);
	if (!rules_same(json_get(after, "series"), json_get(before, "series")))
		validate_series(after, causes);
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++) {
		bool controller = str_is(STR("reportingComponent"), fixed[i]);
		struct path path =
			path_member(NULL, str_from(controller ? "reportingController" : fixed[i]));

		rules_immutable(json_get(after, fixed[i]), json_get(before, fixed[i]), &path,
				causes);
	}
}
