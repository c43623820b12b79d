/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/cluster_node.c - nodes: slots, columns of capacity, profiles (scheduler specification, 1.20).
 *
 * A node keeps its slot as long as it or a task on it is there. One that a pod named before the Node
 * came, or after it went, is a placeholder: its tasks are counted on it, but it offers nothing and is
 * in no sum of the cluster.
 *
 * A node whose allocatable falls below its use stays where it is, with idle capacity below 0. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "model/core/node.h"
#include "model/volcano/nodeshard.h"
#include "sched/cluster/cluster_internal.h"
#include "sched/cluster/hypernodes.h"
#include "sched/device/cards.h"
#include "sched/place/numa.h"
#include "sched/report/object_warnings.h"

#include "base/banned.h"

#define HOSTNAME "kubernetes.io/hostname"
#define OVERSUBSCRIBED_CPU "volcano.sh/oversubscription-cpu"
#define OVERSUBSCRIBED_MEMORY "volcano.sh/oversubscription-memory"

/* --- columns --------------------------------------------------------------------------------- */

enum { FIRST_SLOTS = 64 };

static void column_resize(int64_t **column, size_t old, size_t size)
{
	*column = mem_realloc(*column, size, sizeof(**column));
	memset(*column + old, 0, (size - old) * sizeof(**column));
}

void cluster_grow_columns(struct cluster *cluster)
{
	struct columns *cols = &cluster->columns;
	size_t dims = dims_len(cluster->dims);
	size_t size = cols->size ? cols->size : FIRST_SLOTS;

	while (size < cluster->nodes.len)
		size *= 2;
	for (int capacity = 0; capacity < CAPACITY_COUNT; capacity++)
		for (size_t dim = 0; dim < dims; dim++)
			if (dim >= cols->dims || size > cols->size)
				column_resize(&cols->at[capacity][dim],
					      dim >= cols->dims ? 0 : cols->size, size);
	for (int i = 0; i < 2 && size > cols->size; i++) {
		column_resize(&cols->nonzero[i], cols->size, size);
		cols->percent[i] = mem_realloc(cols->percent[i], size, sizeof(double));
		for (size_t slot = cols->size; slot < size; slot++)
			cols->percent[i][slot] = 0;
	}
	if (size > cols->size) {
		cols->foreign = mem_realloc(cols->foreign, size, sizeof(*cols->foreign));
		memset(cols->foreign + cols->size, 1, size - cols->size);
		cols->profile = mem_realloc(cols->profile, size, sizeof(*cols->profile));
		for (size_t slot = cols->size; slot < size; slot++)
			cols->profile[slot] = NODE_ABSENT;
	}
	cols->size = size;
	if (dims > cols->dims) {
		bool first = cols->dims == 0;

		cols->dims = dims;
		if (!first) {
			classes_read_again(cluster);
			cluster_read_groups_again(cluster);
		}
	}
}

/* --- profiles -------------------------------------------------------------------------------- */

static bool is_shared(void *arg, struct str key)
{
	(void)arg;
	return !str_is(key, HOSTNAME);
}

void cluster_drop_profile(struct cluster *cluster, struct profile *profile)
{
	if (!profile || --profile->refs)
		return;
	map_remove(cluster->profiles, profile->key);
	ids_drop(&cluster->profile_by_id, &cluster->profile_unused, profile->id);
	label_sets_drop(cluster->label_sets, profile->labels);
	arena_free(profile->arena);
	json_doc_unref(profile->doc);
	mem_free((char *)profile->key.ptr);
	mem_free(profile);
	cluster->shape++;
}

static struct profile *profile_take(struct cluster *cluster, struct json node, struct err *err)
{
	AUTO(buf_done) struct buf key = BUF_INIT(SIZE_MAX);
	struct json spec = json_get(node, "spec");
	struct label_set *labels =
		label_sets_take(cluster->label_sets, json_get(json_get(node, "metadata"), "labels"),
				is_shared, NULL);
	struct profile *profile;
	struct node_spec view;

	buf_put(&key, &labels, sizeof(labels)); /* sets stand once: the address is its name */
	json_print(json_get(spec, "taints"), JSON_CANONICAL, &key);
	buf_putc(&key, json_bool(json_get(spec, "unschedulable")) ? 'u' : '-');
	profile = map_get(cluster->profiles, buf_str(&key));
	if (profile) {
		label_sets_drop(cluster->label_sets, labels);
		profile->refs++;
		return profile;
	}
	profile = mem_new(struct profile);
	profile->refs = 1;
	profile->labels = labels;
	profile->arena = arena_new(0);
	profile->doc = json_doc_freeze(spec);
	profile->id = ids_take(&cluster->profile_by_id, &cluster->profile_unused, profile);
	profile->key.len = key.len;
	profile->key.ptr = buf_take(&key);
	map_put(cluster->profiles, profile->key, profile);
	if (type_decode(&node_spec_type, json_doc_root(profile->doc), profile->arena, &view, err) <
	    0) {
		cluster_drop_profile(cluster, profile);
		return NULL;
	}
	profile->taints = view.taints;
	profile->unschedulable = view.unschedulable;
	for (size_t i = 0; i < view.taints.len; i++)
		profile->advises |= view.taints.ptr[i].effect == TAINT_PREFER_NO_SCHEDULE;
	cluster->shape++;
	return profile;
}

