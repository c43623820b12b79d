/* SPDX-License-Identifier: Apache-2.0 */
/* json/patch.c - JSON patch, applied to a copy of the target.
 *
 * An operation finds the container that its path ends in, then works on that. Values put in are
 * copies that belong to the new document; "move" takes the value out and puts that same one in.
 *
 * What must stay true: every "add" checks the depth of what it makes, so that the document stays
 * within LIMIT_OBJECT_DEPTH whatever the patch does; the bytes copied by "copy" are counted, since
 * copying a container into itself doubles it. */
#include "json/patch.h"

#include "base/limits.h"
#include "base/number.h"
#include "base/vec.h"
#include "json/doc_internal.h"
#include "json/index.h"
#include "json/pointer.h"

#include "base/banned.h"

struct apply {
	struct json_doc *doc;
	struct json_indexes indexes;
	size_t copied; /* bytes copied by "copy" so far */
};

/* The end of a path: a container, and the member or index in it. */
struct place {
	struct json parent; /* absent: the path is not there */
	struct str key;
	size_t depth;                /* of values at this place */
	struct json_pointer pointer; /* owns the text of `key` */
};

static void place_done(struct place *place)
{
	json_pointer_done(&place->pointer);
}
DEFINE_AUTO_IN_PLACE(struct place, place_done);

/* --- finding --------------------------------------------------------------------------------- */

/* An index into an array of `len` elements, from the end if it is negative. */
static bool index_of(struct str token, size_t len, size_t *ret)
{
	int64_t value = 0;

	if (number_parse_i64(token, &value, NULL) < 0)
		return false;
	if (value < 0)
		value += (int64_t)len;
	if (value < 0 || (uint64_t)value >= len)
		return false;
	*ret = (size_t)value;
	return true;
}

static struct json child(struct apply *apply, struct json parent, struct str token)
{
	size_t index = 0;

	if (!json_is(parent, JSON_ARR))
		return json_indexes_get(&apply->indexes, parent, token);
	return index_of(token, json_len(parent), &index) ? json_at(parent, index) : JSON_NONE;
}

/* Reads a path member ("path" or "from") of an operation and finds its container. */
static int place_find(struct apply *apply, struct json op, const char *member, struct place *ret,
		      struct err *err)
{
	struct json path = json_get(op, member);

	if (!json_is(path, JSON_STR))
		return err_set(err, ERR_INVALID, "\"%s\" is missing or not a string", member);
	if (json_pointer_parse(json_str(path), JSON_POINTER_LAX, &ret->pointer, err) < 0) {
		if (err)
			err->code = ERR_INVALID;
		return -1;
	}
	struct json at = json_doc_root(apply->doc);

	ret->depth = ret->pointer.len;
	if (ret->depth == 0)
		return 0;
	for (size_t i = 0; i + 1 < ret->depth; i++)
		at = child(apply, at, ret->pointer.tokens[i]);
	if (json_is(at, JSON_OBJ) || json_is(at, JSON_ARR))
		ret->parent = at;
	ret->key = ret->pointer.tokens[ret->depth - 1];
	return 0;
}

/* --- the operations -------------------------------------------------------------------------- */

/* `value` is in no container. */
static int put_in(struct apply *apply, const struct place *place, struct json value,
		  struct err *err)
{
	size_t len = json_len(place->parent);
	size_t index = len;

	if (json_is_absent(place->parent))
		return err_set(err, ERR_INVALID, "path not found");
	if (place->depth + json_height(value, LIMIT_OBJECT_DEPTH) > LIMIT_OBJECT_DEPTH)
		return err_set(err, ERR_INVALID, "nested deeper than %d levels",
			       LIMIT_OBJECT_DEPTH);
	if (json_is(place->parent, JSON_OBJ)) {
		json_indexes_set(&apply->indexes, place->parent, place->key, value);
		return 0;
	}
	if (!str_is(place->key, "-") && !index_of(place->key, len + 1, &index))
		return err_set(err, ERR_INVALID, "index out of range or no number");
	json_insert(apply->doc, place->parent, index, value);
	return 0;
}

