/* SPDX-License-Identifier: Apache-2.0 */
/* Work on other threads and calls from them. Run it under ThreadSanitizer as well. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#include "loop/test/twins.h"

enum { PIECES = 500, POSTS = 10000, POSTERS = 4 };

struct piece {
	struct loop *loop;
	pthread_t loop_thread;
	pthread_t worked;
	int *done;
	int *bad;
	int value;
	int want; /* stop the loop at so many */
};

static void on_work(void *arg)
{
	struct piece *piece = arg;

	piece->worked = pthread_self();
	piece->value *= 2;
}

static void on_done(void *arg)
{
	struct piece *piece = arg;

	if (!pthread_equal(pthread_self(), piece->loop_thread) || piece->value % 2 != 0)
		++*piece->bad;
	if (++*piece->done == piece->want)
		loop_stop(piece->loop);
}

static void test_work(struct loop *loop)
{
	static struct piece pieces[PIECES];
	int done = 0, bad = 0, in_line = 0, wrong = 0;

	for (int i = 0; i < PIECES; i++) {
		pieces[i] = (struct piece){.loop = loop,
					   .loop_thread = pthread_self(),
					   .value = i,
					   .done = &done,
					   .bad = &bad,
					   .want = PIECES};
		if (loop_work(loop, LOOP_LANE_FILES, on_work, on_done, &pieces[i], NULL) < 0)
			bad++;
	}
	ok(done == 0, "nothing is done before a turn");
	loop_run(loop);
	for (int i = 0; i < PIECES; i++) {
		in_line += pthread_equal(pieces[i].worked, pthread_self()) != 0;
		wrong += pieces[i].value != 2 * i;
	}
	ok(done == PIECES && bad == 0 && wrong == 0, "%d pieces done, reported on the loop", done);
	ok(in_line == (loop_is_virtual(loop) ? PIECES : 0), "%d of them worked on in line",
	   in_line);
}

/* A chain: the next piece is handed in from the last one's done. */
struct chain {
	struct loop *loop;
	int left;
	int bad;
};

static void on_link(void *arg)
{
	((struct chain *)arg)->left--;
}

static void on_linked(void *arg)
{
	struct chain *chain = arg;

	if (chain->left > 0)
		chain->bad +=
			loop_work(chain->loop, LOOP_LANE_COMMIT, on_link, on_linked, chain, NULL);
	else
		loop_stop(chain->loop);
}

static void test_chain(struct loop *loop)
{
	struct chain chain = {.loop = loop, .left = 200};

	chain.bad = loop_work(loop, LOOP_LANE_COMMIT, on_link, on_linked, &chain, NULL);
	loop_run(loop);
	ok(chain.left == 0 && chain.bad == 0, "200 pieces, one after the other");
}

struct poster {
	struct loop *loop;
	pthread_t thread;
	int posts;
	struct letter {
		struct poster *poster;
		int number;
	} letters[POSTS];
	int got;
	int bad;
	int *open; /* posters that have not ended */
};

static void on_letter(void *arg)
{
	struct letter *letter = arg;
	struct poster *poster = letter->poster;

	if (letter->number != poster->got++)
		poster->bad++;
	if (poster->got == poster->posts && --*poster->open == 0)
		loop_stop(poster->loop);
}

static void *post_all(void *arg)
{
	struct poster *poster = arg;

	for (int i = 0; i < poster->posts; i++) {
		poster->letters[i] = (struct letter){poster, i};
		loop_post(poster->loop, on_letter, &poster->letters[i]);
	}
	return NULL;
}

static void test_posts(struct loop *loop, int count)
{
	static struct poster posters[POSTERS];
	int open = count, right = 0;

	for (int i = 0; i < count; i++) {
		posters[i].loop = loop;
		posters[i].posts = POSTS;
		posters[i].got = posters[i].bad = 0;
		posters[i].open = &open;
		pthread_create(&posters[i].thread, NULL, post_all, &posters[i]);
	}
	loop_run(loop);
	for (int i = 0; i < count; i++) {
		pthread_join(posters[i].thread, NULL);
		right += posters[i].got == POSTS && posters[i].bad == 0;
	}
	ok(right == count, "%d posts from each of %d threads, in order", POSTS, count);
}

static void test_one_poster(struct loop *loop)
{
	test_posts(loop, 1);
}

