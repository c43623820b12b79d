/* SPDX-License-Identifier: Apache-2.0 */
/* vc-bench - how fast and how small things are, and how that grows.
 *
 *	vc-bench			lists the benchmarks
 *	vc-bench NAME [--size N] [--seconds S] [options of its own]
 *	vc-bench all
 *
 * The result is `key: value` lines on standard output (programs/bench/run.c). */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

/* To add a benchmark:
 * 1. Write programs/bench/<name>.c with a function bench_<name>(); programs/bench/bench.h shows how
 *    it measures, map.c and loop.c are examples. Say in its opening comment what each phase is.
 * 2. Add its file name, and the modules it needs, to programs/bench/meson.build.
 * 3. Declare it in programs/bench/benches.h and add a row here, in alphabetical order. A size stands
 *    for the number of things that there are (keys, pods, nodes), not for how long to run. Options
 *    of its own (--nodes N) are a table of struct bench_option, read by bench_option().
 * 4. Put its results into docs/benchmarks.md. */
static const struct bench benches[] = {
	{
		.name = "apiserver-direct",
		.about = "an API server with its store on disk, asked from within its process",
		.item = "objects",
		.size = 100000,
		.run = bench_apiserver_direct,
	},
	{
		.name = "apiserver-https",
		.about = "the same in a process of its own, over HTTPS, 64 requests in flight",
		.item = "objects",
		.size = 100000,
		.run = bench_apiserver_https,
	},
	{
		.name = "apiserver-start",
		.about = "the start of an API server, the first one and with pods on disk",
		.item = "pods",
		.size = 100000,
		.run = bench_apiserver_start,
	},
	{
		.name = "apiserver-watch",
		.about = "watchers of one kind over HTTPS at 1,000 events a second",
		.item = "watchers",
		.size = 1000,
		.run = bench_apiserver_watch,
		.options =
			(const struct bench_option[]){
				{"seconds-of-events", 3, "how long events are made"},
				{NULL, 0, NULL},
			},
	},
	{
		.name = "arena",
		.about = "pieces from an arena, beside the same from the heap",
		.item = "pieces",
		.size = 1000000,
		.run = bench_arena,
	},
	{
		.name = "bind",
		.about = "gangs bound by the scheduler over HTTPS, beside a bare loop of bind "
			 "requests",
		.item = "nodes",
		.size = 5000,
		.run = bench_bind,
	},
	{
		.name = "client",
		.about = "requests to the API server in the same process, and simulated nodes",
		.item = "pods",
		.size = 100000,
		.run = bench_client,
	},
	{
		.name = "evict",
		.about = "victims for a gang on full nodes, proven: preempt, reclaim, their gang "
			 "kinds",
		.item = "nodes",
		.size = 5000,
		.run = bench_evict,
		.options =
			(const struct bench_option[]){
				{"nodes", 0, "nodes at every size, instead of the size"},
				{"gang", 100, "pods of the gang"},
				{NULL, 0, NULL},
			},
	},
	{
		.name = "http",
		.about =
			"HTTPS echo of small POSTs, client and server: HTTP/2, HTTP/1.1, handshake",
		.item = "in flight",
		.size = 64,
		.run = bench_http,
	},
	{
		.name = "jobs",
		.about = "the whole system in one process: jobs of one pod while others wait, "
			 "many pods in jobs of several sizes",
		.item = "jobs",
		.size = 10000,
		.run = bench_jobs,
		.options =
			(const struct bench_option[]){
				{"pods", 10000, "pods at most in 1, 20, 500 jobs and one a job"},
				{NULL, 0, NULL},
			},
	},
	{
		.name = "json",
		.about = "a list of pods, as a server sends it: parsed, printed, copied",
		.item = "pods",
		.size = 5000,
		.run = bench_json,
	},
	{
		.name = "loop",
		.about = "the event loop: an event among watched sockets, deferred, posted, worked "
			 "on",
		.item = "watches",
		.size = 1000,
		.run = bench_loop,
	},
	{
		.name = "map",
		.about = "the hash map, with names of pods as keys",
		.item = "keys",
		.size = 100000,
		.run = bench_map,
	},
	{
		.name = "omap",
		.about = "the ordered map, with names of pods as keys",
		.item = "keys",
		.size = 100000,
		.run = bench_omap,
	},
	{
		.name = "quantity",
		.about = "quantities as pods write them: parsed, printed, added",
		.item = "quantities",
		.size = 100000,
		.run = bench_quantity,
	},
	{
		.name = "react",
		.about = "how soon a pod that comes is bound in a home with nothing else to do",
		.item = "nodes",
		.size = 5000,
		.run = bench_react,
	},
	{
		.name = "resources",
		.about = "vectors of resources: a pod's request against what nodes have left",
		.item = "nodes",
		.size = 100000,
		.run = bench_resources,
	},
	{
		.name = "run",
		.about = "jobs of `true` on this machine, from vsub and vcctl to their end",
		.item = "jobs",
		.size = 10000,
		.run = bench_run_true,
	},
	{
		.name = "schedule",
		.about = "decisions of the scheduler: gangs placed, a cycle with nothing to do, an "
			 "event",
		.item = "nodes",
		.size = 5000,
		.run = bench_schedule,
		.options =
			(const struct bench_option[]){
				{"nodes", 0, "nodes at every size, instead of the size"},
				{"pods", 0, "pods to place, instead of so many a node"},
				{"a-node", 4, "pods to place a node"},
				{"gang", 100, "pods a gang"},
				{NULL, 0, NULL},
			},
	},
	{
		.name = "store",
		.about = "the API server's store: pods of 3 kB read, written to disk, loaded",
		.item = "pods",
		.size = 100000,
		.run = bench_store,
	},
	{
		.name = "timers",
		.about = "timers on a virtual loop: set, pushed back, fired",
		.item = "timers",
		.size = 100000,
		.run = bench_timers,
	},
	{
		.name = "vec",
		.about = "a vector of 16-byte elements: pushed to, walked",
		.item = "elements",
		.size = 1000000,
		.run = bench_vec,
	},
};

