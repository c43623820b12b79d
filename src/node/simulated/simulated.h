/* SPDX-License-Identifier: Apache-2.0 */
/* node/simulated/simulated.h - nodes that exist only in the API: Node objects, and pods that run and end as their
 * annotations say. For demonstrations, tests and benchmarks (`volcano up --simulate-nodes N`).
 *
 * A pod that is bound to one of them becomes Running with all containers ready at once. The annotation
 * `run-seconds` (a number, which may have a fraction) ends it that long after it started: Succeeded, or Failed if
 * `run-exit-code` is given and not 0. A bound pod is deleted at once. A node that is deleted is created again only
 * at the next start. After a restart everything continues: all state is in the pod's status. */
#ifndef NODE_SIMULATED_H
#define NODE_SIMULATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"

struct client;
struct log;
struct loop;
struct simulated;

struct simulated_options {
	size_t nodes;         /* named node-00000, node-00001, ... */
	const char *cpu;      /* quantities; NULL: "32" */
	const char *memory;   /* NULL: "256Gi" */
	const char *pods;     /* NULL: "110" */
	const char *instance; /* label of the nodes that are made (registry.h); NULL: none */
	bool leases;          /* renew a lease for each node, as a kubelet does */
	struct log *log;      /* may be NULL */
};

/* Starts to create nodes and to run pods at once. */
struct simulated *simulated_new(struct loop *loop, struct client *client,
				const struct simulated_options *options)
	__attribute__((returns_nonnull));
/* Nodes and pods stay as they are. Takes NULL. */
void simulated_free(struct simulated *simulated);
DEFINE_AUTO(struct simulated *, simulated_free);

/* Every node exists, and the pods that were bound at the start are known. */
bool simulated_is_ready(const struct simulated *simulated);

struct simulated_stats {
	size_t nodes;      /* created or found */
	size_t pods;       /* bound now */
	uint64_t starts;   /* pods set Running */
	uint64_t ends;     /* Succeeded or Failed */
	uint64_t removed;  /* deleted pods whose deletion it confirmed */
	uint64_t failures; /* writes that failed, without conflicts */
};
void simulated_stats(const struct simulated *simulated, struct simulated_stats *ret);

#endif
