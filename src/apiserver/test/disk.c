/* SPDX-License-Identifier: Apache-2.0 */
/* The disk: what is written is read again, by one process at a time; what cannot be trusted or
 * written is refused with a sentence that says so. */
#include "apiserver/store/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "apiserver/test/stores.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/number.h"
#include "random.h"

enum { MANY = 3000 };

static struct object *make(const char *key, size_t len, int64_t revision)
{
	struct object_names *names = NULL;
	AUTO(buf_done) struct buf scratch = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct object_pair label = {STR("app"), STR("web")};
	struct object_parts parts = {
		.key = str_from(key), .labels = &label, .label_count = 1, .before = STR("{\"")};

	for (size_t i = 0; i < len; i++)
		buf_putc(&text, (char)('a' + i % 26));
	parts.tail = buf_str(&text);
	struct object *object = object_new(&parts, revision, &names, &scratch);

	object_names_unref(names);
	return object;
}

/* One object in one commit. */
static int commit_one(struct disk *disk, const char *key, size_t len, int64_t revision,
		      struct err *err)
{
	AUTO(object_unref) struct object *object = make(key, len, revision);
	struct disk_change change = {.key = object->key, .object = object};

	return disk_commit(disk, &(struct disk_batch){&change, 1, revision}, err);
}

struct sum {
	size_t count;
	size_t bytes;
	bool stop;
};

static int add_up(void *arg, struct str key, struct str record, struct err *err)
{
	struct sum *sum = arg;
	struct object_names *names = NULL;
	AUTO(object_unref) struct object *object = object_decode(key, record, &names, err);

	object_names_unref(names);
	if (!object)
		return -1;
	sum->count++;
	sum->bytes += object->text.len;
	return sum->stop ? err_set(err, ERR_STORE_READ, "enough") : 0;
}

static struct disk *must_open(const char *folder)
{
	struct err err;
	struct disk *disk = disk_open(folder, &err);

	if (!disk)
		bail_out(err.text);
	return disk;
}

static void test_write_and_read(void)
{
	char *folder = temporary_folder();
	struct disk *disk = must_open(folder);
	struct sum sum = {0};
	struct err err;
	int64_t revision = -1;
	struct stat info;

	ok(disk_load(disk, add_up, &sum, &revision, &err) == 0 && sum.count == 0 && revision == 0,
	   "a new one is empty, without a revision");
	ok(commit_one(disk, "/pods/a/1", 3000, 2, &err) == 0, "an object is written");
	ok(commit_one(disk, "/pods/a/2", 10, 3, &err) == 0, "a small one as well");
	ok(commit_one(disk, "/pods/a/3", 100000, 4, &err) == 0, "and a large one");
	struct disk_change gone = {.key = STR("/pods/a/2")};
	struct disk_change never = {.key = STR("/pods/a/9")};

	ok(disk_commit(disk, &(struct disk_batch){&gone, 1, 5}, &err) == 0, "one is removed");
	ok(disk_commit(disk, &(struct disk_batch){&never, 1, 6}, &err) == 0,
	   "what was never there can be removed");
	ok(disk_bytes(disk) > 100000, "it takes space");
	disk_close(disk);
	ok(stat(folder, &info) == 0 && (info.st_mode & 0777) == 0700, "the folder is private");
	disk = must_open(folder);
	ok(disk_load(disk, add_up, &sum, &revision, &err) == 0 && sum.count == 2 && revision == 6,
	   "all is there after reopening");
	sum.stop = true;
	ok(disk_load(disk, add_up, &sum, &revision, &err) < 0 && strstr(err.text, "/pods/a/1") &&
		   strstr(err.text, folder) && strstr(err.text, "restore the folder"),
	   "one that cannot be used is named: %s", err.text);
	disk_close(disk);
	disk_close(NULL);
	rm_folder(folder);
}

