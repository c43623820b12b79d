/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/launcher.h - the small process that starts supervisors for an agent. */
#ifndef PROGRAMS_VOLCANO_POD_LAUNCHER_H
#define PROGRAMS_VOLCANO_POD_LAUNCHER_H

#include "base/err.h"
#include "base/macro.h"

/* Takes the agent's socket. Each message names the folder of a pod (pod/pod_messages.h) and brings a socket for its
 * supervisor and its plan. Returns when the agent has ended; in a supervisor, when that has ended. */
int launcher_run(int agent, struct err *err) MUST_CHECK;

#endif
