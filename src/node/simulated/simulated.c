/* SPDX-License-Identifier: Apache-2.0 */
/* node/simulated/simulated.c - nodes that exist only in the API.
 *
 * One informer for nodes (which are missing or not ready?), one for all pods that have a node, and one heap with
 * one timer for everything that is planned. Of a pod only what the next step needs is kept: its uid, when it ends,
 * and its containers' status.
 *
 * A pod goes through stages, forward only: BOUND, RUNNING, ENDED; `stage` is the furthest that was seen or
 * written, so that an event from before the own write does not lead to a second one. At most one write per pod is
 * under way; the next step is decided when it has ended. A write that failed is retried later, unless the pod was
 * deleted. */
#include "node/simulated/simulated.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/heap.h"
#include "base/list.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/time.h"
#include "client/client.h"
#include "client/informer.h"
#include "loop/loop.h"
#include "node/pod/pod_write.h"
#include "node/registry/node_lease.h"
#include "node/simulated/simulated_status.h"

#include "base/banned.h"

#define RETRY (TIME_SECOND)
#define NEVER INT64_MAX
/* Every lease is renewed this often, a slice of them at a time. */
#define LEASE_RENEW (20 * TIME_SECOND)
enum { LEASE_SLICES = 200 };

enum stage { STAGE_BOUND, STAGE_RUNNING, STAGE_ENDED };

struct node {
	struct simulated *simulated;
	size_t index;
	bool seen;
	bool ready;
	bool deleted; /* by someone else */
	struct client_request *request;
	struct node_lease lease;
	char name[SIMULATED_NAME_SIZE];
};

struct pod {
	struct simulated *simulated;
	struct heap_node timer;
	int64_t due;    /* by loop_uptime(); NEVER: nothing is planned */
	int64_t run_us; /* run-seconds; -1: runs until it is deleted */
	int64_t exit_code;
	int64_t started; /* by loop_uptime(), if this process started it; else NEVER */
	int64_t ends;    /* by loop_uptime(); NEVER: unknown, or it does not end */
	enum stage stage;
	enum stage writing; /* the stage that the request under way leads to */
	bool deleting;      /* a user has deleted it */
	bool removed;       /* this process has deleted it, too */
	size_t node;
	struct client_request *request;
	struct json_doc *patch;      /* Running, until it is written */
	struct json_doc *containers; /* their status, for the end */
	size_t namespace_len;
	char uid[40];
	size_t key_len;
	char key[]; /* "namespace/name" */
};

struct simulated {
	struct loop *loop;
	struct client *client;
	struct simulated_options options;
	struct informer *nodes_informer;
	struct informer *pods_informer;
	struct node *nodes;
	size_t nodes_ready;
	struct map *pods;
	struct heap timers;
	struct loop_timer *timer;
	struct loop_timer *lease_timer;
	size_t lease_next; /* the node whose lease is renewed next */
	uint32_t last_ip;
	struct simulated_stats stats;
};

/* --- nodes --- */

static void node_judge(struct node *node, struct json object);

/* The client retries what can be retried; other failures are logged, and retried when the node changes, or at the
 * next start. */
static void node_failed(struct node *node, const struct err *err)
{
	struct simulated *simulated = node->simulated;

	simulated->stats.failures++;
	log_warn(simulated->options.log, "cannot write a simulated node",
		 LOG_INT("node", node->index), LOG_STR("error", err->text));
}

static void on_node_read(void *arg, const struct client_result *result)
{
	struct node *node = arg;

	node->request = NULL;
	if (!result->err)
		node_judge(node, json_doc_root(result->doc));
	else if (result->err->code != ERR_NOT_FOUND) /* else it was deleted */
		node_failed(node, result->err);
}

static void node_read(struct node *node)
{
	node->request = client_get(node->simulated->client, &resources[RESOURCE_NODES], str_none(),
				   str_from(node->name), on_node_read, node);
}

static void on_node_written(void *arg, const struct client_result *result)
{
	struct node *node = arg;
	enum err_code code = result->err ? result->err->code : ERR_NONE;

	node->request = NULL;
	if (code == ERR_NONE)
		node_judge(node, json_doc_root(result->doc));
	else if (code == ERR_ALREADY_EXISTS || code == ERR_CONFLICT)
		node_read(node); /* another writer was faster */
	else if (code != ERR_NOT_FOUND)
		node_failed(node, result->err);
}

