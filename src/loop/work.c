/* SPDX-License-Identifier: Apache-2.0 */
/* loop/work.c - work on other threads, and calls from them: the only file that uses threads.
 *
 * Each lane has a queue `todo` for its workers; `posted` is the one for the loop. A piece of work goes
 * through the first to a worker and comes back through the second with its `done`; loop_post() uses
 * the second alone. One lock covers them all: it is held for a few instructions, never during work. An
 * eventfd wakes the loop; it is written only when `posted` was empty, so a burst of posts costs one
 * wake-up.
 *
 * 1. Nothing that threads share is touched without the lock, and no callback is called with it.
 * 2. The eventfd is readable when `posted` has something: it is written under the lock with the
 *    first item, and read before the queue is taken.
 * 3. A thread is started only for work that no waiting worker of its lane will take, at most as many as
 *    the lane's row says, and belongs to that lane until it ends. Workers block all signals, so that those of
 *    the process reach the loop's thread.
 * 4. A queue has at most queue_max pieces; further ones are rejected.
 *
 * If no thread can be started, and on a virtual loop, the work runs on the calling thread and its
 * `done` is posted as usual. */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "loop/loop_internal.h"

#include "base/banned.h"

struct item {
	struct list link;
	struct loop *loop;
	loop_work_fn *work; /* NULL: a post */
	loop_defer_fn *call;
	void *arg;
	struct loop_lane_state *lane; /* NULL: a post */
	int64_t since; /* in uptime: when it was submitted, then when a worker took it */
};

/* The lanes. Name resolution waits for servers that may not answer for half a minute, so it has
 * several workers; keys, responses and requests only compute, and run at a lower priority than the
 * loop. */
static const struct lane_row {
	const char *name;
	size_t workers;
	size_t queue_max;
	int nice;
} rows[] = {
	[LOOP_LANE_COMMIT] = {"commit", 1, 64, 0},   [LOOP_LANE_RESOLVE] = {"resolve", 4, 256, 0},
	[LOOP_LANE_KEYS] = {"keys", 1, 4096, 5},     [LOOP_LANE_FILES] = {"files", 2, 4096, 0},
	[LOOP_LANE_BACKUP] = {"backup", 1, 4, 0},    [LOOP_LANE_COMPRESS] = {"compress", 2, 256, 5},
	[LOOP_LANE_REQUEST] = {"request", 2, 64, 5},
};
_Static_assert(ARRAY_LEN(rows) == LOOP_LANE_COUNT, "a row for every lane");

/* How far a piece of work may overtake others on a virtual loop. */
enum { REORDER_MAX = 16 };

/* A callback may call loop_lane_drain(), which then makes the calls that are left in `due`. */
static void run_posted(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct loop *loop = arg;
	struct list *node;
	uint64_t count;
	ssize_t got = read(fd, &count, sizeof(count));

	(void)watch;
	(void)events;
	assert(got == sizeof(count) || errno == EAGAIN);
	(void)got;
	pthread_mutex_lock(&loop->works.lock);
	list_splice(&loop->works.due, &loop->works.posted);
	pthread_mutex_unlock(&loop->works.lock);
	while ((node = list_pop(&loop->works.due))) {
		struct item *item = container_of(node, struct item, link);

		if (item->work) {
			loop->works.under_way--;
			item->lane->under_way--;
		}
		item->call(item->arg);
		mem_free(item);
	}
}

void loop_works_init(struct loop *loop)
{
	struct loop_works *works = &loop->works;

	pthread_mutex_init(&works->lock, NULL);
	for (size_t i = 0; i < LOOP_LANE_COUNT; i++) {
		struct loop_lane_state *lane = &works->lanes[i];

		assert(rows[i].workers <= LOOP_LANE_WORKERS);
		lane->loop = loop;
		lane->lane = (enum loop_lane)i;
		pthread_cond_init(&lane->more, NULL);
		list_init(&lane->todo);
		list_init(&lane->running);
	}
	list_init(&works->posted);
	list_init(&works->due);
	works->wake = -1;
}

int loop_works_open(struct loop *loop, struct err *err)
{
	struct loop_works *works = &loop->works;

	works->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (works->wake < 0)
		return err_errno(err, errno, "eventfd");
	works->watch = loop_fd_add(loop, works->wake, LOOP_READ, run_posted, loop, err);
	return works->watch ? 0 : -1;
}

