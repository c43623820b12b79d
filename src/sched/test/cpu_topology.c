/* SPDX-License-Identifier: Apache-2.0 */
/* sched/test/cpu_topology.c - sets of CPUs: reading, hints, picking. Hints are held against a search of all sets of
 * NUMA nodes; picks against what must hold of every pick; and the model against the rule that no CPU is given twice,
 * under random placements, evictions, undone statements and reports that come late. */
#include "sched/place/cpu_topology.h"

#include "base/arena.h"
#include "base/buf.h"
#include "build.h"
#include "model/volcano/numatopology.h"
#include "random.h"
#include "sched/place/numa.h"
#include "sched/session/statement.h"
#include "tap.h"

#include "base/banned.h"

static uint64_t state = 20261118;

static uint64_t below(uint64_t limit)
{
	return random_next(&state) % limit;
}

/* `numas` NUMA nodes, so many per socket, of cores of two threads. CPUs are numbered as machines do: second threads
 * come last. */
static char *detail(size_t numas, size_t per_socket, size_t cores)
{
	struct buf text = BUF_UNBOUNDED;
	size_t id = 0;

	for (size_t thread = 0; thread < 2; thread++)
		for (size_t numa = 0; numa < numas; numa++)
			for (size_t core = 0; core < cores; core++)
				buf_printf(&text, "%s\"%zu\": {numa: %zu, socket: %zu, core: %zu}",
					   id ? ", " : "", id, numa, numa / per_socket,
					   numa % per_socket * cores + core),
					id++;
	return buf_take(&text);
}

static struct cpu_topology *topology_of(const char *cpus, struct err *err)
{
	AUTO(mem_free) char *text = mem_printf("{spec: {cpuDetail: {%s}}}", cpus);
	AUTO(json_doc_unref) struct json_doc *doc = yaml_parse(str_from(text), NULL, err);
	AUTO(arena_free) struct arena *arena = arena_new(0);
	struct numatopology view;

	if (!doc || type_decode(&numatopology_type, json_doc_root(doc), arena, &view, err) < 0)
		return NULL;
	return cpu_topology_new(&view.spec, err);
}

static struct cpu_topology *machine(size_t numas, size_t per_socket, size_t cores)
{
	AUTO(mem_free) char *text = detail(numas, per_socket, cores);

	return topology_of(text, NULL);
}

static char *print(const struct cpu_topology *t, const struct cpu_set *set)
{
	struct buf text = BUF_UNBOUNDED;

	for (size_t i = 0; i < t->count; i++)
		if (cpu_set_has(set, i))
			buf_printf(&text, "%s%lld", text.len ? "," : "", (long long)t->cpus[i].id);
	return buf_take(&text);
}

/* --- reading --------------------------------------------------------------------------------- */

static void check_reading(void)
{
	AUTO(cpu_topology_free) struct cpu_topology *t = machine(2, 1, 4);
	static const char *const bad[] = {"x", "1-", "-1", "3-1", "1,,2", "1;2", "99999999999"};
	struct cpu_set set;
	struct err err;
	bool refused = true;

	ok(t->count == 16 && t->numa_count == 2 && t->socket_count == 2 && t->core_count == 8,
	   "cores of two sockets with the same number are two cores");
	ok(cpu_topology_parse(t, STR("0-2,8, 15"), &set, NULL) == 0 && cpu_set_len(&set) == 5,
	   "a list of CPUs has numbers and ranges");
	ok(cpu_topology_parse(t, STR(""), &set, NULL) == 0 && cpu_set_len(&set) == 0,
	   "an empty list is no CPU");
	ok(cpu_topology_parse(t, STR("14-2147483647"), &set, NULL) == 0 && cpu_set_len(&set) == 2,
	   "CPUs that the node does not have are passed over");
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		refused &= cpu_topology_parse(t, str_from(bad[i]), &set, &err) < 0;
	ok(refused, "what is no list is refused");
	ok(!topology_of("\"01\": {numa: 0}, \"1\": {numa: 0}", &err) &&
		   strstr(err.text, "CPU 1 is named twice"),
	   "a CPU that is named twice is refused");
	ok(!topology_of("\"a\": {numa: 0}", &err) && strstr(err.text, "no number of a CPU"),
	   "a name that is no number is refused");
}

/* --- hints ----------------------------------------------------------------------------------- */

static size_t in_mask(const struct cpu_topology *t, const struct cpu_set *of, uint64_t mask)
{
	size_t sum = 0;

	for (size_t i = 0; i < t->numa_count; i++)
		if (mask >> i & 1) {
			struct cpu_set both = cpu_set_common(&t->numas[i], of);

			sum += cpu_set_len(&both);
		}
	return sum;
}

