/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/definition.c - custom kinds: how a CustomResourceDefinition becomes kinds, and ceases to.
 *
 * The store notifies of each definition that becomes visible. The registry is updated within that
 * call; necessary writes (names, the end of a deletion) follow in a later turn, by the API's own
 * calls, one at a time per definition. If such a write fails, the next event or the next start
 * reconciles the definition again.
 *
 * Always true: a definition's kinds are those of its newest visible version that was established;
 * a kind is changed in place, so that calls and watches that hold it see the change; one that has
 * gone, and what a changed one pointed at, stays readable until no call is left that could have seen
 * it (retired). */
#include "apiserver/crd/definition.h"

#include <assert.h>

#include "apiserver/api_internal.h"
#include "apiserver/crd/crd.h"
#include "apiserver/crd/definition_rows.h"
#include "apiserver/crd/schema.h"
#include "apiserver/request/reading.h"
#include "apiserver/watch/watcher.h"
#include "base/arena.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "loop/loop.h"

#include "base/banned.h"

/* A version that is served. */
struct served {
	struct definition *definition;
	struct kind *kind;
	struct schema *schema; /* NULL: not asked for yet */
	uint64_t shape;        /* a hash of its schema */
	int64_t since;         /* objects older than this are not in its form */
	bool wanted;           /* by the definition as it now is */
};

/* What calls from before a change may still look at. */
struct retired {
	uint64_t epoch; /* the last one of such calls */
	struct arena *arena;
	struct served *served;
};

struct definition {
	struct definitions *all;
	struct list link; /* in the list of deleted definitions */
	char *name;
	struct arena *arena; /* what the kinds point at */
	struct str prefix;   /* of its kinds; none before there is one */
	VEC(struct served *) served;
	VEC(struct retired) retired;
	const struct kind *stored; /* of those, the one that objects are stored in */
	struct json_doc *accepted; /* status.acceptedNames, with the group */
	uint64_t spec;             /* hashes of what the kinds were made from */
	uint64_t names;
	bool terminating;
	bool conflict; /* waits for names that others have */
	bool dirty;    /* to be looked at */
	bool swept;    /* deletion of its objects was requested */
	struct call *call;
	struct store_watch *objects; /* waits for the last of them */
};

struct definitions {
	struct api *api;
	const struct kind *kind; /* of the definitions themselves */
	struct map *by_name;
	struct list graves;
	struct store_watch *source;
	struct loop_defer later;
	struct schema *open; /* for what cannot be read: takes everything */
};

/* --- kinds ----------------------------------------------------------------------------------- */

static struct served *find_served(const struct definition *def, struct str version)
{
	for (size_t i = 0; i < def->served.len; i++)
		if (str_eq(def->served.ptr[i]->kind->version, version))
			return def->served.ptr[i];
	return NULL;
}

static void served_free(struct served *served)
{
	if (!served)
		return;
	schema_free(served->schema);
	mem_free(served);
}

/* Is there a call of this definition's kinds that was made in this epoch or before? */
static bool is_in_use(const struct definition *def, uint64_t epoch)
{
	LIST_EACH(&def->all->api->calls, struct call, link, call) {
		if (call->epoch <= epoch && call->kind && str_eq(call->kind->prefix, def->prefix))
			return true;
	}
	return false;
}

static void retire(struct definition *def, struct arena *arena, struct served *served)
{
	struct retired retired = {def->all->api->epoch++, arena, served};

	vec_push(&def->retired, retired);
}

/* Free what no call can see any more, or (at the end) all of it. */
static void free_retired(struct definition *def, bool all)
{
	for (size_t i = def->retired.len; i-- > 0;) {
		struct retired *retired = &def->retired.ptr[i];

		if (!all && is_in_use(def, retired->epoch))
			continue;
		if (retired->served)
			retired->served->kind->owner = NULL;
		served_free(retired->served);
		arena_free(retired->arena);
		vec_remove(&def->retired, i);
	}
}

