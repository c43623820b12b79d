/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/keep_quotas.c - quotas: what is used of them, and that nothing is made beyond.
 *
 * Each quota keeps the sum of what the objects of its namespace use (usage.h). A change of an object
 * takes back what it used and adds what it uses now; only a new quota, or one with other limits, counts
 * everything once. What admission has let through but is not visible yet is reserved, so that of two
 * requests in one commit only as many pass as there is room for; a reservation ends with the change that
 * it was for, or when it turns out that nothing was written.
 *
 * Always true: status.used is the sum of what is visible and what is reserved; admission writes it in
 * the write before the object's, so that whoever sees the object sees it counted. The admitter is in this
 * file because it works on the same sums. */
#include <stdlib.h>

#include "apiserver/admit_rows.h"
#include "apiserver/api_internal.h"
#include "apiserver/keep_rows.h"
#include "apiserver/self.h"
#include "apiserver/todo.h"
#include "apiserver/usage.h"
#include "base/arena.h"
#include "base/mem.h"
#include "loop/loop.h"
#include "model/pod_total.h"

#include "base/banned.h"

struct quota {
	struct list link; /* in its space */
	struct arena *arena;
	struct str key;
	struct json_doc *spec;
	struct usage used; /* a line for each name of spec.hard, in order */
};

/* Let through, and not seen yet. */
struct reserved {
	struct list link;
	struct arena *arena;
	struct str key;
	struct json_doc *object; /* as it will be ... */
	struct json_doc *old;    /* ... and was, or NULL */
	const struct kind *kind;
};

/* A namespace with quotas. */
struct space {
	struct list quotas;
	struct list reserved;
	struct str name;
	char text[];
};

struct quotas {
	struct api *api;
	struct todo *todo;  /* keys of quotas: their status */
	struct todo *check; /* namespaces with reservations to look after */
	struct map *spaces;
	struct map *all; /* key -> struct quota */
	const struct kind *kind;
};

/* --- sums --- */

/* Add what an object uses of a quota, or take it back. */
static void count(struct quota *quota, struct usage *into, const struct kind *kind,
		  struct json object, bool back)
{
	AUTO(arena_free) struct arena *arena = NULL;
	AUTO(usage_done) struct usage usage = {0};

	if (json_is_absent(object) || !usage_is_in_scope(json_doc_root(quota->spec), kind, object))
		return;
	arena = arena_new(0);
	usage_of(kind, object, arena, &usage);
	for (size_t i = 0; i < usage.len; i++) {
		struct quantity *sum = usage_find(into, usage.ptr[i].name);

		if (!sum)
			continue;
		if (back)
			quantity_sub(sum, &usage.ptr[i].value);
		else
			quantity_add(sum, &usage.ptr[i].value);
		sum->text = str_none();
	}
}

static void copy_usage(const struct usage *from, struct usage *to)
{
	for (size_t i = 0; i < from->len; i++)
		vec_push(to, from->ptr[i]);
}

/* What is visible and what is reserved. */
static void sum_up(struct space *space, struct quota *quota, struct usage *ret)
{
	copy_usage(&quota->used, ret);
	LIST_EACH(&space->reserved, struct reserved, link, reserved)
	{
		if (reserved->old)
			count(quota, ret, reserved->kind, json_doc_root(reserved->old), true);
		count(quota, ret, reserved->kind, json_doc_root(reserved->object), false);
	}
}

static bool tracks(const struct quota *quota, const struct kind *kind)
{
	for (size_t i = 0; i < quota->used.len; i++)
		if (usage_is_of(kind, quota->used.ptr[i].name))
			return true;
	return false;
}

/* --- spaces and quotas --- */

static struct space *space_get(struct quotas *self, struct str name)
{
	struct space *space = map_get(self->spaces, name);

	if (space)
		return space;
	space = mem_zalloc(sizeof(*space) + name.len + 1);
	memcpy(space->text, name.ptr, name.len);
	space->name = str_of(space->text, name.len);
	list_init(&space->quotas);
	list_init(&space->reserved);
	map_put(self->spaces, space->name, space);
	return space;
}

static void reserved_free(struct reserved *reserved)
{
	list_remove(&reserved->link);
	json_doc_unref(reserved->object);
	json_doc_unref(reserved->old);
	arena_free(reserved->arena);
	mem_free(reserved);
}

static void space_release(struct quotas *self, struct space *space)
{
	if (!list_is_empty(&space->quotas))
		return;
	LIST_EACH(&space->reserved, struct reserved, link, reserved)
	reserved_free(reserved);
	map_remove(self->spaces, space->name);
	mem_free(space);
}

