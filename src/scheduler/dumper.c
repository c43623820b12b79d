/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/dumper.c - what the scheduler thinks, on request (scheduler specification, 1.8): into a file
 * as JSON, or into the log, one line per node, queue and job. */
#include "base/buf.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "sched/cluster/dump.h"
#include "scheduler/internal.h"

#include "base/banned.h"

enum { DUMP_MODE = 0600 }; /* names of pods and queues are private */

int scheduler_dump(const struct scheduler *scheduler, const char *folder, struct err *err)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(mem_free)
	char *path = mem_printf("%s/snapshot-%lld.json", folder,
				(long long)(loop_now(scheduler->loop) / TIME_SECOND));

	dump_print(scheduler->cluster, scheduler->config, &text);
	if (fd_write_file(path, buf_text(&text), text.len, DUMP_MODE, err) < 0)
		return -1;
	log_info(scheduler->log, "the model is dumped", LOG_STR("file", path));
	return 0;
}

static void log_node(const struct scheduler *scheduler, const struct node_info *node)
{
	AUTO(resources_done) struct resources idle = RESOURCES_INIT;
	AUTO(resources_done) struct resources used = RESOURCES_INIT;
	AUTO(buf_done) struct buf idle_text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf used_text = BUF_UNBOUNDED;

	cluster_capacity(scheduler->cluster, CAPACITY_IDLE, node, &idle);
	cluster_capacity(scheduler->cluster, CAPACITY_USED, node, &used);
	resources_print(&idle, scheduler->cluster->dims, &idle_text);
	resources_print(&used, scheduler->cluster->dims, &used_text);
	log_info(scheduler->log, "node", LOG_VIEW("name", node->text),
		 LOG_BOOL("ready", node->there), LOG_INT("pods", node->task_count),
		 LOG_VIEW("idle", buf_str(&idle_text)), LOG_VIEW("used", buf_str(&used_text)));
}

static void log_queue(const struct scheduler *scheduler, const struct queue_info *queue)
{
	AUTO(buf_done) struct buf allocated = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf pending = BUF_UNBOUNDED;

	resources_print(&queue->allocated, scheduler->cluster->dims, &allocated);
	resources_print(&queue->pending, scheduler->cluster->dims, &pending);
	log_info(scheduler->log, "queue", LOG_VIEW("name", queue->text),
		 LOG_BOOL("open", queue->open), LOG_INT("jobs", queue->job_count),
		 LOG_VIEW("allocated", buf_str(&allocated)),
		 LOG_VIEW("pending", buf_str(&pending)));
}

static void log_job(const struct scheduler *scheduler, const struct job *job)
{
	AUTO(buf_done) struct buf allocated = BUF_UNBOUNDED;

	resources_print(&job->allocated, scheduler->cluster->dims, &allocated);
	log_info(scheduler->log, "job", LOG_VIEW("name", job_key(job)),
		 LOG_VIEW("queue", symbols_text(scheduler->cluster->symbols, job->queue_name)),
		 LOG_STR("phase", podgroup_phase_names[job->phase]),
		 LOG_INT("pods", job->tally.total),
		 LOG_INT("pending", job->tally.count[TASK_PENDING]),
		 LOG_INT("running", job->tally.count[TASK_RUNNING]),
		 LOG_INT("minAvailable", job->min_available),
		 LOG_VIEW("allocated", buf_str(&allocated)),
		 LOG_STR("waitsFor", job->why ? job->why : ""));
}

void scheduler_log_model(const struct scheduler *scheduler)
{
	const struct cluster *cluster = scheduler->cluster;
	struct cluster_bytes bytes = cluster_bytes(cluster);
	AUTO(mem_free)
	char *config = json_text(json_doc_root(scheduler->config->doc), JSON_COMPACT);
	size_t at = 0;
	void *value;

	log_info(scheduler->log, "configuration", LOG_STR("json", config));
	for (size_t i = 0; i < cluster->nodes.len; i++)
		if (cluster->nodes.ptr[i])
			log_node(scheduler, cluster->nodes.ptr[i]);
	for (size_t i = 0; i < cluster->queue_by_id.len; i++)
		if (cluster->queue_by_id.ptr[i])
			log_queue(scheduler, cluster->queue_by_id.ptr[i]);
	while (map_next(cluster->jobs, &at, NULL, &value))
		log_job(scheduler, value);
	log_info(scheduler->log, "memory of the model", LOG_INT("nodes", bytes.nodes),
		 LOG_INT("jobs", bytes.jobs), LOG_INT("pods", bytes.tasks));
}