static void node_patch(struct node *node, struct str sub, struct json_doc *patch)
{
	node->request =
		client_send(node->simulated->client, &(struct client_ask){
							     .verb = CLIENT_PATCH,
							     .patch = CLIENT_PATCH_MERGE,
							     .resource = &resources[RESOURCE_NODES],
							     .name = str_from(node->name),
							     .sub = sub,
							     .body = patch,
							     .done = on_node_written,
							     .arg = node,
						     });
}

/* The next write that the node needs; none: it is ready. */
static void node_judge(struct node *node, struct json object)
{
	struct simulated *simulated = node->simulated;
	AUTO(json_doc_unref) struct json_doc *patch = NULL;

	if (node->ready || node->request)
		return;
	patch = simulated_node_status_patch(&simulated->options, node->index, object,
					    loop_now(simulated->loop));
	if (patch) {
		node_patch(node, STR("status"), patch);
		return;
	}
	patch = simulated_node_taint_patch(object);
	if (patch) {
		node_patch(node, STR(""), patch);
		return;
	}
	node->ready = true;
	simulated->nodes_ready++;
}

/* A ready node stays as others change it, unless a controller declared it unreachable. */
static void on_node_seen(void *arg, const struct informer_object *object)
{
	struct simulated *simulated = arg;
	struct json root = json_doc_root(object->doc);
	int64_t index = simulated_node_index(object->name);
	struct node *node;

	if (index < 0 || (size_t)index >= simulated->options.nodes)
		return;
	node = &simulated->nodes[index];
	if (node->ready && (node->deleted || simulated_node_is_given_up(root))) {
		node->ready = false;
		simulated->nodes_ready--;
	}
	node->seen = true;
	node->deleted = false;
	node_judge(node, root);
}

static void on_node_deleted(void *arg, const struct informer_object *object)
{
	struct simulated *simulated = arg;
	int64_t index = simulated_node_index(object->name);
	struct node *node;

	if (index < 0 || (size_t)index >= simulated->options.nodes)
		return;
	node = &simulated->nodes[index];
	node->deleted = true;
	if (simulated->options.leases)
		node_lease_delete(&node->lease);
}

/* Creates missing nodes. */
static void on_nodes_synced(void *arg)
{
	struct simulated *simulated = arg;

	for (size_t i = 0; i < simulated->options.nodes; i++) {
		struct node *node = &simulated->nodes[i];
		AUTO(json_doc_unref) struct json_doc *doc = NULL;

		if (node->seen)
			continue;
		doc = simulated_node(&simulated->options, i, loop_now(simulated->loop));
		node->request = client_create(simulated->client, &resources[RESOURCE_NODES], doc,
					      on_node_written, node);
	}
}

/* --- leases --- */

static size_t slice_of(const struct simulated *simulated)
{
	return (simulated->options.nodes + LEASE_SLICES - 1) / LEASE_SLICES;
}

static void plan_leases(struct simulated *simulated)
{
	loop_timer_set(simulated->lease_timer, LEASE_RENEW * (int64_t)slice_of(simulated) /
						       (int64_t)simulated->options.nodes);
}

static void on_lease_timer(struct loop_timer *timer, void *arg)
{
	struct simulated *simulated = arg;

	(void)timer;
	for (size_t i = slice_of(simulated); i > 0; i--) {
		struct node *node = &simulated->nodes[simulated->lease_next];

		if (!node->deleted)
			node_lease_renew(&node->lease);
		simulated->lease_next = (simulated->lease_next + 1) % simulated->options.nodes;
	}
	plan_leases(simulated);
}

/* --- pods --- */

static void pod_advance(struct pod *pod);

static struct str pod_namespace(const struct pod *pod)
{
	return str_of(pod->key, pod->namespace_len);
}

static struct str pod_name(const struct pod *pod)
{
	return str_of(pod->key + pod->namespace_len + 1, pod->key_len - pod->namespace_len - 1);
}

static bool is_before(const struct heap_node *a, const struct heap_node *b)
{
	return container_of(a, struct pod, timer)->due < container_of(b, struct pod, timer)->due;
}

static void set_timer(struct simulated *simulated)
{
	struct heap_node *first = heap_first(&simulated->timers);

	if (first)
		loop_timer_set(simulated->timer, container_of(first, struct pod, timer)->due -
							 loop_uptime(simulated->loop));
	else
		loop_timer_stop(simulated->timer);
}

