/* SPDX-License-Identifier: Apache-2.0 */
/* pod/pod_plan.h - everything that a supervisor must know about its pod, as data.
 *
 * The agent decides, and writes the plan into the pod's folder; the supervisor (programs/volcano-pod)
 * reads it and does what it says. The text in between has a version, is bounded (LIMIT_PLAN_BYTES)
 * and says how long each part is; what does not decode whole is refused.
 *
 * Texts are C strings. The one who fills a plan keeps what it points to; one that was decoded lives in
 * its arena. */
#ifndef POD_POD_PLAN_H
#define POD_POD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

/* Of the plan's text, and of what it means. `volcano` and `volcano-pod` must have the same. */
#define PLAN_VERSION "6"

/* A kind of mount of our own: the folder `target` as it is, but for the entries that `options` names, with
 * commas between. */
#define PLAN_WITHOUT "without"
/* Two more: files that are there for one run of a container, in memory (plan_container.scratch). The supervisor keeps
 * them open. Of PLAN_HOSTS `options` is what it holds, until other names are told; of PLAN_MESSAGE, which everybody may
 * write, the start is kept in the pod's folder when the run has ended. */
#define PLAN_HOSTS "hosts"
#define PLAN_MESSAGE "message"

/* Made in this order, in the mount namespace of the container. */
struct plan_mount {
	const char *source;  /* a path of the machine; NULL with fstype */
	const char *target;  /* a path in the container; made where it is missing */
	const char *fstype;  /* NULL: bind mount; "tmpfs", "proc", PLAN_WITHOUT, ... */
	const char *options; /* of fstype, e.g. "size=1048576"; may be NULL */
	const char *below;   /* a path in the source that no link leads out of; may be NULL */
	bool foreign;        /* a user has named the source: not the node's own (pod/source.h) */
	bool read_only;
};

/* Is it a file in memory? */
bool plan_mount_is_file(const struct plan_mount *mount);

struct plan_identity {
	int64_t uid; /* -1: as the supervisor */
	int64_t gid;
	const uint32_t *groups; /* supplementary; exactly these where uid or gid is set */
	size_t n_groups;
	bool no_new_privs;
	int64_t max_processes; /* rlimits; -1: inherited */
	int64_t max_files;
	int64_t core_size;
	int oom_score_adj;
	int nice;
	uint64_t keep_capabilities; /* bounding set, bits by capability; all ones: left alone */
};

struct plan_container {
	const char *name;
	const char *const *argv; /* none: idles until it is told to end */
	size_t argc;
	const char *const *env; /* "NAME=value", complete */
	size_t n_env;
	const char *cwd; /* NULL: the pod's folder */
	const char *
		other_cwd; /* where its user may not enter that: then here, and its output says so; may be NULL */
	const char *const *cgroups; /* cgroup.procs files to write itself into, the last one late */
	size_t n_cgroups;
	const char *const
		*group_folders; /* groups that are to be made before; they go at the end */
	size_t n_group_folders;
	const char *const
		*group_values; /* a file of one, what is written there, the next file, ... */
	size_t n_group_values;
	const struct plan_mount *mounts;
	size_t n_mounts;
	const char *
		root; /* an empty folder: a root of its own is built there, so that what mounts need
			     is made in it and not on the machine; NULL: the machine's */
	bool read_only_root; /* with it: only what is mounted can be written */
	const char *
		scratch; /* the target of a mount of "tmpfs", where files of PLAN_HOSTS and PLAN_MESSAGE,
				which come after it, are made; may be NULL where there are none */
	struct plan_identity identity;
	bool seals_sys;  /* /sys, with control groups, cannot be written */
	bool seals_proc; /* what is the machine's in /proc cannot be written, or not be seen */
	bool tty;
	bool stdin_open;
};

struct pod_plan {
	const char *uid;
	const char *namespace_;
	const char *name;
	const char *hostname;
	const char *
		address; /* told to every agent that comes: the pod's and its node's; may be NULL */
	const char *folder;   /* D/pods/UID */
	const char *hidden;   /* D, which no container may see; NULL: nothing is hidden */
	const char *netns;    /* path of a network namespace to join; NULL: the machine's */
	bool user_namespace;  /* of a supervisor that is not root: needed for the others */
	bool mount_namespace; /* where permitted: the machine has been asked */
	bool uts_namespace;   /* hostname is set in it */
	bool pid_namespace;   /* one a container */
	int64_t deadline_us;  /* from the supervisor's start: then every container ends; 0: none */
	int64_t grace_us;     /* between SIGTERM and SIGKILL where nobody says otherwise */
	uint64_t log_size;    /* rotate at; 0: never */
	unsigned log_files;   /* keep at most so many a run, the current one included */
	const struct plan_container *containers; /* init containers first */
	size_t n_containers;
	size_t n_init;
};

/* What nobody has asked for: -1, and every capability left alone. */
extern const struct plan_identity plan_identity_none;

/* Append the plan's text. ERR_TOO_LARGE past LIMIT_PLAN_BYTES. */
int pod_plan_encode(const struct pod_plan *plan, struct buf *to, struct err *err) MUST_CHECK;
/* What `ret` points to is in `arena`; `text` is no longer needed. ERR_BAD_REQUEST says where the text
 * is not a plan. */
int pod_plan_decode(struct str text, struct arena *arena, struct pod_plan *ret,
		    struct err *err) MUST_CHECK;

#endif