static void test_many_posters(struct loop *loop)
{
	test_posts(loop, POSTERS);
}

struct again {
	struct loop *loop;
	int posts;
	int ticks;
};

static void on_again(void *arg)
{
	struct again *again = arg;

	again->posts++;
	loop_post(again->loop, on_again, again);
}

static void on_tick(struct loop_timer *timer, void *arg)
{
	((struct again *)arg)->ticks++;
	loop_timer_set(timer, 0);
}

static void test_posts_hold_nothing_up(struct loop *loop)
{
	struct again again = {.loop = loop};
	struct loop_timer *timer = loop_timer_new(loop, on_tick, &again);

	loop_timer_set(timer, 0);
	loop_post(loop, on_again, &again);
	for (int i = 0; i < 50; i++)
		loop_turn(loop, -1);
	ok(again.posts == 50 && again.ticks == 50, "a post that posts again waits for its turn");
	loop_timer_free(timer);
	/* The last post is still there: loop_free() drops it. */
}

/* With workers about, a signal to the process must still reach the loop. */
static void on_signal(struct loop_signal *watch, int signo, void *arg)
{
	(void)signo;
	loop_signal_remove(watch);
	loop_stop(arg);
}

static void test_signals(struct loop *loop)
{
	test_chain(loop); /* starts a worker that is idle now */
	for (int i = 0; i < 20; i++) {
		if (!loop_signal_add(loop, SIGUSR1, on_signal, loop, NULL))
			break;
		kill(getpid(), SIGUSR1);
		loop_run(loop);
	}
	ok(true, "workers do not take the loop's signals");
}

struct trace {
	char text[64];
};

struct step {
	struct trace *trace;
	char letter;
};

static void on_nothing(void *arg)
{
	(void)arg;
}

static void on_step(void *arg)
{
	struct step *step = arg;

	step->trace->text[strlen(step->trace->text)] = step->letter;
}

static struct trace order_of(uint64_t seed)
{
	struct trace trace = {0};
	struct step steps[26];
	AUTO(loop_free) struct loop *loop = loop_new_virtual(seed, 0, NULL);

	for (int i = 0; i < 26; i++) {
		steps[i] = (struct step){&trace, (char)('a' + i)};
		if (loop_work(loop, LOOP_LANE_FILES, on_nothing, on_step, &steps[i], NULL) < 0)
			return trace;
	}
	loop_drain(loop);
	return trace;
}

static void test_virtual_order(void)
{
	struct trace a = order_of(1), b = order_of(1), c = order_of(2);

	is(a.text, b.text);
	ok(strlen(a.text) == 26 && strcmp(a.text, c.text) != 0, "another seed, another order: %s",
	   c.text);
}

/* Leaves by exit code 2 if it cannot be tried. */
static void without_threads(struct loop *loop)
{
	struct chain chain = {.loop = loop, .left = 3};

	if (!refuse(SYS_clone, SYS_clone3, EAGAIN))
		_exit(2);
	chain.bad = loop_work(loop, LOOP_LANE_COMMIT, on_link, on_linked, &chain, NULL);
	loop_run(loop);
	loop_free(loop);
	leave(chain.left == 0 ? 0 : 1);
}

static void slow_work(void *arg)
{
	(void)arg;
	(void)poll(NULL, 0, 20); /* long enough to be under way when the loop goes */
}

static void note_done(void *arg)
{
	*(bool *)arg = true;
}

/* Work cannot be called back: a loop that goes waits for it, so that its owner can free its memory. */
static void test_free_waits(void)
{
	struct err err;
	struct loop *loop = loop_new(&err);
	bool done = false;

	int handed = loop_work(loop, LOOP_LANE_FILES, slow_work, note_done, &done, &err);

	loop_free(loop);
	ok(handed == 0 && done, "work under way when the loop goes still gets its done");
}

/* --- lanes --- */

/* A piece that waits until its gate is opened. */
struct stuck {
	int gate[2];
	int *done;
};

static void wait_at_gate(void *arg)
{
	struct pollfd gate = {.fd = ((struct stuck *)arg)->gate[0], .events = POLLIN};

	while (poll(&gate, 1, -1) < 0)
		continue;
}

static void count_done(void *arg)
{
	++*((struct stuck *)arg)->done;
}

