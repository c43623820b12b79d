/* SPDX-License-Identifier: Apache-2.0 */
/* sched/device/cards.c - see the header.
 *
 * 1. A task with pieces is counted on the cards of its node whenever it is in the ledger's sums, and never otherwise.
 * 2. Pieces refer to cards by their place: when cards are read again, so are the pieces of all tasks on the node.
 * 3. Who runs without annotations holds some card: the one that it would have been given is assumed, so that its memory
 *    is not given away. */
#include "sched/device/cards.h"

#include <assert.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "sched/cluster/class.h"
#include "sched/cluster/cluster_internal.h"
#include "sched/cluster/ledger.h"

#include "base/banned.h"

enum { UNIT = 1000 }; /* of a dimension */

/* --- charges ------------------------------------------------------------------------------------ */

static int64_t smallest_card(const struct cluster *cluster, const struct device_ask *ask,
			     uint16_t type)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < cluster->nodes.len; i++) {
		const struct node_info *node = cluster->nodes.ptr[i];
		const struct device_pool *pool;

		if (!node || !node->devices || type >= node->devices->len)
			continue;
		pool = &node->devices->pools[type];
		for (size_t j = 0; j < pool->len; j++)
			if (pool->cards[j].memory < least &&
			    card_suits(&pool->cards[j], &cluster->devices->types[type], ask))
				least = pool->cards[j].memory;
	}
	return least == INT64_MAX ? 0 : least;
}

/* Thousandths, as dimensions are counted. */
static int64_t in_units(int64_t amount)
{
	int64_t units = number_multiply(amount, UNIT);

	return units < RESOURCES_MAX ? units : RESOURCES_MAX;
}

static bool has_vgpu(const struct devices *devices)
{
	return devices && devices->on.vgpu;
}

/* Of vGPU only, which is the first type: cards x amounts per card. */
static bool find_charge(const struct cluster *cluster, const struct device_ask *ask,
			int64_t *ret_memory, int64_t *ret_cores)
{
	const struct type_ask *vgpu = &ask->types[0];
	int64_t memory = 0, cores = 0, smallest = -1;

	for (size_t i = 0; i < vgpu->len; i++) {
		const struct container_ask *at = &vgpu->at[i];
		int64_t each = at->memory;

		if (at->percent != PERCENT_NONE) {
			struct card card = {0};

			if (smallest < 0)
				smallest = smallest_card(cluster, ask, 0);
			card.memory = smallest;
			each = card_memory_asked(&card, at);
		}
		memory = number_add(memory, number_multiply(at->count, each));
		cores = number_add(cores, number_multiply(at->count, at->cores));
	}
	*ret_memory = in_units(memory);
	*ret_cores = in_units(cores);
	return vgpu->len;
}

static void set_amount(struct resources *to, int dim, int64_t amount)
{
	if (dim != DIM_NONE && (amount || resources_has(to, dim)))
		resources_set(to, dim, amount);
}

/* Says whether it is another than before. */
static bool set_charge(struct cluster *cluster, struct class *class)
{
	const struct devices *devices = cluster->devices;
	AUTO(resources_done) struct resources old = RESOURCES_INIT;
	bool was = class->charged;
	int64_t memory, cores;

	resources_copy(&old, &class->charge);
	class->charged = false;
	if (has_vgpu(devices) && class->ask && find_charge(cluster, class->ask, &memory, &cores)) {
		resources_copy(&class->charge, &class->request);
		set_amount(&class->charge, devices->memory_dim, memory);
		set_amount(&class->charge, devices->cores_dim, cores);
		class->charged = true;
	}
	return was != class->charged || (was && (!resources_equal(&old, &class->charge) ||
						 old.present != class->charge.present));
}

void cards_charge(const struct cluster *cluster, const struct task *task, struct resources *sum,
		  int sign)
{
	resources_count(sum, class_charge(task->class), sign);
	if (!task->devices || !cluster->devices)
		return;
	if (task->devices->more_memory)
		resources_count_one(sum, cluster->devices->memory_dim,
				    sign * task->devices->more_memory);
	if (task->devices->more_cores)
		resources_count_one(sum, cluster->devices->cores_dim,
				    sign * task->devices->more_cores);
}