/* Watches of it end; clients look for what there is now. */
static void remove_kind(struct definition *def, struct kind *kind)
{
	kinds_remove(api_kinds(def->all->api), kind);
	watchers_end_kind(def->all->api, kind);
}

/* Register one version as it is now. Its path must not be that of a built-in kind. */
static struct served *serve_version(struct definition *def, struct json crd, struct json version,
				    struct arena *arena)
{
	struct kinds *kinds = api_kinds(def->all->api);
	struct kind row = definition_row(crd, version, arena);
	struct served *served = find_served(def, row.version);
	const struct kind *other = kinds_find(kinds, row.group, row.version, row.plural);

	if (other && !other->custom)
		return NULL;
	if (!served) {
		served = mem_new(struct served);
		served->definition = def;
		vec_push(&def->served, served);
	}
	row.owner = served;
	row.since = served->kind ? served->kind->since : store_revision(api_store(def->all->api));
	if (served->kind && kind_can_change(served->kind, &row)) {
		kinds_change(kinds, served->kind, &row);
	} else {
		if (served->kind)
			remove_kind(def, served->kind);
		served->kind = kinds_add(kinds, &row);
		def->prefix = served->kind->prefix;
	}
	served->wanted = true;
	return served;
}

/* A changed schema is compiled again, and existing objects are read through it. */
static void set_shape(struct served *served, struct json version, int64_t revision)
{
	uint64_t shape = json_hash(json_get(json_get(version, "schema"), "openAPIV3Schema"), 1);

	if (served->since && served->shape == shape)
		return;
	schema_free(TAKE(served->schema));
	served->shape = shape;
	served->since = revision;
}

static void drop_unwanted(struct definition *def)
{
	for (size_t i = def->served.len; i-- > 0;) {
		struct served *served = def->served.ptr[i];

		if (served->wanted)
			continue;
		remove_kind(def, served->kind);
		retire(def, NULL, served);
		vec_remove(&def->served, i);
	}
}

/* All versions are stored in one; objects of another one before are read as older ones are. */
static void set_stored(struct definition *def, const struct kind *stored, int64_t revision)
{
	for (size_t i = 0; i < def->served.len; i++) {
		if (def->stored && def->stored != stored)
			def->served.ptr[i]->since = revision;
		def->served.ptr[i]->kind->stored = stored;
	}
	def->stored = stored;
}

static void make_kinds(struct definition *def, struct json crd, int64_t revision)
{
	struct arena *arena = arena_new(0);
	struct json_iter it = json_iter(json_get(json_get(crd, "spec"), "versions"));
	const struct kind *stored = NULL;

	for (size_t i = 0; i < def->served.len; i++)
		def->served.ptr[i]->wanted = false;
	while (json_next(&it)) {
		bool storage = json_bool(json_get(it.value, "storage"));
		struct served *served;

		if (!storage && !json_bool(json_get(it.value, "served")))
			continue;
		served = serve_version(def, crd, it.value, arena);
		if (!served)
			continue;
		set_shape(served, it.value, revision);
		if (storage)
			stored = served->kind;
	}
	drop_unwanted(def);
	if (stored)
		set_stored(def, stored, revision);
	retire(def, def->arena, NULL);
	def->arena = arena;
	free_retired(def, false);
}

/* --- definitions ----------------------------------------------------------------------------- */

static bool has_condition(struct json crd, const char *type)
{
	struct json_iter it = json_iter(json_get(json_get(crd, "status"), "conditions"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), type))
			return str_is(json_str(json_get(it.value, "status")), "True");
	return false;
}

static void check_later(struct definition *def);

static struct definition *definition_new(struct definitions *all, struct str name)
{
	struct definition *def = mem_new(struct definition);

	def->all = all;
	def->name = str_dup(name);
	list_init(&def->link);
	map_put(all->by_name, str_from(def->name), def);
	return def;
}

