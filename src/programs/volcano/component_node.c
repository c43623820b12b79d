/* SPDX-License-Identifier: Apache-2.0 */
/* programs/volcano/component_node.c - the node component: for now, simulated nodes.
 *
 * Without --simulate-nodes it does nothing. Nodes are made while the rest runs; nobody waits for
 * them, as nobody waits for the nodes of a cluster. */
#include "programs/volcano/component_node.h"

#include "base/log.h"
#include "base/mem.h"
#include "client/client.h"
#include "loop/loop.h"
#include "node/simulated.h"
#include "programs/volcano/settings.h"

#include "base/banned.h"

struct node_component {
	struct loop *loop;
	struct client *client;
	struct simulated *simulated;
	struct loop_defer stopped;
};

static void close_all(struct node_component *self)
{
	simulated_free(TAKE(self->simulated));
	client_free(TAKE(self->client));
}

void *component_node_start(struct component_world *world, struct err *err)
{
	int64_t count = world->settings->simulated_nodes;
	struct client *client = NULL;
	struct node_component *self;

	if (count > 0) {
		client = component_client(world, "system:node:simulated", "volcano-node", err);
		if (!client)
			return NULL;
	}
	self = mem_new(struct node_component);
	self->loop = world->loop;
	self->client = client;
	if (!client)
		return self;
	self->simulated = simulated_new(
		world->loop, client,
		&(struct simulated_options){.nodes = (size_t)count, .log = world->log});
	log_info(world->log, "simulating nodes", LOG_INT("nodes", count));
	return self;
}

void component_node_stop(void *self, component_done_fn *done, void *arg)
{
	struct node_component *node = self;

	close_all(node);
	loop_defer(node->loop, &node->stopped, done, arg);
}

void component_node_free(void *self)
{
	struct node_component *node = self;

	loop_defer_cancel(node->loop, &node->stopped);
	close_all(node);
	mem_free(node);
}
