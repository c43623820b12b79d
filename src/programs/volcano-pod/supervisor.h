/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/supervisor.h - the process that holds a pod: it starts containers, keeps what they print
 * and records how they end. pod/pod_messages.h lists its messages. */
#ifndef PROGRAMS_VOLCANO_POD_SUPERVISOR_H
#define PROGRAMS_VOLCANO_POD_SUPERVISOR_H

#include "base/err.h"
#include "base/macro.h"

struct supervisor_options {
	const char *folder;  /* of the pod */
	const char *control; /* folder of its socket while it has no agent (pod/pod_messages.h) */
	const char *secret;  /* an agent has to send it */
	int agent;           /* a socket to the agent; takes it */
	int plan;            /* a file that holds the plan; takes it */
};
/* Holds the pod until it receives `quit`; returns the exit code. */
int supervisor_run(const struct supervisor_options *options, struct err *err) MUST_CHECK;

#endif
