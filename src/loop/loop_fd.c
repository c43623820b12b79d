/* SPDX-License-Identifier: Apache-2.0 */
/* loop/loop_fd.c - descriptor watches on epoll, level-triggered.
 *
 * An event of a fetched batch points at its watch. A watch that is removed while its event is in the
 * batch stays in memory, marked as dead, until the batch has been run, and is skipped; a descriptor
 * closed and opened again in the same turn gets a watch of its own and cannot be mistaken for the old
 * one. Changes by earlier callbacks apply: an event that is no longer asked for is not delivered.
 *
 * A batch that takes longer than a turn may is continued in the next turn, before another is
 * fetched: the kernel would report the same descriptors first again, and the others never.
 *
 * epoll reports in the order in which the kernel saw the descriptors become ready. On a virtual
 * loop the batch is sorted by the age of the watches, so that a run does not depend on it. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "loop/loop_internal.h"

#include "base/banned.h"

struct loop_fd {
	struct list dead; /* in loop->fds.dead, once it is */
	struct loop *loop;
	loop_fd_fn *fn; /* NULL: removed */
	void *arg;
	uint64_t number;
	int fd;
	unsigned events;
};

void loop_fds_init(struct loop *loop)
{
	list_init(&loop->fds.dead);
	loop->fds.epoll = -1;
}

int loop_fds_open(struct loop *loop, struct err *err)
{
	loop->fds.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->fds.epoll < 0)
		return err_errno(err, errno, "epoll");
	return 0;
}

void loop_fds_done(struct loop *loop)
{
	assert(loop->fds.count == 0);
	loop->fds.next = loop->fds.fetched;
	loop_fds_sweep(loop);
	fd_close(loop->fds.epoll);
}

bool loop_fds_has_any(const struct loop *loop)
{
	return loop->fds.count > 1;
}

static int wait_ms(int64_t wait_us)
{
	if (wait_us == LOOP_NEVER)
		return -1;
	int64_t ms = wait_us / 1000 + (wait_us % 1000 > 0);

	return ms < INT_MAX ? (int)ms : INT_MAX;
}

/* In microseconds if the system supports it (Linux 5.11), else rounded up to milliseconds: a
 * container may run on an older kernel, or under a filter that refuses calls it does not know. */
static int wait_events(struct loop_fds *fds, int64_t wait_us)
{
	struct timespec timeout = {.tv_sec = (time_t)(wait_us / 1000000),
				   .tv_nsec = (long)(wait_us % 1000000 * 1000)};
	int count;

	if (wait_us == 0)
		return epoll_wait(fds->epoll, fds->batch, LOOP_BATCH, 0);
	count = epoll_pwait2(fds->epoll, fds->batch, LOOP_BATCH,
			     wait_us == LOOP_NEVER ? NULL : &timeout, NULL);
	if (count < 0 && (errno == ENOSYS || errno == EPERM))
		count = epoll_wait(fds->epoll, fds->batch, LOOP_BATCH, wait_ms(wait_us));
	return count;
}

static int compare_age(const void *a, const void *b)
{
	const struct loop_fd *x = ((const struct epoll_event *)a)->data.ptr;
	const struct loop_fd *y = ((const struct epoll_event *)b)->data.ptr;

	return x->number < y->number ? -1 : x->number > y->number;
}

void loop_fds_fetch(struct loop *loop, int64_t wait_us)
{
	int count = wait_events(&loop->fds, wait_us);

	loop->fds.next = 0;
	loop->fds.fetched = 0;
	if (count < 0) {
		assert(errno == EINTR);
		return;
	}
	if (loop->is_virtual)
		qsort(loop->fds.batch, (size_t)count, sizeof(loop->fds.batch[0]), compare_age);
	loop->fds.fetched = (size_t)count;
}

size_t loop_fds_left(const struct loop *loop)
{
	return loop->fds.fetched - loop->fds.next;
}

static unsigned from_epoll(uint32_t events)
{
	return (events & EPOLLIN ? LOOP_READ : 0U) | (events & EPOLLOUT ? LOOP_WRITE : 0U) |
	       (events & (EPOLLHUP | EPOLLERR) ? LOOP_HANGUP : 0U);
}

static uint32_t to_epoll(unsigned events)
{
	return (events & LOOP_READ ? (uint32_t)EPOLLIN : 0U) |
	       (events & LOOP_WRITE ? (uint32_t)EPOLLOUT : 0U);
}

bool loop_fds_run(struct loop *loop)
{
	struct loop_fds *fds = &loop->fds;
	bool ran = false;

	while (fds->next < fds->fetched && loop_phase_has_time(loop, ran)) {
		const struct epoll_event *event = &fds->batch[fds->next++];
		struct loop_fd *watch = event->data.ptr;
		unsigned events = from_epoll(event->events) & (watch->events | LOOP_HANGUP);

		if (!watch->fn || !events)
			continue;
		watch->fn(watch, watch->fd, events, watch->arg);
		ran = true;
	}
	return ran;
}

void loop_fds_sweep(struct loop *loop)
{
	struct list *node;

	if (loop_fds_left(loop))
		return; /* the batch may point at them */
	while ((node = list_pop(&loop->fds.dead)))
		mem_free(container_of(node, struct loop_fd, dead));
}

struct loop_fd *loop_fd_add(struct loop *loop, int fd, unsigned events, loop_fd_fn *fn, void *arg,
			    struct err *err)
{
	AUTO(mem_free) struct loop_fd *watch = mem_new(struct loop_fd);
	struct epoll_event event = {.events = to_epoll(events), .data = {.ptr = watch}};

	if (epoll_ctl(loop->fds.epoll, EPOLL_CTL_ADD, fd, &event) < 0) {
		(void)err_errno(err, errno, "watch descriptor %d", fd);
		return NULL;
	}
	watch->loop = loop;
	watch->fn = fn;
	watch->arg = arg;
	watch->number = loop->fds.made++;
	watch->fd = fd;
	watch->events = events;
	loop->fds.count++;
	return TAKE(watch);
}

/* Fails only if the descriptor was closed under its watch. */
static void control(const struct loop_fd *watch, int operation)
{
	struct epoll_event event = {.events = to_epoll(watch->events),
				    .data = {.ptr = (void *)watch}};
	int failed = epoll_ctl(watch->loop->fds.epoll, operation, watch->fd, &event);

	assert(!failed);
	(void)failed;
}

void loop_fd_set(struct loop_fd *watch, unsigned events)
{
	assert(watch->fn);
	if (watch->events == events)
		return;
	watch->events = events;
	control(watch, EPOLL_CTL_MOD);
}

void loop_fd_remove(struct loop_fd *watch)
{
	if (!watch)
		return;
	assert(watch->fn);
	control(watch, EPOLL_CTL_DEL);
	watch->fn = NULL;
	watch->loop->fds.count--;
	if (watch->loop->turning || loop_fds_left(watch->loop))
		list_push(&watch->loop->fds.dead, &watch->dead);
	else
		mem_free(watch);
}
