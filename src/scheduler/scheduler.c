/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/scheduler.c - see scheduler.h: events in, cycles, decisions out (execute.c).
 *
 * A cycle runs from a timer and never from an event, so that what comes together is looked at
 * together: the pods of a gang, the answers of a hundred bindings. */
#include "scheduler/scheduler.h"

#include <assert.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/quarantine.h"
#include "base/time.h"
#include "model/value/zone.h"
#include "sched/report/object_warnings.h"
#include "scheduler/internal.h"
#include "scheduler/local_zone.h"

#include "base/banned.h"

#define PERIOD (TIME_SECOND)
#define GATHER (2 * TIME_MILLISECOND)

/* What is watched. PodGroups are kept as documents, because their conditions are written as a
 * whole. Without the permission to list them there are none; only those that are required are waited for. */
static const struct {
	enum resource_id id;
	bool store;
} sources[CLUSTER_KIND_COUNT] = {
	[CLUSTER_POD] = {RESOURCE_PODS, false},
	[CLUSTER_NODE] = {RESOURCE_NODES, false},
	[CLUSTER_QUEUE] = {RESOURCE_QUEUES, false},
	[CLUSTER_PRIORITYCLASS] = {RESOURCE_PRIORITYCLASSES, false},
	[CLUSTER_PODGROUP] = {RESOURCE_PODGROUPS, true},
	[CLUSTER_NAMESPACE] = {RESOURCE_NAMESPACES, false},
	[CLUSTER_QUOTA] = {RESOURCE_QUOTAS, false},
	[CLUSTER_PDB] = {RESOURCE_PDBS, false},
	[CLUSTER_PVC] = {RESOURCE_PVCS, false},
	[CLUSTER_PV] = {RESOURCE_PVS, false},
	[CLUSTER_STORAGECLASS] = {RESOURCE_STORAGECLASSES, false},
	[CLUSTER_CSINODE] = {RESOURCE_CSINODES, false},
	[CLUSTER_HYPERNODE] = {RESOURCE_HYPERNODES, false},
	[CLUSTER_NODESHARD] = {RESOURCE_NODESHARDS, false},
	[CLUSTER_NUMATOPOLOGY] = {RESOURCE_NUMATOPOLOGIES, false},
};

static const bool required[CLUSTER_KIND_COUNT] = {[CLUSTER_POD] = true,
						  [CLUSTER_NODE] = true,
						  [CLUSTER_QUEUE] = true,
						  [CLUSTER_PODGROUP] = true};

/* --- events ------------------------------------------------------------------------------------ */

void scheduler_request_cycle(struct scheduler *scheduler)
{
	if (scheduler_is_ready(scheduler) && !loop_timer_is_set(scheduler->soon))
		loop_timer_set(scheduler->soon, scheduler->gather_us);
}

static void apply(struct feed *feed, struct json_doc *doc, struct str namespace, struct str name)
{
	struct scheduler *scheduler = feed->scheduler;
	struct err err;

	if (cluster_apply(scheduler->cluster, feed->kind, doc, &err) < 0)
		log_warn(scheduler->log, "an object is set aside",
			 LOG_STR("kind", cluster_kind_name(feed->kind)),
			 LOG_VIEW("namespace", namespace), LOG_VIEW("name", name),
			 LOG_STR("why", err.text));
	if (feed->kind == CLUSTER_PVC || feed->kind == CLUSTER_PV)
		scheduler_check_claims(scheduler);
	scheduler->shard_stale |= feed->kind == CLUSTER_NODESHARD;
	scheduler_request_cycle(scheduler);
}

static void on_changed(void *arg, const struct informer_object *object)
{
	apply(arg, object->doc, object->namespace, object->name);
}

/* How long after its creation a pod that is to be placed was first seen. */
static void measure_pod(struct scheduler *scheduler, const struct informer_object *object)
{
	const struct task *task =
		cluster_find_task(scheduler->cluster, object->namespace, object->name);

	if (task && task->ours && task->seen == TASK_PENDING)
		numbers_observe(scheduler->numbers, METRIC_TASK, "Watched", NULL,
				loop_now(scheduler->loop) - task->created);
}

static void on_added(void *arg, const struct informer_object *object)
{
	struct feed *feed = arg;

	on_changed(arg, object);
	if (feed->kind == CLUSTER_POD)
		measure_pod(feed->scheduler, object);
}

static void on_deleted(void *arg, const struct informer_object *object)
{
	struct feed *feed = arg;

	cluster_remove(feed->scheduler->cluster, feed->kind, object->namespace, object->name);
	feed->scheduler->shard_stale |= feed->kind == CLUSTER_NODESHARD;
	if (feed->kind == CLUSTER_PODGROUP)
		status_writer_forget_group(feed->scheduler->status_writer, object->namespace,
					   object->name);
	scheduler_request_cycle(feed->scheduler);
}

