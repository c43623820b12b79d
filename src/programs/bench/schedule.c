/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/schedule.c - decisions of the scheduler, with its default configuration and its real
 * actions and plugins; nothing is bound.
 *
 *	place		gangs of equal pods on empty nodes: a pod
 *	different	the same where every pod asks for something else
 *	spread		pods that keep away from their like, and spread over zones: a pod
 *	gang		one gang of 1,000: the whole cycle
 *	full		a cycle in which no gang finds room: a gang
 *	idle		a cycle with nothing to do while every pod runs
 *	event		a pod comes and goes while every pod runs: one of both
 *
 * The model is checked after each phase. */
#include "base/buf.h"
#include "base/mem.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"
#include "sched/session.h"

#include "base/banned.h"

enum { ZONES = 10, GANG = 1000, CPUS = 64, PODS_PER_NODE = 110 };

struct scene {
	struct bench_run *run;
	struct cluster *cluster;
	struct config *config;
	size_t nodes, pods, gang;
	int64_t now;
};

/* --- making ---------------------------------------------------------------------------------- */

static void apply(struct scene *scene, enum cluster_kind kind, const struct buf *text)
{
	struct err err = {0};
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(buf_str(text), NULL, &err);

	bench_require(doc, &err);
	bench_require(cluster_apply(scene->cluster, kind, doc, &err) == 0, &err);
}

static void add_node(struct scene *scene, size_t i)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);

	buf_printf(&text,
		   "{\"metadata\":{\"name\":\"node-%05zu\",\"labels\":{\"kubernetes.io/hostname\":"
		   "\"node-%05zu\",\"zone\":\"zone-%zu\",\"kubernetes.io/arch\":\"amd64\"}},"
		   "\"status\":{\"allocatable\":{\"cpu\":\"%d\",\"memory\":\"256Gi\",\"pods\":"
		   "\"%d\",\"nvidia.com/gpu\":\"8\"}}}",
		   i, i, i % ZONES, CPUS, PODS_PER_NODE);
	apply(scene, CLUSTER_NODE, &text);
}

static void add_group(struct scene *scene, const char *name, size_t i, size_t min)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);

	buf_printf(&text,
		   "{\"metadata\":{\"name\":\"%s-%zu\",\"namespace\":\"bench\",\"uid\":\"%s-%zu\"},"
		   "\"spec\":{\"minMember\":%zu,\"queue\":\"default\"},\"status\":{\"phase\":"
		   "\"Inqueue\"}}",
		   name, i, name, i, min);
	apply(scene, CLUSTER_PODGROUP, &text);
}

/* How a pod differs from the others. */
enum pod_kind { POD_EQUAL, POD_DIFFERENT, POD_SPREAD, POD_BIG };

static void put_pod(struct buf *text, const char *name, size_t group, size_t i, enum pod_kind kind)
{
	size_t more = kind == POD_DIFFERENT ? i : 0;

	buf_printf(text,
		   "{\"metadata\":{\"name\":\"%s-%zu-%zu\",\"namespace\":\"bench\",\"uid\":"
		   "\"0b0e7c3a-97d3-4f5e-8c1d-%012zu\",\"creationTimestamp\":"
		   "\"2026-01-01T00:00:00Z\",\"labels\":{\"app\":\"%s\","
		   "\"volcano.sh/job-name\":\"%s-%zu\",\"volcano.sh/task-index\":\"%zu\"},"
		   "\"annotations\":{\"scheduling.k8s.io/group-name\":\"%s-%zu\","
		   "\"volcano.sh/task-spec\":\"worker\"}},\"spec\":{\"schedulerName\":\"volcano\",",
		   name, group, i, i, name, name, group, i, name, group);
	if (kind == POD_SPREAD)
		buf_puts(text, "\"affinity\":{\"podAntiAffinity\":{"
			       "\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
			       "\"labelSelector\":{\"matchLabels\":{\"app\":\"spread\"}},"
			       "\"topologyKey\":\"kubernetes.io/hostname\"}]}},"
			       "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":"
			       "\"zone\",\"whenUnsatisfiable\":\"DoNotSchedule\","
			       "\"labelSelector\":{\"matchLabels\":{\"app\":\"spread\"}}}],");
	buf_printf(
		text,
		"\"containers\":[{\"name\":\"c\",\"image\":\"bench\",\"resources\":{\"requests\":"
		"{\"cpu\":\"%zum\",\"memory\":\"%zuMi\"}}}]},\"status\":{\"phase\":\"Pending\"}}",
		kind == POD_BIG ? (size_t)(CPUS + 1) * 1000 : 1000 + more % 977,
		1024 + more % 1021);
}

