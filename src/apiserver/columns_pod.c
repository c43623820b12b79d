/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/columns_pod.c - the columns of pods.
 *
 * What STATUS says is the most telling of what the phase, the conditions and the states of the
 * containers say, and what READY and RESTARTS count depends on whether the pod is still being set
 * up; so all three come from one summary. Init containers go first, in order, up to the one that is
 * not done; then, unless that one holds the pod up, the containers from the last to the first. */
#include "apiserver/cell.h"
#include "apiserver/columns.h"
#include "base/arena.h"
#include "base/time.h"
#include "model/duration.h"

#include "base/banned.h"

struct summary {
	struct buf reason;
	size_t total;
	size_t ready;
	int64_t restarts;
	int64_t last_restart; /* 0: never */
	int64_t sidecar_restarts;
	int64_t last_sidecar_restart;
	bool has_running;
};

static void set_reason(struct summary *s, const char *before, struct str reason)
{
	buf_clear(&s->reason);
	buf_puts(&s->reason, before);
	buf_put_str(&s->reason, reason);
}

static struct str text_at(struct json object, const char *path)
{
	return json_str(cell_follow(object, path));
}

/* --- init containers ------------------------------------------------------------------------- */

static bool is_sidecar(struct json pod, struct str name)
{
	struct json_iter it = json_iter(cell_follow(pod, "spec.initContainers"));

	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "name")), name))
			return str_is(json_str(json_get(it.value, "restartPolicy")), "Always");
	return false;
}

/* How a container ended, where its status gives no reason. */
static void set_exit(struct summary *s, const char *before, struct json ended)
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

/* Is this one done with, so that the next one's turn has come? Else it is the reason. */
static bool pass_init(struct summary *s, struct json pod, struct json status, size_t index)
{
	struct json ended = cell_follow(status, "state.terminated");
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
			   json_len(cell_follow(pod, "spec.initContainers")));
	}
	return false;
}

/* --- containers ------------------------------------------------------------------------------ */

static void pass_container(struct summary *s, struct json status)
{
	struct json ended = cell_follow(status, "state.terminated");
	struct str waiting = text_at(status, "state.waiting.reason");

	note_restarts(status, &s->restarts, &s->last_restart);
	if (waiting.len) {
		set_reason(s, "", waiting);
	} else if (json_is(ended, JSON_OBJ) && json_str(json_get(ended, "reason")).len) {
		set_reason(s, "", json_str(json_get(ended, "reason")));
	} else if (json_is(ended, JSON_OBJ)) {
		set_exit(s, "", ended);
	} else if (json_bool(json_get(status, "ready")) &&
		   json_is(cell_follow(status, "state.running"), JSON_OBJ)) {
		s->has_running = true;
		s->ready++;
	}
}

static bool has_condition(struct json pod, const char *type)
{
	struct json_iter it = json_iter(cell_follow(pod, "status.conditions"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), type) &&
		    str_is(json_str(json_get(it.value, "status")), "True"))
			return true;
	return false;
}

static void pass_containers(struct summary *s, struct json pod)
{
	struct json statuses = cell_follow(pod, "status.containerStatuses");

	s->restarts = s->sidecar_restarts;
	s->last_restart = s->last_sidecar_restart;
	for (size_t i = json_len(statuses); i > 0; i--)
		pass_container(s, json_at(statuses, i - 1));
	if (s->has_running && str_is(buf_str(&s->reason), "Completed"))
		set_reason(s, "", has_condition(pod, "Ready") ? STR("Running") : STR("NotReady"));
}

/* --- the summary ----------------------------------------------------------------------------- */

static bool is_gated(struct json pod)
{
	struct json_iter it = json_iter(cell_follow(pod, "status.conditions"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), "PodScheduled") &&
		    str_is(json_str(json_get(it.value, "reason")), "SchedulingGated"))
			return true;
	return false;
}

static void set_removed(struct summary *s, struct json pod)
{
	struct str phase = text_at(pod, "status.phase");

	if (!text_at(pod, "metadata.deletionTimestamp").len)
		return;
	if (str_is(text_at(pod, "status.reason"), "NodeLost"))
		set_reason(s, "", STR("Unknown"));
	else if (!str_is(phase, "Succeeded") && !str_is(phase, "Failed"))
		set_reason(s, "", STR("Terminating"));
}

