/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/numa.c - see the header.
 *
 * 1. `taken` of a node is the union of its assignments; `version` changes whenever that or the report does, and
 *    answers are cached under it.
 * 2. Assignments of tasks that are neither pipelined nor being removed share no CPU.
 * 3. Positions in sets are those of the topology: when its CPUs change, the node's assignments are dropped. */
#include "sched/place/numa.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "model/pod/pod_total.h"
#include "model/value/labels.h"
#include "model/value/quantity.h"
#include "model/volcano/numatopology.h"
#include "sched/cluster/cluster.h"
#include "sched/cluster/ledger.h"

#include "base/banned.h"

#define POLICY_NOTE "volcano.sh/numa-topology-policy"

enum { ANSWERS = 8 };

struct assignment {
	char *key; /* of the pod */
	char *uid;
	struct numa_node *node;
	struct cpu_set cpus;
	bool pipelined;
};

/* What the object says that a running pod has. */
struct reported_pod {
	struct str uid, namespace, name;
	struct cpu_set cpus;
};

struct cached_answer {
	uint64_t shape;
	uint64_t version;
	struct numa_look look;
};

struct numa_node {
	char *name;
	struct json_doc *doc; /* lends the texts below */
	struct arena *arena;  /* ... as a view */
	struct cpu_topology *topology;
	struct str policy; /* of the topology manager */
	enum numa_policy policy_id;
	bool is_static; /* the CPU manager gives CPUs away */
	bool has_cpus;
	bool lists_pods;
	struct cpu_set reported;
	struct cpu_set reserved;
	struct cpu_set taken;
	VEC(struct assignment *) assignments;
	VEC(struct reported_pod) pods;
	uint64_t version; /* never 0 */
	struct cached_answer answers[ANSWERS];
};

struct numa {
	struct map *nodes;       /* by name */
	struct map *assignments; /* by key */
	bool restored;           /* what was bound before this process started has been looked at */
};

/* --- what is asked for ------------------------------------------------------------------------ */

static uint32_t whole_cpus(struct json container)
{
	struct json requests = json_get(json_get(container, "resources"), "requests");
	struct json limits = json_get(json_get(container, "resources"), "limits");
	struct json cpu = json_get(requests, "cpu");
	struct quantity amount;
	int64_t milli;

	if (json_is_absent(cpu))
		cpu = json_get(limits, "cpu");
	if (pod_total_read(cpu, &amount) < 0)
		return 0;
	milli = quantity_milli(&amount);
	return milli > 0 && milli % 1000 == 0 && milli / 1000 <= UINT32_MAX
		       ? (uint32_t)(milli / 1000)
		       : 0;
}

struct cpu_ask *cpu_ask_new(struct json pod)
{
	struct json list = json_get(json_get(pod, "spec"), "containers");
	struct json_iter it = json_iter(list);
	size_t count = json_len(list);
	struct cpu_ask *ask = mem_zalloc(sizeof(*ask) + count * sizeof(ask->at[0]));

	ask->refs = 1;
	ask->shape = 1;
	ask->count = count;
	while (json_next(&it)) {
		struct cpu_ask_container *c = &ask->at[it.index];

		c->name = str_dup(json_str(json_get(it.value, "name")));
		c->cpus = whole_cpus(it.value);
		ask->shape = hash_bytes(&c->cpus, sizeof(c->cpus), ask->shape);
	}
	ask->shape |= 1;
	return ask;
}

struct cpu_ask *cpu_ask_ref(struct cpu_ask *ask)
{
	if (ask)
		ask->refs++;
	return ask;
}

void cpu_ask_unref(struct cpu_ask *ask)
{
	if (!ask || --ask->refs)
		return;
	for (size_t i = 0; i < ask->count; i++)
		mem_free(ask->at[i].name);
	mem_free(ask);
}

struct str numa_policy_of(const struct task *task)
{
	struct str text = json_str(json_get(task->class->terms->annotations, POLICY_NOTE));