/* Is one set of nodes before another of the same size, by the lowest numbers? */
static bool is_before(uint64_t a, uint64_t b)
{
	uint64_t differ = a ^ b;

	return differ && (a & (differ & -differ));
}

/* Every set of NUMA nodes, as the specification has it. */
static struct numa_hint search(const struct cpu_topology *t, const struct cpu_set *free,
			       size_t count)
{
	uint64_t all = (UINT64_C(1) << t->numa_count) - 1;
	struct numa_hint best = {.mask = all, .preferred = false};
	int least = 65;
	bool found = false;

	for (uint64_t mask = 1; mask <= all; mask++)
		if (in_mask(t, &t->all, mask) >= count && __builtin_popcountll(mask) < least)
			least = __builtin_popcountll(mask);
	for (uint64_t mask = 1; mask <= all; mask++) {
		int size = __builtin_popcountll(mask), had = __builtin_popcountll(best.mask);
		bool preferred = size == least;

		if (in_mask(t, free, mask) < count)
			continue;
		if (!found || (preferred && !best.preferred) ||
		    (preferred == best.preferred &&
		     (size < had || (size == had && is_before(mask, best.mask)))))
			best = (struct numa_hint){mask, preferred};
		found = true;
	}
	return best;
}

static struct cpu_set some_cpus(const struct cpu_topology *t)
{
	uint64_t tenths = below(11);
	struct cpu_set set = {0};

	for (size_t i = 0; i < t->count; i++)
		if (below(10) < tenths)
			cpu_set_add(&set, i);
	return set;
}

static void check_hints(void)
{
	size_t wrong = 0, picks = 0;

	for (int round = 0; round < 3000; round++) {
		AUTO(cpu_topology_free)
		struct cpu_topology *t = machine(1 + below(7), 1 + below(3), 1 + below(5));
		struct cpu_set free = some_cpus(t), got = {0};
		size_t count = 1 + below(t->count + 2);
		struct numa_hint fast = numa_hint_best(t, &free, count);
		struct numa_hint slow = search(t, &free, count);
		bool picked = cpu_pick_near(t, &free, count, &fast, &got);

		wrong += fast.mask != slow.mask || fast.preferred != slow.preferred;
		picks +=
			picked != (cpu_set_len(&free) >= count) ||
			(picked && (cpu_set_len(&got) != count || !cpu_set_is_within(&got, &free)));
	}
	ok(wrong == 0, "hints are those of a search of all sets of NUMA nodes (seed 20261118)");
	ok(picks == 0, "a pick has the size asked for, of what is free, if there is so much");
}

static void check_policies(void)
{
	const struct numa_hint one = {1, true}, two = {3, true}, spread = {3, false};

	ok(numa_policy_admits(NUMA_POLICY_SINGLE_NODE, &one) &&
		   !numa_policy_admits(NUMA_POLICY_SINGLE_NODE, &two) &&
		   !numa_policy_admits(NUMA_POLICY_SINGLE_NODE, &spread),
	   "single-numa-node wants one NUMA node");
	ok(numa_policy_admits(NUMA_POLICY_RESTRICTED, &two) &&
		   !numa_policy_admits(NUMA_POLICY_RESTRICTED, &spread),
	   "restricted wants as few as could ever hold them");
	ok(numa_policy_admits(NUMA_POLICY_BEST_EFFORT, &spread) &&
		   numa_policy_admits(NUMA_POLICY_NONE, &spread),
	   "best-effort and none take all");
}

/* --- picking --------------------------------------------------------------------------------- */

static void picks(const struct cpu_topology *t, const char *from, size_t count, const char *want,
		  const char *what)
{
	AUTO(mem_free) char *text = NULL;
	struct cpu_set set, got = {0};

	if (cpu_topology_parse(t, str_from(from), &set, NULL) < 0 ||
	    !cpu_pick(t, &set, count, &got)) {
		ok(false, "%s", what);
		return;
	}
	text = print(t, &got);
	is(text, want);
	ok(true, "%s", what);
}

