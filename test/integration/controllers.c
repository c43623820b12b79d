/* SPDX-License-Identifier: Apache-2.0 */
/* The controllers in addition to that of jobs, with the API server in one process on the virtual loop: what
 * they make of queues, flows, cron jobs, plain pods, HyperNodes and finished jobs; that they come to
 * rest; that a restart changes nothing; and that it all ends alike wherever they die and start again.
 * There are no scheduler and no nodes: tests set phases. */
#include "apiserver/crd/install.h"
#include "apiserver/test/client_world.h"
#include "base/time.h"
#include "controller/controller.h"
#include "http/address.h"
#include "http/http_server.h"
#include "quoted.h"

struct home {
	struct world w;
	struct client *client;
	struct controllers *controllers;
	uint64_t sent; /* by controllers that have died */
	uint64_t dies; /* they do when so much is sent; 0: they do not */
};

static void start(struct home *h)
{
	struct err err;

	h->client = world_client(&h->w, "controllers");
	h->controllers = controllers_new(
		h->w.loop, h->client,
		&(struct controllers_options){.config_namespace = "a", .config_name = "conf"},
		&err);
	ok(h->controllers != NULL, "the controllers start");
}

static void stop(struct home *h)
{
	controllers_free(h->controllers);
	client_free(h->client);
}

/* What the controllers have sent so far, before and after a death. */
static uint64_t sent(const struct home *h)
{
	struct client_stats stats;

	client_stats(h->client, &stats);
	return h->sent + stats.sent;
}

/* As world_pass(), but they may die in the middle of something. */
static void pass(struct home *h, int64_t time)
{
	int64_t until = loop_uptime(h->w.loop) + time;

	while (h->dies && loop_uptime(h->w.loop) < until) {
		(void)loop_turn(h->w.loop, until - loop_uptime(h->w.loop));
		if (sent(h) < h->dies)
			continue;
		h->sent = sent(h);
		h->dies = 0;
		stop(h);
		start(h);
	}
	if (loop_uptime(h->w.loop) < until)
		world_pass(&h->w, until - loop_uptime(h->w.loop));
}

static int ask(struct home *h, enum client_verb verb, enum resource_id resource, const char *name,
	       const char *sub, const char *body)
{
	AUTO(json_doc_unref) struct json_doc *doc = body ? quoted_doc(body) : NULL;
	struct got got = {0};
	int code = world_ask(&h->w, &got,
			     &(struct client_ask){.verb = verb,
						  .resource = &resources[resource],
						  .namespace = resources[resource].namespaced
								       ? STR("a")
								       : str_none(),
						  .name = str_from(name),
						  .sub = str_from(sub),
						  .body = doc,
						  .patch = CLIENT_PATCH_MERGE});

	if (got.reason)
		printf("# %s\n", got.text);
	json_doc_unref(got.doc);
	pass(h, 200 * TIME_MILLISECOND);
	return code;
}

static void make(struct home *h, enum resource_id resource, const char *body)
{
	ok(ask(h, CLIENT_CREATE, resource, "", "", body) == 201, "made: %s", body);
}

static void merge(struct home *h, enum resource_id resource, const char *name, const char *sub,
		  const char *body)
{
	ok(ask(h, CLIENT_PATCH, resource, name, sub, body) == 200, "changed: %s %s", name, body);
}

static const char *at(struct home *h, enum resource_id resource, const char *name, const char *path)
{
	return world_at(&h->w, resource, name, path);
}

static void command(struct home *h, const char *name, const char *action, const char *queue)
{
	AUTO(mem_free)
	char *body =
		mem_printf("{'metadata':{'name':'%s','namespace':'a'},'action':'%s','target':{"
			   "'apiVersion':'scheduling.volcano.sh/v1beta1','kind':'Queue','name':"
			   "'%s','uid':'x'}}",
			   name, action, queue);

	make(h, RESOURCE_COMMANDS, body);
}

static void open_home(struct home *h)
{
	struct err err;

	*h = (struct home){0};
	world_open(&h->w, 7, 0);
	ok(install_definitions(h->w.api, &err) == 0, "Volcano's kinds are there");
	start(h);
	world_pass(&h->w, TIME_SECOND);
	make(h, RESOURCE_NAMESPACES, "{'metadata':{'name':'a'}}");
}

