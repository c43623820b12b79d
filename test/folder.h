/* SPDX-License-Identifier: Apache-2.0 */
/* test/folder.h - a folder of a test's own, files in it, and its end. */
#ifndef TEST_FOLDER_H
#define TEST_FOLDER_H

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"

struct folder {
	struct arena *arena;
	char path[64];
};

static inline void folder_open(struct folder *folder)
{
	const char *where = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	folder->arena = arena_new(0);
	(void)snprintf(folder->path, sizeof(folder->path), "%s/volcano-test-XXXXXX", where);
	assert(mkdtemp(folder->path));
	assert(chmod(folder->path, 0755) == 0);
}

static inline const char *folder_at(struct folder *folder, const char *name)
{
	return arena_printf(folder->arena, "%s/%s", folder->path, name);
}

static inline void folder_mkdir(struct folder *folder, const char *name)
{
	char *path = arena_printf(folder->arena, "%s/%s", folder->path, name);

	for (char *at = path + strlen(folder->path) + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		assert(mkdir(path, 0755) == 0 || errno == EEXIST);
		*at = '/';
	}
	assert(mkdir(path, 0755) == 0 || errno == EEXIST);
}

/* Makes the folders on the way. */
static inline void folder_write(struct folder *folder, const char *name, const char *text)
{
	const char *slash = strrchr(name, '/');

	if (slash)
		folder_mkdir(folder,
			     arena_str(folder->arena, str_of(name, (size_t)(slash - name))).ptr);
	assert(fd_write_file(folder_at(folder, name), text, strlen(text), 0644, NULL) == 0);
}

/* The text of a file, or NULL. */
static inline const char *folder_read(struct folder *folder, const char *name)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (fd_read_file(folder_at(folder, name), &text, NULL) < 0)
		return NULL;
	return arena_str(folder->arena, buf_str(&text)).ptr;
}

/* With everything below it. */
static inline void folder_remove(const char *path)
{
	struct dirent **entries = NULL;
	struct stat info;
	int len = 0;

	if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
		len = scandir(path, &entries, NULL, NULL);
	for (int i = 0; i < len; i++) {
		const char *name = entries[i]->d_name;
		char *below = mem_printf("%s/%s", path, name);

		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
			folder_remove(below);
		mem_free(below);
		mem_free(entries[i]);
	}
	mem_free(entries);
	(void)remove(path);
}

static inline void folder_close(struct folder *folder)
{
	folder_remove(folder->path);
	arena_free(folder->arena);
}

#endif
