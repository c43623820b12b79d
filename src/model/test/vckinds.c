/* SPDX-License-Identifier: Apache-2.0 */
/* Every Volcano kind: the table is sound, unknown fields survive a round trip, and the definition
 * says what clients rely on. */
#include "model/volcano/vckinds.h"

#include "base/mem.h"
#include "json/pointer.h"
#include "quoted.h"
#include "tap.h"

/* An object of every kind, with an unknown field in each part. */
static const struct {
	const char *kind;
	const char *text;
} objects[] = {
	{"Job",
	 "{'metadata':{'name':'a'},'spec':{'queue':'q','maxRetry':3,'x':1,'tasks':[{'name':'t',"
	 "'replicas':2,'y':2,'template':{'spec':{'containers':[{'name':'c','image':'i','z':[null]}]"
	 "}}}],"
	 "'volumes':[{'mountPath':'/d','volumeClaim':{'storageClassName':'s','n':1}}]},"
	 "'status':{'state':{'phase':'Running','o':1},'running':2,'v':{}}}"},
	{"CronJob",
	 "{'metadata':{'name':'a'},'spec':{'schedule':'* * * * *','suspend':false,"
	 "'concurrencyPolicy':'Forbid','successfulJobsHistoryLimit':0,"
	 "'failedJobsHistoryLimit':1,'jobTemplate':{'metadata':{'labels':{'a':'b'},'x':1},"
	 "'spec':{'minAvailable':1,'y':1}}},'status':{'active':[{'name':'j','z':1}]}}"},
	{"Command",
	 "{'metadata':{'name':'a'},'action':'Later','target':{'apiVersion':'v','kind':'K',"
	 "'name':'n','uid':'u','x':1},'reason':'r','other':1}"},
	{"PodGroup", "{'metadata':{'name':'a'},'spec':{'minMember':2,'queue':'q','x':1,"
		     "'minTaskMember':{'t':1},'minResources':{'cpu':'1500m'},'subGroupPolicy':["
		     "{'subGroupSize':2,'minSubGroups':1,'y':1,'labelSelector':{'matchLabels':"
		     "{'a':'b'}}}]},'status':{'phase':'Inqueue','conditions':[{'type':'Scheduled',"
		     "'status':'True','z':1}]}}"},
	{"Queue",
	 "{'metadata':{'name':'a'},'spec':{'weight':2,'dequeueStrategy':'fifo','x':1,"
	 "'capability':{'cpu':'10'},'guarantee':{'resource':{'cpu':'1'},'y':1},"
	 "'affinity':{'nodeGroupAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
	 "['g']},'z':1}},'status':{'state':'Open','allocated':{'cpu':'1'}}}"},
	{"JobFlow",
	 "{'metadata':{'name':'a'},'spec':{'jobRetainPolicy':'delete','flows':[{'name':'f',"
	 "'x':1,'dependsOn':{'targets':['g'],'probe':{'httpGetList':[{'port':1}]}},"
	 "'patch':{'jobSpec':{'minAvailable':1}}}]},'status':{'unKnowJobs':['u'],"
	 "'state':{'phase':'Succeed','y':1},'conditions':{'j':{'phase':'Running'}}}}"},
	{"JobTemplate", "{'metadata':{'name':'a'},'spec':{'minAvailable':1,'x':1},"
			"'status':{'jobDependsOnList':['j'],'y':1}}"},
	{"Numatopology",
	 "{'metadata':{'name':'a'},'spec':{'policies':{'CPUManagerPolicy':'static'},"
	 "'numares':{'cpu':{'allocatable':'0-3','capacity':4,'x':1}},'cpuDetail':"
	 "{'0':{'numa':1,'socket':1,'core':1}},'resReserved':{'cpu':'1'}},'y':1}"},
	{"HyperNode", "{'metadata':{'name':'a'},'spec':{'tier':1,'x':1,'members':[{'type':'Node',"
		      "'selector':{'regexMatch':{'pattern':'^n'},'y':1}}]},'status':{'nodeCount':3,"
		      "'conditions':[{'type':'Ready','status':'True','reason':'Ok','message':'',"
		      "'lastTransitionTime':'2024-01-01T00:00:00Z','z':1}]}}"},
	{"NodeShard", "{'metadata':{'name':'a'},'spec':{'nodesDesired':['n'],'x':1},'status':"
		      "{'nodesInUse':['n'],'y':1}}"},
	{"ColocationConfiguration", "{'metadata':{'name':'a'},'spec':{'memoryQos':{'highRatio':80,"
				    "'lowRatio':0,'minRatio':0,'x':1},'selector':{'matchLabels':"
				    "{'a':'b'}}},'status':{'y':1}}"},
	{"HyperJob",
	 "{'metadata':{'name':'a'},'spec':{'replicatedJobs':[{'name':'r','replicas':2,"
	 "'x':1,'templateSpec':{'minAvailable':1,'y':1}}]},'status':{'splitCount':1,"
	 "'replicatedJobsStatus':[{'name':'r','jobStates':{'j':{'phase':'Failed'}}}]}}"},
	{"DataSource",
	 "{'metadata':{'name':'a'},'spec':{'system':'hive','type':'table','name':'d.t',"
	 "'locality':{'clusterNames':['c'],'x':1},'reclaimPolicy':'Delete'},'status':"
	 "{'claimRefs':[{'name':'c','y':1}],'boundClaims':1}}"},
	{"DataSourceClaim",
	 "{'metadata':{'name':'a'},'spec':{'system':'hive','dataSourceType':'table',"
	 "'dataSourceName':'d.t','workload':{'apiVersion':'v','kind':'K',"
	 "'name':'n','x':1}},'status':{'phase':'Bound','y':1}}"},
};

