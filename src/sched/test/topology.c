/* SPDX-License-Identifier: Apache-2.0 */
/* Domains of the network, over random topologies: a hard limit is never passed, a gang that fits into some domain is
 * placed, and the search agrees with a slow one that looks at every domain. The seed is printed. */
#include "build.h"
#include "random.h"
#include "sched/cluster/hypernodes.h"
#include "sched/session/session.h"
#include "tap.h"

#include "base/banned.h"

enum { NODES_MAX = 24, DOMAINS_MAX = 24, TIERS = 3 };

/* What the test knows by itself: parents by index, and free cpus. */
struct net {
	int nodes;
	int free[NODES_MAX];
	int rack_of[NODES_MAX]; /* -1: in none */
	int domains;
	int tier[DOMAINS_MAX];
	int parent[DOMAINS_MAX]; /* -1: none */
};

static int below(uint64_t *state, int limit)
{
	return (int)(random_next(state) % (uint64_t)limit);
}

static bool is_in(const struct net *net, int node, int domain)
{
	int at = net->rack_of[node];

	while (at >= 0 && at != domain)
		at = net->parent[at];
	return at >= 0;
}

/* --- random networks --------------------------------------------------------------------------- */

static void add_domain(struct net *net, struct cluster *c, uint64_t *state, int tier, int from)
{
	AUTO(mem_free) char *members = mem_strdup("");
	int me = net->domains++;
	const char *sep = "";

	net->tier[me] = tier;
	net->parent[me] = -1;
	for (int i = from; tier > 1 && i < me; i++) {
		char *more;

		if (net->tier[i] != tier - 1 || net->parent[i] >= 0)
			continue;
		net->parent[i] = me;
		more = mem_printf("%s%s{type: HyperNode, selector: {exactMatch: {name: d%d}}}",
				  members, sep, i);
		mem_free(members);
		members = more;
		sep = ", ";
		if (below(state, 2))
			break;
	}
	if (tier == 1) {
		mem_free(members);
		members = below(state, 2)
				  ? mem_printf("{type: Node, selector: {labelMatch: {matchLabels: "
					       "{rack: d%d}}}}",
					       me)
				  : mem_printf("{type: Node, selector: {regexMatch: {pattern: "
					       "\"-d%d$\"}}}",
					       me);
	} else if (!*members) {
		mem_free(members);
		members = mem_strdup("{type: Node, selector: {exactMatch: {name: nowhere}}}");
	}
	(void)apply(c, "{kind: HyperNode, metadata: {name: d%d}, spec: {tier: %d, members: [%s]}}",
		    me, tier, members);
}

static void add_node_of(struct net *net, struct cluster *c, uint64_t *state, int racks)
{
	int i = net->nodes++;

	net->free[i] = 1 + below(state, 6);
	net->rack_of[i] = below(state, 8) ? below(state, racks) : -1;
	(void)apply(c,
		    "{kind: Node, metadata: {name: n%d-d%d, labels: {kubernetes.io/hostname: "
		    "n%d-d%d, rack: d%d}}, status: {allocatable: {cpu: \"%d\", memory: 64Gi, pods: "
		    "\"110\"}}}",
		    i, net->rack_of[i], i, net->rack_of[i], net->rack_of[i], net->free[i]);
}

static void make_net(struct net *net, struct cluster *c, uint64_t *state)
{
	int racks = 1 + below(state, 6);
	int nodes = 1 + below(state, NODES_MAX);

	*net = (struct net){0};
	for (int i = 0; i < racks; i++)
		add_domain(net, c, state, 1, 0);
	for (int tier = 2; tier <= TIERS; tier++)
		for (int i = 1 + below(state, 3); i > 0; i--)
			add_domain(net, c, state, tier, 0);
	for (int i = 0; i < nodes; i++)
		add_node_of(net, c, state, racks);
}

/* --- the slow search ----------------------------------------------------------------------------- */

