/* SPDX-License-Identifier: Apache-2.0 */
/* sched/device/device_read.c - annotations and limits to pools, asks and pieces (additions, 1.1, 1.3, 1.4, 1.7, 1.8).
 *
 * A registration that makes no sense discards all cards of its node, with the reason: half a node would look like a
 * smaller one. Of what a pod holds every entry that makes sense counts. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/number.h"
#include "model/pod/pod.h"
#include "model/value/quantity.h"
#include "sched/cluster/cluster.h"
#include "sched/device/device.h"

#include "base/banned.h"

#define VGPU_REGISTER "volcano.sh/node-vgpu-register"
#define VGPU_NODE "volcano.sh/vgpu-node"
#define VGPU_IDS "volcano.sh/vgpu-ids-new"
#define VGPU_TIME "volcano.sh/vgpu-time"
#define UNHEALTHY_IDS "volcano.sh/gpu-unhealthy-ids"
#define SHARE_MEMORY "volcano.sh/gpu-memory"
#define SHARE_NUMBER "volcano.sh/gpu-number"
#define SHARE_INDEX "volcano.sh/gpu-index"
#define NPU_NODE "hami.io/vgpu-node"
#define NPU_REGISTER_PREFIX "hami.io/node-register-"
#define NPU_HELD_SUFFIX "-devices-allocated"

/* Larger than any card, and small enough to be summed. */
#define MEMORY_MAX (INT64_C(1) << 40)
enum { COUNT_MAX = 1 << 20, CORES_MAX = 1 << 20, VGPU_CORES = 100 };

/* --- what is kept --------------------------------------------------------------------------------- */

static bool is_node_note(struct str key)
{
	return str_is(key, VGPU_REGISTER) || str_is(key, UNHEALTHY_IDS) ||
	       str_starts(key, STR(NPU_REGISTER_PREFIX));
}

static bool is_pod_note(struct str key)
{
	return str_is(key, VGPU_NODE) || str_is(key, VGPU_IDS) || str_is(key, VGPU_TIME) ||
	       str_is(key, SHARE_INDEX) || str_is(key, NPU_NODE) ||
	       (str_starts(key, STR("hami.io/")) && str_ends(key, STR(NPU_HELD_SUFFIX)));
}

static bool is_extended(struct str key)
{
	return str_find_byte(key, '/', 0) >= 0;
}

static bool copy_some(struct json_doc *doc, struct json from, struct json to,
		      bool (*wanted)(struct str key))
{
	struct json_iter it = json_iter(from);
	bool any = false;

	while (json_next(&it))
		if (wanted(it.key)) {
			json_add(doc, to, it.key, json_new_copy(doc, it.value));
			any = true;
		}
	return any;
}

struct json_doc *device_node_notes(struct json node)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json status = json_get(node, "status"), capacity = json_get(status, "capacity");
	struct json root = json_new_obj(doc);
	bool registers;

	json_doc_set_root(doc, root);
	registers = copy_some(doc, json_get(json_get(node, "metadata"), "annotations"),
			      json_ensure_obj(doc, root, "annotations"), is_node_note);
	if (!registers && json_is_absent(json_get(capacity, SHARE_NUMBER)))
		return NULL;
	copy_some(doc, json_get(status, "allocatable"), json_ensure_obj(doc, root, "allocatable"),
		  is_extended);
	copy_some(doc, capacity, json_ensure_obj(doc, root, "capacity"), is_extended);
	return json_doc_freeze(root);
}

struct json_doc *device_pod_notes(struct json annotations)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json_iter it = json_iter(annotations);
	bool any = false;
	struct json root;

	while (json_next(&it))
		any |= is_pod_note(it.key);
	if (!any)
		return NULL;
	doc = json_doc_new();
	root = json_new_obj(doc);
	json_doc_set_root(doc, root);
	copy_some(doc, annotations, root, is_pod_note);
	return json_doc_freeze(root);
}

/* --- registrations -------------------------------------------------------------------------------- */

/* A whole amount of a resource list; 0 where there is none. */
static int64_t amount_of(struct json list, struct str name)
{
	struct json value = json_get_str(list, name);
	struct quantity q;

	if (json_is(value, JSON_INT))
		return json_int(value);
	if (!json_is(value, JSON_STR) || quantity_parse(json_str(value), &q, NULL) < 0)
		return 0;
	return quantity_value(&q);
}

