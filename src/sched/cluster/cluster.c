/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/cluster.c - the model's life, the way in for events, and looking things up; see the header,
 * and cluster_internal.h for what is where. */
#include "sched/cluster/cluster.h"

#include <assert.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "model/core/configmap.h"
#include "model/core/namespace.h"
#include "model/core/persistentvolume.h"
#include "model/core/pvc.h"
#include "model/core/quota.h"
#include "model/group/disruption.h"
#include "model/group/priorityclass.h"
#include "model/group/storage.h"
#include "model/volcano/hypernode.h"
#include "model/volcano/nodeshard.h"
#include "sched/cluster/cluster_internal.h"
#include "sched/cluster/hypernodes.h"
#include "sched/device/cards.h"
#include "sched/place/job_group.h"
#include "sched/place/numa.h"
#include "sched/report/holders.h"
#include "sched/report/object_warnings.h"

#include "base/banned.h"

/* How each kind is taken in: by a function of its own, or kept as a thing with a view. */
struct kind_row {
	const char *name;
	bool namespaced;
	int (*apply)(struct cluster *cluster, struct json object, struct err *err);
	int (*apply_doc)(struct cluster *cluster, struct json_doc *doc, struct err *err);
	void (*remove)(struct cluster *cluster, struct str key);
	const struct type *type;
	void (*changed)(struct cluster *cluster);
};

static void priorities_changed(struct cluster *cluster)
{
	cluster->priorities_stale = true;
}

static void shards_changed(struct cluster *cluster)
{
	cluster->shards_stale = true;
}

static void hypernodes_changed(struct cluster *cluster)
{
	hypernodes_note(cluster->hypernodes);
}

static void namespaces_changed(struct cluster *cluster)
{
	affinity_rematch(cluster->affinity);
}

static const struct kind_row kinds[CLUSTER_KIND_COUNT] = {
	[CLUSTER_POD] = {"Pod", true, .apply = cluster_apply_pod, .remove = cluster_remove_pod},
	[CLUSTER_NODE] = {"Node", false, .apply = cluster_apply_node,
			  .remove = cluster_remove_node},
	[CLUSTER_QUEUE] = {"Queue", false, .apply_doc = cluster_apply_queue,
			   .remove = cluster_remove_queue},
	[CLUSTER_PODGROUP] = {"PodGroup", true, .apply_doc = cluster_apply_group,
			      .remove = cluster_remove_group},
	[CLUSTER_PRIORITYCLASS] = {"PriorityClass", .type = &priorityclass_type,
				   .changed = priorities_changed},
	[CLUSTER_NAMESPACE] = {"Namespace", .type = &namespace_type, .changed = namespaces_changed},
	[CLUSTER_QUOTA] = {"ResourceQuota", true, .type = &quota_type, .changed = cluster_unblock},
	[CLUSTER_PDB] = {"PodDisruptionBudget", true, .type = &pdb_type},
	[CLUSTER_PVC] = {"PersistentVolumeClaim", true, .type = &pvc_type},
	[CLUSTER_PV] = {"PersistentVolume", .type = &pv_type},
	[CLUSTER_STORAGECLASS] = {"StorageClass", .type = &storageclass_type},
	[CLUSTER_CSINODE] = {"CSINode", .type = &csinode_type},
	[CLUSTER_HYPERNODE] = {"HyperNode", .type = &hypernode_type, .changed = hypernodes_changed},
	[CLUSTER_NUMATOPOLOGY] = {"Numatopology", .apply_doc = numa_apply, .remove = numa_remove},
	[CLUSTER_NODESHARD] = {"NodeShard", .type = &nodeshard_type, .changed = shards_changed},
	[CLUSTER_CONFIGMAP] = {"ConfigMap", true, .type = &configmap_type,
			       .changed = cluster_unblock},
};

const char *cluster_kind_name(enum cluster_kind kind)
{
	return kinds[kind].name;
}

enum cluster_kind cluster_kind_find(struct str kind)
{
	enum cluster_kind i = 0;

