/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/cronjob_lifecycle.c - one step of a CronJob: clean up, record, then create what is due.
 *
 * Stages of a plan: the status; jobs to delete (history, replaced ones); the new job. The next step
 * completes what a crash interrupts: it records a job that is not recorded and deletes a job that
 * should have been deleted. */
#include "lifecycle/cronjob_lifecycle.h"

#include <stdlib.h>

#include "base/time.h"
#include "base/vec.h"
#include "lifecycle/keys.h"
#include "model/value/cron.h"
#include "model/value/zone.h"
#include "model/volcano/vccronjob.h"

#include "base/banned.h"

enum { MISSED_MANY = 100 };
#define CHECK_LATE (100 * TIME_MILLISECOND)
/* A job that was created a moment ago may not have been observed yet. */
#define SEEN_WITHIN (10 * TIME_SECOND)

struct run {
	struct json doc;
	struct vcjob job;
};

struct view {
	const struct cronjob_world *world;
	struct plan *plan;
	struct vccronjob cron;
	struct run *runs;                    /* by time of creation, then by name */
	VEC(struct object_reference) active; /* as it will be */
	VEC(const struct meta *) delete;     /* jobs to delete */
};

static void view_done(struct view *view)
{
	vec_done(&view->active);
	vec_done(&view->delete);
}
DEFINE_AUTO_IN_PLACE(struct view, view_done);

static bool is_finished(const struct vcjob *job)
{
	enum vcjob_phase phase = job->status.state.phase;

	return phase == VCJOB_COMPLETED || phase == VCJOB_FAILED || phase == VCJOB_TERMINATED;
}

static int by_age(const void *a, const void *b)
{
	const struct run *l = a, *r = b;
	int64_t left = l->job.meta.creation_timestamp;
	int64_t right = r->job.meta.creation_timestamp;

	if (left != right)
		return left < right ? -1 : 1;
	return str_cmp(l->job.meta.name, r->job.meta.name);
}

static int read_runs(struct view *view, struct err *err)
{
	const struct cronjob_world *world = view->world;
	struct arena *arena = view->plan->arena;

	view->runs = arena_calloc(arena, world->job_count + 1, sizeof(*view->runs));
	for (size_t i = 0; i < world->job_count; i++) {
		view->runs[i].doc = world->jobs[i];
		if (type_decode(&vcjob_type, world->jobs[i], arena, &view->runs[i].job, err) < 0)
			return err_wrap(err, "job");
	}
	qsort(view->runs, world->job_count, sizeof(*view->runs), by_age);
	for (size_t i = 0; i < view->cron.status.active.len; i++)
		vec_push(&view->active, view->cron.status.active.ptr[i]);
	return 0;
}

/* --- recording jobs ------------------------------------------------------------------------- */

static ptrdiff_t find_active(const struct view *view, struct str uid)
{
	for (size_t i = 0; i < view->active.len; i++)
		if (str_eq(view->active.ptr[i].uid, uid))
			return (ptrdiff_t)i;
	return -1;
}

static void note_finished(struct view *view, const struct vcjob *job)
{
	ptrdiff_t at = find_active(view, job->meta.uid);
	int64_t *last = &view->cron.status.last_successful_time;

	if (at >= 0) {
		vec_remove(&view->active, (size_t)at);
		plan_normal(view->plan, PLAN_VCCRONJOB, &view->cron.meta, "SawCompletedJob",
			    "Saw completed job: %.*s in active, remove", STR_ARG(job->meta.name));
		plan_steady(view->plan);
	}
	if (job->status.state.phase == VCJOB_COMPLETED &&
	    job->status.state.last_transition_time > *last)
		*last = job->status.state.last_transition_time;
}

/* When it was due, by its annotation; 0: it has none. */
static int64_t due_time(const struct run *run)
{
	struct json text =
		json_get(json_get(json_get(run->doc, "metadata"), "annotations"), KEY_SCHEDULED);
	int64_t time;

	return time_parse(json_str(text), &time, NULL) == 0 ? time : 0;
}

/* A job of this CronJob that is not recorded yet. */
static void note_new(struct view *view, const struct run *run)
{
	int64_t due = due_time(run);

	if (due > view->cron.status.last_schedule_time)
		view->cron.status.last_schedule_time = due;
	if (is_finished(&run->job) || meta_is_deleting(&run->job.meta) ||
	    find_active(view, run->job.meta.uid) >= 0)
		return;
	vec_push(&view->active, (struct object_reference){
					.kind = str_from(plan_kinds[PLAN_JOB].kind),
					.namespace = run->job.meta.namespace,
					.name = run->job.meta.name,
					.uid = run->job.meta.uid,
					.api_version = str_from(plan_kinds[PLAN_JOB].api_version),
					.resource_version = run->job.meta.resource_version,
				});
}