static void add_pods(struct scene *scene, const char *name, size_t count, size_t gang,
		     enum pod_kind kind)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);

	for (size_t i = 0; i < count; i++) {
		if (i % gang == 0)
			add_group(scene, name, i / gang, count - i < gang ? count - i : gang);
		buf_clear(&text);
		put_pod(&text, name, i / gang, i, kind);
		apply(scene, CLUSTER_POD, &text);
	}
}

static void scene_init(struct scene *scene, struct bench_run *run)
{
	static const char *const queues[] = {"root", "default"};
	struct err err = {0};

	*scene = (struct scene){.run = run, .now = INT64_C(1700000000000000)};
	scene->nodes =
		bench_option(run, "nodes") ? (size_t)bench_option(run, "nodes") : bench_size(run);
	scene->gang = (size_t)bench_option(run, "gang");
	scene->pods =
		bench_option(run, "pods") ? (size_t)bench_option(run, "pods") : 4 * scene->nodes;
	scene->cluster = cluster_new(NULL);
	scene->config = config_parse(str_from(config_builtin), 1, &err);
	bench_require(scene->config, &err);
	for (size_t i = 0; i < ARRAY_LEN(queues); i++) {
		AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);

		buf_printf(&text,
			   "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"weight\":1},\"status\":{"
			   "\"state\":\"Open\"}}",
			   queues[i]);
		apply(scene, CLUSTER_QUEUE, &text);
	}
	for (size_t i = 0; i < scene->nodes; i++)
		add_node(scene, i);
}

static void scene_done(struct scene *scene)
{
	cluster_free(scene->cluster);
	config_free(scene->config);
}

static void check(const struct scene *scene)
{
	AUTO(mem_free) char *wrong = cluster_check(scene->cluster);
	struct err err = {0};

	if (wrong)
		(void)err_set(&err, ERR_INTERNAL, "%s", wrong);
	bench_require(!wrong, &err);
}

/* --- measuring ------------------------------------------------------------------------------- */

/* A cycle that must bind this many; then all of them wait again. */
static void cycle(struct scene *scene, size_t binds)
{
	AUTO(session_free) struct session *ssn = NULL;
	struct err err = {0};

	ssn = session_run(scene->cluster, scene->config, scene->now, NULL);
	bench_pause(scene->run);
	if (ssn->outcome.binds != binds)
		(void)err_set(&err, ERR_INTERNAL, "%zu pods were bound, not %zu",
			      ssn->outcome.binds, binds);
	bench_require(ssn->outcome.binds == binds, &err);
	for (size_t i = 0; i < ssn->outcome.decisions.len; i++)
		if (ssn->outcome.decisions.ptr[i].kind == DECIDE_BIND)
			cluster_bind_failed(scene->cluster, ssn->outcome.decisions.ptr[i].task);
	bench_resume(scene->run);
}

static void measure(struct bench_run *run, const char *phase, enum pod_kind kind, size_t pods,
		    size_t gang)
{
	struct scene scene;

	scene_init(&scene, run);
	pods = pods ? pods : scene.pods;
	add_pods(&scene, kind == POD_SPREAD ? "spread" : "job", pods, gang ? gang : scene.gang,
		 kind);
	bench_phase(run, phase);
	while (bench_round(run, gang == GANG ? 1 : pods))
		cycle(&scene, kind == POD_BIG ? 0 : pods);
	check(&scene);
	scene_done(&scene);
}