	return str_is(text, numa_policy_names[NUMA_POLICY_NONE]) ? str_none() : text;
}

struct str numa_policy_of_node(const struct node_info *node)
{
	return node->numa ? node->numa->policy : str_none();
}

/* --- life ------------------------------------------------------------------------------------ */

struct numa *numa_new(void)
{
	struct numa *numa = mem_new(struct numa);

	numa->nodes = map_new(0);
	numa->assignments = map_new(0);
	return numa;
}

static void assignment_free(struct assignment *a)
{
	mem_free(a->key);
	mem_free(a->uid);
	mem_free(a);
}

static void node_clear(struct numa_node *node)
{
	cpu_topology_free(node->topology);
	arena_free(node->arena);
	json_doc_unref(node->doc);
	vec_done(&node->pods);
	node->topology = NULL;
	node->arena = NULL;
}

static void node_free(struct numa_node *node)
{
	node_clear(node);
	vec_done(&node->assignments);
	mem_free(node->name);
	mem_free(node);
}

void numa_free(struct numa *numa)
{
	size_t at = 0;
	void *value;

	if (!numa)
		return;
	while (map_next(numa->assignments, &at, NULL, &value))
		assignment_free(value);
	at = 0;
	while (map_next(numa->nodes, &at, NULL, &value))
		node_free(value);
	map_free(numa->assignments);
	map_free(numa->nodes);
	mem_free(numa);
}

struct numa_node *numa_find(const struct cluster *cluster, struct str name)
{
	return map_get(cluster->numa->nodes, name);
}

/* --- assignments ------------------------------------------------------------------------------ */

static void recount(struct numa_node *node)
{
	node->taken = (struct cpu_set){0};
	for (size_t i = 0; i < node->assignments.len; i++)
		node->taken = cpu_set_union(&node->taken, &node->assignments.ptr[i]->cpus);
	node->version++;
}

static void drop(struct numa *numa, struct assignment *a)
{
	struct numa_node *node = a->node;

	for (size_t i = 0; i < node->assignments.len; i++)
		if (node->assignments.ptr[i] == a) {
			node->assignments.ptr[i] = node->assignments.ptr[--node->assignments.len];
			break;
		}
	(void)map_remove(numa->assignments, str_from(a->key));
	assignment_free(a);
	recount(node);
}

static struct assignment *find(const struct cluster *cluster, const struct task *task)
{
	struct assignment *a = map_get(cluster->numa->assignments, task_key(task));

	return a && str_is(task_uid(task), a->uid) ? a : NULL;
}

static const struct reported_pod *find_reported(const struct numa_node *node, struct str key,
						struct str uid)
{
	for (size_t i = 0; i < node->pods.len; i++) {
		const struct reported_pod *pod = &node->pods.ptr[i];
		struct str rest = key, namespace;

		(void)str_split(&rest, '/', &namespace);
		if (pod->uid.len ? str_eq(pod->uid, uid)
				 : str_eq(pod->namespace, namespace) && str_eq(pod->name, rest))
			return pod;
	}
	return NULL;
}

/* Does the report of its node show it? */
static bool is_reported(const struct assignment *a)
{
	if (find_reported(a->node, str_from(a->key), str_from(a->uid)))
		return true;
	return !a->node->lists_pods && !cpu_sets_meet(&a->cpus, &a->node->reported);
}

static void drop_reported(struct cluster *cluster, struct numa_node *node, bool all)
{
	for (size_t i = node->assignments.len; i-- > 0;)
		if (all || is_reported(node->assignments.ptr[i]))
			drop(cluster->numa, node->assignments.ptr[i]);
}

/* --- objects ---------------------------------------------------------------------------------- */

static enum numa_policy policy_id(struct str name)
{
	for (enum numa_policy i = NUMA_POLICY_NONE; i < NUMA_POLICY_COUNT; i++)
		if (str_is(name, numa_policy_names[i]))
			return i;
	return NUMA_POLICY_NONE;
}

