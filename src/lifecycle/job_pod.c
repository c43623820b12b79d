/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_pod.c - reads the few fields of a pod that matter.
 *
 * Reads the document directly, once per event, because a job may have ten thousand pods. */
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/time.h"
#include "lifecycle/job_lifecycle.h"
#include "lifecycle/keys.h"

#include "base/banned.h"

static const struct {
	struct str name;
	enum pod_phase phase;
} phases[] = {
	{STR_INIT("Pending"), POD_PENDING},     {STR_INIT("Running"), POD_RUNNING},
	{STR_INIT("Succeeded"), POD_SUCCEEDED}, {STR_INIT("Failed"), POD_FAILED},
	{STR_INIT("Unknown"), POD_UNKNOWN},
};

static enum pod_phase read_phase(struct str text)
{
	for (size_t i = 0; i < ARRAY_LEN(phases); i++)
		if (str_eq(phases[i].name, text))
			return phases[i].phase;
	return POD_PENDING;
}

static int32_t read_number(struct json object, const char *key, int32_t otherwise)
{
	int64_t value = 0;

	if (number_parse_range(json_str(json_get(object, key)), 0, INT32_MAX, &value, NULL) < 0)
		return otherwise;
	return (int32_t)value;
}

static int64_t read_time(struct json value)
{
	int64_t time = 0;

	return time_parse(json_str(value), &time, NULL) < 0 ? 0 : time;
}

struct str job_controller_of(struct json object)
{
	struct json_iter it = json_iter(json_get(json_get(object, "metadata"), "ownerReferences"));

	while (json_next(&it))
		if (json_bool(json_get(it.value, "controller")) &&
		    str_is(json_str(json_get(it.value, "kind")), "Job") &&
		    str_is(json_str(json_get(it.value, "apiVersion")), "batch.volcano.sh/v1alpha1"))
			return json_str(json_get(it.value, "uid"));
	return str_none();
}

/* The number after the last "-" of a pod's name. */
static int32_t index_of(struct str name)
{
	ptrdiff_t at = str_rfind_byte(name, '-');
	int64_t value = 0;

	if (at < 0 ||
	    number_parse_range(str_skip(name, (size_t)at + 1), 0, INT32_MAX, &value, NULL) < 0)
		return -1;
	return (int32_t)value;
}

static int32_t restart_count(struct json container)
{
	return number_clamp_i32(json_int(json_get(container, "restartCount")));
}

static void read_containers(struct json status, struct job_pod *pod)
{
	struct json_iter it = json_iter(json_get(status, "initContainerStatuses"));

	while (json_next(&it))
		pod->restarts = number_add_i32(pod->restarts, restart_count(it.value));
	it = json_iter(json_get(status, "containerStatuses"));
	pod->ready = json_len(json_get(status, "containerStatuses")) > 0;
	while (json_next(&it)) {
		struct json ended = json_get(json_get(it.value, "state"), "terminated");
		int64_t at = read_time(json_get(ended, "finishedAt"));

		pod->restarts = number_add_i32(pod->restarts, restart_count(it.value));
		if (!json_bool(json_get(it.value, "ready")))
			pod->ready = false;
		if (it.index == 0)
			pod->exit_code = (int32_t)json_int(json_get(ended, "exitCode"));
		if (at > pod->ended)
			pod->ended = at;
	}
}

/* A pod that a node evicts has conditions, but may have no container that has ended. */
static void read_conditions(struct json status, struct job_pod *pod)
{
	struct json_iter it = json_iter(json_get(status, "conditions"));

	if (pod->ended > 0 || pod->phase != POD_FAILED)
		return;
	while (json_next(&it)) {
		int64_t at = read_time(json_get(it.value, "lastTransitionTime"));

		if (at > pod->ended)
			pod->ended = at;
	}
}

static void read_rest(struct json meta, struct json status, struct job_pod *pod)
{
	struct json annotations = json_get(meta, "annotations");

	pod->phase = read_phase(json_str(json_get(status, "phase")));
	pod->index = index_of(pod->name);
	pod->partition = read_number(json_get(meta, "labels"), KEY_PARTITION_ID, -1);
	pod->version = read_number(annotations, KEY_JOB_VERSION, 0);
	pod->retry = read_number(annotations, KEY_JOB_RETRY_COUNT, -1);
	pod->out_of_sync = str_is(json_str(json_get(annotations, KEY_OUT_OF_SYNC)), "true");
	pod->created = read_time(json_get(meta, "creationTimestamp"));
	pod->evicted_at = read_time(json_get(annotations, KEY_EVICTED_AT));
	pod->noticed_at = read_time(json_get(annotations, KEY_NOTICED_AT));
	pod->deleted = read_time(json_get(meta, "deletionTimestamp"));
	pod->deleting = !json_is_absent(json_get(meta, "deletionTimestamp"));
	if (pod->deleting)
		pod->deleted -= time_span(json_int(json_get(meta, "deletionGracePeriodSeconds")));
	read_containers(status, pod);
	read_conditions(status, pod);
}

struct job_pod *job_pod_new(struct json pod)
{
	struct json meta = json_get(pod, "metadata");
	struct json annotations = json_get(meta, "annotations");
	struct str name = json_str(json_get(meta, "name"));
	struct str uid = json_str(json_get(meta, "uid"));
	struct str task = json_str(json_get(annotations, KEY_TASK_SPEC));
	struct job_pod *ret;
	char *text;

	if (str_is_none(job_controller_of(pod)) || str_is_none(task) ||
	    json_is_absent(json_get(annotations, KEY_JOB_NAME)) ||
	    read_number(annotations, KEY_JOB_VERSION, -1) < 0)
		return NULL;
	ret = mem_zalloc(sizeof(*ret) + name.len + uid.len + task.len);
	text = (char *)(ret + 1);
	memcpy(text, name.ptr, name.len);
	ret->name = str_of(text, name.len);
	text += name.len;
	if (uid.len > 0)
		memcpy(text, uid.ptr, uid.len);
	ret->uid = str_of(text, uid.len);
	text += uid.len;
	if (task.len > 0)
		memcpy(text, task.ptr, task.len);
	ret->task = str_of(text, task.len);
	read_rest(meta, json_get(pod, "status"), ret);
	return ret;
}
