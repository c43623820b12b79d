/* SPDX-License-Identifier: Apache-2.0 */
/* What `kubectl get` shows of the built-in kinds: an object in, its cells out. It is noon, the first
 * of January 2026. */
#include "apiserver/kind/columns.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/doc.h"
#include "tap.h"

#define NOON INT64_C(1767268800000000)
/* An hour ago. */
#define META "\"metadata\":{\"name\":\"x\",\"creationTimestamp\":\"2026-01-01T11:00:00Z\"}"
#define TEMPLATE                                                                              \
	"{\"metadata\":{\"labels\":{\"l\":\"1\"}},\"spec\":{\"containers\":[{\"name\":\"a\"," \
	"\"image\":\"i:1\"},{\"name\":\"b\",\"image\":\"j\"}]}}"
#define SELECTOR                                                                           \
	"{\"matchLabels\":{\"b\":\"2\",\"a\":\"1\"},\"matchExpressions\":[{\"key\":\"c\"," \
	"\"operator\":"                                                                    \
	"\"In\",\"values\":[\"y\",\"x\"]}]}"

static const struct {
	const struct kind_column *columns;
	const char *object;
	const char *want;
} rows[] = {
	{columns_configmap,
	 "{" META ",\"data\":{\"a\":\"\",\"b\":\"\"},\"binaryData\":{\"c\":\"\"}}",
	 "[\"x\",3,\"60m\"]"},
	{columns_secret, "{" META ",\"type\":\"Opaque\",\"data\":{\"a\":\"\"}}",
	 "[\"x\",\"Opaque\",1,\"60m\"]"},
	{columns_serviceaccount, "{" META "}", "[\"x\",0,\"60m\"]"},
	{columns_namespace, "{" META ",\"status\":{\"phase\":\"Active\"}}",
	 "[\"x\",\"Active\",\"60m\"]"},
	{columns_namespace, "{\"metadata\":{\"name\":\"x\"}}", "[\"x\",\"\",\"<unknown>\"]"},
	/* endpoints and services */
	{columns_endpoints, "{" META "}", "[\"x\",\"<none>\",\"60m\"]"},
	{columns_endpoints,
	 "{" META ",\"subsets\":[{\"addresses\":[{\"ip\":\"10.0.0.1\"},{\"ip\":\"fd00::1\"}],"
	 "\"ports\":[{\"port\":80},{\"port\":81}]},{\"addresses\":[{\"ip\":\"10.0.0.2\"}]}]}",
	 "[\"x\",\"10.0.0.1:80,[fd00::1]:80,10.0.0.1:81 + 2 more...\",\"60m\"]"},
	{columns_service,
	 "{" META
	 ",\"spec\":{\"type\":\"NodePort\",\"clusterIPs\":[\"10.1.1.1\"],\"ports\":[{\"port\":80,"
	 "\"nodePort\":30001,\"protocol\":\"TCP\"},{\"port\":53,\"protocol\":\"UDP\"}],"
	 "\"selector\":{"
	 "\"b\":\"2\",\"a\":\"1\"},\"externalIPs\":[\"1.2.3.4\"]}}",
	 "[\"x\",\"NodePort\",\"10.1.1.1\",\"1.2.3.4\",\"80:30001/TCP,53/"
	 "UDP\",\"60m\",\"a=1,b=2\"]"},
	{columns_service,
	 "{" META
	 ",\"spec\":{\"type\":\"LoadBalancer\"},\"status\":{\"loadBalancer\":{\"ingress\":[{"
	 "\"hostname\":\"b.org\"},{\"ip\":\"1.1.1.1\"},{\"ip\":\"1.1.1.1\"}]}}}",
	 "[\"x\",\"LoadBalancer\",\"<none>\",\"1.1.1.1,b.org\",\"<none>\",\"60m\",\"<none>\"]"},
	{columns_service, "{" META ",\"spec\":{\"type\":\"LoadBalancer\"}}",
	 "[\"x\",\"LoadBalancer\",\"<none>\",\"<pending>\",\"<none>\",\"60m\",\"<none>\"]"},
	{columns_service,
	 "{" META ",\"spec\":{\"type\":\"ExternalName\",\"externalName\":\"a.b\"}}",
	 "[\"x\",\"ExternalName\",\"<none>\",\"a.b\",\"<none>\",\"60m\",\"<none>\"]"},
	/* nodes */
	{columns_node, "{" META "}",
	 "[\"x\",\"Unknown\",\"<none>\",\"60m\",\"\",\"<none>\",\"<none>\",\"<unknown>\",\"<"
	 "unknown>"
	 "\",\"<unknown>\"]"},
	{columns_node,
	 "{\"metadata\":{\"name\":\"x\",\"labels\":{\"node-role.kubernetes.io/worker\":\"\","
	 "\"kubernetes.io/role\":\"gpu\"}},\"spec\":{\"unschedulable\":true},\"status\":{"
	 "\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\"}],\"addresses\":[{\"type\":"
	 "\"InternalIP\",\"address\":\"10.0.0.1\"}],\"nodeInfo\":{\"kubeletVersion\":\"v1\","
	 "\"osImage\":\"o\"}}}",
	 "[\"x\",\"NotReady,SchedulingDisabled\",\"gpu,worker\",\"<unknown>\",\"v1\",\"10.0.0.1\","
	 "\"<none>\",\"o\",\"<unknown>\",\"<unknown>\"]"},
	/* volumes */
	{columns_pv,
	 "{" META
	 ",\"spec\":{\"capacity\":{\"storage\":\"5Gi\"},\"accessModes\":[\"ReadWriteMany\","
	 "\"ReadWriteOnce\"],\"claimRef\":{\"namespace\":\"n\",\"name\":\"c\"}},\"status\":{"
	 "\"phase\":\"Bound\"}}",
	 "[\"x\",\"5Gi\",\"RWO,RWX\",\"\",\"Bound\",\"n/c\",\"\",\"<unset>\",\"\",\"60m\","
	 "\"<unset>\"]"},
	{columns_pvc,
	 "{\"metadata\":{\"name\":\"x\",\"deletionTimestamp\":\"2026-01-01T11:00:00Z\"},\"spec\":{"
	 "\"volumeName\":\"v\",\"storageClassName\":\"s\"},\"status\":{\"phase\":\"Bound\","
	 "\"capacity\":{\"storage\":\"1Gi\"},\"accessModes\":[\"ReadWriteOncePod\"]}}",
	 "[\"x\",\"Terminating\",\"v\",\"1Gi\",\"RWOP\",\"s\",\"<unset>\",\"<unknown>\",\"<unset>"
	 "\"]"},
	{columns_pvc,
	 "{" META ",\"status\":{\"phase\":\"Pending\",\"capacity\":{\"storage\":\"1\"}}}",
	 "[\"x\",\"Pending\",\"\",\"\",\"\",\"\",\"<unset>\",\"60m\",\"<unset>\"]"},
	{columns_quota,
	 "{" META ",\"status\":{\"hard\":{\"pods\":\"4\",\"limits.cpu\":\"2\",\"cpu\":\"1\"},"
	 "\"used\":{\"pods\":\"1\"}}}",
	 "[\"x\",\"cpu: 0/1, pods: 1/4\",\"limits.cpu: 0/2\",\"60m\"]"},
	/* events */
	{columns_event,
	 "{" META ",\"type\":\"Normal\",\"reason\":\"R\",\"involvedObject\":{\"kind\":\"Pod\","
	 "\"name\":\"p\"},\"eventTime\":\"2026-01-01T11:59:00.000000Z\",\"reportingComponent\":"
	 "\"c\",\"reportingInstance\":\"i\",\"message\":\" m\\n\"}",
	 "[\"60s\",\"Normal\",\"R\",\"pod/p\",\"\",\"c, i\",\"m\",\"60s\",1,\"x\"]"},
	{columns_event,
	 "{" META ",\"involvedObject\":{\"kind\":\"Node\"},\"series\":{\"count\":7,"
	 "\"lastObservedTime\":\"2026-01-01T11:59:30.000000Z\"},\"firstTimestamp\":"
	 "\"2026-01-01T09:00:00Z\",\"count\":2,\"source\":{\"component\":\"k\"}}",
	 "[\"30s\",\"\",\"\",\"node\",\"\",\"k\",\"\",\"3h\",7,\"x\"]"},
	{columns_event,
	 "{" META ",\"note\":\"m\",\"regarding\":{\"kind\":\"Pod\",\"name\":\"p\",\"fieldPath\":"
	 "\"f\"},\"deprecatedSource\":{\"component\":\"k\",\"host\":\"h\"},"
	 "\"deprecatedLastTimestamp\":\"2026-01-01T11:00:00Z\",\"deprecatedCount\":4}",
	 "[\"60m\",\"\",\"\",\"pod/p\",\"f\",\"k, h\",\"m\",\"<unknown>\",4,\"x\"]"},
	/* controllers */
	{columns_podtemplate, "{" META ",\"template\":" TEMPLATE "}",
	 "[\"x\",\"a,b\",\"i:1,j\",\"l=1\"]"},
	{columns_replicaset,
	 "{" META ",\"spec\":{\"replicas\":3,\"selector\":" SELECTOR ",\"template\":" TEMPLATE
	 "},\"status\":{\"replicas\":2,\"readyReplicas\":1}}",
	 "[\"x\",3,2,1,\"60m\",\"a,b\",\"i:1,j\",\"a=1,b=2,c in (x,y)\"]"},
	{columns_deployment,
	 "{" META ",\"spec\":{\"replicas\":3,\"selector\":" SELECTOR ",\"template\":" TEMPLATE
	 "},\"status\":{\"updatedReplicas\":2,\"readyReplicas\":1,\"availableReplicas\":1}}",
	 "[\"x\",\"1/3\",2,1,\"60m\",\"a,b\",\"i:1,j\",\"a=1,b=2,c in (x,y)\"]"},
	{columns_statefulset, "{" META ",\"spec\":{\"replicas\":1,\"template\":" TEMPLATE "}}",
	 "[\"x\",\"0/1\",\"60m\",\"a,b\",\"i:1,j\"]"},
	{columns_daemonset,
	 "{" META ",\"spec\":{\"template\":" TEMPLATE ",\"selector\":{}},\"status\":{"
	 "\"desiredNumberScheduled\":5,\"numberReady\":4}}",
	 "[\"x\",5,0,4,0,0,\"<none>\",\"60m\",\"a,b\",\"i:1,j\",\"<none>\"]"},
	{columns_controllerrevision,
	 "{\"metadata\":{\"name\":\"x\",\"ownerReferences\":[{\"kind\":\"StatefulSet\","
	 "\"apiVersion\":\"apps/v1\",\"name\":\"w\",\"controller\":true}]},\"revision\":4}",
	 "[\"x\",\"statefulset.apps/w\",4,\"<unknown>\"]"},
	{columns_job, "{" META ",\"spec\":{\"completions\":3,\"template\":" TEMPLATE "}}",
	 "[\"x\",\"Running\",\"0/3\",\"\",\"60m\",\"a,b\",\"i:1,j\",\"<none>\"]"},
	{columns_job,
	 "{" META ",\"spec\":{\"parallelism\":2,\"selector\":{\"matchLabels\":{\"a\":\"b\"}}},"
	 "\"status\":{\"succeeded\":1,\"startTime\":\"2026-01-01T11:00:00Z\",\"completionTime\":"
	 "\"2026-01-01T11:00:10Z\",\"conditions\":[{\"type\":\"Suspended\",\"status\":\"False\"},{"
	 "\"type\":\"Complete\",\"status\":\"True\"}]}}",
	 "[\"x\",\"Complete\",\"1/1 of 2\",\"10s\",\"60m\",\"\",\"\",\"a=b\"]"},
	{columns_cronjob,
	 "{" META
	 ",\"spec\":{\"schedule\":\"* * * * *\",\"suspend\":false,\"jobTemplate\":{\"spec\":{"
	 "\"template\":" TEMPLATE "}}},\"status\":{\"active\":[{}],\"lastScheduleTime\":"
	 "\"2026-01-01T11:59:00Z\"}}",
	 "[\"x\",\"* * * * "
	 "*\",\"<none>\",\"False\",1,\"60s\",\"60m\",\"a,b\",\"i:1,j\",\"<none>\"]"},
	{columns_autoscaler,
	 "{" META ",\"spec\":{\"scaleTargetRef\":{\"kind\":\"K\",\"name\":\"n\"},\"maxReplicas\":3,"
	 "\"metrics\":[{\"type\":\"External\",\"external\":{\"target\":{\"averageValue\":\"2\"}}},"
	 "{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"target\":"
	 "{\"averageUtilization\":80}}},{}]},\"status\":{\"currentMetrics\":[{\"external\":{"
	 "\"current\":{\"averageValue\":\"1\"}}}]}}",
	 "[\"x\",\"K/n\",\"1/2 (avg), cpu: <unknown>/80% + 1 more...\",\"<unset>\",3,0,\"60m\"]"},
	{columns_autoscaler,
	 "{\"apiVersion\":\"autoscaling/v1\"," META
	 ",\"spec\":{\"minReplicas\":2,\"targetCPUUtilizationPercentage\":7}}",
	 "[\"x\",\"/\",\"cpu: <unknown>/7%\",\"2\",0,0,\"60m\"]"},
	/* the cluster */
	{columns_certificate,
	 "{" META ",\"spec\":{\"signerName\":\"a.b/c\",\"username\":\"u\","
	 "\"expirationSeconds\":7200},\"status\":{\"certificate\":\"YQ==\",\"conditions\":["
	 "{\"type\":\"Approved\"},{\"type\":\"Failed\"}]}}",
	 "[\"x\",\"60m\",\"a.b/c\",\"u\",\"120m\",\"Approved,Failed,Issued\"]"},
	{columns_certificate, "{" META "}",
	 "[\"x\",\"60m\",\"<none>\",\"\",\"<none>\",\"Pending\"]"},
	{columns_webhooks, "{" META ",\"webhooks\":[{},{}]}", "[\"x\",2,\"60m\"]"},
	{columns_lease, "{" META ",\"spec\":{}}", "[\"x\",\"\",\"60m\"]"},
	{columns_runtimeclass, "{" META ",\"handler\":\"h\"}", "[\"x\",\"h\",\"60m\"]"},
	{columns_pdb,
	 "{" META ",\"spec\":{\"minAvailable\":2},\"status\":{\"disruptionsAllowed\":1}}",
	 "[\"x\",\"2\",\"N/A\",1,\"60m\"]"},
	{columns_priorityclass, "{" META ",\"value\":5}", "[\"x\",5,false,\"60m\",\"\"]"},
	{columns_binding,
	 "{" META
	 ",\"roleRef\":{\"kind\":\"Role\",\"name\":\"r\"},\"subjects\":[{\"kind\":\"User\","
	 "\"name\":\"u\"},{\"kind\":\"ServiceAccount\",\"namespace\":\"n\",\"name\":\"s\"},{"
	 "\"kind\":\"User\",\"name\":\"v\"}]}",
	 "[\"x\",\"Role/r\",\"60m\",\"u, v\",\"\",\"n/s\"]"},
	/* networks */
	{columns_endpointslice,
	 "{" META ",\"addressType\":\"IPv4\",\"ports\":[{\"port\":80},{\"name\":\"p\"},{}],"
	 "\"endpoints\":[{\"addresses\":[\"1\",\"2\"]},{\"addresses\":[\"3\",\"4\"]}]}",
	 "[\"x\",\"IPv4\",\"80,p,*\",\"1,2,3 + 1 more...\",\"60m\"]"},
	{columns_endpointslice, "{" META "}", "[\"x\",\"\",\"<unset>\",\"<unset>\",\"60m\"]"},
	{columns_ingress,
	 "{" META ",\"spec\":{\"tls\":[{}],\"rules\":[{\"host\":\"a\"},{},{\"host\":\"b\"}]}}",
	 "[\"x\",\"<none>\",\"a,b\",\"\",\"80, 443\",\"60m\"]"},
	{columns_ingressclass,
	 "{" META
	 ",\"spec\":{\"controller\":\"c\",\"parameters\":{\"kind\":\"K\",\"apiGroup\":\"g\","
	 "\"name\":\"n\"}}}",
	 "[\"x\",\"c\",\"K.g/n\",\"60m\"]"},
	{columns_networkpolicy, "{" META ",\"spec\":{\"podSelector\":{}}}",
	 "[\"x\",\"<none>\",\"60m\"]"},
	/* storage */
	{columns_csidriver, "{" META ",\"spec\":{\"volumeLifecycleModes\":[\"a\",\"b\"]}}",
	 "[\"x\",true,false,false,\"<unset>\",false,\"a,b\",\"60m\"]"},
	{columns_csistoragecapacity, "{" META ",\"storageClassName\":\"s\",\"capacity\":\"1Gi\"}",
	 "[\"x\",\"s\",\"1Gi\"]"},
	{columns_csistoragecapacity, "{" META ",\"storageClassName\":\"s\"}",
	 "[\"x\",\"s\",\"<unset>\"]"},
	{columns_csinode, "{" META ",\"spec\":{\"drivers\":[{}]}}", "[\"x\",1,\"60m\"]"},
	{columns_storageclass,
	 "{\"metadata\":{\"name\":\"x\",\"annotations\":{"
	 "\"storageclass.kubernetes.io/is-default-class\":\"true\"}},\"provisioner\":\"p\"}",
	 "[\"x (default)\",\"p\",\"Delete\",\"Immediate\",false,\"<unknown>\"]"},
	{columns_volumeattachment,
	 "{" META ",\"spec\":{\"attacher\":\"a\",\"source\":{\"persistentVolumeName\":\"v\"},"
	 "\"nodeName\":\"n\"},\"status\":{\"attached\":true}}",
	 "[\"x\",\"a\",\"v\",\"n\",true,\"60m\"]"},
};

