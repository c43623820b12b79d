/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/apply/fieldset.c - sets of fields: trees in an arena, their algebra, FieldsV1.
 *
 * Children of a set that is finished are sorted, so that two sets are walked side by side. While a set is
 * filled they are appended, and sorted once at its end: to insert each at its place would be quadratic
 * in lists that a request may make as long as it likes. */
#include "apiserver/apply/fieldset.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "json/index.h"

#include "base/banned.h"

struct fieldset *fieldset_new(struct arena *arena)
{
	return arena_new_of(arena, struct fieldset);
}

/* The index of a key, or where it would be inserted. */
static size_t place_of(const struct fieldset *set, struct str key, bool *found)
{
	size_t low = 0;
	size_t high = set->count;

	*found = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = str_cmp(set->children[middle]->key, key);

		if (order == 0) {
			*found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void append(struct arena *arena, struct fieldset *set, struct fieldset *child)
{
	if (set->count == set->size) {
		size_t size = set->size ? 2 * set->size : 4;
		struct fieldset **grown = arena_calloc(arena, size, sizeof(struct fieldset *));

		if (set->count)
			memcpy(grown, set->children, set->count * sizeof(struct fieldset *));
		set->children = grown;
		set->size = size;
	}
	set->children[set->count++] = child;
}

struct fieldset *fieldset_find(const struct fieldset *set, struct str key)
{
	bool found;
	size_t at = set ? place_of(set, key, &found) : 0;

	return set && found ? set->children[at] : NULL;
}

struct fieldset *fieldset_add(struct arena *arena, struct fieldset *set, struct str key)
{
	struct fieldset *child = fieldset_new(arena);

	child->key = arena_str(arena, key);
	append(arena, set, child);
	return child;
}

void fieldset_join(struct arena *arena, struct fieldset *to, const struct fieldset *from)
{
	to->member = to->member || from->member;
	for (size_t i = 0; i < from->count; i++)
		append(arena, to, from->children[i]);
}

static int compare_keys(const void *a, const void *b)
{
	const struct fieldset *const *left = a;
	const struct fieldset *const *right = b;

	return str_cmp((*left)->key, (*right)->key);
}

static bool is_sorted(const struct fieldset *set)
{
	for (size_t i = 1; i < set->count; i++)
		if (str_cmp(set->children[i - 1]->key, set->children[i]->key) >= 0)
			return false;
	return true;
}

/* Those with the same key become one. */
static void sort(struct arena *arena, struct fieldset *set)
{
	size_t kept = 0;

	if (is_sorted(set))
		return;
	qsort(set->children, set->count, sizeof(struct fieldset *), compare_keys);
	for (size_t i = 0; i < set->count; i++) {
		struct fieldset *child = set->children[i];

		if (kept && str_eq(set->children[kept - 1]->key, child->key))
			fieldset_join(arena, set->children[kept - 1], child);
		else
			set->children[kept++] = child;
	}
	set->count = kept;
}

void fieldset_finish(struct arena *arena, struct fieldset *set)
{
	size_t kept = 0;

	sort(arena, set);
	for (size_t i = 0; i < set->count; i++) {
		struct fieldset *child = set->children[i];

		fieldset_finish(arena, child);
		if (child->member || child->count)
			set->children[kept++] = child;
	}
	set->count = kept;
}

bool fieldset_is_empty(const struct fieldset *set)
{
	if (set->member)
		return false;
	for (size_t i = 0; i < set->count; i++)
		if (!fieldset_is_empty(set->children[i]))
			return false;
	return true;
}

bool fieldset_eq(const struct fieldset *a, const struct fieldset *b)
{
	if (a->member != b->member || a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!str_eq(a->children[i]->key, b->children[i]->key) ||
		    !fieldset_eq(a->children[i], b->children[i]))
			return false;
	return true;
}

/* --- algebra --------------------------------------------------------------------------------- */

enum algebra { ALGEBRA_UNION, ALGEBRA_DIFFERENCE, ALGEBRA_INTERSECTION };

static struct fieldset *combine(struct arena *arena, const struct fieldset *a,
				const struct fieldset *b, enum algebra algebra);

static void combine_child(struct arena *arena, struct fieldset *to, const struct fieldset *a,
			  const struct fieldset *b, enum algebra algebra)
{
	struct fieldset *child = combine(arena, a, b, algebra);

	if (child->member || child->count)
		append(arena, to, child);
}

static bool is_member(const struct fieldset *a, const struct fieldset *b, enum algebra algebra)
{
	bool in_a = a && a->member;
	bool in_b = b && b->member;

	if (algebra == ALGEBRA_UNION)
		return in_a || in_b;
	return in_a && in_b == (algebra == ALGEBRA_INTERSECTION);
}

static const struct fieldset *child_at(const struct fieldset *set, size_t at)
{
	return set && at < set->count ? set->children[at] : NULL;
}

static struct fieldset *combine(struct arena *arena, const struct fieldset *a,
				const struct fieldset *b, enum algebra algebra)
{
	struct fieldset *made = fieldset_new(arena);
	size_t i = 0;
	size_t j = 0;

	made->key = a ? a->key : b ? b->key : str_none();
	made->member = is_member(a, b, algebra);
	for (;;) {
		const struct fieldset *x = child_at(a, i);
		const struct fieldset *y = child_at(b, j);
		int order = !x ? 1 : !y ? -1 : str_cmp(x->key, y->key);

		if (!x && (!y || algebra != ALGEBRA_UNION))
			return made;
		if (order > 0 && algebra != ALGEBRA_UNION) { /* what only b has does not matter */
			j = place_of(b, x->key, &(bool){false});
			continue;
		}
		combine_child(arena, made, order <= 0 ? x : NULL, order >= 0 ? y : NULL, algebra);
		i += order <= 0;
		j += order >= 0;
	}
}

struct fieldset *fieldset_union(struct arena *arena, const struct fieldset *a,
				const struct fieldset *b)
{
	return combine(arena, a, b, ALGEBRA_UNION);
}

struct fieldset *fieldset_difference(struct arena *arena, const struct fieldset *a,
				     const struct fieldset *b)
{
	return combine(arena, a, b, ALGEBRA_DIFFERENCE);
}

struct fieldset *fieldset_intersection(struct arena *arena, const struct fieldset *a,
				       const struct fieldset *b)
{
	return combine(arena, a, b, ALGEBRA_INTERSECTION);
}

/* --- FieldsV1 -------------------------------------------------------------------------------- */

static void decode(struct arena *arena, struct fieldset *set, struct json fields)
{
	struct json_iter it = json_iter(fields);

	if (!json_len(fields))
		set->member = true;
	while (json_next(&it)) {
		if (str_is(it.key, "."))
			set->member = true;
		else
			decode(arena, fieldset_add(arena, set, it.key), it.value);
	}
}

struct fieldset *fieldset_decode(struct arena *arena, struct json fields)
{
	struct fieldset *set = fieldset_new(arena);

	if (json_len(fields))
		decode(arena, set, fields);
	fieldset_finish(arena, set);
	return set;
}

static bool meets(const struct fieldset *set, struct json fields)
{
	AUTO(json_index_done) struct json_index index = {0};

	if (set->member && (!json_len(fields) || !json_is_absent(json_get(fields, "."))))
		return true;
	index = json_index_make(fields);
	for (size_t i = 0; i < set->count; i++) {
		struct json below = json_index_get(&index, set->children[i]->key);

		if (!json_is_absent(below) && meets(set->children[i], below))
			return true;
	}
	return false;
}

bool fieldset_meets(const struct fieldset *set, struct json fields)
{
	return json_len(fields) && meets(set, fields);
}

struct json fieldset_encode(const struct fieldset *set, struct json_doc *doc)
{
	struct json fields = json_new_obj(doc);

	if (set->member && set->count)
		json_set(doc, fields, STR("."), json_new_obj(doc));
	for (size_t i = 0; i < set->count; i++)
		json_add(doc, fields, set->children[i]->key,
			 fieldset_encode(set->children[i], doc));
	return fields;
}

/* --- paths ----------------------------------------------------------------------------------- */

/* "port=80,protocol="TCP"" of {"port":80,"protocol":"TCP"} */
static void print_keys(struct str text, struct buf *to)
{
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(text, NULL, &err);
	struct json_iter it = json_iter(doc ? json_doc_root(doc) : JSON_NONE);

	while (json_next(&it)) {
		buf_printf(to, "%s%.*s=", it.index ? "," : "", STR_ARG(it.key));
		json_print(it.value, JSON_COMPACT, to);
	}
}

void fieldset_print_step(struct str key, struct buf *to)
{
	struct str rest = str_skip(key, 2);

	if (str_starts(key, STR("f:"))) {
		buf_printf(to, ".%.*s", STR_ARG(rest));
		return;
	}
	buf_putc(to, '[');
	if (str_starts(key, STR("k:")))
		print_keys(rest, to);
	else
		buf_printf(to, "%s%.*s", str_starts(key, STR("v:")) ? "=" : "", STR_ARG(rest));
	buf_putc(to, ']');
}

static void each(const struct fieldset *set, struct str up, fieldset_fn *fn, void *arg)
{
	AUTO(buf_done) struct buf path = BUF_UNBOUNDED;

	buf_put_str(&path, up);
	if (set->key.len)
		fieldset_print_step(set->key, &path);
	if (set->member)
		fn(arg, buf_str(&path));
	for (size_t i = 0; i < set->count; i++)
		each(set->children[i], buf_str(&path), fn, arg);
}

void fieldset_each(const struct fieldset *set, fieldset_fn *fn, void *arg)
{
	each(set, STR(""), fn, arg);
}
