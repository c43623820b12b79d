/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/pod_child.h - a process in the surroundings that its container's plan describes. */
#ifndef PROGRAMS_VOLCANO_POD_POD_CHILD_H
#define PROGRAMS_VOLCANO_POD_POD_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/macro.h"

struct plan_container;
struct pod_plan;

struct child_start {
	const struct pod_plan *plan;
	const struct plan_container *container;
	const char *const
		*argv; /* ends in NULL; of the container, or another command in its place */
	/* Join the namespaces of this process of the container; 0: make them. */
	pid_t beside;
	const char *hosts; /* what its file of PLAN_HOSTS holds; NULL: what its plan says */
};

/* What was started. The descriptors do not block and are the caller's. */
struct child {
	pid_t pid;   /* the leader of a process group; killed, all of its PID namespace is */
	int output;  /* what it prints */
	int status;  /* where it has a first process of its own (init.h): tells how the program has
		       ended, better than that does; -1: none */
	int hosts;   /* its file of PLAN_HOSTS; -1: none */
	int message; /* of PLAN_MESSAGE, likewise */
	int mounts; /* its mount namespace, if family_kill_children_in() is to find its processes; -1: none */
};

/* Starts it, as the leader of a session and a process group of its own. When this returns the program is
 * running; whatever hinders that is an error that says what. It dies with the caller. */
int child_start(const struct child_start *start, struct child *ret, struct err *err) MUST_CHECK;

#endif
