/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines as people type them, and what they come to. */
#include "flags/command_line.h"

#include "base/arena.h"
#include "flags/manual_page.h"
#include "tap.h"

#include "base/banned.h"

static int run(void *program, struct err *err)
{
	(void)program;
	(void)err;
	return 0;
}

static const struct flag common[] = {
	{.letter = 'k', .name = "kubeconfig", .about = "the file"},
	{.name = NULL},
};

static const struct flag global[] = {
	{.letter = 'v', .name = "v", .type = FLAG_INT, .about = "has no effect"},
	{.name = NULL},
};

static int check_even(const char *value, struct err *err)
{
	struct str text = str_from(value);

	if (!text.len || (text.ptr[text.len - 1] - '0') % 2)
		return err_set(err, ERR_BAD_REQUEST, "must be even");
	return 0;
}

static const struct flag flags[] = {
	{.letter = 'n', .name = "namespace", .value = "default", .about = "the namespace"},
	{.letter = 'm', .name = "min", .type = FLAG_INT, .value = "1", .about = "how many"},
	{.letter = 'a', .name = "all", .type = FLAG_BOOL, .about = "all of them"},
	{.letter = 'v', .name = "verbose", .type = FLAG_BOOL, .about = "say more"},
	{.name = "wait", .type = FLAG_DURATION, .value = "5s", .about = "how long"},
	{.letter = 'l', .name = "label", .type = FLAG_LIST, .about = "labels"},
	{.letter = 'i',
	 .name = "image",
	 .value = "busybox",
	 .about = "the image",
	 .env = "TEST_IMAGE"},
	{.name = NULL},
};
/* What services and benchmarks have. */
static const struct flag serve_flags[] = {
	{.name = "nodes", .type = FLAG_INT, .max = 100, .about = "nodes", .noun = "N"},
	{.name = "pairs", .type = FLAG_INT, .min = -4, .max = 4, .about = "x", .check = check_even},
	{.name = "mode",
	 .type = FLAG_CHOICE,
	 .choices = "none hard soft",
	 .value = "none",
	 .about = "x"},
	{.name = "seconds", .type = FLAG_NUMBER, .value = "0.2", .about = "x"},
	{.name = "lock-name", .value = "lease", .about = "the lock"},
	{.name = "old-name",
	 .about = "the lock",
	 .alias_of = "lock-name",
	 .deprecated = "use --lock-name"},
	{.name = "threads", .type = FLAG_INT, .about = "threads", .no_effect = "there is one"},
	{.name = "log-dir", .about = "logs", .no_effect = "there are none"},
	{.name = NULL},
};
static const struct command serve = {.name = "serve",
				     .about = "serve",
				     .flags = serve_flags,
				     .run = run,
				     .no_common = true,
				     .ignores_arguments = true};
static const struct command list = {
	.name = "list", .about = "list them", .flags = flags, .run = run};
static const struct command logs = {
	.name = "logs", .about = "show", .arguments = "NAME", .flags = flags, .run = run};
static const struct command *const below[] = {&list, &logs, NULL};
static const struct command job = {.name = "job", .about = "jobs", .below = below};
static const struct command *const groups[] = {&job, &serve, NULL};
static const struct command root = {
	.name = "tool", .about = "a tool", .below = groups, .common = common, .global = global};

static const char *env(const char *name)
{
	return str_is(str_from(name), "TEST_IMAGE") ? "from-env" : NULL;
}

enum { ARGS_MAX = 12 };
static int parse(struct arena *arena, const char *text, struct command_line *line, struct err *err)
{
	const char *argv[ARGS_MAX] = {"tool"};
	struct str rest = str_from(text);
	struct str part;
	int argc = 1;

	while (text[0] && argc < ARGS_MAX && str_split(&rest, ' ', &part))
		argv[argc++] = arena_str(arena, part).ptr;
	return command_parse(&root, argc, argv, env, arena, line, err);
}

