/* SPDX-License-Identifier: Apache-2.0 */
/* regexp/regexp.c - compiles the tree to code and runs it as a nondeterministic automaton
 * (Thompson, 1968).
 *
 * For each character of the text the machine has the set of instructions that it may be at. Each
 * instruction is in the set at most once, so that a step costs at most the length of the code. The set is
 * in the order in which Go would try them, and each entry has the start of its match: the first one that
 * reaches the end of the code is the match that is found (Pike, 1994). */
#include "regexp/regexp.h"

#include <stdatomic.h>

#include "base/mem.h"
#include "base/vec.h"
#include "regexp/regexp_internal.h"

#include "base/banned.h"

enum { SHOWN_MAX = 100 };

enum code_op { CODE_CLASS, CODE_ASSERT, CODE_SPLIT, CODE_JUMP, CODE_MATCH };

struct code {
	enum code_op op;
	uint32_t to; /* target of a jump; the second target of a split */
	uint32_t other;
	enum regexp_place place;
	const struct regexp_class *set;
};

struct machine;

struct regexp {
	struct arena *arena; /* the tree, whose classes the code uses */
	VEC(struct code) code;
	/* one that no match uses now, or NULL: matches on several threads take it from here */
	_Atomic(struct machine *) machine;
};

static void machine_free(struct machine *m);

/* --- compiling ------------------------------------------------------------------------------- */

static uint32_t emit(struct regexp *re, struct code code)
{
	vec_push(&re->code, code);
	return (uint32_t)re->code.len - 1;
}

static uint32_t here(const struct regexp *re)
{
	return (uint32_t)re->code.len;
}

static void compile(struct regexp *re, const struct regexp_node *node);

static void compile_alternatives(struct regexp *re, const struct regexp_node *node)
{
	VEC(uint32_t) jumps = {0};

	for (const struct regexp_node *child = node->first; child; child = child->next) {
		uint32_t split = here(re);

		if (child->next) {
			(void)emit(re, (struct code){.op = CODE_SPLIT, .to = split + 1});
			compile(re, child);
			vec_push(&jumps, emit(re, (struct code){.op = CODE_JUMP}));
			re->code.ptr[split].other = here(re);
		} else {
			compile(re, child);
		}
	}
	for (size_t i = 0; i < jumps.len; i++)
		re->code.ptr[jumps.ptr[i]].to = here(re);
	vec_done(&jumps);
}

/* Can it match the empty text? */
static bool can_be_empty(const struct regexp_node *node)
{
	switch (node->op) {
	case REGEXP_CLASS:
		return false;
	case REGEXP_REPEAT:
		return node->min == 0 || can_be_empty(node->first);
	case REGEXP_CAT:
		for (const struct regexp_node *child = node->first; child; child = child->next)
			if (!can_be_empty(child))
				return false;
		return true;
	case REGEXP_ALT:
		for (const struct regexp_node *child = node->first; child; child = child->next)
			if (can_be_empty(child))
				return true;
		return false;
	default:
		return true;
	}
}

/* A split whose targets are set later: into the repeated part, and past it. */
static uint32_t emit_split(struct regexp *re)
{
	return emit(re, (struct code){.op = CODE_SPLIT});
}

static void set_split(struct regexp *re, uint32_t split, uint32_t into, uint32_t past, bool lazy)
{
	re->code.ptr[split].to = lazy ? past : into;
	re->code.ptr[split].other = lazy ? into : past;
}

/* One or more times: the split follows the repeated part. */
static void compile_plus(struct regexp *re, const struct regexp_node *node)
{
	uint32_t start = here(re);
	uint32_t split;

	compile(re, node->first);
	split = emit_split(re);
	set_split(re, split, start, here(re), node->lazy);
}

/* Any number of times. A part that can be empty is compiled as (x+)?, so that matches are preferred
 * in Go's order. */
static void compile_star(struct regexp *re, const struct regexp_node *node)
{
	uint32_t split = emit_split(re);

	if (can_be_empty(node->first)) {
		compile_plus(re, node);
	} else {
		compile(re, node->first);
		(void)emit(re, (struct code){.op = CODE_JUMP, .to = split});
	}
	set_split(re, split, split + 1, here(re), node->lazy);
}

static void compile_repeat(struct regexp *re, const struct regexp_node *node)
{
	VEC(uint32_t) splits = {0};

	for (int i = 0; i + 1 < node->min && here(re) < REGEXP_CODE_MAX; i++)
		compile(re, node->first);
	if (node->max < 0 && node->min > 0) {
		compile_plus(re, node);
		return;
	}
	if (node->min > 0)
		compile(re, node->first);
	if (node->max < 0) {
		compile_star(re, node);
		return;
	}
	/* x{0,3} is (x(x(x)?)?)?: past all of them at once */
	for (int i = node->min; i < node->max && here(re) < REGEXP_CODE_MAX; i++) {
		vec_push(&splits, emit_split(re));
		compile(re, node->first);
	}
	for (size_t i = 0; i < splits.len; i++)
		set_split(re, splits.ptr[i], splits.ptr[i] + 1, here(re), node->lazy);
	vec_done(&splits);
}

