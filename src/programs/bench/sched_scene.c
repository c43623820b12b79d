/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/sched_scene.c - see the header. */
#include "programs/bench/sched_scene.h"

#include "base/buf.h"
#include "base/mem.h"

#include "base/banned.h"

size_t scene_nodes(struct bench_run *run)
{
	return bench_option(run, "nodes") ? (size_t)bench_option(run, "nodes") : bench_size(run);
}

void scene_require(bool good, const char *text)
{
	struct err err = {0};

	if (!good)
		(void)err_set(&err, ERR_INTERNAL, "%s", text);
	bench_require(good, &err);
}

static struct json_doc *parse(const struct buf *text)
{
	struct err err = {0};
	struct json_doc *doc = json_parse(buf_str(text), NULL, &err);

	bench_require(doc, &err);
	return doc;
}

static void apply(struct scene *scene, enum cluster_kind kind, const struct buf *text)
{
	AUTO(json_doc_unref) struct json_doc *doc = parse(text);
	struct err err = {0};

	bench_require(cluster_apply(scene->cluster, kind, doc, &err) == 0, &err);
}

/* --- nodes, queues, classes ------------------------------------------------------------------ */

static void add_node(struct scene *scene, size_t i)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);

	buf_printf(&text,
		   "{\"metadata\":{\"name\":\"node-%05zu\",\"labels\":{\"kubernetes.io/hostname\":"
		   "\"node-%05zu\",\"zone\":\"zone-%zu\",\"kubernetes.io/arch\":\"amd64\"}},"
		   "\"status\":{\"allocatable\":{\"cpu\":\"%d\",\"memory\":\"%dGi\",\"pods\":"
		   "\"%d\",\"nvidia.com/gpu\":\"8\"}}}",
		   i, i, i % SCENE_ZONES, SCENE_CPUS, SCENE_GIB, SCENE_SLOTS);
	apply(scene, CLUSTER_NODE, &text);
}

static void add_queue(struct scene *scene, const char *name)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);

	buf_printf(&text,
		   "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"weight\":1,\"reclaimable\":true},"
		   "\"status\":{\"state\":\"Open\"}}",
		   name);
	apply(scene, CLUSTER_QUEUE, &text);
}

void scene_add_queues(struct scene *scene, const char *name, size_t count)
{
	if (!count)
		add_queue(scene, name);
	for (size_t i = 0; i < count; i++) {
		AUTO(mem_free) char *numbered = mem_printf("%s-%zu", name, i);

		add_queue(scene, numbered);
	}
}

void scene_add_class(struct scene *scene, const char *name, int value)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);

	buf_printf(&text, "{\"metadata\":{\"name\":\"%s\"},\"value\":%d}", name, value);
	apply(scene, CLUSTER_PRIORITYCLASS, &text);
}

/* --- gangs ----------------------------------------------------------------------------------- */

static void add_group(struct scene *scene, const struct scene_gangs *gangs, size_t gang)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);
	size_t left = gangs->pods - gang * gangs->size;
	size_t size = left < gangs->size ? left : gangs->size;

	buf_printf(&text,
		   "{\"metadata\":{\"name\":\"%s-%zu\",\"namespace\":\"bench\",\"uid\":\"%s-%zu\"},"
		   "\"spec\":{\"minMember\":%zu,\"queue\":\"%s",
		   gangs->name, gang, gangs->name, gang, gangs->min ? gangs->min : size,
		   gangs->queue ? gangs->queue : "default");
	if (gangs->queues)
		buf_printf(&text, "-%zu", gang % gangs->queues);
	buf_printf(&text, "\",\"priorityClassName\":\"%s\"", gangs->class ? gangs->class : "");
	if (gangs->group)
		buf_printf(&text,
			   ",\"subGroupPolicy\":[{\"name\":\"group\",\"subGroupSize\":%zu,"
			   "\"minSubGroups\":%zu,\"matchLabelKeys\":[\"group\"]}]",
			   gangs->group, size / gangs->group);
	if (gangs->tier)
		buf_printf(&text,
			   ",\"networkTopology\":{\"mode\":\"hard\",\"highestTierAllowed\":%d}",
			   gangs->tier);
	buf_printf(&text, "},\"status\":{\"phase\":\"%s\"}}",
		   gangs->running ? "Running" : "Inqueue");
	apply(scene, CLUSTER_PODGROUP, &text);
}

/* HyperNodes of one tier, and what their members are called. */
struct level {
	const char *name;
	int tier;
	const char *type;
	const char *member;
	int digits; /* of the numbers of members */
};

static void add_domain(struct scene *scene, const struct level *level, size_t n, size_t from,
		       size_t to)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);

	buf_printf(&text, "{\"metadata\":{\"name\":\"%s-%zu\"},\"spec\":{\"tier\":%d,\"members\":[",
		   level->name, n, level->tier);
	for (size_t i = from; i < to; i++)
		buf_printf(
			&text,
			"%s{\"type\":\"%s\",\"selector\":{\"exactMatch\":{\"name\":\"%s-%0*zu\"}}"
			"}",
			i > from ? "," : "", level->type, level->member, level->digits, i);
	buf_puts(&text, "]}}");
	apply(scene, CLUSTER_HYPERNODE, &text);
}