/* Only these three names, and no amount below 0. */
static int read_reserved(struct numa_node *node, const struct labels *reserved, struct err *err)
{
	for (size_t i = 0; i < reserved->len; i++) {
		struct str name = reserved->ptr[i].key;
		struct quantity amount;
		size_t cpus;

		if (!str_is(name, "cpu") && !str_is(name, "memory") &&
		    !str_is(name, "ephemeral-storage"))
			return err_set(err, ERR_INVALID,
				       "spec.resReserved: \"%.*s\" is none of cpu, memory, "
				       "ephemeral-storage",
				       STR_ARG(name));
		if (quantity_parse(reserved->ptr[i].value, &amount, NULL) < 0 ||
		    quantity_sign(&amount) < 0)
			return err_set(err, ERR_INVALID,
				       "spec.resReserved.%.*s: \"%.*s\" is no amount",
				       STR_ARG(name), STR_ARG(reserved->ptr[i].value));
		if (!str_is(name, "cpu"))
			continue;
		cpus = (size_t)(quantity_milli(&amount) / 1000 +
				(quantity_milli(&amount) % 1000 > 0));
		if (!cpu_pick(node->topology, &node->topology->all, cpus, &node->reserved))
			node->reserved = node->topology->all;
	}
	return 0;
}

static int read_pods(struct numa_node *node, const struct numatopology_spec *spec, struct err *err)
{
	for (size_t i = 0; i < spec->pod_allocations.len; i++) {
		const struct numatopology_pod *pod = &spec->pod_allocations.ptr[i];
		struct reported_pod to = {
			.uid = pod->uid, .namespace = pod->namespace, .name = pod->name};

		for (size_t c = 0; c < pod->containers.len; c++) {
			const struct labels *of = &pod->containers.ptr[c].allocations;
			struct cpu_set set;

			if (cpu_topology_parse(node->topology, labels_get(of, STR("cpu")), &set,
					       err) < 0)
				return err_wrap(err, "spec.podAllocations[%zu]", i);
			to.cpus = cpu_set_union(&to.cpus, &set);
		}
		vec_push(&node->pods, to);
	}
	return 0;
}

static int read_spec(struct numa_node *node, const struct numatopology_spec *spec, struct err *err)
{
	node->topology = cpu_topology_new(spec, err);
	if (!node->topology)
		return -1;
	node->policy = labels_get(&spec->policies, STR("TopologyManagerPolicy"));
	node->policy_id = policy_id(node->policy);
	node->is_static = str_is(labels_get(&spec->policies, STR("CPUManagerPolicy")), "static");
	for (size_t i = 0; i < spec->numares.len; i++) {
		if (!str_is(spec->numares.ptr[i].key, "cpu"))
			continue;
		node->has_cpus = true;
		if (cpu_topology_parse(node->topology, spec->numares.ptr[i].value.allocatable,
				       &node->reported, err) < 0)
			return err_wrap(err, "spec.numares.cpu.allocatable");
	}
	if (read_reserved(node, &spec->res_reserved, err) < 0)
		return -1;
	return read_pods(node, spec, err);
}

static bool has_same_cpus(const struct cpu_topology *a, const struct cpu_topology *b)
{
	bool same = a && b && a->count == b->count;

	for (size_t i = 0; same && i < a->count; i++)
		same = a->cpus[i].id == b->cpus[i].id && a->cpus[i].numa == b->cpus[i].numa &&
		       a->cpus[i].socket == b->cpus[i].socket && a->cpus[i].core == b->cpus[i].core;
	return same;
}

/* Make `node` say what `from` says; takes that. */
static void take_over(struct cluster *cluster, struct numa_node *node, struct numa_node *from)
{
	bool same = has_same_cpus(node->topology, from->topology);
	struct numa_node old = *node;

	*node = *from;
	node->name = old.name;
	node->assignments.ptr = old.assignments.ptr;
	node->assignments.len = old.assignments.len;
	node->assignments.size = old.assignments.size;
	node->version = old.version;
	old.assignments.ptr = NULL;
	node_clear(&old);
	drop_reported(cluster, node, !same);
	recount(node);
	mem_free(from);
}

