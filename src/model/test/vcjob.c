/* SPDX-License-Identifier: Apache-2.0 */
/* Job: everything a user writes reaches the view, defaults are filled, rules hold. */
#include "model/volcano/vcjob.h"

#include "base/mem.h"
#include "model/value/labels.h"
#include "tap.h"

static const char full[] =
	"{\"metadata\":{\"name\":\"full\"},\"spec\":{\"minAvailable\":3,\"minSuccess\":2,"
	"\"maxRetry\":5,\"queue\":\"research\",\"schedulerName\":\"volcano\","
	"\"priorityClassName\":\"high\",\"ttlSecondsAfterFinished\":60,"
	"\"runningEstimate\":\"1h\",\"plugins\":{\"env\":[],\"svc\":[\"--x=true\"]},"
	"\"policies\":[{\"event\":\"PodEvicted\",\"action\":\"RestartJob\"},"
	"{\"events\":[\"PodFailed\",\"TaskFailed\"],\"action\":\"Odd\",\"timeout\":\"10s\"},"
	"{\"exitCode\":3,\"action\":\"TerminateJob\"}],"
	"\"networkTopology\":{\"highestTierAllowed\":2},"
	"\"volumes\":[{\"mountPath\":\"/out\",\"volumeClaim\":{\"accessModes\":[\"RWO\"]}}],"
	"\"tasks\":[{\"name\":\"master\",\"replicas\":1,\"template\":{\"spec\":{\"containers\":[]}}"
	"},"
	"{\"name\":\"worker\",\"replicas\":4,\"minAvailable\":2,\"maxRetry\":1,"
	"\"dependsOn\":{\"name\":[\"master\"],\"iteration\":\"any\"},"
	"\"topologyPolicy\":\"best-effort\",\"partitionPolicy\":{\"totalPartitions\":2,"
	"\"partitionSize\":2,\"networkTopology\":{\"mode\":\"soft\"}}}]},"
	"\"status\":{\"state\":{\"phase\":\"Running\",\"lastTransitionTime\":"
	"\"2024-01-01T00:00:00Z\"},\"running\":2,\"version\":1,"
	"\"taskStatusCount\":{\"worker\":{\"phase\":{\"Running\":2}}},"
	"\"conditions\":[{\"status\":\"Pending\"},{\"status\":\"Running\"}],"
	"\"controlledResources\":{\"plugin-env\":\"env\"}}}";

static struct json_doc *parse(const char *text)
{
	struct err err;

	return json_parse(str_from(text), NULL, &err);
}

static bool decode(struct json_doc *doc, struct arena *arena, struct vcjob *job)
{
	struct err err;

	if (type_decode(&vcjob_type, json_doc_root(doc), arena, job, &err) == 0)
		return true;
	printf("# %s\n", err.text);
	return false;
}

static void test_spec(const struct vcjob_spec *spec)
{
	ok(spec->min_available == 3 && spec->min_success.value == 2 && spec->max_retry == 5,
	   "numbers of the spec");
	ok(str_is(spec->queue, "research") && str_is(spec->scheduler_name, "volcano") &&
		   str_is(spec->priority_class_name, "high"),
	   "texts of the spec");
	ok(spec->ttl_seconds_after_finished.value == 60 &&
		   spec->running_estimate.value == INT64_C(3600) * 1000 * 1000,
	   "times of the spec");
	ok(spec->plugins.len == 2 && spec->plugins.ptr[1].value.len == 1 &&
		   str_is(spec->plugins.ptr[1].value.ptr[0], "--x=true"),
	   "plugins with their arguments");
	ok(spec->policies.len == 3 && spec->policies.ptr[0].event == BUS_POD_EVICTED &&
		   spec->policies.ptr[0].action == BUS_RESTART_JOB,
	   "a policy by event");
	ok(spec->policies.ptr[1].events.len == 2 &&
		   spec->policies.ptr[1].events.ptr[1] == BUS_TASK_FAILED &&
		   spec->policies.ptr[1].action == BUS_ACTION_COUNT &&
		   spec->policies.ptr[1].timeout.value == 10 * 1000 * 1000,
	   "a policy by events, with an action that we do not know");
	ok(spec->policies.ptr[2].exit_code.set && spec->policies.ptr[2].exit_code.value == 3,
	   "a policy by exit code");
	ok(spec->network_topology->mode == NETWORK_TOPOLOGY_HARD &&
		   spec->network_topology->highest_tier_allowed.value == 2,
	   "a network topology is hard by default");
	ok(spec->volumes.len == 1 &&
		   json_len(json_get(spec->volumes.ptr[0].claim, "accessModes")) == 1,
	   "a volume with a claim");
}

