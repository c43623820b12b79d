/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the built-in kinds when an object changes, and what is filled in: a document in, what is
 * wrong with it, or the whole of it, out. Each row is one rule or a few that belong together. */
#include "model/test/rules.h"

#include "base/banned.h"

#define BOUND ",'status':{'phase':'Bound','capacity':{'storage':'1Gi'}}"
#define CLAIM(size)                                                                          \
	"{" META                                                                             \
	",'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'" size \
	"'}}}"

static const struct {
	const struct kind *kind;
	const char *old, *object, *want;
} updated[] = {
	{&csidriver, "{" CLUSTER ",'spec':{}}", "{" CLUSTER ",'spec':{'attachRequired':false}}",
	 "spec.attachedRequired: Invalid value: false: field is immutable"},
	{&csistoragecapacity, "{" META ",'storageClassName':'a'}",
	 "{" META ",'storageClassName':'b'}",
	 "storageClassName: Invalid value: \"b\": field is immutable"},
	{&ingress_status, "{" META ",'spec':{}}",
	 "{" META ",'spec':{},'status':{'loadBalancer':{'ingress':[{'ip':'x'},{'hostname':"
	 "'1.2.3.4'}]}}}",
	 "status.loadBalancer.ingress[0].ip: Invalid value: \"x\": must be a valid IP address, "
	 "(e.g. 10.9.8.7 or 2001:db8::ffff)\n"
	 "status.loadBalancer.ingress[1].hostname: Invalid value: \"1.2.3.4\": must be a DNS name, "
	 "not an IP address"},
	/* where the pods of a job go that has not started may still be changed */
	{&batch_job, JOB("'suspend':true,'manualSelector':true," CHOOSE),
	 "{" META ",'spec':{'suspend':true,'manualSelector':true," CHOOSE
	 ",'template':{'metadata':{"
	 "'labels':{'a':'b'}},'spec':{'nodeSelector':{'x':'y'},'restartPolicy':'Never',"
	 "'containers':[{'name':'c','image':'i'}]}}}}",
	 ""},
	{&job_status, STATUS("'startTime':'2026-01-01T00:00:00Z','succeeded':2,'failed':2"),
	 STATUS("'succeeded':1,'failed':1,'ready':1,'completedIndexes':'0','conditions':[{'type':"
		"'Complete','status':'True'},{'type':'FailureTarget','status':'True'}],"
		"'uncountedTerminatedPods':{'succeeded':['a'],'failed':['a','']}"),
	 "status.uncountedTerminatedPods.failed[0]: Duplicate value: \"a\"\n"
	 "status.uncountedTerminatedPods.failed[1]: Invalid value: \"\": must not be empty\n"
	 "status.conditions: Invalid value: cannot set Complete=True and FailureTarget=true "
	 "conditions\n"
	 "status.completionTime: Required value: completionTime is required for Complete jobs\n"
	 "status.conditions: Invalid value: cannot set Complete=True condition without the "
	 "SuccessCriteriaMet=true condition\n"
	 "status.startTime: Required value: startTime is required for finished job\n"
	 "status.uncountedTerminatedPods: Invalid value: {\"Succeeded\":[\"a\"],\"Failed\":[\"a\","
	 "\"\"]}: must be empty for finished job\n"
	 "status.completedIndexes: Invalid value: \"0\": cannot set non-empty completedIndexes "
	 "when "
	 "non-indexed completion mode\n"
	 "status.ready: Invalid value: 1: cannot set more ready pods than active\n"
	 "status.failed: Invalid value: 1: cannot decrease the failed counter\n"
	 "status.succeeded: Invalid value: 1: cannot decrease the succeeded counter\n"
	 "status.startTime: Required value: startTime cannot be removed for unsuspended job"},
	{&job_status,
	 "{" META ",'spec':{'completions':4,'completionMode':'Indexed',"
	 "'backoffLimitPerIndex':1,'template':{}}}",
	 "{" META ",'spec':{'completions':4,'completionMode':'Indexed','backoffLimitPerIndex':1,"
	 "'template':{}},'status':{'completedIndexes':'0-2','failedIndexes':'1,9'}}",
	 "status.failedIndexes: Invalid value: \"1,9\": error parsing failedIndexes: too large "
	 "index: \"9\"\n"
	 "status.failedIndexes: Invalid value: \"1,9\": failedIndexes and completedIndexes overlap "
	 "at index: 1"},
	{&node, "{" CLUSTER ",'spec':{'podCIDR':'10.0.0.0/8'}}",
	 "{" CLUSTER
	 ",'spec':{'podCIDR':'11.0.0.0/8','externalID':'x'},'status':{'addresses':[{'type':"
	 "'A','address':'b'},{'type':'A','address':'b'}]}}",
	 "status.addresses[1]: Duplicate value: {\"Type\":\"A\",\"Address\":\"b\"}\n"
	 "spec.podCIDRs: Forbidden: node updates may not change podCIDR except from \"\" to valid\n"
	 "spec.externalID: Forbidden: may not be updated"},
	{&node, "{" CLUSTER ",'spec':{'podCIDR':'10.0.0.0/8','podCIDRs':['10.0.0.0/8']}}",
	 "{" CLUSTER ",'spec':{'podCIDR':'11.0.0.0/8','podCIDRs':['10.0.0.0/8']}}",
	 "spec.podCIDRs: Forbidden: node updates may not change podCIDR except from \"\" to "
	 "valid"},
	{&namespace, "{" CLUSTER "}", "{" CLUSTER "}", ""},
	{&configmap, "{" META ",'immutable':true,'data':{'a':'b'}}", "{" META ",'data':{'a':'c'}}",
	 "immutable: Forbidden: field is immutable when `immutable` is set\n"
	 "data: Forbidden: field is immutable when `immutable` is set"},
	{&secret, "{" META ",'type':'x'}", "{" META ",'type':'y'}",
	 "type: Invalid value: \"y\": field is immutable"},
	{&events_event,
	 "{" META ",'regarding':{'namespace':'n'},'reason':'a','reportingController':'a/b'}",
	 "{" META ",'regarding':{'namespace':'n'},'reason':'b','reportingController':'a/c'}",
	 "reason: Invalid value: \"b\": field is immutable\n"
	 "reason: Invalid value: \"b\": field is immutable\n"
	 "reportingController: Invalid value: \"a/c\": field is immutable"},
	{&priorityclass, "{" CLUSTER ",'value':1}", "{" CLUSTER ",'value':2}",
	 "value: Forbidden: may not be changed in an update."},
	{&quota, "{" META ",'spec':{'scopes':['BestEffort']}}", "{" META "}",
	 "spec.scopes: Invalid value: null: field is immutable"},
	{&pvc, CLAIM("1Gi") BOUND "}", CLAIM("2Gi") BOUND "}", ""},
	{&pvc, CLAIM("2Gi") BOUND "}", CLAIM("1Gi") BOUND "}",
	 "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"},
	{&pv,
	 "{" CLUSTER ",'spec':{'accessModes':['ReadWriteOnce'],'capacity':{'storage':'1'},'nfs':{"
	 "'server':'s','path':'/'}}}",
	 "{" CLUSTER ",'spec':{'accessModes':['ReadWriteOnce'],'capacity':{'storage':'1'},'nfs':{"
	 "'server':'t','path':'/'}}}",
	 "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after "
	 "creation\n@@ -1,6 +1,6 @@\n {\n  \"nfs\": {\n-  \"server\": \"s\",\n+  \"server\": "
	 "\"t\",\n   "
	 "\"path\": \"/\"\n  }\n }\n"},
	{&storageclass, "{" CLUSTER ",'provisioner':'a'}",
	 "{" CLUSTER ",'provisioner':'b','reclaimPolicy':'Retain'}",
	 "provisioner: Forbidden: updates to provisioner are forbidden.\n"
	 "reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden."},
	{&service,
	 "{" META ",'spec':{'ports':[{'port':80}],'clusterIP':'10.0.0.1','clusterIPs':"
	 "['10.0.0.1']}}",
	 "{" META
	 ",'spec':{'ports':[{'port':80}],'clusterIP':'10.0.0.2','clusterIPs':['10.0.0.2']}}",
	 "spec.clusterIPs[0]: Invalid value: [\"10.0.0.2\"]: may not change once set"},
	{&endpoint_slice, "{" META ",'addressType':'IPv4'}", "{" META ",'addressType':'IPv6'}",
	 "addressType: Invalid value: \"IPv6\": field is immutable"},
	{&rolebinding, "{" META ",'roleRef':{'kind':'Role','name':'r'}}",
	 "{" META ",'roleRef':{'kind':'Role','name':'s'}}",
	 "roleRef: Invalid value: {\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":\"Role\","
	 "\"Name\":\"s\"}: cannot change roleRef"},
	{&deployment, "{" META ",'spec':{'selector':{'matchLabels':{'a':'c'}}," POD "}}",
	 "{" META ",'spec':{" CHOOSE "," POD "}}",
	 "spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\"}}: field is immutable"},
	{&statefulset, "{" META ",'spec':{'serviceName':'s'," CHOOSE "," POD "}}",
	 "{" META ",'spec':{'serviceName':'t','replicas':3," CHOOSE "," POD "}}",
	 "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', "
	 "'ordinals', "
	 "'template', 'updateStrategy', 'revisionHistoryLimit', "
	 "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"},
};