static void pod_plan(struct pod *pod, int64_t due)
{
	struct simulated *simulated = pod->simulated;

	heap_remove(&simulated->timers, &pod->timer);
	pod->due = due;
	if (due != NEVER)
		heap_push(&simulated->timers, &pod->timer);
	set_timer(simulated);
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct simulated *simulated = arg;
	int64_t now = loop_uptime(simulated->loop);
	struct heap_node *first;

	(void)timer;
	while ((first = heap_first(&simulated->timers))) {
		struct pod *pod = container_of(first, struct pod, timer);

		if (pod->due > now)
			break;
		(void)heap_pop(&simulated->timers);
		pod->due = NEVER;
		pod_advance(pod);
	}
	set_timer(simulated);
}

static void pod_free(struct pod *pod)
{
	struct simulated *simulated = pod->simulated;

	client_cancel(pod->request);
	heap_remove(&simulated->timers, &pod->timer);
	json_doc_unref(pod->patch);
	json_doc_unref(pod->containers);
	mem_free(pod);
}

/* --- writing --- */

/* True: the write has failed; it is retried later if that can help. */
static bool pod_failed(struct pod *pod, const struct client_result *result)
{
	struct simulated *simulated = pod->simulated;
	enum err_code code = result->err ? result->err->code : ERR_NONE;

	pod->request = NULL;
	if (code == ERR_NONE)
		return false;
	if (code == ERR_NOT_FOUND)
		return true; /* it was deleted: the event follows */
	if (code != ERR_CONFLICT) {
		simulated->stats.failures++;
		log_warn(simulated->options.log, "cannot write a simulated pod",
			 LOG_STR("pod", pod->key), LOG_STR("error", result->err->text));
	}
	pod_plan(pod, loop_uptime(simulated->loop) + RETRY);
	return true;
}

static void on_pod_removed(void *arg, const struct client_result *result)
{
	struct pod *pod = arg;

	if (pod_failed(pod, result))
		pod->removed = false;
}

static void on_pod_patched(void *arg, const struct client_result *result)
{
	struct pod *pod = arg;
	struct simulated *simulated = pod->simulated;

	if (pod_failed(pod, result))
		return;
	if (pod->stage < pod->writing)
		pod->stage = pod->writing;
	if (pod->writing == STAGE_RUNNING)
		simulated->stats.starts++;
	else
		simulated->stats.ends++;
	pod_advance(pod);
}

static void pod_patch(struct pod *pod, enum stage stage, struct json_doc *patch)
{
	pod->writing = stage;
	pod->request =
		pod_write_status(&(struct pod_write){pod->simulated->client, pod_namespace(pod),
						     pod_name(pod), on_pod_patched, pod},
				 patch);
}

static void pod_remove(struct pod *pod)
{
	pod->removed = true;
	pod->request =
		pod_write_removal(&(struct pod_write){pod->simulated->client, pod_namespace(pod),
						      pod_name(pod), on_pod_removed, pod},
				  str_from(pod->uid));
}

/* When a running pod ends. If an earlier process started it, that was at `wall`. */
static void pod_set_end(struct pod *pod, int64_t wall)
{
	struct simulated *simulated = pod->simulated;
	int64_t now = loop_uptime(simulated->loop);

	if (pod->run_us < 0)
		pod->ends = NEVER;
	else if (pod->started != NEVER)
		pod->ends = pod->started + pod->run_us;
	else
		pod->ends = now + (wall ? wall - loop_now(simulated->loop) : 0) + pod->run_us;
}

/* Takes the next step, one write at a time, or plans it for later. */
static void pod_advance(struct pod *pod)
{
	struct simulated *simulated = pod->simulated;
	int64_t now = loop_uptime(simulated->loop);

	if (pod->request)
		return;
	if (pod->deleting) {
		if (!pod->removed)
			pod_remove(pod);
	} else if (pod->stage == STAGE_BOUND && pod->patch) {
		if (pod->started == NEVER)
			pod->started = now;
		pod_set_end(pod, 0);
		pod_patch(pod, STAGE_RUNNING, pod->patch);
	} else if (pod->stage == STAGE_RUNNING && pod->ends != NEVER && pod->containers) {
		if (pod->ends > now) {
			pod_plan(pod, pod->ends);
		} else {
			AUTO(json_doc_unref)
			struct json_doc *patch =
				simulated_ended(str_from(pod->uid), json_doc_root(pod->containers),
						pod->exit_code, loop_now(simulated->loop));

			pod_patch(pod, STAGE_ENDED, patch);
		}
	}
}

