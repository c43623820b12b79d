/* SPDX-License-Identifier: Apache-2.0 */
/* loop/signal.c - signals as events.
 *
 * A real loop blocks the watched signals and reads them from one signalfd, opened with the first
 * watch. A virtual loop records raised signals and delivers them by a deferred call, lowest number
 * first, as the kernel does. From there on both are the same: each watch of the number is called,
 * out of a copy of the list, since callbacks may add and remove watches.
 *
 * When the last watch of a number is removed, pending signals are consumed before the signal is
 * unblocked: they were meant for the watch, and their default action could end the process. */
#include <assert.h>
#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/vec.h"
#include "loop/loop_internal.h"

#include "base/banned.h"

struct loop_signal {
	struct list link; /* in signals.watches, or signals.dead */
	struct loop *loop;
	loop_signal_fn *fn; /* NULL: removed */
	void *arg;
	int signo;
};

void loop_signals_init(struct loop *loop)
{
	struct loop_signals *signals = &loop->signals;

	list_init(&signals->watches);
	list_init(&signals->dead);
	sigemptyset(&signals->watched);
	sigemptyset(&signals->unblock);
	sigemptyset(&signals->raised);
	signals->fd = -1;
}

void loop_signals_done(struct loop *loop)
{
	assert(list_is_empty(&loop->signals.watches));
	loop_fd_remove(loop->signals.watch);
	fd_close(loop->signals.fd);
}

void loop_signals_sweep(struct loop *loop)
{
	struct list *node;

	while ((node = list_pop(&loop->signals.dead)))
		mem_free(container_of(node, struct loop_signal, link));
}

static void deliver(struct loop *loop, int signo)
{
	VEC(struct loop_signal *) called = {0};

	LIST_EACH(&loop->signals.watches, struct loop_signal, link, watch)
		if (watch->signo == signo)
			vec_push(&called, watch);
	for (size_t i = 0; i < called.len; i++)
		if (called.ptr[i]->fn)
			called.ptr[i]->fn(called.ptr[i], signo, called.ptr[i]->arg);
	vec_done(&called);
}

static void deliver_raised(void *arg)
{
	struct loop *loop = arg;
	sigset_t raised = loop->signals.raised;

	sigemptyset(&loop->signals.raised);
	for (int signo = 1; signo <= SIGRTMAX; signo++)
		if (sigismember(&raised, signo) == 1)
			deliver(loop, signo);
}

static void on_readable(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct signalfd_siginfo got[8];
	ssize_t len = read(fd, got, sizeof(got));

	(void)watch;
	(void)events;
	if (len < 0) {
		assert(errno == EAGAIN || errno == EINTR);
		return;
	}
	for (size_t i = 0; i < (size_t)len / sizeof(got[0]); i++)
		deliver(arg, (int)got[i].ssi_signo);
}

/* Makes the signalfd deliver the signals that are watched now. */
static int update_fd(struct loop *loop, struct err *err)
{
	struct loop_signals *signals = &loop->signals;
	int fd = signalfd(signals->fd, &signals->watched, SFD_NONBLOCK | SFD_CLOEXEC);

	if (fd < 0)
		return err_errno(err, errno, "signalfd");
	signals->fd = fd;
	if (!signals->watch)
		signals->watch = loop_fd_add(loop, fd, LOOP_READ, on_readable, loop, err);
	return signals->watch ? 0 : -1;
}

/* The first watch of a number. */
static int start_watching(struct loop *loop, int signo, struct err *err)
{
	struct loop_signals *signals = &loop->signals;
	sigset_t one, before;

	sigaddset(&signals->watched, signo);
	if (loop->is_virtual)
		return 0;
	if (update_fd(loop, err) < 0) {
		sigdelset(&signals->watched, signo);
		return -1;
	}
	sigemptyset(&one);
	sigaddset(&one, signo);
	pthread_sigmask(SIG_BLOCK, &one, &before);
	if (sigismember(&before, signo) == 0)
		sigaddset(&signals->unblock, signo);
	return 0;
}

/* The last watch of a number was removed. */
static void stop_watching(struct loop *loop, int signo)
{
	struct loop_signals *signals = &loop->signals;
	sigset_t one;

	sigdelset(&signals->watched, signo);
	sigdelset(&signals->raised, signo);
	if (loop->is_virtual)
		return;
	(void)update_fd(loop, NULL); /* it is open: removing a number cannot fail */
	sigemptyset(&one);
	sigaddset(&one, signo);
	while (sigtimedwait(&one, NULL, &(struct timespec){0}) > 0)
		continue;
	if (sigismember(&signals->unblock, signo) == 1)
		pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	sigdelset(&signals->unblock, signo);
}

static bool can_watch(int signo)
{
	sigset_t set;

	sigemptyset(&set);
	return signo != SIGKILL && signo != SIGSTOP && sigaddset(&set, signo) == 0;
}

struct loop_signal *loop_signal_add(struct loop *loop, int signo, loop_signal_fn *fn, void *arg,
				    struct err *err)
{
	if (!can_watch(signo)) {
		(void)err_set(err, ERR_INVALID, "signal %d cannot be watched", signo);
		return NULL;
	}
	if (sigismember(&loop->signals.watched, signo) == 0 && start_watching(loop, signo, err) < 0)
		return NULL;

	struct loop_signal *watch = mem_new(struct loop_signal);

	watch->loop = loop;
	watch->fn = fn;
	watch->arg = arg;
	watch->signo = signo;
	list_push(&loop->signals.watches, &watch->link);
	return watch;
}

static bool is_watched(const struct loop *loop, int signo)
{
	LIST_EACH(&loop->signals.watches, struct loop_signal, link, watch)
		if (watch->signo == signo)
			return true;
	return false;
}

void loop_signal_remove(struct loop_signal *watch)
{
	if (!watch)
		return;
	struct loop *loop = watch->loop;

	assert(watch->fn);
	watch->fn = NULL;
	list_remove(&watch->link);
	if (!is_watched(loop, watch->signo))
		stop_watching(loop, watch->signo);
	if (loop->turning)
		list_push(&loop->signals.dead, &watch->link);
	else
		mem_free(watch);
}

void loop_signal_raise(struct loop *loop, int signo)
{
	assert(loop->is_virtual);
	sigaddset(&loop->signals.raised, signo);
	loop_defer(loop, &loop->signals.deliver, deliver_raised, loop);
}