static void test_growing(void)
{
	char *folder = temporary_folder();
	struct disk *disk = must_open(folder);
	struct sum sum = {0};
	int64_t revision = 1;
	struct err err;
	char key[32];
	int good = 0;

	/* past the size that the map has at first, in small steps and in large ones */
	for (int i = 0; i < 12; i++) {
		snprintf(key, sizeof(key), "/pods/a/%d", i);
		good += commit_one(disk, key, i < 8 ? 1 << 20 : 4 << 20, ++revision, &err) == 0;
	}
	ok(good == 12 && disk_bytes(disk) > (24 << 20), "the map grows with what is in it");
	disk_close(disk);
	disk = must_open(folder);
	ok(disk_load(disk, add_up, &sum, &revision, &err) == 0 && sum.count == 12,
	   "a large store opens");
	ok(commit_one(disk, "/pods/a/x", 16 << 20, ++revision, &err) == 0,
	   "and takes a batch larger than anything before");
	disk_close(disk);
	rm_folder(folder);
}

/* A batch that changes something on every page takes far more space than its own size: only the
 * write shows that the map is too small. */
static void test_growing_late(void)
{
	enum { STEP = 200 };
	char *folder = temporary_folder();
	struct disk *disk = must_open(folder);
	AUTO(mem_free) struct disk_change *gone = mem_calloc(40000, sizeof(*gone));
	AUTO(mem_free) char(*keys)[16] = mem_calloc(40000, sizeof(*keys));
	struct sum sum = {0};
	int64_t revision = 1;
	size_t count = 0;
	struct err err;

	while (disk_bytes(disk) < (11 << 20) && count < 40000 - STEP) {
		struct disk_change changes[STEP];
		struct object *objects[STEP];

		for (int i = 0; i < STEP; i++, count++) {
			snprintf(keys[count], sizeof(keys[count]), "/pods/a/%06zu", count);
			objects[i] = make(keys[count], 200, ++revision);
			changes[i] = (struct disk_change){objects[i]->key, objects[i]};
		}
		if (disk_commit(disk, &(struct disk_batch){changes, STEP, revision}, &err) < 0)
			bail_out(err.text);
		for (int i = 0; i < STEP; i++)
			object_unref(objects[i]);
	}
	size_t removed = 0;

	for (size_t i = 0; i < count; i += 8)
		gone[removed++].key = str_from(keys[i]);
	ok(disk_commit(disk, &(struct disk_batch){gone, removed, ++revision}, &err) == 0,
	   "a batch that finds the map too small grows it, and is written");
	ok(disk_load(disk, add_up, &sum, &revision, &err) == 0 && sum.count == count - removed,
	   "whole");
	disk_close(disk);
	rm_folder(folder);
}

/* Runs `fn` in a process of its own; gives its exit code, or 256 and the signal. */
static int in_child(int (*fn)(const char *folder), const char *folder)
{
	int status;

	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0)
		_exit(fn(folder));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		bail_out("no child");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

static int open_fails(const char *folder)
{
	struct err err;
	struct disk *disk = disk_open(folder, &err);

	if (disk)
		return 0;
	printf("# %s\n", err.text);
	fflush(stdout);
	return err.code;
}

static void test_lock(void)
{
	char *folder = temporary_folder();
	struct disk *disk = must_open(folder);
	char pid[32];
	struct err err;

	ok(in_child(open_fails, folder) == ERR_UNAVAILABLE, "another process is refused");
	ok(!disk_open(folder, &err) && err.code == ERR_UNAVAILABLE, "so is the same one");
	snprintf(pid, sizeof(pid), "(pid %d)", (int)getpid());
	ok(strstr(err.text, pid) && strstr(err.text, folder), "the sentence says who: %s",
	   err.text);
	disk_close(disk);
	ok(in_child(open_fails, folder) == 0, "once it is closed it can be opened");
	rm_folder(folder);
}

