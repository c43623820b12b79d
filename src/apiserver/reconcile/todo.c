/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/todo.c - names of things to look at.
 *
 * An entry is either ready, in a list that a deferred call works off, or later, in a heap with one
 * timer for its top. Always true: an entry is in the map and in exactly one of the two; the deferred
 * call is queued while something is ready; the timer is set while something is later. */
#include "apiserver/reconcile/todo.h"

#include "base/heap.h"
#include "base/list.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/quarantine.h"
#include "loop/loop.h"

#include "base/banned.h"

enum { TODO_BATCH = 256 }; /* a turn */

struct entry {
	struct list link;
	struct heap_node node;
	int64_t due; /* by loop_uptime() */
	struct str name;
	char text[];
};

struct todo {
	struct loop *loop;
	todo_fn *fn;
	void *arg;
	bool objects; /* are they names of such? */
	struct str prefix;
	struct map *entries;
	struct list ready;
	struct heap later;
	struct loop_timer *timer;
	struct loop_defer kick;
};

static bool is_before(const struct heap_node *a, const struct heap_node *b)
{
	return container_of(a, struct entry, node)->due < container_of(b, struct entry, node)->due;
}

static void check(struct todo *todo, struct str name)
{
	struct quarantine *quarantine = todo->objects ? loop_quarantine(todo->loop) : NULL;
	bool whole = !todo->prefix.len;

	if (whole ? quarantine_has_key(quarantine, name)
		  : quarantine_has(quarantine, todo->prefix, str_none(), name))
		return;
	if (whole)
		quarantine_enter_key(quarantine, "apiserver", name);
	else
		quarantine_enter(quarantine, "apiserver", todo->prefix, str_none(), name);
	todo->fn(todo->arg, name);
	quarantine_leave(quarantine);
}

static void work(void *arg)
{
	struct todo *todo = arg;
	struct list *link = NULL;

	for (int i = 0; i < TODO_BATCH && (link = list_pop(&todo->ready)); i++) {
		AUTO(mem_free) struct entry *entry = container_of(link, struct entry, link);

		map_remove(todo->entries, entry->name);
		check(todo, entry->name);
	}
	if (!list_is_empty(&todo->ready))
		loop_defer(todo->loop, &todo->kick, work, todo);
}

static void make_ready(struct todo *todo, struct entry *entry)
{
	heap_remove(&todo->later, &entry->node);
	list_push(&todo->ready, &entry->link);
	loop_defer(todo->loop, &todo->kick, work, todo);
}

static struct entry *first_later(const struct todo *todo)
{
	struct heap_node *node = heap_first(&todo->later);

	return node ? container_of(node, struct entry, node) : NULL;
}

static void set_timer(struct todo *todo)
{
	struct entry *first = first_later(todo);

	if (first)
		loop_timer_set(todo->timer, first->due - loop_uptime(todo->loop));
	else
		loop_timer_stop(todo->timer);
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct todo *todo = arg;
	struct entry *first;

	(void)timer;
	while ((first = first_later(todo)) && first->due <= loop_uptime(todo->loop))
		make_ready(todo, first);
	set_timer(todo);
}

struct todo *todo_new(struct loop *loop, todo_fn *fn, void *arg)
{
	struct todo *todo = mem_new(struct todo);

	todo->loop = loop;
	todo->fn = fn;
	todo->arg = arg;
	todo->entries = map_new(loop_random_u64(loop));
	todo->timer = loop_timer_new(loop, on_timer, todo);
	list_init(&todo->ready);
	heap_init(&todo->later, is_before);
	return todo;
}

void todo_of_objects(struct todo *todo, struct str prefix)
{
	todo->objects = true;
	todo->prefix = prefix;
}

void todo_free(struct todo *todo)
{
	size_t at = 0;
	void *entry;

	if (!todo)
		return;
	loop_defer_cancel(todo->loop, &todo->kick);
	loop_timer_free(todo->timer);
	while (map_next(todo->entries, &at, NULL, &entry))
		mem_free(entry);
	map_free(todo->entries);
	heap_done(&todo->later);
	mem_free(todo);
}

static struct entry *entry_get(struct todo *todo, struct str name)
{
	struct entry *entry = map_get(todo->entries, name);

	if (entry)
		return entry;
	entry = mem_zalloc(sizeof(*entry) + name.len + 1);
	list_init(&entry->link);
	if (name.len)
		memcpy(entry->text, name.ptr, name.len);
	entry->name = str_of(entry->text, name.len);
	map_put(todo->entries, entry->name, entry);
	return entry;
}

void todo_add(struct todo *todo, struct str name)
{
	struct entry *entry = entry_get(todo, name);
	bool later = heap_node_is_in(&entry->node);

	if (list_is_linked(&entry->link))
		return;
	make_ready(todo, entry);
	if (later)
		set_timer(todo);
}

void todo_add_after(struct todo *todo, struct str name, int64_t after_us)
{
	struct entry *entry = entry_get(todo, name);
	int64_t due = loop_uptime(todo->loop) + after_us;

	if (list_is_linked(&entry->link))
		return;
	if (!heap_node_is_in(&entry->node)) {
		entry->due = due;
		heap_push(&todo->later, &entry->node);
	} else if (due < entry->due) {
		entry->due = due;
		heap_update(&todo->later, &entry->node);
	}
	set_timer(todo);
}

void todo_hurry(struct todo *todo)
{
	struct entry *first = first_later(todo);

	if (!first)
		return;
	make_ready(todo, first);
	set_timer(todo);
}

int64_t todo_soonest(const struct todo *todo)
{
	const struct entry *first = first_later(todo);

	return first ? first->due - loop_uptime(todo->loop) : INT64_MAX;
}

size_t todo_len(const struct todo *todo)
{
	return map_len(todo->entries);
}