static int take_out(struct apply *apply, const struct place *place, struct json *ret,
		    struct err *err)
{
	struct json value = json_is(place->parent, JSON_OBJ)
				    ? json_indexes_take(&apply->indexes, place->parent, place->key)
				    : child(apply, place->parent, place->key);
	size_t index = 0;

	if (json_is_absent(value))
		return err_set(err, ERR_INVALID, "path not found");
	if (json_is(place->parent, JSON_ARR) &&
	    index_of(place->key, json_len(place->parent), &index))
		(void)json_remove_at(apply->doc, place->parent, index);
	if (ret)
		*ret = value;
	return 0;
}

/* A copy of the operation's value, in no container; null if it has none. */
static struct json new_value(struct apply *apply, struct json op)
{
	struct json value = json_get(op, "value");

	return json_is_absent(value) ? json_new_null(apply->doc) : json_new_copy(apply->doc, value);
}

static int op_add(struct apply *apply, struct json op, struct err *err)
{
	AUTO(place_done) struct place place = {0};

	if (place_find(apply, op, "path", &place, err) < 0)
		return -1;
	return put_in(apply, &place, new_value(apply, op), err);
}

static int op_remove(struct apply *apply, struct json op, struct err *err)
{
	AUTO(place_done) struct place place = {0};

	if (place_find(apply, op, "path", &place, err) < 0)
		return -1;
	return take_out(apply, &place, NULL, err);
}

static int op_replace(struct apply *apply, struct json op, struct err *err)
{
	AUTO(place_done) struct place place = {0};
	size_t index = 0;

	if (place_find(apply, op, "path", &place, err) < 0)
		return -1;
	if (place.depth == 0) {
		json_doc_set_root(apply->doc, new_value(apply, op));
		return 0;
	}
	if (!json_is(place.parent, JSON_ARR))
		return put_in(apply, &place, new_value(apply, op), err);
	if (!index_of(place.key, json_len(place.parent), &index))
		return err_set(err, ERR_INVALID, "index out of range or no number");

	struct json value = new_value(apply, op);

	if (place.depth + json_height(value, LIMIT_OBJECT_DEPTH) > LIMIT_OBJECT_DEPTH)
		return err_set(err, ERR_INVALID, "nested deeper than %d levels",
			       LIMIT_OBJECT_DEPTH);
	json_replace_at(apply->doc, place.parent, index, value);
	return 0;
}

/* The destination is searched after the value was removed. */
static int op_move(struct apply *apply, struct json op, struct err *err)
{
	AUTO(place_done) struct place from = {0};
	AUTO(place_done) struct place to = {0};
	struct json value = JSON_NONE;

	if (place_find(apply, op, "from", &from, err) < 0 ||
	    take_out(apply, &from, &value, err) < 0)
		return err_wrap(err, "from");
	if (place_find(apply, op, "path", &to, err) < 0)
		return -1;
	return put_in(apply, &to, value, err);
}

static int op_copy(struct apply *apply, struct json op, struct err *err)
{
	AUTO(place_done) struct place from = {0};
	AUTO(place_done) struct place to = {0};
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_PATCH_COPY_BYTES);

	if (place_find(apply, op, "from", &from, err) < 0)
		return -1;
	struct json value = child(apply, from.parent, from.key);

	if (json_is_absent(value) && !json_is(from.parent, JSON_OBJ)) {
		(void)err_set(err, ERR_INVALID, "path not found");
		return err_wrap(err, "from");
	}
	if (place_find(apply, op, "path", &to, err) < 0)
		return -1;
	json_indexes_flush(&apply->indexes);
	json_print(value, JSON_COMPACT, &text);
	apply->copied += text.len;
	if (buf_is_over(&text) || apply->copied > LIMIT_PATCH_COPY_BYTES)
		return err_set(err, ERR_INVALID, "copies add up to more than %d bytes",
			       LIMIT_PATCH_COPY_BYTES);
	value = json_is_absent(value) ? json_new_null(apply->doc)
				      : json_new_copy(apply->doc, value);
	return put_in(apply, &to, value, err);
}

