/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/pod_summary.c - see pod_summary.h. Init containers go first, in order, up to the one
 * that is not done; then, unless that one blocks the pod, the containers from the last to the
 * first. */
#include "model/pod/pod_summary.h"

#include "base/time.h"
#include "base/vec.h"

#include "base/banned.h"

static void set_reason(struct pod_summary *s, const char *before, struct str reason)
{
	buf_clear(&s->reason);
	buf_puts(&s->reason, before);
	buf_put_str(&s->reason, reason);
}

static struct json follow(struct json object, const char *path)
{
	struct str rest = str_from(path);
	struct str part;

	while (str_split(&rest, '.', &part))
		object = json_get_str(object, part);
	return object;
}

static struct str text_at(struct json object, const char *path)
{
	return json_str(follow(object, path));
}

/* --- init containers ------------------------------------------------------------------------- */

static bool is_sidecar(struct json pod, struct str name)
{
	struct json_iter it = json_iter(follow(pod, "spec.initContainers"));

	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "name")), name))
			return str_is(json_str(json_get(it.value, "restartPolicy")), "Always");
	return false;
}

/* How a container ended, if its status gives no reason. */
static void set_exit(struct pod_summary *s, const char *before, struct json ended)
{
	int64_t signal = json_int(json_get(ended, "signal"));

	buf_clear(&s->reason);
	buf_puts(&s->reason, before);
	if (signal)
		buf_printf(&s->reason, "Signal:%d", (int)signal);
	else
		buf_printf(&s->reason, "ExitCode:%d", (int)json_int(json_get(ended, "exitCode")));
}

static void note_restarts(struct json status, int64_t *restarts, int64_t *last)
{
	struct str finished = text_at(status, "lastState.terminated.finishedAt");
	int64_t time;

	*restarts += json_int(json_get(status, "restartCount"));
	if (finished.len && time_parse(finished, &time, NULL) == 0 && time > *last)
		*last = time;
}

/* Is this container done, so that the next one starts? Else it gives the reason. */
static bool pass_init(struct pod_summary *s, struct json pod, struct json status, size_t index)
{
	struct json ended = follow(status, "state.terminated");
	struct str waiting = text_at(status, "state.waiting.reason");
	bool sidecar = is_sidecar(pod, json_str(json_get(status, "name")));

	note_restarts(status, &s->restarts, &s->last_restart);
	if (sidecar)
		note_restarts(status, &s->sidecar_restarts, &s->last_sidecar_restart);
	if (json_is(ended, JSON_OBJ) && json_int(json_get(ended, "exitCode")) == 0)
		return true;
	if (sidecar && json_bool(json_get(status, "started"))) {
		s->ready += json_bool(json_get(status, "ready"));
		return true;
	}
	if (json_is(ended, JSON_OBJ) && json_str(json_get(ended, "reason")).len) {
		set_reason(s, "Init:", json_str(json_get(ended, "reason")));
	} else if (json_is(ended, JSON_OBJ)) {
		set_exit(s, "Init:", ended);
	} else if (waiting.len && !str_is(waiting, "PodInitializing")) {
		set_reason(s, "Init:", waiting);
	} else {
		buf_clear(&s->reason);
		buf_printf(&s->reason, "Init:%zu/%zu", index,
			   json_len(follow(pod, "spec.initContainers")));
	}
	return false;
}

/* --- containers ------------------------------------------------------------------------------ */

static void pass_container(struct pod_summary *s, struct json status)
{
	struct json ended = follow(status, "state.terminated");
	struct str waiting = text_at(status, "state.waiting.reason");

	note_restarts(status, &s->restarts, &s->last_restart);
	if (waiting.len) {
		set_reason(s, "", waiting);
	} else if (json_is(ended, JSON_OBJ) && json_str(json_get(ended, "reason")).len) {
		set_reason(s, "", json_str(json_get(ended, "reason")));
	} else if (json_is(ended, JSON_OBJ)) {
		set_exit(s, "", ended);
	} else if (json_bool(json_get(status, "ready")) &&
		   json_is(follow(status, "state.running"), JSON_OBJ)) {
		s->has_running = true;
		s->ready++;
	}
}

bool pod_has_condition(struct json pod, const char *type)
{
	struct json_iter it = json_iter(follow(pod, "status.conditions"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), type) &&
		    str_is(json_str(json_get(it.value, "status")), "True"))
			return true;
	return false;
}

static void pass_containers(struct pod_summary *s, struct json pod)
{
	struct json_iter it = json_iter(follow(pod, "status.containerStatuses"));
	VEC(struct json) statuses = {0};

	while (json_next(&it))
		vec_push(&statuses, it.value);
	s->restarts = s->sidecar_restarts;
	s->last_restart = s->last_sidecar_restart;
	for (size_t i = statuses.len; i > 0; i--)
		pass_container(s, statuses.ptr[i - 1]);
	vec_done(&statuses);
	if (s->has_running && str_is(buf_str(&s->reason), "Completed"))
		set_reason(s, "",
			   pod_has_condition(pod, "Ready") ? STR("Running") : STR("NotReady"));
}

/* --- the summary ----------------------------------------------------------------------------- */

static bool is_gated(struct json pod)
{
	struct json_iter it = json_iter(follow(pod, "status.conditions"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), "PodScheduled") &&
		    str_is(json_str(json_get(it.value, "reason")), "SchedulingGated"))
			return true;
	return false;
}

static void set_removed(struct pod_summary *s, struct json pod)
{
	struct str phase = text_at(pod, "status.phase");

	if (!text_at(pod, "metadata.deletionTimestamp").len)
		return;
	if (str_is(text_at(pod, "status.reason"), "NodeLost"))
		set_reason(s, "", STR("Unknown"));
	else if (!str_is(phase, "Succeeded") && !str_is(phase, "Failed"))
		set_reason(s, "", STR("Terminating"));
}

static void count_containers(struct pod_summary *s, struct json pod)
{
	struct json_iter it = json_iter(follow(pod, "spec.initContainers"));

	s->total = json_len(follow(pod, "spec.containers"));
	while (json_next(&it))
		s->total += str_is(json_str(json_get(it.value, "restartPolicy")), "Always");
}

struct pod_summary pod_summary_of(struct json pod)
{
	struct pod_summary s = {.reason = BUF_UNBOUNDED};
	struct json_iter it = json_iter(follow(pod, "status.initContainerStatuses"));
	struct str reason = text_at(pod, "status.reason");
	bool held = false;

	count_containers(&s, pod);
	set_reason(&s, "", reason.len ? reason : text_at(pod, "status.phase"));
	if (is_gated(pod))
		set_reason(&s, "", STR("SchedulingGated"));
	while (!held && json_next(&it))
		held = !pass_init(&s, pod, it.value, it.index);
	if (!held || pod_has_condition(pod, "Initialized"))
		pass_containers(&s, pod);
	set_removed(&s, pod);
	return s;
}

void pod_summary_done(struct pod_summary *summary)
{
	buf_done(&summary->reason);
}
