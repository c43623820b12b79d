/* SPDX-License-Identifier: Apache-2.0 */
/* node/volume/atomic_folder.h: content that changes as a whole, and the end of deep folders. */
#include "node/volume/atomic_folder.h"

#include "folder.h"
#include "tap.h"

#define FILE_OF(name, text, mode)                            \
	{                                                    \
		STR_INIT(name), STR_INIT(text), (mode), (-1) \
	}

static const char *link_of(struct folder *in, const char *name)
{
	static char to[64]; /* a test is one process */
	ssize_t len = readlink(folder_at(in, name), to, sizeof(to) - 1);

	to[len < 0 ? 0 : len] = '\0';
	return to;
}

static mode_t mode_of(struct folder *in, const char *name)
{
	struct stat info;

	return stat(folder_at(in, name), &info) == 0 ? info.st_mode & 0777 : 0;
}

static void test_write(void)
{
	static const struct atomic_folder_file one[] = {
		FILE_OF("a", "1", 0644), FILE_OF("sub/b", "2", 0400), FILE_OF("c", "", 0755)};
	static const struct atomic_folder_file two[] = {FILE_OF("a", "new", 0644),
							FILE_OF("sub/d", "3", 0644)};
	struct err err = {0};
	bool changed = false;
	struct folder in;

	folder_open(&in);
	ok(atomic_folder_write(in.path, one, 3, -1, &changed, &err) == 0 && changed, "content %s",
	   err.text);
	is(folder_read(&in, "a"), "1");
	is(folder_read(&in, "sub/b"), "2");
	is(link_of(&in, "..data"), "..1");
	is(link_of(&in, "a"), "..data/a");
	is(link_of(&in, "sub"), "..data/sub");
	ok(mode_of(&in, "a") == 0644 && mode_of(&in, "sub/b") == 0400 && mode_of(&in, "c") == 0755,
	   "each file has its mode");
	ok(atomic_folder_write(in.path, one, 3, -1, &changed, &err) == 0 && !changed,
	   "the same again changes nothing");
	is(link_of(&in, "..data"), "..1");
	ok(atomic_folder_write(in.path, two, 2, -1, &changed, &err) == 0 && changed,
	   "other content %s", err.text);
	is(folder_read(&in, "a"), "new");
	is(folder_read(&in, "sub/d"), "3");
	is(link_of(&in, "..data"), "..2");
	ok(!folder_read(&in, "c") && !folder_read(&in, "sub/b"), "removed files are deleted");
	ok(access(folder_at(&in, "..1"), F_OK) < 0, "and the old folder as well");
	ok(atomic_folder_write(in.path, NULL, 0, -1, &changed, &err) == 0 && changed,
	   "nothing at all %s", err.text);
	ok(access(folder_at(&in, "a"), F_OK) < 0 && access(folder_at(&in, "..data"), F_OK) == 0,
	   "is a folder without files");
	folder_close(&in);
}

static void test_group(void)
{
	static const struct atomic_folder_file files[] = {FILE_OF("a", "1", 0400)};
	struct err err = {0};
	struct stat info;
	struct folder in;

	folder_open(&in);
	ok(atomic_folder_write(in.path, files, 1, getgid(), NULL, &err) == 0, "for a group %s",
	   err.text);
	ok(stat(folder_at(&in, "a"), &info) == 0 && (info.st_mode & 0777) == 0440 &&
		   info.st_gid == getgid(),
	   "the group may read");
	folder_close(&in);
}

static void test_refused(void)
{
	static const struct atomic_folder_file bad[] = {
		FILE_OF("/a", "", 0644),   FILE_OF("a/../../b", "", 0644), FILE_OF("..a", "", 0644),
		FILE_OF("a//b", "", 0644), FILE_OF("", "", 0644),
	};
	struct folder in;

	folder_open(&in);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err err = {0};

		ok(atomic_folder_write(in.path, &bad[i], 1, -1, NULL, &err) < 0 &&
			   err.code == ERR_INVALID,
		   "refused: %s", err.text);
	}
	ok(access(folder_at(&in, "..data"), F_OK) < 0, "and nothing is changed");
	folder_close(&in);
}

/* As deep as paths cannot name, with a link that leads out and a folder that may not be read. */
static void make_deep(struct folder *in, int depth)
{
	int at = open(in->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert(mkdirat(at, "deep", 0755) == 0);
	for (int i = 0; i < depth; i++) {
		int below = openat(at, i ? "d" : "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		assert(below >= 0 && mkdirat(below, "d", 0755) == 0);
		assert(symlinkat("../../kept", below, "out") == 0);
		(void)close(at);
		at = below;
	}
	assert(fchmodat(at, "d", 0, 0) == 0);
	(void)close(at);
}

static void test_remove(void)
{
	struct err err = {0};
	struct folder in;

	folder_open(&in);
	folder_write(&in, "kept", "x");
	folder_write(&in, "few/a/b/c", "x");
	folder_write(&in, "few/a/d", "x");
	make_deep(&in, 5000);
	ok(folder_size(folder_at(&in, "few"), 0) > 0, "a folder takes space");
	ok(folder_delete(folder_at(&in, "few"), &err) == 0 &&
		   access(folder_at(&in, "few"), F_OK) < 0,
	   "a folder with folders goes %s", err.text);
	ok(folder_delete(folder_at(&in, "deep"), &err) == 0 &&
		   access(folder_at(&in, "deep"), F_OK) < 0,
	   "5,000 levels go %s", err.text);
	is(folder_read(&in, "kept"), "x");
	ok(folder_delete(folder_at(&in, "kept"), &err) == 0 && !folder_read(&in, "kept"),
	   "a file goes");
	ok(folder_delete(folder_at(&in, "absent"), &err) == 0, "a missing folder is no error");
	folder_close(&in);
}

static void test_mkdir(void)
{
	struct err err = {0};
	struct folder in;

	folder_open(&in);
	folder_write(&in, "file", "");
	ok(folder_make(folder_at(&in, "a/b/c"), 01777, &err) == 0 && mode_of(&in, "a/b/c") == 0777,
	   "folders on the way %s", err.text);
	ok(folder_make(folder_at(&in, "a/b/c"), 0755, &err) == 0, "which may be there");
	ok(folder_make(folder_at(&in, "file"), 0755, &err) < 0 && err.code == ERR_ALREADY_EXISTS,
	   "but not as a file: %s", err.text);
	folder_close(&in);
}

int main(void)
{
	test_write();
	test_group();
	test_refused();
	test_remove();
	test_mkdir();
	return tap_done();
}