void scene_add_racks(struct scene *scene, size_t racks)
{
	static const struct level rack = {"rack", 1, "Node", "node", 5};
	static const struct level spine = {"spine", 2, "HyperNode", "rack", 1};
	static const struct level top = {"top", 3, "HyperNode", "spine", 1};

	enum { RACKS_A_SPINE = 10 };
	size_t spines = (racks + RACKS_A_SPINE - 1) / RACKS_A_SPINE;

	for (size_t i = 0; i < racks; i++)
		add_domain(scene, &rack, i, i * scene->nodes / racks,
			   (i + 1) * scene->nodes / racks);
	for (size_t i = 0; i < spines; i++)
		add_domain(scene, &spine, i, i * RACKS_A_SPINE,
			   (i + 1) * RACKS_A_SPINE < racks ? (i + 1) * RACKS_A_SPINE : racks);
	add_domain(scene, &top, 0, 0, spines);
}

static const char apart[] =
	"\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
	"\"labelSelector\":{\"matchLabels\":{\"app\":\"apart\"}},\"topologyKey\":"
	"\"kubernetes.io/hostname\"}]}},\"topologySpreadConstraints\":[{\"maxSkew\":1,"
	"\"topologyKey\":\"zone\",\"whenUnsatisfiable\":\"DoNotSchedule\",\"labelSelector\":{"
	"\"matchLabels\":{\"app\":\"apart\"}}}],";

static void put_pod(const struct scene *scene, struct buf *text, const struct scene_gangs *gangs,
		    size_t i)
{
	size_t gang = i / gangs->size, more = gangs->wish == WISH_DIFFERENT ? i : 0;

	buf_printf(text,
		   "{\"metadata\":{\"name\":\"%s-%zu-%zu\",\"namespace\":\"bench\",\"uid\":"
		   "\"0b0e7c3a-97d3-4f5e-8c1d-%012zu\",\"creationTimestamp\":"
		   "\"2026-01-01T00:00:00Z\",\"labels\":{\"app\":\"%s\",\"group\":\"%zu\","
		   "\"volcano.sh/job-name\":\"%s-%zu\",\"volcano.sh/task-index\":\"%zu\"},"
		   "\"annotations\":{\"scheduling.k8s.io/group-name\":\"%s-%zu\","
		   "\"volcano.sh/task-spec\":\"worker\"}},\"spec\":{\"schedulerName\":\"volcano\",",
		   gangs->name, gang, i, i, gangs->name, gangs->group ? i / gangs->group : 0,
		   gangs->name, gang, i, gangs->name, gang);
	if (gangs->wish == WISH_APART)
		buf_puts(text, apart);
	if (gangs->running)
		buf_printf(text, "\"nodeName\":\"node-%05zu\",", i % scene->nodes);
	buf_printf(
		text,
		"\"containers\":[{\"name\":\"c\",\"image\":\"bench\",\"resources\":{\"requests\":"
		"{\"cpu\":\"%zum\",\"memory\":\"%zuMi\"}}}]},\"status\":{\"phase\":\"%s\"}}",
		(gangs->cpus ? gangs->cpus : 1) * 1000 + more % 977,
		(gangs->gib ? gangs->gib : 1) * 1024 + more % 1021,
		gangs->running ? "Running" : "Pending");
}

struct json_doc *scene_pod(const struct scene *scene, const struct scene_gangs *gangs, size_t index)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);

	put_pod(scene, &text, gangs, index);
	return parse(&text);
}

void scene_add_gangs(struct scene *scene, const struct scene_gangs *gangs)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);

	for (size_t i = 0; i < gangs->pods; i++) {
		if (i % gangs->size == 0)
			add_group(scene, gangs, i / gangs->size);
		buf_clear(&text);
		put_pod(scene, &text, gangs, i);
		apply(scene, CLUSTER_POD, &text);
	}
}

/* --- life ------------------------------------------------------------------------------------ */

void scene_init(struct scene *scene, struct bench_run *run, size_t nodes, const char *config)
{
	struct err err = {0};

	*scene = (struct scene){.run = run, .nodes = nodes, .now = INT64_C(1700000000000000)};
	scene->cluster = cluster_new(NULL);
	scene->config = config_parse(str_from(config ? config : config_builtin), 1, &err);
	bench_require(scene->config, &err);
	add_queue(scene, "root");
	add_queue(scene, "default");
	for (size_t i = 0; i < scene->nodes; i++)
		add_node(scene, i);
}

void scene_done(struct scene *scene)
{
	cluster_free(scene->cluster);
	config_free(scene->config);
}

void scene_check(const struct scene *scene)
{
	AUTO(mem_free) char *wrong = cluster_check(scene->cluster);

	scene_require(!wrong, wrong);
}

/* --- cycles ---------------------------------------------------------------------------------- */

static void take_back(struct scene *scene, const struct decision *d)
{
	if (d->kind == DECIDE_BIND)
		cluster_bind_failed(scene->cluster, d->task);
	else if (d->kind == DECIDE_EVICT)
		cluster_evict_failed(scene->cluster, d->task);
}

void scene_stir(struct scene *scene)
{
	scene->cluster->events++;
	cluster_unblock(scene->cluster);
}

void scene_cycle(struct scene *scene, size_t binds, size_t evictions)
{
	AUTO(session_free) struct session *ssn = NULL;
	const struct decisions *decisions;

	ssn = session_run(scene->cluster, scene->config, scene->now, NULL);
	bench_pause(scene->run);
	decisions = &ssn->decisions;
	if (decisions->binds != binds || decisions->evictions != evictions) {
		AUTO(mem_free)
		char *text = mem_printf("%zu pods were bound and %zu evicted, not %zu and %zu",
					decisions->binds, decisions->evictions, binds, evictions);

		scene_require(false, text);
	}
	for (size_t i = 0; i < decisions->all.len; i++)
		take_back(scene, &decisions->all.ptr[i]);
	bench_resume(scene->run);
}
