/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/volcano_store.c - `volcano store`: read the store of a volcano that does not run, remove an
 * object from it, and release objects that are set aside.
 *
 * For the case that an object keeps the system from starting. The lock of the folder is held meanwhile, so
 * that no `volcano up` starts; a deletion is on disk when the command returns. Nothing that belongs to an
 * object is removed with it: the next start does that. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "apiserver/store/disk.h"
#include "apiserver/store/object.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/quarantine.h"
#include "json/doc.h"
#include "programs/volcano/home.h"
#include "programs/volcano/settings.h"
#include "programs/volcano/volcano_commands.h"

#include "base/banned.h"

/* What is looked for, and what was found. */
struct look {
	struct str key; /* of `list`: a prefix */
	bool list;
	size_t found;
	int64_t revision;
	char *text;                 /* of the one object */
	char damage[ERR_TEXT_SIZE]; /* why it cannot be read */
	struct buf *to;
};

/* "pods/default/p" is "/pods/default/p": the core has no group. */
static char *whole_key(const char *key)
{
	struct str rest = str_from(key);
	size_t slashes = 0;

	for (size_t i = 0; i < rest.len; i++)
		slashes += rest.ptr[i] == '/';
	return mem_printf("%s%s", slashes == 2 ? "/" : "", key);
}

/* A prefix may leave out the slash that stands for the core's group. */
static bool is_below(struct str key, struct str prefix)
{
	return str_starts(key, prefix) ||
	       (key.ptr[0] == '/' && str_starts(str_skip(key, 1), prefix));
}

static int on_object(void *arg, struct str key, struct str record, struct err *err)
{
	struct look *look = arg;
	struct object_names *names = NULL;
	struct err why = {0};
	AUTO(object_unref) struct object *object = NULL;

	(void)err;
	if (look->list ? !is_below(key, look->key) : !str_eq(key, look->key))
		return 0;
	object = object_decode(key, record, &names, &why);
	look->found++;
	if (look->list)
		buf_printf(look->to, "%.*s%s\n", STR_ARG(key), object ? "" : " (damaged)");
	else if (object)
		look->text = str_dup(object->text);
	else
		(void)snprintf(look->damage, sizeof(look->damage), "%s", why.text);
	object_names_unref(names);
	return 0;
}

static int find(struct disk *disk, struct look *look, struct err *err)
{
	if (disk_load(disk, on_object, look, &look->revision, err) < 0)
		return -1;
	if (look->found || look->list)
		return 0;
	return err_set(err, ERR_NOT_FOUND,
		       "the store has no object \"%.*s\"; `volcano store list` shows the keys",
		       STR_ARG(look->key));
}

static int list_objects(struct disk *disk, struct look *look, const char *folder, struct err *err)
{
	AUTO(quarantine_close) struct quarantine *quarantine = quarantine_read(folder, err);
	struct quarantine_row row;
	size_t at = 0;

	look->list = true;
	if (!quarantine || find(disk, look, err) < 0)
		return -1;
	while (quarantine_next(quarantine, &at, &row))
		if (is_below(str_from(row.key), look->key))
			buf_printf(look->to, "# %s: crashed %s, %u times%s\n", row.key,
				   row.component, row.crashes,
				   row.crashes >= QUARANTINE_CRASHES ? ": set aside" : "");
	return 0;
}

static int get_object(struct disk *disk, struct look *look, struct err *err)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct err why;

	if (find(disk, look, err) < 0)
		return -1;
	if (!look->text)
		return err_set(err, ERR_STORE_READ, "the object is damaged: %s", look->damage);
	doc = json_parse(str_from(look->text), NULL, &why);
	if (doc)
		json_print(json_doc_root(doc), JSON_PRETTY, look->to);
	else
		buf_puts(look->to, look->text);
	buf_putc(look->to, '\n');
	return 0;
}

static int release(const char *folder, struct look *look, bool must, struct err *err)
{
	AUTO(quarantine_close) struct quarantine *quarantine = quarantine_read(folder, err);

	if (!quarantine)
		return -1;
	if (!quarantine_release(quarantine, look->key) && must)
		return err_set(err, ERR_NOT_FOUND, "\"%.*s\" is not set aside", STR_ARG(look->key));
	return 0;
}

static int delete_object(struct disk *disk, struct look *look, const char *folder, struct err *err)
{
	struct disk_change change = {.key = look->key};

	if (find(disk, look, err) < 0 ||
	    disk_commit(disk,
			&(struct disk_batch){
				.changes = &change, .count = 1, .revision = look->revision + 1},
			err) < 0 ||
	    release(folder, look, false, err) < 0)
		return -1;
	buf_printf(look->to, "%.*s deleted\n", STR_ARG(look->key));
	return 0;
}

static int run_verb(struct str verb, struct look *look, const char *folder, struct err *err)
{
	AUTO(mem_free) char *store = home_path(folder, "store");
	AUTO(disk_close) struct disk *disk = NULL;

	if (access(store, F_OK) < 0)
		return err_set(err, ERR_NOT_FOUND, "there is no store in %s", folder);
	if (str_is(verb, "release"))
		return release(folder, look, true, err);
	disk = disk_open(store, err);
	if (!disk)
		return -1;
	if (str_is(verb, "list"))
		return list_objects(disk, look, folder, err);
	return str_is(verb, "get") ? get_object(disk, look, err)
				   : delete_object(disk, look, folder, err);
}

static bool is_verb(struct str word)
{
	return str_is(word, "get") || str_is(word, "list") || str_is(word, "delete") ||
	       str_is(word, "release");
}

int store_run(void *program, struct err *err)
{
	struct settings *settings = program;
	struct str verb = str_from(settings->words.len ? settings->words.ptr[0] : "");
	bool named = settings->words.len == 2;
	AUTO(mem_free) char *key = named ? whole_key(settings->words.ptr[1]) : mem_strdup("");
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(fd_close) int lock = -1;
	struct look look = {.key = str_from(key), .to = &text};
	int rc;

	if (!is_verb(verb) || settings->words.len > 2 || (!named && !str_is(verb, "list"))) {
		(void)err_set(err, ERR_BAD_REQUEST,
			      "say `volcano store list [PREFIX]`, or `get KEY`, `delete KEY` or "
			      "`release KEY`");
		return -1;
	}
	if (access(settings->folder, F_OK) < 0)
		return err_set(err, ERR_NOT_FOUND, "there is no folder %s", settings->folder);
	lock = home_lock(settings->folder, err);
	if (lock < 0)
		return -1;
	rc = run_verb(verb, &look, settings->folder, err);
	mem_free(look.text);
	if (rc < 0)
		return -1;
	if (text.len && fwrite(text.ptr, 1, text.len, stdout) != text.len)
		return err_set(err, ERR_INTERNAL, "standard output cannot be written to");
	return 0;
}
