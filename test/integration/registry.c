/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that an earlier start declared and this one does not, with the API server, simulated nodes and the
 * controllers of one machine in one process in virtual time. */
#include "node/registry/registry.h"

#include "apiserver/crd/install.h"
#include "apiserver/test/client_world.h"
#include "base/time.h"
#include "controller/controller.h"
#include "node/simulated/simulated.h"
#include "node/simulated/simulated_status.h"

#define INSTANCE "11111111-2222-4333-8444-555555555555"

struct machine {
	struct world w;
	struct client *client;
	struct controllers *controllers;
	struct simulated *simulated;
	struct registry *registry;
	size_t nodes;
	bool has_processes; /* of every pod */
	size_t lost;        /* declared nodes that were deleted */
};

static bool is_declared(void *arg, struct str name)
{
	const struct machine *m = arg;
	int64_t index = simulated_node_index(name);

	return index >= 0 && (size_t)index < m->nodes;
}

static void on_changed(void *arg, struct str name, struct json_doc *doc)
{
	struct machine *m = arg;

	(void)name;
	m->lost += !doc;
}

static bool has_processes(void *arg, struct str uid)
{
	(void)uid;
	return ((struct machine *)arg)->has_processes;
}

static void start(struct machine *m, size_t nodes)
{
	struct err err;

	m->nodes = nodes;
	m->client = world_client(&m->w, "node");
	m->simulated = simulated_new(
		m->w.loop, m->client,
		&(struct simulated_options){.nodes = nodes, .instance = INSTANCE, .leases = true});
	m->registry =
		registry_new(m->client, &(struct registry_options){.instance = INSTANCE,
								   .is_declared = is_declared,
								   .changed = on_changed,
								   .has_processes = has_processes,
								   .arg = m});
	m->controllers = controllers_new(m->w.loop, m->client,
					 &(struct controllers_options){.home = true}, &err);
	world_pass(&m->w, 0);
}

static void stop(struct machine *m)
{
	controllers_free(m->controllers);
	registry_free(m->registry);
	simulated_free(m->simulated);
	client_free(m->client);
}

static void open_machine(struct machine *m, size_t nodes)
{
	AUTO(json_doc_unref) struct json_doc *namespace = doc_of("{\"metadata\":{\"name\":\"a\"}}");
	struct err err;

	*m = (struct machine){0};
	world_open(&m->w, 5, 0);
	ok(install_definitions(m->w.api, &err) == 0, "Volcano's kinds are there");
	api_start(m->w.api, &(struct api_place){0});
	client_create(m->w.client, &resources[RESOURCE_NAMESPACES], namespace, NULL, NULL);
	start(m, nodes);
	world_pass(&m->w, TIME_SECOND);
}

static void close_machine(struct machine *m)
{
	stop(m);
	world_close(&m->w);
}

static void make_pod(struct machine *m, const char *name, const char *node, const char *annotations)
{
	AUTO(json_doc_unref)
	struct json_doc *doc = doc_of("{\"metadata\":{\"name\":\"%s\",\"namespace\":\"a\","
				      "\"annotations\":{%s}},\"spec\":{\"nodeName\":\"%s\","
				      "\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}",
				      name, annotations, node);

	client_create(m->w.client, &resources[RESOURCE_PODS], doc, NULL, NULL);
	world_pass(&m->w, TIME_SECOND);
}

static const char *at(struct machine *m, enum resource_id resource, const char *name,
		      const char *path)
{
	return world_at(&m->w, resource, name, path);
}

static size_t count(struct machine *m, enum resource_id resource, const char *namespace)
{
	struct got got = {0};
	size_t len;

	(void)world_ask(&m->w, &got,
			&(struct client_ask){.verb = CLIENT_LIST,
					     .resource = &resources[resource],
					     .namespace = str_from(namespace)});
	len = json_len(json_get(json_doc_root(got.doc), "items"));
	json_doc_unref(got.doc);
	return len;
}

