/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/pod_report.c - a pod's life as the status that a kubelet writes.
 *
 * Conditions keep the time of their last change while they stay the same. A patch names the pod's uid: a later pod
 * of the same name is not changed. */
#include "node/pod/pod_report.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "node/pod/pod_life.h"

#include "base/banned.h"

static void set_text(struct json_doc *doc, struct json object, const char *key, const char *value)
{
	json_set_str(doc, object, key, str_from(value));
}

static struct json append_obj(struct json_doc *doc, struct json list)
{
	struct json item = json_new_obj(doc);

	json_append(doc, list, item);
	return item;
}

static void set_time(struct json_doc *doc, struct json object, const char *key, int64_t time)
{
	char text[TIME_TEXT_SIZE];

	set_text(doc, object, key, time_print(time, text));
}

const char *pod_report_duration(int64_t us, char text[POD_STATUS_DURATION_SIZE])
{
	int64_t seconds = us / TIME_SECOND;

	if (seconds >= 3600)
		(void)snprintf(text, POD_STATUS_DURATION_SIZE,
			       "%" PRId64 "h%" PRId64 "m%" PRId64 "s", seconds / 3600,
			       seconds / 60 % 60, seconds % 60);
	else if (seconds >= 60)
		(void)snprintf(text, POD_STATUS_DURATION_SIZE, "%" PRId64 "m%" PRId64 "s",
			       seconds / 60, seconds % 60);
	else
		(void)snprintf(text, POD_STATUS_DURATION_SIZE, "%" PRId64 "s", seconds);
	return text;
}

/* --- containers --- */

struct one {
	const struct pod_report_input *input;
	struct json_doc *doc;
	struct json spec; /* of the container */
	size_t index;     /* of the container, init containers first */
};

static struct str uid_of(const struct pod_report_input *input)
{
	return json_str(json_get(json_get(input->pod, "metadata"), "uid"));
}

static void put_id(const struct one *one, struct json object, unsigned run)
{
	json_set(one->doc, object, STR("containerID"),
		 json_new_printf(one->doc, "%s://%.*s/%.*s/%u",
				 one->input->runtime ? one->input->runtime : "process",
				 STR_ARG(uid_of(one->input)),
				 STR_ARG(json_str(json_get(one->spec, "name"))), run));
}

static const char *reason_of(const struct record_run *run, bool oom, bool unknown)
{
	if (unknown)
		return "ContainerStatusUnknown";
	if (run->start_failed)
		return "StartError";
	if (oom)
		return "OOMKilled";
	return run->exit_code ? "Error" : "Completed";
}

static void put_terminated(const struct one *one, struct json state, const struct life_view *view,
			   bool last)
{
	const struct life_container *c = &one->input->life->containers[one->index];
	const struct record_run *run = last ? &view->last : &view->now;
	bool of_record = run->ended == c->record.now.ended && run->started == c->record.now.started;
	bool unknown = of_record && c->unknown;
	const char *message = of_record ? c->record.message : "";
	struct json end = json_ensure_obj(one->doc, state, "terminated");

	if (of_record && !*message && one->input->messages && one->input->messages[one->index])
		message = one->input->messages[one->index];
	if (unknown)
		message = "The container could not be located when the pod was terminated";
	json_set_int(one->doc, end, "exitCode", run->exit_code);
	if (run->signal)
		json_set_int(one->doc, end, "signal", run->signal);
	set_text(one->doc, end, "reason",
		 reason_of(run, last ? view->last_oom : view->oom, unknown));
	if (*message)
		set_text(one->doc, end, "message", message);
	set_time(one->doc, end, "startedAt", run->started);
	set_time(one->doc, end, "finishedAt", run->ended);
	put_id(one, end, of_record ? c->record.run : c->record.run - 1);
}