bool loop_works_has_posted(struct loop *loop)
{
	pthread_mutex_lock(&loop->works.lock);
	bool has = !list_is_empty(&loop->works.posted);

	pthread_mutex_unlock(&loop->works.lock);
	return has;
}

/* Put an item before the last `overtakes` of those posted. Takes the lock; any thread. */
static void post(struct item *item, size_t overtakes)
{
	struct loop_works *works = &item->loop->works;

	pthread_mutex_lock(&works->lock);
	bool wake = list_is_empty(&works->posted);
	struct list *before = &works->posted;

	while (overtakes-- > 0 && before->prev != &works->posted)
		before = before->prev;
	list_insert_before(before, &item->link);
	if (wake) {
		ssize_t put = write(works->wake, &(uint64_t){1}, sizeof(uint64_t));

		assert(put == sizeof(uint64_t));
		(void)put;
	}
	pthread_mutex_unlock(&works->lock);
}

/* Work that has not started is skipped; its `done` is still called, because it frees the argument.
 */
static void skip_queued(struct loop_lane_state *lane)
{
	struct loop_works *works = &lane->loop->works;
	struct list skipped = LIST_INIT(skipped);
	struct list *node;

	pthread_mutex_lock(&works->lock);
	list_splice(&skipped, &lane->todo);
	lane->todo_len = 0;
	pthread_mutex_unlock(&works->lock);
	while ((node = list_pop(&skipped)))
		post(container_of(node, struct item, link), 0);
}

/* Waits for a posted call, and makes it. */
static void call_posted(struct loop *loop)
{
	struct loop_works *works = &loop->works;
	struct pollfd wake = {.fd = works->wake, .events = POLLIN};

	if (list_is_empty(&works->due))
		(void)poll(&wake, 1, -1); /* after a signal the caller checks again */
	run_posted(works->watch, works->wake, LOOP_READ, loop);
}

void loop_lane_drain(struct loop *loop, enum loop_lane lane)
{
	skip_queued(&loop->works.lanes[lane]);
	while (loop->works.lanes[lane].under_way)
		call_posted(loop);
}

void loop_works_done(struct loop *loop)
{
	struct loop_works *works = &loop->works;
	struct list *node;

	for (size_t i = 0; i < LOOP_LANE_COUNT; i++)
		skip_queued(&works->lanes[i]);
	/* running work cannot be cancelled; its `done` is still called, because it frees the
	 * argument */
	while (works->under_way)
		call_posted(loop);
	pthread_mutex_lock(&works->lock);
	works->quit = true;
	for (size_t i = 0; i < LOOP_LANE_COUNT; i++)
		pthread_cond_broadcast(&works->lanes[i].more);
	pthread_mutex_unlock(&works->lock);
	for (size_t i = 0; i < LOOP_LANE_COUNT; i++) {
		struct loop_lane_state *lane = &works->lanes[i];

		for (size_t k = 0; k < lane->thread_count; k++)
			pthread_join(lane->threads[k], NULL);
		pthread_cond_destroy(&lane->more);
	}
	while ((node = list_pop(&works->posted)))
		mem_free(container_of(node, struct item, link));
	loop_fd_remove(works->watch);
	fd_close(works->wake);
	pthread_mutex_destroy(&works->lock);
}

/* Callers of both hold the lock. */
static void begin(struct loop_lane_state *lane, struct item *item)
{
	int64_t now = loop_clock_uptime(lane->loop);

	if (now - item->since > lane->longest_wait)
		lane->longest_wait = now - item->since;
	item->since = now;
	list_push(&lane->running, &item->link);
	lane->running_len++;
}

static void end(struct loop_lane_state *lane, struct item *item)
{
	int64_t took = loop_clock_uptime(lane->loop) - item->since;

	if (took > lane->longest_run)
		lane->longest_run = took;
	list_remove(&item->link);
	lane->running_len--;
	lane->done++;
}

static void *worker(void *arg)
{
	struct loop_lane_state *lane = arg;
	struct loop_works *works = &lane->loop->works;

	if (rows[lane->lane].nice)
		(void)setpriority(PRIO_PROCESS, 0, rows[lane->lane].nice); /* of this thread */
	pthread_mutex_lock(&works->lock);
	while (!works->quit) {
		struct list *node = list_pop(&lane->todo);

		if (!node) {
			lane->idle++;
			pthread_cond_wait(&lane->more, &works->lock);
			lane->idle--;
			continue;
		}
		struct item *item = container_of(node, struct item, link);

		lane->todo_len--;
		begin(lane, item);
		pthread_mutex_unlock(&works->lock);
		item->work(item->arg);
		pthread_mutex_lock(&works->lock);
		end(lane, item);
		pthread_mutex_unlock(&works->lock);
		post(item, 0);
		pthread_mutex_lock(&works->lock);
	}
	pthread_mutex_unlock(&works->lock);
	return NULL;
}

