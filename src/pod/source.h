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
		below; /* a path in it, which no link may lead out of; made if it is missing; may be NULL */
	const char *hidden; /* the node's own folder, without links; NULL: none */
	/* Named by a user: it may not be in the node's own folder. Otherwise it is a path of the node, and below
	 * its folder no links are followed. */
	bool foreign;
};

/* Opens it (O_PATH). ERR_FORBIDDEN: it is in the node's own folder, or leads out of its volume. */
int source_open(const struct source *source, struct err *err) MUST_CHECK;

/* Make a folder, or an empty file, and the missing folders above it (0755), for a path that a user has named. Not
 * in the node's own folder. */
struct source_new {
	const char *path;
	const char *hidden;
	bool folder;
	mode_t mode;
};
int source_make(const struct source_new *what, struct err *err) MUST_CHECK;

/* If the folder `fd` contains the node's own: the path from it to that, a part of `hidden`; else NULL. */
const char *source_above(int fd, const char *hidden);

/* Opens a path below the folder `root` (O_PATH); the kernel makes sure that it stays below; -1: errno. */
int source_open_below(int root, const char *path);

#endif
