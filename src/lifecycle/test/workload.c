/* SPDX-License-Identifier: Apache-2.0 */
/* Podgroups of plain workloads: which pods get one, what it looks like, when it changes and goes. */
#include "lifecycle/workload_lifecycle.h"
#include "others.h"

#include "base/banned.h"

#define CPU "'containers':[{'name':'m','resources':{'requests':{'cpu':'100m','memory':'64Mi'}}}]"
#define POD(meta, spec)                                                                       \
	"{'metadata':{'name':'p','namespace':'n','uid':'U'" meta "},'spec':{'schedulerName':" \
	"'volcano'," CPU spec "}}"
#define OWNED(kind)                                                                           \
	",'ownerReferences':[{'apiVersion':'apps/v1','kind':'" kind "','name':'o','uid':'O'," \
	"'controller':true}]"
#define CORE_JOB                                             \
	",'ownerReferences':[{'apiVersion':'batch/"          \
	"v1','kind':'Job','name':'o','uid':'O','controller'" \
	":true,'blockOwnerDeletion':true}]"
#define HEAD_CORE_JOB                                                                         \
	"0 create podgroups podgroup-O {'apiVersion':'scheduling.volcano.sh/v1beta1','kind':" \
	"'PodGroup','metadata':{'name':'podgroup-O','namespace':'n'" CORE_JOB
#define NEEDS                                                                       \
	"'minResources':{'count/pods':'1','cpu':'100m','memory':'64Mi','pods':'1'," \
	"'requests.cpu':'100m','requests.memory':'64Mi'}"
#define NEEDS_2                                                                      \
	"'minResources':{'count/pods':'2','cpu':'200m','memory':'128Mi','pods':'2'," \
	"'requests.cpu':'200m','requests.memory':'128Mi'}"
#define HEAD                                                                                  \
	"0 create podgroups podgroup-U {'apiVersion':'scheduling.volcano.sh/v1beta1','kind':" \
	"'PodGroup','metadata':{'name':'podgroup-U','namespace':'n','ownerReferences':[{"     \
	"'apiVersion':'v1','kind':'Pod','name':'p','uid':'U','controller':true,"              \
	"'blockOwnerDeletion':true}]"
#define HEAD_OWNED(kind)                                                                      \
	"0 create podgroups podgroup-O {'apiVersion':'scheduling.volcano.sh/v1beta1','kind':" \
	"'PodGroup','metadata':{'name':'podgroup-O','namespace':'n','ownerReferences':[{"     \
	"'apiVersion':'apps/v1','kind':'" kind "','name':'o','uid':'O','controller':true}]"
#define TAIL "},'status':{'phase':'Pending'}}\n"
#define NAMED(name) \
	"patch pods p {'metadata':{'annotations':{'scheduling.k8s.io/group-name':'" name "'}}}\n"