static void put_waiting(const struct one *one, struct json state, const struct life_view *view)
{
	const struct pod_report_input *input = one->input;
	struct json meta = json_get(input->pod, "metadata");
	struct json waiting = json_ensure_obj(one->doc, state, "waiting");
	bool hindered = input->waiting_reason && !view->backoff_us;
	char text[POD_STATUS_DURATION_SIZE];

	set_text(one->doc, waiting, "reason", hindered ? input->waiting_reason : view->reason);
	if (hindered)
		set_text(one->doc, waiting, "message", input->waiting_message);
	if (view->backoff_us)
		json_set(one->doc, waiting, STR("message"),
			 json_new_printf(one->doc,
					 "back-off %s restarting failed container=%.*s "
					 "pod=%.*s_%.*s(%.*s)",
					 pod_report_duration(view->backoff_us, text),
					 STR_ARG(json_str(json_get(one->spec, "name"))),
					 STR_ARG(json_str(json_get(meta, "name"))),
					 STR_ARG(json_str(json_get(meta, "namespace"))),
					 STR_ARG(uid_of(input))));
}

static void put_container(const struct one *one, struct json list)
{
	struct json item = append_obj(one->doc, list);
	struct json state;
	struct life_view view;

	life_view(one->input->life, one->index, one->input->now, &view);
	json_set_str(one->doc, item, "name", json_str(json_get(one->spec, "name")));
	json_set_str(one->doc, item, "image", json_str(json_get(one->spec, "image")));
	set_text(one->doc, item, "imageID", "");
	json_set_int(one->doc, item, "restartCount", view.restarts);
	json_set_bool(one->doc, item, "ready", view.ready);
	json_set_bool(one->doc, item, "started", view.started);
	state = json_ensure_obj(one->doc, item, "state");
	if (view.state == LIFE_STATE_WAITING)
		put_waiting(one, state, &view);
	else if (view.state == LIFE_STATE_TERMINATED)
		put_terminated(one, state, &view, false);
	else
		set_time(one->doc, json_ensure_obj(one->doc, state, "running"), "startedAt",
			 view.now.started);
	if (view.has_last)
		put_terminated(one, json_ensure_obj(one->doc, item, "lastState"), &view, true);
	if (one->input->life->containers[one->index].record.state != RECORD_NEW)
		put_id(one, item, view.restarts);
}

static void put_containers(const struct pod_report_input *input, struct json_doc *doc,
			   struct json status)
{
	struct json spec = json_get(input->pod, "spec");
	struct one one = {.input = input, .doc = doc};

	for (struct json_iter it = json_iter(json_get(spec, "initContainers")); json_next(&it);) {
		one.spec = it.value;
		one.index = it.index;
		put_container(&one, json_ensure_arr(doc, status, "initContainerStatuses"));
	}
	for (struct json_iter it = json_iter(json_get(spec, "containers")); json_next(&it);) {
		one.spec = it.value;
		one.index = input->life->n_init + it.index;
		put_container(&one, json_ensure_arr(doc, status, "containerStatuses"));
	}
}

/* --- conditions --- */

struct condition {
	const char *type;
	bool holds;
	const char *reason; /* NULL: none */
	const char *message;
};

static struct json find_condition(struct json status, const char *type)
{
	for (struct json_iter it = json_iter(json_get(status, "conditions")); json_next(&it);)
		if (str_is(json_str(json_get(it.value, "type")), type))
			return it.value;
	return JSON_NONE;
}

static void put_condition(const struct pod_report_input *input, struct json_doc *doc,
			  struct json status, const struct condition *condition)
{
	struct json old = find_condition(input->old, condition->type);
	struct json item = append_obj(doc, json_ensure_arr(doc, status, "conditions"));
	const char *holds = condition->holds ? "True" : "False";

	set_text(doc, item, "type", condition->type);
	set_text(doc, item, "status", holds);
	if (str_is(json_str(json_get(old, "status")), holds))
		json_set_str(doc, item, "lastTransitionTime",
			     json_str(json_get(old, "lastTransitionTime")));
	else
		set_time(doc, item, "lastTransitionTime", input->wall);
	/* A patch merges: what has to be removed is named. */
	if (condition->reason)
		set_text(doc, item, "reason", condition->reason);
	else if (!json_is_absent(json_get(old, "reason")))
		json_set(doc, item, STR("reason"), json_new_null(doc));
	if (condition->message && *condition->message)
		set_text(doc, item, "message", condition->message);
	else if (!json_is_absent(json_get(old, "message")))
		json_set(doc, item, STR("message"), json_new_null(doc));
}