static void test_update(void)
{
	for (size_t i = 0; i < ARRAY_LEN(updated); i++) {
		const struct kind *kind = updated[i].kind;
		AUTO(json_doc_unref) struct json_doc *old = parse(updated[i].old, kind->type);
		AUTO(json_doc_unref) struct json_doc *doc = parse(updated[i].object, kind->type);
		AUTO(causes_done) struct causes causes = CAUSES_INIT;

		if (kind->update)
			kind->update(json_doc_root(doc), json_doc_root(old), &causes);
		else if (kind->status)
			type_validate_status(kind->type, json_doc_root(old), json_doc_root(doc),
					     &causes);
		else
			type_validate_update(kind->type, json_doc_root(old), json_doc_root(doc),
					     &causes);
		compare(&causes, updated[i].want);
	}
}

/* Each key is compared with its old value. In time that grows with their square this takes minutes, and the
 * test is ended before. */
static void test_many_keys(void)
{
	enum { KEYS = 400 * 1000 };
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(causes_done) struct causes causes = CAUSES_INIT;
	struct err err;

	buf_puts(&text, "{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\"},\"data\":{\"k\":\"\"");
	for (int i = 0; i < KEYS; i++)
		buf_printf(&text, ",\"k%d\":\"\"", i);
	buf_puts(&text, "}}");
	AUTO(json_doc_unref) struct json_doc *old = json_parse(buf_str(&text), NULL, &err);
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(json_doc_root(old));

	type_validate_update(&configmap_type, json_doc_root(old), json_doc_root(doc), &causes);
	ok(causes.len == 0, "%d keys are compared with %d keys", KEYS, KEYS);
}