static void list(void)
{
	printf("usage: vc-bench NAME|all [--size N] [--seconds S] [OPTION...]\n\n");
	for (size_t i = 0; i < ARRAY_LEN(benches); i++)
		printf("  %-17s %s\n", benches[i].name, benches[i].about);
	printf("\nEach runs at three sizes: N, a tenth and a hundredth of it. `vc-bench NAME "
	       "--help`\n"
	       "shows its options.\n");
}

static void help(const struct bench *bench)
{
	printf("%s: %s\n\n", bench->name, bench->about);
	printf("  --%-12s %s at the largest of three sizes (%zu)\n", "size N", bench->item,
	       bench->size);
	printf("  --%-12s time for each phase at each size (0.2)\n", "seconds S");
	for (const struct bench_option *o = bench->options; o && o->name; o++)
		printf("  --%-10s N %s (%lld)\n", o->name, o->about, (long long)o->value);
}

static const struct bench *find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(benches); i++)
		if (str_is(name, benches[i].name))
			return &benches[i];
	return NULL;
}

/* One of the benchmark's own; `bench` is NULL for "all", which has none. */
static int set_own(const struct bench *bench, struct str name, struct str value,
		   struct bench_settings *settings, struct err *err)
{
	const struct bench_option *o = bench ? bench->options : NULL;

	while (o && o->name && !str_is(name, o->name))
		o++;
	if (!o || !o->name || settings->given_len == BENCH_OPTIONS_MAX)
		return err_set(err, ERR_BAD_REQUEST, "there is no option --%.*s here",
			       STR_ARG(name));
	struct bench_option *given = &settings->given[settings->given_len];

	*given = *o;
	if (number_parse_i64(value, &given->value, err) < 0)
		return err_wrap(err, "--%s", o->name);
	settings->given_len++;
	return 0;
}

static int set(const struct bench *bench, struct str name, struct str value,
	       struct bench_settings *settings, struct err *err)
{
	int64_t size;

	if (str_is(name, "size")) {
		if (number_parse_range(value, 1, 1000000000, &size, err) < 0)
			return err_wrap(err, "--size");
		settings->size = (size_t)size;
		return 0;
	}
	if (str_is(name, "seconds")) {
		if (number_parse_double(value, &settings->seconds, err) < 0)
			return err_wrap(err, "--seconds");
		if (settings->seconds < 0 || settings->seconds > 3600)
			return err_set(err, ERR_BAD_REQUEST, "--seconds: from 0 to 3600");
		return 0;
	}
	return set_own(bench, name, value, settings, err);
}

/* `--name value` or `--name=value`, as often as there are any. */
static int parse(const struct bench *bench, char **args, struct bench_settings *settings,
		 struct err *err)
{
	while (*args) {
		struct str name = str_from(*args++);
		struct str value = str_none();
		ptrdiff_t equals = str_find_byte(name, '=', 0);

		if (!str_starts(name, STR("--")))
			return err_set(err, ERR_BAD_REQUEST, "what is \"%.*s\"?", STR_ARG(name));
		if (equals >= 0) {
			value = str_skip(name, (size_t)equals + 1);
			name = str_slice(name, 0, (size_t)equals);
		} else if (*args) {
			value = str_from(*args++);
		}
		if (set(bench, str_skip(name, 2), value, settings, err) < 0)
			return -1;
	}
	return 0;
}

static int run(const struct bench *bench, const struct bench_settings *settings, struct err *err)
{
	if (bench)
		return bench_run(bench, settings, err);
	for (size_t i = 0; i < ARRAY_LEN(benches); i++) {
		if (bench_run(&benches[i], settings, err) < 0)
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

int main(int argc, char **argv)
{
	struct bench_settings settings = {.seconds = 0.2};
	struct err err = {0};
	struct str name = str_from(argc > 1 ? argv[1] : "--help");
	const struct bench *bench = find(name);

	if (str_is(name, "--help") || str_is(name, "-h")) {
		list();
		return 0;
	}
	if (!bench && !str_is(name, "all")) {
		(void)err_set(&err, ERR_NOT_FOUND,
			      "no benchmark is called \"%.*s\"; `vc-bench --help` lists them",
			      STR_ARG(name));
		return fail(&err, 2);
	}
	if (bench && argc == 3 && str_is(str_from(argv[2]), "--help")) {
		help(bench);
		return 0;
	}
	if (parse(bench, argv + 2, &settings, &err) < 0)
		return fail(&err, 2);
	if (run(bench, &settings, &err) < 0)
		return fail(&err, 1);
	return 0;
}