static void test_round_trip(const struct vckind *kind, const char *text)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(json_doc_unref) struct json_doc *doc = quoted_doc(text);
	AUTO(json_doc_unref) struct json_doc *copy = json_doc_thaw(json_doc_root(doc));
	AUTO(json_doc_unref) struct json_doc *filled = json_doc_thaw(json_doc_root(doc));
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	void *view = arena_alloc(arena, kind->type->size);
	struct err err = {0};

	ok(type_check_types(kind->type, json_doc_root(doc), &err) == 0, "%s: types are right %s",
	   kind->kind, err.text);
	type_default(kind->type, filled, json_doc_root(filled));
	type_validate(kind->type, json_doc_root(filled), &causes);
	ok(causes.len == 0, "%s: the example is valid %s %s", kind->kind,
	   causes.len ? causes.ptr[0].field : "", causes.len ? causes.ptr[0].message : "");
	ok(type_decode(kind->type, json_doc_root(doc), arena, view, &err) == 0, "%s: decodes %s",
	   kind->kind, err.text);
	type_encode(kind->type, view, copy, json_doc_root(copy));
	AUTO(mem_free) char *before = json_text(json_doc_root(doc), JSON_CANONICAL);
	AUTO(mem_free) char *after = json_text(json_doc_root(copy), JSON_CANONICAL);
	is(after, before);
}

static void test_definition(const struct vckind *kind)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct json crd = vckind_crd(kind, doc);
	struct json schema = json_pointer_get(crd, STR("/spec/versions/0/schema/openAPIV3Schema"));
	struct json meta = json_pointer_get(schema, STR("/properties/metadata"));
	AUTO(mem_free) char *text = json_text(meta, JSON_CANONICAL);

	ok(json_str(json_get(schema, "type")).len == 6, "%s: the schema is of an object",
	   kind->kind);
	is(text, "{\"type\":\"object\"}");
}

static void test_names(void)
{
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	AUTO(mem_free) char *text = NULL;
	struct json crd = vckind_crd(&vckinds[0], doc);

	text = json_text(json_pointer_get(crd, STR("/spec/names")), JSON_CANONICAL);
	is(text, "{\"kind\":\"Job\",\"listKind\":\"JobList\",\"plural\":\"jobs\","
		 "\"shortNames\":[\"vcjob\",\"vj\"],\"singular\":\"job\"}");
	mem_free(TAKE(text));
	text = json_text(json_pointer_get(crd, STR("/spec/versions/0/additionalPrinterColumns/4")),
			 JSON_CANONICAL);
	is(text, "{\"jsonPath\":\".spec.queue\",\"name\":\"QUEUE\",\"priority\":1,"
		 "\"type\":\"string\"}");
	mem_free(TAKE(text));
	text = json_text(json_pointer_get(crd, STR("/spec/versions/0/subresources")),
			 JSON_CANONICAL);
	is(text, "{\"status\":{}}");
	mem_free(TAKE(text));
	crd = vckind_crd(&vckinds[1], doc);
	text = json_text(json_pointer_get(crd, STR("/spec/versions/0/schema/openAPIV3Schema/"
						   "properties/spec/required")),
			 JSON_CANONICAL);
	is(text, "[\"jobTemplate\",\"schedule\"]");
	mem_free(TAKE(text));
	crd = vckind_crd(&vckinds[3], doc);
	text = json_text(json_pointer_get(crd, STR("/spec/versions/0/subresources")),
			 JSON_CANONICAL);
	is(text, "{}");
}

static void test_hypernode_rules(void)
{
	AUTO(json_doc_unref)
	struct json_doc *none =
		quoted_doc("{'spec':{'tier':1,'members':[{'type':'Node','selector':{}}]}}");
	AUTO(json_doc_unref)
	struct json_doc *two =
		quoted_doc("{'spec':{'tier':1,'members':[{'type':'Node','selector':{'exactMatch':"
			   "{'name':'a'},'regexMatch':{'pattern':'b'}}}]}}");
	AUTO(causes_done) struct causes causes = CAUSES_INIT;

	type_validate(vckinds[8].type, json_doc_root(none), &causes);
	type_validate(vckinds[8].type, json_doc_root(two), &causes);
	ok(causes.len == 2, "a selector says exactly one thing");
	is(causes.ptr[0].field, "spec.members[0].selector");
	is(causes.ptr[0].message, "Invalid value: \"object\": Either ExactMatch or RegexMatch or "
				  "LabelMatch must be specified");
	is(causes.ptr[1].message, "Invalid value: \"object\": Only one of ExactMatch, RegexMatch, "
				  "or LabelMatch can be specified");
}

int main(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);

	ok(vckind_count == ARRAY_LEN(objects), "there is an example of every kind");
	for (size_t i = 0; i < vckind_count; i++) {
		const char *wrong = type_check(vckinds[i].type, arena);

		ok(!wrong, "the table of %s is sound %s", vckinds[i].kind, wrong ? wrong : "");
		is(objects[i].kind, vckinds[i].kind);
		test_round_trip(&vckinds[i], objects[i].text);
		test_definition(&vckinds[i]);
	}
	test_names();
	test_hypernode_rules();
	return tap_done();
}
