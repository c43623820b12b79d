/* SPDX-License-Identifier: Apache-2.0 */
/* admission/jobs_validate.c - the rules of a new Job that its schema cannot express.
 *
 * All errors are collected into one text, in upstream's order; only a job without tasks, or with mpi and
 * no master, is rejected at once. The pod template of each task gets defaults and is checked by the rules
 * of kube-apiserver (model/pod/pod_validate.h), so that the pods of an accepted job can be created. */
#include "admission/graph.h"
#include "admission/hooks.h"
#include "admission/policies.h"
#include "base/map.h"
#include "base/number.h"
#include "model/pod/pod.h"
#include "model/rules/rules.h"
#include "model/volcano/job_plugins.h"
#include "model/volcano/queue.h"

#include "base/banned.h"

struct job_case {
	const struct admission_case *c;
	const struct vcjob *job;
	struct json spec;
	struct buf text;
	bool depends; /* one of the checked tasks depends on another */
	bool doubled; /* two tasks have the same name; later tasks were not checked */
};

static void job_case_done(struct job_case *j)
{
	buf_done(&j->text);
}
DEFINE_AUTO_IN_PLACE(struct job_case, job_case_done);

/* --- plugins --------------------------------------------------------------------------------- */

/* The value of the flag "master" among the plugin's flags, as Go's flag package reads them: with one
 * dash or two, the value after '=' or as the next argument, up to the first argument that is not one
 * of its flags, or a port that is not a number. */
static struct str mpi_master(const struct strs *arguments)
{
	static const char *const flags[] = {"master", "worker", "port"};
	struct str master = STR("master");
	int64_t port;

	for (size_t i = 0; i < arguments->len; i++) {
		struct str name = arguments->ptr[i];
		ptrdiff_t equals = str_find_byte(name, '=', 0);
		struct str value = str_none();
		bool known = false;

		if (equals >= 0) {
			value = str_skip(name, (size_t)equals + 1);
			name = str_slice(name, 0, (size_t)equals);
		}
		if (!str_starts(name, STR("-")))
			break;
		name = str_skip(name, str_starts(name, STR("--")) ? 2 : 1);
		for (size_t k = 0; k < ARRAY_LEN(flags); k++)
			known = known || str_is(name, flags[k]);
		if (equals < 0 && ++i < arguments->len)
			value = arguments->ptr[i];
		if (!known || str_is_none(value) ||
		    (str_is(name, "port") && number_parse_i64(value, &port, NULL) < 0))
			break;
		if (str_is(name, "master"))
			master = value;
	}
	return master;
}

static bool has_task(const struct vcjob *job, struct str name)
{
	for (size_t i = 0; i < job->spec.tasks.len; i++)
		if (str_eq(job->spec.tasks.ptr[i].name, name))
			return true;
	return false;
}

static bool lacks_master(const struct vcjob *job)
{
	for (size_t i = 0; i < job->spec.plugins.len; i++)
		if (str_is(job->spec.plugins.ptr[i].key, "mpi"))
			return !has_task(job, mpi_master(&job->spec.plugins.ptr[i].value));
	return false;
}

static void check_plugins(struct job_case *j)
{
	for (size_t i = 0; i < j->job->spec.plugins.len; i++) {
		struct str name = j->job->spec.plugins.ptr[i].key;

		if (!job_plugin_find(name))
			buf_printf(&j->text, " unable to find job plugin: %.*s;", STR_ARG(name));
	}
}

/* --- tasks ----------------------------------------------------------------------------------- */

/* Sets defaults and checks as kube-apiserver does, or as upstream if upstream is stricter: names of
 * variables, search domains with '_', a sleep hook of 0 seconds, resizing of init containers. */
static bool check_template(struct job_case *j, struct json template, size_t index)
{
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json copy =
		json_is(template, JSON_OBJ) ? json_new_copy(doc, template) : json_new_obj(doc);
	struct path path = path_member(NULL, STR("template"));

	type_default(&pod_template_spec_type, doc, copy);
	type_validate_at(&pod_template_strict_type, copy, &path, &causes);
	if (!causes.len)
		return true;
	buf_printf(&j->text, "spec.task[%zu].", index);
	for (size_t i = 0; i < causes.len; i++) {
		buf_printf(&j->text, "%s: ", causes.ptr[i].field);
		hook_put_words(&j->text, causes.ptr[i].message);
		buf_puts(&j->text, ". ");
	}
	return false;
}

/* Is it a whole number of CPUs, at least one? Without requests the limits count. */
static bool has_whole_cores(struct json container)
{
	struct json resources = json_get(container, "resources");
	struct json requests = json_get(resources, "requests");
	struct quantity cpu;

	if (!json_len(requests))
		requests = json_get(resources, "limits");
	return rules_quantity(requests, "cpu", &cpu) && quantity_is_whole(&cpu, 0) &&
	       quantity_sign(&cpu) > 0;
}

