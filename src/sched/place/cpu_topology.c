/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/cpu_topology.c - see the header. Steps of picking CPUs are those of the kubelet's static policy
 * (specification additions, part 2), so that what is predicted here is what it does.
 *
 * 1. What is picked is a subset of what was offered, and has exactly the size asked for.
 * 2. A group is whole only if all of its CPUs were offered. */
#include "sched/place/cpu_topology.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/vec.h"
#include "model/volcano/numatopology.h"

#include "base/banned.h"

/* --- sets ------------------------------------------------------------------------------------ */

static size_t bits_of(uint64_t word)
{
	size_t count = 0;

	for (; word; word &= word - 1)
		count++;
	return count;
}

void cpu_set_add(struct cpu_set *set, size_t cpu)
{
	set->at[cpu / CPU_SET_BITS] |= UINT64_C(1) << cpu % CPU_SET_BITS;
}

bool cpu_set_has(const struct cpu_set *set, size_t cpu)
{
	return set->at[cpu / CPU_SET_BITS] >> cpu % CPU_SET_BITS & 1;
}

size_t cpu_set_len(const struct cpu_set *set)
{
	size_t len = 0;

	for (size_t i = 0; i < CPU_SET_WORDS; i++)
		len += bits_of(set->at[i]);
	return len;
}

bool cpu_set_is_within(const struct cpu_set *set, const struct cpu_set *of)
{
	uint64_t outside = 0;

	for (size_t i = 0; i < CPU_SET_WORDS; i++)
		outside |= set->at[i] & ~of->at[i];
	return !outside;
}

bool cpu_sets_meet(const struct cpu_set *a, const struct cpu_set *b)
{
	uint64_t both = 0;

	for (size_t i = 0; i < CPU_SET_WORDS; i++)
		both |= a->at[i] & b->at[i];
	return both;
}

struct cpu_set cpu_set_union(const struct cpu_set *a, const struct cpu_set *b)
{
	struct cpu_set set;

	for (size_t i = 0; i < CPU_SET_WORDS; i++)
		set.at[i] = a->at[i] | b->at[i];
	return set;
}

struct cpu_set cpu_set_minus(const struct cpu_set *a, const struct cpu_set *b)
{
	struct cpu_set set;

	for (size_t i = 0; i < CPU_SET_WORDS; i++)
		set.at[i] = a->at[i] & ~b->at[i];
	return set;
}

struct cpu_set cpu_set_common(const struct cpu_set *a, const struct cpu_set *b)
{
	struct cpu_set set;

	for (size_t i = 0; i < CPU_SET_WORDS; i++)
		set.at[i] = a->at[i] & b->at[i];
	return set;
}

static size_t common_len(const struct cpu_set *a, const struct cpu_set *b)
{
	size_t len = 0;

	for (size_t i = 0; i < CPU_SET_WORDS; i++)
		len += bits_of(a->at[i] & b->at[i]);
	return len;
}

/* --- topologies ------------------------------------------------------------------------------ */

/* A CPU as it was read, before its groups have places. */
struct raw_cpu {
	int64_t id, numa, socket, core;
};