/* Pods: the spec in addition to two containers, the status, then READY, STATUS and RESTARTS. */
#define RUNNING "\"ready\":true,\"state\":{\"running\":{}}"
static const struct {
	const char *spec;
	const char *status;
	const char *want;
} pods[] = {
	{"", "\"phase\":\"Pending\"", "0/2 Pending 0"},
	{"", "\"phase\":\"Failed\",\"reason\":\"Evicted\"", "0/2 Evicted 0"},
	{"",
	 "\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\","
	 "\"reason\":\"SchedulingGated\"}]",
	 "0/2 SchedulingGated 0"},
	{"",
	 "\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"a\",\"restartCount\":2,"
	 "\"lastState\":{\"terminated\":{\"finishedAt\":\"2026-01-01T11:55:00Z\"}}," RUNNING
	 "},{\"name\":\"b\"," RUNNING "}]",
	 "2/2 Running 2 (5m ago)"},
	{"",
	 "\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"a\",\"state\":{\"waiting\":{"
	 "\"reason\":\"CrashLoopBackOff\"}},\"restartCount\":1},{\"name\":\"b\"," RUNNING "}]",
	 "1/2 CrashLoopBackOff 1"},
	{"",
	 "\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"a\",\"state\":{\"terminated\":{"
	 "\"exitCode\":137,\"signal\":9}}},{\"name\":\"b\",\"state\":{\"terminated\":{\"exitCode\":"
	 "2}}}]",
	 "0/2 Signal:9 0"},
	{"",
	 "\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"a\",\"state\":{\"terminated\":{"
	 "\"reason\":\"Completed\"}}},{\"name\":\"b\"," RUNNING "}]",
	 "1/2 NotReady 0"},
	{"",
	 "\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}],"
	 "\"containerStatuses\":[{\"name\":\"a\",\"state\":{\"terminated\":{\"reason\":"
	 "\"Completed\"}}},{\"name\":\"b\"," RUNNING "}]",
	 "1/2 Running 0"},
	{",\"initContainers\":[{\"name\":\"i\"},{\"name\":\"j\"}]",
	 "\"phase\":\"Pending\",\"initContainerStatuses\":[{\"name\":\"i\",\"restartCount\":3,"
	 "\"state\":"
	 "{\"terminated\":{\"exitCode\":0}}},{\"name\":\"j\",\"state\":{\"running\":{}}}]",
	 "0/2 Init:1/2 3"},
	{",\"initContainers\":[{\"name\":\"i\"}]",
	 "\"phase\":\"Pending\",\"initContainerStatuses\":[{\"name\":\"i\",\"state\":{"
	 "\"terminated\":{"
	 "\"exitCode\":1}}}]",
	 "0/2 Init:ExitCode:1 0"},
	{",\"initContainers\":[{\"name\":\"i\"}]",
	 "\"phase\":\"Pending\",\"initContainerStatuses\":[{\"name\":\"i\",\"state\":{\"waiting\":{"
	 "\"reason\":\"ErrImagePull\"}}}]",
	 "0/2 Init:ErrImagePull 0"},
	{",\"initContainers\":[{\"name\":\"i\",\"restartPolicy\":\"Always\"}]",
	 "\"phase\":\"Running\",\"initContainerStatuses\":[{\"name\":\"i\",\"started\":true,"
	 "\"ready\":"
	 "true,\"restartCount\":4}],\"containerStatuses\":[{\"name\":\"a\"," RUNNING "}]",
	 "2/3 Running 4"},
};