	while (i < CLUSTER_KIND_COUNT && !str_is(kind, kinds[i].name))
		i++;
	return i;
}

/* --- life ------------------------------------------------------------------------------------ */

static char **copy_texts(const char *const *texts)
{
	VEC(char *) copy = {0};

	for (size_t i = 0; texts && texts[i]; i++)
		vec_push(&copy, mem_strdup(texts[i]));
	vec_push(&copy, NULL);
	return copy.ptr;
}

static void free_texts(char **texts)
{
	for (size_t i = 0; texts[i]; i++)
		mem_free(texts[i]);
	mem_free(texts);
}

struct cluster *cluster_new(const struct cluster_options *options)
{
	static const char *const volcano[] = {"volcano", NULL};
	static const struct cluster_options none = {0};
	struct cluster *cluster = mem_new(struct cluster);

	if (!options)
		options = &none;
	cluster->symbols = symbols_new(options->seed);
	cluster->label_sets = label_sets_new(cluster->symbols);
	cluster->dims = dims_new();
	cluster->node_names = map_new(options->seed);
	cluster->tasks = map_new(options->seed);
	cluster->jobs = map_new(options->seed);
	cluster->queues = map_new(options->seed);
	cluster->aside = map_new(options->seed);
	cluster->warnings = object_warnings_new();
	cluster->text_numbers = map_new(0);
	cluster->volumes = volumes_new(options->ignored_provisioners);
	cluster->hypernodes = hypernodes_new(cluster);
	cluster->numa = numa_new();
	cluster->terms = map_new(options->seed);
	cluster->classes = map_new(options->seed);
	cluster->profiles = map_new(options->seed);
	for (int i = 0; i < CLUSTER_KIND_COUNT; i++)
		cluster->things[i] = kinds[i].type ? map_new(options->seed) : NULL;
	list_init(&cluster->active);
	list_init(&cluster->blocked);
	list_init(&cluster->admitted);
	cluster->job_groups = map_new(options->seed);
	cluster->unblocks = 1;
	cluster->events = 1;
	cluster->moves = 1;
	list_init(&cluster->finders);
	cluster->change_ring = mem_calloc(CHANGE_RING, sizeof(*cluster->change_ring));
	cluster->affinity = affinity_index_new(cluster);
	cluster->scheduler_names =
		copy_texts(options->scheduler_names ? options->scheduler_names : volcano);
	cluster->node_selector = copy_texts(options->node_selector);
	cluster->shard_name = mem_strdup(options->shard_name ? options->shard_name : "volcano");
	cluster->no_classes = options->no_classes;
	cluster->default_queue =
		mem_strdup(options->default_queue ? options->default_queue : "default");
	cluster_grow_columns(cluster);
	return cluster;
}

static void thing_free(struct cluster *cluster, struct thing *thing)
{
	symbols_drop(cluster->symbols, thing->name);
	arena_free(thing->arena);
	json_doc_unref(thing->doc);
	mem_free(thing->key);
	mem_free(thing);
}

static void free_objects(struct cluster *cluster)
{
	size_t at = 0;
	struct str key;
	void *value;

	job_groups_free(cluster);
	holders_cache_free(cluster->holders);
	while (map_next(cluster->tasks, &at, &key, &value))
		cluster_remove_pod(cluster, key);
	cards_retire(cluster);
	at = 0;
	while (map_next(cluster->jobs, &at, NULL, &value))
		cluster_free_job(cluster, value);
	at = 0;
	while (map_next(cluster->queues, &at, NULL, &value))
		cluster_free_queue(cluster, value);
	cluster_free_nodes(cluster);
	for (int i = 0; i < CLUSTER_KIND_COUNT; i++) {
		at = 0;
		while (cluster->things[i] && map_next(cluster->things[i], &at, NULL, &value))
			thing_free(cluster, value);
		map_free(cluster->things[i]);
	}
	at = 0;
	while (map_next(cluster->aside, &at, &key, &value)) {
		mem_free((char *)key.ptr);
		mem_free(value);
	}
}

