/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/remains.h - processes of pods whose supervisor was killed.
 *
 * When a supervisor dies, the first process of each container dies with it. Processes that those have started stay
 * if there is neither a PID namespace nor a control group to end them. They are found by the mounts of their mount
 * namespace, which they cannot remove: files of the pod's folder are among them. On a machine without mount
 * namespaces nothing is found. */
#ifndef NODE_REMAINS_H
#define NODE_REMAINS_H

#include <stdbool.h>
#include <stddef.h>

/* Has the pod with this uid no supervisor? Called for each process of such a pod. */
typedef bool remains_fn(void *arg, const char *uid);

/* Kill the processes of such pods, of those that have a folder in `pods`, until none is left. Returns how many
 * were killed. */
size_t remains_kill(const char *pods, remains_fn *is_lost, void *arg);

#endif
