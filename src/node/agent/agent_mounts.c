/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_mounts.c - what every container has mounted in addition to its volumes.
 *
 * An empty file system in memory hides the node's own folder. The small files of a container, its hosts file and
 * its termination message, are made on it: a file on disk takes many times as long (docs/design/017-node.md). The
 * container's working directory is in the hidden folder; it alone is mounted again. */
#include <string.h>

#include "node/agent/agent_internal.h"
#include "node/machine/devices.h"
#include "node/volume/pod_volumes.h"

#include "base/banned.h"

/* Empty except for targets of mounts, and files that lose their name once they are mounted. */
#define SCRATCH_OPTIONS "mode=0555,size=16m"

struct rows {
	struct plan_mount *ptr;
	size_t len;
};

static void add(struct rows *rows, struct plan_mount mount)
{
	rows->ptr[rows->len++] = mount;
}

static bool brings(const struct agent_mounts *in, const char *target)
{
	for (size_t i = 0; i < in->volumes->len; i++)
		if (strcmp(in->volumes->ptr[i].target, target) == 0)
			return true;
	return false;
}

static const char *in_folder(const struct agent_mounts *in, const char *name, struct arena *arena)
{
	return arena_printf(arena, "%s/%s", in->pod->folder, name);
}

/* The files with host names, unless the container has its own mounts there. */
static void add_names(const struct agent_mounts *in, struct arena *arena, struct rows *rows)
{
	if (!brings(in, "/etc/hosts"))
		add(rows, in->hosts ? (struct plan_mount){.fstype = PLAN_HOSTS,
							  .target = "/etc/hosts",
							  .options = in->hosts}
				    : (struct plan_mount){.source = in_folder(in, "hosts", arena),
							  .target = "/etc/hosts"});
	if (in->has_resolv && !brings(in, "/etc/resolv.conf"))
		add(rows, (struct plan_mount){.source = in_folder(in, "resolv.conf", arena),
					      .target = "/etc/resolv.conf"});
}

static void add_message(const struct agent_mounts *in, struct arena *arena, struct rows *rows)
{
	struct str path = in->container->message_path;
	struct plan_mount mount = {.target = arena_str(arena, path).ptr};

	if (!path.len)
		return;
	if (in->in_memory)
		mount.fstype = PLAN_MESSAGE;
	else
		mount.source = agent_message_path(in->pod, in->container->name, arena);
	add(rows, mount);
}

/* The file system that hides the node's folder has them. */
static void add_volumes(const struct agent_mounts *in, struct rows *rows,
			struct plan_container *ret)
{
	for (size_t i = 0; i < in->devices->n_mounts; i++)
		add(rows, in->devices->mounts[i]);
	for (size_t i = 0; i < in->volumes->len; i++) {
		struct plan_mount mount = in->volumes->ptr[i];

		if (mount.fstype && in->hidden && strcmp(mount.target, in->hidden) == 0) {
			mount.read_only = false;
			mount.options = SCRATCH_OPTIONS;
			ret->scratch = mount.target;
		}
		add(rows, mount);
	}
}

void agent_mounts_make(const struct agent_mounts *in, struct arena *arena,
		       struct plan_container *ret)
{
	enum { OWN = 5 };
	size_t most = in->devices->n_mounts + in->volumes->len + OWN;
	struct rows rows = {.ptr = arena_calloc(arena, most, sizeof(*rows.ptr))};

	add_volumes(in, &rows, ret);
	if (!in->container->working_dir.len)
		add(&rows, (struct plan_mount){.source = in_folder(in, "work", arena),
					       .target = in->work});
	add_names(in, arena, &rows);
	if (in->access_target.len)
		add(&rows, (struct plan_mount){.source = in->access,
					       .target = arena_str(arena, in->access_target).ptr,
					       .read_only = true});
	add_message(in, arena, &rows);
	ret->mounts = rows.ptr;
	ret->n_mounts = rows.len;
}
