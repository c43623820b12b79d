/* SPDX-License-Identifier: Apache-2.0 */
/* json/strategic_diff.c - the strategic merge patch between two objects.
 *
 * Follows what kubectl sends: changed members, null for removed ones, elements of merged lists by
 * their key, $patch: delete for removed ones, and the order of the list whenever it changed in any
 * way. A list with a duplicate key cannot be merged; the patch then replaces it. */
#include <stdlib.h>

#include "json/index.h"
#include "json/strategic.h"
#include "json/strategic_internal.h"

#include "base/banned.h"

static int diff_map(struct strategic *s, struct json patch, struct json from, struct json to,
		    const void *node, struct err *err);

static void put_copy(struct strategic *s, struct json patch, struct str key, struct json value)
{
	json_add(s->doc, patch, key, json_new_copy(s->doc, value));
}

static void put_directive(struct strategic *s, struct json patch, struct str name, struct str key,
			  struct json value)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	buf_put_str(&text, name);
	buf_putc(&text, '/');
	buf_put_str(&text, key);
	json_add(s->doc, patch, buf_str(&text), value);
}

/* --- unions ------------------------------------------------------------------------------------ */

static bool has_other_member(struct json from, struct json to)
{
	AUTO(json_index_done) struct json_index index = json_index_make(to);
	struct json_iter it = json_iter(from);

	while (json_next(&it))
		if (!json_is(it.value, JSON_NULL) && json_is_absent(json_index_get(&index, it.key)))
			return true;
	return false;
}

static void put_retain_keys(struct strategic *s, struct json patch, struct json from,
			    struct json to)
{
	VEC(struct str) keys = {0};
	struct json_iter it = json_iter(to);
	struct json list = json_new_arr(s->doc);

	if (json_len(patch) == 0 && !has_other_member(from, to))
		return;
	while (json_next(&it))
		if (!json_is(it.value, JSON_NULL))
			vec_push(&keys, it.key);
	if (keys.len > 0) {
		qsort(keys.ptr, keys.len, sizeof(*keys.ptr), str_qsort_cmp);
		for (size_t i = 0; i < keys.len; i++)
			json_append(s->doc, list, json_new_str(s->doc, keys.ptr[i]));
		json_add(s->doc, patch, STRATEGIC_RETAIN, list);
	}
	vec_done(&keys);
}

/* --- lists ------------------------------------------------------------------------------------- */

/* One comparison: both lists, what the schema declares, and where the result goes. */
struct list_diff {
	struct json from;
	struct json to;
	struct str key; /* of the list */
	const struct json_strategy_field *field;
	struct json patch; /* the object that the list is in */
};

/* The elements by id. *ret_unique becomes false if an id is there twice. */
static int index_list(struct strategic *s, struct json list, struct str merge_key, struct map *ret,
		      bool *ret_unique, struct err *err)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		struct str id = str_none();

		if (strategic_id(s, it.value, merge_key, &id, err) < 0)
			return -1;
		if (map_put(ret, id, (void *)it.value.val))
			*ret_unique = false;
	}
	return 0;
}

static bool same_order(const struct map *a, const struct map *b)
{
	struct str left = str_none();
	struct str right = str_none();
	void *value = NULL;
	size_t i = 0;
	size_t k = 0;

	if (map_len(a) != map_len(b))
		return false;
	while (map_next(a, &i, &left, &value) && map_next(b, &k, &right, &value))
		if (!str_eq(left, right))
			return false;
	return true;
}

static void put_replacement(struct strategic *s, const struct list_diff *d)
{
	struct json list = json_new_arr(s->doc);
	struct json marker = json_new_obj(s->doc);
	struct json_iter it = json_iter(d->to);

	json_set(s->doc, marker, STRATEGIC_PATCH, json_new_str(s->doc, STR("replace")));
	json_append(s->doc, list, marker);
	while (json_next(&it))
		json_append(s->doc, list, json_new_copy(s->doc, it.value));
	json_add(s->doc, d->patch, d->key, list);
}

static void put_order_of_maps(struct strategic *s, const struct list_diff *d)
{
	struct json order = json_new_arr(s->doc);
	struct json_iter it = json_iter(d->to);

	while (json_next(&it)) {
		struct json entry = json_new_obj(s->doc);

		put_copy(s, entry, d->field->merge_key,
			 json_get_str(it.value, d->field->merge_key));
		json_append(s->doc, order, entry);
	}
	put_directive(s, d->patch, STRATEGIC_ORDER, d->key, order);
}

