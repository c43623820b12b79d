/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/root.h - a root file system for a container, made of the machine's files.
 *
 * A folder or file that a mount needs and that the machine does not have is made in this root: the machine's own
 * files do not change, and an ordinary user can mount anywhere. */
#ifndef PROGRAMS_VOLCANO_POD_ROOT_H
#define PROGRAMS_VOLCANO_POD_ROOT_H

#include "base/err.h"
#include "base/macro.h"

struct plan_container;

/* A path in a container without "//", "/./" and "/../", for mem_free(). It does not look at the files. */
char *root_tidy(const char *path) __attribute__((returns_nonnull));
/* Build the root at `path`, in a mount namespace of this process, with a target for each of the container's
 * mounts, whose sources are the descriptors `sources` (-1: none). With read_only_root nothing in it can be written
 * except later mounts, /dev, /proc, /sys and /run. */
int root_make(const char *path, const struct plan_container *container, const int *sources,
	      struct err *err) MUST_CHECK;
/* The place of a path of the container before its root becomes the process's root, for mem_free(). */
char *root_path(const char *root, const char *path, struct err *err) MUST_CHECK;
/* Replace a folder by one with the same entries, except those named in a list that is separated by commas. */
int root_without(const char *folder, const char *names, struct err *err) MUST_CHECK;
/* Make it the root of this process; nothing outside of it can be seen. */
int root_enter(const char *path, struct err *err) MUST_CHECK;

#endif
