/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/scheduler_apart.c - a scheduler in a process of its own.
 *
 * The process waits for orders on a pipe and answers each on another one. It ends when the first has no writer any
 * more, so also when the benchmark is killed. An order is small enough for a pipe to take it at once. */
#include "programs/bench/scheduler_apart.h"

#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "client/client.h"
#include "loop/loop.h"
#include "programs/bench/apiworld.h"
#include "programs/bench/bench.h"
#include "scheduler/scheduler.h"

#include "base/banned.h"

enum { PATH_SIZE = 2048, NAME_SIZE = 256 };

struct order {
	size_t pods;
	char name[NAME_SIZE];
	char kubeconfig[PATH_SIZE];
};
static_assert(sizeof(struct order) <= PIPE_BUF, "a pipe takes it at once");

/* Until its first cycle, which comes when it knows everything; or until the queues are there. */
static void wait_until_ready(struct loop *loop, const struct scheduler *scheduler, bool queues)
{
	struct scheduler_stats stats = {0};

	while (queues ? !scheduler_is_ready(scheduler) || !scheduler_has_tried_queues(scheduler)
		      : stats.cycles == 0) {
		(void)loop_turn(loop, -1);
		scheduler_stats(scheduler, &stats);
	}
}

static void run_until_bound(struct loop *loop, const struct scheduler *scheduler, size_t pods,
			    struct scheduler_apart_result *ret)
{
	struct scheduler_stats stats;
	double begin = bench_clock_ms();

	do {
		(void)loop_turn(loop, -1);
		scheduler_stats(scheduler, &stats);
	} while (stats.binds + stats.bind_failures < pods || stats.in_flight);
	ret->seconds = (bench_clock_ms() - begin) / 1e3;
	ret->binds = stats.binds;
	ret->bind_failures = stats.bind_failures;
	ret->writes = stats.writes;
}

static void execute(const struct order *order, struct scheduler_apart_result *ret)
{
	const char *names[] = {order->name, NULL};
	struct client_stats stats;
	struct rusage usage;
	struct err err;
	AUTO(loop_free) struct loop *loop = loop_new(&err);

	bench_require(loop, &err);
	AUTO(client_free)
	struct client *client = client_new(loop, apiworld_connect(loop, order->kubeconfig), NULL);
	AUTO(scheduler_free)
	struct scheduler *scheduler = scheduler_new(
		loop, client, &(struct scheduler_options){.scheduler_names = names}, &err);

	bench_require(scheduler, &err);
	wait_until_ready(loop, scheduler, order->pods == 0);
	if (order->pods)
		run_until_bound(loop, scheduler, order->pods, ret);
	client_stats(client, &stats);
	ret->watches_ended = stats.watches_ended;
	ret->in_flight_limit = stats.limit;
	ret->cpu_ms = bench_cpu_ms();
	ret->peak_kb = getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}

static _Noreturn void serve(int from, int to)
{
	struct order order;

	while (read(from, &order, sizeof(order)) == sizeof(order)) {
		struct scheduler_apart_result result = {0};

		execute(&order, &result);
		if (write(to, &result, sizeof(result)) != sizeof(result))
			_exit(1);
	}
	_exit(0);
}

void scheduler_apart_start(struct scheduler_apart *apart)
{
	struct err err = {.text = "no process for the scheduler"};
	int orders[2] = {-1, -1};
	int answers[2] = {-1, -1};

	bench_require(pipe2(orders, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0, &err);
	apart->pid = fork();
	bench_require(apart->pid >= 0, &err);
	if (apart->pid == 0) {
		fd_close(orders[1]);
		fd_close(answers[0]);
		serve(orders[0], answers[1]);
	}
	fd_close(orders[0]);
	fd_close(answers[1]);
	apart->to = orders[1];
	apart->from = answers[0];
}

void scheduler_apart_stop(struct scheduler_apart *apart)
{
	fd_close(apart->to);
	fd_close(apart->from);
	(void)waitpid(apart->pid, NULL, 0);
}

static void copy(char *to, size_t size, const char *text)
{
	struct str from = str_from(text);

	bench_require(from.len < size, &(struct err){.text = "the path is too long"});
	memcpy(to, from.ptr, from.len);
}

void scheduler_apart_run(struct scheduler_apart *apart, const char *kubeconfig, const char *name,
			 size_t pods, struct scheduler_apart_result *ret)
{
	struct order order = {.pods = pods};

	copy(order.name, sizeof(order.name), name);
	copy(order.kubeconfig, sizeof(order.kubeconfig), kubeconfig);
	bench_require(write(apart->to, &order, sizeof(order)) == sizeof(order) &&
			      read(apart->from, ret, sizeof(*ret)) == sizeof(*ret),
		      &(struct err){.text = "the scheduler has ended"});
}
