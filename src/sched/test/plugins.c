/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins one by one: what they make of their arguments, and the scores that they give. What they do
 * to a cluster is in test/data/sched/plugin. */
#include <math.h>

#include "build.h"
#include "sched/place/finder.h"
#include "tap.h"

#include "base/banned.h"

/* A configuration with one plugin and nothing else; `rest` comes after its name. */
static struct config *alone(const char *name, const char *rest, struct err *err)
{
	AUTO(mem_free)
	char *text =
		mem_printf("{actions: allocate, tiers: [{plugins: [{name: %s%s}]}]}", name, rest);
	static uint64_t number = 1000;

	return config_parse(str_from(text), ++number, err);
}

static void refuses(const char *name, const char *rest, const char *why)
{
	struct err err = {0};
	AUTO(config_free) struct config *config = alone(name, rest, &err);

	ok(!config, "%s%s is refused", name, rest);
	is(err.text, why);
}

static void notes(const char *name, const char *rest, size_t count)
{
	struct err err = {0};
	AUTO(config_free) struct config *config = alone(name, rest, &err);

	ok(config && config->notes.len == count, "%s%s is read, with %zu notes %s", name, rest,
	   count, err.text);
}

/* Of one task on one node. */
static double score(struct session *ssn, const char *task, const char *node)
{
	struct node_info *info = cluster_find_node(ssn->cluster, str_from(node));
	double ret = 0;

	finder_score(ssn, task_of(ssn->cluster, task), &info, 1, &ret);
	return ret;
}

static void scores(struct session *ssn, const char *task, const char *node, double want)
{
	double have = score(ssn, task, node);

	ok(fabs(have - want) < 0.01, "%s on %s scores %g (%g)", task, node, want, have);
}

static void finds(struct session *ssn, const char *task, const char *node, verdict want)
{
	verdict have =
		finder_test(ssn, task_of(ssn->cluster, task),
			    cluster_find_node(ssn->cluster, str_from(node)), CAPACITY_FUTURE);

	ok(verdict_codes(have) == want, "%s on %s: %llx (%llx)", task, node,
	   (unsigned long long)want, (unsigned long long)verdict_codes(have));
}

/* --- nodegroup ------------------------------------------------------------------------------- */

static const char *const node_names[] = {"n1", "n2", "n3", "n4", "n5"};

static void add_grouped(struct cluster *cluster, const char *name, const char *group)
{
	(void)apply(cluster,
		    "{kind: Node, metadata: {name: %s, labels: {%s%s}}, status: {allocatable: "
		    "{cpu: 8, memory: 64Gi, pods: 110}}}",
		    name, *group ? "volcano.sh/nodegroup-name: " : "", group);
}

static struct cluster *groups_of_nodes(void)
{
	static const char *const groups[] = {"g1", "g2", "g3", "g4", ""};
	struct cluster *cluster = cluster_new(NULL);

	for (int i = 0; i < 5; i++)
		add_grouped(cluster, node_names[i], groups[i]);
	(void)apply(cluster, "{kind: Queue, metadata: {name: q}, spec: {affinity: {"
			     "nodeGroupAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
			     "[g1, g3], preferredDuringSchedulingIgnoredDuringExecution: [g3]}, "
			     "nodeGroupAntiAffinity: {"
			     "requiredDuringSchedulingIgnoredDuringExecution: [g2, g4], "
			     "preferredDuringSchedulingIgnoredDuringExecution: [g4]}}}, status: "
			     "{state: Open}}");
	add_group(cluster, "g", 1, "q");
	add_pod(cluster, "g", 0, NULL, "{cpu: 1}");
	return cluster;
}

static void test_nodegroup(void)
{
	static const double want[] = {100, 0, 150, -1, 0};
	static const verdict verdicts[] = {0, VERDICT(FIT_GROUP_MISMATCH), 0, 0,
					   VERDICT(FIT_GROUP_LABEL)};
	AUTO(cluster_free) struct cluster *cluster = groups_of_nodes();
	AUTO(config_free) struct config *config = alone("nodegroup", "", NULL);
	AUTO(session_free) struct session *ssn = session_open(cluster, config, 0, NULL);

	for (int i = 0; i < 5; i++) {
		scores(ssn, "g-w-0", node_names[i], want[i]);
		finds(ssn, "g-w-0", node_names[i], verdicts[i]);
	}
	session_close(ssn);
	notes("nodegroup", ", arguments: {strict: 7}", 1);
	notes("nodegroup", ", arguments: {strict: f, enablePreferredOrder: \"true\"}", 0);
}

