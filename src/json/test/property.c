/* SPDX-License-Identifier: Apache-2.0 */
/* Properties that hold for any document, tried on random ones. The seed is printed; give it as the
 * argument to see the same run again. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "json/doc.h"
#include "json/merge.h"
#include "json/patch.h"
#include "json/strategic.h"
#include "random.h"
#include "tap.h"

#include "base/banned.h"

enum { ROUNDS = 3000 };

struct dice {
	uint64_t state;
};

static size_t dice_below(struct dice *dice, size_t bound)
{
	return (size_t)(random_next(&dice->state) % bound);
}

/* --- random documents ------------------------------------------------------------------------ */

static struct json random_str(struct json_doc *doc, struct dice *dice)
{
	static const char *const parts[] = {"a", "b", "name", "\xC3\xA9",     "~",
					    "/", "<", "\"\\", "\xE2\x80\xA8", "\xF0\x9F\x98\x80",
					    "\n"};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	for (size_t i = dice_below(dice, 4); i > 0; i--)
		buf_puts(&text, parts[dice_below(dice, ARRAY_LEN(parts))]);
	if (dice_below(dice, 20) == 0)
		buf_putc(&text, '\0');
	return json_new_str(doc, buf_str(&text));
}

static bool is_whole(double value)
{
	return fabs(value) < 1e21 && (fabs(value) >= 0x1p53 || (double)(int64_t)value == value);
}

static struct json random_real(struct json_doc *doc, struct dice *dice)
{
	union {
		uint64_t bits;
		double real;
	} any = {.bits = random_next(&dice->state)};

	/* Whole numbers print as integers. */
	while (!isfinite(any.real) || is_whole(any.real))
		any.bits = random_next(&dice->state);
	return json_new_real(doc, any.real);
}

static struct json random_scalar(struct json_doc *doc, struct dice *dice, bool nulls)
{
	switch (dice_below(dice, nulls ? 6 : 5)) {
	case 0:
		return json_new_bool(doc, dice_below(dice, 2));
	case 1:
		return json_new_int(doc,
				    (int64_t)random_next(&dice->state) >> dice_below(dice, 64));
	case 2:
		return json_new_uint(doc, random_next(&dice->state));
	case 3:
		return random_real(doc, dice);
	case 4:
		return random_str(doc, dice);
	default:
		return json_new_null(doc);
	}
}

static struct json random_value(struct json_doc *doc, struct dice *dice, size_t depth, bool nulls)
{
	static const char *const keys[] = {"a", "b", "c", "d/e", "f~g", "", "h"};
	size_t kind = dice_below(dice, depth == 0 ? 1 : 3);
	size_t count = dice_below(dice, 5);

	if (kind == 0)
		return random_scalar(doc, dice, nulls);
	struct json result = kind == 1 ? json_new_arr(doc) : json_new_obj(doc);

	for (; count > 0; count--) {
		struct json value = random_value(doc, dice, depth - 1, nulls);

		if (kind == 1)
			json_append(doc, result, value);
		else
			json_set(doc, result, str_from(keys[dice_below(dice, ARRAY_LEN(keys))]),
				 value);
	}
	return result;
}

static struct json_doc *random_doc(struct dice *dice, bool nulls)
{
	struct json_doc *doc = json_doc_new();

	json_doc_set_root(doc, random_value(doc, dice, 5, nulls));
	return doc;
}

/* A few random changes anywhere in a copy, so that two documents have much in common. */
static struct json_doc *mutate(const struct json_doc *from, struct dice *dice, bool nulls)
{
	struct json_doc *doc = json_doc_thaw(json_doc_root(from));

	for (size_t i = dice_below(dice, 4); i > 0; i--) {
		struct json at = json_doc_root(doc);

		while (json_len(at) > 0 && dice_below(dice, 3) > 0) {
			struct json_iter it = json_iter(at);
			size_t steps = dice_below(dice, json_len(at)) + 1;

			while (steps-- > 0)
				(void)json_next(&it);
			if (json_type(it.value) != JSON_ARR && json_type(it.value) != JSON_OBJ)
				break;
			at = it.value;
		}
		if (json_is(at, JSON_OBJ) && json_len(at) > 0 && dice_below(dice, 2)) {
			struct json_iter it = json_iter(at);

			(void)json_next(&it);
			(void)json_remove(doc, at, it.key);
		} else if (json_is(at, JSON_OBJ)) {
			json_set(doc, at, STR("new"), random_value(doc, dice, 2, nulls));
		} else if (json_is(at, JSON_ARR) && json_len(at) > 0 && dice_below(dice, 2)) {
			(void)json_remove_at(doc, at, dice_below(dice, json_len(at)));
		} else if (json_is(at, JSON_ARR)) {
			json_insert(doc, at, dice_below(dice, json_len(at) + 1),
				    random_value(doc, dice, 2, nulls));
		}
	}
	return doc;
}

