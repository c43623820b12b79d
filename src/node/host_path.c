/* SPDX-License-Identifier: Apache-2.0 */
/* node/host_path.c - what a hostPath volume asks for, and what is there. */
#include "node/host_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "node/tree.h"

#include "base/banned.h"

/* What a type wants, in words, and what is made where nothing is. */
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

static int make(const struct path_type *type, const char *path, struct err *err)
{
	AUTO(fd_close) int fd = -1;

	if (type->is == S_IFDIR)
		return tree_mkdir(path, 0755, err);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 || fchmod(fd, 0644) < 0)
		return err_errno(err, errno, "%s", path);
	return 0;
}

static int check(const struct path_type *type, const char *path, struct err *err)
{
	struct stat info;

	if (stat(path, &info) < 0) {
		int number = errno;

		if (number == ENOENT && type->make)
			return make(type, path, err);
		if (type->is == 0)
			return err_errno(err, number, "hostPath.path: %s", path);
		return err_errno(err, number,
				 "hostPath type check failed, %s is not a %s, unable to determine "
				 "its type",
				 path, type->word);
	}
	if (type->is && (info.st_mode & S_IFMT) != type->is)
		return err_set(err, ERR_INVALID,
			       "hostPath type check failed: %s is not a %s, it's a %s", path,
			       type->word, type_name(info.st_mode));
	return 0;
}

static int check_hidden(const char *path, const char *hidden, struct err *err)
{
	AUTO(mem_free) char *real = realpath(path, NULL);

	if (hidden && host_path_is_in(str_from(real ? real : path), str_from(hidden)))
		return err_set(err, ERR_FORBIDDEN, "hostPath.path: %s is in the node's own folder",
			       path);
	return 0;
}

int host_path_check(const struct host_path_volume *volume, const char *hidden, struct err *err)
{
	AUTO(mem_free) char *path = str_dup(volume->path);

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (str_is(volume->type, types[i].name))
			return check_hidden(path, hidden, err) < 0 ? -1
								   : check(&types[i], path, err);
	return err_set(err, ERR_INVALID, "%.*s is an invalid volume type", STR_ARG(volume->type));
}