static void measure_full(struct bench_run *run)
{
	struct scene scene;
	size_t gangs;

	scene_init(&scene, run);
	gangs = (scene.pods + scene.gang - 1) / scene.gang;
	add_pods(&scene, "job", scene.pods, scene.gang, POD_BIG);
	/* What is told for the first time. */
	session_free(session_run(scene.cluster, scene.config, scene.now, NULL));
	bench_phase(run, "full");
	while (bench_round(run, gangs))
		cycle(&scene, 0);
	check(&scene);
	scene_done(&scene);
}

/* Every pod runs: what a cycle and an event cost then, and what it all weighs. */
static void bind_all(struct scene *scene)
{
	size_t at = 0, i = 0;
	void *value;

	while (map_next(scene->cluster->tasks, &at, NULL, &value)) {
		const struct task *task = value;
		AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);
		AUTO(json_doc_unref) struct json_doc *doc = NULL;
		struct json root;

		put_pod(&text, "job", i / scene->gang, i, POD_EQUAL);
		doc = json_parse(buf_str(&text), NULL, NULL);
		bench_require(doc, NULL);
		{
			AUTO(json_doc_unref)
			struct json_doc *made = json_doc_thaw(json_doc_root(doc));
			struct err err = {0};

			root = json_doc_root(made);
			json_set(made, json_get(root, "spec"), STR("nodeName"),
				 json_new_printf(made, "node-%05zu", i % scene->nodes));
			json_set_str(made, json_get(root, "status"), "phase", STR("Running"));
			bench_require(cluster_apply(scene->cluster, CLUSTER_POD, made, &err) == 0,
				      &err);
		}
		bench_use(task);
		i++;
	}
}

static void measure_running(struct bench_run *run)
{
	struct scene scene;
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct cluster_bytes bytes;
	size_t heap = bench_heap(), with_nodes;

	scene_init(&scene, run);
	with_nodes = bench_heap();
	bench_value(run, "bytes_per_node", (double)(with_nodes - heap) / (double)scene.nodes);
	scene.pods = bench_option(run, "pods") ? scene.pods : 10 * scene.nodes;
	add_pods(&scene, "job", scene.pods, scene.gang, POD_EQUAL);
	bench_value(run, "bytes_per_pod", (double)(bench_heap() - with_nodes) / (double)scene.pods);
	bytes = cluster_bytes(scene.cluster);
	bench_use(&bytes);
	bind_all(&scene);
	for (int i = 0; i < 3; i++)
		session_free(session_run(scene.cluster, scene.config, scene.now, NULL));
	bench_phase(run, "idle");
	while (bench_round(run, 1))
		session_free(session_run(scene.cluster, scene.config, scene.now, NULL));
	put_pod(&text, "job", 0, scene.pods, POD_EQUAL);
	doc = json_parse(buf_str(&text), NULL, NULL);
	bench_phase(run, "event");
	while (bench_round(run, 2)) {
		bench_require(cluster_apply(scene.cluster, CLUSTER_POD, doc, NULL) == 0, NULL);
		cluster_remove(
			scene.cluster, CLUSTER_POD, STR("bench"),
			json_str(json_get(json_get(json_doc_root(doc), "metadata"), "name")));
	}
	check(&scene);
	scene_done(&scene);
}

void bench_schedule(struct bench_run *run)
{
	enum { SPREAD_SHARE = 4 };
	size_t nodes =
		bench_option(run, "nodes") ? (size_t)bench_option(run, "nodes") : bench_size(run);

	measure(run, "place", POD_EQUAL, 0, 0);
	bench_value(run, "pods_per_second", 1e9 / bench_cost(run, "place_ns"));
	measure(run, "different", POD_DIFFERENT, 0, 0);
	bench_value(run, "different_pods_per_second", 1e9 / bench_cost(run, "different_ns"));
	measure(run, "spread", POD_SPREAD, nodes / SPREAD_SHARE + 1, nodes / SPREAD_SHARE + 1);
	measure(run, "gang", POD_EQUAL, nodes * CPUS < GANG ? nodes : GANG, GANG);
	measure_full(run);
	measure_running(run);
	bench_value(run, "cycle_us", bench_cost(run, "idle_ns") / 1000);
}
