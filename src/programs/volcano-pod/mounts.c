/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/mounts.c - the mounts of a container.
 *
 * Sources are opened before the first mount, which may hide them, and are mounted by their descriptors: what was
 * checked (pod/source.h) is what is mounted. Targets are opened below the container's root; a target inside a
 * volume that was mounted before is opened below that volume, so that no link in a volume leads out of it. Missing
 * targets are made. Nothing is mounted in /proc.
 *
 * A folder of the machine that contains the node's own folder would show it: the node's folder is covered there. */
#include "programs/volcano-pod/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/vec.h"
#include "pod/pod_plan.h"
#include "pod/source.h"
#include "programs/volcano-pod/descriptor.h"
#include "programs/volcano-pod/pod_child.h"
#include "programs/volcano-pod/root.h"

#include "base/banned.h"

#define COVER_OPTIONS "mode=0555,size=4096"

enum {
	MODE_FOLDER = 0755,
	MODE_FILE = 0644,
	MODE_FOR_ALL = 0666,
};

/* A volume that was mounted. */
struct placed {
	char *target;
	int fd;
};

struct mounter {
	const struct pod_child_start *start;
	const struct plan_container *container;
	int status; /* to the supervisor */
	int root;
	int *sources;
	VEC(struct placed) placed;
};

/* --- targets --- */

static int open_at(int base, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = {.flags = flags | O_PATH | O_CLOEXEC,
			       .resolve = resolve | RESOLVE_NO_MAGICLINKS};

	return (int)syscall(SYS_openat2, base, *path ? path : ".", &how, sizeof(how));
}

static int make_file(int folder, const char *name)
{
	AUTO(fd_close)
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			MODE_FILE);

	return fd < 0 && errno != EEXIST ? -1 : 0;
}

/* Makes the missing parts of `path`: folders, and a folder or a file at its end. */
static int make_parts(int base, char *path, bool folder, uint64_t resolve)
{
	for (char *at = path; *at;) {
		size_t len = strcspn(at, "/");
		bool last = !at[len];
		AUTO(fd_close) int above = -1;
		char kept = at[len];
		int rc;

		if (at > path)
			at[-1] = '\0';
		above = open_at(base, at > path ? path : "", O_DIRECTORY, resolve);
		if (at > path)
			at[-1] = '/';
		if (above < 0)
			return -1;
		at[len] = '\0';
		rc = last && !folder ? make_file(above, at) : mkdirat(above, at, MODE_FOLDER);
		at[len] = kept;
		if (rc < 0 && errno != EEXIST && errno != EROFS)
			return -1;
		at += len + !last;
	}
	return 0;
}

/* The innermost volume that a target is in; NULL: none. */
static const struct placed *volume_of(const struct mounter *self, const char *target)
{
	const struct placed *found = NULL;

	for (size_t i = 0; i < self->placed.len; i++) {
		const struct placed *placed = &self->placed.ptr[i];
		size_t len = strlen(placed->target);

		if (strncmp(target, placed->target, len) == 0 && target[len] == '/' &&
		    (!found || len >= strlen(found->target)))
			found = placed;
	}
	return found;
}

/* Is it a part of the kernel's /proc, under any name? Nothing may replace what is there: this program relies on
 * it, too. */
static bool is_proc(int fd)
{
	struct statfs status;

	return fstatfs(fd, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

/* Opens the target of a mount, and makes it if it is missing. */
static int open_target(const struct mounter *self, const char *target, bool folder, struct err *err)
{
	AUTO(mem_free) char *path = root_tidy(target);
	const struct placed *volume = volume_of(self, path);
	int base = volume ? volume->fd : self->root;
	char *rest = path + (volume ? strlen(volume->target) : 0) + 1;
	uint64_t resolve = volume ? RESOLVE_BENEATH : RESOLVE_IN_ROOT;
	AUTO(fd_close) int fd = -1;

	if (!*path)
		rest = path;
	fd = open_at(base, rest, 0, resolve);
	if (fd < 0 && errno == ENOENT && make_parts(base, rest, folder, resolve) == 0)
		fd = open_at(base, rest, 0, resolve);
	if (fd >= 0 && is_proc(fd))
		return err_set(err, ERR_FORBIDDEN,
			       "mounting at %s: nothing can be mounted in /proc", target);
	if (fd < 0 && errno == EXDEV)
		return err_set(err, ERR_FORBIDDEN, "mounting at %s: leads out of the volume at %s",
			       target, volume ? volume->target : "/");
	return fd < 0 ? err_errno(err, errno, "mounting at %s", target) : fd_take(&fd);
}

/* A path of the descriptor, for calls that take no descriptor. */
static const char *name_of(int fd, char name[32])
{
	(void)snprintf(name, 32, "/proc/self/fd/%d", fd);
	return name;
}

/* --- volumes --- */

/* Covers the node's own folder in a folder of the machine that contains it. */
static int cover(const struct mounter *self, int source, int mounted, struct err *err)
{
	const char *hidden = self->start->plan->hidden;
	const char *below = source_above(source, hidden);
	AUTO(fd_close)
	int at = below ? open_at(mounted, below, O_DIRECTORY, RESOLVE_NO_SYMLINKS) : -1;
	struct stat there, own;
	char name[32];

	/* another file system may be there, without the mounts that the machine has on it */
	if (at < 0 || fstat(at, &there) < 0 || stat(hidden, &own) < 0 ||
	    there.st_dev != own.st_dev || there.st_ino != own.st_ino)
		return 0;
	if (mount("tmpfs", name_of(at, name), "tmpfs", MS_NOSUID | MS_NODEV | MS_RDONLY,
		  COVER_OPTIONS) < 0)
		return err_errno(err, errno, "covering the node's own folder");
	return 0;
}

/* Only adds to the flags of the mount: a process that is root only in a user namespace may not remove any. */
static int set_read_only(int tree)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};

	return mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr));
}

