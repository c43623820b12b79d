/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cluster/cluster.h"

#include <assert.h>

#include "build.h"
#include "sched/place/affinity_index.h"
#include "tap.h"

#include "base/banned.h"

static int64_t capacity_of(const struct cluster *cluster, enum capacity_kind which,
			   const char *node, int dim)
{
	const struct node_info *found = cluster_find_node(cluster, str_from(node));

	assert(found);
	return columns_get(&cluster->columns, which, dim, found->slot);
}

static void test_nodes(void)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);

	add_queue(c, "default");
	add_group(c, "g", 1, "default");
	add_pod(c, "g", 0, "n1", "{cpu: \"3\"}");
	ok(!cluster_find_node(c, STR("n1")), "a node that only a pod names is not there");
	ok(resources_get(&c->total, DIM_CPU) == 0 && holds(c), "and counts for nothing");
	add_node(c, "n1", 4);
	ok(capacity_of(c, CAPACITY_IDLE, "n1", DIM_CPU) == 1000,
	   "when it comes, its tasks are on it");
	ok(resources_get(&c->used, DIM_CPU) == 3000 && holds(c), "and count");
	add_node(c, "n1", 2);
	ok(capacity_of(c, CAPACITY_IDLE, "n1", DIM_CPU) == -1000,
	   "a node may shrink below its use");
	add_pod(c, "g", 1, NULL, "{memory: 1Gi}");
	ok(!cluster_fits(c, CAPACITY_IDLE, 0, task_of(c, "g-w-1")->class),
	   "then it offers nothing");
	cluster_remove(c, CLUSTER_NODE, str_none(), STR("n1"));
	ok(task_of(c, "g-w-0")->node && holds(c), "when it goes, its tasks stay known");
	ok(resources_get(&c->total, DIM_CPU) == 0, "and the cluster is empty");
	cluster_remove(c, CLUSTER_POD, STR("default"), STR("g-w-0"));
	ok(map_len(c->node_names) == 0 && holds(c), "until the last task goes");
}

static void test_aside(void)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);

	add_node(c, "n1", 4);
	add_queue(c, "default");
	add_group(c, "g", 1, "default");
	ok(apply(c, "{kind: Pod, metadata: {name: p, namespace: default}, spec: {schedulerName: "
		    "volcano, containers: [{name: c, resources: {requests: {cpu: many}}}]}}") < 0,
	   "a pod that makes no sense is set aside");
	ok(cluster_aside(c, CLUSTER_POD, STR("default"), STR("p")), "with a reason");
	ok(!cluster_find_task(c, STR("default"), STR("p")) && holds(c), "and is no task");
	ok(apply(c, "{kind: Pod, metadata: {name: p, namespace: default}, spec: {schedulerName: "
		    "volcano, containers: [{name: c, resources: {requests: {cpu: \"1\"}}}]}}") == 0,
	   "it is taken when it is corrected");
	ok(!cluster_aside(c, CLUSTER_POD, STR("default"), STR("p")), "and is aside no more");
	ok(apply(c, "{kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: none}}}") < 0,
	   "a node that makes no sense as well");
	ok(capacity_of(c, CAPACITY_IDLE, "n1", DIM_CPU) == 4000, "what was known of it stays");
	ok(apply(c, "{kind: PodGroup, metadata: {name: g, namespace: default}, spec: {minMember: "
		    "few}}") < 0,
	   "and a group");
	ok(cluster_find_job(c, STR("default"), STR("g"))->min_available == 1,
	   "its minimum stays as well");
}

static void test_dimensions(void)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	const struct task *task;

	add_node(c, "n1", 4);
	add_queue(c, "default");
	add_group(c, "g", 1, "default");
	add_pod(c, "g", 0, NULL, "{cpu: \"1\", example.com/gpu: \"2\"}");
	task = task_of(c, "g-w-0");
	assert(task);
	ok(resources_get(&task->class->request, DIM_OTHER) > 0,
	   "a name that no node offers counts as something else");
	ok(!cluster_fits(c, CAPACITY_IDLE, 0, task->class), "which fits nowhere");
	(void)apply(c, "{kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: \"4\", "
		       "memory: 1Gi, pods: \"10\", example.com/gpu: \"4\"}}}");
	ok(resources_get(&task->class->request, dims_find(c->dims, STR("example.com/gpu"))) == 2000,
	   "when a node offers it, the request is read again");
	ok(resources_get(&task->class->request, DIM_OTHER) == 0 && holds(c), "and is all known");
	ok(cluster_fits(c, CAPACITY_IDLE, 1, task->class), "so that it fits there");
}