static void quota_free(struct quotas *self, struct quota *quota)
{
	if (!quota)
		return;
	map_remove(self->all, quota->key);
	list_remove(&quota->link);
	json_doc_unref(quota->spec);
	usage_done(&quota->used);
	arena_free(quota->arena);
	mem_free(quota);
}

/* Everything of a kind that is there. */
static void count_kind(struct quotas *self, struct quota *quota, const struct kind *kind)
{
	struct str namespace = key_split(quota->key).namespace;
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct str prefix = api_key(arena, kind, namespace, str_none());
	struct store *store = api_store(self->api);
	struct object *object = store_next(store, prefix, str_none());

	for (; object; object = store_next(store, prefix, object->key)) {
		struct err err;
		AUTO(json_doc_unref)
		struct json_doc *doc = json_parse(object->text, NULL, &err);

		count(quota, &quota->used, kind, json_doc_root(doc), false);
	}
}

static void quota_add(struct quotas *self, struct str key, struct json object)
{
	struct quota *quota = mem_new(struct quota);
	struct quantity none = quantity_make(0, QUANTITY_DECIMAL_SI);
	const struct kind *kind;
	size_t at = 0;

	quota->arena = arena_new(0);
	quota->key = arena_str(quota->arena, key);
	quota->spec = json_doc_freeze(json_get(object, "spec"));
	for (struct json_iter it = json_iter(json_get(json_doc_root(quota->spec), "hard"));
	     json_next(&it);)
		usage_add(&quota->used, it.key, &none);
	map_put(self->all, quota->key, quota);
	list_push(&space_get(self, key_split(quota->key).namespace)->quotas, &quota->link);
	while ((kind = kinds_next(api_kinds(self->api), &at)))
		if (kind->namespaced && keep_kind(self->api, kind->prefix) == kind &&
		    tracks(quota, kind))
			count_kind(self, quota, kind);
}

/* --- the status --- */

static struct json print_amount(struct json_doc *doc, const struct quantity *value)
{
	char text[QUANTITY_TEXT_SIZE];

	return json_new_str(doc, str_from(quantity_canonical(value, text)));
}

static bool is_amount(struct json value, const struct quantity *amount)
{
	struct quantity is;

	return !pod_total_read(value, &is) && quantity_cmp(&is, amount) == 0;
}

/* Is the status as it should be? The form of an amount does not matter. */
static bool is_right(struct json object, const struct usage *used)
{
	struct json status = json_get(object, "status");

	if (!json_eq(json_get(status, "hard"), json_get(json_get(object, "spec"), "hard")) ||
	    json_len(json_get(status, "used")) != used->len)
		return false;
	for (size_t i = 0; i < used->len; i++)
		if (!is_amount(json_get_str(json_get(status, "used"), used->ptr[i].name),
			       &used->ptr[i].value))
			return false;
	return true;
}

static void write_status(struct quotas *self, struct quota *quota, const struct usage *used)
{
	struct object *newest = store_newest(api_store(self->api), quota->key);
	struct err err;
	AUTO(json_doc_unref)
	struct json_doc *old = newest ? json_parse(newest->text, NULL, &err) : NULL;
	struct json_doc *doc;
	struct json status;
	struct json hard;

	if (!old || is_right(json_doc_root(old), used))
		return;
	doc = json_doc_thaw(json_doc_root(old));
	status = json_new_obj(doc);
	hard = json_get(json_get(json_doc_root(old), "spec"), "hard");
	if (!json_is_absent(hard))
		json_set(doc, status, STR("hard"), json_new_copy(doc, hard));
	for (size_t i = 0; i < used->len; i++)
		json_set(doc, json_ensure_obj(doc, status, "used"), used->ptr[i].name,
			 print_amount(doc, &used->ptr[i].value));
	json_set(doc, json_doc_root(doc), STR("status"), status);
	self_update(self->api, self->kind, doc);
}

static void look_at(void *arg, struct str key)
{
	struct quotas *self = arg;
	struct quota *quota = map_get(self->all, key);
	AUTO(usage_done) struct usage used = {0};

	if (!quota)
		return;
	sum_up(space_get(self, key_split(key).namespace), quota, &used);
	write_status(self, quota, &used);
}

/* --- being told --- */

static void told_quota(struct quotas *self, struct change *change)
{
	struct quota *quota = map_get(self->all, change->key);

	if (!change->object) {
		quota_free(self, quota);
		space_release(self, space_get(self, change->namespace));
		return;
	}
	if (!quota ||
	    !json_eq(json_doc_root(quota->spec), json_get(change_object(change), "spec"))) {
		quota_free(self, quota);
		quota_add(self, change->key, change_object(change));
	}
	todo_add(self->todo, change->key);
}

