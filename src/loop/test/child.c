/* SPDX-License-Identifier: Apache-2.0 */
/* The end of processes: real ones, and pretended ones on a virtual loop. */
#include <signal.h>
#include <spawn.h>
#include <sys/pidfd.h>
#include <sys/resource.h>

#include "base/fd.h"
#include "loop/test/twins.h"

struct ending {
	struct loop *loop;
	struct loop_child *watch;
	pid_t pid;
	int status;
	int calls;
	bool removes; /* its own watch, in its callback */
};

static void on_end(pid_t pid, int status, void *arg)
{
	struct ending *ending = arg;

	ending->pid = pid;
	ending->status = status;
	ending->calls++;
	if (ending->removes)
		loop_child_remove(ending->watch);
	loop_stop(ending->loop);
}

static pid_t start_with(const char *command, const posix_spawn_file_actions_t *actions)
{
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
	char *envp[] = {NULL};
	pid_t pid = -1;

	if (posix_spawn(&pid, "/bin/sh", actions, NULL, argv, envp) != 0)
		bail("no shell");
	return pid;
}

static pid_t start(const char *command)
{
	return start_with(command, NULL);
}

/* A grandchild that lives as long as its input; gives its number. */
static pid_t start_grandchild(int input)
{
	posix_spawn_file_actions_t actions;
	char text[32] = "";
	int words[2];

	if (pipe2(words, O_CLOEXEC) < 0)
		bail("no pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, words[1], STDOUT_FILENO);
	/* a shell gives its background jobs no input by default */
	waitpid(start_with("exec 3<&0; cat <&3 >&2 & echo $!", &actions), NULL, 0);
	posix_spawn_file_actions_destroy(&actions);
	fd_close(words[1]);
	ok(read(words[0], text, sizeof(text) - 1) > 0, "a grandchild runs");
	fd_close(words[0]);
	return (pid_t)strtol(text, NULL, 10);
}

static void watch(struct loop *loop, pid_t pid, struct ending *ending)
{
	struct err err = {0};

	ending->loop = loop;
	ending->watch = loop_child_add(loop, pid, on_end, ending, &err);
	if (!ending->watch)
		bail(err.text);
}

static void test_real(struct loop *loop)
{
	struct ending a = {0}, b = {.removes = true}, c = {0};
	char *argv[] = {(char *)"true", NULL};
	pid_t pid;

	ok(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, argv + 1) == 0, "true starts");
	watch(loop, pid, &a);
	loop_run(loop);
	ok(a.calls == 1 && a.pid == pid && WIFEXITED(a.status) && WEXITSTATUS(a.status) == 0,
	   "true ends with 0");
	ok(waitpid(pid, NULL, WNOHANG) == -1 && errno == ECHILD, "and is reaped");
	pid = start("exit 7");
	watch(loop, pid, &b);
	loop_run(loop);
	ok(b.calls == 1 && WIFEXITED(b.status) && WEXITSTATUS(b.status) == 7, "exit code 7");
	watch(loop, start("kill -9 $$"), &c);
	loop_run(loop);
	ok(c.calls == 1 && WIFSIGNALED(c.status) && WTERMSIG(c.status) == 9, "killed by 9");
}

static void test_many(struct loop *loop)
{
	enum { MANY = 20 };
	struct ending endings[MANY] = {0};
	int right = 0;

	for (int i = 0; i < MANY; i++) {
		char command[32];

		snprintf(command, sizeof(command), "exit %d", i);
		watch(loop, start(command), &endings[i]);
	}
	for (int ended = 0; ended < MANY;) {
		loop_turn(loop, -1);
		ended = 0;
		for (int i = 0; i < MANY; i++)
			ended += endings[i].calls;
	}
	for (int i = 0; i < MANY; i++)
		right += endings[i].calls == 1 && WEXITSTATUS(endings[i].status) == i;
	ok(right == MANY, "%d at once, each with its own code", right);
}

static void test_left_alone(struct loop *loop)
{
	struct ending a = {0};
	pid_t pid = start("exit 3");
	int status;
	struct err err = {0};

	watch(loop, pid, &a);
	ok(!loop_child_add(loop, pid, on_end, &a, &err) && err.code == ERR_ALREADY_EXISTS, "%s",
	   err.text);
	loop_child_remove(a.watch);
	loop_child_remove(NULL);
	ok(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3 && a.calls == 0,
	   "without a watch it is left to others");
	ok(!loop_child_add(loop, pid, on_end, &a, &err), "gone: %s", err.text);
	ok(!loop_child_add(loop, -1, on_end, &a, NULL), "no process at all");
}

