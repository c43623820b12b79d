/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/reconcile/reconcile_defaults.c - what a cluster begins with, and has again when it was removed.
 *
 *	always			the namespaces default, kube-system, kube-public, kube-node-lease;
 *				the service default/kubernetes
 *	once, at the start	the two priority classes of the system
 *	in every namespace	the service account "default", and the config map kube-root-ca.crt
 *				with the certificate that clients in the cluster trust
 *
 * Those of a namespace are staged together with it and become visible with it: a client that sees the
 * namespace can create pods in it, and never gets "already exists" for an account that it cannot see. A
 * terminating namespace gets nothing. */
#include "apiserver/api_internal.h"
#include "apiserver/reconcile/reconcilers.h"
#include "apiserver/reconcile/self.h"
#include "apiserver/reconcile/todo.h"
#include "base/arena.h"
#include "base/mem.h"
#include "model/group/priorityclass.h"

#include "base/banned.h"

#define ROOT_CA "kube-root-ca.crt"
#define ROOT_CA_ABOUT                                                                       \
	"Contains a CA bundle that can be used to verify the kube-apiserver when using "    \
	"internal endpoints such as the internal service IP or kubernetes.default.svc. No " \
	"other usage is guaranteed across distributions of Kubernetes clusters."

enum { DEFAULT_PORT = 6443 };

static const char *const system_namespaces[] = {"default", "kube-system", "kube-public",
						"kube-node-lease"};

struct defaults {
	struct api *api;
	struct todo *todo; /* namespaces */
	const struct kind *namespaces;
	const struct kind *accounts;
	const struct kind *configmaps;
	const struct kind *services;
};

static bool is_system(struct str namespace)
{
	for (size_t i = 0; i < ARRAY_LEN(system_namespaces); i++)
		if (str_is(namespace, system_namespaces[i]))
			return true;
	return false;
}

static bool is_there(struct defaults *self, const struct kind *kind, struct str namespace,
		     struct str name)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);

	return store_newest(api_store(self->api), api_key(arena, kind, namespace, name)) != NULL;
}

static struct json_doc *named(struct str name, struct json *ret_root)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	json_set_str(doc, json_ensure_obj(doc, root, "metadata"), "name", name);
	*ret_root = root;
	return doc;
}

static void make_account(struct defaults *self, struct str namespace)
{
	struct json root;

	if (!is_there(self, self->accounts, namespace, STR("default")))
		self_create(self->api, self->accounts, namespace, named(STR("default"), &root));
}

/* Its data is ours: whatever else it says is replaced. */
static void keep_root_ca(struct defaults *self, struct str namespace)
{
	struct str pem = str_from(self->api->root_ca);
	AUTO(json_doc_unref)
	struct json_doc *old =
		api_read_newest(self->api, self->configmaps, namespace, STR(ROOT_CA));
	struct json_doc *doc;
	struct json root;

	if (old && str_eq(json_str(json_get(json_get(json_doc_root(old), "data"), "ca.crt")), pem))
		return;
	if (old) {
		doc = json_doc_thaw(json_doc_root(old));
		root = json_doc_root(doc);
		(void)json_remove(doc, root, STR("data"));
	} else {
		doc = named(STR(ROOT_CA), &root);
	}
	json_set_str(doc, json_ensure_obj(doc, root, "data"), "ca.crt", pem);
	json_set_str(doc,
		     json_ensure_obj(doc, json_ensure_obj(doc, root, "metadata"), "annotations"),
		     "kubernetes.io/description", STR(ROOT_CA_ABOUT));
	if (old)
		self_update(self->api, self->configmaps, doc);
	else
		self_create(self->api, self->configmaps, namespace, doc);
}