static int by_id(const void *left, const void *right)
{
	const struct raw_cpu *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

static int by_number(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

struct number_pair {
	int64_t first, second;
};

static int by_pair(const void *left, const void *right)
{
	const struct number_pair *a = left, *b = right;
	int first = (a->first > b->first) - (a->first < b->first);

	return first ? first : (a->second > b->second) - (a->second < b->second);
}

static size_t unique(void *at, size_t count, size_t size, int (*order)(const void *, const void *))
{
	char *base = at;
	size_t kept = 0;

	if (count)
		qsort(at, count, size, order);
	for (size_t i = 0; i < count; i++)
		if (!i || order(base + i * size, base + (kept - 1) * size) != 0) {
			if (kept != i)
				memcpy(base + kept * size, base + i * size, size);
			kept++;
		}
	return kept;
}

static uint32_t place_of(const void *key, const void *at, size_t count, size_t size,
			 int (*order)(const void *, const void *))
{
	const char *found = bsearch(key, at, count, size, order);

	return (uint32_t)((size_t)(found - (const char *)at) / size);
}

/* The distinct numbers of NUMA nodes, sockets and cores, in order. */
struct groups {
	int64_t *numas;
	int64_t *sockets;
	struct number_pair *cores; /* of a socket, of a core there */
	size_t numa_count, socket_count, core_count;
};

static void groups_done(struct groups *groups)
{
	mem_free(groups->numas);
	mem_free(groups->sockets);
	mem_free(groups->cores);
}
DEFINE_AUTO_IN_PLACE(struct groups, groups_done);

static void groups_read(struct groups *groups, const struct raw_cpu *raw, size_t count)
{
	groups->numas = mem_calloc(count + 1, sizeof(*groups->numas));
	groups->sockets = mem_calloc(count + 1, sizeof(*groups->sockets));
	groups->cores = mem_calloc(count + 1, sizeof(*groups->cores));
	for (size_t i = 0; i < count; i++) {
		groups->numas[i] = raw[i].numa;
		groups->sockets[i] = raw[i].socket;
		groups->cores[i] = (struct number_pair){raw[i].socket, raw[i].core};
	}
	groups->numa_count = unique(groups->numas, count, sizeof(*groups->numas), by_number);
	groups->socket_count = unique(groups->sockets, count, sizeof(*groups->sockets), by_number);
	groups->core_count = unique(groups->cores, count, sizeof(*groups->cores), by_pair);
}

static void place_cpu(struct cpu_topology *t, const struct groups *groups,
		      const struct raw_cpu *raw, size_t at)
{
	struct number_pair core = {raw->socket, raw->core};
	struct cpu_place *cpu = &t->cpus[at];

	cpu->id = raw->id;
	cpu->numa =
		place_of(&raw->numa, groups->numas, groups->numa_count, sizeof(int64_t), by_number);
	cpu->socket = place_of(&raw->socket, groups->sockets, groups->socket_count, sizeof(int64_t),
			       by_number);
	cpu->core = place_of(&core, groups->cores, groups->core_count, sizeof(core), by_pair);
	cpu_set_add(&t->numas[cpu->numa], at);
	cpu_set_add(&t->sockets[cpu->socket], at);
	cpu_set_add(&t->cores[cpu->core].cpus, at);
	t->cores[cpu->core].socket = cpu->socket;
	cpu_set_add(&t->all, at);
}

static int read_cpus(const struct numatopology_spec *spec, struct raw_cpu *raw, struct err *err)
{
	for (size_t i = 0; i < spec->cpu_detail.len; i++) {
		const struct numatopology_cpu *cpu = &spec->cpu_detail.ptr[i].value;
		struct str key = spec->cpu_detail.ptr[i].key;

		if (number_parse_range(key, 0, INT32_MAX, &raw[i].id, NULL) < 0)
			return err_set(err, ERR_INVALID,
				       "spec.cpuDetail: \"%.*s\" is no number of a CPU",
				       STR_ARG(key));
		raw[i].numa = cpu->numa;
		raw[i].socket = cpu->socket;
		raw[i].core = cpu->core;
	}
	return 0;
}

struct cpu_topology *cpu_topology_new(const struct numatopology_spec *spec, struct err *err)
{
	size_t count = spec->cpu_detail.len;
	AUTO(mem_free) struct raw_cpu *raw = mem_calloc(count + 1, sizeof(*raw));
	AUTO(groups_done) struct groups groups = {0};
	struct cpu_topology *t;

	if (count > LIMIT_NODE_CPUS) {
		(void)err_set(err, ERR_INVALID, "spec.cpuDetail: %zu CPUs, at most %d are possible",
			      count, LIMIT_NODE_CPUS);
		return NULL;
	}
	if (read_cpus(spec, raw, err) < 0)
		return NULL;
	if (count)
		qsort(raw, count, sizeof(*raw), by_id);
	for (size_t i = 1; i < count; i++)
		if (raw[i].id == raw[i - 1].id) {
			(void)err_set(err, ERR_INVALID, "spec.cpuDetail: CPU %lld is named twice",
				      (long long)raw[i].id);
			return NULL;
		}
	groups_read(&groups, raw, count);
	if (groups.numa_count > CPU_SET_BITS) {
		(void)err_set(err, ERR_INVALID,
			      "spec.cpuDetail: %zu NUMA nodes, at most %d are possible",
			      groups.numa_count, CPU_SET_BITS);
		return NULL;
	}
	t = mem_new(struct cpu_topology);
	t->count = count;
	t->numa_count = groups.numa_count;
	t->socket_count = groups.socket_count;
	t->core_count = groups.core_count;
	t->cpus = mem_calloc(count + 1, sizeof(*t->cpus));
	t->numas = mem_calloc(groups.numa_count + 1, sizeof(*t->numas));
	t->sockets = mem_calloc(groups.socket_count + 1, sizeof(*t->sockets));
	t->cores = mem_calloc(groups.core_count + 1, sizeof(*t->cores));
	for (size_t i = 0; i < count; i++)
		place_cpu(t, &groups, &raw[i], i);
	return t;
}

void cpu_topology_free(struct cpu_topology *topology)
{
	if (!topology)
		return;
	mem_free(topology->cpus);
	mem_free(topology->numas);
	mem_free(topology->sockets);
	mem_free(topology->cores);
	mem_free(topology);
}

/* "3" or "3-5" */
static int parse_range(struct str text, int64_t *ret_first, int64_t *ret_last)
{
	struct str rest = text, first;

	(void)str_split(&rest, '-', &first);
	if (number_parse_range(first, 0, INT32_MAX, ret_first, NULL) < 0)
		return -1;
	*ret_last = *ret_first;
	if (first.len == text.len)
		return 0;
	if (number_parse_range(rest, 0, INT32_MAX, ret_last, NULL) < 0 || *ret_last < *ret_first)
		return -1;
	return 0;
}

int cpu_topology_parse(const struct cpu_topology *topology, struct str text, struct cpu_set *ret,
		       struct err *err)
{
	struct str rest = str_trim(text), part;
	struct cpu_set set = {0};
	int64_t first, last;

	while (rest.len && str_split(&rest, ',', &part)) {
		if (parse_range(str_trim(part), &first, &last) < 0)
			return err_set(err, ERR_INVALID,
				       "\"%.*s\" is no list of CPUs such as 0-3,8", STR_ARG(text));
		for (size_t i = 0; i < topology->count; i++)
			if (topology->cpus[i].id >= first && topology->cpus[i].id <= last)
				cpu_set_add(&set, i);
	}
	*ret = set;
	return 0;
}

size_t cpu_topology_numas_of(const struct cpu_topology *topology, const struct cpu_set *set)
{
	size_t count = 0;

	for (size_t i = 0; i < topology->numa_count; i++)
		count += cpu_sets_meet(&topology->numas[i], set);
	return count;
}

/* --- hints ----------------------------------------------------------------------------------- */

/* The largest sum of `count` numbers from `from` on. */
static size_t most_of(const size_t *amounts, size_t from, size_t len, size_t count)
{
	uint64_t used = 0;
	size_t sum = 0;

	for (size_t n = 0; n < count; n++) {
		size_t best = len;

		for (size_t i = from; i < len; i++)
			if (!(used >> i & 1) && (best == len || amounts[i] > amounts[best]))
				best = i;
		if (best == len)
			return sum;
		used |= UINT64_C(1) << best;
		sum += amounts[best];
	}
	return sum;
}

/* The fewest NUMA nodes that together have so many; 0: all do not. */
static size_t fewest(const size_t *amounts, size_t len, size_t wanted)
{
	for (size_t size = 1; size <= len; size++)
		if (most_of(amounts, 0, len, size) >= wanted)
			return size;
	return 0;
}

/* The first set of `size` numbers, by the lowest places, whose sum is enough; there is one. */
static uint64_t first_mask(const size_t *amounts, size_t len, size_t size, size_t wanted)
{
	uint64_t mask = 0;
	size_t sum = 0;

	for (size_t i = 0; i < len && size; i++) {
		if (sum + amounts[i] + most_of(amounts, i + 1, len, size - 1) < wanted)
			continue;
		mask |= UINT64_C(1) << i;
		sum += amounts[i];
		size--;
	}
	return mask;
}

struct numa_hint numa_hint_best(const struct cpu_topology *topology, const struct cpu_set *free,
				size_t count)
{
	size_t totals[CPU_SET_BITS], frees[CPU_SET_BITS], least, size;
	size_t len = topology->numa_count;
	struct numa_hint hint = {.mask = 0, .preferred = false};

	for (size_t i = 0; i < len; i++) {
		totals[i] = cpu_set_len(&topology->numas[i]);
		frees[i] = common_len(&topology->numas[i], free);
	}
	least = fewest(totals, len, count);
	size = fewest(frees, len, count);
	if (!size) {
		for (size_t i = 0; i < len; i++)
			hint.mask |= UINT64_C(1) << i;
		return hint;
	}
	hint.mask = first_mask(frees, len, size, count);
	hint.preferred = size == least;
	return hint;
}

bool numa_policy_admits(enum numa_policy policy, const struct numa_hint *hint)
{
	switch (policy) {
	case NUMA_POLICY_RESTRICTED:
		return hint->preferred;
	case NUMA_POLICY_SINGLE_NODE:
		return hint->preferred && bits_of(hint->mask) == 1;
	default:
		return true;
	}
}

/* --- picking --------------------------------------------------------------------------------- */

struct pick {
	const struct cpu_topology *topology;
	struct cpu_set left; /* of what was offered */
	struct cpu_set taken;
	size_t wanted; /* still */
};

static void take(struct pick *pick, const struct cpu_set *cpus)
{
	pick->taken = cpu_set_union(&pick->taken, cpus);
	pick->left = cpu_set_minus(&pick->left, cpus);
	pick->wanted -= cpu_set_len(cpus);
}

static void take_sockets(struct pick *pick)
{
	for (size_t i = 0; i < pick->topology->socket_count; i++) {
		const struct cpu_set *socket = &pick->topology->sockets[i];

		if (cpu_set_len(socket) <= pick->wanted && cpu_set_is_within(socket, &pick->left))
			take(pick, socket);
	}
}

static bool is_whole(const struct pick *pick, size_t core)
{
	return cpu_set_is_within(&pick->topology->cores[core].cpus, &pick->left);
}

/* The socket with the fewest whole cores, of those that have some and were not looked at; none: their number. */
static size_t next_socket(const size_t *whole, const bool *done, size_t count)
{
	size_t best = count;

	for (size_t i = 0; i < count; i++)
		if (!done[i] && whole[i] && (best == count || whole[i] < whole[best]))
			best = i;
	return best;
}

static void take_cores(struct pick *pick)
{
	const struct cpu_topology *t = pick->topology;
	size_t whole[LIMIT_NODE_CPUS] = {0}, at;
	bool done[LIMIT_NODE_CPUS] = {false};

	for (size_t i = 0; i < t->core_count; i++)
		whole[t->cores[i].socket] += is_whole(pick, i);
	while (pick->wanted && (at = next_socket(whole, done, t->socket_count)) < t->socket_count) {
		done[at] = true;
		for (size_t i = 0; i < t->core_count; i++)
			if (t->cores[i].socket == at && is_whole(pick, i) &&
			    cpu_set_len(&t->cores[i].cpus) <= pick->wanted)
				take(pick, &t->cores[i].cpus);
	}
}

/* What decides between two CPUs, in order; smaller goes first. */
enum { RANKS = 5 };

static void rank_cpu(const struct pick *pick, const struct cpu_set *offered, size_t cpu,
		     size_t ret[RANKS])
{
	const struct cpu_topology *t = pick->topology;
	const struct cpu_place *place = &t->cpus[cpu];

	ret[0] = LIMIT_NODE_CPUS - common_len(&t->sockets[place->socket], &pick->taken);
	ret[1] = common_len(&t->sockets[place->socket], offered);
	ret[2] = common_len(&t->cores[place->core].cpus, offered);
	ret[3] = place->socket;
	ret[4] = place->core;
}

/* The order is that of the moment at which single CPUs begin to be taken. */
struct ranked {
	size_t rank[RANKS];
	size_t cpu;
};

static int by_rank(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	for (size_t i = 0; i < RANKS; i++)
		if (a->rank[i] != b->rank[i])
			return a->rank[i] < b->rank[i] ? -1 : 1;
	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

static void take_threads(struct pick *pick)
{
	AUTO(mem_free) struct ranked *all = NULL;
	struct cpu_set offered = pick->left;
	size_t len = 0;

	if (!pick->wanted)
		return;
	all = mem_calloc(pick->topology->count + 1, sizeof(*all));
	for (size_t i = 0; i < pick->topology->count; i++)
		if (cpu_set_has(&offered, i)) {
			rank_cpu(pick, &offered, i, all[len].rank);
			all[len++].cpu = i;
		}
	qsort(all, len, sizeof(*all), by_rank);
	for (size_t i = 0; i < len && pick->wanted; i++) {
		struct cpu_set one = {0};

		cpu_set_add(&one, all[i].cpu);
		take(pick, &one);
	}
}

bool cpu_pick(const struct cpu_topology *topology, const struct cpu_set *from, size_t count,
	      struct cpu_set *ret)
{
	struct pick pick = {.topology = topology,
			    .left = cpu_set_common(from, &topology->all),
			    .wanted = count};

	if (cpu_set_len(&pick.left) < count)
		return false;
	take_sockets(&pick);
	take_cores(&pick);
	take_threads(&pick);
	*ret = pick.taken;
	return true;
}

bool cpu_pick_near(const struct cpu_topology *topology, const struct cpu_set *from, size_t count,
		   const struct numa_hint *hint, struct cpu_set *ret)
{
	struct cpu_set near = {0}, first = {0}, rest = {0};
	size_t len;

	for (size_t i = 0; i < topology->numa_count; i++)
		if (hint->mask >> i & 1)
			near = cpu_set_union(&near, &topology->numas[i]);
	near = cpu_set_common(&near, from);
	len = cpu_set_len(&near) < count ? cpu_set_len(&near) : count;
	if (!cpu_pick(topology, &near, len, &first))
		return false;
	near = cpu_set_minus(from, &first);
	if (!cpu_pick(topology, &near, count - len, &rest))
		return false;
	*ret = cpu_set_union(&first, &rest);
	return true;
}
