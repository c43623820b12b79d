/* SPDX-License-Identifier: Apache-2.0 */
/* json/strategic_list.c - lists that merge.
 *
 * A list is taken apart into items with ids, worked on, and put together again. Items are found by
 * id through hash maps, so that the cost is linear except for sorting.
 *
 * Order: items that the patch names take the patch's order among themselves, the others keep that
 * of the target. The two rows are then merged: an item of the target goes first only if it stood
 * before the patch's next item in the target. So a new item goes before those of the target that
 * are left. */
#include <stdlib.h>

#include "json/doc_internal.h"
#include "json/index.h"
#include "json/strategic_internal.h"

#include "base/banned.h"

enum { INSERTION_SORT = 20 };

static void items_done(struct items *items)
{
	vec_done(items);
}
DEFINE_AUTO_IN_PLACE(struct items, items_done);

/* --- Go's way of printing ---------------------------------------------------------------------- */

static void print_go_map(struct json object, struct buf *to)
{
	VEC(struct str) keys = {0};
	AUTO(json_index_done) struct json_index index = json_index_make(object);
	struct json_iter it = json_iter(object);

	while (json_next(&it))
		vec_push(&keys, it.key);
	if (keys.len > 1)
		qsort(keys.ptr, keys.len, sizeof(*keys.ptr), str_qsort_cmp);
	buf_puts(to, "map[");
	for (size_t i = 0; i < keys.len && !buf_is_over(to); i++) {
		if (i > 0)
			buf_putc(to, ' ');
		buf_put_str(to, keys.ptr[i]);
		buf_putc(to, ':');
		json_print_go(json_index_get(&index, keys.ptr[i]), to);
	}
	buf_putc(to, ']');
	vec_done(&keys);
}

void json_print_go(struct json j, struct buf *to)
{
	struct json_iter it = json_iter(j);

	switch (json_type(j)) {
	case JSON_STR:
		buf_put_str(to, json_str(j));
		break;
	case JSON_NULL:
		buf_puts(to, "<nil>");
		break;
	case JSON_OBJ:
		print_go_map(j, to);
		break;
	case JSON_ARR:
		buf_putc(to, '[');
		while (json_next(&it) && !buf_is_over(to)) {
			if (it.index > 0)
				buf_putc(to, ' ');
			json_print_go(it.value, to);
		}
		buf_putc(to, ']');
		break;
	default:
		json_print(j, JSON_COMPACT, to);
		break;
	}
}

/* --- errors ------------------------------------------------------------------------------------ */

static const char *const go_types[] = {
	[JSON_ABSENT] = "%!s(<nil>)",  [JSON_NULL] = "%!s(<nil>)",
	[JSON_BOOL] = "bool",          [JSON_INT] = "int64",
	[JSON_REAL] = "float64",       [JSON_STR] = "string",
	[JSON_ARR] = "[]interface {}", [JSON_OBJ] = "map[string]interface {}",
};
_Static_assert(ARRAY_LEN(go_types) == JSON_TYPE_COUNT, "name every type");

int strategic_bad_type(const char *expected, struct json got, struct err *err)
{
	return err_set(err, ERR_UNKNOWN, "expected a %s, but received a %s", expected,
		       go_types[json_type(got)]);
}

int strategic_bad_directive(struct json patch, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(ERR_TEXT_SIZE);

	json_print_go(json_get_str(patch, STRATEGIC_PATCH), &text);
	buf_puts(&text, " in map: ");
	json_print_go(patch, &text);
	return err_set(err, ERR_UNKNOWN, "unknown patch type: %s", buf_text(&text));
}

static int no_merge_key(struct json map, struct str key, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_INIT(ERR_TEXT_SIZE);

	json_print_go(map, &text);
	return err_set(err, ERR_UNKNOWN, "map: %s does not contain declared merge key: %.*s",
		       buf_text(&text), STR_ARG(key));
}

/* --- items ------------------------------------------------------------------------------------- */