static int op_test(struct apply *apply, struct json op, struct err *err)
{
	AUTO(place_done) struct place place = {0};
	struct json want = json_get(op, "value");

	if (place_find(apply, op, "path", &place, err) < 0)
		return -1;
	struct json value = place.depth == 0 ? json_doc_root(apply->doc)
					     : child(apply, place.parent, place.key);

	if (json_is_absent(value) && !json_is(place.parent, JSON_OBJ))
		return err_set(err, ERR_INVALID, "path not found");
	bool both_null = (json_is_absent(value) || json_is(value, JSON_NULL)) &&
			 (json_is_absent(want) || json_is(want, JSON_NULL));

	if (json_len(value))
		json_indexes_flush(&apply->indexes);
	if (!both_null && !json_eq(value, want))
		return err_set(err, ERR_INVALID, "test failed");
	return 0;
}

/* --- all of them ----------------------------------------------------------------------------- */

typedef int op_fn(struct apply *apply, struct json op, struct err *err);

static const struct {
	const char *name;
	op_fn *run;
} ops[] = {
	{"add", op_add},   {"remove", op_remove}, {"replace", op_replace},
	{"move", op_move}, {"copy", op_copy},     {"test", op_test},
};

static int run(struct apply *apply, struct json op, struct err *err)
{
	struct str name = json_str(json_get(op, "op"));

	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		if (!str_is(name, ops[i].name))
			continue;
		if (ops[i].run(apply, op, err) < 0)
			return err_wrap(err, "%s \"%.*s\"", ops[i].name,
					STR_ARG(json_str(json_get(op, "path"))));
		return 0;
	}
	return err_set(err, ERR_INVALID, "unknown operation \"%.*s\"", STR_ARG(name));
}

static int check_patch(struct json patch, struct err *err)
{
	struct json_iter it = json_iter(patch);

	if (!json_is(patch, JSON_ARR))
		return err_set(err, ERR_BAD_REQUEST, "a JSON patch is a list, not %s",
			       json_type_name(json_type(patch)));
	if (json_len(patch) > LIMIT_PATCH_OPS)
		return err_set(err, ERR_TOO_LARGE,
			       "a JSON patch has at most %d operations, this one has %zu",
			       LIMIT_PATCH_OPS, json_len(patch));
	while (json_next(&it))
		if (!json_is(it.value, JSON_OBJ))
			return err_set(err,
				       json_is(it.value, JSON_NULL) ? ERR_INVALID : ERR_BAD_REQUEST,
				       "operation %zu is not an object", it.index);
	return 0;
}

struct json_doc *json_patch_apply(struct json target, struct json patch, struct err *err)
{
	if (check_patch(patch, err) < 0)
		return NULL;
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(target);
	struct apply apply = {.doc = doc, .indexes = {.doc = doc}};
	struct json_iter it = json_iter(patch);
	int rc = 0;

	while (rc == 0 && json_next(&it)) {
		rc = run(&apply, it.value, err);
		if (rc < 0)
			(void)err_wrap(err, "operation %zu", it.index);
	}
	json_indexes_done(&apply.indexes);
	return rc < 0 ? NULL : TAKE(doc);
}

/* --- diff ------------------------------------------------------------------------------------ */

struct diff {
	struct json_doc *doc;
	struct json ops;
	struct buf path;
};