/* "containers with unready status: [a b]" */
static void list_unready(const struct pod_report_input *input, bool init, struct buf *to)
{
	struct json spec = json_get(input->pod, "spec");
	size_t before = to->len;

	for (struct json_iter it =
		     json_iter(json_get(spec, init ? "initContainers" : "containers"));
	     json_next(&it);) {
		size_t index = init ? it.index : input->life->n_init + it.index;

		if (life_is_ready(input->life, index))
			continue;
		buf_printf(to, "%s%.*s", to->len == before ? "" : " ",
			   STR_ARG(json_str(json_get(it.value, "name"))));
	}
}

/* Readiness gates: conditions that others must set before the pod is ready; says what is missing, with a kubelet's
 * text. */
static void list_closed_gates(const struct pod_report_input *input, struct buf *to)
{
	struct json gates = json_get(json_get(input->pod, "spec"), "readinessGates");
	struct json status = json_get(input->pod, "status");

	for (struct json_iter it = json_iter(gates); json_next(&it);) {
		AUTO(mem_free) char *type = str_dup(json_str(json_get(it.value, "conditionType")));
		struct str holds = json_str(json_get(find_condition(status, type), "status"));
		const char *between = to->len ? ", " : "";

		if (!holds.len)
			buf_printf(to,
				   "%scorresponding condition of pod readiness gate \"%s\" does "
				   "not exist.",
				   between, type);
		else if (!str_is(holds, "True"))
			buf_printf(to,
				   "%sthe status of pod readiness gate \"%s\" is not \"True\", but "
				   "%.*s",
				   between, type, STR_ARG(holds));
	}
}

static void put_conditions(const struct pod_report_input *input, struct json_doc *doc,
			   struct json status, enum life_phase phase)
{
	bool initialized = life_is_initialized(input->life) || phase == LIFE_SUCCEEDED;
	AUTO(buf_done) struct buf init = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf gates = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf others = BUF_UNBOUNDED;
	struct condition rows[] = {
		{"PodReadyToStartContainers", phase == LIFE_PENDING || phase == LIFE_RUNNING, NULL,
		 NULL},
		{"Initialized", initialized, NULL, NULL},
		{"Ready", true, NULL, NULL},
		{"ContainersReady", true, NULL, NULL},
		{"PodScheduled", true, NULL, NULL},
	};

	list_unready(input, true, &init);
	list_unready(input, false, &others);
	if (!initialized) {
		rows[1].reason = "ContainersNotInitialized";
		rows[1].message = buf_text(&init);
	}
	if (phase == LIFE_SUCCEEDED || phase == LIFE_FAILED || others.len) {
		rows[2].holds = rows[3].holds = false;
		rows[2].reason = rows[3].reason = "ContainersNotReady";
		rows[2].message = rows[3].message = buf_text(&others);
	}
	if (phase == LIFE_SUCCEEDED) {
		rows[1].reason = "PodCompleted";
		rows[2].reason = rows[3].reason = "PodCompleted";
		rows[2].message = rows[3].message = NULL;
	} else if (phase == LIFE_FAILED) {
		rows[2].reason = rows[3].reason = "PodFailed";
		rows[2].message = rows[3].message = NULL;
	}
	list_closed_gates(input, &gates);
	if (rows[2].holds && gates.len) {
		rows[2].holds = false;
		rows[2].reason = "ReadinessGatesNotReady";
		rows[2].message = buf_text(&gates);
	}
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		struct condition row = rows[i];

		if (row.message && row.message != gates.ptr) {
			buf_printf(&text, "containers with %s status: [%s]",
				   i == 1 ? "incomplete" : "unready", row.message);
			row.message = buf_text(&text);
		}
		put_condition(input, doc, status, &row);
	}
}

/* --- the whole --- */