static int fits(const struct net *net, int domain, int cpu)
{
	int count = 0;

	for (int i = 0; i < net->nodes; i++)
		if (domain < 0 || is_in(net, i, domain))
			count += net->free[i] / cpu;
	return count;
}

/* The lowest tier of a domain that holds so many; TIERS + 1: only the cluster does; 0: nothing. */
static int lowest_tier(const struct net *net, int limit, int cpu, int pods)
{
	int lowest = 0;

	for (int d = 0; d < net->domains; d++)
		if (net->tier[d] <= limit && fits(net, d, cpu) >= pods &&
		    (!lowest || net->tier[d] < lowest))
			lowest = net->tier[d];
	if (!lowest && limit > TIERS && fits(net, -1, cpu) >= pods)
		lowest = TIERS + 1;
	return lowest;
}

/* The lowest tier of a domain that has all of the nodes. */
static int common_tier(const struct net *net, const int *at, int count)
{
	int lowest = TIERS + 1;

	for (int d = 0; d < net->domains; d++) {
		bool all = true;

		for (int i = 0; i < count; i++)
			all &= is_in(net, at[i], d);
		if (all && net->tier[d] < lowest)
			lowest = net->tier[d];
	}
	return lowest;
}

/* --- one gang ------------------------------------------------------------------------------------ */

struct gang {
	int id, pods, min, cpu, limit;
	bool soft;
};

static void add_gang_pod(struct cluster *c, const struct gang *gang, int index)
{
	char group[16], request[32];

	(void)snprintf(group, sizeof(group), "g%d", gang->id);
	(void)snprintf(request, sizeof(request), "{cpu: \"%d\"}", gang->cpu);
	add_pod(c, group, index, NULL, request);
}

static void add_gang(struct cluster *c, const struct gang *gang)
{
	(void)apply(c,
		    "{kind: PodGroup, metadata: {name: g%d, namespace: default, uid: g%d}, spec: {"
		    "minMember: %d, queue: q, networkTopology: {mode: %s, highestTierAllowed: "
		    "%d}}, status: {phase: Inqueue}}",
		    gang->id, gang->id, gang->min, gang->soft ? "soft" : "hard", gang->limit);
	for (int i = 0; i < gang->pods; i++)
		add_gang_pod(c, gang, i);
}

/* Where its pods are; what they take is taken off. Gives their number. */
static int collect(const struct cluster *c, struct net *net, const struct gang *gang, int *at,
		   bool take)
{
	int count = 0;

	for (int i = 0; i < 2 * gang->pods; i++) {
		char name[32];
		const struct task *task;
		int node;

		(void)snprintf(name, sizeof(name), "g%d-w-%d", gang->id, i);
		task = task_of(c, name);
		if (!task || !task->node)
			continue;
		node = (int)strtol(task->node->text.ptr + 1, NULL, 10);
		at[count++] = node;
		if (take)
			net->free[node] -= gang->cpu;
	}
	return count;
}

static void cycle(struct cluster *c, struct config *config)
{
	AUTO(session_free) struct session *ssn = session_run(c, config, 1000000, NULL);

	(void)ssn;
}

/* Gives what is wrong, or NULL. */
static const char *check_gang(struct cluster *c, struct net *net, const struct gang *gang)
{
	int limit = gang->soft ? TIERS + 1 : gang->limit;
	int whole = lowest_tier(net, limit, gang->cpu, gang->pods);
	int least = lowest_tier(net, limit, gang->cpu, gang->min);
	int at[2 * NODES_MAX * 8];
	int placed = collect(c, net, gang, at, true);

	if (placed && common_tier(net, at, placed) > limit)
		return "a limit was passed";
	if (least && placed < gang->min)
		return "it fits and is not placed";
	if (!least && placed)
		return "it does not fit and is placed";
	if (whole && placed < gang->pods)
		return "all of it fits and is not placed";
	if (whole && common_tier(net, at, placed) > whole)
		return "a lower tier would have held it";
	return NULL;
}

