/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent.h - the nodes of this machine: Node objects, and pods that run as processes.
 *
 * The agent manages every pod that is bound to one of its nodes until the pod's end: its folder, its plan, its
 * supervisor (node/pod/supervisor_client.h) and its status. All state is in the folder or in the API: the agent may be
 * killed at any time, pods continue to run, and the next agent takes them over. */
#ifndef NODE_AGENT_H
#define NODE_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct agent;
struct client;
struct json_doc;
struct log;
struct loop;
struct pod_log;

struct agent_options {
	const char *folder;    /* absolute; pods are in its folder pods/ */
	const char *program;   /* volcano-pod */
	const char *host_name; /* name of the machine: the node has it, or NAME-0, NAME-1, ... */
	size_t nodes; /* number of nodes into which the machine is divided; 0: pods that run here are ended */
	const char *instance; /* label of its nodes (node/registry/registry.h); NULL: none */
	/* Resources per node, "nvidia.com/gpu=4,cpu=8", instead of what the machine has; and what is reserved, not
	 * for pods; NULL: none. */
	const char *resources;
	const char *reserved;
	/* What must stay free on the machine (pressure_limits_parse()); NULL: the default. */
	const char *eviction;
	int64_t transition_us; /* how long pressure is reported after it has ended; < 0: the default */
	/* "podman", "crun": containers run in images; NULL: as processes. The program is searched in `path`;
	 * `home` is the home directory of the node's user. */
	const char *runtime;
	const char *path;
	const char *home;
	/* Pods may name root, users and groups of the system, and privileges (identity.h). */
	bool allow_root_pods;
	int64_t pod_max_pids; /* largest number of processes and threads per pod; 0: as the machine permits */
	const char *
		api_host; /* address at which pods reach the API server; NULL: that of its service */
	const char *api_port;
	/* The server listens on loopback, which pods on a bridge do not reach: makes it listen at this address,
	 * too, at the same port. NULL: the server belongs to another process. */
	int (*listen_also)(void *arg, const char *address, struct err *err);
	void *listen_arg;
	struct log *log; /* may be NULL */
};

/* Starts at once. The options are copied. */
struct agent *agent_new(struct loop *loop, struct client *client,
			const struct agent_options *options, struct err *err) MUST_CHECK;
/* Pods continue to run. Takes NULL. */
void agent_free(struct agent *agent);
DEFINE_AUTO(struct agent *, agent_free);

/* Every node was written, and every pod that was bound at the start is known. */
bool agent_is_ready(const struct agent *agent);

/* The nodes have been written as they are declared. */
bool agent_is_registered(const struct agent *agent);
/* Is this one of the agent's nodes? */
bool agent_has_node(const struct agent *agent, struct str name);
/* One of its nodes was changed by others; NULL: it was deleted. */
void agent_node_changed(struct agent *agent, struct str name, const struct json_doc *doc);

/* What this machine does not permit, one sentence per index, for the user who started it; NULL: no more. */
const char *agent_lacks(const struct agent *agent, size_t index);

/* What a container has printed. Errors have the texts of a kubelet. */
struct agent_log_request {
	struct str uid; /* of the pod */
	struct str container;
	bool previous;
	bool timestamps;
	int64_t since;
	int64_t tail_lines;
};
struct pod_log *agent_open_log(struct agent *agent, const struct agent_log_request *request,
			       struct err *err) MUST_CHECK;

struct agent_stats {
	size_t nodes;
	size_t pods;       /* bound now */
	uint64_t adopted;  /* found running at the start */
	uint64_t starts;   /* of containers */
	uint64_t ends;     /* pods that have ended */
	uint64_t failures; /* writes that failed, without conflicts */
};
void agent_stats(const struct agent *agent, struct agent_stats *ret);

#endif
