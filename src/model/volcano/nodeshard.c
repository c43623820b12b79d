/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/nodeshard.c - the tables of NodeShard. The sharding controller writes its spec, the
 * scheduler its status. */
#include "model/volcano/nodeshard.h"

#include "base/banned.h"

#define SHARD .group = "sh.volcano.shard"

#define VIEW struct nodeshard_spec
static const struct field nodeshard_spec_fields[] = {
	{"nodesDesired", F_LIST(F_STR), AT(nodes_desired), F_NEEDED, F_ALWAYS,
	 F_DOC("nodes that the scheduler is to use")},
};
#undef VIEW
static const struct type nodeshard_spec_type = {
	TYPE("NodeShardSpec", "v1alpha1", struct nodeshard_spec, nodeshard_spec_fields),
	SHARD,
};

#define VIEW struct nodeshard_status
static const struct field nodeshard_status_fields[] = {
	{"lastUpdateTime", F_TIME, AT(last_update_time)},
	{"nodesInUse", F_LIST(F_STR), AT(nodes_in_use), F_DOC("nodes that it does use")},
	{"nodesToRemove", F_LIST(F_STR), AT(nodes_to_remove), F_DOC("nodes that it will leave")},
	{"nodesToAdd", F_LIST(F_STR), AT(nodes_to_add), F_DOC("nodes that it will take")},
};
#undef VIEW
static const struct type nodeshard_status_type = {
	TYPE("NodeShardStatus", "v1alpha1", struct nodeshard_status, nodeshard_status_fields),
	SHARD,
};

#define VIEW struct nodeshard
static const struct field nodeshard_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta)},
	{"spec", F_OBJECT(nodeshard_spec), AT(spec), F_REQUIRED},
	{"status", F_OBJECT(nodeshard_status), AT(status)},
};
#undef VIEW
const struct type nodeshard_type = {
	TYPE("NodeShard", "v1alpha1", struct nodeshard, nodeshard_fields),
	SHARD,
	.doc = "the nodes that one of several schedulers uses",
};
