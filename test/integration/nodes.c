/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that stop answering and nodes that are deleted, with the controllers of one machine and the API
 * server in one process in virtual time: what becomes of the nodes and of their pods. */
#include "apiserver/crd/install.h"
#include "apiserver/test/client_world.h"
#include "base/time.h"
#include "controller/controller.h"
#include "quoted.h"

struct home {
	struct world w;
	struct client *client;
	struct controllers *controllers;
};

static void start(struct home *h)
{
	struct err err;

	h->client = world_client(&h->w, "controllers");
	h->controllers = controllers_new(h->w.loop, h->client,
					 &(struct controllers_options){.home = true}, &err);
	ok(h->controllers != NULL, "the controllers start");
	world_pass(&h->w, TIME_SECOND);
}

static void stop(struct home *h)
{
	controllers_free(h->controllers);
	client_free(h->client);
}

static int send_in(struct home *h, const char *namespace, enum client_verb verb,
		   enum resource_id resource, const char *name, const char *sub, const char *body)
{
	AUTO(json_doc_unref) struct json_doc *doc = body ? quoted_doc(body) : NULL;
	struct got got = {0};
	int code;

	code = world_ask(&h->w, &got,
			 &(struct client_ask){.verb = verb,
					      .resource = &resources[resource],
					      .namespace = str_from(namespace),
					      .name = str_from(name),
					      .sub = str_from(sub),
					      .body = doc,
					      .patch = CLIENT_PATCH_STRATEGIC});
	if (got.reason)
		printf("# %s\n", got.text);
	json_doc_unref(got.doc);
	world_pass(&h->w, TIME_SECOND);
	return code;
}

static void make(struct home *h, enum resource_id resource, const char *body)
{
	ok(send_in(h, resources[resource].namespaced ? "a" : "", CLIENT_CREATE, resource, "", "",
		   body) == 201,
	   "made: %s", body);
}

static void merge(struct home *h, enum resource_id resource, const char *name, const char *sub,
		  const char *body)
{
	ok(send_in(h, resources[resource].namespaced ? "a" : "", CLIENT_PATCH, resource, name, sub,
		   body) == 200,
	   "changed: %s %s", name, body);
}

static void drop(struct home *h, enum resource_id resource, const char *name)
{
	ok(send_in(h, resources[resource].namespaced ? "a" : "", CLIENT_DELETE, resource, name, "",
		   NULL) == 200,
	   "deleted: %s", name);
}

static const char *at(struct home *h, enum resource_id resource, const char *name, const char *path)
{
	return world_at(&h->w, resource, name, path);
}

static void open_home(struct home *h)
{
	struct err err;

	world_open(&h->w, 7, 0);
	ok(install_definitions(h->w.api, &err) == 0, "Volcano's kinds are there");
	api_start(h->w.api, &(struct api_place){0});
	start(h);
	make(h, RESOURCE_NAMESPACES, "{'metadata':{'name':'a'}}");
}

static void close_home(struct home *h)
{
	stop(h);
	world_close(&h->w);
}

#define POST(beat)                                                                             \
	"{'status':{'conditions':[{'type':'Ready','status':'True','reason':'KubeletReady','me" \
	"ssage':'','lastHeartbeatTime':'" beat "','lastTransitionTime':'" beat "'}]}}"

static void make_node(struct home *h)
{
	make(h, RESOURCE_NODES, "{'metadata':{'name':'n'}}");
	merge(h, RESOURCE_NODES, "n", "status", POST("2026-01-01T00:00:00Z"));
}

static void make_pod(struct home *h, const char *name, const char *spec)
{
	AUTO(mem_free)
	char *body = mem_printf("{'metadata':{'name':'%s','namespace':'a'},'spec':{'nodeName':'n',"
				"'containers':[{'name':'c','image':'i'}]%s}}",
				name, spec);

	make(h, RESOURCE_PODS, body);
}

