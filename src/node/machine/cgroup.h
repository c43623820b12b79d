/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/cgroup.h - control groups of pods: requests as weights, limits as bounds, in version 2 and
 * version 1.
 *
 *	volcano/NODE/podUID/CONTAINER
 *
 * A pod of one container does without the last one.
 *
 * The tree is made at the top of the hierarchy, or, where that is not permitted, beside or below the
 * group of this process (a user's, delegated by systemd). Controllers that cannot be had are done
 * without: cgroup_lacks() says which and why, once. Everything may be called again. */
#ifndef NODE_CGROUP_H
#define NODE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macro.h"
#include "model/pod/container.h"
#include "model/pod/pod.h"
#include "node/machine/cgroup_layout.h"

struct cgroup_tree;

/* What a group is held to; 0: nothing is said. */
struct cgroup_limits {
	int64_t cpu_request; /* milli-cores */
	int64_t cpu_limit;
	int64_t memory_limit; /* bytes */
	int64_t processes;
	bool as_one;     /* of a container: where memory runs out, all of it ends */
	bool has_memory; /* of a container: it asks for some, so that what it takes is to be known */
	bool bare;       /* it asks for nothing, and is only held to a number of processes */
};
/* Of one container, and of a pod: a bound only where every container has one. */
struct cgroup_limits cgroup_limits_of(const struct container *container, int64_t processes);
struct cgroup_limits cgroup_limits_of_pod(const struct pod *pod, int64_t processes);

/* What a group uses; -1: not known. */
struct cgroup_use {
	int64_t cpu_us;      /* since it was made */
	int64_t memory;      /* bytes that cannot be taken back at once (the working set) */
	int64_t memory_peak; /* bytes */
	int64_t processes;
	int64_t oom_kills; /* processes that the kernel has killed for want of memory */
};

/* `name` is that of the tree, "volcano". Never fails: a machine without control groups has a tree
 * without controllers. */
struct cgroup_tree *cgroup_tree_open(const struct cgroup_layout *layout, const char *name)
	__attribute__((returns_nonnull));
/* The groups stay. Takes NULL. */
void cgroup_tree_close(struct cgroup_tree *tree);
DEFINE_AUTO(struct cgroup_tree *, cgroup_tree_close);

bool cgroup_has(const struct cgroup_tree *tree, enum cgroup_controller controller);
/* A sentence for the node's conditions; NULL where nothing is lacking. */
const char *cgroup_lacks(const struct cgroup_tree *tree);

/* Where a group is: a node, a pod of it, a container of that; NULL ends it. */
struct cgroup_path {
	const char *node, *pod, *container;
};

/* Make a group, and those above it, and set its limits. */
int cgroup_make(const struct cgroup_tree *tree, const struct cgroup_path *path,
		const struct cgroup_limits *limits, struct err *err) MUST_CHECK;
/* The same of a pod's group, for somebody else to do: folders to be made, and files and what is to be written into
 * them, alternately, and those to be joined by (as of cgroup_procs()); in the arena. In version 1 a group is made only
 * with the controllers that hold the pod to something: each costs a folder. The node's group is made here. False: it cannot be said beforehand, as in
 * version 2, where controllers are handed down; cgroup_make() does it, or tells why not. */
struct cgroup_work {
	const char **folders;
	size_t n_folders;
	const char **values;
	size_t n_values;
	const char **procs;
	size_t n_procs;
};
bool cgroup_describe(const struct cgroup_tree *tree, const struct cgroup_path *pod,
		     const struct cgroup_limits *limits, struct arena *arena,
		     struct cgroup_work *ret);
/* The files that a process writes itself into (plan_container.cgroups), in the arena; the one of the processor's
 * shares is the last. */
size_t cgroup_procs(const struct cgroup_tree *tree, const struct cgroup_path *path,
		    struct arena *arena, const char *const **ret);
void cgroup_use(const struct cgroup_tree *tree, const struct cgroup_path *path,
		struct cgroup_use *ret);
/* Only how many processes the kernel has killed for want of memory; -1: not known. */
int64_t cgroup_oom_kills(const struct cgroup_tree *tree, const struct cgroup_path *path);

/* Send SIGKILL to every process in it and below; none of them can start another one meanwhile. How
 * many were there; -1: they could not all be reached. */
int64_t cgroup_kill(const struct cgroup_tree *tree, const struct cgroup_path *path);
/* Remove it with those below. ERR_CONFLICT while processes are there: try again. What is not there
 * is no error. */
int cgroup_remove(const struct cgroup_tree *tree, const struct cgroup_path *path,
		  struct err *err) MUST_CHECK;
/* Of a pod of which nothing but its uid is known: of whichever node it was, its processes are killed, and its groups
 * removed. ERR_CONFLICT while those are still ending: try again. */
int cgroup_remove_pod(const struct cgroup_tree *tree, const char *pod, struct err *err) MUST_CHECK;

#endif