/* --- properties ------------------------------------------------------------------------------ */

struct tally {
	const char *name;
	int wrong;
};

static void expect(struct tally *tally, bool holds, const struct json_doc *a,
		   const struct json_doc *b)
{
	if (holds || tally->wrong++ > 0)
		return;
	AUTO(mem_free) char *left = json_text(json_doc_root(a), JSON_COMPACT);
	AUTO(mem_free) char *right = json_text(json_doc_root(b), JSON_COMPACT);
	printf("# %s: %s and %s\n", tally->name, left, right);
}

/* Parse and print are inverse in every style; freeze and thaw keep the content. */
static void try_print(struct dice *dice, struct tally *tally)
{
	AUTO(json_doc_unref) struct json_doc *doc = random_doc(dice, true);
	AUTO(json_doc_unref) struct json_doc *frozen = json_doc_freeze(json_doc_root(doc));
	AUTO(json_doc_unref) struct json_doc *packed = json_doc_freeze(json_doc_root(frozen));
	AUTO(json_doc_unref) struct json_doc *thawed = json_doc_thaw(json_doc_root(packed));
	enum json_style style = (enum json_style)dice_below(dice, 3);
	AUTO(mem_free) char *text = json_text(json_doc_root(doc), style);
	AUTO(json_doc_unref) struct json_doc *again = json_parse(str_from(text), NULL, NULL);
	struct json root = json_doc_root(doc);

	expect(tally, again && json_eq(root, json_doc_root(again)), doc, again);
	expect(tally, json_eq(root, json_doc_root(frozen)), doc, frozen);
	expect(tally, json_eq(root, json_doc_root(packed)), doc, packed);
	expect(tally, json_eq(root, json_doc_root(thawed)), doc, thawed);
	expect(tally, json_hash(root, 3) == json_hash(json_doc_root(again), 3), doc, again);
}

/* The same content in another order has the same canonical form and hash; other content has not. */
static void try_canonical(struct dice *dice, struct tally *tally)
{
	AUTO(json_doc_unref) struct json_doc *a = random_doc(dice, true);
	AUTO(json_doc_unref) struct json_doc *b = mutate(a, dice, true);

	if (json_is(json_doc_root(b), JSON_OBJ) && json_len(json_doc_root(b)) > 1) {
		struct json_iter it = json_iter(json_doc_root(b));

		(void)json_next(&it);
		struct json copy = json_new_copy(b, it.value);
		AUTO(mem_free) char *name = str_dup(it.key);
		size_t len = it.key.len;
		(void)json_remove(b, json_doc_root(b), it.key);
		json_add(b, json_doc_root(b), str_of(name, len), copy);
	}
	AUTO(mem_free) char *left = json_text(json_doc_root(a), JSON_CANONICAL);
	AUTO(mem_free) char *right = json_text(json_doc_root(b), JSON_CANONICAL);
	bool equal = json_eq(json_doc_root(a), json_doc_root(b));

	expect(tally, equal == (strcmp(left, right) == 0), a, b);
	expect(tally, equal == (json_hash(json_doc_root(a), 3) == json_hash(json_doc_root(b), 3)),
	       a, b);
}

static void try_patch(struct dice *dice, struct tally *tally)
{
	AUTO(json_doc_unref) struct json_doc *a = random_doc(dice, true);
	AUTO(json_doc_unref)
	struct json_doc *b = dice_below(dice, 2) ? mutate(a, dice, true) : random_doc(dice, true);
	AUTO(json_doc_unref)
	struct json_doc *patch = json_patch_diff(json_doc_root(a), json_doc_root(b));
	AUTO(json_doc_unref)
	struct json_doc *c = json_patch_apply(json_doc_root(a), json_doc_root(patch), NULL);

	expect(tally, c && json_eq(json_doc_root(b), json_doc_root(c)), a, b);
}