/* --- what is filled in ----------------------------------------------------------------------- */

static const struct {
	const struct type *type;
	void (*prepare)(struct json_doc *doc, struct json object);
	const char *object, *want;
} filled[] = {
	{&namespace_type, namespace_prepare_create, "{'metadata':{'name':'a'}}",
	 "{'metadata':{'labels':{'kubernetes.io/"
	 "metadata.name':'a'},'name':'a'},'spec':{'finalizers':"
	 "['kubernetes']},'status':{'phase':'Active'}}"},
	{&secret_type, NULL, "{'stringData':{'a':'hi'},'data':{'b':'AA=='}}",
	 "{'data':{'a':'aGk=','b':'AA=='},'metadata':{},'type':'Opaque'}"},
	{&pvc_type, pvc_prepare_create, "{'status':{'phase':'Bound'}}",
	 "{'metadata':{'finalizers':['kubernetes.io/pvc-protection']},'spec':{'resources':{},"
	 "'volumeMode':'Filesystem'},'status':{'phase':'Pending'}}"},
	{&pv_type, pv_prepare_create, "{'spec':{'hostPath':{'path':'/'}}}",
	 "{'metadata':{'finalizers':['kubernetes.io/pv-protection']},'spec':{'hostPath':{'path':'/"
	 "',"
	 "'type':''},'persistentVolumeReclaimPolicy':'Retain','volumeMode':'Filesystem'},'status':{"
	 "'phase':'Pending'}}"},
	{&service_type, service_prepare_create,
	 "{'spec':{'type':'ExternalName','externalName':'x','sessionAffinity':''}}",
	 "{'metadata':{},'spec':{'externalName':'x','sessionAffinity':'None','type':'ExternalName'}"
	 ","
	 "'status':{'loadBalancer':{}}}"},
	{&service_type, service_prepare_create,
	 "{'spec':{'clusterIP':'None','ports':[{'port':1}]}}",
	 "{'metadata':{},'spec':{'clusterIP':'None','clusterIPs':['None'],'internalTrafficPolicy':"
	 "'Cluster','ipFamilies':['IPv4','IPv6'],'ipFamilyPolicy':'RequireDualStack','ports':[{'"
	 "port':1"
	 ",'protocol':'TCP','targetPort':1}],'sessionAffinity':'None','type':'ClusterIP'},'status':"
	 "{"
	 "'loadBalancer':{}}}"},
	{&storageclass_type, NULL, "{'provisioner':'p'}",
	 "{'metadata':{},'provisioner':'p','reclaimPolicy':'Delete','volumeBindingMode':'Immediate'"
	 "}"},
	{&csidriver_type, NULL, "{}",
	 "{'metadata':{},'spec':{'attachRequired':true,'fsGroupPolicy':'ReadWriteOnceWithFSType',"
	 "'podInfoOnMount':false,'requiresRepublish':false,'seLinuxMount':false,'storageCapacity':"
	 "false"
	 ",'volumeLifecycleModes':['Persistent']}}"},
	{&clusterrolebinding_type, NULL, "{'subjects':[{'kind':'User','name':'u'}]}",
	 "{'metadata':{},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'','name':''},"
	 "'subjects':[{'apiGroup':'rbac.authorization.k8s.io','kind':'User','name':'u'}]}"},
	{&batch_job_type, batch_job_prepare_create,
	 "{'metadata':{'name':'j','uid':'u'},'spec':{'template':{'spec':{'restartPolicy':'Never',"
	 "'containers':null}}}}",
	 NULL},
};

