/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/reconcile_quotas.c - quotas: what is used of them, and that nothing is made beyond.
 *
 * Each quota keeps the sum of what the newest versions of the objects of its namespace use (usage.h),
 * visible or only staged. The store reports every write when it is staged: what the old version used is
 * subtracted, what the new one uses is added, and the reverse if the commit fails. Only a new quota, or
 * one with other limits, counts everything once. An admission therefore reads its own object and one sum
 * per quota, however many requests arrive together, and of two in one commit only as many pass as the
 * quota allows.
 *
 * Always true: `used` is the sum over the newest versions, and status.used becomes that; admission writes
 * it in the write before the object's, so that a reader who sees the object sees it counted. If the
 * object is then refused, the status is corrected in the same turn. The admitter is in this file because
 * it works on the same sums. */
#include <stdlib.h>

#include "apiserver/admit/admit_rows.h"
#include "apiserver/api_internal.h"
#include "apiserver/reconcile/reconcilers.h"
#include "apiserver/reconcile/self.h"
#include "apiserver/reconcile/todo.h"
#include "apiserver/reconcile/usage.h"
#include "base/arena.h"
#include "base/mem.h"
#include "loop/loop.h"
#include "model/pod/pod_total.h"

#include "base/banned.h"

struct quota {
	struct list link; /* in its space */
	struct arena *arena;
	struct str key;
	struct json_doc *spec;
	struct usage used; /* a line for each name of spec.hard, in order */
	uint64_t counts;   /* of objects, ever */
};

/* A namespace with quotas. */
struct space {
	struct list quotas;
	struct str name;
	char text[];
};

struct quotas {
	struct api *api;
	struct todo *todo; /* keys of quotas: their status */
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
	quota->counts++;
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
	map_put(self->spaces, space->name, space);
	return space;
}

