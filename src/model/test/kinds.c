/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the built-in kinds are sound, and documents take the form that Go gives them. */
#include <stdio.h>

#include "base/arena.h"
#include "base/mem.h"
#include "json/doc.h"
#include "model/core/binding.h"
#include "model/core/componentstatus.h"
#include "model/core/configmap.h"
#include "model/core/event.h"
#include "model/core/limitrange.h"
#include "model/core/namespace.h"
#include "model/core/node.h"
#include "model/core/persistentvolume.h"
#include "model/core/pvc.h"
#include "model/core/quota.h"
#include "model/core/scale.h"
#include "model/core/secret.h"
#include "model/core/service.h"
#include "model/core/serviceaccount.h"
#include "model/core/status.h"
#include "model/group/autoscaling.h"
#include "model/group/certificates.h"
#include "model/group/customresourcedefinition.h"
#include "model/group/disruption.h"
#include "model/group/endpoints.h"
#include "model/group/ingress.h"
#include "model/group/lease.h"
#include "model/group/networkpolicy.h"
#include "model/group/priorityclass.h"
#include "model/group/rbac.h"
#include "model/group/review.h"
#include "model/group/runtimeclass.h"
#include "model/group/storage.h"
#include "model/group/webhookconfig.h"
#include "model/workload/batchjob.h"
#include "model/workload/controllerrevision.h"
#include "model/workload/workload.h"
#include "tap.h"

#include "base/banned.h"

static const struct type *const kinds[] = {
	&batch_job_type,
	&batch_cron_job_type,
	&deployment_type,
	&replicaset_type,
	&statefulset_type,
	&daemonset_type,
	&replicationcontroller_type,
	&binding_type,
	&pvc_type,
	&componentstatus_type,
	&configmap_type,
	&controllerrevision_type,
	&crd_type,
	&autoscaler_type,
	&autoscaler_v1_type,
	&certificate_request_type,
	&pdb_type,
	&eviction_type,
	&endpoints_type,
	&endpoint_slice_type,
	&event_type,
	&events_event_type,
	&ingress_type,
	&ingressclass_type,
	&lease_type,
	&limitrange_type,
	&namespace_type,
	&networkpolicy_type,
	&node_type,
	&pv_type,
	&priorityclass_type,
	&quota_type,
	&role_type,
	&clusterrole_type,
	&rolebinding_type,
	&clusterrolebinding_type,
	&token_review_type,
	&self_subject_review_type,
	&token_request_type,
	&subject_access_review_type,
	&self_subject_access_review_type,
	&local_subject_access_review_type,
	&self_subject_rules_review_type,
	&runtimeclass_type,
	&scale_type,
	&secret_type,
	&service_type,
	&serviceaccount_type,
	&api_status_type,
	&delete_options_type,
	&storageclass_type,
	&csinode_type,
	&csidriver_type,
	&volumeattachment_type,
	&csistoragecapacity_type,
	&validating_webhook_configuration_type,
	&mutating_webhook_configuration_type,
};

static void test_tables(void)
{
	AUTO(arena_free) struct arena *arena = arena_new(0);

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		is(type_check(kinds[i], arena), NULL);
}

#define PREFIX "\"autoscaling.alpha.kubernetes.io/"

