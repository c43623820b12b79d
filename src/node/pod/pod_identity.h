/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/pod_identity.h - the user that a container's processes run as, and what they may do: securityContext as the
 * identity of a plan.
 *
 * On a node of an ordinary user all pods run as that user. On a node of root a pod that names no user runs as a
 * user that the machine does not know, the same for all pods of a namespace, so that they can share claims. Root
 * and equal privileges are given only to pods that name them, and only if the node's administrator permits it.
 * Root in a pod has the capabilities that container runtimes give, so that it cannot undo what hides the node's
 * folder; every process has limits of processes and open files, and no core files. What a node cannot give, or
 * does not give, is refused by name. */
#ifndef NODE_IDENTITY_H
#define NODE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macro.h"
#include "model/pod/container.h"
#include "model/pod/pod.h"
#include "pod/pod_plan.h"

/* The node's own user, and limits for processes. */
struct pod_identity_node {
	int64_t uid, gid;
	int64_t max_processes; /* limits per user of a container, and per process; 0: the default */
	int64_t max_files;
	int64_t memory; /* memory of the machine, to choose which process is killed first; 0: unknown */
	/* Users that may be assigned to pods of a root node, by number; none: it cannot change users. */
	int64_t default_first, default_count;
	bool allow_root; /* pods may name root, users and groups of the system, and privileges */
	/* Containers have images: the image decides on the default user, and numbers belong to no user of the
	 * machine. */
	bool images;
	/* Files like /etc/passwd and /etc/group with the machine's users; NULL: none. */
	const char *users;
	const char *groups;
};

/* The user of a pod that names none, on a root node; the group has the same number. 0: the node's user. */
int64_t pod_identity_default(const struct pod_identity_node *node, struct str namespace);
/* The users that can be assigned in a user namespace with this map (as /proc/self/uid_map). */
void pod_identity_find_defaults(struct str map, struct pod_identity_node *ret);

/* Capabilities of this process: no pod can have more. */
struct pod_identity_node pod_identity_node_here(int64_t memory);

/* Errors have a kubelet's texts if it would refuse, too; `securityContext.FIELD: ...` for what only this node
 * cannot do. Groups are in the arena. */
int pod_identity_make(const struct pod *pod, const struct container *container,
		      const struct pod_identity_node *node, struct arena *arena,
		      struct plan_identity *ret, struct err *err) MUST_CHECK;

/* "CAP_NET_ADMIN", "net_admin" and "NET_ADMIN" are 12; -1: no such capability. */
int pod_identity_capability(struct str name);

/* "NET_ADMIN" for 12; NULL after the last. */
const char *pod_identity_capability_name(int number);

/* The home directory of a user by a file like /etc/passwd; "/" if it has none. In the arena. */
const char *pod_identity_home_directory(const char *passwd, int64_t uid, struct arena *arena);

#endif
