/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/apply/managed.c - managers of fields, and server-side apply.
 *
 * A manager is identified by its name, by its operation (apply or update), and by the sub-resource.
 * An update takes ownership of the fields that it changes from all other managers. An apply contains
 * all fields that the manager wants: fields that it named before and no longer names are removed,
 * unless another manager owns them too; changing a field of another manager is a conflict, unless it
 * is forced. Several managers may own the same value. */
#include "apiserver/apply/managed.h"

#include <stdlib.h>

#include "apiserver/api_internal.h"
#include "apiserver/apply/typed.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/time.h"
#include "base/vec.h"

#include "base/banned.h"

#define APPLY "Apply"
#define UPDATE "Update"
#define BEFORE "before-first-apply"
#define ANCIENT "ancient-changes"

/* Updaters beyond these are kept as one. */
enum { UPDATERS_MAX = 10, NAME_MAX_LEN = 128 };

struct manager {
	struct str name;
	struct str operation;
	struct str api_version;
	struct str subresource;
	struct str time;
	struct fieldset *set;
};

struct managers {
	struct arena *arena;
	struct typed_place root;
	VEC(struct manager) all;
};

static void managers_done(struct managers *managers)
{
	vec_done(&managers->all);
}
DEFINE_AUTO_IN_PLACE(struct managers, managers_done);

/* --- reading and writing --------------------------------------------------------------------- */

static struct managers managers_of(struct call *call, struct json fields)
{
	struct managers made = {.arena = call->arena, .root = typed_root(call->kind)};
	struct json_iter it = json_iter(fields);

	while (json_next(&it)) {
		struct manager *manager;

		if (!json_str(json_get(it.value, "operation")).len)
			continue;
		manager = vec_add(&made.all);
		manager->name = arena_str(call->arena, json_str(json_get(it.value, "manager")));
		manager->operation =
			arena_str(call->arena, json_str(json_get(it.value, "operation")));
		manager->api_version =
			arena_str(call->arena, json_str(json_get(it.value, "apiVersion")));
		manager->subresource =
			arena_str(call->arena, json_str(json_get(it.value, "subresource")));
		manager->time = arena_str(call->arena, json_str(json_get(it.value, "time")));
		manager->set = fieldset_decode(call->arena, json_get(it.value, "fieldsV1"));
	}
	return made;
}

/* Those who apply first, then by time and name. */
static int compare_managers(const void *left, const void *right)
{
	const struct manager *a = left;
	const struct manager *b = right;
	int order = str_cmp(a->operation, b->operation);

	if (!order)
		order = str_cmp(a->time, b->time);
	return order ? order : str_cmp(a->name, b->name);
}

static void set_text(struct json_doc *doc, struct json object, const char *key, struct str text)
{
	if (text.len)
		json_set_str(doc, object, key, text);
}

static struct json_doc *print_managers(struct managers *managers)
{
	struct json_doc *doc = json_doc_new();
	struct json list = json_new_arr(doc);

	json_doc_set_root(doc, list);
	if (managers->all.len)
		qsort(managers->all.ptr, managers->all.len, sizeof(struct manager),
		      compare_managers);
	for (size_t i = 0; i < managers->all.len; i++) {
		const struct manager *manager = &managers->all.ptr[i];
		struct json entry = json_new_obj(doc);

		set_text(doc, entry, "manager", manager->name);
		set_text(doc, entry, "operation", manager->operation);
		set_text(doc, entry, "apiVersion", manager->api_version);
		set_text(doc, entry, "time", manager->time);
		json_set_str(doc, entry, "fieldsType", STR("FieldsV1"));
		json_set(doc, entry, STR("fieldsV1"), fieldset_encode(manager->set, doc));
		set_text(doc, entry, "subresource", manager->subresource);
		json_append(doc, list, entry);
	}
	return doc;
}

/* --- who and what ---------------------------------------------------------------------------- */

static struct str now_text(struct call *call)
{
	char text[TIME_TEXT_SIZE];

	return arena_str(call->arena, str_from(time_print(call_now(call), text)));
}

/* None: no manager that we could name. */
static struct str manager_name(const struct call *call)
{
	if (call->options.field_manager.len)
		return call->options.field_manager;
	return str_slice(call->agent, 0, NAME_MAX_LEN);
}

