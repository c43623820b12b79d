/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/schema_prune.c - remove what a schema does not know.
 *
 * x-kubernetes-preserve-unknown-fields keeps the members of an object, but not what is unknown in
 * the known ones among them. The metadata of an embedded object is known by itself. Below a part
 * that no schema describes (additionalProperties: true) nothing is known. */
#include <stdlib.h>

#include "apiserver/crd/schema.h"
#include "apiserver/crd/schema_internal.h"
#include "base/mem.h"
#include "model/core/meta.h"
#include "model/field/fields.h"

#include "base/banned.h"

struct pruner {
	struct json_doc *doc; /* NULL: look only */
	VEC(char *) unknown;
	const struct path *meta; /* of the metadata that is being looked at */
};

static void prune(const struct schema_node *node, struct json value, const struct path *path,
		  struct pruner *p);

static bool is_meta(struct str key)
{
	return str_is(key, "apiVersion") || str_is(key, "kind") || str_is(key, "metadata");
}

static void record(const struct path *path, struct pruner *p)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	path_print(path, &text);
	vec_push(&p->unknown, buf_take(&text));
}

static void record_meta(void *arg, struct str below)
{
	struct pruner *p = arg;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	path_print(p->meta, &text);
	buf_putc(&text, '.');
	buf_put_str(&text, below);
	vec_push(&p->unknown, buf_take(&text));
}

static void prune_meta(struct json meta, const struct path *path, struct pruner *p)
{
	if (!json_is(meta, JSON_OBJ))
		return;
	p->meta = path;
	type_prune(&meta_type, p->doc, meta, record_meta, p);
}

static void prune_member(const struct schema_node *node, struct json object,
			 const struct json_iter *it, const struct path *up, struct pruner *p)
{
	const struct schema_node *property = node ? schema_property(node, it->key) : NULL;
	struct path path = path_member(up, it->key);

	if (node && node->embedded && is_meta(it->key)) {
		if (str_is(it->key, "metadata"))
			prune_meta(it->value, &path, p);
		return;
	}
	if (property) {
		prune(property, it->value, &path, p);
	} else if (node && node->has_additional) {
		prune(node->additional, it->value, &path, p);
	} else if (!node || !node->preserve) {
		record(&path, p);
		if (p->doc)
			json_remove(p->doc, object, it->key);
	}
}

/* Below an array in a part that is preserved, elements are preserved as well. */
static void prune_kept(const struct schema_node *node, struct json value, const struct path *path,
		       struct pruner *p)
{
	struct json_iter it = json_iter(value);

	while (node && json_next(&it)) {
		struct path element = path_index(path, it.index);

		if (json_is(value, JSON_OBJ))
			prune_member(node, value, &it, path, p);
		else if (node->items)
			prune_kept(node->items, it.value, &element, p);
	}
}

static void prune(const struct schema_node *node, struct json value, const struct path *path,
		  struct pruner *p)
{
	struct json_iter it = json_iter(value);

	if (node && node->preserve) {
		prune_kept(node, value, path, p);
		return;
	}
	while (json_next(&it)) {
		struct path element = path_index(path, it.index);

		if (json_is(value, JSON_OBJ))
			prune_member(node, value, &it, path, p);
		else
			prune(node ? node->items : NULL, it.value, &element, p);
	}
}

static int text_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void run(const struct schema *schema, struct json_doc *doc, struct json object,
		schema_unknown_fn *on_unknown, void *arg)
{
	struct pruner p = {.doc = doc};
	struct json_iter it = json_iter(object);

	while (json_next(&it))
		if (!is_meta(it.key))
			prune_member(schema->root, object, &it, NULL, &p);
	if (p.unknown.len > 1)
		qsort(p.unknown.ptr, p.unknown.len, sizeof(p.unknown.ptr[0]), text_cmp);
	for (size_t i = 0; i < p.unknown.len; i++) {
		if (on_unknown)
			on_unknown(arg, str_from(p.unknown.ptr[i]));
		mem_free(p.unknown.ptr[i]);
	}
	vec_done(&p.unknown);
}

bool schema_is_pruned(const struct schema_node *node, struct json value)
{
	struct pruner p = {0};
	bool pruned;

	prune(node, value, NULL, &p);
	pruned = p.unknown.len == 0;
	for (size_t i = 0; i < p.unknown.len; i++)
		mem_free(p.unknown.ptr[i]);
	vec_done(&p.unknown);
	return pruned;
}

void schema_prune(const struct schema *schema, struct json_doc *doc, struct json object,
		  schema_unknown_fn *on_unknown, void *arg)
{
	run(schema, doc, object, on_unknown, arg);
}

void schema_find_unknown(const struct schema *schema, struct json object,
			 schema_unknown_fn *on_unknown, void *arg)
{
	run(schema, NULL, object, on_unknown, arg);
}
