/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano-pod/root.c - a root file system made of the machine's files, with additional ones.
 *
 * The root is a file system in memory that has every entry of the machine's root mounted into it. If a path is
 * missing in a folder of the machine, that folder is replaced in the same way. All entries are cloned before
 * anything is mounted over them, so that the root does not contain itself.
 *
 * Symbolic links are resolved here, as they will be resolved once this is the root. */
#include "programs/volcano-pod/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "pod/pod_plan.h"

#include "base/banned.h"

enum { LINKS_MAX = 40, LINK_BYTES = 4096, MODE_FOLDER = 0755, MODE_FILE = 0644 };

/* --- replacing a folder by a copy in memory --- */

struct entry {
	char *name;
	char *link; /* target of a symbolic link */
	int clone;  /* -1: none */
	bool folder;
};

/* The type of an entry, from the folder if that has it, which spares a call per entry. */
static unsigned char type_of(int folder, const struct dirent *entry)
{
	struct stat status;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type;
	return fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0
		       ? DT_UNKNOWN
		       : (unsigned char)IFTODT(status.st_mode);
}

static void take_entry(int folder, const struct dirent *entry, struct entry *ret)
{
	const char *name = entry->d_name;
	unsigned char type = type_of(folder, entry);
	char link[LINK_BYTES];
	ssize_t len;

	*ret = (struct entry){.clone = -1};
	if (type == DT_UNKNOWN)
		return; /* it was deleted, or may not be read */
	if (type == DT_LNK) {
		len = readlinkat(folder, name, link, sizeof(link));
		if (len > 0)
			ret->link = mem_strdup_len(link, (size_t)len);
	} else {
		ret->clone = open_tree(folder, name,
				       OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE |
					       AT_SYMLINK_NOFOLLOW);
	}
	ret->folder = type == DT_DIR;
	ret->name = mem_strdup(name);
}

