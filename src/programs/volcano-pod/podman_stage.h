/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/podman_stage.h - mounts for a program that makes its own surroundings: podman of an ordinary user, which
 * leaves the mount namespace of the supervisor. */
#ifndef PROGRAMS_VOLCANO_POD_PODMAN_STAGE_H
#define PROGRAMS_VOLCANO_POD_PODMAN_STAGE_H

#include "base/err.h"

/* As podman itself ends where it could not start a container. */
enum { STAGE_EXIT_FAILED = 125 };

/* Make the mounts of the first container of the plan in the file, in a mount namespace of this process, and become the
 * program of `argv`. Returns only where that fails. */
int stage_run(const char *plan_file, char **argv, struct err *err);

#endif
