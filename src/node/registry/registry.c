/* SPDX-License-Identifier: Apache-2.0 */
/* node/registry/registry.c - the Node objects of this instance.
 *
 * One informer for the nodes with our label; when it knows them all and some are not declared, another one for
 * pods. Each step (mark a node, evict a pod, delete a node) is one request of its row; what fails is tried again
 * by a timer.
 *
 * The mark is server-side applied by a manager of its own, so that taking it back restores what others say
 * about `unschedulable`. Always true: a node is deleted only after it was marked and the pods were listed. */
#include "node/registry/registry.h"

#include <stdio.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/uuid.h"
#include "client/client.h"
#include "client/informer.h"
#include "client/recorder.h"
#include "loop/loop.h"
#include "node/pod/pod_write.h"
#include "node/registry/node_lease.h"

#include "base/banned.h"

#define UNDECLARED "volcano.sh/undeclared"
#define MANAGER "volcano-registry"
#define RETRY (2 * TIME_SECOND)

enum { INSTANCE_BYTES = 256 };

/* A node of this instance. */
struct row {
	struct registry *registry;
	char *name;
	char uid[40];
	bool stays; /* it is declared, or came after the start: only the next start may remove it */
	bool declared;
	bool marked;
	bool deleting;
	size_t pods; /* of an undeclared one: unfinished ones */
	struct client_request *request;
};

/* A pod of an undeclared node. */
struct victim {
	struct row *row;
	char *namespace;
	char *name;
	char *key;
	char uid[40];
	bool deleting;
	bool asked; /* its deletion was acknowledged */
	struct client_request *request;
};

struct registry {
	struct loop *loop;
	struct client *client;
	struct registry_options options;
	char *instance;
	struct recorder *recorder;
	struct informer *nodes;
	struct informer *pods; /* NULL: every node is declared */
	struct map *rows;      /* by name */
	struct map *victims;   /* by "namespace/name" */
	struct loop_timer *timer;
	size_t undeclared;
};

static void row_advance(struct row *row);
static void victim_advance(struct victim *victim);

static void retry(struct registry *registry, const char *what, const char *name,
		  const struct err *err)
{
	if (err->code != ERR_CONFLICT)
		log_warn(registry->options.log, what, LOG_STR("name", name),
			 LOG_STR("error", err->text));
	loop_timer_set(registry->timer, RETRY);
}

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct registry *registry = arg;
	size_t at = 0;
	void *value;

	(void)timer;
	while (map_next(registry->victims, &at, NULL, &value))
		victim_advance(value);
	at = 0;
	while (map_next(registry->rows, &at, NULL, &value))
		row_advance(value);
}

/* --- pods of undeclared nodes --- */

static bool is_finished(struct json pod)
{
	struct str phase = json_str(json_get(json_get(pod, "status"), "phase"));

	return str_is(phase, "Succeeded") || str_is(phase, "Failed");
}

static void victim_drop(struct registry *registry, struct victim *victim)
{
	struct row *row = victim->row;

	(void)map_remove(registry->victims, str_from(victim->key));
	client_cancel(victim->request);
	mem_free(victim->namespace);
	mem_free(victim->name);
	mem_free(victim->key);
	mem_free(victim);
	row->pods--;
}

static void on_victim_deleted(void *arg, const struct client_result *result)
{
	struct victim *victim = arg;

	victim->request = NULL;
	if (!result->err || result->err->code == ERR_NOT_FOUND)
		victim->asked = true; /* its event follows */
	else
		retry(victim->row->registry, "cannot delete a pod of a node that is not declared",
		      victim->key, result->err);
}

static void victim_delete(struct victim *victim)
{
	static const int64_t no_grace = 0;
	struct registry *registry = victim->row->registry;
	const struct registry_options *options = &registry->options;
	bool runs = options->has_processes &&
		    options->has_processes(options->arg, str_from(victim->uid));

	if (victim->deleting && runs)
		return; /* its agent ends it */
	victim->request =
		client_send(registry->client, &(struct client_ask){
						      .verb = CLIENT_DELETE,
						      .resource = &resources[RESOURCE_PODS],
						      .namespace = str_from(victim->namespace),
						      .name = str_from(victim->name),
						      .precondition_uid = str_from(victim->uid),
						      .grace_seconds = runs ? NULL : &no_grace,
						      .discard = true,
						      .done = on_victim_deleted,
						      .arg = victim,
					      });
}

