/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/reconcile_nodes.c - a node's taints follow its conditions: it takes new pods when it is ready, not
 * cordoned off and under no pressure, and it loses its pods when it is not ready for long.
 *
 * As in Kubernetes' node lifecycle controller, what counts is the status of a condition, whatever its reason
 * is, and every taint that is added says when. Only taints of the keys and effects in `rows` are ours; any
 * other stays. Who acts on NoExecute is controller/eviction_controller.c, or a controller of Kubernetes.
 *
 * Admission taints every new node as not ready (TaintNodesByCondition), and people write such taints by
 * hand: these say no time, and are removed only if a program reports for the node, that is if its Ready
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
static const struct row {
	const char *condition;
	const char *status;
	const char *taint;
	const char *effect;
} rows[] = {
	{"Ready", "False", "node.kubernetes.io/not-ready", "NoSchedule"},
	{"Ready", "Unknown", "node.kubernetes.io/unreachable", "NoSchedule"},
	{"MemoryPressure", "True", "node.kubernetes.io/memory-pressure", "NoSchedule"},
	{"DiskPressure", "True", "node.kubernetes.io/disk-pressure", "NoSchedule"},
	{"PIDPressure", "True", "node.kubernetes.io/pid-pressure", "NoSchedule"},
	{"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable", "NoSchedule"},
	{NULL, NULL, UNSCHEDULABLE, "NoSchedule"},
	{"Ready", "False", "node.kubernetes.io/not-ready", "NoExecute"},
	{"Ready", "Unknown", "node.kubernetes.io/unreachable", "NoExecute"},
};

static struct json find_condition(struct json node, const char *type)
{
	struct json_iter it = json_iter(json_get(json_get(node, "status"), "conditions"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), type))
			return it.value;
	return JSON_NONE;
}

/* Does a program report for the node? Conditions without a reason are written by hand. */
static bool is_reported(struct json node)
{
	return json_str(json_get(find_condition(node, "Ready"), "reason")).len > 0;
}

static bool has_conditions(struct json node)
{
	return json_len(json_get(json_get(node, "status"), "conditions")) > 0;
}

static bool is_wanted(struct json node, const struct row *row)
{
	if (!row->condition)
		return json_bool(json_get(json_get(node, "spec"), "unschedulable"));
	return str_is(json_str(json_get(find_condition(node, row->condition), "status")),
		      row->status);
}

/* The row that a taint follows; NULL: it is not ours. */
static const struct row *find_row(struct json taint)
{
	struct str key = json_str(json_get(taint, "key"));
	struct str effect = json_str(json_get(taint, "effect"));

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_is(key, rows[i].taint) && str_is(effect, rows[i].effect))
			return &rows[i];
	return NULL;
}

static bool has_taint(struct json taints, const struct row *row)
{
	struct json_iter it = json_iter(taints);

	while (json_next(&it))
		if (find_row(it.value) == row)
			return true;
	return false;
}

static bool add_taint(struct json_doc *doc, struct json node, const struct row *row, int64_t now)
{
	struct json spec = json_ensure_obj(doc, node, "spec");
	char time[TIME_TEXT_SIZE];
	struct json taint;

	if (!is_wanted(node, row) || has_taint(json_get(spec, "taints"), row))
		return false;
	taint = json_new_obj(doc);
	json_set_str(doc, taint, "key", str_from(row->taint));
	json_set_str(doc, taint, "effect", str_from(row->effect));
	json_set_str(doc, taint, "timeAdded", str_from(time_print(now, time)));
	json_append(doc, json_ensure_arr(doc, spec, "taints"), taint);
	return true;
}

static bool is_stale(struct json node, struct json taint)
{
	const struct row *row = find_row(taint);
	bool dated = !json_is_absent(json_get(taint, "timeAdded"));

	return row && !is_wanted(node, row) && (dated || is_reported(node));
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

static void check(void *arg, struct str name)
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
		changed |= add_taint(doc, json_doc_root(doc), &rows[i], now);
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
	self->todo = todo_new(api_loop(api), check, self);
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