/* What it was reserved for has happened. */
static void settle(struct space *space, struct str key)
{
	LIST_EACH(&space->reserved, struct reserved, link, reserved)
	{
		if (str_eq(reserved->key, key)) {
			reserved_free(reserved);
			return;
		}
	}
}

static void told(void *arg, struct change *change)
{
	struct quotas *self = arg;
	struct space *space;

	if (map_len(self->spaces) && change->kind &&
	    (space = map_get(self->spaces, change->namespace))) {
		settle(space, change->key);
		LIST_EACH(&space->quotas, struct quota, link, quota)
		{
			/* at the start each quota counts everything that is there itself */
			if (change->at_start || !tracks(quota, change->kind))
				continue;
			count(quota, &quota->used, change->kind, change_old(change), true);
			count(quota, &quota->used, change->kind, change_object(change), false);
			todo_add(self->todo, quota->key);
		}
	}
	if (change->kind == self->kind)
		told_quota(self, change);
}

/* --- admission --- */

static int compare_amounts(const void *a, const void *b)
{
	return str_cmp(((const struct amount *)a)->name, ((const struct amount *)b)->name);
}

static void print_usage(struct usage *usage, struct buf *to)
{
	char text[QUANTITY_TEXT_SIZE];

	if (usage->len)
		qsort(usage->ptr, usage->len, sizeof(*usage->ptr), compare_amounts);
	for (size_t i = 0; i < usage->len; i++)
		buf_printf(to, "%s%.*s=%s", i ? "," : "", STR_ARG(usage->ptr[i].name),
			   quantity_canonical(&usage->ptr[i].value, text));
}

/* What is asked for beyond a limit, and what there is. */
struct excess {
	struct usage requested;
	struct usage used;
	struct usage limited;
};

static void excess_done(struct excess *excess)
{
	usage_done(&excess->requested);
	usage_done(&excess->used);
	usage_done(&excess->limited);
}
DEFINE_AUTO_IN_PLACE(struct excess, excess_done);

static void find_excess(const struct quota *quota, const struct usage *before,
			const struct usage *after, struct excess *ret)
{
	struct json hard = json_get(json_doc_root(quota->spec), "hard");

	for (size_t i = 0; i < after->len; i++) {
		struct quantity requested = after->ptr[i].value;
		struct quantity limit;

		quantity_sub(&requested, &before->ptr[i].value);
		if (quantity_sign(&requested) <= 0 ||
		    pod_total_read(json_get_str(hard, after->ptr[i].name), &limit) ||
		    quantity_cmp(&after->ptr[i].value, &limit) <= 0)
			continue;
		usage_add(&ret->requested, after->ptr[i].name, &requested);
		usage_add(&ret->used, after->ptr[i].name, &before->ptr[i].value);
		usage_add(&ret->limited, after->ptr[i].name, &limit);
	}
}

static int check_excess(const struct admission *admission, const struct quota *quota,
			struct excess *excess, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

	if (!excess->requested.len)
		return 0;
	buf_printf(&text, "exceeded quota: %.*s, requested: ", STR_ARG(key_split(quota->key).name));
	print_usage(&excess->requested, &text);
	buf_puts(&text, ", used: ");
	print_usage(&excess->used, &text);
	buf_puts(&text, ", limited: ");
	print_usage(&excess->limited, &text);
	return admit_forbidden(admission, err, "%s", buf_text(&text));
}

/* Names of cpu and memory that are limited must be said by each container. */
static int check_said(const struct admission *admission, const struct quota *quota, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	VEC(struct str) names = {0};
	bool open;

	if (!str_is(admission->call->kind->prefix, "/pods/"))
		return 0;
	for (size_t i = 0; i < quota->used.len; i++)
		vec_push(&names, quota->used.ptr[i].name);
	if (names.len)
		qsort(names.ptr, names.len, sizeof(*names.ptr), str_qsort_cmp);
	open = usage_is_open(admission->object, names.ptr, names.len, &text);
	vec_done(&names);
	if (!open)
		return 0;
	return admit_forbidden(admission, err, "failed quota: %.*s: %s",
			       STR_ARG(key_split(quota->key).name), buf_text(&text));
}

