/* SPDX-License-Identifier: Apache-2.0 */
/* controller/volume_controller.c - lifecycle/volume_lifecycle.h for each claim and each volume, on one machine: a
 * cluster has a controller of Kubernetes for that.
 *
 * Keys: "claim/<namespace>/<name>", "volume/<name>", "class". A volume that changes may suit any claim
 * that has none, so that these are looked at again; there are few of either. */
#include "base/mem.h"
#include "base/vec.h"
#include "controller/cache.h"
#include "controller/controller_rows.h"
#include "controller/worker.h"
#include "lifecycle/volume_lifecycle.h"
#include "model/core/meta.h"

#include "base/banned.h"

struct volume_controller {
	struct controller_base *base;
	struct worker *worker;
	struct cache *caches[PLAN_KIND_COUNT]; /* claims, volumes, classes */
};

/* --- what changed -------------------------------------------------------------------------------- */

static void wake(struct volume_controller *self, const char *what, struct str namespace,
		 struct str name)
{
	AUTO(mem_free)
	char *key = namespace.len
			    ? mem_printf("%s/%.*s/%.*s", what, STR_ARG(namespace), STR_ARG(name))
			    : mem_printf("%s/%.*s", what, STR_ARG(name));

	worker_wake(self->worker, str_from(key));
}

static void wake_unbound(struct volume_controller *self)
{
	struct json_doc *doc;
	size_t at = 0;

	while ((doc = cache_next(self->caches[PLAN_CLAIM], &at))) {
		struct json root = json_doc_root(doc);

		if (!str_is(json_str(json_get(json_get(root, "status"), "phase")), "Bound"))
			wake(self, "claim", meta_namespace(root), meta_name(root));
	}
}

static void claim_changed(void *arg, struct str namespace, struct str name, struct json object,
			  bool gone)
{
	struct volume_controller *self = arg;
	struct str volume = json_str(json_get(json_get(object, "spec"), "volumeName"));

	if (!gone)
		wake(self, "claim", namespace, name);
	if (volume.len)
		wake(self, "volume", str_none(), volume);
}

static void volume_changed(void *arg, struct str namespace, struct str name, struct json object,
			   bool gone)
{
	struct volume_controller *self = arg;
	struct json ref = json_get(json_get(object, "spec"), "claimRef");

	(void)namespace;
	if (!gone)
		wake(self, "volume", str_none(), name);
	if (json_is_absent(ref))
		wake_unbound(self);
	else
		wake(self, "claim", json_str(json_get(ref, "namespace")),
		     json_str(json_get(ref, "name")));
}

static void class_changed(void *arg, struct str namespace, struct str name, struct json object,
			  bool gone)
{
	(void)namespace;
	(void)name;
	(void)object;
	if (!gone)
		wake_unbound(arg);
}

/* --- looking ------------------------------------------------------------------------------------- */

static struct json root_of(const struct json_doc *doc)
{
	return doc ? json_doc_root(doc) : JSON_NONE;
}

static int look_at_claim(struct volume_controller *self, struct str key, struct plan *plan,
			 struct err *err)
{
	VEC(struct json) volumes = {0};
	struct volume_world world = {.folder = self->base->options.volumes_folder};
	struct str namespace, name;
	struct json_doc *claim, *doc;
	size_t at = 0;
	int result;

	worker_split(key, &namespace, &name);
	claim = cache_get(self->caches[PLAN_CLAIM], namespace, name);
	if (!claim)
		return 0;
	while ((doc = cache_next(self->caches[PLAN_VOLUME], &at)))
		vec_push(&volumes, json_doc_root(doc));
	world.volumes = volumes.ptr;
	world.volume_count = volumes.len;
	world.class = root_of(cache_get(self->caches[PLAN_STORAGECLASS], STR(""),
					volume_class_of(json_doc_root(claim))));
	result = volume_claim_step(json_doc_root(claim), &world, plan, err);
	vec_done(&volumes);
	return result;
}

static int look_at_volume(struct volume_controller *self, struct str name, struct plan *plan,
			  struct err *err)
{
	struct json_doc *volume = cache_get(self->caches[PLAN_VOLUME], STR(""), name);
	struct json ref = json_get(json_get(root_of(volume), "spec"), "claimRef");

	if (!volume)
		return 0;
	return volume_step(
		json_doc_root(volume),
		root_of(cache_get(self->caches[PLAN_CLAIM], json_str(json_get(ref, "namespace")),
				  json_str(json_get(ref, "name")))),
		plan, err);
}

static int reconcile(void *arg, struct str key, struct plan *plan, struct err *err)
{
	struct volume_controller *self = arg;
	struct str what;

	if (!str_split(&key, '/', &what))
		return 0;
	if (str_is(what, "claim"))
		return look_at_claim(self, key, plan, err);
	if (str_is(what, "volume"))
		return look_at_volume(self, key, plan, err);
	volume_class_step(
		root_of(cache_get(self->caches[PLAN_STORAGECLASS], STR(""), STR(VOLUME_CLASS))),
		plan);
	return 0;
}

/* --- life ---------------------------------------------------------------------------------------- */

static struct cache *watch(struct volume_controller *self, enum resource_id resource,
			   void (*changed)(void *arg, struct str namespace, struct str name,
					   struct json object, bool gone))
{
	struct cache *cache =
		cache_new(NULL, &(struct cache_events){.changed = changed, .arg = self});

	cache_listen(cache, controller_informer(self->base, resource));
	return cache;
}

static void *volume_new(struct controller_base *base)
{
	struct volume_controller *self;

	if (!base->options.home)
		return NULL;
	self = mem_new(struct volume_controller);
	self->base = base;
	self->worker = worker_new(&(struct worker_options){.base = base,
							   .reconcile = reconcile,
							   .arg = self,
							   .of = RESOURCE_PVCS,
							   .caches = self->caches});
	self->caches[PLAN_CLAIM] = watch(self, RESOURCE_PVCS, claim_changed);
	self->caches[PLAN_VOLUME] = watch(self, RESOURCE_PVS, volume_changed);
	self->caches[PLAN_STORAGECLASS] = watch(self, RESOURCE_STORAGECLASSES, class_changed);
	return self;
}

static void volume_ready(void *arg)
{
	struct volume_controller *self = arg;

	if (self->base->options.volumes_folder)
		worker_wake(self->worker, STR("class"));
	worker_start(self->worker);
}

static void volume_free(void *arg)
{
	struct volume_controller *self = arg;

	worker_free(self->worker);
	cache_free(self->caches[PLAN_CLAIM]);
	cache_free(self->caches[PLAN_VOLUME]);
	cache_free(self->caches[PLAN_STORAGECLASS]);
	mem_free(self);
}

const struct controller controller_volume = {
	.name = "persistentvolume-binder-controller",
	.new = volume_new,
	.ready = volume_ready,
	.free = volume_free,
};
