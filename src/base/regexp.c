/* SPDX-License-Identifier: Apache-2.0 */
/* base/regexp.c - a tree as code for a machine that is in many places at once (Thompson, 1968).
 *
 * For each letter of the text the machine holds the set of instructions that it may be at; each is
 * in the set once, so that a step costs at most the length of the code. */
#include "base/regexp.h"

#include "base/mem.h"
#include "base/regexp_internal.h"
#include "base/vec.h"

#include "base/banned.h"

enum code_op { CODE_CLASS, CODE_ASSERT, CODE_SPLIT, CODE_JUMP, CODE_MATCH };

struct code {
	enum code_op op;
	uint32_t to; /* of a jump; the one way of a split */
	uint32_t other;
	enum regexp_place place;
	const struct regexp_class *set;
};

struct regexp {
	struct arena *arena; /* the tree, whose classes the code uses */
	VEC(struct code) code;
};

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

static void compile_repeat(struct regexp *re, const struct regexp_node *node)
{
	uint32_t split;

	for (int i = 0; i < node->min && here(re) < REGEXP_CODE_MAX; i++)
		compile(re, node->first);
	if (node->max < 0) {
		split = emit(re, (struct code){.op = CODE_SPLIT});
		re->code.ptr[split].to = here(re);
		compile(re, node->first);
		(void)emit(re, (struct code){.op = CODE_JUMP, .to = split});
		re->code.ptr[split].other = here(re);
		return;
	}
	for (int i = node->min; i < node->max && here(re) < REGEXP_CODE_MAX; i++) {
		split = emit(re, (struct code){.op = CODE_SPLIT});
		re->code.ptr[split].to = here(re);
		compile(re, node->first);
		re->code.ptr[split].other = here(re);
	}
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
			      "error parsing regexp: expression too large: %zu bytes", pattern.len);
		return NULL;
	}
	tree = regexp_parse_tree(pattern, re->arena, err);
	if (!tree)
		return NULL;
	compile(re, tree);
	if (here(re) >= REGEXP_CODE_MAX) {
		(void)err_set(err, ERR_BAD_REQUEST, "error parsing regexp: expression too large");
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
	mem_free(re);
}

/* --- matching -------------------------------------------------------------------------------- */

#define NO_RUNE UINT32_MAX /* before the text and behind it */

static bool in_ranges(const struct regexp_class *set, uint32_t rune)
{
	for (size_t i = 0; i < set->len; i++)
		if (rune >= set->ptr[i].low && rune <= set->ptr[i].high)
			return true;
	return false;
}

static bool is_letter(uint32_t rune)
{
	return (rune | 0x20) >= 'a' && (rune | 0x20) <= 'z';
}

static bool in_class(const struct regexp_class *set, uint32_t rune)
{
	bool in = in_ranges(set, rune) ||
		  (set->fold && is_letter(rune) && in_ranges(set, rune ^ 0x20));

	return in != set->negated;
}

static bool is_word(uint32_t rune)
{
	return rune != NO_RUNE && (is_letter(rune) || (rune >= '0' && rune <= '9') || rune == '_');
}

static bool is_at(enum regexp_place place, uint32_t before, uint32_t behind)
{
	switch (place) {
	case REGEXP_TEXT_START:
		return before == NO_RUNE;
	case REGEXP_TEXT_END:
		return behind == NO_RUNE;
	case REGEXP_LINE_START:
		return before == NO_RUNE || before == '\n';
	case REGEXP_LINE_END:
		return behind == NO_RUNE || behind == '\n';
	case REGEXP_WORD_EDGE:
		return is_word(before) != is_word(behind);
	case REGEXP_NO_WORD_EDGE:
	default:
		return is_word(before) == is_word(behind);
	}
}

/* Instructions that wait for the next letter, each once. */
struct places {
	uint32_t *ptr;
	size_t len;
	uint32_t *seen; /* by instruction: the step in which it was added, plus one */
	uint32_t step;
};

struct machine {
	const struct regexp *re;
	struct places now;
	struct places next;
	VEC(uint32_t) open; /* to be followed */
	bool matched;
};

/* Add an instruction and what it leads to without a letter. */
static void add(struct machine *m, struct places *to, uint32_t start, uint32_t before,
		uint32_t behind)
{
	vec_push(&m->open, start);
	while (m->open.len) {
		uint32_t at = m->open.ptr[--m->open.len];
		const struct code *code = &m->re->code.ptr[at];

		if (to->seen[at] == to->step)
			continue;
		to->seen[at] = to->step;
		if (code->op == CODE_CLASS) {
			to->ptr[to->len++] = at;
		} else if (code->op == CODE_MATCH) {
			m->matched = true;
		} else if (code->op == CODE_ASSERT) {
			if (is_at(code->place, before, behind))
				vec_push(&m->open, at + 1);
		} else {
			vec_push(&m->open, code->to);
			if (code->op == CODE_SPLIT)
				vec_push(&m->open, code->other);
		}
	}
}

static void places_init(struct places *places, size_t count)
{
	places->ptr = mem_calloc(count, sizeof(*places->ptr));
	places->seen = mem_calloc(count, sizeof(*places->seen));
	places->step = 1;
}

static void machine_done(struct machine *m)
{
	mem_free(m->now.ptr);
	mem_free(m->now.seen);
	mem_free(m->next.ptr);
	mem_free(m->next.seen);
	vec_done(&m->open);
}
DEFINE_AUTO_IN_PLACE(struct machine, machine_done);

static uint32_t peek(struct str text)
{
	return text.len ? regexp_take_rune(&text) : NO_RUNE;
}

bool regexp_matches(const struct regexp *re, struct str text)
{
	AUTO(machine_done) struct machine m = {.re = re};
	uint32_t before = NO_RUNE;

	places_init(&m.now, re->code.len);
	places_init(&m.next, re->code.len);
	for (;;) {
		uint32_t rune = peek(text);
		struct places swap;

		add(&m, &m.now, 0, before, rune); /* a match may start anywhere */
		if (m.matched || rune == NO_RUNE)
			return m.matched;
		(void)regexp_take_rune(&text);
		m.next.len = 0;
		m.next.step++;
		for (size_t i = 0; i < m.now.len; i++)
			if (in_class(re->code.ptr[m.now.ptr[i]].set, rune))
				add(&m, &m.next, m.now.ptr[i] + 1, rune, peek(text));
		before = rune;
		swap = m.now;
		m.now = m.next;
		m.next = swap;
	}
}