/* As the user "nobody", if root runs the test: root may write everywhere. */
static int open_as_nobody(const char *folder)
{
	if (geteuid() == 0 && (setegid(65534) < 0 || seteuid(65534) < 0))
		return 99;
	return open_fails(folder);
}

static void test_folders(void)
{
	char *folder = temporary_folder();
	AUTO(mem_free) char *inside = mem_printf("%s/inside", folder);
	AUTO(mem_free) char *deep = mem_printf("%s/not/there", folder);
	AUTO(mem_free) char *file = mem_printf("%s/lock", folder);
	struct err err;

	ok(!disk_open(deep, &err) && strstr(err.text, "No such file"), "no parent: %s", err.text);
	ok(fd_write_file(file, "x", 1, 0600, &err) == 0, "(a file)");
	ok(!disk_open(file, &err) && strstr(err.text, "Not a directory"), "a file: %s", err.text);
	ok(chmod(folder, 0555) == 0, "(a folder that is not writable)");
	ok(in_child(open_as_nobody, folder) == ERR_UNAVAILABLE, "is refused");
	ok(in_child(open_as_nobody, inside) == ERR_UNAVAILABLE, "so is a new one in it");
	ok(chmod(folder, 0755) == 0 && unlink(file) == 0, "(else)");
	disk_close(must_open(inside));
	ok(access(inside, F_OK) == 0, "a missing folder is made");
	rm_folder(TAKE(inside));
	rm_folder(folder);
}

/* A file that may not grow past a bound stands for a full disk: the system then cuts writes short,
 * and refuses the next. */
static int fill_up(const char *folder)
{
	struct rlimit limit = {.rlim_cur = 4 << 20, .rlim_max = 4 << 20};
	struct disk *disk;
	struct err err;
	int64_t revision = 1;
	char key[32];

	(void)signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
		return 99;
	disk = must_open(folder);
	for (int i = 0; i < 5000; i++) {
		snprintf(key, sizeof(key), "/pods/a/%d", i);
		if (commit_one(disk, key, 50000, ++revision, &err) < 0) {
			printf("# %s\n", err.text);
			fflush(stdout);
			return err.code == ERR_UNAVAILABLE && i > 20 ? i : 98;
		}
	}
	return 97;
}

static void test_full(void)
{
	char *folder = temporary_folder();
	int acknowledged = in_child(fill_up, folder);
	struct disk *disk = must_open(folder);
	struct sum sum = {0};
	int64_t revision;
	struct err err;

	ok(acknowledged > 20 && acknowledged < 97, "a full disk fails a commit (%d)", acknowledged);
	ok(disk_load(disk, add_up, &sum, &revision, &err) == 0 && (int)sum.count == acknowledged &&
		   revision == acknowledged + 1,
	   "what was acknowledged is there, and nothing else");
	ok(commit_one(disk, "/pods/a/after", 3000, revision + 1, &err) == 0,
	   "with free space again, writing goes on");
	disk_close(disk);
	rm_folder(folder);
}

/* --- what cannot be trusted ------------------------------------------------------------------- */

/* Writes a record of "meta" by hand. */
static void put_meta(const char *folder, const char *name, const void *data, size_t len)
{
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;
	MDB_val key = {strlen(name), (void *)(uintptr_t)name};
	MDB_val value = {len, (void *)(uintptr_t)data};

	if (mdb_env_create(&env) || mdb_env_set_maxdbs(env, 2) ||
	    mdb_env_open(env, folder, MDB_NOLOCK, 0600) || mdb_txn_begin(env, NULL, 0, &txn) ||
	    mdb_dbi_open(txn, "meta", 0, &dbi) ||
	    (data ? mdb_put(txn, dbi, &key, &value, 0) : mdb_del(txn, dbi, &key, NULL)) ||
	    mdb_txn_commit(txn))
		bail_out("cannot write by hand");
	mdb_env_close(env);
}

