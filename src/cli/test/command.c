/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines as people type them, and what they come to. */
#include "cli/command.h"

#include "base/arena.h"
#include "tap.h"

#include "base/banned.h"

static int run(struct cli *cli, struct err *err)
{
	(void)cli;
	(void)err;
	return 0;
}

const struct flag command_common[] = {
	{'k', "kubeconfig", FLAG_STRING, NULL, "the file", NULL, NULL},
	{0},
};

static const struct flag flags[] = {
	{'n', "namespace", FLAG_STRING, "default", "the namespace", NULL, NULL},
	{'m', "min", FLAG_INT, "1", "how many", NULL, NULL},
	{'a', "all", FLAG_BOOL, NULL, "all of them", NULL, NULL},
	{'v', "verbose", FLAG_BOOL, NULL, "say more", NULL, NULL},
	{0, "wait", FLAG_DURATION, "5s", "how long", NULL, NULL},
	{'l', "label", FLAG_LIST, NULL, "labels", NULL, NULL},
	{'i', "image", FLAG_STRING, "busybox", "the image", "TEST_IMAGE", NULL},
	{0},
};
static const struct command list = {
	.name = "list", .about = "list them", .flags = flags, .run = run};
static const struct command logs = {
	.name = "logs", .about = "show", .arguments = "NAME", .flags = flags, .run = run};
static const struct command *const below[] = {&list, &logs, NULL};
static const struct command job = {.name = "job", .about = "jobs", .below = below};
static const struct command *const groups[] = {&job, NULL};
static const struct command root = {.name = "tool", .about = "a tool", .below = groups};

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
	test_help(arena);
	return tap_done();
}
