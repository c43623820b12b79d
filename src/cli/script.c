/* SPDX-License-Identifier: Apache-2.0 */
/* cli/script.c - see script.h. The text of a script travels in the job, as an argument of its
 * interpreter, so that it runs as it was when it was submitted, wherever that is. */
#include "cli/script.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

#include "base/banned.h"

int words_split(struct str text, struct arena *arena, struct words *ret, struct err *err)
{
	AUTO(buf_done) struct buf word = BUF_UNBOUNDED;
	bool open = false;
	char quote = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool blank = c == ' ' || c == '\t' || c == '\n';

		if (!quote && blank) {
			if (open)
				vec_push(ret, arena_str(arena, buf_str(&word)));
			buf_clear(&word);
			open = false;
			continue;
		}
		open = true;
		if (!quote && (c == '\'' || c == '"'))
			quote = c;
		else if (c == quote)
			quote = 0;
		else if (c == '\\' && quote != '\'' && i + 1 < text.len)
			buf_putc(&word, text.ptr[++i]);
		else
			buf_putc(&word, c);
	}
	if (quote)
		return err_set(err, ERR_BAD_REQUEST, "the quote %c in the command is not closed",
			       quote);
	if (open)
		vec_push(ret, arena_str(arena, buf_str(&word)));
	return 0;
}

bool script_is(struct str text)
{
	return str_starts(text, STR("#!"));
}

int script_flags(struct str text, struct arena *arena, struct words *ret, struct err *err)
{
	struct str line;
	int number = 0;

	while (str_split(&text, '\n', &line)) {
		struct str trimmed = str_trim(line);

		number++;
		if (trimmed.len && trimmed.ptr[0] != '#')
			break;
		if (!str_starts(trimmed, STR("#VSUB")) ||
		    (trimmed.len > 5 && trimmed.ptr[5] != ' ' && trimmed.ptr[5] != '\t'))
			continue;
		if (words_split(str_skip(trimmed, 5), arena, ret, err) < 0)
			return err_wrap(err, "line %d", number);
	}
	return 0;
}

/* How interpreters take a program as an argument, by how their names begin. */
static const struct {
	const char *name;
	const char *flag;
} interpreters[] = {
	{"sh", "-c"},     {"bash", "-c"}, {"dash", "-c"}, {"ksh", "-c"},  {"zsh", "-c"},
	{"python", "-c"}, {"perl", "-e"}, {"ruby", "-e"}, {"node", "-e"},
};

static const char *find_flag(struct str program)
{
	struct str name = str_skip(program, (size_t)(str_rfind_byte(program, '/') + 1));

	for (size_t i = 0; i < ARRAY_LEN(interpreters); i++) {
		struct str known = str_from(interpreters[i].name);

		if (str_eq(name, known) || (str_is(known, "python") && str_starts(name, known)))
			return interpreters[i].flag;
	}
	return NULL;
}

int script_command(struct str text, struct str name, struct arena *arena, struct words *ret,
		   struct err *err)
{
	struct str rest = text;
	struct str first;
	const char *flag;

	if (text.len > SCRIPT_BYTES_MAX)
		return err_set(err, ERR_TOO_LARGE,
			       "%.*s: a script of %zu bytes is too long (at most %d); put it where "
			       "the job runs and name it behind \"--\"",
			       STR_ARG(name), text.len, SCRIPT_BYTES_MAX);
	(void)str_split(&rest, '\n', &first);
	if (words_split(str_skip(first, 2), arena, ret, err) < 0)
		return -1;
	if (ret->len && (str_is(ret->ptr[0], "/usr/bin/env") || str_is(ret->ptr[0], "/bin/env")))
		vec_remove(ret, 0);
	flag = ret->len ? find_flag(ret->ptr[0]) : NULL;
	if (!flag)
		return err_set(
			err, ERR_BAD_REQUEST,
			"%.*s: do not know how to hand a script to \"%.*s\"; put it where the "
			"job runs and name it behind \"--\"",
			STR_ARG(name), STR_ARG(first));
	vec_push(ret, str_from(flag));
	vec_push(ret, arena_str(arena, text));
	/* Shells call the first argument behind it $0; others have no use for it. */
	if (str_is(str_from(flag), "-c") && str_find(ret->ptr[0], STR("python"), 0) < 0)
		vec_push(ret, arena_str(arena, name));
	return 0;
}
