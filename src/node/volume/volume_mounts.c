/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/volume_mounts.c - a container's volumeMounts as the mounts of a plan.
 *
 * Mounts are made from the root down, so that one may be in another. The node's own folder is hidden last; in a
 * volume that contains it the supervisor covers it (mounts.c). What was mounted from it before stays mounted. */
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "node/volume/pod_volumes.h"
#include "node/volume/volume_content.h"
#include "node/volume/volume_path.h"

#include "base/banned.h"

#define HIDDEN_OPTIONS "mode=0555,size=4096"

struct mounter {
	const struct sandbox *sandbox;
	const struct pod_volumes_place *place;
	const struct container_env *env;
	struct arena *arena;
	VEC(struct plan_mount) mounts;
};

static const struct volume *find_volume(const struct pod *pod, struct str name)
{
	for (size_t i = 0; i < pod->spec.volumes.len; i++)
		if (str_eq(pod->spec.volumes.ptr[i].name, name))
			return &pod->spec.volumes.ptr[i];
	return NULL;
}

/* Checks a path below a volume: neither absolute, nor with "..". */
static int check_sub_path(struct str path, struct err *err)
{
	struct str rest = path;
	struct str part;

	if (path.ptr[0] == '/')
		return err_set(err, ERR_INVALID,
			       "error SubPath `%.*s` must not be an absolute path", STR_ARG(path));
	while (str_split(&rest, '/', &part))
		if (str_is(part, ".."))
			return err_set(err, ERR_INVALID,
				       "unable to provision SubPath `%.*s`: must not contain '..'",
				       STR_ARG(path));
	return 0;
}

/* The path below the volume that is mounted; NULL: the whole volume. */
static int get_sub_path(struct mounter *mounter, const struct volume_mount *mount, const char **ret,
			struct err *err)
{
	struct str path = mount->sub_path;

	if (mount->sub_path_expr.len && container_env_expand(mounter->env, mount->sub_path_expr,
							     true, mounter->arena, &path, err) < 0)
		return -1;
	while (path.len && path.ptr[path.len - 1] == '/')
		path.len--;
	if (path.len && check_sub_path(path, err) < 0)
		return -1;
	*ret = path.len ? arena_str(mounter->arena, path).ptr : NULL;
	return 0;
}

/* Without mounts a link leads there. */
static int apply_sub_path(const struct container *container, const struct volume_mount *mount,
			  const char *path, char **source, struct err *err)
{
	char *below = NULL;

	if (volume_path_below(*source, path, &below, err) < 0)
		return err_wrap(err,
				"failed to prepare subPath for volumeMount \"%.*s\" of container "
				"\"%.*s\"",
				STR_ARG(mount->name), STR_ARG(container->name));
	mem_free(*source);
	*source = below;
	return 0;
}

static int add_mount(struct mounter *mounter, const struct container *container,
		     const struct volume_mount *mount, struct err *err)
{
	const struct volume *volume = find_volume(mounter->sandbox->pod, mount->name);
	AUTO(mem_free) char *source = NULL;
	struct str target = mount->mount_path;
	const char *below = NULL;
	bool links = !mounter->place->namespaces;
	bool foreign = false;

	if (!volume)
		return err_set(err, ERR_INVALID,
			       "cannot find volume \"%.*s\" to mount into container \"%.*s\"",
			       STR_ARG(mount->name), STR_ARG(container->name));
	if (volume_path(mounter->sandbox, mounter->place, volume, &source, &foreign, err) < 0 ||
	    get_sub_path(mounter, mount, &below, err) < 0)
		return -1;
	if (below && links && apply_sub_path(container, mount, below, &source, err) < 0)
		return -1;
	while (target.len > 1 && target.ptr[target.len - 1] == '/')
		target.len--;
	vec_push(&mounter->mounts,
		 (struct plan_mount){
			 .source = arena_strdup(mounter->arena, source),
			 .target = arena_printf(mounter->arena, "%s%.*s",
						target.len && target.ptr[0] == '/' ? "" : "/",
						STR_ARG(target)),
			 .below = links ? NULL : below,
			 .foreign = foreign,
			 .read_only = mount->read_only || volume_content_is(volume) ||
				      (volume->claim && volume->claim->read_only),
		 });
	return 0;
}

static size_t depth_of(const char *path)
{
	size_t depth = 0;

	for (const char *at = path; *at; at++)
		depth += *at == '/' && at[1];
	return depth;
}

/* A stable insertion sort: there are few. */
static void sort_mounts(struct mounter *mounter)
{
	struct plan_mount *list = mounter->mounts.ptr;

	for (size_t i = 1; i < mounter->mounts.len; i++) {
		struct plan_mount moved = list[i];
		size_t at = i;

		for (; at > 0 && depth_of(list[at - 1].target) > depth_of(moved.target); at--)
			list[at] = list[at - 1];
		list[at] = moved;
	}
}

static void hide(struct mounter *mounter)
{
	if (mounter->place->hidden && mounter->place->namespaces)
		vec_push(&mounter->mounts, (struct plan_mount){.fstype = "tmpfs",
							       .target = mounter->place->hidden,
							       .options = HIDDEN_OPTIONS,
							       .read_only = true});
}

int pod_volumes_mounts(const struct sandbox *sandbox, const struct pod_volumes_place *place,
		       const struct container *container, const struct container_env *env,
		       struct arena *arena, struct pod_volumes_mounts *ret, struct err *err)
{
	struct mounter mounter = {sandbox, place, env, arena, {0}};
	struct plan_mount *list;
	int failed = 0;

	for (size_t i = 0; i < container->volume_mounts.len && failed == 0; i++)
		failed = add_mount(&mounter, container, &container->volume_mounts.ptr[i], err);
	if (failed == 0) {
		sort_mounts(&mounter);
		hide(&mounter);
		list = arena_calloc(arena, mounter.mounts.len + 1, sizeof(*list));
		if (mounter.mounts.len)
			memcpy(list, mounter.mounts.ptr, mounter.mounts.len * sizeof(*list));
		*ret = (struct pod_volumes_mounts){list, mounter.mounts.len};
	}
	vec_done(&mounter.mounts);
	return failed;
}
