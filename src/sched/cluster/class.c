/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/class.c - terms and classes of pods; see the header.
 *
 * A key is bytes: of terms, namespace, label set and the parts of the pod that matter, printed with
 * sorted keys; of a class, the terms and the pod's resources. Decoding happens once for a
 * key.
 *
 * 1. Equal keys, one object, counted by its users.
 * 2. A request is exact for the dimensions that there are; what was under an unknown name is in
 *    DIM_OTHER, and `raw` is kept until it is not. */
#include "sched/cluster/class.h"

#include <assert.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "model/pod/pod.h"
#include "model/pod/pod_total.h"
#include "sched/cluster/cluster_internal.h"
#include "sched/device/cards.h"
#include "sched/place/finder.h"
#include "sched/place/numa.h"

#include "base/banned.h"

/* What of a pod's spec is in its terms as it stands. */
static const char *const term_fields[] = {"nodeSelector", "affinity", "tolerations",
					  "topologySpreadConstraints", "resourceClaims"};
/* Annotations that plugins read of pods, and that therefore distinguish classes. */
static const char *const term_annotations[] = {
	"volcano.sh/resource-strategy-scoring-type",
	"volcano.sh/resource-strategy-weight",
	"volcano.sh/numa-topology-policy",
	"volcano.sh/vgpu-mode",
	"volcano.sh/vgpu-podgroup-policy",
	"volcano.sh/vgpu-use-gpuuuid",
	"volcano.sh/vgpu-nouse-gpuuuid",
	"nvidia.com/use-gputype",
	"nvidia.com/nouse-gputype",
};
static const char *const container_lists[] = {"containers", "initContainers"};

/* --- labels that a selector uses --------------------------------------------------------- */

static void watch_key(struct cluster *cluster, struct str key)
{
	uint32_t symbol = symbols_take(cluster->symbols, key);

	while (cluster->watched.len <= symbol)
		vec_push(&cluster->watched, 0);
	if (cluster->watched.ptr[symbol]) {
		symbols_drop(cluster->symbols, symbol);
		return;
	}
	cluster->watched.ptr[symbol] = 1; /* and keeps its use for good */
	cluster->watched_more = true;
}

static void watch_selector(struct cluster *cluster, struct json holder)
{
	struct json selector = json_get(holder, "labelSelector");
	struct json_iter it = json_iter(json_get(selector, "matchLabels"));
	static const char *const lists[] = {"matchLabelKeys", "mismatchLabelKeys"};

	while (json_next(&it))
		watch_key(cluster, it.key);
	it = json_iter(json_get(selector, "matchExpressions"));
	while (json_next(&it))
		watch_key(cluster, json_str(json_get(it.value, "key")));
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		it = json_iter(json_get(holder, lists[i]));
		while (json_next(&it))
			watch_key(cluster, json_str(it.value));
	}
}

static void watch_keys(struct cluster *cluster, struct json spec)
{
	static const char *const sides[] = {"podAffinity", "podAntiAffinity"};
	struct json affinity = json_get(spec, "affinity");
	struct json_iter it;

	for (size_t i = 0; i < ARRAY_LEN(sides); i++) {
		struct json side = json_get(affinity, sides[i]);

		it = json_iter(json_get(side, "requiredDuringSchedulingIgnoredDuringExecution"));
		while (json_next(&it))
			watch_selector(cluster, it.value);
		it = json_iter(json_get(side, "preferredDuringSchedulingIgnoredDuringExecution"));
		while (json_next(&it))
			watch_selector(cluster, json_get(it.value, "podAffinityTerm"));
	}
	it = json_iter(json_get(spec, "topologySpreadConstraints"));
	while (json_next(&it))
		watch_selector(cluster, it.value);
}

static bool is_watched(void *arg, uint32_t key)
{
	const struct cluster *cluster = arg;

	return key < cluster->watched.len && cluster->watched.ptr[key];
}

/* --- keys ------------------------------------------------------------------------------------ */

enum { SEPARATOR = 0x1f };