static void try_merge(struct dice *dice, struct tally *tally)
{
	AUTO(json_doc_unref) struct json_doc *a = random_doc(dice, false);
	AUTO(json_doc_unref)
	struct json_doc *b = dice_below(dice, 2) ? mutate(a, dice, false) : random_doc(dice, false);
	AUTO(json_doc_unref)
	struct json_doc *patch = json_merge_diff(json_doc_root(a), json_doc_root(b));
	AUTO(json_doc_unref)
	struct json_doc *c = json_merge_apply(json_doc_root(a), json_doc_root(patch));

	expect(tally, json_eq(json_doc_root(b), json_doc_root(c)), a, b);
}

/* --- strategic: objects of a made-up kind ---------------------------------------------------- */

/* Every "list" merges by "name", every "set" is one of scalars, "union" retains keys; the same kind
 * all the way down. */
static bool lookup(const void *node, struct str field, struct json_strategy_field *ret)
{
	ret->child = node;
	if (str_is(field, "list") || str_is(field, "set"))
		ret->strategy = JSON_STRATEGY_MERGE;
	if (str_is(field, "list"))
		ret->merge_key = STR("name");
	if (str_is(field, "whole"))
		ret->strategy = JSON_STRATEGY_REPLACE;
	ret->retain_keys = str_is(field, "union") || str_is(field, "list");
	return !str_is(field, "plain");
}

static struct json random_object(struct json_doc *doc, struct dice *dice, size_t depth);

static struct json random_list(struct json_doc *doc, struct dice *dice, size_t depth, bool objects)
{
	struct json list = json_new_arr(doc);
	unsigned used = 0;

	for (size_t i = dice_below(dice, 6); i > 0; i--) {
		unsigned name = (unsigned)dice_below(dice, 8);

		if (used & (1U << name))
			continue;
		used |= 1U << name;
		if (!objects) {
			json_append(doc, list, json_new_printf(doc, "v%u", name));
			continue;
		}
		struct json element = random_object(doc, dice, depth - 1);

		json_set(doc, element, STR("name"), json_new_int(doc, name));
		json_append(doc, list, element);
	}
	return list;
}

static struct json random_object(struct json_doc *doc, struct dice *dice, size_t depth)
{
	struct json object = json_new_obj(doc);

	json_set(doc, object, STR("number"), json_new_int(doc, (int64_t)dice_below(dice, 3)));
	if (depth == 0)
		return object;
	if (dice_below(dice, 2))
		json_set(doc, object, STR("list"), random_list(doc, dice, depth, true));
	if (dice_below(dice, 2))
		json_set(doc, object, STR("set"), random_list(doc, dice, depth, false));
	if (dice_below(dice, 2))
		json_set(doc, object, STR("plain"), random_list(doc, dice, depth, true));
	if (dice_below(dice, 2))
		json_set(doc, object, STR("union"), random_object(doc, dice, depth - 1));
	if (dice_below(dice, 2))
		json_set(doc, object, STR("whole"), random_object(doc, dice, depth - 1));
	return object;
}

static void try_strategic(struct dice *dice, struct tally *tally)
{
	static const struct json_strategy_schema schema = {.lookup = lookup, .node = "kind"};
	AUTO(json_doc_unref) struct json_doc *a = json_doc_new();
	AUTO(json_doc_unref) struct json_doc *b = json_doc_new();
	struct err err = {0};

	json_doc_set_root(a, random_object(a, dice, 3));
	json_doc_set_root(b, random_object(b, dice, 3));
	AUTO(json_doc_unref)
	struct json_doc *patch =
		json_strategic_diff(json_doc_root(a), json_doc_root(b), &schema, &err);
	AUTO(json_doc_unref)
	struct json_doc *c =
		json_strategic_apply(json_doc_root(a), json_doc_root(patch), &schema, &err);

	expect(tally, c && json_eq(json_doc_root(b), json_doc_root(c)), a, b);
}

typedef void try_fn(struct dice *dice, struct tally *tally);

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		try_fn *try;
	} properties[] = {
		{"parse and print, freeze and thaw", try_print},
		{"canonical form", try_canonical},
		{"JSON patch and diff", try_patch},
		{"merge patch and diff", try_merge},
		{"strategic merge patch and diff", try_strategic},
	};
	struct dice dice = {.state = argc > 1 ? strtoull(argv[1], NULL, 0) : 20260102};

	printf("# seed %" PRIu64 "\n", dice.state);
	for (size_t i = 0; i < ARRAY_LEN(properties); i++) {
		struct tally tally = {.name = properties[i].name};

		for (int round = 0; round < ROUNDS; round++)
			properties[i].try(&dice, &tally);
		ok(tally.wrong == 0, "%s: %d rounds, %d wrong", tally.name, ROUNDS, tally.wrong);
	}
	return tap_done();
}
