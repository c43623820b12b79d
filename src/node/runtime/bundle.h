/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/bundle.h - a container as the config.json of an OCI bundle, which runtimes such as crun run.
 *
 * The container inherits what the supervisor has set for the runtime's own process (network, host name, control
 * groups, limits), as a process does. The bundle has the rest: files, user, capabilities, namespaces of mounts,
 * processes and IPC. Pure. */
#ifndef NODE_BUNDLE_H
#define NODE_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "node/runtime/image.h"
#include "pod/pod_plan.h"

struct bundle {
	const char *root; /* a folder: the container's root */
	struct image_words argv;
	struct image_words env;
	const char *folder; /* working directory */
	const struct plan_mount *mounts;
	size_t n_mounts;
	struct plan_identity identity; /* uid and gid are set */
	bool read_only;                /* the root */
	bool tty;
	bool privileged;
	bool host_pid;
	/* On a node that is not root: the container's user outside of its user namespace. -1: no user namespace. */
	int64_t outer_uid, outer_gid;
};

void bundle_print(const struct bundle *bundle, struct buf *to);

#endif
