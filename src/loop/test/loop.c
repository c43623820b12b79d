/* SPDX-License-Identifier: Apache-2.0 */
/* The loop as a whole: running and stopping, what a turn returns, and which misuse it asserts.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

#include "base/fd.h"
#include "loop/test/twins.h"

struct stopper {
	struct loop *loop;
	struct loop_defer defer;
	int calls;
};

static void on_stop(void *arg)
{
	struct stopper *stopper = arg;

	stopper->calls++;
	loop_stop(stopper->loop);
}

static void test_run(struct loop *loop)
{
	struct stopper a = {.loop = loop}, b = {.loop = loop};

	loop_defer(loop, &a.defer, on_stop, &a);
	loop_defer(loop, &b.defer, on_stop, &b);
	loop_run(loop);
	ok(a.calls == 1 && b.calls == 1, "a stop lets the turn end");
	loop_defer(loop, &a.defer, on_stop, &a);
	loop_stop(loop);
	loop_run(loop);
	ok(a.calls == 1, "a stop before the run counts");
	loop_run(loop);
	ok(a.calls == 2, "once");
	ok(!loop_turn(loop, 0) && !loop_turn(loop, 500), "a turn returns that nothing ran");
}

struct times {
	struct loop *loop;
	int64_t now[3];
	int64_t uptime[3];
	int len;
};

static int64_t microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

/* Takes a while, by the system's clock. */
static void on_time(void *arg)
{
	struct times *times = arg;
	int64_t begin = microseconds();

	times->now[times->len] = loop_now(times->loop);
	times->uptime[times->len++] = loop_uptime(times->loop);
	while (microseconds() - begin < 10)
		continue;
}

static void test_time(struct loop *loop)
{
	struct times times = {.loop = loop};
	struct loop_defer defers[3] = {0};
	int64_t before = loop_now(loop);
	int64_t uptime = loop_uptime(loop);

	for (int i = 0; i < 3; i++)
		loop_defer(loop, &defers[i], on_time, &times);
	loop_drain(loop);
	ok(times.now[0] == times.now[2] && times.uptime[0] == times.uptime[2],
	   "time stands still in a turn");
	ok(times.now[0] >= before && times.uptime[0] >= uptime, "and does not go back");
	ok(loop_uptime(loop) >= times.uptime[2], "nor after it");
	if (!loop_is_virtual(loop)) {
		ok(loop_now(loop) / 1000000 - time(NULL) <= 1, "it is the time of day");
		ok(loop_uptime(loop) > times.uptime[0], "between turns it goes on");
	}
}

static void on_alarm(int signo)
{
	(void)signo;
}

/* A signal handler of other code runs while the loop waits: that only ends the wait. */
static void test_interrupted(struct loop *loop)
{
	struct sigaction action = {.sa_handler = on_alarm}, before;
	struct itimerval soon = {.it_value = {.tv_usec = 1000}, .it_interval = {.tv_usec = 1000}};
	struct itimerval never = {0};

	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &soon, NULL);
	ok(!loop_turn(loop, -1), "an interrupted turn comes back");
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
}

static void test_no_descriptors(void)
{
	struct rlimit old, few;
	struct err err = {0};
	int next = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(next);
	getrlimit(RLIMIT_NOFILE, &old);
	for (int more = 0; more < 2; more++) {
		few = old;
		few.rlim_cur = (rlim_t)next + (rlim_t)more;
		setrlimit(RLIMIT_NOFILE, &few);
		struct loop *loop = loop_new(&err);

		setrlimit(RLIMIT_NOFILE, &old);
		ok(!loop, "with %d free descriptors: %s", more, err.text);
	}
	loop_free(NULL);
}

static void on_turn(void *arg)
{
	loop_turn(arg, 0);
}

static void on_free(void *arg)
{
	loop_free(arg);
}

static void turn_within(struct loop *loop)
{
	struct loop_defer defer = {0};

	loop_defer(loop, &defer, on_turn, loop);
	loop_turn(loop, 0);
}

static void free_within(struct loop *loop)
{
	struct loop_defer defer = {0};

	loop_defer(loop, &defer, on_free, loop);
	loop_turn(loop, 0);
}

static void set_clock(struct loop *loop)
{
	loop_set_wall_clock(loop, 0);
}

int main(void)
{
	on_both(test_run);
	on_both(test_time);
	on_real(test_interrupted);
	test_no_descriptors();
	ok(aborts(turn_within, true), "no turn within a turn");
	ok(aborts(free_within, true), "no end within a turn");
	ok(aborts(set_clock, false), "the real clock is not ours to set");
	return tap_done();
}
