/* SPDX-License-Identifier: Apache-2.0 */
/* controller/workload_controller.c - the podgroup controller: lifecycle/workload_lifecycle.h for each pod that has no group,
 * and for each workload that is scaled to nothing.
 *
 * Of pods only those are kept that may want a group; of workloads that scale those that say something about
 * it or have no replicas. Others are read when a pod of theirs comes. Keys are "namespace/pod", and "~resource/namespace/name" for workloads. */
#include "base/mem.h"
#include "base/vec.h"
#include "client/informer.h"
#include "controller/cache.h"
#include "controller/controller_rows.h"
#include "controller/lookups.h"
#include "controller/worker.h"
#include "lifecycle/keys.h"
#include "lifecycle/workload_lifecycle.h"
#include "model/core/meta.h"

#include "base/banned.h"

/* Workloads whose annotations count. */
static const struct {
	const char *kind;
	const char *api_version;
	enum resource_id resource;
	bool scales; /* its group goes when it has no replicas */
} owner_rows[] = {
	{"ReplicaSet", "apps/v1", RESOURCE_REPLICASETS, true},
	{"StatefulSet", "apps/v1", RESOURCE_STATEFULSETS, true},
	{"DaemonSet", "apps/v1", RESOURCE_DAEMONSETS, false},
	{"Job", "batch/v1", RESOURCE_BATCHJOBS, false},
};
enum { OWNER_COUNT = ARRAY_LEN(owner_rows) };

struct workload_controller;

/* The listener of a cache of owners. */
struct owner_kind {
	struct workload_controller *controller;
	size_t row;
	struct cache *cache; /* NULL: they are not watched */
};

struct workload_controller {
	struct controller_base *base;
	struct worker *worker;
	struct cache *caches[PLAN_KIND_COUNT]; /* pods, groups */
	struct owner_kind owners[OWNER_COUNT];
	struct lookups *lookups;
	struct str scheduler;
	struct strs scheduler_names;
};

/* --- what is kept ---------------------------------------------------------------------------- */

static struct str scheduler_of(struct json pod)
{
	return json_str(json_get(json_get(pod, "spec"), "schedulerName"));
}

static bool may_want_group(struct json pod)
{
	struct str scheduler = scheduler_of(pod);

	return workload_wants_group(pod, &(struct strs){&scheduler, 1});
}

/* In a cluster most pods are another scheduler's: they are not kept. */
static bool may_want_group_here(struct json pod)
{
	return !str_is(scheduler_of(pod), "default-scheduler") && may_want_group(pod);
}

static bool serves_default(const struct strs *names)
{
	for (size_t i = 0; i < names->len; i++)
		if (str_is(names->ptr[i], "default-scheduler"))
			return true;
	return false;
}

static bool is_made_here(struct json group)
{
	return str_starts(meta_name(group), STR("podgroup-"));
}

static bool says_something(struct json owner)
{
	struct json_iter it = json_iter(json_get(json_get(owner, "metadata"), "annotations"));
	struct json replicas = json_get(json_get(owner, "spec"), "replicas");

	if (json_is(replicas, JSON_INT) && json_int(replicas) == 0)
		return true;
	while (json_next(&it))
		if (str_find(it.key, STR("volcano.sh/"), 0) >= 0)
			return true;
	return false;
}

/* --- what changes ---------------------------------------------------------------------------- */

static void pod_changed(void *arg, struct str namespace, struct str name, struct json object,
			bool gone)
{
	struct workload_controller *self = arg;

	(void)object;
	if (!gone)
		worker_wake_object(self->worker, namespace, name);
}

static void owner_changed(void *arg, struct str namespace, struct str name, struct json object,
			  bool gone)
{
	struct owner_kind *owners = arg;
	AUTO(buf_done) struct buf key = BUF_UNBOUNDED;

	(void)object;
	if (gone || !owner_rows[owners->row].scales)
		return;
	buf_printf(&key, "~%zu/%.*s/%.*s", owners->row, STR_ARG(namespace), STR_ARG(name));
	worker_wake(owners->controller->worker, buf_str(&key));
}

/* --- looking --------------------------------------------------------------------------------- */

static struct json get(const struct cache *cache, struct str namespace, struct str name)
{
	struct json_doc *doc = cache_get(cache, namespace, name);

	return doc ? json_doc_root(doc) : JSON_NONE;
}

/* Of which kind an owner is; OWNER_COUNT: none of these. */
static size_t owner_row(struct json reference)
{
	size_t i = 0;

	while (i < OWNER_COUNT &&
	       (!str_is(json_str(json_get(reference, "kind")), owner_rows[i].kind) ||
		!str_is(json_str(json_get(reference, "apiVersion")), owner_rows[i].api_version)))
		i++;
	return i;
}

/* False: it has to be read first; the pod is woken then. */
static bool find_owner(struct workload_controller *self, struct str pod, struct str namespace,
		       struct json reference, struct json *ret)
{
	size_t row = owner_row(reference);
	struct str name = json_str(json_get(reference, "name"));

