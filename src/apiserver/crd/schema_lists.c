/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/schema_lists.c - what the types of a schema cannot say: elements of sets and of lists
 * with keys are there once; embedded objects have a kind, a version and good metadata.
 *
 * Duplicates are found by hashing each element's canonical text, so that the cost is linear. For an
 * element that occurs several times the second occurrence is reported, once. */
#include <ctype.h>

#include "apiserver/crd/schema_internal.h"
#include "base/map.h"
#include "base/mem.h"
#include "model/core/meta.h"
#include "model/value/names.h"

#include "base/banned.h"

void schema_put_list_key(const struct schema_node *node, struct json element, struct buf *to)
{
	for (size_t i = 0; i < node->list_keys.len; i++) {
		json_print(json_get_str(element, node->list_keys.ptr[i]), JSON_CANONICAL, to);
		buf_putc(to, ',');
	}
}

struct map *schema_index_list(const struct schema_node *node, struct json old, struct arena *arena)
{
	struct json_iter it = json_iter(old);
	struct map *map;

	if (node->list_type != SCHEMA_LIST_MAP || !json_is(old, JSON_ARR))
		return NULL;
	map = map_new(json_len(old));
	while (json_next(&it)) {
		AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
		struct json *held = arena_new_of(arena, struct json);

		*held = it.value;
		schema_put_list_key(node, it.value, &key);
		map_put(map, arena_str(arena, buf_str(&key)), held);
	}
	return map;
}

struct json schema_find_indexed(const struct schema_node *node, const struct map *olds,
				struct json element)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;
	const struct json *found;

	if (!olds)
		return JSON_NONE;
	schema_put_list_key(node, element, &key);
	found = map_get(olds, buf_str(&key));
	return found ? *found : JSON_NONE;
}

/* The keys of an element as an object: {"name":"x"}. */
static void report_duplicate(const struct schema_node *node, struct json element,
			     const struct path *path, struct causes *causes)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json keys;

	if (node->list_type == SCHEMA_LIST_SET) {
		causes_duplicate(causes, path, element);
		return;
	}
	doc = json_doc_new();
	keys = json_new_obj(doc);
	for (size_t i = 0; i < node->list_keys.len; i++) {
		struct json key = json_get_str(element, node->list_keys.ptr[i]);

		if (!json_is_absent(key))
			json_set(doc, keys, node->list_keys.ptr[i], json_new_copy(doc, key));
	}
	causes_duplicate(causes, path, keys);
}

static bool are_objects(struct json list, const struct path *path, struct causes *causes)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		struct path element = path_index(path, it.index);

		if (json_is(it.value, JSON_OBJ) || json_is(it.value, JSON_NULL))
			continue;
		causes_invalid(causes, &element, it.value,
			       "must be an object for an array of list-type map");
		return false;
	}
	return true;
}

static void check_doubles(const struct schema_node *node, struct json list, const struct path *path,
			  struct causes *causes)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(map_free) struct map *seen = map_new(json_len(list));
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
		struct path element = path_index(path, it.index);
		unsigned *times;

		if (node->list_type == SCHEMA_LIST_SET)
			json_print(it.value, JSON_CANONICAL, &text);
		else
			schema_put_list_key(node, it.value, &text);
		times = map_get(seen, buf_str(&text));
		if (!times) {
			times = arena_new_of(arena, unsigned);
			map_put(seen, arena_str(arena, buf_str(&text)), times);
		} else if (++*times == 1) {
			report_duplicate(node, it.value, &element, causes);
		}
	}
}

static void check_list(const struct schema_node *node, struct json list, const struct path *path,
		       struct causes *causes)
{
	struct json_iter it = json_iter(list);

	if (node->list_type == SCHEMA_LIST_SET ||
	    (node->list_type == SCHEMA_LIST_MAP && are_objects(list, path, causes)))
		check_doubles(node, list, path, causes);
	while (node->items && json_next(&it)) {
		struct path element = path_index(path, it.index);

		schema_check_lists(node->items, it.value, &element, causes);
	}
}

void schema_check_lists(const struct schema_node *node, struct json value, const struct path *path,
			struct causes *causes)
{
	struct json_iter it;

	if (!node->has_lists_below)
		return;
	if (json_is(value, JSON_ARR)) {
		check_list(node, value, path, causes);
		return;
	}
	it = json_iter(value);
	while (json_next(&it)) {
		const struct schema_node *property = schema_property(node, it.key);
		struct path below = property ? path_member(path, it.key) : path_key(path, it.key);

		if (!property)
			property = node->additional;
		if (property)
			schema_check_lists(property, it.value, &below, causes);
	}
}

/* --- embedded objects ------------------------------------------------------------------------ */

struct mixed {
	struct str shown;
	const struct path *path;
	struct causes *causes;
};