static void put_json(struct buf *key, struct json value)
{
	json_print(value, JSON_CANONICAL, key);
	buf_putc(key, SEPARATOR);
}

static bool is_claim(struct json volume)
{
	return !json_is_absent(json_get(volume, "persistentVolumeClaim")) ||
	       !json_is_absent(json_get(volume, "ephemeral"));
}

static void put_containers(struct buf *key, struct json list)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		struct json_iter port = json_iter(json_get(it.value, "ports"));

		buf_put_str(key, json_str(json_get(it.value, "image")));
		while (json_next(&port))
			if (json_int(json_get(port.value, "hostPort"))) {
				buf_put_str(key, json_str(json_get(it.value, "restartPolicy")));
				put_json(key, port.value);
			}
		buf_putc(key, SEPARATOR);
	}
}

static void put_terms(struct buf *key, struct json pod)
{
	struct json spec = json_get(pod, "spec");
	struct json notes = json_get(json_get(pod, "metadata"), "annotations");
	struct json_iter it = json_iter(json_get(spec, "volumes"));

	for (size_t i = 0; i < ARRAY_LEN(term_fields); i++)
		put_json(key, json_get(spec, term_fields[i]));
	for (size_t i = 0; i < ARRAY_LEN(container_lists); i++)
		put_containers(key, json_get(spec, container_lists[i]));
	while (json_next(&it))
		if (is_claim(it.value))
			put_json(key, it.value);
	for (size_t i = 0; i < ARRAY_LEN(term_annotations); i++)
		put_json(key, json_get(notes, term_annotations[i]));
}

/* What a container's status says that it has, where that is not what it asks for: nearly always it is,
 * and then running pods are of the class in which they waited. */
static bool put_reported(struct buf *key, struct json container, struct json statuses)
{
	struct json asked = json_get(json_get(container, "resources"), "requests");
	struct json_iter it = json_iter(statuses);

	while (json_next(&it)) {
		struct json resources = json_get(it.value, "resources");
		struct json has[] = {json_get(resources, "requests"),
				     json_get(it.value, "allocatedResources")};
		bool same = json_eq(has[0], asked) &&
			    (json_is_absent(has[1]) || json_eq(has[1], asked));

		if (!json_is(resources, JSON_OBJ) || same ||
		    !str_eq(json_str(json_get(it.value, "name")),
			    json_str(json_get(container, "name"))))
			continue;
		put_json(key, has[0]);
		put_json(key, has[1]);
		return true;
	}
	return false;
}

static bool is_infeasible(struct json status)
{
	struct json_iter it = json_iter(json_get(status, "conditions"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), "PodResizePending"))
			return str_is(json_str(json_get(it.value, "reason")), "Infeasible");
	return false;
}

static bool is_extended(struct str name)
{
	return str_find_byte(name, '/', 0) >= 0;
}

/* Cards are asked for by limits. Says whether there are any of extended resources. */
static bool put_limits(struct buf *key, struct json limits)
{
	struct json_iter it = json_iter(limits);
	bool any = false;

	while (json_next(&it)) {
		if (!is_extended(it.key))
			continue;
		buf_put_str(key, it.key);
		put_json(key, it.value);
		any = true;
	}
	return any;
}

/* A pod without a limit of cpu is not, which is quick to see. */
static bool is_guaranteed(struct json pod)
{
	struct json spec = json_get(pod, "spec");
	struct json first = json_at(json_get(spec, "containers"), 0);
	struct json limits = json_get(json_get(first, "resources"), "limits");

	if (json_is_absent(json_get(limits, "cpu")) && json_is_absent(json_get(spec, "resources")))
		return false;
	return pod_qos_of(pod) == POD_QOS_GUARANTEED;
}

/* Of cpu and memory, in the order of DIM_CPU and DIM_MEMORY. */
static const char *const load_names[] = {"cpu", "memory"};

static void put_limits_of_load(struct buf *key, struct json container)
{
	struct json limits = json_get(json_get(container, "resources"), "limits");

	for (size_t i = 0; i < ARRAY_LEN(load_names) && json_len(limits); i++)
		put_json(key, json_get(limits, load_names[i]));
}

