/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual twin: time that jumps, and runs that can be repeated. */
#include <inttypes.h>
#include <sys/socket.h>
#include <time.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/time.h"
#include "loop/test/twins.h"

static void on_count(struct loop_timer *timer, void *arg)
{
	(void)timer;
	++*(int *)arg;
}

static void test_time(struct loop *loop)
{
	int calls = 0;
	struct loop_timer *timer = loop_timer_new(loop, on_count, &calls);

	ok(loop_is_virtual(loop), "it is virtual");
	ok(loop_now(loop) == TWINS_START && loop_uptime(loop) == 0, "starts at the given time");
	ok(!loop_turn(loop, 0) && loop_uptime(loop) == 0, "a turn without a wait takes no time");
	ok(!loop_turn(loop, 250) && loop_uptime(loop) == 250, "a wait takes as long as it says");
	ok(!loop_turn(loop, -1) && loop_uptime(loop) == 250, "nothing to wait for: no time passes");
	loop_timer_set(timer, TIME_HOUR);
	ok(!loop_turn(loop, TIME_MINUTE) && calls == 0, "not yet due");
	ok(loop_turn(loop, TIME_DAY) && calls == 1, "due within the wait");
	ok(loop_uptime(loop) == 250 + TIME_HOUR, "the rest of the wait does not pass");
	ok(loop_now(loop) == TWINS_START + 250 + TIME_HOUR, "the wall clock goes with it");

	loop_timer_set(timer, TIME_HOUR);
	loop_set_wall_clock(loop, TWINS_START - TIME_DAY);
	ok(loop_now(loop) == TWINS_START - TIME_DAY, "the wall clock can be set back");
	loop_run(loop);
	ok(calls == 2 && loop_uptime(loop) == 250 + 2 * TIME_HOUR, "timers do not mind");
	ok(loop_now(loop) == TWINS_START - TIME_DAY + TIME_HOUR, "it goes on from there");
	ok(true, "a loop at rest comes back from its run");
	loop_timer_free(timer);
}

struct clockwork {
	struct loop *loop;
	int64_t period;
	int64_t calls;
};

static void on_period(struct loop_timer *timer, void *arg)
{
	struct clockwork *clockwork = arg;

	clockwork->calls++;
	if (loop_uptime(clockwork->loop) < TIME_DAY)
		loop_timer_set(timer, clockwork->period);
}

static void test_day(struct loop *loop)
{
	struct clockwork works[10];
	struct loop_timer *timers[10];
	int64_t calls = 0;
	clock_t begin = clock();

	for (int i = 0; i < 10; i++) {
		works[i] = (struct clockwork){.loop = loop, .period = (i + 1) * TIME_SECOND};
		timers[i] = loop_timer_new(loop, on_period, &works[i]);
		loop_timer_set(timers[i], works[i].period);
	}
	loop_run(loop);
	for (int i = 0; i < 10; i++) {
		calls += works[i].calls;
		loop_timer_free(timers[i]);
	}
	ok(works[0].calls == 86400 && works[9].calls == 8640, "each ticked for a day");
	printf("# a day of %" PRId64 " calls took %ld ms\n", calls,
	       (long)((clock() - begin) * 1000 / CLOCKS_PER_SEC));
}

/* A little world that uses everything: players pass a ball over sockets, hand in work, start and
 * end processes, raise signals, all by chance; and write down what they see. */
enum { PLAYERS = 5, WORLD_STEPS = 600 };

struct world {
	struct loop *loop;
	struct buf trace;
	int steps;
	struct player {
		struct world *world;
		int number;
		int fds[2];
		struct loop_fd *watch;
		struct loop_timer *timer;
		struct loop_defer defer;
	} players[PLAYERS];
};

static void note(struct player *player, const char *what)
{
	struct world *world = player->world;

	buf_printf(&world->trace, "%" PRId64 " %d %s\n", loop_now(world->loop), player->number,
		   what);
}

