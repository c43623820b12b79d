/* SPDX-License-Identifier: Apache-2.0 */
/* loop/child.c - the end of processes.
 *
 * On a real loop a watch is a pidfd, readable when the process has ended; it is then reaped, so its
 * number cannot have been given to another process before. On a virtual loop the end is announced
 * by loop_child_exit() and delivered by a deferred call; an end without a watch is kept, as the
 * kernel keeps a zombie: a watch without a callback.
 *
 * In both cases the watch is removed from the table, and its `fn` cleared, before the callback is
 * called; it is freed after the callback. So loop_child_remove() in the callback has nothing to do.
 */
#include <assert.h>
#include <errno.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/map.h"
#include "base/mem.h"
#include "loop/loop_internal.h"

#include "base/banned.h"

struct loop_child {
	struct loop *loop;
	loop_child_fn *fn; /* NULL: not watched */
	void *arg;
	pid_t pid; /* key of loop->children */

	int fd; /* real */
	struct loop_fd *watch;

	bool ended; /* virtual */
	int status;
	struct loop_defer deliver;
};

static struct str key_of(const pid_t *pid)
{
	return str_of((const char *)pid, sizeof(*pid));
}

static struct loop_child *child_new(struct loop *loop, pid_t pid)
{
	struct loop_child *child = mem_new(struct loop_child);

	child->loop = loop;
	child->pid = pid;
	child->fd = -1;
	map_put(loop->children, key_of(&child->pid), child);
	return child;
}

/* Removes the watch from the table and frees what it owns, but not the struct itself. */
static void detach(struct loop_child *child)
{
	map_remove(child->loop->children, key_of(&child->pid));
	loop_defer_cancel(child->loop, &child->deliver);
	loop_fd_remove(TAKE(child->watch));
	fd_close(fd_take(&child->fd));
}

static void child_free(struct loop_child *child)
{
	detach(child);
	mem_free(child);
}

void loop_children_init(struct loop *loop)
{
	loop->children = map_new(0); /* an attacker cannot choose pids: no seed needed */
}

void loop_children_done(struct loop *loop)
{
	size_t at = 0;
	void *value;

	while (map_next(loop->children, &at, NULL, &value)) {
		assert(!((struct loop_child *)value)->fn);
		child_free(value);
	}
	map_free(loop->children);
}

static void deliver(struct loop_child *child, int status)
{
	loop_child_fn *fn = child->fn;

	detach(child);
	child->fn = NULL;
	fn(child->pid, status, child->arg);
	mem_free(child);
}

static void deliver_virtual(void *arg)
{
	struct loop_child *child = arg;

	deliver(child, child->status);
}

static void on_end(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct loop_child *child = arg;
	int status = 0;
	pid_t reaped = waitpid(child->pid, &status, WNOHANG);

	(void)watch;
	(void)fd;
	(void)events;
	if (reaped != 0) /* 0: a debugger still stops it */
		deliver(child, reaped == child->pid ? status : LOOP_CHILD_UNKNOWN);
}

static struct loop_child *add_virtual(struct loop *loop, pid_t pid)
{
	struct loop_child *child = map_get(loop->children, key_of(&pid));

	if (!child)
		return child_new(loop, pid);
	loop_defer(loop, &child->deliver, deliver_virtual, child); /* a zombie */
	return child;
}

static struct loop_child *add_real(struct loop *loop, pid_t pid, struct err *err)
{
	AUTO(fd_close) int fd = pidfd_open(pid, 0);

	if (fd < 0) {
		(void)err_errno(err, errno, "watch process %ld", (long)pid);
		return NULL;
	}
	struct loop_child *child = child_new(loop, pid);

	child->fd = fd_take(&fd);
	child->watch = loop_fd_add(loop, child->fd, LOOP_READ, on_end, child, err);
	if (!child->watch) {
		child_free(child);
		return NULL;
	}
	return child;
}

struct loop_child *loop_child_add(struct loop *loop, pid_t pid, loop_child_fn *fn, void *arg,
				  struct err *err)
{
	struct loop_child *child = map_get(loop->children, key_of(&pid));

	if (child && child->fn) {
		(void)err_set(err, ERR_ALREADY_EXISTS, "process %ld is already watched", (long)pid);
		return NULL;
	}
	child = loop->is_virtual ? add_virtual(loop, pid) : add_real(loop, pid, err);
	if (!child)
		return NULL;
	child->fn = fn;
	child->arg = arg;
	return child;
}

void loop_child_remove(struct loop_child *watch)
{
	if (!watch || !watch->fn)
		return;
	if (watch->ended) { /* its end was not delivered: it is a zombie again */
		watch->fn = NULL;
		loop_defer_cancel(watch->loop, &watch->deliver);
		return;
	}
	child_free(watch);
}

void loop_child_exit(struct loop *loop, pid_t pid, int status)
{
	assert(loop->is_virtual);
	struct loop_child *child = map_get(loop->children, key_of(&pid));

	if (!child)
		child = child_new(loop, pid);
	assert(!child->ended);
	child->ended = true;
	child->status = status;
	if (child->fn)
		loop_defer(loop, &child->deliver, deliver_virtual, child);
}