void cluster_free(struct cluster *cluster)
{
	if (!cluster)
		return;
	free_objects(cluster);
	affinity_index_free(cluster->affinity);
	label_sets_free(cluster->label_sets);
	map_free(cluster->node_names);
	map_free(cluster->tasks);
	map_free(cluster->jobs);
	map_free(cluster->queues);
	map_free(cluster->aside);
	object_warnings_free(cluster->warnings);
	volumes_free(cluster->volumes);
	hypernodes_free(cluster->hypernodes);
	numa_free(cluster->numa);
	map_free(cluster->terms);
	map_free(cluster->classes);
	map_free(cluster->profiles);
	vec_done(&cluster->node_unused);
	vec_done(&cluster->queue_by_id);
	vec_done(&cluster->queue_unused);
	vec_done(&cluster->terms_by_id);
	vec_done(&cluster->terms_unused);
	vec_done(&cluster->class_by_id);
	vec_done(&cluster->class_unused);
	vec_done(&cluster->profile_by_id);
	vec_done(&cluster->profile_unused);
	vec_done(&cluster->watched);
	resources_done(&cluster->total);
	resources_done(&cluster->used);
	resources_done(&cluster->inqueue_whole);
	dims_free(cluster->dims);
	symbols_free(cluster->symbols);
	mem_free(cluster->change_ring);
	for (size_t i = 0; i < cluster->texts.len; i++)
		mem_free(cluster->texts.ptr[i]);
	vec_done(&cluster->texts);
	map_free(cluster->text_numbers);
	free_texts(cluster->scheduler_names);
	free_texts(cluster->node_selector);
	mem_free(cluster->default_queue);
	mem_free(cluster->shard_name);
	mem_free(cluster);
}

/* --- what is set aside ----------------------------------------------------------------------- */

static char *aside_key(enum cluster_kind kind, struct str namespace, struct str name)
{
	return mem_printf("%s %.*s/%.*s", kinds[kind].name, STR_ARG(namespace), STR_ARG(name));
}

static void heal(struct cluster *cluster, enum cluster_kind kind, struct str namespace,
		 struct str name)
{
	AUTO(mem_free) char *key = NULL;
	size_t at = 0;
	struct str known;
	void *text;

	if (!map_len(cluster->aside))
		return;
	key = aside_key(kind, namespace, name);
	while (map_next(cluster->aside, &at, &known, &text)) {
		if (!str_is(known, key))
			continue;
		map_remove(cluster->aside, known);
		mem_free((char *)known.ptr);
		mem_free(text);
		return;
	}
}

static void set_aside(struct cluster *cluster, enum cluster_kind kind, struct json meta,
		      const char *why)
{
	struct str namespace = json_str(json_get(meta, "namespace"));
	struct str name = json_str(json_get(meta, "name"));

	heal(cluster, kind, namespace, name);
	map_put(cluster->aside, str_from(aside_key(kind, namespace, name)), mem_strdup(why));
}

const char *cluster_aside(const struct cluster *cluster, enum cluster_kind kind,
			  struct str namespace, struct str name)
{
	AUTO(mem_free) char *key = aside_key(kind, namespace, name);

	return map_get(cluster->aside, str_from(key));
}

/* --- events ---------------------------------------------------------------------------------- */

static char *thing_key(const struct kind_row *row, struct str namespace, struct str name)
{
	if (!row->namespaced)
		return str_dup(name);
	return mem_printf("%.*s/%.*s", STR_ARG(namespace), STR_ARG(name));
}

static int apply_thing(struct cluster *cluster, enum cluster_kind kind, struct json_doc *doc,
		       struct err *err)
{
	struct json meta = json_get(json_doc_root(doc), "metadata");
	struct thing *thing = mem_new(struct thing), *old;