static void on_victim_marked(void *arg, const struct client_result *result)
{
	struct victim *victim = arg;

	victim->request = NULL;
	if (result->err && result->err->code != ERR_NOT_FOUND)
		retry(victim->row->registry, "cannot mark a pod of a node that is not declared",
		      victim->key, result->err);
	else
		victim_delete(victim);
}

static struct json_doc *make_condition(const struct victim *victim, const char *why)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json condition = json_new_obj(doc);
	char time[TIME_TEXT_SIZE];

	json_doc_set_root(doc, root);
	json_set_str(doc, json_ensure_obj(doc, root, "metadata"), "uid", str_from(victim->uid));
	json_set_str(doc, condition, "type", STR("DisruptionTarget"));
	json_set_str(doc, condition, "status", STR("True"));
	json_set_str(doc, condition, "reason", STR("NodeRemoved"));
	json_set_str(doc, condition, "message", str_from(why));
	json_set_str(doc, condition, "lastTransitionTime",
		     str_from(time_print(loop_now(victim->row->registry->loop), time)));
	json_append(doc, json_ensure_arr(doc, json_ensure_obj(doc, root, "status"), "conditions"),
		    condition);
	return doc;
}

static void victim_mark(struct victim *victim)
{
	struct registry *registry = victim->row->registry;
	AUTO(mem_free)
	char *why =
		mem_printf("node %s is no longer declared: the pod is evicted", victim->row->name);
	AUTO(json_doc_unref) struct json_doc *doc = make_condition(victim, why);
	struct recorder_object object = {.api_version = STR("v1"),
					 .kind = STR("Pod"),
					 .namespace = str_from(victim->namespace),
					 .name = str_from(victim->name),
					 .uid = str_from(victim->uid)};

	recorder_event(registry->recorder, &object, "Warning", "NodeRemoved", str_from(why));
	victim->request = pod_write_status(
		&(struct pod_write){registry->client, str_from(victim->namespace),
				    str_from(victim->name), on_victim_marked, victim},
		doc);
}

static void victim_advance(struct victim *victim)
{
	if (victim->request || victim->asked)
		return;
	if (victim->deleting)
		victim_delete(victim);
	else
		victim_mark(victim);
}

static struct victim *victim_new(struct row *row, const struct informer_object *object, char *key)
{
	struct victim *victim = mem_new(struct victim);
	struct json meta = json_get(json_doc_root(object->doc), "metadata");

	victim->row = row;
	victim->key = key;
	victim->namespace = str_dup(object->namespace);
	victim->name = str_dup(object->name);
	(void)snprintf(victim->uid, sizeof(victim->uid), "%.*s",
		       STR_ARG(json_str(json_get(meta, "uid"))));
	(void)map_put(row->registry->victims, str_from(key), victim);
	row->pods++;
	return victim;
}

static char *key_of(const struct informer_object *object)
{
	return mem_printf("%.*s/%.*s", STR_ARG(object->namespace), STR_ARG(object->name));
}

static void on_pod_deleted(void *arg, const struct informer_object *object)
{
	struct registry *registry = arg;
	AUTO(mem_free) char *key = key_of(object);
	struct victim *victim = map_get(registry->victims, str_from(key));
	struct row *row;

	if (!victim)
		return;
	row = victim->row;
	victim_drop(registry, victim);
	row_advance(row);
}

static void on_pod(void *arg, const struct informer_object *object)
{
	struct registry *registry = arg;
	struct json pod = json_doc_root(object->doc);
	struct str node = json_str(json_get(json_get(pod, "spec"), "nodeName"));
	struct row *row = map_get(registry->rows, node);
	AUTO(mem_free) char *key = key_of(object);
	struct victim *victim = map_get(registry->victims, str_from(key));

	if (is_finished(pod) || !row || row->stays) {
		on_pod_deleted(arg, object);
		return;
	}
	if (!victim)
		victim = victim_new(row, object, TAKE(key));
	victim->deleting =
		!json_is_absent(json_get(json_get(pod, "metadata"), "deletionTimestamp"));
	victim_advance(victim);
}

static void on_pods_synced(void *arg)
{
	on_timer(NULL, arg);
}

