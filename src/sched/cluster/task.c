/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/task.c - names, counts and the default order of tasks. Reading pods is in cluster_pod.c. */
#include "sched/cluster/task.h"

#include <assert.h>

#include "base/macro.h"

#include "base/banned.h"

const char *const task_status_names[TASK_STATUS_COUNT] = {
	[TASK_PENDING] = "Pending",     [TASK_ALLOCATED] = "Allocated",
	[TASK_PIPELINED] = "Pipelined", [TASK_BINDING] = "Binding",
	[TASK_BOUND] = "Bound",         [TASK_RUNNING] = "Running",
	[TASK_RELEASING] = "Releasing", [TASK_SUCCEEDED] = "Succeeded",
	[TASK_FAILED] = "Failed",       [TASK_UNKNOWN] = "Unknown",
};
static_assert(TASK_STATUS_COUNT <= 1 << TASK_STATUS_BITS, "a note holds every status");
static_assert(ARRAY_LEN(task_status_names) == TASK_STATUS_COUNT, "name every status");

uint32_t tally_of(const struct tally *tally, unsigned statuses)
{
	uint32_t sum = 0;

	for (unsigned s = 0; s < TASK_STATUS_COUNT; s++)
		if (statuses >> s & 1)
			sum += tally->count[s];
	return sum;
}

int task_order(const struct task *a, const struct task *b)
{
	int order;

	if (a->index >= 0 && b->index >= 0 && a->index != b->index)
		return a->index < b->index ? -1 : 1;
	if (a->created != b->created)
		return a->created < b->created ? -1 : 1;
	/* uids are random: what depended on them would differ from run to run */
	order = str_cmp(task_key(a), task_key(b));
	return order ? order : str_cmp(task_uid(a), task_uid(b));
}
