/* SPDX-License-Identifier: Apache-2.0 */
/* sched/action/shuffle.c - running tasks that the plugins would rather have elsewhere, or not at all, go
 * (scheduler specification, 5.6). */
#include "base/vec.h"
#include "sched/action/action_rows.h"
#include "sched/session/session_hooks.h"
#include "sched/session/statement.h"

#include "base/banned.h"

static void shuffle_run(struct session *ssn, struct json arguments)
{
	struct statement *st = statement_new(ssn);
	struct task_list victims = {0};

	(void)arguments;
	hook_victims(ssn, &victims);
	/* Two plugins may name the same one. */
	for (size_t i = 0; i < victims.len; i++)
		if (victims.ptr[i]->status == TASK_RUNNING)
			statement_evict(st, victims.ptr[i], "shuffle", NULL);
	statement_commit(st);
	vec_done(&victims);
}

const struct action_type shuffle_action = {.name = "shuffle", .evicts = true, .run = shuffle_run};