static void count_containers(struct summary *s, struct json pod)
{
	struct json_iter it = json_iter(cell_follow(pod, "spec.initContainers"));

	s->total = json_len(cell_follow(pod, "spec.containers"));
	while (json_next(&it))
		s->total += str_is(json_str(json_get(it.value, "restartPolicy")), "Always");
}

static struct summary summarize(struct json pod)
{
	struct summary s = {.reason = BUF_UNBOUNDED};
	struct json_iter it = json_iter(cell_follow(pod, "status.initContainerStatuses"));
	struct str reason = text_at(pod, "status.reason");
	bool held = false;

	count_containers(&s, pod);
	set_reason(&s, "", reason.len ? reason : text_at(pod, "status.phase"));
	if (is_gated(pod))
		set_reason(&s, "", STR("SchedulingGated"));
	while (!held && json_next(&it))
		held = !pass_init(&s, pod, it.value, it.index);
	if (!held || has_condition(pod, "Initialized"))
		pass_containers(&s, pod);
	set_removed(&s, pod);
	return s;
}

/* --- cells ----------------------------------------------------------------------------------- */

static struct json pod_ready(const struct kind_column *column, struct json pod,
			     struct json_doc *doc, int64_t now)
{
	struct summary s = summarize(pod);

	(void)column;
	(void)now;
	buf_done(&s.reason);
	return json_new_printf(doc, "%zu/%zu", s.ready, s.total);
}

static struct json pod_status_cell(const struct kind_column *column, struct json pod,
				   struct json_doc *doc, int64_t now)
{
	struct summary s = summarize(pod);
	struct json cell = cell_take(doc, &s.reason);

	(void)column;
	(void)now;
	buf_done(&s.reason);
	return cell;
}

static struct json pod_restarts(const struct kind_column *column, struct json pod,
				struct json_doc *doc, int64_t now)
{
	struct summary s = summarize(pod);
	char text[DURATION_TEXT_SIZE];

	(void)column;
	buf_done(&s.reason);
	if (!s.restarts || !s.last_restart)
		return json_new_printf(doc, "%d", (int)s.restarts);
	return json_new_printf(doc, "%d (%s ago)", (int)s.restarts,
			       duration_print_age(now - s.last_restart, text));
}

static struct json pod_ip_cell(const struct kind_column *column, struct json pod,
			       struct json_doc *doc, int64_t now)
{
	struct str ip = json_str(json_get(json_at(cell_follow(pod, "status.podIPs"), 0), "ip"));

	(void)column;
	(void)now;
	return json_new_str(doc, ip.len ? ip : STR("<none>"));
}

static struct json pod_gates(const struct kind_column *column, struct json pod,
			     struct json_doc *doc, int64_t now)
{
	struct json gates = cell_follow(pod, "spec.readinessGates");
	struct json_iter it = json_iter(gates);
	AUTO(buf_done) struct buf type = BUF_UNBOUNDED;
	size_t open = 0;

	(void)column;
	(void)now;
	if (!json_len(gates))
		return json_new_str(doc, STR("<none>"));
	while (json_next(&it)) {
		buf_clear(&type);
		buf_put_str(&type, json_str(json_get(it.value, "conditionType")));
		open += has_condition(pod, buf_text(&type));
	}
	return json_new_printf(doc, "%zu/%zu", open, json_len(gates));
}

const struct kind_column columns_pod[] = {
	COLUMN_NAME,
	COLUMN("Ready", "string", "How many of its containers are ready", .cell = pod_ready),
	COLUMN("Status", "string", "What it is doing, or what holds it up",
	       .cell = pod_status_cell),
	COLUMN("Restarts", "string", "How often its containers were started again, and when last",
	       .cell = pod_restarts),
	COLUMN_AGE,
	COLUMN("IP", "string", "Its address", .cell = pod_ip_cell, WIDE),
	COLUMN("Node", "string", "The node that it is on", .cell = cell_text,
	       .path = "spec.nodeName", .none = "<none>", WIDE),
	COLUMN("Nominated Node", "string", "The node that is being cleared for it",
	       .cell = cell_text, .path = "status.nominatedNodeName", .none = "<none>", WIDE),
	COLUMN("Readiness Gates", "string", "How many of the conditions it waits for hold",
	       .cell = pod_gates, WIDE),
	COLUMN_END,
};