static bool is_known(const struct device_pool *pool, struct str id)
{
	uint16_t at;

	return pool_find_card(pool, id, &at);
}

static void make_instances(struct arena *arena, struct card *card)
{
	for (enum device_view view = 0; view < DEVICE_VIEW_COUNT; view++)
		card->instances[view] =
			arena_calloc(arena, card->mig->size + 1, sizeof(*card->instances[view]));
}

/* "uuid,count,memory,type,health,mode" */
static const char *read_vgpu(struct arena *arena, const struct device_pool *pool, struct str text,
			     struct card *card, struct str *ret_mode)
{
	enum { ID, COUNT, MEMORY, TYPE, HEALTH, MODE, FIELD_COUNT };
	struct str fields[FIELD_COUNT];
	size_t n = 0;
	struct str part;

	while (n < FIELD_COUNT && str_split(&text, ',', &part))
		fields[n++] = part;
	if (n < FIELD_COUNT)
		return arena_printf(arena, "a card is registered with %zu fields, not 6", n);
	*card = (struct card){.cores = VGPU_CORES};
	card->id = arena_str(arena, fields[ID]);
	card->model = arena_str(arena, fields[TYPE]);
	if (!card->id.len || is_known(pool, card->id))
		return arena_printf(arena, "the card id \"%.*s\" is empty or registered twice",
				    STR_ARG(card->id));
	if (number_parse_range(fields[COUNT], 0, COUNT_MAX, &card->count, NULL) < 0)
		return arena_printf(arena, "card %.*s: the count \"%.*s\" is not a number",
				    STR_ARG(card->id), STR_ARG(fields[COUNT]));
	if (number_parse_range(fields[MEMORY], 0, MEMORY_MAX, &card->memory, NULL) < 0)
		return arena_printf(arena, "card %.*s: the memory \"%.*s\" is not a number",
				    STR_ARG(card->id), STR_ARG(fields[MEMORY]));
	if (number_parse_bool(fields[HEALTH], &card->healthy, NULL) < 0)
		card->healthy = false;
	*ret_mode = str_trim(fields[MODE]);
	return NULL;
}

static size_t count_parts(struct str text, char separator)
{
	size_t count = 0;
	struct str part;

	while (str_split(&text, separator, &part))
		count++;
	return count;
}

/* The node's mode is that of its last card; a card whose geometries are not known cannot be cut up. */
static void set_modes(const struct devices *devices, struct arena *arena, struct device_pool *pool,
		      const bool *mig)
{
	pool->mig = pool->len && mig[pool->len - 1];
	for (size_t i = 0; i < pool->len; i++)
		if (mig[i] && !device_config_find_model(devices->config, pool->cards[i].model))
			pool->mig = false;
	for (size_t i = 0; pool->mig && i < pool->len; i++) {
		struct card *card = &pool->cards[i];

		card->mig = device_config_find_model(devices->config, card->model);
		if (card->mig)
			make_instances(arena, card);
	}
}

static const char *read_vgpus(const struct devices *devices, struct arena *arena, struct json notes,
			      struct device_pool *pool)
{
	struct json allocatable = json_get(notes, "allocatable");
	struct json value = json_get(json_get(notes, "annotations"), VGPU_REGISTER);
	struct str text = json_str(value), part, mode = str_none();
	size_t most = count_parts(text, ':');
	bool *mig;

	if (!json_is(value, JSON_STR))
		return NULL;
	if (str_find_byte(text, ':', 0) < 0 || most > CARDS_MAX)
		return "the registration has no ':', or too many cards";
	pool->cards = arena_calloc(arena, most + 1, sizeof(*pool->cards));
	mig = arena_calloc(arena, most + 1, sizeof(*mig));
	while (str_split(&text, ':', &part)) {
		const char *wrong;

		if (!part.len)
			continue;
		wrong = read_vgpu(arena, pool, part, &pool->cards[pool->len], &mode);
		if (wrong)
			return wrong;
		mig[pool->len++] = str_is(mode, "mig");
	}
	if (amount_of(allocatable, devices->config->count_name) <= 0)
		return arena_printf(arena, "the node offers no %.*s",
				    STR_ARG(devices->config->count_name));
	if (amount_of(allocatable, devices->config->memory_name) <= 0)
		return arena_printf(arena, "the node offers no %.*s",
				    STR_ARG(devices->config->memory_name));
	if (amount_of(allocatable, devices->config->cores_name) <= 0)
		return arena_printf(arena, "the node offers no %.*s",
				    STR_ARG(devices->config->cores_name));
	set_modes(devices, arena, pool, mig);
	return NULL;
}

