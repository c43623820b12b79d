/* SPDX-License-Identifier: Apache-2.0 */
/* sched/cluster/dump.h - the model as JSON, for anyone who wants to know what the scheduler sees.
 *
 * Four documents, a line each, with one member: `configuration`, the one in force; `nodes`, `queues`
 * and `jobs` by name. Amounts are as manifests write them; what is empty is left out. */
#ifndef SCHED_DUMP_H
#define SCHED_DUMP_H

#include "base/buf.h"
#include "json/doc.h"

struct cluster;
struct config;
struct job;
struct node_info;
struct queue_info;

void dump_print(const struct cluster *cluster, const struct config *config, struct buf *to);

/* One of them, in a document that is being made. */
struct json dump_node(const struct cluster *cluster, const struct node_info *node,
		      struct json_doc *doc);
struct json dump_queue(const struct cluster *cluster, const struct queue_info *queue,
		       struct json_doc *doc);
struct json dump_job(const struct cluster *cluster, const struct job *job, struct json_doc *doc);

#endif
