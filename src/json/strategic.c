/* SPDX-License-Identifier: Apache-2.0 */
/* json/strategic.c - strategic merge of objects; lists are in strategic_list.c.
 *
 * The target's copy is changed in place while the patch is only read. The order within one object
 * is that of upstream: $retainKeys first, then lists with a $setElementOrder, then the other
 * members; values are deleted from lists of scalars last.
 *
 * Directives and nulls are removed only where upstream removes them: from a value that the target does
 * not have, or has as another type. A value that takes the place of one of the same type is copied as
 * it is, and so is a new element of a merged list: a "$patch" in it is then an unknown field, which the
 * caller reports. Removing it would turn "delete this element" into "delete the whole list". */
#include "json/strategic.h"

#include "json/doc_internal.h"
#include "json/index.h"
#include "json/strategic_internal.h"

#include "base/banned.h"

struct json_strategy_field strategic_field(const struct strategic *s, const void *node,
					   struct str key)
{
	struct json_strategy_field field = {0};

	if (!node || !s->lookup(node, key, &field))
		return (struct json_strategy_field){0};
	return field;
}

/* --- copies ------------------------------------------------------------------------------------ */

bool strategic_is_directive(struct str key)
{
	return key.len > 0 && key.ptr[0] == '$' &&
	       (str_eq(key, STRATEGIC_RETAIN) || str_starts(key, STRATEGIC_ORDER) ||
		str_starts(key, STRATEGIC_DELETE));
}

static bool clean(struct json_doc *doc, struct json j);

static void clean_array(struct json_doc *doc, struct json array)
{
	size_t left = json_len(array);

	for (; left > 0; left--) {
		struct json element = json_take_first(array);

		if (clean(doc, element))
			json_append(doc, array, element);
	}
}

/* False: it has a "$patch" and must not be kept. */
static bool clean(struct json_doc *doc, struct json j)
{
	struct json_iter it = json_iter(j);
	bool removed = false;

	if (json_is(j, JSON_ARR))
		clean_array(doc, j);
	if (!json_is(j, JSON_OBJ))
		return true;
	if (!json_is_absent(json_get_str(j, STRATEGIC_PATCH)))
		return false;
	while (json_next(&it)) {
		if (!json_is(it.value, JSON_NULL) && clean(doc, it.value))
			continue;
		json_mark_removed(it.value);
		removed = true;
	}
	if (removed)
		json_sweep(j);
	return true;
}

static struct json clean_copy(struct strategic *s, struct json value)
{
	struct json copy = json_new_copy(s->doc, value);

	return clean(s->doc, copy) ? copy : JSON_NONE;
}

/* Replaces the old value by one of another type, or removes it if nothing of the new one is kept. */
static void replace(struct strategic *s, struct json old, struct json value)
{
	struct json copy = clean_copy(s, value);

	if (json_is_absent(copy))
		json_mark_removed(old);
	else
		json_put_over(old, copy);
}

/* --- directives -------------------------------------------------------------------------------- */

/* Is `key` "<prefix>/<field>"? 1: yes, and *ret is the field; 0: no; -1: it has the prefix, but is
 * malformed. */
static int directive_field(struct str key, struct str prefix, struct str *ret, struct err *err)
{
	if (!str_starts(key, prefix))
		return 0;
	if (key.len == prefix.len || key.ptr[prefix.len] != '/')
		return err_set(err, ERR_BAD_REQUEST, "invalid patch format of %s",
			       str_eq(prefix, STRATEGIC_ORDER) ? "setElementOrder list"
							       : "primitive list");
	*ret = str_skip(key, prefix.len + 1);
	return 1;
}

static int apply_directive(struct strategic *s, struct json target, struct json patch,
			   struct err *err)
{
	struct str directive = json_str(json_get_str(patch, STRATEGIC_PATCH));

