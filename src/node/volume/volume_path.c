/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/volume_path.c - paths of volumes.
 *
 * A process that writes into a volume may put links there: the supervisor opens a subPath when it mounts it
 * (source.h). Only without mounts it is resolved here, for a link that stands for it. */
#include "node/volume/volume_path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "node/volume/pod_volumes.h"
#include "pod/source.h"

#include "base/banned.h"

char *volume_path_memory(const struct pod_volumes_place *place, struct str volume)
{
	struct str folder = str_from(place->folder);
	ptrdiff_t slash = str_rfind_byte(folder, '/');

	folder = str_skip(folder, (size_t)(slash + 1)); /* the pod's uid */
	return mem_printf("%s/volcano-%u-%.*s-%.*s", place->memory ? place->memory : "/dev/shm",
			  (unsigned)geteuid(), STR_ARG(folder), STR_ARG(volume));
}

char *volume_path_of_claim(const char *claims, struct json claim)
{
	struct json meta = json_get(claim, "metadata");

	return mem_printf("%s/%.*s/%.*s-%.*s", claims,
			  STR_ARG(json_str(json_get(meta, "namespace"))),
			  STR_ARG(json_str(json_get(meta, "name"))),
			  STR_ARG(json_str(json_get(meta, "uid"))));
}

/* A volume that was made for a claim on this machine is a folder directly below `volumes` in the node's own
 * folder. */
static bool is_made_here(const char *claims, struct str path)
{
	struct str home = str_from(claims);
	struct str name;

	home = str_slice(home, 0, (size_t)(str_rfind_byte(home, '/') + 1));
	if (!str_starts(path, home) || !str_starts(str_skip(path, home.len), STR("volumes/")))
		return false;
	name = str_skip(path, home.len + strlen("volumes/"));
	return name.len && str_find_byte(name, '/', 0) < 0 && !str_is(name, ".") &&
	       !str_is(name, "..");
}

static int of_volume(const struct sandbox *sandbox, const char *claims, struct str name,
		     struct volume_claim *ret, struct err *err)
{
	struct json volume = sandbox_find(sandbox, SANDBOX_VOLUME, name);
	struct json spec = json_get(volume, "spec");
	struct str path = json_str(json_get(json_get(spec, "hostPath"), "path"));

	if (json_is_absent(volume))
		return err_set(err, ERR_NOT_FOUND, "persistentvolume \"%.*s\" not found",
			       STR_ARG(name));
	if (!path.len)
		path = json_str(json_get(json_get(spec, "local"), "path"));
	if (!path.len)
		return err_set(err, ERR_NOT_IMPLEMENTED,
			       "persistentvolume \"%.*s\": this node supports only hostPath and "
			       "local",
			       STR_ARG(name));
	*ret = (struct volume_claim){str_dup(path), !is_made_here(claims, path),
				     json_str(json_get(json_get(spec, "hostPath"), "type"))};
	return 0;
}

int volume_path_claim(const struct sandbox *sandbox, const char *claims, struct str name,
		      struct volume_claim *ret, struct err *err)
{
	struct json claim = sandbox_find(sandbox, SANDBOX_CLAIM, name);
	struct json spec = json_get(claim, "spec");
	struct str volume = json_str(json_get(spec, "volumeName"));

	if (json_is_absent(claim))
		return err_set(err, ERR_NOT_FOUND, "persistentvolumeclaim \"%.*s\" not found",
			       STR_ARG(name));
	if (str_is(json_str(json_get(spec, "volumeMode")), "Block"))
		return err_set(err, ERR_NOT_IMPLEMENTED,
			       "persistentvolumeclaim \"%.*s\": volumeMode Block is not supported "
			       "by this node",
			       STR_ARG(name));
	if (volume.len)
		return of_volume(sandbox, claims, volume, ret, err);
	*ret = (struct volume_claim){.path = volume_path_of_claim(claims, claim)};
	return 0;
}

int volume_path(const struct sandbox *sandbox, const struct pod_volumes_place *place,
		const struct volume *volume, char **ret, bool *ret_foreign, struct err *err)
{
	struct volume_claim claim = {0};

	*ret_foreign = false;
	if (volume->host_path) {
		*ret = str_dup(volume->host_path->path);
		*ret_foreign = true;
	} else if (volume->claim) {
		if (volume_path_claim(sandbox, place->claims, volume->claim->name, &claim, err) < 0)
			return -1;
		*ret = claim.path;
		*ret_foreign = claim.foreign;
	} else if (volume->empty_dir && str_is(volume->empty_dir->medium, "Memory") &&
		   !place->can_mount) {
		*ret = volume_path_memory(place, volume->name);
		*ret_foreign = true; /* other processes of the same user may write there */
	} else {
		*ret = mem_printf("%s/volumes/%.*s", place->folder, STR_ARG(volume->name));
	}
	return 0;
}

int volume_path_below(const char *volume, const char *path, char **ret, struct err *err)
{
	AUTO(fd_close) int fd = source_open(&(struct source){.path = volume, .below = path}, err);
	char link[64], there[4096];
	ssize_t len;

	if (fd < 0)
		return -1;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, there, sizeof(there) - 1);
	if (len < 0)
		return err_errno(err, errno, "%s", path);
	*ret = str_dup(str_of(there, (size_t)len));
	return 0;
}
