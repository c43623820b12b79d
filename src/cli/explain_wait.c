/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain_wait.c - why a job waits: what the scheduler reported in its annotation; else what pods, conditions and
 * events show. What the scheduler cannot know (gates by name, tasks that depend on others, pods that the server rejects)
 * is read from the objects. */
#include <string.h>

#include "base/arena.h"
#include "base/macro.h"
#include "cli/explain_internal.h"

#include "base/banned.h"

static struct json status_of(struct json object, const char *key)
{
	return json_get(json_get(object, "status"), key);
}

static struct json spec_of(struct json object, const char *key)
{
	return json_get(json_get(object, "spec"), key);
}

static struct str message_of(struct json event)
{
	return str_trim(json_str(json_get(event, "message")));
}

/* --- reasons ------------------------------------------------------------------------------------ */

static bool reported_reasons(struct explain *e)
{
	wait_reasons_done(&e->reported);
	e->reported = wait_reasons_of(e->facts->group, e->arena);
	for (size_t i = 0; i < e->reported.len; i++) {
		const struct wait_reason *from = &e->reported.ptr[i];

		if (from->text.len)
			vec_push(&e->reasons, (struct reason){.code = from->cause,
							      .text = from->text,
							      .since = from->since,
							      .help = from->advice});
	}
	return e->reasons.len > 0;
}

static bool group_reasons(struct explain *e)
{
	struct json_iter it = json_iter(status_of(e->facts->group, "conditions"));

	while (json_next(&it)) {
		if (!str_is(json_str(json_get(it.value, "type")), "Unschedulable") ||
		    !str_is(json_str(json_get(it.value, "status")), "True"))
			continue;
		vec_push(&e->reasons,
			 (struct reason){
				 .code = json_str(json_get(it.value, "reason")),
				 .text = json_str(json_get(it.value, "message")),
				 .since = json_str(json_get(it.value, "lastTransitionTime")),
			 });
	}
	return e->reasons.len > 0;
}

/* Each text once, from the first pod that says it. */
static bool pod_reasons(struct explain *e)
{
	for (size_t i = 0; i < e->pods.len; i++) {
		struct json_iter it = json_iter(status_of(e->pods.ptr[i].pod, "conditions"));

		while (json_next(&it)) {
			struct reason reason = {
				.code = json_str(json_get(it.value, "reason")),
				.text = json_str(json_get(it.value, "message")),
				.since = json_str(json_get(it.value, "lastTransitionTime")),
			};
			bool known = !reason.text.len;

			if (!str_is(json_str(json_get(it.value, "type")), "PodScheduled") ||
			    !str_is(json_str(json_get(it.value, "status")), "False"))
				continue;
			for (size_t j = 0; j < e->reasons.len; j++)
				known = known || str_eq(e->reasons.ptr[j].text, reason.text);
			if (!known)
				vec_push(&e->reasons, reason);
		}
	}
	return e->reasons.len > 0;
}

/* Pods that were placed and cannot start, or fail again and again. */
static bool problem_reasons(struct explain *e)
{
	struct pod_problem problem;

	if (!pod_problem_find(&e->pods, e->facts->events, e->facts->nodes, e->facts->now, e->arena,
			      &problem))
		return false;
	vec_push(&e->reasons, (struct reason){.code = problem.cause,
					      .text = problem.text,
					      .since = problem.since,
					      .help = problem.advice});
	return true;
}

static size_t placed(const struct explain *e)
{
	size_t count = 0;

	for (size_t i = 0; i < e->pods.len; i++)
		count += json_str(spec_of(e->pods.ptr[i].pod, "nodeName")).len > 0;
	return count;
}

/* Nobody has said anything: what the objects themselves show. */
static void shown_reasons(struct explain *e)
{
	struct str queue = spec_of(e->facts->job, "queue").val
				   ? json_str(spec_of(e->facts->job, "queue"))
				   : STR("default");
	struct str state = json_str(status_of(e->facts->queue, "state"));
	struct str group = json_str(status_of(e->facts->group, "phase"));
	struct reason reason = {.since = explain_phase_since(e->facts->job)};

	if (json_is_absent(e->facts->queue)) {
		reason.code = STR("QueueNotFound");
		reason.text = str_from(
			arena_printf(e->arena, "queue `%.*s` does not exist", STR_ARG(queue)));
		reason.help = str_from(arena_printf(
			e->arena,
			"Create it (vcctl queue create -n %.*s -w 1), or submit to another queue",
			STR_ARG(queue)));
	} else if (state.len && !str_is(state, "Open")) {
		reason.code = STR("QueueNotOpen");
		reason.text = str_from(arena_printf(e->arena, "queue `%.*s` is %.*s",
						    STR_ARG(queue), STR_ARG(state)));
		reason.help = str_from(arena_printf(
			e->arena,
			"Open it (vcctl queue operate -n %.*s -a open), or submit to another queue",
			STR_ARG(queue)));
	} else if (json_is_absent(e->facts->group)) {
		reason.code = STR("NoPodGroup");
		reason.text = STR("the job controller has not created its PodGroup yet");
		reason.help = STR("Check that the controller runs (volcano status)");
	} else if (placed(e)) {
		reason.code = STR("Starting");
		reason.text = str_from(
			arena_printf(e->arena, "starting: %zu of its pods have a node", placed(e)));
	} else if (!group.len || str_is(group, "Pending")) {
		reason.code = STR("NotAdmitted");
		reason.text = str_from(arena_printf(
			e->arena, "queue `%.*s` has not admitted it yet", STR_ARG(queue)));
	} else {
		reason.code = STR("NotScheduled");
		reason.text = STR("the scheduler has not looked at it yet");
		reason.help = STR("Check that the scheduler runs (volcano status)");
	}
	vec_push(&e->reasons, reason);
}

