/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent.h - the nodes of this machine: Node objects, and pods that run as processes.
 *
 * The agent takes every pod that is bound to one of its nodes from there to its end: a folder, a plan, a
 * supervisor (node/pod/supervisor_client.h), and the status that follows. Everything that a later agent must know is
 * in the folder or in the API, so that it may be killed at any time and another one goes on: what ran runs
 * on. */
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
	const char *host_name; /* of the machine: the node is called so, or NAME-0, NAME-1, ... */
	size_t nodes; /* the machine is divided into so many; 0: pods that run here are ended */
	const char *instance; /* label of its nodes (node/registry/registry.h); NULL: none */
	/* Of each node, "nvidia.com/gpu=4,cpu=8": in place of what is found, and kept back from pods;
	 * NULL: none. */
	const char *resources;
	const char *reserved;
	/* What must stay free of the machine (pressure_limits_parse()); NULL: as by default. */
	const char *eviction;
	int64_t transition_us; /* how long a pressure is told after it has gone; < 0: as by default */
	/* "podman", "crun": containers run in images; NULL: as processes. Looked for along `path`; `home` is
	 * that of the node's user. */
	const char *runtime;
	const char *path;
	const char *home;
	/* Pods may name root, users and groups of the system, and privileges (identity.h). */
	bool allow_root_pods;
	int64_t pod_max_pids; /* of processes and threads of a pod; 0: no more than the machine permits */
	const char *api_host; /* where pods reach the API server; NULL: as its service says */
	const char *api_port;
	/* The server listens on loopback, where pods on a bridge do not reach it: have it listen at this
	 * address as well, at the same port. NULL: it is not ours. */
	int (*listen_also)(void *arg, const char *address, struct err *err);
	void *listen_arg;
	struct log *log; /* may be NULL */
};

/* Starts at once. The options are copied. */
struct agent *agent_new(struct loop *loop, struct client *client,
			const struct agent_options *options, struct err *err) MUST_CHECK;
/* Pods go on without it. Takes NULL. */
void agent_free(struct agent *agent);
DEFINE_AUTO(struct agent *, agent_free);

/* Every node is there, and every pod that was bound at the start is known. */
bool agent_is_ready(const struct agent *agent);

/* The nodes have been written as they are declared. */
bool agent_is_registered(const struct agent *agent);
/* Is it one of its nodes? */
bool agent_has_node(const struct agent *agent, struct str name);
/* One of its nodes was changed by others; NULL: it was deleted. */
void agent_node_changed(struct agent *agent, struct str name, const struct json_doc *doc);

/* What this machine does not let it do, a sentence each, for who started it; NULL: that was all. */
const char *agent_lacks(const struct agent *agent, size_t index);

/* What a container has printed. Errors are in a kubelet's words. */
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
	size_t pods;       /* on them now */
	uint64_t adopted;  /* found running */
	uint64_t starts;   /* of containers */
	uint64_t ends;     /* pods that have come to their end */
	uint64_t failures; /* writes that were refused, conflicts aside */
};
void agent_stats(const struct agent *agent, struct agent_stats *ret);

#endif
