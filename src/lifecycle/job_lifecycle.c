/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_lifecycle.c - one step of a job: commands, policies, then the work of its phase.
 *
 * A step ends with the first necessary write; the next step observes its result. In this order:
 *
 *	no phase        record Pending, and create the podgroup if nothing comes before it
 *	a Command       record what it asks for, delete it
 *	Pending,        an action of a policy: record it
 *	Running         objects other than pods: claims, plugins' objects, the podgroup
 *	                what follows from the counts: record it
 *	                pods that are missing or too many
 *	other phases    what is left of the job: pods, podgroup, plugins' objects
 *	                what follows from that: record it
 *
 * decide() and finish() keep the guarantees of job_lifecycle.h: they are the only functions that change
 * version or retry count, and each is one write of the status. */
#include "lifecycle/job_lifecycle.h"

#include "base/number.h"
#include "base/time.h"
#include "lifecycle/job_internal.h"
#include "lifecycle/job_plugin.h"
#include "lifecycle/keys.h"

#include "base/banned.h"

/* A job with more pods than any store can have would only use up memory. */
enum { JOB_PODS_MAX = 1000000 };

/* --- which pods a kill ends ------------------------------------------------------------------- */

static bool is_last_try(const struct vcjob *job)
{
	return job->status.retry_count >= job->spec.max_retry;
}

/* Does the recorded decision end this pod? */
static bool is_victim(const struct job_view *view, const struct job_pod *pod)
{
	const struct vcjob_status *status = &view->job->status;

	if (status->state.phase != VCJOB_RESTARTING)
		return !job_pod_is_finished(pod);
	if (job_target_is_part(status))
		return job_target_has(view, pod);
	if (pod->version >= status->version)
		return false;
	/* Ended pods are kept if the job resumes, and after the last attempt for inspection. */
	if (str_is(status->state.reason, bus_action_names[BUS_RESTART_JOB]) &&
	    !is_last_try(view->job))
		return true;
	return !job_pod_is_finished(pod);
}

static int32_t count_victims(const struct job_view *view)
{
	int32_t count = 0;

	for (size_t i = 0; i < view->world->pod_count; i++)
		count += is_victim(view, view->world->pods[i]);
	return count;
}

static void delete_pod(struct job_view *view, const struct job_pod *pod)
{
	struct meta meta = {
		.namespace = view->job->meta.namespace,
		.name = pod->name,
		.uid = pod->uid,
	};
	struct plan_write *write = plan_delete(view->plan, PLAN_POD, &meta);

	write->fail_reason = "FailedDelete";
	write->fail_text = "Error deleting pods: ";
	write->fail_list = true;
}

static size_t batch_of(const struct job_view *view)
{
	return view->world->batch > 0 ? view->world->batch : JOB_BATCH;
}

static bool is_forwarding(struct json queue)
{
	return json_len(json_get(json_get(queue, "spec"), "extendClusters")) > 0;
}

/* --- decisions ------------------------------------------------------------------------------- */

static void discount_victims(struct job_view *view)
{
	for (size_t i = 0; i < view->world->pod_count; i++)
		if (is_victim(view, view->world->pods[i]))
			job_view_discount(view, view->world->pods[i]);
}

/* Records an action; the next steps execute it. */
static void decide(struct job_view *view, enum bus_action action)
{
	struct vcjob_status *status = &view->job->status;
	const struct job_rule *rule = job_rule_find(status->state.phase, action);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct vcjob_status next;

	view->outcome->cause.rule = rule;
	view->outcome->cause.action = action;
	/* From here on `view` is the job as it will be recorded. */
	job_status_enter(view, status, rule->next);
	if (rule->retry)
		status->retry_count = number_add_i32(status->retry_count, 1);
	if (rule->next == VCJOB_RESTARTING) {
		status->state.reason = str_from(bus_action_names[action]);
		if (rule->reaction == JOB_REACT_TARGET) {
			job_target_print(view, &text);
			status->state.message = arena_str(view_arena(view), buf_str(&text));
		}
	}
	if (rule->reaction == JOB_REACT_KILL) {
		status->version = number_add_i32(status->version, 1);
		status->controlled_resources = plugins_controlled(view, true);
	}
	discount_victims(view);
	next = job_status_begin(view);
	if (rule->reaction == JOB_REACT_KILL)
		job_status_clear(&next, count_victims(view));
	job_status_write(view, &next);
	view->outcome->more = true;
}