/* Fields without managers: those that identify the object, and those that the server maintains. */
static const char *const unmanaged[] = {
	"f:name", "f:namespace",  "f:creationTimestamp", "f:selfLink",
	"f:uid",  "f:generation", "f:managedFields",     "f:resourceVersion"};

static bool is_unmanaged(struct str step)
{
	for (size_t i = 0; i < ARRAY_LEN(unmanaged); i++)
		if (str_is(step, unmanaged[i]))
			return true;
	return false;
}

/* The children of a set that `drop` does not name; what is left of it holds nothing itself. */
static struct fieldset without(struct arena *arena, const struct fieldset *set,
			       bool (*drop)(struct str step))
{
	struct fieldset left = {.key = set->key};

	left.children = arena_calloc(arena, set->count + 1, sizeof(left.children[0]));
	for (size_t i = 0; i < set->count; i++)
		if (!drop(set->children[i]->key))
			left.children[left.count++] = set->children[i];
	left.size = set->count + 1;
	return left;
}

static bool is_top_unmanaged(struct str step)
{
	return str_is(step, "f:apiVersion") || str_is(step, "f:kind");
}

static bool is_top_or_status(struct str step)
{
	return is_top_unmanaged(step) || str_is(step, "f:status");
}

static bool is_top_or_spec(struct str step)
{
	return is_top_unmanaged(step) || str_is(step, "f:spec");
}

static bool is_top_or_body(struct str step)
{
	return is_top_or_spec(step) || str_is(step, "f:status");
}

static bool is_conditions(struct str step)
{
	return str_is(step, "f:conditions");
}

static bool is_certificate(struct str step)
{
	return str_is(step, "f:certificate");
}

/* Fields of metadata that the status of a kind cannot set, in addition to fields without managers.
 */
static const struct {
	const char *resource;
	const char *step; /* NULL: all of them */
} status_resets[] = {
	{"deployments", "f:labels"},     {"pods", "f:ownerReferences"},
	{"pods", "f:deletionTimestamp"}, {"customresourcedefinitions", NULL},
	{"volumeattachments", NULL},
};

static struct fieldset *strip_metadata(struct call *call, const struct fieldset *set)
{
	struct fieldset *made = fieldset_new(call->arena);
	bool status = str_is(call->sub, "status");

	*made = without(call->arena, set, is_unmanaged);
	for (size_t i = 0; status && i < ARRAY_LEN(status_resets); i++) {
		struct fieldset *reset;

		if (!str_is(call->kind->plural, status_resets[i].resource) || call->kind->custom)
			continue;
		if (!status_resets[i].step)
			return fieldset_new(call->arena);
		reset = fieldset_find(made, str_from(status_resets[i].step));
		if (reset)
			*reset = (struct fieldset){.key = reset->key};
	}
	return made;
}

/* A request for a certificate gets its conditions by one sub-resource and its certificate by another. */
static void strip_status(struct call *call, struct fieldset *set)
{
	struct fieldset *status = fieldset_find(set, STR("f:status"));

	if (status)
		*status = without(call->arena, status,
				  str_is(call->sub, "status") ? is_conditions : is_certificate);
}

/* The fields of a set that a write through this path can change: not those without managers, not the
 * status if it is a sub-resource, and not the spec in a write of the status. Other fields are
 * neither owned nor a conflict. Nodes may be removed from the given tree. */
static struct fieldset *strip(struct call *call, const struct fieldset *set)
{
	bool by_status = kind_sub_is_status(call->kind, call->sub);
	bool status = call->kind->status && !by_status;
	struct fieldset *made = fieldset_new(call->arena);

	*made = without(call->arena, set,
			by_status                         ? is_top_or_spec
			: status && call->kind->spec_once ? is_top_or_body
			: status                          ? is_top_or_status
							  : is_top_unmanaged);
	if (by_status && call->kind->spec_once)
		strip_status(call, made);
	for (size_t i = 0; i < made->count; i++)
		if (str_is(made->children[i]->key, "f:metadata")) {
			struct str key = made->children[i]->key;

			made->children[i] = strip_metadata(call, made->children[i]);
			made->children[i]->key = key;
		}
	fieldset_finish(call->arena, made);
	return made;
}