/* Three nodes, one, three again. */
static void test_fewer(void)
{
	struct machine m;

	open_machine(&m, 3);
	world_pass(&m.w, 30 * TIME_SECOND);
	ok(count(&m, RESOURCE_LEASES, "kube-node-lease") == 3, "every node has a lease");
	make_pod(&m, "stays", "node-00000", "");
	make_pod(&m, "leaves", "node-00002", "");
	make_pod(&m, "done", "node-00001", "\"run-seconds\":\"0\"");
	is(at(&m, RESOURCE_PODS, "done", "status.phase"), "Succeeded");
	stop(&m);
	start(&m, 1);
	world_pass(&m.w, TIME_SECOND);
	ok(registry_is_settled(m.registry) && registry_undeclared(m.registry) == 0,
	   "what is not declared is removed");
	is(at(&m, RESOURCE_NODES, "node-00001", "kind"), "NotFound");
	is(at(&m, RESOURCE_NODES, "node-00002", "kind"), "NotFound");
	ok(count(&m, RESOURCE_LEASES, "kube-node-lease") == 1, "and the leases");
	is(at(&m, RESOURCE_PODS, "leaves", "kind"), "NotFound");
	is(at(&m, RESOURCE_PODS, "stays", "status.phase"), "Running");
	is(at(&m, RESOURCE_PODS, "done", "status.phase"), "Succeeded");
	world_pass(&m.w, TIME_MINUTE);
	is(at(&m, RESOURCE_PODS, "done", "kind"), "NotFound");
	stop(&m);
	start(&m, 3);
	world_pass(&m.w, TIME_SECOND);
	ok(count(&m, RESOURCE_NODES, "") == 3 && m.lost == 0, "there are three again");
	is(at(&m, RESOURCE_NODES, "node-00002", "spec.unschedulable"), "");
	world_pass(&m.w, TIME_HOUR);
	is(at(&m, RESOURCE_NODES, "node-00002", "spec.taints"), "");
	close_machine(&m);
}

/* Pods with processes have their grace period; a restart in the middle continues or takes it back. */
static void test_middle(void)
{
	struct machine m;

	open_machine(&m, 2);
	make_pod(&m, "p", "node-00001", "");
	stop(&m);
	m.has_processes = true;
	start(&m, 1);
	world_pass(&m.w, TIME_SECOND);
	is(at(&m, RESOURCE_NODES, "node-00001", "spec.unschedulable"), "true");
	ok(strcmp(at(&m, RESOURCE_PODS, "p", "metadata.deletionTimestamp"), "") != 0,
	   "its pods are deleted, and waited for");
	ok(strstr(at(&m, RESOURCE_PODS, "p", "status.conditions"),
		  "\"reason\":\"NodeRemoved\",\"message\":\"node node-00001 is no longer declared"),
	   "and say why");
	ok(registry_is_settled(m.registry) && registry_undeclared(m.registry) == 1,
	   "meanwhile the node takes no pods");
	stop(&m);
	start(&m, 1);
	world_pass(&m.w, TIME_SECOND);
	is(at(&m, RESOURCE_NODES, "node-00001", "spec.unschedulable"), "true");
	stop(&m);
	start(&m, 2);
	world_pass(&m.w, TIME_SECOND);
	is(at(&m, RESOURCE_NODES, "node-00001", "spec.unschedulable"), "");
	is(at(&m, RESOURCE_NODES, "node-00001", "spec.taints"), "");
	is(at(&m, RESOURCE_PODS, "p", "kind"), "NotFound");
	make_pod(&m, "q", "node-00001", "");
	stop(&m);
	start(&m, 1);
	world_pass(&m.w, TIME_SECOND);
	stop(&m);
	m.has_processes = false; /* they ended meanwhile */
	start(&m, 1);
	world_pass(&m.w, TIME_SECOND);
	is(at(&m, RESOURCE_PODS, "q", "kind"), "NotFound");
	is(at(&m, RESOURCE_NODES, "node-00001", "kind"), "NotFound");
	close_machine(&m);
}

/* Someone's cordon stays when ours is taken back. */
static void test_cordon(void)
{
	struct machine m;
	AUTO(json_doc_unref)
	struct json_doc *patch = doc_of("{\"spec\":{\"unschedulable\":true}}");

	open_machine(&m, 2);
	client_send(m.w.client, &(struct client_ask){.verb = CLIENT_PATCH,
						     .patch = CLIENT_PATCH_MERGE,
						     .resource = &resources[RESOURCE_NODES],
						     .name = STR("node-00001"),
						     .field_manager = STR("someone"),
						     .body = patch});
	make_pod(&m, "p", "node-00001", "");
	stop(&m);
	m.has_processes = true;
	start(&m, 1);
	world_pass(&m.w, TIME_SECOND);
	stop(&m);
	start(&m, 2);
	world_pass(&m.w, TIME_SECOND);
	is(at(&m, RESOURCE_NODES, "node-00001", "metadata.annotations"), "");
	is(at(&m, RESOURCE_NODES, "node-00001", "spec.unschedulable"), "true");
	close_machine(&m);
}