static void report_action(struct job_view *view, const char *action)
{
	plan_normal(view->plan, PLAN_JOB, &view->job->meta, "ExecuteAction",
		    "Start to execute action %s ", action);
}

/* The oldest Command: records what it asks for, then deletes it. */
static int obey(struct job_view *view, struct err *err)
{
	struct json document = view->world->commands[0];
	const char *name = arena_str(view_arena(view), json_str(json_get(document, "action"))).ptr;
	const struct job_rule *rule;
	struct command command;

	if (type_decode(&command_type, document, view_arena(view), &command, err) < 0)
		return err_wrap(err, "command");
	rule = job_rule_find(view->job->status.state.phase, command.action);
	view->outcome->cause = (struct job_cause){.rule = rule, .action = command.action};
	if (rule->reaction == JOB_REACT_KILL)
		decide(view, command.action);
	plan_next_stage(view->plan);
	plan_delete(view->plan, PLAN_COMMAND, &command.meta);
	plan_next_stage(view->plan);
	plan_normal(view->plan, PLAN_JOB, &view->job->meta, "CommandIssued",
		    "Start to execute command %s, and clean it up to make sure executed not more "
		    "than once.",
		    name ? name : "");
	if (rule->reaction == JOB_REACT_TARGET)
		plan_warning(
			view->plan, PLAN_JOB, &view->job->meta, "ExecuteAction",
			"Action %s was not executed: a command does not say of what part of the "
			"job",
			name ? name : "");
	else if (command.action != BUS_SYNC_JOB && command.action != BUS_ACTION_NONE)
		report_action(view, name ? name : "");
	view->outcome->more = true;
	return 0;
}

/* With its first record a job gets its podgroup, unless something must be created before it. */
static bool begin_group(struct job_view *view)
{
	const struct vcjob_spec *spec = &view->job->spec;
	const struct job_world *world = view->world;
	struct json queue = world->find(world->arg, PLAN_QUEUE, spec->queue);

	if (view->has_group || spec->volumes.len > 0 || spec->plugins.len > 0 ||
	    json_is_absent(queue) || is_forwarding(queue))
		return false;
	plan_next_stage(view->plan);
	job_group_ensure(view);
	return true;
}

/* The first record of a job. */
static void begin(struct job_view *view)
{
	struct vcjob_status status = job_status_begin(view);
	struct plan_write *write;

	job_status_enter(view, &status, VCJOB_PENDING);
	write = job_status_write(view, &status);
	write->fail_reason = "JobStatusError";
	write->fail_text = "Failed to initialize job status, err: ";
	view->outcome->more = !begin_group(view);
}

/* Writes have failed too often: terminates the job. */
static void give_up(struct job_view *view)
{
	plan_normal(view->plan, PLAN_JOB, &view->job->meta, "ExecuteAction",
		    "Job failed on action %s for retry limit reached",
		    bus_action_names[BUS_SYNC_JOB]);
	decide(view, BUS_TERMINATE_JOB);
}

/* --- status ---------------------------------------------------------------------------------- */

/* Writes a status that differs only in its counters, but not too often. */
static void write_counters(struct job_view *view, struct vcjob_status *status)
{
	int64_t due = view->world->counted_at + JOB_COUNT_INTERVAL;

	if (!job_status_differs(status, &view->job->status))
		return;
	if (view->world->counted_at > 0 && view->world->now < due)
		plan_step_at(view->plan, due);
	else
		job_status_write(view, status);
}