/* Says whether extended resources are asked for. */
static bool put_resources(struct buf *key, struct json pod)
{
	static const char *const status_lists[] = {"containerStatuses", "initContainerStatuses"};
	struct json spec = json_get(pod, "spec");
	struct json status = json_get(pod, "status");
	bool guaranteed = is_guaranteed(pod);
	bool reported = false, extended = false;

	for (size_t i = 0; i < ARRAY_LEN(container_lists); i++) {
		struct json_iter it = json_iter(json_get(spec, container_lists[i]));
		struct json statuses = json_get(status, status_lists[i]);

		while (json_next(&it)) {
			buf_put_str(key, json_str(json_get(it.value, "restartPolicy")));
			put_json(key, json_get(json_get(it.value, "resources"), "requests"));
			extended |= put_limits(key,
					       json_get(json_get(it.value, "resources"), "limits"));
			if (guaranteed)
				put_json(key, json_get(it.value, "name"));
			else
				put_limits_of_load(key, it.value);
			reported |= put_reported(key, it.value, statuses);
		}
		buf_putc(key, SEPARATOR);
	}
	put_json(key, json_get(spec, "overhead"));
	put_json(key, json_get(json_get(spec, "resources"), "requests"));
	if (reported && is_infeasible(status))
		buf_putc(key, '!');
	if (guaranteed)
		buf_putc(key, 'g');
	return extended;
}

/* --- requests -------------------------------------------------------------------------------- */

static void fill_containers(const struct containers *from, const struct container_statuses *seen,
			    struct request_container *to)
{
	for (size_t i = 0; i < from->len; i++) {
		to[i].requests = from->ptr[i].resources.requests;
		to[i].sidecar = container_is_sidecar(&from->ptr[i]);
		for (size_t j = 0; j < seen->len; j++) {
			const struct container_status *s = &seen->ptr[j];

			if (!str_eq(s->name, from->ptr[i].name) || !s->resources)
				continue;
			to[i].reported = s->resources->requests;
			to[i].allocated = s->allocated_resources;
			to[i].resized = true;
		}
	}
}

/* What stands for a request that a container does not name, where a score must not take it for
 * nothing. */
enum { UNSET_CPU = 100, UNSET_MEMORY = 200 * 1024 * 1024 };

static void fill_unset(struct arena *arena, struct request_container *container)
{
	const struct resource_amount unset[] = {
		{STR("cpu"), resources_quantity(DIM_CPU, UNSET_CPU)},
		{STR("memory"), resources_quantity(DIM_MEMORY, UNSET_MEMORY)},
	};
	struct resource_list *list = &container->requests;

	for (size_t i = 0; i < ARRAY_LEN(unset); i++) {
		struct resource_amount *more;
		bool named = false;

		for (size_t j = 0; j < list->len; j++)
			named |= str_eq(list->ptr[j].name, unset[i].name);
		if (named)
			continue;
		more = arena_calloc(arena, list->len + 1, sizeof(*more));
		if (list->len)
			memcpy(more, list->ptr, list->len * sizeof(*more));
		more[list->len] = unset[i];
		list->ptr = more;
		list->len++;
	}
}

/* What a pod asks for, and what of that where each container asks for a little at least. */
struct pod_requests {
	struct resources plain;
	struct resources nonzero;
};

static void pod_requests_done(struct pod_requests *requests)
{
	resources_done(&requests->plain);
	resources_done(&requests->nonzero);
}
DEFINE_AUTO_IN_PLACE(struct pod_requests, pod_requests_done);