/* What the cards that it has amount to, beyond what its class is charged. */
static void set_more(const struct cluster *cluster, struct task *task)
{
	const struct devices *devices = cluster->devices;
	const struct resources *charge = class_charge(task->class);
	struct task_devices *held = task->devices;
	int64_t memory = 0, cores = 0;
	bool any = false;

	held->more_memory = held->more_cores = 0;
	for (size_t i = 0; has_vgpu(devices) && i < held->pieces.len; i++) {
		const struct device_piece *piece = &held->pieces.ptr[i];

		if (devices->types[piece->type].kind != DEVICE_VGPU)
			continue;
		any = true;
		memory += piece->memory;
		cores += piece->cores;
	}
	if (any && devices->memory_dim != DIM_NONE)
		held->more_memory = in_units(memory) - resources_get(charge, devices->memory_dim);
	if (any && devices->cores_dim != DIM_NONE)
		held->more_cores = in_units(cores) - resources_get(charge, devices->cores_dim);
}

/* --- tasks -------------------------------------------------------------------------------------- */

void cards_drop_pieces(struct task *task)
{
	if (!task->devices)
		return;
	json_doc_unref(task->devices->notes);
	vec_done(&task->devices->pieces);
	mem_free(task->devices);
	task->devices = NULL;
}

static struct task_devices *ensure(struct task *task)
{
	if (!task->devices)
		task->devices = mem_new(struct task_devices);
	return task->devices;
}

void cards_read_pod(struct task *task, struct json annotations, bool bound)
{
	AUTO(json_doc_unref) struct json_doc *notes = NULL;

	/* While it is being bound, the model knows more than the API. */
	if (!bound) {
		if (task->status != TASK_BINDING)
			cards_drop_pieces(task);
		return;
	}
	if (task->class->resources)
		notes = device_pod_notes(annotations);
	if (!notes) {
		if (task->devices) {
			json_doc_unref(task->devices->notes);
			task->devices->notes = NULL;
		}
		return;
	}
	json_doc_unref(ensure(task)->notes);
	task->devices->notes = TAKE(notes);
}

static void keep_trial(struct cluster *cluster, struct task *task)
{
	const struct device_pieces *trial = &cluster->devices->trial;
	struct device_pieces *to = &ensure(task)->pieces;

	vec_clear(to);
	for (size_t i = 0; i < trial->len; i++)
		vec_push(to, trial->ptr[i]);
}

static void assume_pieces(struct cluster *cluster, struct task *task)
{
	enum device_view view = task->status == TASK_RELEASING ? DEVICES_NOW : DEVICES_SOON;

	if (cards_choose(cluster, task, task->node, view).answer != DEVICES_FIT)
		return;
	keep_trial(cluster, task);
	task->devices->assumed = true;
}

static void note_time(struct task *task)
{
	struct node_devices *node = task->node->devices;

	if (node && task->devices->time > node->last_time)
		node->last_time = task->devices->time;
}

void cards_find_pieces(struct cluster *cluster, struct task *task)
{
	bool known;

	if (!cluster->devices || !task->node || !(task->devices || task->class->ask))
		return;
	known = task->devices && task->devices->notes &&
		device_read_pieces(cluster->devices, task) == 0;
	if (!known && task->class->ask && (!task->devices || !task->devices->pieces.len))
		assume_pieces(cluster, task);
	if (!task->devices)
		return;
	set_more(cluster, task);
	note_time(task);
}

void cards_forget_task(struct cluster *cluster, struct task *task)
{
	if (!task->devices)
		return;
	ledger_lift(cluster, task);
	cards_drop_pieces(task);
	ledger_put(cluster, task);
}

/* --- counting ----------------------------------------------------------------------------------- */

static bool counts_in(const struct task *task, enum device_view view)
{
	return task->status != (view == DEVICES_NOW ? TASK_PIPELINED : TASK_RELEASING);
}

static void count_pieces(struct device_pool *pools, const struct task *task, int sign)
{
	const struct device_pieces *pieces = &task->devices->pieces;

	for (enum device_view view = 0; view < DEVICE_VIEW_COUNT; view++)
		for (size_t i = 0; i < pieces->len && counts_in(task, view); i++) {
			const struct device_piece *piece = &pieces->ptr[i];

			if (piece->card != CARD_NONE)
				card_count(&pools[piece->type].cards[piece->card], piece, view,
					   sign);
		}
}

