/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/bench_run_true.c - jobs that run /bin/true on one machine, from the command line to their
 * end; by the clock, with all programs as users have them.
 *
 * spawn: the bare loop: posix_spawn and waitpid, one after the other. array: one `vsub --array 1-N --wait`. jobs: a
 * file of N manifests, each a job of one pod, through `vcctl job run`, until `vcctl job wait` has seen the last.
 *
 * It is started in a folder of its own and takes this machine as its node; setting it up is not measured. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/vec.h"
#include "programs/bench/bench.h"
#include "programs/bench/benches.h"

#include "base/banned.h"

enum { PATH_SIZE = 512, NAME_SIZE = 32 };

struct home {
	struct bench_run *run;
	char bin[PATH_SIZE];    /* where the programs are */
	char folder[PATH_SIZE]; /* a temporary one */
	char data[PATH_SIZE + 8];
	size_t rounds; /* for names */
};

static void require(bool good, const char *what)
{
	struct err err;

	(void)err_set(&err, ERR_INTERNAL, "%s", what);
	bench_require(good, &err);
}

/* Runs to its end; what it prints is not looked at. */
static int run_program(char *const *argv)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status = -1;

	require(posix_spawn_file_actions_init(&actions) == 0 &&
			posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1,
							 0) == 0,
		"posix_spawn");
	if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) == 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	(void)posix_spawn_file_actions_destroy(&actions);
	return status;
}

/* A program of ours; the arguments end in NULL. */
static int run_ours(const struct home *home, const char *name, const char *const *arguments)
{
	VEC(char *) argv = {0};
	char path[PATH_SIZE + NAME_SIZE];
	int status;

	(void)snprintf(path, sizeof(path), "%s/%s", home->bin, name);
	vec_push(&argv, path);
	for (; *arguments; arguments++)
		vec_push(&argv, mem_strdup(*arguments));
	vec_push(&argv, NULL);
	status = run_program(argv.ptr);
	for (size_t i = 1; i < argv.len; i++)
		mem_free(argv.ptr[i]);
	vec_done(&argv);
	return status;
}

#define RUN(home, name, ...) run_ours(home, name, (const char *const[]){__VA_ARGS__, NULL})

/* --- the data directory ----------------------------------------------------------------------------------- */

static void begin(struct home *home)
{
	ssize_t len = readlink("/proc/self/exe", home->bin, sizeof(home->bin) - 1);
	char kubeconfig[PATH_SIZE + NAME_SIZE];

	require(len > 0, "/proc/self/exe");
	home->bin[len] = 0;
	home->bin[str_rfind_byte(str_from(home->bin), '/')] = 0;
	(void)snprintf(home->folder, sizeof(home->folder), "%s/vc-bench-XXXXXX",
		       getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	require(mkdtemp(home->folder) != NULL, "a temporary folder");
	(void)snprintf(home->data, sizeof(home->data), "%s/home", home->folder);
	(void)snprintf(kubeconfig, sizeof(kubeconfig), "%s/kubeconfig", home->data);
	require(setenv("KUBECONFIG", kubeconfig, 1) == 0, "setenv");
	require(RUN(home, "volcano", "up", "-d", "--data-dir", home->data, "--listen",
		    "127.0.0.1:0") == 0,
		"volcano up");
}

static void end(const struct home *home)
{
	char folder[PATH_SIZE];

	(void)snprintf(folder, sizeof(folder), "%s", home->folder);
	require(RUN(home, "volcano", "down", "--pods", "--data-dir", home->data) == 0,
		"volcano down");
	(void)run_program((char *const[]){(char[]){"rm"}, (char[]){"-rf"}, folder, NULL});
}

/* --- phases ------------------------------------------------------------------------------------- */

static void measure_spawn(struct home *home, size_t count)
{
	bench_phase_wall(home->run, "spawn");
	while (bench_round(home->run, count))
		for (size_t i = 0; i < count; i++)
			require(run_program((char *const[]){(char[]){"true"}, NULL}) == 0, "true");
}

static void measure_array(struct home *home, size_t count)
{
	char array[NAME_SIZE];

	(void)snprintf(array, sizeof(array), "1-%zu", count);
	bench_phase_wall(home->run, "array");
	while (bench_round(home->run, count))
		require(RUN(home, "vsub", "--wait", "--array", array, "-R", "cpu=1m", "--",
			    "true") == 0,
			"vsub --array");
	require(RUN(home, "vcctl", "job", "delete", "--all") == 0, "vcctl job delete");
}

static void write_manifests(const struct home *home, size_t count, const char *path)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct err err;

	for (size_t i = 0; i < count; i++)
		buf_printf(&text,
			   "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n"
			   "metadata: {name: t%zu-%zu}\nspec:\n  minAvailable: 1\n  tasks:\n"
			   "  - name: t\n    replicas: 1\n    template:\n      spec:\n"
			   "        restartPolicy: Never\n        containers:\n"
			   "        - {name: c, image: none, command: ['true'],\n"
			   "           resources: {requests: {cpu: 1m}}}\n",
			   home->rounds, i);
	bench_require(fd_write_file(path, buf_text(&text), text.len, 0600, &err) == 0, &err);
}

static void wait_for_all(const struct home *home, size_t count)
{
	VEC(const char *) arguments = {0};

	vec_push(&arguments, "job");
	vec_push(&arguments, "wait");
	for (size_t i = 0; i < count; i++)
		vec_push(&arguments, mem_printf("t%zu-%zu", home->rounds, i));
	vec_push(&arguments, NULL);
	require(run_ours(home, "vcctl", arguments.ptr) == 0, "vcctl job wait");
	for (size_t i = 2; i < arguments.len; i++)
		mem_free((void *)(uintptr_t)arguments.ptr[i]);
	vec_done(&arguments);
}

static void measure_jobs(struct home *home, size_t count)
{
	char path[PATH_SIZE + NAME_SIZE];

	(void)snprintf(path, sizeof(path), "%s/jobs.yaml", home->folder);
	bench_phase_wall(home->run, "jobs");
	while (bench_round(home->run, count)) {
		bench_pause(home->run);
		home->rounds++;
		write_manifests(home, count, path);
		bench_resume(home->run);
		require(RUN(home, "vcctl", "job", "run", "-f", path) == 0, "vcctl job run");
		wait_for_all(home, count);
	}
	require(RUN(home, "vcctl", "job", "delete", "--all") == 0, "vcctl job delete");
}

static void measure_run_true(struct bench_run *run)
{
	struct home home = {.run = run};
	size_t count = bench_size(run);

	begin(&home);
	measure_spawn(&home, count);
	measure_array(&home, count);
	measure_jobs(&home, count);
	end(&home);
	bench_value(run, "spawns_per_second", 1e9 / bench_cost(run, "spawn_wall_ns"));
	bench_value(run, "array_per_second", 1e9 / bench_cost(run, "array_wall_ns"));
	bench_value(run, "jobs_per_second", 1e9 / bench_cost(run, "jobs_wall_ns"));
}

const struct bench bench_run_true = {
	.name = "run",
	.about = "jobs of `true` on this machine, from vsub and vcctl to their end",
	.item = "jobs",
	.size = 10000,
	.run = measure_run_true,
};