static int read_requests(struct cluster *cluster, struct json pod, struct pod_requests *ret,
			 struct err *err)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct pod_spec spec;
	struct pod_status status;
	struct request_pod request = {0};
	struct request_container *all;
	size_t count;

	if (type_decode(&pod_spec_type, json_get(pod, "spec"), arena, &spec, err) < 0 ||
	    type_decode(&pod_status_type, json_get(pod, "status"), arena, &status, err) < 0)
		return -1;
	count = spec.containers.len + spec.init_containers.len;
	all = arena_calloc(arena, count + 1, sizeof(*all));
	fill_containers(&spec.containers, &status.statuses, all);
	fill_containers(&spec.init_containers, &status.init_statuses, all + spec.containers.len);
	request.containers = all;
	request.container_count = spec.containers.len;
	request.init = all + spec.containers.len;
	request.init_count = spec.init_containers.len;
	request.overhead = spec.overhead;
	if (spec.resources)
		request.pod_level = spec.resources->requests;
	request.resize_infeasible = is_infeasible(json_get(pod, "status"));
	if (resources_add_pod(&ret->plain, cluster->dims, DIMS_FIND, &request, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		fill_unset(arena, &all[i]);
	return resources_add_pod(&ret->nonzero, cluster->dims, DIMS_FIND, &request, err);
}

static void read_limits(struct class *class, struct json pod)
{
	struct json_iter it = json_iter(json_get(json_get(pod, "spec"), "containers"));

	while (json_next(&it)) {
		struct json limits = json_get(json_get(it.value, "resources"), "limits");
		struct quantity amount;

		for (size_t i = 0; i < ARRAY_LEN(load_names); i++)
			if (pod_total_read(json_get(limits, load_names[i]), &amount) == 0)
				class->limits[i] = number_add(
					class->limits[i], i == DIM_CPU ? quantity_milli(&amount)
								       : quantity_value(&amount));
	}
}

static void set_derived(struct class *class)
{
	class->dims = resources_dims(&class->request);
	class->empty = resources_is_empty(&class->request);
}

static void set_requests(struct class *class, const struct pod_requests *requests)
{
	resources_copy(&class->request, &requests->plain);
	class->nonzero_cpu = resources_get(&requests->nonzero, DIM_CPU);
	class->nonzero_memory = resources_get(&requests->nonzero, DIM_MEMORY);
	set_derived(class);
}

/* --- terms ----------------------------------------------------------------------------------- */

static struct json copy_containers(struct json_doc *doc, struct json list)
{
	struct json to = json_new_arr(doc);
	struct json_iter it = json_iter(list);

	while (json_next(&it)) {
		struct json one = json_new_obj(doc);
		static const char *const keep[] = {"name", "image", "ports", "restartPolicy"};

		for (size_t i = 0; i < ARRAY_LEN(keep); i++) {
			struct json value = json_get(it.value, keep[i]);

			if (!json_is_absent(value))
				json_add(doc, one, str_from(keep[i]), json_new_copy(doc, value));
		}
		json_append(doc, to, one);
	}
	return to;
}

/* A document with just what terms are made of. */
static struct json_doc *terms_doc(struct json pod)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json spec = json_get(pod, "spec");
	struct json notes = json_get(json_get(pod, "metadata"), "annotations");
	struct json root = json_new_obj(doc), to = json_new_obj(doc), kept = json_new_obj(doc);
	struct json volumes = json_new_arr(doc);
	struct json_iter it = json_iter(json_get(spec, "volumes"));

	json_doc_set_root(doc, root);
	json_set(doc, root, STR("spec"), to);
	json_set(doc, root, STR("annotations"), kept);
	for (size_t i = 0; i < ARRAY_LEN(term_fields); i++) {
		struct json value = json_get(spec, term_fields[i]);

		if (!json_is_absent(value))
			json_add(doc, to, str_from(term_fields[i]), json_new_copy(doc, value));
	}
	for (size_t i = 0; i < ARRAY_LEN(container_lists); i++)
		json_add(doc, to, str_from(container_lists[i]),
			 copy_containers(doc, json_get(spec, container_lists[i])));
	while (json_next(&it))
		if (is_claim(it.value))
			json_append(doc, volumes, json_new_copy(doc, it.value));
	json_add(doc, to, STR("volumes"), volumes);
	for (size_t i = 0; i < ARRAY_LEN(term_annotations); i++) {
		struct json value = json_get(notes, term_annotations[i]);

		if (!json_is_absent(value))
			json_add(doc, kept, str_from(term_annotations[i]),
				 json_new_copy(doc, value));
	}
	return json_doc_freeze(root);
}