void cards_count(const struct cluster *cluster, const struct task *task, int sign)
{
	struct node_devices *node = task->node->devices;

	if (!cluster->devices || !node || !node->len || !task->devices->pieces.len)
		return;
	if (task_is(task, TASK_BIT(TASK_PIPELINED) | TASK_BIT(TASK_RELEASING)))
		node->moving += (uint32_t)sign;
	count_pieces(node->pools, task, sign);
}

/* --- nodes -------------------------------------------------------------------------------------- */

/* Read the cards of a node, and what its tasks hold of them, again. */
static void read_again(struct cluster *cluster, struct node_info *node)
{
	VEC(struct task *) tasks = {0};

	LIST_EACH(&node->tasks, struct task, node_link, task)
		if (task->devices || task->class->ask)
			vec_push(&tasks, task);
	for (size_t i = 0; i < tasks.len; i++)
		ledger_lift(cluster, tasks.ptr[i]);
	device_read_pools(cluster->devices, node->devices);
	/* First those who say what they hold. */
	for (int guess = 0; guess < 2; guess++)
		for (size_t i = 0; i < tasks.len; i++) {
			struct task *task = tasks.ptr[i];

			if (guess != !(task->devices && task->devices->notes))
				continue;
			/* The places of cards may be others: a guess again, until the annotations come. */
			if (task->devices && !task->devices->notes)
				vec_clear(&task->devices->pieces);
			cards_find_pieces(cluster, task);
			ledger_put(cluster, task);
		}
	vec_done(&tasks);
	if (cluster->devices)
		cluster->devices->stale = true;
	ledger_note_change(cluster, node);
	cluster_unblock(cluster);
}

void cards_read_node(struct cluster *cluster, struct node_info *node, struct json object)
{
	AUTO(json_doc_unref) struct json_doc *notes = device_node_notes(object);

	if (!notes && !node->devices)
		return;
	if (!notes) {
		cards_forget_node(cluster, node);
		return;
	}
	if (node->devices && node->devices->notes &&
	    json_eq(json_doc_root(notes), json_doc_root(node->devices->notes)))
		return;
	if (!node->devices)
		node->devices = mem_new(struct node_devices);
	json_doc_unref(node->devices->notes);
	node->devices->notes = TAKE(notes);
	read_again(cluster, node);
}

void cards_forget_node(struct cluster *cluster, struct node_info *node)
{
	if (!node->devices)
		return;
	json_doc_unref(node->devices->notes);
	node->devices->notes = NULL;
	read_again(cluster, node);
	cards_free_node(node);
}

void cards_free_node(struct node_info *node)
{
	if (!node->devices)
		return;
	json_doc_unref(node->devices->notes);
	arena_free(node->devices->arena);
	mem_free(node->devices);
	node->devices = NULL;
}

/* --- classes ------------------------------------------------------------------------------------ */

void cards_free_class(struct class *class)
{
	device_ask_free(class->ask);
	class->ask = NULL;
	resources_done(&class->charge);
	class->charge = (struct resources)RESOURCES_INIT;
	class->charged = false;
}

void cards_read_class(struct cluster *cluster, struct class *class)
{
	device_ask_free(class->ask);
	class->ask = NULL;
	if (cluster->devices && class->resources)
		class->ask = device_read_ask(cluster->devices, json_doc_root(class->resources),
					     class->terms->annotations);
	(void)set_charge(cluster, class);
}

static bool has_share(const struct device_ask *ask)
{
	for (size_t i = 0; i < ask->types[0].len; i++)
		if (ask->types[0].at[i].percent != PERCENT_NONE)
			return true;
	return false;
}

/* All tasks of classes for which `wanted` says so, out of the sums or back. */
static void settle_class(struct cluster *cluster, struct class *class)
{
	VEC(struct task *) tasks = {0};
	size_t at = 0;
	void *value;

	while (map_next(cluster->tasks, &at, NULL, &value))
		if (((struct task *)value)->class == class)
			vec_push(&tasks, (struct task *)value);
	for (size_t i = 0; i < tasks.len; i++)
		ledger_lift(cluster, tasks.ptr[i]);
	(void)set_charge(cluster, class);
	for (size_t i = 0; i < tasks.len; i++) {
		if (tasks.ptr[i]->devices)
			set_more(cluster, tasks.ptr[i]);
		ledger_put(cluster, tasks.ptr[i]);
	}
	vec_done(&tasks);
}

