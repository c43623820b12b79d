/* SPDX-License-Identifier: Apache-2.0 */
/* Records kept with a folder: as attributes, in a file, and both ways at once. */
#include "pod/records.h"

#include "folder.h"
#include "pod/record.h"
#include "tap.h"

enum { MANY = 300 };

static int open_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert(fd >= 0);
	return fd;
}

static bool has(int folder, size_t index, int64_t pid)
{
	struct record record;

	return records_get(folder, index, &record) && record.pid == pid;
}

static void test_file(struct folder *in, int folder)
{
	struct record record = {.state = RECORD_RUNNING, .pid = 77};
	char text[RECORD_SIZE];

	record_print(&record, text);
	folder_write(in, RECORD_FILE, text);
	ok(has(folder, 0, 77), "a line of the file is a record");
	ok(!has(folder, 1, 77), "there is none after its end");
	record.pid = 78;
	records_put(folder, 0, &record);
	ok(has(folder, 0, 78), "what is kept later is newer");
}

/* More than the attributes of a file may take on some file systems. */
static void test_many(int folder)
{
	struct record record = {.state = RECORD_ENDED};
	bool all = true;

	memset(record.message, 'x', sizeof(record.message) - 1);
	for (int round = 1; round <= 2; round++)
		for (size_t i = 0; i < MANY; i++) {
			record.pid = round * 1000 + (int64_t)i;
			records_put(folder, i, &record);
		}
	for (size_t i = 0; i < MANY; i++)
		all = all && has(folder, i, 2000 + (int64_t)i);
	ok(all, "every container of a large pod has its last record");
}

static void test_in(const char *where)
{
	struct folder in = {.arena = arena_new(0)};
	int folder;

	(void)snprintf(in.path, sizeof(in.path), "%s/volcano-test-XXXXXX", where);
	if (access(where, W_OK) < 0 || !mkdtemp(in.path)) {
		arena_free(in.arena);
		return;
	}
	folder = open_folder(in.path);
	ok(!has(folder, 0, 0), "nothing is known at first, in %s", where);
	test_file(&in, folder);
	test_many(folder);
	fd_close(folder);
	folder_close(&in);
}

int main(void)
{
	test_in("/dev/shm");
	test_in("/tmp");
	test_in(".");
	return tap_done();
}
