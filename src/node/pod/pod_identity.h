/* SPDX-License-Identifier: Apache-2.0 */
/* node/pod/pod_identity.h - as whom a container's processes run and what they may do: securityContext as the
 * identity of a plan.
 *
 * A pod of an ordinary user's node runs as that user. A pod of root's node that names no user runs as one that the
 * machine does not know, the same for all pods of a namespace, so that they can share claims. Root, and what is as much,
 * is given only to pods that name it, and only where whoever runs the node permits it. Root in a pod is held to the
 * capabilities that container runtimes give, so that it cannot undo what hides the node's folder; every process gets
 * limits on processes and open files, and no core files. What a node cannot give, or does not, is refused by name. */
#ifndef NODE_POD_IDENTITY_H
#define NODE_POD_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macro.h"
#include "model/pod/container.h"
#include "model/pod/pod.h"
#include "pod/pod_plan.h"

/* The node's own user, and what it gives to processes. */
struct identity_node {
	int64_t uid, gid;
	int64_t max_processes; /* of a container's user, of a process; 0: the usual */
	int64_t max_files;
	int64_t memory; /* of the machine, for who is killed first when it runs out; 0: unknown */
	/* Users that pods of root's node may be given, by number; none: it cannot change users. */
	int64_t default_first, default_count;
	bool allow_root; /* pods may name root, users and groups of the system, and privileges */
	/* Containers have files of their own: a user who is not named is the image's matter, and numbers mean nobody on
	 * the machine. */
	bool images;
	/* Files as /etc/passwd and /etc/group: whom the machine knows; NULL: nobody. */
	const char *users;
	const char *groups;
};

/* Whom a pod of root's node runs as that names no user; the group has the same number. 0: as the node. */
int64_t identity_default(const struct identity_node *node, struct str namespace);
/* The users that there are to give, in a namespace of users with this map (as /proc/self/uid_map). */
void identity_find_defaults(struct str map, struct identity_node *ret);

/* Of this process: nobody can be given more than it has. */
struct identity_node identity_node_here(int64_t memory);

/* Kubelet's words where it would refuse; `securityContext.FIELD: ...` for what only this node cannot
 * do. Groups are in the arena. */
int identity_make(const struct pod *pod, const struct container *container,
		  const struct identity_node *node, struct arena *arena, struct plan_identity *ret,
		  struct err *err) MUST_CHECK;

/* "CAP_NET_ADMIN", "net_admin" and "NET_ADMIN" are 12; -1 where there is no such capability. */
int identity_capability(struct str name);

/* "NET_ADMIN" for 12; NULL behind the last. */
const char *identity_capability_name(int number);

/* The home of a user as a file like /etc/passwd says; "/" where it does not. In the arena. */
const char *identity_home(const char *passwd, int64_t uid, struct arena *arena);

#endif