static void on_worked(void *arg)
{
	note(arg, "worked");
}

static void on_work(void *arg)
{
	(void)arg;
}

static void on_posted(void *arg)
{
	note(arg, "posted");
}

static void on_deferred(void *arg)
{
	note(arg, "deferred");
}

static void on_ended(pid_t pid, int status, void *arg)
{
	struct player *player = arg;

	buf_printf(&player->world->trace, "%d %d ", (int)pid, status);
	note(player, "ended");
}

static void on_raised(struct loop_signal *watch, int signo, void *arg)
{
	(void)watch;
	(void)signo;
	note(arg, "signal");
}

static void on_ball(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	char byte;

	(void)watch;
	(void)events;
	if (recv(fd, &byte, 1, 0) == 1)
		note(arg, "ball");
}

static void on_move(struct loop_timer *timer, void *arg)
{
	struct player *player = arg;
	struct world *world = player->world;
	struct loop *loop = world->loop;
	struct player *other = &world->players[loop_random_below(loop, PLAYERS)];
	int pid = ++world->steps;

	note(player, "moves");
	switch (loop_random_below(loop, 6)) {
	case 0:
		(void)!send(other->fds[1], "x", 1, 0);
		break;
	case 1:
		for (int i = 0; i < 3; i++)
			if (loop_work(loop, LOOP_LANE_FILES, on_work, on_worked, &world->players[i],
				      NULL) < 0)
				note(player, "is refused");
		break;
	case 2:
		loop_post(loop, on_posted, other);
		break;
	case 3:
		loop_defer(loop, &other->defer, on_deferred, other);
		break;
	case 4:
		if (loop_child_add(loop, pid, on_ended, other, NULL))
			loop_child_exit(loop, pid, (int)loop_random_below(loop, 256) << 8);
		break;
	default:
		loop_signal_raise(loop, SIGUSR1);
	}
	if (world->steps < WORLD_STEPS)
		loop_timer_set(timer, (int64_t)loop_random_below(loop, 5) * TIME_SECOND);
}

static char *history(uint64_t seed)
{
	struct world world = {.trace = BUF_UNBOUNDED};

	world.loop = loop_new_virtual(seed, TWINS_START, NULL);
	struct loop_signal *watch =
		loop_signal_add(world.loop, SIGUSR1, on_raised, &world.players[0], NULL);

	for (int i = 0; i < PLAYERS; i++) {
		struct player *player = &world.players[i];

		player->world = &world;
		player->number = i;
		(void)!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, player->fds);
		player->watch =
			loop_fd_add(world.loop, player->fds[0], LOOP_READ, on_ball, player, NULL);
		player->timer = loop_timer_new(world.loop, on_move, player);
		loop_timer_set(player->timer, 0);
	}
	loop_run(world.loop);
	for (int i = 0; i < PLAYERS; i++) {
		loop_fd_remove(world.players[i].watch);
		fd_close(world.players[i].fds[0]);
		fd_close(world.players[i].fds[1]);
		loop_timer_free(world.players[i].timer);
	}
	loop_signal_remove(watch);
	loop_free(world.loop);
	return buf_take(&world.trace);
}

static void test_repeatable(void)
{
	AUTO(mem_free) char *a = history(7);
	AUTO(mem_free) char *b = history(7);
	AUTO(mem_free) char *c = history(8);
	static const char *const words[] = {"moves",    "ball",  "worked", "posted",
					    "deferred", "ended", "signal"};

	ok(strcmp(a, b) == 0, "one seed, one history (%zu bytes)", strlen(a));
	ok(strcmp(a, c) != 0, "another seed, another");
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		ok(strstr(a, words[i]) != NULL, "with %s in it", words[i]);
}

int main(void)
{
	on_virtual(test_time);
	on_virtual(test_day);
	test_repeatable();
	return tap_done();
}