static void test_tasks(const struct vcjob_spec *spec)
{
	const struct vcjob_task *worker = &spec->tasks.ptr[1];

	ok(spec->tasks.len == 2 && !spec->tasks.ptr[0].min_available.set &&
		   json_is(json_get(spec->tasks.ptr[0].template, "spec"), JSON_OBJ),
	   "a task with its template");
	ok(worker->replicas == 4 && worker->min_available.value == 2 && worker->max_retry == 1 &&
		   worker->topology_policy == NUMA_POLICY_BEST_EFFORT &&
		   json_is_absent(worker->template),
	   "a task with everything but a template");
	ok(worker->depends_on->name.len == 1 &&
		   worker->depends_on->iteration == VCJOB_ITERATION_ANY,
	   "what a task depends on");
	ok(worker->partition_policy->total_partitions == 2 &&
		   worker->partition_policy->min_partitions == 0 &&
		   worker->partition_policy->network_topology->mode == NETWORK_TOPOLOGY_SOFT,
	   "partitions");
}

static void test_status(const struct vcjob_status *status)
{
	ok(status->state.phase == VCJOB_RUNNING && status->state.last_transition_time > 0 &&
		   status->running == 2 && status->version == 1,
	   "state and counters");
	ok(status->task_status_count.len == 1 &&
		   status->task_status_count.ptr[0].value.phase.ptr[0].value == 2,
	   "pods of a task by phase");
	ok(status->conditions.len == 2 && status->conditions.ptr[1].status == VCJOB_RUNNING,
	   "phases that were entered");
	ok(str_is(labels_get(&status->controlled_resources, STR("plugin-env")), "env"),
	   "controlled resources");
}

static void test_defaults(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(json_doc_unref) struct json_doc *doc = parse("{\"spec\":{}}");
	AUTO(json_doc_unref) struct json_doc *copy = json_doc_thaw(json_doc_root(doc));
	AUTO(mem_free) char *text = NULL;
	struct vcjob job;

	ok(decode(doc, arena, &job) && str_is(job.spec.queue, "default") && job.spec.max_retry == 3,
	   "queue and maxRetry have defaults");
	type_default(&vcjob_type, copy, json_doc_root(copy));
	text = json_text(json_doc_root(copy), JSON_CANONICAL);
	is(text, "{\"spec\":{\"maxRetry\":3,\"queue\":\"default\"}}");
	ok(vcjob_phase_is_final(VCJOB_FAILED) && !vcjob_phase_is_final(VCJOB_RESTARTING),
	   "which phases are final");
}

static void test_rules(void)
{
	static const struct {
		const char *spec;
		const char *field;
	} rows[] = {
		{"{\"minAvailable\":-1}", "spec.minAvailable"},
		{"{\"minSuccess\":0}", "spec.minSuccess"},
		{"{\"queue\":\"Bad_\"}", "spec.queue"},
		{"{\"policies\":[{\"event\":\"Odd\"}]}", "spec.policies[0].event"},
		{"{\"policies\":[{\"events\":[\"Odd\"]}]}", "spec.policies[0].events[0]"},
		{"{\"networkTopology\":{\"mode\":\"maybe\"}}", "spec.networkTopology.mode"},
		{"{\"volumes\":[{}]}", "spec.volumes[0].mountPath"},
		{"{\"tasks\":[{\"name\":\"A\"}]}", "spec.tasks[0].name"},
		{"{\"tasks\":[{\"topologyPolicy\":\"x\"}]}", "spec.tasks[0].topologyPolicy"},
		{"{\"tasks\":[{\"partitionPolicy\":{\"totalPartitions\":1,\"partitionSize\":0}}]}",
		 "spec.tasks[0].partitionPolicy.partitionSize"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(mem_free) char *text = mem_printf("{\"spec\":%s}", rows[i].spec);
		AUTO(json_doc_unref) struct json_doc *doc = parse(text);
		AUTO(causes_done) struct causes causes = CAUSES_INIT;

		type_validate(&vcjob_type, json_doc_root(doc), &causes);
		ok(causes.len == 1, "%s is refused", rows[i].spec);
		is(causes.len ? causes.ptr[0].field : "", rows[i].field);
	}
}

int main(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(json_doc_unref) struct json_doc *doc = parse(full);
	struct vcjob job;

	ok(decode(doc, arena, &job), "a full job decodes");
	test_spec(&job.spec);
	test_tasks(&job.spec);
	test_status(&job.status);
	test_defaults();
	test_rules();
	return tap_done();
}
