/* SPDX-License-Identifier: Apache-2.0 */
/* json/merge.c - merge patch: one walk over the patch, changing a copy of the target.
 *
 * Each key is looked up through an index and its value is changed in place, so that the
 * cost is linear also for objects of many thousand members. The depth of the result is that of the
 * deeper argument, hence bounded. */
#include "json/merge.h"

#include "json/doc_internal.h"
#include "json/index.h"

#include "base/banned.h"

/* Copies without null members, at every depth. */
static void prune_nulls(struct json j)
{
	bool object = json_is(j, JSON_OBJ);
	bool removed = false;
	struct json_iter it = json_iter(j);

	while (json_next(&it)) {
		if (object && json_is(it.value, JSON_NULL)) {
			json_mark_removed(it.value);
			removed = true;
		} else {
			prune_nulls(it.value);
		}
	}
	if (removed)
		json_sweep(j);
}

struct json json_copy_without_nulls(struct json_doc *doc, struct json value)
{
	struct json copy = json_new_copy(doc, value);

	prune_nulls(copy);
	return copy;
}

static void merge_object(struct json_doc *doc, struct json target, struct json patch)
{
	AUTO(json_index_done) struct json_index index = json_index_make(target);
	struct json_iter it = json_iter(patch);
	bool removed = false;

	while (json_next(&it)) {
		struct json old = json_index_get(&index, it.key);

		if (json_is(it.value, JSON_NULL)) {
			if (!json_is_absent(old))
				json_mark_removed(old);
			removed = true;
		} else if (json_is_absent(old)) {
			struct json copy = json_copy_without_nulls(doc, it.value);

			json_add(doc, target, it.key, copy);
			json_index_put(&index, it.key, copy); /* a small target may become large */
		} else if (json_is(old, JSON_OBJ) && json_is(it.value, JSON_OBJ)) {
			merge_object(doc, old, it.value);
		} else {
			json_put_over(old, json_copy_without_nulls(doc, it.value));
		}
	}
	if (removed)
		json_sweep(target);
}

struct json_doc *json_merge_apply(struct json target, struct json patch)
{
	if (json_is(target, JSON_OBJ) && json_is(patch, JSON_OBJ)) {
		struct json_doc *doc = json_doc_thaw(target);

		merge_object(doc, json_doc_root(doc), patch);
		return doc;
	}
	struct json_doc *doc = json_doc_thaw(patch);

	prune_nulls(json_doc_root(doc));
	return doc;
}

/* --- diff ------------------------------------------------------------------------------------ */

/* Fills `patch`, an empty object. */
static void diff_object(struct json_doc *doc, struct json patch, struct json from, struct json to)
{
	AUTO(json_index_done) struct json_index old = json_index_make(from);
	AUTO(json_index_done) struct json_index new = json_index_make(to);
	struct json_iter it = json_iter(from);

	while (json_next(&it))
		if (json_is_absent(json_index_get(&new, it.key)))
			json_add(doc, patch, it.key, json_new_null(doc));
	it = json_iter(to);
	while (json_next(&it)) {
		struct json before = json_index_get(&old, it.key);

		if (json_is_absent(before) || json_type(before) != json_type(it.value) ||
		    !json_is(before, JSON_OBJ)) {
			if (json_is_absent(before) || !json_eq(before, it.value))
				json_add(doc, patch, it.key, json_new_copy(doc, it.value));
			continue;
		}
		struct json inner = json_new_obj(doc);

		diff_object(doc, inner, before, it.value);
		if (json_len(inner) > 0)
			json_add(doc, patch, it.key, inner);
	}
}

struct json_doc *json_merge_diff(struct json from, struct json to)
{
	if (!json_is(from, JSON_OBJ) || !json_is(to, JSON_OBJ))
		return json_doc_thaw(to);
	struct json_doc *doc = json_doc_new();
	struct json patch = json_new_obj(doc);

	json_doc_set_root(doc, patch);
	diff_object(doc, patch, from, to);
	return doc;
}