/* Cards of gpu-share are equal parts of what the node has; their ids are their numbers. */
static const char *read_shares(struct arena *arena, struct json notes, struct device_pool *pool)
{
	struct json capacity = json_get(notes, "capacity");
	int64_t number = amount_of(capacity, STR(SHARE_NUMBER));
	int64_t memory = amount_of(capacity, STR(SHARE_MEMORY));
	struct str sick = json_str(json_get(json_get(notes, "annotations"), UNHEALTHY_IDS));
	struct str part;

	if (number <= 0 || memory <= 0)
		return NULL;
	if (number > CARDS_MAX)
		return arena_printf(arena, "%lld cards are more than %d", (long long)number,
				    CARDS_MAX);
	pool->cards = arena_calloc(arena, (size_t)number, sizeof(*pool->cards));
	for (; pool->len < (size_t)number; pool->len++)
		pool->cards[pool->len] = (struct card){
			.id = str_from(arena_printf(arena, "%zu", pool->len)),
			.count = COUNT_MAX,
			.memory = (memory < MEMORY_MAX ? memory : MEMORY_MAX) / number,
			.healthy = true};
	while (str_split(&sick, ',', &part)) {
		uint16_t at;
		struct card *card = pool_find_card(pool, str_trim(part), &at);

		if (card)
			card->healthy = false;
	}
	return NULL;
}

static int64_t number_in(struct json object, const char *key, int64_t max)
{
	struct json value = json_get(object, key);

	if (!json_is(value, JSON_INT) || json_int(value) < 0)
		return 0;
	return json_int(value) < max ? json_int(value) : max;
}

static const char *read_npu(struct arena *arena, const struct device_pool *pool, struct json object,
			    struct card *card)
{
	struct json network = json_get(json_get(object, "custominfo"), "NetworkID");
	struct json health = json_get(object, "health");

	*card = (struct card){.id = arena_str(arena, json_str(json_get(object, "id"))),
			      .model = arena_str(arena, json_str(json_get(object, "type"))),
			      .count = number_in(object, "count", COUNT_MAX),
			      .memory = number_in(object, "devmem", MEMORY_MAX),
			      .cores = number_in(object, "devcore", CORES_MAX),
			      .healthy = json_is_absent(health) || json_bool(health),
			      .has_network =
				      json_is(network, JSON_INT) || json_is(network, JSON_REAL)};
	card->network = card->has_network ? (int64_t)json_real(network) : 0;
	if (!card->id.len || is_known(pool, card->id))
		return arena_printf(arena, "the card id \"%.*s\" is empty or registered twice",
				    STR_ARG(card->id));
	return NULL;
}

static const char *read_npus(const struct npu_config *npu, struct arena *arena, struct json notes,
			     struct device_pool *pool)
{
	AUTO(mem_free)
	char *key = mem_printf(NPU_REGISTER_PREFIX "%.*s", STR_ARG(npu->word));
	struct json value = json_get(json_get(notes, "annotations"), key);
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json_iter it;

	if (!json_is(value, JSON_STR))
		return NULL;
	doc = json_parse(json_str(value), NULL, NULL);
	if (!doc || !json_is(json_doc_root(doc), JSON_ARR) ||
	    json_len(json_doc_root(doc)) > CARDS_MAX)
		return "the registration is not a JSON list of cards";
	pool->cards = arena_calloc(arena, json_len(json_doc_root(doc)) + 1, sizeof(*pool->cards));
	it = json_iter(json_doc_root(doc));
	while (json_next(&it)) {
		const char *wrong = read_npu(arena, pool, it.value, &pool->cards[pool->len]);

		if (wrong)
			return wrong;
		pool->len++;
	}
	if (amount_of(json_get(notes, "allocatable"), npu->resource) <= 0)
		return arena_printf(arena, "the node offers no %.*s", STR_ARG(npu->resource));
	return NULL;
}

