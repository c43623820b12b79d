/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/disk_copy.c - a copy of a store: where it may go, and how it gets there whole or not at all.
 *
 * The folder above the copy is opened without following links, and everything else goes through its
 * descriptor. The copy is written into a new folder of our own next to its destination
 * (".NAME.partial-PID"), reached by descriptor as well, and renamed when it is complete and synced. A
 * rename replaces nothing but an empty folder, whatever has come there meanwhile.
 *
 * Always true: nothing that was there before is opened for writing, cut short or removed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "apiserver/store/disk_internal.h"
#include "base/fd.h"
#include "base/mem.h"

#include "base/banned.h"

enum { TRIES = 100 };

struct place {
	const char *folder;
	int above;     /* the folder that it is in */
	char *base;    /* its name there */
	char *partial; /* of the folder that is filled; NULL: not made */
	int fd;        /* of that */
};

static void place_done(struct place *place)
{
	fd_close(place->above);
	fd_close(place->fd);
	mem_free(place->base);
	mem_free(place->partial);
}
DEFINE_AUTO_IN_PLACE(struct place, place_done);

/* --- the place --- */

static int open_above(const char *path)
{
	struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
			       .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return fd;
}

static int refuse_link(const struct place *place, struct err *err)
{
	return err_set(err, ERR_BAD_REQUEST,
		       "%s is a symbolic link, or below one: name the folder itself",
		       place->folder);
}

/* Split the path and open what is above. */
static int find_place(const char *folder, struct place *ret, struct err *err)
{
	struct str path = str_from(folder);
	AUTO(mem_free) char *above = NULL;
	ptrdiff_t slash;

	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	slash = str_rfind_byte(path, '/');
	ret->base = str_dup(str_skip(path, (size_t)(slash + 1)));
	if (slash < 0 || !ret->base[0] || strcmp(ret->base, ".") == 0 ||
	    strcmp(ret->base, "..") == 0)
		return err_set(err, ERR_BAD_REQUEST,
			       "\"%s\" is no place for a copy: an absolute path that ends in the "
			       "name of a folder is wanted",
			       folder);
	above = slash == 0 ? mem_strdup("/") : str_dup(str_slice(path, 0, (size_t)slash));
	ret->above = open_above(above);
	if (ret->above >= 0)
		return 0;
	if (errno == ELOOP)
		return refuse_link(ret, err);
	return err_set(err, ERR_BAD_REQUEST, "%s: %s", above, strerrordesc_np(errno));
}

static int is_content(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Call `fn` with each entry of a folder; how many there are, or -1. */
static int each_entry(int folder, void (*fn)(int folder, const char *name))
{
	struct dirent **entries = NULL;
	int count = scandirat(folder, ".", &entries, is_content, NULL);

	for (int i = 0; i < count; i++) {
		if (fn)
			fn(folder, entries[i]->d_name);
		free(entries[i]); /* the C library's */
	}
	free(entries); /* the C library's */
	return count;
}

/* Nothing, or an empty folder. */
static int check_free(const struct place *place, struct err *err)
{
	AUTO(fd_close)
	int fd = openat(place->above, place->base,
			O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat info;

	if (fd >= 0 && each_entry(fd, NULL) == 0)
		return 0;
	if (fd >= 0)
		return err_set(
			err, ERR_ALREADY_EXISTS,
			"%s is not empty: a copy goes into a folder that is empty or not there",
			place->folder);
	if (errno == ENOENT)
		return 0;
	if (fstatat(place->above, place->base, &info, AT_SYMLINK_NOFOLLOW) == 0) {
		if (S_ISLNK(info.st_mode))
			return refuse_link(place, err);
		if (!S_ISDIR(info.st_mode))
			return err_set(err, ERR_ALREADY_EXISTS, "%s is no folder", place->folder);
	}
	return err_set(err, ERR_BAD_REQUEST, "%s: %s", place->folder, strerrordesc_np(errno));
}

/* --- the partial one --- */

/* Is the folder that was opened the one that was made? It need not be if others may write to the
 * folder above. */
static bool is_own(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
	       (info.st_mode & 077) == 0;
}

static int make_partial(struct place *place, struct err *err)
{
	for (int i = 0; i < TRIES; i++) {
		AUTO(mem_free)
		char *name =
			mem_printf(".%.200s.partial-%jd-%d", place->base, (intmax_t)getpid(), i);

		if (mkdirat(place->above, name, 0700) < 0) {
			if (errno == EEXIST)
				continue;
			break;
		}
		place->partial = TAKE(name);
		place->fd = openat(place->above, place->partial,
				   O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (place->fd >= 0 && is_own(place->fd))
			return 0;
		break;
	}
	return err_set(err, ERR_UNAVAILABLE, "cannot make a folder for the copy %s: %s",
		       place->folder, strerrordesc_np(errno));
}

static void remove_file(int folder, const char *name)
{
	(void)unlinkat(folder, name, 0); /* or the folder stays */
}

static void remove_partial(const struct place *place)
{
	if (!place->partial)
		return;
	if (place->fd >= 0)
		(void)each_entry(place->fd, remove_file);
	(void)unlinkat(place->above, place->partial, AT_REMOVEDIR);
}

static int publish(const struct place *place, struct err *err)
{
	if (fsync(place->fd) == 0 &&
	    renameat(place->above, place->partial, place->above, place->base) == 0 &&
	    fsync(place->above) == 0)
		return 0;
	if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)
		return err_set(err, ERR_ALREADY_EXISTS,
			       "something else has come to %s while the copy was written",
			       place->folder);
	return err_set(err, ERR_UNAVAILABLE, "%s: %s", place->folder, strerrordesc_np(errno));
}

int disk_copy(const char *folder, const struct disk_batch *batch, struct err *err)
{
	AUTO(place_done) struct place place = {.folder = folder, .above = -1, .fd = -1};
	char path[64];

	if (find_place(folder, &place, err) < 0 || check_free(&place, err) < 0)
		return -1;
	if (make_partial(&place, err) == 0) {
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", place.fd);
		if (disk_fill(path, folder, batch, err) == 0 && publish(&place, err) == 0)
			return 0;
	}
	remove_partial(&place);
	return -1;
}
