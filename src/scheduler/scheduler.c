/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler/scheduler.c - see scheduler.h: events in, cycles, decisions out (carry.c).
 *
 * A cycle runs from a timer and never from an event, so that what comes together is looked at
 * together: the pods of a gang, the answers of a hundred bindings. */
#include "scheduler/scheduler.h"

#include <assert.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "scheduler/internal.h"

#include "base/banned.h"

#define PERIOD (TIME_SECOND)
#define GATHER (2 * TIME_MILLISECOND)

/* What is watched. PodGroups are kept as documents, because their conditions are written as a
 * whole. */
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
};

/* --- events ------------------------------------------------------------------------------------ */

void scheduler_wake(struct scheduler *scheduler)
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
	scheduler_wake(scheduler);
}

static void on_changed(void *arg, const struct informer_object *object)
{
	apply(arg, object->doc, object->namespace, object->name);
}

static void on_deleted(void *arg, const struct informer_object *object)
{
	struct feed *feed = arg;

	cluster_remove(feed->scheduler->cluster, feed->kind, object->namespace, object->name);
	scheduler_wake(feed->scheduler);
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
	scheduler_wake(scheduler);
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

static void cycle(struct scheduler *scheduler)
{
	int64_t begin = loop_stopwatch(scheduler->loop);
	struct session *ssn = session_run(scheduler->cluster, scheduler->config,
					  loop_now(scheduler->loop), &scheduler->session);

	scheduler->stats.cycles++;
	scheduler_carry_out(scheduler, ssn);
	session_free(ssn);
	scheduler->stats.cycle_us_last = loop_stopwatch(scheduler->loop) - begin;
	if (scheduler->stats.cycle_us_last > scheduler->stats.cycle_us_max)
		scheduler->stats.cycle_us_max = scheduler->stats.cycle_us_last;
}

static void on_soon(struct loop_timer *timer, void *arg)
{
	struct scheduler *scheduler = arg;

	(void)timer;
	loop_timer_set(scheduler->period, scheduler->period_us);
	cycle(scheduler);
}

/* Time alone changes something only for jobs that wait. */
static void on_period(struct loop_timer *timer, void *arg)
{
	struct scheduler *scheduler = arg;

	loop_timer_set(timer, scheduler->period_us);
	if (scheduler_is_ready(scheduler) && scheduler->cluster->active_count)
		cycle(scheduler);
}

bool scheduler_is_ready(const struct scheduler *scheduler)
{
	return scheduler->unsynced == 0 && scheduler->queues_asked == 0;
}

/* --- life -------------------------------------------------------------------------------------- */

int scheduler_configure(struct scheduler *scheduler, struct str config, struct err *err)
{
	struct config *parsed = config_parse(config, ++scheduler->configs, err);

	if (!parsed)
		return -1;
	for (size_t i = 0; i < parsed->notes.len; i++)
		log_warn(scheduler->log, "configuration", LOG_STR("note", parsed->notes.ptr[i]));
	config_free(scheduler->config);
	scheduler->config = parsed;
	scheduler_wake(scheduler);
	return 0;
}

static void start_feeds(struct scheduler *scheduler)
{
	static const struct informer_events events = {.added = on_changed,
						      .updated = on_changed,
						      .deleted = on_deleted,
						      .synced = on_synced};

	scheduler->unsynced = CLUSTER_KIND_COUNT;
	for (size_t i = 0; i < CLUSTER_KIND_COUNT; i++) {
		struct feed *feed = &scheduler->feeds[i];

		*feed = (struct feed){.scheduler = scheduler, .kind = (enum cluster_kind)i};
		feed->informer = informer_new(
			scheduler->client,
			&(struct informer_options){.resource = &resources[sources[i].id],
						   .store = sources[i].store,
						   .log = scheduler->log});
		informer_listen(feed->informer, &events, feed);
		informer_start(feed->informer);
	}
}

struct scheduler *scheduler_new(struct loop *loop, struct client *client,
				const struct scheduler_options *options, struct err *err)
{
	AUTO(scheduler_free) struct scheduler *scheduler = mem_new(struct scheduler);
	const char *name = options->scheduler_names && options->scheduler_names[0]
				   ? options->scheduler_names[0]
				   : "volcano";

	list_init(&scheduler->writes);
	scheduler->loop = loop;
	scheduler->client = client;
	scheduler->log = options->log;
	scheduler->session.queue_gates = options->queue_gates;
	scheduler->gather_us = options->gather_us ? options->gather_us : GATHER;
	scheduler->period_us = options->period_us ? options->period_us : PERIOD;
	scheduler->name = mem_strdup(name);
	scheduler->default_queue =
		mem_strdup(options->default_queue ? options->default_queue : "default");
	scheduler->later = later_new(scheduler);
	scheduler->soon = loop_timer_new(loop, on_soon, scheduler);
	scheduler->period = loop_timer_new(loop, on_period, scheduler);
	if (scheduler_configure(scheduler,
				str_is_none(options->config) ? str_from(config_builtin)
							     : options->config,
				err) < 0)
		return NULL;
	scheduler->cluster = cluster_new(&(struct cluster_options){
		.scheduler_names = options->scheduler_names,
		.default_queue = scheduler->default_queue,
		.node_selector = options->node_selector,
		.seed = loop_random_u64(loop),
	});
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
	scheduler_drop_writes(scheduler);
	later_free(scheduler->later);
	recorder_free(scheduler->recorder);
	loop_timer_free(scheduler->soon);
	loop_timer_free(scheduler->period);
	loop_timer_free(scheduler->queue_retry);
	cluster_free(scheduler->cluster);
	config_free(scheduler->config);
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
	const struct {
		const char *name;
		const char *type;
		const char *help;
		int64_t value;
	} rows[] = {
		{"cycles_total", "counter", "Cycles that were run", (int64_t)s->cycles},
		{"binds_total", "counter", "Pods that were bound", (int64_t)s->binds},
		{"bind_failures_total", "counter", "Bindings that failed",
		 (int64_t)s->bind_failures},
		{"evictions_total", "counter", "Pods that were evicted", (int64_t)s->evictions},
		{"writes_total", "counter", "Requests that write, of every sort",
		 (int64_t)s->writes},
		{"cycle_microseconds_last", "gauge", "Length of the last cycle", s->cycle_us_last},
		{"cycle_microseconds_max", "gauge", "Length of the longest cycle", s->cycle_us_max},
		{"writes_in_flight", "gauge", "Writes under way", (int64_t)s->in_flight},
		{"jobs_active", "gauge", "Jobs that a cycle looks at",
		 (int64_t)scheduler->cluster->active_count},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		buf_printf(to,
			   "# HELP volcano_scheduler_%s %s\n# TYPE volcano_scheduler_%s %s\n"
			   "volcano_scheduler_%s %lld\n",
			   rows[i].name, rows[i].help, rows[i].name, rows[i].type, rows[i].name,
			   (long long)rows[i].value);
}
