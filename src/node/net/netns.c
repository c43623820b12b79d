/* SPDX-License-Identifier: Apache-2.0 */
/* node/net/netns.c - makes network namespaces without leaving the own one.
 *
 * A child that shares the memory and the descriptors of this process is started in a new namespace, opens what is
 * needed, and ends: no fork of a large process, no thread. A bind mount of the namespace on a file keeps it. */
#include "node/net/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "node/net/netlink.h"

#include "base/banned.h"

enum { CHILD_STACK = 64 * 1024 };

struct opened {
	int namespace;
	int socket;
	int number; /* errno of the child */
};

static int open_both(void *arg)
{
	struct opened *opened = arg;

	opened->namespace = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	opened->socket = opened->namespace < 0 ? -1 : netlink_open(NETLINK_ROUTE);
	opened->number = errno;
	return 0;
}

static int open_new(struct opened *ret)
{
	AUTO(mem_free) char *stack = mem_alloc(CHILD_STACK);
	pid_t pid = clone(open_both, stack + CHILD_STACK,
			  CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_NEWNET, ret);

	if (pid < 0)
		return errno;
	while (waitpid(pid, NULL, (int)__WCLONE) < 0 && errno == EINTR)
		continue;
	return ret->socket < 0 ? ret->number : 0;
}

bool netns_is(const char *path)
{
	struct statfs info;

	return statfs(path, &info) == 0 && (unsigned long)info.f_type == NSFS_MAGIC;
}

static int keep(const char *path, int namespace)
{
	AUTO(fd_close) int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0400);
	char link[64];

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", namespace);
	return file < 0 || mount(link, path, NULL, MS_BIND, NULL) < 0 ? errno : 0;
}

int netns_make(const char *path, int *ret_fd, int *ret_socket, struct err *err)
{
	struct opened opened = {-1, -1, 0};
	int number = open_new(&opened);

	if (number == 0)
		number = keep(path, opened.namespace);
	if (number) {
		fd_close(opened.namespace);
		fd_close(opened.socket);
		return err_errno(err, number, "a network namespace");
	}
	*ret_fd = opened.namespace;
	*ret_socket = opened.socket;
	return 0;
}

int netns_remove(const char *path, struct err *err)
{
	while (netns_is(path))
		if (umount2(path, MNT_DETACH) < 0)
			return err_errno(err, errno, "%s", path);
	return unlink(path) < 0 && errno != ENOENT ? err_errno(err, errno, "%s", path) : 0;
}