static void test_jobs(void)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	const struct job *job;

	add_node(c, "n1", 4);
	add_pod(c, "g", 0, NULL, "{cpu: \"1\"}");
	job = cluster_find_job(c, STR("default"), STR("g"));
	ok(job && !job->grouped, "a job is there before its group");
	assert(job);
	add_group(c, "g", 1, "q");
	ok(job->grouped && !job->queue, "and before its queue");
	add_queue(c, "q");
	ok(job->queue && job->queue->job_count == 1, "the queue adopts it");
	assert(job->queue);
	ok(resources_get(&job->queue->pending, DIM_CPU) == 1000 && holds(c), "with what it wants");
	(void)apply(c, "{kind: PriorityClass, metadata: {name: high}, value: 7}");
	(void)apply(c,
		    "{kind: PodGroup, metadata: {name: g, namespace: default}, spec: {minMember: "
		    "1, queue: q, priorityClassName: high}}");
	ok(job->priority == 7, "its priority is that of its class");
	(void)apply(c, "{kind: PriorityClass, metadata: {name: high}, value: 9}");
	cluster_settle(c);
	ok(job->priority == 9, "and changes with it");
	cluster_remove(c, CLUSTER_QUEUE, str_none(), STR("q"));
	ok(!job->queue && holds(c), "without its queue it waits");
	cluster_remove(c, CLUSTER_PODGROUP, STR("default"), STR("g"));
	ok(cluster_find_job(c, STR("default"), STR("g")), "without its group it stays");
	cluster_remove(c, CLUSTER_POD, STR("default"), STR("g-w-0"));
	ok(!cluster_find_job(c, STR("default"), STR("g")), "until its last pod goes");
}

static void test_queues(void)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	const struct queue_info *root, *leaf;

	add_node(c, "n1", 4);
	add_queue(c, "root");
	(void)apply(c, "{kind: Queue, metadata: {name: leaf}, spec: {weight: 1, parent: mid}, "
		       "status: {state: Open}}");
	leaf = cluster_find_queue(c, STR("leaf"));
	root = cluster_find_queue(c, STR("root"));
	assert(leaf && root);
	ok(leaf->broken, "a queue without its parent stands alone");
	(void)apply(c, "{kind: Queue, metadata: {name: mid}, spec: {weight: 1}, status: {state: "
		       "Open}}");
	ok(!leaf->broken && leaf->parent->parent == root, "until the parent comes");
	add_group(c, "g", 1, "leaf");
	add_pod(c, "g", 0, "n1", "{cpu: \"2\"}");
	ok(resources_get(&root->allocated, DIM_CPU) == 2000 && holds(c),
	   "what a leaf holds, its ancestors hold");
	(void)apply(c, "{kind: Queue, metadata: {name: mid}, spec: {weight: 1, parent: leaf}, "
		       "status: {state: Open}}");
	ok(leaf->broken && holds(c), "a ring is cut");
	ok(resources_get(&root->allocated, DIM_CPU) == 0, "and counts in no queue above");
	(void)apply(c, "{kind: Queue, metadata: {name: mid}, spec: {weight: 1}, status: {state: "
		       "Open}}");
	ok(resources_get(&root->allocated, DIM_CPU) == 2000 && holds(c), "and is healed");
}

static void test_binding(void)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	AUTO(config_free)
	struct config *config =
		configure("{actions: allocate, tiers: [{plugins: [{name: gang}]}]}");
	struct session *ssn;
	struct task *task;

	add_node(c, "n1", 4);
	add_queue(c, "default");
	add_group(c, "g", 1, "default");
	add_pod(c, "g", 0, NULL, "{cpu: \"1\"}");
	ssn = session_run(c, config, 0, NULL);
	task = task_of(c, "g-w-0");
	ok(ssn->decisions.binds == 1 && task->status == TASK_BINDING,
	   "a bound task is being bound");
	session_free(ssn);
	add_pod(c, "g", 0, NULL, "{cpu: \"1\"}");
	ok(task->status == TASK_BINDING && holds(c), "old news does not change that");
	cluster_bind_failed(c, task);
	ok(task->status == TASK_PENDING && capacity_of(c, CAPACITY_IDLE, "n1", DIM_CPU) == 4000,
	   "a failure gives the capacity back");
	ssn = session_run(c, config, 0, NULL);
	ok(ssn->decisions.binds == 1, "and the next cycle tries again");
	session_free(ssn);
	add_pod(c, "g", 0, "n1", "{cpu: \"1\"}");
	ok(task->status == TASK_RUNNING && holds(c), "then it runs");
	ok(map_len(c->tasks) == 1, "as the same task");
}

