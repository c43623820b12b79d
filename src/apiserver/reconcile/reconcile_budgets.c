/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/reconcile_budgets.c - the status of disruption budgets: how many pods there
 * should be, must be healthy, are healthy, and may be evicted.
 *
 * A budget knows its members: the pods of its namespace that its selector chooses, and of each what
 * counts. A change of a pod costs a look at the budgets of its namespace; a budget is summed up once
 * after a batch of changes, from what it knows, and written only when a number has changed. A pod that
 * an eviction has noted in the budget counts as gone until it is, or for two minutes.
 *
 * Percentages are of the size of the pods' controllers (`scale` of their kinds), as upstream: without a
 * controller a pod does not count, with one that has no size the budget fails safe: nothing may go. */
#include <string.h>

#include "apiserver/api_internal.h"
#include "apiserver/kind/jsonpath.h"
#include "apiserver/reconcile/reconcilers.h"
#include "apiserver/reconcile/self.h"
#include "apiserver/reconcile/todo.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/vec.h"
#include "loop/loop.h"
#include "model/core/conditions.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/value/intstr.h"
#include "model/value/labels.h"

#include "base/banned.h"

#define DELETION_TIMEOUT (2 * TIME_MINUTE)

/* What counts of a pod. */
struct member {
	struct str name;
	bool ready;
	bool going;
	struct str
		controller; /* "apiVersion/kind/name/uid" of its reference; none: no controller */
	char text[];
};

struct budget {
	struct list link; /* in its space */
	struct str key;
	struct arena *arena;    /* the key and the selector, ... */
	struct json_doc *texts; /* ... which borrows its texts from here */
	struct selector selector;
	struct map *members; /* name -> struct member */
};

/* A namespace with budgets. */
struct space {
	struct list budgets;
	char name[];
};

struct budgets {
	struct api *api;
	struct todo *todo; /* keys of budgets */
	struct map *spaces;
	struct map *all; /* key -> struct budget */
	const struct kind *kind;
	const struct kind *pods;
};

/* --- members --- */

static bool chooses(struct budget *budget, const struct object *pod)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct labels labels = {.ptr = arena_calloc(arena, pod->label_count, sizeof(struct label))};
	struct object_pair pair;
	uint64_t at = 0;

	while (object_next_label(pod, &at, &pair))
		labels.ptr[labels.len++] = (struct label){pair.key, pair.value};
	return selector_matches(&budget->selector, &labels);
}

static struct json controller_of(struct json object)
{
	struct json references = json_get(json_get(object, "metadata"), "ownerReferences");
	struct json_iter it = json_iter(references);

	while (json_next(&it))
		if (json_bool(json_get(it.value, "controller")))
			return it.value;
	return JSON_NONE;
}

static struct member *member_new(struct str name, struct json pod)
{
	struct json reference = controller_of(pod);
	AUTO(mem_free)
	char *controller = mem_printf("%.*s %.*s %.*s %.*s",
				      STR_ARG(json_str(json_get(reference, "apiVersion"))),
				      STR_ARG(json_str(json_get(reference, "kind"))),
				      STR_ARG(json_str(json_get(reference, "name"))),
				      STR_ARG(json_str(json_get(reference, "uid"))));
	size_t len = json_is_absent(reference) ? 0 : strlen(controller);
	struct member *member = mem_zalloc(sizeof(*member) + name.len + len + 1);

	memcpy(member->text, name.ptr, name.len);
	memcpy(member->text + name.len, controller, len);
	member->name = str_of(member->text, name.len);
	member->controller = str_of(member->text + name.len, len);
	member->ready = meta_has_condition(pod, "Ready");
	member->going = !json_is_absent(json_get(json_get(pod, "metadata"), "deletionTimestamp"));
	return member;
}

static bool is_same(const struct member *a, const struct member *b)
{
	return a && b && a->ready == b->ready && a->going == b->going &&
	       str_eq(a->controller, b->controller);
}

