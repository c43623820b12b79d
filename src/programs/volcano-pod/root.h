/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/root.h - a root of files of a container's own, made of the machine's.
 *
 * A folder or file that a mount needs and the machine does not have is made in there, so that the machine's
 * own files stay as they are, and so that an ordinary user can have it anywhere. */
#ifndef PROGRAMS_VOLCANO_POD_ROOT_H
#define PROGRAMS_VOLCANO_POD_ROOT_H

#include "base/err.h"
#include "base/macro.h"

struct plan_container;

/* A path in a container without "//", "/./" and "/../", for mem_free(): as it is meant, whatever is there. */
char *root_tidy(const char *path) __attribute__((returns_nonnull));
/* In a mount namespace of its own: build it at `path`, with a place for each of the container's mounts, whose
 * descriptors are `sources` (-1: it has none). With read_only_root nothing of it can be written but what is mounted
 * later, /dev, /proc, /sys and /run. */
int root_make(const char *path, const struct plan_container *container, const int *sources,
	      struct err *err) MUST_CHECK;
/* Where a path of the container is while its root is not the process's yet, for mem_free(). */
char *root_path(const char *root, const char *path, struct err *err) MUST_CHECK;
/* Replace a folder by one that has the same in it, but for the names in a list with commas between. */
int root_without(const char *folder, const char *names, struct err *err) MUST_CHECK;
/* Make it the root; nothing else is left to be seen. */
int root_enter(const char *path, struct err *err) MUST_CHECK;

#endif
