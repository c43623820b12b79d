/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/atomic_folder.c - folders that change as a whole, and their removal.
 *
 * Removal does not descend: a folder below is renamed to the top, one after the other, so that neither the stack
 * nor the number of descriptors nor the length of paths limits how deep a pod may have nested them. */
#include "node/volume/atomic_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/vec.h"

#include "base/banned.h"

#define DATA "..data"
#define DATA_NEW "..data_tmp"

/* --- paths --- */

static bool is_dots(const char *name)
{
	return str_is(str_from(name), ".") || str_is(str_from(name), "..");
}

static int check_path(struct str path, struct err *err)
{
	struct str rest = path;
	struct str part;

	while (str_split(&rest, '/', &part))
		if (part.len == 0 || str_is(part, ".") || str_is(part, ".."))
			return err_set(err, ERR_INVALID, "\"%.*s\" is not a path below a volume",
				       STR_ARG(path));
	if (str_starts(path, STR("..")))
		return err_set(err, ERR_INVALID, "\"%.*s\" must not start with '..'",
			       STR_ARG(path));
	return 0;
}

static int make_above(const char *path, struct err *err)
{
	AUTO(mem_free) char *part = mem_strdup(path);

	for (char *at = part + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			return err_errno(err, errno, "%s", part);
		*at = '/';
	}
	return 0;
}

/* Mostly the folders above exist. */
int folder_make(const char *path, mode_t mode, struct err *err)
{
	struct stat info;
	bool made = mkdir(path, mode) == 0;

	if (!made && errno == ENOENT) {
		if (make_above(path, err) < 0)
			return -1;
		made = mkdir(path, mode) == 0;
	}
	if (made)
		return chmod(path, mode) < 0 ? err_errno(err, errno, "%s", path) : 0;
	if (errno != EEXIST)
		return err_errno(err, errno, "%s", path);
	if (stat(path, &info) < 0)
		return err_errno(err, errno, "%s", path);
	if (!S_ISDIR(info.st_mode))
		return err_set(err, ERR_ALREADY_EXISTS, "%s: is there, and is not a folder", path);
	return 0;
}

/* --- writing --- */

/* Not synced: pods do not survive a crash of the machine. */
static int write_bytes(int fd, struct str data)
{
	while (data.len) {
		ssize_t done = write(fd, data.ptr, data.len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		data = str_skip(data, (size_t)done);
	}
	return 0;
}

static mode_t mode_of(const struct atomic_folder_file *file, int64_t group)
{
	mode_t mode = file->mode & 0777;

	return group < 0 ? mode : mode | 0440;
}

static int write_file(const char *root, const struct atomic_folder_file *file, int64_t group,
		      struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/%.*s", root, STR_ARG(file->path));
	ptrdiff_t slash = str_rfind_byte(file->path, '/');
	AUTO(fd_close) int fd = -1;

	if (slash > 0) {
		AUTO(mem_free)
		char *folder = mem_printf("%s/%.*s", root, (int)slash, file->path.ptr);

		if (folder_make(folder, 0755, err) < 0)
			return -1;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || write_bytes(fd, file->data) < 0)
		return err_errno(err, errno, "%s", path);
	if ((group >= 0 || file->uid >= 0) &&
	    fchown(fd, file->uid < 0 ? (uid_t)-1 : (uid_t)file->uid,
		   group < 0 ? (gid_t)-1 : (gid_t)group) < 0 &&
	    errno != EPERM)
		return err_errno(err, errno, "%s", path);
	if (fchmod(fd, mode_of(file, group)) < 0)
		return err_errno(err, errno, "%s", path);
	return 0;
}

/* Folders and files below, files counted. */
static int64_t count_files(const char *folder)
{
	struct dirent **entries = NULL;
	int len = scandir(folder, &entries, NULL, NULL);
	int64_t count = 0;

	for (int i = 0; i < len; i++) {
		AUTO(mem_free) char *path = mem_printf("%s/%s", folder, entries[i]->d_name);
		struct stat info;

		if (!is_dots(entries[i]->d_name) && lstat(path, &info) == 0)
			count += S_ISDIR(info.st_mode) ? count_files(path) : 1;
		mem_free(entries[i]);
	}
	mem_free(entries);
	return count;
}

static bool is_same(const char *root, const struct atomic_folder_file *file, int64_t group)
{
	AUTO(mem_free) char *path = mem_printf("%s/%.*s", root, STR_ARG(file->path));
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_OBJECT_BYTES);
	struct stat info;

	return lstat(path, &info) == 0 && S_ISREG(info.st_mode) &&
	       (info.st_mode & 0777) == mode_of(file, group) &&
	       info.st_size == (off_t)file->data.len && fd_read_file(path, &text, NULL) == 0 &&
	       str_eq(buf_str(&text), file->data);
}

