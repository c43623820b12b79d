/* SPDX-License-Identifier: Apache-2.0 */
/* flags/command_help.c - what `--help` prints, in the layout of the Go library cobra. */
#include "base/macro.h"
#include "flags/command_line.h"
#include "flags/flag_value.h"

#include "base/banned.h"

void command_print_path(const struct command_line *line, struct buf *to)
{
	for (size_t i = 0; i < line->depth; i++)
		buf_printf(to, "%s%s", i ? " " : "", line->path[i]->name);
}

static void print_head(const struct flag *flag, struct buf *to)
{
	const char *noun = flag_noun(flag);

	if (flag->letter)
		buf_printf(to, "  -%c, --%s", flag->letter, flag->name);
	else
		buf_printf(to, "      --%s", flag->name);
	buf_printf(to, "%s%s", *noun ? " " : "", noun);
}

static void print_about(const struct flag *flag, struct buf *to)
{
	buf_puts(to, flag->about);
	if (flag_shows_default(flag))
		buf_printf(to, flag->type == FLAG_STRING ? " (default \"%s\")" : " (default %s)",
			   flag->value);
	if (flag->env)
		buf_printf(to, " (or $%s)", flag->env);
	if (flag->deprecated)
		buf_printf(to, " (deprecated: %s)", flag->deprecated);
	if (flag->no_effect)
		buf_printf(to, " (no effect: %s)", flag->no_effect);
	buf_putc(to, '\n');
}

static void print_flags(const struct command_line *line, bool global, struct buf *to)
{
	AUTO(buf_done) struct buf head = BUF_UNBOUNDED;
	size_t width = 0;

	for (size_t i = 0; i < line->flag_count; i++) {
		buf_clear(&head);
		print_head(line->flags[i], &head);
		if (command_is_global(line, i) == global && head.len > width)
			width = head.len;
	}
	buf_puts(to, global ? "\nGlobal Flags:\n" : "\nFlags:\n");
	for (size_t i = 0; i < line->flag_count; i++) {
		const struct flag *flag = line->flags[i];

		if (command_is_global(line, i) != global)
			continue;
		buf_clear(&head);
		print_head(flag, &head);
		buf_printf(to, "%-*s   ", (int)width, buf_text(&head));
		print_about(flag, to);
	}
}

static void print_below(const struct command *group, struct buf *to)
{
	size_t width = 0;

	for (size_t i = 0; group->below[i]; i++) {
		size_t len = str_from(group->below[i]->name).len;

		if (!group->below[i]->hidden)
			width = len > width ? len : width;
	}
	buf_puts(to, "\nAvailable Commands:\n");
	for (size_t i = 0; group->below[i]; i++)
		if (!group->below[i]->hidden)
			buf_printf(to, "  %-*s   %s\n", (int)width, group->below[i]->name,
				   group->below[i]->about);
}

void command_help(const struct command_line *line, struct buf *to)
{
	const struct command *command = line->command;

	buf_printf(to, "%s\n\nUsage:\n  ", command->about);
	command_print_path(line, to);
	buf_puts(to, command->below ? " [command]" : " [flags]");
	if (command->arguments)
		buf_printf(to, " %s", command->arguments);
	buf_putc(to, '\n');
	if (command->more)
		buf_printf(to, "\n%s\n", command->more);
	if (command->below)
		print_below(command, to);
	print_flags(line, false, to);
	if (line->global_count)
		print_flags(line, true, to);
	if (!command->below)
		return;
	buf_puts(to, "\nUse \"");
	command_print_path(line, to);
	buf_puts(to, " [command] --help\" for more about a command.\n");
}