static void test_nodegroup_order(void)
{
	AUTO(cluster_free) struct cluster *cluster = cluster_new(NULL);
	AUTO(config_free)
	struct config *config =
		alone("nodegroup", ", arguments: {enablePreferredOrder: true}", NULL);
	struct session *ssn;

	add_grouped(cluster, "n1", "g1");
	add_grouped(cluster, "n3", "g3");
	(void)apply(cluster, "{kind: Queue, metadata: {name: q}, spec: {affinity: {"
			     "nodeGroupAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
			     "[g1, g3]}}}, status: {state: Open}}");
	add_group(cluster, "g", 1, "q");
	add_pod(cluster, "g", 0, NULL, "{cpu: 1}");
	ssn = session_open(cluster, config, 0, NULL);
	scores(ssn, "g-w-0", "n1", 50);
	scores(ssn, "g-w-0", "n3", 25);
	session_close(ssn);
	session_free(ssn);
}

/* --- sla ------------------------------------------------------------------------------------- */

static void test_sla(void)
{
	notes("sla", ", arguments: {sla-waiting-time: 1h2m3s4ms5us6ns}", 0);
	notes("sla", ", arguments: {sla-waiting-time: 5}", 1);
	notes("sla", ", arguments: {sla-waiting-time: \"\"}", 1);
	notes("sla", ", arguments: {sla-waiting-time: 1d}", 1);
	notes("sla", ", arguments: {sla-waiting-time: 0s}", 1);
	refuses("sla", ", enableJobOrder: 1",
		"tiers[0].plugins[0]: sla: enableJobOrder: must be true or false");
}

/* --- others without scores of their own ------------------------------------------------------- */

static void test_arguments(void)
{
	notes("task-topology", ", arguments: {task-topology.weight: 10}", 0);
	notes("task-topology", ", arguments: {task-topology.weight: heavy}", 1);
	notes("pdb", "", 0);
	notes("cdp", "", 0);
	notes("resourcequota", "", 0);
	notes("drf", ", enableHierarchy: true", 0);
}

/* --- resource-strategy-fit -------------------------------------------------------------------- */

static void test_fit_arguments(void)
{
	static const char name[] = "resource-strategy-fit";

	notes(name, "", 0);
	notes(name, ", arguments: {resourceStrategyFitWeight: -1, sra: {}, proportional: null}", 0);
	notes(name, ", arguments: {resources: {\"*\": {}, \"a*b\": {}, \"a/*\": {}}}", 2);
	refuses(name, ", arguments: {resourceStrategyFitWeight: much}",
		"tiers[0].plugins[0]: resource-strategy-fit: argument "
		"resourceStrategyFitWeight: must be a number");
	refuses(name, ", arguments: {resources: [cpu]}",
		"tiers[0].plugins[0]: resource-strategy-fit: argument resources: must be an object "
		"of objects {type, weight}");
	refuses(name, ", arguments: {resources: {cpu: MostAllocated}}",
		"tiers[0].plugins[0]: resource-strategy-fit: argument resources: must be an object "
		"of objects {type, weight}");
	refuses(name, ", arguments: {resources: {cpu: {weight: heavy}}}",
		"tiers[0].plugins[0]: resource-strategy-fit: argument resources.weight: must be a "
		"number");
	refuses(name, ", arguments: {sra: {enable: \"yes\"}}",
		"tiers[0].plugins[0]: resource-strategy-fit: sra: argument enable: must be true or "
		"false");
	refuses(name, ", arguments: {proportional: {enable: true, resources: [gpu]}}",
		"tiers[0].plugins[0]: resource-strategy-fit: proportional: argument resources: "
		"must "
		"be names with commas between them");
	refuses(name,
		", arguments: {proportional: {enable: true, resources: x/gpu, resourceProportion: "
		"{x/gpu.cpu: few}}}",
		"tiers[0].plugins[0]: resource-strategy-fit: argument "
		"proportional.resourceProportion: must be a number");
}