static void put_address(struct json_doc *doc, struct json status, const char *one, const char *many,
			struct str ip)
{
	if (!ip.len)
		return;
	json_set_str(doc, status, one, ip);
	json_set_str(doc, append_obj(doc, json_ensure_arr(doc, status, many)), "ip", ip);
}

struct json_doc *pod_report_patch(const struct pod_report_input *input)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	enum life_phase phase = life_phase(input->life);
	struct json status;

	json_doc_set_root(doc, root);
	json_set_str(doc, json_ensure_obj(doc, root, "metadata"), "uid", uid_of(input));
	status = json_ensure_obj(doc, root, "status");
	set_text(doc, status, "phase", life_phase_names[phase]);
	if (input->life->reason[0]) {
		set_text(doc, status, "reason", input->life->reason);
		set_text(doc, status, "message", input->life->message);
	}
	put_conditions(input, doc, status, phase);
	put_address(doc, status, "hostIP", "hostIPs", input->host_ip);
	put_address(doc, status, "podIP", "podIPs", input->pod_ip);
	set_time(doc, status, "startTime", input->start_wall);
	put_containers(input, doc, status);
	return doc;
}

/* --- back --- */

static int64_t time_of(struct json value, int64_t fallback)
{
	int64_t time;

	return time_parse(json_str(value), &time, NULL) < 0 ? fallback : time;
}

static void restore_run(struct json end, int64_t wall, struct record_run *ret)
{
	int64_t code = json_int(json_get(end, "exitCode"));

	ret->started = time_of(json_get(end, "startedAt"), wall);
	ret->ended = time_of(json_get(end, "finishedAt"), wall);
	ret->exit_code = code >= 0 && code <= 255 ? (int)code : 255;
	ret->signal = (int)json_int(json_get(end, "signal"));
	ret->start_failed = str_is(json_str(json_get(end, "reason")), "StartError");
}

static void restore(struct life *life, size_t index, struct json status, int64_t now, int64_t wall)
{
	struct life_container *c = &life->containers[index];
	struct json state = json_get(status, "state");
	struct json ran = json_get(state, "running");
	struct json end = json_get(state, "terminated");
	struct json last = json_get(json_get(status, "lastState"), "terminated");
	int64_t restarts = json_int(json_get(status, "restartCount"));
	struct record record = {.state = RECORD_ENDED,
				.run = restarts > 0 ? (unsigned)restarts : 0};
	bool unknown = false;

	if (!json_is_absent(end)) {
		restore_run(end, wall, &record.now);
		unknown = str_is(json_str(json_get(end, "reason")), "ContainerStatusUnknown");
	} else if (!json_is_absent(ran)) {
		record.now =
			(struct record_run){.started = time_of(json_get(ran, "startedAt"), wall),
					    .ended = wall,
					    .exit_code = 128 + SIGKILL};
		unknown = true;
	} else if (!json_is_absent(last)) { /* it waited for its restart */
		restore_run(last, wall, &record.now);
	} else {
		return;
	}
	if (!json_is_absent(last))
		restore_run(last, wall, &record.last);
	life_observe(life, index, &record, now);
	c->unknown = unknown;
	c->oom = str_is(json_str(json_get(end, "reason")), "OOMKilled");
	c->last_oom = str_is(json_str(json_get(last, "reason")), "OOMKilled");
}

static void restore_list(struct json pod, bool init, struct life *life, int64_t now, int64_t wall)
{
	struct json specs = json_get(json_get(pod, "spec"), init ? "initContainers" : "containers");
	struct json list = json_get(json_get(pod, "status"),
				    init ? "initContainerStatuses" : "containerStatuses");

	for (struct json_iter it = json_iter(specs); json_next(&it);) {
		struct str name = json_str(json_get(it.value, "name"));

		for (struct json_iter one = json_iter(list); json_next(&one);)
			if (str_eq(json_str(json_get(one.value, "name")), name))
				restore(life, it.index + (init ? 0 : life->n_init), one.value, now,
					wall);
	}
}

void pod_report_restore(struct json pod, struct life *life, int64_t now, int64_t wall)
{
	restore_list(pod, true, life, now, wall);
	restore_list(pod, false, life, now, wall);
}
