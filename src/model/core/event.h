/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/event.h - events, of the core and of events.k8s.io. */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/core/reference.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct event_source {
	struct str component;
	struct str host;
};
extern const struct type event_source_type;

struct event_series {
	int32_t count;
	int64_t last_observed_time;
};
extern const struct type event_series_type;

struct event {
	struct meta meta;
	struct object_reference involved_object;
	struct str reason;
	struct str message;
	struct event_source source;
	int64_t first_timestamp;
	int64_t last_timestamp;
	int32_t count;
	struct str type;
	int64_t event_time;
	const struct event_series *series;
	struct str action;
	const struct object_reference *related;
	struct str reporting_component;
	struct str reporting_instance;
};
extern const struct type event_type;

struct events_event_series {
	int32_t count;
	int64_t last_observed_time;
};
extern const struct type events_event_series_type;

struct events_event {
	struct meta meta;
	int64_t event_time;
	const struct events_event_series *series;
	struct str reporting_controller;
	struct str reporting_instance;
	struct str action;
	struct str reason;
	struct object_reference regarding;
	const struct object_reference *related;
	struct str note;
	struct str type;
	struct event_source deprecated_source;
	int64_t deprecated_first_timestamp;
	int64_t deprecated_last_timestamp;
	int32_t deprecated_count;
};
extern const struct type events_event_type;

/* How to call them: model/rules/rules.h. The name of a core event only has to be a valid part of a
 * path. Causes about events of events.k8s.io use the field names of the core group. */
void event_validate_create(struct json event, struct causes *causes);
void event_validate_update(struct json event, struct json old, struct causes *causes);
void events_event_validate_create(struct json event, struct causes *causes);
void events_event_validate_update(struct json event, struct json old, struct causes *causes);

/* The same event in the other group, as kube-apiserver serves it. */
struct json event_to_events(struct json event, struct json_doc *doc);
struct json event_from_events(struct json event, struct json_doc *doc);

#endif
