/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/disk.c - calls the disk that a store uses, and has the disk that stores nothing.
 *
 * disk_lmdb.c is the real disk, disk_memory.c the one for tests and simulations. */
#include "apiserver/store/disk.h"

#include "base/mem.h"

#include "base/banned.h"

/* --- no disk --- */

static int null_load(struct disk *disk, disk_load_fn *fn, void *arg, int64_t *ret_revision,
		     struct err *err)
{
	(void)disk;
	(void)fn;
	(void)arg;
	(void)err;
	*ret_revision = 0;
	return 0;
}

static int null_commit(struct disk *disk, const struct disk_batch *batch, struct err *err)
{
	(void)disk;
	(void)batch;
	(void)err;
	return 0;
}

static int null_probe(struct disk *disk, struct err *err)
{
	(void)disk;
	(void)err;
	return 0;
}

static int64_t null_bytes(struct disk *disk)
{
	(void)disk;
	return 0;
}

static void null_close(struct disk *disk)
{
	mem_free(disk);
}

static const struct disk_ops null_ops = {
	.load = null_load,
	.commit = null_commit,
	.probe = null_probe,
	.bytes = null_bytes,
	.close = null_close,
};

struct disk *disk_open_null(void)
{
	struct disk *disk = mem_new(struct disk);

	disk->ops = &null_ops;
	return disk;
}

/* --- any disk --- */

void disk_close(struct disk *disk)
{
	if (disk)
		disk->ops->close(disk);
}

int disk_load(struct disk *disk, disk_load_fn *fn, void *arg, int64_t *ret_revision,
	      struct err *err)
{
	return disk->ops->load(disk, fn, arg, ret_revision, err);
}

int disk_commit(struct disk *disk, const struct disk_batch *batch, struct err *err)
{
	return disk->ops->commit(disk, batch, err);
}

int disk_probe(struct disk *disk, struct err *err)
{
	return disk->ops->probe(disk, err);
}

int64_t disk_bytes(struct disk *disk)
{
	return disk->ops->bytes(disk);
}