/* Take in how a pod is now (absent: not chosen); says whether that counts. */
static bool set_member(struct budget *budget, struct str name, struct json pod)
{
	struct member *new = json_is_absent(pod) ? NULL : member_new(name, pod);
	struct member *old =
		new ? map_put(budget->members, new->name, new) : map_remove(budget->members, name);
	bool changed = (new || old) && !is_same(new, old);

	mem_free(old);
	return changed;
}

static void drop_members(struct budget *budget)
{
	size_t at = 0;
	void *member;

	while (map_next(budget->members, &at, NULL, &member))
		mem_free(member);
	map_clear(budget->members);
}

/* --- budgets --- */

static struct space *space_get(struct budgets *self, struct str name)
{
	struct space *space = map_get(self->spaces, name);

	if (space)
		return space;
	space = mem_zalloc(sizeof(*space) + name.len + 1);
	memcpy(space->name, name.ptr, name.len);
	list_init(&space->budgets);
	map_put(self->spaces, str_of(space->name, name.len), space);
	return space;
}

static void budget_free(struct budgets *self, struct budget *budget)
{
	struct str namespace;

	if (!budget)
		return;
	namespace = key_split(budget->key).namespace;
	map_remove(self->all, budget->key);
	list_remove(&budget->link);
	if (list_is_empty(&space_get(self, namespace)->budgets))
		mem_free(map_remove(self->spaces, namespace));
	drop_members(budget);
	map_free(budget->members);
	json_doc_unref(budget->texts);
	arena_free(budget->arena);
	mem_free(budget);
}

static void read_members(struct budgets *self, struct budget *budget)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct str namespace = key_split(budget->key).namespace;
	struct str prefix = api_key(arena, self->pods, namespace, str_none());
	struct store *store = api_store(self->api);
	struct object *object = store_next(store, prefix, str_none());

	for (; object; object = store_next(store, prefix, object->key)) {
		struct err err;
		AUTO(json_doc_unref) struct json_doc *doc = NULL;

		if (!chooses(budget, object))
			continue;
		doc = json_parse(object->text, NULL, &err);
		(void)set_member(budget, key_split(object->key).name, json_doc_root(doc));
	}
}

static void budget_add(struct budgets *self, struct str key, struct json object)
{
	struct budget *budget = mem_new(struct budget);
	struct json selector = json_get(json_get(object, "spec"), "selector");
	struct label_selector *view;
	struct err err;

	budget->arena = arena_new(0);
	view = arena_new_of(budget->arena, struct label_selector);
	budget->key = arena_str(budget->arena, key);
	budget->members = map_new(loop_random_u64(api_loop(self->api)));
	budget->selector.nothing = true;
	if (json_is(selector, JSON_OBJ)) {
		budget->texts = json_doc_freeze(selector);
		if (type_decode(&label_selector_type, json_doc_root(budget->texts), budget->arena,
				view, &err) < 0 ||
		    selector_from_object(view, budget->arena, &budget->selector, &err) < 0)
			budget->selector.nothing = true;
	}
	map_put(self->all, budget->key, budget);
	list_push(&space_get(self, key_split(budget->key).namespace)->budgets, &budget->link);
	read_members(self, budget);
}

/* --- how many there should be --- */

/* The numbers of a status. */
struct sums {
	int64_t expected;
	int64_t desired;
	int64_t healthy;
	int64_t allowed;
};

/* The object that a reference names, if it still is that one. One reference is the caller's. */
static struct json_doc *find_owner(struct budgets *self, struct str namespace, struct str reference,
				   const struct kind **ret_kind)
{
	struct str version, kind, name;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	(void)str_split(&reference, ' ', &version);
	(void)str_split(&reference, ' ', &kind);
	(void)str_split(&reference, ' ', &name);
	*ret_kind = kinds_find_kind(api_kinds(self->api), version, kind);
	if (!*ret_kind || !(*ret_kind)->scale)
		return NULL;
	doc = api_read(self->api, *ret_kind, namespace, name);
	if (!doc ||
	    !str_eq(json_str(json_get(json_get(json_doc_root(doc), "metadata"), "uid")), reference))
		return NULL;
	return TAKE(doc);
}

