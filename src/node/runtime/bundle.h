/* SPDX-License-Identifier: Apache-2.0 */
/* node/runtime/bundle.h - a container as the config.json of an OCI bundle, which runtimes such as crun run.
 *
 * What the supervisor has given to the runtime's own process (network, host name, control groups, limits)
 * is inherited, so that it is the same as for a process; the rest is here: files, user, capabilities,
 * namespaces of mounts, processes and IPC. Pure. */
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
	const char *folder; /* to begin in */
	const struct plan_mount *mounts;
	size_t n_mounts;
	struct plan_identity identity; /* uid and gid are set */
	bool read_only;                /* the root */
	bool tty;
	bool privileged;
	bool host_pid;
	/* Of a node that is not root: who the container's user is outside. -1: no namespace of users. */
	int64_t outer_uid, outer_gid;
};

void bundle_print(const struct bundle *bundle, struct buf *to);

#endif
