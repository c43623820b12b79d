/* SPDX-License-Identifier: Apache-2.0 */
/* base/regexp_internal.h - the tree that the parser makes and the compiler walks. */
#ifndef BASE_REGEXP_INTERNAL_H
#define BASE_REGEXP_INTERNAL_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

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

struct regexp_class {
	struct regexp_range *ptr;
	size_t len;
	bool negated;
	bool fold; /* without case */
};

struct regexp_node {
	enum regexp_op op;
	enum regexp_place place;
	struct regexp_class set;
	struct regexp_node *first; /* below it */
	struct regexp_node *next;  /* beside it */
	int min;
	int max;
};

enum { REGEXP_DEPTH_MAX = 1000, REGEXP_REPEAT_MAX = 1000, REGEXP_CODE_MAX = 100000 };

/* The tree, in the arena, or NULL and an error in Go's words. */
struct regexp_node *regexp_parse_tree(struct str pattern, struct arena *arena, struct err *err);

/* The code point at the front, cut off; bytes that are no UTF-8 are U+FFFD each. */
uint32_t regexp_take_rune(struct str *text);

#endif