/* The size of a controller, or of the deployment that controls it; its uid into the arena. */
static int64_t find_scale(struct budgets *self, struct arena *arena, struct str namespace,
			  struct str reference, struct str *ret_uid)
{
	const struct kind *kind;
	AUTO(json_doc_unref)
	struct json_doc *doc = find_owner(self, namespace, reference, &kind);
	struct json above = doc ? controller_of(json_doc_root(doc)) : JSON_NONE;

	if (!doc)
		return -1;
	if (str_is(json_str(json_get(above, "kind")), "Deployment"))
		return find_scale(
			self, arena, namespace,
			str_from(arena_printf(arena, "%.*s %.*s %.*s %.*s",
					      STR_ARG(json_str(json_get(above, "apiVersion"))),
					      STR_ARG(json_str(json_get(above, "kind"))),
					      STR_ARG(json_str(json_get(above, "name"))),
					      STR_ARG(json_str(json_get(above, "uid"))))),
			ret_uid);
	*ret_uid = arena_str(arena,
			     json_str(json_get(json_get(json_doc_root(doc), "metadata"), "uid")));
	return json_int(jsonpath_first(json_doc_root(doc), str_from(kind->scale->spec_replicas)));
}

static bool is_known(const struct str *seen, size_t count, struct str one)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(seen[i], one))
			return true;
	return false;
}

/* The sizes of all controllers together, each once. */
static int sum_scales(struct budgets *self, struct budget *budget, int64_t *ret, struct err *err)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct str namespace = key_split(budget->key).namespace;
	VEC(struct str) references = {0};
	VEC(struct str) uids = {0};
	int result = 0;
	size_t at = 0;
	void *value;

	*ret = 0;
	while (result == 0 && map_next(budget->members, &at, NULL, &value)) {
		const struct member *member = value;
		struct str uid = str_none();
		int64_t scale;

		if (!member->controller.len ||
		    is_known(references.ptr, references.len, member->controller))
			continue;
		scale = find_scale(self, arena, namespace, member->controller, &uid);
		if (scale < 0)
			result =
				err_set(err, ERR_NOT_FOUND, "found no controllers for pod \"%.*s\"",
					STR_ARG(member->name));
		else if (!is_known(uids.ptr, uids.len, uid))
			*ret += scale;
		vec_push(&references, member->controller);
		vec_push(&uids, uid);
	}
	vec_done(&references);
	vec_done(&uids);
	return result;
}

static int expect(struct budgets *self, struct budget *budget, struct json spec, struct sums *ret,
		  struct err *err)
{
	struct json most = json_get(spec, "maxUnavailable");
	struct json least = json_get(spec, "minAvailable");
	struct json given = json_is_absent(most) ? least : most;
	struct intstr bound =
		json_is(given, JSON_INT)
			? (struct intstr){.kind = INTSTR_INT, .number = (int32_t)json_int(given)}
			: intstr_parse(json_str(given));
	int64_t share;

	if (json_is_absent(most) && json_is(least, JSON_INT)) {
		ret->expected = (int64_t)map_len(budget->members);
		ret->desired = json_int(least);
		return 0;
	}
	if (json_is_absent(given))
		return 0;
	if (sum_scales(self, budget, &ret->expected, err) < 0 ||
	    intstr_scale(&bound, ret->expected, true, &share, err) < 0)
		return -1;
	ret->desired = json_is_absent(most) ? share : ret->expected - share;
	if (ret->desired < 0)
		ret->desired = 0;
	return 0;
}

