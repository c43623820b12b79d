/* SPDX-License-Identifier: Apache-2.0 */
/* cli/explain_wait.c - why a job waits: what the scheduler reported in its annotation; else what pods, conditions and
 * events show. What the scheduler cannot know (gates by name, tasks that depend on others, pods that the server rejects)
 * is read from the objects. */
#include <string.h>

#include "base/arena.h"
#include "base/macro.h"
#include "cli/explain_internal.h"
#include "model/value/quantity.h"

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
	struct pod_problem_facts facts = explain_problem_facts(e);
	struct pod_problem problem;

	if (!pod_problem_find(&e->pods, &facts, e->arena, &problem))
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

/* Nothing was reported: what the objects themselves show. */
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
		reason.text = str_from(arena_printf(
			e->arena, "starting: %zu of %zu pods have a node", placed(e), e->pods.len));
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

/* "requests.cpu=3" of "requested: requests.cpu=3,pods=1, used: ...": what follows the word, up to the comma. */
static struct str value_after(struct str message, const char *word)
{
	ptrdiff_t at = str_find(message, str_from(word), 0);
	struct str rest;
	size_t end = 0;

	if (at < 0)
		return str_none();
	rest = str_skip(message, (size_t)at + strlen(word));
	while (end < rest.len && rest.ptr[end] != ',' && rest.ptr[end] != '>' &&
	       rest.ptr[end] != ']')
		end++;
	return str_slice(rest, 0, end);
}

static bool is_pods(struct str resource)
{
	return str_is(resource, "pods") || str_is(resource, "count/pods");
}

/* "3 CPUs", "1Gi of memory", "2 requests.nvidia.com/gpu" */
static void put_amount(struct str resource, struct str amount, struct buf *to)
{
	static const struct {
		const char *resource;
		const char *text;
	} rows[] = {
		{"cpu", " CPUs"},
		{"requests.cpu", " CPUs"},
		{"limits.cpu", " CPUs (sum of limits)"},
		{"memory", " of memory"},
		{"requests.memory", " of memory"},
		{"limits.memory", " of memory (sum of limits)"},
	};

	buf_put_str(to, amount);
	if (is_pods(resource))
		buf_puts(to, str_is(amount, "1") ? " pod" : " pods");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_is(resource, rows[i].resource)) {
			buf_puts(to, rows[i].text);
			return;
		}
	if (str_starts(resource, STR("requests.")))
		resource = str_skip(resource, strlen("requests."));
	if (!is_pods(resource))
		buf_printf(to, " %.*s", STR_ARG(resource));
}

static bool is_larger(struct str a, struct str b)
{
	struct quantity left, right;
	struct err err;

	return quantity_parse(a, &left, &err) == 0 && quantity_parse(b, &right, &err) == 0 &&
	       quantity_cmp(&left, &right) > 0;
}

/* "exceeded quota: rq, requested: pods=1, used: pods=5, limited: pods=5" */
static bool say_quota(struct explain *e, struct str message, struct reason *reason)
{
	struct str quota = value_after(message, "exceeded quota: ");
	struct str asked = value_after(message, "requested: ");
	struct str used = value_after(message, "used: ");
	struct str limit = value_after(message, "limited: ");
	ptrdiff_t equals = str_find_byte(limit, '=', 0);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct str resource;
	bool never;

	if (!quota.len || !asked.len || !used.len || equals < 0)
		return false;
	resource = str_slice(limit, 0, (size_t)equals);
	limit = str_skip(limit, resource.len + 1);
	if (!str_starts(asked, resource) || !str_starts(used, resource))
		return false;
	asked = str_skip(asked, resource.len + 1);
	used = str_skip(used, resource.len + 1);
	never = is_larger(asked, limit);
	buf_printf(&text, "%snamespace `%.*s` may %s ", never ? "can never start: " : "",
		   STR_ARG(json_str(json_get(json_get(e->facts->job, "metadata"), "namespace"))),
		   is_pods(resource) ? "run" : "use");
	put_amount(resource, limit, &text);
	buf_printf(&text, " (quota `%.*s`)", STR_ARG(quota));
	if (!never)
		buf_printf(&text, ", %.*s in use", STR_ARG(used));
	if (!is_pods(resource))
		buf_printf(&text, ", each pod of the job needs %.*s", STR_ARG(asked));
	reason->text = str_from(arena_printf(e->arena, "%s", buf_text(&text)));
	reason->help = str_from(
		arena_printf(e->arena, "%s quota `%.*s`, or ask for less",
			     never ? "Raise" : "Wait for other pods of the namespace to end, raise",
			     STR_ARG(quota)));
	return true;
}

