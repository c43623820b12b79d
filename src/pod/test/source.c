/* SPDX-License-Identifier: Apache-2.0 */
/* pod/source.h: what may be mounted, however it is named, and while another process changes names. */
#include "pod/source.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "folder.h"
#include "tap.h"

enum { SWAPS = 3000 };

struct world {
	struct folder in;
	const char *hidden;
};

/*	home/pki/key, home/pods/u/volumes/v	the node's own folder
 *	free/sub, free/file			a user's */
static void world_open(struct world *world)
{
	folder_open(&world->in);
	folder_write(&world->in, "up/home/pki/key", "secret");
	folder_mkdir(&world->in, "up/home/pods/u/volumes/v");
	folder_mkdir(&world->in, "free/sub");
	folder_write(&world->in, "free/file", "harmless");
	world->hidden = folder_at(&world->in, "up/home");
}

static void world_close(struct world *world)
{
	folder_close(&world->in);
}

static void world_link(struct world *world, const char *to, const char *name)
{
	assert(symlink(to, folder_at(&world->in, name)) == 0);
}

/* Opens it for a user; closes it again. */
static bool opens(struct world *world, const char *path, const char *below, struct err *err)
{
	AUTO(fd_close)
	int fd = source_open(
		&(struct source){
			.path = path, .below = below, .hidden = world->hidden, .foreign = true},
		err);

	return fd >= 0;
}

static void test_foreign(void)
{
	struct err err = {0};
	struct world world;

	world_open(&world);
	world_link(&world, world.hidden, "free/home");
	world_link(&world, folder_at(&world.in, "up/home/pki/key"), "free/key");
	world_link(&world, folder_at(&world.in, "up/home/pods/u/volumes/v"), "free/other");
	ok(opens(&world, folder_at(&world.in, "free"), NULL, &err), "a folder is opened %s",
	   err.text);
	ok(opens(&world, folder_at(&world.in, "free/file"), NULL, &err), "and a file %s", err.text);
	ok(opens(&world, folder_at(&world.in, "up"), NULL, &err),
	   "and one above the node's own: %s", err.text);
	ok(opens(&world, "/", NULL, &err), "and the root %s", err.text);
	ok(opens(&world, "/dev/null", NULL, &err), "and a device %s", err.text);
	static const char *const refused[] = {
		"up/home",           "up/home/",
		"up/home/pki",       "up/home/pki/key",
		"up/home/pods/u",    "free/home",
		"free/key",          "free/other",
		"free/home/pki/key", "free/../up/home/pki",
		"up/home/../home",
	};
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		ok(!opens(&world, folder_at(&world.in, refused[i]), NULL, &err) &&
			   err.code == ERR_FORBIDDEN,
		   "%s is refused: %s", refused[i], err.text);
	ok(!opens(&world, "/proc/self/root", NULL, &err), "so is a link of the kernel's: %s",
	   err.text);
	ok(!opens(&world, folder_at(&world.in, "none"), NULL, &err) && err.code == ERR_NOT_FOUND,
	   "what is not there: %s", err.text);
	ok(!opens(&world, "/", world.hidden + 1, &err) && err.code == ERR_FORBIDDEN,
	   "nor by a path below: %s", err.text);
	ok(!opens(&world, folder_at(&world.in, "up"), "home/pki/key", &err) &&
		   err.code == ERR_FORBIDDEN,
	   "nor to a file there: %s", err.text);
	world_close(&world);
}

/* Another mount of a part of the node's folder has other folders above it. */
static void test_entries(void)
{
	struct err err = {0};
	struct world world;

	world_open(&world);
	folder_write(&world.in, "up/home/token", "secret");
	assert(link(folder_at(&world.in, "up/home/token"), folder_at(&world.in, "free/token")) ==
	       0);
	ok(!opens(&world, folder_at(&world.in, "free/token"), NULL, &err) &&
		   err.code == ERR_FORBIDDEN,
	   "what is in the node's folder is known by another name, too: %s", err.text);
	world_close(&world);
}

static void test_own(void)
{
	struct source source = {0};
	struct err err = {0};
	struct world world;
	int fd;

	world_open(&world);
	source.hidden = world.hidden;
	source.path = folder_at(&world.in, "up/home/pods/u/volumes/v");
	fd = source_open(&source, &err);
	ok(fd >= 0, "a volume of the node's own is opened %s", err.text);
	fd_close(fd);
	world_link(&world, "../../../../pki", "up/home/pods/u/volumes/w");
	source.path = folder_at(&world.in, "up/home/pods/u/volumes/w");
	ok(source_open(&source, &err) < 0, "but not by a link: %s", err.text);
	world_close(&world);
}

static mode_t mode_of(struct world *world, const char *name)
{
	struct stat info;

	return stat(folder_at(&world->in, name), &info) == 0 ? info.st_mode & 07777 : 0;
}

static void test_below(void)
{
	static const struct {
		const char *path;
		bool fine;
	} rows[] = {
		{"a", true},         {"new/deep/er", true},   {"in", true},    {"in/more", true},
		{"out", false},      {"out/etc", false},      {"up", false},   {"up/x", false},
		{"dangling", false}, {"in/../../pki", false}, {"loop", false}, {"out/new", false},
	};
	struct source source = {0};
	struct err err = {0};
	struct world world;

	world_open(&world);
	source.hidden = world.hidden;
	source.path = folder_at(&world.in, "up/home/pods/u/volumes/v");
	assert(chmod(source.path, 0777) == 0);
	folder_mkdir(&world.in, "up/home/pods/u/volumes/v/real");
	world_link(&world, "real", "up/home/pods/u/volumes/v/in");
	world_link(&world, "/", "up/home/pods/u/volumes/v/out");
	world_link(&world, "../../../../pki", "up/home/pods/u/volumes/v/up");
	world_link(&world, "/tmp/not/there", "up/home/pods/u/volumes/v/dangling");
	world_link(&world, "loop", "up/home/pods/u/volumes/v/loop");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(fd_close) int fd = -1;

		source.below = rows[i].path;
		fd = source_open(&source, &err);
		ok((fd >= 0) == rows[i].fine, "%s: %s", rows[i].path, fd < 0 ? err.text : "opened");
	}
	ok(mode_of(&world, "up/home/pods/u/volumes/v/new/deep/er") == 0777,
	   "what is made is like its volume");
	world_close(&world);
}