static bool has_run(const struct view *view, struct str uid)
{
	for (size_t i = 0; i < view->world->job_count; i++)
		if (str_eq(view->runs[i].job.meta.uid, uid))
			return true;
	return false;
}

/* Jobs that are recorded as running but do not exist. */
static void drop_stale(struct view *view)
{
	int64_t seen = view->cron.status.last_schedule_time + SEEN_WITHIN;

	for (size_t i = 0; i < view->active.len;) {
		struct object_reference ref = view->active.ptr[i];

		if (has_run(view, ref.uid)) {
			i++;
			continue;
		}
		if (view->world->now < seen) {
			plan_step_at(view->plan, seen);
			i++;
			continue;
		}
		vec_remove(&view->active, i);
		plan_warning(view->plan, PLAN_VCCRONJOB, &view->cron.meta, "StaleReference",
			     "Active job \"%.*s\" no longer exists (UID: %.*s)", STR_ARG(ref.name),
			     STR_ARG(ref.uid));
		plan_steady(view->plan);
	}
}

/* Deletes the oldest jobs that ended in a phase, beyond the number to keep. */
static void trim(struct view *view, enum vcjob_phase phase, const struct opt_int32 *limit)
{
	size_t count = 0;

	for (size_t i = 0; i < view->world->job_count; i++)
		count += view->runs[i].job.status.state.phase == phase;
	for (size_t i = 0; limit->set && i < view->world->job_count; i++) {
		const struct vcjob *job = &view->runs[i].job;

		if (job->status.state.phase != phase)
			continue;
		if ((int64_t)count <= limit->value)
			break;
		count--;
		if (!meta_is_deleting(&job->meta))
			vec_push(&view->delete, &job->meta);
	}
}

static void tidy_up(struct view *view)
{
	for (size_t i = 0; i < view->world->job_count; i++) {
		if (is_finished(&view->runs[i].job))
			note_finished(view, &view->runs[i].job);
		note_new(view, &view->runs[i]);
	}
	drop_stale(view);
	trim(view, VCJOB_COMPLETED, &view->cron.spec.successful_jobs_history_limit);
	trim(view, VCJOB_FAILED, &view->cron.spec.failed_jobs_history_limit);
}

/* --- due runs ------------------------------------------------------------------------------- */

struct str cronjob_zone(struct json cron)
{
	struct json spec = json_get(cron, "spec");
	struct cron schedule;

	if (cron_parse(json_str(json_get(spec, "schedule")), &schedule, NULL) == 0 &&
	    schedule.zone.len)
		return schedule.zone;
	return json_str(json_get(spec, "timeZone"));
}

/* The latest due time since the last run, or 0; *ret_many if too many were missed. */
static int64_t latest_time(const struct view *view, const struct cron *schedule, bool *ret_many)
{
	const struct opt_int64 *deadline = &view->cron.spec.starting_deadline_seconds;
	const struct zone *zone = view->world->zone;
	int64_t now = view->world->now;
	int64_t start = view->cron.status.last_schedule_time;
	int64_t first;
	int64_t second;
	int64_t interval;
	int64_t missed;
	int64_t latest = 0;

	if (!start)
		start = view->cron.meta.creation_timestamp;
	if (deadline->set && time_after(now, -time_span(deadline->value)) > start)
		start = time_after(now, -time_span(deadline->value));
	if (view->world->changed > start)
		start = view->world->changed;
	first = cron_next(schedule, zone, start);
	if (!first || now < first)
		return 0;
	second = cron_next(schedule, zone, first);
	if (!second || now < second)
		return first;
	interval = second - first;
	missed = (now - first) / interval + 1;
	*ret_many = missed > MISSED_MANY;
	for (int64_t time = cron_next(schedule, zone, first + (missed - 2) * interval);
	     time && time <= now; time = cron_next(schedule, zone, time))
		latest = time;
	return latest;
}

static bool is_active(const struct view *view, struct str name)
{
	for (size_t i = 0; i < view->active.len; i++)
		if (str_eq(view->active.ptr[i].name, name))
			return true;
	return false;
}

