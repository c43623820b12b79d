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

/* Hand a descriptor over: returns its number and sets the variable to -1. */
static inline int fd_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* Opens a file that only this user may own: a regular file of this user with one hard link; a symbolic link as the last
 * part of the path is an error. For files that are written to a folder that existed before. `flags` and `mode` as of
 * open(). */
int fd_open_own(const char *path, int flags, mode_t mode, struct err *err) MUST_CHECK;

/* No program that is started from now on inherits descriptors: `fd`, or all from `first` on. */
int fd_set_cloexec(int fd, struct err *err) MUST_CHECK;
int fd_set_cloexec_from(int first, struct err *err) MUST_CHECK;

/* Append a file's bytes, within the buffer's bound. */
int fd_read_file(const char *path, struct buf *to, struct err *err) MUST_CHECK;
/* Replace a file as a whole or not at all: writes a temporary file in the same folder, syncs it and
 * renames it. */
int fd_write_file(const char *path, const void *data, size_t len, mode_t mode,
		  struct err *err) MUST_CHECK;

#endif
