/* SPDX-License-Identifier: Apache-2.0 */
/* PodGroup: views and defaults, and that writing a status leaves the rest alone. */
#include "model/volcano/podgroup.h"

#include "base/mem.h"
#include "tap.h"

static const char text[] =
	"{\"metadata\":{\"name\":\"g\"},\"spec\":{\"minMember\":3,\"minTaskMember\":{\"a\":1,\"b\":"
	"2},"
	"\"queue\":\"q\",\"priorityClassName\":\"high\",\"minResources\":{\"cpu\":\"3\"},"
	"\"networkTopology\":{\"mode\":\"soft\",\"highestTierName\":\"rack\"},"
	"\"subGroupPolicy\":[{\"name\":\"s\",\"subGroupSize\":2,\"matchLabelKeys\":[\"k\"],"
	"\"labelSelector\":{\"matchLabels\":{\"x\":\"y\"}}},{}],\"later\":1},"
	"\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"Unschedulable\","
	"\"status\":\"True\",\"transitionID\":\"t\",\"reason\":\"NotEnoughResources\","
	"\"message\":\"m\",\"lastTransitionTime\":\"2024-01-01T00:00:00Z\"}],\"succeeded\":1}}";

int main(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct err err = {0};
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(str_from(text), NULL, &err);
	AUTO(json_doc_unref) struct json_doc *copy = json_doc_thaw(json_doc_root(doc));
	struct podgroup pg;
	struct podgroup again;

	ok(type_decode(&podgroup_type, json_doc_root(doc), arena, &pg, &err) == 0, "decodes %s",
	   err.text);
	ok(pg.spec.min_member == 3 && pg.spec.min_task_member.len == 2 &&
		   pg.spec.min_task_member.ptr[1].value == 2 && pg.spec.min_resources.len == 1,
	   "the smallest gang");
	ok(pg.spec.network_topology->mode == NETWORK_TOPOLOGY_SOFT &&
		   str_is(pg.spec.network_topology->highest_tier_name, "rack"),
	   "network topology");
	ok(pg.spec.sub_group_policy.len == 2 &&
		   pg.spec.sub_group_policy.ptr[0].label_selector->match_labels.len == 1 &&
		   pg.spec.sub_group_policy.ptr[0].match_label_keys.len == 1,
	   "sub-groups");
	ok(pg.spec.sub_group_policy.ptr[1].sub_group_size.value == 1 &&
		   pg.spec.sub_group_policy.ptr[1].min_sub_groups.set &&
		   pg.spec.sub_group_policy.ptr[1].min_sub_groups.value == 0,
	   "a sub-group has defaults");
	ok(pg.status.phase == PODGROUP_PENDING && pg.status.conditions.len == 1 &&
		   str_is(pg.status.conditions.ptr[0].transition_id, "t") &&
		   pg.status.succeeded == 1,
	   "status");

	pg.status.phase = PODGROUP_INQUEUE;
	type_encode(&podgroup_type, &pg, copy, json_doc_root(copy));
	ok(json_int(json_get(json_get(json_doc_root(copy), "spec"), "later")) == 1,
	   "a field that we do not know stays");
	ok(type_decode(&podgroup_type, json_doc_root(copy), arena, &again, &err) == 0 &&
		   again.status.phase == PODGROUP_INQUEUE,
	   "and the phase has changed");
	return tap_done();
}