/* Changed and new elements. */
static int put_changes(struct strategic *s, const struct list_diff *d, struct json list,
		       const struct map *old, struct err *err)
{
	struct str merge_key = d->field->merge_key;
	struct json_iter it = json_iter(d->to);

	while (json_next(&it)) {
		struct str id = str_none();

		if (strategic_id(s, it.value, merge_key, &id, err) < 0)
			return -1;
		const void *val = map_get(old, id);
		struct json before = {val, val && d->from.built};

		if (json_is_absent(before)) {
			json_append(s->doc, list, json_new_copy(s->doc, it.value));
			continue;
		}
		struct json entry = json_new_obj(s->doc);

		if (diff_map(s, entry, before, it.value, d->field->child, err) < 0)
			return -1;
		if (d->field->retain_keys)
			put_retain_keys(s, entry, before, it.value);
		if (json_len(entry) == 0)
			continue;
		put_copy(s, entry, merge_key, json_get_str(it.value, merge_key));
		json_append(s->doc, list, entry);
	}
	return 0;
}

static int put_deletions(struct strategic *s, const struct list_diff *d, struct json list,
			 const struct map *new, struct err *err)
{
	struct str merge_key = d->field->merge_key;
	struct json_iter it = json_iter(d->from);

	while (json_next(&it)) {
		struct str id = str_none();

		if (strategic_id(s, it.value, merge_key, &id, err) < 0)
			return -1;
		if (map_get(new, id))
			continue;
		struct json entry = json_new_obj(s->doc);

		put_copy(s, entry, merge_key, json_get_str(it.value, merge_key));
		json_add(s->doc, entry, STRATEGIC_PATCH, json_new_str(s->doc, STR("delete")));
		json_append(s->doc, list, entry);
	}
	return 0;
}

static int diff_maps(struct strategic *s, const struct list_diff *d, struct err *err)
{
	AUTO(map_free) struct map *old = map_new(1);
	AUTO(map_free) struct map *new = map_new(1);
	struct json list = json_new_arr(s->doc);
	bool unique = true;

	if (str_is_empty(d->field->merge_key))
		return err_set(err, ERR_INVALID, "%.*s: a list that merges has no merge key",
			       STR_ARG(d->key));
	if (index_list(s, d->from, d->field->merge_key, old, &unique, err) < 0 ||
	    index_list(s, d->to, d->field->merge_key, new, &unique, err) < 0)
		return -1;
	if (!unique) {
		put_replacement(s, d);
		return 0;
	}
	if (put_changes(s, d, list, old, err) < 0 || put_deletions(s, d, list, new, err) < 0)
		return -1;
	if (json_len(d->to) > 0 && (json_len(list) > 0 || !same_order(old, new)))
		put_order_of_maps(s, d);
	if (json_len(list) > 0)
		json_add(s->doc, d->patch, d->key, list);
	return 0;
}

/* The values of `list` that are not in `other`. */
static int values_not_in(struct strategic *s, struct json list, const struct map *other,
			 struct json to, struct err *err)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		struct str id = str_none();

		if (strategic_id(s, it.value, str_none(), &id, err) < 0)
			return -1;
		if (!map_get(other, id))
			json_append(s->doc, to, json_new_copy(s->doc, it.value));
	}
	return 0;
}

static int diff_scalars(struct strategic *s, const struct list_diff *d, struct err *err)
{
	AUTO(map_free) struct map *old = map_new(1);
	AUTO(map_free) struct map *new = map_new(1);
	struct json added = json_new_arr(s->doc);
	struct json removed = json_new_arr(s->doc);
	bool unique = true;

	if (index_list(s, d->from, str_none(), old, &unique, err) < 0 ||
	    index_list(s, d->to, str_none(), new, &unique, err) < 0)
		return -1;
	if (!unique)
		return err_set(err, ERR_INVALID, "%.*s: a list that merges has a value twice",
			       STR_ARG(d->key));
	if (values_not_in(s, d->to, old, added, err) < 0 ||
	    values_not_in(s, d->from, new, removed, err) < 0)
		return -1;
	if (json_len(added) > 0)
		json_add(s->doc, d->patch, d->key, added);
	if (json_len(removed) > 0)
		put_directive(s, d->patch, STRATEGIC_DELETE, d->key, removed);
	if (json_len(d->to) > 0)
		put_directive(s, d->patch, STRATEGIC_ORDER, d->key, json_new_copy(s->doc, d->to));
	return 0;
}