	thing->arena = arena_new(0);
	thing->doc = json_doc_ref(doc);
	thing->view = arena_zalloc(thing->arena, kinds[kind].type->size);
	thing->name = symbols_take(cluster->symbols, json_str(json_get(meta, "name")));
	thing->key = thing_key(&kinds[kind], json_str(json_get(meta, "namespace")),
			       json_str(json_get(meta, "name")));
	if (type_decode(kinds[kind].type, json_doc_root(doc), thing->arena, thing->view, err) < 0) {
		thing_free(cluster, thing);
		return -1;
	}
	old = map_put(cluster->things[kind], str_from(thing->key), thing);
	if (old)
		thing_free(cluster, old);
	if (kinds[kind].changed)
		kinds[kind].changed(cluster);
	cluster_unblock(cluster); /* a quota, a claim, a class: a waiting job may fit now */
	return 0;
}

int cluster_apply(struct cluster *cluster, enum cluster_kind kind, struct json_doc *doc,
		  struct err *err)
{
	const struct kind_row *row = &kinds[kind];
	struct json root = json_doc_root(doc), meta = json_get(root, "metadata");
	/* A node that only says that it lives comes often, and is no event. */
	uint64_t stamp = cluster->changes + cluster->shape + cluster->unblocks;
	struct err own;
	int failed;

	if (row->apply)
		failed = row->apply(cluster, root, &own);
	else if (row->apply_doc)
		failed = row->apply_doc(cluster, doc, &own);
	else
		failed = apply_thing(cluster, kind, doc, &own);
	if (kind != CLUSTER_NODE || failed < 0 ||
	    stamp != cluster->changes + cluster->shape + cluster->unblocks ||
	    object_warnings_are_unreported(cluster->warnings))
		cluster->events++;
	if (failed < 0) {
		set_aside(cluster, kind, meta, own.text);
		return err_set(err, own.code, "%s", own.text);
	}
	heal(cluster, kind, json_str(json_get(meta, "namespace")),
	     json_str(json_get(meta, "name")));
	return 0;
}

void cluster_remove(struct cluster *cluster, enum cluster_kind kind, struct str namespace,
		    struct str name)
{
	const struct kind_row *row = &kinds[kind];
	AUTO(mem_free) char *key = thing_key(row, namespace, name);

	heal(cluster, kind, namespace, name);
	cluster->events++;
	if (kind == CLUSTER_POD)
		cluster_unblock_for_capacity(cluster);
	else
		cluster_unblock(cluster);
	if (row->remove) {
		row->remove(cluster, str_from(key));
	} else {
		struct thing *thing = map_remove(cluster->things[kind], str_from(key));

		if (thing)
			thing_free(cluster, thing);
		if (row->changed)
			row->changed(cluster);
	}
}

/* --- looking --------------------------------------------------------------------------------- */

static void *find_in(const struct map *map, struct str namespace, struct str name)
{
	AUTO(mem_free) char *key = mem_printf("%.*s/%.*s", STR_ARG(namespace), STR_ARG(name));

	return map_get(map, str_from(key));
}

struct task *cluster_find_task(const struct cluster *cluster, struct str namespace, struct str name)
{
	return find_in(cluster->tasks, namespace, name);
}

struct job *cluster_find_job(const struct cluster *cluster, struct str namespace, struct str name)
{
	return find_in(cluster->jobs, namespace, name);
}

struct queue_info *cluster_find_queue(const struct cluster *cluster, struct str name)
{
	return map_get(cluster->queues, name);
}

struct node_info *cluster_find_node(const struct cluster *cluster, struct str name)
{
	struct node_info *node = map_get(cluster->node_names, name);

	return node && node->there ? node : NULL;
}

const struct thing *cluster_find_thing(const struct cluster *cluster, enum cluster_kind kind,
				       struct str namespace, struct str name)
{
	AUTO(mem_free) char *key = thing_key(&kinds[kind], namespace, name);

	return map_get(cluster->things[kind], str_from(key));
}