/* Nothing is written while nothing happens, nor when the controllers start again. */
static void close_home(struct home *h)
{
	int64_t version;

	world_pass(&h->w, TIME_MINUTE);
	version = store_revision(h->w.store);
	world_pass(&h->w, 10 * TIME_MINUTE);
	ok(store_revision(h->w.store) == version, "it comes to rest");
	stop(h);
	start(h);
	world_pass(&h->w, TIME_MINUTE);
	ok(store_revision(h->w.store) == version, "a restart writes nothing");
	stop(h);
	world_close(&h->w);
}

static void test_queues(void)
{
	struct home h;

	open_home(&h);
	is(at(&h, RESOURCE_QUEUES, "root", "status.state"), "Open");
	is(at(&h, RESOURCE_QUEUES, "default", "spec.parent"), "root");
	make(&h, RESOURCE_QUEUES, "{'metadata':{'name':'p'},'spec':{}}");
	make(&h, RESOURCE_QUEUES, "{'metadata':{'name':'c'},'spec':{'parent':'p'}}");
	make(&h, RESOURCE_QUEUES, "{'metadata':{'name':'e'},'spec':{'parent':'c'}}");
	is(at(&h, RESOURCE_QUEUES, "e", "status.state"), "Open");
	make(&h, RESOURCE_PODGROUPS,
	     "{'metadata':{'name':'g','namespace':'a'},'spec':{'queue':'e'}}");
	command(&h, "1", "CloseQueue", "p");
	is(at(&h, RESOURCE_QUEUES, "p", "status.state"), "Closed");
	is(at(&h, RESOURCE_QUEUES, "c", "status.state"), "Closed");
	is(at(&h, RESOURCE_QUEUES, "e", "status.state"), "Closing");
	is(at(&h, RESOURCE_COMMANDS, "1", "kind"), "NotFound");
	ok(ask(&h, CLIENT_DELETE, RESOURCE_PODGROUPS, "g", "", NULL) == 200, "its group goes");
	is(at(&h, RESOURCE_QUEUES, "e", "status.state"), "Closed");
	command(&h, "2", "OpenQueue", "e");
	is(at(&h, RESOURCE_COMMANDS, "2", "kind"), "Command");
	command(&h, "3", "OpenQueue", "p");
	is(at(&h, RESOURCE_QUEUES, "e", "status.state"), "Open");
	is(at(&h, RESOURCE_COMMANDS, "2", "kind"), "NotFound");
	close_home(&h);
}

#define TASKS                                                                             \
	"'tasks':[{'name':'t','replicas':1,'template':{'spec':{'restartPolicy':'Never','" \
	"containers'"                                                                     \
	":[{'name':'c','image':'i'}]}}}]"

static void test_flows(void)
{
	struct home h;

	open_home(&h);
	make(&h, RESOURCE_JOBFLOWS,
	     "{'metadata':{'name':'f','namespace':'a'},'spec':{'flows':[{'name':'x'},{'name':'y',"
	     "'dependsOn':{'targets':['x']}}]}}");
	is(at(&h, RESOURCE_JOBFLOWS, "f", "status.unKnowJobs"), "[\"f-x\"]");
	make(&h, RESOURCE_JOBTEMPLATES,
	     "{'metadata':{'name':'x','namespace':'a'},'spec':{" TASKS "}}");
	make(&h, RESOURCE_JOBTEMPLATES,
	     "{'metadata':{'name':'y','namespace':'a'},'spec':{" TASKS "}}");
	is(at(&h, RESOURCE_VCJOBS, "f-x", "metadata.labels"),
	   "{\"volcano.sh/createdByJobTemplate\":\"a.x\",\"volcano.sh/createdByJobFlow\":\"a.f\"}");
	is(at(&h, RESOURCE_JOBTEMPLATES, "x", "status.jobDependsOnList"), "[\"f-x\"]");
	is(at(&h, RESOURCE_VCJOBS, "f-y", "kind"), "NotFound");

	make(&h, RESOURCE_VCJOBS, "{'metadata':{'name':'g-x','namespace':'a'},'spec':{" TASKS "}}");
	make(&h, RESOURCE_JOBFLOWS,
	     "{'metadata':{'name':'g','namespace':'a'},'spec':{'flows':[{'name':'x'}]}}");
	is(at(&h, RESOURCE_JOBFLOWS, "g", "status.unKnowJobs"), "[\"g-x\"]");
	ok(ask(&h, CLIENT_DELETE, RESOURCE_VCJOBS, "g-x", "", NULL) == 200,
	   "a job that is in the way of a flow goes");
	ok(strstr(at(&h, RESOURCE_VCJOBS, "g-x", "metadata.labels"), "a.g") != NULL,
	   "the flow makes its own");
	close_home(&h);
}

