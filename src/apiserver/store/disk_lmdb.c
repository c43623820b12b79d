/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/disk_lmdb.c - LMDB in a folder.
 *
 *	data.mdb	database "objects": key -> record (object.c)
 *			database "meta": "format" -> struct format, "state" -> struct state
 *	lock		locked (flock) by the process that has the folder open; contains its process id
 *	format		describes this folder in words; exists after the store was created
 *
 * 1. A batch is one transaction, synced before disk_commit() returns.
 * 2. "format" is written with the last batch of a copy: an unfinished copy does not open as a
 * store.
 * 3. A folder that was a store before is never treated as a new one: it has the file "format".
 * 4. LMDB trusts its files and crashes on bad ones, so disk_verify() looks at them before it does;
 *    each record has a checksum of its own.
 * 5. Only this process uses the files, with only one call at a time: LMDB's own locks are off.
 * 6. A commit counts only if data.mdb in the folder is still the file that was opened: what is written
 *    into a removed file is lost with it.
 * 7. No descriptor of the store is inherited by a program that this process starts.
 *
 * What is not noticed: damage that comes while it is open; an older copy of data.mdb put in place
 * of the newer one while it is closed. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <lmdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/store/disk.h"
#include "apiserver/store/disk_internal.h"
#include "apiserver/store/disk_verify.h"
#include "apiserver/store/object.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/mem.h"

#include "base/banned.h"

enum {
	FORMAT_VERSION = 1,
	BYTE_ORDER_MARK = 0x01020304,
	PID_TEXT_BYTES = 32,
	COPY_STEP = 1024, /* objects of a transaction of a copy */
};
static const size_t map_min = (size_t)16 << 20;
static const size_t space_min = (size_t)1 << 20; /* so much space there must be to go on */
static const char format_text[] =
	"This folder is the store of a volcano API server: all of its objects are in data.mdb.\n"
	"Do not change anything in it. Copies are made by the server itself.\n";
static const char advice[] =
	"restore the folder from a copy, or move it away to start with nothing";

struct format {
	char magic[16];
	uint32_t byte_order;
	uint32_t version;
	char created_by[32];
	uint64_t checksum; /* of what is before it */
};
static const char format_magic[16] = "volcano-store";

struct state {
	int64_t revision;
	uint64_t objects;
	uint64_t checksum; /* of what is before it */
};

struct lmdb {
	struct disk disk;
	char *folder;
	char *name; /* of the folder, as people know it */
	int lock;
	MDB_env *env;
	MDB_dbi objects;
	MDB_dbi meta;
	dev_t device; /* of data.mdb, and ... */
	ino_t inode;
	size_t map_bytes;
	bool stamp; /* the next commit writes "format" */
};

static struct lmdb *lmdb_of(struct disk *disk)
{
	return container_of(disk, struct lmdb, disk);
}

static MDB_val value_of(const void *data, size_t len)
{
	/* LMDB takes no const, and changes nothing */
	return (MDB_val){.mv_size = len, .mv_data = (void *)data};
}

static MDB_val value_from(const char *text)
{
	return value_of(text, strlen(text));
}

/* --- errors --- */

static int damaged(const struct lmdb *lmdb, const char *what, struct err *err)
{
	return err_set(err, ERR_STORE_READ, "the store in %s is damaged: %s; %s", lmdb->name, what,
		       advice);
}

/* `code` is an errno or one of LMDB's own. */
static int failed(const struct lmdb *lmdb, int code, const char *what, struct err *err)
{
	return err_set(err, code > 0 && code != EIO ? ERR_UNAVAILABLE : ERR_STORE_READ,
		       "cannot %s the store in %s: %s", what, lmdb->name, mdb_strerror(code));
}

/* --- the folder --- */

static char *path_of(const struct lmdb *lmdb, const char *name)
{
	return mem_printf("%s/%s", lmdb->folder, name);
}