static struct cluster *nodes_with_devices(void)
{
	struct cluster *cluster = cluster_new(NULL);

	(void)apply(cluster, "{kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 4, "
			     "memory: 16Gi, pods: 110, x.com/gpu: 4, x.com/nic: 2}}}");
	(void)apply(cluster, "{kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: 8, "
			     "memory: 16Gi, pods: 110}}}");
	add_queue(cluster, "q");
	add_group(cluster, "g", 1, "q");
	add_pod(cluster, "g", 0, NULL, "{cpu: 1, memory: 4Gi}");
	add_pod(cluster, "g", 1, NULL, "{cpu: 1, x.com/gpu: 1}");
	add_pod(cluster, "g", 2, "n1", "{cpu: 1, x.com/gpu: 1}");
	return cluster;
}

/* Scores of two pods on two nodes under some arguments; -1: not asked. */
static void fits_like(const char *arguments, const double want[4])
{
	AUTO(cluster_free) struct cluster *cluster = nodes_with_devices();
	struct err err = {0};
	AUTO(config_free) struct config *config = alone("resource-strategy-fit", arguments, &err);
	struct session *ssn;

	ok(config, "%s %s", arguments, err.text);
	if (!config)
		return;
	ssn = session_open(cluster, config, 0, NULL);
	for (int i = 0; i < 4; i++)
		if (want[i] >= 0)
			scores(ssn, i < 2 ? "g-w-0" : "g-w-1", node_names[i % 2], want[i]);
	session_close(ssn);
	session_free(ssn);
}

static void test_fit_scores(void)
{
	/* cpu 1 + 1 of 4 and memory 4 of 16; cpu 1 of 8 and memory 4 of 16 */
	fits_like("", (double[]){1000 * (0.5 + 0.75) / 2, 1000 * (0.875 + 0.75) / 2, 500, 875});
	fits_like(", arguments: {resourceStrategyFitWeight: 2, resources: {cpu: {type: "
		  "MostAllocated, weight: 3}, memory: {weight: 1}}}",
		  (double[]){200 * (3 * 0.5 + 0.75) / 4, 200 * (3 * 0.125 + 0.75) / 4, 100, 25});
	/* Exactly the name, then the longest prefix; what a node has nothing of counts for nothing. */
	fits_like(", arguments: {resourceStrategyFitWeight: 1, resources: {x.com/gpu: {type: "
		  "MostAllocated, weight: 1}, \"x.com/*\": {type: LeastAllocated, weight: 5}}}",
		  (double[]){0, 0, 50, 0});
	fits_like(", arguments: {resourceStrategyFitWeight: 1, resources: {\"x*\": {type: "
		  "LeastAllocated}, \"x.com/*\": {type: MostAllocated}}}",
		  (double[]){0, 0, 50, 0});
	fits_like(", arguments: {resourceStrategyFitWeight: 0, sra: {enable: true, weight: 3, "
		  "resources: \"x.com/gpu, x.com/nic\", resourceWeight: {x.com/gpu: 3}}}",
		  (double[]){0, 300, 0, 0});
	fits_like(", arguments: {resourceStrategyFitWeight: 0, sra: {enable: true, weight: 1, "
		  "resources: \"x.com/gpu, y.com/fpga\"}}",
		  (double[]){50, 100, 50, 0});
	fits_like(", arguments: {resourceStrategyFitWeight: 0, sra: {enable: false, weight: 1, "
		  "resources: x.com/gpu}}",
		  (double[]){0, 0, 0, 0});
}

