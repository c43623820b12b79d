/* SPDX-License-Identifier: Apache-2.0 */
/* base/fd.c - descriptors and whole files.
 *
 * fd_write_file() leaves either the old file or the new one, also after a crash: data is synced
 * before the rename, and the folder after it. */
#include "base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"

#include "base/banned.h"

#define OWN_DESCRIPTORS "/proc/self/fd"

enum { READ_STEP = 64 * 1024 };

void fd_close(int fd)
{
	if (fd >= 0)
		(void)close(fd); /* what must survive was synced before */
}

/* O_NONBLOCK: if another user put a pipe in its place, open() must not block. */
int fd_open_own(const char *path, int flags, mode_t mode, struct err *err)
{
	AUTO(fd_close)
	int fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
	struct stat status;

	if (fd < 0 && errno == ELOOP)
		return err_set(err, ERR_FORBIDDEN,
			       "%s: is a symbolic link; remove it, or choose another folder", path);
	if (fd < 0 || fstat(fd, &status) < 0)
		return err_errno(err, errno, "%s", path);
	if (!S_ISREG(status.st_mode))
		return err_set(err, ERR_FORBIDDEN, "%s: is not a regular file", path);
	if (status.st_uid != geteuid())
		return err_set(err, ERR_FORBIDDEN, "%s: belongs to user %lu, not to user %lu", path,
			       (unsigned long)status.st_uid, (unsigned long)geteuid());
	if (status.st_nlink > 1)
		return err_set(err, ERR_FORBIDDEN,
			       "%s: has %lu names (hard links), which is not safe", path,
			       (unsigned long)status.st_nlink);
	return fd_take(&fd);
}

int fd_set_cloexec(int fd, struct err *err)
{
	return fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 ? err_errno(err, errno, "descriptor %d", fd) : 0;
}

/* Sets the flag one by one, for kernels older than 5.11. */
static int seal_listed(int first, struct err *err)
{
	struct dirent **names = NULL;
	int count = scandir(OWN_DESCRIPTORS, &names, NULL, NULL);
	int rc = count < 0 ? err_errno(err, errno, OWN_DESCRIPTORS) : 0;

	for (int i = 0; i < count; i++) {
		int64_t fd;

		/* The descriptor that the list was read from is already closed. */
		if (number_parse_range(str_from(names[i]->d_name), first, INT32_MAX, &fd, NULL) ==
			    0 &&
		    rc == 0 && fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0 && errno != EBADF)
			rc = err_errno(err, errno, "descriptor %d", (int)fd);
		free(names[i]); /* the C library's */
	}
	free((void *)names);
	return rc;
}

int fd_set_cloexec_from(int first, struct err *err)
{
	if (close_range((unsigned)first, UINT_MAX, CLOSE_RANGE_CLOEXEC) == 0)
		return 0;
	return seal_listed(first, err);
}

int fd_read_file(const char *path, struct buf *to, struct err *err)
{
	AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	AUTO(mem_free) char *chunk = NULL;
	size_t before = to->len;

	if (fd < 0)
		return err_errno(err, errno, "%s", path);
	chunk = mem_alloc(READ_STEP);
	for (;;) {
		ssize_t got = read(fd, chunk, READ_STEP);

		if (got == 0)
			return 0;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			(void)err_errno(err, errno, "%s", path);
		else if (buf_add(to, chunk, (size_t)got, err) < 0)
			(void)err_wrap(err, "%s", path);
		else
			continue;
		buf_truncate(to, before);
		return -1;
	}
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t put = write(fd, data, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		data += put;
		len -= (size_t)put;
	}
	return 0;
}

static int sync_folder(const char *path)
{
	struct str whole = str_from(path);
	ptrdiff_t slash = str_rfind_byte(whole, '/');
	AUTO(mem_free)
	char *folder =
		slash < 0 ? mem_strdup(".") : str_dup(str_slice(whole, 0, (size_t)slash + 1));
	AUTO(fd_close) int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -1 : fsync(fd);
}

int fd_write_file(const char *path, const void *data, size_t len, mode_t mode, struct err *err)
{
	AUTO(mem_free) char *temporary = mem_printf("%s.XXXXXX", path);
	AUTO(fd_close) int fd = mkostemp(temporary, O_CLOEXEC);

	if (fd < 0)
		return err_errno(err, errno, "%s", path);
	if (fchmod(fd, mode) < 0 || write_all(fd, data, len) < 0 || fsync(fd) < 0 ||
	    rename(temporary, path) < 0) {
		(void)err_errno(err, errno, "%s", path);
		(void)unlink(temporary); /* best effort: the error above is what counts */
		return -1;
	}
	if (sync_folder(path) < 0)
		return err_errno(err, errno, "%s", path);
	return 0;
}
