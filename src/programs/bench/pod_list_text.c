/* SPDX-License-Identifier: Apache-2.0 */
/* programs/bench/pod_list_text.c - pods that differ where pods of one job differ. */
#include "programs/bench/pod_list_text.h"

#include "base/banned.h"

static void put_metadata(struct buf *to, size_t i)
{
	size_t job = i / 100;

	buf_printf(to,
		   "{\"metadata\":{\"name\":\"job-%zu-worker-%zu\",\"namespace\":\"team-%zu\","
		   "\"uid\":\"0b7a1f6c-5b7e-4a6f-9c1a-%012zu\",\"resourceVersion\":\"%zu\","
		   "\"creationTimestamp\":\"2026-01-02T03:04:05Z\",\"labels\":{"
		   "\"volcano.sh/job-name\":\"job-%zu\",\"volcano.sh/job-namespace\":\"team-%zu\","
		   "\"volcano.sh/queue-name\":\"research\",\"volcano.sh/task-index\":\"%zu\","
		   "\"volcano.sh/task-spec\":\"worker\"},",
		   job, i % 100, job % 7, i, 1000 + i * 3, job, job % 7, i % 100);
	buf_printf(to,
		   "\"annotations\":{\"scheduling.k8s.io/group-name\":\"job-%zu\","
		   "\"volcano.sh/job-name\":\"job-%zu\",\"volcano.sh/job-version\":\"0\","
		   "\"volcano.sh/queue-name\":\"research\",\"volcano.sh/task-spec\":\"worker\","
		   "\"volcano.sh/template-uid\":\"job-%zu-worker\"},\"ownerReferences\":[{"
		   "\"apiVersion\":\"batch.volcano.sh/v1alpha1\",\"kind\":\"Job\","
		   "\"name\":\"job-%zu\",\"uid\":\"aaaa1f6c-5b7e-4a6f-9c1a-%012zu\","
		   "\"controller\":true,\"blockOwnerDeletion\":true}],",
		   job, job, job, job, job);
}

static void put_managed_fields(struct buf *to)
{
	buf_puts(to,
		 "\"managedFields\":[{\"manager\":\"vc-controller-manager\",\"operation\":"
		 "\"Update\",\"apiVersion\":\"v1\",\"time\":\"2026-01-02T03:04:05Z\","
		 "\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:metadata\":{\"f:annotations\":{"
		 "\".\":{},\"f:scheduling.k8s.io/group-name\":{},\"f:volcano.sh/job-version\":{},"
		 "\"f:volcano.sh/task-spec\":{}},\"f:labels\":{\".\":{},\"f:volcano.sh/job-name\":"
		 "{},\"f:volcano.sh/queue-name\":{}},\"f:ownerReferences\":{\".\":{},"
		 "\"k:{\\\"uid\\\":\\\"aaaa1f6c\\\"}\":{}}},\"f:spec\":{\"f:containers\":{"
		 "\"k:{\\\"name\\\":\\\"main\\\"}\":{\".\":{},\"f:command\":{},\"f:image\":{},"
		 "\"f:imagePullPolicy\":{},\"f:name\":{},\"f:resources\":{\".\":{},\"f:limits\":{"
		 "\".\":{},\"f:cpu\":{},\"f:memory\":{}},\"f:requests\":{\".\":{},\"f:cpu\":{},"
		 "\"f:memory\":{}}},\"f:terminationMessagePath\":{},"
		 "\"f:terminationMessagePolicy\":{}}},\"f:dnsPolicy\":{},"
		 "\"f:enableServiceLinks\":{},\"f:restartPolicy\":{},\"f:schedulerName\":{},"
		 "\"f:securityContext\":{},\"f:terminationGracePeriodSeconds\":{}}}},");
	buf_puts(to,
		 "{\"manager\":\"kubelet\",\"operation\":\"Update\",\"apiVersion\":\"v1\","
		 "\"time\":\"2026-01-02T03:05:06Z\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{"
		 "\"f:status\":{\"f:conditions\":{\"k:{\\\"type\\\":\\\"Ready\\\"}\":{\".\":{},"
		 "\"f:lastProbeTime\":{},\"f:lastTransitionTime\":{},\"f:status\":{},\"f:type\":"
		 "{}}},\"f:containerStatuses\":{},\"f:hostIP\":{},\"f:phase\":{},\"f:podIP\":{},"
		 "\"f:podIPs\":{\".\":{},\"k:{\\\"ip\\\":\\\"10.1.0.1\\\"}\":{\".\":{},\"f:ip\":"
		 "{}}},\"f:startTime\":{}}},\"subresource\":\"status\"}]},");
}

