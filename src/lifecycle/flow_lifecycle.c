/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/flow_lifecycle.c - one step of a JobFlow.
 *
 * The states of the jobs are recorded before the next jobs are created; only the very first record
 * comes after them, so that a flow whose first job is rejected has no status, as in upstream. Names
 * of jobs derive from the flow, so that repeated attempts create one job. A job of such a name that
 * belongs to another owner blocks the flow: it is listed as unknown, and never deleted. */
#include "lifecycle/flow_lifecycle.h"

#include "base/time.h"
#include "lifecycle/keys.h"
#include "model/core/meta.h"
#include "model/volcano/jobflow.h"
#include "model/volcano/jobtemplate.h"

#include "base/banned.h"

/* Pods that did not answer are probed again after this time. */
#define PROBE_AGAIN TIME_SECOND

struct flow_job {
	struct str name;
	struct json doc;   /* absent: it does not exist */
	struct vcjob view; /* if it exists */
	bool ours;         /* created for this flow, not by another owner */
	bool first;        /* of its name: the same template twice is one job */
	bool lost;         /* it was created before and deleted, or has no template */
};

struct view {
	const struct flow_world *world;
	struct plan *plan;
	struct jobflow flow;
	struct flow_job *jobs; /* one for each of its flows */
	struct json_doc *next; /* the flow with its new status */
};

/* --- reading --------------------------------------------------------------------------------- */

/* As upstream, by the label, so that a flow which is made again finds its jobs. */
static bool is_ours(const struct view *view, struct json job)
{
	struct json labels = json_get(json_get(job, "metadata"), "labels");
	struct str by = json_str(json_get(labels, KEY_BY_FLOW));
	struct str namespace = view->flow.meta.namespace;

	return by.len > namespace.len && str_starts(by, namespace) &&
	       by.ptr[namespace.len] == '.' &&
	       str_eq(str_skip(by, namespace.len + 1), view->flow.meta.name);
}

static int read_jobs(struct view *view, struct err *err)
{
	const struct flow_world *world = view->world;
	struct arena *arena = view->plan->arena;
	size_t count = view->flow.spec.flows.len;

	view->jobs = arena_calloc(arena, count + 1, sizeof(*view->jobs));
	for (size_t i = 0; i < count; i++) {
		struct flow_job *job = &view->jobs[i];

		job->name = str_from(arena_printf(arena, "%.*s-%.*s", STR_ARG(view->flow.meta.name),
						  STR_ARG(view->flow.spec.flows.ptr[i].name)));
		job->first = true;
		for (size_t k = 0; k < i; k++)
			job->first = job->first && !str_eq(view->jobs[k].name, job->name);
		job->doc = world->find(world->arg, PLAN_JOB, job->name);
		if (!json_is_absent(job->doc) &&
		    type_decode(&vcjob_type, job->doc, arena, &job->view, err) < 0)
			return err_wrap(err, "job %.*s", STR_ARG(job->name));
		job->ours = is_ours(view, job->doc);
	}
	return 0;
}

static const struct flow_job *find_target(const struct view *view, struct str flow)
{
	for (size_t i = 0; i < view->flow.spec.flows.len; i++)
		if (str_eq(view->flow.spec.flows.ptr[i].name, flow))
			return &view->jobs[i];
	return NULL;
}

static const struct jobflow_job *find_record(const struct view *view, struct str name)
{
	for (size_t i = 0; i < view->flow.status.job_status_list.len; i++)
		if (str_eq(view->flow.status.job_status_list.ptr[i].name, name))
			return &view->flow.status.job_status_list.ptr[i];
	return NULL;
}

/* --- dependencies ---------------------------------------------------------------------------- */

static int32_t replicas_of(const struct vcjob *job, struct str task)
{
	for (size_t i = 0; i < job->spec.tasks.len; i++)
		if (str_eq(job->spec.tasks.ptr[i].name, task))
			return job->spec.tasks.ptr[i].replicas;
	return 0;
}

static int32_t count_in_phase(const struct vcjob *job, struct str task, struct str phase)
{
	for (size_t i = 0; i < job->status.task_status_count.len; i++) {
		if (!str_eq(job->status.task_status_count.ptr[i].key, task))
			continue;
		for (size_t k = 0; k < job->status.task_status_count.ptr[i].value.phase.len; k++)
			if (str_eq(job->status.task_status_count.ptr[i].value.phase.ptr[k].key,
				   phase))
				return job->status.task_status_count.ptr[i]
					.value.phase.ptr[k]
					.value;
	}
	return 0;
}