static void definition_free(struct definition *def)
{
	call_free(def->call);
	store_unwatch(def->objects);
	for (size_t i = 0; i < def->served.len; i++)
		served_free(def->served.ptr[i]);
	vec_done(&def->served);
	free_retired(def, true);
	vec_done(&def->retired);
	json_doc_unref(def->accepted);
	arena_free(def->arena);
	list_remove(&def->link);
	mem_free(def->name);
	mem_free(def);
}

static void keep_accepted(struct definition *def, struct json crd)
{
	AUTO(json_doc_unref)
	struct json_doc *names = json_doc_thaw(json_get(json_get(crd, "status"), "acceptedNames"));

	json_set_str(names, json_doc_root(names), "group",
		     json_str(json_get(json_get(crd, "spec"), "group")));
	json_doc_unref(def->accepted);
	def->accepted = json_doc_freeze(json_doc_root(names));
}

/* Has it all that it asks for? Then there is nothing to write. */
static bool is_settled(struct json crd)
{
	struct json spec = json_get(crd, "spec");

	return has_condition(crd, "Established") && has_condition(crd, "NamesAccepted") &&
	       json_eq(json_get(spec, "names"),
		       json_get(json_get(crd, "status"), "acceptedNames")) &&
	       !crd_group_is_protected(json_str(json_get(spec, "group")));
}

/* A definition as readers now see it. */
static void definition_set(struct definitions *all, struct str name, struct json crd,
			   int64_t revision)
{
	struct definition *def = map_get(all->by_name, name);
	uint64_t spec = json_hash(json_get(crd, "spec"), 1);
	uint64_t names = json_hash(json_get(json_get(crd, "status"), "acceptedNames"), 1);

	if (!def)
		def = definition_new(all, name);
	if (!def->accepted || names != def->names)
		keep_accepted(def, crd);
	def->terminating =
		!json_is_absent(json_get(json_get(crd, "metadata"), "deletionTimestamp"));
	def->conflict = !has_condition(crd, "NamesAccepted");
	if (has_condition(crd, "Established") &&
	    (def->served.len == 0 || spec != def->spec || names != def->names)) {
		make_kinds(def, crd, revision);
		def->spec = spec;
	}
	if (def->terminating || def->conflict ||
	    ((names != def->names || spec != def->spec) && !is_settled(crd)))
		check_later(def);
	def->names = names;
}

/* Those of the group that wait for a name may now have it. */
static void check_waiting(struct definitions *all)
{
	size_t at = 0;
	void *value;

	while (map_next(all->by_name, &at, NULL, &value))
		if (((struct definition *)value)->conflict)
			check_later(value);
}

static void definition_remove(struct definitions *all, struct str name)
{
	struct definition *def = map_remove(all->by_name, name);

	if (!def)
		return;
	for (size_t i = 0; i < def->served.len; i++)
		remove_kind(def, def->served.ptr[i]->kind);
	call_free(TAKE(def->call));
	store_unwatch(TAKE(def->objects));
	list_push(&all->graves, &def->link);
	check_waiting(all);
}

static struct str name_of(const struct definitions *all, const struct object *object)
{
	return str_skip(object->key, all->kind->prefix.len + 1); /* no namespace before the slash */
}

static void take_object(struct definitions *all, const struct object *object)
{
	struct err err;
	AUTO(json_doc_unref) struct json_doc *doc = json_parse(object->text, NULL, &err);

	if (!doc) {
		log_error(api_log(all->api), "a stored definition cannot be read and is not served",
			  LOG_VIEW("name", name_of(all, object)), LOG_STR("error", err.text));
		return;
	}
	definition_set(all, name_of(all, object), json_doc_root(doc), object->revision);
}

static void on_event(void *arg, const struct store_event *event)
{
	struct definitions *all = arg;

	if (event->type == STORE_DELETED)
		definition_remove(all, name_of(all, event->object));
	else
		take_object(all, event->object);
}

