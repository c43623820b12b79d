/* SPDX-License-Identifier: Apache-2.0 */
/* cli/command.c - see command.h. Values are checked when they are read, so that a command never
 * sees a number that is none; the texts are those of the flag library that Go programs use,
 * because scripts look for them. */
#include "cli/command.h"

#include <assert.h>

#include "base/arena.h"
#include "base/number.h"
#include "base/vec.h"
#include "model/value/duration.h"

#include "base/banned.h"

static const struct flag flag_help = {'h', "help", FLAG_BOOL, .about = "show this text"};

const struct flag command_global[] = {
	{0, "log-flush-frequency", FLAG_DURATION, "5s", "has no effect", NULL, NULL},
	{'v', "v", FLAG_INT, NULL, "has no effect", NULL, "LEVEL"},
	{0, "vmodule", FLAG_STRING, NULL, "has no effect", NULL, "LIST"},
	{0},
};

struct reader {
	struct command_line *line;
	const char *const *argv;
	int argc;
	int at;
	struct arena *arena;
	VEC(struct str) arguments;
};

/* --- the table -------------------------------------------------------------------------------- */

static void add_flags(struct command_line *line, const struct flag *flags)
{
	for (const struct flag *f = flags; f && f->name; f++) {
		assert(line->flag_count < COMMAND_FLAGS_MAX);
		line->flags[line->flag_count++] = f;
	}
}

/* The flags that can be given from here on. */
static void set_flags(struct command_line *line, command_env_fn *env)
{
	line->flag_count = 0;
	add_flags(line, line->command->flags);
	if (line->command->run && !line->command->no_common)
		add_flags(line, command_common);
	add_flags(line, command_global);
	assert(line->flag_count < COMMAND_FLAGS_MAX);
	line->flags[line->flag_count++] = &flag_help;
	for (size_t i = 0; i < line->flag_count; i++) {
		const struct flag *f = line->flags[i];
		const char *other = f->env && env ? env(f->env) : NULL;

		line->values[i] = str_from(other && *other ? other : f->value ? f->value : "");
		line->given[i] = false;
	}
}

static const struct command *find_below(const struct command *group, struct str name)
{
	for (size_t i = 0; group->below && group->below[i]; i++)
		if (str_is(name, group->below[i]->name))
			return group->below[i];
	return NULL;
}

static size_t find_flag(const struct command_line *line, struct str name)
{
	size_t i = 0;

	while (i < line->flag_count && !str_is(name, line->flags[i]->name))
		i++;
	return i;
}

static size_t find_letter(const struct command_line *line, char letter)
{
	size_t i = 0;

	while (i < line->flag_count && line->flags[i]->letter != letter)
		i++;
	return i;
}

/* --- values ----------------------------------------------------------------------------------- */

