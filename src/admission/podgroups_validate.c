/* SPDX-License-Identifier: Apache-2.0 */
/* admission/podgroups_validate.c - a new PodGroup needs an open queue and at most one of the two
 * fields for its topology tier.
 *
 * The PodGroup of a Job is accepted in any state of the queue: the Job was admitted when the queue
 * was open, and jobs in a closed queue may finish, including their restarts. Upstream rejects the
 * PodGroup, and the Job waits forever. */
#include "admission/hooks.h"
#include "model/volcano/queue.h"

#include "base/banned.h"

static bool is_of_job(struct json group)
{
	struct json_iter it = json_iter(json_get(json_get(group, "metadata"), "ownerReferences"));

	while (json_next(&it))
		if (json_bool(json_get(it.value, "controller")) &&
		    str_is(json_str(json_get(it.value, "kind")), "Job") &&
		    str_starts(json_str(json_get(it.value, "apiVersion")),
			       STR("batch.volcano.sh/")))
			return true;
	return false;
}

static void check_queue(const struct admission_case *c, struct str name, struct buf *to)
{
	const struct admission_world *world = &c->admission->world;
	struct json queue;
	struct str state;

	if (!name.len)
		return;
	queue = world->queue(world->arg, name);
	state = json_str(json_get(json_get(queue, "status"), "state"));
	if (json_is_absent(queue))
		buf_printf(to, "unable to find queue: " HOOK_QUEUE_NOT_FOUND, STR_ARG(name));
	else if (!str_is(state, queue_state_names[QUEUE_OPEN]) && !is_of_job(c->review->object))
		buf_printf(to,
			   "can only submit PodGroup to queue with state `Open`, queue `%.*s` "
			   "status is `%.*s`. ",
			   STR_ARG(name), STR_ARG(state));
}

static void check_topology(const struct podgroup_spec *spec, struct buf *to)
{
	bool both = hook_has_both_tiers(spec->network_topology);

	if (both)
		buf_puts(to, HOOK_BOTH_TIERS ".");
	for (size_t i = 0; i < spec->sub_group_policy.len; i++) {
		const struct podgroup_sub_group *group = &spec->sub_group_policy.ptr[i];

		if (!hook_has_both_tiers(group->network_topology))
			continue;
		buf_printf(to, "%sin subGroupPolicy '%.*s': " HOOK_BOTH_TIERS ".", both ? " " : "",
			   STR_ARG(group->name));
		break;
	}
}

int podgroups_validate(const struct admission_case *c)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct podgroup pg;

	if (hook_decode(c, &podgroup_type, c->review->object, &pg) < 0)
		return -1;
	check_queue(c, pg.spec.queue, &text);
	check_topology(&pg.spec, &text);
	return text.len ? hook_deny_str(c, buf_str(&text)) : 0;
}
