/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/job_podgroup.c - the podgroup of a job: created once, then kept up to date with the
 * job.
 *
 * The scheduler writes its status all the time; changes from here are patches, so that the two do
 * not conflict. Queue, topology, labels and annotations are set at creation and do not change.
 *
 * minResources: the pods that make the gang, those of high priority first. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/number.h"
#include "base/time.h"
#include "lifecycle/demand.h"
#include "lifecycle/job_internal.h"
#include "lifecycle/keys.h"
#include "model/volcano/wait_reason.h"

#include "base/banned.h"

/* The reason is reported only for jobs that wait longer than this. */
#define REPORT_AFTER (5 * TIME_SECOND)

void job_group_name(const struct meta *job, struct buf *to)
{
	buf_printf(to, "%.*s-%.*s", STR_ARG(job->name), STR_ARG(job->uid));
}

int job_group_read(struct job_view *view, struct err *err)
{
	const struct job_world *world = view->world;
	AUTO(buf_done) struct buf name = BUF_UNBOUNDED;

	job_group_name(&view->job->meta, &name);
	view->group_doc = world->find(world->arg, PLAN_PODGROUP, buf_str(&name));
	/* Very old versions gave it the name of the job. */
	if (json_is_absent(view->group_doc)) {
		struct json old = world->find(world->arg, PLAN_PODGROUP, view->job->meta.name);

		if (str_eq(job_controller_of(old), view->job->meta.uid))
			view->group_doc = old;
	}
	if (json_is_absent(view->group_doc))
		return 0;
	if (type_decode(&podgroup_type, view->group_doc, view_arena(view), &view->group, err) < 0)
		return err_wrap(err, "podgroup %s", buf_text(&name));
	view->has_group = true;
	return 0;
}

/* --- desired state ------------------------------------------------------------------------- */

static int32_t min_available(const struct vcjob_task *task)
{
	return task->min_available.set ? task->min_available.value : task->replicas;
}

static int32_t min_member(const struct vcjob_task *task)
{
	const struct vcjob_partition *part = task->partition_policy;

	if (task->min_available.set)
		return task->min_available.value;
	if (part && part->min_partitions != 0 && part->partition_size != 0)
		return number_clamp_i32((int64_t)part->min_partitions * part->partition_size);
	return task->replicas;
}

struct ranked {
	const struct vcjob_task *task;
	int64_t priority;
	size_t place;
	int64_t taken;
};

static int by_priority(const void *a, const void *b)
{
	const struct ranked *l = a, *r = b;

	if (l->priority != r->priority)
		return l->priority > r->priority ? -1 : 1;
	return l->place < r->place ? -1 : 1;
}

static struct ranked *rank(const struct job_view *view)
{
	const struct vcjob_spec *spec = &view->job->spec;
	const struct job_world *world = view->world;
	struct ranked *ret = arena_calloc(view_arena(view), spec->tasks.len + 1, sizeof(*ret));