int strategic_id(struct strategic *s, struct json element, struct str merge_key, struct str *ret,
		 struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct json value = element;

	if (!str_is_empty(merge_key)) {
		if (!json_is(element, JSON_OBJ))
			return strategic_bad_type(go_types[JSON_OBJ], element, err);
		value = json_get_str(element, merge_key);
		if (json_is_absent(value))
			return no_merge_key(element, merge_key, err);
	}
	if (json_is(value, JSON_REAL)) /* 1 is not 1.0 */
		buf_putc(&text, '~');
	json_print(value, JSON_CANONICAL, &text);
	*ret = arena_str(s->arena, buf_str(&text));
	return 0;
}

static int element_type(struct json list, enum json_type *type, struct err *err)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		enum json_type own = json_type(it.value);

		if (*type == JSON_ABSENT)
			*type = own;
		if (own == JSON_ARR)
			return err_set(err, ERR_INVALID, "lists of lists are not supported");
		if (own != *type || own == JSON_NULL) {
			AUTO(buf_done) struct buf text = BUF_INIT(ERR_TEXT_SIZE);

			json_print_go(list, &text);
			return err_set(err, ERR_UNKNOWN, "list element types are not identical: %s",
				       buf_text(&text));
		}
	}
	return 0;
}

int strategic_element_type(struct json a, struct json b, enum json_type *ret, struct err *err)
{
	enum json_type type = JSON_ABSENT;

	if (element_type(a, &type, err) < 0 || element_type(b, &type, err) < 0)
		return -1;
	*ret = type;
	return 0;
}

/* Empties the list. */
static int take_items(struct strategic *s, struct json list, struct str merge_key,
		      struct items *ret, struct err *err)
{
	size_t left = json_len(list);

	vec_reserve(ret, left);
	for (; left > 0; left--) {
		struct item item = {.value = json_take_first(list)};

		if (strategic_id(s, item.value, merge_key, &item.id, err) < 0)
			return -1;
		vec_push(ret, item);
	}
	return 0;
}

static void put_items(struct strategic *s, struct json list, const struct items *items)
{
	for (size_t i = 0; i < items->len; i++)
		json_append(s->doc, list, items->ptr[i].value);
}

/* --- ids to places ----------------------------------------------------------------------------- */

static struct map *places_new(const void *seed)
{
	return map_new((uint64_t)(uintptr_t)seed);
}

/* If several items have the same id, the first one counts. */
static void places_note(struct strategic *s, struct map *places, struct str id, size_t index)
{
	if (map_get(places, id))
		return;
	size_t *place = arena_alloc(s->arena, sizeof(*place));

	*place = index + 1;
	(void)map_put(places, id, place);
}

static size_t places_find(const struct map *places, struct str id)
{
	const size_t *place = map_get(places, id);

	return place ? *place : 0;
}

static struct map *places_of(struct strategic *s, const struct items *items)
{
	struct map *places = places_new(items);

	for (size_t i = 0; i < items->len; i++)
		places_note(s, places, items->ptr[i].id, i);
	return places;
}

/* The ids of a list that is only read; elements with a directive do not count. */
static int places_of_list(struct strategic *s, struct json list, struct str merge_key,
			  struct map *ret, struct err *err)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		struct str id = str_none();

		if (!json_is_absent(json_get_str(it.value, STRATEGIC_PATCH)))
			continue;
		if (strategic_id(s, it.value, merge_key, &id, err) < 0)
			return -1;
		places_note(s, ret, id, it.index);
	}
	return 0;
}

/* --- order ------------------------------------------------------------------------------------- */

static int item_cmp(const void *a, const void *b)
{
	const struct item *left = a;
	const struct item *right = b;

	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return left->at < right->at ? -1 : 1;
}

static bool item_before(const struct item *a, const struct item *b)
{
	return !a->rank || !b->rank || a->rank < b->rank;
}

/* By rank, stably. Items without a rank are rare, and their order in upstream is a side effect of
 * its sort; for short lists the order here is the same. */
static void sort_items(struct items *items)
{
	if (items->len > INSERTION_SORT) {
		for (size_t i = 0; i < items->len; i++)
			items->ptr[i].at = i;
		qsort(items->ptr, items->len, sizeof(*items->ptr), item_cmp);
		return;
	}
	for (size_t i = 1; i < items->len; i++) {
		for (size_t k = i; k > 0 && item_before(&items->ptr[k], &items->ptr[k - 1]); k--) {
			struct item swap = items->ptr[k];

			items->ptr[k] = items->ptr[k - 1];
			items->ptr[k - 1] = swap;
		}
	}
}