	if (str_is(directive, "delete")) {
		json_put_over(target, json_new_obj(s->doc));
		return 0;
	}
	if (str_is(directive, "replace")) {
		struct json copy = json_new_copy(s->doc, patch);

		(void)json_remove(s->doc, copy, STRATEGIC_PATCH);
		json_put_over(target, copy);
		return 0;
	}
	return strategic_bad_directive(patch, err);
}

static int retain_keys(struct json target, struct json patch, struct err *err)
{
	struct json list = json_get_str(patch, STRATEGIC_RETAIN);
	struct json_iter it = json_iter(list);
	bool removed = false;

	if (json_is_absent(list))
		return 0;
	if (!json_is(list, JSON_ARR))
		return err_set(err, ERR_BAD_REQUEST, "invalid patch format of retainKeys");

	AUTO(map_free) struct map *keep = map_new((uint64_t)(uintptr_t)list.val);

	while (json_next(&it))
		if (json_is(it.value, JSON_STR))
			(void)map_put(keep, json_str(it.value), keep);
	it = json_iter(patch);
	while (json_next(&it))
		if (!json_is(it.value, JSON_NULL) && !strategic_is_directive(it.key) &&
		    !map_get(keep, it.key))
			return err_set(err, ERR_BAD_REQUEST, "invalid patch format of retainKeys");
	it = json_iter(target);
	while (json_next(&it)) {
		if (map_get(keep, it.key))
			continue;
		json_mark_removed(it.value);
		removed = true;
	}
	if (removed)
		json_sweep(target);
	return 0;
}

/* --- one object -------------------------------------------------------------------------------- */

struct merge {
	struct strategic *s;
	struct json target;
	struct json patch;
	struct json_index in_target;
	struct json_index in_patch;
	const void *node;
	bool ordered; /* the patch has a $setElementOrder */
};

static int merge_value(struct merge *m, struct str key, struct json old, struct json value,
		       struct err *err)
{
	struct json_strategy_field field = strategic_field(m->s, m->node, key);
	enum json_type type = json_type(value);

	if (type == JSON_OBJ && json_is(old, JSON_OBJ) && field.strategy != JSON_STRATEGY_REPLACE)
		return strategic_merge_map(m->s, old, value, field.child, err);
	if (type == JSON_ARR && json_is(old, JSON_ARR) && field.strategy == JSON_STRATEGY_MERGE)
		return strategic_merge_list(m->s, old, value, JSON_NONE, &field, err);
	if (type == json_type(old) && (type == JSON_OBJ || type == JSON_ARR))
		json_put_over(old, json_new_copy(m->s->doc, value));
	else
		replace(m->s, old, value);
	return 0;
}

static void add_member(struct merge *m, struct str key, struct json value)
{
	struct json copy = clean_copy(m->s, value);

	if (json_is_absent(copy))
		return;
	json_add(m->s->doc, m->target, key, copy);
	json_index_put(&m->in_target, key, copy);
}

/* The list that a $setElementOrder names, merged with what the patch has for it. */
static int merge_ordered(struct merge *m, struct str key, struct json order, struct err *err)
{
	struct json old = json_index_get(&m->in_target, key);
	struct json value = json_index_get(&m->in_patch, key);
	struct json_strategy_field field = strategic_field(m->s, m->node, key);

	if (!json_is(order, JSON_ARR))
		return strategic_bad_type("[]interface {}", order, err);
	if (!json_is_absent(old) && !json_is(old, JSON_ARR))
		return strategic_bad_type("[]interface {}", old, err);
	if (!json_is_absent(value) && !json_is(value, JSON_ARR))
		return strategic_bad_type("[]interface {}", value, err);
	if (json_is_absent(old) && json_is_absent(value))
		return 0;
	if (json_is_absent(old)) {
		add_member(m, key, value);
		old = json_index_get(&m->in_target, key);
	} else if (field.strategy != JSON_STRATEGY_MERGE && !json_is_absent(value)) {
		json_put_over(old, json_new_copy(m->s->doc, value));
	}
	if (field.strategy == JSON_STRATEGY_MERGE)
		return strategic_merge_list(m->s, old, value, order, &field, err);
	return 0;
}