static void refused(const char *folder, const char *word)
{
	struct err err = {0};
	struct disk *disk = disk_open(folder, &err);
	struct sum sum = {0};
	int64_t revision;

	if (disk && disk_load(disk, add_up, &sum, &revision, &err) == 0)
		(void)err_set(&err, ERR_NONE, "it was accepted");
	ok(err.code == ERR_STORE_READ && strstr(err.text, word) && strstr(err.text, folder),
	   "refused: %s", err.text);
	disk_close(disk);
}

static void test_headers(void)
{
	struct {
		char magic[16];
		uint32_t order, version;
		char by[32];
		uint64_t checksum;
	} format = {"volcano-store", 0x01020304, 2, "volcano 9.9", 0};
	struct {
		int64_t revision;
		uint64_t objects, checksum;
	} state = {5, 1, 0};
	char *folder = temporary_folder();
	AUTO(mem_free) char *data = mem_printf("%s/data.mdb", folder);
	AUTO(mem_free) char *mark = mem_printf("%s/format", folder);
	struct err err;

	disk_close(must_open(folder));
	put_meta(folder, "format", &format, sizeof(format));
	refused(folder, "the checksum of its header");
	format.checksum = hash_checksum(&format, sizeof(format) - 8);
	put_meta(folder, "format", &format, sizeof(format));
	refused(folder, "has format 2 (made by volcano 9.9), and this program knows 1");
	format.order = 0x04030201;
	put_meta(folder, "format", &format, sizeof(format));
	refused(folder, "another byte order");
	format.magic[0] = 'x';
	put_meta(folder, "format", &format, sizeof(format));
	refused(folder, "none of ours");
	put_meta(folder, "format", &format, 8);
	refused(folder, "wrong size");
	put_meta(folder, "format", NULL, 0);
	refused(folder, "its header is missing");
	ok(unlink(mark) == 0, "(never finished, and nothing in it)");
	disk_close(must_open(folder));
	put_meta(folder, "state", &state, sizeof(state));
	refused(folder, "the checksum of its revision");
	state.checksum = hash_checksum(&state, sizeof(state) - 8);
	put_meta(folder, "state", &state, sizeof(state));
	refused(folder, "objects are missing");
	put_meta(folder, "state", &state, 3);
	refused(folder, "its revision is missing");
	put_meta(folder, "state", NULL, 0);
	refused(folder, "its revision is missing");
	ok(truncate(data, 0) == 0, "(emptied)");
	refused(folder, "missing or empty");
	ok(unlink(data) == 0, "(removed)");
	refused(folder, "missing or empty");
	ok(fd_write_file(data, "this is no database", 19, 0600, &err) == 0, "(replaced)");
	refused(folder, "cut short");
	rm_folder(folder);
}

/* A store with small and large values, overwritten ones, and free pages. */
static void fill(const char *folder, struct buf *copy)
{
	struct disk *disk = must_open(folder);
	AUTO(mem_free) char *data = mem_printf("%s/data.mdb", folder);
	struct disk_change changes[100];
	struct object *objects[100];
	struct err err;
	char key[64];
	int64_t revision = 1;

	for (int round = 0; round < 8; round++) {
		for (int i = 0; i < 100; i++) {
			snprintf(key, sizeof(key), "/%s/namespace-%d/a-name-of-some-length-%d",
				 i % 2 ? "pods" : "jobs", i % 7, i + round % 3 * 60);
			objects[i] = make(key, i % 3 ? 300 : 5000, ++revision);
			changes[i] = (struct disk_change){objects[i]->key,
							  round == 5 && i % 2 ? NULL : objects[i]};
		}
		if (disk_commit(disk, &(struct disk_batch){changes, 100, revision}, &err) < 0)
			bail_out(err.text);
		for (int i = 0; i < 100; i++)
			object_unref(objects[i]);
	}
	disk_close(disk);
	if (fd_read_file(data, copy, &err) < 0)
		bail_out(err.text);
}