/* Is it a change that quotas are asked about? */
static bool is_limited(const struct admission *admission)
{
	const struct call *call = admission->call;
	struct str prefix = call->kind->prefix;

	if (!call->kind->namespaced || str_is(call->kind->plural, "events"))
		return false;
	if (json_is_absent(admission->old))
		return !call->sub.len;
	if (str_is(prefix, "/pods/"))
		return str_is(call->sub, "resize") ||
		       (!call->sub.len &&
			json_is_absent(json_get(json_get(admission->object, "spec"),
						"activeDeadlineSeconds")) !=
				json_is_absent(json_get(json_get(admission->old, "spec"),
							"activeDeadlineSeconds")));
	return !call->sub.len &&
	       (str_is(prefix, "/services/") || str_is(prefix, "/persistentvolumeclaims/"));
}

static struct reserved *reserve(struct space *space, const struct admission *admission)
{
	struct reserved *reserved = mem_new(struct reserved);
	struct call *call = admission->call;
	struct str name = json_str(json_get(json_get(admission->object, "metadata"), "name"));

	reserved->arena = arena_new(0);
	reserved->kind = call->kind->stored;
	reserved->key = api_key(reserved->arena, call->kind, call->namespace, name);
	reserved->object = json_doc_freeze(admission->object);
	if (!json_is_absent(admission->old))
		reserved->old = json_doc_freeze(admission->old);
	list_push(&space->reserved, &reserved->link);
	return reserved;
}

static int check_quota(const struct admission *admission, struct space *space, struct quota *quota,
		       struct err *err)
{
	const struct kind *kind = admission->call->kind->stored;
	AUTO(usage_done) struct usage before = {0};
	AUTO(usage_done) struct usage after = {0};
	AUTO(excess_done) struct excess excess = {0};

	if (!tracks(quota, kind) ||
	    !usage_is_in_scope(json_doc_root(quota->spec), kind, admission->object))
		return 0;
	if (check_said(admission, quota, err) < 0)
		return -1;
	sum_up(space, quota, &before);
	copy_usage(&before, &after);
	count(quota, &after, kind, admission->old, true);
	count(quota, &after, kind, admission->object, false);
	find_excess(quota, &before, &after, &excess);
	return check_excess(admission, quota, &excess, err);
}

/* A write that was let through and then refused has no staged version: its reservation ends. */
static void check_reserved(void *arg, struct str name)
{
	struct quotas *self = arg;
	struct space *space = map_get(self->spaces, name);
	struct store *store = api_store(self->api);

	if (!space)
		return;
	LIST_EACH(&space->reserved, struct reserved, link, reserved)
	{
		if (store_newest(store, reserved->key) == store_get(store, reserved->key))
			reserved_free(reserved);
	}
	LIST_EACH(&space->quotas, struct quota, link, quota)
	todo_add(self->todo, quota->key);
}

int admit_quota(const struct admission *admission, struct err *err)
{
	struct call *call = admission->call;
	struct quotas *self = keep_state(call->api->keep, KEEP_QUOTAS);
	struct space *space =
		self && is_limited(admission) ? map_get(self->spaces, call->namespace) : NULL;

	if (!space)
		return 0;
	LIST_EACH(&space->quotas, struct quota, link, quota)
	{
		if (check_quota(admission, space, quota, err) < 0)
			return -1;
	}
	if (call->options.dry_run.len)
		return 0;
	(void)reserve(space, admission);
	LIST_EACH(&space->quotas, struct quota, link, quota)
	{
		AUTO(usage_done) struct usage used = {0};

		if (!tracks(quota, call->kind->stored))
			continue;
		sum_up(space, quota, &used);
		write_status(self, quota, &used);
	}
	todo_add(self->check, space->name);
	return 0;
}

/* --- life --- */

static void *start(struct api *api)
{
	struct quotas *self = mem_new(struct quotas);

	self->api = api;
	self->todo = todo_new(api_loop(api), look_at, self);
	self->check = todo_new(api_loop(api), check_reserved, self);
	self->spaces = map_new(loop_random_u64(api_loop(api)));
	self->all = map_new(loop_random_u64(api_loop(api)));
	self->kind = kinds_find(api_kinds(api), STR(""), STR("v1"), STR("resourcequotas"));
	return self;
}

static void stop(void *arg)
{
	struct quotas *self = arg;
	size_t at = 0;
	void *quota;
	void *space;

	todo_free(self->todo);
	todo_free(self->check);
	while (map_next(self->all, &at, NULL, &quota))
		quota_free(self, quota);
	for (at = 0; map_next(self->spaces, &at, NULL, &space);)
		space_release(self, space);
	map_free(self->spaces);
	map_free(self->all);
	mem_free(self);
}

const struct keeper keep_quotas = {.name = "quotas", .start = start, .told = told, .stop = stop};