/* A job of a flow from its group's admission to the end of its pod, as scheduler and node would do it. */
static void run_job(struct home *h, const char *job, const char *phase)
{
	AUTO(mem_free)
	char *group = mem_printf("%s-%s", job, at(h, RESOURCE_VCJOBS, job, "metadata.uid"));
	AUTO(mem_free) char *pod = mem_printf("%s-t-0", job);
	AUTO(mem_free) char *end = mem_printf("{'status':{'phase':'%s'}}", phase);

	merge(h, RESOURCE_PODGROUPS, group, "", "{'status':{'phase':'Inqueue'}}");
	merge(h, RESOURCE_PODS, pod, "status", "{'status':{'phase':'Running'}}");
	merge(h, RESOURCE_PODS, pod, "status", end);
}

static void make_chain(struct home *h, const char *name, const char *policy)
{
	AUTO(mem_free)
	char *flow = mem_printf("{'metadata':{'name':'%s','namespace':'a'},'spec':{"
				"'jobRetainPolicy':'%s','flows':[{'name':'x'},{'name':'y',"
				"'dependsOn':{'targets':['x']}}]}}",
				name, policy);

	make(h, RESOURCE_JOBFLOWS, flow);
}

/* What pods of jobs have become is counted in the flow for as long as the jobs say it; in a flow that deletes its
 * jobs that is the end of the last one. */
static void test_flow_counts(void)
{
	struct home h;

	open_home(&h);
	make(&h, RESOURCE_JOBTEMPLATES,
	     "{'metadata':{'name':'x','namespace':'a'},'spec':{" TASKS "}}");
	make(&h, RESOURCE_JOBTEMPLATES,
	     "{'metadata':{'name':'y','namespace':'a'},'spec':{" TASKS "}}");
	make_chain(&h, "d", "delete");
	run_job(&h, "d-x", "Succeeded");
	run_job(&h, "d-y", "Succeeded");
	is(at(&h, RESOURCE_JOBFLOWS, "d", "status.state.phase"), "Succeed");
	is(at(&h, RESOURCE_VCJOBS, "d-y", "kind"), "NotFound");
	is(at(&h, RESOURCE_JOBFLOWS, "d", "status.conditions.d-y.phase"), "Completed");
	is(at(&h, RESOURCE_JOBFLOWS, "d", "status.conditions.d-y.taskStatusCount"),
	   "{\"t\":{\"phase\":{\"Succeeded\":1}}}");
	is(at(&h, RESOURCE_JOBFLOWS, "d", "status.conditions.d-x.taskStatusCount"), "");

	make_chain(&h, "r", "retain");
	run_job(&h, "r-x", "Succeeded");
	run_job(&h, "r-y", "Succeeded");
	is(at(&h, RESOURCE_JOBFLOWS, "r", "status.state.phase"), "Succeed");
	is(at(&h, RESOURCE_VCJOBS, "r-y", "status.taskStatusCount"), "");
	is(at(&h, RESOURCE_VCJOBS, "r-y", "status.succeeded"), "");
	is(at(&h, RESOURCE_JOBFLOWS, "r", "status.conditions.r-y.taskStatusCount"), "");

	make_chain(&h, "b", "delete");
	run_job(&h, "b-x", "Failed");
	is(at(&h, RESOURCE_JOBFLOWS, "b", "status.state.phase"), "Failed");
	is(at(&h, RESOURCE_JOBFLOWS, "b", "status.conditions.b-x.taskStatusCount"),
	   "{\"t\":{\"phase\":{\"Failed\":1}}}");
	close_home(&h);
}

