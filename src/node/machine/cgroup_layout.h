/* SPDX-License-Identifier: Apache-2.0 */
/* node/machine/cgroup_layout.h - where this machine has control groups, and which controllers.
 *
 * Read from mountinfo and from the process's own /proc/self/cgroup. A machine has version 2, or version 1 with one
 * hierarchy per controller, or both, with the controllers in version 1 ("hybrid"): version 2 is used if it has
 * controllers. */
#ifndef NODE_CGROUP_LAYOUT_H
#define NODE_CGROUP_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"

enum cgroup_version { CGROUP_NONE, CGROUP_V1, CGROUP_V2 };

/* The controllers that a node uses. */
enum cgroup_controller {
	CGROUP_CPU,
	CGROUP_CPUACCT, /* version 1 only: the use of cpu */
	CGROUP_MEMORY,
	CGROUP_PIDS,
	CGROUP_CONTROLLER_COUNT
};
const char *cgroup_controller_name(enum cgroup_controller controller);

struct cgroup_layout {
	enum cgroup_version version;
	/* Where each is mounted, and the group of this process in it ("/a/b"); NULL: not available. In version 2
	 * all controllers have the same. */
	char *mount[CGROUP_CONTROLLER_COUNT];
	char *self[CGROUP_CONTROLLER_COUNT];
};
void cgroup_layout_done(struct cgroup_layout *layout);
DEFINE_AUTO_IN_PLACE(struct cgroup_layout, cgroup_layout_done);

/* `proc` is a folder like /proc. Mounts are searched below `root`: "" except in tests. A machine without control
 * groups is no error. */
int cgroup_layout_read(const char *proc, const char *root, struct cgroup_layout *ret,
		       struct err *err) MUST_CHECK;

/* The smallest limit of this process's groups and those above; 0: none. Milli-cores, bytes. */
int64_t cgroup_layout_cpu_limit(const struct cgroup_layout *layout);
int64_t cgroup_layout_memory_limit(const struct cgroup_layout *layout);
/* Bytes until the first of these limits is reached; -1: there is no limit. */
int64_t cgroup_layout_memory_left(const struct cgroup_layout *layout);

/* A file of a group: its text, and whether it could be read; its number, -1: it is none. */
bool cgroup_read_value(const char *folder, const char *file, struct buf *to);
int64_t cgroup_read_number(const char *folder, const char *file);
/* The number after a word, in a file with one word per line; -1: not found. */
int64_t cgroup_read_member(const char *folder, const char *file, const char *name);
/* Bytes of memory that cannot be reclaimed at once; -1: unknown. */
int64_t cgroup_read_working_set(enum cgroup_version version, const char *folder);

#endif
