/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/exec.c - commands that run in a container: probes and hooks.
 *
 * A command has the container's environment, cgroups, namespaces and identity. The first POD_SOCKET_OUTPUT_BYTES of its
 * output are sent with the answer. Its process group ends with it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "programs/volcano-pod/family.h"
#include "programs/volcano-pod/pod_child.h"
#include "programs/volcano-pod/supervisor_internal.h"

#include "base/banned.h"

enum { ARGS_MAX = 1024 };

static void answer(struct supervisor *self, uint64_t id, int code, struct str output)
{
	AUTO(buf_done) struct buf message = BUF_INIT(POD_SOCKET_MAX_BYTES);

	buf_printf(&message, "done %llu %d", (unsigned long long)id, code);
	buf_putc(&message, '\0');
	buf_put_str(&message, output);
	supervisor_send(self, message.ptr, message.len);
}

/* Splits the arguments into a list that ends in NULL; false: none, or too many. */
static bool split_args(struct str args, const char *list[ARGS_MAX + 1])
{
	size_t count = 0;

	while (args.len && count < ARGS_MAX) {
		ptrdiff_t end = str_find_byte(args, '\0', 0);

		if (end < 0)
			return false;
		list[count++] = args.ptr;
		args = str_skip(args, (size_t)end + 1);
	}
	list[count] = NULL;
	return count && !args.len;
}

void supervisor_exec(struct supervisor *self, const struct exec_ask *ask)
{
	const struct container *container = &self->containers[ask->container];
	struct exec exec = {.id = ask->id, .pipe = -1, .due = INT64_MAX};
	const char *argv[ARGS_MAX + 1];
	struct pod_child_start start = {.plan = &self->plan,
					.container = &self->plan.containers[ask->container],
					.argv = argv,
					.join_pid = (pid_t)container->record.pid};
	struct pod_child child;
	struct err err;

	if (container->record.state != RECORD_RUNNING)
		answer(self, ask->id, POD_EXEC_NOT_STARTED, STR("the container is not running"));
	else if (!split_args(ask->args, argv))
		answer(self, ask->id, POD_EXEC_NOT_STARTED,
		       STR("the command is empty or too long"));
	else if (pod_child_start(&start, &child, &err) < 0)
		answer(self, ask->id, POD_EXEC_NOT_STARTED, str_from(err.text));
	else {
		fd_close(child.status); /* only a first process uses it */
		exec.pid = child.pid;
		exec.pipe = child.output;
		exec.output = buf_make(POD_SOCKET_OUTPUT_BYTES);
		if (ask->timeout_us)
			exec.due = supervisor_uptime() + ask->timeout_us;
		vec_push(&self->execs, exec);
	}
}

static void read_exec(struct exec *exec)
{
	char piece[4096];

	while (exec->pipe >= 0) {
		ssize_t got = read(exec->pipe, piece, sizeof(piece));

		if (got > 0) {
			size_t room = buf_space(&exec->output);

			buf_put(&exec->output, piece, (size_t)got < room ? (size_t)got : room);
			continue;
		}
		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0 || errno != EAGAIN)
			fd_close(fd_take(&exec->pipe));
		return;
	}
}

void supervisor_exec_read(struct supervisor *self)
{
	for (size_t i = 0; i < self->execs.len; i++)
		read_exec(&self->execs.ptr[i]);
}

void supervisor_exec_ended(struct supervisor *self, pid_t pid, int status)
{
	for (size_t i = 0; i < self->execs.len; i++) {
		struct exec exec = self->execs.ptr[i];
		int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);

		if (exec.pid != pid)
			continue;
		vec_remove(&self->execs, i);
		family_kill_group(pid);
		read_exec(&exec);
		fd_close(exec.pipe);
		answer(self, exec.id, exec.timed_out ? POD_EXEC_TIMED_OUT : code,
		       buf_str(&exec.output));
		buf_done(&exec.output);
		return;
	}
}

void supervisor_exec_check(struct supervisor *self, int64_t now)
{
	for (size_t i = 0; i < self->execs.len; i++) {
		struct exec *exec = &self->execs.ptr[i];

		if (exec->due > now)
			continue;
		exec->due = INT64_MAX;
		exec->timed_out = true;
		family_kill_group(exec->pid);
	}
}
