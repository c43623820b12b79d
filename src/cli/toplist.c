/* SPDX-License-Identifier: Apache-2.0 */
/* cli/toplist.c - see toplist.h. Pods are counted once into the node, queue and job that they belong
 * to; the rows of each part come from the largest on: by the resource of which they hold the largest
 * share of the cluster. */
#include "cli/toplist.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/map.h"
#include "cli/amounts.h"
#include "cli/bar.h"
#include "model/core/meta.h"

#include "base/banned.h"

enum { BAR_WIDTH = 12, RESOURCES_MAX = 6, NAME_WIDTH = 28 };

struct holder {
	struct str name;
	struct str word; /* its phase or state */
	struct amounts held;
	struct amounts limit; /* of a node: allocatable */
	int64_t pods;
	double share; /* dominant, of the cluster */
	size_t place;
};

struct table {
	const struct top_facts *facts;
	struct holder *rows;
	size_t count;
	struct map *by_name;
	struct amounts cluster;
};

/* --- small things ------------------------------------------------------------------------------- */

static struct str meta(struct json object, const char *key)
{
	return json_str(json_get(json_get(object, "metadata"), key));
}

static struct str note(struct json object, const char *map, const char *key)
{
	return json_str(json_get(json_get(json_get(object, "metadata"), map), key));
}

static struct str status(struct json object, const char *key)
{
	return json_str(json_get(json_get(object, "status"), key));
}

/* Bound to a node, and not over. */
static bool holds(struct json pod)
{
	struct str phase = status(pod, "phase");

	return json_str(json_get(json_get(pod, "spec"), "nodeName")).len &&
	       !str_is(phase, "Succeeded") && !str_is(phase, "Failed");
}

/* --- a table ------------------------------------------------------------------------------------ */

static void begin(struct table *table, const struct top_facts *facts, size_t count,
		  struct arena *arena)
{
	struct json_iter it = json_iter(facts->nodes);

	*table = (struct table){
		.facts = facts,
		.rows = arena_calloc(arena, count + 1, sizeof(*table->rows)),
		.by_name = map_new(0),
	};
	while (json_next(&it))
		amounts_add_list(&table->cluster,
				 json_get(json_get(it.value, "status"), "allocatable"));
}

static struct holder *add_row(struct table *table, struct str key, struct str name, struct str word)
{
	struct holder *row = &table->rows[table->count];

	*row = (struct holder){.name = name, .word = word, .place = table->count++};
	(void)map_put(table->by_name, key, row);
	return row;
}

static void count_pod(struct table *table, struct str key, struct json pod)
{
	struct holder *row = map_get(table->by_name, key);

	if (!row)
		return;
	row->pods++;
	amounts_add_pod(&row->held, pod);
}

static int compare(const void *left, const void *right)
{
	const struct holder *a = left;
	const struct holder *b = right;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static void sort(struct table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		struct holder *row = &table->rows[i];

		for (size_t j = 0; j < row->held.len; j++) {
			struct str name = row->held.ptr[j].name;
			double whole = amounts_real(&table->cluster, name);
			double share =
				whole > 0 ? quantity_real(&row->held.ptr[j].value) / whole : 0;

			row->share = share > row->share ? share : row->share;
		}
	}
	qsort(table->rows, table->count, sizeof(*table->rows), compare);
}

/* cpu, memory, and devices. */
static bool is_column(struct str name)
{
	return str_is(name, "cpu") || str_is(name, "memory") || str_find_byte(name, '/', 0) >= 0;
}

static void put_cell(const struct table *table, const struct holder *row, struct str name,
		     struct buf *to)
{
	const struct top_facts *facts = table->facts;
	const struct amounts *limits = row->limit.len ? &row->limit : &table->cluster;
	double whole = amounts_real(limits, name);
	double share = whole > 0 ? amounts_real(&row->held, name) / whole : 0;
	const struct bar_part part = {share, BAR_FULL,
				      share > 0.95   ? facts->bad
				      : share > 0.75 ? facts->busy
						     : facts->good};
	const struct bar bar = {.width = BAR_WIDTH,
				.unicode = facts->unicode,
				.plain = facts->plain,
				.parts = &part,
				.count = 1,
				.mark = -1};
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	bar_put(&bar, to);
	amounts_put(&row->held, name, &text);
	if (row->limit.len) {
		buf_putc(&text, '/');
		amounts_put(&row->limit, name, &text);
	}
	buf_printf(to, " %-14s", buf_text(&text));
}

/* The longest of the rows that are shown. */
static int name_width(const struct table *table)
{
	size_t width = NAME_WIDTH;

	for (size_t i = 0; i < table->count && i < table->facts->most; i++)
		if (table->rows[i].name.len > width)
			width = table->rows[i].name.len;
	return (int)width;
}

static void put_head(const struct table *table, const char *what, const char *word, struct buf *to)
{
	/* The bar, its ends if it has any, a blank, and the text. */
	int width = BAR_WIDTH + (table->facts->unicode ? 0 : 2) + 15;
	size_t shown = 0;

	buf_printf(to, "%s%-*s %-11s %6s  ", table->facts->bold, name_width(table), what, word,
		   "Pods");
	for (size_t i = 0; i < table->cluster.len && shown < RESOURCES_MAX; i++)
		if (is_column(table->cluster.ptr[i].name)) {
			buf_printf(to, "%-*.*s", width, STR_ARG(table->cluster.ptr[i].name));
			shown++;
		}
	while (to->len && to->ptr[to->len - 1] == ' ')
		buf_truncate(to, to->len - 1);
	buf_printf(to, "%s\n", table->facts->plain);
}

