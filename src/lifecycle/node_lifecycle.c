/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/node_lifecycle.c - which nodes answer.
 *
 * Only changes count: a renewal with a new time shows that the node is alive, whatever the clock of its
 * machine shows. The grace period begins when the controller first sees the node, so that a restart after a
 * long stop does not declare any node as lost.
 *
 * A check that comes much later than planned means that this process did not run (it was stopped, or the
 * machine was suspended). No answer could arrive meanwhile, so the grace period begins again. */
#include "lifecycle/node_lifecycle.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/time.h"

#include "base/banned.h"

#define GRACE (40 * TIME_SECOND)
#define LATE (10 * TIME_SECOND)

static const char *const types[NODE_CONDITIONS] = {"Ready", "MemoryPressure", "DiskPressure",
						   "PIDPressure"};

/* --- observing --- */

static uint64_t hash_time(struct json time)
{
	struct str text = json_str(time);

	return text.len ? hash_str(text, 1) | 1 : 0;
}

static void record_sign(struct node_health *health, uint64_t *last, uint64_t sign, int64_t uptime)
{
	if (sign && sign != *last)
		health->answered_at = uptime;
	*last = sign;
}

static struct json find_condition(struct json node, const char *type)
{
	struct json_iter it = json_iter(json_get(json_get(node, "status"), "conditions"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), type))
			return it.value;
	return JSON_NONE;
}

static void copy(char *to, size_t size, struct json text)
{
	(void)snprintf(to, size, "%.*s", STR_ARG(json_str(text)));
}

void node_observe(struct node_health *health, struct json node, int64_t uptime)
{
	struct json meta = json_get(node, "metadata");
	struct json ready = find_condition(node, types[0]);

	if (json_is_absent(node)) {
		*health = (struct node_health){.lease = health->lease};
		return;
	}
	if (!health->exists)
		health->answered_at = uptime;
	health->exists = true;
	health->deleting = !json_is_absent(json_get(meta, "deletionTimestamp"));
	health->is_unknown = str_is(json_str(json_get(ready, "status")), "Unknown");
	health->has_reason = json_str(json_get(ready, "reason")).len > 0;
	for (size_t i = 0; i < NODE_CONDITIONS; i++)
		health->posted[i] = !json_is_absent(find_condition(node, types[i]));
	copy(health->uid, sizeof(health->uid), json_get(meta, "uid"));
	copy(health->version, sizeof(health->version), json_get(meta, "resourceVersion"));
	record_sign(health, &health->heartbeat, hash_time(json_get(ready, "lastHeartbeatTime")),
		    uptime);
}

void node_observe_lease(struct node_health *health, struct json lease, int64_t uptime)
{
	struct json spec = json_get(lease, "spec");
	uint64_t sign = hash_time(json_get(spec, "renewTime"));

	/* A lease without a renewal counts too. */
	if (!sign && json_is(spec, JSON_OBJ))
		sign = 1;
	record_sign(health, &health->lease, sign, uptime);
}

/* --- deciding --- */

/* A strategic merge patch: the other conditions stay. The version guards against a status that is posted
 * meanwhile. */
static void declare_unknown(const struct node_health *health, const struct meta *meta, int64_t wall,
			    struct plan *plan)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json metadata, list;
	char time[TIME_TEXT_SIZE];

	json_doc_set_root(doc, root);
	metadata = json_ensure_obj(doc, root, "metadata");
	json_set_str(doc, metadata, "uid", str_from(health->uid));
	json_set_str(doc, metadata, "resourceVersion", str_from(health->version));
	list = json_ensure_arr(doc, json_ensure_obj(doc, root, "status"), "conditions");
	time_print(wall, time);
	for (size_t i = 0; i < NODE_CONDITIONS; i++) {
		struct json condition = json_new_obj(doc);
		bool posted = health->posted[i];

		json_set_str(doc, condition, "type", str_from(types[i]));
		json_set_str(doc, condition, "status", STR("Unknown"));
		json_set_str(doc, condition, "reason",
			     posted ? STR("NodeStatusUnknown") : STR("NodeStatusNeverUpdated"));
		json_set_str(doc, condition, "message",
			     posted ? STR("Kubelet stopped posting node status.")
				    : STR("Kubelet never posted node status."));
		json_set_str(doc, condition, "lastTransitionTime", str_from(time));
		json_append(doc, list, condition);
	}
	(void)plan_patch_status(plan, PLAN_NODE, meta, PLAN_STRATEGIC_PATCH, doc);
	plan_next_stage(plan);
	plan_normal(plan, PLAN_NODE, meta, "NodeNotReady", "Node %.*s status is now: NodeNotReady",
		    STR_ARG(meta->name));
}

void node_step(struct node_health *health, struct str name, int64_t uptime, int64_t wall,
	       struct plan *plan)
{
	const struct meta meta = {.name = name, .uid = str_from(health->uid)};
	bool reported = health->lease || health->heartbeat || health->has_reason;
	bool late = health->check_at && uptime - health->check_at > LATE;

	health->check_at = 0;
	if (!health->exists || health->deleting || !reported)
		return;
	if (late)
		health->answered_at = uptime;
	if (uptime - health->answered_at < GRACE) {
		health->check_at = health->answered_at + GRACE;
		plan_step_at(plan, time_after(wall, health->check_at - uptime));
	} else if (!health->is_unknown) {
		declare_unknown(health, &meta, wall, plan);
	}
}