static void test_classes(void)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	const struct class *first;

	add_node(c, "n1", 4);
	add_queue(c, "default");
	add_group(c, "g", 1, "default");
	for (int i = 0; i < 3; i++)
		add_pod(c, "g", i, NULL, "{cpu: \"1\"}");
	first = task_of(c, "g-w-0")->class;
	ok(first == task_of(c, "g-w-2")->class,
	   "pods that differ in a label that no selector uses are of one class");
	(void)apply(c, "{kind: Pod, metadata: {name: lone, namespace: default}, spec: {"
		       "schedulerName: volcano, affinity: {podAntiAffinity: {"
		       "requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {"
		       "matchLabels: {index: \"1\"}}, topologyKey: kubernetes.io/hostname}]}}, "
		       "containers: [{name: c}]}}");
	cluster_settle(c);
	ok(task_of(c, "g-w-0")->class != task_of(c, "g-w-1")->class,
	   "once a selector does, they are distinguished");
	ok(task_of(c, "g-w-1")->class->terms->matched.len == 1 && holds(c),
	   "and the one that is meant counts");
	cluster_remove(c, CLUSTER_POD, STR("default"), STR("lone"));
	ok(task_of(c, "g-w-1")->class->terms->matched.len == 0 && holds(c),
	   "as long as there is who means it");
}

/* As the job controller makes it: minimums of roles, and minResources with names that quotas know. */
static void add_vcjob_group(struct cluster *c, int i, const char *phase)
{
	(void)apply(c,
		    "{kind: PodGroup, metadata: {name: v%d, namespace: default, uid: v%d}, spec: {"
		    "minMember: 1, minTaskMember: {w: 1}, queue: default, minResources: {cpu: "
		    "\"1\", requests.cpu: \"1\", count/pods: \"1\"}}, status: {phase: %s}}",
		    i, i, phase);
}

static void test_job_groups(void)
{
	enum { OUTSIDE = 6, INSIDE = 6 };
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	AUTO(config_free) struct config *config = configure(config_builtin);

	add_queue(c, "default");
	add_node(c, "n1", 1);
	add_group(c, "g", 1, "default");
	add_pod(c, "g", 0, "n1", "{cpu: \"1\"}");
	for (int i = 0; i < OUTSIDE + INSIDE; i++)
		add_vcjob_group(c, i, i < OUTSIDE ? "Pending" : "Inqueue");
	for (int i = OUTSIDE; i < OUTSIDE + INSIDE; i++)
		(void)apply(
			c,
			"{kind: Pod, metadata: {name: v%d-w-0, namespace: default, uid: p%d, "
			"annotations: {scheduling.k8s.io/group-name: v%d, volcano.sh/task-spec: "
			"w}}, spec: {schedulerName: volcano, containers: [{name: c, resources: "
			"{requests: {cpu: \"1\"}}}]}, status: {phase: Pending}}",
			i, i, i);
	session_free(session_run(c, config, 0, NULL));
	ok(c->group_count == OUTSIDE + INSIDE && c->blocked_count == 0 && holds(c),
	   "identical groups of Volcano Jobs are blocked together");
	ok(map_len(c->job_groups) == 2, "those that are admitted, and those that are not");
	cluster_remove(c, CLUSTER_POD, STR("default"), STR("g-w-0"));
	ok(cluster_is_idle(c) == false && c->active_count <= 1,
	   "freed capacity does not unblock them all");
	session_free(session_run(c, config, 0, NULL));
	ok(c->group_count == OUTSIDE + INSIDE - 1 && holds(c), "but the one that can have it");
}

/* The second task of a gang of two. */
static void add_second(struct cluster *c, const char *more, int cpu)
{
	(void)apply(
		c,
		"{kind: Pod, metadata: {name: g-w-1, namespace: default, uid: g-1, annotations: "
		"{scheduling.k8s.io/group-name: g}}, spec: {schedulerName: volcano, %s "
		"containers: [{name: c, resources: {requests: {cpu: %d}}}]}, status: {phase: "
		"Pending}}",
		more, cpu);
}

static void test_other_choice(void)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	AUTO(config_free) struct config *config = configure(config_builtin);

	add_queue(c, "default");
	add_node(c, "n1", 1);
	add_node(c, "n2", 4);
	add_group(c, "busy", 1, "default");
	add_pod(c, "busy", 0, "n2", "{cpu: \"3\"}");
	add_group(c, "g", 2, "default");
	add_pod(c, "g", 0, NULL, "{cpu: \"1\"}");
	add_second(c, "", 2);
	session_free(session_run(c, config, 0, NULL));
	ok(c->blocked_count == 1 && c->active_count == 0 && holds(c),
	   "a gang of two kinds is blocked if one of them does not fit");
	add_second(c, "nodeSelector: {kubernetes.io/hostname: n1},", 1);
	session_free(session_run(c, config, 0, NULL));
	ok(task_of(c, "g-w-1")->status == TASK_PENDING && c->active_count == 1 && holds(c),
	   "not where the first took the only capacity of the second");
}