/* --- shards ---------------------------------------------------------------------------------- */

static bool has_name(const struct strs *names, struct str name)
{
	for (size_t i = 0; i < names->len; i++)
		if (str_eq(names->ptr[i], name))
			return true;
	return false;
}

bool cluster_shard_takes(const struct cluster *cluster, const struct nodeshard *own,
			 struct str name)
{
	size_t at = 0;
	void *value;

	if (!has_name(&own->spec.nodes_desired, name))
		return false;
	while (map_next(cluster->things[CLUSTER_NODESHARD], &at, NULL, &value)) {
		const struct nodeshard *shard = ((struct thing *)value)->view;

		if (shard != own && has_name(&shard->status.nodes_in_use, name))
			return false;
	}
	return true;
}

void cluster_read_shards(struct cluster *cluster)
{
	const struct thing *thing = cluster_find_thing(cluster, CLUSTER_NODESHARD, str_none(),
						       str_from(cluster->shard_name));

	if (!thing) /* what it was before it went stays */
		return;
	for (size_t i = 0; i < cluster->nodes.len; i++) {
		struct node_info *node = cluster->nodes.ptr[i];
		uint8_t foreign = !node || !cluster_shard_takes(cluster, thing->view, node->text);

		if (!node || cluster->columns.foreign[i] == foreign)
			continue;
		cluster->columns.foreign[i] = foreign;
		ledger_note_change(cluster, node);
		cluster_unblock(cluster);
	}
}

/* --- life ------------------------------------------------------------------------------------ */

struct node_info *cluster_make_node(struct cluster *cluster, struct str name)
{
	struct node_info *node = map_get(cluster->node_names, name);

	if (node)
		return node;
	node = mem_new(struct node_info);
	list_init(&node->tasks);
	node->name = symbols_take(cluster->symbols, name);
	node->text = symbols_text(cluster->symbols, node->name);
	node->labels = label_sets_take(cluster->label_sets, JSON_NONE, NULL, NULL);
	node->slot = ids_take(&cluster->nodes, &cluster->node_unused, node);
	map_put(cluster->node_names, node->text, node);
	node->numa = numa_find(cluster, name);
	cluster_grow_columns(cluster);
	cluster->shape++;
	return node;
}

static void free_images(struct cluster *cluster, struct node_info *node)
{
	for (size_t i = 0; i < node->image_count; i++)
		symbols_drop(cluster->symbols, node->images[i].name);
	cluster->image_nodes -= node->image_count > 0;
	mem_free(node->images);
	node->images = NULL;
	node->image_count = 0;
}

static void node_free(struct cluster *cluster, struct node_info *node)
{
	map_remove(cluster->node_names, node->text);
	cluster->columns.foreign[node->slot] = 1;
	ids_drop(&cluster->nodes, &cluster->node_unused, node->slot);
	free_images(cluster, node);
	cards_free_node(node);
	cluster_drop_profile(cluster, node->profile);
	label_sets_drop(cluster->label_sets, node->labels);
	symbols_drop(cluster->symbols, node->name);
	mem_free(node);
	cluster->shape++;
}

void cluster_drop_node(struct cluster *cluster, struct node_info *node)
{
	if (!node->there && list_is_empty(&node->tasks))
		node_free(cluster, node);
}

void cluster_free_nodes(struct cluster *cluster)
{
	for (size_t i = 0; i < cluster->nodes.len; i++)
		if (cluster->nodes.ptr[i])
			node_free(cluster, cluster->nodes.ptr[i]);
	vec_done(&cluster->nodes);
	for (int capacity = 0; capacity < CAPACITY_COUNT; capacity++)
		for (size_t dim = 0; dim < cluster->columns.dims; dim++)
			mem_free(cluster->columns.at[capacity][dim]);
	for (int i = 0; i < 2; i++) {
		mem_free(cluster->columns.nonzero[i]);
		mem_free(cluster->columns.percent[i]);
	}
	mem_free(cluster->columns.profile);
	mem_free(cluster->columns.foreign);
}