static void start_worker(struct loop_lane_state *lane)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&lane->threads[lane->thread_count], NULL, worker, lane) == 0)
		lane->thread_count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Does the lane's queue have space? The caller holds the lock. */
static bool has_place(struct loop_lane_state *lane)
{
	if (lane->todo_len < rows[lane->lane].queue_max)
		return true;
	lane->refused++;
	return false;
}

enum handed { HANDED_OVER, HANDED_BACK, HANDED_REFUSED };

static enum handed hand_to_worker(struct item *item)
{
	struct loop_lane_state *lane = item->lane;
	struct loop_works *works = &item->loop->works;
	enum handed handed = HANDED_REFUSED;

	pthread_mutex_lock(&works->lock);
	if (has_place(lane)) {
		if (lane->idle <= lane->todo_len && lane->thread_count < rows[lane->lane].workers)
			start_worker(lane);
		handed = lane->thread_count > 0 ? HANDED_OVER : HANDED_BACK;
	}
	if (handed == HANDED_OVER) {
		list_push(&lane->todo, &item->link);
		lane->todo_len++;
		pthread_cond_signal(&lane->more);
	}
	pthread_mutex_unlock(&works->lock);
	return handed;
}

static struct item *item_new(struct loop *loop, loop_work_fn *work, loop_defer_fn *call, void *arg)
{
	struct item *item = mem_new(struct item);

	item->loop = loop;
	item->work = work;
	item->call = call;
	item->arg = arg;
	return item;
}

static void work_in_line(struct item *item, size_t overtakes)
{
	struct loop_works *works = &item->loop->works;

	item->work(item->arg);
	pthread_mutex_lock(&works->lock);
	item->lane->done++;
	pthread_mutex_unlock(&works->lock);
	post(item, overtakes);
}

int loop_work(struct loop *loop, enum loop_lane lane, loop_work_fn *work, loop_done_fn *done,
	      void *arg, struct err *err)
{
	struct item *item = item_new(loop, work, done, arg);
	enum handed handed;

	item->lane = &loop->works.lanes[lane];
	item->since = loop_clock_uptime(loop);
	handed = loop->is_virtual ? HANDED_BACK : hand_to_worker(item);
	if (handed == HANDED_REFUSED) {
		mem_free(item);
		return err_set(err, ERR_TOO_MANY_REQUESTS,
			       "too much work of the class \"%s\" is waiting (%zu pieces)",
			       rows[lane].name, rows[lane].queue_max);
	}
	loop->works.under_way++;
	loop->works.lanes[lane].under_way++;
	if (handed == HANDED_BACK)
		work_in_line(item,
			     loop->is_virtual ? (size_t)loop_random_below(loop, REORDER_MAX) : 0);
	return 0;
}

/* The age of the first item of a list, 0 if it is empty. The caller holds the lock. */
static int64_t age_of_first(const struct loop *loop, const struct list *items)
{
	struct list *first = list_first(items);

	return first ? loop_clock_uptime(loop) - container_of(first, struct item, link)->since : 0;
}

void loop_lane_stats(struct loop *loop, enum loop_lane lane, struct loop_lane_stats *ret)
{
	const struct loop_lane_state *state = &loop->works.lanes[lane];

	pthread_mutex_lock(&loop->works.lock);
	*ret = (struct loop_lane_stats){
		.name = rows[lane].name,
		.workers = rows[lane].workers,
		.queue_max = rows[lane].queue_max,
		.queued = state->todo_len,
		.running = state->running_len,
		.waiting_us = age_of_first(loop, &state->todo),
		.running_us = age_of_first(loop, &state->running),
		.longest_wait_us = state->longest_wait,
		.longest_run_us = state->longest_run,
		.done = state->done,
		.refused = state->refused,
	};
	pthread_mutex_unlock(&loop->works.lock);
}

void loop_post(struct loop *loop, loop_defer_fn *fn, void *arg)
{
	post(item_new(loop, NULL, fn, arg), 0);
}
