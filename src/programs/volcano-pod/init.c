/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/init.c - the first process of a PID namespace: passes signals on and reaps.
 *
 * All signals are blocked and taken one by one with sigwaitinfo(): the kernel keeps a blocked signal even if the
 * first process has no handler for it. They are blocked before the program starts, so that none is lost.
 *
 * Always true: how the program ended is reported before anything that can take long. */
#include "programs/volcano-pod/init.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

#include "base/banned.h"

enum {
	STATUS = 0, /* the only descriptor that stays open */
	EXIT_NOT_STARTED = 127,
	STACK_BYTES = 128 * 1024,
};

struct init {
	pid_t program;
	bool stopping; /* SIGTERM came from outside of the namespace */
	bool ended;    /* the program has ended, with `status` */
	int status;
};

/* A sender outside of the namespace has number 0 here. Its signals are for the program and the program's children. */
static void hand_on(struct init *self, int signo, const siginfo_t *info)
{
	bool outside = info->si_pid == 0;

	self->stopping = self->stopping || (outside && signo == SIGTERM);
	if (outside && kill(-self->program, signo) == 0)
		return;
	if (!self->ended)
		(void)kill(self->program, signo); /* also if it does not lead a group yet */
}

static void reap(struct init *self)
{
	ssize_t ignored;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != self->program || self->ended)
			continue;
		self->ended = true;
		self->status = status;
		ignored = write(STATUS, &status, sizeof(status));
		(void)ignored; /* the exit code has most of it */
	}
}

static _Noreturn void run(pid_t program, const sigset_t *signals)
{
	struct init self = {.program = program};

	for (;;) {
		siginfo_t info = {0};
		int signo = sigwaitinfo(signals, &info);

		if (signo == SIGCHLD)
			reap(&self);
		else if (signo > 0)
			hand_on(&self, signo, &info);
		if (self.ended && !(self.stopping && kill(-program, 0) == 0))
			_exit(WIFSIGNALED(self.status) ? 128 + WTERMSIG(self.status)
						       : WEXITSTATUS(self.status));
	}
}

struct split {
	const struct init_program *program;
	sigset_t before;
};

/* Runs in the child. It ends by a system call that sanitizers do not intercept: they would look for the stack of
 * the first process. */
static int split(void *arg)
{
	struct split *split = arg;

	(void)setsid();
	(void)pthread_sigmask(SIG_SETMASK, &split->before, NULL);
	split->program->become(split->program->arg);
	(void)syscall(SYS_exit_group, EXIT_NOT_STARTED);
	return EXIT_NOT_STARTED;
}

/* The child shares the memory, and this process waits until the child has started its program (CLONE_VFORK): a
 * copy of the memory would take a seventh of the time of a short program. */
void init_run(const struct init_program *program, int status, struct err *err)
{
	size_t size = STACK_BYTES + 2 * sizeof(char *) * program->n_args;
	AUTO(mem_free) char *stack = mem_alloc(size);
	struct split child = {.program = program};
	sigset_t all;
	pid_t pid;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &child.before);
	pid = clone(split, stack + (size & ~(size_t)15), CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
	if (pid < 0) {
		(void)err_errno(err, errno, "clone");
		return;
	}
	(void)prctl(PR_SET_NAME, "volcano-init");
	if (dup2(status, STATUS) < 0 || close_range(STATUS + 1, UINT_MAX, 0) < 0)
		_exit(EXIT_NOT_STARTED);
	run(pid, &all);
}
