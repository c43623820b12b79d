/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler under any sequence of events: bytes become a configuration, then nodes, queues, groups, pods
 * and priorities that come, change and go, and cycles between them. After each cycle everything is counted
 * again; what a cycle binds must fit and be whole gangs, and no pod goes that may not. Bindings and
 * evictions are carried out, fail, or stay under way. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/mem.h"
#include "sched/session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte chooses one. */
#define FIRST                                                                                    \
	"\"tiers\": [{\"plugins\": [{\"name\": \"priority\"}, {\"name\": \"gang\"}, {\"name\": " \
	"\"conformance\"}]}, {\"plugins\": [{\"name\": \"predicates\"}, {\"name\": "             \
	"\"nodeorder\"}, "
static const char *const configs[] = {
	"{\"actions\": \"enqueue, allocate, backfill\", " FIRST "{\"name\": \"overcommit\"}, "
	"{\"name\": \"drf\"}, {\"name\": \"proportion\"}, {\"name\": \"binpack\"}]}]}",
	"{\"actions\": \"enqueue, allocate, preempt, reclaim, backfill\", " FIRST
	"{\"name\": \"capacity\"}]}]}",
	"{\"actions\": \"enqueue, gangreclaim, gangpreempt, allocate, backfill\", " FIRST
	"{\"name\": \"proportion\"}]}]}",
	"{\"actions\": \"allocate, backfill\", " FIRST "{\"name\": \"capacity\", "
	"\"enableHierarchy\": true}]}]}",
};
#undef FIRST

/* What the bytes say next; nothing is 0. */
struct bytes {
	const uint8_t *at;
	const uint8_t *end;
};

static unsigned take(struct bytes *bytes, unsigned below)
{
	return bytes->at < bytes->end ? *bytes->at++ % below : 0;
}

static void apply(struct cluster *cluster, enum cluster_kind kind, char *text)
{
	struct json_doc *doc = json_parse(str_from(text), NULL, NULL);

	assert(doc);
	(void)cluster_apply(cluster, kind, doc, NULL); /* may be set aside */
	json_doc_unref(doc);
	mem_free(text);
}

static void add_node(struct cluster *cluster, struct bytes *bytes)
{
	unsigned name = take(bytes, 4), zone = take(bytes, 2), cpu = take(bytes, 6);

	apply(cluster, CLUSTER_NODE,
	      mem_printf("{\"metadata\": {\"name\": \"n%u\", \"labels\": {\"zone\": \"z%u\"}}, "
			 "\"spec\": "
			 "{\"unschedulable\": %s}, \"status\": {\"allocatable\": {\"cpu\": \"%u\", "
			 "\"memory\": \"4Gi\", \"pods\": \"4\"%s}}}",
			 name, zone, take(bytes, 4) ? "false" : "true", cpu,
			 take(bytes, 3) ? "" : ", \"example.com/gpu\": \"1\""));
}

static void add_queue(struct cluster *cluster, struct bytes *bytes)
{
	static const char both[] =
		", \"capability\": {\"cpu\": \"3\"}, \"guarantee\": {\"resource\": "
		"{\"cpu\": \"1\"}}";
	static const char *const limits[] = {"", "", ", \"deserved\": {\"cpu\": \"2\"}", both};
	unsigned name = take(bytes, 3), parent = take(bytes, 4);

	apply(cluster, CLUSTER_QUEUE,
	      mem_printf(
		      "{\"metadata\": {\"name\": \"q%u\"}, \"spec\": {\"weight\": %u, \"parent\": "
		      "\"q%u\"%s}, \"status\": {\"state\": \"%s\"}}",
		      name, 1 + take(bytes, 3), parent, limits[take(bytes, 4)],
		      take(bytes, 4) ? "Open" : "Closed"));
}

static void add_group(struct cluster *cluster, struct bytes *bytes)
{
	unsigned name = take(bytes, 3), min = take(bytes, 4);

	apply(cluster, CLUSTER_PODGROUP,
	      mem_printf(
		      "{\"metadata\": {\"name\": \"g%u\", \"namespace\": \"d\"}, \"spec\": "
		      "{\"minMember\": %u, \"queue\": \"q%u\", \"priorityClassName\": \"c%u\"%s}}",
		      name, min, take(bytes, 3), take(bytes, 3),
		      take(bytes, 2) ? "" : ", \"minResources\": {\"cpu\": \"2\"}"));
}

