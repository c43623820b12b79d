/* SPDX-License-Identifier: Apache-2.0 */
/* pod/pod_plan.h - everything that a supervisor must know about its pod, as data.
 *
 * The agent decides and sends the plan; the supervisor (programs/volcano-pod) executes it. The text in between has
 * a version, is bounded (LIMIT_PLAN_BYTES) and has the length of each part; a text that does not decode completely
 * is refused.
 *
 * Texts are C strings. The caller who fills a plan keeps what it points to; a decoded plan lives in its arena. */
#ifndef POD_PLAN_H
#define POD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

/* Version of the plan's text and of its meaning. `volcano` and `volcano-pod` must have the same. */
#define PLAN_VERSION "6"

/* An additional kind of mount: the folder `target` as it is, without the entries that `options` names, separated
 * by commas. */
#define PLAN_WITHOUT "without"
/* Two more kinds: files in memory for one run of a container (plan_container.scratch), which the supervisor keeps
 * open. `options` of PLAN_HOSTS is its content until the agent sends other names. Every user may write to
 * PLAN_MESSAGE; its beginning is kept in the pod's folder when the run has ended. */
#define PLAN_HOSTS "hosts"
#define PLAN_MESSAGE "message"

/* Made in this order, in the mount namespace of the container. */
struct plan_mount {
	const char *source;  /* a path of the machine; NULL with fstype */
	const char *target;  /* a path in the container; made if it is missing */
	const char *fstype;  /* NULL: bind mount; "tmpfs", "proc", PLAN_WITHOUT, ... */
	const char *options; /* of fstype, e.g. "size=1048576"; may be NULL */
	const char *below;   /* a path in the source that no link leads out of; may be NULL */
	bool foreign; /* a user has named the source: it may not be in the node's own folder (pod/source.h) */
	bool read_only;
};

/* Is it a file in memory? */
bool plan_mount_is_file(const struct plan_mount *mount);

struct plan_identity {
	int64_t uid; /* -1: as the supervisor */
	int64_t gid;
	const uint32_t *groups; /* supplementary groups; exactly these if uid or gid is set */
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
	const char *const *argv; /* none: idles until it is stopped */
	size_t argc;
	const char *const *env; /* "NAME=value", complete */
	size_t n_env;
	const char *cwd; /* NULL: the pod's folder */
	const char *
		other_cwd; /* used if its user may not enter cwd, which its output then says; may be NULL */
	const char *const *
		cgroups; /* cgroup.procs files that it writes itself into, the last one right before the
	 * program starts */
	size_t n_cgroups;
	const char *const
		*group_folders; /* groups to make before the start; they are removed at the end */
	size_t n_group_folders;
	const char *const *group_values; /* pairs: a file of a group, and what to write there */
	size_t n_group_values;
	const struct plan_mount *mounts;
	size_t n_mounts;
	const char *
		root; /* an empty folder, in which a root for the container is built: what its mounts need is made
		 * there and not on the machine; NULL: the machine's root */
	bool read_only_root; /* with root: only what is mounted can be written */
	const char *
		scratch; /* target of a mount of "tmpfs"; files of PLAN_HOSTS and PLAN_MESSAGE, which come after
		 * it, are made there; may be NULL without such files */
	struct plan_identity identity;
	bool seals_sys;  /* /sys, with control groups, cannot be written */
	bool seals_proc; /* the machine's part of /proc is read-only or hidden */
	bool tty;
	bool stdin_open;
};

struct pod_plan {
	const char *uid;
	const char *namespace_;
	const char *name;
	const char *hostname;
	const char *
		address; /* sent to every agent that connects: addresses of the pod and of its node; may be NULL */
	const char *folder;   /* D/pods/UID */
	const char *hidden;   /* D, which no container may see; NULL: nothing is hidden */
	const char *netns;    /* path of a network namespace to join; NULL: the machine's */
	bool user_namespace;  /* for a supervisor that is not root: the other namespaces need it */
	bool mount_namespace; /* only if the machine permits it */
	bool uts_namespace;   /* hostname is set in it */
	bool pid_namespace;   /* one per container */
	int64_t deadline_us; /* time from the supervisor's start until every container is stopped; 0: none */
	int64_t grace_us;                        /* time between SIGTERM and SIGKILL by default */
	uint64_t log_size;                       /* rotate at; 0: never */
	unsigned log_files;                      /* files kept per run, including the current one */
	const struct plan_container *containers; /* init containers first */
	size_t n_containers;
	size_t n_init;
};

/* No identity: every field -1, and every capability left alone. */
extern const struct plan_identity plan_identity_none;

/* Append the plan's text. ERR_TOO_LARGE past LIMIT_PLAN_BYTES. */
int pod_plan_encode(const struct pod_plan *plan, struct buf *to, struct err *err) MUST_CHECK;
/* `ret` points into `arena`; `text` is no longer needed. ERR_BAD_REQUEST says where the text is not a plan. */
int pod_plan_decode(struct str text, struct arena *arena, struct pod_plan *ret,
		    struct err *err) MUST_CHECK;

#endif
