/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/pod_volumes.c - makes and removes volumes.
 *
 * No other user may enter the folder of a pod: it has mode 0700 above what containers get. Every user may write to
 * an emptyDir or a claim, as in Kubernetes; only containers that mount it reach it. */
#include "node/volume/pod_volumes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "node/volume/atomic_folder.h"
#include "node/volume/host_path.h"
#include "node/volume/volume_content.h"
#include "node/volume/volume_path.h"
#include "pod/source.h"

#include "base/banned.h"

enum { OPEN_MODE = 0777, LINKS_MAX = 1024 * 1024 };

static int64_t group_of(const struct pod *pod)
{
	const struct pod_security_context *context = pod->spec.security_context;

	return context && context->fs_group.set ? context->fs_group.value : -1;
}

/* Makes a folder for data: for all users, or for the group. */
static int make_data(const char *path, int64_t group, struct err *err)
{
	mode_t mode = OPEN_MODE;
	struct stat info;

	if (stat(path, &info) == 0 && S_ISDIR(info.st_mode) &&
	    (group < 0 || info.st_gid == (gid_t)group))
		return 0;
	if (folder_make(path, mode, err) < 0)
		return -1;
	if (group < 0)
		return 0;
	if (chown(path, (uid_t)-1, (gid_t)group) < 0)
		return err_errno(err, errno, "fsGroup: %s", path);
	return chmod(path, mode | S_ISGID) < 0 ? err_errno(err, errno, "fsGroup: %s", path) : 0;
}

/* --- kinds --- */

static int64_t limit_of(const struct resource_list *list, const char *name)
{
	for (size_t i = 0; i < list->len; i++)
		if (str_is(list->ptr[i].name, name))
			return quantity_value(&list->ptr[i].value);
	return 0;
}

/* The limit of a volume in memory: its own, else that of the pod, else the node's. 0: unknown. */
static int64_t memory_size(const struct sandbox *sandbox, const struct empty_dir_volume *volume)
{
	const struct containers *containers = &sandbox->pod->spec.containers;
	struct quantity all;
	int64_t sum = 0;

	if (volume->size_limit && quantity_sign(volume->size_limit) > 0)
		return quantity_value(volume->size_limit);
	for (size_t i = 0; i < containers->len; i++) {
		int64_t limit = limit_of(&containers->ptr[i].resources.limits, "memory");

		if (limit == 0) {
			sum = 0;
			break;
		}
		sum += limit;
	}
	if (sum == 0 &&
	    quantity_parse(json_str(json_get(sandbox->allocatable, "memory")), &all, NULL) == 0)
		sum = quantity_value(&all);
	return sum;
}

static bool is_mounted(const char *path)
{
	AUTO(mem_free) char *above = mem_printf("%s/..", path);
	struct stat info, parent;

	return stat(path, &info) == 0 && stat(above, &parent) == 0 && info.st_dev != parent.st_dev;
}

static int make_memory(const struct sandbox *sandbox, const struct pod_volumes_place *place,
		       const struct volume *volume, const char *path, struct err *err)
{
	int64_t size = memory_size(sandbox, volume->empty_dir);
	AUTO(mem_free) char *options = NULL;

	if (!place->can_mount) {
		AUTO(mem_free) char *folder = volume_path_memory(place, volume->name);

		if (make_data(folder, group_of(sandbox->pod), err) < 0)
			return -1;
		return symlink(folder, path) < 0 && errno != EEXIST
			       ? err_errno(err, errno, "%s", path)
			       : 0;
	}
	if (folder_make(path, OPEN_MODE, err) < 0)
		return -1;
	if (is_mounted(path))
		return 0;
	options =
		size ? mem_printf("mode=0777,size=%lld", (long long)size) : mem_strdup("mode=0777");
	if (mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options) < 0)
		return err_errno(err, errno, "a file system in memory");
	return make_data(path, group_of(sandbox->pod), err);
}