/* The target of ..data; empty: it does not exist yet. */
static void read_current(const char *dir, char name[32])
{
	AUTO(mem_free) char *link = mem_printf("%s/" DATA, dir);
	ssize_t len = readlink(link, name, 31);

	name[len < 0 ? 0 : len] = '\0';
}

static bool is_up_to_date(const char *dir, const char *current,
			  const struct atomic_folder_file *files, size_t len, int64_t group)
{
	AUTO(mem_free) char *root = mem_printf("%s/%s", dir, current);

	if (!current[0])
		return false;
	for (size_t i = 0; i < len; i++)
		if (!is_same(root, &files[i], group))
			return false;
	return count_files(root) == (int64_t)len;
}

static int replace(const char *dir, const char *current, const struct atomic_folder_file *files,
		   size_t len, int64_t group, struct err *err)
{
	int64_t number = 0;
	AUTO(mem_free) char *root = NULL;
	AUTO(mem_free) char *link = mem_printf("%s/" DATA, dir);
	AUTO(mem_free) char *link_new = mem_printf("%s/" DATA_NEW, dir);

	if (current[0] && number_parse_i64(str_from(current + 2), &number, NULL) < 0)
		number = 0;
	root = mem_printf("%s/..%" PRId64, dir, number + 1);
	if (folder_delete(root, err) < 0 || folder_make(root, 0755, err) < 0)
		return -1;
	for (size_t i = 0; i < len; i++)
		if (write_file(root, &files[i], group, err) < 0)
			return -1;
	(void)unlink(link_new); /* left by an update that was interrupted */
	if (symlink(root + strlen(dir) + 1, link_new) < 0 || rename(link_new, link) < 0)
		return err_errno(err, errno, "%s", link);
	return 0;
}

static struct str first_part(struct str path)
{
	ptrdiff_t slash = str_find_byte(path, '/', 0);

	return slash < 0 ? path : str_slice(path, 0, (size_t)slash);
}

static int make_links(const char *dir, const struct atomic_folder_file *files, size_t len,
		      struct err *err)
{
	for (size_t i = 0; i < len; i++) {
		struct str name = first_part(files[i].path);
		AUTO(mem_free) char *path = mem_printf("%s/%.*s", dir, STR_ARG(name));
		AUTO(mem_free) char *to = mem_printf(DATA "/%.*s", STR_ARG(name));

		if (symlink(to, path) < 0 && errno != EEXIST)
			return err_errno(err, errno, "%s", path);
	}
	return 0;
}

static bool is_wanted(const char *name, const char *current, const struct atomic_folder_file *files,
		      size_t len)
{
	if (is_dots(name) || str_is(str_from(name), DATA) || str_is(str_from(name), current))
		return true;
	for (size_t i = 0; i < len; i++)
		if (str_is(first_part(files[i].path), name))
			return true;
	return false;
}

static int remove_others(const char *dir, const struct atomic_folder_file *files, size_t len,
			 struct err *err)
{
	struct dirent **entries = NULL;
	int count = scandir(dir, &entries, NULL, NULL);
	char current[32];
	int ret = 0;

	read_current(dir, current);
	for (int i = 0; i < count; i++) {
		AUTO(mem_free) char *path = mem_printf("%s/%s", dir, entries[i]->d_name);

		if (!is_wanted(entries[i]->d_name, current, files, len) &&
		    folder_delete(path, err) < 0)
			ret = -1;
		mem_free(entries[i]);
	}
	mem_free(entries);
	return ret;
}

int atomic_folder_write(const char *dir, const struct atomic_folder_file *files, size_t len,
			int64_t group, bool *ret_changed, struct err *err)
{
	bool same;
	char current[32];

	for (size_t i = 0; i < len; i++)
		if (check_path(files[i].path, err) < 0)
			return -1;
	read_current(dir, current);
	same = is_up_to_date(dir, current, files, len, group);
	if (!same && replace(dir, current, files, len, group, err) < 0)
		return -1;
	if (make_links(dir, files, len, err) < 0 || remove_others(dir, files, len, err) < 0)
		return -1;
	if (ret_changed)
		*ret_changed = !same;
	return 0;
}

/* --- removing --- */

struct removal {
	int top; /* the folder to which all others are moved */
	dev_t device;
	uint64_t count;
};

/* Best effort: the next step reports a failure. */
static void open_up(int folder, const char *name)
{
	int ignored = fchmodat(folder, name, 0700, 0);

	(void)ignored;
}