static void check_cores(struct job_case *j, const struct vcjob_task *task, size_t index)
{
	static const char *const lists[] = {"containers", "initContainers"};
	struct json spec = json_get(task->template, "spec");
	size_t number = 0;

	if (task->topology_policy == NUMA_POLICY_UNSET || task->topology_policy == NUMA_POLICY_NONE)
		return;
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct json_iter it = json_iter(json_get(spec, lists[i]));

		while (json_next(&it)) {
			if (!has_whole_cores(it.value)) {
				buf_printf(&j->text,
					   "the cpu request isn't  an integer in spec.task[%zu] "
					   "container[%zu].",
					   index, number);
				return;
			}
			number++;
		}
	}
}

static void check_pod_name(struct job_case *j, const struct vcjob_task *task, size_t index)
{
	AUTO(buf_done) struct buf name = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf problems = BUF_UNBOUNDED;

	buf_printf(&name, "%.*s-%.*s-%zu", STR_ARG(j->job->meta.name), STR_ARG(task->name), index);
	if (hook_name_problems(NAME_QUALIFIED, buf_str(&name), &problems))
		buf_printf(&j->text, "create pod with name %s validate failed %s;", buf_text(&name),
			   buf_text(&problems));
}

/* Checks the iteration of dependsOn: `any` or `all`. Upstream accepts any word as `all`. */
static void check_iteration(struct job_case *j, struct json task, struct str name)
{
	struct json iteration = json_get(json_get(task, "dependsOn"), "iteration");
	struct str word = json_str(iteration);

	if (word.len && !str_is(word, "any") && !str_is(word, "all"))
		buf_printf(
			&j->text,
			" 'dependsOn.iteration' must be \"any\" or \"all\", not \"%.*s\" in task: "
			"%.*s;",
			STR_ARG(word), STR_ARG(name));
}

/* `document` is the task as it was sent. */
static void check_task(struct job_case *j, const struct vcjob_task *task, size_t index,
		       struct json document)
{
	policies_validate(json_get(document, "policies"), "spec.tasks.policies", &j->text);
	check_pod_name(j, task, index);
	if (check_template(j, task->template, index))
		check_cores(j, task, index);
	hook_partition(task, j->job->meta.name, &j->text);
	check_iteration(j, document, task->name);
}

static int64_t check_tasks(struct job_case *j)
{
	AUTO(map_free) struct map *names = map_new(0);
	struct json_iter documents = json_iter(json_get(j->spec, "tasks"));
	int64_t replicas = 0;

	for (size_t i = 0; i < j->job->spec.tasks.len; i++) {
		struct vcjob_task *task = &j->job->spec.tasks.ptr[i];
		struct json document = json_next_value(&documents);

		j->depends = j->depends || task->depends_on;
		if (task->min_available.set && task->min_available.value > task->replicas)
			buf_printf(&j->text,
				   " 'minAvailable' is greater than 'replicas' in task: %.*s, job: "
				   "%.*s;",
				   STR_ARG(task->name), STR_ARG(j->job->meta.name));
		replicas += task->replicas;
		if (map_put(names, task->name, task)) {
			buf_printf(&j->text, " duplicated task name %.*s;", STR_ARG(task->name));
			j->doubled = true;
			break;
		}
		check_task(j, task, i, document);
	}
	return replicas;
}

static void check_order(struct job_case *j)
{
	const struct vcjob_spec *spec = &j->job->spec;
	struct graph_node *nodes = arena_calloc(j->c->arena, spec->tasks.len + 1, sizeof(*nodes));
	struct str undefined;

	if (!j->depends)
		return;
	for (size_t i = 0; i < spec->tasks.len; i++) {
		nodes[i].name = spec->tasks.ptr[i].name;
		if (spec->tasks.ptr[i].depends_on)
			nodes[i].after = spec->tasks.ptr[i].depends_on->name;
	}
	if (j->doubled ||
	    graph_check(nodes, spec->tasks.len, j->c->arena, &undefined) != GRAPH_ORDERED)
		buf_puts(&j->text, " job has dependencies between tasks, but doesn't form a "
				   "directed acyclic graph(DAG);");
}

/* --- volumes, queue -------------------------------------------------------------------------- */

/* The first error. */
static bool check_volume(struct job_case *j, const struct vcjob_volume *volume, struct map *paths)
{
	AUTO(buf_done) struct buf problems = BUF_UNBOUNDED;
	bool claim = json_is(volume->claim, JSON_OBJ);

	if (!volume->mount_path.len)
		buf_puts(&j->text, " mountPath is required;");
	else if (map_get(paths, volume->mount_path))
		buf_printf(&j->text, " duplicated mountPath: %.*s;", STR_ARG(volume->mount_path));
	else if (!claim && !volume->claim_name.len)
		buf_puts(&j->text, " either VolumeClaim or VolumeClaimName must be specified;");
	else if (claim && volume->claim_name.len)
		buf_puts(&j->text, "conflict: If you want to use an existing PVC, just specify "
				   "VolumeClaimName.If you want to create a new PVC, you do not "
				   "need to specify VolumeClaimName");
	else if (!claim && hook_name_problems(NAME_DNS_SUBDOMAIN, volume->claim_name, &problems))
		buf_printf(&j->text, "invalid VolumeClaimName %.*s : %s",
			   STR_ARG(volume->claim_name), buf_text(&problems));
	else
		return true;
	return false;
}

