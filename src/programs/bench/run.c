/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/run.c - around a run: three sizes, each in a process of its own, then the report.
 *
 * The child hands its values back through a pipe; they are few enough for the pipe to hold. Its peak
 * memory is what the kernel says when it is reaped. The report is `key: value` lines. A key alone is
 * the result at the largest size; `key@size` are the smaller ones. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "programs/bench/bench_internal.h"

#include "base/banned.h"

enum { SIZES = 3, FACTOR = 10 };

struct outcome {
	size_t size;
	struct bench_values values;
};

static _Noreturn void run_in_child(const struct bench *bench, const struct bench_settings *settings,
				   size_t size, int to)
{
	static_assert(sizeof(struct bench_values) <= 4096, "a pipe takes it at once");
	struct bench_run run = {.bench = bench, .settings = settings, .size = size, .dice = 1};

	bench->run(&run);
	assert(!run.phase);
	bool reported = write(to, &run.values, sizeof(run.values)) == sizeof(run.values);

	exit(reported ? 0 : 1);
}

/* Reap the child and read what it wrote. */
static int collect(pid_t pid, int from, struct bench_values *ret, struct err *err)
{
	struct rusage usage;
	int status;

	if (wait4(pid, &status, 0, &usage) != pid)
		return err_errno(err, errno, "wait");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 ||
	    read(from, ret, sizeof(*ret)) != sizeof(*ret))
		return err_set(err, ERR_INTERNAL, "it did not end well (status %d)", status);
	struct bench_value *rss = &ret->at[ret->len < BENCH_VALUES_MAX ? ret->len++ : ret->len - 1];

	*rss = (struct bench_value){.key = "peak_rss_kb", .value = (double)usage.ru_maxrss};
	return 0;
}

static int run_apart(const struct bench *bench, const struct bench_settings *settings, size_t size,
		     struct bench_values *ret, struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_errno(err, errno, "pipe");
	AUTO(fd_close) int from = ends[0];
	AUTO(fd_close) int to = ends[1];
	pid_t pid = fork();

	if (pid < 0)
		return err_errno(err, errno, "fork");
	if (pid == 0)
		run_in_child(bench, settings, size, to);
	return collect(pid, from, ret, err);
}

static void print_number(const char *key, size_t size, double value)
{
	int digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;

	if (size)
		printf("%s@%zu: %.*f\n", key, size, digits, value);
	else
		printf("%s: %.*f\n", key, digits, value);
}

static const struct bench_value *find(const struct outcome *outcome, const char *key)
{
	for (size_t i = 0; i < outcome->values.len; i++)
		if (str_is(str_from(outcome->values.at[i].key), key))
			return &outcome->values.at[i];
	return NULL;
}

static void report(const struct bench *bench, const struct outcome outcomes[SIZES])
{
	const struct outcome *largest = &outcomes[SIZES - 1];

	printf("bench: %s\nsizes:", bench->name);
	for (int i = 0; i < SIZES; i++)
		printf(" %zu", outcomes[i].size);
	printf(" %s\n", bench->item);
	for (size_t i = 0; i < largest->values.len; i++) {
		const struct bench_value *last = &largest->values.at[i];
		const struct bench_value *first = find(&outcomes[0], last->key);

		for (int at = 0; at < SIZES - 1; at++) {
			const struct bench_value *value = find(&outcomes[at], last->key);

			if (value)
				print_number(last->key, outcomes[at].size, value->value);
		}
		print_number(last->key, 0, last->value);
		if (last->is_cost && first && first->value > 0) {
			char growth[BENCH_KEY_SIZE + 8];
			struct str key = str_from(last->key);

			(void)snprintf(growth, sizeof(growth), "%.*s_growth", (int)key.len - 3,
				       key.ptr);
			print_number(growth, 0, last->value / first->value);
		}
	}
}

int bench_run(const struct bench *bench, const struct bench_settings *settings, struct err *err)
{
	struct outcome outcomes[SIZES] = {0};
	size_t size = settings->size ? settings->size : bench->size;

	for (int i = SIZES - 1; i >= 0; i--) {
		outcomes[i].size = size > 0 ? size : 1;
		size /= FACTOR;
	}
	(void)fflush(stdout); /* or the children print it again */
	for (int i = 0; i < SIZES; i++)
		if (run_apart(bench, settings, outcomes[i].size, &outcomes[i].values, err) < 0)
			return err_wrap(err, "%s at %zu %s", bench->name, outcomes[i].size,
					bench->item);
	report(bench, outcomes);
	return 0;
}