static struct manager *find_manager(struct managers *managers, struct str name,
				    const char *operation, struct str api_version, struct str sub)
{
	for (size_t i = 0; i < managers->all.len; i++) {
		struct manager *manager = &managers->all.ptr[i];

		if (str_eq(manager->name, name) && str_is(manager->operation, operation) &&
		    str_eq(manager->subresource, sub) &&
		    (str_is(manager->operation, APPLY) ||
		     str_eq(manager->api_version, api_version)))
			return manager;
	}
	return NULL;
}

static struct manager *get_manager(struct call *call, struct managers *managers, struct str name,
				   const char *operation)
{
	struct manager *found =
		find_manager(managers, name, operation, call->kind->api_version, call->sub);

	if (found)
		return found;
	found = vec_add(&managers->all);
	found->name = name;
	found->operation = str_from(operation);
	found->api_version = call->kind->api_version;
	found->subresource = arena_str(call->arena, call->sub);
	found->set = fieldset_new(call->arena);
	return found;
}

static void drop_empty(struct managers *managers)
{
	size_t kept = 0;

	for (size_t i = 0; i < managers->all.len; i++)
		if (!fieldset_is_empty(managers->all.ptr[i].set))
			managers->all.ptr[kept++] = managers->all.ptr[i];
	managers->all.len = kept;
}

/* --- updates --------------------------------------------------------------------------------- */

/* The one that stands for the oldest updaters of a version, made from the first of them. */
static struct manager *get_ancient(struct call *call, struct managers *managers,
				   const struct manager *oldest, size_t *updaters)
{
	struct manager *ancient =
		find_manager(managers, STR(ANCIENT), UPDATE, oldest->api_version, str_none());
	struct manager made = *oldest;

	if (ancient)
		return ancient;
	made.name = STR(ANCIENT);
	made.subresource = str_none();
	made.set = fieldset_new(call->arena);
	vec_push(&managers->all, made);
	++*updaters;
	return &managers->all.ptr[managers->all.len - 1];
}

/* The oldest updaters beyond the bound become one per version. Their sets are joined first and finished
 * once: a client may send thousands of managers. */
static void cap_updaters(struct call *call, struct managers *managers)
{
	size_t updaters = 0;
	size_t kept = 0;
	size_t count = managers->all.len;

	qsort(managers->all.ptr, count, sizeof(struct manager), compare_managers);
	for (size_t i = 0; i < count; i++)
		updaters += str_is(managers->all.ptr[i].operation, UPDATE);
	if (updaters <= UPDATERS_MAX)
		return;
	for (size_t i = 0; i < count; i++) {
		struct manager *one = &managers->all.ptr[i];
		struct manager oldest = *one;
		struct manager *ancient;

		if (updaters <= UPDATERS_MAX || !str_is(oldest.operation, UPDATE) ||
		    str_is(oldest.name, ANCIENT))
			continue;
		one->set = NULL; /* gone */
		updaters--;
		ancient = get_ancient(call, managers, &oldest, &updaters);
		fieldset_join(call->arena, ancient->set, oldest.set);
		ancient->time = oldest.time;
	}
	for (size_t i = 0; i < managers->all.len; i++) {
		struct manager one = managers->all.ptr[i];

		if (!one.set)
			continue;
		if (str_is(one.name, ANCIENT))
			fieldset_finish(call->arena, one.set);
		managers->all.ptr[kept++] = one;
	}
	managers->all.len = kept;
}

/* Only the writer owns the changed fields. */
static void take_changes(struct call *call, struct managers *managers, struct typed_change change,
			 struct str name)
{
	struct arena *arena = call->arena;
	struct fieldset *own = fieldset_is_empty(change.modified)
				       ? change.added
				       : fieldset_union(arena, change.added, change.modified);
	struct fieldset *lost =
		managers->all.len ? fieldset_union(arena, own, change.removed) : NULL;

	for (size_t i = 0; i < managers->all.len; i++) {
		struct manager *manager = &managers->all.ptr[i];

		manager->set = fieldset_difference(arena, manager->set, lost);
	}
	own = strip(call, own);
	if (name.len && !fieldset_is_empty(own)) {
		struct manager *manager = get_manager(call, managers, name, UPDATE);

		manager->set = fieldset_union(arena, manager->set, own);
		manager->time = now_text(call);
	}
	drop_empty(managers);
	if (managers->all.len)
		cap_updaters(call, managers);
}