static bool are_in_phases(struct json list, const struct vcjob *job)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		struct str task = json_str(json_get(it.value, "taskName"));
		int32_t count = count_in_phase(job, task, json_str(json_get(it.value, "phase")));

		if (count == 0 || count < replicas_of(job, task))
			return false;
	}
	return true;
}

static bool do_answer(const struct view *view, enum flow_probe probe, struct json list,
		      struct str job)
{
	const struct flow_world *world = view->world;
	struct json_iter it = json_iter(list);
	bool all = true;

	while (json_next(&it)) {
		if (!world->answers)
			return false;
		plan_step_at(view->plan, world->now + PROBE_AGAIN);
		all = world->answers(world->arg, probe, job, it.value) && all;
	}
	return all;
}

/* Are all conditions of the probe met? An empty probe counts as no probe. */
static bool is_probed(const struct view *view, struct json probe, const struct flow_job *job)
{
	struct json phases = json_get(probe, "taskStatusList");
	struct json http = json_get(probe, "httpGetList");
	struct json tcp = json_get(probe, "tcpSocketList");

	if (!json_len(phases) && !json_len(http) && !json_len(tcp))
		return false;
	return are_in_phases(phases, &job->view) &&
	       do_answer(view, FLOW_PROBE_HTTP, http, job->name) &&
	       do_answer(view, FLOW_PROBE_TCP, tcp, job->name);
}

static bool is_its_turn(const struct view *view, const struct jobflow_flow *flow)
{
	const struct jobflow_depends_on *depends = flow->depends_on;

	for (size_t i = 0; depends && i < depends->targets.len; i++) {
		const struct flow_job *target = find_target(view, depends->targets.ptr[i]);

		if (!target || json_is_absent(target->doc) ||
		    (target->view.status.state.phase != VCJOB_COMPLETED &&
		     !is_probed(view, depends->probe, target)))
			return false;
	}
	return true;
}

/* --- new jobs -------------------------------------------------------------------------------- */

static void set_mark(struct json_doc *doc, struct json meta, const char *key, struct view *view,
		     struct str name)
{
	static const char *const maps[] = {"labels", "annotations"};

	for (size_t i = 0; i < ARRAY_LEN(maps); i++)
		json_set(doc, json_ensure_obj(doc, meta, maps[i]), str_from(key),
			 json_new_printf(doc, "%.*s.%.*s", STR_ARG(view->flow.meta.namespace),
					 STR_ARG(name)));
}

static struct json_doc *make_job(struct view *view, struct str name, struct str template_name,
				 struct json template)
{
	struct json meta;
	struct json_doc *doc = plan_object_new(PLAN_JOB, name, view->flow.meta.namespace, &meta);

	set_mark(doc, meta, KEY_BY_TEMPLATE, view, template_name);
	set_mark(doc, meta, KEY_BY_FLOW, view, view->flow.meta.name);
	json_append(doc, json_ensure_arr(doc, meta, "ownerReferences"),
		    plan_owner_new(doc, PLAN_JOBFLOW, &view->flow.meta));
	if (json_is(json_get(template, "spec"), JSON_OBJ))
		json_set(doc, json_doc_root(doc), STR("spec"),
			 json_new_copy(doc, json_get(template, "spec")));
	return doc;
}

/* Marks lost jobs; creates the jobs whose dependencies are met if `create`. */
static void walk_jobs(struct view *view, bool make)
{
	const struct flow_world *world = view->world;
	size_t first = view->plan->writes.len;

	for (size_t i = 0; i < view->flow.spec.flows.len; i++) {
		const struct jobflow_flow *flow = &view->flow.spec.flows.ptr[i];
		struct flow_job *job = &view->jobs[i];
		struct json template;

		if (!job->first || !json_is_absent(job->doc))
			continue;
		job->lost = find_record(view, job->name) != NULL;
		if (job->lost || !is_its_turn(view, flow))
			continue;
		template = world->find(world->arg, PLAN_JOBTEMPLATE, flow->name);
		job->lost = json_is_absent(template);
		if (!job->lost && make)
			plan_create(view->plan, PLAN_JOB,
				    make_job(view, job->name, flow->name, template));
	}
	if (view->plan->writes.len == first)
		return;
	plan_next_stage(view->plan);
	for (size_t i = first; i < view->plan->writes.len; i++)
		plan_normal(view->plan, PLAN_JOBFLOW, &view->flow.meta, "Created",
			    "create a job named %.*s!", STR_ARG(view->plan->writes.ptr[i].name));
}