	*ret = JSON_NONE;
	if (row == OWNER_COUNT)
		return true;
	if (!self->owners[row].cache ||
	    informer_denied(self->base->informers[owner_rows[row].resource]))
		return lookups_get(self->lookups, owner_rows[row].resource, namespace, name, pod,
				   ret);
	*ret = get(self->owners[row].cache, namespace, name);
	return true;
}

static int look_at_owner(struct workload_controller *self, struct str key, struct plan *plan,
			 struct err *err)
{
	AUTO(buf_done) struct buf group = BUF_UNBOUNDED;
	size_t row = (size_t)(key.ptr[1] - '0');
	struct str namespace;
	struct str name;
	struct json owner;

	worker_split(str_skip(key, 3), &namespace, &name);
	owner = get(self->owners[row].cache, namespace, name);
	if (json_is_absent(owner))
		return 0;
	buf_printf(&group, "podgroup-%.*s", STR_ARG(meta_uid(owner)));
	return workload_owner_step(
		owner, get(self->caches[PLAN_PODGROUP], namespace, buf_str(&group)), plan, err);
}

static int reconcile(void *arg, struct str key, struct plan *plan, struct err *err)
{
	struct workload_controller *self = arg;
	AUTO(buf_done) struct buf group = BUF_UNBOUNDED;
	struct workload_world world = {.scheduler_names = self->scheduler_names,
				       .inherit = !self->base->options.keep_owner_annotations};
	VEC(struct json) owners = {0};
	struct json_iter it;
	struct str namespace;
	struct str name;
	bool known = true;
	int result = 0;

	if (str_starts(key, STR("~")))
		return look_at_owner(self, key, plan, err);
	worker_split(key, &namespace, &name);
	world.pod = get(self->caches[PLAN_POD], namespace, name);
	if (json_is_absent(world.pod))
		return 0;
	workload_group_name(world.pod, &group);
	world.group = get(self->caches[PLAN_PODGROUP], namespace, buf_str(&group));
	it = json_iter(json_get(json_get(world.pod, "metadata"), "ownerReferences"));
	while (json_next(&it)) {
		struct json owner;

		known = find_owner(self, key, namespace, it.value, &owner) && known;
		vec_push(&owners, owner);
	}
	world.owners = owners.ptr;
	world.owner_count = owners.len;
	if (known)
		result = workload_step(&world, plan, err);
	vec_done(&owners);
	return result;
}

/* --- life ------------------------------------------------------------------------------------ */

static void on_known(void *arg, struct str pod)
{
	worker_wake(((struct workload_controller *)arg)->worker, pod);
}

static void *workload_new(struct controller_base *base)
{
	struct workload_controller *self = mem_new(struct workload_controller);

	self->base = base;
	self->lookups = lookups_new(base->client, on_known, self);
	self->scheduler = STR("volcano");
	self->scheduler_names = base->options.scheduler_names;
	if (!self->scheduler_names.len)
		self->scheduler_names = (struct strs){&self->scheduler, 1};
	self->caches[PLAN_POD] = cache_new(
		serves_default(&self->scheduler_names) ? may_want_group : may_want_group_here,
		&(struct cache_events){.changed = pod_changed, .arg = self});
	self->caches[PLAN_PODGROUP] = cache_new(is_made_here, NULL);
	cache_listen(self->caches[PLAN_POD], controller_informer(base, RESOURCE_PODS));
	cache_listen(self->caches[PLAN_PODGROUP], controller_informer(base, RESOURCE_PODGROUPS));
	for (size_t i = 0; i < OWNER_COUNT; i++) {
		struct owner_kind *owners = &self->owners[i];

		*owners = (struct owner_kind){.controller = self, .row = i};
		if (!owner_rows[i].scales)
			continue;
		owners->cache = cache_new(says_something, &(struct cache_events){
								  .changed = owner_changed,
								  .arg = owners,
							  });
		cache_listen(owners->cache, controller_informer(base, owner_rows[i].resource));
	}
	self->worker = worker_new(&(struct worker_options){
		.base = base, .reconcile = reconcile, .arg = self, .caches = self->caches});
	return self;
}

static void workload_ready(void *arg)
{
	worker_start(((struct workload_controller *)arg)->worker);
}

static void workload_free(void *arg)
{
	struct workload_controller *self = arg;

	worker_free(self->worker);
	lookups_free(self->lookups);
	for (size_t i = 0; i < PLAN_KIND_COUNT; i++)
		cache_free(self->caches[i]);
	for (size_t i = 0; i < OWNER_COUNT; i++)
		cache_free(self->owners[i].cache);
	mem_free(self);
}

const struct controller controller_workload = {
	.name = "pg-controller",
	.new = workload_new,
	.ready = workload_ready,
	.free = workload_free,
};