static void test_values(struct arena *arena)
{
	static const struct {
		const char *text;
		const char *namespace;
		int64_t min;
		bool all;
	} rows[] = {
		{"job list", "default", 1, false},
		{"job list -n x", "x", 1, false},
		{"job list -nx -m3", "x", 3, false},
		{"job list -n=x --min=4 --all", "x", 4, true},
		{"job list --namespace x --all=false", "x", 1, false},
		{"job list -av -m -2", "default", -2, true},
		{"job -n x", "default", 1, false},
		{"job list -n x -n y", "y", 1, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct command_line line;
		struct err err = {0};

		if (str_is(str_from(rows[i].text), "job -n x")) {
			ok(parse(arena, rows[i].text, &line, &err) < 0, "a group has no such flag");
			continue;
		}
		ok(parse(arena, rows[i].text, &line, &err) == 0 && line.command == &list &&
			   str_is(command_str(&line, "namespace"), rows[i].namespace) &&
			   command_int(&line, "min") == rows[i].min &&
			   command_bool(&line, "all") == rows[i].all,
		   "%s", rows[i].text);
	}
}

static void test_errors(struct arena *arena)
{
	static const char *const rows[][2] = {
		{"nope", "unknown command \"nope\" for \"tool\""},
		{"job nope", "unknown command \"nope\" for \"tool job\""},
		{"job list --nope", "unknown flag: --nope"},
		{"job list -z", "unknown shorthand flag: 'z' in -z"},
		{"job list --namespace", "flag needs an argument: --namespace"},
		{"job list -an", "flag needs an argument: 'n' in -an"},
		{"job list -m x",
		 "invalid argument \"x\" for \"-m, --min\" flag: strconv.ParseInt: parsing \"x\": "
		 "invalid syntax"},
		{"job list -m +-1", "invalid argument \"+-1\" for \"-m, --min\" flag: "
				    "strconv.ParseInt: parsing \"+-1\": invalid syntax"},
		{"job list -m 2147483648",
		 "invalid argument \"2147483648\" for \"-m, --min\" flag: "
		 "strconv.ParseInt: parsing \"2147483648\": value out of range"},
		{"job list --all=maybe",
		 "invalid argument \"maybe\" for \"-a, --all\" flag: strconv.ParseBool: parsing "
		 "\"maybe\": invalid syntax"},
		{"job list --wait 5", "invalid argument \"5\" for \"--wait\" flag: must be a time "
				      "such as 30s, 5m or 1h30m"},
		{"serve --nodes 101", "invalid argument \"101\" for \"--nodes\" flag: must be a "
				      "whole number from 0 to 100"},
		{"serve --nodes -1",
		 "invalid argument \"-1\" for \"--nodes\" flag: must be a whole "
		 "number from 0 to 100"},
		{"serve --nodes many", "invalid argument \"many\" for \"--nodes\" flag: must be a "
				       "whole number from 0 to 100"},
		{"serve --nodes=", "invalid argument \"\" for \"--nodes\" flag: must be a whole "
				   "number from 0 to 100"},
		{"serve --pairs 3", "invalid argument \"3\" for \"--pairs\" flag: must be even"},
		{"serve --mode medium",
		 "invalid argument \"medium\" for \"--mode\" flag: must be one "
		 "of none, hard, soft"},
		{"serve --seconds soon",
		 "invalid argument \"soon\" for \"--seconds\" flag: must be a number"},
		{"serve -threads=3",
		 "unknown shorthand flag: 't' in -threads=3; did you mean --threads?"},
		{"serve --thread 3", "unknown flag: --thread; did you mean --threads?"},
		{"job list extra", "unknown argument \"extra\" for \"tool job list\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct command_line line;
		struct err err = {0};

		ok(parse(arena, rows[i][0], &line, &err) < 0, "refused: %s", rows[i][0]);
		is(err.text, rows[i][1]);
	}
}

static void test_rest(struct arena *arena)
{
	struct command_line line;
	struct err err = {0};

	ok(parse(arena, "job logs a -m 2 -- -x", &line, &err) == 0 && line.argument_count == 2 &&
		   str_is(line.arguments[0], "a") && str_is(line.arguments[1], "-x"),
	   "arguments stand between flags, and two dashes end the flags");
	ok(parse(arena, "job list -l a=b -l c=d", &line, &err) == 0 &&
		   str_is(command_str(&line, "label"), "a=b,c=d"),
	   "a list flag collects");
	ok(str_is(command_str(&line, "image"), "from-env"), "a variable stands for the default");
	ok(!command_given(&line, "image") && command_given(&line, "label"),
	   "what was given is known");
	ok(parse(arena, "job list --wait 1m30s", &line, &err) == 0 &&
		   command_duration(&line, "wait") == 90000000,
	   "durations are microseconds");
	ok(parse(arena, "", &line, &err) == 0 && line.help, "a group alone asks for help");
	ok(parse(arena, "job list -h", &line, &err) == 0 && line.help, "-h asks for help");
}

static void test_service(struct arena *arena)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct command_line line;
	struct err err = {0};
	struct str rest = STR("a,,b,");
	struct str part;

	ok(parse(arena, "serve 2>&1 --old_name=x --log_dir /tmp --threads 3 -v=4", &line, &err) ==
		   0,
	   "arguments are accepted, and _ in names: %s", err.text);
	is(command_text(&line, "lock-name"), "x");
	ok(command_given(&line, "lock-name"), "an alias gives the flag itself");
	command_print_warnings(&line, &text);
	is(buf_text(&text), "Flag --old-name has been deprecated, use --lock-name\n"
			    "Flag --threads has no effect: there is one\n"
			    "Flag --log-dir has no effect: there are none\n"
			    "Argument \"2>&1\" is ignored\n");
	ok(parse(arena, "serve --seconds 1.5 --nodes 100 --pairs=-4 --mode soft", &line, &err) == 0,
	   "values at the bounds: %s", err.text);
	ok(command_number(&line, "seconds") == 1.5 && command_int(&line, "nodes") == 100 &&
		   command_int(&line, "pairs") == -4,
	   "are read");
	ok(!command_text(&line, "log-dir"), "a flag that was not given is none");
	ok(command_next(&rest, &part) && str_is(part, "a") && command_next(&rest, &part) &&
		   str_is(part, "b") && !command_next(&rest, &part),
	   "empty texts of a list are left out");
}

static void test_manual(void)
{
	static const struct manual_text tail = {
		.section = "8", .description = "It serves.\n", .tail = ".SH FILES\n"};
	AUTO(buf_done) struct buf page = BUF_UNBOUNDED;
	struct str name = STR("serve");

	manual_page_put(&root, &name, 1, &tail, &page);
	ok(str_starts(buf_str(&page), STR(".TH \"tool-serve\" \"8\"")), "a page has its section");
	ok(str_find(buf_str(&page), STR("(no effect: there is one)"), 0) > 0 &&
		   str_find(buf_str(&page), STR("(deprecated: use \\-\\-lock\\-name)"), 0) > 0,
	   "and says what flags no longer do");
	ok(str_find(buf_str(&page), STR("It serves."), 0) > 0 &&
		   str_find(buf_str(&page), STR(".SH FILES"), 0) > 0,
	   "and has its own text");
	ok(str_find(buf_str(&page), STR("has no effect"), 0) < 0, "global flags are on no page");
}

static void test_help(struct arena *arena)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct command_line line;
	struct err err = {0};

	ok(parse(arena, "job logs --help", &line, &err) == 0, "help is asked for");
	command_help(&line, &text);
	ok(str_starts(buf_str(&text), STR("show\n\nUsage:\n  tool job logs [flags] NAME\n")),
	   "help begins with the usage");
	ok(str_find(buf_str(&text),
		    STR("  -n, --namespace string    the namespace (default \"default\")"), 0) > 0,
	   "a flag is shown with its default");
	ok(str_find(buf_str(&text), STR("(or $TEST_IMAGE)"), 0) > 0, "and with its variable");
}

int main(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);

	test_values(arena);
	test_errors(arena);
	test_rest(arena);
	test_service(arena);
	test_manual();
	test_help(arena);
	return tap_done();
}
