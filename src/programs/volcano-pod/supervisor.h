/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/supervisor.h - the process that holds a pod: its containers, what they print and
 * how they end. node/wire.h tells what it is asked and answers. */
#ifndef PROGRAMS_VOLCANO_POD_SUPERVISOR_H
#define PROGRAMS_VOLCANO_POD_SUPERVISOR_H

#include "base/err.h"
#include "base/macro.h"

/* Reads the plan of the pod in `folder` and holds it until it is told to quit; gives the exit code.
 * `agent` is a socket to the agent, `plan` a file that holds the plan; it takes both. -1: the agent will
 * come, the plan is in the folder. */
int supervisor_run(const char *folder, int agent, int plan, struct err *err) MUST_CHECK;

#endif