/* --- the status --- */

/* Which of the noted pods are still expected to go; gives when the first of them is no longer. */
static int64_t keep_disrupted(struct budgets *self, struct budget *budget, struct json_doc *doc,
			      struct json status, struct json kept)
{
	struct json_iter it = json_iter(json_get(status, "disruptedPods"));
	int64_t now = api_now(self->api);
	int64_t first = 0;

	while (json_next(&it)) {
		const struct member *member = map_get(budget->members, it.key);
		int64_t until;

		if (!member || member->going || time_parse(json_str(it.value), &until, NULL) < 0)
			continue;
		until += DELETION_TIMEOUT;
		if (until < now)
			continue;
		json_set(doc, kept, it.key, json_new_copy(doc, it.value));
		if (!first || until < first)
			first = until;
	}
	return first;
}

static int64_t count_healthy(struct budget *budget, struct json disrupted)
{
	int64_t healthy = 0;
	size_t at = 0;
	void *value;

	while (map_next(budget->members, &at, NULL, &value)) {
		const struct member *member = value;

		healthy += member->ready && !member->going &&
			   json_is_absent(json_get_str(disrupted, member->name));
	}
	return healthy;
}

static bool put_number(struct json_doc *doc, struct json status, const char *key, int64_t value)
{
	if (json_is_i64(json_get(status, key)) && json_int(json_get(status, key)) == value)
		return false;
	json_set_int(doc, status, key, value);
	return true;
}

static bool put_condition(struct budgets *self, struct json_doc *doc, struct json status,
			  const char *reason, const char *message)
{
	struct json list = json_ensure_arr(doc, status, "conditions");
	struct condition condition = {
		.type = STR("DisruptionAllowed"),
		.status = strcmp(reason, "SufficientPods") == 0 ? STR("True") : STR("False"),
		.reason = str_from(reason),
		.message = str_from(message),
	};
	bool changed;

	condition.observed_generation.set = true;
	condition.observed_generation.value = json_int(json_get(status, "observedGeneration"));
	changed = conditions_set(doc, list, &condition, api_now(self->api));
	for (struct json_iter it = json_iter(list); json_next(&it);)
		if (json_is_absent(json_get(it.value, "message")))
			json_set_str(doc, it.value, "message", STR(""));
	return changed;
}

static bool put_sums(struct budgets *self, struct json_doc *doc, const struct sums *sums,
		     struct json disrupted)
{
	struct json status = json_ensure_obj(doc, json_doc_root(doc), "status");
	struct json metadata = json_get(json_doc_root(doc), "metadata");
	bool changed = put_number(doc, status, "currentHealthy", sums->healthy);

	changed |= put_number(doc, status, "desiredHealthy", sums->desired);
	changed |= put_number(doc, status, "expectedPods", sums->expected);
	changed |= put_number(doc, status, "disruptionsAllowed", sums->allowed);
	changed |= put_number(doc, status, "observedGeneration",
			      json_int(json_get(metadata, "generation")));
	changed |= json_len(disrupted) != json_len(json_get(status, "disruptedPods"));
	if (json_len(disrupted))
		json_set(doc, status, STR("disruptedPods"), disrupted);
	else
		(void)json_remove(doc, status, STR("disruptedPods"));
	return put_condition(self, doc, status,
			     sums->allowed > 0 ? "SufficientPods" : "InsufficientPods", "") ||
	       changed;
}

static bool fail_safe(struct budgets *self, struct json_doc *doc, const struct err *err)
{
	struct json status = json_ensure_obj(doc, json_doc_root(doc), "status");
	bool changed = put_number(doc, status, "disruptionsAllowed", 0);

	return put_condition(self, doc, status, "SyncFailed", err->text) || changed;
}