static void test_cron(void)
{
	struct home h;

	open_home(&h);
	make(&h, RESOURCE_VCCRONJOBS,
	     "{'metadata':{'name':'c','namespace':'a'},'spec':{'schedule':'*/5 * * * *',"
	     "'timeZone':'UTC','concurrencyPolicy':'Forbid','jobTemplate':{'spec':{" TASKS "}}}}");
	world_pass(&h.w, 4 * TIME_MINUTE);
	is(at(&h, RESOURCE_VCCRONJOBS, "c", "status.active"), "");
	world_pass(&h.w, TIME_MINUTE);
	is(at(&h, RESOURCE_VCCRONJOBS, "c", "status.lastScheduleTime"), "2026-01-01T00:05:00Z");
	ok(strstr(at(&h, RESOURCE_VCCRONJOBS, "c", "status.active"), "\"c-29453765\"") != NULL,
	   "a run that is due is made, and recorded");
	is(at(&h, RESOURCE_VCJOBS, "c-29453765", "metadata.annotations"),
	   "{\"volcano.sh/cronjob-scheduled-timestamp\":\"2026-01-01T00:05:00Z\"}");
	merge(&h, RESOURCE_VCJOBS, "c-29453765", "status",
	      "{'status':{'state':{'phase':'Completed'}}}");
	world_pass(&h.w, 2 * TIME_MINUTE);
	merge(&h, RESOURCE_VCCRONJOBS, "c", "", "{'spec':{'schedule':'*/2 * * * *'}}");
	is(at(&h, RESOURCE_VCJOBS, "c-29453766", "kind"), "NotFound");
	world_pass(&h.w, TIME_MINUTE);
	is(at(&h, RESOURCE_VCJOBS, "c-29453768", "kind"), "Job");
	merge(&h, RESOURCE_VCCRONJOBS, "c", "", "{'spec':{'suspend':true}}");
	close_home(&h);
}

static void test_others(void)
{
	struct home h;

	open_home(&h);
	make(&h, RESOURCE_NODES, "{'metadata':{'name':'n1'}}");
	make(&h, RESOURCE_NODES, "{'metadata':{'name':'n2'}}");
	make(&h, RESOURCE_HYPERNODES,
	     "{'metadata':{'name':'h'},'spec':{'tier':1,'members':[{'type':'Node','selector':{"
	     "'regexMatch':{'pattern':'^n'}}}]}}");
	is(at(&h, RESOURCE_HYPERNODES, "h", "status.nodeCount"), "2");
	make(&h, RESOURCE_NODES, "{'metadata':{'name':'n3'}}");
	is(at(&h, RESOURCE_HYPERNODES, "h", "status.nodeCount"), "3");

	make(&h, RESOURCE_REPLICASETS,
	     "{'metadata':{'name':'r','namespace':'a','annotations':{"
	     "'scheduling.volcano.sh/group-min-member':'2'}},'spec':{'replicas':1,'selector':{"
	     "'matchLabels':{'x':'y'}},'template':{'metadata':{'labels':{'x':'y'}},'spec':{"
	     "'containers':[{'name':'c','image':'i'}]}}}}");
	{
		AUTO(mem_free)
		char *uid = mem_strdup(at(&h, RESOURCE_REPLICASETS, "r", "metadata.uid"));
		AUTO(mem_free) char *group = mem_printf("podgroup-%s", uid);
		AUTO(mem_free)
		char *pod = mem_printf(
			"{'metadata':{'name':'p','namespace':'a','ownerReferences':[{'apiVersion':"
			"'apps/v1','kind':'ReplicaSet','name':'r','uid':'%s','controller':true}]},"
			"'spec':{'schedulerName':'volcano','containers':[{'name':'c','image':'i'}]"
			"}}",
			uid);

		make(&h, RESOURCE_PODS, pod);
		ok(strstr(at(&h, RESOURCE_PODS, "p", "metadata.annotations"), group) != NULL,
		   "a pod gets the name of its group");
		is(at(&h, RESOURCE_PODGROUPS, group, "spec.minMember"), "2");
		merge(&h, RESOURCE_REPLICASETS, "r", "", "{'spec':{'replicas':0}}");
		is(at(&h, RESOURCE_PODGROUPS, group, "kind"), "NotFound");
	}
	close_home(&h);
}