/* What comes in, and what Go would print of it. */
static const struct {
	const struct type *type;
	const char *in, *out;
} forms[] = {
	{&configmap_type, "{\"data\":{},\"metadata\":{\"name\":\"a\",\"labels\":{},\"uid\":\"\"}}",
	 "{\"metadata\":{\"name\":\"a\"}}"},
	{&configmap_type, "{\"data\":{\"a\":\"\"},\"immutable\":false}",
	 "{\"metadata\":{},\"data\":{\"a\":\"\"},\"immutable\":false}"},
	{&lease_type, "{\"spec\":{\"holderIdentity\":\"\",\"renewTime\":null}}",
	 "{\"metadata\":{},\"spec\":{\"holderIdentity\":\"\"}}"},
	{&node_type, "{\"spec\":{\"unschedulable\":false,\"podCIDR\":\"\",\"taints\":[]}}",
	 "{\"metadata\":{},\"spec\":{},\"status\":{\"daemonEndpoints\":{\"kubeletEndpoint\":{"
	 "\"Port\":0}},"
	 "\"nodeInfo\":{\"machineID\":\"\",\"systemUUID\":\"\",\"bootID\":\"\",\"kernelVersion\":"
	 "\"\","
	 "\"osImage\":\"\",\"containerRuntimeVersion\":\"\",\"kubeletVersion\":\"\","
	 "\"kubeProxyVersion\":\"\",\"operatingSystem\":\"\",\"architecture\":\"\"}}}"},
	{&role_type, "{}", "{\"metadata\":{},\"rules\":null}"},
	{&role_type, "{\"rules\":[]}", "{\"metadata\":{},\"rules\":null}"},
	/* amounts are kept in thousandths, but for what a runtime takes */
	{&quota_type, "{\"spec\":{\"hard\":{\"cpu\":\"1n\",\"memory\":1.5}}}",
	 "{\"metadata\":{},\"spec\":{\"hard\":{\"cpu\":\"1m\",\"memory\":1.5}},\"status\":{}}"},
	{&runtimeclass_type, "{\"overhead\":{\"podFixed\":{\"cpu\":\"1u\"}}}",
	 "{\"metadata\":{},\"handler\":\"\",\"overhead\":{\"podFixed\":{\"cpu\":\"1u\"}}}"},
	{&autoscaler_v1_type,
	 "{\"metadata\":{\"annotations\":{" PREFIX "metrics\":\"[{\\\"type\\\":"
	 "\\\"Pods\\\",\\\"pods\\\":{\\\"targetAverageValue\\\":5}}]\"}}}",
	 "{\"apiVersion\":\"autoscaling/v1\",\"metadata\":{\"annotations\":{" PREFIX
	 "metrics\":\"[{\\\"type\\\":\\\"Pods\\\",\\\"pods\\\":{\\\"metricName\\\":\\\"\\\","
	 "\\\"targetAverageValue\\\":5}}]\"}},\"spec\":{\"scaleTargetRef\":{\"kind\":\"\",\"name\":"
	 "\"\"},\"minReplicas\":1,\"maxReplicas\":0},\"status\":{\"currentReplicas\":0,"
	 "\"desiredReplicas\":0}}"},
	/* what cannot be read is dropped */
	{&autoscaler_v1_type,
	 "{\"metadata\":{\"annotations\":{" PREFIX "metrics\":\"[{\\\"type\\\":"
	 "\\\"Pods\\\",\\\"pods\\\":{\\\"selector\\\":5}}]\"," PREFIX "behavior\":\"7\"," PREFIX
	 "conditions\":\"[5]\"}},\"spec\":{}}",
	 "{\"apiVersion\":\"autoscaling/"
	 "v1\",\"metadata\":{},\"spec\":{\"scaleTargetRef\":{\"kind\":"
	 "\"\",\"name\":\"\"},\"minReplicas\":1,\"maxReplicas\":0,"
	 "\"targetCPUUtilizationPercentage\":80},\"status\":{\"currentReplicas\":0,"
	 "\"desiredReplicas\":0}}"},
};

static void test_forms(void)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		AUTO(json_doc_unref)
		struct json_doc *in = json_parse(str_from(forms[i].in), NULL, NULL);
		AUTO(json_doc_unref)
		struct json_doc *out = json_parse(str_from(forms[i].out), NULL, NULL);
		AUTO(json_doc_unref) struct json_doc *doc = json_doc_thaw(json_doc_root(in));

		type_default(forms[i].type, doc, json_doc_root(doc));
		AUTO(mem_free) char *got = json_text(json_doc_root(doc), JSON_CANONICAL);
		AUTO(mem_free) char *want = json_text(json_doc_root(out), JSON_CANONICAL);

		is(got, want);
	}
}

int main(void)
{
	test_tables();
	test_forms();
	return tap_done();
}
