/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/keep_nodes.c - a node's taints follow its conditions: it takes new pods when it is ready, not
 * cordoned off and under no pressure.
 *
 * Admission taints every new node as not ready (TaintNodesByCondition); here the taint goes when the
 * node's agent reports that it is ready, and comes back when it reports otherwise. Nodes that no agent
 * reports for (their Ready condition has none of an agent's reasons) are left as they are: whoever made
 * them looks after them. Only NoSchedule taints of these keys are ours; any other stays. */
#include "apiserver/api_internal.h"
#include "apiserver/keep_rows.h"
#include "apiserver/self.h"
#include "apiserver/todo.h"
#include "base/mem.h"

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

static bool has_agent(struct json node)
{
	static const char *const reasons[] = {"KubeletReady", "KubeletNotReady",
					      "NodeStatusUnknown"};
	struct str reason = json_str(json_get(find_condition(node, "Ready"), "reason"));

	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (str_is(reason, reasons[i]))
			return true;
	return false;
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

static bool add_taint(struct json_doc *doc, struct json node, const char *key)
{
	struct json spec = json_ensure_obj(doc, node, "spec");
	struct json taint;

	if (!is_wanted(node, str_from(key)) || has_taint(json_get(spec, "taints"), str_from(key)))
		return false;
	taint = json_new_obj(doc);
	json_set_str(doc, taint, "key", str_from(key));
	json_set_str(doc, taint, "effect", STR("NoSchedule"));
	json_append(doc, json_ensure_arr(doc, spec, "taints"), taint);
	return true;
}

static bool drop_taints(struct json_doc *doc, struct json node)
{
	struct json spec = json_get(node, "spec");
	struct json taints = json_get(spec, "taints");
	struct json kept = json_new_arr(doc);
	size_t before = json_len(taints);

	for (struct json_iter it = json_iter(taints); json_next(&it);)
		if (!is_ours(it.value) || is_wanted(node, json_str(json_get(it.value, "key"))))
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
	bool changed;

	if (!old || !has_agent(json_doc_root(old)))
		return;
	doc = json_doc_thaw(json_doc_root(old));
	changed = drop_taints(doc, json_doc_root(doc));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		changed |= add_taint(doc, json_doc_root(doc), rows[i].taint);
	changed |= add_taint(doc, json_doc_root(doc), UNSCHEDULABLE);
	if (changed)
		self_update(self->api, self->kind, TAKE(doc));
}

static void told(void *arg, struct change *change)
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

const struct keeper keep_nodes = {.name = "nodes", .start = start, .told = told, .stop = stop};