static int make_empty(const struct sandbox *sandbox, const struct pod_volumes_place *place,
		      const struct volume *volume, const char *path, struct err *err)
{
	struct str medium = volume->empty_dir->medium;

	if (str_is(medium, "Memory"))
		return make_memory(sandbox, place, volume, path, err);
	if (medium.len)
		return err_set(err, ERR_NOT_IMPLEMENTED,
			       "emptyDir.medium: %.*s is not supported by this node",
			       STR_ARG(medium));
	return make_data(path, group_of(sandbox->pod), err);
}

static int make_content(const struct sandbox *sandbox, const struct volume *volume,
			const char *path, bool *changed, struct err *err)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct atomic_folder_file *files = NULL;
	bool written = false;
	size_t len = 0;

	if (volume_content(sandbox, volume, arena, &files, &len, err) < 0 ||
	    folder_make(path, 0755, err) < 0 ||
	    atomic_folder_write(path, files, len, group_of(sandbox->pod), &written, err) < 0)
		return -1;
	*changed = *changed || written;
	return 0;
}

/* A volume whose path a user has named is checked like a hostPath; a missing one is reported when it is mounted. */
static int check_named(const struct volume_claim *claim, const char *hidden, struct err *err)
{
	AUTO(fd_close)
	int fd = source_open(
		&(struct source){.path = claim->path, .hidden = hidden, .foreign = true}, err);

	if (fd >= 0)
		return 0;
	if (err->code == ERR_NOT_FOUND && str_is(claim->type, "DirectoryOrCreate"))
		return source_make(&(struct source_new){claim->path, hidden, true, OPEN_MODE}, err);
	return err->code == ERR_NOT_FOUND ? 0 : -1;
}

static int make_claim(const struct sandbox *sandbox, const struct pod_volumes_place *place,
		      const struct volume *volume, struct err *err)
{
	struct volume_claim claim;
	AUTO(mem_free) char *path = NULL;

	if (volume_path_claim(sandbox, place->claims, volume->claim->name, &claim, err) < 0)
		return -1;
	path = claim.path;
	return claim.foreign ? check_named(&claim, place->hidden, err)
			     : make_data(path, group_of(sandbox->pod), err);
}

static int make_one(const struct sandbox *sandbox, const struct pod_volumes_place *place,
		    const struct volume *volume, bool *changed, struct err *err)
{
	AUTO(mem_free)
	char *path = mem_printf("%s/volumes/%.*s", place->folder, STR_ARG(volume->name));

	if (volume->host_path)
		return host_path_check(volume->host_path, place->hidden, err);
	if (volume->claim)
		return make_claim(sandbox, place, volume, err);
	if (volume->empty_dir)
		return make_empty(sandbox, place, volume, path, err);
	if (volume->ephemeral)
		return make_data(path, group_of(sandbox->pod), err);
	if (volume_content_is(volume))
		return make_content(sandbox, volume, path, changed, err);
	return err_set(err, ERR_NOT_IMPLEMENTED, "is of a kind that this node does not support");
}

int pod_volumes_make(const struct sandbox *sandbox, const struct pod_volumes_place *place,
		     bool *ret_changed, struct err *err)
{
	AUTO(mem_free) char *folder = mem_printf("%s/volumes", place->folder);
	bool changed = false;

	if (folder_make(folder, 0755, err) < 0)
		return -1;
	for (size_t i = 0; i < sandbox->pod->spec.volumes.len; i++) {
		const struct volume *volume = &sandbox->pod->spec.volumes.ptr[i];

		if (make_one(sandbox, place, volume, &changed, err) < 0)
			return err_wrap(err, "MountVolume.SetUp failed for volume \"%.*s\" ",
					STR_ARG(volume->name));
	}
	if (ret_changed)
		*ret_changed = changed;
	return 0;
}

/* --- size --- */

const char *pod_volumes_over_limit(const struct sandbox *sandbox,
				   const struct pod_volumes_place *place, struct arena *arena)
{
	for (size_t i = 0; i < sandbox->pod->spec.volumes.len; i++) {
		const struct volume *volume = &sandbox->pod->spec.volumes.ptr[i];
		const struct quantity *limit =
			volume->empty_dir ? volume->empty_dir->size_limit : NULL;
		AUTO(mem_free) char *path = NULL;
		char text[QUANTITY_TEXT_SIZE];

		if (!limit || quantity_sign(limit) <= 0)
			continue;
		path = mem_printf("%s/volumes/%.*s/", place->folder, STR_ARG(volume->name));
		if (folder_size(path, quantity_value(limit)) > quantity_value(limit))
			return arena_printf(
				arena,
				"Usage of EmptyDir volume \"%.*s\" exceeds the limit \"%s\". ",
				STR_ARG(volume->name), quantity_canonical(limit, text));
	}
	return NULL;
}