/* The write that ends a job clears its counts. Those of a job that a flow created are cleared by a later
 * step, as in upstream: a flow that deletes its jobs records the final counts of its last job. */
static bool are_counts_kept(const struct vcjob *job)
{
	return labels_find(&job->meta.labels, STR(KEY_BY_FLOW)) != NULL;
}

/* The job has ended; the next steps end pods that still run. */
static void finish(struct job_view *view, struct vcjob_status *status, enum vcjob_phase phase)
{
	job_status_enter(view, status, phase);
	view->job->status.state =
		status->state; /* so that the pods to kill are those of the new phase */
	status->version = number_add_i32(status->version, 1);
	status->controlled_resources = plugins_controlled(view, true);
	if (!are_counts_kept(view->job))
		job_status_clear(status, count_victims(view));
	job_status_write(view, status);
	view->outcome->more = true;
}

static bool is_over(enum vcjob_phase phase)
{
	return phase == VCJOB_COMPLETED || phase == VCJOB_FAILED;
}

/* --- phases in which the job is active ------------------------------------------------------ */

/* Looks up the queue; true if the job had to be marked first. */
static bool read_queue(struct job_view *view)
{
	const struct job_world *world = view->world;
	struct json queue = world->find(world->arg, PLAN_QUEUE, view->job->spec.queue);
	struct json_doc *doc;
	struct json annotations;

	view->queue_missing = json_is_absent(queue);
	view->forwarded = is_forwarding(queue);
	if (!view->forwarded || labels_find(&view->job->meta.annotations, STR(KEY_JOB_FORWARDING)))
		return false;
	doc = json_doc_thaw(world->job);
	annotations = json_ensure_obj(doc, json_get(json_doc_root(doc), "metadata"), "annotations");
	json_set_str(doc, annotations, KEY_JOB_FORWARDING, STR("true"));
	plan_update(view->plan, PLAN_JOB, doc);
	return true;
}

/* Claims, objects of plugins, the podgroup. False: pods must not be created yet. */
static bool prepare(struct job_view *view)
{
	enum job_volumes volumes = JOB_VOLUMES_READY;

	if (view->queue_missing)
		return false;
	if (view->job->status.state.phase == VCJOB_PENDING)
		volumes = job_volumes_ensure(view);
	if (volumes == JOB_VOLUMES_WAIT ||
	    (volumes == JOB_VOLUMES_WRITTEN && view->plan->writes.ptr[0].kind == PLAN_JOB))
		return false;
	if (!plugins_ensure(view))
		return false;
	plan_next_stage(view->plan);
	if (!view->has_group || !meta_is_deleting(&view->group.meta))
		job_group_ensure(view);
	return view->plan->writes.len == 0 && view->has_group &&
	       !meta_is_deleting(&view->group.meta) &&
	       view->group.status.phase != PODGROUP_PHASE_NONE &&
	       view->group.status.phase != PODGROUP_PENDING;
}

static bool is_ready(const struct job_view *view, struct str name)
{
	ptrdiff_t at = job_find_task(view->job, name);
	const struct job_task_view *task = at < 0 ? NULL : &view->tasks[at];
	int32_t ready = 0;

	if (!task || !task->spec->min_available.set)
		return true;
	for (int32_t i = 0; i < task->spec->replicas; i++) {
		const struct job_pod *pod = task->slots[i];

		if (pod &&
		    (pod->phase == POD_SUCCEEDED || (pod->phase == POD_RUNNING && pod->ready)))
			ready++;
	}
	return ready >= task->spec->min_available.value;
}

/* Are the dependencies of this task met? */
static bool may_start(const struct job_view *view, const struct vcjob_task *task)
{
	const struct vcjob_depends_on *needs = task->depends_on;
	size_t ready = 0;

	if (!needs || needs->name.len == 0)
		return true;
	for (size_t i = 0; i < needs->name.len; i++)
		ready += is_ready(view, needs->name.ptr[i]);
	if (needs->iteration == VCJOB_ITERATION_ANY && needs->name.len > 1)
		return ready > 0;
	return ready == needs->name.len;
}