/* Its Node is looked at again. */
static void note(struct cluster *cluster, const struct numa_node *of, struct str name)
{
	struct node_info *node = map_get(cluster->node_names, name);

	if (!node)
		return;
	node->numa = (struct numa_node *)of;
	ledger_note_change(cluster, node);
}

int numa_apply(struct cluster *cluster, struct json_doc *doc, struct err *err)
{
	struct json root = json_doc_root(doc);
	struct str name = json_str(json_get(json_get(root, "metadata"), "name"));
	struct numa_node *read = mem_new(struct numa_node), *node;
	struct numatopology *view;

	read->arena = arena_new(0);
	view = arena_new_of(read->arena, struct numatopology);
	read->doc = json_doc_ref(doc);
	if (type_decode(&numatopology_type, root, read->arena, view, err) < 0 ||
	    read_spec(read, &view->spec, err) < 0) {
		node_free(read);
		return -1;
	}
	read->lists_pods = !json_is_absent(json_get(json_get(root, "spec"), "podAllocations"));
	node = numa_find(cluster, name);
	if (!node) {
		node = mem_new(struct numa_node);
		node->name = str_dup(name);
		node->version = 1;
		map_put(cluster->numa->nodes, str_from(node->name), node);
	}
	take_over(cluster, node, read);
	note(cluster, node, name);
	cluster_unblock(cluster);
	return 0;
}

void numa_remove(struct cluster *cluster, struct str name)
{
	struct numa_node *node = numa_find(cluster, name);

	if (!node)
		return;
	drop_reported(cluster, node, true);
	(void)map_remove(cluster->numa->nodes, name);
	note(cluster, NULL, name);
	node_free(node);
}

/* --- questions -------------------------------------------------------------------------------- */

static struct cpu_set free_cpus(const struct numa_node *n)
{
	struct cpu_set set = cpu_set_minus(&n->reported, &n->taken);

	return cpu_set_minus(&set, &n->reserved);
}

/* What a task has that is on the node: by its assignment, or as reported. */
static struct cpu_set cpus_of(const struct cluster *cluster, const struct numa_node *n,
			      const struct task *task)
{
	const struct assignment *a = find(cluster, task);
	const struct reported_pod *pod =
		a ? NULL : find_reported(n, task_key(task), task_uid(task));

	return a ? a->cpus : pod ? pod->cpus : (struct cpu_set){0};
}

/* ... and what pods that are being removed leave, but for what others wait for already. */
static struct cpu_set future_cpus(const struct cluster *cluster, const struct node_info *node)
{
	const struct numa_node *n = node->numa;
	struct cpu_set set = cpu_set_minus(&n->reported, &n->taken);

	LIST_EACH(&node->tasks, struct task, node_link, task) {
		struct cpu_set more;

		if (task->status != TASK_RELEASING)
			continue;
		more = cpus_of(cluster, n, task);
		set = cpu_set_union(&set, &more);
	}
	for (size_t i = 0; i < n->assignments.len; i++)
		if (n->assignments.ptr[i]->pipelined)
			set = cpu_set_minus(&set, &n->assignments.ptr[i]->cpus);
	return cpu_set_minus(&set, &n->reserved);
}

/* Container by container, each from what the ones before it have left. False: `*ret_container` does not get its
 * CPUs as the policy wants. If the policy does not care and there are too few, the kubelet decides. */
