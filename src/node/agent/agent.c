/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent.c - the pods of this machine's nodes, and the folders of former pods.
 *
 * One informer for all pods that have a node, and one heap with one timer for everything that is planned. When the
 * first list is complete, the agent cleans up folders of pods that are no longer in the API: it ends what still
 * runs there and deletes the folder.
 *
 * Always true: a pod is identified by its uid; a later pod of the same name is another pod. */
#include "node/agent/agent.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/uuid.h"
#include "node/agent/agent_internal.h"
#include "node/pod/pod_log.h"
#include "node/pod/remains.h"
#include "node/volume/folder_watch.h"
#include "node/volume/remover.h"

#include "base/banned.h"

#define DROP_AGAIN \
	(TIME_SECOND / 10) /* the processes that keep a control group have received SIGKILL */

/* --- timers --- */

static bool is_before(const struct heap_node *a, const struct heap_node *b)
{
	return container_of(a, struct agent_pod, timer)->due <
	       container_of(b, struct agent_pod, timer)->due;
}

static void set_timer(struct agent *agent)
{
	struct heap_node *first = heap_first(&agent->timers);

	if (first)
		loop_timer_set(agent->timer, container_of(first, struct agent_pod, timer)->due -
						     loop_uptime(agent->loop));
	else
		loop_timer_stop(agent->timer);
}

void agent_plan_pod(struct agent_pod *pod, int64_t due)
{
	struct agent *agent = pod->agent;

	if (pod->due == due)
		return;
	heap_remove(&agent->timers, &pod->timer);
	pod->due = due;
	if (due != INT64_MAX)
		heap_push(&agent->timers, &pod->timer);
	set_timer(agent);
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct agent *agent = arg;
	int64_t now = loop_uptime(agent->loop);
	struct heap_node *first;

	(void)timer;
	while ((first = heap_first(&agent->timers))) {
		struct agent_pod *pod = container_of(first, struct agent_pod, timer);

		if (pod->due > now)
			break;
		(void)heap_pop(&agent->timers);
		pod->due = INT64_MAX;
		agent_pod_on_time(pod);
	}
	set_timer(agent);
}

/* --- folders --- */

void agent_remove_folder(struct agent *agent, const char *folder)
{
	remover_add(agent->remover, folder);
}

void agent_drop(struct agent_pod *pod)
{
	struct agent *agent = pod->agent;
	struct stat status;

	if (!agent_sandboxes_leave(agent->sandboxes, pod)) {
		agent_plan_pod(pod, loop_uptime(agent->loop) + DROP_AGAIN);
		return;
	}
	(void)map_remove(agent->pods, str_from(pod->uid));
	supervisor_forget(agent->launcher, pod->folder);
	if (stat(pod->folder, &status) == 0)
		agent_remove_folder(agent, pod->folder);
	agent_pod_free(pod);
	set_timer(agent);
}

static bool is_unheld(void *arg, const char *uid)
{
	const struct agent *agent = arg;
	AUTO(mem_free) char *folder = mem_printf("%s/%s", agent->folder, uid);

	return !supervisor_is_there(folder);
}

/* Ends processes of pods whose supervisor was killed while no agent ran. */
static void kill_remains(struct agent *agent)
{
	size_t killed = remains_kill(agent->folder, is_unheld, agent);

	if (killed)
		log_warn(agent->log, "processes of pods were left, whose supervisor was killed",
			 LOG_INT("killed", (int64_t)killed));
}

/* A folder whose pod is not in the API: a pod without a document, which only has to be ended. */
static void take_orphan(struct agent *agent, const char *uid)
{
	AUTO(json_doc_unref) struct json_doc *doc = NULL;

	if (map_get(agent->pods, str_from(uid)))
		return;
	doc = json_doc_new();
	json_doc_set_root(doc, json_new_obj(doc));
	agent_pod_forget(agent_pod_new(agent, str_from(uid), doc));
}

void agent_touch_all(struct agent *agent)
{
	size_t at = 0;
	void *value;

	while (map_next(agent->pods, &at, NULL, &value))
		agent_pod_touch(value);
}

/* --- seeing --- */

static struct str uid_of(const struct informer_object *object)
{
	return json_str(json_get(json_get(json_doc_root(object->doc), "metadata"), "uid"));
}

