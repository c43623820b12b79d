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
	REGEXP_CLASS,  /* one character of `ranges` */
	REGEXP_ASSERT, /* an empty match at a certain place */
	REGEXP_CAT,    /* all children, one after the other */
	REGEXP_ALT,    /* one of the children */
	REGEXP_REPEAT, /* the child, `min` to `max` times; max -1: no limit */
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

/* A set of characters: a bit for each ASCII character, sorted ranges for all others. */
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
/* Sorts the ranges and joins adjacent ones. */
void regexp_set_sort(struct regexp_set *set);
/* The complement of the set. */
void regexp_set_negate(struct regexp_set *set);
/* Adds the other cases of each letter. */
void regexp_set_fold(struct regexp_set *set);
/* A category or a script of Unicode; false if there is none of that name. */
bool regexp_set_add_named(struct regexp_set *to, struct str name);

/* A table of runs: the upper bits are the first character of a run, the lower `bits` its name. */
struct regexp_runs {
	const uint32_t *ptr;
	size_t len;
	unsigned bits;
};
/* The scripts, by 1 + the index of their name (regexp_scripts.c). */
extern const char *const regexp_script_names[];
extern const size_t regexp_script_count;
extern const struct regexp_runs regexp_scripts;

/* --- the tree --------------------------------------------------------------------------------- */

struct regexp_node {
	enum regexp_op op;
	enum regexp_place place;
	struct regexp_class set;
	struct regexp_node *first; /* first child */
	struct regexp_node *next;  /* next sibling */
	int min;
	int max;
	bool lazy; /* fewer repetitions are preferred */
};

enum {
	REGEXP_DEPTH_MAX = 1000,
	REGEXP_REPEAT_MAX = 1000,
	REGEXP_CODE_MAX = 100000,
	REGEXP_RANGES_MAX = 1000000, /* of all classes */
};

/* The tree, allocated in the arena, or NULL and an error with Go's message. */
struct regexp_node *regexp_parse_tree(struct str pattern, struct arena *arena, struct err *err);

/* Is a character in the class? */
bool regexp_class_has(const struct regexp_class *set, uint32_t rune);

/* The code point at the front, cut off; each byte that is not UTF-8 becomes U+FFFD. */
uint32_t regexp_take_rune(struct str *text);

#endif
