/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/family.h - finds and kills all processes that containers have started.
 *
 * The supervisor is the subreaper (PR_SET_CHILD_SUBREAPER) of what its containers start: a process that leaves its
 * group and its session and loses its parents becomes a child of the supervisor. */
#ifndef PROGRAMS_VOLCANO_POD_FAMILY_H
#define PROGRAMS_VOLCANO_POD_FAMILY_H

#include <stddef.h>
#include <sys/types.h>

/* Makes this process the subreaper of its descendants. */
void family_adopt(void);

/* Kill the process group of `leader`; with 0 or 1 nothing happens. */
void family_kill_group(pid_t leader);
/* Kill all processes of a cgroup; `procs` is its file cgroup.procs. */
void family_kill_cgroup(const char *procs);
/* Kill every child of this process. Their children become children of this process: call it again after they have
 * been reaped. Returns how many there were. */
size_t family_kill_children(void);

/* Kill only the children in this mount namespace, an open descriptor of it. Returns how many there were, including
 * children that are just ending, whose namespace is unknown. 0: no process of it is left. While the descriptor is open
 * the kernel gives the number of the namespace, by which its processes are found, to no other one. */
size_t family_kill_children_in(int mounts);

#endif
