/* SPDX-License-Identifier: Apache-2.0 */
/* regexp/regexp_internal.h - the tree that the parser makes and the compiler walks. */
#ifndef REGEXP_INTERNAL_H
#define REGEXP_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

enum regexp_op {
	REGEXP_EMPTY,
	REGEXP_CLASS,  /* one letter out of `ranges` */
	REGEXP_ASSERT, /* nothing, at a certain place */
	REGEXP_CAT,    /* all below it, one behind the other */
	REGEXP_ALT,    /* one of those below it */
	REGEXP_REPEAT, /* what is below it, `min` to `max` times; max -1: without end */
};

enum regexp_place {
	REGEXP_TEXT_START,
	REGEXP_TEXT_END,
	REGEXP_LINE_START,
	REGEXP_LINE_END,
	REGEXP_WORD_EDGE,
	REGEXP_NO_WORD_EDGE,
};

struct regexp_range {
	uint32_t low;
	uint32_t high;
};

/* What one letter may be: ASCII by bits, everything beyond by ranges that are sorted. */
struct regexp_class {
	uint64_t ascii[2];
	struct regexp_range *ptr;
	size_t len;
};

/* --- sets of characters, while a class is read (regexp_set.c, regexp_unicode.c) ---------------- */

enum { REGEXP_RUNE_MAX = 0x10ffff };

struct regexp_set VEC_FIELDS(struct regexp_range);
void regexp_set_done(struct regexp_set *set);
DEFINE_AUTO_IN_PLACE(struct regexp_set, regexp_set_done);
void regexp_set_add(struct regexp_set *set, uint32_t low, uint32_t high);
/* Sort the ranges and join those that touch. */
void regexp_set_sort(struct regexp_set *set);
/* Everything else. */
void regexp_set_negate(struct regexp_set *set);
/* The same letters in any case. */
void regexp_set_fold(struct regexp_set *set);
/* A category or a script of Unicode; false: there is none of that name. */
bool regexp_set_add_named(struct regexp_set *to, struct str name);

/* --- the tree --------------------------------------------------------------------------------- */

struct regexp_node {
	enum regexp_op op;
	enum regexp_place place;
	struct regexp_class set;
	struct regexp_node *first; /* below it */
	struct regexp_node *next;  /* beside it */
	int min;
	int max;
	bool lazy; /* as few times as possible come first */
};

enum {
	REGEXP_DEPTH_MAX = 1000,
	REGEXP_REPEAT_MAX = 1000,
	REGEXP_CODE_MAX = 100000,
	REGEXP_RANGES_MAX = 1000000, /* of all classes */
};

/* The tree, in the arena, or NULL and an error in Go's words. */
struct regexp_node *regexp_parse_tree(struct str pattern, struct arena *arena, struct err *err);

/* Is a letter in the class? */
bool regexp_class_has(const struct regexp_class *set, uint32_t rune);

/* The code point at the front, cut off; bytes that are no UTF-8 are U+FFFD each. */
uint32_t regexp_take_rune(struct str *text);

#endif