/* "failed quota: rq: must specify limits.memory for: main; requests.cpu for: main" */
static bool say_unspecified(struct explain *e, struct str message, struct reason *reason)
{
	struct str quota = value_after(message, "failed quota: ");
	struct str rest = value_after(message, "must specify ");
	struct str container = value_after(rest, " for: ");
	ptrdiff_t end = str_find(rest, STR(" for: "), 0);
	struct str resource;

	if (str_find_byte(quota, ':', 0) < 0 || end < 0)
		return false;
	quota = str_slice(quota, 0, (size_t)str_find_byte(quota, ':', 0));
	resource = str_slice(rest, 0, (size_t)end);
	if (str_find_byte(container, ';', 0) >= 0)
		container = str_slice(container, 0, (size_t)str_find_byte(container, ';', 0));
	reason->text =
		str_from(arena_printf(e->arena,
				      "its pods cannot be created: quota `%.*s` counts %.*s, and "
				      "container `%.*s` does not set it",
				      STR_ARG(quota), STR_ARG(resource), STR_ARG(container)));
	reason->help = str_from(
		arena_printf(e->arena, "Set resources.%.*s of the container", STR_ARG(resource)));
	return true;
}

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
	{"RuntimeClass \"", '"', "the runtime class `%.*s` does not exist",
	 "Remove runtimeClassName from the job, or create the class"},
};

static struct str row_text(struct explain *e, const struct create_row *row, struct str name)
{
	const char *mark = strstr(row->text, "%.*s");

	return str_from(arena_printf(e->arena, "its pods cannot be created: %.*s%.*s%s",
				     (int)(mark - row->text), row->text, STR_ARG(name),
				     mark + strlen("%.*s")));
}

/* The text before a mark, which is skipped; none: it is not there. */
static struct str take_until(struct str *rest, const char *mark)
{
	ptrdiff_t at = str_find(*rest, str_from(mark), 0);
	struct str taken;

	if (at < 0)
		return str_none();
	taken = str_slice(*rest, 0, (size_t)at);
	*rest = str_skip(*rest, (size_t)at + strlen(mark));
	return taken;
}

/* "maximum cpu usage per Container is 500m, but limit is 2": a LimitRange of the namespace. */
static bool say_limit_range(struct explain *e, struct str message, struct reason *reason)
{
	AUTO(buf_done) struct buf bound = BUF_UNBOUNDED;
	struct str rest = message;
	bool most = !str_is_none(take_until(&rest, "maximum "));
	struct str resource, whole, limit, asked;

	if (!most && str_is_none(take_until(&rest, "minimum ")))
		return false;
	resource = take_until(&rest, " usage per ");
	whole = take_until(&rest, " is ");
	limit = take_until(&rest, ", but ");
	(void)take_until(&rest, " is ");
	asked = value_after(rest, "");
	if (!resource.len || !whole.len || !limit.len || !asked.len)
		return false;
	put_amount(resource, limit, &bound);
	reason->text = str_from(arena_printf(
		e->arena,
		"can never start: namespace `%.*s` allows at %s %s per %s (LimitRange), this job "
		"asks for %.*s",
		STR_ARG(json_str(json_get(json_get(e->facts->job, "metadata"), "namespace"))),
		most ? "most" : "least", buf_text(&bound),
		str_is(whole, "Pod") ? "pod" : "container", STR_ARG(asked)));
	reason->help = str_from(arena_printf(
		e->arena, "Ask for at %s %s, or change the LimitRange of the namespace",
		most ? "most" : "least", buf_text(&bound)));
	return true;
}

/* Without what controllers and servers put around the reason: "Error creating pods: [failed to create pod X, err:
 * <Forbidden: pods "X" is forbidden: ...>]". */
static struct str unwrapped(struct str message)
{
	ptrdiff_t forbidden;
	ptrdiff_t err;

	if (str_starts(message, STR("Error creating pods: ")))
		message = str_skip(message, strlen("Error creating pods: "));
	forbidden = str_find(message, STR(" is forbidden: "), 0);
	err = str_find(message, STR("err: <"), 0);
	if (forbidden >= 0)
		message = str_skip(message, (size_t)forbidden + strlen(" is forbidden: "));
	else if (err >= 0)
		message = str_skip(message, (size_t)err + strlen("err: <"));
	if (str_ends(message, STR(">]")))
		message = str_slice(message, 0, message.len - 2);
	return message;
}