static void put_row(const struct table *table, const struct holder *row, struct buf *to)
{
	size_t shown = 0;

	buf_printf(to, "%-*.*s %-11.*s %6lld  ", name_width(table), STR_ARG(row->name),
		   STR_ARG(row->word), (long long)row->pods);
	for (size_t i = 0; i < table->cluster.len && shown < RESOURCES_MAX; i++)
		if (is_column(table->cluster.ptr[i].name)) {
			put_cell(table, row, table->cluster.ptr[i].name, to);
			shown++;
		}
	while (to->len && to->ptr[to->len - 1] == ' ')
		buf_truncate(to, to->len - 1);
	buf_putc(to, '\n');
}

static void end(struct table *table, const char *what, const char *word, struct buf *to)
{
	sort(table);
	put_head(table, what, word, to);
	for (size_t i = 0; i < table->count && i < table->facts->most; i++)
		put_row(table, &table->rows[i], to);
	if (table->count > table->facts->most)
		buf_printf(to, "... and %zu more\n", table->count - table->facts->most);
	for (size_t i = 0; i < table->count; i++) {
		amounts_done(&table->rows[i].held);
		amounts_done(&table->rows[i].limit);
	}
	amounts_done(&table->cluster);
	map_free(table->by_name);
}

/* --- nodes, queues, jobs ------------------------------------------------------------------------ */

static struct str node_word(struct json node)
{
	struct json ready = meta_condition(node, "Ready");

	if (json_bool(json_get(json_get(node, "spec"), "unschedulable")))
		return STR("Cordoned");
	if (json_is_absent(ready))
		return STR("Unknown"); /* as kubectl says it */
	return str_is(json_str(json_get(ready, "status")), "True") ? STR("Ready") : STR("NotReady");
}

void top_nodes(const struct top_facts *facts, struct arena *arena, struct buf *to)
{
	struct table table;
	struct json_iter node = json_iter(facts->nodes);
	struct json_iter pod = json_iter(facts->pods);

	begin(&table, facts, json_len(facts->nodes), arena);
	while (json_next(&node)) {
		struct holder *row = add_row(&table, meta(node.value, "name"),
					     meta(node.value, "name"), node_word(node.value));

		amounts_add_list(&row->limit,
				 json_get(json_get(node.value, "status"), "allocatable"));
	}
	while (json_next(&pod))
		if (holds(pod.value))
			count_pod(&table,
				  json_str(json_get(json_get(pod.value, "spec"), "nodeName")),
				  pod.value);
	end(&table, "Node", "State", to);
}

static struct str key_of(struct arena *arena, struct str namespace, struct str name)
{
	return str_from(arena_printf(arena, "%.*s/%.*s", STR_ARG(namespace), STR_ARG(name)));
}

void top_queues(const struct top_facts *facts, struct arena *arena, struct buf *to)
{
	struct table table;
	struct json_iter queue = json_iter(facts->queues);
	struct json_iter group = json_iter(facts->groups);
	struct json_iter pod = json_iter(facts->pods);
	AUTO(map_free) struct map *queues = map_new(0); /* of podgroups */

	begin(&table, facts, json_len(facts->queues), arena);
	while (json_next(&queue))
		(void)add_row(&table, meta(queue.value, "name"), meta(queue.value, "name"),
			      status(queue.value, "state"));
	while (json_next(&group)) {
		struct str in = json_str(json_get(json_get(group.value, "spec"), "queue"));

		(void)map_put(
			queues,
			key_of(arena, meta(group.value, "namespace"), meta(group.value, "name")),
			arena_printf(arena, "%.*s", STR_ARG(in.len ? in : STR("default"))));
	}
	while (json_next(&pod)) {
		const char *in = map_get(queues, key_of(arena, meta(pod.value, "namespace"),
							note(pod.value, "annotations",
							     "scheduling.k8s.io/group-name")));

		if (in && holds(pod.value))
			count_pod(&table, str_from(in), pod.value);
	}
	end(&table, "Queue", "State", to);
}

void top_jobs(const struct top_facts *facts, struct arena *arena, struct buf *to)
{
	struct table table;
	struct json_iter job = json_iter(facts->jobs);
	struct json_iter pod = json_iter(facts->pods);

	begin(&table, facts, json_len(facts->jobs), arena);
	while (json_next(&job)) {
		struct str namespace = meta(job.value, "namespace");
		struct str key = key_of(arena, namespace, meta(job.value, "name"));

		(void)add_row(&table, key, key,
			      json_str(json_get(json_get(json_get(job.value, "status"), "state"),
						"phase")));
	}
	while (json_next(&pod))
		if (holds(pod.value))
			count_pod(&table,
				  key_of(arena, meta(pod.value, "namespace"),
					 note(pod.value, "labels", "volcano.sh/job-name")),
				  pod.value);
	end(&table, "Job", "Phase", to);
}