/* Nodes report images with their tags. */
static uint32_t take_image(struct cluster *cluster, struct str image)
{
	AUTO(buf_done) struct buf name = BUF_INIT(SIZE_MAX);

	buf_put_str(&name, image);
	if (str_rfind_byte(image, ':') <= str_rfind_byte(image, '/'))
		buf_puts(&name, ":latest");
	return symbols_take(cluster->symbols, buf_str(&name));
}

/* An init container that ends before the others start needs no port of the node for itself. */
static void add_container(struct cluster *cluster, struct terms *terms,
			  const struct container *container, bool starts_only)
{
	terms->images[terms->image_count++] = take_image(cluster, container->image);
	for (size_t j = 0; j < container->ports.len; j++) {
		const struct container_port *port = &container->ports.ptr[j];
		bool any = !port->host_ip.len || str_is(port->host_ip, "0.0.0.0");

		if (port->host_port <= 0 || starts_only)
			continue;
		terms->ports[terms->port_count++] = (struct host_port){
			.ip = any ? SYMBOL_NONE : symbols_take(cluster->symbols, port->host_ip),
			.protocol = symbols_take(cluster->symbols,
						 port->protocol.len ? port->protocol : STR("TCP")),
			.port = port->host_port,
		};
	}
}

static void set_containers(struct cluster *cluster, struct terms *terms)
{
	const struct containers *lists[] = {&terms->spec->containers,
					    &terms->spec->init_containers};
	size_t ports = 0;

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		terms->container_count += lists[i]->len;
		for (size_t j = 0; j < lists[i]->len; j++)
			ports += lists[i]->ptr[j].ports.len;
	}
	terms->ports = arena_calloc(terms->arena, ports + 1, sizeof(*terms->ports));
	terms->images =
		arena_calloc(terms->arena, terms->container_count + 1, sizeof(*terms->images));
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		for (size_t j = 0; j < lists[i]->len; j++)
			add_container(cluster, terms, &lists[i]->ptr[j],
				      i && !container_is_sidecar(&lists[i]->ptr[j]));
}

/* Does what it says about nodes look at their names? */
static bool looks_at_names(struct json spec)
{
	AUTO(buf_done) struct buf text = BUF_INIT(SIZE_MAX);

	json_print(json_get(spec, "nodeSelector"), JSON_COMPACT, &text);
	json_print(json_get(json_get(spec, "affinity"), "nodeAffinity"), JSON_COMPACT, &text);
	return str_find(buf_str(&text), STR("kubernetes.io/hostname"), 0) >= 0 ||
	       str_find(buf_str(&text), STR("\"matchFields\""), 0) >= 0;
}

static void set_pod_terms(struct cluster *cluster, struct terms *terms)
{
	const struct affinity *a = terms->spec->affinity;
	struct affinity_index *index = cluster->affinity;
	const struct pod_affinity *sides[] = {a ? a->pod : NULL, a ? a->anti : NULL};

	for (size_t s = 0; s < ARRAY_LEN(sides); s++) {
		if (!sides[s])
			continue;
		for (size_t i = 0; i < sides[s]->required.len; i++) {
			struct pod_term *term =
				affinity_take(index, terms, &sides[s]->required.ptr[i],
					      s ? TERM_ANTI : TERM_AFFINITY, 0);
			if (s)
				vec_push(&terms->anti, term);
			else
				vec_push(&terms->affinity, term);
		}
		for (size_t i = 0; i < sides[s]->preferred.len; i++) {
			const struct weighted_pod_term *soft = &sides[s]->preferred.ptr[i];
			int32_t weight = s ? -soft->weight : soft->weight;

			vec_push(&terms->soft,
				 (struct soft_term){affinity_take(index, terms, &soft->term,
								  TERM_SOFT, weight),
						    weight});
		}
	}
	if (terms->affinity.len > 1)
		affinity_join(index, terms->affinity.ptr, terms->affinity.len);
	for (size_t i = 0; i < terms->spec->spread.len; i++) {
		const struct topology_spread *rule = &terms->spec->spread.ptr[i];
		struct pod_term *term = affinity_take_spread(index, terms, rule);

		vec_push(&terms->spread,
			 (struct spread_term){rule, term, affinity_matches(index, term, terms)});
	}
}

