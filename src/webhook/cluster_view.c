/* SPDX-License-Identifier: Apache-2.0 */
/* webhook/cluster_view.c - see cluster_view.h. Queues are indexed by their parent, as rules walk the tree.
 *
 * Upstream's role lets the webhook read queues only. Without the permission to read namespaces they count as without
 * annotations; without the permission to read priority classes every class counts as existing. */
#include "webhook/cluster_view.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/zone_file.h"
#include "model/core/meta.h"

#include "base/banned.h"

enum watched { WATCHED_QUEUES, WATCHED_NAMESPACES, WATCHED_CLASSES, WATCHED_COUNT };

struct cluster_view {
	struct client *client;
	struct informer *informers[WATCHED_COUNT]; /* NULL: no enabled path needs it */
	size_t by_parent;
	struct json_doc *any; /* stands for an object that may not be read */
};

/* Who needs what. */
static const struct {
	enum watched watched;
	enum resource_id resource;
	bool optional;
	const char *paths[6];
} rows[] = {
	{WATCHED_QUEUES,
	 RESOURCE_QUEUES,
	 false,
	 {"/jobs/validate", "/podgroups/validate", "/queues/mutate", "/queues/validate"}},
	{WATCHED_NAMESPACES, RESOURCE_NAMESPACES, true, {"/podgroups/mutate"}},
	{WATCHED_CLASSES, RESOURCE_PRIORITYCLASSES, true, {"/jobs/validate"}},
};

static bool needs(const char *const *paths, struct strs enabled)
{
	for (size_t i = 0; i < enabled.len; i++)
		for (size_t j = 0; paths[j]; j++)
			if (str_is(enabled.ptr[i], paths[j]))
				return true;
	return enabled.len == 0;
}

static void put_parent(void *arg, struct json queue, struct informer_keys *keys)
{
	(void)arg;
	informer_key_add(keys, json_str(json_get(json_get(queue, "spec"), "parent")));
}

struct cluster_view *cluster_view_new(struct client *client, struct strs enabled, struct log *log)
{
	struct cluster_view *view = mem_new(struct cluster_view);

	view->client = client;
	view->any = json_doc_new();
	json_doc_set_root(view->any, json_new_obj(view->any));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct informer *informer;

		if (!needs(rows[i].paths, enabled))
			continue;
		informer = informer_new(
			client, &(struct informer_options){.resource = &resources[rows[i].resource],
							   .store = true,
							   .optional = rows[i].optional,
							   .log = log});
		if (rows[i].watched == WATCHED_QUEUES)
			view->by_parent = informer_index_add(informer, put_parent, NULL);
		view->informers[rows[i].watched] = informer;
		informer_start(informer);
	}
	return view;
}

void cluster_view_free(struct cluster_view *view)
{
	if (!view)
		return;
	for (size_t i = 0; i < WATCHED_COUNT; i++)
		informer_free(view->informers[i]);
	json_doc_unref(view->any);
	mem_free(view);
}

bool cluster_view_is_complete(const struct cluster_view *view, struct buf *why)
{
	bool complete = true;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct informer *informer = view->informers[rows[i].watched];

		if (!informer || informer_synced(informer))
			continue;
		complete = false;
		buf_printf(why, "%.*s have not been read yet\n",
			   STR_ARG(resources[rows[i].resource].plural));
	}
	return complete;
}

/* --- one review ------------------------------------------------------------------------------ */

void view_reads_init(struct view_reads *reads, struct cluster_view *view, struct arena *arena)
{
	*reads = (struct view_reads){.view = view, .arena = arena};
}

void view_reads_done(struct view_reads *reads)
{
	for (size_t i = 0; i < reads->len; i++)
		json_doc_unref(reads->rows[i].doc);
	reads->len = 0;
}

void view_reads_refresh(struct view_reads *reads, size_t at, struct json_doc *doc)
{
	json_doc_unref(reads->rows[at].doc);
	reads->rows[at].doc = doc ? json_doc_ref(doc) : NULL;
	reads->rows[at].fresh = true;
}

static const struct view_read *find_read(const struct view_reads *reads,
					 const struct resource *resource, struct str name)
{
	for (size_t i = 0; i < reads->len; i++)
		if (reads->rows[i].resource == resource && str_eq(reads->rows[i].name, name))
			return &reads->rows[i];
	return NULL;
}

static struct json find(struct view_reads *reads, enum watched watched, struct str name)
{
	const struct informer *informer = reads->view->informers[watched];
	const struct resource *resource = NULL;
	const struct view_read *read;
	struct json_doc *doc;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].watched == watched)
			resource = &resources[rows[i].resource];
	read = find_read(reads, resource, name);
	if (read && read->fresh)
		return read->doc ? json_doc_root(read->doc) : JSON_NONE;
	if (!read && name.len && reads->len < VIEW_READS)
		reads->rows[reads->len++] = (struct view_read){
			.resource = resource, .name = arena_str(reads->arena, name)};
	doc = informer ? informer_get(informer, str_none(), name) : NULL;
	return doc ? json_doc_root(doc) : JSON_NONE;
}

static struct json find_queue(void *arg, struct str name)
{
	return find(arg, WATCHED_QUEUES, name);
}

static struct json find_namespace(void *arg, struct str name)
{
	return find(arg, WATCHED_NAMESPACES, name);
}

static bool is_denied(const struct cluster_view *view, const struct resource *resource)
{
	struct client_denial denial;
	size_t at = 0;

	while (client_next_denial(view->client, &at, &denial))
		if (denial.resource == resource)
			return true;
	return false;
}

static struct json find_priority_class(void *arg, struct str name)
{
	struct view_reads *reads = arg;
	struct json class = find(reads, WATCHED_CLASSES, name);

	if (json_is_absent(class) && is_denied(reads->view, &resources[RESOURCE_PRIORITYCLASSES]))
		return json_doc_root(reads->view->any);
	return class;
}

static int by_name(const void *a, const void *b)
{
	return str_cmp(meta_name(*(const struct json *)a), meta_name(*(const struct json *)b));
}

static void each_child(const struct cluster_view *view, struct str parent, admission_queue_fn *fn,
		       void *fn_arg)
{
	const struct informer *queues = view->informers[WATCHED_QUEUES];
	size_t count = informer_index_len(queues, view->by_parent, parent);
	VEC(struct json) found = {0};

	for (size_t i = 0; i < count; i++)
		vec_push(&found,
			 json_doc_root(informer_index_get(queues, view->by_parent, parent, i)));
	if (found.len)
		qsort(found.ptr, found.len, sizeof(*found.ptr), by_name);
	for (size_t i = 0; i < found.len; i++)
		fn(fn_arg, found.ptr[i]);
	vec_done(&found);
}

static void each_queue(void *arg, struct str parent, admission_queue_fn *fn, void *fn_arg)
{
	const struct view_reads *reads = arg;
	const struct informer *queues = reads->view->informers[WATCHED_QUEUES];
	struct informer_walk walk = {0};
	struct json_doc *doc;

	if (!queues)
		return;
	if (!str_is_none(parent)) {
		each_child(reads->view, parent, fn, fn_arg);
		return;
	}
	while ((doc = informer_next(queues, &walk)))
		fn(fn_arg, json_doc_root(doc));
}

static bool has_time_zone(void *arg, struct str name)
{
	(void)arg;
	return zone_file_exists(name);
}

struct admission_world view_reads_world(struct view_reads *reads)
{
	return (struct admission_world){
		reads, find_queue, find_namespace, find_priority_class, each_queue, has_time_zone};
}
