/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - the rows of test/data/admission, for tests that run the rules in one way or another.
 *
 *	world: {queues: [...], namespaces: [...], classes: [...], zones: [...]}	what rules may ask for
 *	config: {...}						YAML of --admission-conf
 *	base: {...}						an object
 *	rows:
 *	- about: why
 *	  set: {...}		merged into the base: the object
 *	  old: {...}		merged into the base: what it was; the operation is an update
 *	  delete: name		instead: a removal
 *	  world: {...}		queues besides those of the file
 *	  becomes: {...}	accepted, and holding these fields ...
 *	  refused: text		... or refused in these words
 *
 * A row without either is accepted. */
#ifndef ADMISSION_TEST_ROWS_H
#define ADMISSION_TEST_ROWS_H

#include <dirent.h>
#include <stdlib.h>

#include "admission/admission.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "json/merge.h"
#include "json/yaml.h"
#include "model/core/meta.h"
#include "tap.h"

struct world {
	struct json file;
	struct json row;
};

static const char *const folders[] = {"../test/data/admission", "test/data/admission"};

/* --- the world ------------------------------------------------------------------------------- */

static struct json find_in(struct json list, struct str name)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (str_eq(meta_name(it.value), name))
			return it.value;
	return JSON_NONE;
}

static struct json find(const struct world *world, const char *kind, struct str name)
{
	struct json found = find_in(json_get(world->row, kind), name);

	return json_is_absent(found) ? find_in(json_get(world->file, kind), name) : found;
}

static struct json world_queue(void *arg, struct str name)
{
	return find(arg, "queues", name);
}

static struct json world_namespace(void *arg, struct str name)
{
	return find(arg, "namespaces", name);
}

static struct json world_class(void *arg, struct str name)
{
	return find(arg, "classes", name);
}

static void each_in(struct json list, struct str parent, admission_queue_fn *fn, void *fn_arg)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (str_is_none(parent) ||
		    str_eq(json_str(json_get(json_get(it.value, "spec"), "parent")), parent))
			fn(fn_arg, it.value);
}

static void world_each_queue(void *arg, struct str parent, admission_queue_fn *fn, void *fn_arg)
{
	struct world *world = arg;

	each_in(json_get(world->file, "queues"), parent, fn, fn_arg);
	each_in(json_get(world->row, "queues"), parent, fn, fn_arg);
}

static bool world_has_time_zone(void *arg, struct str name)
{
	struct world *world = arg;
	struct json_iter it = json_iter(json_get(world->file, "zones"));

	while (json_next(&it))
		if (str_eq(json_str(it.value), name))
			return true;
	return false;
}

/* --- a row ----------------------------------------------------------------------------------- */

struct row;
/* Sets defaults and checks. */
typedef int row_run_fn(struct row *row, struct admission_review *review, struct json_doc *doc,
		       struct admission_refusal *refusal);

struct row {
	row_run_fn *run;
	struct json file;
	struct json row;
	struct admission_setup admission;
	struct world world;
	struct arena *arena;
	struct buf *shown; /* "update jobs: text" of each refusal, "update jobs accepted" */
};

static struct json_doc *merged(struct json base, struct json patch)
{
	return json_is_absent(patch) ? json_doc_thaw(base) : json_merge_apply(base, patch);
}

static struct str resource_of(struct json object, struct arena *arena)
{
	char *text = arena_printf(arena, "%.*ss", STR_ARG(json_str(json_get(object, "kind"))));

	for (char *c = text; *c; c++)
		*c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
	return str_from(text);
}

static void note(struct row *row, const struct admission_review *review, const char *refused)
{
	static const char *const operations[] = {
		[ADMISSION_CREATE] = "create",
		[ADMISSION_UPDATE] = "update",
		[ADMISSION_DELETE] = "delete",
	};

	buf_printf(row->shown, "%s %.*s ", operations[review->operation],
		   STR_ARG(review->resource));
	for (const char *c = refused ? refused : "(accepted)"; *c; c++)
		buf_putc(row->shown, *c == '\n' ? ' ' : *c);
	buf_putc(row->shown, '\n');
}

