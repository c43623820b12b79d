/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_sandboxes.h - what the files that make sandboxes share:
 *
 *	agent_sandboxes.c	the machine, and what pods refer to
 *	agent_plan.c	the sandbox and the plan of one pod */
#ifndef NODE_AGENT_SANDBOXES_H
#define NODE_AGENT_SANDBOXES_H

#include "node/agent/agent_internal.h"
#include "node/machine/machine.h"
#include "node/pod/pod_identity.h"
#include "node/pod/sandbox.h"

/* An informer of objects that pods refer to. */
struct source {
	struct agent_sandboxes *sandboxes;
	enum sandbox_kind kind;
	struct informer *informer;
};

struct agent_sandboxes {
	struct agent *agent;
	struct machine machine;
	struct machine_division division;
	struct arena *arena;
	struct cgroup_tree *cgroups;
	struct pod_identity_node identity;
	struct agent_runtime *runtime; /* NULL: containers are processes on the machine's files */
	struct source sources[SANDBOX_KIND_COUNT];
	struct informer *services;
	struct agent_tokens *tokens;
	struct agent_network *network;
	struct json_doc *status; /* per node: what it can allocate */
	char *claims;
	char *hidden;
	int64_t pod_max_pids;
	char *api_host;
	char *api_port;
};

#endif