static struct json_doc *make_cells(const struct kind_column *columns, struct json object)
{
	struct json_doc *doc = json_doc_new();
	struct json cells = json_new_arr(doc);

	json_doc_set_root(doc, cells);

	for (; columns->name; columns++)
		json_append(doc, cells, columns->cell(columns, object, doc, NOON));
	return doc;
}

static void test_pod(const char *spec, const char *status, const char *deleted, const char *want)
{
	AUTO(buf_done) struct buf text = BUF_UNBOUNDED;
	AUTO(buf_done) struct buf got = BUF_UNBOUNDED;
	AUTO(json_doc_unref) struct json_doc *pod = NULL;
	AUTO(json_doc_unref) struct json_doc *doc = json_doc_new();
	struct err err;

	buf_printf(&text,
		   "{\"metadata\":{\"name\":\"p\"%s},\"spec\":{\"containers\":[{\"name\":\"a\"},{"
		   "\"name\":\"b\"}]%s},\"status\":{%s}}",
		   deleted, spec, status);
	pod = json_parse(buf_str(&text), NULL, &err);
	for (size_t i = 1; i <= 3; i++)
		buf_printf(&got, "%s%.*s", i > 1 ? " " : "",
			   STR_ARG(json_str(columns_pod[i].cell(&columns_pod[i], json_doc_root(pod),
								doc, NOON))));
	is(buf_text(&got), want);
}

int main(void)
{
	static const char removed[] = ",\"deletionTimestamp\":\"2026-01-01T11:00:00Z\"";

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err;
		AUTO(json_doc_unref)
		struct json_doc *doc = json_parse(str_from(rows[i].object), NULL, &err);
		AUTO(json_doc_unref)
		struct json_doc *want = json_parse(str_from(rows[i].want), NULL, &err);
		AUTO(json_doc_unref)
		struct json_doc *got = make_cells(rows[i].columns, json_doc_root(doc));
		AUTO(mem_free) char *text = json_text(json_doc_root(got), JSON_COMPACT);

		if (!ok(json_eq(json_doc_root(got), json_doc_root(want)), "%s", rows[i].want))
			printf("#   %s\n", text);
	}
	for (size_t i = 0; i < ARRAY_LEN(pods); i++)
		test_pod(pods[i].spec, pods[i].status, "", pods[i].want);
	test_pod("", "\"phase\":\"Running\"", removed, "0/2 Terminating 0");
	test_pod("", "\"phase\":\"Succeeded\"", removed, "0/2 Succeeded 0");
	test_pod("", "\"phase\":\"Running\",\"reason\":\"NodeLost\"", removed, "0/2 Unknown 0");
	return tap_done();
}
