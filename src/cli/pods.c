/* SPDX-License-Identifier: Apache-2.0 */
/* cli/pods.c - see pods.h. Task and index are labels and annotations that the job controller puts on
 * every pod; the name ends in the index if an older controller did not. */
#include "cli/pods.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/number.h"
#include "model/core/meta.h"

#include "base/banned.h"

#define KEY_TASK "volcano.sh/task-spec"
#define KEY_INDEX "volcano.sh/task-index"

static struct str note(struct json pod, const char *key)
{
	struct json metadata = json_get(pod, "metadata");
	struct str text = json_str(json_get(json_get(metadata, "labels"), key));

	return text.len ? text : json_str(json_get(json_get(metadata, "annotations"), key));
}

struct pod_place pod_place_of(struct json pod)
{
	struct pod_place place = {
		.pod = pod,
		.name = meta_name(pod),
		.task = note(pod, KEY_TASK),
	};
	struct str index = note(pod, KEY_INDEX);
	struct err err;

	if (!index.len)
		index = str_skip(place.name, (size_t)(str_rfind_byte(place.name, '-') + 1));
	if (number_parse_i64(index, &place.index, &err) < 0)
		place.index = 0;
	return place;
}

static bool skip_part(struct str *rest, struct str part)
{
	if (!part.len || !str_starts(*rest, part) || rest->len == part.len ||
	    rest->ptr[part.len] != '-')
		return false;
	*rest = str_skip(*rest, part.len + 1);
	return true;
}

/* JOB-TASK-INDEX */
bool pod_name_is_of(struct str name, struct json job)
{
	struct json_iter it = json_iter(json_get(json_get(job, "spec"), "tasks"));
	struct err err;

	if (!skip_part(&name, meta_name(job)))
		return false;
	while (json_next(&it)) {
		struct str rest = name;
		int64_t index;

		if (skip_part(&rest, json_str(json_get(it.value, "name"))) &&
		    number_parse_i64(rest, &index, &err) == 0 && index >= 0)
			return true;
	}
	return false;
}

struct sort_row {
	struct pod_place place;
	size_t task;
};

static int compare(const void *left, const void *right)
{
	const struct sort_row *a = left;
	const struct sort_row *b = right;

	if (a->task != b->task)
		return a->task < b->task ? -1 : 1;
	if (a->place.index != b->place.index)
		return a->place.index < b->place.index ? -1 : 1;
	return str_cmp(a->place.name, b->place.name);
}

static size_t task_number(struct json tasks, struct str name)
{
	struct json_iter it = json_iter(tasks);

	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "name")), name))
			return it.index;
	return json_len(tasks);
}

struct pod_places pod_places_sort(struct json job, struct json pods, struct arena *arena)
{
	size_t count = json_len(pods);
	struct sort_row *rows = arena_calloc(arena, count + 1, sizeof(*rows));
	struct pod_places places = {arena_calloc(arena, count + 1, sizeof(*places.ptr)), count};
	struct json_iter it = json_iter(pods);

	while (json_next(&it)) {
		rows[it.index].place = pod_place_of(it.value);
		rows[it.index].task = task_number(json_get(json_get(job, "spec"), "tasks"),
						  rows[it.index].place.task);
	}
	qsort(rows, count, sizeof(*rows), compare);
	for (size_t i = 0; i < count; i++)
		places.ptr[i] = rows[i].place;
	return places;
}

/* A container by its name, as the manifest has it. */
static struct json spec_of_container(struct json pod, struct str name)
{
	static const char *const lists[] = {"initContainers", "containers"};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct json_iter it = json_iter(json_get(json_get(pod, "spec"), lists[i]));

		while (json_next(&it))
			if (str_eq(json_str(json_get(it.value, "name")), name))
				return it.value;
	}
	return JSON_NONE;
}

static bool has_variable(struct json container, struct str name)
{
	struct json_iter it = json_iter(json_get(container, "env"));

	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "name")), name))
			return true;
	return false;
}