static void on_synced(void *arg)
{
	struct feed *feed = arg;
	struct scheduler *scheduler = feed->scheduler;

	assert(scheduler->unsynced > 0);
	scheduler->unsynced--;
	if (scheduler_is_ready(scheduler))
		log_info(scheduler->log, "the cluster is known",
			 LOG_INT("nodes", (int64_t)scheduler->cluster->node_count));
	scheduler_request_cycle(scheduler);
}

void scheduler_reread(struct scheduler *scheduler, enum cluster_kind kind, struct str namespace,
		      struct str name)
{
	struct feed *feed = &scheduler->feeds[kind];
	struct json_doc *doc =
		sources[kind].store ? informer_get(feed->informer, namespace, name) : NULL;

	if (doc)
		apply(feed, doc, namespace, name);
}

/* --- cycles ------------------------------------------------------------------------------------ */

/* A search for a node filters and scores by turns; each stage is measured as a whole. */
static void mark_search(struct scheduler *scheduler, enum session_mark where)
{
	int64_t now;

	if (where == MARK_FOUND) {
		numbers_observe(scheduler->numbers, METRIC_STAGE, "Predicate", NULL,
				scheduler->filtering);
		numbers_observe(scheduler->numbers, METRIC_STAGE, "Scoring", NULL,
				scheduler->scoring);
		return;
	}
	now = loop_stopwatch(scheduler->loop);
	if (where == MARK_SEARCH)
		scheduler->filtering = scheduler->scoring = 0;
	else if (where == MARK_FILTERED)
		scheduler->filtering += now - scheduler->search_marked;
	else
		scheduler->scoring += now - scheduler->search_marked;
	scheduler->search_marked = now;
}

static void on_mark(void *arg, enum session_mark where, const char *name)
{
	struct scheduler *scheduler = arg;
	int64_t now, took;

	if (where >= MARK_SEARCH) {
		mark_search(scheduler, where);
		return;
	}
	now = loop_stopwatch(scheduler->loop);
	took = now - scheduler->marked;
	scheduler->marked = now;
	if (where == MARK_OPEN)
		numbers_observe(scheduler->numbers, METRIC_OPEN, NULL, NULL,
				now - scheduler->cycle_began);
	else if (where == MARK_ACTION)
		numbers_observe(scheduler->numbers, METRIC_ACTION, name, NULL, took);
	else if (where != MARK_CONCLUDE)
		numbers_observe(scheduler->numbers, METRIC_PLUGIN, name,
				where == MARK_PLUGIN_OPEN ? "OnSessionOpen" : "OnSessionClose",
				took);
}

/* Which pod is being placed, in case that crashes. */
static void note_task(void *arg, const struct task *task)
{
	const struct scheduler *scheduler = arg;

	quarantine_enter(loop_quarantine(scheduler->loop), "scheduler", STR("/pods/"),
			 task_namespace(task), task_name(task));
}

/* `refresh`: it has time for blocked jobs. */
static void cycle(struct scheduler *scheduler, bool refresh)
{
	struct session *ssn;
	int64_t took;

	scheduler->marked = scheduler->cycle_began = loop_stopwatch(scheduler->loop);
	scheduler->session.refresh = refresh;
	ssn = session_run(scheduler->cluster, scheduler->config, loop_now(scheduler->loop),
			  &scheduler->session);
	quarantine_leave(loop_quarantine(scheduler->loop));
	scheduler->stats.cycles++;
	if (ssn->decisions.evictions) {
		scheduler->stats.preemptions++;
		scheduler->stats.victims_last = ssn->decisions.evictions;
	}
	scheduler_execute(scheduler, ssn);
	scheduler_report_shard(scheduler);
	scheduler_report_device_file(scheduler);
	extender_client_run(scheduler->extender);
	/* When it starts everything is there: nothing better is about to come. */
	if (scheduler->stats.cycles == 1)
		status_writer_flush(scheduler->status_writer);
	session_free(ssn);
	took = loop_stopwatch(scheduler->loop) - scheduler->cycle_began;
	numbers_observe(scheduler->numbers, METRIC_CYCLE, NULL, NULL, took);
	scheduler->stats.cycle_us_last = took;
	if (took > scheduler->stats.cycle_us_max)
		scheduler->stats.cycle_us_max = took;
}

static void on_soon(struct loop_timer *timer, void *arg)
{
	struct scheduler *scheduler = arg;

	(void)timer;
	/* The timer may have been set before the informers were started. */
	if (!scheduler_is_ready(scheduler))
		return;
	cycle(scheduler, false);
}