static const struct {
	const char *about, *pod, *owner, *group, *plan;
} rows[] = {
	{"a bare pod", POD("", ""), NULL, NULL,
	 HEAD "},'spec':{'minMember':1," NEEDS TAIL "1 " NAMED("podgroup-U")},
	{"its group is there already", POD("", ""), NULL,
	 "{'metadata':{'name':'podgroup-U','namespace':'n'},'spec':{}}", "0 " NAMED("podgroup-U")},
	{"a pod with a group is left alone",
	 POD(",'annotations':{'scheduling.k8s.io/group-name':'g'}", ""), NULL, NULL, ""},
	{"an empty name counts as none",
	 POD(",'annotations':{'scheduling.k8s.io/group-name':''}", ""), NULL, NULL,
	 HEAD "},'spec':{'minMember':1," NEEDS TAIL "1 " NAMED("podgroup-U")},
	{"another scheduler's pod is left alone",
	 "{'metadata':{'name':'p'},'spec':{'schedulerName':'default-scheduler'}}", NULL, NULL, ""},
	{"a pod on its way out is left alone",
	 POD(",'deletionTimestamp':'2026-01-01T00:00:00Z'", ""), NULL, NULL, ""},
	{"queue, priority and marks come from the pod",
	 POD(",'annotations':{'scheduling.volcano.sh/queue-name':'q','volcano.sh/"
	     "preemptable':'true',"
	     "'volcano.sh/revocable-zone':'z','volcano.sh/jdb-min-available':'1',"
	     "'volcano.sh/jdb-max-unavailable':'2','other':'x'},'labels':{"
	     "'volcano.sh/cooldown-time':'5s','app':'a'}",
	     ",'priorityClassName':'high'"),
	 NULL, NULL,
	 HEAD ",'annotations':{'volcano.sh/preemptable':'true','volcano.sh/revocable-zone':'z',"
	      "'volcano.sh/jdb-min-available':'1'},'labels':{'volcano.sh/cooldown-time':'5s'}},"
	      "'spec':{'minMember':1," NEEDS ",'priorityClassName':'high','queue':'q'" TAIL
	      "1 " NAMED("podgroup-U")},
	{"the min-member of the pod itself does not count",
	 POD(",'annotations':{'scheduling.volcano.sh/group-min-member':'3'}", ""), NULL, NULL,
	 HEAD "},'spec':{'minMember':1," NEEDS TAIL "1 " NAMED("podgroup-U")},
	{"an empty name of a queue is none",
	 POD(",'annotations':{'scheduling.volcano.sh/queue-name':''}", ""), NULL, NULL,
	 HEAD "},'spec':{'minMember':1," NEEDS TAIL "1 " NAMED("podgroup-U")},
	{"topology, in any case of letters",
	 POD(",'annotations':{'volcano.sh/network-topology-mode':'SOFT',"
	     "'volcano.sh/network-topology-highest-tier':'2'}",
	     ""),
	 NULL, NULL,
	 HEAD "},'spec':{'minMember':1," NEEDS
	      ",'networkTopology':{'mode':'soft','highestTierAllowed':2}" TAIL
	      "1 " NAMED("podgroup-U")},
	{"topology that makes no sense is hard and without a tier",
	 POD(",'annotations':{'volcano.sh/network-topology-mode':'odd',"
	     "'volcano.sh/network-topology-highest-tier':'x'}",
	     ""),
	 NULL, NULL,
	 HEAD "},'spec':{'minMember':1," NEEDS ",'networkTopology':{'mode':'hard'}" TAIL
	      "1 " NAMED("podgroup-U")},
	{"pods of a controller share a group, of the owner's size", POD(OWNED("ReplicaSet"), ""),
	 "{'metadata':{'annotations':{'scheduling.volcano.sh/group-min-member':'2',"
	 "'volcano.sh/foo':'1','x':'y'}}}",
	 NULL,
	 HEAD_OWNED("ReplicaSet") ",'annotations':{'volcano.sh/"
				  "foo':'1'}},'spec':{'minMember':2," NEEDS_2 TAIL
				  "1 " NAMED("podgroup-O")},
	{"what the pod says wins",
	 POD(OWNED("ReplicaSet") ",'annotations':{'volcano.sh/preemptable':'true'}", ""),
	 "{'metadata':{'annotations':{'volcano.sh/preemptable':'false'}}}", NULL,
	 HEAD_OWNED("ReplicaSet") ",'annotations':{'volcano.sh/preemptable':'true'}},'spec':{"
				  "'minMember':1," NEEDS TAIL "1 " NAMED("podgroup-O")},
	{"an empty gang", POD(OWNED("Job"), ""),
	 "{'metadata':{'annotations':{'scheduling.volcano.sh/group-min-member':'0'}}}", NULL,
	 HEAD_OWNED("Job") "},'spec':{'minResources':{}" TAIL "1 " NAMED("podgroup-O")},
	{"a size that is none is 1", POD(OWNED("Job"), ""),
	 "{'metadata':{'annotations':{'scheduling.volcano.sh/group-min-member':'-2'}}}", NULL,
	 HEAD_OWNED("Job") "},'spec':{'minMember':1," NEEDS TAIL "1 " NAMED("podgroup-O")},
	{"pods of a core Job", POD(CORE_JOB, ""),
	 "{'metadata':{'annotations':{'scheduling.volcano.sh/group-min-member':'2',"
	 "'volcano.sh/foo':'1'}}}",
	 NULL,
	 HEAD_CORE_JOB ",'annotations':{'volcano.sh/foo':'1'}},'spec':{'minMember':2," NEEDS_2 TAIL
		       "1 " NAMED("podgroup-O")},
	{"its group stays as it was made", POD(CORE_JOB, ""),
	 "{'metadata':{'annotations':{'scheduling.volcano.sh/group-min-member':'2'}}}",
	 "{'metadata':{'name':'podgroup-O','namespace':'n'},'spec':{'minMember':1," NEEDS "}}",
	 "0 " NAMED("podgroup-O")},
	{"an unknown kind that cannot be looked up", POD(OWNED("Widget"), ""), NULL, NULL,
	 HEAD_OWNED("Widget") "},'spec':{'minMember':1," NEEDS TAIL "1 " NAMED("podgroup-O")},
	{"a group follows its ReplicaSet", POD(OWNED("ReplicaSet"), ""),
	 "{'metadata':{'annotations':{'scheduling.volcano.sh/group-min-member':'2',"
	 "'volcano.sh/foo':'1'}}}",
	 "{'metadata':{'name':'podgroup-O','namespace':'n'},'spec':{'minMember':1,'queue':'default'"
	 "," NEEDS "},'status':{'phase':'Running'}}",
	 "0 patch podgroups podgroup-O {'spec':{'minMember':2," NEEDS_2
	 "},'metadata':{'annotations':{'volcano.sh/foo':'1'}}}\n1 " NAMED("podgroup-O")},
	{"a group that is right is left alone", POD(OWNED("StatefulSet"), ""), NULL,
	 "{'metadata':{'name':'podgroup-O','namespace':'n'},'spec':{'minMember':1,'queue':'default'"
	 "," NEEDS "}}",
	 "0 " NAMED("podgroup-O")},
};