static int remove_entry(struct removal *removal, int folder, const char *name, struct err *err)
{
	struct stat info;
	char up[32];

	if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : err_errno(err, errno, "%s", name);
	if (!S_ISDIR(info.st_mode)) {
		if (unlinkat(folder, name, 0) < 0 && errno != ENOENT)
			return err_errno(err, errno, "%s", name);
		return 0;
	}
	if (info.st_dev != removal->device)
		return err_set(err, ERR_CONFLICT, "%s: something is mounted there", name);
	if (unlinkat(folder, name, AT_REMOVEDIR) == 0 || folder == removal->top)
		return 0;      /* folders at the top come later */
	open_up(folder, name); /* of an ordinary user: needed to rename it */
	for (;;) {
		(void)snprintf(up, sizeof(up), ".gone-%" PRIu64, removal->count++);
		if (renameat2(folder, name, removal->top, up, RENAME_NOREPLACE) == 0)
			return 0;
		if (errno != EEXIST) /* names of a removal that was interrupted */
			return err_errno(err, errno, "%s", name);
	}
}

/* Empties one folder: afterwards the top has only folders, and any other folder has nothing. */
static int empty_folder(struct removal *removal, int folder, struct err *err)
{
	struct dirent **entries = NULL;
	int count = scandirat(folder, ".", &entries, NULL, NULL);
	int ret = count < 0 ? err_errno(err, errno, "a folder to be removed") : 0;

	for (int i = 0; i < count; i++) {
		if (ret == 0 && !is_dots(entries[i]->d_name))
			ret = remove_entry(removal, folder, entries[i]->d_name, err);
		mem_free(entries[i]);
	}
	mem_free(entries);
	return ret;
}

static int empty_one(struct removal *removal, const char *name, struct err *err)
{
	AUTO(fd_close) int folder = -1;

	open_up(removal->top, name);
	folder = openat(removal->top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return err_errno(err, errno, "%s", name);
	if (empty_folder(removal, folder, err) < 0)
		return -1;
	if (unlinkat(removal->top, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return err_errno(err, errno, "%s", name);
	return 0;
}

/* Empties the folders at the top, which may move more folders there. */
static int empty_below(struct removal *removal, bool *ret_any, struct err *err)
{
	struct dirent **entries = NULL;
	int count = scandirat(removal->top, ".", &entries, NULL, NULL);
	int ret = count < 0 ? err_errno(err, errno, "a folder to be removed") : 0;

	*ret_any = false;
	for (int i = 0; i < count; i++) {
		if (ret == 0 && !is_dots(entries[i]->d_name)) {
			*ret_any = true;
			ret = empty_one(removal, entries[i]->d_name, err);
		}
		mem_free(entries[i]);
	}
	mem_free(entries);
	return ret;
}

int folder_delete(const char *path, struct err *err)
{
	struct removal removal = {0};
	AUTO(fd_close) int top = -1;
	struct stat info;
	bool any = true;

	if (unlink(path) == 0 || errno == ENOENT)
		return 0;
	(void)chmod(path, 0700);
	top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (top < 0 || fstat(top, &info) < 0)
		return err_errno(err, errno, "%s", path);
	removal.top = top;
	removal.device = info.st_dev;
	if (empty_folder(&removal, top, err) < 0)
		return err_wrap(err, "%s", path);
	while (any)
		if (empty_below(&removal, &any, err) < 0)
			return err_wrap(err, "%s", path);
	if (rmdir(path) < 0 && errno != ENOENT)
		return err_errno(err, errno, "%s", path);
	return 0;
}

/* --- size --- */

int64_t folder_size(const char *path, int64_t enough)
{
	VEC(char *) todo = {0};
	int64_t size = 0;

	vec_push(&todo, mem_strdup(path));
	while (todo.len) {
		AUTO(mem_free) char *folder = todo.ptr[--todo.len];
		struct dirent **entries = NULL;
		int count = enough && size > enough ? 0 : scandir(folder, &entries, NULL, NULL);

		for (int i = 0; i < count; i++) {
			char *below = mem_printf("%s/%s", folder, entries[i]->d_name);
			struct stat info;

			if (!is_dots(entries[i]->d_name) && lstat(below, &info) == 0) {
				size += (int64_t)info.st_blocks * 512;
				if (S_ISDIR(info.st_mode))
					vec_push(&todo, TAKE(below));
			}
			mem_free(below);
			mem_free(entries[i]);
		}
		mem_free(entries);
	}
	vec_done(&todo);
	return size;
}
