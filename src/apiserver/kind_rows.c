/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind_rows.c - the built-in kinds, a row each. */
#include "apiserver/kind_rows.h"

#include "apiserver/content.h"
#include "apiserver/kind.h"
#include "model/binding.h"
#include "model/configmap.h"
#include "model/disruption.h"
#include "model/endpoints.h"
#include "model/event.h"
#include "model/lease.h"
#include "model/limitrange.h"
#include "model/namespace.h"
#include "model/node.h"
#include "model/persistentvolume.h"
#include "model/pod.h"
#include "model/priorityclass.h"
#include "model/pvc.h"
#include "model/quota.h"
#include "model/rbac.h"
#include "model/secret.h"
#include "model/service.h"
#include "model/serviceaccount.h"
#include "model/storage.h"
#include "model/workload.h"

#include "base/banned.h"

#define NAMES(...)                \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

/* What most rows have in common. */
#define ROW(group_name, version_name, plural_name, singular_name, kind_name, table)               \
	.group = STR_INIT(group_name), .version = STR_INIT(version_name),                         \
	.plural = STR_INIT(plural_name), .singular = STR_INIT(singular_name),                     \
	.name = STR_INIT(kind_name), .list_name = STR_INIT(kind_name "List"), .verbs = VERBS_ALL, \
	.content = &content_typed, .type = &(table)
#define CORE(plural_name, singular_name, kind_name, table) \
	ROW("", "v1", plural_name, singular_name, kind_name, table)

static const struct kind_sub status_sub[] = {{.name = "status", .verbs = VERBS_STATUS},
					     {.name = NULL}};

static const struct kind rows[] = {
	{CORE("configmaps", "configmap", "ConfigMap", configmap_type), .namespaced = true,
	 .short_names = NAMES("cm")},
	{CORE("endpoints", "endpoints", "Endpoints", endpoints_type), .namespaced = true,
	 .create_on_update = true, .short_names = NAMES("ep")},
	{CORE("events", "event", "Event", event_type), .namespaced = true, .create_on_update = true,
	 .short_names = NAMES("ev"),
	 .selectable =
		 NAMES("involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
		       "involvedObject.uid", "involvedObject.apiVersion",
		       "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
		       "reportingComponent", "source", "type")},
	{CORE("limitranges", "limitrange", "LimitRange", limitrange_type), .namespaced = true,
	 .short_names = NAMES("limits")},
	{CORE("namespaces", "namespace", "Namespace", namespace_type), .status = true,
	 .name_format = NAME_DNS_LABEL, .short_names = NAMES("ns"), .subs = status_sub,
	 .selectable = NAMES("status.phase")},
	{CORE("nodes", "node", "Node", node_type), .status = true, .short_names = NAMES("no"),
	 .subs = status_sub, .selectable = NAMES("spec.unschedulable")},
	{CORE("persistentvolumeclaims", "persistentvolumeclaim", "PersistentVolumeClaim", pvc_type),
	 .namespaced = true, .status = true, .short_names = NAMES("pvc"), .subs = status_sub},
	{CORE("persistentvolumes", "persistentvolume", "PersistentVolume", pv_type), .status = true,
	 .short_names = NAMES("pv"), .subs = status_sub},
	{CORE("pods", "pod", "Pod", pod_type), .namespaced = true, .status = true,
	 .generation = true, .short_names = NAMES("po"), .categories = NAMES("all"),
	 .subs = status_sub,
	 .selectable = NAMES("spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
			     "spec.serviceAccountName", "spec.hostNetwork", "status.phase",
			     "status.podIP", "status.nominatedNodeName")},
	{CORE("podtemplates", "podtemplate", "PodTemplate", pod_template_type), .namespaced = true,
	 .generation = true},
	{CORE("resourcequotas", "resourcequota", "ResourceQuota", quota_type), .namespaced = true,
	 .status = true, .short_names = NAMES("quota"), .subs = status_sub},
	{CORE("secrets", "secret", "Secret", secret_type), .namespaced = true,
	 .selectable = NAMES("type")},
	{CORE("serviceaccounts", "serviceaccount", "ServiceAccount", serviceaccount_type),
	 .namespaced = true, .short_names = NAMES("sa")},
	{CORE("services", "service", "Service", service_type), .namespaced = true, .status = true,
	 .create_on_update = true, .name_format = NAME_DNS1035_LABEL, .short_names = NAMES("svc"),
	 .categories = NAMES("all"), .subs = status_sub,
	 .selectable = NAMES("spec.clusterIP", "spec.type")},
	{ROW("coordination.k8s.io", "v1", "leases", "lease", "Lease", lease_type),
	 .namespaced = true, .create_on_update = true, .empty = ",\"spec\":{}"},
	{ROW("policy", "v1", "poddisruptionbudgets", "poddisruptionbudget", "PodDisruptionBudget",
	     pdb_type),
	 .namespaced = true, .status = true, .generation = true, .short_names = NAMES("pdb"),
	 .subs = status_sub},
	{ROW("scheduling.k8s.io", "v1", "priorityclasses", "priorityclass", "PriorityClass",
	     priorityclass_type),
	 .generation = true, .short_names = NAMES("pc")},
	{ROW("storage.k8s.io", "v1", "storageclasses", "storageclass", "StorageClass",
	     storageclass_type),
	 .short_names = NAMES("sc")},
};

void kind_rows_add(struct kinds *kinds)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		(void)kinds_add(kinds, &rows[i]);
}