/* 0: it opens and every record is whole; 1: it was refused; else something worse. */
static int try(const char *folder)
{
	struct err err = {0};
	struct disk *disk = disk_open(folder, &err);
	struct sum sum = {0};
	int64_t revision;
	int result = 1;

	if (disk && disk_load(disk, add_up, &sum, &revision, &err) == 0)
		result = commit_one(disk, "/pods/a/after", 9000, revision + 1, &err) == 0 ? 0 : 2;
	else if (err.code != ERR_STORE_READ && err.code != ERR_UNAVAILABLE)
		result = 3;
	disk_close(disk);
	return result;
}

static void write_file(const char *path, const char *data, size_t len)
{
	AUTO(fd_close) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		bail_out("cannot write");
}

/* Many ways to damage the file, each tried in a child so that a crash is seen. Children are made a
 * hundred damages at a time: forking under a sanitizer is slow. */
struct damage {
	const char *folder;
	char *data;
	struct buf *copy;
	uint64_t seed;
	int tries;
	bool truncate;
};

static int damage_run(const struct damage *damage, int counts[4])
{
	uint64_t seed = damage->seed;
	int pipes[2];
	int status;
	char result;

	if (pipe(pipes) < 0)
		bail_out("pipe");
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		for (int i = 0; i < damage->tries; i++) {
			size_t at = random_next(&seed) % damage->copy->len;
			/* the first pages and the heads of pages matter most */
			if (i % 2)
				at = at / 4096 * 4096 + random_next(&seed) % 64;
			if (i % 8 == 0)
				at = random_next(&seed) % 8192;
			size_t len = damage->truncate ? at : damage->copy->len;
			char bit = (char)(1 << random_next(&seed) % 8);

			if (!damage->truncate)
				damage->copy->ptr[at] ^= bit;
			write_file(damage->data, damage->copy->ptr, len);
			if (!damage->truncate)
				damage->copy->ptr[at] ^= bit;
			result = (char)try(damage->folder);
			if (write(pipes[1], &result, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	close(pipes[1]);
	while (read(pipes[0], &result, 1) == 1)
		counts[(int)result]++;
	close(pipes[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		bail_out("no child");
	return status;
}

static void test_damage(void)
{
	char *folder = temporary_folder();
	AUTO(mem_free) char *data = mem_printf("%s/data.mdb", folder);
	AUTO(buf_done) struct buf copy = BUF_UNBOUNDED;
	int flips[4] = {0}, cuts[4] = {0};
	struct damage damage = {folder, data, &copy, 1, 250, false};

	fill(folder, &copy);
	printf("# seed %" PRIu64 ", file of %zu bytes\n", damage.seed, copy.len);
	ok(damage_run(&damage, flips) == 0, "no flipped bit crashes it");
	ok(flips[1] > 25 && flips[2] == 0 && flips[3] == 0,
	   "they are refused (%d), or hit nothing that counts (%d)", flips[1], flips[0]);
	damage.truncate = true;
	damage.tries = 40;
	ok(damage_run(&damage, cuts) == 0, "no cut crashes it");
	ok(cuts[1] > 20 && cuts[2] == 0 && cuts[3] == 0,
	   "they are refused (%d), or took only free pages (%d)", cuts[1], cuts[0]);
	write_file(data, copy.ptr, copy.len);
	ok(try(folder) == 0, "undamaged it opens");
	rm_folder(folder);
}

static void test_copy(void)
{
	char *folder = temporary_folder();
	AUTO(mem_free) char *data = mem_printf("%s/data.mdb", folder);
	AUTO(mem_free) char *mark = mem_printf("%s/format", folder);
	AUTO(mem_free) char *lock = mem_printf("%s/lock", folder);
	struct disk_change changes[MANY];
	struct object *objects[MANY];
	struct sum sum = {0};
	int64_t revision;
	struct err err;
	char key[32];

	for (int i = 0; i < MANY; i++) {
		snprintf(key, sizeof(key), "/pods/a/%d", i);
		objects[i] = make(key, 100, i + 2);
		changes[i] = (struct disk_change){objects[i]->key, objects[i]};
	}
	ok(disk_copy(folder, &(struct disk_batch){changes, MANY, 7777}, &err) == 0,
	   "a copy is made");
	ok(disk_copy(folder, &(struct disk_batch){changes, MANY, 7777}, &err) < 0 &&
		   err.code == ERR_ALREADY_EXISTS,
	   "not over a store: %s", err.text);
	struct disk *disk = must_open(folder);

	ok(disk_load(disk, add_up, &sum, &revision, &err) == 0 && sum.count == MANY &&
		   revision == 7777,
	   "it has everything");
	disk_close(disk);
	put_meta(folder, "format", NULL, 0);
	ok(unlink(mark) == 0, "(as if it had not been finished)");
	refused(folder, "a copy that was not finished");
	ok(disk_copy(folder, &(struct disk_batch){NULL, 0, 5}, &err) < 0 &&
		   err.code == ERR_ALREADY_EXISTS,
	   "nor into what is left of one: %s", err.text);
	ok(unlink(data) == 0 && unlink(lock) == 0 &&
		   disk_copy(folder, &(struct disk_batch){NULL, 0, 5}, &err) == 0,
	   "a copy of nothing is made");
	disk = must_open(folder);
	ok(disk_load(disk, add_up, &sum, &revision, &err) == 0 && revision == 5,
	   "and has its revision");
	disk_close(disk);
	for (int i = 0; i < MANY; i++)
		object_unref(objects[i]);
	rm_folder(folder);
}

/* --- places for a copy that are none --- */

static void refuses_place(const char *path, enum err_code code)
{
	struct err err = {0};

	ok(disk_copy(path, &(struct disk_batch){NULL, 0, 5}, &err) < 0 && err.code == code,
	   "no copy there: %s", err.text);
}

static size_t entries_of(const char *folder)
{
	DIR *dir = opendir(folder);
	size_t count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		(void)closedir(dir);
	return count - 2;
}

/* What a copy must not follow, cut short or write over; none of it leaves anything. */
static void test_bad_places(void)
{
	char *folder = temporary_folder();
	AUTO(mem_free) char *mine = mem_printf("%s/mine", folder);
	AUTO(mem_free) char *lock = mem_printf("%s/mine/lock", folder);
	AUTO(mem_free) char *link = mem_printf("%s/link", folder);
	AUTO(mem_free) char *below = mem_printf("%s/link/below", folder);
	AUTO(mem_free) char *file = mem_printf("%s/mine/lock/x", folder);
	AUTO(mem_free) char *dots = mem_printf("%s/mine/..", folder);
	AUTO(mem_free) char *away = mem_printf("%s/none/below", folder);
	AUTO(mem_free) char *good = mem_printf("%s/good///", folder);
	AUTO(mem_free) char *fifo = mem_printf("%s/fifo", folder);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct err err;

	ok(mkdir(mine, 0700) == 0 && symlink(mine, link) == 0 && mkfifo(fifo, 0600) == 0,
	   "(a folder, a link to it, a pipe)");
	write_file(lock, "precious", 8);
	refuses_place(mine, ERR_ALREADY_EXISTS);
	refuses_place(link, ERR_BAD_REQUEST);
	refuses_place(below, ERR_BAD_REQUEST);
	refuses_place(lock, ERR_ALREADY_EXISTS);
	refuses_place(file, ERR_BAD_REQUEST);
	refuses_place(fifo, ERR_ALREADY_EXISTS);
	refuses_place(dots, ERR_BAD_REQUEST);
	refuses_place(away, ERR_BAD_REQUEST);
	refuses_place("/", ERR_BAD_REQUEST);
	refuses_place("", ERR_BAD_REQUEST);
	refuses_place("relative", ERR_BAD_REQUEST);
	ok(fd_read_file(lock, &text, &err) == 0 && str_is(buf_str(&text), "precious") &&
		   entries_of(mine) == 1 && entries_of(folder) == 3,
	   "and nothing was touched");
	ok(disk_copy(good, &(struct disk_batch){NULL, 0, 5}, &err) == 0 && entries_of(folder) == 4,
	   "where there is nothing, there is a copy then, and nothing else");
	rm_folder(folder);
}

/* Files that are removed or replaced under an open disk. */
static void test_moved(void)
{
	char *folder = temporary_folder();
	AUTO(mem_free) char *data = mem_printf("%s/data.mdb", folder);
	AUTO(mem_free) char *kept = mem_printf("%s/kept", folder);
	AUTO(mem_free) char *other = mem_printf("%s-away", folder);
	struct disk *disk = must_open(folder);
	struct err err;

	ok(commit_one(disk, "/pods/a/1", 10, 2, &err) == 0, "a commit");
	ok(rename(folder, other) == 0 && commit_one(disk, "/pods/a/2", 10, 3, &err) < 0 &&
		   err.code == ERR_UNAVAILABLE && strstr(err.text, "removed"),
	   "not when its folder is away: %s", err.text);
	ok(disk_probe(disk, &err) < 0 && rename(other, folder) == 0 &&
		   disk_probe(disk, &err) == 0 && commit_one(disk, "/pods/a/2", 10, 3, &err) == 0,
	   "and again when it is back");
	ok(rename(data, kept) == 0, "(the file is moved, and another put there)");
	write_file(data, "x", 1);
	ok(commit_one(disk, "/pods/a/3", 10, 4, &err) < 0 && err.code == ERR_UNAVAILABLE &&
		   strstr(err.text, "replaced"),
	   "not when its file is another: %s", err.text);
	ok(unlink(data) == 0 && unlink(kept) == 0 && commit_one(disk, "/pods/a/3", 10, 4, &err) < 0,
	   "nor when it was removed: %s", err.text);
	disk_close(disk);
	rm_folder(folder);
}

/* Of the descriptors of this process, those that a program that it starts would inherit, streams aside. */
static size_t count_inherited(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	size_t count = 0;

	while (dir && (entry = readdir(dir))) {
		int64_t fd;

		if (number_parse_range(str_from(entry->d_name), STDERR_FILENO + 1, INT32_MAX, &fd,
				       NULL) == 0 &&
		    !(fcntl((int)fd, F_GETFD) & FD_CLOEXEC))
			count++;
	}
	ok(dir && closedir(dir) == 0, "descriptors are listed");
	return count;
}

/* A pod that inherits the data file reads every secret. */
static void test_not_inherited(void)
{
	char *folder = temporary_folder();
	size_t before = count_inherited();
	struct disk *disk = must_open(folder);
	struct err err;

	ok(count_inherited() == before, "no descriptor of a new store is inherited");
	ok(commit_one(disk, "/pods/a/1", 100000, 2, &err) == 0 && count_inherited() == before,
	   "nor after a commit");
	disk_close(disk);
	disk = must_open(folder);
	ok(count_inherited() == before, "nor of one that was there");
	disk_close(disk);
	rm_folder(folder);
}

static void test_null(void)
{
	AUTO(disk_close) struct disk *disk = disk_open_null();
	struct sum sum = {0};
	int64_t revision = -1;
	struct err err;

	ok(commit_one(disk, "/pods/a/1", 10, 2, &err) == 0 && disk_bytes(disk) == 0,
	   "no disk takes everything");
	ok(disk_load(disk, add_up, &sum, &revision, &err) == 0 && revision == 0 && sum.count == 0,
	   "and keeps nothing");
}

int main(void)
{
	test_write_and_read();
	test_growing();
	test_growing_late();
	test_lock();
	test_folders();
	test_full();
	test_headers();
	test_damage();
	test_copy();
	test_bad_places();
	test_moved();
	test_not_inherited();
	test_null();
	return tap_done();
}