/* Pods whose owners Kubernetes' controllers would have made them for; the group is the owner's. */
static void test_owner(struct home *h, enum resource_id resource, const char *api, const char *kind,
		       const char *spec)
{
	AUTO(mem_free)
	char *owner = mem_printf("{'metadata':{'name':'o','namespace':'a','annotations':{"
				 "'scheduling.volcano.sh/group-min-member':'2','volcano.sh/x':'y'"
				 "}},'spec':{%s'template':{'metadata':{'labels':{'x':'y'}},'spec':{"
				 "'restartPolicy':'%s','containers':[{'name':'c','image':'i'}]}}}}",
				 spec, resource == RESOURCE_BATCHJOBS ? "Never" : "Always");
	AUTO(mem_free) char *uid = NULL;
	AUTO(mem_free) char *group = NULL;

	make(h, resource, owner);
	uid = mem_strdup(at(h, resource, "o", "metadata.uid"));
	group = mem_printf("podgroup-%s", uid);
	for (int i = 0; i < 2; i++) {
		AUTO(mem_free) char *name = mem_printf("%c-%d", *kind + 'a' - 'A', i);
		AUTO(mem_free)
		char *pod = mem_printf(
			"{'metadata':{'name':'%s','namespace':'a','ownerReferences':[{'apiVersion':"
			"'%s','kind':'%s','name':'o','uid':'%s','controller':true,"
			"'blockOwnerDeletion':true}]},'spec':{'schedulerName':'volcano',"
			"'containers':[{'name':'c','image':'i'}]}}",
			name, api, kind, uid);

		make(h, RESOURCE_PODS, pod);
		ok(strstr(at(h, RESOURCE_PODS, name, "metadata.annotations"), group) != NULL,
		   "a pod of a %s gets the name of its group", kind);
	}
	is(at(h, RESOURCE_PODGROUPS, group, "spec.minMember"), "2");
	is(at(h, RESOURCE_PODGROUPS, group, "metadata.annotations"), "{\"volcano.sh/x\":\"y\"}");
	ok(strstr(at(h, RESOURCE_PODGROUPS, group, "metadata.ownerReferences"), kind) != NULL,
	   "the group belongs to the %s", kind);
}

static void test_owners(void)
{
	static const char selector[] = "'selector':{'matchLabels':{'x':'y'}},";
	static const char set[] = "'serviceName':'s','selector':{'matchLabels':{'x':'y'}},";
	struct home h;

	open_home(&h);
	test_owner(&h, RESOURCE_BATCHJOBS, "batch/v1", "Job", "");
	test_owner(&h, RESOURCE_STATEFULSETS, "apps/v1", "StatefulSet", set);
	test_owner(&h, RESOURCE_DAEMONSETS, "apps/v1", "DaemonSet", selector);
	close_home(&h);
}

/* --- HyperNodes that are found ------------------------------------------------------------------ */

/* A UFM that answers what a test wants. */
struct ufm {
	struct http_server *server;
	int port;
	int status;
	const char *answer;
	int asked;
	bool known; /* the account is right */
};

static void ufm_asked(struct http_request *request, void *arg)
{
	struct ufm *ufm = arg;

	ufm->asked++;
	ufm->known = str_is(http_request_header(request, STR("authorization")),
			    "Basic YWRtaW46c2VjcmV0"); /* admin:secret */
	http_reply(request,
		   str_is(http_request_path(request), "/ufmRest/resources/ports") ? ufm->status
										  : 404,
		   STR("application/json"), str_from(ufm->answer));
}

