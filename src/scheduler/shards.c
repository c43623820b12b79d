/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/shards.c - which nodes this scheduler uses, for others that share the cluster with it (scheduler
 * specification, 1.10): the status of its NodeShard. Others keep off what it says that it has in use, so
 * that a node which moves from one shard to another is never used by both.
 *
 * It follows from the shards alone. It is written when they have changed what it says, one write at a
 * time, and again with the next cycle where that failed. */
#include "base/log.h"
#include "base/mem.h"
#include "model/volcano/nodeshard.h"
#include "scheduler/internal.h"

#include "base/banned.h"

static bool has(const struct strs *names, struct str name)
{
	for (size_t i = 0; i < names->len; i++)
		if (str_eq(names->ptr[i], name))
			return true;
	return false;
}

/* Nodes that the shard wants, and may use or not. */
static struct json list_nodes(const struct scheduler *scheduler, const struct nodeshard *own,
			      bool usable, struct json_doc *doc)
{
	struct json list = json_new_arr(doc);

	for (size_t i = 0; i < own->spec.nodes_desired.len; i++) {
		struct str name = own->spec.nodes_desired.ptr[i];

		if (cluster_shard_takes(scheduler->cluster, own, name) == usable)
			json_append(doc, list, json_new_str(doc, name));
	}
	return list;
}

static bool says(const struct strs *reported, struct json list)
{
	struct json_iter it = json_iter(list);

	while (json_next(&it))
		if (!has(reported, json_str(it.value)))
			return false;
	return reported->len == json_len(list);
}

static void on_written(void *arg, const struct client_result *result)
{
	AUTO(scheduler_write_free) struct write *write = arg;
	struct scheduler *scheduler = write->scheduler;

	scheduler->shard_asked = false;
	if (!result->err || result->err->code == ERR_NOT_FOUND)
		return;
	log_warn(scheduler->log, "which nodes are in use cannot be written, trying again",
		 LOG_STR("why", result->err->text));
	scheduler->shard_stale = true;
}

void scheduler_report_shard(struct scheduler *scheduler)
{
	AUTO(json_doc_unref) struct json_doc *patch = NULL;
	struct str name = str_from(scheduler->cluster->shard_name);
	const struct nodeshard *own;
	const struct thing *thing;
	struct json status, use, add;

	if (!scheduler->shard_stale || scheduler->shard_asked)
		return;
	scheduler->shard_stale = false;
	if (!scheduler->session.shard_hard && !scheduler->session.shard_soft)
		return;
	thing = cluster_find_thing(scheduler->cluster, CLUSTER_NODESHARD, str_none(), name);
	if (!thing)
		return;
	own = thing->view;
	patch = json_doc_new();
	json_doc_set_root(patch, json_new_obj(patch));
	use = list_nodes(scheduler, own, true, patch);
	add = list_nodes(scheduler, own, false, patch);
	if (says(&own->status.nodes_in_use, use) && says(&own->status.nodes_to_add, add) &&
	    !own->status.nodes_to_remove.len)
		return;
	status = json_ensure_obj(patch, json_doc_root(patch), "status");
	json_set(patch, status, STR("nodesInUse"), use);
	json_set(patch, status, STR("nodesToAdd"), add);
	json_set(patch, status, STR("nodesToRemove"), json_new_arr(patch));
	scheduler->shard_asked = true;
	scheduler->stats.writes++;
	scheduler_patch_status(scheduler, RESOURCE_NODESHARDS, name, patch, on_written);
}