/* --- seeing --- */

static struct pod *pod_new(struct simulated *simulated, const struct informer_object *object)
{
	size_t len = object->namespace.len + 1 + object->name.len;
	struct pod *pod = mem_zalloc(sizeof(*pod) + len + 1);

	pod->simulated = simulated;
	pod->due = NEVER;
	pod->started = NEVER;
	pod->ends = NEVER;
	pod->namespace_len = object->namespace.len;
	pod->key_len = len;
	memcpy(pod->key, object->namespace.ptr, object->namespace.len);
	pod->key[object->namespace.len] = '/';
	memcpy(pod->key + object->namespace.len + 1, object->name.ptr, object->name.len);
	(void)map_put(simulated->pods, str_of(pod->key, len), pod);
	return pod;
}

static enum stage stage_of(struct json status)
{
	struct str phase = json_str(json_get(status, "phase"));

	if (str_is(phase, "Running"))
		return STAGE_RUNNING;
	return str_is(phase, "Succeeded") || str_is(phase, "Failed") ? STAGE_ENDED : STAGE_BOUND;
}

/* Reads from annotations when and how the pod ends. Values that are no numbers are ignored and logged. */
static void read_annotations(struct pod *pod, struct json meta)
{
	struct json annotations = json_get(meta, "annotations");
	struct str seconds = json_str(json_get(annotations, "run-seconds"));
	struct str code = json_str(json_get(annotations, "run-exit-code"));
	double value;
	struct err err;

	pod->run_us = -1;
	pod->exit_code = 0;
	if (seconds.len &&
	    (number_parse_double(seconds, &value, &err) < 0 || value < 0 || value > 1e9))
		log_warn(pod->simulated->options.log, "annotation run-seconds is no time",
			 LOG_STR("pod", pod->key), LOG_VIEW("value", seconds));
	else if (seconds.len)
		pod->run_us = (int64_t)(value * (double)TIME_SECOND);
	if (code.len && number_parse_range(code, INT32_MIN, INT32_MAX, &pod->exit_code, &err) < 0)
		log_warn(pod->simulated->options.log, "annotation run-exit-code is no exit code",
			 LOG_STR("pod", pod->key), LOG_VIEW("value", code));
}

static void keep(struct json_doc **slot, struct json_doc *doc)
{
	json_doc_unref(*slot);
	*slot = doc;
}

/* Takes the newest version of the pod. */
static void pod_read(struct pod *pod, struct json object)
{
	struct simulated *simulated = pod->simulated;
	struct json meta = json_get(object, "metadata");
	struct json status = json_get(object, "status");
	struct json containers = json_get(status, "containerStatuses");
	struct str start = json_str(json_get(status, "startTime"));
	struct str uid = json_str(json_get(meta, "uid"));
	uint32_t ip = simulated_pod_number(json_str(json_get(status, "podIP")));
	enum stage stage = stage_of(status);
	int64_t wall = 0;

	if (ip > simulated->last_ip)
		simulated->last_ip = ip;
	memcpy(pod->uid, uid.ptr, uid.len < sizeof(pod->uid) ? uid.len : sizeof(pod->uid) - 1);
	pod->deleting = !json_is_absent(json_get(meta, "deletionTimestamp"));
	if (pod->stage < stage)
		pod->stage = stage;
	read_annotations(pod, meta);
	if (pod->stage == STAGE_BOUND && !pod->patch && !pod->deleting)
		keep(&pod->patch, simulated_running(object, ++simulated->last_ip, pod->node,
						    loop_now(simulated->loop)));
	if (pod->stage != STAGE_BOUND)
		keep(&pod->patch, NULL);
	keep(&pod->containers, NULL);
	if (pod->run_us >= 0 && stage == STAGE_RUNNING)
		pod->containers = json_doc_freeze(containers);
	if (start.len && time_parse(start, &wall, NULL) < 0)
		wall = 0;
	if (stage == STAGE_RUNNING)
		pod_set_end(pod, wall);
	if (pod->stage == STAGE_ENDED || pod->deleting)
		pod_plan(pod, NEVER);
}