static void open_ufm(struct ufm *ufm, struct loop *loop)
{
	struct address address, bound;
	struct err err;

	ufm->server = http_server_new(
		loop, &(struct http_server_options){.handler = ufm_asked, .arg = ufm}, &err);
	ok(ufm->server && address_parse_ip(STR("127.0.0.1"), 0, &address, &err) == 0 &&
		   http_server_listen(ufm->server, &address, HTTP_PLAIN, &bound, &err) == 0,
	   "a UFM listens");
	ufm->port = address_port(&bound);
}

static size_t count(struct home *h, enum resource_id resource);

/* As close_home(); the UFM is on the loop of the world. */
static void close_ufm_home(struct home *h, struct ufm *ufm)
{
	int64_t version = store_revision(h->w.store);

	world_pass(&h->w, TIME_MINUTE);
	ok(store_revision(h->w.store) == version, "it comes to rest");
	stop(h);
	start(h);
	world_pass(&h->w, TIME_MINUTE);
	ok(store_revision(h->w.store) == version, "a restart writes nothing");
	stop(h);
	http_server_free(ufm->server);
	world_close(&h->w);
}

static void test_found_by_labels(void)
{
	struct home h;

	open_home(&h);
	make(&h, RESOURCE_NODES, "{'metadata':{'name':'n1','labels':{'rack':'a','spine':'s'}}}");
	make(&h, RESOURCE_NODES, "{'metadata':{'name':'n2','labels':{'rack':'b','spine':'s'}}}");
	make(&h, RESOURCE_CONFIGMAPS,
	     "{'metadata':{'name':'conf','namespace':'a'},'data':{'volcano-controller.conf':"
	     "'networkTopologyDiscovery: [{source: label, enabled: true, config: "
	     "{networkTopologyTypes: {net: [{nodeLabel: spine}, {nodeLabel: rack}, {nodeLabel: "
	     "h}]}}"
	     "}]'}}");
	ok(count(&h, RESOURCE_HYPERNODES) == 3, "two racks and a spine are found");
	make(&h, RESOURCE_NODES, "{'metadata':{'name':'n3','labels':{'rack':'c','spine':'s'}}}");
	ok(count(&h, RESOURCE_HYPERNODES) == 4, "a node with a new label makes a rack");
	(void)ask(&h, CLIENT_DELETE, RESOURCE_NODES, "n3", "", NULL);
	ok(count(&h, RESOURCE_HYPERNODES) == 3, "which goes with its last node");
	merge(&h, RESOURCE_CONFIGMAPS, "conf", "",
	      "{'data':{'volcano-controller.conf':'networkTopologyDiscovery: 1'}}");
	make(&h, RESOURCE_NODES, "{'metadata':{'name':'n4','labels':{'rack':'d','spine':'s'}}}");
	ok(count(&h, RESOURCE_HYPERNODES) == 4,
	   "a configuration that makes no sense changes nothing");
	merge(&h, RESOURCE_CONFIGMAPS, "conf", "",
	      "{'data':{'volcano-controller.conf':'networkTopologyDiscovery: [{source: label, "
	      "enabled: false}]'}}");
	(void)ask(&h, CLIENT_DELETE, RESOURCE_NODES, "n4", "", NULL);
	ok(count(&h, RESOURCE_HYPERNODES) == 4,
	   "a source that is switched off leaves all as it is");
	close_home(&h);
}

#define UFM_PORT(node, leaf)                                                                    \
	"{\"description\":\"Computer\",\"system_name\":\"" node "\",\"peer_node_name\":\"" leaf \
	"\"}"

