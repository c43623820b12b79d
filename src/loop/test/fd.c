/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptor watches: an echo, and every way to pull a watch from under its event. */
#include "base/fd.h"

#include <sys/socket.h>
#include <sys/syscall.h>

#include "loop/test/twins.h"

enum { PAIRS = 300 }; /* more than a batch */

struct side {
	struct loop_fd *watch;
	size_t calls;
	struct side *removes;
	struct side *quiets;
	unsigned events;
};

static void pair_of(int pair[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) < 0)
		bail("no sockets");
}

static struct loop_fd *must_watch(struct loop *loop, int fd, unsigned events, loop_fd_fn *fn,
				  void *arg)
{
	struct err err = {0};
	struct loop_fd *watch = loop_fd_add(loop, fd, events, fn, arg, &err);

	if (!watch)
		bail(err.text);
	return watch;
}

static void on_side(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct side *side = arg;

	(void)watch;
	(void)fd;
	side->calls++;
	side->events = events;
	if (side->removes) {
		loop_fd_remove(side->removes->watch);
		side->removes->watch = NULL;
		side->removes = NULL;
	}
	if (side->quiets)
		loop_fd_set(side->quiets->watch, 0);
}

/* Sends back what it gets, and hangs up at the end. */
static void on_echo(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	char bytes[512];
	ssize_t len = recv(fd, bytes, sizeof(bytes), 0);

	(void)events;
	(void)arg;
	if (len > 0) {
		(void)!send(fd, bytes, (size_t)len, 0);
		return;
	}
	loop_fd_remove(watch);
	fd_close(fd);
}

struct talk {
	struct loop *loop;
	size_t sent;
	size_t got;
	size_t total;
};

static void on_talk(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct talk *talk = arg;
	char bytes[300] = "";

	if (events & LOOP_WRITE && talk->sent < talk->total) {
		size_t want = talk->total - talk->sent;
		ssize_t len = send(fd, bytes, want < sizeof(bytes) ? want : sizeof(bytes), 0);

		talk->sent += len > 0 ? (size_t)len : 0;
		if (talk->sent == talk->total)
			loop_fd_set(watch, LOOP_READ);
	}
	if (events & LOOP_READ) {
		ssize_t len = recv(fd, bytes, sizeof(bytes), 0);

		talk->got += len > 0 ? (size_t)len : 0;
		if (talk->got == talk->total)
			loop_stop(talk->loop);
	}
}

static void test_echo(struct loop *loop)
{
	struct talk talk = {.loop = loop, .total = 100000};
	int pair[2];
	int64_t begin = loop_uptime(loop);

	pair_of(pair);
	(void)!must_watch(loop, pair[1], LOOP_READ, on_echo, NULL);
	struct loop_fd *watch = must_watch(loop, pair[0], LOOP_READ | LOOP_WRITE, on_talk, &talk);

	loop_run(loop);
	ok(talk.got == talk.total, "an echo gives back %zu bytes", talk.got);
	ok(!loop_is_virtual(loop) || loop_uptime(loop) == begin, "and takes no virtual time");
	loop_fd_remove(watch);
	fd_close(pair[0]);
	loop_drain(loop); /* the echo sees the end and removes itself */
}

static void test_events(struct loop *loop)
{
	struct side side = {0};
	int pair[2];

	pair_of(pair);
	side.watch = must_watch(loop, pair[0], LOOP_READ | LOOP_WRITE, on_side, &side);
	ok(loop_turn(loop, -1) && side.events == LOOP_WRITE, "can be written to");
	loop_fd_set(side.watch, LOOP_READ);
	loop_fd_set(side.watch, LOOP_READ);
	ok(!loop_turn(loop, 0), "nothing to read");
	(void)!send(pair[1], "x", 1, 0);
	ok(loop_turn(loop, -1) && side.events == LOOP_READ, "something to read");
	ok(loop_turn(loop, -1) && side.events == LOOP_READ, "until it is read");
	loop_fd_set(side.watch, 0);
	ok(!loop_turn(loop, 0), "unless it is not asked for");
	fd_close(pair[1]);
	ok(loop_turn(loop, -1) && side.events == LOOP_HANGUP, "a hang-up comes unasked");
	loop_fd_set(side.watch, LOOP_READ);
	ok(loop_turn(loop, -1) && side.events == (LOOP_READ | LOOP_HANGUP),
	   "in addition to the others");
	loop_fd_remove(side.watch);
	fd_close(pair[0]);
	loop_fd_remove(NULL);

	int ends[2];

	ok(pipe2(ends, O_CLOEXEC) == 0, "a pipe");
	side.watch = must_watch(loop, ends[1], 0, on_side, &side);
	ok(!loop_turn(loop, 0), "is quiet");
	fd_close(ends[0]);
	ok(loop_turn(loop, -1) && side.events == LOOP_HANGUP, "an error is a hang-up");
	loop_fd_remove(side.watch);
	fd_close(ends[1]);
}

