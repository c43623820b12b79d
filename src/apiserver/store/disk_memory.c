/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/store/disk_memory.c - records in a map, and faults.
 *
 * Records are encoded and decoded as on a real disk, so that what a test or a simulation reopens
 * went the same way. A failed commit stores nothing, unless the test asks for it. */
#include "apiserver/store/disk_memory.h"

#include <assert.h>
#include <string.h>

#include "apiserver/store/disk.h"
#include "apiserver/store/object.h"
#include "base/map.h"
#include "base/mem.h"

#include "base/banned.h"

struct record {
	size_t len;
	struct str key; /* stored after the bytes */
	char bytes[];
};

struct disk_memory {
	struct disk disk;
	struct map *records;
	int64_t revision;
	int64_t bytes;
	bool is_open;
	uint64_t commits;
	uint64_t changes;
	uint64_t succeeded; /* since the faults were set */
	struct disk_memory_faults faults;
};

static struct disk_memory *memory_of(struct disk *disk)
{
	return container_of(disk, struct disk_memory, disk);
}

static void drop(struct disk_memory *memory, struct record *record)
{
	if (record)
		memory->bytes -= (int64_t)record->len;
	mem_free(record);
}

static void put_change(struct disk_memory *memory, const struct disk_change *change)
{
	if (!change->object) {
		drop(memory, map_remove(memory->records, change->key));
		return;
	}
	size_t len = object_record_len(change->object);
	struct record *record = mem_alloc(sizeof(*record) + len + change->key.len);

	record->len = len;
	object_encode(change->object, record->bytes);
	memcpy(record->bytes + len, change->key.ptr, change->key.len);
	record->key = str_of(record->bytes + len, change->key.len);
	memory->bytes += (int64_t)len;
	drop(memory, map_put(memory->records, record->key, record));
}

static void put_batch(struct disk_memory *memory, const struct disk_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		put_change(memory, &batch->changes[i]);
	memory->revision = batch->revision;
}

static int memory_commit(struct disk *disk, const struct disk_batch *batch, struct err *err)
{
	struct disk_memory *memory = memory_of(disk);
	struct disk_memory_faults *faults = &memory->faults;

	memory->commits++;
	memory->changes += batch->count;
	if (faults->during)
		faults->during(faults->arg);
	if (!faults->fail || memory->succeeded < faults->fail_after) {
		put_batch(memory, batch);
		memory->succeeded++;
		return 0;
	}
	if (faults->keep)
		put_batch(memory, batch);
	faults->keep = false;
	return err_set(err, faults->code ? faults->code : ERR_UNAVAILABLE, "%s",
		       faults->text ? faults->text : "No space left on device");
}

static int memory_probe(struct disk *disk, struct err *err)
{
	(void)disk;
	(void)err;
	return 0; /* the commit finds out */
}

static int memory_load(struct disk *disk, disk_load_fn *fn, void *arg, int64_t *ret_revision,
		       struct err *err)
{
	struct disk_memory *memory = memory_of(disk);
	struct str key;
	void *value;
	size_t at = 0;

	while (map_next(memory->records, &at, &key, &value)) {
		const struct record *record = value;

		if (fn(arg, key, str_of(record->bytes, record->len), err) < 0)
			return err_wrap(err, "object \"%.*s\"", STR_ARG(key));
	}
	*ret_revision = memory->revision;
	return 0;
}

static int64_t memory_bytes(struct disk *disk)
{
	return memory_of(disk)->bytes;
}

static void memory_close(struct disk *disk)
{
	memory_of(disk)->is_open = false;
}

static const struct disk_ops memory_ops = {
	.load = memory_load,
	.commit = memory_commit,
	.probe = memory_probe,
	.bytes = memory_bytes,
	.close = memory_close,
};

struct disk_memory *disk_memory_new(void)
{
	struct disk_memory *memory = mem_new(struct disk_memory);

	memory->disk.ops = &memory_ops;
	memory->records = map_new(0);
	return memory;
}

void disk_memory_free(struct disk_memory *memory)
{
	void *value;
	size_t at = 0;

	if (!memory)
		return;
	assert(!memory->is_open);
	while (map_next(memory->records, &at, NULL, &value))
		mem_free(value);
	map_free(memory->records);
	mem_free(memory);
}

struct disk *disk_memory_open(struct disk_memory *memory, struct err *err)
{
	if (memory->is_open) {
		(void)err_set(err, ERR_UNAVAILABLE, "the store is in use");
		return NULL;
	}
	memory->is_open = true;
	return &memory->disk;
}

void disk_memory_set_faults(struct disk_memory *memory, const struct disk_memory_faults *faults)
{
	memory->faults = *faults;
	memory->succeeded = 0;
}

uint64_t disk_memory_commits(const struct disk_memory *memory)
{
	return memory->commits;
}

uint64_t disk_memory_changes(const struct disk_memory *memory)
{
	return memory->changes;
}

char *disk_memory_record(struct disk_memory *memory, struct str key, size_t *ret_len)
{
	struct record *record = map_get(memory->records, key);

	if (!record)
		return NULL;
	*ret_len = record->len;
	return record->bytes;
}