static void test_found_by_ufm(void)
{
	struct ufm ufm = {.status = 200,
			  .answer = "[" UFM_PORT("n1", "l1") "," UFM_PORT("n2", "l2") "]"};
	AUTO(mem_free) char *conf = NULL;
	struct home h;

	open_home(&h);
	open_ufm(&ufm, h.w.loop);
	make(&h, RESOURCE_NODES, "{'metadata':{'name':'n1'}}");
	make(&h, RESOURCE_SECRETS,
	     "{'metadata':{'name':'account','namespace':'a'},'data':{'username':'YWRtaW4=',"
	     "'password':'c2VjcmV0'}}");
	conf = mem_printf(
		"{'metadata':{'name':'conf','namespace':'a'},'data':{'volcano-controller.conf':"
		"'networkTopologyDiscovery: [{source: ufm, enabled: true, interval: 10s, "
		"credentials: {secretRef: {name: account, namespace: a}}, config: {endpoint: "
		"\\u0022http://127.0.0.1:%d\\u0022}}]'}}",
		ufm.port);
	make(&h, RESOURCE_CONFIGMAPS, conf);
	world_pass(&h.w, TIME_SECOND);
	ok(ufm.asked > 0 && ufm.known, "the UFM is asked, with the account of the Secret");
	ok(count(&h, RESOURCE_HYPERNODES) == 3, "two leaf switches and a spine are found");
	is(at(&h, RESOURCE_HYPERNODES, "spine-hn", "spec.tier"), "2");
	ufm.answer = "[]";
	world_pass(&h.w, 20 * TIME_SECOND);
	ok(count(&h, RESOURCE_HYPERNODES) == 3, "an empty answer deletes nothing");
	ok(strstr(at(&h, RESOURCE_HYPERNODES, "spine-hn", "status.conditions"),
		  "\"type\":\"DiscoveryStale\"") != NULL,
	   "and is reported by a condition");
	ufm.status = 500;
	world_pass(&h.w, 20 * TIME_SECOND);
	ok(count(&h, RESOURCE_HYPERNODES) == 3, "nor does an error");
	ufm.status = 200;
	ufm.answer = "[" UFM_PORT("n1", "l1") "]";
	world_pass(&h.w, 20 * TIME_SECOND);
	ok(count(&h, RESOURCE_HYPERNODES) == 2, "an answer is followed");
	close_ufm_home(&h, &ufm);
}

/* --- dying ----------------------------------------------------------------------------------- */

static void finish_job(struct home *h, const char *name)
{
	merge(h, RESOURCE_VCJOBS, name, "status", "{'status':{'state':{'phase':'Completed'}}}");
}

/* Something for each of them. */
static void live(struct home *h)
{
	make(h, RESOURCE_QUEUES, "{'metadata':{'name':'p'},'spec':{}}");
	make(h, RESOURCE_QUEUES, "{'metadata':{'name':'c'},'spec':{'parent':'p'}}");
	make(h, RESOURCE_PODGROUPS,
	     "{'metadata':{'name':'g','namespace':'a'},'spec':{'queue':'c'}}");
	command(h, "1", "CloseQueue", "p");
	(void)ask(h, CLIENT_DELETE, RESOURCE_PODGROUPS, "g", "", NULL);
	command(h, "2", "OpenQueue", "p");
	make(h, RESOURCE_PODS,
	     "{'metadata':{'name':'b','namespace':'a'},'spec':{'schedulerName':'volcano',"
	     "'containers':[{'name':'c','image':'i'}]}}");
	make(h, RESOURCE_JOBTEMPLATES,
	     "{'metadata':{'name':'x','namespace':'a'},'spec':{" TASKS "}}");
	make(h, RESOURCE_JOBTEMPLATES,
	     "{'metadata':{'name':'y','namespace':'a'},'spec':{" TASKS "}}");
	make(h, RESOURCE_JOBFLOWS,
	     "{'metadata':{'name':'f','namespace':'a'},'spec':{'flows':[{'name':'x'},{'name':'y',"
	     "'dependsOn':{'targets':['x']}}]}}");
	finish_job(h, "f-x");
	finish_job(h, "f-y");
	make(h, RESOURCE_VCCRONJOBS,
	     "{'metadata':{'name':'c','namespace':'a'},'spec':{'schedule':'*/5 * * * *',"
	     "'concurrencyPolicy':'Replace','jobTemplate':{'spec':{" TASKS "}}}}");
	pass(h, 11 * TIME_MINUTE);
	finish_job(h, "c-29453770");
	pass(h, 10 * TIME_SECOND);
}