static void look(struct json pod, struct json status, const char *state, struct pod_failure *ret)
{
	struct json ended = json_get(json_get(status, state), "terminated");
	struct str time = json_str(json_get(ended, "finishedAt"));
	struct json container;

	if (json_is_absent(ended) || json_int(json_get(ended, "exitCode")) == 0 ||
	    (ret->exit_code && str_cmp(time, ret->time) <= 0))
		return;
	container = spec_of_container(pod, json_str(json_get(status, "name")));
	*ret = (struct pod_failure){
		.pod = meta_name(pod),
		.container = json_str(json_get(status, "name")),
		.memory_limit = json_str(
			json_get(json_get(json_get(container, "resources"), "limits"), "memory")),
		.by_vsub = has_variable(container, STR("VSUB_JOB_NAME")),
		.several = json_len(json_get(json_get(pod, "spec"), "containers")) > 1,
		.reason = json_str(json_get(ended, "reason")),
		.message = json_str(json_get(ended, "message")),
		.time = time,
		.exit_code = json_int(json_get(ended, "exitCode")),
		.restarted = str_is(str_from(state), "lastState"),
	};
}

bool pod_failure_of(struct json pod, struct pod_failure *ret)
{
	static const char *const lists[] = {"initContainerStatuses", "containerStatuses"};
	struct json status = json_get(pod, "status");
	struct pod_failure found = {0};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct json_iter it = json_iter(json_get(status, lists[i]));

		while (json_next(&it)) {
			struct str time = found.time;

			look(pod, it.value, "lastState", &found);
			look(pod, it.value, "state", &found);
			if (!str_eq(found.time, time))
				found.init = i == 0;
		}
	}
	if (!found.exit_code && str_is(json_str(json_get(status, "phase")), "Failed"))
		found = (struct pod_failure){
			.pod = meta_name(pod),
			.reason = json_str(json_get(status, "reason")),
			.message = json_str(json_get(status, "message")),
		};
	if (!found.pod.len)
		return false;
	if (str_is(json_str(json_get(status, "reason")), "DeadlineExceeded"))
		found.time_limit =
			json_int(json_get(json_get(pod, "spec"), "activeDeadlineSeconds"));
	*ret = found;
	return true;
}

/* "Liveness probe failed: connection refused": an event shortly before the container ended. */
void pod_failure_add_events(struct pod_failure *failure, struct json events)
{
	enum { SECONDS = sizeof("2026-01-02T10:00:00") - 1 };
	static const char *const probes[] = {"Liveness", "Startup"};
	struct json_iter it = json_iter(events);
	struct str latest = str_none();

	if (failure->exit_code <= 128) /* not ended by a signal */
		return;
	while (json_next(&it)) {
		struct str message = str_trim(json_str(json_get(it.value, "message")));
		struct str time = json_str(json_get(it.value, "lastTimestamp"));
		static const char words[] = " probe failed:";
		ptrdiff_t at = str_find(message, str_from(words), 0);
		struct str first = str_slice(message, 0, at < 0 ? 0 : (size_t)at);

		if (!str_is(json_str(json_get(it.value, "reason")), "Unhealthy") ||
		    !str_eq(json_str(json_get(json_get(it.value, "involvedObject"), "name")),
			    failure->pod) ||
		    str_cmp(str_slice(time, 0, SECONDS), str_slice(failure->time, 0, SECONDS)) >
			    0 ||
		    str_cmp(time, latest) < 0)
			continue;
		for (size_t i = 0; i < ARRAY_LEN(probes); i++)
			if (str_is(first, probes[i])) {
				failure->probe = first;
				failure->probe_output =
					str_trim(str_skip(message, (size_t)at + strlen(words)));
				latest = time;
			}
	}
}

struct str pods_selector(struct str job, struct arena *arena)
{
	return str_from(arena_printf(arena, PODS_JOB_LABEL "=%.*s", STR_ARG(job)));
}