/* --- status ---------------------------------------------------------------------------------- */

static struct strs *list_of(struct jobflow_status *status, enum vcjob_phase phase)
{
	switch (phase) {
	case VCJOB_PENDING:
		return &status->pending_jobs;
	case VCJOB_RUNNING:
		return &status->running_jobs;
	case VCJOB_FAILED:
		return &status->failed_jobs;
	case VCJOB_COMPLETED:
		return &status->completed_jobs;
	case VCJOB_TERMINATED:
		return &status->terminated_jobs;
	case VCJOB_COMPLETING:
	case VCJOB_TERMINATING:
		return NULL; /* they are being created */
	default:
		return &status->unknown_jobs;
	}
}

static void fill_lists(struct view *view, struct jobflow_status *status)
{
	size_t count = view->flow.spec.flows.len + 1;
	struct strs *lists[] = {&status->pending_jobs,    &status->running_jobs,
				&status->failed_jobs,     &status->completed_jobs,
				&status->terminated_jobs, &status->unknown_jobs};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		*lists[i] = (struct strs){
			arena_calloc(view->plan->arena, count, sizeof(struct str)), 0};
	for (size_t i = 0; i + 1 < count; i++) {
		const struct flow_job *job = &view->jobs[i];
		struct strs *list = &status->unknown_jobs;

		if (!job->first || (json_is_absent(job->doc) && !job->lost))
			continue;
		if (job->ours)
			list = list_of(status, job->view.status.state.phase);
		if (list)
			list->ptr[list->len++] = job->name;
	}
}

static void fill_histories(struct view *view, const struct jobflow_job *old, enum vcjob_phase phase,
			   struct jobflow_job *to)
{
	size_t len = old ? old->running_histories.len : 0;

	to->running_histories.ptr =
		arena_calloc(view->plan->arena, len + 1, sizeof(*to->running_histories.ptr));
	for (size_t i = 0; i < len; i++)
		to->running_histories.ptr[i] = old->running_histories.ptr[i];
	to->running_histories.len = len;
	if (phase == VCJOB_PHASE_NONE ||
	    (len && old->running_histories.ptr[len - 1].state == phase))
		return;
	if (len)
		to->running_histories.ptr[len - 1].end = view->world->now;
	to->running_histories.ptr[len].start = view->world->now;
	to->running_histories.ptr[len].state = phase;
	to->running_histories.len++;
}

static void fill_job(struct view *view, const struct flow_job *job, struct jobflow_job *to)
{
	const struct vcjob_status *status = &job->view.status;

	*to = (struct jobflow_job){
		.name = job->name,
		.state = status->state.phase,
		.start = job->view.meta.creation_timestamp,
		.restart_count = status->retry_count,
	};
	if (status->running_duration.set)
		to->end = to->start + status->running_duration.value;
	fill_histories(view, find_record(view, job->name), status->state.phase, to);
}

/* The record of a job stays after the job was deleted. */
static void fill_records(struct view *view, struct jobflow_status *status)
{
	size_t count = view->flow.spec.flows.len;
	size_t old = view->flow.status.job_status_list.len;
	struct jobflow_job *list = arena_calloc(view->plan->arena, count + old + 1, sizeof(*list));
	size_t len = old;

	for (size_t i = 0; i < old; i++)
		list[i] = view->flow.status.job_status_list.ptr[i];
	for (size_t i = 0; i < count; i++) {
		const struct flow_job *job = &view->jobs[i];
		size_t at = 0;

		if (!job->first || !job->ours)
			continue;
		while (at < len && !str_eq(list[at].name, job->name))
			at++;
		fill_job(view, job, &list[at]);
		len += at == len;
	}
	status->job_status_list.ptr = list;
	status->job_status_list.len = len;
}

