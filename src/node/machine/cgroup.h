/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/cgroup.h - control groups of pods: requests as weights, limits as limits, in version 2 and
 * version 1.
 *
 *	volcano/NODE/podUID/CONTAINER
 *
 * A pod of one container has no group CONTAINER.
 *
 * The tree is made at the top of the hierarchy, or, if that is not permitted, next to or below the group of this
 * process (a user's, delegated by systemd). The tree works without controllers that are not available: cgroup_lacks()
 * says which and why, once. Everything may be called again. */
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

/* Limits of a group; 0: not set. */
struct cgroup_limits {
	int64_t cpu_request; /* milli-cores */
	int64_t cpu_limit;
	int64_t memory_limit; /* bytes */
	int64_t processes;
	bool as_one;     /* of a container: if memory runs out, all of its processes are killed */
	bool has_memory; /* of a container: it requests memory, so its use has to be known */
	bool bare;       /* it has no requests, and only a limit of processes */
};
/* Limits of one container, and of a pod; a pod has a limit only if every container has one. */
struct cgroup_limits cgroup_limits_of(const struct container *container, int64_t processes);
struct cgroup_limits cgroup_limits_of_pod(const struct pod *pod, int64_t processes);

/* What a group uses; -1: not known. */
struct cgroup_use {
	int64_t cpu_us;      /* since it was made */
	int64_t memory;      /* bytes that cannot be reclaimed at once (the working set) */
	int64_t memory_peak; /* bytes */
	int64_t processes;
	int64_t oom_kills; /* processes that the kernel has killed because memory was short */
};

/* `name` is that of the tree, "volcano". Never fails: a machine without control groups has a tree
 * without controllers. */
struct cgroup_tree *cgroup_tree_open(const struct cgroup_layout *layout, const char *name)
	__attribute__((returns_nonnull));
/* The groups stay. Takes NULL. */
void cgroup_tree_close(struct cgroup_tree *tree);
DEFINE_AUTO(struct cgroup_tree *, cgroup_tree_close);

bool cgroup_has(const struct cgroup_tree *tree, enum cgroup_controller controller);
/* A sentence for the node's conditions; NULL: nothing is lacking. */
const char *cgroup_lacks(const struct cgroup_tree *tree);

/* The path of a group: a node, a pod of it, a container of that; ends in NULL. */
struct cgroup_path {
	const char *node, *pod, *container;
};

/* Make a group, and those above it, and set its limits. */
int cgroup_make(const struct cgroup_tree *tree, const struct cgroup_path *path,
		const struct cgroup_limits *limits, struct err *err) MUST_CHECK;
/* The same for a pod's group, as data for the supervisor, in the arena: folders to make; files and their content,
 * alternately; and files to join by (as of cgroup_procs()). In version 1 a group is made only for the controllers
 * with a limit for the pod: each takes a folder. The node's group is made here. False: this cannot be planned, as
 * in version 2, where controllers are delegated; cgroup_make() does it, or says why not. */
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
/* The files that a process writes itself into (plan_container.cgroups), in the arena; that of CPU shares is the
 * last. */
size_t cgroup_procs(const struct cgroup_tree *tree, const struct cgroup_path *path,
		    struct arena *arena, const char *const **ret);
void cgroup_use(const struct cgroup_tree *tree, const struct cgroup_path *path,
		struct cgroup_use *ret);
/* Only how many processes the kernel has killed because memory was short; -1: unknown. */
int64_t cgroup_oom_kills(const struct cgroup_tree *tree, const struct cgroup_path *path);

/* Send SIGKILL to every process in it and below; none of them can start another one meanwhile. Returns how many
 * there were; -1: some could not be reached. */
int64_t cgroup_kill(const struct cgroup_tree *tree, const struct cgroup_path *path);
/* Remove it with those below. ERR_CONFLICT while it has processes: try again. A missing group is no error. */
int cgroup_remove(const struct cgroup_tree *tree, const struct cgroup_path *path,
		  struct err *err) MUST_CHECK;
/* For a pod of which only the uid is known: kill its processes on any node, and remove its groups. ERR_CONFLICT
 * while processes are still ending: try again. */
int cgroup_remove_pod(const struct cgroup_tree *tree, const char *pod, struct err *err) MUST_CHECK;

#endif
