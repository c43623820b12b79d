/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/fieldset.c - sets of fields: trees in an arena, their algebra, FieldsV1. Children are
 * sorted, so that two sets are walked side by side.
 *
 * An object may have a hundred thousand fields in any order. While a set is built, children that do
 * not come in order go to a short sorted run at the end, which is merged into the others when it is
 * full: so a child costs little, however many there are. fieldset_prune() merges what is left. */
#include "apiserver/fieldset.h"

#include <string.h>

#include "base/arena.h"

#include "base/banned.h"

struct fieldset *fieldset_new(struct arena *arena)
{
	return arena_new_of(arena, struct fieldset);
}

/* Children that are not merged yet, at most; more in sets that are large, since merging takes as long
 * as they are. */
static size_t recent_max(const struct fieldset *set)
{
	return 64 + set->count / 64;
}

/* Where a key is, or would be, from `low` to `high`. */
static size_t place_in(const struct fieldset *set, size_t low, size_t high, struct str key,
		       bool *found)
{
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

/* Where it is; if it is nowhere, where to insert it. */
static size_t place_of(const struct fieldset *set, struct str key, bool *found)
{
	size_t merged = set->count - set->recent;
	size_t at = place_in(set, 0, merged, key, found);

	if (*found || (at == merged && !set->recent))
		return at;
	return place_in(set, merged, set->count, key, found);
}

/* Merge the run at the end into the others, from the back. */
static void merge(struct arena *arena, struct fieldset *set)
{
	size_t left = set->count - set->recent;
	size_t right = set->recent;
	size_t to = set->count;
	struct fieldset **run;

	if (!set->recent)
		return;
	run = arena_calloc(arena, right, sizeof(struct fieldset *));
	memcpy(run, &set->children[left], right * sizeof(struct fieldset *));
	while (right > 0) {
		if (left > 0 && str_cmp(set->children[left - 1]->key, run[right - 1]->key) > 0)
			set->children[--to] = set->children[--left];
		else
			set->children[--to] = run[--right];
	}
	set->recent = 0;
}

static void insert(struct arena *arena, struct fieldset *set, size_t at, struct fieldset *child)
{
	if (set->count == set->size) {
		size_t size = set->size ? 2 * set->size : 4;
		struct fieldset **grown = arena_calloc(arena, size, sizeof(struct fieldset *));

		if (set->count)
			memcpy(grown, set->children, set->count * sizeof(struct fieldset *));
		set->children = grown;
		set->size = size;
	}
	memmove(&set->children[at + 1], &set->children[at],
		(set->count - at) * sizeof(struct fieldset *));
	set->children[at] = child;
	set->count++;
}

struct fieldset *fieldset_find(const struct fieldset *set, struct str key)
{
	bool found;
	size_t at = set ? place_of(set, key, &found) : 0;

	return set && found ? set->children[at] : NULL;
}

struct fieldset *fieldset_child(struct arena *arena, struct fieldset *set, struct str key)
{
	bool found;
	size_t at = place_of(set, key, &found);
	struct fieldset *child;
	bool in_order;

	if (found)
		return set->children[at];
	in_order = !set->recent &&
		   (!set->count || str_cmp(set->children[set->count - 1]->key, key) < 0);
	child = fieldset_new(arena);
	child->key = arena_str(arena, key);
	set->recent += !in_order;
	insert(arena, set, at, child);
	if (set->recent > recent_max(set))
		merge(arena, set);
	return child;
}

void fieldset_prune(struct arena *arena, struct fieldset *set)
{
	size_t kept = 0;

	merge(arena, set);
	for (size_t i = 0; i < set->count; i++) {
		struct fieldset *child = set->children[i];

		fieldset_prune(arena, child);
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
		insert(arena, to, to->count, child);
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

		if (!x && !y)
			return made;
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
			decode(arena, fieldset_child(arena, set, it.key), it.value);
	}
	merge(arena, set);
}

struct fieldset *fieldset_decode(struct arena *arena, struct json fields)
{
	struct fieldset *set = fieldset_new(arena);

	if (json_len(fields))
		decode(arena, set, fields);
	return set;
}

static bool meets(const struct fieldset *set, struct json fields)
{
	if (set->member && (!json_len(fields) || !json_is_absent(json_get(fields, "."))))
		return true;
	for (struct json_iter it = json_iter(fields); json_next(&it);) {
		const struct fieldset *below = fieldset_find(set, it.key);

		if (below && meets(below, it.value))
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
