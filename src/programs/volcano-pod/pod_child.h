/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/pod_child.h - starts a process with the namespaces, mounts, limits and user that its
 * container's plan describes. */
#ifndef PROGRAMS_VOLCANO_POD_CHILD_H
#define PROGRAMS_VOLCANO_POD_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/macro.h"

struct plan_container;
struct pod_plan;

struct pod_child_start {
	const struct pod_plan *plan;
	const struct plan_container *container;
	const char *const *
		argv; /* ends in NULL: the container's command, or another command to run in the container */
	/* Join the namespaces of this process of the container; 0: make them. */
	pid_t join_pid;
	const char *hosts; /* content of its PLAN_HOSTS file; NULL: as its plan says */
};

/* A child that was started. The descriptors do not block; the caller closes them. */
struct pod_child {
	pid_t pid;  /* leads a process group; if it is killed, all of its PID namespace ends */
	int output; /* what it prints */
	int status; /* if init.h runs as its first process: reports how the program ended; -1: none */
	int hosts;   /* its file of PLAN_HOSTS; -1: none */
	int message; /* its file of PLAN_MESSAGE; -1: none */
	int mounts; /* its mount namespace, if family_kill_children_in() is to find its processes; -1: none */
};

/* Starts the program, as the leader of a session and a process group of its own. When this returns the program
 * runs, or `err` says why it does not. It dies with the caller. */
int pod_child_start(const struct pod_child_start *start, struct pod_child *ret,
		    struct err *err) MUST_CHECK;

#endif
