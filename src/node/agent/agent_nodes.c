/* SPDX-License-Identifier: Apache-2.0 */
/* node/agent/agent_nodes.c - the Node objects of this machine.
 *
 * The node and its status are server-side applied: what this machine declared earlier and no longer declares (a
 * device, a resource) disappears with the first status, and what others have added stays. A node that was deleted
 * is created again; a node that was declared unreachable posts its status at once. The lease in kube-node-lease is
 * renewed every LEASE_RENEW, conditions every STATUS_RENEW. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/time.h"
#include "node/agent/agent_internal.h"
#include "node/machine/machine.h"
#include "node/registry/node_lease.h"
#include "node/registry/registry.h"

#include "base/banned.h"

#define LEASE_RENEW (10 * TIME_SECOND)
#define STATUS_RENEW (5 * TIME_MINUTE)
#define RETRY (2 * TIME_SECOND)

enum { NAME_SIZE = 260 };

struct node {
	struct agent_nodes *nodes;
	char name[NAME_SIZE];
	struct client_request *request;
	struct node_lease lease;
	bool registered; /* the object was written by this agent */
	bool ready;      /* its status was written by this agent */
	bool again;      /* it changed while it was being written */
	int64_t status_at;
	int64_t since_wall; /* of its conditions */
};

struct agent_nodes {
	struct agent *agent;
	size_t len;
	struct node *list;
	struct loop_timer *timer;
	char *instance; /* NULL: none */
};

/* --- documents --- */

static void set_text(struct json_doc *doc, struct json object, const char *key, const char *value)
{
	json_set_str(doc, object, key, str_from(value));
}

static struct json append_obj(struct json_doc *doc, struct json list)
{
	struct json item = json_new_obj(doc);

	json_append(doc, list, item);
	return item;
}

struct conditions {
	struct json_doc *doc;
	struct json list;
	int64_t now;
};

static void put_condition(const struct conditions *to, const struct pressure_condition *row,
			  int64_t since)
{
	struct json item = append_obj(to->doc, to->list);
	char time[TIME_TEXT_SIZE];

	set_text(to->doc, item, "type", row->type);
	set_text(to->doc, item, "status", row->status);
	set_text(to->doc, item, "lastHeartbeatTime", time_print(to->now, time));
	set_text(to->doc, item, "lastTransitionTime", time_print(since, time));
	set_text(to->doc, item, "reason", row->reason);
	set_text(to->doc, item, "message", row->message);
}

/* The conditions of a kubelet, and one for each feature that the machine does not permit. */
static void put_conditions(const struct node *node, struct json_doc *doc, struct json status)
{
	static const struct pressure_condition ready = {"Ready", "True", "KubeletReady",
							"pods run as processes of this machine"};
	const struct agent *agent = node->nodes->agent;
	const struct pressure_state *state = agent_pressure_state(agent->pressure);
	struct pressure_condition more[AGENT_SANDBOX_CONDITIONS];
	struct conditions to = {doc, json_ensure_arr(doc, status, "conditions"),
				loop_now(agent->loop)};

	for (unsigned i = 0; i < PRESSURE_SIGNAL_COUNT; i++) {
		enum pressure_signal signal = (enum pressure_signal)i;

		put_condition(&to, pressure_condition(signal, state->under[i]),
			      agent_pressure_since(agent->pressure, signal));
	}
	agent_sandboxes_conditions(agent->sandboxes, more);
	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		put_condition(&to, &more[i], node->since_wall);
	put_condition(&to, &ready, node->since_wall);
}

static void put_status(const struct node *node, struct json_doc *doc, struct json root)
{
	struct json status = json_ensure_obj(doc, root, "status");
	struct json addresses = json_ensure_arr(doc, status, "addresses");
	struct json address;

	agent_sandboxes_put_status(node->nodes->agent->sandboxes,
				   (size_t)(node - node->nodes->list), doc, status);
	put_conditions(node, doc, status);
	address = append_obj(doc, addresses);
	set_text(doc, address, "type", "InternalIP");
	set_text(doc, address, "address", "127.0.0.1");
	address = append_obj(doc, addresses);
	set_text(doc, address, "type", "Hostname");
	set_text(doc, address, "address", node->name);
}

/* The beginning of every applied document. */
static struct json make_head(const struct node *node, struct json_doc *doc)
{
	struct json root = json_new_obj(doc);

	json_doc_set_root(doc, root);
	set_text(doc, root, "apiVersion", "v1");
	set_text(doc, root, "kind", "Node");
	set_text(doc, json_ensure_obj(doc, root, "metadata"), "name", node->name);
	return root;
}

static void put_labels(const struct node *node, struct json_doc *doc, struct json root)
{
	struct json labels = json_ensure_obj(doc, json_get(root, "metadata"), "labels");
	struct utsname name;

	(void)uname(&name);
	set_text(doc, labels, "kubernetes.io/hostname", node->name);
	set_text(doc, labels, "kubernetes.io/os", "linux");
	set_text(doc, labels, "kubernetes.io/arch",
		 strcmp(name.machine, "aarch64") == 0 ? "arm64" : "amd64");
	if (node->nodes->instance)
		set_text(doc, labels, NODE_INSTANCE_LABEL, node->nodes->instance);
}

/* --- writing --- */

