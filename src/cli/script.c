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

/* Runs a script as `python FILE` would: in __main__, with its own __file__, arguments and folder to
 * import from. Lines of a traceback are those of the script. */
static const char python_start[] = "import os, sys\n"
				   "__file__ = sys.argv[2]\n"
				   "sys.path[0] = os.path.dirname(__file__)\n"
				   "_text = sys.argv[1]\n"
				   "sys.argv[:3] = [__file__]\n"
				   "exec(compile(_text, __file__, 'exec'))\n";

/* How interpreters take a program as an argument, by their names. */
static const struct interpreter {
	const char *name;
	const char *flag;
	const char
		*start; /* what runs the text, which follows as an argument; NULL: the flag does */
	bool names;     /* the argument after the text is the script's name */
} interpreters[] = {
	{"sh", "-c", NULL, true},    {"bash", "-c", NULL, true},
	{"dash", "-c", NULL, true},  {"ksh", "-c", NULL, true},
	{"zsh", "-c", NULL, true},   {"python", "-c", python_start, true}, /* python3, python3.11 */
	{"perl", "-e", NULL, false}, {"ruby", "-e", NULL, false},
	{"node", "-e", NULL, false},
};

static const struct interpreter *find_interpreter(struct str program)
{
	struct str name = str_skip(program, (size_t)(str_rfind_byte(program, '/') + 1));

	for (size_t i = 0; i < ARRAY_LEN(interpreters); i++) {
		struct str known = str_from(interpreters[i].name);

		if (str_eq(name, known) || (interpreters[i].start && str_starts(name, known)))
			return &interpreters[i];
	}
	return NULL;
}

int script_command(struct str text, struct str path, struct arena *arena, struct words *ret,
		   struct err *err)
{
	struct str rest = text;
	struct str first;
	const struct interpreter *known;

	if (text.len > SCRIPT_BYTES_MAX)
		return err_set(err, ERR_TOO_LARGE,
			       "%.*s: a script of %zu bytes is too long (at most %d); put it where "
			       "the job runs and name it after \"--\"",
			       STR_ARG(path), text.len, SCRIPT_BYTES_MAX);
	(void)str_split(&rest, '\n', &first);
	if (words_split(str_skip(first, 2), arena, ret, err) < 0)
		return -1;
	if (ret->len && (str_is(ret->ptr[0], "/usr/bin/env") || str_is(ret->ptr[0], "/bin/env")))
		vec_remove(ret, 0);
	known = ret->len ? find_interpreter(ret->ptr[0]) : NULL;
	if (!known)
		return err_set(
			err, ERR_BAD_REQUEST,
			"%.*s: do not know how to hand a script to \"%.*s\"; put it where the "
			"job runs and name it after \"--\"",
			STR_ARG(path), STR_ARG(first));
	vec_push(ret, str_from(known->flag));
	if (known->start)
		vec_push(ret, str_from(known->start));
	vec_push(ret, arena_str(arena, text));
	if (known->names)
		vec_push(ret, arena_str(arena, path));
	return 0;
}