/* Two are ready; whichever comes first removes or quiets the other. */
static void test_pulled_away(struct loop *loop)
{
	struct side sides[2] = {0};
	int a[2], b[2];

	pair_of(a);
	pair_of(b);
	sides[0].watch = must_watch(loop, a[0], LOOP_WRITE, on_side, &sides[0]);
	sides[1].watch = must_watch(loop, b[0], LOOP_WRITE, on_side, &sides[1]);
	sides[0].quiets = &sides[1];
	sides[1].quiets = &sides[0];
	loop_turn(loop, -1);
	ok(sides[0].calls + sides[1].calls == 1, "an event that is no longer asked for is dropped");
	sides[0].quiets = sides[1].quiets = NULL;
	loop_fd_set(sides[0].watch, LOOP_WRITE);
	loop_fd_set(sides[1].watch, LOOP_WRITE);
	sides[0].calls = sides[1].calls = 0;
	sides[0].removes = &sides[1];
	sides[1].removes = &sides[0];
	loop_turn(loop, -1);
	ok(sides[0].calls + sides[1].calls == 1, "a watch removed by another is not called");

	struct side *left = sides[0].watch ? &sides[0] : &sides[1];

	left->calls = 0;
	left->removes = left;
	ok(loop_turn(loop, -1) && left->calls == 1, "a watch may remove itself");
	ok(!loop_turn(loop, 0), "and is not called again");
	for (int i = 0; i < 2; i++) {
		fd_close(a[i]);
		fd_close(b[i]);
	}
}

struct reuse {
	struct loop *loop;
	int fds[2];
	struct loop_fd *watches[2];
	int fresh[2]; /* the pair that takes the closed one's number */
	struct side side;
	size_t calls;
};

/* The first to be called closes the other, and opens and watches a quiet pair in its place. */
static void on_reuse(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct reuse *reuse = arg;
	int other = fd == reuse->fds[0] ? 1 : 0;

	(void)watch;
	(void)events;
	if (reuse->calls++ > 0)
		return;
	loop_fd_remove(reuse->watches[other]);
	reuse->watches[other] = NULL;
	fd_close(reuse->fds[other]);
	pair_of(reuse->fresh);
	reuse->side.watch =
		must_watch(reuse->loop, reuse->fresh[0], LOOP_READ, on_side, &reuse->side);
}

static void test_reused(struct loop *loop)
{
	struct reuse reuse = {.loop = loop};
	int a[2], b[2];

	pair_of(a);
	pair_of(b);
	(void)!send(a[1], "x", 1, 0);
	(void)!send(b[1], "x", 1, 0);
	reuse.fds[0] = a[0];
	reuse.fds[1] = b[0];
	reuse.watches[0] = must_watch(loop, a[0], LOOP_READ, on_reuse, &reuse);
	reuse.watches[1] = must_watch(loop, b[0], LOOP_READ, on_reuse, &reuse);
	loop_turn(loop, -1);
	int other = reuse.watches[0] ? 1 : 0;

	ok(reuse.calls == 1 && reuse.fresh[0] == reuse.fds[other],
	   "descriptor %d was closed and opened again in a turn", reuse.fresh[0]);
	ok(reuse.side.calls == 0, "the old event does not reach the new watch");
	(void)!send(reuse.fresh[1], "x", 1, 0);
	loop_turn(loop, -1);
	ok(reuse.side.calls == 1, "its own does");
	loop_fd_remove(reuse.side.watch);
	loop_fd_remove(reuse.watches[0]);
	loop_fd_remove(reuse.watches[1]);
	fd_close(reuse.fds[!other]);
	fd_close(a[1]);
	fd_close(b[1]);
	fd_close(reuse.fresh[0]);
	fd_close(reuse.fresh[1]);
}

static void test_many(struct loop *loop)
{
	static struct side sides[PAIRS];
	int pairs[PAIRS][2];
	bool all = true;

	memset(sides, 0, sizeof(sides));
	for (int i = 0; i < PAIRS; i++) {
		pair_of(pairs[i]);
		sides[i].watch = must_watch(loop, pairs[i][0], LOOP_WRITE, on_side, &sides[i]);
	}
	for (int i = 0; i < 4; i++)
		loop_turn(loop, -1);
	for (int i = 0; i < PAIRS; i++) {
		all = all && sides[i].calls >= 1;
		loop_fd_remove(sides[i].watch);
		fd_close(pairs[i][0]);
		fd_close(pairs[i][1]);
	}
	ok(all, "more than a batch of ready descriptors: each has its turn");
}

