/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle/hypernode_lifecycle.c - status.nodeCount. */
#include "lifecycle/hypernode_lifecycle.h"

#include "base/map.h"
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
