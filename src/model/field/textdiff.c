/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/textdiff.c - a line difference by the longest common subsequence.
 *
 * The table of lengths is quadratic; LINES_MAX bounds it to some megabytes, and the specs that are
 * compared have some dozens of lines. Every line of both texts becomes one edit (kept, taken away,
 * added), in order; hunks are then cut from that list. */
#include "model/field/textdiff.h"

#include <stdint.h>

#include "base/mem.h"
#include "base/vec.h"

#include "base/banned.h"

enum { LINES_MAX = 1500, AROUND = 3, APART = 2 * AROUND };

struct edit {
	char sign; /* ' ', '-', '+' */
	struct str line;
};

struct text_lines {
	VEC(struct str) at;
};

static void cut(struct str text, struct text_lines *to)
{
	struct str rest = text;
	struct str line;

	while (rest.len && str_split(&rest, '\n', &line))
		vec_push(&to->at, line);
}

struct edits {
	VEC(struct edit) at;
};

static void push(struct edits *edits, char sign, struct str line)
{
	vec_push(&edits->at, (struct edit){sign, line});
}

static void replace_all(const struct text_lines *old, const struct text_lines *new,
			struct edits *edits)
{
	for (size_t i = 0; i < old->at.len; i++)
		push(edits, '-', old->at.ptr[i]);
	for (size_t i = 0; i < new->at.len; i++)
		push(edits, '+', new->at.ptr[i]);
}

/* Lengths of the longest common tails; row-major, one more than the lines each way. */
static uint16_t *common_tails(const struct text_lines *old, const struct text_lines *new)
{
	size_t width = new->at.len + 1;
	uint16_t *tails = mem_calloc(old->at.len + 1, width * sizeof(*tails));

	for (size_t i = old->at.len; i-- > 0;)
		for (size_t k = new->at.len; k-- > 0;) {
			uint16_t *here = &tails[i * width + k];

			if (str_eq(old->at.ptr[i], new->at.ptr[k]))
				*here = (uint16_t)(here[width + 1] + 1);
			else
				*here = here[width] > here[1] ? here[width] : here[1];
		}
	return tails;
}

static void compare(const struct text_lines *old, const struct text_lines *new, struct edits *edits)
{
	AUTO(mem_free) uint16_t *tails = NULL;
	size_t width = new->at.len + 1;
	size_t i = 0;
	size_t k = 0;

	if (old->at.len > LINES_MAX || new->at.len > LINES_MAX) {
		replace_all(old, new, edits);
		return;
	}
	tails = common_tails(old, new);
	while (i < old->at.len || k < new->at.len) {
		const uint16_t *here = &tails[i * width + k];

		if (i < old->at.len && k < new->at.len &&str_eq(old->at.ptr[i], new->at.ptr[k])) {
			push(edits, ' ', old->at.ptr[i++]);
			k++;
		} else if (k == new->at.len || (i < old->at.len && here[width] >= here[1])) {
			push(edits, '-', old->at.ptr[i++]);
		} else {
			push(edits, '+', new->at.ptr[k++]);
		}
	}
}

/* The start of the first change from `from` on, or the end. */
static size_t next_change(const struct edits *edits, size_t from)
{
	while (from < edits->at.len && edits->at.ptr[from].sign == ' ')
		from++;
	return from;
}

/* The end of the hunk with a change at `change`: three kept lines after its last change. */
static size_t hunk_end(const struct edits *edits, size_t change)
{
	size_t end = change;

	for (;;) {
		size_t next;

		while (end < edits->at.len && edits->at.ptr[end].sign != ' ')
			end++;
		next = next_change(edits, end);
		if (next == edits->at.len || next - end > APART)
			return end + AROUND < edits->at.len ? end + AROUND : edits->at.len;
		end = next;
	}
}

static void put_range(char sign, size_t before, size_t count, struct buf *to)
{
	if (count == 1)
		buf_printf(to, "%c%zu", sign, before + 1);
	else
		buf_printf(to, "%c%zu,%zu", sign, count ? before + 1 : before, count);
}

static size_t count_lines(const struct edits *edits, size_t from, size_t end, char other)
{
	size_t count = 0;

	for (; from < end; from++)
		count += edits->at.ptr[from].sign != other;
	return count;
}

static void put_hunk(const struct edits *edits, size_t from, size_t end, struct buf *to)
{
	buf_puts(to, "@@ ");
	put_range('-', count_lines(edits, 0, from, '+'), count_lines(edits, from, end, '+'), to);
	buf_putc(to, ' ');
	put_range('+', count_lines(edits, 0, from, '-'), count_lines(edits, from, end, '-'), to);
	buf_puts(to, " @@\n");
	for (; from < end; from++)
		buf_printf(to, "%c%.*s\n", edits->at.ptr[from].sign,
			   STR_ARG(edits->at.ptr[from].line));
}

void textdiff_print(struct str old, struct str new, struct buf *to)
{
	struct text_lines before = {0};
	struct text_lines after = {0};
	struct edits edits = {0};
	size_t change;

	cut(old, &before);
	cut(new, &after);
	compare(&before, &after, &edits);
	change = next_change(&edits, 0);
	while (change < edits.at.len) {
		size_t end = hunk_end(&edits, change);

		put_hunk(&edits, change > AROUND ? change - AROUND : 0, end, to);
		change = next_change(&edits, end);
	}
	vec_done(&before.at);
	vec_done(&after.at);
	vec_done(&edits.at);
}

static void put_indented(struct json value, size_t level, struct buf *to);

static void put_line(size_t level, struct buf *to)
{
	buf_putc(to, '\n');
	for (size_t i = 0; i < level; i++)
		buf_putc(to, ' ');
}

static void put_members(struct json value, size_t level, struct buf *to)
{
	struct json_iter it = json_iter(value);
	bool object = json_is(value, JSON_OBJ);

	buf_putc(to, object ? '{' : '[');
	while (json_next(&it)) {
		if (it.index)
			buf_putc(to, ',');
		put_line(level + 1, to);
		if (object)
			buf_printf(to, "\"%.*s\": ", STR_ARG(it.key));
		put_indented(it.value, level + 1, to);
	}
	put_line(level, to);
	buf_putc(to, object ? '}' : ']');
}

static void put_indented(struct json value, size_t level, struct buf *to)
{
	if (json_len(value))
		put_members(value, level, to);
	else
		json_print(value, JSON_COMPACT, to);
}

void textdiff_put_value(struct json value, struct buf *to)
{
	put_indented(value, 0, to);
	buf_putc(to, '\n');
}
