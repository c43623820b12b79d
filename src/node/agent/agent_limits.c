/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_limits.c - evicts pods whose emptyDir volumes are larger than their sizeLimit.
 *
 * A timer measures the volumes that have a limit, on a worker (pod_scan.h): a volume may hold many files. */
#include "base/mem.h"
#include "base/time.h"
#include "node/agent/agent_internal.h"
#include "node/agent/pod_scan.h"
#include "node/volume/pod_volumes.h"

#include "base/banned.h"

#define PERIOD (10 * TIME_SECOND)

struct agent_limits {
	struct agent *agent;
	struct loop_timer *timer;
	struct pod_scan *scan;
};

/* The row's data becomes the message of the eviction; NULL: the pod stays. */
static void measure(struct pod_scan_run *run)
{
	for (size_t i = 0; i < run->rows.len; i++) {
		struct pod_scan_row *row = &run->rows.ptr[i];
		const char *over = pod_volumes_over_limit(
			&(struct sandbox){.pod = &row->view},
			&(struct pod_volumes_place){.folder = row->folder}, run->arena);

		row->data = over ? arena_strdup(run->arena, over) : NULL;
	}
}

static void on_measured(void *owner, struct pod_scan_run *run)
{
	struct agent_limits *limits = owner;

	for (size_t i = 0; i < run->rows.len; i++) {
		const struct pod_scan_row *row = &run->rows.ptr[i];
		struct agent_pod *pod = map_get(limits->agent->pods, str_from(row->uid));

		if (row->data && pod && agent_pod_stays(pod))
			agent_pod_evict(pod, row->data);
	}
}

static bool has_limit(const struct agent_pod *pod)
{
	struct json spec = json_get(json_doc_root(pod->doc), "spec");

	for (struct json_iter it = json_iter(json_get(spec, "volumes")); json_next(&it);)
		if (!json_is_absent(json_get(json_get(it.value, "emptyDir"), "sizeLimit")))
			return true;
	return false;
}

static const struct pod_scan_ops scan_ops = {
	.wants = has_limit, .measure = measure, .done = on_measured};

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct agent_limits *limits = arg;

	loop_timer_set(timer, PERIOD);
	pod_scan_start(limits->scan, 0);
}

struct agent_limits *agent_limits_new(struct agent *agent)
{
	struct agent_limits *limits = mem_new(struct agent_limits);

	limits->agent = agent;
	limits->scan = pod_scan_new(agent, &scan_ops, limits);
	limits->timer = loop_timer_new(agent->loop, on_timer, limits);
	loop_timer_set(limits->timer, PERIOD);
	return limits;
}

void agent_limits_free(struct agent_limits *limits)
{
	if (!limits)
		return;
	loop_timer_free(limits->timer);
	pod_scan_free(limits->scan);
	mem_free(limits);
}