static bool is_unknown(struct home *h)
{
	return strstr(at(h, RESOURCE_NODES, "n", "status.conditions"),
		      "\"status\":\"Unknown\",\"lastHeartbeatTime\":\"2026-01-01T00:00:00Z\"") ||
	       strstr(at(h, RESOURCE_NODES, "n", "status.conditions"), "NodeStatusUnknown");
}

/* A node that falls silent, and comes back. */
static void test_silent(void)
{
	struct home h;

	open_home(&h);
	make_node(&h);
	make_pod(&h, "p", "");
	make_pod(&h, "stays", ",'tolerations':[{'operator':'Exists'}]");
	make_pod(&h, "leaves",
		 ",'tolerations':[{'key':'node.kubernetes.io/unreachable','operator':'Exists',"
		 "'effect':'NoExecute','tolerationSeconds':5}]");
	world_pass(&h.w, 30 * TIME_SECOND);
	ok(!is_unknown(&h), "it has 40 seconds");
	world_pass(&h.w, 15 * TIME_SECOND);
	ok(is_unknown(&h), "then its state is unknown");
	ok(strstr(at(&h, RESOURCE_NODES, "n", "spec.taints"),
		  "\"key\":\"node.kubernetes.io/unreachable\",\"effect\":\"NoExecute\""),
	   "and it is tainted");
	world_pass(&h.w, 10 * TIME_SECOND);
	ok(strcmp(at(&h, RESOURCE_PODS, "leaves", "metadata.deletionTimestamp"), "") != 0,
	   "a pod that tolerates that for 5 seconds is deleted");
	ok(strstr(at(&h, RESOURCE_PODS, "leaves", "status.conditions"), "DeletionByTaintManager"),
	   "and says why");
	is(at(&h, RESOURCE_PODS, "p", "metadata.deletionTimestamp"), "");
	merge(&h, RESOURCE_NODES, "n", "status", POST("2026-01-01T00:09:00Z"));
	ok(!is_unknown(&h), "it answers");
	is(at(&h, RESOURCE_NODES, "n", "spec.taints"), "");
	world_pass(&h.w, 10 * TIME_SECOND);
	is(at(&h, RESOURCE_PODS, "p", "metadata.deletionTimestamp"), "");
	world_pass(&h.w, 5 * TIME_MINUTE);
	ok(is_unknown(&h), "it is silent again");
	is(at(&h, RESOURCE_PODS, "p", "metadata.deletionTimestamp"), "");
	world_pass(&h.w, TIME_MINUTE);
	ok(strcmp(at(&h, RESOURCE_PODS, "p", "metadata.deletionTimestamp"), "") != 0,
	   "after five more minutes its pods are evicted");
	is(at(&h, RESOURCE_PODS, "stays", "metadata.deletionTimestamp"), "");
	close_home(&h);
}

/* What stands in leases and conditions is of no matter, only that it changes; nor is the wall clock. */
static void test_clock(void)
{
	struct home h;

	open_home(&h);
	make_node(&h);
	ok(send_in(&h, "kube-node-lease", CLIENT_CREATE, RESOURCE_LEASES, "", "",
		   "{'metadata':{'name':'n','namespace':'kube-node-lease'},'spec':{'renewTime':"
		   "'2026-01-01T00:00:00.000000Z'}}") == 201,
	   "a lease");
	loop_set_wall_clock(h.w.loop, loop_now(h.w.loop) + TIME_DAY);
	world_pass(&h.w, 30 * TIME_SECOND);
	ok(!is_unknown(&h), "a clock that jumps forward");
	ok(send_in(&h, "kube-node-lease", CLIENT_PATCH, RESOURCE_LEASES, "n", "",
		   "{'spec':{'renewTime':'2025-01-01T00:00:00.000000Z'}}") == 200,
	   "it renews");
	loop_set_wall_clock(h.w.loop, loop_now(h.w.loop) - 2 * TIME_DAY);
	world_pass(&h.w, 30 * TIME_SECOND);
	ok(!is_unknown(&h), "or back");
	world_pass(&h.w, 15 * TIME_SECOND);
	ok(is_unknown(&h), "the renewal counts from when it came");
	close_home(&h);
}