	for (size_t i = 0; i < spec->tasks.len; i++) {
		struct json pod = json_get(spec->tasks.ptr[i].template, "spec");
		struct str class = json_str(json_get(pod, "priorityClassName"));

		ret[i] = (struct ranked){.task = &spec->tasks.ptr[i], .place = i};
		if (class.len > 0)
			ret[i].priority = json_int(json_get(
				world->find(world->arg, PLAN_PRIORITYCLASS, class), "value"));
	}
	qsort(ret, spec->tasks.len, sizeof(*ret), by_priority);
	return ret;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void sum_resources(const struct job_view *view, struct demand *demand)
{
	const struct vcjob_spec *spec = &view->job->spec;
	struct ranked *ranks = rank(view);
	int64_t left = spec->min_available;
	int64_t sum = 0;

	for (size_t i = 0; i < spec->tasks.len; i++)
		sum += min_available(&spec->tasks.ptr[i]);
	for (size_t i = 0; left >= sum && i < spec->tasks.len; i++)
		ranks[i].taken = min_available(ranks[i].task);
	if (left >= sum)
		left -= sum;
	for (size_t i = 0; i < spec->tasks.len; i++) {
		int64_t more = least(left, ranks[i].task->replicas - ranks[i].taken);

		if (more > 0) {
			ranks[i].taken += more;
			left -= more;
		}
		demand_add_pod(demand, json_get(ranks[i].task->template, "spec"), ranks[i].taken);
	}
}

static void put_topology(struct json_doc *doc, struct json object,
			 const struct network_topology *topology)
{
	static const char *const modes[NETWORK_TOPOLOGY_MODE_COUNT] = {
		[NETWORK_TOPOLOGY_NONE] = "hard",
		[NETWORK_TOPOLOGY_HARD] = "hard",
		[NETWORK_TOPOLOGY_SOFT] = "soft",
	};
	struct json ret;

	if (!topology)
		return;
	ret = json_ensure_obj(doc, object, "networkTopology");
	json_set_str(doc, ret, "mode", str_from(modes[topology->mode]));
	if (topology->highest_tier_allowed.set)
		json_set_int(doc, ret, "highestTierAllowed", topology->highest_tier_allowed.value);
	else if (topology->highest_tier_name.len > 0)
		json_set_str(doc, ret, "highestTierName", topology->highest_tier_name);
}

static struct json make_sub_groups(const struct vcjob_spec *spec, struct json_doc *doc)
{
	struct json ret = json_new_arr(doc);

	for (size_t i = 0; i < spec->tasks.len; i++) {
		const struct vcjob_task *task = &spec->tasks.ptr[i];
		struct json row, selector, keys;

		if (!task->partition_policy)
			continue;
		row = json_new_obj(doc);
		json_set_str(doc, row, "name", task->name);
		json_set_int(doc, row, "subGroupSize", task->partition_policy->partition_size);
		json_set_int(doc, row, "minSubGroups", task->partition_policy->min_partitions);
		selector = json_ensure_obj(doc, json_ensure_obj(doc, row, "labelSelector"),
					   "matchLabels");
		json_set_str(doc, selector, KEY_TASK_SPEC, task->name);
		keys = json_ensure_arr(doc, row, "matchLabelKeys");
		json_append(doc, keys, json_new_str(doc, STR(KEY_PARTITION_ID)));
		put_topology(doc, row, task->partition_policy->network_topology);
		json_append(doc, ret, row);
	}
	return ret;
}

static struct json make_task_members(const struct vcjob_spec *spec, struct json_doc *doc)
{
	struct json ret = json_new_obj(doc);