void cards_settle(struct cluster *cluster)
{
	if (!cluster->devices || !cluster->devices->stale)
		return;
	cluster->devices->stale = false;
	for (size_t i = 0; has_vgpu(cluster->devices) && i < cluster->class_by_id.len; i++) {
		struct class *class = cluster->class_by_id.ptr[i];
		int64_t memory, cores;

		if (!class || !class->ask || !has_share(class->ask) || !class->charged)
			continue;
		(void)find_charge(cluster, class->ask, &memory, &cores);
		if (memory != resources_get(&class->charge, cluster->devices->memory_dim))
			settle_class(cluster, class);
	}
}

/* --- configuration ------------------------------------------------------------------------------ */

static void add_type(struct devices *devices, enum device_kind kind, const struct npu_config *npu)
{
	if (devices->type_count < DEVICE_TYPES_MAX)
		devices->types[devices->type_count++] = (struct device_type){kind, npu};
}

static void ignore(struct cluster *cluster, struct str name)
{
	if (name.len)
		dims_ignore(cluster->dims, name);
}

static void set_types(struct cluster *cluster, struct devices *devices)
{
	const struct device_config *config = devices->config;

	devices->type_count = 0;
	devices->memory_dim = devices->cores_dim = DIM_NONE;
	if (devices->on.vgpu) {
		add_type(devices, DEVICE_VGPU, NULL);
		devices->memory_dim = dims_add(cluster->dims, config->memory_name);
		devices->cores_dim = dims_add(cluster->dims, config->cores_name);
		/* If no node counts percents, cards alone decide. */
		if (dims_find(cluster->dims, config->percent_name) == DIM_NONE)
			ignore(cluster, config->percent_name);
	}
	if (devices->on.share || devices->on.number)
		add_type(devices, DEVICE_SHARE, NULL);
	for (size_t i = 0; devices->on.npu && i < config->npu_count; i++) {
		AUTO(mem_free)
		char *cores = mem_printf("%.*s-core", STR_ARG(config->npus[i].resource));

		add_type(devices, DEVICE_NPU, &config->npus[i]);
		ignore(cluster, config->npus[i].memory_resource);
		ignore(cluster, str_from(cores));
	}
	cluster_grow_columns(cluster);
}

/* Everything is read with what holds from now on: nothing may be in the sums meanwhile. */
static void read_all(struct cluster *cluster, struct devices *now)
{
	size_t at = 0;
	void *value;

	while (map_next(cluster->tasks, &at, NULL, &value))
		ledger_lift(cluster, value);
	cluster->devices = now;
	classes_read_devices(cluster);
	for (size_t i = 0; i < cluster->nodes.len; i++)
		if (cluster->nodes.ptr[i] && cluster->nodes.ptr[i]->devices)
			device_read_pools(now, cluster->nodes.ptr[i]->devices);
	for (size_t i = 0; now && i < cluster->class_by_id.len; i++)
		if (cluster->class_by_id.ptr[i])
			(void)set_charge(cluster, cluster->class_by_id.ptr[i]);
	for (int guess = 0; guess < 2; guess++) {
		at = 0;
		while (map_next(cluster->tasks, &at, NULL, &value)) {
			struct task *task = value;

			if (guess != !(task->devices && task->devices->notes))
				continue;
			if (task->devices) {
				vec_clear(&task->devices->pieces);
				task->devices->more_memory = task->devices->more_cores = 0;
			}
			cards_find_pieces(cluster, task);
			ledger_put(cluster, task);
		}
	}
	cluster->shape++;
	cluster->events++;
	cluster_unblock(cluster);
}

static struct str *copy_strs(struct arena *arena, const struct str *from, size_t len)
{
	struct str *to = arena_calloc(arena, len + 1, sizeof(*to));

	for (size_t i = 0; i < len; i++)
		to[i] = arena_str(arena, from[i]);
	return to;
}

static const struct device_rule *copy_rules(struct arena *arena, const struct device_settings *on)
{
	struct device_rule *to = arena_calloc(arena, on->rule_count + 1, sizeof(*to));

	for (size_t i = 0; i < on->rule_count; i++) {
		to[i].len = on->rules[i].len;
		to[i].keys = copy_strs(arena, on->rules[i].keys, to[i].len);
		to[i].values = copy_strs(arena, on->rules[i].values, to[i].len);
	}
	return to;
}

