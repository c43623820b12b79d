/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler's model under any sequence of events: bytes become nodes, queues, groups and pods that
 * come, change and go, and cycles between them. After each cycle everything is counted again, and
 * what a cycle binds must fit and be whole gangs. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/mem.h"
#include "sched/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char config_text[] = "{\"actions\": \"enqueue, allocate, backfill\", \"tiers\": "
				  "[{\"plugins\": [{\"name\": \"priority\"}, "
				  "{\"name\": \"gang\"}]}, {\"plugins\": [{\"name\": "
				  "\"overcommit\"}, {\"name\": \"drf\"}, {\"name\": "
				  "\"predicates\"}, {\"name\": \"proportion\"}, {\"name\": "
				  "\"nodeorder\"}, {\"name\": \"binpack\"}]}]}";

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
	unsigned name = take(bytes, 3), parent = take(bytes, 4);

	apply(cluster, CLUSTER_QUEUE,
	      mem_printf(
		      "{\"metadata\": {\"name\": \"q%u\"}, \"spec\": {\"weight\": %u, \"parent\": "
		      "\"q%u\"}, \"status\": {\"state\": \"%s\"}}",
		      name, 1 + take(bytes, 3), parent, take(bytes, 4) ? "Open" : "Closed"));
}

static void add_group(struct cluster *cluster, struct bytes *bytes)
{
	unsigned name = take(bytes, 3), min = take(bytes, 4);

	apply(cluster, CLUSTER_PODGROUP,
	      mem_printf("{\"metadata\": {\"name\": \"g%u\", \"namespace\": \"d\"}, \"spec\": "
			 "{\"minMember\": %u, \"queue\": \"q%u\"%s}}",
			 name, min, take(bytes, 3),
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

static void remove_one(struct cluster *cluster, struct bytes *bytes)
{
	static const struct {
		enum cluster_kind kind;
		char letter;
	} rows[] = {{CLUSTER_NODE, 'n'},
		    {CLUSTER_QUEUE, 'q'},
		    {CLUSTER_PODGROUP, 'g'},
		    {CLUSTER_POD, 'p'}};
	unsigned which = take(bytes, 4);
	char name[] = {rows[which].letter, (char)('0' + take(bytes, 8)), '\0'};

	cluster_remove(cluster, rows[which].kind, which < 2 ? str_none() : STR("d"),
		       str_from(name));
}

static void cycle(struct cluster *cluster, struct config *config, struct bytes *bytes)
{
	struct session *ssn = session_run(cluster, config, 0, NULL);
	char *wrong = cluster_check(cluster);

	if (wrong)
		printf("# %s\n", wrong);
	assert(!wrong);
	for (size_t i = 0; i < ssn->outcome.decisions.len; i++) {
		const struct decision *d = &ssn->outcome.decisions.ptr[i];

		if (d->kind != DECIDE_BIND)
			continue;
		/* What asks for nothing may go to a node that is short. */
		assert(d->task->class->empty || columns_get(&cluster->columns, ROOM_IDLE, DIM_CPU,
							    d->task->node->slot) >= 0);
		assert((int64_t)job_ready_count(d->task->job) >= d->task->job->min_available);
	}
	for (size_t i = 0; take(bytes, 2) && i < ssn->outcome.decisions.len; i++)
		if (ssn->outcome.decisions.ptr[i].kind == DECIDE_BIND)
			cluster_bind_failed(cluster, ssn->outcome.decisions.ptr[i].task);
	session_free(ssn);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = {data, data + size};
	struct cluster *cluster = cluster_new(NULL);
	struct config *config = config_parse(str_from(config_text), 1, NULL);

	assert(config);
	while (bytes.at < bytes.end) {
		switch (take(&bytes, 7)) {
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
		default:
			cycle(cluster, config, &bytes);
		}
	}
	cycle(cluster, config, &bytes);
	cluster_free(cluster);
	config_free(config);
	return 0;
}
