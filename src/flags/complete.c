/* SPDX-License-Identifier: Apache-2.0 */
/* flags/complete.c - see complete.h. The words before the last are walked as command_parse() would, without
 * checking them. */
#include "flags/complete.h"

#include "base/macro.h"

#include "base/banned.h"

/* What a command's arguments (and its --name) name: its own row says it, or that of its group. */
static const char *named_kind(const struct command_line *line)
{
	for (size_t i = line->depth; i-- > 0;)
		if (line->path[i]->completes)
			return line->path[i]->completes;
	return NULL;
}

static void put(struct str word, const char *about, struct str typed, struct buf *to)
{
	if (str_starts(word, typed))
		buf_printf(to, "%.*s\t%s\n", STR_ARG(word), about);
}

static void put_words(const char *words, struct str typed, struct buf *to)
{
	struct str rest = str_from(words);
	struct str word;

	while (rest.len && str_split(&rest, ' ', &word))
		put(word, "", typed, to);
}

/* The flag that a word is, and whether its value is the next word. */
static const struct flag *find_flag(const struct command_line *line, struct str word, bool *open)
{
	bool full = str_starts(word, STR("--"));
	struct str name = str_skip(word, full ? 2 : 1);

	*open = false;
	for (size_t i = 0; i < line->flag_count; i++) {
		const struct flag *flag = line->flags[i];

		if (full ? !str_is(name, flag->name)
			 : !(name.len == 1 && flag->letter && name.ptr[0] == flag->letter))
			continue;
		*open = flag->type != FLAG_BOOL;
		return flag;
	}
	return NULL;
}

/* The value of a flag. */
static const char *put_value(const struct command_line *line, const struct flag *flag,
			     struct str typed, struct buf *to)
{
	if (flag->choices)
		put_words(flag->choices, typed, to);
	return flag->completes && str_is(str_from(flag->completes), COMPLETE_NAME)
		       ? named_kind(line)
		       : flag->completes;
}

static void put_flags(const struct command_line *line, struct str typed, struct buf *to)
{
	AUTO(buf_done) struct buf word = BUF_UNBOUNDED;

	for (size_t i = 0; i < line->flag_count; i++) {
		if (command_is_global(line, i))
			continue;
		buf_clear(&word);
		buf_printf(&word, "--%s", line->flags[i]->name);
		put(buf_str(&word), line->flags[i]->about, typed, to);
	}
}

/* "[nodes|queues|jobs]": words that stand for themselves. */
static void put_choices(const char *arguments, struct str typed, struct buf *to)
{
	struct str rest = str_from(arguments);
	struct str word;

	if (!str_starts(rest, STR("[")) || str_find_byte(rest, '|', 0) < 0 ||
	    str_find_byte(rest, ' ', 0) >= 0)
		return;
	rest = str_slice(rest, 1, rest.len - 1);
	while (str_split(&rest, '|', &word))
		put(word, "", typed, to);
}

static const char *put_argument(const struct command_line *line, struct str typed, struct buf *to)
{
	const struct command *command = line->command;

	for (size_t i = 0; command->below && command->below[i]; i++)
		if (!command->below[i]->hidden)
			put(str_from(command->below[i]->name), command->below[i]->about, typed, to);
	if (command->below || !command->arguments)
		return NULL;
	put_choices(command->arguments, typed, to);
	return named_kind(line);
}

const char *complete_put(const struct command *root, const struct str *words, size_t count,
			 struct buf *to)
{
	struct str path[COMMAND_DEPTH_MAX] = {{0}};
	size_t depth = 0;
	struct command_line line;
	const struct flag *open_flag = NULL;
	struct str last = count ? words[count - 1] : str_none();
	struct err err;

	(void)!command_find(root, path, 0, &line, &err);
	for (size_t i = 0; i + 1 < count; i++) {
		bool open = false;

		if (open_flag) {
			open_flag = NULL;
		} else if (words[i].len > 1 && words[i].ptr[0] == '-') {
			const struct flag *flag = find_flag(&line, words[i], &open);

			open_flag = open ? flag : NULL;
		} else if (line.command->below && depth + 1 < COMMAND_DEPTH_MAX) {
			path[depth++] = words[i];
			if (command_find(root, path, depth, &line, &err) < 0)
				return NULL;
		}
	}
	if (open_flag)
		return put_value(&line, open_flag, last, to);
	if (str_starts(last, STR("-"))) {
		put_flags(&line, last, to);
		return NULL;
	}
	return put_argument(&line, last, to);
}