static void fill_lane(struct loop *loop, enum loop_lane lane, struct stuck *stuck)
{
	struct loop_lane_stats stats;
	struct err err;
	size_t handed = 0;

	loop_lane_stats(loop, lane, &stats);
	while (loop_work(loop, lane, wait_at_gate, count_done, stuck, &err) == 0 && handed < 10000)
		handed++;
	ok(handed >= stats.queue_max && handed <= stats.queue_max + stats.workers,
	   "the lane %s takes %zu pieces", stats.name, handed);
	ok(err.code == ERR_TOO_MANY_REQUESTS && strstr(err.text, stats.name),
	   "and refuses more: %s", err.text);
	loop_lane_stats(loop, lane, &stats);
	ok(stats.queued + stats.running == handed && stats.refused == 1,
	   "its numbers say so: %zu queued, %zu running", stats.queued, stats.running);
}

/* All lanes but one are stuck and full; that one works on. */
static void test_stuck_lanes(struct loop *loop)
{
	struct stuck stuck;
	struct loop_lane_stats stats;
	int done = 0;
	uint64_t pieces = 0;

	stuck.done = &done;
	if (pipe(stuck.gate) < 0)
		return;
	for (int lane = 0; lane < LOOP_LANE_COUNT; lane++)
		if (lane != LOOP_LANE_COMMIT)
			fill_lane(loop, (enum loop_lane)lane, &stuck);
	test_chain(loop);
	ok(done == 0, "while nothing else has ended");
	loop_lane_stats(loop, LOOP_LANE_COMMIT, &stats);
	ok(stats.done == 200 && stats.queued == 0 && stats.running == 0, "the lane %s is idle",
	   stats.name);
	do {
		loop_turn(loop, 1000);
		loop_lane_stats(loop, LOOP_LANE_KEYS, &stats);
	} while (stats.running == 0 || stats.running_us == 0);
	ok(stats.running == 1 && stats.waiting_us > 0 && stats.running_us > 0,
	   "of the lane %s one runs, and the first of the others has waited", stats.name);
	ok(write(stuck.gate[1], "x", 1) == 1, "(the gate opens)");
	for (int lane = 0; lane < LOOP_LANE_COUNT; lane++) {
		do {
			loop_lane_stats(loop, (enum loop_lane)lane, &stats);
		} while ((stats.queued || stats.running) && (loop_turn(loop, 1000), true));
		pieces += lane == LOOP_LANE_COMMIT ? 0 : stats.done;
	}
	while ((uint64_t)done < pieces)
		loop_turn(loop, -1);
	ok((uint64_t)done == pieces && stats.longest_wait_us > 0, "then all %d are done", done);
	close(stuck.gate[0]);
	close(stuck.gate[1]);
}

/* Waiting work is skipped, running work is waited for, and `done` of both is called. */
static void test_settle(struct loop *loop)
{
	struct stuck stuck;
	struct loop_lane_stats stats;
	struct err err;
	int done = 0;

	stuck.done = &done;
	if (pipe(stuck.gate) < 0)
		return;
	for (int i = 0; i < 8; i++)
		ok(loop_work(loop, LOOP_LANE_REQUEST, wait_at_gate, count_done, &stuck, &err) == 0,
		   "piece %d is taken", i);
	ok(write(stuck.gate[1], "x", 1) == 1, "(the gate opens)");
	loop_lane_drain(loop, LOOP_LANE_REQUEST);
	ok(done == 8, "when the lane has settled, all are done: %d", done);
	loop_lane_stats(loop, LOOP_LANE_REQUEST, &stats);
	ok(stats.queued == 0 && stats.running == 0, "and nothing is left in it");
	loop_lane_drain(loop, LOOP_LANE_REQUEST);
	ok(done == 8, "a lane that has nothing to do is settled");
	close(stuck.gate[0]);
	close(stuck.gate[1]);
}

int main(void)
{
	on_real(test_settle);
	on_both(test_work);
	on_real(test_stuck_lanes);
	on_both(test_chain);
	on_real(test_one_poster);
	on_real(test_many_posters);
	on_both(test_posts_hold_nothing_up);
	on_real(test_signals);
	test_virtual_order();
	test_free_waits();
	int status = apart(without_threads, false);

	ok(status == 0 || WEXITSTATUS(status) == 2, "work is done without threads as well%s",
	   status == 0 ? "" : " # SKIP cannot refuse system calls here");
	return tap_done();
}
