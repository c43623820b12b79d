/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/atomic_folder.h - folders that change as a whole.
 *
 * What a config map, a secret or the downward API holds is written as Kubernetes does it, so that a
 * program sees all of the old content or all of the new:
 *
 *	dir/..1/a, dir/..1/sub/b	the files
 *	dir/..data -> ..1		replaced by rename()
 *	dir/a -> ..data/a		what programs open
 *	dir/sub -> ..data/sub */
#ifndef NODE_ATOMIC_FOLDER_H
#define NODE_ATOMIC_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct atomic_folder_file {
	struct str path; /* relative, without ".." */
	struct str data;
	mode_t mode;
	int64_t uid; /* -1: not set */
};

/* `group` owns and may read every file; -1: none. Does nothing if the content is the same; `ret_changed` may be
 * NULL. `dir` must exist. */
int atomic_folder_write(const char *dir, const struct atomic_folder_file *files, size_t len,
			int64_t group, bool *ret_changed, struct err *err) MUST_CHECK;

/* Delete a folder or file with everything below it, however deep, without following links and without leaving its
 * file system. A missing one is no error. */
int folder_delete(const char *path, struct err *err) MUST_CHECK;

/* Bytes of disk that a folder takes; stops counting after `enough` (0: does not). Files that are deleted meanwhile
 * do not count. */
int64_t folder_size(const char *path, int64_t enough);

/* Make the folder and those above it. ERR_ALREADY_EXISTS: there is something else at the path. */
int folder_make(const char *path, mode_t mode, struct err *err) MUST_CHECK;

#endif
