/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged LMDB files: whatever bit is flipped, verifying ends with a verdict. */
#include "apiserver/store/disk_verify.h"

#include <fcntl.h>
#include <lmdb.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "apiserver/test/stores.h"
#include "base/fd.h"
#include "random.h"

enum { PAGE = 4096, KEYS = 400, ROUNDS = 12, FLIPS = 6000, HEAD = 16 };

static void put_key(MDB_txn *txn, MDB_dbi dbi, unsigned number, size_t len)
{
	static char bytes[3 * PAGE];
	char name[64];
	MDB_val key = {.mv_data = name};
	MDB_val value = {.mv_data = bytes, .mv_size = len};

	key.mv_size = (size_t)snprintf(name, sizeof(name), "/pods/a/a-rather-long-name-%u", number);
	if (mdb_put(txn, dbi, &key, &value, 0))
		bail_out("cannot put");
}

static void remove_key(MDB_txn *txn, MDB_dbi dbi, unsigned number)
{
	char name[64];
	MDB_val key = {.mv_data = name};

	key.mv_size = (size_t)snprintf(name, sizeof(name), "/pods/a/a-rather-long-name-%u", number);
	(void)mdb_del(txn, dbi, &key, NULL); /* it may not be there */
}

/* Two databases with branches, small and large values, and many free pages. */
static void make_file(const char *folder)
{
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi dbi, meta;
	uint64_t seed = 3;

	if (mdb_env_create(&env) || mdb_env_set_maxdbs(env, 2) ||
	    mdb_env_set_mapsize(env, 64 << 20) || mdb_env_open(env, folder, MDB_NOLOCK, 0600))
		bail_out("cannot make a file");
	for (unsigned round = 0; round < ROUNDS; round++) {
		if (mdb_txn_begin(env, NULL, 0, &txn) ||
		    mdb_dbi_open(txn, "objects", MDB_CREATE, &dbi) ||
		    mdb_dbi_open(txn, "meta", MDB_CREATE, &meta))
			bail_out("cannot begin");
		for (unsigned i = 0; i < KEYS; i += 1 + round % 3)
			put_key(txn, dbi, i, random_next(&seed) % (i % 16 ? 200 : 3 * PAGE));
		put_key(txn, meta, round, 10);
		if (mdb_txn_commit(txn))
			bail_out("cannot commit");
	}
	mdb_env_close(env);
}

struct image {
	char *bytes;
	size_t len;
	char *path;
};

static void image_open(struct image *image, const char *folder)
{
	struct stat info;

	image->path = mem_printf("%s/data.mdb", folder);
	AUTO(fd_close) int fd = open(image->path, O_RDWR | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &info) < 0)
		bail_out("no file");
	image->len = (size_t)info.st_size;
	image->bytes = mmap(NULL, image->len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (image->bytes == MAP_FAILED)
		bail_out("no map");
}

/* --- sound files ------------------------------------------------------------------------------ */

/* Whatever LMDB writes must never be refused: many keys, values of all lengths, several times in
 * one transaction, and times in which most of it is removed. */
static void test_sound(uint64_t seed)
{
	enum { COMMITS = 300 };
	char *folder = temporary_folder();
	AUTO(mem_free) char *path = mem_printf("%s/data.mdb", folder);
	struct err err = {0};
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;
	int sound = 0;

	if (mdb_env_create(&env) || mdb_env_set_maxdbs(env, 2) ||
	    mdb_env_set_mapsize(env, 256 << 20) ||
	    mdb_env_open(env, folder, MDB_NOLOCK | MDB_NOSYNC, 0600))
		bail_out("cannot make a file");
	for (int i = 0; i < COMMITS; i++) {
		if (mdb_txn_begin(env, NULL, 0, &txn) ||
		    mdb_dbi_open(txn, "objects", MDB_CREATE, &dbi))
			bail_out("cannot begin");
		for (uint64_t n = random_next(&seed) % 100; n > 0; n--) {
			unsigned key = (unsigned)(random_next(&seed) % 1000);

			if (i / 50 % 2 && random_next(&seed) % 4)
				remove_key(txn, dbi, key);
			else
				put_key(txn, dbi, key,
					random_next(&seed) % (key % 4 ? 300 : 3 * PAGE));
		}
		if (mdb_txn_commit(txn))
			bail_out("cannot commit");
		sound += disk_verify(path, &err) == 0;
	}
	ok(sound == COMMITS, "%d files are sound: %s", sound, err.text);
	mdb_env_close(env);
	rm_folder(folder);
}

/* --- random damage ---------------------------------------------------------------------------- */

/* Remembers a message without its numbers; gives how many different ones there are. */
static size_t remember(const char *text, char seen[][100], size_t count)
{
	char bare[100] = "";

	for (size_t i = 0; *text && i < sizeof(bare) - 1; text++)
		if (*text < '0' || *text > '9')
			bare[i++] = *text;
	for (size_t i = 0; i < count; i++)
		if (strcmp(seen[i], bare) == 0)
			return count;
	if (count < 40) {
		memcpy(seen[count], bare, sizeof(bare));
		printf("#   %s\n", bare);
	}
	return count + 1;
}

