/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/reconcile_roles.c - roles and bindings: the index that decisions are made from
 * (authorization/roles.h), the roles that a cluster begins with, and aggregated ClusterRoles.
 *
 * Default objects are created at the start if they are missing; rules and subjects that a later version adds are added
 * to those that exist, unless their annotation says that they are not to be updated. Nothing is taken away.
 *
 * An aggregated ClusterRole has the rules of all ClusterRoles that its selectors choose, in the order of their names.
 * It is computed again after any ClusterRole has changed, and written only if its rules differ. */
#include "apiserver/api_internal.h"
#include "apiserver/reconcile/reconcilers.h"
#include "apiserver/reconcile/self.h"
#include "apiserver/reconcile/todo.h"
#include "authorization/default_roles.h"
#include "authorization/roles.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "model/group/rbac.h"
#include "model/rules/rules.h"
#include "model/value/labels.h"

#include "base/banned.h"

#define GROUP "rbac.authorization.k8s.io"

struct role_state {
	struct api *api;
	struct roles *roles;
	struct name_set aggregated; /* names of ClusterRoles that gather others */
	struct todo *todo;          /* the same */
	struct todo *spaces;        /* namespaces that came to be, and may have default roles */
	const struct kind *cluster_roles;
	const struct kind *cluster_bindings;
	const struct kind *local_roles;
	const struct kind *local_bindings;
	const struct kind *namespaces;
};

/* --- aggregation ----------------------------------------------------------------------------- */

/* Adds the rules of a role that are not in the list yet. */
static void gather(struct json_doc *doc, struct json to, struct json role, struct map *seen,
		   struct arena *arena)
{
	struct json_iter it = json_iter(json_get(role, "rules"));

	while (json_next(&it)) {
		AUTO(buf_done) struct buf text = BUF_UNBOUNDED;

		json_print(it.value, JSON_COMPACT, &text);
		if (map_get(seen, buf_str(&text)))
			continue;
		(void)map_put(seen, arena_str(arena, buf_str(&text)), seen);
		json_append(doc, to, json_new_copy(doc, it.value));
	}
}

static bool chooses(struct json selector_object, struct json role, struct arena *arena)
{
	struct label_selector view = {0};
	struct labels labels = {0};
	struct json list = json_get(json_get(role, "metadata"), "labels");
	struct json_iter it = json_iter(list);
	struct selector selector;
	struct err err;

	if (type_decode(&label_selector_type, selector_object, arena, &view, &err) < 0 ||
	    selector_from_object(&view, arena, &selector, &err) < 0)
		return false;
	labels.ptr = arena_calloc(arena, json_len(list) + 1, sizeof(struct label));
	while (json_next(&it))
		labels.ptr[labels.len++] = (struct label){it.key, json_str(it.value)};
	return selector_matches(&selector, &labels);
}

/* Gathers for one selector, from every ClusterRole but the role itself. */
static void gather_for(struct role_state *self, struct json_doc *doc, struct json selector,
		       struct json to, struct map *seen, struct arena *arena)
{
	struct str own = json_str(json_get(json_get(json_doc_root(doc), "metadata"), "name"));
	struct store *store = api_store(self->api);
	struct str prefix = self->cluster_roles->prefix;
	struct object *object = store_next(store, prefix, str_none());

	while (object) {
		AUTO(object_unref) struct object *kept = object_ref(object);
		struct err err;
		AUTO(json_doc_unref) struct json_doc *role = json_parse(kept->text, NULL, &err);

		if (role && !str_eq(key_split(kept->key).name, own) &&
		    chooses(selector, json_doc_root(role), arena))
			gather(doc, to, json_doc_root(role), seen, arena);
		object = store_next(store, prefix, kept->key);
	}
}

static void aggregate(void *arg, struct str name)
{
	struct role_state *self = arg;
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(map_free) struct map *seen = map_new(0);
	AUTO(json_doc_unref)
	struct json_doc *old = api_read_newest(self->api, self->cluster_roles, str_none(), name);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json selectors, rules;
	struct json_iter it;

	if (!old)
		return;
	doc = json_doc_thaw(json_doc_root(old));
	selectors =
		json_get(json_get(json_doc_root(doc), "aggregationRule"), "clusterRoleSelectors");
	if (!json_len(selectors))
		return;
	rules = json_new_arr(doc);
	it = json_iter(selectors);
	while (json_next(&it))
		gather_for(self, doc, it.value, rules, seen, arena);
	if (json_eq(rules, json_get(json_doc_root(old), "rules")) ||
	    (!json_len(rules) && !json_len(json_get(json_doc_root(old), "rules"))))
		return;
	json_set(doc, json_doc_root(doc), STR("rules"), rules);
	self_update(self->api, self->cluster_roles, TAKE(doc));
}

static void note_aggregated(struct role_state *self, struct change *change)
{
	struct json role = change_object(change);

	if (json_len(json_get(json_get(role, "aggregationRule"), "clusterRoleSelectors")))
		(void)name_set_add_copy(&self->aggregated, change->name);
	for (size_t i = 0; i < self->aggregated.len; i++)
		todo_add(self->todo, self->aggregated.ptr[i]);
}

/* --- the index ------------------------------------------------------------------------------- */

/* The object is absent if it was deleted. */
static void index_object(struct role_state *self, const struct kind *kind, struct str namespace,
			 struct str name, struct json object)
{
	bool role = kind == self->cluster_roles || kind == self->local_roles;
	struct str scope = namespace.len ? namespace : STR("");