static void read_pool(const struct devices *devices, const struct device_type *type,
		      struct node_devices *node, struct device_pool *pool)
{
	struct json notes = json_doc_root(node->notes);

	switch (type->kind) {
	case DEVICE_VGPU:
		pool->wrong = read_vgpus(devices, node->arena, notes, pool);
		break;
	case DEVICE_SHARE:
		pool->wrong = read_shares(node->arena, notes, pool);
		break;
	case DEVICE_NPU:
		pool->wrong = read_npus(type->npu, node->arena, notes, pool);
		break;
	}
	if (pool->wrong)
		pool->len = 0;
}

/* What was reported of a card that is not healthy is not reported again. */
static void keep_reported(const struct device_pool *old, struct device_pool *pool)
{
	for (size_t i = 0; i < old->len; i++) {
		uint16_t at;
		struct card *card = pool_find_card(pool, old->cards[i].id, &at);

		if (card && !card->healthy)
			card->reported = old->cards[i].reported;
	}
}

void device_read_pools(const struct devices *devices, struct node_devices *node)
{
	struct arena *old = node->arena;
	struct device_pool *pools = node->pools;
	size_t len = node->len;

	node->arena = NULL;
	node->pools = NULL;
	node->len = 0;
	node->moving = 0;
	if (devices && node->notes) {
		node->arena = arena_new(0);
		node->len = devices->type_count;
		node->pools = arena_calloc(node->arena, node->len + 1, sizeof(*node->pools));
		for (size_t i = 0; i < node->len; i++)
			read_pool(devices, &devices->types[i], node, &node->pools[i]);
		for (size_t i = 0; pools && i < len && i < node->len; i++)
			keep_reported(&pools[i], &node->pools[i]);
	}
	if (old)
		arena_free(old);
}

/* --- what a pod holds ----------------------------------------------------------------------------- */

static void add_piece(const struct device_pool *pool, struct device_piece piece, struct str id,
		      struct device_pieces *to)
{
	ptrdiff_t bracket = str_find_byte(id, '[', 0);
	struct str instance = str_none();
	struct card *card;

	if (bracket >= 0) {
		instance = str_skip(id, (size_t)bracket + 1);
		instance = str_slice(instance, 0, instance.len - str_ends(instance, STR("]")));
		id = str_slice(id, 0, (size_t)bracket);
	}
	card = pool ? pool_find_card(pool, id, &piece.card) : NULL;
	piece.instance = INSTANCE_NONE;
	piece.charged = piece.memory;
	if (!card)
		piece.card = CARD_NONE;
	else if (instance.len)
		piece.instance = card_parse_instance(card, instance, &piece.charged);
	vec_push(to, piece);
}

/* "uuid,type,memory,cores:" per card, ';' after a container. */
static void read_list(const struct device_pool *pool, uint16_t type, struct str text,
		      struct device_pieces *to)
{
	enum { ID, TYPE, MEMORY, CORES, FIELD_COUNT };
	struct str container, entry;
	uint16_t at = 0;

	for (; str_split(&text, ';', &container) && to->len < CARDS_MAX; at++)
		while (str_split(&container, ':', &entry)) {
			struct device_piece piece = {.type = type, .container = at};
			struct str fields[FIELD_COUNT], part;
			size_t n = 0;

			while (n < FIELD_COUNT && str_split(&entry, ',', &part))
				fields[n++] = part;
			if (n < FIELD_COUNT ||
			    number_parse_range(fields[MEMORY], 0, MEMORY_MAX, &piece.memory, NULL) <
				    0 ||
			    number_parse_range(fields[CORES], 0, CORES_MAX, &piece.cores, NULL) < 0)
				continue;
			add_piece(pool, piece, fields[ID], to);
		}
}

static void read_index(const struct device_pool *pool, const struct task *task, uint16_t type,
		       struct str text, struct device_pieces *to)
{
	const struct device_ask *ask = task->class->ask;
	struct str part;

	while (str_split(&text, ',', &part) && to->len < CARDS_MAX)
		add_piece(pool,
			  (struct device_piece){.type = type,
						.memory = ask && ask->types[type].len
								  ? ask->types[type].at[0].memory
								  : 0},
			  str_trim(part), to);
}