/* The last event of the job itself that says that pods could not be created. */
static struct json failed_create(const struct explain *e)
{
	struct json_iter it = json_iter(e->facts->events);
	struct json found = JSON_NONE;

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "reason")), "FailedCreate") &&
		    str_is(json_str(json_get(json_get(it.value, "involvedObject"), "kind")),
			   "Job") &&
		    (json_is_absent(found) ||
		     str_cmp(explain_event_time(it.value), explain_event_time(found)) > 0))
			found = it.value;
	return found;
}

/* --- pods that were not created ----------------------------------------------------------------- */

struct create_row {
	const char *before; /* the name, in quotation marks or not */
	char end;
	const char *text; /* "%.*s" is the name */
	const char *advice;
};
static const struct create_row create_rows[] = {
	{"exceeded quota: ", ',', "quota `%.*s` of its namespace does not allow them",
	 "Wait for other pods of the namespace to end, raise the quota, or ask for less"},
	{"serviceaccount \"", '"', "the service account `%.*s` does not exist",
	 "Create the service account, or remove it from the job"},
	{"no PriorityClass with name ", ' ', "the priority class `%.*s` does not exist",
	 "Create the priority class, or name another one in the job"},
	{"priorityclass.scheduling.k8s.io \"", '"', "the priority class `%.*s` does not exist",
	 "Create the priority class, or name another one in the job"},
};

static struct str row_text(struct explain *e, const struct create_row *row, struct str name)
{
	const char *mark = strstr(row->text, "%.*s");

	return str_from(arena_printf(e->arena, "its pods cannot be created: %.*s%.*s%s",
				     (int)(mark - row->text), row->text, STR_ARG(name),
				     mark + strlen("%.*s")));
}

/* The server rejects its pods: why, by the event of the job. */
static void say_rejected(struct explain *e, struct str message, struct reason *reason)
{
	reason->code = STR("FailedCreate");
	reason->help = STR("Correct the job: delete it, and submit it again");
	for (size_t i = 0; i < ARRAY_LEN(create_rows); i++) {
		const struct create_row *row = &create_rows[i];
		ptrdiff_t at = str_find(message, str_from(row->before), 0);
		struct str name;

		if (at < 0)
			continue;
		name = str_skip(message, (size_t)at + strlen(row->before));
		if (str_find_byte(name, row->end, 0) >= 0)
			name = str_slice(name, 0, (size_t)str_find_byte(name, row->end, 0));
		reason->text = row_text(e, row, name);
		reason->help = str_from(row->advice);
		return;
	}
	reason->text = str_from(
		arena_printf(e->arena, "its pods cannot be created: %.*s", STR_ARG(message)));
}

/* The scheduler only sees that pods are missing. Why they are is in the job's events, or in the
 * pods: it does not count those of another scheduler. */
static void missing_reasons(struct explain *e)
{
	struct json event = failed_create(e);
	struct reason reason = {.since = explain_phase_since(e->facts->job)};
	struct str scheduler;

	if (!e->reasons.len || (!str_is(e->reasons.ptr[0].code, "NotEnoughTasks") &&
				!str_is(e->reasons.ptr[0].code, "NotEnoughPodsOfTask")))
		return;
	if (e->pods.len) {
		scheduler = json_str(spec_of(e->pods.ptr[0].pod, "schedulerName"));
		if (!scheduler.len || str_is(scheduler, "volcano"))
			return;
		reason.code = STR("OtherScheduler");
		reason.text = str_from(arena_printf(
			e->arena,
			"its pods are for the scheduler `%.*s`, which has not placed them",
			STR_ARG(scheduler)));
		reason.help =
			STR("Remove schedulerName from the job: then Volcano places its pods");
	} else if (!json_is_absent(event)) {
		say_rejected(e, message_of(event), &reason);
		reason.since = json_str(json_get(event, "firstTimestamp"));
	} else {
		return;
	}
	e->reasons.ptr[0] = reason;
}

/* --- tasks that depend on others ---------------------------------------------------------------- */

