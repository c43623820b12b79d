/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/host_path.c - checks the path of a hostPath volume against its type. */
#include "node/volume/host_path.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/mem.h"
#include "pod/source.h"

#include "base/banned.h"

/* The file type that a volume type requires, its name, and what is made if the path is missing. */
static const struct path_type {
	const char *name;
	mode_t is; /* 0: anything */
	const char *word;
	bool make;
} types[] = {
	{"", 0, "", false},
	{"DirectoryOrCreate", S_IFDIR, "directory", true},
	{"Directory", S_IFDIR, "directory", false},
	{"FileOrCreate", S_IFREG, "file", true},
	{"File", S_IFREG, "file", false},
	{"Socket", S_IFSOCK, "socket file", false},
	{"CharDevice", S_IFCHR, "character device", false},
	{"BlockDevice", S_IFBLK, "block device", false},
};

static const char *type_name(mode_t mode)
{
	for (size_t i = 2; i < ARRAY_LEN(types); i++)
		if (!types[i].make && (mode & S_IFMT) == types[i].is)
			return types[i].name;
	return "special file";
}

bool host_path_is_in(struct str path, struct str folder)
{
	while (folder.len > 1 && folder.ptr[folder.len - 1] == '/')
		folder.len--;
	return str_is(folder, "/") || (str_starts(path, folder) &&
				       (path.len == folder.len || path.ptr[folder.len] == '/'));
}

static int make(const struct path_type *type, const char *path, const char *hidden, struct err *err)
{
	bool folder = type->is == S_IFDIR;

	return source_make(&(struct source_new){path, hidden, folder, folder ? 0755 : 0644}, err);
}

/* The check is of the file that was opened, not of its path. */
static int check(const struct path_type *type, const char *path, const char *hidden,
		 struct err *err)
{
	AUTO(fd_close)
	int fd =
		source_open(&(struct source){.path = path, .hidden = hidden, .foreign = true}, err);
	struct stat info;

	if (fd < 0 && err->code == ERR_FORBIDDEN)
		return err_wrap(err, "hostPath.path");
	if (fd < 0 && err->code == ERR_NOT_FOUND && type->make)
		return make(type, path, hidden, err) < 0 ? err_wrap(err, "hostPath.path") : 0;
	if (fd < 0 && type->is == 0)
		return err_wrap(err, "hostPath.path");
	if (fd < 0)
		return err_errno(err, err->code == ERR_NOT_FOUND ? ENOENT : EACCES,
				 "hostPath type check failed, %s is not a %s, unable to determine "
				 "its type",
				 path, type->word);
	if (fstat(fd, &info) < 0)
		return err_errno(err, errno, "hostPath.path: %s", path);
	if (type->is && (info.st_mode & S_IFMT) != type->is)
		return err_set(err, ERR_INVALID,
			       "hostPath type check failed: %s is not a %s, it's a %s", path,
			       type->word, type_name(info.st_mode));
	return 0;
}

int host_path_check(const struct host_path_volume *volume, const char *hidden, struct err *err)
{
	AUTO(mem_free) char *path = str_dup(volume->path);

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (str_is(volume->type, types[i].name))
			return check(&types[i], path, hidden, err);
	return err_set(err, ERR_INVALID, "%.*s is an invalid volume type", STR_ARG(volume->type));
}