static void check_volumes(struct job_case *j)
{
	AUTO(map_free) struct map *paths = map_new(0);

	for (size_t i = 0; i < j->job->spec.volumes.len; i++) {
		struct vcjob_volume *volume = &j->job->spec.volumes.ptr[i];

		if (!check_volume(j, volume, paths))
			return;
		(void)map_put(paths, volume->mount_path, volume);
	}
}

static void count_queue(void *arg, struct json queue)
{
	(void)queue;
	(*(size_t *)arg)++;
}

static void check_queue(struct job_case *j)
{
	const struct admission_world *world = &j->c->admission->world;
	struct str name = j->job->spec.queue;
	struct json queue = world->queue(world->arg, name);
	struct str state = json_str(json_get(json_get(queue, "status"), "state"));
	size_t children = 0;

	if (json_is_absent(queue)) {
		buf_printf(&j->text, " unable to find job queue: " HOOK_QUEUE_NOT_FOUND ";",
			   STR_ARG(name));
		return;
	}
	if (!str_is(state, queue_state_names[QUEUE_OPEN]))
		buf_printf(&j->text,
			   " can only submit job to queue with state `Open`, queue `%.*s` status "
			   "is `%.*s`;",
			   STR_ARG(name), STR_ARG(state));
	if (str_is(name, "root")) {
		buf_puts(&j->text, " can not submit job to root queue;");
		return;
	}
	world->each_queue(world->arg, name, count_queue, &children);
	if (children)
		buf_printf(&j->text,
			   " can only submit job to leaf queue, queue `%.*s` has %zu child queues;",
			   STR_ARG(name), children);
}

/* --- priorities ------------------------------------------------------------------------------ */

/* An addition to upstream, which accepts the job although its pods can never be created. */
static void check_class(struct job_case *j, struct str name, struct str task)
{
	const struct admission_world *world = &j->c->admission->world;

	if (!name.len || !json_is_absent(world->priority_class(world->arg, name)))
		return;
	buf_printf(&j->text, " no PriorityClass with name %.*s was found", STR_ARG(name));
	if (task.len)
		buf_printf(&j->text, " in task: %.*s", STR_ARG(task));
	buf_putc(&j->text, ';');
}

static void check_priorities(struct job_case *j)
{
	check_class(j, j->job->spec.priority_class_name, str_none());
	for (size_t i = 0; i < j->job->spec.tasks.len; i++) {
		const struct vcjob_task *task = &j->job->spec.tasks.ptr[i];
		struct json pod = json_get(task->template, "spec");

		check_class(j, json_str(json_get(pod, "priorityClassName")), task->name);
	}
}

/* --- the whole ------------------------------------------------------------------------------- */

static void check_name(struct job_case *j)
{
	AUTO(buf_done) struct buf problems = BUF_UNBOUNDED;

	if (hook_name_problems(NAME_QUALIFIED, j->job->meta.name, &problems))
		buf_printf(&j->text, "create job with name %.*s validate failed %s",
			   STR_ARG(j->job->meta.name), buf_text(&problems));
}

static int validate_new(const struct admission_case *c, const struct vcjob *job)
{
	AUTO(job_case_done)
	struct job_case j = {
		.c = c,
		.job = job,
		.spec = json_get(c->review->object, "spec"),
		.text = BUF_UNBOUNDED,
	};
	int64_t replicas;

	if (!job->spec.tasks.len)
		return hook_deny(c, "No task specified in job spec");
	if (lacks_master(job))
		return hook_deny(c, "The specified mpi master task was not found");
	if (hook_has_both_tiers(job->spec.network_topology))
		buf_puts(&j.text, HOOK_BOTH_TIERS);
	replicas = check_tasks(&j);
	check_name(&j);
	if (replicas < job->spec.min_available)
		buf_puts(&j.text,
			 " job 'minAvailable' should not be greater than total replicas in "
			 "tasks;");
	policies_validate(json_get(j.spec, "policies"), "spec.policies", &j.text);
	check_plugins(&j);
	check_volumes(&j);
	check_queue(&j);
	check_priorities(&j);
	check_order(&j);
	return j.text.len ? hook_deny_str(c, str_trim(buf_str(&j.text))) : 0;
}

int jobs_validate(const struct admission_case *c)
{
	struct vcjob job;

	if (hook_decode(c, &vcjob_type, c->review->object, &job) < 0)
		return -1;
	return c->review->operation == ADMISSION_CREATE ? validate_new(c, &job)
							: jobs_validate_update(c, &job);
}