/* --- what has to be written ------------------------------------------------------------------ */

/* One that failed for good is looked at again when something changes. */
static void on_written(struct call *call)
{
	struct definition *def = call->arg;
	bool failed =
		call->answer.code >= 400 && call->answer.code != 409 && call->answer.code != 404;

	if (failed)
		log_warn(api_log(def->all->api), "cannot update a definition",
			 LOG_STR("name", def->name), LOG_INT("code", call->answer.code));
	def->call = NULL;
	call_free(call);
	if (!failed)
		check_later(def);
}

static const struct call_sink sink = {.answered = on_written};

static struct call *new_call(struct definition *def, enum verb verb, const struct kind *kind)
{
	struct call *call = call_new(def->all->api, &sink, def);

	call->verb = verb;
	call->kind = kind;
	call->internal = true;
	call->sub = STR("");
	call->user.name = STR("system:apiserver");
	def->call = call;
	return call;
}

static void write_definition(struct definition *def, struct json_doc *doc, const char *sub)
{
	struct call *call = new_call(def, VERB_UPDATE, def->all->kind);

	call->name = arena_str(call->arena, str_from(def->name));
	call->sub = str_from(sub);
	call->body.doc = json_doc_ref(doc);
	api_serve(call);
}

/* The names that definitions of a group have accepted in versions that are not visible yet: a list in a
 * document of the caller. */
static struct json_doc *staged_names(struct api *api, struct str group)
{
	struct store *store = api_store(api);
	struct store_newest_walk walk = store_newest_walk(store, api->definitions->kind->prefix);
	struct json_doc *list = json_doc_new();
	struct object *object;

	json_doc_set_root(list, json_new_arr(list));
	while ((object = store_newest_next(&walk))) {
		AUTO(json_doc_unref) struct json_doc *doc = NULL;
		struct json names;

		if (object == store_get(store, object->key))
			continue;
		doc = decoded_get(api->decoded, object);
		names = json_get(json_get(json_doc_root(doc), "status"), "acceptedNames");
		if (json_is(names, JSON_OBJ) &&
		    str_eq(json_str(json_get(json_get(json_doc_root(doc), "spec"), "group")),
			   group))
			json_append(list, json_doc_root(list), json_new_copy(list, names));
	}
	return list;
}

bool definitions_settle(struct api *api, struct json_doc *doc, struct json crd)
{
	struct str group = json_str(json_get(json_get(crd, "spec"), "group"));
	AUTO(json_doc_unref) struct json_doc *staged = NULL;
	VEC(struct json) taken = {0};
	size_t at = 0;
	void *value;
	bool changed;

	while (map_next(api->definitions->by_name, &at, NULL, &value)) {
		struct definition *other = value;
		struct json names = json_doc_root(other->accepted);

		if (str_eq(json_str(json_get(names, "group")), group))
			vec_push(&taken, names);
	}
	staged = staged_names(api, group);
	for (struct json_iter it = json_iter(json_doc_root(staged)); json_next(&it);)
		vec_push(&taken, it.value);
	changed = crd_settle(doc, crd, taken.ptr, taken.len, api_now(api));
	vec_done(&taken);
	return changed;
}

static void on_object_event(void *arg, const struct store_event *event)
{
	if (event->type == STORE_DELETED)
		check_later(arg);
}

/* Deletes the objects, waits for those with finalizers, then deletes the definition. */
static void finish_removal(struct definition *def, struct json_doc *doc)
{
	struct api *api = def->all->api;
	const struct kind *kind = def->stored;
	struct err err;

	if (!kind || store_count(api_store(api), kind->prefix) == 0) {
		/* by its status: nothing that its spec says may hold up its end */
		if (crd_remove_finalizer(doc, json_doc_root(doc)))
			write_definition(def, doc, "status");
		return;
	}
	if (!def->objects)
		def->objects =
			store_watch(api_store(api), kind->prefix, store_revision(api_store(api)),
				    on_object_event, def, &err);
	if (!def->swept) {
		def->swept = true;
		api_serve(new_call(def, VERB_DELETE_COLLECTION, kind));
	}
}