static void on_pod_gone(void *arg, const struct informer_object *object)
{
	struct simulated *simulated = arg;
	AUTO(mem_free)
	char *key = mem_printf("%.*s/%.*s", STR_ARG(object->namespace), STR_ARG(object->name));
	struct pod *pod = map_remove(simulated->pods, str_from(key));

	if (!pod)
		return;
	simulated->stats.removed += pod->removed;
	pod_free(pod);
	set_timer(simulated);
}

static void on_pod_seen(void *arg, const struct informer_object *object)
{
	struct simulated *simulated = arg;
	struct json root = json_doc_root(object->doc);
	int64_t node = simulated_node_index(json_str(json_get(json_get(root, "spec"), "nodeName")));
	AUTO(mem_free)
	char *key = mem_printf("%.*s/%.*s", STR_ARG(object->namespace), STR_ARG(object->name));
	struct pod *pod = map_get(simulated->pods, str_from(key));

	if (node < 0 || (size_t)node >= simulated->options.nodes)
		return;
	if (!pod)
		pod = pod_new(simulated, object);
	pod->node = (size_t)node;
	pod_read(pod, root);
	pod_advance(pod);
}

/* --- life --- */

static void start_informers(struct simulated *simulated)
{
	static const struct informer_events nodes = {
		.added = on_node_seen,
		.updated = on_node_seen,
		.deleted = on_node_deleted,
		.synced = on_nodes_synced,
	};
	static const struct informer_events pods = {
		.added = on_pod_seen,
		.updated = on_pod_seen,
		.deleted = on_pod_gone,
	};

	simulated->nodes_informer =
		informer_new(simulated->client, &(struct informer_options){
							.resource = &resources[RESOURCE_NODES],
							.log = simulated->options.log,
						});
	informer_listen(simulated->nodes_informer, &nodes, simulated);
	informer_start(simulated->nodes_informer);
	simulated->pods_informer =
		informer_new(simulated->client, &(struct informer_options){
							.resource = &resources[RESOURCE_PODS],
							.field_selector = STR("spec.nodeName!="),
							.log = simulated->options.log,
						});
	informer_listen(simulated->pods_informer, &pods, simulated);
	informer_start(simulated->pods_informer);
}

struct simulated *simulated_new(struct loop *loop, struct client *client,
				const struct simulated_options *options)
{
	struct simulated *simulated = mem_new(struct simulated);

	simulated->loop = loop;
	simulated->client = client;
	simulated->options = *options;
	simulated->nodes = mem_calloc(options->nodes ? options->nodes : 1, sizeof(struct node));
	for (size_t i = 0; i < options->nodes; i++) {
		struct node *node = &simulated->nodes[i];

		node->simulated = simulated;
		node->index = i;
		node->lease = (struct node_lease){
			client, str_from(simulated_node_name(i, node->name)), NULL};
	}
	simulated->pods = map_new(loop_random_u64(loop));
	heap_init(&simulated->timers, is_before);
	simulated->timer = loop_timer_new(loop, on_timer, simulated);
	simulated->lease_timer = loop_timer_new(loop, on_lease_timer, simulated);
	if (options->leases && options->nodes)
		plan_leases(simulated);
	start_informers(simulated);
	return simulated;
}

void simulated_free(struct simulated *simulated)
{
	size_t at = 0;
	void *pod;

	if (!simulated)
		return;
	informer_free(simulated->nodes_informer);
	informer_free(simulated->pods_informer);
	for (size_t i = 0; i < simulated->options.nodes; i++) {
		client_cancel(simulated->nodes[i].request);
		node_lease_stop(&simulated->nodes[i].lease);
	}
	mem_free(simulated->nodes);
	while (map_next(simulated->pods, &at, NULL, &pod))
		pod_free(pod);
	map_free(simulated->pods);
	heap_done(&simulated->timers);
	loop_timer_free(simulated->timer);
	loop_timer_free(simulated->lease_timer);
	mem_free(simulated);
}

bool simulated_is_ready(const struct simulated *simulated)
{
	return simulated->nodes_ready == simulated->options.nodes &&
	       informer_synced(simulated->nodes_informer) &&
	       informer_synced(simulated->pods_informer);
}

void simulated_stats(const struct simulated *simulated, struct simulated_stats *ret)
{
	*ret = simulated->stats;
	ret->nodes = simulated->nodes_ready;
	ret->pods = map_len(simulated->pods);
}