void cards_configure(struct cluster *cluster, const struct device_settings *on,
		     struct device_config *config, uint64_t number)
{
	struct devices *devices = mem_new(struct devices);

	if (!config && cluster->devices)
		config = TAKE(cluster->devices->config);
	cards_retire(cluster); /* all sums are to be made with one set of names */
	devices->arena = arena_new(0);
	devices->on = *on;
	devices->on.rules = copy_rules(devices->arena, on);
	devices->config = config ? config : device_config_builtin();
	devices->number = number;
	set_types(cluster, devices);
	read_all(cluster, devices);
}

void cards_retire(struct cluster *cluster)
{
	struct devices *devices = cluster->devices;

	if (!devices)
		return;
	read_all(cluster, NULL);
	vec_done(&devices->trial);
	device_config_free(devices->config);
	arena_free(devices->arena);
	mem_free(devices->problem);
	mem_free(devices);
}

/* --- placing ------------------------------------------------------------------------------------ */

uint64_t cards_rules_of(const struct cluster *cluster, const struct task *task)
{
	const struct device_settings *on = &cluster->devices->on;
	uint64_t rules = 0;

	for (size_t i = 0; i < on->rule_count; i++) {
		const struct device_rule *rule = &on->rules[i];
		size_t j = 0;

		for (; j < rule->len; j++) {
			uint32_t key = symbols_find(cluster->symbols, rule->keys[j]);
			uint32_t value = symbols_find(cluster->symbols, rule->values[j]);

			if (!key || !label_set_has(task->labels, key) ||
			    label_set_get(task->labels, key) != value ||
			    (!value && rule->values[j].len))
				break;
		}
		if (j == rule->len)
			rules |= UINT64_C(1) << i;
	}
	return rules;
}

verdict cards_test(struct cluster *cluster, const struct task *task, const struct node_info *node)
{
	struct device_choice choice = cards_choose(cluster, task, node, DEVICES_SOON);
	bool never = choice.answer == DEVICES_NEVER;

	if (choice.answer == DEVICES_FIT)
		return 0;
	if (choice.answer == DEVICES_ABSENT)
		return VERDICT(FIT_DEVICE_NONE);
	switch (cluster->devices->types[choice.type].kind) {
	case DEVICE_VGPU:
		return never ? VERDICT(FIT_VGPU_NEVER) : VERDICT(FIT_VGPU);
	case DEVICE_NPU:
		return never ? VERDICT(FIT_NPU_NEVER) : VERDICT(FIT_NPU);
	default:
		return task->class->ask->types[choice.type].at[0].memory ? VERDICT(FIT_GPU_MEMORY)
									 : VERDICT(FIT_GPU_NUMBER);
	}
}

bool cards_are_free(struct cluster *cluster, const struct task *task, const struct node_info *node)
{
	if (!cluster->devices || !task->class->ask || !node->devices || !node->devices->moving)
		return true;
	return cards_choose(cluster, task, node, DEVICES_NOW).answer == DEVICES_FIT;
}

double cards_score(struct cluster *cluster, const struct task *task, const struct node_info *node)
{
	struct device_choice choice = cards_choose(cluster, task, node, DEVICES_SOON);

	return choice.answer == DEVICES_FIT ? choice.score : 0;
}

int cards_reserve(struct cluster *cluster, struct task *task)
{
	enum device_view view = task->status == TASK_PIPELINED ? DEVICES_SOON : DEVICES_NOW;

	/* One that was there already has what it had. */
	if (!task->class->ask || (task->devices && task->devices->pieces.len))
		return 0;
	if (cards_choose(cluster, task, task->node, view).answer != DEVICES_FIT)
		return -1;
	ledger_lift(cluster, task);
	keep_trial(cluster, task);
	task->devices->assumed = false;
	set_more(cluster, task);
	ledger_put(cluster, task);
	return 0;
}

void cards_release(struct cluster *cluster, struct task *task)
{
	if (task_is(task, TASK_BIT(TASK_ALLOCATED) | TASK_BIT(TASK_PIPELINED)))
		cards_forget_task(cluster, task);
}
