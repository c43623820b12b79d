/* SPDX-License-Identifier: Apache-2.0 */
/* controller/cache.c - objects by namespace and name, versions going forward.
 *
 * Versions are compared as numbers, as kube-apiserver's are. An object that was deleted and made
 * again has another uid: a deletion that comes late is of the old one, and changes nothing. */
#include "controller/cache.h"

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/vec.h"
#include "client/informer.h"
#include "model/core/meta.h"

#include "base/banned.h"

struct group;

struct row {
	char *key; /* "namespace/name" */
	struct json_doc *doc;
	uint64_t version;
	struct group *group; /* NULL: none */
	size_t at;           /* there */
};

/* Goes with its last member. */
struct group {
	char *name;
	VEC(struct row *) rows;
};

struct cache {
	struct map *rows;
	struct map *groups; /* by name; NULL: there are none */
	cache_group_fn *group;
	cache_keep_fn *keep;
	struct cache_events events;
};

uint64_t cache_version(struct json object)
{
	uint64_t version = 0;
	struct str text = json_str(json_get(json_get(object, "metadata"), "resourceVersion"));

	return number_parse_u64(text, &version, NULL) < 0 ? 0 : version;
}

/* --- groups ---------------------------------------------------------------------------------- */

static void leave_group(struct cache *cache, struct row *row)
{
	struct group *group = row->group;

	if (!group)
		return;
	group->rows.ptr[group->rows.len - 1]->at = row->at;
	vec_remove_swap(&group->rows, row->at);
	row->group = NULL;
	if (group->rows.len > 0)
		return;
	map_remove(cache->groups, str_from(group->name));
	vec_done(&group->rows);
	mem_free(group->name);
	mem_free(group);
}

static void join_group(struct cache *cache, struct row *row)
{
	AUTO(buf_done) struct buf name = BUF_UNBOUNDED;
	struct group *group;

	if (!cache->group)
		return;
	cache->group(json_doc_root(row->doc), &name);
	if (row->group && str_is(buf_str(&name), row->group->name))
		return;
	leave_group(cache, row);
	if (name.len == 0)
		return;
	group = map_get(cache->groups, buf_str(&name));
	if (!group) {
		group = mem_new(struct group);
		group->name = buf_take(&name);
		(void)map_put(cache->groups, str_from(group->name), group);
	}
	row->group = group;
	row->at = group->rows.len;
	vec_push(&group->rows, row);
}

void cache_group_by(struct cache *cache, cache_group_fn *group)
{
	cache->group = group;
	cache->groups = map_new(0);
}

struct json_doc *cache_group_next(const struct cache *cache, struct str group, size_t *at)
{
	const struct group *found = map_get(cache->groups, group);

	return found && *at < found->rows.len ? found->rows.ptr[(*at)++]->doc : NULL;
}

/* --- rows ------------------------------------------------------------------------------------ */

static void row_free(struct cache *cache, struct row *row)
{
	leave_group(cache, row);
	json_doc_unref(row->doc);
	mem_free(row->key);
	mem_free(row);
}

struct cache *cache_new(cache_keep_fn *keep, const struct cache_events *events)
{
	struct cache *cache = mem_new(struct cache);

	cache->rows = map_new(0);
	cache->keep = keep;
	if (events)
		cache->events = *events;
	return cache;
}

void cache_free(struct cache *cache)
{
	size_t at = 0;
	void *row;

	if (!cache)
		return;
	while (map_next(cache->rows, &at, NULL, &row))
		row_free(cache, row);
	map_free(cache->groups);
	map_free(cache->rows);
	mem_free(cache);
}

static void put_key(struct str namespace, struct str name, struct buf *to)
{
	buf_put_str(to, namespace);
	buf_putc(to, '/');
	buf_put_str(to, name);
}

static struct row *find(const struct cache *cache, struct str namespace, struct str name)
{
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;

	put_key(namespace, name, &key);
	return map_get(cache->rows, buf_str(&key));
}

static void drop(struct cache *cache, struct row *row)
{
	map_remove(cache->rows, str_from(row->key));
	row_free(cache, row);
}

static bool matters(const struct cache *cache, const struct row *row, struct json object)
{
	return !row || !cache->events.matters ||
	       cache->events.matters(json_doc_root(row->doc), object);
}

/* False: it is not newer than what is known, or does not concern the listener. */
static bool take_in(struct cache *cache, struct json_doc *doc)
{
	struct json root = json_doc_root(doc);
	struct json meta = json_get(root, "metadata");
	struct str namespace = json_str(json_get(meta, "namespace"));
	struct str name = json_str(json_get(meta, "name"));
	bool kept = !cache->keep || cache->keep(root);
	struct row *row;
	uint64_t version;
	bool tell;
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;

	/* Most objects that are not kept never were: no need to look them up. */
	if (!kept && map_len(cache->rows) == 0)
		return false;
	row = find(cache, namespace, name);
	version = cache_version(root);
	tell = matters(cache, row, root);
	if (row && version <= row->version)
		return false;
	if (!kept) {
		if (row)
			drop(cache, row);
		return row != NULL;
	}
	if (!row) {
		row = mem_new(struct row);
		put_key(namespace, name, &key);
		row->key = buf_take(&key);
		(void)map_put(cache->rows, str_from(row->key), row);
	}
	json_doc_unref(row->doc);
	row->doc = json_doc_ref(doc);
	row->version = version;
	join_group(cache, row);
	return tell;
}

void cache_put(struct cache *cache, struct json_doc *doc)
{
	(void)take_in(cache, doc);
}

void cache_remove(struct cache *cache, struct str namespace, struct str name, struct str uid)
{
	struct row *row = find(cache, namespace, name);

	if (row && (uid.len == 0 || str_eq(meta_uid(json_doc_root(row->doc)), uid)))
		drop(cache, row);
}

/* --- informers ------------------------------------------------------------------------------- */

static void tell(const struct cache *cache, const struct informer_object *object, bool gone)
{
	struct json root = object->doc ? json_doc_root(object->doc) : JSON_NONE;

	if (cache->events.changed)
		cache->events.changed(cache->events.arg, object->namespace, object->name, root,
				      gone);
}

static void on_put(void *arg, const struct informer_object *object)
{
	struct cache *cache = arg;

	if (take_in(cache, object->doc))
		tell(cache, object, false);
}

static void on_deleted(void *arg, const struct informer_object *object)
{
	struct cache *cache = arg;
	struct str uid = object->doc ? meta_uid(json_doc_root(object->doc)) : str_none();

	cache_remove(cache, object->namespace, object->name, uid);
	tell(cache, object, true);
}

void cache_listen(struct cache *cache, struct informer *informer)
{
	informer_listen(informer,
			&(struct informer_events){
				.added = on_put, .updated = on_put, .deleted = on_deleted},
			cache);
}

/* --- questions ------------------------------------------------------------------------------- */

struct json_doc *cache_get(const struct cache *cache, struct str namespace, struct str name)
{
	const struct row *row = find(cache, namespace, name);

	return row ? row->doc : NULL;
}

struct json_doc *cache_next(const struct cache *cache, size_t *at)
{
	void *row;

	return map_next(cache->rows, at, NULL, &row) ? ((struct row *)row)->doc : NULL;
}

size_t cache_len(const struct cache *cache)
{
	return map_len(cache->rows);
}