/* --- what a node says ------------------------------------------------------------------------ */

/* Make the allocatable of a node this vector. */
static void set_allocatable(struct cluster *cluster, struct node_info *node,
			    const struct resources *now)
{
	struct columns *cols = &cluster->columns;

	for (size_t dim = 0; dim < cols->dims; dim++) {
		int64_t by = resources_get(now, (int)dim) -
			     cols->at[CAPACITY_ALLOCATABLE][dim][node->slot];

		cols->at[CAPACITY_ALLOCATABLE][dim][node->slot] += by;
		cols->at[CAPACITY_IDLE][dim][node->slot] += by;
		cols->at[CAPACITY_FUTURE][dim][node->slot] += by;
		if (by)
			resources_count_one(&cluster->total, (int)dim, by);
	}
	for (int dim = DIM_CPU; dim <= DIM_MEMORY; dim++) {
		int64_t all = resources_get(now, dim);

		cols->percent[dim][node->slot] = all > 0 ? 100 / (double)all : 0;
	}
	node->present = now->present;
	ledger_note_change(cluster, node);
	cluster_unblock(cluster);
}

static bool same_allocatable(const struct cluster *cluster, const struct node_info *node,
			     const struct resources *now)
{
	for (size_t dim = 0; dim < cluster->columns.dims; dim++)
		if (cluster->columns.at[CAPACITY_ALLOCATABLE][dim][node->slot] !=
		    resources_get(now, (int)dim))
			return false;
	return node->present == now->present;
}

static int64_t whole_number(struct str text)
{
	int64_t value;

	return number_parse_i64(text, &value, NULL) == 0 && value > 0 ? value : 0;
}

/* Of a node with more kinds of resources than can be counted the others are used: who asks for one of those that
 * are left out waits, as if no node had it. */
static int read_allocatable(struct cluster *cluster, const struct node *view, struct resources *ret,
			    struct err *err)
{
	if (resources_add_list(ret, cluster->dims, DIMS_OFFER, &view->status.allocatable, err) < 0)
		return err_wrap(err, "status.allocatable");
	resources_add_to(
		ret, DIM_CPU,
		whole_number(labels_get(&view->meta.annotations, STR(OVERSUBSCRIBED_CPU))));
	resources_add_to(
		ret, DIM_MEMORY,
		whole_number(labels_get(&view->meta.annotations, STR(OVERSUBSCRIBED_MEMORY))));
	resources_bound(ret);
	return 0;
}

/* Other labels: what counts by domain has to count its tasks in the new ones. */
static void set_labels(struct cluster *cluster, struct node_info *node, struct label_set *labels,
		       bool there)
{
	LIST_EACH(&node->tasks, struct task, node_link, task)
		if (task->status != TASK_RELEASING || task->leaving)
			affinity_count(cluster->affinity, task, -1);
	label_sets_drop(cluster->label_sets, node->labels);
	node->labels = labels;
	affinity_set_node(cluster->affinity, node, there);
	hypernodes_note_node(cluster->hypernodes, node->slot);
	LIST_EACH(&node->tasks, struct task, node_link, task)
		if (task->status != TASK_RELEASING || task->leaving)
			affinity_count(cluster->affinity, task, 1);
	ledger_note_change(cluster, node);
}

static bool same_images(const struct cluster *cluster, const struct node_info *node,
			const struct node *view)
{
	size_t n = 0;

	for (size_t i = 0; i < view->status.images.len; i++) {
		const struct container_image *image = &view->status.images.ptr[i];

		for (size_t j = 0; j < image->names.len; j++, n++)
			if (n == node->image_count || node->images[n].bytes != image->size_bytes ||
			    !str_eq(symbols_text(cluster->symbols, node->images[n].name),
				    image->names.ptr[j]))
				return false;
	}
	return n == node->image_count;
}

static void set_images(struct cluster *cluster, struct node_info *node, const struct node *view)
{
	size_t count = 0;

	if (same_images(cluster, node, view))
		return;
	cluster->events++;
	free_images(cluster, node);
	for (size_t i = 0; i < view->status.images.len; i++)
		count += view->status.images.ptr[i].names.len;
	if (!count)
		return;
	node->images = mem_calloc(count, sizeof(*node->images));
	for (size_t i = 0; i < view->status.images.len; i++) {
		const struct container_image *image = &view->status.images.ptr[i];

		for (size_t j = 0; j < image->names.len; j++)
			node->images[node->image_count++] = (struct node_image){
				symbols_take(cluster->symbols, image->names.ptr[j]),
				image->size_bytes};
	}
	cluster->image_nodes++;
}

