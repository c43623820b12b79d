/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/supervisor.h - the process that holds a pod: its containers, what they print and
 * how they end. pod/pod_messages.h tells what it is asked and answers. */
#ifndef PROGRAMS_VOLCANO_POD_SUPERVISOR_H
#define PROGRAMS_VOLCANO_POD_SUPERVISOR_H

#include "base/err.h"
#include "base/macro.h"

struct supervisor_options {
	const char *folder;  /* of the pod */
	const char *control; /* where it listens while it has no agent (pod/pod_messages.h) */
	const char *secret;  /* that an agent has to know */
	int agent;           /* a socket to it; taken */
	int plan;            /* a file that holds the plan; taken */
};
/* Holds the pod until it is told to quit; gives the exit code. */
int supervisor_run(const struct supervisor_options *options, struct err *err) MUST_CHECK;

#endif