/* Both rows are in order. */
static void merge_rows(struct items *to, const struct items *target, const struct items *patch)
{
	size_t i = 0;
	size_t k = 0;

	vec_clear(to);
	while (i < target->len || k < patch->len) {
		bool first = k >= patch->len;

		if (!first && i < target->len && target->ptr[i].server && patch->ptr[k].server)
			first = target->ptr[i].server < patch->ptr[k].server;
		if (first)
			vec_push(to, target->ptr[i++]);
		else
			vec_push(to, patch->ptr[k++]);
	}
}

static void order_items(struct items *items, const struct map *wanted, const struct map *server)
{
	AUTO(items_done) struct items target = {0};
	AUTO(items_done) struct items patch = {0};

	for (size_t i = 0; i < items->len; i++) {
		struct item item = items->ptr[i];

		item.server = places_find(server, item.id);
		item.rank = places_find(wanted, item.id);
		if (item.rank) {
			vec_push(&patch, item);
		} else {
			item.rank = item.server;
			vec_push(&target, item);
		}
	}
	sort_items(&patch);
	sort_items(&target);
	merge_rows(items, &target, &patch);
}

/* --- merging ----------------------------------------------------------------------------------- */

static void drop_items(struct items *items, const struct map *removed)
{
	size_t kept = 0;

	for (size_t i = 0; i < items->len; i++)
		if (!map_get(removed, items->ptr[i].id))
			items->ptr[kept++] = items->ptr[i];
	items->len = kept;
}

/* Handles the elements of the patch that have "$patch". *ret_replace: the patch replaces the list.
 */
static int apply_specials(struct strategic *s, struct items *items, struct json patch,
			  struct str merge_key, bool *ret_replace, struct err *err)
{
	AUTO(map_free) struct map *removed = places_new(items);
	struct json_iter it = json_iter(patch);

	while (json_next(&it)) {
		struct json directive = json_get_str(it.value, STRATEGIC_PATCH);
		struct str id = str_none();

		if (json_is_absent(directive))
			continue;
		if (str_is(json_str(directive), "delete")) {
			if (strategic_id(s, it.value, merge_key, &id, err) < 0)
				return -1;
			(void)map_put(removed, id, removed);
		} else if (str_is(json_str(directive), "replace")) {
			*ret_replace = true;
		} else if (str_is(json_str(directive), "merge")) {
			return err_set(err, ERR_UNKNOWN,
				       "merging lists cannot yet be specified in the patch");
		} else {
			return strategic_bad_directive(it.value, err);
		}
	}
	drop_items(items, removed);
	return 0;
}

static int merge_maps(struct strategic *s, struct items *items, struct json patch,
		      const struct json_strategy_field *field, struct err *err)
{
	AUTO(map_free) struct map *server = NULL;
	AUTO(map_free) struct map *wanted = places_new(s);
	AUTO(map_free) struct map *all = NULL;
	struct json_iter it = json_iter(patch);
	bool replace = false;

	if (apply_specials(s, items, patch, field->merge_key, &replace, err) < 0 ||
	    places_of_list(s, patch, field->merge_key, wanted, err) < 0)
		return -1;
	if (replace)
		vec_clear(items);
	server = places_of(s, items);
	all = places_of(s, items);
	while (json_next(&it)) {
		struct item item = {0};

		if (!json_is_absent(json_get_str(it.value, STRATEGIC_PATCH)))
			continue;
		if (strategic_id(s, it.value, field->merge_key, &item.id, err) < 0)
			return -1;
		size_t place = replace ? 0 : places_find(all, item.id);

		if (place > 0) {
			struct json old = items->ptr[place - 1].value;

			if (strategic_merge_map(s, old, it.value, field->child, err) < 0)
				return -1;
			continue;
		}
		item.value = json_new_copy(s->doc, it.value);
		places_note(s, all, item.id, items->len);
		vec_push(items, item);
	}
	if (!replace)
		order_items(items, wanted, server);
	return 0;
}