	if (role && !json_is_absent(object))
		roles_set_role(self->roles, scope, name, object);
	else if (role)
		roles_remove_role(self->roles, scope, name);
	else if (!json_is_absent(object))
		roles_set_binding(self->roles, scope, name, object);
	else
		roles_remove_binding(self->roles, scope, name);
}

static void on_change(void *arg, struct change *change)
{
	struct role_state *self = arg;
	const struct kind *kind = change->kind;

	if (!kind)
		return;
	if (kind == self->namespaces && change->object && !change->old)
		todo_add(self->spaces, change->name);
	if (kind == self->cluster_roles || kind == self->local_roles ||
	    kind == self->cluster_bindings || kind == self->local_bindings)
		index_object(self, kind, change->namespace, change->name, change_object(change));
	if (kind == self->cluster_roles)
		note_aggregated(self, change);
}

struct roles *reconcile_roles_get(const struct api *api)
{
	struct role_state *self =
		api->reconcilers ? reconcilers_state(api->reconcilers, RECONCILE_ROLES) : NULL;

	return self ? self->roles : NULL;
}

/* --- defaults -------------------------------------------------------------------------------- */

static bool may_update(struct json object)
{
	struct json annotations = json_get(json_get(object, "metadata"), "annotations");

	return !str_is(
		json_str(json_get(annotations, "rbac.authorization.kubernetes.io/autoupdate")),
		"false");
}

static bool has_equal(struct json list, struct json value)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (json_eq(it.value, value))
			return true;
	return false;
}

/* Adds the elements of the default's list that the object has not. */
static bool add_missing(struct json_doc *doc, struct json wanted, const char *key)
{
	struct json root = json_doc_root(doc);
	struct json_iter it = json_iter(json_get(wanted, key));
	bool changed = false;

	while (json_next(&it)) {
		if (has_equal(json_get(root, key), it.value))
			continue;
		json_append(doc, json_ensure_arr(doc, root, key), json_new_copy(doc, it.value));
		changed = true;
	}
	return changed;
}

/* Takes the document. */
static void ensure(struct role_state *self, const struct kind *kind, struct json_doc *wanted)
{
	AUTO(json_doc_unref) struct json_doc *mine = wanted;
	struct json root = json_doc_root(wanted);
	struct json metadata = json_get(root, "metadata");
	struct str namespace = json_str(json_get(metadata, "namespace"));
	AUTO(json_doc_unref)
	struct json_doc *old =
		api_read_newest(self->api, kind, namespace, json_str(json_get(metadata, "name")));
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	if (!old) {
		/* from now on, not only when it is durable: the first requests need it */
		index_object(self, kind, namespace, json_str(json_get(metadata, "name")), root);
		self_create(self->api, kind, namespace, TAKE(mine));
		return;
	}
	if (!may_update(json_doc_root(old)))
		return;
	doc = json_doc_thaw(json_doc_root(old));
	if (add_missing(doc, root,
			json_is_absent(json_get(root, "roleRef")) ? "rules" : "subjects"))
		self_update(self->api, kind, TAKE(doc));
}

static bool is_of(const char *own, struct str namespace)
{
	return namespace.len ? own && str_is(namespace, own) : !own;
}

/* Those of a namespace; none: those of the cluster. */
static void ensure_roles(struct role_state *self, const struct default_role *role,
			 struct str namespace)
{
	for (; role->name; role++)
		if (is_of(role->namespace, namespace))
			ensure(self, role->namespace ? self->local_roles : self->cluster_roles,
			       default_role_make(role));
}

static void ensure_bindings(struct role_state *self, const struct default_binding *binding,
			    struct str namespace)
{
	for (; binding->name; binding++)
		if (is_of(binding->namespace, namespace))
			ensure(self,
			       binding->namespace ? self->local_bindings : self->cluster_bindings,
			       default_binding_make(binding));
}

static void ensure_space(void *arg, struct str namespace)
{
	struct role_state *self = arg;

	ensure_roles(self, default_roles, namespace);
	ensure_bindings(self, default_bindings, namespace);
}

/* --- life ------------------------------------------------------------------------------------ */

static void *start(struct api *api)
{
	struct role_state *self = mem_new(struct role_state);
	const struct kinds *kinds = api_kinds(api);

	self->api = api;
	self->roles = roles_new();
	self->todo = todo_new(api_loop(api), aggregate, self);
	self->cluster_roles = kinds_find(kinds, STR(GROUP), STR("v1"), STR("clusterroles"));
	self->cluster_bindings =
		kinds_find(kinds, STR(GROUP), STR("v1"), STR("clusterrolebindings"));
	self->local_roles = kinds_find(kinds, STR(GROUP), STR("v1"), STR("roles"));
	self->local_bindings = kinds_find(kinds, STR(GROUP), STR("v1"), STR("rolebindings"));
	self->namespaces = kinds_find(kinds, STR(""), STR("v1"), STR("namespaces"));
	self->spaces = todo_new(api_loop(api), ensure_space, self);
	ensure_roles(self, default_roles, str_none());
	ensure_roles(self, controller_roles, str_none());
	ensure_bindings(self, default_bindings, str_none());
	ensure_bindings(self, controller_bindings, str_none());
	return self;
}

static void stop(void *arg)
{
	struct role_state *self = arg;

	todo_free(self->todo);
	todo_free(self->spaces);
	name_set_done(&self->aggregated);
	roles_free(self->roles);
	mem_free(self);
}

const struct reconciler reconcile_roles = {
	.name = "roles", .start = start, .on_change = on_change, .stop = stop};