static void test_make(void)
{
	struct source_new what = {.folder = true, .mode = 0750};
	struct err err = {0};
	struct world world;

	world_open(&world);
	what.hidden = world.hidden;
	what.path = folder_at(&world.in, "free/a/b//c/");
	ok(source_make(&what, &err) == 0 && mode_of(&world, "free/a/b/c") == 0750 &&
		   mode_of(&world, "free/a") == 0755,
	   "a folder is made, with those above %s", err.text);
	what.folder = false;
	what.mode = 0644;
	what.path = folder_at(&world.in, "free/a/f");
	ok(source_make(&what, &err) == 0 && mode_of(&world, "free/a/f") == 0644, "a file %s",
	   err.text);
	what.path = folder_at(&world.in, "up/home/new/deep");
	ok(source_make(&what, &err) < 0 && err.code == ERR_FORBIDDEN,
	   "nothing in the node's own folder: %s", err.text);
	world_link(&world, world.hidden, "free/trick");
	what.path = folder_at(&world.in, "free/trick/new");
	ok(source_make(&what, &err) < 0 && err.code == ERR_FORBIDDEN, "nor by a link: %s",
	   err.text);
	what.path = folder_at(&world.in, "free/none/../../up/home/x");
	ok(source_make(&what, &err) < 0, "nor by way of what is made: %s", err.text);
	what.path = "relative";
	ok(source_make(&what, &err) < 0, "a path begins at the root: %s", err.text);
	world_close(&world);
}

static void test_above(void)
{
	struct world world;
	int fd;

	world_open(&world);
	fd = open(folder_at(&world.in, "up"), O_PATH | O_CLOEXEC);
	is(source_above(fd, world.hidden), "home");
	fd_close(fd);
	fd = open(world.in.path, O_PATH | O_CLOEXEC);
	is(source_above(fd, world.hidden), "up/home");
	fd_close(fd);
	fd = open("/", O_PATH | O_CLOEXEC);
	is(source_above(fd, world.hidden), world.hidden + 1);
	fd_close(fd);
	fd = open(folder_at(&world.in, "free"), O_PATH | O_CLOEXEC);
	ok(!source_above(fd, world.hidden), "one next to it is not above it");
	fd_close(fd);
	fd = open(folder_at(&world.in, "up/home/pki"), O_PATH | O_CLOEXEC);
	ok(!source_above(fd, world.hidden), "nor is one in it");
	fd_close(fd);
	world_close(&world);
}

/* Another process exchanges a folder for a link to the keys, again and again. */
static pid_t swap(struct world *world, const char *one, const char *other)
{
	const char *left = folder_at(&world->in, one);
	const char *right = folder_at(&world->in, other);
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	for (;;)
		(void)renameat2(AT_FDCWD, left, AT_FDCWD, right, RENAME_EXCHANGE);
}

static void test_race(void)
{
	struct source source = {0};
	struct err err = {0};
	struct world world;
	struct stat key, got;
	int opened = 0, leaked = 0;
	pid_t pid;

	world_open(&world);
	assert(stat(folder_at(&world.in, "up/home/pki"), &key) == 0);
	folder_mkdir(&world.in, "up/home/pods/u/volumes/v/x");
	world_link(&world, folder_at(&world.in, "up/home/pki"), "up/home/pods/u/volumes/v/y");
	source.hidden = world.hidden;
	source.path = folder_at(&world.in, "up/home/pods/u/volumes/v");
	source.below = "x";
	pid = swap(&world, "up/home/pods/u/volumes/v/x", "up/home/pods/u/volumes/v/y");
	for (int i = 0; i < SWAPS; i++) {
		AUTO(fd_close) int fd = source_open(&source, &err);

		opened += fd >= 0;
		leaked += fd >= 0 && fstat(fd, &got) == 0 && got.st_ino == key.st_ino;
	}
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	ok(leaked == 0,
	   "a link that comes and goes below a volume is never followed out of it "
	   "(opened %d times of %d)",
	   opened, SWAPS);

	folder_mkdir(&world.in, "free/x");
	world_link(&world, folder_at(&world.in, "up/home/pki"), "free/y");
	source = (struct source){
		.path = folder_at(&world.in, "free/x"), .hidden = world.hidden, .foreign = true};
	opened = leaked = 0;
	pid = swap(&world, "free/x", "free/y");
	for (int i = 0; i < SWAPS; i++) {
		AUTO(fd_close) int fd = source_open(&source, &err);

		opened += fd >= 0;
		leaked += fd >= 0 && fstat(fd, &got) == 0 && got.st_ino == key.st_ino;
	}
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	ok(leaked == 0, "nor one that takes the place of a path of the machine (opened %d of %d)",
	   opened, SWAPS);
	world_close(&world);
}

int main(void)
{
	test_foreign();
	test_entries();
	test_own();
	test_below();
	test_make();
	test_above();
	test_race();
	return tap_done();
}
