/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_access.c - the volume kube-api-access, with which a pod uses the API server; admission adds it
 * to pods that ask for it.
 *
 * Its content is a token that is bound to the pod, the certificate to trust, and the namespace. It is made in the
 * pod's own folder `access`, mounted where each container wants it, and deleted with that folder. In pods whose
 * files belong to one user it is a volume like any other. */
#include "base/mem.h"
#include "model/pod/pod.h"
#include "node/agent/agent_internal.h"
#include "node/pod/sandbox.h"
#include "node/volume/atomic_folder.h"
#include "node/volume/pod_volumes.h"

#include "base/banned.h"

#define PREFIX "kube-api-access-"

enum { MODE_ACCESS = 0755 };

static bool has_owner(const struct pod *view)
{
	const struct pod_security_context *of_pod = view->spec.security_context;

	if (of_pod && (of_pod->run_as_user.set || of_pod->fs_group.set))
		return true;
	for (size_t i = 0; i < view->spec.containers.len; i++) {
		const struct security_context *own = view->spec.containers.ptr[i].security_context;

		if (own && own->run_as_user.set)
			return true;
	}
	return false;
}

/* Removes the mount of a volume from a container. Returns its path; empty: it had none. */
static struct str take_mount(struct container *container, struct str volume)
{
	for (size_t i = 0; i < container->volume_mounts.len; i++) {
		struct volume_mount mount = container->volume_mounts.ptr[i];

		if (!str_eq(mount.name, volume))
			continue;
		vec_remove(&container->volume_mounts, i);
		return mount.mount_path;
	}
	return str_none();
}

bool agent_access_take(struct pod *view, struct arena *arena, struct agent_access_use *ret)
{
	size_t n_init = view->spec.init_containers.len;

	if (has_owner(view))
		return false;
	for (size_t i = 0; i < view->spec.volumes.len; i++) {
		struct volume volume = view->spec.volumes.ptr[i];

		if (!str_starts(volume.name, STR(PREFIX)) || !volume.projected)
			continue;
		vec_remove(&view->spec.volumes, i);
		ret->targets = arena_calloc(arena, n_init + view->spec.containers.len + 1,
					    sizeof(*ret->targets));
		for (size_t k = 0; k < n_init; k++)
			ret->targets[k] =
				take_mount(&view->spec.init_containers.ptr[k], volume.name);
		for (size_t k = 0; k < view->spec.containers.len; k++)
			ret->targets[n_init + k] =
				take_mount(&view->spec.containers.ptr[k], volume.name);
		volume.name = STR("access");
		ret->volume = arena_alloc(arena, sizeof(volume));
		*ret->volume = volume;
		return true;
	}
	return false;
}

int agent_access_make(const struct agent_pod *pod, const struct sandbox *sandbox,
		      const struct agent_access_use *use, struct arena *arena,
		      const char **ret_source, struct err *err)
{
	const char *folder = arena_printf(arena, "%s/access", pod->folder);
	struct pod_volumes_place place = {.folder = folder};
	struct pod only = *sandbox->pod;
	struct sandbox of_it = *sandbox;
	bool changed;

	*ret_source = arena_printf(arena, "%s/volumes/access", folder);
	only.spec.volumes.ptr = use->volume;
	only.spec.volumes.len = 1;
	of_it.pod = &only;
	if (folder_make(folder, MODE_ACCESS, err) < 0)
		return -1;
	return pod_volumes_make(&of_it, &place, &changed, err);
}
