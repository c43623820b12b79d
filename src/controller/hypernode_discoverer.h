/* SPDX-License-Identifier: Apache-2.0 */
/* controller/hypernode_discoverer.h - runs the sources that find HyperNodes (lifecycle/hypernode_discovery.h), as the
 * ConfigMap of the controllers says.
 *
 * A change of the ConfigMap counts at once; one that makes no sense is reported by an event of it, and what was before
 * goes on. HyperNodes of a source that is switched off stay. Each source has one result at a time on its way into
 * objects. */
#ifndef CONTROLLER_HYPERNODE_DISCOVERER_H
#define CONTROLLER_HYPERNODE_DISCOVERER_H

#include <stddef.h>

#include "base/macro.h"

struct cache;
struct controller_base;
struct discoverer;
struct json;

/* Gives names and labels of all nodes, in memory for mem_free(); their documents are lent until control returns to the loop. */
typedef struct json *discoverer_nodes_fn(void *arg, size_t *ret_count);

/* `caches` are those of a worker; the one of HyperNodes is read. */
struct discoverer *discoverer_new(struct controller_base *base, struct cache *const *caches,
				  discoverer_nodes_fn *nodes, void *arg)
	__attribute__((returns_nonnull));
/* Nodes and HyperNodes are known. */
void discoverer_start(struct discoverer *d);
/* A node or a HyperNode has changed. */
void discoverer_touch(struct discoverer *d);
void discoverer_free(struct discoverer *d);
DEFINE_AUTO(struct discoverer *, discoverer_free);

#endif