	for (size_t i = 0; i < spec->tasks.len; i++)
		json_set(doc, ret, spec->tasks.ptr[i].name,
			 json_new_int(doc, min_member(&spec->tasks.ptr[i])));
	return ret;
}

static void create(struct job_view *view, const struct demand *demand)
{
	const struct vcjob_spec *spec = &view->job->spec;
	AUTO(buf_done) struct buf name = BUF_UNBOUNDED;
	struct json job = json_get(view->world->job, "metadata");
	struct plan_write *write;
	struct json_doc *doc;
	struct json meta, to, subs;

	job_group_name(&view->job->meta, &name);
	doc = job_build_owned(view, PLAN_PODGROUP, buf_str(&name));
	meta = json_get(json_doc_root(doc), "metadata");
	if (json_len(json_get(job, "labels")) > 0)
		json_set(doc, meta, STR("labels"), json_new_copy(doc, json_get(job, "labels")));
	if (json_len(json_get(job, "annotations")) > 0)
		json_set(doc, meta, STR("annotations"),
			 json_new_copy(doc, json_get(job, "annotations")));
	to = json_ensure_obj(doc, json_doc_root(doc), "spec");
	if (spec->min_available != 0)
		json_set_int(doc, to, "minMember", spec->min_available);
	json_set(doc, to, STR("minTaskMember"), make_task_members(spec, doc));
	json_set_str(doc, to, "queue", spec->queue);
	if (spec->priority_class_name.len > 0)
		json_set_str(doc, to, "priorityClassName", spec->priority_class_name);
	json_set(doc, to, STR("minResources"), demand_encode(demand, doc));
	put_topology(doc, to, spec->network_topology);
	subs = make_sub_groups(spec, doc);
	if (json_len(subs) > 0)
		json_set(doc, to, STR("subGroupPolicy"), subs);
	write = plan_create(view->plan, PLAN_PODGROUP, doc);
	write->fail_reason = "PodGroupError";
	write->fail_text = "Failed to create PodGroup, err: ";
}

/* --- updating ------------------------------------------------------------------------------- */

/* Is all of `some` in `whole`? The server may have added defaults. */
static bool contains(struct json whole, struct json some)
{
	struct json_iter it = json_iter(some);
	struct json_iter other = json_iter(whole);

	if (json_is(some, JSON_OBJ)) {
		while (json_next(&it))
			if (!contains(json_get_str(whole, it.key), it.value))
				return false;
		return json_is(whole, JSON_OBJ);
	}
	if (json_is(some, JSON_ARR)) {
		while (json_next(&it))
			if (!contains(json_next_value(&other), it.value))
				return false;
		return json_is(whole, JSON_ARR) && json_len(whole) == json_len(some);
	}
	return json_eq(whole, some);
}

/* Sets a member of the spec; an absent value removes it. */
static void patch_member(struct json_doc *patch, const char *name, struct json value, bool there)
{
	struct json row = json_new_obj(patch);

	if (json_is_absent(value) && !there)
		return;
	json_set_str(patch, row, "op", json_is_absent(value) ? STR("remove") : STR("add"));
	json_set(patch, row, STR("path"), json_new_printf(patch, "/spec/%s", name));
	if (!json_is_absent(value))
		json_set(patch, row, STR("value"), value);
	json_append(patch, json_doc_root(patch), row);
}

static struct json text_or_none(struct json_doc *doc, struct str text)
{
	return text.len > 0 ? json_new_str(doc, text) : JSON_NONE;
}

/* Marks the group if the server rejected its pods: the scheduler must not reserve capacity for pods
 * that cannot be created. */
static void patch_rejected(struct job_view *view, struct json_doc *patch)
{
	enum job_pods_answer answer = view->world->pods_answer;
	struct json annotations = json_get(json_get(view->group_doc, "metadata"), "annotations");
	bool marked = !json_is_absent(json_get(annotations, KEY_PODS_REJECTED));
	struct json row;

	if (answer == JOB_PODS_UNKNOWN || marked == (answer == JOB_PODS_REJECTED))
		return;
	row = json_new_obj(patch);
	json_set_str(patch, row, "op", marked ? STR("remove") : STR("add"));
	if (json_is(annotations, JSON_OBJ)) {
		json_set_str(patch, row, "path",
			     STR("/metadata/annotations/volcano.sh~1pods-rejected"));
		if (!marked)
			json_set_str(patch, row, "value", STR("true"));
	} else {
		struct json value = json_new_obj(patch);

		json_set_str(patch, value, KEY_PODS_REJECTED, STR("true"));
		json_set_str(patch, row, "path", STR("/metadata/annotations"));
		json_set(patch, row, STR("value"), value);
	}
	json_append(patch, json_doc_root(patch), row);
}

static void update(struct job_view *view, const struct demand *demand)
{
	const struct vcjob_spec *spec = &view->job->spec;
	const struct podgroup_spec *is = &view->group.spec;
	struct json there = json_get(view->group_doc, "spec");
	AUTO(json_doc_unref) struct json_doc *patch = json_doc_new();
	struct json members = make_task_members(spec, patch);
	struct json subs = make_sub_groups(spec, patch);
	struct plan_write *write;

	json_doc_set_root(patch, json_new_arr(patch));
	if (!str_eq(spec->priority_class_name, is->priority_class_name))
		patch_member(patch, "priorityClassName",
			     text_or_none(patch, spec->priority_class_name),
			     is->priority_class_name.len > 0);
	if (spec->min_available != is->min_member)
		patch_member(patch, "minMember",
			     spec->min_available ? json_new_int(patch, spec->min_available)
						 : JSON_NONE,
			     !json_is_absent(json_get(there, "minMember")));
	if (!demand_equals(demand, &is->min_resources))
		patch_member(patch, "minResources", demand_encode(demand, patch), true);
	if (!contains(json_get(there, "minTaskMember"), members))
		patch_member(patch, "minTaskMember", members, true);
	if (!contains(json_get(there, "subGroupPolicy"), subs) &&
	    json_len(subs) + json_len(json_get(there, "subGroupPolicy")) > 0)
		patch_member(patch, "subGroupPolicy", json_len(subs) > 0 ? subs : JSON_NONE, true);
	patch_rejected(view, patch);
	if (json_len(json_doc_root(patch)) == 0)
		return;
	write = plan_patch(view->plan, PLAN_PODGROUP, &view->group.meta, PLAN_JSON_PATCH,
			   TAKE(patch));
	write->fail_reason = "PodGroupError";
	write->fail_text = "Failed to create PodGroup, err: ";
}

void job_group_ensure(struct job_view *view)
{
	AUTO(demand_done) struct demand demand;

	demand_init(&demand, view_arena(view));
	sum_resources(view, &demand);
	if (view->has_group)
		update(view, &demand);
	else
		create(view, &demand);
}

/* --- why it waits ---------------------------------------------------------------------------- */

/* By the newest condition that is true. */
static bool report_condition(struct job_view *view)
{
	const struct podgroup_condition *newest = NULL;
	AUTO(buf_done) struct buf type = BUF_UNBOUNDED;

	for (size_t i = 0; i < view->group.status.conditions.len; i++) {
		const struct podgroup_condition *row = &view->group.status.conditions.ptr[i];

		if (str_is(row->status, "True") &&
		    (!newest || row->last_transition_time >= newest->last_transition_time))
			newest = row;
	}
	if (!newest)
		return false;
	if (str_is(newest->type, "Scheduled"))
		return true;
	for (size_t i = 0; i < newest->type.len; i++) {
		char c = newest->type.ptr[i];

		buf_putc(&type, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
	}
	plan_warning(view->plan, PLAN_JOB, &view->job->meta, "PodGroupPending",
		     "PodGroup %.*s:%.*s %s, reason: %.*s", STR_ARG(view->job->meta.namespace),
		     STR_ARG(view->job->meta.name), buf_text(&type), STR_ARG(newest->message));
	plan_steady(view->plan);
	return true;
}

/* By the reasons of our own scheduler, which sets no condition on a group that it does not admit; once
 * per cause, because the numbers in them change all the time. */
static void report_reason(struct job_view *view)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct wait_reasons reasons = wait_reasons_of(view->group_doc, arena);
	int64_t since;

	if (!reasons.len || time_parse(reasons.ptr[0].since, &since, NULL) < 0) {
		wait_reasons_done(&reasons);
		return;
	}
	if (view->world->now < since + REPORT_AFTER) {
		plan_step_at(view->plan, since + REPORT_AFTER);
		wait_reasons_done(&reasons);
		return;
	}
	plan_warning(view->plan, PLAN_JOB, &view->job->meta, "PodGroupPending",
		     "PodGroup %.*s:%.*s pending, reason: %.*s%s%.*s",
		     STR_ARG(view->job->meta.namespace), STR_ARG(view->job->meta.name),
		     STR_ARG(reasons.ptr[0].text), reasons.ptr[0].advice.len ? ". " : "",
		     STR_ARG(reasons.ptr[0].advice));
	plan_steady_by(view->plan, reasons.ptr[0].cause);
	wait_reasons_done(&reasons);
}

void job_group_report(struct job_view *view)
{
	enum podgroup_phase phase = view->group.status.phase;

	if (view->has_group && !report_condition(view) &&
	    (phase == PODGROUP_PHASE_NONE || phase == PODGROUP_PENDING))
		report_reason(view);
}