static int diff_list(struct strategic *s, const struct list_diff *d, struct err *err)
{
	enum json_type type = JSON_ABSENT;

	if (json_eq(d->from, d->to))
		return 0;
	if (json_len(d->from) == 0) {
		put_copy(s, d->patch, d->key, d->to);
		return 0;
	}
	if (strategic_element_type(d->from, d->to, &type, err) < 0) {
		if (err)
			err->code = ERR_INVALID;
		return err_wrap(err, "%.*s", STR_ARG(d->key));
	}
	return type == JSON_OBJ ? diff_maps(s, d, err) : diff_scalars(s, d, err);
}

/* --- objects ----------------------------------------------------------------------------------- */

/* The difference of a member that both objects have. */
static int diff_member(struct strategic *s, struct json patch, struct json_iter *to,
		       struct json before, const void *node, struct err *err)
{
	struct json_strategy_field field = strategic_field(s, node, to->key);
	enum json_type type = json_type(to->value);
	bool same_type = type == json_type(before);

	if (same_type && type == JSON_ARR && field.strategy == JSON_STRATEGY_MERGE) {
		struct list_diff d = {before, to->value, to->key, &field, patch};

		return diff_list(s, &d, err);
	}
	if (!same_type || type != JSON_OBJ || field.strategy == JSON_STRATEGY_REPLACE) {
		if (!json_eq(before, to->value))
			put_copy(s, patch, to->key, to->value);
		return 0;
	}
	struct json inner = json_new_obj(s->doc);

	if (diff_map(s, inner, before, to->value, field.child, err) < 0)
		return -1;
	if (field.retain_keys)
		put_retain_keys(s, inner, before, to->value);
	if (json_len(inner) > 0)
		json_add(s->doc, patch, to->key, inner);
	return 0;
}

/* A patch cannot express a member with the name of a directive. */
static int check_keys(struct json object, struct err *err)
{
	struct json_iter it = json_iter(object);

	while (json_next(&it))
		if (strategic_is_directive(it.key) || str_eq(it.key, STRATEGIC_PATCH))
			return err_set(err, ERR_INVALID,
				       "%.*s: is the name of a directive and cannot be patched",
				       STR_ARG(it.key));
	return 0;
}

static int diff_map(struct strategic *s, struct json patch, struct json from, struct json to,
		    const void *node, struct err *err)
{
	AUTO(json_index_done) struct json_index old = json_index_make(from);
	AUTO(json_index_done) struct json_index new = json_index_make(to);
	struct json_iter it = json_iter(to);

	if (check_keys(from, err) < 0 || check_keys(to, err) < 0)
		return -1;
	while (json_next(&it)) {
		struct json before = json_index_get(&old, it.key);

		if (json_is_absent(before))
			put_copy(s, patch, it.key, it.value);
		else if (diff_member(s, patch, &it, before, node, err) < 0)
			return -1;
	}
	it = json_iter(from);
	while (json_next(&it))
		if (json_is_absent(json_index_get(&new, it.key)))
			json_add(s->doc, patch, it.key, json_new_null(s->doc));
	return 0;
}

struct json_doc *json_strategic_diff(struct json from, struct json to,
				     const struct json_strategy_schema *schema, struct err *err)
{
	if (!json_is(from, JSON_OBJ) || !json_is(to, JSON_OBJ)) {
		(void)err_set(err, ERR_BAD_REQUEST,
			      "a strategic merge patch is between objects, not %s and %s",
			      json_type_name(json_type(from)), json_type_name(json_type(to)));
		return NULL;
	}
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct strategic s = {.doc = doc, .arena = arena, .lookup = schema->lookup};
	struct json patch = json_new_obj(doc);

	json_doc_set_root(doc, patch);
	if (diff_map(&s, patch, from, to, schema->node, err) < 0)
		return NULL;
	return TAKE(doc);
}
