/* SPDX-License-Identifier: Apache-2.0 */
/* node/registry/node_lease.h - the lease of a node in kube-node-lease, which says that the node answers. */
#ifndef NODE_REGISTRY_NODE_LEASE_H
#define NODE_REGISTRY_NODE_LEASE_H

#include <stdbool.h>

#include "base/str.h"

struct client;
struct client_request;

/* A node whose lease is this old does not answer. */
enum { LEASE_SECONDS = 40 };

struct node_lease {
	struct client *client;
	struct str name; /* of the node; lent, and outlives it */
	struct client_request *request;
};

/* Renews it, or creates it if it does not exist. Does nothing while the renewal before is under way. */
void node_lease_renew(struct node_lease *lease);
/* Deletes it; the answer is not waited for. */
void node_lease_delete(struct node_lease *lease);
/* Nothing more is sent. */
void node_lease_stop(struct node_lease *lease);

#endif
