/* SPDX-License-Identifier: Apache-2.0 */
/* pod/source.h - where a mount comes from: opened once, checked by what it is and not by its name, mounted by its
 * descriptor.
 *
 * Users name paths of the machine (hostPath, volumes of claims) and paths below volumes (subPath), and containers that
 * have run before may have put links there. A path that is resolved twice may lead to two places; a descriptor cannot.
 * The node's own folder (store, keys, volumes of other pods) is recognized by device and inode, however it is reached.
 *
 * Needs only base/: the supervisor of a pod has it, too. */
#ifndef POD_SOURCE_H
#define POD_SOURCE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/macro.h"

struct source {
	const char *path;
	const char *
		below; /* a path in it, which no link may lead out of; made where it is missing; may be NULL */
	const char *hidden; /* the node's own folder, without links; NULL: none */
	/* Named by a user: it may not be in the node's own folder. Otherwise it is one of the node's, and what is in that
	 * folder is reached without links. */
	bool foreign;
};

/* A descriptor (O_PATH) of it. ERR_FORBIDDEN: it is the node's, or leads out of its volume. */
int source_open(const struct source *source, struct err *err) MUST_CHECK;

/* Make a folder, or an empty file, and the folders above it that are missing (0755), where a user has named a path that
 * is not there yet. Not in the node's own folder. */
struct source_new {
	const char *path;
	const char *hidden;
	bool folder;
	mode_t mode;
};
int source_make(const struct source_new *what, struct err *err) MUST_CHECK;

/* Is the folder `fd` above the node's own? Then the path from it to that, which is a part of `hidden`; else NULL. */
const char *source_above(int fd, const char *hidden);

/* A path below the folder `root`, opened (O_PATH) by the kernel's rule that it stays there; -1: errno. */
int source_open_below(int root, const char *path);

#endif
