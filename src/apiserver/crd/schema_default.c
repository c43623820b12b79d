/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/schema_default.c - fill in defaults.
 *
 * Two walks, as upstream has it: when a body is decoded, a null is removed if null is no value there and
 * there is no default; then what is absent, or a null that must not be, becomes the default, and defaults
 * below it are filled as well. Most objects have no null at all, and most of a schema no default: neither is
 * looked at member by member then. */
#include "apiserver/crd/schema.h"
#include "apiserver/crd/schema_internal.h"
#include "json/index.h"

#include "base/banned.h"

static bool is_bad_null(struct json value, const struct schema_node *node)
{
	return json_is(value, JSON_NULL) && node && !node->nullable;
}

static bool has_null(struct json value)
{
	struct json_iter it = json_iter(value);

	while (json_next(&it))
		if (json_is(it.value, JSON_NULL) || has_null(it.value))
			return true;
	return false;
}

static void drop_nulls(const struct schema_node *node, struct json_doc *doc, struct json value)
{
	struct json_iter it = json_iter(value);
	bool object = json_is(value, JSON_OBJ);

	while (json_next(&it)) {
		const struct schema_node *below =
			object ? schema_member(node, it.key) : node->items;

		if (!below)
			continue;
		if (object && is_bad_null(it.value, below) && json_is_absent(below->dflt))
			json_remove(doc, value, it.key);
		else
			drop_nulls(below, doc, it.value);
	}
}

static void fill(const struct schema_node *node, struct json_doc *doc, struct json value);

static void fill_properties(const struct schema_node *node, struct json_doc *doc,
			    struct json object)
{
	AUTO(json_index_done) struct json_index index = json_index_make(object);

	for (size_t i = 0; i < node->property_count; i++) {
		const struct schema_property *property = &node->properties[i];
		struct json now;

		if (json_is_absent(property->node->dflt))
			continue;
		now = json_index_get(&index, property->name);
		if (json_is_absent(now) || is_bad_null(now, property->node)) {
			struct json made = json_new_copy(doc, property->node->dflt);

			json_set(doc, object, property->name, made);
			json_index_put(&index, property->name, made);
		}
	}
}

static void fill(const struct schema_node *node, struct json_doc *doc, struct json value)
{
	bool object = json_is(value, JSON_OBJ);
	struct json_iter it;

	if (!node->has_defaults_below)
		return;
	if (object)
		fill_properties(node, doc, value);
	it = json_iter(value);
	while (json_next(&it)) {
		const struct schema_node *below =
			object ? schema_member(node, it.key) : node->items;
		struct json now = it.value;

		if (!below)
			continue;
		if (is_bad_null(now, below) && !json_is_absent(below->dflt)) {
			now = json_new_copy(doc, below->dflt);
			if (object)
				json_set(doc, value, it.key, now);
			else
				json_replace_at(doc, value, it.index, now);
		}
		fill(below, doc, now);
	}
}

void schema_drop_nulls(const struct schema *schema, struct json_doc *doc, struct json object)
{
	if (has_null(object))
		drop_nulls(schema->root, doc, object);
}

void schema_default(const struct schema *schema, struct json_doc *doc, struct json object)
{
	fill(schema->root, doc, object);
}
