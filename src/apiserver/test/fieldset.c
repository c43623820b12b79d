/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of fields whose members come in any order: sorted, each once, however many there are. */
#include "apiserver/apply/fieldset.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/arena.h"
#include "tap.h"

enum { FIELDS = 20000 };

static bool is_sorted(const struct fieldset *set)
{
	for (size_t i = 1; i < set->count; i++)
		if (str_cmp(set->children[i - 1]->key, set->children[i]->key) >= 0)
			return false;
	return true;
}

/* Numbers in an order that looks random: `step` has no factor in common with FIELDS. */
static struct fieldset *build(struct arena *arena, size_t count, size_t step)
{
	struct fieldset *set = fieldset_new(arena);
	bool found = true;

	for (size_t i = 0; i < count; i++) {
		char key[32];

		snprintf(key, sizeof(key), "f:k%zu", i * step % FIELDS);
		fieldset_add(arena, set, str_from(key))->member = true;
		if (i % 3 == 0) /* once more: it is one node in the end */
			fieldset_add(arena, set, str_from(key))->member = true;
	}
	fieldset_finish(arena, set);
	for (size_t i = 0; i < set->count; i++)
		found = found && fieldset_find(set, set->children[i]->key) == set->children[i];
	found = found && !fieldset_find(set, STR("f:k")) && !fieldset_find(set, STR("g"));
	ok(found, "what was put in is found, %zu fields by %zu", count, step);
	ok(is_sorted(set) && set->count == count, "and the set is sorted");
	return set;
}

int main(void)
{
	static const size_t steps[] = {1, 7919, 19999, 10001};
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct fieldset *first = build(arena, FIELDS, 1);
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		struct fieldset *set = build(arena, FIELDS, steps[i]);

		ok(fieldset_eq(first, set), "the same whatever the order");
	}
	for (size_t count = 0; count < 300; count += 23) {
		struct fieldset *some = build(arena, count, 7919);
		struct fieldset *most = fieldset_difference(arena, first, some);

		ok(most->count == FIELDS - count &&
			   fieldset_eq(fieldset_union(arena, most, some), first) &&
			   fieldset_eq(fieldset_intersection(arena, some, first), some),
		   "a part of it, and the rest");
		ok(count == 0 || fieldset_meets(some, fieldset_encode(first, doc)),
		   "a part meets the whole");
		ok(!fieldset_meets(most, fieldset_encode(some, doc)),
		   "the rest does not meet the part");
	}
	ok(fieldset_eq(fieldset_decode(arena, fieldset_encode(first, doc)), first),
	   "written and read it is the same");
	return tap_done();
}