/* What was written for another node is of an earlier attempt. */
static bool is_of_node(struct json notes, const char *key, const struct node_info *node)
{
	struct json value = json_get(notes, key);

	return !json_is(value, JSON_STR) || str_eq(json_str(value), node->text);
}

static void read_held(const struct device_type *type, uint16_t at, const struct device_pool *pool,
		      const struct task *task, struct device_pieces *to)
{
	struct json notes = json_doc_root(task->devices->notes);
	AUTO(mem_free) char *key = NULL;

	switch (type->kind) {
	case DEVICE_VGPU:
		if (is_of_node(notes, VGPU_NODE, task->node))
			read_list(pool, at, json_str(json_get(notes, VGPU_IDS)), to);
		break;
	case DEVICE_SHARE:
		read_index(pool, task, at, json_str(json_get(notes, SHARE_INDEX)), to);
		break;
	case DEVICE_NPU:
		key = mem_printf("hami.io/%.*s" NPU_HELD_SUFFIX, STR_ARG(type->npu->word));
		if (is_of_node(notes, NPU_NODE, task->node))
			read_list(pool, at, json_str(json_get(notes, key)), to);
		break;
	}
}

int device_read_pieces(const struct devices *devices, struct task *task)
{
	const struct node_devices *node = task->node->devices;
	struct task_devices *held = task->devices;

	vec_clear(&held->pieces);
	held->assumed = false;
	if (!held->notes)
		return -1;
	for (size_t i = 0; i < devices->type_count; i++)
		read_held(&devices->types[i], (uint16_t)i,
			  node && i < node->len ? &node->pools[i] : NULL, task, &held->pieces);
	/* The device plugin sets the largest number there is when it is done. */
	if (number_parse_range(json_str(json_get(json_doc_root(held->notes), VGPU_TIME)), 0,
			       INT32_MAX, &held->time, NULL) < 0)
		held->time = 0;
	return held->pieces.len ? 0 : -1;
}

/* --- what a pod asks for -------------------------------------------------------------------------- */

static const struct quantity *find_amount(const struct resource_list *list, struct str name)
{
	for (size_t i = 0; name.len && i < list->len; i++)
		if (str_eq(list->ptr[i].name, name))
			return &list->ptr[i].value;
	return NULL;
}

static int64_t clamp(const struct quantity *q, int64_t max)
{
	int64_t value = q ? quantity_value(q) : 0;

	return value < 0 ? 0 : value < max ? value : max;
}

/* The limit, or else the request. */
static const struct quantity *find_asked(const struct container *c, struct str name)
{
	const struct quantity *limit = find_amount(&c->resources.limits, name);

	return limit ? limit : find_amount(&c->resources.requests, name);
}

struct ask_names {
	struct str count, memory, percent, cores;
};

/* False: it asks for nothing. */
static bool read_container(const struct container *c, const struct ask_names *names,
			   struct container_ask *ret)
{
	const struct quantity *count = find_amount(&c->resources.limits, names->count);
	const struct quantity *percent = find_asked(c, names->percent);
	static const int64_t whole = 100;

	if (!count && !find_amount(&c->resources.limits, names->memory))
		return false;
	ret->count = count ? clamp(count, COUNT_MAX) : 1;
	ret->memory = clamp(find_asked(c, names->memory), MEMORY_MAX);
	ret->percent = percent ? clamp(percent, COUNT_MAX) : PERCENT_NONE;
	ret->cores = clamp(find_asked(c, names->cores), CORES_MAX);
	if (!percent && !ret->memory)
		ret->percent = whole;
	return ret->count > 0;
}

static void read_containers(struct arena *arena, const struct containers *list,
			    const struct ask_names *names, struct type_ask *to)
{
	to->at = arena_calloc(arena, list->len + 1, sizeof(*to->at));
	for (size_t i = 0; i < list->len && i < UINT16_MAX; i++)
		if (read_container(&list->ptr[i], names, &to->at[to->len]))
			to->at[to->len++].container = (uint16_t)i;
}

/* Init containers count if no other container asks: lists have a place for each ordinary container only, and the
 * device plugin hands them out in the order in which containers start. */