static int bind_one(struct mounter *self, const struct plan_mount *row, int source, struct err *err)
{
	AUTO(fd_close)
	int tree = open_tree(source, "",
			     OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_EMPTY_PATH);
	AUTO(fd_close) int target = -1;
	struct stat status;

	if (tree < 0 || fstat(source, &status) < 0 || (row->read_only && set_read_only(tree) < 0))
		return err_errno(err, errno, "mounting %s at %s", row->source, row->target);
	target = open_target(self, row->target, S_ISDIR(status.st_mode), err);
	if (target < 0)
		return -1;
	if (move_mount(tree, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		return err_errno(err, errno, "mounting %s at %s", row->source, row->target);
	if (row->foreign && cover(self, source, tree, err) < 0)
		return -1;
	vec_push(&self->placed, (struct placed){root_tidy(row->target), fd_take(&tree)});
	return 0;
}

/* --- files in memory --- */

/* The file loses its name once it is mounted: no other path leads to it. */
static int mount_file(struct mounter *self, const struct plan_mount *row, struct err *err)
{
	bool hosts = strcmp(row->fstype, PLAN_HOSTS) == 0;
	const char *planned = hosts && row->options ? row->options : "";
	const char *text = hosts && self->start->hosts ? self->start->hosts : planned;
	const char *scratch = self->container->scratch ? self->container->scratch : "";
	const char *root = self->container->root;
	AUTO(mem_free)
	char *folder = root ? root_path(root, scratch, err) : mem_strdup(scratch);
	AUTO(mem_free) char *path = folder ? mem_printf("%s/file", folder) : NULL;
	AUTO(fd_close)
	int fd = path ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, MODE_FILE) : -1;
	AUTO(fd_close) int target = -1;
	char from[32], to[32];

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ||
	    fchmod(fd, hosts ? MODE_FILE : MODE_FOR_ALL) < 0)
		return folder ? err_errno(err, errno, "%s", path) : -1;
	target = open_target(self, row->target, false, err);
	if (target < 0)
		return -1;
	if (mount(name_of(fd, from), name_of(target, to), NULL, MS_BIND, NULL) < 0 ||
	    unlink(path) < 0)
		return err_errno(err, errno, "mounting a file at %s", row->target);
	return descriptor_send(self->status, row->fstype[0], fd, err);
}

/* --- all of them --- */

static int mount_one(struct mounter *self, const struct plan_mount *row, int source,
		     struct err *err)
{
	const char *root = self->container->root;
	bool image = row->fstype &&
		     strcmp(row->fstype, "overlay") == 0; /* an image may have setuid programs */
	unsigned long flags = (image ? 0 : MS_NOSUID | MS_NODEV) | (row->read_only ? MS_RDONLY : 0);
	AUTO(fd_close) int target = -1;
	char name[32];

	if (!row->fstype)
		return bind_one(self, row, source, err);
	if (plan_mount_is_file(row))
		return mount_file(self, row, err);
	if (strcmp(row->fstype, PLAN_WITHOUT) == 0) {
		AUTO(mem_free)
		char *path = root ? root_path(root, row->target, err) : mem_strdup(row->target);

		return path ? root_without(path, row->options, err) : -1;
	}
	target = open_target(self, row->target, true, err);
	if (target < 0)
		return -1;
	if (mount(row->fstype, name_of(target, name), row->fstype, flags, row->options) < 0)
		return err_errno(err, errno, "mounting %s at %s", row->fstype, row->target);
	return 0;
}

static int open_sources(struct mounter *self, struct err *err)
{
	for (size_t i = 0; i < self->container->n_mounts; i++) {
		const struct plan_mount *row = &self->container->mounts[i];

		if (!row->source)
			continue;
		self->sources[i] = source_open(&(struct source){.path = row->source,
								.below = row->below,
								.hidden = self->start->plan->hidden,
								.foreign = row->foreign},
					       err);
		if (self->sources[i] < 0)
			return err_wrap(err, "the volume for %s", row->target);
	}
	return 0;
}

static void mounter_done(struct mounter *self)
{
	for (size_t i = 0; i < self->container->n_mounts; i++)
		fd_close(self->sources[i]);
	for (size_t i = 0; i < self->placed.len; i++) {
		mem_free(self->placed.ptr[i].target);
		fd_close(self->placed.ptr[i].fd);
	}
	vec_done(&self->placed);
	mem_free(self->sources);
	fd_close(self->root);
}
DEFINE_AUTO_IN_PLACE(struct mounter, mounter_done);

int mounts_make(const struct pod_child_start *start, int status, struct err *err)
{
	const struct plan_container *container = start->container;
	AUTO(mounter_done)
	struct mounter self = {.start = start,
			       .container = container,
			       .status = status,
			       .root = -1,
			       .sources = mem_calloc(container->n_mounts + 1, sizeof(int))};

	for (size_t i = 0; i < container->n_mounts; i++)
		self.sources[i] = -1;
	if (open_sources(&self, err) < 0)
		return -1;
	if (container->root && root_make(container->root, container, self.sources, err) < 0)
		return -1;
	self.root = open(container->root ? container->root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (self.root < 0)
		return err_errno(err, errno, "the container's root");
	for (size_t i = 0; i < container->n_mounts; i++)
		if (mount_one(&self, &container->mounts[i], self.sources[i], err) < 0)
			return -1;
	return container->root ? root_enter(container->root, err) : 0;
}