static void keep(struct call *call, struct managers *managers)
{
	json_doc_unref(call->work.managed);
	call->work.managed = print_managers(managers);
}

static struct typed_change compare_with_nothing(struct call *call, struct json object)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();

	return typed_compare(call->arena, typed_root(call->kind), typed_empty(call->kind, doc),
			     object);
}

static void create_applied(struct call *call, struct managers *managers)
{
	struct manager *manager = get_manager(call, managers, call->options.field_manager, APPLY);

	manager->set = strip(
		call, typed_fields(call->arena, managers->root, json_doc_root(call->body.doc)));
	manager->time = now_text(call);
	drop_empty(managers);
}

void managed_create(struct call *call, struct json_doc *doc)
{
	AUTO(managers_done) struct managers managers = {0};

	if (call->patch != PATCH_APPLY && !manager_name(call).len)
		return; /* one of our own */
	managers = managers_of(call, JSON_NONE);
	if (call->patch == PATCH_APPLY)
		create_applied(call, &managers);
	else
		take_changes(call, &managers, compare_with_nothing(call, json_doc_root(doc)),
			     manager_name(call));
	keep(call, &managers);
}

/* With [] and [{}] a client removes all managers. */
static bool is_reset(struct json fields)
{
	return json_is(fields, JSON_ARR) &&
	       (json_len(fields) == 0 ||
		(json_len(fields) == 1 && json_len(json_at(fields, 0)) == 0));
}

/* Can all entries be read? A list with one that cannot is ignored. */
static bool are_entries(struct json fields)
{
	struct json_iter it = json_iter(fields);

	while (json_next(&it)) {
		struct str operation = json_str(json_get(it.value, "operation"));

		if ((!str_is(operation, APPLY) && !str_is(operation, UPDATE)) ||
		    !json_str(json_get(it.value, "apiVersion")).len ||
		    !str_is(json_str(json_get(it.value, "fieldsType")), "FieldsV1"))
			return false;
	}
	return json_len(fields) > 0;
}

/* Does a manager lose a field by this change? */
static bool is_met(struct json fields, struct typed_change change)
{
	struct json_iter it = json_iter(fields);

	while (json_next(&it)) {
		struct json set = json_get(it.value, "fieldsV1");

		if (fieldset_meets(change.added, set) || fieldset_meets(change.modified, set) ||
		    fieldset_meets(change.removed, set))
			return true;
	}
	return false;
}

/* Most writes come from our own components, which manage nothing, and change objects without
 * managers: then nothing changes, and nothing is decoded. */
static void update_managers(struct call *call, struct json fields, bool as_stored,
			    struct typed_change change)
{
	AUTO(managers_done) struct managers managers = {0};

	if (as_stored && !manager_name(call).len && !is_met(fields, change)) {
		json_doc_unref(call->work.managed);
		call->work.managed = json_doc_freeze(fields);
		return;
	}
	managers = managers_of(call, fields);
	if (managers.all.len)
		take_changes(call, &managers, change, manager_name(call));
	keep(call, &managers);
}

void managed_update(struct call *call, struct json_doc *doc, struct json old)
{
	struct json asked = json_get(json_get(json_doc_root(doc), "metadata"), "managedFields");
	struct json stored = json_get(json_get(old, "metadata"), "managedFields");
	bool by_asked = are_entries(asked) && !call->sub.len;
	AUTO(managers_done) struct managers none = {0};

	if (call->work.managed || (!json_len(asked) && !json_len(stored)))
		return; /* it was applied, or is not tracked */
	if ((call->work.unmanage || is_reset(asked)) && !call->sub.len)
		keep(call, &none);
	else
		update_managers(call, by_asked ? asked : stored,
				!by_asked || json_eq(asked, stored),
				typed_compare(call->arena, typed_root(call->kind), old,
					      json_doc_root(doc)));
}

void managed_store(struct call *call, struct json_doc *doc)
{
	struct json metadata = json_get(json_doc_root(doc), "metadata");

	if (call->work.managed && json_len(json_doc_root(call->work.managed)))
		json_set(doc, metadata, STR("managedFields"),
			 json_new_copy(doc, json_doc_root(call->work.managed)));
	else
		(void)json_remove(doc, metadata, STR("managedFields"));
}

