/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/podman_stage.h - mounts for a program that leaves the mount namespace of the supervisor:
 * podman of an ordinary user. */
#ifndef PROGRAMS_VOLCANO_POD_STAGE_H
#define PROGRAMS_VOLCANO_POD_STAGE_H

#include "base/err.h"

/* The exit code of podman if it could not start a container. */
enum { STAGE_EXIT_FAILED = 125 };

/* Make the mounts of the first container of the plan in this file, in a mount namespace of this process, and
 * become the program of `argv`. Returns only if that fails. */
int podman_stage_run(const char *plan_file, char **argv, struct err *err);

#endif
