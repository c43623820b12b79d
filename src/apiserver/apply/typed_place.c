/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/apply/typed_place.c - what the field tables and schemas know about a place in an object.
 *
 * A place is a row of a built-in kind or a node of a custom schema. Both answer the same questions:
 * what its members and elements are, how a list is merged, and which key identifies an element. */
#include "apiserver/apply/typed_internal.h"
#include "apiserver/crd/definition.h"
#include "apiserver/crd/schema.h"
#include "apiserver/crd/schema_internal.h"
#include "apiserver/kind/kind.h"
#include "model/core/meta.h"
#include "model/field/fields.h"

#include "base/banned.h"

static struct typed_place of_field(const struct field *field)
{
	if (field && field->is == FIELD_OBJECT)
		return (struct typed_place){.type = field->type, .granular = field->granular};
	return (struct typed_place){.field = field};
}

struct typed_place typed_root(const struct kind *kind)
{
	if (kind->type)
		return (struct typed_place){.type = kind->type};
	return (struct typed_place){.node = schema_root(definition_schema(kind)),
				    .custom_root = true};
}

/* A member of an object. `named`: by a field of its own, not as one of a map; `known`: at all. */
struct typed_place typed_member(struct typed_place place, struct str key, bool *named, bool *known)
{
	const struct field *row;

	*named = *known = false;
	if (place.custom_root && str_is(key, "metadata")) {
		*named = *known = true;
		return (struct typed_place){.type = &meta_type};
	}
	if (place.custom_root && (str_is(key, "apiVersion") || str_is(key, "kind"))) {
		*named = *known = true;
		return (struct typed_place){0};
	}
	if (place.type) {
		row = type_find(place.type, key, NULL);
		*named = row != NULL;
		*known = row || place.type->preserve;
		return of_field(row);
	}
	if (place.field) {
		*known = true;
		return of_field(place.field->of);
	}
	if (place.node) {
		const struct schema_node *property = schema_property(place.node, key);

		*named = property != NULL;
		*known = property || place.node->has_additional || place.node->preserve;
		return (struct typed_place){.node = property ? property : place.node->additional};
	}
	*known = true;
	return (struct typed_place){0};
}

static bool is_atomic_object(struct typed_place place)
{
	return (place.type && place.type->atomic && !place.granular) ||
	       (place.node && place.node->atomic) || (place.field && place.field->atomic);
}

enum typed_relation typed_relation(struct typed_place place)
{
	if (place.field && place.field->is == FIELD_LIST) {
		if (place.field->list_type == FIELD_LIST_MAP)
			return TYPED_KEYS;
		return place.field->list_type == FIELD_LIST_SET ||
				       (place.field->merge && !place.field->merge_key)
			       ? TYPED_SET
			       : TYPED_ATOMIC;
	}
	if (place.node && place.node->list_type == SCHEMA_LIST_MAP)
		return TYPED_KEYS;
	return place.node && place.node->list_type == SCHEMA_LIST_SET ? TYPED_SET : TYPED_ATOMIC;
}

struct typed_place typed_element(struct typed_place place)
{
	if (place.field)
		return of_field(place.field->of);
	return (struct typed_place){.node = place.node ? place.node->items : NULL};
}

/* One of the keys of an element, or its default. */
struct json typed_key_value(struct typed_place element, struct json value, struct str key,
			    struct json_doc *doc)
{
	struct json found = json_get_str(value, key);
	const struct field *row = element.type ? type_find(element.type, key, NULL) : NULL;
	const struct schema_node *node = element.node ? schema_property(element.node, key) : NULL;

	if (!json_is_absent(found))
		return json_new_copy(doc, found);
	if (row && row->dflt)
		return json_new_str(doc, str_from(row->dflt));
	if (node && !json_is_absent(node->dflt))
		return json_new_copy(doc, node->dflt);
	return JSON_NONE;
}

static void add_key(struct typed_place element, struct json value, struct str key,
		    struct json_doc *doc, struct json keys)
{
	struct json made = typed_key_value(element, value, key, doc);

	if (!json_is_absent(made))
		json_set(doc, keys, key, made);
}

/* The only key that elements have; none: there are several. */
static struct str only_key(struct typed_place place)
{
	const char *const *keys = place.field ? place.field->list_keys : NULL;

	if (keys)
		return keys[0] && !keys[1] ? str_from(keys[0]) : str_none();
	return place.node && place.node->list_keys.len == 1 ? place.node->list_keys.ptr[0]
							    : str_none();
}

/* The step that leads to an element: k:{...} or v:...; `to` is cleared. */
void typed_print_element(struct typed_place place, struct json value, struct buf *to)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct typed_place element = typed_element(place);
	struct str key = only_key(place);
	struct json found = key.len ? json_get_str(value, key) : JSON_NONE;
	struct json keys;

	buf_clear(to);
	if (typed_relation(place) == TYPED_SET) {
		buf_puts(to, "v:");
		json_print(value, JSON_CANONICAL, to);
		return;
	}
	if (!json_is_absent(found)) { /* nearly always: without a document */
		buf_puts(to, "k:{\"");
		buf_put_json(to, key);
		buf_puts(to, "\":");
		json_print(found, JSON_CANONICAL, to);
		buf_putc(to, '}');
		return;
	}
	doc = json_doc_new();
	keys = json_new_obj(doc);
	if (place.field)
		for (const char *const *one = place.field->list_keys; *one; one++)
			add_key(element, value, str_from(*one), doc, keys);
	else
		for (size_t i = 0; i < place.node->list_keys.len; i++)
			add_key(element, value, place.node->list_keys.ptr[i], doc, keys);
	buf_puts(to, "k:");
	json_print(keys, JSON_CANONICAL, to);
}

bool typed_is_object(struct typed_place place, struct json value)
{
	return json_is(value, JSON_OBJ) && !is_atomic_object(place) &&
	       (!place.field || place.field->is == FIELD_MAP || place.field->is == FIELD_ANY);
}

bool typed_is_list(struct typed_place place, struct json value)
{
	return json_is(value, JSON_ARR) && typed_relation(place) != TYPED_ATOMIC;
}
