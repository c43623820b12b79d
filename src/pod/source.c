/* SPDX-License-Identifier: Apache-2.0 */
/* pod/source.c - sources of mounts.
 *
 * The kernel resolves a path once (openat2); from then on only the descriptor is used. To find whether it is in
 * the node's own folder, the code goes up from it and compares every folder on the way with that folder and with
 * its direct entries: a second mount of a part of it (such as the keys) is recognized, too. For a file the kernel
 * names its folder, which must contain that same file.
 *
 * Always true: nothing that was opened for a user is in the node's own folder, however the path has changed since
 * it was checked. */
#include "pod/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#include "base/banned.h"

enum { MODE_ABOVE = 0755, DEPTH_MAX = PATH_MAX };

struct place {
	dev_t device;
	ino_t inode;
};

static int open_how(int folder, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = {.flags = flags | O_PATH | O_CLOEXEC, .resolve = resolve};

	return (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
}

static bool is_at(const struct stat *status, const struct place *place)
{
	return status->st_dev == place->device && status->st_ino == place->inode;
}

/* --- the node's own folder --- */

struct places {
	VEC(struct place) list;
};

static void places_done(struct places *places)
{
	vec_done(&places->list);
}
DEFINE_AUTO_IN_PLACE(struct places, places_done);

/* The node's own folder, and its direct entries. */
static int find_hidden(const char *hidden, struct places *ret, struct err *err)
{
	AUTO(fd_close) int fd = open(hidden, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	struct dirent **names = NULL;
	struct stat status;
	int count;

	if (fd < 0 || fstat(fd, &status) < 0)
		return err_errno(err, errno, "the node's own folder");
	vec_push(&ret->list, (struct place){status.st_dev, status.st_ino});
	count = scandirat(fd, ".", &names, NULL, NULL);
	for (int i = 0; i < count; i++) {
		const char *name = names[i]->d_name;

		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
		    fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
			vec_push(&ret->list, (struct place){status.st_dev, status.st_ino});
		mem_free(names[i]);
	}
	mem_free(names);
	return count < 0 ? err_errno(err, errno, "the node's own folder") : 0;
}

static bool is_one_of(const struct stat *status, const struct places *places)
{
	for (size_t i = 0; i < places->list.len; i++)
		if (is_at(status, &places->list.ptr[i]))
			return true;
	return false;
}

/* The folder that a file is in. */
static int open_folder_of(int file, const struct stat *status)
{
	char link[32], path[PATH_MAX];
	struct stat there;
	char *slash;
	ssize_t len;
	int fd;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
	len = readlink(link, path, sizeof(path) - 1);
	if (len <= 0 || len == sizeof(path) - 1)
		return -1;
	path[len] = '\0';
	slash = strrchr(path, '/');
	if (path[0] != '/' || !slash)
		return -1;
	*slash = '\0';
	fd = open_how(AT_FDCWD, *path ? path : "/", O_DIRECTORY, RESOLVE_NO_SYMLINKS);
	if (fd >= 0 && (fstatat(fd, slash + 1, &there, AT_SYMLINK_NOFOLLOW) < 0 ||
			there.st_dev != status->st_dev || there.st_ino != status->st_ino)) {
		fd_close(fd);
		errno = ESTALE; /* it was just moved */
		return -1;
	}
	return fd;
}

/* 1: it is in the node's own folder; 0: it is not; -1: unknown. */
static int is_hidden(int fd, const struct places *hidden)
{
	AUTO(fd_close) int at = -1;
	struct stat status, above;

	if (fstat(fd, &status) < 0)
		return -1;
	if (is_one_of(&status, hidden))
		return 1;
	at = S_ISDIR(status.st_mode) ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : open_folder_of(fd, &status);
	for (int depth = 0; at >= 0 && depth < DEPTH_MAX; depth++) {
		int up;

		if (fstat(at, &status) < 0)
			return -1;
		if (is_one_of(&status, hidden))
			return 1;
		up = open_how(at, "..", O_DIRECTORY, 0);
		fd_close(at);
		at = up;
		if (at < 0 || fstat(at, &above) < 0)
			return -1;
		if (above.st_dev == status.st_dev && above.st_ino == status.st_ino)
			return 0;
	}
	return -1;
}

static int check_hidden(int fd, const char *path, const char *hidden, struct err *err)
{
	AUTO(places_done) struct places places = {0};

	if (!hidden)
		return 0;
	if (find_hidden(hidden, &places, err) < 0)
		return -1;
	switch (is_hidden(fd, &places)) {
	case 0:
		return 0;
	case 1:
		return err_set(err, ERR_FORBIDDEN, "%s is in the node's own folder", path);
	default:
		return err_set(err, ERR_FORBIDDEN, "%s: cannot find out which folder it is in: %s",
			       path, strerrordesc_np(errno));
	}
}

const char *source_above(int fd, const char *hidden)
{
	struct stat status;
	AUTO(fd_close) int at = -1;
	const char *rest;

	if (!hidden || fstat(fd, &status) < 0 || !S_ISDIR(status.st_mode))
		return NULL;
	at = open_how(AT_FDCWD, hidden, O_DIRECTORY, RESOLVE_NO_SYMLINKS);
	rest = hidden + strlen(hidden);
	while (at >= 0 && rest > hidden) {
		struct stat above;
		int up = open_how(at, "..", O_DIRECTORY, 0);

		fd_close(at);
		at = up;
		if (at < 0 || fstat(at, &above) < 0)
			return NULL;
		while (rest > hidden && rest[-1] == '/')
			rest--;
		while (rest > hidden && rest[-1] != '/')
			rest--;
		if (above.st_dev == status.st_dev && above.st_ino == status.st_ino)
			return *rest ? rest : NULL;
	}
	return NULL;
}

/* --- below a volume --- */

int source_open_below(int root, const char *path)
{
	return open_how(root, path, 0, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
}

/* Makes a missing folder, and opens it. */
static int make_one(int folder, const char *name, mode_t mode)
{
	AUTO(fd_close) int made = -1;

	if (mkdirat(folder, name, mode) < 0)
		return errno == EEXIST ? 0 : -1;
	made = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return made < 0 || fchmod(made, mode) < 0 ? -1 : 0; /* independent of the umask */
}

/* Makes the missing folders of `path`, one after the other; each is opened from the root. */
static int make_below(int root, const char *path, mode_t mode)
{
	AUTO(mem_free) char *part = mem_strdup(path);

	for (char *at = part; *at;) {
		AUTO(fd_close) int folder = -1;
		char *name = at + strspn(at, "/");
		char *end = name + strcspn(name, "/");
		char kept = *end;
		char before;

		if (name == end)
			break;
		before = *name;
		*name = '\0';
		folder = source_open_below(root, *part ? part : ".");
		*name = before;
		*end = '\0';
		if (folder < 0 || make_one(folder, name, mode) < 0)
			return -1;
		*end = kept;
		at = end;
	}
	return 0;
}

static int open_sub_path(int volume, const char *path, struct err *err)
{
	struct stat status;
	int fd = source_open_below(volume, path);

	if (fd < 0 && errno == ENOENT) {
		if (fstat(volume, &status) < 0 ||
		    make_below(volume, path, status.st_mode & 07777) < 0)
			return errno == EXDEV ? err_set(err, ERR_FORBIDDEN,
							"%s: leads out of the volume", path)
					      : err_errno(err, errno, "%s", path);
		fd = source_open_below(volume, path);
	}
	if (fd < 0 && errno == EXDEV)
		return err_set(err, ERR_FORBIDDEN, "%s: leads out of the volume", path);
	return fd < 0 ? err_errno(err, errno, "%s", path) : fd;
}

/* --- whole paths --- */

/* The rest of a path below the node's own folder; NULL: it is not below it. */
static const char *path_in(const char *path, const char *hidden)
{
	size_t len = strlen(hidden);

	return strncmp(path, hidden, len) == 0 && path[len] == '/' ? path + len + 1 : NULL;
}

static int open_whole(const struct source *source, struct err *err)
{
	const char *inside =
		source->hidden && !source->foreign ? path_in(source->path, source->hidden) : NULL;
	AUTO(fd_close) int folder = -1;
	int fd;

	if (inside) {
		folder = open(source->hidden, O_PATH | O_DIRECTORY | O_CLOEXEC);
		fd = folder < 0
			     ? -1
			     : open_how(folder, inside, 0, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	} else {
		fd = open_how(AT_FDCWD, source->path, 0,
			      source->foreign ? RESOLVE_NO_MAGICLINKS : 0);
	}
	return fd < 0 ? err_errno(err, errno, "%s", source->path) : fd;
}

int source_open(const struct source *source, struct err *err)
{
	AUTO(fd_close) int fd = open_whole(source, err);

	if (fd >= 0 && source->below) {
		int below = open_sub_path(fd, source->below, err);

		fd_close(fd);
		fd = below;
	}
	if (fd < 0 || (source->foreign && check_hidden(fd, source->path, source->hidden, err) < 0))
		return -1;
	return fd_take(&fd);
}

/* --- what is missing --- */

static int make_last(int folder, const char *name, const struct source_new *what)
{
	AUTO(fd_close) int file = -1;

	if (what->folder)
		return make_one(folder, name, what->mode);
	file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      what->mode);
	return file < 0 || fchmod(file, what->mode) < 0 ? -1 : 0;
}

/* Starts at the last folder that exists. What is made here cannot contain a link. */
int source_make(const struct source_new *what, struct err *err)
{
	AUTO(mem_free) char *path = mem_strdup(what->path);
	AUTO(fd_close) int at = -1;
	char *rest = path + strlen(path);

	while (rest > path && rest[-1] == '/')
		*--rest = '\0';
	do {
		char kept;

		while (rest > path && rest[-1] != '/')
			rest--;
		if (rest == path)
			return err_set(err, ERR_INVALID, "%s: is no absolute path", what->path);
		kept = *rest;
		*rest = '\0';
		at = open_how(AT_FDCWD, path, O_DIRECTORY, RESOLVE_NO_MAGICLINKS);
		*rest = kept;
		if (at < 0 && errno != ENOENT)
			return err_errno(err, errno, "%s", what->path);
		if (at < 0)
			rest--;
	} while (at < 0);
	if (check_hidden(at, what->path, what->hidden, err) < 0)
		return -1;
	for (;;) {
		char *end = rest + strcspn(rest, "/");
		bool last = !*end;
		int next;

		*end = '\0';
		if (strcmp(rest, "..") == 0)
			return err_set(err, ERR_INVALID, "%s: must not contain '..'", what->path);
		if ((last ? make_last(at, rest, what) : make_one(at, rest, MODE_ABOVE)) < 0)
			return err_errno(err, errno, "%s", what->path);
		if (last)
			return 0;
		next = open_how(at, rest, O_DIRECTORY | O_NOFOLLOW, 0);
		fd_close(at);
		at = next;
		if (at < 0)
			return err_errno(err, errno, "%s", what->path);
		rest = end + 1;
		rest += strspn(rest, "/");
	}
}