/* Nodes without our label are not ours, whatever they are called. */
static void test_foreign(void)
{
	struct machine m;
	AUTO(json_doc_unref)
	struct json_doc *node = doc_of("{\"metadata\":{\"name\":\"node-00007\",\"labels\":{"
				       "\"volcano.sh/instance\":\"another\"}}}");
	AUTO(json_doc_unref)
	struct json_doc *copy = doc_of("{\"metadata\":{\"name\":\"node-00008\",\"labels\":{"
				       "\"volcano.sh/instance\":\"" INSTANCE "\"}}}");

	open_machine(&m, 1);
	client_create(m.w.client, &resources[RESOURCE_NODES], node, NULL, NULL);
	world_pass(&m.w, TIME_SECOND);
	stop(&m);
	start(&m, 1);
	world_pass(&m.w, TIME_HOUR);
	is(at(&m, RESOURCE_NODES, "node-00007", "kind"), "Node");
	is(at(&m, RESOURCE_NODES, "node-00007", "spec.unschedulable"), "");
	client_create(m.w.client, &resources[RESOURCE_NODES], copy, NULL, NULL);
	world_pass(&m.w, TIME_HOUR);
	is(at(&m, RESOURCE_NODES, "node-00008", "spec.unschedulable"), "");
	client_delete(m.w.client, &resources[RESOURCE_NODES], str_none(), STR("node-00000"), NULL,
		      NULL);
	world_pass(&m.w, TIME_MINUTE);
	ok(m.lost == 1, "a declared node that is deleted is noticed");
	is(at(&m, RESOURCE_NODES, "node-00000", "kind"), "NotFound");
	ok(count(&m, RESOURCE_LEASES, "kube-node-lease") == 0, "its lease is deleted with it");
	close_machine(&m);
}

static void test_many(void)
{
	enum { MANY = 1000 };
	struct machine m;

	open_machine(&m, MANY);
	world_pass(&m.w, 30 * TIME_SECOND);
	ok(count(&m, RESOURCE_LEASES, "kube-node-lease") == MANY, "a thousand leases");
	make_pod(&m, "p", "node-00999", "");
	world_pass(&m.w, 2 * TIME_MINUTE);
	is(at(&m, RESOURCE_NODES, "node-00999", "spec.taints"), "");
	stop(&m);
	start(&m, 1);
	world_pass(&m.w, TIME_SECOND);
	ok(count(&m, RESOURCE_NODES, "") == 1, "a thousand nodes are removed at once");
	ok(count(&m, RESOURCE_LEASES, "kube-node-lease") == 1, "and their leases");
	is(at(&m, RESOURCE_PODS, "p", "kind"), "NotFound");
	close_machine(&m);
}

/* A simulated node that was given up reports again; one that someone else changed stays so. */
static void test_given_up(void)
{
	static const char *const reasons[] = {"NodeStatusUnknown", "ByHand"};
	struct machine m;

	open_machine(&m, 1);
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
		AUTO(json_doc_unref)
		struct json_doc *patch = doc_of(
			"{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"Unknown\","
			"\"reason\":\"%s\"}]}}",
			reasons[i]);

		client_send(m.w.client, &(struct client_ask){.verb = CLIENT_PATCH,
							     .patch = CLIENT_PATCH_STRATEGIC,
							     .resource = &resources[RESOURCE_NODES],
							     .name = STR("node-00000"),
							     .sub = STR("status"),
							     .body = patch});
		world_pass(&m.w, TIME_SECOND);
		ok(!strstr(at(&m, RESOURCE_NODES, "node-00000", "spec.taints"), "unreachable") ==
			   (i == 0),
		   "Unknown for the reason %s", reasons[i]);
	}
	close_machine(&m);
}

int main(void)
{
	test_fewer();
	test_middle();
	test_cordon();
	test_foreign();
	test_many();
	test_given_up();
	return tap_done();
}