/* A restart gives every node time to answer. */
static void test_restart(void)
{
	struct home h;

	open_home(&h);
	make_node(&h);
	make_pod(&h, "p", "");
	stop(&h);
	world_pass(&h.w, TIME_DAY);
	start(&h);
	world_pass(&h.w, 30 * TIME_SECOND);
	ok(!is_unknown(&h), "a day without controllers is no silence");
	world_pass(&h.w, 20 * TIME_SECOND);
	ok(is_unknown(&h), "40 seconds with them are");
	world_pass(&h.w, TIME_MINUTE);
	stop(&h);
	start(&h);
	world_pass(&h.w, 4 * TIME_MINUTE);
	is(at(&h, RESOURCE_PODS, "p", "metadata.deletionTimestamp"), "");
	world_pass(&h.w, 2 * TIME_MINUTE);
	ok(strcmp(at(&h, RESOURCE_PODS, "p", "metadata.deletionTimestamp"), "") != 0,
	   "an eviction that was waiting goes on after a restart");
	close_home(&h);
}

/* A node that is deleted takes its pods with it; one that comes back in time does not. */
static void test_deleted(void)
{
	struct home h;

	open_home(&h);
	make_node(&h);
	make_pod(&h, "p", "");
	make_pod(&h, "done", "");
	make_pod(&h, "ending", "");
	merge(&h, RESOURCE_PODS, "done", "status", "{'status':{'phase':'Succeeded'}}");
	drop(&h, RESOURCE_PODS, "ending");
	is(at(&h, RESOURCE_PODS, "ending", "spec.nodeName"), "n");
	drop(&h, RESOURCE_NODES, "n");
	world_pass(&h.w, 30 * TIME_SECOND);
	make_node(&h);
	world_pass(&h.w, 30 * TIME_SECOND);
	is(at(&h, RESOURCE_PODS, "p", "status.phase"), "Pending");
	drop(&h, RESOURCE_NODES, "n");
	world_pass(&h.w, 30 * TIME_SECOND);
	is(at(&h, RESOURCE_PODS, "p", "status.phase"), "Pending");
	stop(&h);
	start(&h);
	world_pass(&h.w, 30 * TIME_SECOND);
	is(at(&h, RESOURCE_PODS, "p", "status.phase"), "Pending");
	world_pass(&h.w, 15 * TIME_SECOND);
	is(at(&h, RESOURCE_PODS, "p", "status.phase"), "NotFound");
	is(at(&h, RESOURCE_PODS, "done", "status.phase"), "NotFound");
	is(at(&h, RESOURCE_PODS, "ending", "status.phase"), "NotFound");
	close_home(&h);
}

/* A node by hand is maintained by hand. */
static void test_by_hand(void)
{
	struct home h;
	int64_t version;

	open_home(&h);
	make(&h, RESOURCE_NODES, "{'metadata':{'name':'n'}}");
	merge(&h, RESOURCE_NODES, "n", "status",
	      "{'status':{'conditions':[{'type':'Ready','status':'True'}]}}");
	make_pod(&h, "p", "");
	world_pass(&h.w, TIME_MINUTE);
	version = store_revision(h.w.store);
	world_pass(&h.w, TIME_HOUR);
	ok(store_revision(h.w.store) == version, "it is not touched");
	merge(&h, RESOURCE_NODES, "n", "",
	      "{'spec':{'taints':[{'key':'k','effect':'NoExecute'}]}}");
	ok(strcmp(at(&h, RESOURCE_PODS, "p", "metadata.deletionTimestamp"), "") != 0,
	   "a taint by hand evicts its pods");
	close_home(&h);
}

int main(void)
{
	test_silent();
	test_clock();
	test_restart();
	test_deleted();
	test_by_hand();
	return tap_done();
}