/* May a new job be created while others run? Replace deletes those. */
static bool make_room(struct view *view)
{
	struct plan *plan = view->plan;

	if (!view->active.len || view->cron.spec.concurrency_policy == CRON_ALLOW ||
	    view->cron.spec.concurrency_policy == CRON_NONE)
		return true;
	if (view->cron.spec.concurrency_policy == CRON_FORBID) {
		plan_warning(plan, PLAN_VCCRONJOB, &view->cron.meta, "ForbidConcurrent",
			     "Skipping job creation because another job is already running");
		plan_steady(plan);
		return false;
	}
	plan_warning(plan, PLAN_VCCRONJOB, &view->cron.meta, "ReplaceConcurrent",
		     "Replacing active job for CronJob");
	for (size_t i = 0; i < view->world->job_count; i++) {
		const struct meta *meta = &view->runs[i].job.meta;

		if (find_active(view, meta->uid) >= 0 && !meta_is_deleting(meta))
			vec_push(&view->delete, meta);
	}
	vec_clear(&view->active);
	return true;
}

/* Does a job of this name exist, so that none must be created? */
static bool is_made(struct view *view, struct str name)
{
	const struct cronjob_world *world = view->world;
	struct json job = world->find_job(world->arg, name);
	struct json_iter it = json_iter(json_get(json_get(job, "metadata"), "ownerReferences"));
	struct str owner = STR("none");

	if (json_is_absent(job))
		return false;
	while (json_next(&it)) {
		if (!json_bool(json_get(it.value, "controller")))
			continue;
		if (str_eq(json_str(json_get(it.value, "uid")), view->cron.meta.uid))
			return true;
		owner = json_str(json_get(it.value, "name"));
	}
	plan_warning(view->plan, PLAN_VCCRONJOB, &view->cron.meta, "ForeignJob",
		     "Job %.*s exists but is not owned by this CronJob (current owner: %.*s)",
		     STR_ARG(name), STR_ARG(owner));
	plan_steady(view->plan);
	return true;
}

static struct json_doc *make_job(const struct view *view, struct str name, int64_t due)
{
	const struct vccronjob_template *template = &view->cron.spec.job_template;
	char text[ZONE_TEXT_SIZE];
	struct json meta;
	struct json_doc *doc = plan_object_new(PLAN_JOB, name, view->cron.meta.namespace, &meta);

	for (size_t i = 0; i < template->meta.labels.len; i++)
		json_set(doc, json_ensure_obj(doc, meta, "labels"),
			 template->meta.labels.ptr[i].key,
			 json_new_str(doc, template->meta.labels.ptr[i].value));
	for (size_t i = 0; i < template->meta.annotations.len; i++)
		json_set(doc, json_ensure_obj(doc, meta, "annotations"),
			 template->meta.annotations.ptr[i].key,
			 json_new_str(doc, template->meta.annotations.ptr[i].value));
	json_set_str(doc, json_ensure_obj(doc, meta, "annotations"), KEY_SCHEDULED,
		     str_from(zone_print(view->world->zone, due, text)));
	json_append(doc, json_ensure_arr(doc, meta, "ownerReferences"),
		    plan_owner_new(doc, PLAN_VCCRONJOB, &view->cron.meta));
	if (json_is(template->spec, JSON_OBJ))
		json_set(doc, json_doc_root(doc), STR("spec"), json_new_copy(doc, template->spec));
	return doc;
}

/* The schedule, if it is valid. */
static bool read_schedule(struct view *view, struct cron *ret)
{
	struct plan *plan = view->plan;
	const struct meta *meta = &view->cron.meta;
	struct str schedule = view->cron.spec.schedule;
	struct str zone = cronjob_zone(view->world->cron);

	if (view->world->zone_missing) {
		plan_warning(plan, PLAN_VCCRONJOB, meta, "InvalidTimeZone",
			     "Invalid time zone \"%.*s\": unknown time zone %.*s", STR_ARG(zone),
			     STR_ARG(zone));
		plan_steady(plan);
		return false;
	}
	if (cron_parse(schedule, ret, NULL) < 0) {
		plan_warning(plan, PLAN_VCCRONJOB, meta, "UnParseableCronJobSchedule",
			     "unparseable schedule for cronjob: %.*s", STR_ARG(schedule));
		plan_steady(plan);
		return false;
	}
	if (ret->zone.len) {
		plan_warning(plan, PLAN_VCCRONJOB, meta, "UnsupportedSchedule",
			     "CRON_TZ or TZ in the schedule \"%.*s\" is not officially supported. "
			     "If set, the TimeZone field will be ignored during execution.",
			     STR_ARG(schedule));
		plan_steady(plan);
	}
	return true;
}