static bool assign(const struct numa_node *n, const struct cpu_ask *ask, struct cpu_set left,
		   struct cpu_set *ret, uint32_t *ret_container)
{
	*ret = (struct cpu_set){0};
	for (size_t i = 0; i < ask->count; i++) {
		struct numa_hint hint;
		struct cpu_set cpus;

		if (!ask->at[i].cpus)
			continue;
		hint = numa_hint_best(n->topology, &left, ask->at[i].cpus);
		if (!numa_policy_admits(n->policy_id, &hint)) {
			*ret_container = (uint32_t)i;
			return false;
		}
		if (!cpu_pick_near(n->topology, &left, ask->at[i].cpus, &hint, &cpus))
			continue;
		*ret = cpu_set_union(ret, &cpus);
		left = cpu_set_minus(&left, &cpus);
	}
	return true;
}

/* What can be said without looking at CPUs; NUMA_ASSIGNS: they have to be looked at. */
static enum numa_answer answer_of(const struct task *task, const struct numa_node *n)
{
	struct str policy = numa_policy_of(task);

	if (!policy.len)
		return n && n->is_static && n->policy_id != NUMA_POLICY_NONE ? NUMA_ASSIGNS
									     : NUMA_PASSES;
	if (!n)
		return NUMA_NO_INFO;
	if (!n->is_static)
		return NUMA_NOT_STATIC;
	if (!str_eq(policy, n->policy))
		return NUMA_OTHER_POLICY;
	return NUMA_ASSIGNS;
}

static struct numa_look look_closer(const struct cluster *cluster, const struct task *task,
				    const struct node_info *node, bool idle)
{
	const struct numa_node *n = node->numa;
	const struct cpu_ask *ask = task->class->cpu_ask;
	struct cpu_set left = idle ? free_cpus(n) : future_cpus(cluster, node);
	struct cpu_set none = {0}, cpus;
	struct numa_look look = {.answer = NUMA_ASSIGNS};
	uint32_t other;

	if (numa_policy_of(task).len && cpu_set_is_within(&left, &none)) {
		look.answer = NUMA_NO_CPUS;
	} else if (assign(n, ask, left, &cpus, &look.container)) {
		look.numas = (uint32_t)cpu_topology_numas_of(n->topology, &cpus);
		return look;
	} else {
		look.answer = NUMA_REFUSES;
	}
	left = cpu_set_minus(&n->topology->all, &n->reserved);
	look.final = !n->has_cpus || !assign(n, ask, left, &cpus, &other);
	return look;
}

struct numa_look numa_look(const struct cluster *cluster, const struct task *task,
			   const struct node_info *node)
{
	const struct cpu_ask *ask = task->class->cpu_ask;
	struct numa_node *n = node->numa;
	struct numa_look look = {.answer = NUMA_PASSES, .final = true};
	struct cached_answer *cached;
	uint64_t shape;

	if (!ask)
		return look;
	look.answer = answer_of(task, n);
	if (look.answer != NUMA_ASSIGNS || !n)
		return look;
	if (!cluster_fits(cluster, CAPACITY_IDLE, node->slot, task->class))
		return look_closer(cluster, task, node, false);
	shape = ask->shape ^ (uint64_t)(numa_policy_of(task).len > 0) << 1;
	cached = &n->answers[shape / 4 % ANSWERS];
	if (cached->shape != shape || cached->version != n->version)
		*cached = (struct cached_answer){shape, n->version,
						 look_closer(cluster, task, node, true)};
	return cached->look;
}

/* --- placing ---------------------------------------------------------------------------------- */

static int take_cpus(struct cluster *cluster, const struct task *task)
{
	const struct cpu_ask *ask = task->class->cpu_ask;
	struct numa_node *n = task->node ? task->node->numa : NULL;
	bool pipelined = task->status == TASK_PIPELINED;
	struct cpu_set cpus, none = {0}, left;
	struct assignment *a;
	uint32_t container;

	if (!ask || !n || answer_of(task, n) != NUMA_ASSIGNS || find(cluster, task))
		return 0;
	left = pipelined ? future_cpus(cluster, task->node) : free_cpus(n);
	if (!assign(n, ask, left, &cpus, &container))
		return -1;
	if (cpu_set_is_within(&cpus, &none))
		return 0;
	a = map_get(cluster->numa->assignments, task_key(task));
	if (a) /* of an earlier pod of that name */
		drop(cluster->numa, a);
	a = mem_new(struct assignment);
	a->key = str_dup(task_key(task));
	a->uid = str_dup(task_uid(task));
	a->node = n;
	a->cpus = cpus;
	a->pipelined = pipelined;
	map_put(cluster->numa->assignments, str_from(a->key), a);
	vec_push(&n->assignments, a);
	recount(n);
	return 0;
}