bool cluster_priority(const struct cluster *cluster, struct str class, int32_t *ret)
{
	size_t at = 0;
	void *value;

	if (class.len) {
		value = map_get(cluster->things[CLUSTER_PRIORITYCLASS], class);
		if (value)
			*ret = ((const struct priorityclass *)((struct thing *)value)->view)->value;
		return value;
	}
	while (map_next(cluster->things[CLUSTER_PRIORITYCLASS], &at, NULL, &value)) {
		const struct priorityclass *view = ((struct thing *)value)->view;

		if (view->global_default) {
			*ret = view->value;
			return true;
		}
	}
	return false;
}

/* cpu and memory are always looked at: a node that is short of what it promised offers nothing. */
static dim_set looked_at(const struct class *class)
{
	return class->dims | DIM_BIT(DIM_CPU) | DIM_BIT(DIM_MEMORY);
}

int cluster_short_of(const struct cluster *cluster, enum capacity_kind capacity, uint32_t slot,
		     const struct class *class)
{
	const struct columns *cols = &cluster->columns;
	int pods = DIM_NONE;

	for (dim_set rest = looked_at(class); rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);

		if (resources_get(&class->request, dim) <= columns_get(cols, capacity, dim, slot))
			continue;
		if (dim != DIM_PODS)
			return dim;
		pods = dim; /* is reported only where nothing else is short */
	}
	return pods;
}

int cluster_short_of_last(const struct cluster *cluster, enum capacity_kind capacity, uint32_t slot,
			  const struct class *class)
{
	int first = cluster_short_of(cluster, capacity, slot, class);
	int last = first;

	if (first == DIM_NONE || first == DIM_CPU || first == DIM_MEMORY)
		return first;
	for (dim_set rest = class->dims & ~DIM_BIT(first); rest; rest &= rest - 1) {
		int dim = __builtin_ctzll(rest);

		if (resources_get(&class->request, dim) >
		    columns_get(&cluster->columns, capacity, dim, slot))
			last = dim;
	}
	return last;
}

bool cluster_fits(const struct cluster *cluster, enum capacity_kind capacity, uint32_t slot,
		  const struct class *class)
{
	return cluster_short_of(cluster, capacity, slot, class) == DIM_NONE;
}

void cluster_capacity(const struct cluster *cluster, enum capacity_kind capacity,
		      const struct node_info *node, struct resources *ret)
{
	resources_clear(ret);
	for (size_t dim = 0; dim < cluster->columns.dims; dim++)
		if (dim <= DIM_MEMORY || (node->present & DIM_BIT(dim)))
			resources_set(ret, (int)dim,
				      cluster->columns.at[capacity][dim][node->slot]);
}

/* --- upkeep ---------------------------------------------------------------------------------- */

void cluster_touch_job(struct cluster *cluster, struct job *job)
{
	job_group_leave(cluster, job);
	if (list_is_linked(&job->active_link)) {
		if (job->blocked != cluster->unblocks) {
			job->blocked =
				0; /* the reason of its refusal no longer counts: keep_blocked() */
			return;
		}
		list_remove(&job->active_link);
	}
	if (job->blocked == cluster->unblocks)
		cluster->blocked_count--;
	job->blocked = 0;
	list_push(&cluster->active, &job->active_link);
	cluster->active_count++;
}

void cluster_block_job(struct cluster *cluster, struct job *job)
{
	list_remove(&job->active_link);
	list_push(&cluster->blocked, &job->active_link);
	job->blocked = cluster->unblocks;
	cluster->active_count--;
	cluster->blocked_count++;
}

void cluster_unblock(struct cluster *cluster)
{
	cluster_unblock_for_capacity(cluster);
	cluster->unblocks_wide = cluster->unblocks;
}

void cluster_unblock_for_capacity(struct cluster *cluster)
{
	cluster->unblocks++;
	cluster->moves++;
	list_splice(&cluster->active, &cluster->blocked);
	cluster->active_count += cluster->blocked_count;
	cluster->blocked_count = 0;
}

