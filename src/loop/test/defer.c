/* SPDX-License-Identifier: Apache-2.0 */
/* Deferred calls: order, cancelling, and that one which defers itself again holds nothing up. */
#include <sys/socket.h>

#include "base/fd.h"
#include "base/mem.h"
#include "loop/test/twins.h"

struct call {
	struct loop *loop;
	struct loop_defer defer;
	struct call *cancels;
	struct call *defers;
	char *text;
	char letter;
};

static void on_call(void *arg)
{
	struct call *call = arg;

	call->text[strlen(call->text)] = call->letter;
	if (call->cancels)
		loop_defer_cancel(call->loop, &call->cancels->defer);
	if (call->defers)
		loop_defer(call->loop, &call->defers->defer, on_call, call->defers);
}

static void test_order(struct loop *loop)
{
	char text[32] = "";
	struct call calls[5];

	for (int i = 0; i < 5; i++) {
		calls[i] = (struct call){.loop = loop, .text = text, .letter = (char)('a' + i)};
		loop_defer(loop, &calls[i].defer, on_call, &calls[i]);
	}
	is(text, "");
	loop_defer(loop, &calls[0].defer, on_call, &calls[0]);
	calls[0].cancels = &calls[3]; /* one that waits in the same phase */
	calls[1].defers = &calls[2];  /* waits already: keeps its place */
	calls[2].cancels = &calls[0]; /* was called already */
	calls[4].defers = &calls[3];
	ok(loop_turn(loop, -1), "deferred calls need no wait");
	is(text, "abce");
	ok(!calls[0].defer.queued && calls[3].defer.queued, "what is queued is known");
	loop_drain(loop);
	is(text, "abced");
	loop_defer_cancel(loop, &calls[0].defer);
	ok(!loop_turn(loop, 0), "cancelling what is not queued does nothing");
}

static void on_free(void *arg)
{
	struct call *call = arg;

	call->text[0] = 'x';
	mem_free(call);
}

static void test_freed(struct loop *loop)
{
	char text[8] = "";
	struct call *call = mem_new(struct call);

	call->text = text;
	loop_defer(loop, &call->defer, on_free, call);
	loop_drain(loop);
	is(text, "x");
}

struct contest {
	struct loop *loop;
	struct loop_defer defer;
	size_t calls;
	size_t reads;
	size_t ticks;
};

static void on_again(void *arg)
{
	struct contest *contest = arg;

	contest->calls++;
	loop_defer(contest->loop, &contest->defer, on_again, contest);
}

static void on_tick(struct loop_timer *timer, void *arg)
{
	((struct contest *)arg)->ticks++;
	loop_timer_set(timer, 0);
}

static void on_read(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	(void)watch;
	(void)fd;
	(void)events;
	((struct contest *)arg)->reads++;
}

static void test_nothing_starves(struct loop *loop)
{
	struct contest contest = {.loop = loop};
	struct err err = {0};
	int pair[2];

	ok(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0, "a pair of sockets");
	ok(send(pair[1], "x", 1, 0) == 1, "something to read");
	struct loop_fd *watch = loop_fd_add(loop, pair[0], LOOP_READ, on_read, &contest, &err);
	struct loop_timer *timer = loop_timer_new(loop, on_tick, &contest);

	loop_timer_set(timer, 0);
	loop_defer(loop, &contest.defer, on_again, &contest);
	for (int i = 0; i < 100; i++)
		loop_turn(loop, -1);
	ok(contest.calls == 100 && contest.reads == 100 && contest.ticks == 100,
	   "all go in step: %zu calls, %zu reads, %zu ticks", contest.calls, contest.reads,
	   contest.ticks);
	loop_defer_cancel(loop, &contest.defer);
	loop_timer_free(timer);
	loop_fd_remove(watch);
	fd_close(pair[0]);
	fd_close(pair[1]);
}

static void test_dropped(void)
{
	struct loop *loop = twins_loop(true);
	char text[8] = "";
	struct call call = {.loop = loop, .text = text, .letter = 'a'};

	loop_defer(loop, &call.defer, on_call, &call);
	loop_free(loop);
	is(text, "");
	loop_defer_cancel(NULL, &call.defer);
	ok(!call.defer.queued, "a call that was dropped with its loop is not queued");
}

/* As long as a phase may last. */
static void on_slow(void *arg)
{
	struct call *call = arg;

	on_call(call);
	while (!loop_is_late(call->loop))
		continue;
}

static void test_long(void)
{
	AUTO(loop_free) struct loop *loop = twins_loop(false);
	struct loop_stats stats;
	char text[32] = "";
	struct call calls[4];

	for (int i = 0; i < 4; i++) {
		calls[i] = (struct call){.loop = loop, .text = text, .letter = (char)('a' + i)};
		loop_defer(loop, &calls[i].defer, on_slow, &calls[i]);
	}
	calls[0].defers = NULL;
	ok(loop_turn(loop, 0), "a turn whose first call takes all of its time");
	is(text, "a");
	loop_defer_cancel(loop, &calls[2].defer);
	loop_defer(loop, &calls[0].defer, on_slow, &calls[0]);
	ok(loop_turn(loop, 0), "what was left comes first");
	is(text, "ab");
	loop_drain(loop);
	is(text, "abda");
	loop_stats(loop, &stats);
	ok(stats.turns >= 4 && stats.longest_us >= 4000 && stats.busy_us >= 4 * 4000,
	   "the loop knows how long its turns took");
	loop_stats_reset(loop);
	loop_stats(loop, &stats);
	ok(stats.turns == 0 && stats.longest_us == 0, "and counts from there when it is asked to");
}

int main(void)
{
	on_both(test_order);
	on_both(test_freed);
	on_both(test_nothing_starves);
	test_dropped();
	test_long();
	return tap_done();
}