/* The server rejects its pods: why, by the event of the job. */
static void say_rejected(struct explain *e, struct str message, struct reason *reason)
{
	reason->code = STR("FailedCreate");
	reason->help = STR("Correct the job: delete it, and submit it again");
	if (say_quota(e, message, reason) || say_unspecified(e, message, reason) ||
	    say_limit_range(e, message, reason))
		return;
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
	reason->text = str_from(arena_printf(e->arena, "its pods cannot be created: %.*s",
					     STR_ARG(unwrapped(message))));
}

bool explain_find_rejected(struct explain *e, struct reason *ret)
{
	struct json event = failed_create(e);

	if (e->pods.len || json_is_absent(event))
		return false;
	*ret = (struct reason){.since = json_str(json_get(event, "firstTimestamp"))};
	say_rejected(e, message_of(event), ret);
	return true;
}

/* The scheduler only sees that pods are missing. Why they are is in the job's events, or in the
 * pods: it does not count those of another scheduler. */
static void missing_reasons(struct explain *e)
{
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
	} else if (!explain_find_rejected(e, &reason)) {
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

/* Does a reason only say that pods are missing? */
static bool is_about_missing(struct str code)
{
	return str_is(code, "NotEnoughTasks") || str_is(code, "NotEnoughPodsOfTask") ||
	       str_is(code, "Starting");
}

/* Pods that exist before any task that depends on another is created. */
static int64_t pods_before(const struct explain *e)
{
	struct json_iter it = json_iter(spec_of(e->facts->job, "tasks"));
	int64_t sum = 0;

	while (json_next(&it))
		if (!waits_for(e, it.value).len)
			sum += json_int(json_get(it.value, "replicas"));
	return sum;
}

/* The job needs pods at once of which some are created only after others run. */
static bool say_deadlock(struct explain *e, struct str task, struct str name, struct reason *reason)
{
	int64_t needs = json_int(spec_of(e->facts->job, "minAvailable"));
	int64_t before = pods_before(e);

	if (needs <= before || !e->reasons.len || !is_about_missing(e->reasons.ptr[0].code))
		return false;
	reason->text = str_from(arena_printf(e->arena,
					     "can never start: task `%.*s` gets its pods after "
					     "task `%.*s` runs (dependsOn), but %lld "
					     "pods must start together (minAvailable)",
					     STR_ARG(task), STR_ARG(name), (long long)needs));
	reason->help = str_from(arena_printf(
		e->arena, "Set minAvailable of the job to at most %lld", (long long)before));
	reason->since = explain_phase_since(e->facts->job);
	return true;
}

/* What became of a task that others wait for. */
static void say_dependency(struct explain *e, struct str name, struct buf *text,
			   struct reason *reason)
{
	struct pod_failure failure;

	reason->since = explain_phase_since(e->facts->job);
	for (size_t i = 0; i < e->pods.len; i++) {
		if (!str_eq(e->pods.ptr[i].task, name) ||
		    !str_is(json_str(status_of(e->pods.ptr[i].pod, "phase")), "Failed") ||
		    !pod_failure_of(e->pods.ptr[i].pod, &failure))
			continue;
		reason->code = STR("DependencyFailed");
		buf_printf(text, ", which failed: pod %.*s ", STR_ARG(failure.pod));
		pod_failure_print(&failure, text);
		reason->help = str_from(pod_failure_advice(&failure));
		return;
	}
	buf_puts(text, ", which does not run yet");
	reason->help = str_from(arena_printf(
		e->arena, "Nothing to do: it starts when task `%.*s` runs", STR_ARG(name)));
}

/* ", which is waiting for CPU: ...", from a text that may begin with the name of the task. */
static void put_dependency(struct str text, struct str task, struct buf *to)
{
	AUTO(buf_done) struct buf name = BUF_UNBOUNDED;

	buf_printf(&name, "task `%.*s`: ", STR_ARG(task));
	if (str_starts(text, buf_str(&name)))
		text = str_skip(text, name.len);
	if (str_starts(text, STR("waiting")))
		buf_puts(to, ", which is ");
	else
		buf_puts(to, str_starts(text, STR("can never start")) ? ", which " : ": ");
	buf_put_str(to, text);
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
		if (name.len && say_deadlock(e, task, name, &reason)) {
			e->reasons.ptr[0] = reason;
			return;
		}
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
	if (e->reasons.len && !is_about_missing(e->reasons.ptr[0].code)) {
		put_dependency(e->reasons.ptr[0].text, name, &text);
		reason.help = e->reasons.ptr[0].help;
		reason.since = e->reasons.ptr[0].since;
	} else {
		say_dependency(e, name, &text, &reason);
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