static void space_release(struct quotas *self, struct space *space)
{
	if (!list_is_empty(&space->quotas))
		return;
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

/* Everything of a kind that is there or staged. */
static void count_kind(struct quotas *self, struct quota *quota, const struct kind *kind)
{
	struct str namespace = key_split(quota->key).namespace;
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct str prefix = api_key(arena, kind, namespace, str_none());
	struct store *store = api_store(self->api);
	struct store_newest_walk walk = store_newest_walk(store, prefix);
	struct object *object;

	while ((object = store_newest_next(&walk))) {
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
		if (kind->namespaced && reconcile_kind(self->api, kind->prefix) == kind &&
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

static void check(void *arg, struct str key)
{
	struct quotas *self = arg;
	struct quota *quota = map_get(self->all, key);

	if (quota)
		write_status(self, quota, &quota->used);
}

/* --- changes --- */

static void on_quota(struct quotas *self, struct change *change)
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

static void on_change(void *arg, struct change *change)
{
	struct quotas *self = arg;

	if (change->kind == self->kind)
		on_quota(self, change);
}

/* --- what is staged --- */

/* From one version to another, for those quotas that count the kind; either may be absent. */
static void recount(struct quotas *self, struct space *space, const struct kind *kind,
		    struct json_doc *const docs[2])
{
	LIST_EACH(&space->quotas, struct quota, link, quota) {
		if (!tracks(quota, kind))
			continue;
		if (docs[0])
			count(quota, &quota->used, kind, json_doc_root(docs[0]), true);
		if (docs[1])
			count(quota, &quota->used, kind, json_doc_root(docs[1]), false);
		todo_add(self->todo, quota->key);
	}
}

static bool is_tracked(const struct space *space, const struct kind *kind)
{
	LIST_EACH(&space->quotas, struct quota, link, quota) {
		if (tracks(quota, kind))
			return true;
	}
	return false;
}

static void on_staged(void *arg, struct object *old, struct object *now)
{
	struct quotas *self = arg;
	const struct object *there = now ? now : old;
	struct key_parts parts;
	const struct kind *kind;
	struct space *space;

	if (!there || !map_len(self->spaces))
		return;
	parts = key_split(there->key);
	space = map_get(self->spaces, parts.namespace);
	kind = space ? reconcile_kind(self->api, parts.prefix) : NULL;
	if (!kind || !is_tracked(space, kind))
		return;
	struct decoded *decoded = self->api->decoded;
	struct json_doc *docs[2] = {old ? decoded_get(decoded, old) : NULL,
				    now ? decoded_get(decoded, now) : NULL};

	recount(self, space, kind, docs);
	json_doc_unref(docs[0]);
	json_doc_unref(docs[1]);
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

/* What would be used with this write. */
static void sum_after(const struct admission *admission, struct quota *quota, struct usage *ret)
{
	const struct kind *kind = admission->call->kind->stored;

	copy_usage(&quota->used, ret);
	count(quota, ret, kind, admission->old, true);
	count(quota, ret, kind, admission->object, false);
}

static int check_quota(const struct admission *admission, struct quota *quota, struct err *err)
{
	const struct kind *kind = admission->call->kind->stored;
	AUTO(usage_done) struct usage after = {0};
	AUTO(excess_done) struct excess excess = {0};

	if (!tracks(quota, kind) ||
	    !usage_is_in_scope(json_doc_root(quota->spec), kind, admission->object))
		return 0;
	if (check_said(admission, quota, err) < 0)
		return -1;
	sum_after(admission, quota, &after);
	find_excess(quota, &quota->used, &after, &excess);
	return check_excess(admission, quota, &excess, err);
}

static int admit_quota(const struct admission *admission, struct err *err)
{
	struct call *call = admission->call;
	struct quotas *self = reconcilers_state(call->api->reconcilers, RECONCILE_QUOTAS);
	struct space *space =
		self && is_limited(admission) ? map_get(self->spaces, call->namespace) : NULL;

	if (!space)
		return 0;
	LIST_EACH(&space->quotas, struct quota, link, quota) {
		if (check_quota(admission, quota, err) < 0)
			return -1;
	}
	if (call->options.dry_run.len)
		return 0;
	LIST_EACH(&space->quotas, struct quota, link, quota) {
		AUTO(usage_done) struct usage after = {0};

		if (!tracks(quota, call->kind->stored))
			continue;
		sum_after(admission, quota, &after);
		write_status(self, quota, &after);
		todo_add(self->todo, quota->key); /* should the write be refused after all */
	}
	return 0;
}

uint64_t quotas_counts(const struct api *api)
{
	const struct quotas *self = reconcilers_state(api->reconcilers, RECONCILE_QUOTAS);
	uint64_t counts = 0;
	size_t at = 0;
	void *quota;

	while (self && map_next(self->all, &at, NULL, &quota))
		counts += ((const struct quota *)quota)->counts;
	return counts;
}

/* --- life --- */

static void *start(struct api *api)
{
	struct quotas *self = mem_new(struct quotas);

	self->api = api;
	self->todo = todo_new(api_loop(api), check, self);
	todo_of_objects(self->todo, str_none());
	self->spaces = map_new(loop_random_u64(api_loop(api)));
	self->all = map_new(loop_random_u64(api_loop(api)));
	self->kind = kinds_find(api_kinds(api), STR(""), STR("v1"), STR("resourcequotas"));
	store_observe_staged(api_store(api), on_staged, self);
	return self;
}

static void stop(void *arg)
{
	struct quotas *self = arg;
	size_t at = 0;
	void *quota;
	void *space;

	store_observe_staged(api_store(self->api), NULL, NULL);
	todo_free(self->todo);
	while (map_next(self->all, &at, NULL, &quota))
		quota_free(self, quota);
	for (at = 0; map_next(self->spaces, &at, NULL, &space);)
		space_release(self, space);
	map_free(self->spaces);
	map_free(self->all);
	mem_free(self);
}

const struct reconciler reconcile_quotas = {
	.name = "quotas", .start = start, .on_change = on_change, .stop = stop};

const struct admitter admitter_quota = {.name = "ResourceQuota",
					.verbs = ADMIT_CREATE | ADMIT_UPDATE,
					.sub = true,
					.check = admit_quota};