/* --- links --- */

/* Does it belong to this pod already? */
static bool is_ours(const char *path, const char *to)
{
	char there[4096];
	ssize_t len = readlink(path, there, sizeof(there) - 1);

	there[len < 0 ? 0 : len] = '\0';
	return str_is(str_from(there), to);
}

static int link_one(const struct plan_mount *mount, struct buf *links, struct err *err)
{
	if (!mount->source || is_ours(mount->target, mount->source))
		return 0;
	if (symlink(mount->source, mount->target) < 0) {
		if (errno == EEXIST)
			return err_set(err, ERR_CONFLICT,
				       "mountPath %s: is there already, and this machine does not "
				       "permit mount namespaces",
				       mount->target);
		return err_errno(err, errno,
				 "mountPath %s: cannot be made, and this machine does not permit "
				 "mount namespaces",
				 mount->target);
	}
	buf_printf(links, "%s%c%s%c", mount->target, '\0', mount->source, '\0');
	return 0;
}

int pod_volumes_link(const struct pod_volumes_place *place, const struct plan_mount *mounts,
		     size_t len, struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/links", place->folder);
	AUTO(buf_done) struct buf links = BUF_INIT(LINKS_MAX);
	int ret = 0;

	if (access(path, F_OK) == 0 && fd_read_file(path, &links, err) < 0)
		return -1;
	for (size_t i = 0; i < len && ret == 0; i++)
		ret = link_one(&mounts[i], &links, err);
	if (links.len && fd_write_file(path, links.ptr, links.len, 0600, ret < 0 ? NULL : err) < 0)
		return -1;
	return ret;
}

static void unlink_all(const struct pod_volumes_place *place)
{
	AUTO(mem_free) char *path = mem_printf("%s/links", place->folder);
	AUTO(buf_done) struct buf links = BUF_INIT(LINKS_MAX);
	struct str rest, target, source;

	if (fd_read_file(path, &links, NULL) < 0)
		return;
	rest = buf_str(&links);
	while (str_split(&rest, '\0', &target) && str_split(&rest, '\0', &source))
		if (is_ours(target.ptr, source.ptr))
			(void)unlink(target.ptr);
	(void)unlink(path);
}

/* --- the end --- */

/* Removes volumes in memory: unmounts them, or deletes their folder elsewhere. */
static int release(const struct pod_volumes_place *place, const char *name, struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/volumes/%s", place->folder, name);
	AUTO(mem_free) char *memory = volume_path_memory(place, str_from(name));

	if (is_ours(path, memory))
		return folder_delete(memory, err);
	if (place->can_mount && is_mounted(path) && umount2(path, MNT_DETACH) < 0)
		return err_errno(err, errno, "%s", path);
	return 0;
}

int pod_volumes_remove(const struct pod_volumes_place *place, struct err *err)
{
	AUTO(mem_free) char *folder = mem_printf("%s/volumes", place->folder);
	struct dirent **entries = NULL;
	int len = scandir(folder, &entries, NULL, NULL);
	int ret = 0;

	for (int i = 0; i < len; i++) {
		struct str name = str_from(entries[i]->d_name);

		if (ret == 0 && !str_is(name, ".") && !str_is(name, ".."))
			ret = release(place, entries[i]->d_name, err);
		mem_free(entries[i]);
	}
	mem_free(entries);
	unlink_all(place);
	return ret < 0 ? -1 : folder_delete(folder, err);
}

int pod_volumes_remove_claim(const char *claims, struct json claim, struct err *err)
{
	AUTO(mem_free) char *path = volume_path_of_claim(claims, claim);

	return folder_delete(path, err);
}