static void test_errors(struct loop *loop)
{
	struct err err = {0};
	struct side side = {0};
	AUTO(fd_close) int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int pair[2];

	ok(!loop_fd_add(loop, file, LOOP_READ, on_side, NULL, &err), "a file: %s", err.text);
	pair_of(pair);
	side.watch = must_watch(loop, pair[0], LOOP_READ, on_side, &side);
	ok(!loop_fd_add(loop, pair[0], LOOP_READ, on_side, NULL, &err), "twice: %s", err.text);
	ok(!loop_fd_add(loop, -1, LOOP_READ, on_side, NULL, NULL), "no descriptor");
	loop_fd_remove(side.watch);
	fd_close(pair[0]);
	fd_close(pair[1]);
}

static void leak_watch(struct loop *loop)
{
	int pair[2];

	pair_of(pair);
	(void)!must_watch(loop, pair[0], LOOP_READ, on_side, NULL);
	loop_free(loop);
}

static void close_first(struct loop *loop)
{
	int pair[2];

	pair_of(pair);
	struct loop_fd *watch = must_watch(loop, pair[0], LOOP_READ, on_side, NULL);

	close(pair[0]);
	loop_fd_remove(watch);
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	(void)timer;
	loop_stop(arg);
}

static void on_stop(void *arg)
{
	loop_stop(arg);
}

/* Timers on a kernel that knows no epoll_pwait2. Leaves by exit code 2 if it cannot be tried. */
static void on_old_kernel(struct loop *loop)
{
	struct loop_timer *timer = loop_timer_new(loop, on_timer, loop);

	if (!refuse(SYS_epoll_pwait2, SYS_epoll_pwait2, ENOSYS))
		_exit(2);
	loop_timer_set(timer, 1500);
	loop_run(loop);
	bool right = loop_uptime(loop) >= 1500;

	loop_timer_set(timer, INT64_C(1000000) * 3600 * 24 * 365);
	loop_post(loop, on_stop, loop);
	loop_run(loop);
	loop_timer_free(timer);
	loop_post(loop, on_stop, loop);
	loop_run(loop);
	loop_free(loop);
	exit(right ? 0 : 1);
}

/* As long as a phase may last, without taking anything: it stays readable. */
struct slow {
	struct loop *loop;
	struct side side;
};

static void on_slow(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct slow *slow = arg;

	on_side(watch, fd, events, &slow->side);
	while (!loop_is_late(slow->loop))
		continue;
}

/* Three that are always ready, and each of which takes all the time of a turn. */
static void test_turns(void)
{
	struct loop *loop = twins_loop(false);
	struct slow slow[3];
	int pairs[3][2];

	for (int i = 0; i < 3; i++) {
		pair_of(pairs[i]);
		slow[i] = (struct slow){.loop = loop};
		slow[i].side.watch = must_watch(loop, pairs[i][0], LOOP_READ, on_slow, &slow[i]);
		if (write(pairs[i][1], "x", 1) != 1)
			bail("cannot write");
	}
	for (int i = 0; i < 6; i++)
		(void)loop_turn(loop, 0);
	ok(slow[0].side.calls == 2 && slow[1].side.calls == 2 && slow[2].side.calls == 2,
	   "each gets its turn: %zu %zu %zu", slow[0].side.calls, slow[1].side.calls,
	   slow[2].side.calls);
	(void)loop_turn(loop, 0); /* one of them; the others' events wait */
	for (int i = 0; i < 3; i++) {
		loop_fd_remove(slow[i].side.watch);
		fd_close(pairs[i][0]);
		fd_close(pairs[i][1]);
	}
	ok(!loop_turn(loop, 0), "a watch that was removed between turns is not called");
	loop_free(loop);
}

int main(void)
{
	test_turns();
	on_both(test_echo);
	on_both(test_events);
	on_both(test_pulled_away);
	on_both(test_reused);
	on_both(test_many);
	on_both(test_errors);
	ok(aborts(leak_watch, false), "a watch that is still there is found");
	ok(aborts(close_first, false), "so is a descriptor closed under its watch");
	int status = apart(on_old_kernel, false);

	ok(status == 0 || WEXITSTATUS(status) == 2, "an old kernel waits as well%s",
	   status == 0 ? "" : " # SKIP cannot refuse system calls here");
	return tap_done();
}
