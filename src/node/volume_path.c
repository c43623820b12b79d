/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume_path.c - paths of volumes.
 *
 * Who writes into a volume may put links there. A subPath is walked by the kernel with the rule that
 * it stays below the volume (openat2), so that no link leads out of it. */
#include "node/volume_path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "node/volumes.h"

#include "base/banned.h"

char *volume_path_memory(const struct volumes_place *place, struct str volume)
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

static int of_volume(const struct room *room, struct str name, char **ret, bool *ret_own,
		     struct err *err)
{
	struct json volume = room_find(room, ROOM_VOLUME, name);
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
	*ret = str_dup(path);
	*ret_own =
		str_is(json_str(json_get(json_get(spec, "hostPath"), "type")), "DirectoryOrCreate");
	return 0;
}

int volume_path_claim(const struct room *room, const char *claims, struct str name, char **ret,
		      bool *ret_own, struct err *err)
{
	struct json claim = room_find(room, ROOM_CLAIM, name);
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
	*ret_own = volume.len == 0;
	if (volume.len)
		return of_volume(room, volume, ret, ret_own, err);
	*ret = volume_path_of_claim(claims, claim);
	return 0;
}

int volume_path(const struct room *room, const struct volumes_place *place,
		const struct volume *volume, char **ret, struct err *err)
{
	bool own;

	if (volume->host_path) {
		*ret = str_dup(volume->host_path->path);
		return 0;
	}
	if (volume->claim)
		return volume_path_claim(room, place->claims, volume->claim->name, ret, &own, err);
	if (volume->empty_dir && str_is(volume->empty_dir->medium, "Memory") && !place->can_mount)
		*ret = volume_path_memory(place, volume->name);
	else
		*ret = mem_printf("%s/volumes/%.*s", place->folder, STR_ARG(volume->name));
	return 0;
}

/* --- below a volume --- */

static int open_below(int root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

/* Make the folders of `path` that are missing, one after the other. */
static int make_below(int root, struct str path, mode_t mode)
{
	AUTO(mem_free) char *part = str_dup(path);

	for (size_t i = 1; i <= path.len; i++) {
		AUTO(fd_close) int above = -1;
		char kept = part[i];
		ptrdiff_t slash;

		if (kept != '/' && kept != '\0')
			continue;
		part[i] = '\0';
		slash = str_rfind_byte(str_of(part, i), '/');
		if (slash > 0)
			part[slash] = '\0';
		above = open_below(root, slash > 0 ? part : ".");
		if (above < 0)
			return -1;
		if (mkdirat(above, part + (slash < 0 ? 0 : slash + 1), mode) == 0) {
			if (fchmodat(above, part + (slash < 0 ? 0 : slash + 1), mode, 0) < 0)
				return -1;
		} else if (errno != EEXIST) {
			return -1;
		}
		if (slash > 0)
			part[slash] = '/';
		part[i] = kept;
	}
	return 0;
}

int volume_path_below(const char *volume, struct str path, char **ret, struct err *err)
{
	AUTO(fd_close) int root = open(volume, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO(mem_free) char *text = str_dup(path);
	AUTO(fd_close) int found = -1;
	char link[64], there[4096];
	struct stat info;
	ssize_t len;

	if (root < 0 || fstat(root, &info) < 0)
		return err_errno(err, errno, "the volume");
	found = open_below(root, text);
	if (found < 0 && errno == ENOENT) {
		if (make_below(root, path, info.st_mode & 07777) < 0)
			return err_errno(err, errno, "%s", text);
		found = open_below(root, text);
	}
	if (found < 0 && errno == EXDEV)
		return err_set(err, ERR_FORBIDDEN, "%s: leads out of the volume", text);
	if (found < 0)
		return err_errno(err, errno, "%s", text);
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", found);
	len = readlink(link, there, sizeof(there) - 1);
	if (len < 0)
		return err_errno(err, errno, "%s", text);
	*ret = str_dup(str_of(there, (size_t)len));
	return 0;
}
