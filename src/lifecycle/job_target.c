/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_target.c - the targets of a restart, as the status records them.
 *
 * state.reason is the action, state.message the targets in a form that users read and this file
 * parses, with "; " between them:
 *
 *	task a
 *	pod a/1			pods a/0-2,5
 *	partition 0 of task a	partitions 1,3-4 of task a
 *
 * Names of tasks are DNS labels, so that the words are not ambiguous. Ranges keep the text short when
 * many pods fail together. Pods that were created after it are not targets: they have the new retry
 * count. */
#include "base/number.h"
#include "lifecycle/job_internal.h"

#include "base/banned.h"

#define OF_TASK " of task "

bool job_target_fits(enum bus_action action, const struct job_target *target)
{
	return target->task >= 0 &&
	       (action == BUS_RESTART_TASK || (action == BUS_RESTART_POD && target->index >= 0) ||
		(action == BUS_RESTART_PARTITION && target->partition >= 0));
}

bool job_target_is_part(const struct vcjob_status *status)
{
	struct str reason = status->state.reason;

	return str_is(reason, bus_action_names[BUS_RESTART_TASK]) ||
	       str_is(reason, bus_action_names[BUS_RESTART_POD]) ||
	       str_is(reason, bus_action_names[BUS_RESTART_PARTITION]);
}

/* --- sets ------------------------------------------------------------------------------------ */

static bool has(const bool *set, int32_t count, int32_t index)
{
	return set && index >= 0 && index < count && set[index];
}

/* False: it was already there, or is out of range. */
static bool put(const struct job_view *view, bool **set, int32_t count, int32_t index)
{
	if (index < 0 || index >= count || has(*set, count, index))
		return false;
	if (!*set)
		*set = arena_calloc(view_arena(view), (size_t)count, sizeof(**set));
	(*set)[index] = true;
	return true;
}

static int32_t replicas_of(const struct job_view *view, ptrdiff_t task)
{
	return view->tasks[task].spec->replicas;
}

bool job_target_add(struct job_view *view, enum bus_action action, const struct job_target *target)
{
	struct job_restart *restart = &view->tasks[target->task].restart;
	int32_t count = replicas_of(view, target->task);

	if (restart->whole)
		return false;
	if (action == BUS_RESTART_POD)
		return put(view, &restart->pods, count, target->index);
	if (action == BUS_RESTART_PARTITION)
		return put(view, &restart->partitions, count, target->partition);
	restart->whole = true;
	return true;
}

bool job_target_has(const struct job_view *view, const struct job_pod *pod)
{
	ptrdiff_t at = job_find_task(view->job, pod->task);
	const struct job_restart *restart;
	int32_t count;

	if (at < 0 || pod->retry >= view->job->status.retry_count)
		return false;
	restart = &view->tasks[at].restart;
	count = replicas_of(view, at);
	return restart->whole || has(restart->pods, count, pod->index) ||
	       has(restart->partitions, count, pod->partition);
}

/* --- printing -------------------------------------------------------------------------------- */

/* Prints "0-2,5"; returns their number. */
static int32_t put_ranges(const bool *set, int32_t count, struct buf *to)
{
	int32_t found = 0;

	for (int32_t i = 0; set && i < count; i++) {
		int32_t last = i;

		if (!set[i])
			continue;
		while (last + 1 < count && set[last + 1])
			last++;
		buf_printf(to, "%s%d", found > 0 ? "," : "", i);
		if (last > i)
			buf_printf(to, "-%d", last);
		found += last - i + 1;
		i = last;
	}
	return found;
}

static void print_task(const struct job_task_view *task, struct buf *to)
{
	struct str name = task->spec->name;
	AUTO(buf_done) struct buf ranges = BUF_UNBOUNDED;
	int32_t found;

	if (task->restart.whole) {
		buf_printf(to, "%stask %.*s", to->len > 0 ? "; " : "", STR_ARG(name));
		return;
	}
	found = put_ranges(task->restart.pods, task->spec->replicas, &ranges);
	if (found > 0)
		buf_printf(to, "%spod%s %.*s/%s", to->len > 0 ? "; " : "", found > 1 ? "s" : "",
			   STR_ARG(name), buf_text(&ranges));
	buf_clear(&ranges);
	found = put_ranges(task->restart.partitions, task->spec->replicas, &ranges);
	if (found > 0)
		buf_printf(to, "%spartition%s %s" OF_TASK "%.*s", to->len > 0 ? "; " : "",
			   found > 1 ? "s" : "", buf_text(&ranges), STR_ARG(name));
}

void job_target_print(const struct job_view *view, struct buf *to)
{
	for (size_t i = 0; i < view->job->spec.tasks.len; i++)
		print_task(&view->tasks[i], to);
}

/* --- reading --------------------------------------------------------------------------------- */

static void read_ranges(struct job_view *view, struct str task, struct str ranges,
			enum bus_action action)
{
	struct job_target target = {.task = job_find_task(view->job, task)};
	struct str range;

	while (target.task >= 0 && str_split(&ranges, ',', &range)) {
		ptrdiff_t dash = str_find_byte(range, '-', 0);
		struct str end = dash > 0 ? str_skip(range, (size_t)dash + 1) : range;
		int64_t first, last;

		if (dash > 0)
			range = str_slice(range, 0, (size_t)dash);
		if (number_parse_range(range, 0, INT32_MAX, &first, NULL) < 0 ||
		    number_parse_range(end, 0, INT32_MAX, &last, NULL) < 0)
			continue;
		for (; first <= last && first < replicas_of(view, target.task); first++) {
			target.index = target.partition = (int32_t)first;
			(void)job_target_add(view, action, &target);
		}
	}
}

/* The text after the singular or the plural of a word. */
static bool follows(struct str text, struct str one, struct str many, struct str *ret)
{
	struct str word = str_starts(text, many) ? many : one;

	if (!str_starts(text, word))
		return false;
	*ret = str_skip(text, word.len);
	return true;
}

static void read_part(struct job_view *view, struct str part)
{
	struct str rest;
	ptrdiff_t at;

	if (follows(part, STR("task "), STR("task "), &rest)) {
		struct job_target target = {.task = job_find_task(view->job, rest)};

		if (target.task >= 0)
			(void)job_target_add(view, BUS_RESTART_TASK, &target);
	} else if (follows(part, STR("pod "), STR("pods "), &rest)) {
		at = str_rfind_byte(rest, '/');
		if (at > 0)
			read_ranges(view, str_slice(rest, 0, (size_t)at),
				    str_skip(rest, (size_t)at + 1), BUS_RESTART_POD);
	} else if (follows(part, STR("partition "), STR("partitions "), &rest)) {
		at = str_find(rest, STR(OF_TASK), 0);
		if (at > 0)
			read_ranges(view, str_skip(rest, (size_t)at + STR(OF_TASK).len),
				    str_slice(rest, 0, (size_t)at), BUS_RESTART_PARTITION);
	}
}

void job_target_read(struct job_view *view)
{
	struct str message = view->job->status.state.message;
	struct str part;

	if (view->job->status.state.phase != VCJOB_RESTARTING ||
	    !job_target_is_part(&view->job->status))
		return;
	while (str_split(&message, ';', &part))
		read_part(view, str_trim(part));
}
