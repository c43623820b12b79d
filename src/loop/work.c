/* SPDX-License-Identifier: Apache-2.0 */
/* loop/work.c - work on other threads, and calls from them: the only file that knows of threads.
 *
 * Two queues under one lock: `todo` for the workers, `posted` for the loop. A piece of work goes
 * through the first to a worker and comes back through the second with its `done`; loop_post() uses
 * the second alone. An eventfd wakes the loop; it is written only when `posted` was empty, so a
 * burst of posts costs one wake-up.
 *
 * 1. Nothing that threads share is touched without the lock, and no callback is called with it.
 * 2. The eventfd is readable when `posted` has something: it is written under the lock with the
 *    first item, and read before the queue is taken.
 * 3. A thread is started only for work that no waiting worker will take, at most LOOP_WORKERS.
 *    Workers block all signals, so that those of the process reach the loop's thread.
 *
 * Where no thread can be had, and on a virtual loop, the work is done in line and its `done` posted
 * as usual. */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
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
};

/* How far a piece of work may overtake others on a virtual loop. */
enum { REORDER_MAX = 16 };

static void run_posted(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct loop *loop = arg;
	struct list posted = LIST_INIT(posted);
	struct list *node;
	uint64_t count;
	ssize_t got = read(fd, &count, sizeof(count));

	(void)watch;
	(void)events;
	assert(got == sizeof(count) || errno == EAGAIN);
	(void)got;
	pthread_mutex_lock(&loop->works.lock);
	list_splice(&posted, &loop->works.posted);
	pthread_mutex_unlock(&loop->works.lock);
	while ((node = list_pop(&posted))) {
		struct item *item = container_of(node, struct item, link);

		if (item->work)
			loop->works.under_way--;
		item->call(item->arg);
		mem_free(item);
	}
}

void loop_works_init(struct loop *loop)
{
	struct loop_works *works = &loop->works;

	pthread_mutex_init(&works->lock, NULL);
	pthread_cond_init(&works->more, NULL);
	list_init(&works->todo);
	list_init(&works->posted);
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

void loop_works_done(struct loop *loop)
{
	struct loop_works *works = &loop->works;
	struct list *node;

	/* work cannot be called back: who started it still gets its `done`, to free what it needs */
	while (works->under_way) {
		struct pollfd wake = {.fd = works->wake, .events = POLLIN};

		(void)poll(&wake, 1, -1); /* a signal only makes it look again */
		run_posted(works->watch, works->wake, LOOP_READ, loop);
	}
	pthread_mutex_lock(&works->lock);
	works->quit = true;
	pthread_cond_broadcast(&works->more);
	pthread_mutex_unlock(&works->lock);
	for (size_t i = 0; i < works->thread_count; i++)
		pthread_join(works->threads[i], NULL);
	while ((node = list_pop(&works->posted)))
		mem_free(container_of(node, struct item, link));
	loop_fd_remove(works->watch);
	fd_close(works->wake);
	pthread_cond_destroy(&works->more);
	pthread_mutex_destroy(&works->lock);
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

static void *worker(void *arg)
{
	struct loop_works *works = arg;

	pthread_mutex_lock(&works->lock);
	while (!works->quit) {
		struct list *node = list_pop(&works->todo);

		if (!node) {
			works->idle++;
			pthread_cond_wait(&works->more, &works->lock);
			works->idle--;
			continue;
		}
		works->todo_len--;
		pthread_mutex_unlock(&works->lock);

		struct item *item = container_of(node, struct item, link);

		item->work(item->arg);
		post(item, 0);
		pthread_mutex_lock(&works->lock);
	}
	pthread_mutex_unlock(&works->lock);
	return NULL;
}

static void start_worker(struct loop_works *works)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&works->threads[works->thread_count], NULL, worker, works) == 0)
		works->thread_count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void hand_to_worker(struct item *item)
{
	struct loop_works *works = &item->loop->works;

	pthread_mutex_lock(&works->lock);
	bool short_handed = works->idle <= works->todo_len;

	if (short_handed && works->thread_count < LOOP_WORKERS)
		start_worker(works);
	bool has_worker = works->thread_count > 0;

	if (has_worker) {
		list_push(&works->todo, &item->link);
		works->todo_len++;
		pthread_cond_signal(&works->more);
	}
	pthread_mutex_unlock(&works->lock);
	if (!has_worker) {
		item->work(item->arg);
		post(item, 0);
	}
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

void loop_work(struct loop *loop, loop_work_fn *work, loop_done_fn *done, void *arg)
{
	struct item *item = item_new(loop, work, done, arg);

	loop->works.under_way++;
	if (!loop->is_virtual) {
		hand_to_worker(item);
		return;
	}
	work(arg);
	post(item, (size_t)loop_random_below(loop, REORDER_MAX));
}

void loop_post(struct loop *loop, loop_defer_fn *fn, void *arg)
{
	post(item_new(loop, NULL, fn, arg), 0);
}