/* Where clients in the cluster find the API. */
static void make_service(struct defaults *self)
{
	int port = self->api->port ? self->api->port : DEFAULT_PORT;
	AUTO(arena_free) struct arena *arena = arena_new(0);

	if (is_there(self, self->services, STR("default"), STR("kubernetes")))
		return;
	self_create_text(
		self->api, self->services, STR("default"),
		str_from(arena_printf(
			arena,
			"{\"metadata\":{\"name\":\"kubernetes\",\"labels\":{\"component\":"
			"\"apiserver\",\"provider\":\"kubernetes\"}},\"spec\":{\"clusterIP\":"
			"\"10.96.0.1\",\"clusterIPs\":[\"10.96.0.1\"],\"internalTrafficPolicy\":"
			"\"Cluster\",\"ipFamilies\":[\"IPv4\"],\"ipFamilyPolicy\":\"SingleStack\","
			"\"ports\":[{\"name\":\"https\",\"port\":443,\"protocol\":\"TCP\","
			"\"targetPort\":%d}],\"sessionAffinity\":\"None\",\"type\":\"ClusterIP\"}}",
			port)));
}

static void check(void *arg, struct str name)
{
	struct defaults *self = arg;
	AUTO(json_doc_unref)
	struct json_doc *doc = api_read_newest(self->api, self->namespaces, str_none(), name);
	struct json root;

	if (!doc) {
		if (is_system(name))
			self_create(self->api, self->namespaces, str_none(), named(name, &root));
		return; /* its event comes again when it exists */
	}
	if (!json_is_absent(
		    json_get(json_get(json_doc_root(doc), "metadata"), "deletionTimestamp")))
		return;
	make_account(self, name);
	keep_root_ca(self, name);
	if (str_is(name, "default"))
		make_service(self);
}

void reconcile_defaults_made(struct api *api, const struct kind *kind, struct str name)
{
	struct defaults *self =
		api->reconcilers ? reconcilers_state(api->reconcilers, RECONCILE_DEFAULTS) : NULL;

	if (self && kind == self->namespaces)
		check(self, name);
}

static void on_change(void *arg, struct change *change)
{
	struct defaults *self = arg;

	if (change->kind == self->namespaces)
		todo_add(self->todo, change->name);
	else if ((change->kind == self->accounts && !change->object &&
		  str_is(change->name, "default")) ||
		 (change->kind == self->configmaps && str_is(change->name, ROOT_CA)) ||
		 (change->kind == self->services && !change->object &&
		  str_is(change->namespace, "default")))
		todo_add(self->todo, change->namespace);
}

static void make_classes(struct api *api)
{
	const struct kind *kind = kinds_find(api_kinds(api), STR("scheduling.k8s.io"), STR("v1"),
					     STR("priorityclasses"));

	for (size_t i = 0; !str_is_none(priority_system_classes[i].name); i++) {
		const struct priority_system_class *class = &priority_system_classes[i];
		struct json root;
		struct json_doc *doc = named(class->name, &root);

		json_set_int(doc, root, "value", class->value);
		json_set_str(doc, root, "description", str_from(class->description));
		self_create(api, kind, str_none(), doc); /* refused if it is there */
	}
}

static void *start(struct api *api)
{
	const struct kinds *kinds = api_kinds(api);
	struct defaults *self = mem_new(struct defaults);

	self->api = api;
	self->todo = todo_new(api_loop(api), check, self);
	self->namespaces = kinds_find(kinds, STR(""), STR("v1"), STR("namespaces"));
	self->accounts = kinds_find(kinds, STR(""), STR("v1"), STR("serviceaccounts"));
	self->configmaps = kinds_find(kinds, STR(""), STR("v1"), STR("configmaps"));
	self->services = kinds_find(kinds, STR(""), STR("v1"), STR("services"));
	make_classes(api);
	for (size_t i = 0; i < ARRAY_LEN(system_namespaces); i++)
		todo_add(self->todo, str_from(system_namespaces[i]));
	return self;
}

static void stop(void *arg)
{
	struct defaults *self = arg;

	todo_free(self->todo);
	mem_free(self);
}

const struct reconciler reconcile_defaults = {
	.name = "defaults", .start = start, .on_change = on_change, .stop = stop};
