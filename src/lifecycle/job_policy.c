/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_policy.c - from observed objects to the action of a policy.
 *
 * Nothing here depends on watch events: triggers are derived from the current objects, so that they
 * are also found after a restart of the controller.
 *
 *	PodFailed       a pod of this version is Failed
 *	PodEvicted      a pod of this version is being deleted, not by the controller, or the
 *	                status counts more pods of a task than exist
 *	PodPending      a pod of this version is Pending (only for policies with a timeout)
 *	TaskCompleted   all pods of a task have Succeeded, one of this version among them
 *	TaskFailed      the containers of a task were restarted too often
 *	Unknown         the podgroup is in phase Unknown
 *
 * For each of these the task's policies come before the job's, and in a list the first match
 * counts. Of several actions the one with the oldest cause is taken; at the same time, in the order
 * of this list with TaskCompleted first: workers that die because the master has ended are no
 * failure. */
#include "base/time.h"
#include "lifecycle/job_internal.h"
#include "lifecycle/keys.h"
#include "model/value/duration.h"

#include "base/banned.h"

enum { DEFAULT_TASK_RETRY = 3 };

/* An event that a policy can match. */
struct trigger {
	enum bus_event event;
	int32_t exit_code;
	struct job_target target;
	int64_t since;             /* 0: not known */
	const struct job_pod *pod; /* the pod to write the time on if it is not known; NULL: none */
};

static bool event_matches(const struct vcjob_policy *policy, enum bus_event event)
{
	if (policy->event == event || policy->event == BUS_ANY)
		return true;
	for (size_t i = 0; i < policy->events.len; i++)
		if (policy->events.ptr[i] == event || policy->events.ptr[i] == BUS_ANY)
			return true;
	return false;
}

static bool matches(const struct vcjob_policy *policy, const struct trigger *trigger)
{
	bool pending = trigger->event == BUS_POD_PENDING;

	if (event_matches(policy, trigger->event) && (!pending || policy->timeout.set))
		return true;
	return trigger->event == BUS_POD_FAILED && policy->exit_code.set &&
	       policy->exit_code.value == trigger->exit_code;
}

/* `ret_of_task` may be NULL. */
static const struct vcjob_policy *find_policy(const struct job_view *view,
					      const struct trigger *trigger, bool *ret_of_task)
{
	const struct vcjob_spec *spec = &view->job->spec;

	if (trigger->target.task >= 0) {
		const struct vcjob_task *task = &spec->tasks.ptr[trigger->target.task];

		for (size_t i = 0; i < task->policies.len; i++)
			if (matches(&task->policies.ptr[i], trigger)) {
				if (ret_of_task)
					*ret_of_task = true;
				return &task->policies.ptr[i];
			}
	}
	for (size_t i = 0; i < spec->policies.len; i++)
		if (matches(&spec->policies.ptr[i], trigger))
			return &spec->policies.ptr[i];
	return NULL;
}

static void report_delay(struct job_view *view, enum bus_action action, int64_t timeout)
{
	char text[DURATION_TEXT_SIZE];

	plan_normal(view->plan, PLAN_JOB, &view->job->meta, "ExecuteAction",
		    "Execute action %s after %s", bus_action_names[action],
		    duration_print(timeout * DURATION_MICROSECOND, text));
	plan_steady(view->plan);
}

/* It has no effect other than its event. */
static void report_nothing(struct job_view *view, enum bus_action action)
{
	if (action >= BUS_ACTION_COUNT || action == BUS_SYNC_JOB || action == BUS_ACTION_NONE)
		return;
	plan_normal(view->plan, PLAN_JOB, &view->job->meta, "ExecuteAction",
		    "Start to execute action %s ", bus_action_names[action]);
	plan_steady(view->plan);
}

static enum job_reaction reaction_of(const struct job_view *view, enum bus_action action,
				     const struct job_target *target)
{
	enum job_reaction reaction = job_rule_find(view->job->status.state.phase, action)->reaction;

	return reaction == JOB_REACT_TARGET && !job_target_fits(action, target) ? JOB_REACT_STAY
										: reaction;
}

/* The time of the event is not known: it is written on the pod, so that a delay can end. */
static void mark(struct job_view *view, const struct job_pod *pod)
{
	struct meta meta = {.namespace = view->job->meta.namespace, .name = pod->name};
	struct json_doc *doc = json_doc_new();
	char time[TIME_TEXT_SIZE];
	struct json root;

	json_doc_set_root(doc, json_new_obj(doc));
	root = json_ensure_obj(doc, json_doc_root(doc), "metadata");
	json_set_str(doc, root, "uid", pod->uid);
	json_set_str(doc, json_ensure_obj(doc, root, "annotations"), KEY_NOTICED_AT,
		     str_from(time_print(view->world->now, time)));
	plan_patch(view->plan, PLAN_POD, &meta, PLAN_MERGE_PATCH, doc);
}

