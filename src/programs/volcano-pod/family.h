/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/family.h - every process that a container has started, also those that hide.
 *
 * The supervisor is the parent of last resort (PR_SET_CHILD_SUBREAPER) of whatever its containers
 * start: a process that leaves its group and its session, and loses its parents, becomes its child. */
#ifndef PROGRAMS_VOLCANO_POD_FAMILY_H
#define PROGRAMS_VOLCANO_POD_FAMILY_H

#include <stddef.h>
#include <sys/types.h>

/* From now on this process is the parent of last resort. */
void family_adopt(void);

/* Kill the process group of `leader`. 0 is nobody's. */
void family_kill_group(pid_t leader);
/* Kill what is in a cgroup, of which `procs` is the file cgroup.procs. */
void family_kill_cgroup(const char *procs);
/* Kill every child of this process; the children of those become ours, so call it again when they
 * have been reaped. Gives how many there were. */
size_t family_kill_children(void);

/* Kill only the children in this mount namespace, an open descriptor of it. Returns how many there were, including
 * children that are just ending, whose namespace is unknown. 0: no process of it is left. While the descriptor is open
 * the kernel gives the number of the namespace, by which its processes are found, to no other one. */
size_t family_kill_children_in(int mounts);

#endif