static void report_mixed(void *arg, const char *message)
{
	struct mixed *mixed = arg;

	causes_invalid_str(mixed->causes, mixed->path, mixed->shown,
			   "may have mixed case, but should otherwise match: %s", message);
}

static void check_kind(struct str kind, const struct path *path, struct causes *causes)
{
	AUTO(buf_done) struct buf lower = BUF_UNBOUNDED;
	struct mixed mixed = {kind, path, causes};

	for (size_t i = 0; i < kind.len; i++)
		buf_putc(&lower, (char)tolower((unsigned char)kind.ptr[i]));
	name_check(NAME_DNS1035_LABEL, buf_str(&lower), report_mixed, &mixed);
}

static void check_version(struct str version, const struct path *path, struct causes *causes)
{
	ptrdiff_t slash = str_find_byte(version, '/', 0);

	if (slash >= 0 && str_find_byte(version, '/', (size_t)slash + 1) >= 0)
		causes_invalid_str(causes, path, version, "unexpected GroupVersion string: %.*s",
				   STR_ARG(version));
}

static void check_type_meta(struct json object, const char *key, const struct path *up,
			    struct causes *causes)
{
	struct path path = path_member(up, str_from(key));
	struct json value = json_get(object, key);

	if (json_is_absent(value))
		causes_required(causes, &path, "");
	else if (!json_is(value, JSON_STR))
		causes_invalid(causes, &path, value, "must be a string");
	else if (!json_str(value).len)
		causes_invalid(causes, &path, value, "must not be empty");
	else if (str_is(str_from(key), "kind"))
		check_kind(json_str(value), &path, causes);
	else
		check_version(json_str(value), &path, causes);
}

static void check_object(struct json object, const struct path *path, struct causes *causes)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct path below = path_member(path, STR("metadata"));
	struct json meta = json_get(object, "metadata");
	struct meta_rules rules = {.format = NAME_PATH_SEGMENT};

	check_type_meta(object, "apiVersion", path, causes);
	check_type_meta(object, "kind", path, causes);
	if (!json_is(meta, JSON_OBJ))
		return;
	rules.namespaced = json_str(json_get(meta, "namespace")).len > 0;
	if (!json_str(json_get(meta, "name")).len) {
		doc = json_doc_thaw(meta);
		meta = json_doc_root(doc);
		json_set_str(doc, meta, "name", STR("fakename"));
	}
	meta_validate(meta, &rules, &below, causes);
}

/* Metadata of an embedded object has the types that all metadata has. */
static int check_meta_types(struct json object, const struct path *path, struct err *err)
{
	AUTO(buf_done) struct buf where = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf shown = BUF_INIT(ERR_TEXT_SIZE);
	struct path below = path_member(path, STR("metadata"));
	struct json meta = json_get(object, "metadata");
	struct err inner;

	if (json_is_absent(meta) || json_is(meta, JSON_NULL))
		return 0;
	path_print(&below, &where);
	json_print(meta, JSON_COMPACT, &shown);
	if (!json_is(meta, JSON_OBJ))
		return err_set(err, ERR_BAD_REQUEST, "%s: Invalid value: %s: must be an object",
			       buf_text(&where), buf_text(&shown));
	if (type_check_types(&meta_type, meta, &inner) == 0)
		return 0;
	return err_set(err, ERR_BAD_REQUEST, "%s: Invalid value: %s: %s", buf_text(&where),
		       buf_text(&shown), inner.text);
}

int schema_check_embedded_types(const struct schema_node *node, struct json value,
				const struct path *path, struct err *err)
{
	struct json_iter it = json_iter(value);

	if (!node->has_embedded_below)
		return 0;
	if (node->embedded && path && json_is(value, JSON_OBJ) &&
	    check_meta_types(value, path, err) < 0)
		return -1;
	while (json_next(&it)) {
		const struct schema_node *below =
			it.object ? schema_member(node, it.key) : node->items;
		struct path at = it.object ? path_member(path, it.key) : path_index(path, it.index);

		if (below && schema_check_embedded_types(below, it.value, &at, err) < 0)
			return -1;
	}
	return 0;
}

void schema_check_embedded(const struct schema_node *node, struct json value,
			   const struct path *path, struct causes *causes)
{
	struct json_iter it = json_iter(value);

	if (!node->has_embedded_below)
		return;
	if (node->embedded && path && json_is(value, JSON_OBJ))
		check_object(value, path, causes);
	while (json_next(&it)) {
		struct path element = path_index(path, it.index);
		struct path member = path_member(path, it.key);

		if (json_is(value, JSON_ARR)) {
			if (node->items)
				schema_check_embedded(node->items, it.value, &element, causes);
		} else if (schema_member(node, it.key)) {
			schema_check_embedded(schema_member(node, it.key), it.value, &member,
					      causes);
		}
	}
}