static void consider(struct job_view *view, const struct trigger *trigger,
		     struct job_decision *best)
{
	struct job_cause cause = {.event = trigger->event};
	const struct vcjob_policy *policy = find_policy(view, trigger, &cause.of_task);
	int64_t timeout = policy && policy->timeout.set ? policy->timeout.value : 0;
	int64_t since = trigger->since > 0 ? trigger->since : view->world->now;
	enum job_reaction reaction;

	if (!policy)
		return;
	cause.policy = policy;
	cause.action = policy->action;
	cause.rule = job_rule_find(view->job->status.state.phase, policy->action);
	reaction = reaction_of(view, policy->action, &trigger->target);
	if (reaction != JOB_REACT_KILL && reaction != JOB_REACT_TARGET) {
		report_nothing(view, policy->action);
		view->outcome->cause = cause;
		return;
	}
	if (timeout != 0) { /* below 0: at once, but with upstream's message */
		report_delay(view, policy->action, timeout);
		if (trigger->since <= 0 && trigger->pod)
			mark(view, trigger->pod);
		if (view->world->now < since + timeout) {
			plan_step_at(view->plan, since + timeout);
			return;
		}
	}
	if (reaction == JOB_REACT_TARGET && job_target_add(view, policy->action, &trigger->target))
		best->joined = true;
	if (best->cause.action != BUS_ACTION_NONE && best->since <= since)
		return;
	best->cause = cause;
	best->delayed = timeout != 0;
	best->since = since;
}

static struct job_target target_of(ptrdiff_t task, const struct job_pod *pod)
{
	return (struct job_target){task, pod->index, pod->partition};
}

/* The triggers of one pod. */
static void consider_pod(struct job_view *view, ptrdiff_t task, const struct job_pod *pod,
			 struct job_decision *best)
{
	struct trigger trigger = {.target = target_of(task, pod)};

	if (pod->version < view->job->status.version || pod->out_of_sync ||
	    (view->job->status.state.phase == VCJOB_RESTARTING && job_target_has(view, pod)))
		return;
	if (pod->deleting) {
		trigger.event = BUS_POD_EVICTED;
		trigger.since = pod->deleted;
	} else if (pod->phase == POD_FAILED) {
		trigger.event = BUS_POD_FAILED;
		trigger.exit_code = pod->exit_code;
		trigger.since = pod->ended > 0 ? pod->ended : pod->noticed_at;
		trigger.pod = pod;
	} else if (pod->phase == POD_PENDING && pod->evicted_at > 0) {
		trigger.event = BUS_POD_EVICTED;
		trigger.since = pod->evicted_at;
	} else if (pod->phase == POD_PENDING) {
		trigger.event = BUS_POD_PENDING;
		trigger.since = pod->created;
	} else {
		return;
	}
	consider(view, &trigger, best);
	if (trigger.event == BUS_POD_EVICTED && !pod->deleting) {
		trigger.event = BUS_POD_PENDING; /* it is also pending */
		trigger.since = pod->created;
		consider(view, &trigger, best);
	}
}

static int32_t partition_of(const struct vcjob_task *task, int32_t index)
{
	if (!task->partition_policy)
		return -1;
	return task->partition_policy->partition_size > 0
		       ? index / task->partition_policy->partition_size
		       : 0;
}

static void consider_missing(struct job_view *view, ptrdiff_t at, struct job_decision *best)
{
	const struct job_task_view *task = &view->tasks[at];
	int32_t lost = job_view_evicted(task);

	for (int32_t i = 0; i < task->spec->replicas && lost > 0; i++) {
		struct trigger trigger = {.event = BUS_POD_EVICTED,
					  .target = {at, i, partition_of(task->spec, i)}};

		if (task->slots[i])
			continue;
		lost--;
		consider(view, &trigger, best);
	}
}

static void consider_completed(struct job_view *view, ptrdiff_t at, struct job_decision *best)
{
	const struct job_task_view *task = &view->tasks[at];
	struct trigger trigger = {.event = BUS_TASK_COMPLETED, .target = {at, -1, -1}};
	bool current = false;

	if (task->spec->replicas <= 0 || task->count.succeeded < task->spec->replicas)
		return;
	for (int32_t i = 0; i < task->spec->replicas; i++) {
		const struct job_pod *pod = task->slots[i];

		if (!pod || pod->version < view->job->status.version)
			continue;
		if (!current || pod->ended > trigger.since) {
			trigger.since = pod->ended > 0 ? pod->ended : pod->noticed_at;
			trigger.pod = pod;
			trigger.target = target_of(at, pod);
		}
		current = true;
	}
	if (current)
		consider(view, &trigger, best);
}

