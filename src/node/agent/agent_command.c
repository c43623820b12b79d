/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_command.c - see agent_command.h. Uses posix_spawn(), and watches the process and the pipe that
 * it prints to.
 *
 * A command ends when its process ends. What is in the pipe then is read, but not until the pipe closes: a process
 * that the command has started (as podman does) may keep it open. Without wanted output there is no pipe, so that
 * an abandoned command can still print. */
#include "node/agent/agent_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "loop/loop.h"

#include "base/banned.h"

struct agent_command {
	struct agent_command_options options; /* without argv and env */
	struct loop_child *child;
	struct loop_fd *watch;
	int fd; /* its output; -1: none */
	struct buf output;
};

void agent_command_abandon(struct agent_command *command)
{
	if (!command)
		return;
	loop_child_remove(command->child);
	loop_fd_remove(command->watch);
	fd_close(command->fd);
	buf_done(&command->output);
	mem_free(command);
}
DEFINE_AUTO(struct agent_command *, agent_command_abandon);

/* False: the output has ended. */
static bool read_some(struct agent_command *command)
{
	char piece[4096];
	ssize_t got = read(command->fd, piece, sizeof(piece));
	size_t room = buf_space(&command->output);

	if (got > 0)
		buf_put(&command->output, piece, (size_t)got < room ? (size_t)got : room);
	return got > 0 || (got < 0 && errno == EINTR);
}

static void on_readable(struct loop_fd *watch, int fd, unsigned events, void *arg)
{
	struct agent_command *command = arg;

	(void)watch;
	(void)fd;
	(void)events;
	if (!read_some(command) && errno != EAGAIN) {
		loop_fd_remove(TAKE(command->watch));
		fd_close(fd_take(&command->fd));
	}
}

static void on_ended(pid_t pid, int status, void *arg)
{
	AUTO(agent_command_abandon) struct agent_command *command = arg;
	int code = -1;

	(void)pid;
	command->child = NULL;
	while (command->fd >= 0 && read_some(command))
		continue;
	if (status != LOOP_CHILD_UNKNOWN)
		code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	command->options.done(command->options.arg, code, buf_str(&command->output));
}

/* Returns its pid, or a negative errno. */
static pid_t spawn(const struct agent_command_options *options, int to)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	pid_t pid;
	int failed;

	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		if (to >= 0)
			(void)posix_spawn_file_actions_adddup2(&actions, to, fd);
		else
			(void)posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY,
							       0);
	}
	(void)posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
	(void)posix_spawnattr_init(&attributes);
	(void)sigemptyset(&none);
	(void)posix_spawnattr_setsigmask(&attributes, &none);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	failed = posix_spawnp(&pid, options->argv[0], &actions, &attributes,
			      (char *const *)(uintptr_t)options->argv,
			      (char *const *)(uintptr_t)options->env);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)posix_spawnattr_destroy(&attributes);
	return failed ? -failed : pid;
}

struct agent_command *
agent_command_start(struct loop *loop, const struct agent_command_options *options, struct err *err)
{
	AUTO(agent_command_abandon) struct agent_command *command = mem_new(struct agent_command);
	int ends[2] = {-1, -1};
	pid_t pid;

	command->options = *options;
	command->options.argv = command->options.env = NULL;
	command->output = buf_make(options->output_max);
	command->fd = -1;
	if (options->output_max && pipe2(ends, O_CLOEXEC) < 0) {
		(void)err_errno(err, errno, "pipe");
		return NULL;
	}
	pid = spawn(options, ends[1]);
	fd_close(ends[1]);
	command->fd = ends[0];
	if (pid < 0) {
		(void)err_errno(err, -pid, "%s", options->argv[0]);
		return NULL;
	}
	if (command->fd >= 0) {
		(void)fcntl(command->fd, F_SETFL, O_NONBLOCK);
		command->watch =
			loop_fd_add(loop, command->fd, LOOP_READ, on_readable, command, err);
	}
	command->child = loop_child_add(loop, pid, on_ended, command, err);
	if (!command->child || (command->fd >= 0 && !command->watch))
		return NULL;
	return TAKE(command);
}