enum { IN_SESSION = TASK_BIT(TASK_ALLOCATED) | TASK_BIT(TASK_PIPELINED) };

int numa_place(struct cluster *cluster, const struct task *task)
{
	/* A task whose eviction is undone has what it had. */
	return task_is(task, IN_SESSION) ? take_cpus(cluster, task) : 0;
}

void numa_unplace(struct cluster *cluster, const struct task *task)
{
	struct assignment *a = find(cluster, task);

	if (a && task_is(task, IN_SESSION))
		drop(cluster->numa, a);
}

/* Is the task of an assignment still on its node, or on its way there? */
static bool is_current(const struct cluster *cluster, const struct assignment *a)
{
	const struct task *task = map_get(cluster->tasks, str_from(a->key));

	return task && str_is(task_uid(task), a->uid) && task->node && task->node->numa == a->node;
}

/* Pods that were bound before this process started, and that no report shows yet: they get what the kubelet is likely
 * to give them. */
static void restore(struct cluster *cluster)
{
	size_t at = 0;
	void *value;

	while (map_next(cluster->tasks, &at, NULL, &value)) {
		const struct task *task = value;
		const struct numa_node *n = task->node ? task->node->numa : NULL;

		if (task->status == TASK_BOUND && n &&
		    !find_reported(n, task_key(task), task_uid(task)) &&
		    take_cpus(cluster, task) < 0)
			continue; /* the kubelet will have found others */
	}
}

void numa_tidy(struct cluster *cluster)
{
	struct numa *numa = cluster->numa;
	VEC(struct assignment *) gone = {0};
	size_t at = 0;
	void *value;

	while (map_next(numa->assignments, &at, NULL, &value))
		if (!is_current(cluster, value))
			vec_push(&gone, (struct assignment *)value);
	for (size_t i = 0; i < gone.len; i++) {
		struct node_info *node =
			map_get(cluster->node_names, str_from(gone.ptr[i]->node->name));

		drop(numa, gone.ptr[i]);
		if (node)
			ledger_note_change(cluster, node);
	}
	vec_done(&gone);
	if (!numa->restored)
		restore(cluster);
	numa->restored = true;
}

bool numa_assigned(const struct cluster *cluster, const struct task *task, struct cpu_set *ret)
{
	const struct assignment *a = find(cluster, task);

	if (a)
		*ret = a->cpus;
	return a;
}

/* Two tasks of a node that have the same CPU for themselves, or a CPU that the node does not have. */
static char *check_node(const struct cluster *cluster, const struct numa_node *n)
{
	struct cpu_set seen = {0};

	for (size_t i = 0; i < n->assignments.len; i++) {
		const struct assignment *a = n->assignments.ptr[i];
		const struct task *task = map_get(cluster->tasks, str_from(a->key));

		if (!cpu_set_is_within(&a->cpus, &n->topology->all))
			return mem_printf("numa: %s has CPUs that %s does not have", a->key,
					  n->name);
		if (a->pipelined || !task || task->status == TASK_RELEASING)
			continue;
		if (cpu_sets_meet(&seen, &a->cpus))
			return mem_printf("numa: a CPU of %s is given twice, to %s too", n->name,
					  a->key);
		seen = cpu_set_union(&seen, &a->cpus);
	}
	return NULL;
}

char *numa_check(const struct cluster *cluster)
{
	char *wrong = NULL;
	size_t at = 0;
	void *value;

	while (!wrong && map_next(cluster->numa->nodes, &at, NULL, &value))
		wrong = check_node(cluster, value);
	return wrong;
}