static void fill_conditions(struct view *view, struct jobflow_status *status)
{
	size_t count = view->flow.spec.flows.len;
	size_t len = 0;

	status->conditions.ptr =
		arena_calloc(view->plan->arena, count + 1, sizeof(*status->conditions.ptr));
	for (size_t i = 0; i < count; i++) {
		const struct flow_job *job = &view->jobs[i];
		struct jobflow_condition *condition = &status->conditions.ptr[len].value;

		if (!job->first || !job->ours)
			continue;
		status->conditions.ptr[len++].key = job->name;
		condition->phase = job->view.status.state.phase;
		condition->create_time = job->view.meta.creation_timestamp;
		condition->running_duration = job->view.status.running_duration;
		condition->task_status_count.ptr =
			(__typeof__(condition->task_status_count.ptr))(void *)
				job->view.status.task_status_count.ptr;
		condition->task_status_count.len = job->view.status.task_status_count.len;
	}
	status->conditions.len = len;
}

static enum jobflow_phase next_phase(const struct view *view, const struct jobflow_status *status)
{
	enum jobflow_phase phase = view->flow.status.state.phase;
	size_t flows = view->flow.spec.flows.len;
	bool failed = status->failed_jobs.len > 0;

	if (phase == JOBFLOW_PHASE_NONE || phase == JOBFLOW_PENDING) {
		if (!flows)
			return JOBFLOW_SUCCEED;
		if ((status->running_jobs.len || status->completed_jobs.len) && !failed)
			return JOBFLOW_RUNNING;
		return failed || status->terminated_jobs.len ? JOBFLOW_FAILED : JOBFLOW_PENDING;
	}
	if (phase == JOBFLOW_RUNNING && status->completed_jobs.len == flows)
		return JOBFLOW_SUCCEED;
	if (phase == JOBFLOW_RUNNING && failed)
		return JOBFLOW_FAILED;
	return phase;
}

static void record(struct view *view)
{
	struct jobflow next = view->flow;
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(view->world->flow);

	fill_lists(view, &next.status);
	fill_records(view, &next.status);
	fill_conditions(view, &next.status);
	next.status.state.phase = next_phase(view, &next.status);
	type_encode(&jobflow_type, &next, doc, json_doc_root(doc));
	if (!json_eq(json_get(json_doc_root(doc), "status"), json_get(view->world->flow, "status")))
		plan_update_status(view->plan, PLAN_JOBFLOW, TAKE(doc));
}

/* --- steps ----------------------------------------------------------------------------------- */

static void delete_jobs(struct view *view)
{
	for (size_t i = 0; i < view->flow.spec.flows.len; i++) {
		const struct flow_job *job = &view->jobs[i];

		if (job->first && job->ours && !meta_is_deleting(&job->view.meta))
			plan_delete(view->plan, PLAN_JOB, &job->view.meta);
	}
}

int flow_step(const struct flow_world *world, struct plan *plan, struct err *err)
{
	struct view view = {.world = world, .plan = plan};
	enum jobflow_phase phase;

	if (type_decode(&jobflow_type, world->flow, plan->arena, &view.flow, err) < 0)
		return err_wrap(err, "jobflow");
	phase = view.flow.status.state.phase;
	if (meta_is_deleting(&view.flow.meta) || phase == JOBFLOW_FAILED ||
	    phase == JOBFLOW_TERMINATING)
		return 0;
	if (read_jobs(&view, err) < 0)
		return -1;
	if (phase == JOBFLOW_SUCCEED && view.flow.spec.job_retain_policy == JOBFLOW_DELETE) {
		delete_jobs(&view);
		return 0;
	}
	if (phase == JOBFLOW_PHASE_NONE) {
		walk_jobs(&view, true);
		record(&view);
		return 0;
	}
	walk_jobs(&view, false);
	record(&view);
	plan_next_stage(plan);
	walk_jobs(&view, true);
	return 0;
}

/* --- templates ------------------------------------------------------------------------------- */

int template_step(struct json template, const struct json *jobs, size_t job_count,
		  struct plan *plan, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json list;
	struct meta meta;

	if (type_decode(&meta_type, json_get(template, "metadata"), plan->arena, &meta, err) < 0)
		return err_wrap(err, "jobtemplate");
	if (!job_count || meta_is_deleting(&meta))
		return 0;
	doc = json_doc_thaw(template);
	list = json_new_arr(doc);
	for (size_t i = 0; i < job_count; i++)
		json_append(doc, list, json_new_str(doc, meta_name(jobs[i])));
	json_set(doc, json_ensure_obj(doc, json_doc_root(doc), "status"), STR("jobDependsOnList"),
		 list);
	if (!json_eq(json_get(json_doc_root(doc), "status"), json_get(template, "status")))
		plan_update_status(plan, PLAN_JOBTEMPLATE, TAKE(doc));
	return 0;
}