static void consider_failed(struct job_view *view, ptrdiff_t at, struct job_decision *best)
{
	const struct job_task_view *task = &view->tasks[at];
	struct trigger trigger = {.event = BUS_TASK_FAILED, .target = {at, -1, -1}};
	int32_t limit = task->spec->max_retry == 0 ? DEFAULT_TASK_RETRY : task->spec->max_retry;
	int64_t restarts = 0;
	int32_t most = 0;

	if (limit < 0)
		return;
	for (int32_t i = 0; i < task->spec->replicas; i++) {
		const struct job_pod *pod = task->slots[i];

		if (!pod || pod->deleting || pod->out_of_sync ||
		    pod->version < view->job->status.version ||
		    (pod->phase != POD_RUNNING && pod->phase != POD_PENDING))
			continue;
		restarts += pod->restarts;
		if (pod->restarts > most) {
			most = pod->restarts;
			trigger.target = target_of(at, pod);
			trigger.pod = pod;
		}
		if (pod->noticed_at > 0 && (trigger.since <= 0 || pod->noticed_at < trigger.since))
			trigger.since = pod->noticed_at;
	}
	if (most > 0 && restarts >= limit)
		consider(view, &trigger, best);
}

static void consider_group(struct job_view *view, struct job_decision *best)
{
	struct trigger trigger = {.event = BUS_JOB_UNKNOWN, .target = {-1, -1, -1}};

	if (!view->has_group || view->group.status.phase != PODGROUP_UNKNOWN)
		return;
	for (size_t i = 0; i < view->group.status.conditions.len; i++) {
		const struct podgroup_condition *condition = &view->group.status.conditions.ptr[i];

		if (condition->last_transition_time > trigger.since)
			trigger.since = condition->last_transition_time;
	}
	consider(view, &trigger, best);
}

static bool has_policies(const struct vcjob_spec *spec)
{
	if (spec->policies.len > 0)
		return true;
	for (size_t i = 0; i < spec->tasks.len; i++)
		if (spec->tasks.ptr[i].policies.len > 0)
			return true;
	return false;
}

/* Does a policy with a timeout wait for evicted pods of the task to run again? */
static bool awaits(const struct job_view *view, ptrdiff_t task)
{
	struct trigger trigger = {.event = BUS_POD_EVICTED, .target = {task, -1, -1}};
	const struct vcjob_policy *policy = find_policy(view, &trigger, NULL);

	return policy && policy->timeout.set && policy->timeout.value > 0;
}

void job_policy_report_created(struct job_view *view)
{
	for (size_t i = 0; i < view->job->spec.tasks.len; i++) {
		const struct job_task_view *task = &view->tasks[i];
		struct trigger trigger = {
			.event = BUS_POD_PENDING,
			.target = {(ptrdiff_t)i, 0, partition_of(task->spec, 0)},
		};
		const struct vcjob_policy *policy =
			task->made ? find_policy(view, &trigger, NULL) : NULL;
		enum job_reaction reaction;

		if (!policy || policy->timeout.value == 0)
			continue;
		reaction = reaction_of(view, policy->action, &trigger.target);
		if (reaction == JOB_REACT_KILL || reaction == JOB_REACT_TARGET)
			report_delay(view, policy->action, policy->timeout.value);
	}
}

void job_policy_decide(struct job_view *view, struct job_decision *ret)
{
	size_t tasks = view->job->spec.tasks.len;

	*ret = (struct job_decision){.cause.action = BUS_ACTION_NONE};
	if (!has_policies(&view->job->spec))
		return;
	for (size_t i = 0; i < tasks; i++)
		consider_completed(view, (ptrdiff_t)i, ret);
	for (size_t i = 0; i < tasks; i++) {
		struct job_task_view *task = &view->tasks[i];

		task->awaits = awaits(view, (ptrdiff_t)i);
		for (int32_t k = 0; k < task->spec->replicas; k++)
			if (task->slots[k])
				consider_pod(view, (ptrdiff_t)i, task->slots[k], ret);
		consider_missing(view, (ptrdiff_t)i, ret);
		consider_failed(view, (ptrdiff_t)i, ret);
	}
	consider_group(view, ret);
}
