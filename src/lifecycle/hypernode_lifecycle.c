/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/hypernode_lifecycle.c - status.nodeCount, and whether a HyperNode's place in the tree is sound. */
#include "lifecycle/hypernode_lifecycle.h"

#include "base/map.h"
#include "base/time.h"
#include "model/core/meta.h"
#include "model/volcano/hypernode.h"
#include "regexp/regexp.h"

#include "base/banned.h"

struct count {
	const struct json *nodes;
	size_t node_count;
	struct arena *arena;
	struct map *names; /* names of members */
};

/* Values of the map are not used, but must not be NULL. */
static void add(struct count *count, struct str name)
{
	(void)map_put(count->names, name, count);
}

static int add_by_pattern(struct count *count, struct str pattern, struct err *err)
{
	AUTO(regexp_free) struct regexp *re = regexp_parse(pattern, err);

	if (!re)
		return -1;
	for (size_t i = 0; i < count->node_count; i++)
		if (regexp_matches(re, meta_name(count->nodes[i])))
			add(count, meta_name(count->nodes[i]));
	return 0;
}

static int add_by_labels(struct count *count, const struct label_selector *object, struct err *err)
{
	struct selector selector;

	if (!object->match_labels.len && !object->match_expressions.len)
		return 0; /* as in upstream, an empty selector matches nothing */
	if (selector_from_object(object, count->arena, &selector, err) < 0)
		return -1;
	for (size_t i = 0; i < count->node_count; i++) {
		struct meta meta;

		if (type_decode(&meta_type, json_get(count->nodes[i], "metadata"), count->arena,
				&meta, err) < 0)
			return -1;
		if (selector_matches(&selector, &meta.labels))
			add(count, meta_name(count->nodes[i]));
	}
	return 0;
}

static int add_member(struct count *count, const struct hypernode_selector *selector,
		      struct err *err)
{
	if (selector->exact_match)
		add(count, selector->exact_match->name);
	if (selector->regex_match && add_by_pattern(count, selector->regex_match->pattern, err) < 0)
		return -1;
	return selector->label_match ? add_by_labels(count, selector->label_match, err) : 0;
}

int hypernode_step(struct json hypernode, const struct json *nodes, size_t node_count,
		   struct plan *plan, struct err *err)
{
	AUTO(map_free) struct map *names = map_new(0);
	struct count count = {nodes, node_count, plan->arena, names};
	struct hypernode view;
	struct json_doc *doc;
	struct json root;

	if (type_decode(&hypernode_type, hypernode, plan->arena, &view, err) < 0)
		return err_wrap(err, "hypernode");
	for (size_t i = 0; i < view.spec.members.len; i++)
		if (add_member(&count, &view.spec.members.ptr[i].selector, err) < 0)
			return err_wrap(err, "spec.members[%zu].selector", i);
	if ((int64_t)map_len(names) == view.status.node_count)
		return 0;
	doc = json_doc_new();
	root = json_new_obj(doc);
	json_doc_set_root(doc, root);
	json_set_int(doc, json_ensure_obj(doc, root, "status"), "nodeCount",
		     (int64_t)map_len(names));
	plan_patch_status(plan, PLAN_HYPERNODE, &view.meta, PLAN_MERGE_PATCH, doc);
	return 0;
}

/* --- conditions ------------------------------------------------------------------------------ */

static struct json find_condition(struct json hypernode, const char *type)
{
	struct json_iter it = json_iter(json_get(json_get(hypernode, "status"), "conditions"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), type))
			return it.value;
	return JSON_NONE;
}