int64_t cluster_most(struct cluster *cluster, enum capacity_kind capacity, int dim)
{
	const int64_t *have;
	int64_t most = INT64_MIN;

	if ((size_t)dim >= cluster->columns.dims)
		return 0;
	if (cluster->most[capacity][dim].changes == cluster->changes &&
	    cluster->most[capacity][dim].shape == cluster->shape)
		return cluster->most[capacity][dim].amount;
	have = cluster->columns.at[capacity][dim];
	for (size_t slot = 0; slot < cluster->nodes.len; slot++)
		if (cluster->columns.profile[slot] != NODE_ABSENT && have[slot] > most)
			most = have[slot];
	cluster->most[capacity][dim].amount = most;
	cluster->most[capacity][dim].changes = cluster->changes;
	cluster->most[capacity][dim].shape = cluster->shape;
	return most;
}

bool cluster_is_still_short(struct cluster *cluster, const struct shortage *shortage,
			    uint64_t refused)
{
	return shortage->amount > 0 && refused >= cluster->unblocks_wide &&
	       shortage->amount > cluster_most(cluster, CAPACITY_FUTURE, shortage->dim);
}

/* At a time so many are touched, and so many looked at for that: a backlog of a hundred thousand costs no more. */
enum { REFRESH_MAX = 64, REFRESH_LOOKS = 4096 };

void cluster_refresh(struct cluster *cluster)
{
	size_t looks =
		cluster->blocked_count < REFRESH_LOOKS ? cluster->blocked_count : REFRESH_LOOKS;
	size_t touched = 0;
	bool all = looks == cluster->blocked_count;

	if (cluster->refreshed == cluster->moves)
		return;
	while (looks-- > 0 && touched < REFRESH_MAX) {
		struct job *job = container_of(cluster->blocked.next, struct job, active_link);

		if (job->looked != cluster->moves) {
			cluster_touch_job(cluster, job);
			touched++;
		} else {
			list_remove(&job->active_link);
			list_push(&cluster->blocked, &job->active_link);
		}
	}
	all &= job_groups_refresh(cluster, REFRESH_LOOKS, REFRESH_MAX - touched) && !touched;
	if (all)
		cluster->refreshed = cluster->moves;
}

/* A job that was blocked by a resource stays blocked while no node has as much of it. */
static void keep_blocked(struct cluster *cluster)
{
	if (cluster->unblocks_seen == cluster->unblocks)
		return;
	LIST_EACH(&cluster->active, struct job, active_link, job)
		if (job->blocked && cluster_is_still_short(cluster, &job->shortage, job->blocked))
			cluster_block_job(cluster, job);
}

bool cluster_is_idle(const struct cluster *cluster)
{
	return list_is_empty(&cluster->active) &&
	       (!cluster->group_count || cluster->unblocks_seen == cluster->unblocks);
}

void cluster_set_phase(struct cluster *cluster, struct job *job, enum podgroup_phase phase)
{
	if (job->phase == phase)
		return;
	job->phase = phase;
	cluster->moves++;
	ledger_count_job(cluster, job);
}

/* New selectors look at labels that were of no interest: pods may be of other classes now. */
static void reclass(struct cluster *cluster)
{
	size_t at = 0;
	void *value;

	while (map_next(cluster->tasks, &at, NULL, &value)) {
		struct task *task = value;
		struct class *class = class_take_like(cluster, task->class, task->labels);

		if (class != task->class) {
			if (task->job) /* is not like those that it was like */
				cluster_touch_job(cluster, task->job);
			ledger_lift(cluster, task);
			class_drop(cluster, task->class);
			task->class = class_ref(class);
			ledger_put(cluster, task);
		}
		class_drop(cluster, class);
	}
}

void cluster_settle(struct cluster *cluster)
{
	if (cluster->watched_more) {
		cluster->watched_more = false;
		reclass(cluster);
	}
	if (cluster->shards_stale) {
		cluster->shards_stale = false;
		cluster_read_shards(cluster);
	}
	if (cluster->priorities_stale) {
		cluster->priorities_stale = false;
		cluster_rank_jobs(cluster);
	}
	hypernodes_settle(cluster->hypernodes);
	keep_blocked(cluster);
	LIST_EACH(&cluster->active, struct job, active_link, job)
		ledger_count_job(cluster, job);
}
