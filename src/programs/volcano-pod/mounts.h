/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/mounts.h - what a container finds mounted, as its plan says. */
#ifndef PROGRAMS_VOLCANO_POD_MOUNTS_H
#define PROGRAMS_VOLCANO_POD_MOUNTS_H

#include "base/err.h"
#include "base/macro.h"

struct pod_child_start;

/* Make all mounts of the container, in the mount namespace of this process, and its root if it has one of its own.
 * Files that are made for it are handed to the supervisor by the socket `status`. */
int mounts_make(const struct pod_child_start *start, int status, struct err *err) MUST_CHECK;

#endif