static void emit(struct diff *d, const char *op, struct json value)
{
	struct json entry = json_new_obj(d->doc);

	if (json_len(d->ops) > LIMIT_PATCH_OPS)
		return; /* too many operations: json_patch_diff() starts again */
	json_set_str(d->doc, entry, "op", str_from(op));
	json_set_str(d->doc, entry, "path", buf_str(&d->path));
	if (!json_is_absent(value))
		json_set(d->doc, entry, STR("value"), json_new_copy(d->doc, value));
	json_append(d->doc, d->ops, entry);
}

static void diff_value(struct diff *d, struct json from, struct json to);

static void diff_object(struct diff *d, struct json from, struct json to)
{
	AUTO(json_index_done) struct json_index old = json_index_make(from);
	AUTO(json_index_done) struct json_index new = json_index_make(to);
	struct json_iter it = json_iter(from);
	size_t length = d->path.len;

	while (json_next(&it)) {
		struct json after = json_index_get(&new, it.key);

		json_pointer_put(&d->path, it.key);
		if (json_is_absent(after))
			emit(d, "remove", JSON_NONE);
		else
			diff_value(d, it.value, after);
		buf_truncate(&d->path, length);
	}
	it = json_iter(to);
	while (json_next(&it)) {
		if (!json_is_absent(json_index_get(&old, it.key)))
			continue;
		json_pointer_put(&d->path, it.key);
		emit(d, "add", it.value);
		buf_truncate(&d->path, length);
	}
}

struct values VEC_FIELDS(struct json);

static struct values elements(struct json array)
{
	struct values all = {0};
	struct json_iter it = json_iter(array);

	vec_reserve(&all, json_len(array));
	while (json_next(&it))
		vec_push(&all, it.value);
	return all;
}

/* Equal elements at both ends stay. Those in between are replaced in pairs, then surplus ones are
 * removed or added. */
static void diff_array(struct diff *d, struct json from, struct json to)
{
	struct values old = elements(from);
	struct values new = elements(to);
	size_t length = d->path.len;
	size_t head = 0;
	size_t old_end = old.len;
	size_t new_end = new.len;

	while (head < old_end && head < new_end && json_eq(old.ptr[head], new.ptr[head]))
		head++;
	while (old_end > head && new_end > head &&
	       json_eq(old.ptr[old_end - 1], new.ptr[new_end - 1])) {
		old_end--;
		new_end--;
	}
	for (size_t i = head; i < old_end && i < new_end; i++) {
		buf_printf(&d->path, "/%zu", i);
		diff_value(d, old.ptr[i], new.ptr[i]);
		buf_truncate(&d->path, length);
	}
	for (size_t i = old_end; i > new_end; i--) {
		buf_printf(&d->path, "/%zu", i - 1);
		emit(d, "remove", JSON_NONE);
		buf_truncate(&d->path, length);
	}
	for (size_t i = old_end; i < new_end; i++) {
		buf_printf(&d->path, "/%zu", i);
		emit(d, "add", new.ptr[i]);
		buf_truncate(&d->path, length);
	}
	vec_done(&old);
	vec_done(&new);
}

static void diff_value(struct diff *d, struct json from, struct json to)
{
	if (json_is(from, JSON_OBJ) && json_is(to, JSON_OBJ))
		diff_object(d, from, to);
	else if (json_is(from, JSON_ARR) && json_is(to, JSON_ARR))
		diff_array(d, from, to);
	else if (!json_eq(from, to))
		emit(d, "replace", to);
}

struct json_doc *json_patch_diff(struct json from, struct json to)
{
	struct json_doc *doc = json_doc_new();
	struct diff d = {.doc = doc, .ops = json_new_arr(doc), .path = BUF_UNBOUNDED};

	diff_value(&d, from, to);
	if (json_len(d.ops) > LIMIT_PATCH_OPS) {
		d.ops = json_new_arr(doc);
		buf_clear(&d.path);
		emit(&d, "replace", to);
	}
	json_doc_set_root(doc, d.ops);
	buf_done(&d.path);
	return doc;
}