static void put_spec(struct buf *to, size_t i)
{
	buf_puts(to,
		 "\"spec\":{\"volumes\":[{\"name\":\"kube-api-access\",\"projected\":{\"sources\":"
		 "[{\"serviceAccountToken\":{\"expirationSeconds\":3607,\"path\":\"token\"}},{"
		 "\"configMap\":{\"name\":\"kube-root-ca.crt\",\"items\":[{\"key\":\"ca.crt\","
		 "\"path\":\"ca.crt\"}]}}],\"defaultMode\":420}}],\"containers\":[{\"name\":"
		 "\"main\","
		 "\"image\":\"registry.example.com/team/trainer:1.2.3\",\"command\":[\"python\","
		 "\"train.py\",\"--epochs\",\"10\"],\"env\":[{\"name\":\"VC_TASK_INDEX\",\"value\":"
		 "\"1\"},{\"name\":\"WORLD_SIZE\",\"value\":\"8\"}],\"ports\":[{\"containerPort\":"
		 "2222,\"protocol\":\"TCP\"}],\"resources\":{\"limits\":{\"cpu\":\"4\",\"memory\":"
		 "\"8Gi\",\"nvidia.com/gpu\":\"1\"},\"requests\":{\"cpu\":\"4\",\"memory\":\"8Gi\","
		 "\"nvidia.com/gpu\":\"1\"}},\"volumeMounts\":[{\"name\":\"kube-api-access\","
		 "\"readOnly\":true,\"mountPath\":\"/var/run/secrets/kubernetes.io/"
		 "serviceaccount\"}],\"terminationMessagePath\":\"/dev/termination-log\","
		 "\"terminationMessagePolicy\":\"File\",\"imagePullPolicy\":\"IfNotPresent\"}],");
	buf_printf(
		to,
		"\"restartPolicy\":\"OnFailure\",\"terminationGracePeriodSeconds\":30,"
		"\"dnsPolicy\":\"ClusterFirst\",\"serviceAccountName\":\"default\","
		"\"serviceAccount\":\"default\",\"nodeName\":\"node-%zu\",\"securityContext\":{},"
		"\"schedulerName\":\"volcano\",\"tolerations\":[{\"key\":"
		"\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\",\"effect\":"
		"\"NoExecute\",\"tolerationSeconds\":300},{\"key\":"
		"\"node.kubernetes.io/unreachable\",\"operator\":\"Exists\",\"effect\":"
		"\"NoExecute\",\"tolerationSeconds\":300}],\"priority\":0,"
		"\"enableServiceLinks\":true,\"preemptionPolicy\":\"PreemptLowerPriority\"},",
		i % 997);
}

static void put_status(struct buf *to, size_t i)
{
	buf_puts(to, "\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Initialized\","
		     "\"status\":\"True\",\"lastProbeTime\":null,\"lastTransitionTime\":"
		     "\"2026-01-02T03:04:05Z\"},{\"type\":\"Ready\",\"status\":\"True\","
		     "\"lastProbeTime\":null,\"lastTransitionTime\":\"2026-01-02T03:04:05Z\"},{"
		     "\"type\":\"PodScheduled\",\"status\":\"True\",\"lastProbeTime\":null,"
		     "\"lastTransitionTime\":\"2026-01-02T03:04:05Z\"}],");
	buf_printf(to,
		   "\"hostIP\":\"10.0.%zu.%zu\",\"podIP\":\"10.1.%zu.%zu\",\"podIPs\":[{\"ip\":"
		   "\"10.1.%zu.%zu\"}],\"startTime\":\"2026-01-02T03:04:05Z\",",
		   i % 997 / 256, i % 256, i / 256 % 256, i % 256, i / 256 % 256, i % 256);
	buf_puts(to, "\"containerStatuses\":[{\"name\":\"main\",\"state\":{\"running\":{"
		     "\"startedAt\":\"2026-01-02T03:04:05Z\"}},\"lastState\":{},\"ready\":true,"
		     "\"restartCount\":0,\"image\":\"registry.example.com/team/trainer:1.2.3\","
		     "\"imageID\":\"sha256:0123456789abcdef0123456789abcdef0123456789abcdef"
		     "0123456789abcdef\",\"containerID\":\"containerd://0123456789abcdef\","
		     "\"started\":true}],\"qosClass\":\"Guaranteed\"}}");
}

void pod_list_print(size_t count, struct buf *to)
{
	buf_puts(to, "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{"
		     "\"resourceVersion\":\"123456\"},\"items\":[");
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			buf_putc(to, ',');
		put_metadata(to, i);
		put_managed_fields(to);
		put_spec(to, i);
		put_status(to, i);
	}
	buf_puts(to, "]}");
}
