/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/reconcile_nodes.c - a node's taints follow its conditions: it takes new pods when it is ready, not
 * cordoned off and under no pressure.
 *
 * As in Kubernetes' node lifecycle controller, what counts is the status of a condition, whatever its reason
 * is, and every taint that is added says when. Only NoSchedule taints of these keys are ours; any other stays.
 *
 * Admission taints every new node as not ready (TaintNodesByCondition), and people write such taints by
 * hand: these say no time, and are removed only if somebody reports for the node, that is if its Ready
 * condition has a reason. A node without conditions is left as it is: its creator maintains it. */
#include "apiserver/api_internal.h"
#include "apiserver/reconcile/reconcilers.h"
#include "apiserver/reconcile/self.h"
#include "apiserver/reconcile/todo.h"
#include "base/mem.h"
#include "base/time.h"
#include "loop/loop.h"

#include "base/banned.h"

#define UNSCHEDULABLE "node.kubernetes.io/unschedulable"

struct nodes {
	struct api *api;
	struct todo *todo; /* names */
	const struct kind *kind;
};

/* Which taint a condition with a status stands for. */
static const struct {
	const char *condition;
	const char *status;
	const char *taint;
} rows[] = {
	{"Ready", "False", "node.kubernetes.io/not-ready"},
	{"Ready", "Unknown", "node.kubernetes.io/unreachable"},
	{"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
	{"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
	{"PIDPressure", "True", "node.kubernetes.io/pid-pressure"},
	{"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"},
};

static struct json find_condition(struct json node, const char *type)
{
	struct json_iter it = json_iter(json_get(json_get(node, "status"), "conditions"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), type))
			return it.value;
	return JSON_NONE;
}

/* Does somebody report for the node? Conditions without a reason are written by hand. */
static bool is_reported(struct json node)
{
	return json_str(json_get(find_condition(node, "Ready"), "reason")).len > 0;
}

static bool has_conditions(struct json node)
{
	return json_len(json_get(json_get(node, "status"), "conditions")) > 0;
}

static bool is_wanted(struct json node, struct str taint)
{
	if (str_is(taint, UNSCHEDULABLE))
		return json_bool(json_get(json_get(node, "spec"), "unschedulable"));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct json condition = find_condition(node, rows[i].condition);

		if (str_is(taint, rows[i].taint) &&
		    str_is(json_str(json_get(condition, "status")), rows[i].status))
			return true;
	}
	return false;
}

static bool is_ours(struct json taint)
{
	struct str key = json_str(json_get(taint, "key"));

	if (!str_is(json_str(json_get(taint, "effect")), "NoSchedule"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_is(key, rows[i].taint))
			return true;
	return str_is(key, UNSCHEDULABLE);
}

static bool has_taint(struct json taints, struct str key)
{
	struct json_iter it = json_iter(taints);

	while (json_next(&it))
		if (is_ours(it.value) && str_eq(json_str(json_get(it.value, "key")), key))
			return true;
	return false;
}

static bool add_taint(struct json_doc *doc, struct json node, const char *key, int64_t now)
{
	struct json spec = json_ensure_obj(doc, node, "spec");
	char time[TIME_TEXT_SIZE];
	struct json taint;

	if (!is_wanted(node, str_from(key)) || has_taint(json_get(spec, "taints"), str_from(key)))
		return false;
	taint = json_new_obj(doc);
	json_set_str(doc, taint, "key", str_from(key));
	json_set_str(doc, taint, "effect", STR("NoSchedule"));
	json_set_str(doc, taint, "timeAdded", str_from(time_print(now, time)));
	json_append(doc, json_ensure_arr(doc, spec, "taints"), taint);
	return true;
}

static bool is_stale(struct json node, struct json taint)
{
	bool dated = !json_is_absent(json_get(taint, "timeAdded"));

	return is_ours(taint) && !is_wanted(node, json_str(json_get(taint, "key"))) &&
	       (dated || is_reported(node));
}

static bool drop_taints(struct json_doc *doc, struct json node)
{
	struct json spec = json_get(node, "spec");
	struct json taints = json_get(spec, "taints");
	struct json kept = json_new_arr(doc);
	size_t before = json_len(taints);

	for (struct json_iter it = json_iter(taints); json_next(&it);)
		if (!is_stale(node, it.value))
			json_append(doc, kept, json_new_copy(doc, it.value));
	if (json_len(kept) == before)
		return false;
	if (json_len(kept))
		json_set(doc, spec, STR("taints"), kept);
	else
		(void)json_remove(doc, spec, STR("taints"));
	return true;
}

static void look_at(void *arg, struct str name)
{
	struct nodes *self = arg;
	AUTO(json_doc_unref)
	struct json_doc *old = api_read_newest(self->api, self->kind, str_none(), name);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	int64_t now = loop_now(api_loop(self->api));
	bool changed;

	if (!old || !has_conditions(json_doc_root(old)))
		return;
	doc = json_doc_thaw(json_doc_root(old));
	changed = drop_taints(doc, json_doc_root(doc));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		changed |= add_taint(doc, json_doc_root(doc), rows[i].taint, now);
	changed |= add_taint(doc, json_doc_root(doc), UNSCHEDULABLE, now);
	if (changed)
		self_update(self->api, self->kind, TAKE(doc));
}

static void on_change(void *arg, struct change *change)
{
	struct nodes *self = arg;

	if (change->kind == self->kind && change->object)
		todo_add(self->todo, change->name);
}

static void *start(struct api *api)
{
	struct nodes *self = mem_new(struct nodes);

	self->api = api;
	self->todo = todo_new(api_loop(api), look_at, self);
	todo_of_objects(self->todo, STR("/nodes/"));
	self->kind = kinds_find(api_kinds(api), STR(""), STR("v1"), STR("nodes"));
	return self;
}

static void stop(void *arg)
{
	struct nodes *self = arg;

	todo_free(self->todo);
	mem_free(self);
}

const struct reconciler reconcile_nodes = {
	.name = "nodes", .start = start, .on_change = on_change, .stop = stop};
