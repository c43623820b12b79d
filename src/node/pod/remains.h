/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/remains.h - processes of pods whose supervisor was killed.
 *
 * A supervisor that dies takes the first process of each container with it; what those have started stays where
 * there is neither a namespace of processes nor a control group to end it. It is found by the mounts of its mount
 * namespace, which it cannot lose: files of the pod's folder are among them. On a machine without mount namespaces
 * nothing is found. */
#ifndef NODE_REMAINS_H
#define NODE_REMAINS_H

#include <stdbool.h>
#include <stddef.h>

/* Is nobody there to look after the pod with this uid? Asked for each process of one that is found. */
typedef bool remains_fn(void *arg, const char *uid);

/* Kill what belongs to such pods, of those that have a folder in `pods`, until nothing is left. How many were
 * killed. */
size_t remains_kill(const char *pods, remains_fn *is_lost, void *arg);

#endif