static int create_task(struct job_view *view, size_t at, size_t *left, struct err *err)
{
	struct job_task_view *task = &view->tasks[at];

	for (int32_t i = 0; i<task->spec->replicas && * left> 0; i++) {
		struct plan_write *write;
		struct json_doc *pod;

		if (task->slots[i])
			continue;
		pod = job_build_pod(view, at, i, err);
		if (!pod)
			return -1;
		write = plan_create(view->plan, PLAN_POD, pod);
		write->fail_reason = "FailedCreate";
		write->fail_text = "Error creating pods: ";
		write->fail_list = true;
		task->made = true;
		(*left)--;
	}
	return 0;
}

/* Returns how many more could have been created. */
static size_t create_pods(struct job_view *view)
{
	size_t left = batch_of(view);
	struct err err;

	for (size_t i = 0; i < view->job->spec.tasks.len; i++) {
		if (!may_start(view, view->tasks[i].spec) || create_task(view, i, &left, &err) == 0)
			continue;
		plan_warning(view->plan, PLAN_JOB, &view->job->meta, "PluginError",
			     "Execute plugin when pod create failed, err: %s", err.text);
		plan_steady(view->plan);
		view->blocked = true;
		return 0;
	}
	return left;
}

/* A surplus pod: marked, so that its end does not count as an eviction, then deleted. */
static void delete_surplus(struct job_view *view)
{
	size_t left = batch_of(view);

	for (size_t i = 0; i < view->world->pod_count && left > 0; i++) {
		const struct job_pod *pod = view->world->pods[i];
		ptrdiff_t at = job_find_task(view->job, pod->task);
		bool placed =
			at >= 0 && pod->index >= 0 && pod->index < view->tasks[at].spec->replicas;
		struct meta meta = {.namespace = view->job->meta.namespace, .name = pod->name};
		struct json_doc *mark;
		struct json annotations;

		if (pod->deleting || (placed && !pod->out_of_sync))
			continue;
		left--;
		if (pod->out_of_sync) {
			delete_pod(view, pod);
			continue;
		}
		mark = json_doc_new();
		json_doc_set_root(mark, json_new_obj(mark));
		annotations = json_ensure_obj(
			mark, json_ensure_obj(mark, json_doc_root(mark), "metadata"),
			"annotations");
		json_set_str(mark, json_get(json_doc_root(mark), "metadata"), "uid", pod->uid);
		json_set_str(mark, annotations, KEY_OUT_OF_SYNC, STR("true"));
		plan_patch(view->plan, PLAN_POD, &meta, PLAN_MERGE_PATCH, mark);
	}
}

/* The next phase by the counts. */
static enum vcjob_phase phase_after(const struct job_view *view, enum vcjob_phase phase)
{
	struct job_count *tasks = arena_calloc(view_arena(view), view->job->spec.tasks.len + 1,
					       sizeof(struct job_count));
	struct job_facts facts = {.job = view->job, .all = &view->all, .tasks = tasks};

	for (size_t i = 0; i < view->job->spec.tasks.len; i++)
		tasks[i] = view->tasks[i].count;
	return job_evaluate(phase, &facts);
}

/* Records the current counts. */
static void record(struct job_view *view, enum vcjob_phase next, bool settled)
{
	struct vcjob_status status = job_status_begin(view);
	bool entered = next != view->job->status.state.phase;

	if (settled)
		status.controlled_resources = plugins_controlled(view, false);
	if (entered)
		job_status_enter(view, &status, next);
	status.state.reason = view->queue_missing ? STR("QueueNotFound") : str_none();
	status.state.message =
		view->queue_missing
			? str_from(arena_printf(view_arena(view),
						"queue %.*s is not found: no pods are created",
						STR_ARG(view->job->spec.queue)))
			: str_none();
	if (entered) {
		job_status_write(view, &status);
		view->outcome->more = next == VCJOB_PENDING || phase_after(view, next) != next;
	} else {
		write_counters(view, &status);
	}
}

