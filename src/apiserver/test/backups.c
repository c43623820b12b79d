/* SPDX-License-Identifier: Apache-2.0 */
/* Copies by schedule: when they are written, which are kept, what is left alone, what a failure does; and
 * that two copies are not written at once. In virtual time. */
#include "apiserver/store/backups.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "apiserver/test/stores.h"
#include "base/fd.h"
#include "base/time.h"

enum { KEEP = 3 };

static char *temporary(void)
{
	char *path = mem_strdup("/tmp/volcano-backups-XXXXXX");

	if (!mkdtemp(path))
		bail_out("mkdtemp");
	return path;
}

/* How many entries start so. */
static int count(const char *folder, const char *start)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int found = 0;

	while (dir && (entry = readdir(dir)))
		found += strncmp(entry->d_name, start, strlen(start)) == 0;
	if (dir)
		(void)closedir(dir);
	return found;
}

static void pass(struct loop *loop, int64_t time)
{
	int64_t end = loop_uptime(loop) + time;

	while (loop_uptime(loop) < end)
		(void)loop_turn(loop, end - loop_uptime(loop));
	loop_drain(loop);
}

static struct backups *start(struct loop *loop, struct store *store, const char *folder)
{
	return backups_new(
		loop, store,
		&(struct backups_options){.folder = folder, .every_us = TIME_HOUR, .keep = KEEP});
}

static struct backups_stats stats_of(struct backups *backups)
{
	struct backups_stats stats;

	backups_stats(backups, &stats);
	return stats;
}

static void make_folder(const char *folder, const char *name, const char *file)
{
	AUTO(mem_free) char *path = mem_printf("%s/%s", folder, name);
	AUTO(mem_free) char *inside = mem_printf("%s/%s", path, file);
	struct err err;

	ok(mkdir(path, 0700) == 0 && (!*file || fd_write_file(inside, "x", 1, 0600, &err) == 0),
	   "(%s/%s)", name, file);
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
	(void)info;
	(void)type;
	(void)at;
	return remove(path);
}

static void remove_all(char *folder)
{
	ok(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0, "(away)");
	mem_free(folder);
}

static void test_schedule(void)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(store_close) struct store *store = open_with(loop, &(struct store_options){0});
	char *above = temporary();
	AUTO(mem_free) char *folder = mem_printf("%s/made", above);
	struct backups *backups;

	(void)put(store, STORE_CREATE, "/pods/a/1", 0, "x", NULL);
	store_flush(store);
	backups = start(loop, store, folder);
	pass(loop, TIME_SECOND);
	ok(count(folder, "volcano-20260101T000000Z-r2") == 1 && stats_of(backups).done == 1,
	   "the first comes at once, and has its time and revision as a name");
	pass(loop, TIME_HOUR - 2 * TIME_SECOND);
	ok(count(folder, "volcano-") == 1, "the next not before it is due");
	for (int i = 0; i < 5; i++)
		pass(loop, TIME_HOUR);
	ok(stats_of(backups).done == 6 && count(folder, "volcano-") == KEEP,
	   "one an hour, and three are kept");
	ok(count(folder, "volcano-20260101T05000") == 1 && count(folder, ".") == 2,
	   "the newest, and nothing else");
	make_folder(folder, "volcano-20200101T000000Z-r1", "mine"); /* none of ours: no mark */
	make_folder(folder, "volcano-20200101T000000Z-rx", "format");
	make_folder(folder, "volcano-2020", "format");
	make_folder(folder, "elsewhere", "format");
	pass(loop, TIME_HOUR / 2);
	ok(count(folder, "volcano-20200101T000000Z-r1") == 1 &&
		   count(folder, "volcano-20200101T000000Z-rx") == 1 &&
		   count(folder, "volcano-2020") == 3 && count(folder, "elsewhere") == 1,
	   "what is not a copy of ours stays");
	backups_free(backups);
	backups = start(loop, store, folder);
	pass(loop, TIME_SECOND);
	ok(stats_of(backups).done == 0 && stats_of(backups).last > 0,
	   "a restart does not begin again: the next is due when it was");
	pass(loop, TIME_HOUR);
	ok(stats_of(backups).done == 1, "then it comes");
	backups_free(backups);
	remove_all(above);
}