static void look(struct definition *def)
{
	AUTO(json_doc_unref) struct json_doc *stored = NULL;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	if (!def->dirty || def->call)
		return;
	def->dirty = false;
	stored = api_read_newest(def->all->api, def->all->kind, str_none(), str_from(def->name));
	if (!stored)
		return;
	doc = json_doc_thaw(json_doc_root(stored));
	if (def->terminating)
		finish_removal(def, doc);
	else if (definitions_settle(def->all->api, doc, json_doc_root(doc)))
		write_definition(def, doc, "status");
}

/* Deleted definitions are freed when no call is left that may use their kinds. */
static void clear_graves(struct definitions *all)
{
	LIST_EACH(&all->graves, struct definition, link, def) {
		if (is_in_use(def, UINT64_MAX))
			continue;
		for (size_t i = 0; i < def->served.len; i++)
			def->served.ptr[i]->kind->owner = NULL;
		definition_free(def);
	}
}

static void on_later(void *arg)
{
	struct definitions *all = arg;
	size_t at = 0;
	void *value;

	while (map_next(all->by_name, &at, NULL, &value))
		look(value);
	clear_graves(all);
}

static void check_later(struct definition *def)
{
	struct definitions *all = def->all;

	def->dirty = true;
	loop_defer(api_loop(all->api), &all->later, on_later, all);
}

/* --- all of them ----------------------------------------------------------------------------- */

struct definitions *definitions_new(struct api *api)
{
	struct definitions *all = mem_new(struct definitions);
	struct store *store = api_store(api);
	struct object *object = NULL;
	struct err err;

	all->api = api;
	all->by_name = map_new(loop_random_u64(api_loop(api)));
	all->kind = kinds_find(api_kinds(api), STR("apiextensions.k8s.io"), STR("v1"),
			       STR("customresourcedefinitions"));
	assert(all->kind);
	list_init(&all->graves);
	while ((object = store_next(store, all->kind->prefix, object ? object->key : str_none())))
		take_object(all, object);
	all->source =
		store_watch(store, all->kind->prefix, store_revision(store), on_event, all, &err);
	assert(all->source); /* from now on: never too old */
	return all;
}

void definitions_look_again(struct definitions *all)
{
	size_t at = 0;
	void *value;

	while (map_next(all->by_name, &at, NULL, &value))
		check_later(value);
}

bool definitions_are_settled(const struct api *api)
{
	size_t at = 0;
	void *value;

	while (map_next(api->definitions->by_name, &at, NULL, &value)) {
		const struct definition *def = value;

		if (def->dirty || def->call)
			return false;
	}
	return true;
}

void definitions_free(struct definitions *all)
{
	size_t at = 0;
	void *value;

	if (!all)
		return;
	loop_defer_cancel(api_loop(all->api), &all->later);
	store_unwatch(all->source);
	while (map_next(all->by_name, &at, NULL, &value))
		definition_free(value);
	LIST_EACH(&all->graves, struct definition, link, def)
		definition_free(def);
	schema_free(all->open);
	map_free(all->by_name);
	mem_free(all);
}

/* --- of a custom kind ------------------------------------------------------------------------ */

struct json_doc *definition_openapi(const struct kind *kind)
{
	const struct served *served = kind->owner;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json_iter it;

	if (!served)
		return NULL;
	doc = api_read(served->definition->all->api, served->definition->all->kind, str_none(),
		       str_from(served->definition->name));
	it = json_iter(
		json_get(json_get(doc ? json_doc_root(doc) : JSON_NONE, "spec"), "versions"));
	while (json_next(&it))
		if (str_eq(json_str(json_get(it.value, "name")), kind->version))
			return json_doc_freeze(
				json_get(json_get(it.value, "schema"), "openAPIV3Schema"));
	return NULL;
}