static void start_pods(struct registry *registry)
{
	static const struct informer_events events = {
		.added = on_pod,
		.updated = on_pod,
		.deleted = on_pod_deleted,
		.synced = on_pods_synced,
	};

	registry->pods =
		informer_new(registry->client, &(struct informer_options){
						       .resource = &resources[RESOURCE_PODS],
						       .field_selector = STR("spec.nodeName!="),
						       .log = registry->options.log,
					       });
	informer_listen(registry->pods, &events, registry);
	informer_start(registry->pods);
}

/* --- nodes --- */

/* The mark, or (not `on`) nothing, which takes it back. */
static struct json_doc *make_mark(const struct row *row, bool on)
{
	struct json_doc *doc = json_doc_new();
	struct json root = json_new_obj(doc);
	struct json meta;

	json_doc_set_root(doc, root);
	json_set_str(doc, root, "apiVersion", STR("v1"));
	json_set_str(doc, root, "kind", STR("Node"));
	meta = json_ensure_obj(doc, root, "metadata");
	json_set_str(doc, meta, "name", str_from(row->name));
	json_set_str(doc, meta, "uid", str_from(row->uid));
	if (!on)
		return doc;
	json_set_str(doc, json_ensure_obj(doc, meta, "annotations"), UNDECLARED, STR("true"));
	json_set_bool(doc, json_ensure_obj(doc, root, "spec"), "unschedulable", true);
	return doc;
}

static void on_row_written(void *arg, const struct client_result *result)
{
	struct row *row = arg;

	row->request = NULL;
	if (result->err && result->err->code != ERR_NOT_FOUND)
		retry(row->registry, "cannot write a node that is not declared", row->name,
		      result->err);
	else
		row->marked = !row->stays;
	row_advance(row);
}

static void row_mark(struct row *row)
{
	AUTO(json_doc_unref) struct json_doc *doc = make_mark(row, !row->stays);

	row->request =
		client_send(row->registry->client, &(struct client_ask){
							   .verb = CLIENT_PATCH,
							   .patch = CLIENT_PATCH_APPLY,
							   .force = true,
							   .field_manager = STR(MANAGER),
							   .resource = &resources[RESOURCE_NODES],
							   .name = str_from(row->name),
							   .body = doc,
							   .discard = true,
							   .done = on_row_written,
							   .arg = row,
						   });
}

static void on_row_deleted(void *arg, const struct client_result *result)
{
	struct row *row = arg;

	row->request = NULL;
	if (result->err && result->err->code != ERR_NOT_FOUND)
		retry(row->registry, "cannot delete a node that is not declared", row->name,
		      result->err);
	else
		row->deleting = true; /* its event follows */
}

/* The lease goes first: after the node nothing would lead to it. */
static void row_delete(struct row *row)
{
	struct node_lease lease = {row->registry->client, str_from(row->name), NULL};

	node_lease_delete(&lease);
	row->request =
		client_send(row->registry->client, &(struct client_ask){
							   .verb = CLIENT_DELETE,
							   .resource = &resources[RESOURCE_NODES],
							   .name = str_from(row->name),
							   .precondition_uid = str_from(row->uid),
							   .discard = true,
							   .done = on_row_deleted,
							   .arg = row,
						   });
}

static void row_advance(struct row *row)
{
	const struct registry *registry = row->registry;

	if (row->request || row->deleting)
		return;
	if (row->marked == row->stays)
		row_mark(row);
	else if (!row->stays && row->pods == 0 && registry->pods && informer_synced(registry->pods))
		row_delete(row);
}

static struct row *ensure_row(struct registry *registry, struct str name)
{
	struct row *row = map_get(registry->rows, name);

	if (row)
		return row;
	row = mem_new(struct row);
	row->registry = registry;
	row->name = str_dup(name);
	row->declared = registry->options.is_declared(registry->options.arg, name);
	row->stays = row->declared || informer_synced(registry->nodes);
	(void)map_put(registry->rows, str_from(row->name), row);
	if (!row->stays)
		registry->undeclared++;
	return row;
}

static void on_node(void *arg, const struct informer_object *object)
{
	struct registry *registry = arg;
	struct json root = json_doc_root(object->doc);
	struct json meta = json_get(root, "metadata");
	struct row *row = ensure_row(registry, object->name);
	bool marked = !json_is_absent(json_get(json_get(meta, "annotations"), UNDECLARED)) &&
		      json_bool(json_get(json_get(root, "spec"), "unschedulable"));

	(void)snprintf(row->uid, sizeof(row->uid), "%.*s",
		       STR_ARG(json_str(json_get(meta, "uid"))));
	row->deleting = !json_is_absent(json_get(meta, "deletionTimestamp"));
	if (!row->request)
		row->marked = marked;
	if (row->declared && registry->options.changed)
		registry->options.changed(registry->options.arg, object->name, object->doc);
	row_advance(row);
}