/* Each value once. */
static int merge_scalars(struct strategic *s, struct items *items, struct json patch,
			 struct err *err)
{
	AUTO(map_free) struct map *server = places_of(s, items);
	AUTO(map_free) struct map *wanted = places_new(s);
	AUTO(map_free) struct map *seen = places_new(items);
	struct json_iter it = json_iter(patch);
	size_t kept = 0;

	if (places_of_list(s, patch, str_none(), wanted, err) < 0)
		return -1;
	while (json_next(&it)) {
		struct item item = {0};

		if (strategic_id(s, it.value, str_none(), &item.id, err) < 0)
			return -1;
		item.value = json_new_copy(s->doc, it.value);
		vec_push(items, item);
	}
	for (size_t i = 0; i < items->len; i++)
		if (!map_put(seen, items->ptr[i].id, seen))
			items->ptr[kept++] = items->ptr[i];
	items->len = kept;
	order_items(items, wanted, server);
	return 0;
}

/* --- $setElementOrder -------------------------------------------------------------------------- */

/* Each element of the patch must be in $setElementOrder, in the same order. */
static int check_order(struct strategic *s, struct json patch, struct json order,
		       struct str merge_key, struct err *err)
{
	struct json_iter have = json_iter(patch);
	struct json_iter want = json_iter(order);

	if (json_len(patch) == 0 || json_len(order) == 0)
		return 0;
	while (json_next(&have)) {
		struct str id = str_none();
		struct str other = str_none();
		bool found = false;

		if (!json_is_absent(json_get_str(have.value, STRATEGIC_PATCH)))
			continue;
		if (strategic_id(s, have.value, merge_key, &id, err) < 0)
			return -1;
		while (!found && json_next(&want)) {
			if (strategic_id(s, want.value, merge_key, &other, err) < 0)
				return -1;
			found = str_eq(id, other);
		}
		if (found)
			continue;
		AUTO(buf_done) struct buf text = BUF_INIT(ERR_TEXT_SIZE);

		json_print_go(patch, &text);
		buf_puts(&text, "\n doesn't match $setElementOrder list:\n");
		json_print_go(order, &text);
		return err_set(err, ERR_UNKNOWN, "The order in patch list:\n%s\n", buf_text(&text));
	}
	return 0;
}

/* --- the whole list ---------------------------------------------------------------------------- */

int strategic_merge_list(struct strategic *s, struct json list, struct json patch,
			 struct json order, const struct json_strategy_field *field,
			 struct err *err)
{
	AUTO(items_done) struct items items = {0};
	AUTO(map_free) struct map *server = NULL;
	AUTO(map_free) struct map *wanted = places_new(s);
	enum json_type type = JSON_ABSENT;
	struct str key = field->merge_key;

	if (check_order(s, patch, order, key, err) < 0 ||
	    strategic_element_type(list, patch, &type, err) < 0)
		return -1;
	if (type == JSON_OBJ && str_is_empty(key))
		return err_set(err, ERR_UNKNOWN, "cannot merge lists without merge key for struct");
	if (take_items(s, list, key, &items, err) < 0)
		return -1;
	server = places_of(s, &items);
	if (type == JSON_OBJ && merge_maps(s, &items, patch, field, err) < 0)
		return -1;
	if (type != JSON_OBJ && merge_scalars(s, &items, patch, err) < 0)
		return -1;
	if (!json_is_absent(order)) {
		if (places_of_list(s, order, key, wanted, err) < 0)
			return -1;
		order_items(&items, wanted, server);
	}
	put_items(s, list, &items);
	return 0;
}

int strategic_delete_from_list(struct strategic *s, struct json list, struct json removed,
			       struct err *err)
{
	AUTO(items_done) struct items items = {0};
	AUTO(map_free) struct map *ids = places_new(s);
	enum json_type type = JSON_ABSENT;

	if (strategic_element_type(list, removed, &type, err) < 0)
		return -1;
	if (type == JSON_OBJ)
		return err_set(err, ERR_BAD_REQUEST, "invalid patch format of primitive list");
	if (places_of_list(s, removed, str_none(), ids, err) < 0 ||
	    take_items(s, list, str_none(), &items, err) < 0)
		return -1;
	drop_items(&items, ids);
	put_items(s, list, &items);
	return 0;
}