uint64_t definition_hash(const struct kind *kind)
{
	const struct served *served = kind->owner;

	return served ? served->shape : 0;
}

/* The schema of a definition that was deleted after the call began, or that is damaged in the store.
 */
static const struct schema *open_schema(struct definitions *all)
{
	static const char text[] =
		"{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}";
	struct err err = {0};
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	if (!all->open) {
		doc = json_parse(str_from(text), NULL, &err);
		all->open = schema_new(json_doc_root(doc), &err);
	}
	return all->open;
}

const struct schema *definition_schema(const struct kind *kind)
{
	struct served *served = kind->owner;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct err err = {0};

	assert(served); /* kept for as long as a call has the kind */
	if (served->schema)
		return served->schema;
	doc = definition_openapi(kind);
	served->schema = schema_new(json_doc_root(doc), &err);
	return served->schema ? served->schema : open_schema(served->definition->all);
}

static struct kind *pin(const struct kind *kind, struct arena *arena)
{
	struct kind *copy = arena_new_of(arena, struct kind);
	struct served *served = arena_new_of(arena, struct served);

	*served = *(const struct served *)kind->owner;
	served->schema = schema_ref((struct schema *)definition_schema(kind));
	*copy = *kind;
	copy->owner = served;
	return copy;
}

const struct kind *definition_pin(const struct kind *kind, struct arena *arena)
{
	struct kind *copy;

	if (!kind->custom || !kind->owner || !kind->stored->owner)
		return kind;
	copy = pin(kind, arena);
	copy->stored = kind->stored == kind ? copy : pin(kind->stored, arena);
	return copy;
}

static void unpin(const struct kind *copy)
{
	schema_free(((const struct served *)copy->owner)->schema);
}

void definition_unpin(const struct kind *pinned)
{
	if (!pinned->custom)
		return;
	if (pinned->stored != pinned)
		unpin(pinned->stored);
	unpin(pinned);
}

/* Is the schema of this version another one than that of the stored version? */
static bool differs(const struct kind *kind)
{
	const struct served *served = kind->owner;
	const struct served *stored = kind->stored->owner;

	return served && stored && served->shape != stored->shape;
}

bool definition_reshapes(const struct kind *kind, int64_t revision)
{
	const struct served *stored = kind->stored->owner;

	return stored && (revision < stored->since || differs(kind));
}

static void shape_as_stored(const struct kind *kind, struct json_doc *doc, struct json object)
{
	const struct schema *schema = definition_schema(kind->stored);

	schema_prune(schema, doc, object, NULL, NULL);
	schema_drop_nulls(schema, doc, object);
	schema_default(schema, doc, object);
}

void definition_shape(const struct kind *kind, struct json_doc *doc, struct json object)
{
	shape_as_stored(kind, doc, object);
	if (differs(kind))
		schema_prune(definition_schema(kind), doc, object, NULL, NULL);
}

void definition_shape_stored(const struct kind *kind, struct json_doc *doc, struct json object)
{
	if (differs(kind))
		shape_as_stored(kind, doc, object);
}

bool definition_is_terminating(const struct kind *kind)
{
	const struct served *served = kind->owner;
	const struct definition *def = served ? served->definition : NULL;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	AUTO(arena_free) struct arena *arena = NULL;
	struct object *newest;
	struct store *store;
	struct str key;
	struct err err;

	if (!def || def->terminating)
		return true;
	arena = arena_new(0);
	key = api_key(arena, def->all->kind, str_none(), str_from(def->name));
	store = api_store(def->all->api);
	newest = store_newest(store, key);
	if (newest && newest == store_get(store, key))
		return false;
	doc = newest ? json_parse(newest->text, NULL, &err) : NULL;
	return !doc || !json_is_absent(json_get(json_get(json_doc_root(doc), "metadata"),
						"deletionTimestamp"));
}