static void test_fit_annotations(void)
{
	static const struct {
		const char *notes;
		double n1, n2;
	} rows[] = {
		{"volcano.sh/resource-strategy-scoring-type: MostAllocated", 0, 0},
		{"volcano.sh/resource-strategy-scoring-type: MostAllocated, "
		 "volcano.sh/resource-strategy-weight: \"{cpu\"",
		 0, 0},
		{"volcano.sh/resource-strategy-scoring-type: MostAllocated, "
		 "volcano.sh/resource-strategy-weight: '{\"cpu\": 1}'",
		 500, 125},
		{"volcano.sh/resource-strategy-scoring-type: LeastAllocated, "
		 "volcano.sh/resource-strategy-weight: '{\"cpu\": 1, \"memory\": 3}'",
		 1000 * (0.5 + 3 * 0.75) / 4, 1000 * (0.875 + 3 * 0.75) / 4},
		{"volcano.sh/resource-strategy-scoring-type: LeastAllocated, "
		 "volcano.sh/resource-strategy-weight: '{\"cpu\": 1.5}'",
		 0, 0},
		{"volcano.sh/resource-strategy-scoring-type: Guess, "
		 "volcano.sh/resource-strategy-weight: '{\"cpu\": 1}'",
		 0, 0},
		{"volcano.sh/resource-strategy-weight: '{\"cpu\": 1}'", 625, 812.5},
	};
	AUTO(cluster_free) struct cluster *cluster = nodes_with_devices();
	AUTO(config_free) struct config *config = alone("resource-strategy-fit", "", NULL);
	struct session *ssn;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		(void)apply(
			cluster,
			"{kind: Pod, metadata: {name: a-%zu, namespace: default, annotations: "
			"{scheduling.k8s.io/group-name: g, %s}}, spec: {schedulerName: volcano, "
			"containers: [{name: c, resources: {requests: {cpu: 1, memory: 4Gi}}}]}}",
			i, rows[i].notes);
	ssn = session_open(cluster, config, 0, NULL);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(mem_free) char *name = mem_printf("a-%zu", i);

		scores(ssn, name, "n1", rows[i].n1);
		scores(ssn, name, "n2", rows[i].n2);
	}
	session_close(ssn);
	session_free(ssn);
}

/* --- binpack --------------------------------------------------------------------------------- */

/* Scheduler specification, scenarios 115 and 116: p1 runs on n1, p2 on n3; each is scored once more. */
static struct cluster *packed_nodes(void)
{
	static const char *const requests[] = {"{cpu: 1, memory: 1Gi}", "{cpu: 1500m}",
					       "{cpu: 2, memory: 10Gi, nvidia.com/gpu: 2}",
					       "{cpu: 3, memory: 4Gi, x.com/foo: 3}"};
	struct cluster *cluster = cluster_new(NULL);

	(void)apply(cluster, "{kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 2, "
			     "memory: 4Gi, pods: 10}}}");
	(void)apply(cluster, "{kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: 4, "
			     "memory: 16Gi, pods: 10, nvidia.com/gpu: 4}}}");
	(void)apply(cluster, "{kind: Node, metadata: {name: n3}, status: {allocatable: {cpu: 2, "
			     "memory: 4Gi, pods: 10, x.com/foo: 16}}}");
	add_queue(cluster, "q");
	add_group(cluster, "g", 1, "q");
	for (int i = 0; i < 4; i++)
		add_pod(cluster, "g", i, NULL, requests[i]);
	add_pod(cluster, "g", 4, "n1", requests[0]);
	add_pod(cluster, "g", 5, "n3", requests[1]);
	return cluster;
}

static void packs_like(const char *arguments, const double want[4][3])
{
	static const char *const nodes[] = {"n1", "n2", "n3"};
	AUTO(cluster_free) struct cluster *cluster = packed_nodes();
	struct err err = {0};
	AUTO(config_free) struct config *config = alone("binpack", arguments, &err);
	struct session *ssn;

	ok(config, "%s %s", arguments, err.text);
	if (!config)
		return;
	ssn = session_open(cluster, config, 0, NULL);
	for (int i = 0; i < 4; i++) {
		AUTO(mem_free) char *name = mem_printf("g-w-%d", i);

		for (int n = 0; n < 3; n++)
			scores(ssn, name, nodes[n], want[i][n]);
	}
	session_close(ssn);
	session_free(ssn);
}

static void test_binpack(void)
{
	packs_like(
		", arguments: {binpack.weight: 10, binpack.cpu: 2, binpack.memory: 3, "
		"binpack.resources: \"nvidia.com/gpu, x.com/foo\", "
		"binpack.resources.nvidia.com/gpu: 7, binpack.resources.x.com/foo: 8}",
		(const double[4][3]){{700, 137.5, 0}, {0, 375, 0}, {0, 531.25, 0}, {0, 173.08, 0}});
	packs_like(", arguments: {binpack.weight: 1, binpack.cpu: 1, binpack.memory: 1, "
		   "binpack.resources: nvidia.com/gpu, binpack.resources.nvidia.com/gpu: 23}",
		   (const double[4][3]){{75, 15.625, 0}, {0, 37.5, 0}, {0, 50.5, 0}, {0, 50, 0}});
}