/* Nothing but digits, and perhaps a sign? */
static bool is_number(struct str text)
{
	size_t sign = str_starts(text, STR("-")) || str_starts(text, STR("+"));

	for (size_t i = sign; i < text.len; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	return text.len > sign;
}

/* What is wrong with a value, or NULL. Numbers and truths are told of as Go does it. */
static const char *value_fault(const struct flag *flag, struct str text, struct arena *arena)
{
	int64_t number;
	bool truth;
	struct err err;

	switch (flag->type) {
	case FLAG_INT:
		/* whatever is counted is a field of 32 bits */
		if (number_parse_range(text, INT32_MIN, INT32_MAX, &number, &err) == 0)
			return NULL;
		return arena_printf(arena, "strconv.ParseInt: parsing \"%.*s\": %s", STR_ARG(text),
				    is_number(text) ? "value out of range" : "invalid syntax");
	case FLAG_BOOL:
		if (number_parse_bool(text, &truth, &err) == 0)
			return NULL;
		return arena_printf(arena, "strconv.ParseBool: parsing \"%.*s\": invalid syntax",
				    STR_ARG(text));
	case FLAG_DURATION:
		return duration_parse(text, &number, &err) == 0
			       ? NULL
			       : "must be a time such as 30s, 5m or 1h30m";
	case FLAG_STRING:
	case FLAG_LIST:
		break;
	}
	return NULL;
}

static int set_value(struct reader *reader, size_t at, struct str text, struct err *err)
{
	struct command_line *line = reader->line;
	const struct flag *flag = line->flags[at];
	const char *fault = value_fault(flag, text, reader->arena);
	char letter[] = {'-', flag->letter, ',', ' ', 0};

	if (fault)
		return err_set(err, ERR_BAD_REQUEST,
			       "invalid argument \"%.*s\" for \"%s--%s\" flag: %s", STR_ARG(text),
			       flag->letter ? letter : "", flag->name, fault);
	if (flag->type == FLAG_LIST && line->given[at])
		text = str_from(arena_printf(reader->arena, "%.*s,%.*s", STR_ARG(line->values[at]),
					     STR_ARG(text)));
	line->values[at] = text;
	line->given[at] = true;
	return 0;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The next argument as a flag's value; none where there is no more. */
static struct str take_next(struct reader *reader)
{
	return reader->at < reader->argc ? str_from(reader->argv[reader->at++]) : str_none();
}

/* How many letters must be changed, added or dropped to make one of the other; short words only. */
static size_t distance(struct str a, struct str b)
{
	enum { MOST = 24 };
	size_t row[MOST + 1];

	if (a.len > MOST || b.len > MOST)
		return MOST;
	for (size_t j = 0; j <= b.len; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b.len; j++) {
			size_t above = row[j];
			size_t best = diagonal + (a.ptr[i - 1] != b.ptr[j - 1]);

			best = above + 1 < best ? above + 1 : best;
			row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
			diagonal = above;
		}
	}
	return row[b.len];
}

static bool is_near(struct str typed, const char *name)
{
	struct str known = str_from(name);

	return distance(typed, known) <= (known.len > 4 ? 2 : 1) ||
	       (typed.len > 1 && str_starts(known, typed));
}

static int unknown_flag(const struct command_line *line, struct str name, struct err *err)
{
	for (size_t i = 0; i < line->flag_count; i++)
		if (is_near(name, line->flags[i]->name))
			return err_set(err, ERR_BAD_REQUEST,
				       "unknown flag: --%.*s; did you mean --%s?", STR_ARG(name),
				       line->flags[i]->name);
	return err_set(err, ERR_BAD_REQUEST, "unknown flag: --%.*s", STR_ARG(name));
}

static int unknown_command(const struct command_line *line, struct str word, struct err *err)
{
	AUTO(buf_done) struct buf path = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf near = BUF_UNBOUNDED;

	command_print_path(line, &path);
	for (size_t i = 0; line->command->below[i]; i++)
		if (is_near(word, line->command->below[i]->name))
			buf_printf(&near, "%s\"%s\"", near.len ? " or " : "; did you mean ",
				   line->command->below[i]->name);
	return err_set(err, ERR_BAD_REQUEST, "unknown command \"%.*s\" for \"%s\"%s%s",
		       STR_ARG(word), buf_text(&path), buf_text(&near), near.len ? "?" : "");
}

static int read_long(struct reader *reader, struct str text, struct err *err)
{
	ptrdiff_t equals = str_find_byte(text, '=', 0);
	struct str name = equals < 0 ? text : str_slice(text, 0, (size_t)equals);
	size_t at = find_flag(reader->line, name);
	struct str value;

	if (at == reader->line->flag_count)
		return unknown_flag(reader->line, name, err);
	if (equals >= 0)
		return set_value(reader, at, str_skip(text, (size_t)equals + 1), err);
	if (reader->line->flags[at]->type == FLAG_BOOL)
		return set_value(reader, at, STR("true"), err);
	value = take_next(reader);
	if (str_is_none(value))
		return err_set(err, ERR_BAD_REQUEST, "flag needs an argument: --%.*s",
			       STR_ARG(name));
	return set_value(reader, at, value, err);
}

/* One or more letters behind one dash. */
static int read_letters(struct reader *reader, struct str text, struct err *err)
{
	for (size_t i = 0; i < text.len; i++) {
		size_t at = find_letter(reader->line, text.ptr[i]);
		struct str rest = str_skip(text, i + 1);
		struct str value;

		if (at == reader->line->flag_count)
			return err_set(err, ERR_BAD_REQUEST,
				       "unknown shorthand flag: '%c' in -%.*s", text.ptr[i],
				       STR_ARG(text));
		if (rest.len && rest.ptr[0] == '=')
			return set_value(reader, at, str_skip(rest, 1), err);
		if (reader->line->flags[at]->type == FLAG_BOOL) {
			if (set_value(reader, at, STR("true"), err) < 0)
				return -1;
			continue;
		}
		value = rest.len ? rest : take_next(reader);
		if (str_is_none(value))
			return err_set(err, ERR_BAD_REQUEST,
				       "flag needs an argument: '%c' in -%.*s", text.ptr[i],
				       STR_ARG(text));
		return set_value(reader, at, value, err);
	}
	return 0;
}

static void descend(struct command_line *line, const struct command *below, command_env_fn *env)
{
	assert(line->depth < COMMAND_DEPTH_MAX);
	line->path[line->depth++] = below;
	line->command = below;
	set_flags(line, env);
}

/* An argument that is no flag: the name of a command below, as long as there are some. */
static int read_word(struct reader *reader, struct str word, command_env_fn *env, struct err *err)
{
	struct command_line *line = reader->line;
	const struct command *below = find_below(line->command, word);

	if (line->command->below && !below)
		return unknown_command(line, word, err);
	if (!below) {
		vec_push(&reader->arguments, word);
		return 0;
	}
	descend(line, below, env);
	return 0;
}

static int read_all(struct reader *reader, command_env_fn *env, struct err *err)
{
	bool flags = true;

	while (reader->at < reader->argc) {
		struct str word = str_from(reader->argv[reader->at++]);
		int status;

		if (flags && reader->arguments.len && reader->line->command->pass_on)
			flags = false;
		if (flags && str_is(word, "--")) {
			reader->line->dashes = !reader->arguments.len;
			flags = false;
			continue;
		}
		if (flags && str_starts(word, STR("--")))
			status = read_long(reader, str_skip(word, 2), err);
		else if (flags && word.len > 1 && word.ptr[0] == '-')
			status = read_letters(reader, str_skip(word, 1), err);
		else
			status = read_word(reader, word, env, err);
		if (status < 0)
			return -1;
	}
	return 0;
}

static int check_arguments(struct command_line *line, struct err *err)
{
	AUTO(buf_done) struct buf path = BUF_UNBOUNDED;

	if (line->help || line->command->arguments || !line->argument_count)
		return 0;
	command_print_path(line, &path);
	return err_set(err, ERR_BAD_REQUEST, "unknown argument \"%.*s\" for \"%s\"",
		       STR_ARG(line->arguments[0]), buf_text(&path));
}

static const struct str *copy_list(struct arena *arena, const struct str *list, size_t len)
{
	struct str *copy = arena_calloc(arena, len + 1, sizeof(*copy));

	for (size_t i = 0; i < len; i++)
		copy[i] = list[i];
	return copy;
}

int command_parse(const struct command *root, int argc, const char *const *argv,
		  command_env_fn *env, struct arena *arena, struct command_line *ret,
		  struct err *err)
{
	struct reader reader = {.line = ret, .argv = argv, .argc = argc, .at = 1, .arena = arena};
	int status;

	*ret = (struct command_line){.path = {root}, .depth = 1, .command = root};
	set_flags(ret, env);
	status = read_all(&reader, env, err);
	ret->argument_count = reader.arguments.len;
	ret->arguments = copy_list(arena, reader.arguments.ptr, reader.arguments.len);
	vec_done(&reader.arguments);
	if (status < 0)
		return -1;
	ret->help = command_bool(ret, "help") || !ret->command->run;
	return check_arguments(ret, err);
}

int command_find(const struct command *root, const struct str *names, size_t count,
		 struct command_line *ret, struct err *err)
{
	*ret = (struct command_line){.path = {root}, .depth = 1, .command = root};
	set_flags(ret, NULL);
	for (size_t i = 0; i < count; i++) {
		const struct command *below = find_below(ret->command, names[i]);

		if (!below && !ret->command->below)
			return err_set(err, ERR_NOT_FOUND, "there is no command below \"%s\"",
				       ret->command->name);
		if (!below)
			return unknown_command(ret, names[i], err);
		descend(ret, below, NULL);
	}
	return 0;
}

/* --- asking ----------------------------------------------------------------------------------- */

static size_t must_find(const struct command_line *line, const char *name)
{
	size_t at = find_flag(line, str_from(name));

	assert(at < line->flag_count);
	return at;
}

struct str command_str(const struct command_line *line, const char *name)
{
	return line->values[must_find(line, name)];
}

int64_t command_int(const struct command_line *line, const char *name)
{
	int64_t number = 0;
	struct err err;

	(void)!number_parse_i64(command_str(line, name), &number, &err);
	return number;
}

bool command_bool(const struct command_line *line, const char *name)
{
	bool truth = false;
	struct err err;

	(void)!number_parse_bool(command_str(line, name), &truth, &err);
	return truth;
}

int64_t command_duration(const struct command_line *line, const char *name)
{
	int64_t time = 0;
	struct err err;

	(void)!duration_parse(command_str(line, name), &time, &err);
	return time / DURATION_MICROSECOND;
}

bool command_has(const struct command_line *line, const char *name)
{
	return find_flag(line, str_from(name)) < line->flag_count;
}

int command_set(struct command_line *line, const char *name, struct str value, struct err *err)
{
	struct reader reader = {.line = line};

	return set_value(&reader, must_find(line, name), value, err);
}

bool command_given(const struct command_line *line, const char *name)
{
	return line->given[must_find(line, name)];
}

/* --- help ------------------------------------------------------------------------------------- */

void command_print_path(const struct command_line *line, struct buf *to)
{
	for (size_t i = 0; i < line->depth; i++)
		buf_printf(to, "%s%s", i ? " " : "", line->path[i]->name);
}

static const char *noun_of(const struct flag *flag)
{
	static const char *const nouns[] = {
		[FLAG_STRING] = " string",     [FLAG_INT] = " int",      [FLAG_BOOL] = "",
		[FLAG_DURATION] = " duration", [FLAG_LIST] = " strings",
	};

	return nouns[flag->type];
}

static void print_head(const struct flag *flag, struct buf *to)
{
	if (flag->letter)
		buf_printf(to, "  -%c, --%s", flag->letter, flag->name);
	else
		buf_printf(to, "      --%s", flag->name);
	if (flag->noun)
		buf_printf(to, " %s", flag->noun);
	else
		buf_puts(to, noun_of(flag));
}

static void print_default(const struct flag *flag, struct buf *to)
{
	if (!flag->value || !*flag->value || flag->type == FLAG_BOOL)
		return;
	buf_printf(to, flag->type == FLAG_STRING ? " (default \"%s\")" : " (default %s)",
		   flag->value);
}

bool command_is_global(const struct flag *flag)
{
	return flag >= command_global && flag < command_global + ARRAY_LEN(command_global);
}

static void print_flags(const struct command_line *line, bool global, struct buf *to)
{
	AUTO(buf_done) struct buf head = BUF_UNBOUNDED;
	size_t width = 0;

	for (size_t i = 0; i < line->flag_count; i++) {
		buf_clear(&head);
		print_head(line->flags[i], &head);
		if (command_is_global(line->flags[i]) == global && head.len > width)
			width = head.len;
	}
	buf_puts(to, global ? "\nGlobal Flags:\n" : "\nFlags:\n");
	for (size_t i = 0; i < line->flag_count; i++) {
		const struct flag *flag = line->flags[i];

		if (command_is_global(flag) != global)
			continue;
		buf_clear(&head);
		print_head(flag, &head);
		buf_printf(to, "%-*s   %s", (int)width, buf_text(&head), flag->about);
		print_default(flag, to);
		if (flag->env)
			buf_printf(to, " (or $%s)", flag->env);
		buf_putc(to, '\n');
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
	print_flags(line, true, to);
	if (!command->below)
		return;
	buf_puts(to, "\nUse \"");
	command_print_path(line, to);
	buf_puts(to, " [command] --help\" for more about a command.\n");
}