static void node_send(struct node *node);

static void node_failed(struct node *node, const struct client_result *result)
{
	struct agent *agent = node->nodes->agent;

	agent->stats.failures++;
	log_warn(agent->log, "cannot write a node", LOG_STR("node", node->name),
		 LOG_STR("error", result->err->text));
	node->status_at = 0;
	loop_timer_set(node->nodes->timer, RETRY);
}

static void on_applied(void *arg, const struct client_result *result)
{
	struct node *node = arg;
	bool was_status = node->registered;

	node->request = NULL;
	if (result->err && result->err->code == ERR_NOT_FOUND && was_status) {
		node->registered = false; /* it was deleted */
		node_send(node);
		return;
	}
	if (result->err) {
		node_failed(node, result);
		return;
	}
	node->registered = true;
	node->ready = node->ready || was_status;
	if (!was_status || node->again)
		node_send(node);
}

/* Writes the object if this agent has not written it yet; then its status. */
static void node_send(struct node *node)
{
	struct agent *agent = node->nodes->agent;
	AUTO(json_doc_unref) struct json_doc *doc = NULL;
	struct json root;

	node->again = node->request;
	if (node->request)
		return;
	doc = json_doc_new();
	root = make_head(node, doc);
	if (node->registered)
		put_status(node, doc, root);
	else
		put_labels(node, doc, root);
	node->status_at = loop_uptime(agent->loop);
	node->request = client_send(agent->client,
				    &(struct client_ask){
					    .verb = CLIENT_PATCH,
					    .patch = CLIENT_PATCH_APPLY,
					    .force = true,
					    .resource = &resources[RESOURCE_NODES],
					    .name = str_from(node->name),
					    .sub = node->registered ? STR("status") : STR(""),
					    .body = doc,
					    .discard = true,
					    .done = on_applied,
					    .arg = node,
				    });
}

static bool is_ready(struct json node)
{
	struct json_iter it = json_iter(json_get(json_get(node, "status"), "conditions"));

	while (json_next(&it))
		if (str_is(json_str(json_get(it.value, "type")), "Ready"))
			return str_is(json_str(json_get(it.value, "status")), "True");
	return false;
}

void agent_nodes_changed(struct agent_nodes *nodes, struct str name, const struct json_doc *doc)
{
	ptrdiff_t index = agent_nodes_find(nodes, name);
	struct node *node = index < 0 ? NULL : &nodes->list[index];

	if (!node || !node->ready || (doc && is_ready(json_doc_root(doc))))
		return; /* it did not change, or is being written */
	if (!doc)
		node->registered = false;
	node_send(node);
}

/* --- life --- */

static void on_timer(struct loop_timer *timer, void *arg)
{
	struct agent_nodes *nodes = arg;
	int64_t now = loop_uptime(nodes->agent->loop);

	loop_timer_set(timer, LEASE_RENEW);
	for (size_t i = 0; i < nodes->len; i++) {
		struct node *node = &nodes->list[i];

		if (!node->status_at || now - node->status_at >= STATUS_RENEW)
			node_send(node);
		node_lease_renew(&node->lease);
	}
}

struct agent_nodes *agent_nodes_new(struct agent *agent, const struct agent_options *options)
{
	struct agent_nodes *nodes = mem_new(struct agent_nodes);

	nodes->agent = agent;
	nodes->len = options->nodes;
	nodes->instance = options->instance ? mem_strdup(options->instance) : NULL;
	nodes->list = mem_calloc(options->nodes, sizeof(*nodes->list));
	for (size_t i = 0; i < nodes->len; i++) {
		struct node *node = &nodes->list[i];

		node->nodes = nodes;
		node->since_wall = loop_now(agent->loop);
		if (nodes->len == 1)
			(void)snprintf(node->name, NAME_SIZE, "%s", options->host_name);
		else
			(void)snprintf(node->name, NAME_SIZE, "%s-%zu", options->host_name, i);
		node->lease = (struct node_lease){agent->client, str_from(node->name), NULL};
	}
	nodes->timer = loop_timer_new(agent->loop, on_timer, nodes);
	loop_timer_set(nodes->timer, 0);
	return nodes;
}

void agent_nodes_free(struct agent_nodes *nodes)
{
	if (!nodes)
		return;
	for (size_t i = 0; i < nodes->len; i++) {
		client_cancel(nodes->list[i].request);
		node_lease_stop(&nodes->list[i].lease);
	}
	loop_timer_free(nodes->timer);
	mem_free(nodes->list);
	mem_free(nodes->instance);
	mem_free(nodes);
}

void agent_nodes_touch(struct agent_nodes *nodes)
{
	for (size_t i = 0; i < nodes->len; i++)
		node_send(&nodes->list[i]);
}

bool agent_nodes_are_ready(const struct agent_nodes *nodes)
{
	for (size_t i = 0; i < nodes->len; i++)
		if (!nodes->list[i].ready)
			return false;
	return true;
}

size_t agent_nodes_len(const struct agent_nodes *nodes)
{
	return nodes->len;
}

ptrdiff_t agent_nodes_find(const struct agent_nodes *nodes, struct str name)
{
	for (size_t i = 0; i < nodes->len; i++)
		if (str_is(name, nodes->list[i].name))
			return (ptrdiff_t)i;
	return -1;
}
