/* SPDX-License-Identifier: Apache-2.0 */
/* sched/place/numa.h - which CPUs of a node pods get: Numatopology objects, and what has been assigned since they were
 * written (scheduler specification, 6.20; additions, part 2).
 *
 * An exporter on each node reports which CPUs no container has for itself, some seconds late. So an assignment is
 * kept until the report shows it:
 *
 *	free	what is reported as free, without what is assigned to pods that are placed since
 *	future	the same, with what pods have that are being removed
 *
 * An assignment goes when the object lists the pod (podAllocations); without that list, when none of its CPUs is
 * reported as free any more; and when its pod has ended, or is not bound there after all. It belongs to the model, not to
 * a configuration, so that reading another one loses nothing. */
#ifndef SCHED_NUMA_H
#define SCHED_NUMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "sched/place/cpu_topology.h"

struct cluster;
struct json;
struct json_doc;
struct node_info;
struct numa;
struct numa_node;
struct task;

/* What the containers of a Guaranteed pod ask for, by position; counted by its users. */
struct cpu_ask {
	uint32_t refs;
	uint64_t shape; /* a hash of the numbers; never 0 */
	size_t count;
	struct cpu_ask_container {
		char *name;
		uint32_t cpus; /* for itself; 0: none, as it asks for none, or not for whole ones */
	} at[];
};
/* Of a pod in Guaranteed QoS, whose requests are its limits. */
struct cpu_ask *cpu_ask_new(struct json pod) __attribute__((returns_nonnull));
/* Both take NULL. */
struct cpu_ask *cpu_ask_ref(struct cpu_ask *ask);
void cpu_ask_unref(struct cpu_ask *ask);

struct numa *numa_new(void) __attribute__((returns_nonnull));
void numa_free(struct numa *numa);

/* --- events --- */
int numa_apply(struct cluster *cluster, struct json_doc *doc, struct err *err) MUST_CHECK;
void numa_remove(struct cluster *cluster, struct str name);
/* What is known of a node of that name, or NULL. */
struct numa_node *numa_find(const struct cluster *cluster, struct str name);

/* --- questions --- */

enum numa_answer {
	NUMA_PASSES,  /* nothing to say: the pod gets what the kubelet finds */
	NUMA_ASSIGNS, /* it gets CPUs that are known */
	NUMA_NO_INFO,
	NUMA_NOT_STATIC,
	NUMA_OTHER_POLICY, /* than the pod's */
	NUMA_NO_CPUS,
	NUMA_REFUSES, /* a container does not get its CPUs as the policy of the node wants */
};
struct numa_look {
	enum numa_answer answer;
	bool final;         /* also if no pod were there */
	uint32_t container; /* NUMA_REFUSES: its position */
	uint32_t numas;     /* NUMA_ASSIGNS: NUMA nodes that its CPUs are of */
};
/* May a Guaranteed task go to a node? On free CPUs if the node has idle capacity for it, else on future ones. */
struct numa_look numa_look(const struct cluster *cluster, const struct task *task,
			   const struct node_info *node);
/* The policy that the pod asks for; none where it leaves it to the node. */
struct str numa_policy_of(const struct task *task);
/* ... and that of a node's kubelet; none: not known. */
struct str numa_policy_of_node(const struct node_info *node);

/* --- assignments --- */

/* The task has been placed: assign its CPUs. -1: it does not get them. */
int numa_place(struct cluster *cluster, const struct task *task) MUST_CHECK;
/* It was taken away again. One that is evicted keeps them until it has ended. */
void numa_unplace(struct cluster *cluster, const struct task *task);
/* When a session opens: drop assignments of tasks that have ended or are not bound. */
void numa_tidy(struct cluster *cluster);
/* The CPUs assigned to a task and not reported yet; false: none. For tests. */
bool numa_assigned(const struct cluster *cluster, const struct task *task, struct cpu_set *ret);

/* What is wrong, or NULL; for mem_free(). */
char *numa_check(const struct cluster *cluster);

#endif
