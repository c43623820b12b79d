/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/family.c - see family.h. */
#include "programs/volcano-pod/family.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"

#include "base/banned.h"

enum { LIST_MAX_BYTES = 4 * 1024 * 1024 };
#define CHILDREN "/proc/thread-self/children"

void family_adopt(void)
{
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1); /* cannot fail on a kernel that has pidfds */
}

void family_kill_group(pid_t leader)
{
	if (leader > 1)
		(void)kill(-leader, SIGKILL);
}

/* The number of the mount namespace that a process is in; 0: unknown, since the process is just ending. */
static uint64_t namespace_of(pid_t pid)
{
	char path[64];
	struct stat info;

	(void)snprintf(path, sizeof(path), "/proc/%ld/ns/mnt", (long)pid);
	return stat(path, &info) < 0 ? 0 : (uint64_t)info.st_ino;
}

/* Kill a process if it is in this mount namespace; with 0 in any case. True: there was one to kill, or there may
 * be. */
static bool kill_one(pid_t pid, uint64_t mounts)
{
	uint64_t found = mounts ? namespace_of(pid) : 0;

	if (mounts && found != mounts)
		return found == 0;
	return kill(pid, SIGKILL) == 0;
}

/* Kills each process of a list of process numbers. */
static size_t kill_listed(struct str list, uint64_t mounts)
{
	size_t count = 0;
	struct str word;

	for (size_t i = 0, from = 0; i <= list.len; i++) {
		int64_t pid;

		if (i < list.len && list.ptr[i] != '\n' && list.ptr[i] != ' ')
			continue;
		word = str_slice(list, from, i);
		from = i + 1;
		if (number_parse_range(word, 2, INT32_MAX, &pid, NULL) == 0 &&
		    kill_one((pid_t)pid, mounts))
			count++;
	}
	return count;
}

static size_t kill_in_file(const char *path, uint64_t mounts)
{
	AUTO(buf_done) struct buf text = BUF_INIT(LIST_MAX_BYTES);

	return fd_read_file(path, &text, NULL) < 0 ? 0 : kill_listed(buf_str(&text), mounts);
}

/* Version 2 kills a whole cgroup at once, so that no process can escape by fork(); version 1 kills one process
 * after the other. */
void family_kill_cgroup(const char *procs)
{
	struct str path = str_from(procs);
	ptrdiff_t slash = str_rfind_byte(path, '/');
	AUTO(mem_free)
	char *whole = mem_printf("%.*s/cgroup.kill", slash < 0 ? 0 : (int)slash, procs);
	AUTO(fd_close) int fd = open(whole, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "1", 1) == 1)
		return;
	for (int round = 0; round < 100 && kill_in_file(procs, 0); round++) {
	}
}

size_t family_kill_children(void)
{
	siginfo_t info;

	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
		return 0; /* no children: cheaper than to read /proc */
	return kill_in_file(CHILDREN, 0);
}

size_t family_kill_children_in(int mounts)
{
	struct stat info;

	if (mounts < 0 || fstat(mounts, &info) < 0)
		return 0;
	return kill_in_file(CHILDREN, (uint64_t)info.st_ino);
}