static void count_opens(void *arg, enum session_mark mark, const char *name)
{
	(void)name;
	if (mark == MARK_OPEN)
		++*(int *)arg;
}

/* Does a cycle look at anything? */
static bool looks(struct cluster *c, struct config *config, bool refresh)
{
	int opens = 0;
	const struct session_options options = {
		.mark = count_opens, .mark_arg = &opens, .refresh = refresh};

	session_free(session_run(c, config, 0, &options));
	return opens > 0;
}

static void test_standstill(void)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	AUTO(config_free)
	struct config *config = configure("actions: \"enqueue, allocate, preempt\"\n"
					  "tiers:\n- plugins: [{name: priority}, {name: gang}, "
					  "{name: predicates}]\n");
	struct task *task;

	add_queue(c, "default");
	add_node(c, "n1", 1);
	add_group(c, "g", 1, "default");
	add_pod(c, "g", 0, NULL, "{cpu: \"2\"}");
	ok(looks(c, config, true) && looks(c, config, true),
	   "a cycle that decides is followed by one");
	ok(!looks(c, config, true) && c->active_count == 1,
	   "after one that did not, no job is tried, even if an action evicts");
	add_node(c, "n1", 1);
	ok(!looks(c, config, true), "a node that says that it is there as it was changes nothing");
	add_node(c, "n1", 2);
	ok(looks(c, config, true), "more capacity does");
	task = task_of(c, "g-w-0");
	ok(task->status == TASK_BINDING, "and is taken");
	cluster_bind_failed(c, task);
	ok(looks(c, config, true), "a binding that failed is an event");
}

/* A node with so much of something, and enough of all else. */
static void add_rich_node(struct cluster *c, const char *name, const char *what, int amount)
{
	static const char *const names[] = {"cpu", "memory", "x.com/gpu"};
	int amounts[] = {64, 64, 64};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], what) == 0)
			amounts[i] = amount;
	(void)apply(c,
		    "{kind: Node, metadata: {name: %s}, status: {allocatable: {cpu: %d, memory: "
		    "%d, pods: 110, x.com/gpu: %d}}}",
		    name, amounts[0], amounts[1], amounts[2]);
}

static void test_doze(const char *what)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	AUTO(config_free) struct config *config = configure(config_builtin);
	AUTO(mem_free) char *one = mem_printf("{%s: 1}", what);
	AUTO(mem_free) char *two = mem_printf("{%s: 2}", what);
	AUTO(mem_free) char *three = mem_printf("{%s: 3}", what);

	add_queue(c, "default");
	add_rich_node(c, "n1", what, 4);
	add_group(c, "busy", 1, "default");
	for (int i = 0; i < 4; i++)
		add_pod(c, "busy", i, "n1", one);
	add_group(c, "two", 1, "default");
	add_pod(c, "two", 0, NULL, two);
	add_group(c, "three", 1, "default");
	add_pod(c, "three", 0, NULL, three);
	session_free(session_run(c, config, 0, NULL));
	cluster_remove(c, CLUSTER_POD, STR("default"), STR("busy-w-0"));
	cluster_remove(c, CLUSTER_POD, STR("default"), STR("busy-w-1"));
	session_free(session_run(c, config, 0, NULL));
	ok(task_of(c, "two-w-0")->status == TASK_BINDING && holds(c),
	   "capacity goes to the job that can use it");
	ok(cluster_find_job(c, STR("default"), STR("three"))->looked != c->moves,
	   "who asks for more %s than any node has is not looked at", what);
	ok(looks(c, config, true), "until there is time");
	ok(cluster_find_job(c, STR("default"), STR("three"))->looked == c->moves && holds(c),
	   "so that what it reports is true");
	(void)looks(c, config, true);
	ok(!looks(c, config, true) && c->refreshed == c->moves, "once");
	add_rich_node(c, "n2", what, 3);
	session_free(session_run(c, config, 0, NULL));
	ok(task_of(c, "three-w-0")->status == TASK_BINDING && holds(c), "a larger node helps it");
}

int main(void)
{
	test_nodes();
	test_aside();
	test_dimensions();
	test_jobs();
	test_queues();
	test_binding();
	test_classes();
	test_job_groups();
	test_other_choice();
	test_standstill();
	test_doze("cpu");
	test_doze("memory");
	test_doze("x.com/gpu");
	return tap_done();
}
