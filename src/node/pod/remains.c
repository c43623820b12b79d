/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/remains.c - processes without a supervisor, found by /proc/PID/mountinfo.
 *
 * A line of that file names the part of a file system that is mounted, such as /home/me/.volcano/pods/UID/hosts.
 * Its beginning depends on the file system: the uid is the word after "/pods/", and is one of this node's if it
 * has a folder. Only containers have parts of that folder mounted. Mounts inside of it, such as a pod's network
 * namespace, are in the machine's mount namespace, and in every copy of it: they do not count. Most processes are
 * in this process's own mount namespace, which one readlink() shows.
 *
 * Always true: a process is held (pidfd) before it is checked, so that no other process with the same number is
 * killed. */
#include "node/pod/remains.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "base/uuid.h"
#include "base/vec.h"
#include "node/machine/mountinfo.h"

#include "base/banned.h"

enum {
	MOUNTS_MAX_BYTES = 4 * 1024 * 1024,
	UID_LEN = 36,
	ROUNDS = 32, /* for processes that were just being started */
	DEATH_MS = 1000,
};
#define FOLDER "/pods/"

struct search {
	const char *pods;
	remains_fn *is_lost;
	void *arg;
	ino_t own_mounts;
};

static int is_number(const struct dirent *entry)
{
	return entry->d_name[0] > '0' && entry->d_name[0] <= '9';
}

/* The pod's uid at this place; false: none, or of another data directory. */
static bool read_uid(const struct search *search, struct str text, char ret[UID_LEN + 1])
{
	AUTO(mem_free) char *folder = NULL;

	if (text.len < UID_LEN || !uuid_is_valid(str_slice(text, 0, UID_LEN)))
		return false;
	(void)snprintf(ret, UID_LEN + 1, "%.*s", UID_LEN, text.ptr);
	folder = mem_printf("%s/%s", search->pods, ret);
	return access(folder, F_OK) == 0;
}

/* Does the process belong to a pod without a supervisor? */
static bool is_of_lost(const struct search *search, struct str root)
{
	char uid[UID_LEN + 1];
	ptrdiff_t at = 0;

	while ((at = str_find(root, STR(FOLDER), (size_t)at)) >= 0) {
		at += (ptrdiff_t)strlen(FOLDER);
		if (read_uid(search, str_skip(root, (size_t)at), uid))
			return search->is_lost(search->arg, uid);
	}
	return false;
}

static bool is_wanted(const struct search *search, const char *pid)
{
	AUTO(mem_free) char *namespace = mem_printf("/proc/%s/ns/mnt", pid);
	AUTO(mem_free) char *path = mem_printf("/proc/%s/mountinfo", pid);
	AUTO(buf_done) struct buf text = BUF_INIT(MOUNTS_MAX_BYTES);
	struct mount_line mount;
	struct stat info;

	if (stat(namespace, &info) < 0 || info.st_ino == search->own_mounts ||
	    fd_read_file(path, &text, NULL) < 0)
		return false;
	for (struct str rest = buf_str(&text); mountinfo_next(&rest, &mount);)
		if (is_of_lost(search, mount.root))
			return true;
	return false;
}

/* Kills the processes that were found, and waits until they have ended. */
static size_t kill_round(const struct search *search)
{
	VEC(struct pollfd) dying = {0};
	struct dirent **names = NULL;
	int count = scandir("/proc", &names, is_number, NULL);
	size_t killed;

	for (int i = 0; i < count; i++) {
		int64_t pid;
		AUTO(fd_close) int fd = -1;

		if (number_parse_i64(str_from(names[i]->d_name), &pid, NULL) == 0)
			fd = (int)syscall(SYS_pidfd_open, pid, 0);
		if (fd >= 0 && is_wanted(search, names[i]->d_name) &&
		    syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0)
			vec_push(&dying, (struct pollfd){.fd = fd_take(&fd), .events = POLLIN});
		free(names[i]); /* defined by the C library */
	}
	free((void *)names);
	killed = dying.len;
	for (size_t i = 0; i < dying.len; i++) {
		(void)poll(&dying.ptr[i], 1, DEATH_MS);
		fd_close(dying.ptr[i].fd);
	}
	vec_done(&dying);
	return killed;
}

size_t remains_kill(const char *pods, remains_fn *is_lost, void *arg)
{
	struct search search = {.pods = pods, .is_lost = is_lost, .arg = arg};
	struct stat info;
	size_t total = 0;
	size_t killed = 1;

	if (stat("/proc/self/ns/mnt", &info) < 0)
		return 0;
	search.own_mounts = info.st_ino;
	for (int round = 0; round < ROUNDS && killed; round++) {
		killed = kill_round(&search);
		total += killed;
	}
	return total;
}