/* When all pods were created, the next step counts them. */
static void rest_until_counted(struct job_view *view)
{
	if (view->world->counted_at <= 0)
		return;
	plan_step_at(view->plan, view->world->counted_at + JOB_COUNT_INTERVAL);
	view->outcome->more = false;
}

/* Creates pods and what they need. False: there was nothing to do. */
static bool sync_pods(struct job_view *view, bool *ret_settled)
{
	size_t left = 0;
	size_t created = 0;
	bool ready;

	view->outcome->more = true;
	if (read_queue(view))
		return true;
	ready = prepare(view);
	job_group_report(view);
	if (ready && view->plan->writes.len == 0) {
		left = create_pods(view);
		created = view->plan->writes.len;
		delete_surplus(view);
		plan_next_stage(view->plan);
		job_policy_report_created(view);
	}
	*ret_settled = ready && !view->blocked;
	if (created > 0 && left > 0 && view->plan->writes.len == created)
		rest_until_counted(view);
	return view->plan->writes.len > 0 || view->outcome->wants_ssh_key;
}

static void live(struct job_view *view)
{
	struct job_decision decision;
	enum vcjob_phase next = phase_after(view, view->job->status.state.phase);
	bool settled = false;

	job_policy_decide(view, &decision);
	if (decision.cause.action != BUS_ACTION_NONE) {
		view->outcome->cause = decision.cause;
		decide(view, decision.cause.action);
		plan_next_stage(view->plan);
		if (!decision.delayed)
			report_action(view, bus_action_names[decision.cause.action]);
	} else if (is_over(next)) {
		struct vcjob_status status = job_status_begin(view);

		finish(view, &status, next);
	} else if (!sync_pods(view, &settled)) {
		view->outcome->more = false;
		record(view, next, settled);
	}
}

/* --- phases in which it is ending ------------------------------------------------------------- */

static int32_t delete_victims(struct job_view *view)
{
	size_t left = batch_of(view);
	int32_t victims = 0;

	for (size_t i = 0; i < view->world->pod_count; i++) {
		const struct job_pod *pod = view->world->pods[i];

		if (!is_victim(view, pod))
			continue;
		victims++;
		if (pod->deleting || left == 0)
			continue;
		delete_pod(view, pod);
		left--;
	}
	return victims;
}

/* Parts of the job are restarting and policies add more parts: they are recorded together and count as
 * one retry. */
static bool join(struct job_view *view)
{
	struct vcjob_status *status = &view->job->status;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct job_decision decision;
	struct vcjob_status next;

	if (is_last_try(view->job))
		return false;
	job_policy_decide(view, &decision);
	if (!decision.joined)
		return false;
	view->outcome->cause = decision.cause;
	job_target_print(view, &text);
	status->state.message = arena_str(view_arena(view), buf_str(&text));
	discount_victims(view);
	next = job_status_begin(view);
	job_status_write(view, &next);
	view->outcome->more = true;
	return true;
}