/* Also of a node that is no longer declared: the pod runs until it is evicted. */
static bool has_folder(const struct agent *agent, struct str uid)
{
	AUTO(mem_free) char *folder = mem_printf("%s/%.*s", agent->folder, STR_ARG(uid));
	struct stat status;

	return stat(folder, &status) == 0;
}

static void on_pod_seen(void *arg, const struct informer_object *object)
{
	struct agent *agent = arg;
	struct json root = json_doc_root(object->doc);
	struct str node = json_str(json_get(json_get(root, "spec"), "nodeName"));
	struct str uid = uid_of(object);
	struct agent_pod *pod;

	pod = map_get(agent->pods, uid);
	if (!pod && (!uuid_is_valid(uid) ||
		     (agent_nodes_find(agent->nodes, node) < 0 && !has_folder(agent, uid))))
		return;
	if (pod)
		agent_pod_update(pod, object->doc);
	else
		(void)agent_pod_new(agent, uid, object->doc);
}

static void on_pod_gone(void *arg, const struct informer_object *object)
{
	struct agent *agent = arg;
	size_t at = 0;
	void *value;
	struct agent_pod *pod = object->doc ? map_get(agent->pods, uid_of(object)) : NULL;

	/* Only its name is known: the informer has missed its deletion. */
	while (!object->doc && !pod && map_next(agent->pods, &at, NULL, &value)) {
		struct json meta =
			json_get(json_doc_root(((struct agent_pod *)value)->doc), "metadata");

		if (str_eq(json_str(json_get(meta, "name")), object->name) &&
		    str_eq(json_str(json_get(meta, "namespace")), object->namespace))
			pod = value;
	}
	if (pod)
		agent_pod_forget(pod);
}

static int is_uid(const struct dirent *entry)
{
	return uuid_is_valid(str_from(entry->d_name));
}

static void on_pods_synced(void *arg)
{
	struct agent *agent = arg;
	struct dirent **names = NULL;
	int count = scandir(agent->folder, &names, is_uid, alphasort);

	for (int i = 0; i < count; i++) {
		take_orphan(agent, names[i]->d_name);
		free(names[i]); /* defined by the C library */
	}
	free((void *)names);
}

/* --- life --- */

static void start_informer(struct agent *agent)
{
	static const struct informer_events events = {
		.added = on_pod_seen,
		.updated = on_pod_seen,
		.deleted = on_pod_gone,
		.synced = on_pods_synced,
	};

	agent->informer =
		informer_new(agent->client, &(struct informer_options){
						    .resource = &resources[RESOURCE_PODS],
						    .field_selector = STR("spec.nodeName!="),
						    .log = agent->log,
					    });
	informer_listen(agent->informer, &events, agent);
	informer_start(agent->informer);
}

static void log_lacks(const struct agent *agent)
{
	const char *text;

	for (size_t i = 0; (text = agent_lacks(agent, i)); i++)
		log_info(agent->log, text);
}

struct agent *agent_new(struct loop *loop, struct client *client,
			const struct agent_options *options, struct err *err)
{
	AUTO(agent_free) struct agent *agent = mem_new(struct agent);
	AUTO(mem_free) char *control = mem_printf("%s/control", options->folder);

	agent->loop = loop;
	agent->client = client;
	agent->log = options->log;
	agent->folder = mem_printf("%s/pods", options->folder);
	agent->pods = map_new(loop_random_u64(loop));
	heap_init(&agent->timers, is_before);
	agent->timer = loop_timer_new(loop, on_timer, agent);
	agent->watches = folder_watches_new(loop);
	agent->remover = remover_new(loop);
	if (mkdir(agent->folder, 0711) < 0 && errno != EEXIST) {
		(void)err_errno(err, errno, "%s", agent->folder);
		return NULL;
	}
	kill_remains(agent);
	agent->launcher = launcher_new(loop, options->program, control, options->log, err);
	if (!agent->launcher)
		return NULL;
	agent->recorder = recorder_new(
		client, &(struct recorder_options){.component = STR("volcano-node"),
						   .host = str_from(options->host_name)});
	agent->sandboxes = agent_sandboxes_new(agent, options, err);
	if (!agent->sandboxes)
		return NULL;
	log_lacks(agent);
	agent->pressure =
		agent_pressure_new(agent, options, agent_sandboxes_limits(agent->sandboxes));
	agent->nodes = agent_nodes_new(agent, options);
	agent->limits = agent_limits_new(agent);
	start_informer(agent);
	return TAKE(agent);
}