/* --- conflicts ------------------------------------------------------------------------------- */

struct conflicts {
	struct json_doc *doc;
	struct json causes;
	struct buf message;
	const char *manager;
	size_t count;
	bool single;
};

static const char *show_manager(struct call *call, const struct manager *manager)
{
	const char *sub = manager->subresource.len
				  ? arena_printf(call->arena, " with subresource \"%.*s\"",
						 STR_ARG(manager->subresource))
				  : "";

	const char *using =
		str_is(manager->operation, UPDATE)
			? arena_printf(call->arena, " using %.*s",
				       STR_ARG(str_is(call->sub, "scale") ? STR("autoscaling/v1")
									  : manager->api_version))
			: "";

	return arena_printf(call->arena, "\"%.*s\"%s%s", STR_ARG(manager->name), sub, using);
}

static void add_conflict(void *arg, struct str path)
{
	struct conflicts *conflicts = arg;
	struct json_doc *doc = conflicts->doc;
	struct json cause = json_new_obj(doc);

	json_set_str(doc, cause, "reason", STR("FieldManagerConflict"));
	json_set(doc, cause, STR("message"),
		 json_new_printf(doc, "conflict with %s", conflicts->manager));
	json_set_str(doc, cause, "field", path);
	json_append(doc, conflicts->causes, cause);
	conflicts->count++;
	if (conflicts->single)
		buf_printf(&conflicts->message, "conflict with %s: %.*s", conflicts->manager,
			   STR_ARG(path));
	else
		buf_printf(&conflicts->message, "\n- %.*s", STR_ARG(path));
}

static void count_path(void *arg, struct str path)
{
	(void)path;
	++*(size_t *)arg;
}

static void answer_conflicts(struct call *call, struct manager *clashing, size_t count)
{
	struct conflicts c = {.doc = json_doc_new(), .message = BUF_UNBOUNDED};
	AUTO(json_doc_unref) struct json_doc *doc = c.doc;
	struct json status = json_new_obj(doc);
	size_t total = 0;

	json_doc_set_root(doc, status);
	c.causes = json_new_arr(doc);
	for (size_t i = 0; i < count; i++)
		fieldset_each(clashing[i].set, count_path, &total);
	c.single = total == 1;
	for (size_t i = 0; i < count; i++) {
		c.manager = show_manager(call, &clashing[i]);
		if (!c.single)
			buf_printf(&c.message, "%sconflicts with %s:", i ? "\n" : "", c.manager);
		fieldset_each(clashing[i].set, add_conflict, &c);
	}
	json_set_str(doc, status, "kind", STR("Status"));
	json_set_str(doc, status, "apiVersion", STR("v1"));
	json_set(doc, status, STR("metadata"), json_new_obj(doc));
	json_set_str(doc, status, "status", STR("Failure"));
	json_set(doc, status, STR("message"),
		 json_new_printf(doc, "Apply failed with %zu conflict%s: %s", total,
				 c.single ? "" : "s", buf_text(&c.message)));
	json_set_str(doc, status, "reason", STR("Conflict"));
	json_set(doc, json_ensure_obj(doc, status, "details"), STR("causes"), c.causes);
	json_set_int(doc, status, "code", 409);
	buf_done(&c.message);
	call_answer_doc(call, 409, TAKE(doc));
}

/* The others lose what changes; false and an answer if they would not have it. */
static bool settle_conflicts(struct call *call, struct managers *managers, struct manager *self,
			     struct typed_change change)
{
	struct arena *arena = call->arena;
	struct fieldset *changed =
		strip(call, fieldset_union(arena, change.added, change.modified));
	struct manager *clashing =
		arena_calloc(arena, managers->all.len + 1, sizeof(struct manager));
	size_t count = 0;

	for (size_t i = 0; i < managers->all.len; i++) {
		struct manager *other = &managers->all.ptr[i];
		struct fieldset *clash = fieldset_intersection(arena, other->set, changed);

		if (other == self || fieldset_is_empty(clash))
			continue;
		clashing[count] = *other;
		clashing[count++].set = clash;
	}
	if (count && call->options.force != OPTION_TRUE) {
		qsort(clashing, count, sizeof(struct manager), compare_managers);
		answer_conflicts(call, clashing, count);
		return false;
	}
	changed = fieldset_union(arena, changed, strip(call, change.removed));
	for (size_t i = 0; i < managers->all.len; i++) {
		struct manager *other = &managers->all.ptr[i];

		if (other != self)
			other->set = fieldset_difference(arena, other->set, changed);
	}
	return true;
}

