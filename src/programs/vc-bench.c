/* SPDX-License-Identifier: Apache-2.0 */
/* vc-bench - how fast and how small things are, and how that grows.
 *
 *	vc-bench			lists the benchmarks
 *	vc-bench NAME [--size N] [--seconds S] [flags of its own]
 *	vc-bench all
 *
 * The result is `key: value` lines on standard output (programs/bench/run.c). Each benchmark is a command,
 * made of its row in programs/bench/benches.h. */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/number.h"
#include "flags/command_line.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

enum { EXIT_USAGE = 2 };

#define BENCH_ADDRESS(name) &bench_##name,
static const struct bench *const benches[] = {BENCHES(BENCH_ADDRESS)};

static int check_seconds(const char *value, struct err *err)
{
	double seconds = 0;

	if (number_parse_double(str_from(value), &seconds, err) < 0)
		return -1;
	if (!(seconds >= 0 && seconds <= 3600))
		return err_set(err, ERR_BAD_REQUEST, "must be from 0 to 3600");
	return 0;
}

static const struct flag common[] = {
	{.name = "size",
	 .type = FLAG_INT,
	 .min = 1,
	 .max = 1000000000,
	 .about = "the largest of three sizes (default: the benchmark's own)",
	 .noun = "N"},
	{.name = "seconds",
	 .type = FLAG_NUMBER,
	 .value = "0.2",
	 .about = "time for each phase at each size",
	 .noun = "S",
	 .check = check_seconds},
	{.name = NULL},
};

static int run_named(void *program, struct err *err)
{
	const struct bench_settings *settings = program;

	for (size_t i = 0; i < ARRAY_LEN(benches); i++)
		if (str_is(str_from(settings->line->command->name), benches[i]->name))
			return bench_run(benches[i], settings, err);
	return err_set(err, ERR_NOT_FOUND, "no such benchmark");
}

static int run_all(void *program, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(benches); i++) {
		if (bench_run(benches[i], program, err) < 0)
			return -1;
		printf("%s", i + 1 < ARRAY_LEN(benches) ? "\n" : "");
	}
	return 0;
}

static int fail(const struct err *err, int code)
{
	(void)fprintf(stderr, "vc-bench: %s\n", err->text);
	return code;
}

static int print_help(const struct command_line *line)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	command_help(line, &text);
	printf("%s", buf_text(&text));
	return 0;
}

static int run(const struct command *root, int argc, char **argv, struct arena *arena)
{
	struct command_line line;
	struct bench_settings settings = {.line = &line};
	struct err err = {0};

	if (command_parse(root, argc, (const char *const *)argv, NULL, arena, &line, &err) < 0)
		return fail(&err, EXIT_USAGE);
	if (line.help)
		return print_help(&line);
	settings.size = (size_t)command_int(&line, "size");
	settings.seconds = command_number(&line, "seconds");
	return line.command->run(&settings, &err) < 0 ? fail(&err, 1) : 0;
}

int main(int argc, char **argv)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	static const struct command all = {
		.name = "all", .about = "every benchmark, one after the other", .run = run_all};
	struct command commands[ARRAY_LEN(benches)];
	const struct command *below[ARRAY_LEN(benches) + 2] = {0};
	const struct command root = {
		.name = "vc-bench",
		.about = "measure how fast and how small things are",
		.more = "Each benchmark runs at three sizes: N, a tenth and a hundredth of it.",
		.below = below,
		.common = common};

	for (size_t i = 0; i < ARRAY_LEN(benches); i++) {
		const struct bench *bench = benches[i];

		commands[i] = (struct command){
			.name = bench->name,
			.about = bench->about,
			.more = arena_printf(arena, "The size counts %s; its default is %zu.",
					     bench->item, bench->size),
			.flags = bench->flags,
			.run = run_named};
		below[i] = &commands[i];
	}
	below[ARRAY_LEN(benches)] = &all;
	return run(&root, argc, argv, arena);
}
