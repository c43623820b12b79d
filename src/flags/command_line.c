/* SPDX-License-Identifier: Apache-2.0 */
/* flags/command_line.c - see command_line.h: reading a command line, and asking what it said. */
#include "flags/command_line.h"

#include <assert.h>

#include "base/arena.h"
#include "base/number.h"
#include "base/vec.h"
#include "flags/flag_value.h"
#include "model/value/duration.h"

#include "base/banned.h"

static const struct flag flag_help = {
	.letter = 'h', .name = "help", .type = FLAG_BOOL, .about = "show this text"};

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
	const struct command *root = line->path[0];

	line->flag_count = 0;
	add_flags(line, line->command->flags);
	if (line->command->run && !line->command->no_common)
		add_flags(line, root->common);
	line->global_at = line->flag_count;
	add_flags(line, root->global);
	line->global_count = line->flag_count - line->global_at;
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

/* "_" and "-" are the same. */
static bool is_named(const struct flag *flag, struct str name)
{
	struct str known = str_from(flag->name);

	if (name.len != known.len)
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (name.ptr[i] != known.ptr[i] && !(name.ptr[i] == '_' && known.ptr[i] == '-'))
			return false;
	return true;
}

static size_t find_flag(const struct command_line *line, struct str name)
{
	size_t i = 0;

	while (i < line->flag_count && !is_named(line->flags[i], name))
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

static int set_value(struct reader *reader, size_t at, struct str text, struct err *err)
{
	struct command_line *line = reader->line;
	const struct flag *flag = line->flags[at];
	size_t to = flag->alias_of ? find_flag(line, str_from(flag->alias_of)) : at;

	assert(to < line->flag_count);
	if (flag_check(flag, text, err) < 0)
		return -1;
	if (flag->type == FLAG_LIST && line->given[to])
		text = str_from(arena_printf(reader->arena, "%.*s,%.*s", STR_ARG(line->values[to]),
					     STR_ARG(text)));
	line->values[to] = text;
	line->given[at] = line->given[to] = true;
	return 0;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The next argument as a flag's value; none if there is no more. */
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

/* A whole name after one dash, as other programs take it, is the usual mistake. */
static int unknown_letter(const struct command_line *line, char letter, struct str text,
			  struct err *err)
{
	ptrdiff_t equals = str_find_byte(text, '=', 0);
	struct str name = equals < 0 ? text : str_slice(text, 0, (size_t)equals);
	size_t at = find_flag(line, name);

	if (at < line->flag_count && name.len > 1)
		return err_set(err, ERR_BAD_REQUEST,
			       "unknown shorthand flag: '%c' in -%.*s; did you mean --%s?", letter,
			       STR_ARG(text), line->flags[at]->name);
	return err_set(err, ERR_BAD_REQUEST, "unknown shorthand flag: '%c' in -%.*s", letter,
		       STR_ARG(text));
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

/* One or more letters after one dash. */
static int read_letters(struct reader *reader, struct str text, struct err *err)
{
	for (size_t i = 0; i < text.len; i++) {
		size_t at = find_letter(reader->line, text.ptr[i]);
		struct str rest = str_skip(text, i + 1);
		struct str value;

		if (at == reader->line->flag_count)
			return unknown_letter(reader->line, text.ptr[i], text, err);
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

	if (line->help || line->command->arguments || line->command->ignores_arguments ||
	    !line->argument_count)
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

const char *command_text(const struct command_line *line, const char *name)
{
	struct str value = command_str(line, name);

	return value.len ? value.ptr : NULL;
}

int64_t command_int(const struct command_line *line, const char *name)
{
	int64_t number = 0;

	(void)!number_parse_i64(command_str(line, name), &number, NULL);
	return number;
}

double command_number(const struct command_line *line, const char *name)
{
	double number = 0;

	(void)!number_parse_double(command_str(line, name), &number, NULL);
	return number;
}

bool command_bool(const struct command_line *line, const char *name)
{
	bool truth = false;

	(void)!number_parse_bool(command_str(line, name), &truth, NULL);
	return truth;
}

bool command_has_gate(const struct command_line *line, const char *flag, const char *gate,
		      bool usual)
{
	struct str rest = command_str(line, flag);
	struct str part;

	while (str_split(&rest, ',', &part)) {
		ptrdiff_t equals = str_find_byte(part, '=', 0);

		if (equals > 0 && str_is(str_trim(str_slice(part, 0, (size_t)equals)), gate))
			return str_is(str_trim(str_skip(part, (size_t)equals + 1)), "true");
	}
	return usual;
}

int64_t command_duration(const struct command_line *line, const char *name)
{
	int64_t time = 0;

	(void)!duration_parse(command_str(line, name), &time, NULL);
	return time / DURATION_MICROSECOND;
}

bool command_next(struct str *rest, struct str *ret)
{
	while (rest->len && str_split(rest, ',', ret))
		if (ret->len)
			return true;
	return false;
}

bool command_has(const struct command_line *line, const char *name)
{
	return find_flag(line, str_from(name)) < line->flag_count;
}

bool command_given(const struct command_line *line, const char *name)
{
	return line->given[must_find(line, name)];
}

/* --- warnings --------------------------------------------------------------------------------- */

bool command_is_global(const struct command_line *line, size_t at)
{
	return at >= line->global_at && at < line->global_at + line->global_count;
}

void command_print_warnings(const struct command_line *line, struct buf *to)
{
	for (size_t i = 0; i < line->flag_count; i++) {
		const struct flag *flag = line->flags[i];

		if (!line->given[i] || command_is_global(line, i))
			continue;
		if (flag->deprecated)
			buf_printf(to, "Flag --%s has been deprecated, %s\n", flag->name,
				   flag->deprecated);
		if (flag->no_effect)
			buf_printf(to, "Flag --%s has no effect: %s\n", flag->name,
				   flag->no_effect);
	}
	for (size_t i = 0; i < line->argument_count && line->command->ignores_arguments; i++)
		buf_printf(to, "Argument \"%.*s\" is ignored\n", STR_ARG(line->arguments[i]));
}
