/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/queue.h - Queue (scheduling.volcano.sh/v1beta1): a share of the cluster that jobs wait
 * for. */
#ifndef MODEL_QUEUE_H
#define MODEL_QUEUE_H

#include <stdint.h>

#include "base/str.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"

enum queue_state {
	QUEUE_STATE_NONE,
	QUEUE_OPEN,
	QUEUE_CLOSED,
	QUEUE_CLOSING,
	QUEUE_UNKNOWN,
	QUEUE_STATE_COUNT
};
extern const char *const queue_state_names[QUEUE_STATE_COUNT];

enum dequeue_strategy {
	DEQUEUE_NONE, /* as traverse */
	DEQUEUE_FIFO,
	DEQUEUE_TRAVERSE,
	DEQUEUE_COUNT
};

struct queue_cluster {
	struct str name;
	int32_t weight;
	struct resource_list capacity;
};

/* Names of node groups. */
struct queue_group_terms {
	struct strs required;
	struct strs preferred;
};

struct queue_affinity {
	const struct queue_group_terms *node_group_affinity;
	const struct queue_group_terms *node_group_anti_affinity;
};

struct queue_guarantee {
	struct resource_list resource;
};

struct queue_spec {
	int32_t weight;
	struct resource_list capability;
	struct opt_bool reclaimable;
	VIEW_LIST(struct queue_cluster) extend_clusters;
	struct queue_guarantee guarantee;
	const struct queue_affinity *affinity;
	struct str type;
	struct str parent;
	struct resource_list deserved;
	int32_t priority;
	enum dequeue_strategy dequeue_strategy;
};

struct queue_reservation {
	struct strs nodes;
	struct resource_list resource;
};

struct queue_status {
	enum queue_state state;
	int32_t unknown;
	int32_t pending;
	int32_t running;
	int32_t inqueue;
	int32_t completed;
	struct queue_reservation reservation;
	struct resource_list allocated;
};

struct queue {
	struct meta meta;
	struct queue_spec spec;
	struct queue_status status;
};

extern const struct type queue_type;
extern const struct type queue_spec_type;
extern const struct type queue_status_type;

#endif