static void check_picks(void)
{
	/* Two sockets of four cores: threads of core i are i and i + 8; the second socket begins at 4. */
	AUTO(cpu_topology_free) struct cpu_topology *t = machine(2, 1, 4);
	struct cpu_set set = {0}, got;

	picks(t, "0-15", 8, "0,1,2,3,8,9,10,11", "a whole socket");
	picks(t, "1-15", 8, "4,5,6,7,12,13,14,15",
	      "a socket of which a CPU is in use is not whole");
	picks(t, "0-15", 2, "0,8", "a whole core");
	picks(t, "1-15", 2, "1,9", "a core of which a thread is in use is not whole");
	picks(t, "0-3,7-11,15", 2, "7,15", "whole cores of the socket with the fewest of them");
	picks(t, "0-15", 10, "0,1,2,3,4,8,9,10,11,12", "a socket, and a core of the other");
	picks(t, "0-7", 1, "0", "single CPUs by number");
	picks(t, "0-3,4-6", 1, "4", "... of the socket with the fewest free");
	picks(t, "0,1,9,2,10", 1, "0", "... of the core with the fewest free");
	picks(t, "0,8,1,4,5,6", 3, "0,1,8", "... next to those that were taken");
	picks(t, "0-15", 0, "", "none");
	ok(!cpu_pick(t, &set, 1, &got), "more than there are is refused");
}

/* --- the model -------------------------------------------------------------------------------- */

static void add_numa(struct cluster *cluster, const char *name, const char *free, const char *pods)
{
	AUTO(mem_free) char *cpus = detail(2, 1, 4);

	(void)apply(
		cluster,
		"{kind: Numatopology, metadata: {name: %s}, spec: {policies: {CPUManagerPolicy: "
		"static, TopologyManagerPolicy: single-numa-node}, numares: {cpu: "
		"{allocatable: \"%s\", capacity: 16}}, cpuDetail: {%s}%s}}",
		name, free, cpus, pods);
}

static void add_pinned(struct cluster *cluster, int index, uint64_t cpus, const char *node)
{
	(void)apply(cluster,
		    "{kind: Pod, metadata: {name: p-%d, namespace: default, uid: u-%d, "
		    "annotations: {scheduling.k8s.io/group-name: g, "
		    "volcano.sh/numa-topology-policy: single-numa-node}}, spec: {schedulerName: "
		    "volcano, nodeName: \"%s\", containers: [{name: c, resources: {requests: {cpu: "
		    "%llu, memory: 1Gi}, limits: {cpu: %llu, memory: 1Gi}}}]}}",
		    index, index, node, (unsigned long long)cpus, (unsigned long long)cpus);
}

static struct task *pinned_of(struct cluster *cluster, int index)
{
	AUTO(mem_free) char *name = mem_printf("p-%d", index);

	return cluster_find_task(cluster, STR("default"), str_from(name));
}

#define CONFIG                                                                                \
	"actions: \"allocate\"\ntiers: [{plugins: [{name: gang}, {name: predicates}, {name: " \
	"numa-aware}]}]"

static void run(struct cluster *cluster, struct config *config)
{
	static int64_t now = 1;

	session_free(session_run(cluster, config, now++, NULL));
}

static size_t cpus_of(struct cluster *cluster, int index)
{
	const struct task *task = pinned_of(cluster, index);
	struct cpu_set set = {0};

	return task && numa_assigned(cluster, task, &set) ? cpu_set_len(&set) : 0;
}

/* An exporter that is slow, or that does not say which pods have what. */
static void check_reports(void)
{
	AUTO(cluster_free) struct cluster *cluster = cluster_new(NULL);
	AUTO(config_free) struct config *config = config_parse(STR(CONFIG), 1, NULL);

	add_queue(cluster, "default");
	add_node(cluster, "n1", 16);
	add_group(cluster, "g", 1, "default");
	add_numa(cluster, "n1", "0-15", ", podAllocations: []");
	add_pinned(cluster, 1, 4, "");
	run(cluster, config);
	ok(cpus_of(cluster, 1) == 4, "a placed pod has its CPUs assigned");
	add_pinned(cluster, 1, 4, "n1");
	add_numa(cluster, "n1", "0-15", ", podAllocations: []");
	run(cluster, config);
	ok(cpus_of(cluster, 1) == 4, "a report that does not list it yet changes nothing");
	add_numa(cluster, "n1", "2-7,10-15",
		 ", podAllocations: [{name: p-1, namespace: default, containerAllocations: [{name: "
		 "c, allocations: {cpu: \"0-1,8-9\"}}]}]");
	run(cluster, config);
	ok(cpus_of(cluster, 1) == 0, "one that lists it ends the assignment");
	add_pinned(cluster, 2, 4, "");
	run(cluster, config);
	ok(cpus_of(cluster, 2) == 4, "the next pod gets other CPUs");
	add_numa(cluster, "n1", "4-7,10-15", "");
	ok(cpus_of(cluster, 2) == 4, "a list of free CPUs that still has some of them keeps it");
	add_numa(cluster, "n1", "4-7,12-15", "");
	ok(cpus_of(cluster, 2) == 0, "... one that has none of them ends it");
	add_pinned(cluster, 3, 4, "");
	run(cluster, config);
	ok(cpus_of(cluster, 3) == 4, "a third pod has the rest of a socket");
	cluster_remove(cluster, CLUSTER_POD, STR("default"), STR("p-3"));
	run(cluster, config);
	add_pinned(cluster, 4, 4, "");
	run(cluster, config);
	ok(cpus_of(cluster, 4) == 4, "a pod that goes gives its CPUs back");
	cluster_remove(cluster, CLUSTER_NUMATOPOLOGY, str_none(), STR("n1"));
	ok(cpus_of(cluster, 4) == 0, "a topology that goes takes assignments with it");
	ok(!cluster_check(cluster), "the model is sound");
}

