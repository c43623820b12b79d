/* SPDX-License-Identifier: Apache-2.0 */
/* stores.h - small stores for tests: short ways to open, write and look. */
#ifndef APISERVER_TEST_STORES_H
#define APISERVER_TEST_STORES_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "apiserver/store/store.h"
#include "base/mem.h"
#include "loop/loop.h"
#include "tap.h"

#define STORES_START INT64_C(1767225600000000) /* 2026-01-01 */

__attribute__((unused, noreturn)) static void bail_out(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(1);
}

__attribute__((unused)) static struct loop *virtual_loop(uint64_t seed)
{
	struct err err;
	struct loop *loop = loop_new_virtual(seed, STORES_START, &err);

	if (!loop)
		bail_out(err.text);
	return loop;
}

__attribute__((unused)) static struct loop *real_loop(void)
{
	struct err err;
	struct loop *loop = loop_new(&err);

	if (!loop)
		bail_out(err.text);
	return loop;
}

__attribute__((unused)) static struct store *open_with(struct loop *loop,
						       const struct store_options *options)
{
	struct err err;
	struct store *store = store_open(loop, options, &err);

	if (!store)
		bail_out(err.text);
	return store;
}

__attribute__((unused)) static struct store *open_folder(struct loop *loop, const char *folder)
{
	return open_with(loop, &(struct store_options){.folder = folder});
}

/* What the writer of one object got. */
struct acked {
	int calls;
	int64_t revision; /* 0: it failed */
	int64_t seen;     /* the revision of readers at that time */
	enum err_code code;
	struct store *store;
	char text[200];
};

__attribute__((unused)) static void told_done(void *arg, struct object *object,
					      const struct err *err)
{
	struct acked *acked = arg;

	acked->calls++;
	acked->revision = object ? object->revision : 0;
	acked->code = err ? err->code : ERR_NONE;
	acked->seen = acked->store ? store_revision(acked->store) : 0;
	snprintf(acked->text, sizeof(acked->text), "%.*s",
		 object ? (int)object->text.len : (int)strlen(err->text),
		 object ? object->text.ptr : err->text);
}

/* Writes {"rv":"<revision>","v":"<value>"} with one label and two fields. Gives the revision, or
 * the negative code of the error. */
__attribute__((unused)) static int64_t put(struct store *store, enum store_op op, const char *key,
					   int64_t expect, const char *value, struct acked *acked)
{
	AUTO(mem_free) char *tail = mem_printf("\",\"v\":\"%s\"}", value);
	struct object_pair label = {STR("app"), str_from(value)};
	struct object_pair fields[] = {{STR("metadata.name"), str_from(strrchr(key, '/') + 1)},
				       {STR("value"), str_from(value)}};
	struct store_write write = {
		.op = op,
		.key = str_from(key),
		.expect = expect,
		.before = STR("{\"rv\":\""),
		.tail = str_from(tail),
		.labels = &label,
		.label_count = 1,
		.fields = fields,
		.field_count = 2,
		.done = acked ? told_done : NULL,
		.arg = acked,
	};
	struct err err;
	int64_t revision = 0;

	if (acked)
		acked->store = store;
	return store_write(store, &write, &revision, &err) < 0 ? -(int64_t)err.code : revision;
}

/* The visible text of a key, for the next call only; "" if there is none. */
__attribute__((unused)) static const char *text_of(const struct store *store, const char *key)
{
	static char text[512];
	struct object *object = store_get(store, str_from(key));

	snprintf(text, sizeof(text), "%.*s", object ? (int)object->text.len : 0,
		 object ? object->text.ptr : "");
	return text;
}

/* A folder of the test's own, for rm_folder(). */
__attribute__((unused)) static char *temporary_folder(void)
{
	const char *root = getenv("TMPDIR");
	char *folder = mem_printf("%s/store.XXXXXX", root ? root : "/tmp");

	if (!mkdtemp(folder))
		bail_out("no temporary folder");
	return folder;
}

__attribute__((unused)) static void rm_folder(char *folder)
{
	static const char *const files[] = {"data.mdb", "lock", "format", "lock.mdb"};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		AUTO(mem_free) char *path = mem_printf("%s/%s", folder, files[i]);

		(void)unlink(path);
	}
	(void)rmdir(folder);
	mem_free(folder);
}

#endif
