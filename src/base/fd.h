/* SPDX-License-Identifier: Apache-2.0 */
/* base/fd.h - file descriptors that close with their scope, and whole files. */
#ifndef BASE_FD_H
#define BASE_FD_H

#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"

/* Takes a negative number for "none". */
void fd_close(int fd);
DEFINE_AUTO(int, fd_close);

/* Hand a descriptor over: gives its number and leaves -1 behind. */
static inline int fd_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* Opens a file that must be this user's alone: never through a link in its last part, a regular file with one name that
 * belongs to this user. For files that are written in a folder that was there before. `flags` and `mode` as of open(). */
int fd_open_own(const char *path, int flags, mode_t mode, struct err *err) MUST_CHECK;

/* No program that is started from now on inherits descriptors: `fd`, or all from `first` on. */
int fd_set_cloexec(int fd, struct err *err) MUST_CHECK;
int fd_set_cloexec_from(int first, struct err *err) MUST_CHECK;

/* Append a file's bytes, within the buffer's bound. */
int fd_read_file(const char *path, struct buf *to, struct err *err) MUST_CHECK;
/* Replace a file as a whole or not at all: a temporary file beside it, synced, then renamed. */
int fd_write_file(const char *path, const void *data, size_t len, mode_t mode,
		  struct err *err) MUST_CHECK;

#endif