static void test_fill(void)
{
	for (size_t i = 0; i < ARRAY_LEN(filled); i++) {
		AUTO(json_doc_unref) struct json_doc *doc = parse(filled[i].object, filled[i].type);
		AUTO(mem_free) char *got = NULL;

		if (filled[i].prepare)
			filled[i].prepare(doc, json_doc_root(doc));
		got = json_text(json_doc_root(doc), JSON_CANONICAL);
		for (char *at = got; *at; at++)
			if (*at == '"')
				*at = '\'';
		if (filled[i].want)
			is(got, filled[i].want);
		else
			ok(strstr(got,
				  "'matchLabels':{'batch.kubernetes.io/controller-uid':'u'}") &&
				   strstr(got, "'job-name':'j'"),
			   "a job chooses by its uid");
	}
}

static void test_node(void)
{
	AUTO(json_doc_unref)
	struct json_doc *doc =
		parse("{'metadata':{'labels':{'node-role.kubernetes.io/worker':'','kubernetes.io/"
		      "role':'x'"
		      "}},'spec':{'unschedulable':true},'status':{'conditions':[{'type':'Ready',"
		      "'status':'True'}]}}",
		      &node_type);
	AUTO(arena_free) struct arena *arena = arena_new(0);
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	struct node view;

	ok(type_decode(&node_type, json_doc_root(doc), arena, &view, NULL) == 0, "a node decodes");
	node_print_status(&view, &text);
	buf_putc(&text, ' ');
	node_print_roles(&view, &text);
	is(buf_text(&text), "Ready,SchedulingDisabled x,worker");
	ok(node_is_ready(&view), "and is ready");
	node_prepare_create(doc, json_doc_root(doc));
	node_prepare_create(doc, json_doc_root(doc));
	ok(json_len(json_get(json_get(json_doc_root(doc), "spec"), "taints")) == 1,
	   "a new node has one taint more");
}

int main(void)
{
	test_update();
	test_many_keys();
	test_fill();
	test_node();
	return tap_done();
}