static int put_entry(const char *folder, const struct entry *entry, struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/%s", folder, entry->name);

	if (entry->link)
		return symlink(entry->link, path) < 0 ? err_errno(err, errno, "%s", path) : 0;
	if (entry->clone < 0)
		return 0;
	if (entry->folder && mkdir(path, MODE_FOLDER) < 0)
		return err_errno(err, errno, "%s", path);
	if (!entry->folder)
		fd_close(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, MODE_FILE));
	if (move_mount(entry->clone, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return err_errno(err, errno, "%s", path);
	return 0;
}

/* Is the name in a list that is separated by commas? */
static bool is_listed(const char *list, const char *name)
{
	struct str rest = str_from(list ? list : "");
	struct str word;

	while (rest.len && str_split(&rest, ',', &word))
		if (str_is(word, name))
			return true;
	return false;
}

/* Replaces the folder `to` by one with the entries of `from`, which may be the same folder. `without` names
 * entries to leave out; NULL: none. A folder that may not be read counts as empty. */
static int replace_folder(const char *from, const char *to, const char *without, struct err *err)
{
	AUTO(fd_close) int folder = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool closed = folder < 0 && errno == EACCES;
	struct dirent **names = NULL;
	int count = folder < 0 ? -1 : scandirat(folder, ".", &names, NULL, NULL);
	struct entry *entries = mem_calloc((size_t)(count < 0 ? 0 : count) + 1, sizeof(*entries));
	char options[32];
	struct stat status = {.st_mode = MODE_FOLDER};
	int rc = 0;

	if (!closed && (count < 0 || fstat(folder, &status) < 0))
		rc = err_errno(err, errno, "%s", from);

	for (int i = 0; i < count; i++) {
		if (strcmp(names[i]->d_name, ".") != 0 && strcmp(names[i]->d_name, "..") != 0 &&
		    !is_listed(without, names[i]->d_name))
			take_entry(folder, names[i], &entries[i]);
		mem_free(names[i]);
	}
	mem_free(names);
	(void)snprintf(options, sizeof(options), "mode=%o,size=1m", status.st_mode & 07777);
	if (rc == 0 && mount("tmpfs", to, "tmpfs", MS_NOSUID | MS_NODEV, options) < 0)
		rc = err_errno(err, errno, "%s", to);
	for (int i = 0; i < count; i++) {
		if (rc == 0 && entries[i].name)
			rc = put_entry(to, &entries[i], err);
		mem_free(entries[i].name);
		mem_free(entries[i].link);
		fd_close(entries[i].clone > 0 ? entries[i].clone : -1);
	}
	mem_free(entries);
	return rc;
}

/* --- paths in the new root --- */

char *root_tidy(const char *path)
{
	char *text = mem_printf("/%s", path);
	char *to = text;

	for (const char *at = text; *at;) {
		size_t len;

		at += strspn(at, "/");
		len = strcspn(at, "/");
		if (len == 2 && strncmp(at, "..", 2) == 0) {
			while (to > text && *--to != '/')
				;
		} else if (len && !(len == 1 && *at == '.')) {
			*to++ = '/';
			memmove(to, at, len);
			to += len;
		}
		at += len;
	}
	*to = '\0';
	return text;
}

/* The path without links, as far as it exists; `ret_missing` is the length of the part that does not exist. */
static char *resolve(const char *root, const char *path, size_t *ret_missing, struct err *err)
{
	char *done = mem_strdup(root);
	char *todo = mem_strdup(path);
	int links = 0;

	for (;;) {
		char *part = todo + strspn(todo, "/");
		size_t len = strcspn(part, "/");
		char *next = mem_printf("%s/%.*s", done, (int)len, part);
		char link[LINK_BYTES];
		struct stat status;
		ssize_t to;

		if (len == 2 && strncmp(part, "..", 2) == 0) { /* not above the root */
			char *slash = strrchr(done + strlen(root), '/');

			if (slash)
				*slash = '\0';
			memmove(todo, part + len, strlen(part + len) + 1);
			mem_free(next);
			continue;
		}
		if (len == 0 || lstat(next, &status) < 0) {
			*ret_missing = len ? strlen(part) : 0;
			mem_free(next);
			next = mem_printf("%s%s%s", done, len ? "/" : "", part);
			mem_free(done);
			mem_free(todo);
			return next;
		}
		to = S_ISLNK(status.st_mode) ? readlink(next, link, sizeof(link) - 1) : -1;
		if (to >= 0 && ++links < LINKS_MAX) {
			char *more;

			link[to] = '\0';
			more = mem_printf("%s/%s", link, part + len);
			if (link[0] == '/') {
				mem_free(done);
				done = mem_strdup(root);
			}
			mem_free(next);
			mem_free(todo);
			todo = more;
			continue;
		}
		if (to >= 0) {
			(void)err_set(err, ERR_INVALID, "%s: too many links", path);
			mem_free(next);
			mem_free(done);
			mem_free(todo);
			return NULL;
		}
		memmove(todo, part + len, strlen(part + len) + 1);
		mem_free(done);
		done = next;
	}
}

char *root_path(const char *root, const char *path, struct err *err)
{
	size_t missing;

	return resolve(root, path, &missing, err);
}

/* The file systems that this file has made. */
struct own {
	dev_t *devices;
	size_t len;
};

static bool is_listed_device(dev_t device, const struct own *own)
{
	for (size_t i = 0; i < own->len; i++)
		if (own->devices[i] == device)
			return true;
	return false;
}

/* Is the folder in a file system that this file has made? */
static bool is_own(const char *folder, const struct own *own)
{
	struct stat status;

	return stat(folder, &status) == 0 && is_listed_device(status.st_dev, own);
}

static bool is_own_folder(int folder, const struct own *own)
{
	struct stat status;

	return fstat(folder, &status) == 0 && is_listed_device(status.st_dev, own);
}

static int note_own(const char *folder, struct own *own, struct err *err)
{
	struct stat status;

	if (stat(folder, &status) < 0)
		return err_errno(err, errno, "%s", folder);
	own->devices[own->len++] = status.st_dev;
	return 0;
}

/* Makes the missing folders and the missing end of a path, below a folder that this file has made. */
static int make_missing(int folder, char *path, bool is_folder, struct err *err)
{
	AUTO(fd_close) int at = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	AUTO(fd_close) int file = -1;

	for (;;) {
		size_t len = strcspn(path, "/");
		bool last = !path[len];
		int next;

		path[len] = '\0';
		if (last && !is_folder)
			break;
		if (len && mkdirat(at, path, MODE_FOLDER) < 0 && errno != EEXIST)
			return err_errno(err, errno, "%s", path);
		if (last)
			return 0;
		next = openat(at, len ? path : ".", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		fd_close(at);
		at = next;
		if (at < 0)
			return err_errno(err, errno, "%s", path);
		path += len + 1;
	}
	file = openat(at, path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, MODE_FILE);
	return file < 0 ? err_errno(err, errno, "%s", path) : 0;
}

/* Another process may replace a folder between two calls: something is made only in a folder that this file has
 * made. */
static int make_place(const char *root, const struct plan_mount *mount, int source, struct own *own,
		      struct err *err)
{
	size_t missing = 0;
	AUTO(mem_free) char *target = root_tidy(mount->target);
	AUTO(mem_free) char *path = resolve(root, target, &missing, err);
	struct stat status = {.st_mode = plan_mount_is_file(mount) ? S_IFREG : S_IFDIR};
	AUTO(fd_close) int folder = -1;
	char *rest;

	if (!path || !missing)
		return path ? 0 : -1;
	if (source >= 0 && fstat(source, &status) < 0)
		return err_errno(err, errno, "%s", mount->source);
	rest = path + strlen(path) - missing;
	rest[-1] = '\0';
	if (!is_own(path, own) &&
	    (replace_folder(path, path, NULL, err) < 0 || note_own(path, own, err) < 0))
		return -1;
	folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0 || !is_own_folder(folder, own))
		return err_set(err, ERR_CONFLICT, "mounting at %s: the folder has just changed",
			       mount->target);
	return make_missing(folder, rest, S_ISDIR(status.st_mode), err);
}

/* --- the root --- */

/* Makes the entries of the root read-only, except those that programs have to write to. */
static int make_read_only(const char *root, struct err *err)
{
	static const char *const kept[] = {".", "..", "dev", "proc", "sys", "run"};
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};
	struct dirent **names = NULL;
	int count = scandir(root, &names, NULL, NULL);
	int rc = 0;

	for (int i = 0; i < count; i++) {
		AUTO(mem_free) char *path = mem_printf("%s/%s", root, names[i]->d_name);
		bool keep = names[i]->d_type == DT_LNK;

		for (size_t k = 0; k < ARRAY_LEN(kept); k++)
			keep = keep || strcmp(names[i]->d_name, kept[k]) == 0;
		/* an entry that is no mount belongs to the root, which is made read-only last */
		if (!keep && rc == 0 &&
		    mount_setattr(AT_FDCWD, path, AT_RECURSIVE, &attr, sizeof(attr)) < 0 &&
		    errno != EINVAL)
			rc = err_errno(err, errno, "%s", path);
		mem_free(names[i]);
	}
	mem_free(names);
	if (rc == 0 && mount_setattr(AT_FDCWD, root, 0, &attr, sizeof(attr)) < 0)
		rc = err_errno(err, errno, "%s", root);
	return rc;
}

int root_make(const char *path, const struct plan_container *container, const int *sources,
	      struct err *err)
{
	struct own own = {mem_calloc(container->n_mounts + 1, sizeof(dev_t)), 0};
	int rc = replace_folder("/", path, NULL, err);

	if (rc == 0)
		rc = note_own(path, &own, err);
	for (size_t i = 0; i < container->n_mounts && rc == 0; i++)
		rc = make_place(path, &container->mounts[i], sources[i], &own, err);
	mem_free(own.devices);
	return rc == 0 && container->read_only_root ? make_read_only(path, err) : rc;
}

int root_without(const char *folder, const char *names, struct err *err)
{
	return replace_folder(folder, folder, names, err);
}

int root_enter(const char *path, struct err *err)
{
	if (chdir(path) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
	    umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return err_errno(err, errno, "a root of its own");
	return 0;
}