static void killed(struct job_view *view)
{
	const struct vcjob_status *recorded = &view->job->status;
	enum vcjob_phase phase = recorded->state.phase;
	bool part = phase == VCJOB_RESTARTING && job_target_is_part(recorded);
	struct job_facts facts = {.job = view->job, .all = &view->all};
	struct vcjob_status status;
	enum vcjob_phase next;
	int32_t victims;

	if (part && join(view))
		return;
	victims = delete_victims(view);
	facts.killed = victims == 0 && (part || phase != VCJOB_RESTARTING || !view->has_group);
	if (!part) {
		plugins_clean(view);
		if (view->has_group && !meta_is_deleting(&view->group.meta))
			plan_delete(view->plan, PLAN_PODGROUP, &view->group.meta);
	}
	if (view->plan->writes.len > 0) {
		view->outcome->more = true;
		return;
	}
	status = job_status_begin(view);
	next = job_evaluate(phase, &facts);
	if (phase == VCJOB_RESTARTING && is_over(next)) {
		finish(view, &status, next);
		return;
	}
	if (next != VCJOB_PENDING && !part)
		job_status_clear(&status, victims);
	if (next == phase) {
		write_counters(view, &status);
		return;
	}
	job_status_enter(view, &status, next);
	job_status_write(view, &status);
	view->outcome->more = true;
}

/* --- the step -------------------------------------------------------------------------------- */

static int check(const struct vcjob *job, struct err *err)
{
	for (size_t i = 0; i < job->spec.tasks.len; i++)
		if (job->spec.tasks.ptr[i].replicas < 0)
			return err_set(err, ERR_INVALID, "spec.tasks[%zu].replicas: %d is below 0",
				       i, job->spec.tasks.ptr[i].replicas);
	if (job_replicas(&job->spec) > JOB_PODS_MAX)
		return err_set(err, ERR_TOO_LARGE, "spec.tasks: more than %d pods", JOB_PODS_MAX);
	return 0;
}

int job_step(const struct job_world *world, struct plan *plan, struct job_outcome *ret,
	     struct err *err)
{
	struct vcjob job;
	struct job_view view = {.world = world, .plan = plan, .job = &job, .outcome = ret};

	*ret = (struct job_outcome){0};
	if (type_decode(&vcjob_type, world->job, plan->arena, &job, err) < 0 ||
	    check(&job, err) < 0 || job_group_read(&view, err) < 0)
		return -1;
	plan_about(plan, PLAN_JOB, &job.meta);
	ret->phase = job.status.state.phase;
	if (meta_is_deleting(&job.meta))
		return 0;
	job_view_pods(&view);
	job_target_read(&view);
	if (!job_is_started(world->job))
		begin(&view);
	else if (world->command_count > 0)
		return obey(&view, err);
	else if (world->give_up &&
		 job_rule_find(job.status.state.phase, BUS_TERMINATE_JOB)->reaction ==
			 JOB_REACT_KILL)
		give_up(&view);
	else if (job_phase_is_live(job.status.state.phase))
		live(&view);
	else
		killed(&view);
	return 0;
}

/* --- jobs that are not started --------------------------------------------------------------- */

#define REJECTED "InvalidJob"

bool job_is_started(struct json job)
{
	struct json state = json_get(json_get(job, "status"), "state");

	return json_str(json_get(state, "phase")).len > 0 &&
	       !str_is(json_str(json_get(state, "reason")), REJECTED);
}

int job_reject(const struct job_world *world, struct str why, struct plan *plan,
	       struct job_outcome *ret, struct err *err)
{
	struct vcjob job;
	struct job_view view = {.world = world, .plan = plan, .job = &job, .outcome = ret};
	struct vcjob_status status;

	*ret = (struct job_outcome){0};
	if (type_decode(&vcjob_type, world->job, plan->arena, &job, err) < 0)
		return -1;
	plan_about(plan, PLAN_JOB, &job.meta);
	ret->phase = job.status.state.phase;
	if (meta_is_deleting(&job.meta))
		return 0;
	plan_warning(plan, PLAN_JOB, &job.meta, REJECTED, "The job is not started: %.*s",
		     STR_ARG(why));
	plan_steady(plan);
	if (str_is(job.status.state.reason, REJECTED) && str_eq(job.status.state.message, why))
		return 0;
	status = job.status;
	job_status_enter(&view, &status, VCJOB_PENDING);
	status.min_available = job.spec.min_available;
	status.state.reason = STR(REJECTED);
	status.state.message = why;
	job_status_write(&view, &status);
	return 0;
}