/* --- applying -------------------------------------------------------------------------------- */

int managed_check(struct call *call, struct json config, struct err *err)
{
	struct json metadata = json_get(config, "metadata");
	struct str version = json_str(json_get(config, "apiVersion"));
	struct str kind = json_str(json_get(config, "kind"));
	struct str name = json_str(json_get(metadata, "name"));
	ptrdiff_t slash = str_find_byte(version, '/', 0);
	struct err inner;

	if (!str_eq(version, call->kind->api_version) || !str_eq(kind, call->kind->name))
		return err_set(err, ERR_BAD_REQUEST, "invalid object type: %s%.*s, Kind=%.*s",
			       slash < 0 ? "/" : "", STR_ARG(version), STR_ARG(kind));
	if (json_is(json_get(metadata, "managedFields"), JSON_ARR))
		return err_set(err, ERR_BAD_REQUEST, "metadata.managedFields must be nil");
	if (typed_check(typed_root(call->kind), config, &inner) < 0)
		return err_set(err, ERR_UNKNOWN,
			       "failed to create typed patch object (%.*s/%.*s; %s%.*s, "
			       "Kind=%.*s): %s",
			       STR_ARG(json_str(json_get(metadata, "namespace"))), STR_ARG(name),
			       slash < 0 ? "/" : "", STR_ARG(version), STR_ARG(kind), inner.text);
	return 0;
}

/* Removes from the merged object what the manager named before and no manager names now. */
static void prune(struct call *call, struct managers *managers, const struct fieldset *last,
		  struct json_doc *doc)
{
	struct arena *arena = call->arena;
	struct fieldset *managed = fieldset_new(arena);
	struct fieldset *gone;

	for (size_t i = 0; i < managers->all.len; i++)
		managed = fieldset_union(arena, managed, managers->all.ptr[i].set);
	gone = fieldset_difference(arena, typed_with_parents(arena, managers->root, last),
				   typed_with_parents(arena, managers->root, managed));
	gone = fieldset_intersection(arena, gone, last); /* parents stay, perhaps empty */
	typed_remove(managers->root, doc, json_doc_root(doc), gone);
}

/* Nulls that are left of what was removed go; those of the configuration are values, to be validated. */
static void settle_nulls(struct call *call, const struct managers *managers, struct json_doc *doc)
{
	const struct kind_content *content = call->kind->content;

	if (!content->drop_nulls)
		return;
	content->drop_nulls(call->kind, doc, json_doc_root(doc));
	typed_put_nulls(managers->root, json_doc_root(call->body.doc), doc, json_doc_root(doc));
	if (str_is(call->sub, "status") &&
	    json_is(json_get(json_doc_root(doc), "status"), JSON_NULL))
		(void)json_remove(doc, json_doc_root(doc), STR("status")); /* none, as upstream */
}

struct json_doc *managed_apply(struct call *call, struct json live)
{
	struct json config = json_doc_root(call->body.doc);
	AUTO(managers_done)
	struct managers managers =
		managers_of(call, json_get(json_get(live, "metadata"), "managedFields"));
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct fieldset *last;
	struct fieldset *set;
	struct manager *self;

	if (!managers.all.len)
		take_changes(call, &managers, compare_with_nothing(call, live), STR(BEFORE));
	json_doc_set_root(doc, typed_merge(managers.root, live, config, doc));
	self = get_manager(call, &managers, call->options.field_manager, APPLY);
	last = self->set;
	set = strip(call, typed_fields(call->arena, managers.root, config));
	self->set = set;
	self->api_version = call->kind->api_version;
	prune(call, &managers, last, doc);
	if (!settle_conflicts(call, &managers, self,
			      typed_compare(call->arena, managers.root, live, json_doc_root(doc))))
		return NULL;
	if (!json_eq(live, json_doc_root(doc)))
		self->time = now_text(call);
	drop_empty(&managers);
	keep(call, &managers);
	settle_nulls(call, &managers, doc);
	return TAKE(doc);
}