/* A pod goes, and one like it comes: it stays within the limit. */
static const char *check_restart(struct cluster *c, struct config *config, struct net *net,
				 const struct gang *gang)
{
	int at[2 * NODES_MAX * 8];
	int limit = gang->soft ? TIERS + 1 : gang->limit;
	char name[32];
	int count;

	(void)snprintf(name, sizeof(name), "g%d-w-0", gang->id);
	if (!task_of(c, name) || !task_of(c, name)->node)
		return NULL;
	cluster_remove(c, CLUSTER_POD, STR("default"), str_from(name));
	add_gang_pod(c, gang, gang->pods);
	cycle(c, config);
	count = collect(c, net, gang, at, false);
	if (count && common_tier(net, at, count) > limit)
		return "a pod that came back passed the limit";
	return NULL;
}

static bool try_world(uint64_t seed, struct config *config)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	uint64_t state = seed;
	const char *wrong = NULL;
	struct gang gang = {0};
	struct net net;

	add_queue(c, "q");
	make_net(&net, c, &state);
	for (int i = 0; i < 4 && !wrong; i++) {
		gang.id = i;
		gang.pods = 1 + below(&state, 8);
		gang.min = 1 + below(&state, gang.pods);
		gang.cpu = 1 + below(&state, 3);
		gang.limit = 1 + below(&state, TIERS + 1);
		gang.soft = below(&state, 4) == 0;
		add_gang(c, &gang);
		cycle(c, config);
		wrong = holds(c) ? check_gang(c, &net, &gang) : "counts do not hold";
	}
	if (!wrong)
		wrong = check_restart(c, config, &net, &gang);
	if (wrong)
		printf("# seed %llu, gang g%d of %d (%d), cpu %d, tier %d%s: %s\n",
		       (unsigned long long)seed, gang.id, gang.pods, gang.min, gang.cpu, gang.limit,
		       gang.soft ? " soft" : "", wrong);
	return !wrong;
}

static void test_worlds(void)
{
	AUTO(config_free)
	struct config *config =
		configure("{actions: \"enqueue, allocate, backfill\", tiers: [{plugins: [{name: "
			  "gang}, {name: predicates}, {name: nodeorder}, {name: "
			  "network-topology-aware}]}]}");
	int good = 0;

	enum { WORLDS = 2000 };
	for (int i = 0; i < WORLDS; i++)
		good += try_world((uint64_t)i * 7919 + 17, config);
	ok(good == WORLDS, "in %d of %d random networks gangs are where the slow search says", good,
	   WORLDS);
}

/* --- many at once, with evictions ------------------------------------------------------------------ */

static void add_many(struct cluster *c, uint64_t *state, struct gang *gangs, int count)
{
	for (int i = 0; i < count; i++) {
		gangs[i] = (struct gang){.id = i,
					 .pods = 1 + below(state, 6),
					 .cpu = 1 + below(state, 3),
					 .limit = 1 + below(state, TIERS + 1)};
		gangs[i].min = 1 + below(state, gangs[i].pods);
		(void)apply(c,
			    "{kind: PodGroup, metadata: {name: g%d, namespace: default, uid: g%d}, "
			    "spec: {minMember: %d, queue: q%d, priorityClassName: p%d, "
			    "networkTopology: {mode: hard, highestTierAllowed: %d}}, status: "
			    "{phase: Inqueue}}",
			    i, i, gangs[i].min, below(state, 2), below(state, 3), gangs[i].limit);
		for (int p = 0; p < gangs[i].pods; p++)
			add_gang_pod(c, &gangs[i], p);
	}
}

/* Evicted pods go at once. */
static void carry_out(struct cluster *c)
{
	size_t at = 0;
	struct str key;
	void *value;
	VEC(char *) gone = {0};

	while (map_next(c->tasks, &at, &key, &value))
		if (((struct task *)value)->status == TASK_RELEASING)
			vec_push(&gone, str_dup(task_name(value)));
	for (size_t i = 0; i < gone.len; i++) {
		cluster_remove(c, CLUSTER_POD, STR("default"), str_from(gone.ptr[i]));
		mem_free(gone.ptr[i]);
	}
	vec_done(&gone);
}

