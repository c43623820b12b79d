/* SPDX-License-Identifier: Apache-2.0 */
/* cel/cel.c - compiles a rule and reports its errors.
 *
 * A syntax error ends the compilation; otherwise all type errors are reported, in the order of
 * their places. */
#include "cel/cel.h"

#include "cel/cel_internal.h"
#include "regexp/pattern.h"

#include "base/banned.h"

void cel_compile(struct str text, const struct cel_type *self, bool optional_old,
		 struct arena *arena, struct pattern_set *patterns, struct cel_rule *ret)
{
	struct cel_checking checking = {self, optional_old, patterns, arena};

	*ret = (struct cel_rule){.text = text};
	ret->expr = cel_parse(text, &ret->issues, arena);
	if (!ret->expr)
		return;
	cel_check(ret, &checking);
	if (ret->issues)
		ret->expr = NULL;
	else
		ret->cost = cel_cost(ret, self);
}

/* The line with the place, and a pointer below it. */
static void print_place(struct str text, size_t at, struct buf *to, const char *message)
{
	size_t line = 1;
	size_t start = 0;
	size_t end;
	size_t column = 0;

	for (size_t i = 0; i < at && i < text.len; i++)
		if (text.ptr[i] == '\n') {
			line++;
			start = i + 1;
		}
	for (end = start; end < text.len && text.ptr[end] != '\n';)
		end++;
	for (size_t i = start; i < at && i < text.len; i++)
		column += (text.ptr[i] & 0xc0) != 0x80;
	buf_printf(to, "ERROR: <input>:%zu:%zu: %s\n | ", line, column + 1, message);
	for (size_t i = start; i < end; i++)
		buf_putc(to, text.ptr[i] == '\t' ? ' ' : text.ptr[i]);
	buf_puts(to, "\n | ");
	for (size_t i = start; i < at && i < text.len; i++)
		if ((text.ptr[i] & 0xc0) == 0xc0)
			buf_puts(to, "\xef\xbc\x8e"); /* wide, as the character above it */
		else if ((text.ptr[i] & 0xc0) != 0x80)
			buf_putc(to, '.');
	buf_puts(to, at < text.len && (text.ptr[at] & 0x80) ? "\xef\xbc\xbe" : "^");
}

void cel_print_issues(const struct cel_rule *rule, struct buf *to)
{
	for (const struct cel_issue *issue = rule->issues; issue; issue = issue->next) {
		print_place(rule->text, issue->at, to, issue->text);
		if (issue->next)
			buf_putc(to, '\n');
	}
}