static void compile(struct regexp *re, const struct regexp_node *node)
{
	if (here(re) >= REGEXP_CODE_MAX)
		return;
	switch (node->op) {
	case REGEXP_EMPTY:
		break;
	case REGEXP_CLASS:
		(void)emit(re, (struct code){.op = CODE_CLASS, .set = &node->set});
		break;
	case REGEXP_ASSERT:
		(void)emit(re, (struct code){.op = CODE_ASSERT, .place = node->place});
		break;
	case REGEXP_CAT:
		for (const struct regexp_node *child = node->first; child; child = child->next)
			compile(re, child);
		break;
	case REGEXP_ALT:
		compile_alternatives(re, node);
		break;
	case REGEXP_REPEAT:
		compile_repeat(re, node);
		break;
	}
}

struct regexp *regexp_parse(struct str pattern, struct err *err)
{
	AUTO(regexp_free) struct regexp *re = mem_new(struct regexp);
	struct regexp_node *tree;

	re->arena = arena_new(0);
	if (pattern.len > REGEXP_CODE_MAX) {
		(void)err_set(err, ERR_BAD_REQUEST,
			      "error parsing regexp: expression too large: `%.*s`",
			      STR_ARG(str_slice(pattern, 0, SHOWN_MAX)));
		return NULL;
	}
	tree = regexp_parse_tree(pattern, re->arena, err);
	if (!tree)
		return NULL;
	compile(re, tree);
	if (here(re) >= REGEXP_CODE_MAX) {
		(void)err_set(err, ERR_BAD_REQUEST,
			      "error parsing regexp: expression too large: `%.*s`",
			      STR_ARG(str_slice(pattern, 0, SHOWN_MAX)));
		return NULL;
	}
	(void)emit(re, (struct code){.op = CODE_MATCH});
	return TAKE(re);
}

void regexp_free(struct regexp *re)
{
	if (!re)
		return;
	vec_done(&re->code);
	arena_free(re->arena);
	machine_free(atomic_load(&re->machine));
	mem_free(re);
}

size_t regexp_size(const struct regexp *re)
{
	return re->code.len;
}

/* --- matching -------------------------------------------------------------------------------- */

#define NO_RUNE UINT32_MAX /* before the start and after the end of the text */

bool regexp_class_has(const struct regexp_class *set, uint32_t rune)
{
	size_t low = 0;
	size_t high = set->len;

	if (rune < 0x80)
		return set->ascii[rune / 64] >> rune % 64 & 1;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rune < set->ptr[middle].low)
			high = middle;
		else if (rune > set->ptr[middle].high)
			low = middle + 1;
		else
			return true;
	}
	return false;
}

static bool is_letter(uint32_t rune)
{
	return (rune | 0x20) >= 'a' && (rune | 0x20) <= 'z';
}

static bool is_word(uint32_t rune)
{
	return rune != NO_RUNE && (is_letter(rune) || (rune >= '0' && rune <= '9') || rune == '_');
}

static bool is_at(enum regexp_place place, uint32_t before, uint32_t after)
{
	switch (place) {
	case REGEXP_TEXT_START:
		return before == NO_RUNE;
	case REGEXP_TEXT_END:
		return after == NO_RUNE;
	case REGEXP_LINE_START:
		return before == NO_RUNE || before == '\n';
	case REGEXP_LINE_END:
		return after == NO_RUNE || after == '\n';
	case REGEXP_WORD_EDGE:
		return is_word(before) != is_word(after);
	case REGEXP_NO_WORD_EDGE:
	default:
		return is_word(before) == is_word(after);
	}
}

/* Instructions that wait for the next character or are the end, in order, each once. */
struct places {
	struct {
		uint32_t at;
		size_t start; /* of its match */
	} * ptr;
	size_t len;
	uint64_t *seen; /* by instruction: the step in which it was added */
};

struct machine {
	const struct regexp *re;
	struct places now;
	struct places next;
	VEC(uint32_t) open; /* to be followed */
	uint64_t step;      /* each step has a new number */
	uint64_t steps;     /* that may still be taken */
	uint32_t before;    /* the characters around the place */
	uint32_t after;
};

static void places_init(struct places *places, size_t count)
{
	places->ptr = mem_calloc(count, sizeof(*places->ptr));
	places->seen = mem_calloc(count, sizeof(*places->seen));
}

