/* SPDX-License-Identifier: Apache-2.0 */
/* sched/action/preempt.c - within a queue, a starving job takes from those of lower priority; within a
 * job, a task from its own of lower priority (scheduler specification, 5.4). */
#include "base/vec.h"
#include "sched/action/action_rows.h"
#include "sched/evict/evict.h"

#include "base/banned.h"

static void preempt_run(struct session *ssn, struct json arguments)
{
	const struct evict_rules rules = {
		.kind = EVICT_PREEMPT,
		.word = "preempt",
		.needs_victims = action_bool(arguments, "enableTopologyAwarePreemption", false)};
	VEC(struct job *) jobs = {0};

	LIST_EACH(&ssn->cluster->active, struct job, active_link, job)
		if (evict_is_starving(ssn, job))
			vec_push(&jobs, job);
	evict_round(ssn, &rules);
	for (size_t i = 0; i < jobs.len; i++)
		evict_within(ssn, &rules, jobs.ptr[i]);
	vec_done(&jobs);
}

const struct action_type preempt_action = {.name = "preempt", .evicts = true, .run = preempt_run};
