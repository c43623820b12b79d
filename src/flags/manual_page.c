/* SPDX-License-Identifier: Apache-2.0 */
/* flags/manual_page.c - see manual_page.h. */
#include "flags/manual_page.h"

#include "base/roff.h"
#include "flags/flag_value.h"

#include "base/banned.h"

static void put_remark(const char *what, const char *text, struct buf *to)
{
	if (!text)
		return;
	buf_printf(to, " (%s: ", what);
	roff_put(str_from(text), to);
	buf_putc(to, ')');
}

static void put_flag(const struct flag *flag, struct buf *to)
{
	buf_puts(to, ".TP\n");
	if (flag->letter)
		buf_printf(to, "\\fB\\-%c\\fR, ", flag->letter);
	buf_puts(to, "\\fB\\-\\-");
	roff_put(str_from(flag->name), to);
	buf_puts(to, "\\fR");
	if (flag->type != FLAG_BOOL) {
		buf_puts(to, " \\fI");
		roff_put(str_from(flag->noun ? flag->noun : "VALUE"), to);
		buf_puts(to, "\\fR");
	}
	buf_putc(to, '\n');
	roff_put(str_from(flag->about), to);
	if (flag_shows_default(flag)) {
		buf_puts(to, " (default ");
		roff_put(str_from(flag->value), to);
		buf_putc(to, ')');
	}
	if (flag->env)
		buf_printf(to, " (or $%s)", flag->env);
	put_remark("deprecated", flag->deprecated, to);
	put_remark("no effect", flag->no_effect, to);
	buf_puts(to, ".\n");
}

static void put_synopsis(const struct command_line *line, struct buf *to)
{
	AUTO(buf_done) struct buf path = BUF_UNBOUNDED;

	command_print_path(line, &path);
	buf_puts(to, "\\fB");
	roff_put(buf_str(&path), to);
	buf_puts(to, "\\fR");
	if (line->command->below)
		buf_puts(to, " \\fICOMMAND\\fR");
	buf_puts(to, " [\\fIflags\\fR]");
	if (line->command->arguments) {
		buf_putc(to, ' ');
		roff_put(str_from(line->command->arguments), to);
	}
	buf_putc(to, '\n');
}

/* Paragraphs; lines that begin with blanks stay as they are. */
static void put_more(const char *more, struct buf *to)
{
	struct str rest = str_from(more);
	struct str line;
	bool kept = false;

	if (!more)
		return;
	buf_puts(to, ".PP\n");
	while (str_split(&rest, '\n', &line)) {
		bool keep = str_starts(line, STR("  "));

		if (keep != kept)
			buf_puts(to, keep ? ".nf\n" : ".fi\n");
		kept = keep;
		if (!line.len)
			buf_puts(to, ".PP");
		roff_put(line, to);
		buf_putc(to, '\n');
	}
	if (kept)
		buf_puts(to, ".fi\n");
}

static void put_flags(const struct command_line *line, bool own, struct buf *to)
{
	for (size_t i = 0; i < line->flag_count; i++)
		if (!command_is_global(line, i) &&
		    own == !str_is(str_from(line->flags[i]->name), "help"))
			put_flag(line->flags[i], to);
}

static void put_leaf(const struct command *root, struct str *path, size_t count, struct buf *to)
{
	struct command_line line;
	struct err err;

	if (command_find(root, path, count, &line, &err) < 0)
		return;
	buf_puts(to, ".SS ");
	put_synopsis(&line, to);
	roff_put(str_from(line.command->about), to);
	buf_puts(to, ".\n");
	put_more(line.command->more, to);
	put_flags(&line, true, to);
}

static void put_group(const struct command *root, const struct command_line *line,
		      const struct str *path, size_t count, struct buf *to)
{
	struct str below[COMMAND_DEPTH_MAX] = {{0}};

	for (size_t i = 0; i < count; i++)
		below[i] = path[i];
	buf_puts(to, ".SH COMMANDS\n");
	for (size_t i = 0; line->command->below[i]; i++) {
		const struct command *command = line->command->below[i];

		if (command->hidden)
			continue;
		if (command->below) {
			buf_printf(to, ".SS %s %s \\fICOMMAND\\fR\n", root->name, command->name);
			roff_put(str_from(command->about), to);
			buf_printf(to, ": see \\fB%s\\-%s\\fR(1).\n", root->name, command->name);
			continue;
		}
		below[count] = str_from(command->name);
		put_leaf(root, below, count + 1, to);
	}
}

void manual_page_put(const struct command *root, const struct str *path, size_t count,
		     const struct manual_text *text, struct buf *to)
{
	struct command_line line;
	struct err err;

	if (command_find(root, path, count, &line, &err) < 0)
		return;
	buf_printf(to, ".TH \"%s", root->name);
	for (size_t i = 0; i < count; i++)
		buf_printf(to, "-%.*s", STR_ARG(path[i]));
	buf_printf(to,
		   "\" \"%s\" \"\" \"volcano %s\" \"Batch jobs\"\n"
		   ".SH NAME\n%s",
		   text->section, VOLCANO_VERSION, root->name);
	for (size_t i = 0; i < count; i++)
		buf_printf(to, "\\-%.*s", STR_ARG(path[i]));
	buf_printf(to, " \\- %s\n.SH SYNOPSIS\n", line.command->about);
	put_synopsis(&line, to);
	if (line.command->more || !line.command->below || text->description)
		buf_puts(to, ".SH DESCRIPTION\n");
	if (line.command->more || !line.command->below) {
		roff_put(str_from(line.command->about), to);
		buf_puts(to, ".\n");
		put_more(line.command->more, to);
	}
	buf_puts(to, text->description ? text->description : "");
	if (line.command->below)
		put_group(root, &line, path, count, to);
	buf_puts(to, ".SH OPTIONS\n");
	put_flags(&line, true, to);
	put_flags(&line, false, to);
	buf_puts(to, text->tail ? text->tail : "");
}