void hypernode_set_condition(struct json hypernode, const struct hypernode_condition *now,
			     int64_t time, struct plan *plan)
{
	struct json old = find_condition(hypernode, now->type);
	struct json_iter it = json_iter(json_get(json_get(hypernode, "status"), "conditions"));
	struct str status = now->is ? STR("True") : STR("False");
	bool moved = !str_eq(json_str(json_get(old, "status")), status);
	struct json_doc *doc;
	struct json root, list, made;
	struct meta meta;
	char stamp[TIME_TEXT_SIZE];

	if (json_is_absent(old) && now->is == now->quiet)
		return; /* what was never wrong is not reported to be right */
	if (!moved && str_is(json_str(json_get(old, "message")), now->message))
		return;
	if (type_decode(&meta_type, json_get(hypernode, "metadata"), plan->arena, &meta, NULL) < 0)
		return;
	doc = json_doc_new();
	root = json_new_obj(doc);
	json_doc_set_root(doc, root);
	list = json_ensure_arr(doc, json_ensure_obj(doc, root, "status"), "conditions");
	while (json_next(&it))
		if (!str_is(json_str(json_get(it.value, "type")), now->type))
			json_append(doc, list, json_new_copy(doc, it.value));
	made = json_new_obj(doc);
	json_set_str(doc, made, "type", str_from(now->type));
	json_set_str(doc, made, "status", status);
	json_set_str(doc, made, "reason", str_from(now->reason));
	json_set_str(doc, made, "message", str_from(now->message));
	json_set_str(doc, made, "lastTransitionTime",
		     moved ? str_from(time_print(time, stamp))
			   : json_str(json_get(old, "lastTransitionTime")));
	json_append(doc, list, made);
	plan_patch_status(plan, PLAN_HYPERNODE, &meta, PLAN_MERGE_PATCH, doc);
	if (moved && now->is != now->quiet) {
		plan_warning(plan, PLAN_HYPERNODE, &meta, now->reason, "%s", now->message);
		plan_steady(plan);
	}
}

/* --- the tree -------------------------------------------------------------------------------- */

/* The parents of HyperNodes, by name; of more than two the first two. */
struct parents {
	struct str first;
	struct str second;
};
struct hypernode_parents {
	struct arena *arena;
	struct map *by_name;
};

static void add_parent(struct hypernode_parents *tree, struct str child, struct str parent)
{
	struct parents *parents = map_get(tree->by_name, child);

	if (!parents) {
		parents = arena_zalloc(tree->arena, sizeof(*parents));
		parents->first = parent;
		(void)map_put(tree->by_name, child, parents);
	} else if (!str_eq(parents->first, parent) && !parents->second.len) {
		parents->second = parent;
	}
}

struct hypernode_parents *hypernode_parents_new(const struct json *all, size_t count)
{
	struct hypernode_parents *tree = mem_new(struct hypernode_parents);

	tree->arena = arena_new(0);
	tree->by_name = map_new(0);
	for (size_t i = 0; i < count; i++) {
		struct str parent = arena_str(tree->arena, meta_name(all[i]));
		struct json_iter it = json_iter(json_get(json_get(all[i], "spec"), "members"));

		while (json_next(&it)) {
			struct json exact = json_get(json_get(it.value, "selector"), "exactMatch");
			struct str name = json_str(json_get(exact, "name"));

			if (name.len && str_is(json_str(json_get(it.value, "type")), "HyperNode"))
				add_parent(tree, arena_str(tree->arena, name), parent);
		}
	}
	return tree;
}

void hypernode_parents_free(struct hypernode_parents *tree)
{
	if (!tree)
		return;
	map_free(tree->by_name);
	arena_free(tree->arena);
	mem_free(tree);
}

/* What is wrong with the place of a HyperNode, or NULL; in the arena. */
static const char *find_fault(struct str name, const struct hypernode_parents *tree,
			      struct arena *arena, const char **ret_reason)
{
	const struct parents *up = map_get(tree->by_name, name);

	if (up && up->second.len) {
		*ret_reason = "TwoParents";
		return arena_printf(arena,
				    "it is a member of both %.*s and %.*s: jobs with a "
				    "networkTopology wait until it has one parent",
				    STR_ARG(up->first), STR_ARG(up->second));
	}
	for (size_t steps = 0; up && steps <= map_len(tree->by_name); steps++) {
		if (str_eq(up->first, name)) {
			*ret_reason = "Cycle";
			return "it contains itself: jobs with a networkTopology wait until it does "
			       "not";
		}
		up = map_get(tree->by_name, up->first);
	}
	return NULL;
}

bool hypernode_check(struct json hypernode, const struct hypernode_parents *tree, int64_t now,
		     struct plan *plan)
{
	struct hypernode_condition condition = {.type = "Sound",
						.is = true,
						.quiet = true,
						.reason = "Sound",
						.message = "its place in the tree is sound"};
	const char *fault = find_fault(meta_name(hypernode), tree, plan->arena, &condition.reason);

	if (fault) {
		condition.is = false;
		condition.message = fault;
	}
	hypernode_set_condition(hypernode, &condition, now, plan);
	return !fault;
}
