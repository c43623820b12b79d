/* SPDX-License-Identifier: Apache-2.0 */
/* admission/podgroups_mutate.c - a new PodGroup without a queue gets the queue of its namespace,
 * if the namespace has one. */
#include "admission/hooks.h"

#include "base/banned.h"

int podgroups_mutate(const struct admission_case *c)
{
	const struct admission_world *world = &c->admission->world;
	struct json spec = json_get(c->review->object, "spec");
	struct json queue;

	if (hook_check_types(c, &podgroup_type) < 0)
		return -1;
	if (!str_is(json_str(json_get(spec, "queue")), "default"))
		return 0;
	queue = hook_annotation(world->namespace(world->arg, c->review->namespace),
				"scheduling.volcano.sh/queue-name");
	if (json_is(queue, JSON_STR))
		json_set_str(c->doc, spec, "queue", json_str(queue));
	return 0;
}
