/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/conditions.c - find and set conditions. Nothing is written when nothing has changed, so that
 * the caller can skip the write to the API. */
#include "model/core/conditions.h"

#include "base/time.h"

#include "base/banned.h"

#define VIEW struct condition
static const struct field condition_fields[] = {
	{"type", F_STR, AT(type), F_REQUIRED, F_MAX_LEN(316)},
	{"status", F_STR, AT(status), F_REQUIRED},
	{"observedGeneration", F_INT64, AT(observed_generation), F_MIN(0)},
	{"lastTransitionTime", F_TIME, AT(last_transition_time), F_REQUIRED},
	{"reason", F_STR, AT(reason), F_REQUIRED, F_MAX_LEN(1024),
	 F_PATTERN("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")},
	{"message", F_STR, AT(message), F_ALWAYS, F_MAX_LEN(32768)},
};

#define CONDITION_TYPE_PATTERN                                                  \
	"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?" \
	"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"

static const char *const status_names[] = {"True", "False", "Unknown"};

static const struct field strict_condition_fields[] = {
	{"type", F_STR, AT(type), F_REQUIRED, F_MAX_LEN(316), F_PATTERN(CONDITION_TYPE_PATTERN)},
	{"status", F_STR, AT(status), F_REQUIRED, F_ONE_OF(status_names)},
	{"observedGeneration", F_INT64, AT(observed_generation), F_MIN(0)},
	{"lastTransitionTime", F_TIME, AT(last_transition_time), F_REQUIRED},
	{"reason", F_STR, AT(reason), F_REQUIRED, F_MIN_LEN(1), F_MAX_LEN(1024),
	 F_PATTERN("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")},
	{"message", F_STR, AT(message), F_NEEDED, F_ALWAYS, F_MAX_LEN(32768)},
};
#undef VIEW
const struct type strict_condition_type = {
	TYPE("Condition", "v1", struct condition, strict_condition_fields),
	.group = "io.k8s.apimachinery.pkg.apis.meta",
};
const struct type condition_type = {
	TYPE("Condition", "v1", struct condition, condition_fields),
	.group = "io.k8s.apimachinery.pkg.apis.meta",
};

const struct condition *conditions_find(const struct conditions *conditions, struct str type)
{
	for (size_t i = 0; i < conditions->len; i++)
		if (str_eq(conditions->ptr[i].type, type))
			return &conditions->ptr[i];
	return NULL;
}

bool conditions_has(const struct conditions *conditions, struct str type, struct str status)
{
	const struct condition *condition = conditions_find(conditions, type);

	return condition && str_eq(condition->status, status);
}

static struct json find(struct json list, struct str type, size_t *index)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		if (str_eq(json_str(json_get(it.value, "type")), type)) {
			*index = it.index;
			return it.value;
		}
	}
	return JSON_NONE;
}

/* Replace a text if it differs. */
static bool put_text(struct json_doc *doc, struct json object, const char *key, struct str value)
{
	if (str_eq(json_str(json_get(object, key)), value))
		return false;
	json_set_str(doc, object, key, value);
	return true;
}

bool conditions_set(struct json_doc *doc, struct json list, const struct condition *condition,
		    int64_t now)
{
	char time[TIME_TEXT_SIZE];
	size_t index = 0;
	struct json entry = find(list, condition->type, &index);
	bool changed = false;

	if (json_is_absent(entry)) {
		entry = json_new_obj(doc);
		json_set_str(doc, entry, "type", condition->type);
		json_append(doc, list, entry);
		changed = true;
	}
	if (put_text(doc, entry, "status", condition->status) || changed) {
		json_set_str(doc, entry, "lastTransitionTime", str_from(time_print(now, time)));
		changed = true;
	}
	changed = put_text(doc, entry, "reason", condition->reason) || changed;
	changed = put_text(doc, entry, "message", condition->message) || changed;
	if (condition->observed_generation.set && json_int(json_get(entry, "observedGeneration")) !=
							  condition->observed_generation.value) {
		json_set_int(doc, entry, "observedGeneration",
			     condition->observed_generation.value);
		changed = true;
	}
	return changed;
}

bool conditions_remove(struct json_doc *doc, struct json list, struct str type)
{
	size_t index = 0;

	if (json_is_absent(find(list, type, &index)))
		return false;
	return json_remove_at(doc, list, index);
}