static void machine_free(struct machine *m)
{
	if (!m)
		return;
	mem_free(m->now.ptr);
	mem_free(m->now.seen);
	mem_free(m->next.ptr);
	mem_free(m->next.seen);
	vec_done(&m->open);
	mem_free(m);
}

/* The slot of the cached machine; a cache, so the pattern stays logically const. */
static _Atomic(struct machine *) *kept_machine(const struct regexp *re)
{
	return &((struct regexp *)(uintptr_t)re)->machine;
}

/* Takes the cached machine or makes one; machine_give() returns it. */
static struct machine *machine_take(const struct regexp *re)
{
	struct machine *m = atomic_exchange(kept_machine(re), NULL);

	if (m)
		return m;
	m = mem_new(struct machine);
	m->re = re;
	places_init(&m->now, re->code.len);
	places_init(&m->next, re->code.len);
	return m;
}

static void machine_give(struct machine *m)
{
	machine_free(atomic_exchange(kept_machine(m->re), m));
}

/* Adds an instruction and all that it leads to without consuming a character. */
static void add(struct machine *m, struct places *to, uint32_t first, size_t start)
{
	vec_push(&m->open, first);
	while (m->open.len) {
		uint32_t at = m->open.ptr[--m->open.len];
		const struct code *code = &m->re->code.ptr[at];

		if (to->seen[at] == m->step)
			continue;
		to->seen[at] = m->step;
		m->steps -= m->steps > 0;
		if (code->op == CODE_CLASS || code->op == CODE_MATCH) {
			to->ptr[to->len].at = at;
			to->ptr[to->len++].start = start;
		} else if (code->op == CODE_ASSERT) {
			if (is_at(code->place, m->before, m->after))
				vec_push(&m->open, at + 1);
		} else {
			if (code->op == CODE_SPLIT) /* the second target is tried afterwards */
				vec_push(&m->open, code->other);
			vec_push(&m->open, code->to);
		}
	}
}

static uint32_t peek(struct str text)
{
	return text.len ? regexp_take_rune(&text) : NO_RUNE;
}

/* The character before a place. */
static uint32_t rune_before(struct str text, size_t at)
{
	size_t from = at;
	struct str piece;

	if (!at)
		return NO_RUNE;
	while (from > 0 && at - from < 4) {
		from--;
		if ((text.ptr[from] & 0xc0) != 0x80)
			break;
	}
	piece = str_slice(text, from, at);
	return regexp_take_rune(&piece);
}

/* Consumes the next character in every entry of the set. True: one entry is at the end of the code;
 * entries after it no longer count. */
static bool step(struct machine *m, uint32_t rune, struct regexp_span *ret, size_t at)
{
	m->next.len = 0;
	m->step++;
	for (size_t i = 0; i < m->now.len; i++) {
		const struct code *code = &m->re->code.ptr[m->now.ptr[i].at];

		m->steps -= m->steps > 0;
		if (code->op == CODE_MATCH) {
			*ret = (struct regexp_span){m->now.ptr[i].start, at};
			return true;
		}
		if (rune != NO_RUNE && regexp_class_has(code->set, rune))
			add(m, &m->next, m->now.ptr[i].at + 1, m->now.ptr[i].start);
	}
	return false;
}

static bool search(struct machine *m, struct str text, size_t from, bool any,
		   struct regexp_span *ret)
{
	struct str rest = str_skip(text, from);
	size_t at = from;
	bool found = false;

	m->before = rune_before(text, from);
	m->now.len = 0;
	m->step++;
	for (;;) {
		uint32_t rune = peek(rest);
		struct places swap;

		m->after = rune;
		if (!found)
			add(m, &m->now, 0, at); /* a match may start anywhere */
		if ((found && !m->now.len) || !m->steps)
			return found && m->steps;
		if (rune != NO_RUNE)
			(void)regexp_take_rune(&rest);
		m->before = rune;
		m->after = peek(rest);
		found = step(m, rune, ret, at) || found;
		if (rune == NO_RUNE || (found && any))
			return found && m->steps;
		at = text.len - rest.len;
		swap = m->now;
		m->now = m->next;
		m->next = swap;
	}
}

bool regexp_find(const struct regexp *re, struct str text, size_t from, uint64_t *steps,
		 struct regexp_span *ret)
{
	struct regexp_span span;
	struct machine *m;
	bool found;

	if (from > text.len)
		return false;
	m = machine_take(re);
	m->steps = steps ? *steps : UINT64_MAX;
	found = search(m, text, from, !ret, &span);
	if (steps)
		*steps = m->steps;
	machine_give(m);
	if (found && ret)
		*ret = span;
	return found;
}

bool regexp_matches(const struct regexp *re, struct str text)
{
	return regexp_find(re, text, 0, NULL, NULL);
}