static void check_row(size_t i)
{
	AUTO(json_doc_unref) struct json_doc *pod = doc_of(rows[i].pod);
	AUTO(json_doc_unref) struct json_doc *owner = doc_of(rows[i].owner ? rows[i].owner : "{}");
	AUTO(json_doc_unref) struct json_doc *group = doc_of(rows[i].group ? rows[i].group : "{}");
	struct str scheduler = STR("volcano");
	struct json owners = rows[i].owner ? json_doc_root(owner) : JSON_NONE;
	struct workload_world world = {
		.pod = json_doc_root(pod),
		.owners = &owners,
		.owner_count = 1,
		.scheduler_names = {&scheduler, 1},
		.inherit = true,
	};
	AUTO(plan_done) struct plan plan;
	AUTO(mem_free) char *got = NULL;
	struct err err;

	if (rows[i].group)
		world.group = json_doc_root(group);
	plan_init(&plan);
	ok(workload_step(&world, &plan, &err) == 0, "%s", rows[i].about);
	got = plan_text(&plan);
	tap_is(got, rows[i].plan, __FILE__, __LINE__, rows[i].about);
}

static void test_scaled(void)
{
	AUTO(json_doc_unref) struct json_doc *none = doc_of("{'spec':{'replicas':0}}");
	AUTO(json_doc_unref) struct json_doc *one = doc_of("{'spec':{'replicas':1}}");
	AUTO(json_doc_unref)
	struct json_doc *group = doc_of("{'metadata':{'name':'g','namespace':'n','uid':'u'}}");
	AUTO(plan_done) struct plan plan;
	AUTO(mem_free) char *got = NULL;
	struct err err;

	plan_init(&plan);
	ok(workload_owner_step(json_doc_root(one), json_doc_root(group), &plan, &err) == 0 &&
		   plan_is_empty(&plan),
	   "the group of a workload that has pods stays");
	ok(workload_owner_step(json_doc_root(none), JSON_NONE, &plan, &err) == 0 &&
		   plan_is_empty(&plan),
	   "where there is no group nothing goes");
	ok(workload_owner_step(json_doc_root(none), json_doc_root(group), &plan, &err) == 0,
	   "a workload is scaled to nothing");
	got = plan_text(&plan);
	is(got, "0 delete podgroups g\n");
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_row(i);
	test_scaled();
	return tap_done();
}