/* Time alone changes something only for jobs that wait; and what other pending jobs reported may be outdated. */
static void on_period(struct loop_timer *timer, void *arg)
{
	struct scheduler *scheduler = arg;

	loop_timer_set(timer, scheduler->period_us);
	if (scheduler_is_ready(scheduler) &&
	    (scheduler->cluster->active_count ||
	     object_warnings_are_unreported(scheduler->cluster->warnings) ||
	     scheduler->shard_stale || scheduler->cluster->refreshed != scheduler->cluster->moves))
		cycle(scheduler, true);
}

bool scheduler_is_ready(const struct scheduler *scheduler)
{
	return scheduler->unsynced == 0 && !scheduler->queues_missing;
}

static const struct informer_events feed_events = {
	.added = on_added, .updated = on_changed, .deleted = on_deleted, .synced = on_synced};

/* --- life -------------------------------------------------------------------------------------- */

int scheduler_configure(struct scheduler *scheduler, struct str config, struct err *err)
{
	struct config *parsed =
		config_parse_with(config, ++scheduler->configs, scheduler->plugins, err);

	if (!parsed)
		return -1;
	for (size_t i = 0; i < parsed->notes.len; i++)
		log_warn(scheduler->log, "configuration", LOG_STR("note", parsed->notes.ptr[i]));
	extender_client_stop(scheduler->extender);
	config_free(scheduler->config);
	scheduler->config = parsed;
	if (scheduler->cluster)
		scheduler_watch_device_file(scheduler, &feed_events);
	usage_source_configure(scheduler->usage, parsed->metrics);
	scheduler_request_cycle(scheduler);
	return 0;
}

static int configure_first(struct scheduler *scheduler, const struct scheduler_options *options,
			   struct err *err)
{
	struct str builtin = str_from(config_builtin);

	if (str_is_none(options->config))
		return scheduler_configure(scheduler, builtin, err);
	if (scheduler_configure(scheduler, options->config, err) == 0)
		return 0;
	if (!options->fall_back)
		return -1;
	log_error(scheduler->log, "the configuration is refused, the built-in one holds",
		  LOG_STR("why", err->text));
	return scheduler_configure(scheduler, builtin, err);
}

static void start_feeds(struct scheduler *scheduler)
{
	scheduler->unsynced = CLUSTER_KIND_COUNT - 1;
	for (size_t i = 0; i < CLUSTER_KIND_COUNT; i++) {
		struct feed *feed = &scheduler->feeds[i];

		if (i == CLUSTER_CONFIGMAP)
			continue;
		*feed = (struct feed){.scheduler = scheduler, .kind = (enum cluster_kind)i};
		feed->informer = informer_new(
			scheduler->client,
			&(struct informer_options){.resource = &resources[sources[i].id],
						   .store = sources[i].store,
						   .optional = !required[i],
						   .log = scheduler->log});
		informer_listen(feed->informer, &feed_events, feed);
		informer_start(feed->informer);
	}
	scheduler_watch_device_file(scheduler, &feed_events);
}

struct scheduler *scheduler_new(struct loop *loop, struct client *client,
				const struct scheduler_options *options, struct err *err)
{
	AUTO(scheduler_free) struct scheduler *scheduler = mem_new(struct scheduler);
	const char *name = options->scheduler_names && options->scheduler_names[0]
				   ? options->scheduler_names[0]
				   : "volcano";

	list_init(&scheduler->writes);
	list_init(&scheduler->claims);
	scheduler->loop = loop;
	scheduler->client = client;
	scheduler->log = options->log;
	scheduler->plugins = options->plugins;
	scheduler->session.queue_gates = options->queue_gates;
	scheduler->session.shard_hard = options->shard_hard;
	scheduler->session.shard_soft = options->shard_soft;
	scheduler->zone = local_zone_read(options->zone_file, scheduler->log);
	scheduler->session.zone = scheduler->zone;
	scheduler->gather_us = options->gather_us ? options->gather_us : GATHER;
	scheduler->period_us = options->period_us ? options->period_us : PERIOD;
	scheduler->name = mem_strdup(name);
	scheduler->default_queue =
		mem_strdup(options->default_queue ? options->default_queue : "default");
	scheduler->status_writer = status_writer_new(scheduler);
	scheduler->recent = recent_conditions_new(loop_random_u64(scheduler->loop));
	scheduler->numbers = numbers_new();
	scheduler->session.mark = on_mark;
	scheduler->session.mark_arg = scheduler;
	scheduler->usage = usage_source_new(scheduler);
	scheduler->extender = extender_client_new(scheduler);
	scheduler->soon = loop_timer_new(loop, on_soon, scheduler);
	scheduler->period = loop_timer_new(loop, on_period, scheduler);
	if (configure_first(scheduler, options, err) < 0)
		return NULL;
	scheduler->cluster = cluster_new(&(struct cluster_options){
		.scheduler_names = options->scheduler_names,
		.default_queue = scheduler->default_queue,
		.node_selector = options->node_selector,
		.ignored_provisioners = options->ignored_provisioners,
		.shard_name = options->shard_name,
		.no_classes = options->no_classes,
		.seed = loop_random_u64(loop),
	});
	scheduler->cluster->look = note_task;
	scheduler->cluster->look_arg = scheduler;
	scheduler->recorder = recorder_new(
		client, &(struct recorder_options){.component = str_from(scheduler->name)});
	loop_timer_set(scheduler->period, scheduler->period_us);
	scheduler_make_queues(scheduler);
	start_feeds(scheduler);
	return TAKE(scheduler);
}