/* The node is there from now on, or is not. */
static void set_there(struct cluster *cluster, struct node_info *node, bool there)
{
	if (node->there == there)
		return;
	node->there = there;
	hypernodes_note_node(cluster->hypernodes, node->slot);
	cluster->shards_stale = true;
	if (there)
		cluster->node_count++;
	else
		cluster->node_count--;
	LIST_EACH(&node->tasks, struct task, node_link, task) {
		if (task->status == TASK_PIPELINED)
			continue;
		resources_count(&cluster->used, &task->class->request, there ? 1 : -1);
	}
	ledger_note_change(cluster, node);
}

static void count_hollow(struct cluster *cluster, struct node_info *node)
{
	struct columns *cols = &cluster->columns;
	bool hollow = node->there && (cols->percent[DIM_CPU][node->slot] == 0 ||
				      cols->percent[DIM_MEMORY][node->slot] == 0);

	cols->hollow += hollow;
	cols->hollow -= node->hollow;
	node->hollow = hollow;
}

/* Of the pairs "key:value" that were given, it must carry one. What is no pair selects nothing. */
static bool is_selected(const struct cluster *cluster, const struct labels *labels)
{
	bool asked = false;

	for (size_t i = 0; cluster->node_selector && cluster->node_selector[i]; i++) {
		struct str rest = str_from(cluster->node_selector[i]), key;
		const struct label *has;

		if (!str_split(&rest, ':', &key) || !rest.len)
			continue;
		asked = true;
		has = labels_find(labels, str_trim(key));
		if (has && str_eq(has->value, str_trim(rest)))
			return true;
	}
	return !asked;
}

int cluster_apply_node(struct cluster *cluster, struct json object, struct err *err)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(resources_done) struct resources allocatable = RESOURCES_INIT;
	struct node view;
	struct profile *profile;
	struct label_set *labels;
	struct node_info *node;

	if (type_decode(&node_type, object, arena, &view, err) < 0)
		return -1;
	if (!is_selected(cluster, &view.meta.labels)) {
		cluster_remove_node(cluster, view.meta.name);
		return 0;
	}
	if (read_allocatable(cluster, &view, &allocatable, err) < 0)
		return -1;
	profile = profile_take(cluster, object, err);
	if (!profile)
		return -1;
	node = cluster_make_node(cluster, view.meta.name);
	cluster_grow_columns(cluster);
	labels = label_sets_take(cluster->label_sets,
				 json_get(json_get(object, "metadata"), "labels"), NULL, NULL);
	if (labels != node->labels || !node->there)
		set_labels(cluster, node, labels, true);
	else
		label_sets_drop(cluster->label_sets, labels);
	if (profile != node->profile) {
		ledger_note_change(cluster, node);
		cluster_unblock(cluster);
	}
	cluster_drop_profile(cluster, node->profile);
	node->profile = profile;
	cluster->columns.profile[node->slot] = profile->id;
	set_there(cluster, node, true);
	if (!same_allocatable(cluster, node, &allocatable))
		set_allocatable(cluster, node, &allocatable);
	count_hollow(cluster, node);
	set_images(cluster, node, &view);
	cards_read_node(cluster, node, object);
	object_warnings_check(cluster->warnings, WARNING_NODE, node->text,
			      json_get(json_get(object, "metadata"), "annotations"), JSON_NONE);
	return 0;
}

void cluster_remove_node(struct cluster *cluster, struct str key)
{
	AUTO(resources_done) struct resources none = RESOURCES_INIT;
	struct node_info *node = map_get(cluster->node_names, key);

	if (!node || !node->there)
		return;
	object_warnings_forget(cluster->warnings, WARNING_NODE, node->text);
	cards_forget_node(cluster, node);
	set_allocatable(cluster, node, &none);
	set_labels(cluster, node, label_sets_take(cluster->label_sets, JSON_NONE, NULL, NULL),
		   false);
	set_there(cluster, node, false);
	count_hollow(cluster, node);
	cluster->columns.profile[node->slot] = NODE_ABSENT;
	cluster_drop_profile(cluster, node->profile);
	node->profile = NULL;
	cluster_drop_node(cluster, node);
}

const struct taint *cluster_common_taint(const struct cluster *cluster, const struct class *class)
{
	const struct taint *best = NULL;
	uint32_t most = 0;

	for (size_t i = 0; i < cluster->profile_by_id.len; i++) {
		const struct profile *profile = cluster->profile_by_id.ptr[i];
		const struct taint *taint;

		if (!profile || profile->refs <= most)
			continue;
		taint = taints_first_untolerated(&profile->taints, &class->terms->spec->tolerations,
						 TAINTS_THAT_FORBID);
		if (!taint)
			continue;
		best = taint;
		most = profile->refs;
	}
	return best;
}