static size_t count(struct home *h, enum resource_id resource)
{
	struct got got = {0};
	size_t len;

	(void)world_ask(&h->w, &got,
			&(struct client_ask){.verb = CLIENT_LIST,
					     .resource = &resources[resource],
					     .namespace = STR("a")});
	len = got.doc ? json_len(json_get(json_doc_root(got.doc), "items")) : 0;
	json_doc_unref(got.doc);
	return len;
}

static void check_end(struct home *h, uint64_t dies)
{
	static const struct {
		enum resource_id resource;
		const char *name;
		const char *path;
		const char *value;
	} ends[] = {
		{RESOURCE_QUEUES, "p", "status.state", "Open"},
		{RESOURCE_QUEUES, "c", "status.state", "Open"},
		{RESOURCE_QUEUES, "c", "metadata.annotations",
		 "{\"volcano.sh/closed-by-parent\":\"false\"}"},
		{RESOURCE_COMMANDS, "1", "kind", "NotFound"},
		{RESOURCE_COMMANDS, "2", "kind", "NotFound"},
		{RESOURCE_JOBFLOWS, "f", "status.state.phase", "Succeed"},
		{RESOURCE_JOBFLOWS, "f", "status.completedJobs", "[\"f-x\",\"f-y\"]"},
		{RESOURCE_JOBTEMPLATES, "y", "status.jobDependsOnList", "[\"f-y\"]"},
		{RESOURCE_VCCRONJOBS, "c", "status.lastScheduleTime", "2026-01-01T00:10:00Z"},
		{RESOURCE_VCCRONJOBS, "c", "status.active", ""},
		{RESOURCE_VCJOBS, "c-29453765", "kind", "NotFound"},
		{RESOURCE_VCJOBS, "c-29453770", "status.state.phase", "Completed"},
	};
	size_t wrong = 0;

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (strcmp(at(h, ends[i].resource, ends[i].name, ends[i].path), ends[i].value) !=
		    0) {
			printf("# %s %s: %s\n", ends[i].name, ends[i].path,
			       at(h, ends[i].resource, ends[i].name, ends[i].path));
			wrong++;
		}
	ok(wrong == 0 && count(h, RESOURCE_VCJOBS) == 3 &&
		   strstr(at(h, RESOURCE_PODS, "b", "metadata.annotations"), "podgroup-"),
	   "all is as it should be, dying after %llu", (unsigned long long)dies);
}

/* With controllers that die at `dies`; gives how much they sent. */
static uint64_t test_life(uint64_t dies)
{
	struct home h;
	uint64_t ret;

	open_home(&h);
	h.dies = dies;
	live(&h);
	check_end(&h, dies);
	ret = sent(&h);
	stop(&h);
	world_close(&h.w);
	return ret;
}

static void test_dying(void)
{
	uint64_t all = test_life(0);
	struct home h;
	uint64_t first;

	open_home(&h);
	first = sent(&h);
	stop(&h);
	world_close(&h.w);
	/* every other: what is sent in one turn cannot be distinguished anyway */
	for (uint64_t dies = first + 1; dies <= all; dies += 2)
		(void)test_life(dies);
}

static void test_ttl(void)
{
	struct home h;

	open_home(&h);
	make(&h, RESOURCE_VCJOBS,
	     "{'metadata':{'name':'j','namespace':'a'},'spec':{'ttlSecondsAfterFinished':30," TASKS
	     "}}");
	merge(&h, RESOURCE_VCJOBS, "j", "status",
	      "{'status':{'state':{'phase':'Completed','lastTransitionTime':"
	      "'2026-01-01T00:00:02Z'}}}");
	world_pass(&h.w, 25 * TIME_SECOND);
	is(at(&h, RESOURCE_VCJOBS, "j", "metadata.deletionTimestamp"), "");
	world_pass(&h.w, 10 * TIME_SECOND);
	ok(strcmp(at(&h, RESOURCE_VCJOBS, "j", "metadata.deletionTimestamp"), "") != 0,
	   "a job goes when its time is over");
	stop(&h);
	world_close(&h.w);
}

int main(void)
{
	test_queues();
	test_flows();
	test_flow_counts();
	test_cron();
	test_others();
	test_owners();
	test_found_by_labels();
	test_found_by_ufm();
	test_ttl();
	test_dying();
	return tap_done();
}