void agent_free(struct agent *agent)
{
	size_t at = 0;
	void *pod;

	if (!agent)
		return;
	agent_limits_free(agent->limits);
	agent_pressure_free(agent->pressure);
	informer_free(agent->informer);
	while (map_next(agent->pods, &at, NULL, &pod))
		agent_pod_free(pod);
	map_free(agent->pods);
	agent_nodes_free(agent->nodes);
	agent_sandboxes_free(agent->sandboxes);
	recorder_free(agent->recorder);
	launcher_free(agent->launcher);
	heap_done(&agent->timers);
	loop_timer_free(agent->timer);
	folder_watches_unref(agent->watches);
	remover_free(agent->remover);
	mem_free(agent->folder);
	mem_free(agent);
}

bool agent_is_ready(const struct agent *agent)
{
	return agent_nodes_are_ready(agent->nodes) && informer_synced(agent->informer) &&
	       agent_sandboxes_is_ready(agent->sandboxes);
}

bool agent_is_registered(const struct agent *agent)
{
	return agent_nodes_are_ready(agent->nodes);
}

bool agent_has_node(const struct agent *agent, struct str name)
{
	return agent_nodes_find(agent->nodes, name) >= 0;
}

void agent_node_changed(struct agent *agent, struct str name, const struct json_doc *doc)
{
	agent_nodes_changed(agent->nodes, name, doc);
}

/* The number of a container, init containers first; -1: there is none of that name. */
static ptrdiff_t find_container(const struct agent_pod *pod, struct str name)
{
	struct json spec = json_get(json_doc_root(pod->doc), "spec");

	for (struct json_iter it = json_iter(json_get(spec, "initContainers")); json_next(&it);)
		if (str_eq(json_str(json_get(it.value, "name")), name))
			return (ptrdiff_t)it.index;
	for (struct json_iter it = json_iter(json_get(spec, "containers")); json_next(&it);)
		if (str_eq(json_str(json_get(it.value, "name")), name))
			return (ptrdiff_t)(pod->life->n_init + it.index);
	return -1;
}

struct pod_log *agent_open_log(struct agent *agent, const struct agent_log_request *request,
			       struct err *err)
{
	const struct agent_pod *pod = map_get(agent->pods, request->uid);
	ptrdiff_t index = pod ? find_container(pod, request->container) : -1;
	AUTO(mem_free) char *container = str_dup(request->container);
	struct str name;
	const struct record *record;
	struct life_view view;

	if (!pod || index < 0) {
		(void)err_set(err, ERR_NOT_FOUND, "container \"%s\" is not on this node",
			      container);
		return NULL;
	}
	name = json_str(json_get(json_get(json_doc_root(pod->doc), "metadata"), "name"));
	record = &pod->life->containers[index].record;
	life_view(pod->life, (size_t)index, loop_uptime(agent->loop), &view);
	if (record->state == RECORD_NEW) {
		(void)err_set(err, ERR_BAD_REQUEST,
			      "container \"%s\" in pod \"%.*s\" is waiting to start: %s", container,
			      STR_ARG(name), view.reason ? view.reason : "ContainerCreating");
		return NULL;
	}
	if (request->previous && record->run == 0) {
		(void)err_set(err, ERR_BAD_REQUEST,
			      "previous terminated container \"%s\" in pod \"%.*s\" not found",
			      container, STR_ARG(name));
		return NULL;
	}
	return pod_log_open(agent->watches, &(struct pod_log_request){
						    .folder = pod->folder,
						    .container = container,
						    .index = (size_t)index,
						    .run = record->run - request->previous,
						    .timestamps = request->timestamps,
						    .since = request->since,
						    .tail_lines = request->tail_lines,
					    });
}

void agent_stats(const struct agent *agent, struct agent_stats *ret)
{
	*ret = agent->stats;
	ret->nodes = agent_nodes_len(agent->nodes);
	ret->pods = map_len(agent->pods);
}