static bool try_crowd(uint64_t seed, struct config *config)
{
	AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
	uint64_t state = seed;
	struct gang gangs[8];
	struct net net;
	bool good = true;
	int count = 2 + below(&state, 6);

	add_queue(c, "q0");
	add_queue(c, "q1");
	for (int i = 0; i < 3; i++)
		(void)apply(c, "{kind: PriorityClass, metadata: {name: p%d}, value: %d}", i, i);
	make_net(&net, c, &state);
	add_many(c, &state, gangs, count);
	for (int turn = 0; turn < 5; turn++) {
		cycle(c, config);
		good &= holds(c);
		for (int i = 0; i < count; i++) {
			int at[2 * NODES_MAX * 8];
			int placed = collect(c, &net, &gangs[i], at, false);

			good &= !placed || common_tier(&net, at, placed) <= gangs[i].limit;
		}
		carry_out(c);
		if (below(&state, 3) == 0 && net.nodes < NODES_MAX)
			add_node_of(&net, c, &state, 1);
	}
	if (!good)
		printf("# seed %llu\n", (unsigned long long)seed);
	return good;
}

static void test_crowds(void)
{
	static const char *const actions[] = {"allocate, preempt, reclaim",
					      "allocate, gangpreempt, gangreclaim"};

	enum { WORLDS = 300 };
	for (size_t a = 0; a < ARRAY_LEN(actions); a++) {
		AUTO(mem_free)
		char *text = mem_printf(
			"{actions: \"enqueue, %s, backfill\", tiers: [{plugins: [{name: priority}, "
			"{name: gang}, {name: conformance}]}, {plugins: [{name: predicates}, "
			"{name: "
			"proportion}, {name: nodeorder}, {name: network-topology-aware}]}]}",
			actions[a]);
		AUTO(config_free) struct config *config = configure(text);
		int good = 0;

		for (int i = 0; i < WORLDS; i++)
			good += try_crowd((uint64_t)i * 104729 + 5, config);
		ok(good == WORLDS, "%s: limits hold in %d of %d random networks", actions[a], good,
		   WORLDS);
	}
}

/* --- a tree that changes --------------------------------------------------------------------------- */

static void test_changes(void)
{
	uint64_t state = 4711;
	bool good = true;

	for (int world = 0; world < 100; world++) {
		AUTO(cluster_free) struct cluster *c = cluster_new(NULL);
		struct net net;

		make_net(&net, c, &state);
		for (int step = 0; step < 20; step++) {
			int n = below(&state, net.nodes), d = below(&state, net.domains);
			char name[32];

			switch (below(&state, 4)) {
			case 0:
				(void)snprintf(name, sizeof(name), "n%d-d%d", n, net.rack_of[n]);
				cluster_remove(c, CLUSTER_NODE, str_none(), str_from(name));
				break;
			case 1:
				(void)apply(c,
					    "{kind: Node, metadata: {name: n%d-d%d, labels: {rack: "
					    "d%d}}, status: {allocatable: {cpu: \"1\"}}}",
					    n, net.rack_of[n], below(&state, 4));
				break;
			case 2:
				(void)snprintf(name, sizeof(name), "d%d", d);
				cluster_remove(c, CLUSTER_HYPERNODE, str_none(), str_from(name));
				break;
			default:
				(void)apply(
					c,
					"{kind: HyperNode, metadata: {name: d%d}, spec: {tier: %d, "
					"members: [{type: HyperNode, selector: {exactMatch: {name: "
					"d%d}}}, {type: Node, selector: {regexMatch: {pattern: "
					"\"^n%d\"}}}]}}",
					d, 1 + below(&state, 4), below(&state, net.domains), n);
			}
			if (below(&state, 2))
				cluster_settle(c);
			good &= holds(c);
		}
	}
	ok(good, "whatever changes, every domain has the nodes that its members say");
}

int main(void)
{
	test_worlds();
	test_crowds();
	test_changes();
	return tap_done();
}
