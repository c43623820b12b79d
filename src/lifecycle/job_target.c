/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_target.c - what a restart is about, as the status records it.
 *
 * state.reason is the action, state.message the target in words that a user reads and that this file
 * reads back: "task a", "pod a/1", "partition 0 of task a". Names of tasks are DNS labels, so that
 * the words are not ambiguous. */
#include "base/number.h"
#include "lifecycle/job_internal.h"

#include "base/banned.h"

bool job_target_print(const struct job_look *look, enum bus_action action,
		      const struct job_target *target, struct buf *to)
{
	struct str name;

	if (target->task < 0)
		return false;
	name = look->job->spec.tasks.ptr[target->task].name;
	if (action == BUS_RESTART_TASK)
		buf_printf(to, "task %.*s", STR_ARG(name));
	else if (action == BUS_RESTART_POD && target->index >= 0)
		buf_printf(to, "pod %.*s/%d", STR_ARG(name), target->index);
	else if (action == BUS_RESTART_PARTITION && target->partition >= 0)
		buf_printf(to, "partition %d of task %.*s", target->partition, STR_ARG(name));
	else
		return false;
	return true;
}

bool job_target_is_part(const struct vcjob_status *status)
{
	struct str reason = status->state.reason;

	return str_is(reason, bus_action_names[BUS_RESTART_TASK]) ||
	       str_is(reason, bus_action_names[BUS_RESTART_POD]) ||
	       str_is(reason, bus_action_names[BUS_RESTART_PARTITION]);
}

static bool is_number(struct str text, int32_t number)
{
	int64_t value = -1;

	return number_parse_range(text, 0, INT32_MAX, &value, NULL) == 0 && value == number;
}

static bool names(struct str message, const struct job_pod *pod)
{
	struct str task = STR("task "), one = STR("pod "), part = STR("partition ");
	struct str of = STR(" of task ");

	if (str_starts(message, task))
		return str_eq(str_skip(message, task.len), pod->task);
	if (str_starts(message, one)) {
		struct str rest = str_skip(message, one.len);
		ptrdiff_t slash = str_rfind_byte(rest, '/');

		return slash > 0 && str_eq(str_slice(rest, 0, (size_t)slash), pod->task) &&
		       is_number(str_skip(rest, (size_t)slash + 1), pod->index);
	}
	if (str_starts(message, part)) {
		struct str rest = str_skip(message, part.len);
		ptrdiff_t at = str_find(rest, of, 0);

		return at > 0 && str_eq(str_skip(rest, (size_t)at + of.len), pod->task) &&
		       is_number(str_slice(rest, 0, (size_t)at), pod->partition);
	}
	return false;
}

bool job_target_has(const struct job_look *look, const struct job_pod *pod)
{
	const struct vcjob_status *status = &look->job->status;

	return pod->retry < status->retry_count && names(status->state.message, pod);
}