static void test_flips(struct image *image)
{
	static char seen[40][100];
	uint64_t seed = 1;
	size_t kinds = 0;
	int refused = 0, odd = 0;
	struct err err;

	printf("# seed %" PRIu64 "\n", seed);
	for (int i = 0; i < FLIPS; i++) {
		size_t at = random_next(&seed) % image->len;
		char bit = (char)(1 << random_next(&seed) % 8);

		if (i % 4 == 1) /* the head of a page */
			at = at / PAGE * PAGE + random_next(&seed) % (HEAD + 8);
		else if (i % 4 == 2) /* the root records */
			at = random_next(&seed) % 2 * PAGE + random_next(&seed) % 160;
		image->bytes[at] ^= bit;
		if (disk_verify(image->path, &err) < 0) {
			refused++;
			odd += err.code != ERR_STORE_READ;
			kinds = remember(err.text, seen, kinds);
		}
		image->bytes[at] ^= bit;
	}
	ok(odd == 0 && refused > FLIPS / 10, "%d of %d flipped bits are refused", refused, FLIPS);
	ok(kinds >= 12, "for %zu reasons", kinds);
	ok(disk_verify(image->path, &err) == 0, "without them it is sound");
}

/* --- certain damage --------------------------------------------------------------------------- */

static uint64_t get64(const struct image *image, size_t at)
{
	uint64_t value;

	memcpy(&value, image->bytes + at, sizeof(value));
	return value;
}

/* The offset of the valid root record. */
static size_t meta_at(const struct image *image)
{
	enum { TXN_AT = HEAD + 128 };

	return get64(image, TXN_AT) < get64(image, PAGE + TXN_AT) ? PAGE + HEAD : HEAD;
}

static void refuses(struct image *image, size_t at, const void *bytes, size_t len, const char *word)
{
	char kept[16];
	struct err err = {0};

	memcpy(kept, image->bytes + at, len);
	memcpy(image->bytes + at, bytes, len);
	int result = disk_verify(image->path, &err);

	ok(result < 0 && err.code == ERR_STORE_READ && strstr(err.text, word), "%s: %s", word,
	   err.text);
	memcpy(image->bytes + at, kept, len);
}

static void test_certain(struct image *image)
{
	enum {
		FREE_TREE = 24,
		MAIN_TREE = 72,
		LAST_PAGE = 120,
		DEPTH = 6,
		ENTRIES = 32,
		ROOT = 40
	};
	size_t meta = meta_at(image);
	size_t free_root = get64(image, meta + FREE_TREE + ROOT) * PAGE;
	uint64_t main_root = get64(image, meta + MAIN_TREE + ROOT);
	uint16_t node, deep = 40, zero = HEAD;
	uint64_t far = 1 << 20, one = 1, huge = UINT64_MAX / 2;

	refuses(image, meta, "xxxx", 4, "is no root record");
	refuses(image, FREE_TREE + HEAD, "\x01\x10\0\0", 4, "names a page size that is none");
	refuses(image, meta + LAST_PAGE, &one, 8, "is not there");
	refuses(image, meta + LAST_PAGE, &huge, 8, "cut short");
	refuses(image, meta + LAST_PAGE + 8, &huge, 8, "do not go together");
	refuses(image, meta + MAIN_TREE + DEPTH, &deep, 2, "is no root");
	refuses(image, meta + MAIN_TREE + ROOT, &far, 8, "is not there");
	refuses(image, meta + FREE_TREE + ROOT, &main_root, 8, "is in use twice");
	refuses(image, meta + FREE_TREE + ENTRIES, &far, 8, "has lost some");
	refuses(image, free_root + 12, &zero, 2, "is empty");
	/* the first list of free pages: after its node's header and its key */
	memcpy(&node, image->bytes + free_root + HEAD, 2);
	size_t list = free_root + node + 16;

	refuses(image, list, &huge, 8, "free pages that is malformed");
	refuses(image, list + 8, &one, 8, "out of order");
	refuses(image, free_root + node + 6, "\x04\0", 2, "key of the wrong length");
}

static void test_no_file(void)
{
	struct err err;

	ok(disk_verify("/dev/null/none", &err) < 0 && err.code != ERR_STORE_READ, "no file: %s",
	   err.text);
	ok(disk_verify("/dev/null", &err) < 0 && err.code == ERR_STORE_READ, "empty: %s", err.text);
}

int main(void)
{
	char *folder = temporary_folder();
	struct image image;

	test_sound(1);
	make_file(folder);
	image_open(&image, folder);
	test_certain(&image);
	test_flips(&image);
	test_no_file();
	(void)munmap(image.bytes, image.len);
	mem_free(image.path);
	rm_folder(folder);
	return tap_done();
}
