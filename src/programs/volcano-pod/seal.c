/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/seal.c - read-only and hidden parts of /proc and /sys.
 *
 * The lists are those of container engines. /sys becomes read-only with all mounts below it, which are the control
 * groups; that takes one call. In /proc only root can write what belongs to the machine. Each part takes a mount
 * there, made only for containers that may be root. */
#include "programs/volcano-pod/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "pod/pod_plan.h"

#include "base/banned.h"

#define MASK_OPTIONS "mode=0555,size=4096"

static const char *const read_only_paths[] = {
	"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger",
};
static const char *const masked_paths[] = {
	"/proc/acpi",        "/proc/asound",
	"/proc/interrupts",  "/proc/kcore",
	"/proc/keys",        "/proc/kpagecount",
	"/proc/kpageflags",  "/proc/latency_stats",
	"/proc/sched_debug", "/proc/scsi",
	"/proc/timer_list",  "/proc/timer_stats",
	"/sys/firmware",     "/sys/devices/virtual/powercap",
};

static int set_read_only(int fd, const char *path, unsigned flags)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};

	return mount_setattr(fd, path, flags | AT_RECURSIVE, &attr, sizeof(attr));
}

/* A path that is no mount becomes one: it is mounted onto itself. */
static int make_read_only(const char *path, struct err *err)
{
	AUTO(fd_close)
	int tree =
		open_tree(AT_FDCWD, path,
			  OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_SYMLINK_NOFOLLOW);

	if (tree < 0 && errno == ENOENT)
		return 0;
	if (tree < 0 || set_read_only(tree, "", AT_EMPTY_PATH) < 0 ||
	    move_mount(tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return err_errno(err, errno, "sealing %s", path);
	return 0;
}

static int mask(const char *path, struct err *err)
{
	struct stat status;
	int rc;

	if (lstat(path, &status) < 0)
		return errno == ENOENT ? 0 : err_errno(err, errno, "hiding %s", path);
	rc = S_ISDIR(status.st_mode)
		     ? mount("tmpfs", path, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
			     MASK_OPTIONS)
		     : mount("/dev/null", path, NULL, MS_BIND, NULL);
	return rc < 0 ? err_errno(err, errno, "hiding %s", path) : 0;
}

static int seal_sys(struct err *err)
{
	if (access("/sys", F_OK) < 0 || set_read_only(AT_FDCWD, "/sys", 0) == 0)
		return 0;
	return errno == EINVAL ? make_read_only("/sys", err)
			       : err_errno(err, errno, "sealing /sys");
}

int seal_make(const struct plan_container *container, struct err *err)
{
	if (container->seals_sys && seal_sys(err) < 0)
		return -1;
	if (!container->seals_proc)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(read_only_paths); i++)
		if (make_read_only(read_only_paths[i], err) < 0)
			return -1;
	for (size_t i = 0; i < ARRAY_LEN(masked_paths); i++)
		if (mask(masked_paths[i], err) < 0)
			return -1;
	return 0;
}