void scheduler_free(struct scheduler *scheduler)
{
	if (!scheduler)
		return;
	for (size_t i = 0; i < CLUSTER_KIND_COUNT; i++)
		informer_free(scheduler->feeds[i].informer);
	usage_source_free(scheduler->usage);
	extender_client_free(scheduler->extender);
	scheduler_drop_writes(scheduler);
	scheduler_drop_claims(scheduler);
	scheduler_drop_device_file(scheduler);
	status_writer_free(scheduler->status_writer);
	recent_conditions_free(scheduler->recent);
	numbers_free(scheduler->numbers);
	recorder_free(scheduler->recorder);
	loop_timer_free(scheduler->soon);
	loop_timer_free(scheduler->period);
	loop_timer_free(scheduler->queue_retry);
	cluster_free(scheduler->cluster);
	config_free(scheduler->config);
	zone_free(scheduler->zone);
	mem_free(scheduler->default_queue);
	mem_free(scheduler->name);
	mem_free(scheduler);
}

struct cluster *scheduler_cluster(struct scheduler *scheduler)
{
	return scheduler->cluster;
}

/* --- numbers ----------------------------------------------------------------------------------- */

void scheduler_stats(const struct scheduler *scheduler, struct scheduler_stats *ret)
{
	*ret = scheduler->stats;
}

void scheduler_print_metrics(const struct scheduler *scheduler, struct buf *to)
{
	const struct scheduler_stats *s = &scheduler->stats;
	/* Those of the second word are ours. */
	const struct {
		const char *name;
		const char *type;
		const char *help;
		int64_t value;
	} rows[] = {
		{"total_preemption_attempts", "counter", "Cycles that evicted",
		 (int64_t)s->preemptions},
		{"pod_preemption_victims", "gauge", "Pods that were evicted by the last of them",
		 (int64_t)s->victims_last},
		{"scheduler_cycles_total", "counter", "Cycles that were run", (int64_t)s->cycles},
		{"scheduler_binds_total", "counter", "Pods that were bound", (int64_t)s->binds},
		{"scheduler_bind_failures_total", "counter", "Bindings that failed",
		 (int64_t)s->bind_failures},
		{"scheduler_evictions_total", "counter", "Pods that were evicted",
		 (int64_t)s->evictions},
		{"scheduler_writes_total", "counter", "Requests that write, of every sort",
		 (int64_t)s->writes},
		{"scheduler_podgroup_writes_total", "counter",
		 "Statuses and reasons of podgroups written", (int64_t)s->group_writes},
		{"scheduler_pod_condition_writes_total", "counter",
		 "Conditions of pods that wait written", (int64_t)s->pod_writes},
		{"scheduler_cycle_microseconds_last", "gauge", "Length of the last cycle",
		 s->cycle_us_last},
		{"scheduler_cycle_microseconds_max", "gauge", "Length of the longest cycle",
		 s->cycle_us_max},
		{"scheduler_writes_in_flight", "gauge", "Writes under way", (int64_t)s->in_flight},
		{"scheduler_jobs_active", "gauge", "Jobs that a cycle looks at",
		 (int64_t)scheduler->cluster->active_count},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		buf_printf(to, "# HELP volcano_%s %s\n# TYPE volcano_%s %s\nvolcano_%s %lld\n",
			   rows[i].name, rows[i].help, rows[i].name, rows[i].type, rows[i].name,
			   (long long)rows[i].value);
	buf_printf(to,
		   "# TYPE volcano_schedule_attempts_total counter\n"
		   "volcano_schedule_attempts_total{result=\"scheduled\"} %lld\n"
		   "volcano_schedule_attempts_total{result=\"error\"} %lld\n",
		   (long long)(s->binds - s->bind_failures), (long long)s->bind_failures);
	numbers_print(scheduler->numbers, to);
	numbers_print_model(scheduler->cluster, scheduler->config, to);
	numbers_print_devices(scheduler->cluster, to);
}