static void read_shared(struct arena *arena, const struct pod_spec *spec,
			const struct ask_names *names, struct type_ask *to)
{
	read_containers(arena, &spec->containers, names, to);
	if (to->len)
		return;
	read_containers(arena, &spec->init_containers, names, to);
	for (size_t i = 0; i < to->len; i++)
		to->at[i].container = (uint16_t)i;
	if (to->len > spec->containers.len)
		to->len = spec->containers.len;
}

static int64_t sum_or_most(const struct pod_spec *spec, struct str name)
{
	int64_t sum = 0, most = 0;

	for (size_t i = 0; i < spec->containers.len; i++)
		sum += clamp(find_amount(&spec->containers.ptr[i].resources.limits, name),
			     MEMORY_MAX);
	for (size_t i = 0; i < spec->init_containers.len; i++) {
		int64_t own =
			clamp(find_amount(&spec->init_containers.ptr[i].resources.limits, name),
			      MEMORY_MAX);

		most = own > most ? own : most;
	}
	return sum > most ? sum : most;
}

/* gpu-share knows pods, not containers. */
static void read_share(const struct devices *devices, struct arena *arena,
		       const struct pod_spec *spec, struct type_ask *to)
{
	int64_t memory = devices->on.share ? sum_or_most(spec, STR(SHARE_MEMORY)) : 0;
	int64_t number = devices->on.number ? sum_or_most(spec, STR(SHARE_NUMBER)) : 0;

	if (!memory && !number)
		return;
	to->at = arena_calloc(arena, 1, sizeof(*to->at));
	to->at[0] = (struct container_ask){
		.count = number ? number : 1, .memory = memory, .percent = PERCENT_NONE};
	to->len = 1;
}

static void read_wishes(struct json annotations, struct device_ask *ask)
{
	ask->mode = json_str(json_get(annotations, "volcano.sh/vgpu-mode"));
	ask->use_models = json_str(json_get(annotations, "nvidia.com/use-gputype"));
	ask->no_models = json_str(json_get(annotations, "nvidia.com/nouse-gputype"));
	ask->use_ids = json_str(json_get(annotations, "volcano.sh/vgpu-use-gpuuuid"));
	ask->no_ids = json_str(json_get(annotations, "volcano.sh/vgpu-nouse-gpuuuid"));
	ask->apart = str_is(json_str(json_get(annotations, "volcano.sh/vgpu-podgroup-policy")),
			    "spread");
}

struct device_ask *device_read_ask(const struct devices *devices, struct json pod,
				   struct json annotations)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct device_ask *ask = arena_new_of(arena, struct device_ask);
	const struct device_config *config = devices->config;
	const struct ask_names vgpu = {config->count_name, config->memory_name,
				       config->percent_name, config->cores_name};
	struct pod_spec spec;
	bool any = false;

	if (type_decode(&pod_spec_type, json_get(pod, "spec"), arena, &spec, NULL) < 0)
		return NULL;
	ask->types = arena_calloc(arena, devices->type_count + 1, sizeof(*ask->types));
	for (size_t i = 0; i < devices->type_count; i++) {
		const struct npu_config *npu = devices->types[i].npu;

		if (devices->types[i].kind == DEVICE_VGPU)
			read_shared(arena, &spec, &vgpu, &ask->types[i]);
		else if (devices->types[i].kind == DEVICE_SHARE)
			read_share(devices, arena, &spec, &ask->types[i]);
		else
			read_shared(arena, &spec,
				    &(struct ask_names){.count = npu->resource,
							.memory = npu->memory_resource},
				    &ask->types[i]);
		any |= ask->types[i].len > 0;
	}
	if (!any)
		return NULL;
	read_wishes(annotations, ask);
	ask->arena = TAKE(arena);
	return ask;
}

void device_ask_free(struct device_ask *ask)
{
	if (ask)
		arena_free(ask->arena);
}

int64_t npu_trim(const struct npu_config *npu, int64_t memory, struct str *ret_template)
{
	*ret_template = str_none();
	for (size_t i = 0; i < npu->len; i++)
		if (memory <= npu->templates[i].memory) {
			*ret_template = npu->templates[i].name;
			return npu->templates[i].memory;
		}
	return memory <= npu->capacity ? npu->allocatable : 0;
}