static void add_pod(struct cluster *cluster, struct bytes *bytes)
{
	static const char *const wishes[] = {
		"",
		"\"nodeSelector\": {\"zone\": \"z1\"}, ",
		"\"affinity\": {\"podAntiAffinity\": "
		"{\"requiredDuringSchedulingIgnoredDuringExecution\": "
		"[{\"labelSelector\": {\"matchLabels\": {\"a\": \"0\"}}, \"topologyKey\": "
		"\"zone\"}]}}, ",
		"\"topologySpreadConstraints\": [{\"maxSkew\": 1, \"topologyKey\": \"zone\", "
		"\"whenUnsatisfiable\": \"DoNotSchedule\", \"labelSelector\": {\"matchLabels\": "
		"{\"a\": "
		"\"1\"}}}], ",
	};
	static const char *const phases[] = {"Pending", "Running", "Succeeded", "Failed",
					     "Unknown"};
	unsigned name = take(bytes, 8), group = take(bytes, 3), node = take(bytes, 6);
	char place[32] = "";

	if (node < 4)
		(void)snprintf(place, sizeof(place), "\"nodeName\": \"n%u\", ", node);
	apply(cluster, CLUSTER_POD,
	      mem_printf(
		      "{\"metadata\": {\"name\": \"p%u\", \"namespace\": \"d\", \"uid\": \"%u\", "
		      "\"labels\": {\"a\": \"%u\"}, \"annotations\": "
		      "{\"scheduling.k8s.io/group-name\": \"g%u\"}%s}, \"spec\": "
		      "{\"schedulerName\": "
		      "\"volcano\", %s%s\"containers\": [{\"name\": \"c\", \"resources\": "
		      "{\"requests\": "
		      "{\"cpu\": \"%u\"%s}}}]}, \"status\": {\"phase\": \"%s\"}}",
		      name, take(bytes, 2), take(bytes, 2), group,
		      take(bytes, 5) ? "" : ", \"deletionTimestamp\": \"2026-01-01T00:00:00Z\"",
		      place, wishes[take(bytes, 4)], take(bytes, 3),
		      take(bytes, 4) ? "" : ", \"example.com/gpu\": \"1\"",
		      *place ? phases[take(bytes, 5)] : "Pending"));
}

static void add_class(struct cluster *cluster, struct bytes *bytes)
{
	unsigned name = take(bytes, 3);

	apply(cluster, CLUSTER_PRIORITYCLASS,
	      mem_printf("{\"metadata\": {\"name\": \"c%u\"}, \"value\": %u}", name,
			 take(bytes, 5)));
}

static void remove_one(struct cluster *cluster, struct bytes *bytes)
{
	static const struct {
		enum cluster_kind kind;
		char letter;
	} rows[] = {{CLUSTER_NODE, 'n'},
		    {CLUSTER_QUEUE, 'q'},
		    {CLUSTER_PODGROUP, 'g'},
		    {CLUSTER_POD, 'p'},
		    {CLUSTER_PRIORITYCLASS, 'c'}};
	unsigned which = take(bytes, 5);
	char name[] = {rows[which].letter, (char)('0' + take(bytes, 8)), '\0'};

	cluster_remove(cluster, rows[which].kind, which < 2 || which == 4 ? str_none() : STR("d"),
		       str_from(name));
}

static void judge(const struct cluster *cluster, const struct decision *d)
{
	const struct task *task = d->task;

	if (d->kind == DECIDE_EVICT) {
		assert(task->preemptable && !task->system && task->status == TASK_RELEASING);
		assert(d->job && d->job->grouped);
	}
	if (d->kind != DECIDE_BIND)
		return;
	/* What asks for nothing may go to a node that is short. */
	assert(task->class->empty ||
	       columns_get(&cluster->columns, CAPACITY_IDLE, DIM_CPU, task->node->slot) >= 0);
	assert((int64_t)job_ready_count(task->job) >= task->job->min_available);
}

/* What becomes of a decision: nothing yet, it fails, or an evicted pod is deleted. */
static void execute(struct cluster *cluster, const struct decision *d, struct bytes *bytes)
{
	unsigned how = take(bytes, 3);

	if (d->kind == DECIDE_BIND && how == 1)
		cluster_bind_failed(cluster, d->task);
	else if (d->kind == DECIDE_EVICT && how == 1)
		cluster_evict_failed(cluster, d->task);
	else if (d->kind == DECIDE_EVICT && how == 2) {
		char *name = str_dup(task_name(d->task));

		cluster_remove(cluster, CLUSTER_POD, STR("d"), str_from(name));
		mem_free(name);
	}
}

static void cycle(struct cluster *cluster, struct config *config, struct bytes *bytes)
{
	struct session *ssn = session_run(cluster, config, 0, NULL);
	char *wrong = cluster_check(cluster);

	if (wrong)
		printf("# %s\n", wrong);
	assert(!wrong);
	for (size_t i = 0; i < ssn->decisions.all.len; i++)
		judge(cluster, &ssn->decisions.all.ptr[i]);
	for (size_t i = 0; i < ssn->decisions.all.len; i++)
		execute(cluster, &ssn->decisions.all.ptr[i], bytes);
	session_free(ssn);
	wrong = cluster_check(cluster);
	assert(!wrong);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = {data, data + size};
	struct cluster *cluster = cluster_new(NULL);
	struct config *config = config_parse(
		str_from(configs[take(&bytes, sizeof(configs) / sizeof(configs[0]))]), 1, NULL);

	assert(config);
	while (bytes.at < bytes.end) {
		switch (take(&bytes, 8)) {
		case 0:
			add_node(cluster, &bytes);
			break;
		case 1:
			add_queue(cluster, &bytes);
			break;
		case 2:
			add_group(cluster, &bytes);
			break;
		case 3:
		case 4:
			add_pod(cluster, &bytes);
			break;
		case 5:
			remove_one(cluster, &bytes);
			break;
		case 6:
			add_class(cluster, &bytes);
			break;
		default:
			cycle(cluster, config, &bytes);
		}
	}
	cycle(cluster, config, &bytes);
	cluster_free(cluster);
	config_free(config);
	return 0;
}