/* --- a plugin of someone else ------------------------------------------------------------- */

/* The first three that run. */
static void choose_three(const struct plugin *p, struct task_list *to)
{
	LIST_EACH(&cluster_find_job(p->ssn->cluster, STR("default"), STR("g"))->tasks[TASK_RUNNING],
		  struct task, job_link, task)
		if (task->index < 3)
			vec_push(to, task);
}

/* Scheduler specification, scenario 48. */
static void test_shuffle(void)
{
	static const struct plugin_type chooser = {.name = "chooser", .victims = choose_three};
	static const struct plugin_type *const types[] = {&chooser};
	AUTO(cluster_free) struct cluster *cluster = cluster_new(NULL);
	AUTO(config_free)
	struct config *config =
		config_parse_with(STR("{actions: shuffle, tiers: [{plugins: [{name: chooser}]}]}"),
				  1, &(struct plugin_types){types, 1}, NULL);
	struct session *ssn;

	add_node(cluster, "n1", 8);
	add_queue(cluster, "default");
	add_group(cluster, "g", 1, "default");
	for (int i = 0; i < 5; i++)
		add_pod(cluster, "g", i, "n1", "{cpu: 1}");
	ssn = session_run(cluster, config, 0, NULL);
	ok(ssn->decisions.evictions == 3 && task_of(cluster, "g-w-2")->status == TASK_RELEASING &&
		   task_of(cluster, "g-w-3")->status == TASK_RUNNING,
	   "those that a plugin chose are evicted, and no others");
	session_free(ssn);
}

static verdict refuse(const struct plugin *p, const struct task *task, const struct node_info *node)
{
	(void)task;
	(void)node;
	return VERDICT_OF(FIT_OTHER, session_text(p->ssn, "node(s) did not please"));
}

/* What it says about a node is kept while the node does not change, and so are its words. */
static void test_words(void)
{
	static const struct filter_row filters[] = {
		{.name = "picky", .scope = SCOPE_NODE, .test = refuse}, {.name = NULL}};
	static const struct plugin_type picky = {.name = "picky", .filters = filters};
	static const struct plugin_type *const types[] = {&picky};
	AUTO(cluster_free) struct cluster *cluster = cluster_new(NULL);
	AUTO(config_free)
	struct config *config = config_parse_with(
		STR("{actions: allocate, tiers: [{plugins: [{name: gang}, {name: picky}]}]}"), 1,
		&(struct plugin_types){types, 1}, NULL);
	const struct job *job;

	add_node(cluster, "n1", 4);
	add_node(cluster, "n2", 4);
	add_queue(cluster, "default");
	add_group(cluster, "g", 1, "default");
	for (int i = 0; i < 3; i++) {
		add_pod(cluster, "g", i, NULL, "{cpu: 1}"); /* something new to try */
		session_free(session_run(cluster, config, i, NULL));
		job = cluster_find_job(cluster, STR("default"), STR("g"));
		ok(job && job->why && strstr(job->why, "node(s) did not please"), "cycle %d: %s", i,
		   job && job->why ? job->why : "it does not wait");
	}
	for (int i = 0; i < 2000; i++) { /* one that finds ever new words */
		AUTO(session_free) struct session *ssn = session_open(cluster, config, i, NULL);
		AUTO(mem_free) char *text = mem_printf("word %d", i);

		(void)session_text(ssn, text);
		session_close(ssn);
	}
	ok(cluster->texts.len <= 1100, "not all words are kept forever");
	add_pod(cluster, "g", 3, NULL, "{cpu: 1}");
	session_free(session_run(cluster, config, 0, NULL));
	is(job->why ? job->why : "", "node(s) did not please");
}

int main(void)
{
	test_fit_arguments();
	test_fit_scores();
	test_fit_annotations();
	test_nodegroup();
	test_nodegroup_order();
	test_sla();
	test_arguments();
	test_binpack();
	test_shuffle();
	test_words();
	return tap_done();
}