static void terms_drop(struct cluster *cluster, struct terms *terms)
{
	if (!terms || --terms->refs)
		return;
	affinity_forget_terms(cluster->affinity, terms);
	if (terms->key.ptr)
		map_remove(cluster->terms, terms->key);
	ids_drop(&cluster->terms_by_id, &cluster->terms_unused, terms->id);
	for (size_t i = 0; i < terms->image_count; i++)
		symbols_drop(cluster->symbols, terms->images[i]);
	for (size_t i = 0; i < terms->port_count; i++) {
		symbols_drop(cluster->symbols, terms->ports[i].ip);
		symbols_drop(cluster->symbols, terms->ports[i].protocol);
	}
	symbols_drop(cluster->symbols, terms->namespace);
	label_sets_drop(cluster->label_sets, terms->labels);
	mem_free((char *)terms->key.ptr);
	arena_free(terms->arena);
	json_doc_unref(terms->doc);
	mem_free(terms);
}

/* Of a document as terms_doc() makes it; takes `doc` and `labels`. */
static struct terms *terms_new(struct cluster *cluster, struct json_doc *doc,
			       struct label_set *labels, uint32_t namespace, struct err *err)
{
	struct terms *terms = mem_new(struct terms);
	struct json root = json_doc_root(doc);
	const struct affinity *affinity;
	struct pod_spec *spec;

	terms->refs = 1;
	terms->id = ids_take(&cluster->terms_by_id, &cluster->terms_unused, terms);
	terms->doc = doc;
	terms->labels = labels;
	terms->namespace = symbols_ref(cluster->symbols, namespace);
	terms->arena = arena_new(0);
	spec = arena_new_of(terms->arena, struct pod_spec);
	terms->spec = spec;
	if (type_decode(&pod_spec_type, json_get(root, "spec"), terms->arena, spec, err) < 0) {
		*spec = (struct pod_spec){0};
		terms_drop(cluster, terms);
		return NULL;
	}
	affinity = spec->affinity;
	terms->annotations = json_get(root, "annotations");
	terms->selects_nodes =
		spec->node_selector.len || (affinity && affinity->node && affinity->node->required);
	terms->prefers_nodes = affinity && affinity->node && affinity->node->preferred.len;
	terms->by_name = looks_at_names(json_get(root, "spec"));
	terms->has_claims = spec->volumes.len;
	set_containers(cluster, terms);
	affinity_match_terms(cluster->affinity, terms);
	set_pod_terms(cluster, terms);
	return terms;
}

/* The beginning of a key of terms. */
static void put_head(struct buf *key, uint32_t namespace, const struct label_set *labels)
{
	buf_put(key, &namespace, sizeof(namespace));
	buf_put(key, &labels, sizeof(labels)); /* sets stand once: the address is its name */
}
enum { KEY_HEAD = sizeof(uint32_t) + sizeof(struct label_set *) };

static void terms_add(struct cluster *cluster, struct terms *terms, struct buf *key)
{
	terms->key.len = key->len;
	terms->key.ptr = buf_take(key);
	map_put(cluster->terms, terms->key, terms);
}