static void sum_up(void *arg, struct str key)
{
	struct budgets *self = arg;
	struct budget *budget = map_get(self->all, key);
	struct object *newest = budget ? store_newest(api_store(self->api), key) : NULL;
	struct err err;
	AUTO(json_doc_unref)
	struct json_doc *old = newest ? json_parse(newest->text, NULL, &err) : NULL;
	AUTO(json_doc_unref) struct json_doc *doc = old ? json_doc_thaw(json_doc_root(old)) : NULL;
	struct sums sums = {0};
	struct json disrupted;
	int64_t until;
	bool changed;

	if (!doc)
		return;
	disrupted = json_new_obj(doc);
	until = keep_disrupted(self, budget, doc, json_get(json_doc_root(old), "status"),
			       disrupted);
	if (expect(self, budget, json_get(json_doc_root(doc), "spec"), &sums, &err) < 0) {
		changed = fail_safe(self, doc, &err);
	} else {
		sums.healthy = count_healthy(budget, disrupted);
		sums.allowed = sums.healthy - sums.desired;
		if (sums.expected <= 0 || sums.allowed < 0)
			sums.allowed = 0;
		changed = put_sums(self, doc, &sums, disrupted);
	}
	if (changed)
		self_update(self->api, self->kind, TAKE(doc));
	if (until)
		todo_add_after(self->todo, key, until - api_now(self->api) + TIME_SECOND);
}

/* --- changes --- */

static void on_budget(struct budgets *self, struct change *change)
{
	struct budget *budget = map_get(self->all, change->key);
	struct json now = json_get(change_object(change), "spec");
	struct json before = json_get(change_old(change), "spec");

	if (!change->object) {
		budget_free(self, budget);
		return;
	}
	if (!budget || !json_eq(json_get(now, "selector"), json_get(before, "selector"))) {
		budget_free(self, budget);
		budget_add(self, change->key, change_object(change));
	}
	todo_add(self->todo, change->key);
}

static void on_pod(struct budgets *self, struct space *space, struct change *change)
{
	LIST_EACH(&space->budgets, struct budget, link, budget) {
		bool chosen = change->object && chooses(budget, change->object);

		if ((chosen || map_get(budget->members, change->name)) &&
		    set_member(budget, change->name, chosen ? change_object(change) : JSON_NONE))
			todo_add(self->todo, budget->key);
	}
}

static void on_change(void *arg, struct change *change)
{
	struct budgets *self = arg;
	struct space *space;

	if (change->kind == self->kind) {
		on_budget(self, change);
		return;
	}
	if (!change->kind || !map_len(self->spaces) ||
	    (change->kind != self->pods && !change->kind->scale))
		return;
	space = map_get(self->spaces, change->namespace);
	if (!space)
		return;
	if (change->kind == self->pods) {
		on_pod(self, space, change);
		return;
	}
	LIST_EACH(&space->budgets, struct budget, link, budget)
		todo_add(self->todo, budget->key); /* a controller may have another size */
}

static void *start(struct api *api)
{
	struct budgets *self = mem_new(struct budgets);

	self->api = api;
	self->todo = todo_new(api_loop(api), sum_up, self);
	todo_of_objects(self->todo, str_none());
	self->spaces = map_new(loop_random_u64(api_loop(api)));
	self->all = map_new(loop_random_u64(api_loop(api)));
	self->pods = kinds_find(api_kinds(api), STR(""), STR("v1"), STR("pods"));
	self->kind =
		kinds_find(api_kinds(api), STR("policy"), STR("v1"), STR("poddisruptionbudgets"));
	return self;
}

static void stop(void *arg)
{
	struct budgets *self = arg;
	size_t at = 0;
	void *budget;

	todo_free(self->todo);
	while (map_next(self->all, &at, NULL, &budget))
		budget_free(self, budget);
	map_free(self->spaces);
	map_free(self->all);
	mem_free(self);
}

const struct reconciler reconcile_budgets = {
	.name = "budgets", .start = start, .on_change = on_change, .stop = stop};