static int merge_all_ordered(struct merge *m, struct err *err)
{
	struct json_iter it = json_iter(m->patch);

	while (json_next(&it)) {
		struct str key = str_none();
		int found = directive_field(it.key, STRATEGIC_ORDER, &key, err);

		if (found < 0)
			return -1;
		if (found == 0)
			continue;
		m->ordered = true;
		if (merge_ordered(m, key, it.value, err) < 0)
			return -1;
	}
	return 0;
}

static bool is_ordered(const struct merge *m, struct str key)
{
	AUTO(buf_done) struct buf name = BUF_UNBOUNDED;

	if (!m->ordered)
		return false;
	buf_put_str(&name, STRATEGIC_ORDER);
	buf_putc(&name, '/');
	buf_put_str(&name, key);
	return !json_is_absent(json_index_get(&m->in_patch, buf_str(&name)));
}

static int merge_members(struct merge *m, struct err *err)
{
	struct json_iter it = json_iter(m->patch);

	while (json_next(&it)) {
		if (strategic_is_directive(it.key) || is_ordered(m, it.key))
			continue;
		struct json old = json_index_get(&m->in_target, it.key);

		if (json_is(it.value, JSON_NULL)) {
			if (!json_is_absent(old))
				json_mark_removed(old);
		} else if (json_is_absent(old)) {
			add_member(m, it.key, it.value);
		} else if (merge_value(m, it.key, old, it.value, err) < 0) {
			return -1;
		}
	}
	return 0;
}

static int delete_values(struct merge *m, struct err *err)
{
	struct json_iter it = json_iter(m->patch);

	while (json_next(&it)) {
		struct str key = str_none();
		int found = directive_field(it.key, STRATEGIC_DELETE, &key, err);
		struct json old = json_index_get(&m->in_target, key);

		if (found < 0)
			return -1;
		if (found == 0 || json_is_absent(old))
			continue;
		if (json_is(it.value, JSON_NULL))
			json_mark_removed(old);
		else if (json_is(old, JSON_ARR) && json_is(it.value, JSON_ARR) &&
			 strategic_delete_from_list(m->s, old, it.value, err) < 0)
			return -1;
	}
	return 0;
}

int strategic_merge_map(struct strategic *s, struct json target, struct json patch,
			const void *node, struct err *err)
{
	if (!json_is_absent(json_get_str(patch, STRATEGIC_PATCH)))
		return apply_directive(s, target, patch, err);
	if (retain_keys(target, patch, err) < 0)
		return -1;

	struct merge m = {
		.s = s,
		.target = target,
		.patch = patch,
		.in_target = json_index_make(target),
		.in_patch = json_index_make(patch),
		.node = node,
	};
	int result = 0;

	if (merge_all_ordered(&m, err) < 0 || merge_members(&m, err) < 0 ||
	    delete_values(&m, err) < 0)
		result = -1;
	json_sweep(target);
	json_index_done(&m.in_target);
	json_index_done(&m.in_patch);
	return result;
}

struct json_doc *json_strategic_apply(struct json target, struct json patch,
				      const struct json_strategy_schema *schema, struct err *err)
{
	if (!json_is(target, JSON_OBJ) || !json_is(patch, JSON_OBJ)) {
		(void)err_set(err, ERR_BAD_REQUEST,
			      "a strategic merge patch is an object for an object, not %s for %s",
			      json_type_name(json_type(patch)), json_type_name(json_type(target)));
		return NULL;
	}
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(target);
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct strategic s = {.doc = doc, .arena = arena, .lookup = schema->lookup};

	if (strategic_merge_map(&s, json_doc_root(doc), patch, schema->node, err) < 0)
		return NULL;
	return TAKE(doc);
}
