/* SPDX-License-Identifier: Apache-2.0 */
/* twins.h - the same test on a real and on a virtual loop; and what a test must do in a process of
 * its own: abort, or live under a system that refuses calls. */
#ifndef LOOP_TEST_TWINS_H
#define LOOP_TEST_TWINS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loop/loop.h"
#include "tap.h"

enum { TWINS_SEED = 1 };
#define TWINS_START INT64_C(1767225600000000) /* 2026-01-01 */

typedef void twins_fn(struct loop *loop);

/* What a test cannot do without is missing. */
__attribute__((unused, noreturn)) static void bail(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(1);
}

static inline struct loop *twins_loop(bool is_virtual)
{
	struct err err = {0};
	struct loop *loop =
		is_virtual ? loop_new_virtual(TWINS_SEED, TWINS_START, &err) : loop_new(&err);

	if (!loop)
		bail(err.text);
	return loop;
}

__attribute__((unused)) static void on_real(twins_fn *test)
{
	printf("# real\n");
	struct loop *loop = twins_loop(false);

	test(loop);
	loop_free(loop);
}

__attribute__((unused)) static void on_virtual(twins_fn *test)
{
	printf("# virtual\n");
	struct loop *loop = twins_loop(true);

	test(loop);
	loop_free(loop);
}

__attribute__((unused)) static void on_both(twins_fn *test)
{
	on_real(test);
	on_virtual(test);
}

/* The wait status of a process that runs `test` on a loop of its own, in silence. */
__attribute__((unused)) static int apart(twins_fn *test, bool is_virtual)
{
	fflush(stdout);
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(null, STDERR_FILENO);
		test(twins_loop(is_virtual));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

__attribute__((unused)) static bool aborts(twins_fn *test, bool is_virtual)
{
	int status = apart(test, is_virtual);

	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

__attribute__((unused)) static bool succeeds(twins_fn *test, bool is_virtual)
{
	return apart(test, is_virtual) == 0;
}

#ifdef __has_feature /* clang's way; gcc defines __SANITIZE_ADDRESS__ itself */
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

/* End a process that can start no thread: the leak check at exit() wants one. */
__attribute__((unused)) static void leave(int code)
{
#ifdef __SANITIZE_ADDRESS__
	_exit(code);
#else
	exit(code);
#endif
}

/* From here on these two calls fail with `error` in this process. False if the system does not
 * allow to refuse them. */
__attribute__((unused)) static bool refuse(long call, long other, int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), /* offset of the call's number */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)other, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

#endif
