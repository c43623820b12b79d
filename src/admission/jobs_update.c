/* SPDX-License-Identifier: Apache-2.0 */
/* admission/jobs_update.c - what may change in a Job: the numbers of pods and the priority.
 *
 * The rest of the spec must not change. Both specs are compared in the form in which Go prints them:
 * an empty list equals no list, 1000m equals 1. */
#include "admission/hooks.h"

#include "base/banned.h"

bool hook_partition(const struct vcjob_task *task, struct str job, struct buf *to)
{
	const struct vcjob_partition *policy = task->partition_policy;
	const char *what = NULL;

	if (!policy)
		return true;
	if (policy->total_partitions <= 0)
		what = "'TotalPartitions' must be greater than 0";
	else if (policy->partition_size <= 0)
		what = "'PartitionSize' must be greater than 0";
	else if (task->replicas != (int64_t)policy->total_partitions * policy->partition_size)
		what = "'Replicas' are not equal to TotalPartitions*PartitionSize";
	else if (task->min_available.set && policy->min_partitions > 0 &&
		 task->min_available.value !=
			 (int64_t)policy->min_partitions * policy->partition_size)
		what = "'MinAvailable' is not equal to MinPartitions*PartitionSize";
	if (what)
		buf_printf(to, "%s in task: %.*s, job: %.*s", what, STR_ARG(task->name),
			   STR_ARG(job));
	if (hook_has_both_tiers(policy->network_topology))
		buf_puts(to, HOOK_BOTH_TIERS);
	return !what && !hook_has_both_tiers(policy->network_topology);
}

static int check_task(const struct admission_case *c, const struct vcjob *job,
		      const struct vcjob_task *task)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	const struct opt_int32 *needed = &task->min_available;

	if (task->replicas < 0)
		return hook_deny(c, "'replicas' must be >= 0 in task: %.*s", STR_ARG(task->name));
	if (needed->set && needed->value < 0)
		return hook_deny(c, "'minAvailable' must be >= 0 in task: %.*s",
				 STR_ARG(task->name));
	if (needed->set && needed->value > task->replicas)
		return hook_deny(c, "'minAvailable' must be <= 'replicas' in task: %.*s",
				 STR_ARG(task->name));
	if (!hook_partition(task, job->meta.name, &text))
		return hook_deny_str(c, buf_str(&text));
	return 0;
}

/* The spec without the fields that may change. */
static struct json_doc *fixed_part(struct json object)
{
	struct json_doc *doc = json_doc_thaw(json_get(object, "spec"));
	struct json spec = json_doc_root(doc);
	struct json_iter it = json_iter(json_get(spec, "tasks"));

	(void)json_remove(doc, spec, STR("minAvailable"));
	(void)json_remove(doc, spec, STR("priorityClassName"));
	while (json_next(&it)) {
		(void)json_remove(doc, it.value, STR("replicas"));
		(void)json_remove(doc, it.value, STR("minAvailable"));
	}
	it = json_iter(json_get(spec, "volumes"));
	while (json_next(&it))
		if (json_is(json_get(it.value, "volumeClaim"), JSON_OBJ))
			(void)json_remove(doc, it.value, STR("volumeClaimName"));
	type_go(&vcjob_spec_type, doc, spec);
	return doc;
}

static bool is_fixed(const struct admission_review *review)
{
	AUTO(json_doc_unref) struct json_doc *new = fixed_part(review->object);
	AUTO(json_doc_unref) struct json_doc *old = fixed_part(review->old);

	return json_eq(json_doc_root(new), json_doc_root(old));
}

/* The class of a job may have been deleted after the job was created. */
static int check_priority(const struct admission_case *c, const struct vcjob *job)
{
	const struct admission_world *world = &c->admission->world;
	struct str name = job->spec.priority_class_name;
	struct str old = json_str(json_get(json_get(c->review->old, "spec"), "priorityClassName"));

	if (!name.len || str_eq(name, old) ||
	    !json_is_absent(world->priority_class(world->arg, name)))
		return 0;
	return hook_deny(c, "no PriorityClass with name %.*s was found", STR_ARG(name));
}

int jobs_validate_update(const struct admission_case *c, const struct vcjob *job)
{
	int64_t replicas = 0;

	for (size_t i = 0; i < job->spec.tasks.len; i++) {
		if (check_task(c, job, &job->spec.tasks.ptr[i]) < 0)
			return -1;
		replicas += job->spec.tasks.ptr[i].replicas;
	}
	if (job->spec.min_available > replicas)
		return hook_deny(c, "job 'minAvailable' must not be greater than total replicas");
	if (job->spec.min_available < 0)
		return hook_deny(c, "job 'minAvailable' must be >= 0");
	if (hook_has_both_tiers(job->spec.network_topology))
		return hook_deny(c, HOOK_BOTH_TIERS);
	if (json_len(json_get(json_get(c->review->old, "spec"), "tasks")) != job->spec.tasks.len)
		return hook_deny(c, "job updates may not add or remove tasks");
	if (!is_fixed(c->review))
		return hook_deny(c, "job updates may not change fields other than `minAvailable`, "
				    "`tasks[*].replicas under spec` and `PriorityClassName`");
	return check_priority(c, job);
}