static void test_failure(void)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(store_close) struct store *store = open_with(loop, &(struct store_options){0});
	char *above = temporary();
	AUTO(mem_free) char *folder = mem_printf("%s/none/below", above);
	AUTO(mem_free) char *middle = mem_printf("%s/none", above);
	struct backups *backups = start(loop, store, folder);

	pass(loop, 5 * TIME_MINUTE);
	ok(stats_of(backups).error && stats_of(backups).failed >= 4 && !stats_of(backups).done,
	   "one that fails is tried again each minute: %s", stats_of(backups).error);
	ok(mkdir(middle, 0700) == 0, "(the way is free)");
	pass(loop, 2 * TIME_MINUTE);
	ok(!stats_of(backups).error && stats_of(backups).done == 1, "and says so when it works");
	backups_free(backups);
	remove_all(above);
}

static void note(void *arg, const struct err *err)
{
	*(enum err_code *)arg = err ? err->code : ERR_NONE;
}

static void test_one_at_a_time(void)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(store_close) struct store *store = open_with(loop, &(struct store_options){0});
	char *above = temporary();
	enum err_code codes[30];
	int written = 0, refused = 0;

	for (int i = 0; i < 30; i++) {
		AUTO(mem_free) char *folder = mem_printf("%s/b%d", above, i);

		store_backup(store, folder, note, &codes[i]);
	}
	loop_drain(loop);
	for (int i = 0; i < 30; i++) {
		written += codes[i] == ERR_NONE;
		refused += codes[i] == ERR_TOO_MANY_REQUESTS;
	}
	ok(written == 1 && refused == 29 && count(above, "b") == 1,
	   "of thirty copies at once one is written, and the others are refused");
	remove_all(above);
}

/* --- one state ------------------------------------------------------------------------------- */

enum { MANY = 10000 };

static void write_map(struct store *store, enum store_op op, int number, const char *value)
{
	AUTO(mem_free) char *key = mem_printf("/configmaps/a/m%05d", number);
	AUTO(mem_free) char *behind = mem_printf("\"},\"data\":{\"k\":\"%s\"}}", value);
	struct err err;

	if (store_write(
		    store,
		    &(struct store_write){.op = op,
					  .key = str_from(key),
					  .before = STR("{\"metadata\":{\"resourceVersion\":\""),
					  .tail = str_from(behind)},
		    NULL, &err) < 0)
		bail_out(err.text);
}

/* Is every object of the copy the one that was there when it was asked for? */
static bool is_of_then(struct loop *loop, const char *folder, int64_t revision)
{
	AUTO(store_close)
	struct store *copy = open_with(loop, &(struct store_options){.folder = folder});
	struct store_walk walk = store_walk(copy, STR("/configmaps/"), str_none());
	struct object *object;
	size_t count = 0;

	while ((object = store_walk_next(&walk)))
		count += object->revision <= revision &&
			 str_find(object->text, STR("\"then\""), 0) >= 0;
	return count == MANY && store_revision(copy) == revision;
}

/* Objects are taken in several turns; writes between them are not in the copy. */
static void test_one_state(void)
{
	AUTO(loop_free) struct loop *loop = virtual_loop(1);
	AUTO(store_close) struct store *store = open_with(loop, &(struct store_options){0});
	char *above = temporary();
	AUTO(mem_free) char *folder = mem_printf("%s/copy", above);
	enum err_code code = ERR_UNKNOWN;
	int64_t revision;

	for (int i = 0; i < MANY; i++)
		write_map(store, STORE_CREATE, 2 * i, "then");
	store_flush(store);
	revision = store_revision(store);
	store_backup(store, folder, note, &code);
	for (int turn = 0; turn < 3; turn++) {
		for (int i = turn; i < MANY; i += 7)
			write_map(store, STORE_UPDATE, 2 * i, "changed");
		for (int i = turn; i < MANY / 4; i++)
			write_map(store, STORE_CREATE, 8 * i + 2 * turn + 1, "new");
		store_flush(store);
	}
	for (int i = 3; i < MANY; i += 11)
		write_map(store, STORE_DELETE, 2 * i, "deleted");
	store_flush(store);
	while (code == ERR_UNKNOWN)
		(void)loop_turn(loop, -1);
	ok(code == ERR_NONE && is_of_then(loop, folder, revision),
	   "a copy of %d objects is of one state, whatever is written meanwhile", MANY);
	store_check(store);
	remove_all(above);
}

int main(void)
{
	test_one_state();
	test_schedule();
	test_failure();
	test_one_at_a_time();
	return tap_done();
}