static void check_restart(void)
{
	AUTO(cluster_free) struct cluster *cluster = cluster_new(NULL);
	AUTO(config_free) struct config *config = config_parse(STR(CONFIG), 1, NULL);

	add_queue(cluster, "default");
	add_node(cluster, "n1", 16);
	add_group(cluster, "g", 1, "default");
	add_numa(cluster, "n1", "0-15", ", podAllocations: []");
	add_pinned(cluster, 1, 6, "n1");
	add_pinned(cluster, 2, 6, "");
	add_pinned(cluster, 3, 4, "");
	run(cluster, config);
	ok(cpus_of(cluster, 1) == 6 && cpus_of(cluster, 2) == 6,
	   "a pod that was bound before the start and is not reported yet has CPUs");
	ok(cpus_of(cluster, 3) == 0 && pinned_of(cluster, 3)->status == TASK_PENDING,
	   "... that no other pod gets: 4 are free, 2 in each NUMA node");
}

enum { PINNED = 40 };

static void change_at_random(struct cluster *cluster, struct statement *st)
{
	for (int i = 0; i < PINNED; i++) {
		struct task *task = pinned_of(cluster, i);
		struct node_info *node =
			cluster_find_node(cluster, below(2) ? STR("n0") : STR("n1"));

		if (task && task_is(task, TASKS_EVICTABLE) && !below(4))
			statement_evict(st, task, "test", NULL);
		else if (task && task->status == TASK_PENDING && below(2))
			(void)!(below(3) ? statement_allocate(st, task, node)
					 : statement_pipeline(st, task, node, false));
	}
}

/* One session with one statement; returns how many assignments a discarded one has changed. */
static size_t run_session(struct cluster *cluster, struct config *config, int round)
{
	struct session *ssn = session_open(cluster, config, round + 1, NULL);
	struct statement *st = statement_new(ssn);
	size_t before[PINNED];
	size_t inexact = 0;

	for (int i = 0; i < PINNED; i++)
		before[i] = cpus_of(cluster, i);
	change_at_random(cluster, st);
	if (below(2)) {
		statement_discard(st);
		for (int i = 0; i < PINNED; i++)
			inexact += before[i] != cpus_of(cluster, i);
	} else {
		statement_commit(st);
	}
	session_close(ssn);
	session_free(ssn);
	return inexact;
}

/* Statements that place and evict at random, of which some are undone; reports that are late. */
static void check_random(void)
{
	AUTO(cluster_free) struct cluster *cluster = cluster_new(NULL);
	AUTO(config_free) struct config *config = config_parse(STR(CONFIG), 1, NULL);
	size_t wrong = 0, inexact = 0;

	add_queue(cluster, "default");
	add_node(cluster, "n0", 16);
	add_node(cluster, "n1", 16);
	add_group(cluster, "g", 1, "default");
	add_numa(cluster, "n0", "0-15", ", podAllocations: []");
	add_numa(cluster, "n1", "0-15", ", podAllocations: []");
	for (int round = 0; round < 400; round++) {
		add_pinned(cluster, (int)below(PINNED), 1 + below(5), below(3) ? "" : "n1");
		inexact += run_session(cluster, config, round);
		if (!below(5))
			cluster_remove(cluster, CLUSTER_POD, STR("default"),
				       pinned_of(cluster, (int)below(PINNED)) ? STR("p-1")
									      : STR("p-2"));
		{
			AUTO(mem_free) char *text = cluster_check(cluster);

			wrong += text && strstr(text, "numa");
			if (text && wrong < 3)
				printf("# %s\n", text);
		}
	}
	ok(wrong == 0, "no CPU is given twice, whatever is placed, evicted and undone");
	ok(inexact == 0, "a discarded statement leaves every assignment as it was");
}

int main(void)
{
	check_reading();
	check_hints();
	check_policies();
	check_picks();
	check_reports();
	check_restart();
	check_random();
	return tap_done();
}