static void test_unknown(struct loop *loop)
{
	struct ending a = {0}, b = {0};
	pid_t pid = start("exit 3");
	int life[2];

	watch(loop, pid, &a);
	waitpid(pid, NULL, 0);
	loop_run(loop);
	ok(a.calls == 1 && a.status == LOOP_CHILD_UNKNOWN, "reaped by other code");

	if (pipe2(life, O_CLOEXEC) < 0)
		bail("no pipe");
	watch(loop, start_grandchild(life[0]), &b);
	ok(!loop_turn(loop, 0), "and goes on");
	fd_close(life[0]);
	fd_close(life[1]);
	loop_run(loop);
	ok(b.calls == 1 && b.status == LOOP_CHILD_UNKNOWN, "its end is seen, its code is not");
}

static void test_virtual(struct loop *loop)
{
	struct ending a = {0}, b = {.removes = true}, c = {0}, d = {0};
	struct err err = {0};

	watch(loop, 100, &a);
	watch(loop, 101, &b);
	ok(!loop_child_add(loop, 100, on_end, &a, &err), "%s", err.text);
	ok(!loop_turn(loop, 1000), "pretended processes go on");
	loop_child_exit(loop, 100, 5 << 8);
	ok(a.calls == 0, "the end is reported in a turn");
	loop_drain(loop);
	ok(a.calls == 1 && a.pid == 100 && WEXITSTATUS(a.status) == 5, "exit code 5");
	ok(b.calls == 0, "to its own watch");
	loop_child_exit(loop, 101, SIGKILL);
	loop_drain(loop);
	ok(b.calls == 1 && WTERMSIG(b.status) == SIGKILL, "killed");

	loop_child_exit(loop, 102, 1 << 8);
	loop_drain(loop);
	watch(loop, 102, &c);
	ok(c.calls == 0, "an end before the watch is kept");
	loop_child_remove(c.watch);
	loop_drain(loop);
	ok(c.calls == 0, "it stays a zombie while there is no watch");
	watch(loop, 102, &c);
	loop_drain(loop);
	ok(c.calls == 1 && WEXITSTATUS(c.status) == 1, "and is reported in a turn");

	watch(loop, 103, &d);
	loop_child_exit(loop, 103, 0);
	loop_child_remove(d.watch);
	loop_drain(loop);
	ok(d.calls == 0, "a watch removed in between is not called");
	watch(loop, 104, &d);
	loop_child_remove(d.watch);
	/* 103 stays a zombie: loop_free() takes it along */
}

static void test_no_descriptors(struct loop *loop)
{
	struct err err = {0};
	struct rlimit old, none;
	struct ending a = {.loop = loop};
	pid_t pid = start("exit 3");

	getrlimit(RLIMIT_NOFILE, &old);
	none = old;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	ok(!loop_child_add(loop, pid, on_end, &a, &err), "without descriptors: %s", err.text);
	setrlimit(RLIMIT_NOFILE, &old);
	watch(loop, pid, &a);
	loop_run(loop);
	ok(a.calls == 1, "it can be tried again");
}

static void leak_watch(struct loop *loop)
{
	(void)!loop_child_add(loop, 1, on_end, NULL, NULL);
	loop_free(loop);
}

static void exit_twice(struct loop *loop)
{
	loop_child_exit(loop, 1, 0);
	loop_child_exit(loop, 1, 0);
}

/* valgrind 3.19 does not know the call. */
static bool has_pidfds(void)
{
	AUTO(fd_close) int fd = pidfd_open(getpid(), 0);

	return fd >= 0;
}

int main(void)
{
	if (has_pidfds()) {
		on_real(test_real);
		on_real(test_many);
		on_real(test_left_alone);
		on_real(test_unknown);
		on_real(test_no_descriptors);
	} else {
		ok(true, "real processes # SKIP no pidfd_open here");
	}
	on_virtual(test_virtual);
	ok(aborts(leak_watch, true), "a watch that is still there is found");
	ok(aborts(exit_twice, true), "nobody ends twice");
	return tap_done();
}