static void row_free(struct row *row)
{
	client_cancel(row->request);
	mem_free(row->name);
	mem_free(row);
}

static void on_node_deleted(void *arg, const struct informer_object *object)
{
	struct registry *registry = arg;
	struct row *row = map_remove(registry->rows, object->name);
	size_t at = 0;
	void *value;

	if (!row)
		return;
	while (row->pods && map_next(registry->victims, &at, NULL, &value))
		if (((struct victim *)value)->row == row)
			victim_drop(registry, value);
	if (row->declared && registry->options.changed)
		registry->options.changed(registry->options.arg, object->name, NULL);
	if (!row->stays)
		registry->undeclared--;
	row_free(row);
}

static void on_nodes_synced(void *arg)
{
	struct registry *registry = arg;

	if (!registry->undeclared)
		return;
	log_info(registry->options.log, "removing nodes that are no longer declared",
		 LOG_INT("nodes", (int64_t)registry->undeclared));
	start_pods(registry);
}

/* --- life --- */

struct registry *registry_new(struct client *client, const struct registry_options *options)
{
	static const struct informer_events events = {
		.added = on_node,
		.updated = on_node,
		.deleted = on_node_deleted,
		.synced = on_nodes_synced,
	};
	struct registry *registry = mem_new(struct registry);
	AUTO(mem_free) char *selector = mem_printf(NODE_INSTANCE_LABEL "=%s", options->instance);

	registry->loop = client_loop(client);
	registry->client = client;
	registry->options = *options;
	registry->instance = mem_strdup(options->instance);
	registry->options.instance = registry->instance;
	registry->recorder =
		recorder_new(client, &(struct recorder_options){.component = STR("volcano-node")});
	registry->rows = map_new(loop_random_u64(registry->loop));
	registry->victims = map_new(loop_random_u64(registry->loop));
	registry->timer = loop_timer_new(registry->loop, on_timer, registry);
	registry->nodes = informer_new(
		client, &(struct informer_options){.resource = &resources[RESOURCE_NODES],
						   .label_selector = str_from(selector),
						   .log = options->log});
	informer_listen(registry->nodes, &events, registry);
	informer_start(registry->nodes);
	return registry;
}

void registry_free(struct registry *registry)
{
	size_t at = 0;
	void *value;

	if (!registry)
		return;
	informer_free(registry->nodes);
	informer_free(registry->pods);
	while (map_next(registry->victims, &at, NULL, &value))
		victim_drop(registry, value);
	at = 0;
	while (map_next(registry->rows, &at, NULL, &value))
		row_free(value);
	map_free(registry->victims);
	map_free(registry->rows);
	loop_timer_free(registry->timer);
	recorder_free(registry->recorder);
	mem_free(registry->instance);
	mem_free(registry);
}

bool registry_is_settled(const struct registry *registry)
{
	size_t at = 0;
	void *value;

	if (!informer_synced(registry->nodes))
		return false;
	while (map_next(registry->rows, &at, NULL, &value)) {
		const struct row *row = value;

		if (!row->stays && !row->marked && !row->deleting)
			return false;
	}
	return true;
}

size_t registry_undeclared(const struct registry *registry)
{
	return registry->undeclared;
}

char *registry_instance(struct loop *loop, const char *folder, struct err *err)
{
	AUTO(mem_free) char *path = mem_printf("%s/instance", folder);
	AUTO(buf_done) struct buf text = BUF_INIT(INSTANCE_BYTES);
	struct err ignored;
	uint8_t bytes[16];
	char id[UUID_TEXT_SIZE];

	if (fd_read_file(path, &text, &ignored) == 0 && uuid_is_valid(buf_str(&text)))
		return mem_strdup(buf_text(&text));
	loop_random(loop, bytes, sizeof(bytes));
	uuid_print(bytes, id);
	if (fd_write_file(path, id, UUID_TEXT_SIZE - 1, 0600, err) < 0)
		return NULL;
	return mem_strdup(id);
}