/* Empty if there is none. */
static void read_text(int fd, char text[PID_TEXT_BYTES])
{
	ssize_t got = pread(fd, text, PID_TEXT_BYTES - 1, 0);

	text[got > 0 ? got : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

static int sync_folder(const char *path)
{
	AUTO(fd_close) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -1 : fsync(fd);
}

static int make_folder(struct lmdb *lmdb, struct err *err)
{
	AUTO(mem_free) char *parent = path_of(lmdb, "..");

	if (mkdir(lmdb->folder, 0700) == 0) {
		if (sync_folder(parent) < 0)
			return failed(lmdb, errno, "sync", err);
	} else if (errno != EEXIST) {
		return failed(lmdb, errno, "make", err);
	}
	return 0;
}

static int lock_folder(struct lmdb *lmdb, struct err *err)
{
	AUTO(mem_free) char *path = path_of(lmdb, "lock");
	char text[PID_TEXT_BYTES];

	lmdb->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (lmdb->lock < 0)
		return failed(lmdb, errno, "write to", err);
	if (flock(lmdb->lock, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return failed(lmdb, errno, "lock", err);
		read_text(lmdb->lock, text);
		return err_set(err, ERR_UNAVAILABLE,
			       "the store in %s is in use by another process (pid %s)", lmdb->name,
			       *text ? text : "unknown");
	}
	int len = snprintf(text, sizeof(text), "%jd\n", (intmax_t)getpid());

	if (ftruncate(lmdb->lock, 0) < 0 || pwrite(lmdb->lock, text, (size_t)len, 0) != len)
		return failed(lmdb, errno, "write to", err);
	return 0;
}

static bool has_file(const struct lmdb *lmdb, const char *name)
{
	AUTO(mem_free) char *path = path_of(lmdb, name);
	struct stat info;

	return stat(path, &info) == 0 && info.st_size > 0;
}

/* --- transactions --- */

static void txn_abort(MDB_txn *txn)
{
	if (txn)
		mdb_txn_abort(txn);
}
DEFINE_AUTO(MDB_txn *, txn_abort);

/* mdb_txn_commit() ends the transaction also if it fails. */
static int commit_txn(MDB_txn **txn)
{
	return mdb_txn_commit(TAKE(*txn));
}

static uint64_t checksum_before(const void *data, size_t checksum_at)
{
	return hash_checksum(data, checksum_at);
}

static int put_format(struct lmdb *lmdb, MDB_txn *txn)
{
	struct format format = {.byte_order = BYTE_ORDER_MARK, .version = FORMAT_VERSION};
	MDB_val key = value_from("format");

	memcpy(format.magic, format_magic, sizeof(format.magic));
	(void)snprintf(format.created_by, sizeof(format.created_by), "volcano %s", VOLCANO_VERSION);
	format.checksum = checksum_before(&format, offsetof(struct format, checksum));
	MDB_val value = value_of(&format, sizeof(format));

	return mdb_put(txn, lmdb->meta, &key, &value, 0);
}

static int put_state(struct lmdb *lmdb, MDB_txn *txn, int64_t revision)
{
	struct state state = {.revision = revision};
	MDB_val key = value_from("state");
	MDB_stat stat;
	int code = mdb_stat(txn, lmdb->objects, &stat);

	if (code)
		return code;
	state.objects = stat.ms_entries;
	state.checksum = checksum_before(&state, offsetof(struct state, checksum));
	MDB_val value = value_of(&state, sizeof(state));

	return mdb_put(txn, lmdb->meta, &key, &value, 0);
}

static int put_change(struct lmdb *lmdb, MDB_txn *txn, const struct disk_change *change)
{
	MDB_val key = value_of(change->key.ptr, change->key.len);

	if (!change->object) {
		int code = mdb_del(txn, lmdb->objects, &key, NULL);

		return code == MDB_NOTFOUND ? 0 : code; /* created and removed in one batch */
	}
	MDB_val value = {.mv_size = object_record_len(change->object)};
	int code = mdb_put(txn, lmdb->objects, &key, &value, MDB_RESERVE);

	if (code == 0)
		object_encode(change->object, value.mv_data);
	return code;
}

static int write_batch(struct lmdb *lmdb, const struct disk_batch *batch)
{
	AUTO(txn_abort) MDB_txn *txn = NULL;
	int code = mdb_txn_begin(lmdb->env, NULL, 0, &txn);

	for (size_t i = 0; code == 0 && i < batch->count; i++)
		code = put_change(lmdb, txn, &batch->changes[i]);
	if (code == 0 && lmdb->stamp)
		code = put_format(lmdb, txn);
	if (code == 0)
		code = put_state(lmdb, txn, batch->revision);
	return code ? code : commit_txn(&txn);
}

/* --- opening --- */

static int open_databases(struct lmdb *lmdb, unsigned flags)
{
	AUTO(txn_abort) MDB_txn *txn = NULL;
	int code = mdb_txn_begin(lmdb->env, NULL, flags ? 0 : MDB_RDONLY, &txn);

	if (code == 0)
		code = mdb_dbi_open(txn, "objects", flags, &lmdb->objects);
	if (code == 0)
		code = mdb_dbi_open(txn, "meta", flags, &lmdb->meta);
	return code ? code : commit_txn(&txn);
}

/* Which file is it that was opened? */
static int note_place(struct lmdb *lmdb)
{
	struct stat info;
	int fd = -1;
	int code = mdb_env_get_fd(lmdb->env, &fd);

	if (code)
		return code;
	if (fstat(fd, &info) < 0)
		return errno;
	lmdb->device = info.st_dev;
	lmdb->inode = info.st_ino;
	return 0;
}

/* LMDB opens its data file without close-on-exec: a process that inherits the descriptor could read and overwrite every
 * object. */
static int seal_env(const struct lmdb *lmdb)
{
	int fd = -1;
	int code = mdb_env_get_fd(lmdb->env, &fd);

	return code == 0 && fd_set_cloexec(fd, NULL) < 0 ? errno : code;
}

static int open_env(struct lmdb *lmdb)
{
	int code = mdb_env_create(&lmdb->env);
	MDB_envinfo info;

	if (code == 0)
		code = mdb_env_set_maxdbs(lmdb->env, 2);
	if (code == 0)
		code = mdb_env_set_mapsize(lmdb->env, map_min);
	if (code == 0)
		code = mdb_env_open(lmdb->env, lmdb->folder, MDB_NOLOCK | MDB_NOTLS, 0600);
	if (code == 0)
		code = seal_env(lmdb);
	if (code == 0)
		code = mdb_env_info(lmdb->env, &info);
	if (code == 0)
		lmdb->map_bytes = info.me_mapsize;
	if (code == 0)
		code = note_place(lmdb);
	return code;
}

static int check_format(const struct lmdb *lmdb, const MDB_val *value, struct err *err)
{
	struct format format;

	if (value->mv_size != sizeof(format))
		return damaged(lmdb, "its header has the wrong size", err);
	memcpy(&format, value->mv_data, sizeof(format));
	if (memcmp(format.magic, format_magic, sizeof(format_magic)) != 0)
		return damaged(lmdb, "its header is none of ours", err);
	if (format.byte_order != BYTE_ORDER_MARK)
		return err_set(err, ERR_STORE_READ,
			       "the store in %s was made on a machine of another byte order; "
			       "use a copy that was made on one like this",
			       lmdb->name);
	if (format.checksum != checksum_before(&format, offsetof(struct format, checksum)))
		return damaged(lmdb, "the checksum of its header is wrong", err);
	if (format.version != FORMAT_VERSION)
		return err_set(err, ERR_STORE_READ,
			       "the store in %s has format %" PRIu32
			       " (made by %.32s), and this program knows %d; use a newer program",
			       lmdb->name, format.version, format.created_by, FORMAT_VERSION);
	return 0;
}

static int verify(const struct lmdb *lmdb, struct err *err)
{
	AUTO(mem_free) char *path = path_of(lmdb, "data.mdb");
	struct err why;

	if (disk_verify(path, &why) == 0)
		return 0;
	if (why.code == ERR_STORE_READ)
		return damaged(lmdb, why.text, err);
	return err_set(err, why.code, "%s", why.text);
}

/* Checks the header. If there is none: `was_store` says whether the folder was a store before; if
 * not, and without objects, its creation was interrupted, and nothing is lost by continuing. */
static int check_header(struct lmdb *lmdb, bool was_store, struct err *err)
{
	AUTO(txn_abort) MDB_txn *txn = NULL;
	MDB_val key = value_from("format");
	MDB_val value;
	MDB_stat stat;
	int code = mdb_txn_begin(lmdb->env, NULL, MDB_RDONLY, &txn);

	if (code == 0)
		code = mdb_stat(txn, lmdb->objects, &stat);
	if (code)
		return failed(lmdb, code, "read", err);
	code = mdb_get(txn, lmdb->meta, &key, &value);
	if (code == 0)
		return check_format(lmdb, &value, err);
	if (code != MDB_NOTFOUND)
		return failed(lmdb, code, "read", err);
	if (was_store)
		return damaged(lmdb, "its header is missing", err);
	if (stat.ms_entries > 0)
		return err_set(err, ERR_STORE_READ,
			       "the store in %s is a copy that was not finished; use another one",
			       lmdb->name);
	lmdb->stamp = true;
	return 0;
}

static int open_old(struct lmdb *lmdb, bool was_store, struct err *err)
{
	if (verify(lmdb, err) < 0)
		return -1;
	int code = open_env(lmdb);

	if (code == 0)
		code = open_databases(lmdb, 0);
	if (code == MDB_NOTFOUND && was_store)
		return damaged(lmdb, "its objects are missing", err);
	if (code == MDB_NOTFOUND)
		code = open_databases(lmdb, MDB_CREATE);
	if (code)
		return failed(lmdb, code, "open", err);
	return check_header(lmdb, was_store, err);
}

static int open_new(struct lmdb *lmdb, struct err *err)
{
	int code = open_env(lmdb);

	if (code == 0)
		code = open_databases(lmdb, MDB_CREATE);
	if (code)
		return failed(lmdb, code, "make", err);
	lmdb->stamp = true;
	return sync_folder(lmdb->folder) < 0 ? failed(lmdb, errno, "sync", err) : 0;
}

/* From now on this folder counts as a store. */
static int finish(struct lmdb *lmdb, struct err *err)
{
	AUTO(mem_free) char *path = path_of(lmdb, "format");

	if (fd_write_file(path, format_text, sizeof(format_text) - 1, 0600, err) < 0)
		return err_wrap(err, "cannot make the store in %s", lmdb->name);
	return 0;
}

static const struct disk_ops lmdb_ops;

/* The folder made and locked, nothing opened yet. */
static struct lmdb *enter(const char *folder, const char *name, struct err *err)
{
	struct lmdb *lmdb = mem_new(struct lmdb);
	AUTO(disk_close) struct disk *disk = &lmdb->disk;

	lmdb->disk.ops = &lmdb_ops;
	lmdb->lock = -1;
	lmdb->folder = mem_strdup(folder);
	lmdb->name = mem_strdup(name);
	if (make_folder(lmdb, err) < 0 || lock_folder(lmdb, err) < 0)
		return NULL;
	return lmdb_of(TAKE(disk));
}

struct disk *disk_open(const char *folder, struct err *err)
{
	struct lmdb *lmdb = enter(folder, folder, err);
	AUTO(disk_close) struct disk *disk = lmdb ? &lmdb->disk : NULL;

	if (!lmdb)
		return NULL;
	bool was_store = has_file(lmdb, "format");
	bool has_data = has_file(lmdb, "data.mdb");

	if (was_store && !has_data) {
		(void)damaged(lmdb, "data.mdb is missing or empty", err);
		return NULL;
	}
	if ((has_data ? open_old(lmdb, was_store, err) : open_new(lmdb, err)) < 0)
		return NULL;
	if (lmdb->stamp && disk_commit(disk, &(struct disk_batch){.revision = 0}, err) < 0)
		return NULL;
	if (!was_store && finish(lmdb, err) < 0)
		return NULL;
	return TAKE(disk);
}

static void lmdb_close(struct disk *disk)
{
	struct lmdb *lmdb = lmdb_of(disk);

	if (lmdb->env)
		mdb_env_close(lmdb->env);
	fd_close(lmdb->lock);
	mem_free(lmdb->folder);
	mem_free(lmdb->name);
	mem_free(lmdb);
}

/* --- loading --- */

static int load_state(struct lmdb *lmdb, MDB_txn *txn, struct state *ret, struct err *err)
{
	MDB_val key = value_from("state");
	MDB_val value;
	int code = mdb_get(txn, lmdb->meta, &key, &value);

	if (code == MDB_NOTFOUND || (code == 0 && value.mv_size != sizeof(*ret)))
		return damaged(lmdb, "its revision is missing", err);
	if (code)
		return failed(lmdb, code, "read", err);
	memcpy(ret, value.mv_data, sizeof(*ret));
	if (ret->checksum != checksum_before(ret, offsetof(struct state, checksum)))
		return damaged(lmdb, "the checksum of its revision is wrong", err);
	return 0;
}

static int load_object(struct lmdb *lmdb, const MDB_val *key, const MDB_val *value,
		       disk_load_fn *fn, void *arg, struct err *err)
{
	struct str name = str_of(key->mv_data, key->mv_size);
	struct err why;

	if (fn(arg, name, str_of(value->mv_data, value->mv_size), &why) == 0)
		return 0;
	return err_set(
		err, why.code,
		"the store in %s is damaged: object \"%.*s\": %s; %s; `volcano store delete` "
		"removes one object",
		lmdb->name, STR_ARG(name), why.text, advice);
}

/* The stretch of the map that was read from. */
struct stretch {
	uintptr_t from;
	uintptr_t to;
};

static void widen(struct stretch *stretch, const MDB_val *value)
{
	uintptr_t at = (uintptr_t)value->mv_data;

	if (!stretch->to || at < stretch->from)
		stretch->from = at;
	if (at + value->mv_size > stretch->to)
		stretch->to = at + value->mv_size;
}

/* What was read is in memory a second time now, and the map is only written from here on: release
 * its pages. The system may keep them in its cache. */
static void forget(const struct stretch *stretch)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = stretch->from / page * page;

	if (stretch->to)
		(void)madvise((void *)from, stretch->to - from, MADV_DONTNEED);
}

static int lmdb_load(struct disk *disk, disk_load_fn *fn, void *arg, int64_t *ret_revision,
		     struct err *err)
{
	struct lmdb *lmdb = lmdb_of(disk);
	AUTO(txn_abort) MDB_txn *txn = NULL;
	MDB_cursor *cursor = NULL;
	struct stretch stretch = {0};
	struct state state = {0};
	MDB_val key, value;
	uint64_t count = 0;
	int code = mdb_txn_begin(lmdb->env, NULL, MDB_RDONLY, &txn);

	if (code)
		return failed(lmdb, code, "read", err);
	if (load_state(lmdb, txn, &state, err) < 0)
		return -1;
	code = mdb_cursor_open(txn, lmdb->objects, &cursor);
	if (code)
		return failed(lmdb, code, "read", err);
	while ((code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == 0) {
		if (load_object(lmdb, &key, &value, fn, arg, err) < 0)
			break;
		widen(&stretch, &value);
		count++;
	}
	mdb_cursor_close(cursor);
	if (code == 0)
		return -1;
	if (code != MDB_NOTFOUND)
		return failed(lmdb, code, "read", err);
	if (count != state.objects)
		return damaged(lmdb, "objects are missing from it", err);
	forget(&stretch);
	*ret_revision = state.revision;
	return 0;
}

/* --- committing --- */

static int grow_map(struct lmdb *lmdb, size_t to)
{
	int code = mdb_env_set_mapsize(lmdb->env, to);

	if (code == 0)
		lmdb->map_bytes = to;
	return code;
}

/* A change may copy every page on its way, so a batch can take a multiple of its size; if the
 * guess is too low, the commit itself finds out. */
static int reserve_space(struct lmdb *lmdb, const struct disk_batch *batch)
{
	MDB_envinfo info;
	MDB_stat stat;
	size_t want = (size_t)4 << 20;
	int code = mdb_env_info(lmdb->env, &info);

	if (code == 0)
		code = mdb_env_stat(lmdb->env, &stat);
	if (code)
		return code;
	for (size_t i = 0; i < batch->count; i++)
		if (batch->changes[i].object)
			want += 2 * object_record_len(batch->changes[i].object);
	size_t used = (info.me_last_pgno + 1) * stat.ms_psize;

	return used + want > lmdb->map_bytes ? grow_map(lmdb, 2 * (used + want)) : 0;
}

/* Is data.mdb of the folder the file that is open? */
static int check_place(const struct lmdb *lmdb, struct err *err)
{
	AUTO(mem_free) char *path = path_of(lmdb, "data.mdb");
	struct stat info;
	bool found = stat(path, &info) == 0;

	if (found && info.st_dev == lmdb->device && info.st_ino == lmdb->inode)
		return 0;
	return err_set(err, ERR_UNAVAILABLE,
		       "%s was %s while the server runs: put it back, or save the state with "
		       "`volcano backup` and start again",
		       path, found ? "replaced" : "removed");
}

static bool is_full(int code)
{
	return code == ENOSPC || code == EDQUOT || code == EFBIG;
}

/* Can data.mdb grow? 0 or an errno. It is as it was afterwards. */
static int try_to_grow(const struct lmdb *lmdb)
{
	struct stat info;
	int failed = 0;
	int fd = -1;

	if (mdb_env_get_fd(lmdb->env, &fd) != 0 || fstat(fd, &info) < 0)
		return EBADF;
	if (fallocate(fd, 0, info.st_size, (off_t)space_min) < 0)
		failed = errno;
	/* what a failed write left after the last page is unused and harmless */
	if (ftruncate(fd, info.st_size) < 0 && !failed)
		failed = errno;
	return failed == EOPNOTSUPP || failed == ENOSYS ? 0 : failed;
}

static int lmdb_probe(struct disk *disk, struct err *err)
{
	struct lmdb *lmdb = lmdb_of(disk);
	int code;

	if (check_place(lmdb, err) < 0)
		return -1;
	code = try_to_grow(lmdb);
	if (code)
		return err_set(err, ERR_UNAVAILABLE, "cannot write to the store in %s: %s",
			       lmdb->name, mdb_strerror(code));
	return 0;
}

/* LMDB says EIO if the system took only a part of what it wrote, as a full disk does. */
static int commit_failed(const struct lmdb *lmdb, int code, struct err *err)
{
	if (code == EIO && is_full(try_to_grow(lmdb)))
		code = ENOSPC;
	return err_set(err, is_full(code) ? ERR_UNAVAILABLE : ERR_INTERNAL,
		       "cannot write to the store in %s: %s", lmdb->name, mdb_strerror(code));
}

static int lmdb_commit(struct disk *disk, const struct disk_batch *batch, struct err *err)
{
	struct lmdb *lmdb = lmdb_of(disk);
	int code = reserve_space(lmdb, batch);

	if (code == 0)
		code = write_batch(lmdb, batch);
	while (code == MDB_MAP_FULL) {
		code = grow_map(lmdb, 2 * lmdb->map_bytes);
		if (code == 0)
			code = write_batch(lmdb, batch);
	}
	if (code)
		return commit_failed(lmdb, code, err);
	lmdb->stamp = false;
	return check_place(lmdb, err);
}

static int64_t lmdb_bytes(struct disk *disk)
{
	struct stat info;
	int fd = -1;

	if (mdb_env_get_fd(lmdb_of(disk)->env, &fd) != 0 || fstat(fd, &info) < 0)
		return 0;
	return (int64_t)info.st_size;
}

static const struct disk_ops lmdb_ops = {
	.load = lmdb_load,
	.commit = lmdb_commit,
	.probe = lmdb_probe,
	.bytes = lmdb_bytes,
	.close = lmdb_close,
};

/* --- copies --- */

int disk_fill(const char *folder, const char *name, const struct disk_batch *batch, struct err *err)
{
	struct lmdb *lmdb = enter(folder, name, err);
	AUTO(disk_close) struct disk *disk = lmdb ? &lmdb->disk : NULL;
	size_t at = 0;

	if (!lmdb || open_new(lmdb, err) < 0)
		return -1;
	do {
		size_t left = batch->count - at;
		struct disk_batch step = {
			.changes = batch->changes + at,
			.count = left < COPY_STEP ? left : COPY_STEP,
			.revision = batch->revision,
		};

		at += step.count;
		lmdb->stamp = at == batch->count;
		if (disk_commit(disk, &step, err) < 0)
			return -1;
	} while (at < batch->count);
	return finish(lmdb, err);
}