static void check_row(struct row *row)
{
	struct json base = json_get(row->file, "base");
	struct json old_patch = json_get(row->row, "old");
	struct str version = json_str(json_get(base, "apiVersion"));
	ptrdiff_t slash = str_find_byte(version, '/', 0);
	AUTO(json_doc_unref) struct json_doc *doc = merged(base, json_get(row->row, "set"));
	AUTO(json_doc_unref) struct json_doc *old = merged(base, old_patch);
	AUTO(mem_free) char *got = NULL;
	struct admission_refusal refusal = {0};
	struct admission_review review = {
		.operation = json_is_absent(old_patch) ? ADMISSION_CREATE : ADMISSION_UPDATE,
		.group = slash < 0 ? STR("") : str_slice(version, 0, (size_t)slash),
		.resource = resource_of(base, row->arena),
		.namespace = meta_namespace(base),
		.name = meta_name(json_doc_root(doc)),
		.object = json_doc_root(doc),
		.arena = row->arena,
	};
	struct json becomes = json_get(row->row, "becomes");
	struct json refused = json_get(row->row, "refused");
	const char *about = json_str(json_get(row->row, "about")).ptr;

	if (!json_is_absent(old_patch))
		review.old = json_doc_root(old);
	if (!json_is_absent(json_get(row->row, "delete"))) {
		review.operation = ADMISSION_DELETE;
		review.name = json_str(json_get(row->row, "delete"));
		review.object = JSON_NONE;
	}
	if (row->run(row, &review, doc, &refusal) < 0)
		got = refusal.code == ERR_DENIED ? str_dup(refusal.message)
						 : mem_printf("%s: %.*s", err_reason(refusal.code),
							      STR_ARG(refusal.message));
	note(row, &review, got);
	if (!json_is_absent(refused)) {
		tap_is(got ? got : "(accepted)", json_str(refused).ptr, __FILE__, __LINE__, about);
		return;
	}
	if (got) {
		tap_is(got, "(accepted)", __FILE__, __LINE__, about);
	} else {
		AUTO(json_doc_unref) struct json_doc *want = merged(json_doc_root(doc), becomes);
		AUTO(mem_free) char *has = json_text(json_doc_root(doc), JSON_CANONICAL);
		AUTO(mem_free) char *wants = json_text(json_doc_root(want), JSON_CANONICAL);

		tap_is(has, wants, __FILE__, __LINE__, about);
	}
}

/* --- files ----------------------------------------------------------------------------------- */

static struct strs texts_of(struct json list, struct arena *arena)
{
	struct strs strs = {arena_calloc(arena, json_len(list) + 1, sizeof(struct str)), 0};
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		strs.ptr[strs.len++] = json_str(it.value);
	return strs;
}

static void configure(struct row *row, struct json config)
{
	struct str groups = json_str(json_get(config, "groups"));
	struct err err;

	row->admission.config = (struct admission_config)ADMISSION_CONFIG_INIT;
	row->admission.config.scheduler_names =
		texts_of(json_get(config, "schedulers"), row->arena);
	row->admission.config.check_allocated_pods = json_bool(json_get(config, "allocatedPods"));
	row->admission.config.queue_gates = json_bool(json_get(config, "queueGates"));
	if (groups.len) {
		row->admission.config.groups = admission_groups_parse(groups, &err);
		ok(row->admission.config.groups != NULL, "the groups can be read");
	}
	row->admission.world =
		(struct admission_world){&row->world, world_queue,      world_namespace,
					 world_class, world_each_queue, world_has_time_zone};
}

static void check_file(struct json file, row_run_fn *run, struct buf *shown)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct row row = {.run = run, .file = file, .arena = arena, .shown = shown};
	struct json_iter it = json_iter(json_get(file, "rows"));

	row.world.file = json_get(file, "world");
	configure(&row, json_get(file, "config"));
	while (json_next(&it)) {
		row.row = it.value;
		row.world.row = json_get(it.value, "world");
		check_row(&row);
	}
	admission_groups_free(row.admission.config.groups);
}

static struct json_doc *read_yaml(const char *folder, const char *name)
{
	AUTO(mem_free) char *path = mem_printf("%s/%s", folder, name);
	AUTO(buf_done) struct buf text = BUF_INIT(LIMIT_YAML_BYTES);
	struct json_doc *doc;
	struct err err;

	if (fd_read_file(path, &text, &err) < 0) {
		ok(false, "%s: %s", path, err.text);
		return NULL;
	}
	doc = yaml_parse(buf_str(&text), NULL, &err);
	ok(doc != NULL, "%s is YAML%s%s", name, doc ? "" : ": ", doc ? "" : err.text);
	return doc;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_yaml(const struct dirent *entry)
{
	return str_ends(str_from(entry->d_name), STR(".yaml"));
}

/* Every row of every file; what each came to goes to `shown`. Returns the folder. */
static const char *check_rows(row_run_fn *run, struct buf *shown)
{
	struct dirent **names;
	const char *folder = folders[0];
	int count = scandir(folder, &names, is_yaml, by_name);

	if (count < 0) {
		folder = folders[1];
		count = scandir(folder, &names, is_yaml, by_name);
	}
	ok(count > 0, "there are files of rows");
	for (int i = 0; i < count; i++) {
		AUTO(json_doc_unref) struct json_doc *doc = read_yaml(folder, names[i]->d_name);

		if (doc)
			check_file(json_doc_root(doc), run, shown);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return folder;
}

#endif
