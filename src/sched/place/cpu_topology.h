/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/cpu_topology.h - the CPUs of a node: their NUMA nodes, sockets and cores; sets of them; which ones the
 * kubelet gives to a container.
 *
 * All of it is arithmetic on sets, without a node or a pod: sched/place/numa.h knows those. A CPU is known by its place
 * in the order of its number, so that sets are small and CPUs may have any numbers. */
#ifndef SCHED_CPU_TOPOLOGY_H
#define SCHED_CPU_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/macro.h"
#include "base/str.h"
#include "model/volcano/vcjob.h"

struct numatopology_spec;

enum { CPU_SET_BITS = 64, CPU_SET_WORDS = LIMIT_NODE_CPUS / CPU_SET_BITS };
struct cpu_set {
	uint64_t at[CPU_SET_WORDS];
};
void cpu_set_add(struct cpu_set *set, size_t cpu);
bool cpu_set_has(const struct cpu_set *set, size_t cpu);
size_t cpu_set_len(const struct cpu_set *set);
bool cpu_set_is_within(const struct cpu_set *set, const struct cpu_set *of);
bool cpu_sets_meet(const struct cpu_set *a, const struct cpu_set *b);
struct cpu_set cpu_set_union(const struct cpu_set *a, const struct cpu_set *b);
struct cpu_set cpu_set_minus(const struct cpu_set *a, const struct cpu_set *b);
struct cpu_set cpu_set_common(const struct cpu_set *a, const struct cpu_set *b);

/* Numbers of groups are places in the order of their own numbers. */
struct cpu_place {
	int64_t id;
	uint32_t numa;
	uint32_t socket;
	uint32_t core; /* of the whole node: cores of two sockets are never the same */
};
struct cpu_core {
	uint32_t socket;
	struct cpu_set cpus;
};
struct cpu_topology {
	struct cpu_place *cpus;
	size_t count;
	struct cpu_set *numas;
	size_t numa_count;
	struct cpu_set *sockets;
	size_t socket_count;
	struct cpu_core *cores;
	size_t core_count;
	struct cpu_set all;
};

/* Of `cpuDetail`. ERR_INVALID: a number that is none, or more CPUs or NUMA nodes than there may be. */
struct cpu_topology *cpu_topology_new(const struct numatopology_spec *spec,
				      struct err *err) MUST_CHECK;
void cpu_topology_free(struct cpu_topology *topology);
DEFINE_AUTO(struct cpu_topology *, cpu_topology_free);

/* A list such as "0-3,8"; CPUs that the topology does not have are passed over. ERR_INVALID. */
int cpu_topology_parse(const struct cpu_topology *topology, struct str text, struct cpu_set *ret,
		       struct err *err) MUST_CHECK;
/* How many NUMA nodes have a CPU of the set? */
size_t cpu_topology_numas_of(const struct cpu_topology *topology, const struct cpu_set *set);

/* --- what a container gets -------------------------------------------------------------------------- */

/* NUMA nodes to take `count` CPUs from. */
struct numa_hint {
	uint64_t mask;  /* a bit each; all of them if no set of them has enough free */
	bool preferred; /* as few as could ever hold so many */
};
/* Of all sets of NUMA nodes with `count` free CPUs: a preferred one, else one of the fewest nodes; of several the
 * first by the lowest numbers. */
struct numa_hint numa_hint_best(const struct cpu_topology *topology, const struct cpu_set *free,
				size_t count);
/* Does the policy admit a container with that hint? */
bool numa_policy_admits(enum numa_policy policy, const struct numa_hint *hint);

/* `count` CPUs as the kubelet takes them: whole sockets, whole cores on the sockets with the fewest of them free, then
 * single CPUs next to those that were taken, on the fullest sockets and cores. False: there are not so many. */
bool cpu_pick(const struct cpu_topology *topology, const struct cpu_set *from, size_t count,
	      struct cpu_set *ret);
/* The same, first from the NUMA nodes of the hint. */
bool cpu_pick_near(const struct cpu_topology *topology, const struct cpu_set *from, size_t count,
		   const struct numa_hint *hint, struct cpu_set *ret);

#endif