static struct json task_named(const struct explain *e, struct str name)
{
	struct json_iter it = json_iter(spec_of(e->facts->job, "tasks"));

	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "name")), name))
			return it.value;
	return JSON_NONE;
}

static bool task_has_pods(const struct explain *e, struct str name)
{
	for (size_t i = 0; i < e->pods.len; i++)
		if (str_eq(e->pods.ptr[i].task, name))
			return true;
	return false;
}

/* The first task that this one depends on and that does not run; absent: there is none. */
static struct str waits_for(const struct explain *e, struct json task)
{
	struct json_iter it = json_iter(json_get(json_get(task, "dependsOn"), "name"));

	while (json_next(&it)) {
		struct str name = json_str(it.value);
		bool runs = false;

		for (size_t i = 0; i < e->pods.len; i++) {
			struct str phase = json_str(status_of(e->pods.ptr[i].pod, "phase"));

			runs |= str_eq(e->pods.ptr[i].task, name) &&
				(str_is(phase, "Running") || str_is(phase, "Succeeded"));
		}
		if (!runs)
			return name;
	}
	return str_none();
}

/* A task without pods that depends on another: the chain, and what the last of it waits for. */
static void depends_reason(struct explain *e)
{
	enum { CHAIN_MAX = 16 };
	struct json_iter it = json_iter(spec_of(e->facts->job, "tasks"));
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct reason reason = {.code = STR("DependsOn")};
	struct str name = str_none();

	while (!name.len && json_next(&it)) {
		struct str task = json_str(json_get(it.value, "name"));

		if (task_has_pods(e, task))
			continue;
		name = waits_for(e, it.value);
		if (name.len)
			buf_printf(&text, "task `%.*s` waits for task `%.*s` (dependsOn)",
				   STR_ARG(task), STR_ARG(name));
	}
	if (!name.len)
		return;
	for (int i = 0; i < CHAIN_MAX; i++) {
		struct str next = waits_for(e, task_named(e, name));

		if (!next.len || task_has_pods(e, name))
			break;
		buf_printf(&text, ", which waits for task `%.*s`", STR_ARG(next));
		name = next;
	}
	if (e->reasons.len && !str_is(e->reasons.ptr[0].code, "NotEnoughTasks") &&
	    !str_is(e->reasons.ptr[0].code, "NotEnoughPodsOfTask") &&
	    !str_is(e->reasons.ptr[0].code, "Starting")) {
		buf_printf(&text, "%s%.*s",
			   str_starts(e->reasons.ptr[0].text, STR("waiting")) ? ", which is "
									      : ": ",
			   STR_ARG(e->reasons.ptr[0].text));
		reason.help = e->reasons.ptr[0].help;
		reason.since = e->reasons.ptr[0].since;
	} else {
		buf_puts(&text, ", which does not run yet");
		reason.help = str_from(arena_printf(
			e->arena, "Nothing to do: it starts when task `%.*s` runs", STR_ARG(name)));
		reason.since = explain_phase_since(e->facts->job);
	}
	reason.text = str_from(arena_printf(e->arena, "%s", buf_text(&text)));
	if (e->reasons.len)
		e->reasons.ptr[0] = reason;
	else
		vec_push(&e->reasons, reason);
}

/* --- gates -------------------------------------------------------------------------------------- */

/* The scheduler knows how many pods have gates; which gates, the pods say. */
static void name_gates(struct explain *e)
{
	AUTO(buf_done) struct buf names = BUF_UNBOUNDED;
	size_t count = 0, gates = 0;

	if (!e->reasons.len || !str_is(e->reasons.ptr[0].code, "SchedulingGated"))
		return;
	for (size_t i = 0; i < e->pods.len; i++) {
		struct json_iter it = json_iter(spec_of(e->pods.ptr[i].pod, "schedulingGates"));

		count += json_len(spec_of(e->pods.ptr[i].pod, "schedulingGates")) > 0;
		while (json_next(&it)) {
			struct str name = json_str(json_get(it.value, "name"));

			if (str_find(buf_str(&names), name, 0) >= 0)
				continue;
			buf_printf(&names, "%s%.*s", gates++ ? ", " : "", STR_ARG(name));
		}
	}
	if (!gates)
		return;
	e->reasons.ptr[0].text = str_from(arena_printf(
		e->arena, "%zu pod%s held by the scheduling gate%s %s", count,
		count == 1 ? " is" : "s are", gates == 1 ? "" : "s", buf_text(&names)));
	e->reasons.ptr[0].help = STR("The program or person that set the gate must remove it");
}

bool explain_find_some(struct explain *e)
{
	if (!reported_reasons(e) && !group_reasons(e) && !pod_reasons(e))
		return false;
	name_gates(e);
	return true;
}

void explain_find_reasons(struct explain *e)
{
	if (!reported_reasons(e) && !problem_reasons(e) && !group_reasons(e) && !pod_reasons(e))
		shown_reasons(e);
	missing_reasons(e);
	name_gates(e);
	depends_reason(e);
}
