/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/nodeshard.h - NodeShard (shard.volcano.sh/v1alpha1): the nodes that one of several
 * schedulers, the one of this name, is to use. */
#ifndef MODEL_NODESHARD_H
#define MODEL_NODESHARD_H

#include <stdint.h>

#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"

struct nodeshard_spec {
	struct strs nodes_desired;
};

struct nodeshard_status {
	int64_t last_update_time;
	struct strs nodes_in_use;
	struct strs nodes_to_remove;
	struct strs nodes_to_add;
};

struct nodeshard {
	struct meta meta;
	struct nodeshard_spec spec;
	struct nodeshard_status status;
};

extern const struct type nodeshard_type;

#endif