static struct terms *terms_take(struct cluster *cluster, struct json pod,
				const struct label_set *labels, uint32_t namespace, struct err *err)
{
	AUTO(buf_done) struct buf key = BUF_INIT(SIZE_MAX);
	struct label_set *watched;
	struct terms *terms;

	watch_keys(cluster, json_get(pod, "spec"));
	watched = label_sets_take_part(cluster->label_sets, labels, is_watched, cluster);
	put_head(&key, namespace, watched);
	put_terms(&key, pod);
	terms = map_get(cluster->terms, buf_str(&key));
	if (terms) {
		label_sets_drop(cluster->label_sets, watched);
		terms->refs++;
		return terms;
	}
	terms = terms_new(cluster, terms_doc(pod), watched, namespace, err);
	if (terms)
		terms_add(cluster, terms, &key);
	return terms;
}

/* --- classes --------------------------------------------------------------------------------- */

struct class *class_ref(struct class *class)
{
	class->refs++;
	return class;
}

void class_drop(struct cluster *cluster, struct class *class)
{
	if (!class || --class->refs)
		return;
	finder_free(cluster, class->finder);
	if (class->key.ptr)
		map_remove(cluster->classes, class->key);
	ids_drop(&cluster->class_by_id, &cluster->class_unused, class->id);
	terms_drop(cluster, class->terms);
	resources_done(&class->request);
	cards_free_class(class);
	json_doc_unref(class->resources);
	cpu_ask_unref(class->cpu_ask);
	json_doc_unref(class->raw);
	mem_free((char *)class->key.ptr);
	mem_free(class);
}

/* Takes `terms` and the key. */
static struct class *class_add(struct cluster *cluster, struct terms *terms, struct buf *key)
{
	struct class *class = mem_new(struct class);

	class->refs = 1;
	class->terms = terms;
	class->id = ids_take(&cluster->class_by_id, &cluster->class_unused, class);
	class->key.len = key->len;
	class->key.ptr = buf_take(key);
	map_put(cluster->classes, class->key, class);
	return class;
}

/* The parts of a pod that its request is read from. */
static struct json_doc *raw_doc(struct json pod)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc), to = json_new_obj(doc);
	struct json spec = json_get(pod, "spec");
	static const char *const keep[] = {"containers", "initContainers", "overhead", "resources"};

	json_doc_set_root(doc, root);
	json_set(doc, root, STR("spec"), to);
	for (size_t i = 0; i < ARRAY_LEN(keep); i++) {
		struct json value = json_get(spec, keep[i]);

		if (!json_is_absent(value))
			json_add(doc, to, str_from(keep[i]), json_new_copy(doc, value));
	}
	return json_doc_freeze(root);
}

struct class *class_take(struct cluster *cluster, struct json pod, const struct label_set *labels,
			 uint32_t namespace, struct err *err)
{
	AUTO(buf_done) struct buf key = BUF_INIT(SIZE_MAX);
	AUTO(pod_requests_done) struct pod_requests requests = {RESOURCES_INIT, RESOURCES_INIT};
	struct terms *terms = terms_take(cluster, pod, labels, namespace, err);
	struct class *class;
	bool extended;

	if (!terms)
		return NULL;
	buf_put(&key, &terms->id, sizeof(terms->id));
	extended = put_resources(&key, pod);
	class = map_get(cluster->classes, buf_str(&key));
	if (class) {
		terms_drop(cluster, terms);
		return class_ref(class);
	}
	class = class_add(cluster, terms, &key);
	if (read_requests(cluster, pod, &requests, err) < 0) {
		class_drop(cluster, class);
		return NULL;
	}
	set_requests(class, &requests);
	if (is_guaranteed(pod))
		class->cpu_ask = cpu_ask_new(pod);
	read_limits(class, pod);
	if (resources_get(&class->request, DIM_OTHER))
		class->raw = raw_doc(pod);
	if (extended)
		class->resources = raw_doc(pod);
	cards_read_class(cluster, class);
	return class;
}