/* The time of the run to create, or 0. */
static int64_t find_due(struct view *view, struct str *ret_name)
{
	const struct vccronjob *cron = &view->cron;
	struct cron schedule;
	bool many = false;
	int64_t due;
	int64_t next;

	if ((cron->spec.suspend.set && cron->spec.suspend.value) || !read_schedule(view, &schedule))
		return 0;
	due = latest_time(view, &schedule, &many);
	next = cron_next(&schedule, view->world->zone, view->world->now);
	if (next)
		plan_step_at(view->plan, next + CHECK_LATE);
	if (!due || due == cron->status.last_schedule_time)
		return 0;
	*ret_name = str_from(arena_printf(view->plan->arena, "%.*s-%lld", STR_ARG(cron->meta.name),
					  (long long)(due / TIME_MINUTE)));
	if (is_active(view, *ret_name) || is_made(view, *ret_name) || !make_room(view))
		return 0;
	if (many) {
		plan_warning(view->plan, PLAN_VCCRONJOB, &cron->meta, "TooManyMissedTimes",
			     "too many missed start times. Set or decrease "
			     ".spec.startingDeadlineSeconds or check clock skew");
		plan_steady(view->plan);
	}
	return due;
}

/* --- steps ----------------------------------------------------------------------------------- */

static void write_status(struct view *view)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(view->world->cron);

	view->cron.status.active.ptr = view->active.ptr;
	view->cron.status.active.len = view->active.len;
	type_encode(&vccronjob_type, &view->cron, doc, json_doc_root(doc));
	if (!json_eq(json_get(json_doc_root(doc), "status"), json_get(view->world->cron, "status")))
		plan_update_status(view->plan, PLAN_VCCRONJOB, TAKE(doc));
}

static void write_deletes(struct view *view)
{
	struct plan *plan = view->plan;

	if (!view->delete.len)
		return;
	plan_next_stage(plan);
	for (size_t i = 0; i < view->delete.len; i++) {
		struct plan_write *write = plan_delete(plan, PLAN_JOB, view->delete.ptr[i]);

		write->fail_reason = "FailedDelete";
		write->fail_text = arena_printf(plan->arena, "Error deleting job \"%.*s\": ",
						STR_ARG(view->delete.ptr[i]->name));
	}
	plan_next_stage(plan);
	for (size_t i = 0; i < view->delete.len; i++)
		plan_normal(plan, PLAN_VCCRONJOB, &view->cron.meta, "SuccessfulDelete",
			    "Deleted job \"%.*s\"", STR_ARG(view->delete.ptr[i]->name));
}

static void write_job(struct view *view, struct str name, int64_t due)
{
	struct plan *plan = view->plan;
	struct plan_write *write;

	plan_next_stage(plan);
	write = plan_create(plan, PLAN_JOB, make_job(view, name, due));
	write->fail_reason = "FailedCreate";
	write->fail_text = "Failed to create job: ";
	write->ending_text =
		arena_printf(plan->arena, "Namespace %.*s is terminating, skipping job creation",
			     STR_ARG(view->cron.meta.namespace));
	plan_next_stage(plan);
	plan_normal(plan, PLAN_VCCRONJOB, &view->cron.meta, "SuccessfulCreate",
		    "Created job %.*s for CronJob %.*s/%.*s", STR_ARG(name),
		    STR_ARG(view->cron.meta.namespace), STR_ARG(view->cron.meta.name));
	plan_steady(plan);
}

int cronjob_step(const struct cronjob_world *world, struct plan *plan, struct err *err)
{
	AUTO(view_done) struct view view = {.world = world, .plan = plan};
	struct str name = str_none();
	int64_t due;

	if (type_decode(&vccronjob_type, world->cron, plan->arena, &view.cron, err) < 0)
		return err_wrap(err, "cronjob");
	plan_about(plan, PLAN_VCCRONJOB, &view.cron.meta);
	if (meta_is_deleting(&view.cron.meta))
		return 0;
	if (read_runs(&view, err) < 0)
		return -1;
	tidy_up(&view);
	due = find_due(&view, &name);
	write_status(&view);
	write_deletes(&view);
	if (due)
		write_job(&view, name, due);
	return 0;
}