struct class *class_take_like(struct cluster *cluster, struct class *like,
			      const struct label_set *labels)
{
	AUTO(buf_done) struct buf key = BUF_INIT(SIZE_MAX);
	AUTO(buf_done) struct buf class_key = BUF_INIT(SIZE_MAX);
	struct label_set *watched =
		label_sets_take_part(cluster->label_sets, labels, is_watched, cluster);
	const struct terms *old = like->terms;
	struct terms *terms;
	struct class *class;

	if (watched == old->labels) {
		label_sets_drop(cluster->label_sets, watched);
		return class_ref(like);
	}
	put_head(&key, old->namespace, watched);
	buf_put_str(&key, str_skip(old->key, KEY_HEAD));
	terms = map_get(cluster->terms, buf_str(&key));
	if (terms) {
		label_sets_drop(cluster->label_sets, watched);
		terms->refs++;
	} else {
		terms = terms_new(cluster, json_doc_ref(old->doc), watched, old->namespace, NULL);
		assert(terms); /* it has been decoded before */
		terms_add(cluster, terms, &key);
	}
	buf_put(&class_key, &terms->id, sizeof(terms->id));
	buf_put_str(&class_key, str_skip(like->key, sizeof(terms->id)));
	class = map_get(cluster->classes, buf_str(&class_key));
	if (class) {
		terms_drop(cluster, terms);
		return class_ref(class);
	}
	class = class_add(cluster, terms, &class_key);
	resources_copy(&class->request, &like->request);
	class->nonzero_cpu = like->nonzero_cpu;
	class->nonzero_memory = like->nonzero_memory;
	class->cpu_ask = cpu_ask_ref(like->cpu_ask);
	memcpy(class->limits, like->limits, sizeof(class->limits));
	class->raw = like->raw ? json_doc_ref(like->raw) : NULL;
	class->resources = like->resources ? json_doc_ref(like->resources) : NULL;
	set_derived(class);
	cards_read_class(cluster, class);
	return class;
}

void classes_read_again(struct cluster *cluster)
{
	for (size_t i = 0; i < cluster->class_by_id.len; i++) {
		struct class *class = cluster->class_by_id.ptr[i];
		AUTO(pod_requests_done)
		struct pod_requests again = {RESOURCES_INIT, RESOURCES_INIT};
		size_t at = 0;
		void *value;

		if (!class || !class->raw ||
		    read_requests(cluster, json_doc_root(class->raw), &again, NULL) < 0)
			continue;
		while (map_next(cluster->tasks, &at, NULL, &value))
			if (((struct task *)value)->class == class)
				ledger_lift(cluster, value);
		set_requests(class, &again);
		cards_read_class(cluster, class);
		at = 0;
		while (map_next(cluster->tasks, &at, NULL, &value))
			if (((struct task *)value)->class == class)
				ledger_put(cluster, value);
		if (!resources_get(&class->request, DIM_OTHER)) {
			json_doc_unref(class->raw);
			class->raw = NULL;
		}
	}
	cluster->shape++;
}

static bool is_ignored(const struct cluster *cluster, struct json list)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (dims_is_ignored(cluster->dims, it.key))
			return true;
	return false;
}

/* Does a pod ask for something that is not counted any more? */
static bool asks_for_ignored(const struct cluster *cluster, struct json spec)
{
	for (size_t i = 0; i < ARRAY_LEN(container_lists); i++) {
		struct json_iter it = json_iter(json_get(spec, container_lists[i]));

		while (json_next(&it))
			if (is_ignored(cluster,
				       json_get(json_get(it.value, "resources"), "requests")))
				return true;
	}
	return false;
}

void classes_read_devices(struct cluster *cluster)
{
	for (size_t i = 0; i < cluster->class_by_id.len; i++) {
		struct class *class = cluster->class_by_id.ptr[i];
		AUTO(pod_requests_done)
		struct pod_requests again = {RESOURCES_INIT, RESOURCES_INIT};

		if (!class || !class->resources)
			continue;
		if (asks_for_ignored(cluster, json_get(json_doc_root(class->resources), "spec")) &&
		    read_requests(cluster, json_doc_root(class->resources), &again, NULL) == 0) {
			set_requests(class, &again);
			json_doc_unref(class->raw);
			class->raw = resources_get(&class->request, DIM_OTHER)
					     ? json_doc_ref(class->resources)
					     : NULL;
		}
		cards_read_class(cluster, class);
	}
}
