/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_core.c - the kinds of the core: a row each, and the lists of their sub-resources. */
#include "apiserver/kind/columns.h"
#include "apiserver/kind/kind_event.h"
#include "apiserver/kind/kind_namespace.h"
#include "apiserver/kind/kind_pod.h"
#include "apiserver/kind/kind_row.h"
#include "apiserver/kind/kind_service.h"
#include "apiserver/kind/kind_volume.h"
#include "apiserver/verb/sub.h"
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
#include "model/core/secret.h"
#include "model/core/service.h"
#include "model/core/serviceaccount.h"
#include "model/group/endpoints.h"
#include "model/pod/pod.h"
#include "model/pod/pod_validate.h"
#include "model/rules/warn_rules.h"
#include "model/workload/workload.h"

#include "base/banned.h"

#define CORE(plural_name, singular_name, kind_name, table) \
	ROW("", "v1", plural_name, singular_name, kind_name, table)

static const struct kind_sub node_subs[] = {
	SUB_PROXY("NodeProxyOptions"),
	SUB_STATUS,
	SUB_END,
};

static const struct kind_sub pod_subs[] = {
	SUB_CONNECT("attach", "PodAttachOptions"),
	SUB_BINDING,
	{.name = "ephemeralcontainers", .verbs = VERBS_STATUS},
	SUB_EVICTION,
	SUB_CONNECT("exec", "PodExecOptions"),
	SUB_LOG,
	SUB_CONNECT("portforward", "PodPortForwardOptions"),
	SUB_PROXY("PodProxyOptions"),
	{.name = "resize", .verbs = VERBS_STATUS},
	SUB_STATUS,
	SUB_END,
};

static const struct kind_sub service_subs[] = {
	SUB_PROXY("ServiceProxyOptions"),
	SUB_STATUS,
	SUB_END,
};

static const struct kind_sub account_subs[] = {
	SUB_TOKEN,
	SUB_END,
};

static const struct kind_sub controller_subs[] = {
	SUB_SCALE,
	SUB_STATUS,
	SUB_END,
};

static const struct kind rows[] = {
	{CORE("bindings", "binding", "Binding", binding_type), .namespaced = true,
	 .verbs = VERBS_CREATE, .serve = sub_serve_binding},
	{CORE("componentstatuses", "componentstatus", "ComponentStatus", componentstatus_type),
	 .verbs = 1 << VERB_GET | 1 << VERB_LIST, .columns = columns_componentstatus,
	 .short_names = NAMES("cs"), .deprecated = "v1 ComponentStatus is deprecated in v1.19+"},
	{CORE("configmaps", "configmap", "ConfigMap", configmap_type), .columns = columns_configmap,
	 .namespaced = true, .short_names = NAMES("cm"), RULED},
	{CORE("endpoints", "endpoints", "Endpoints", endpoints_type), .columns = columns_endpoints,
	 .deprecated =
		 "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
	 .namespaced = true, .create_on_update = true, .short_names = NAMES("ep"), RULED},
	{CORE("events", "event", "Event", event_type), .columns = columns_event, .namespaced = true,
	 .create_on_update = true, .name_format = NAME_PATH_SEGMENT, .short_names = NAMES("ev"),
	 .selectable =
		 NAMES("involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
		       "involvedObject.uid", "involvedObject.apiVersion",
		       "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
		       "reportingComponent", "source", "type"),
	 .ops = &kind_event_ops, RULES_ALONE(VALIDATED(event))},
	{CORE("limitranges", "limitrange", "LimitRange", limitrange_type), .namespaced = true,
	 .create_on_update = true, .meta_once = true, .short_names = NAMES("limits"), RULED},
	{CORE("namespaces", "namespace", "Namespace", namespace_type), .columns = columns_namespace,
	 .status = true, .verbs = VERBS_ALL & ~(1U << VERB_DELETE_COLLECTION),
	 .returns_deleted = true, .name_format = NAME_DNS_LABEL, .short_names = NAMES("ns"),
	 .subs = kind_namespace_subs, .selectable = NAMES("status.phase"),
	 .ops = &kind_namespace_ops,
	 .rules = &(const struct kind_rules){.prepare_create = namespace_prepare_create}},
	{CORE("nodes", "node", "Node", node_type), .columns = columns_node, .status = true,
	 .status_on_create = true, .short_names = NAMES("no"), .subs = node_subs,
	 .selectable = NAMES("spec.unschedulable"),
	 RULES(.prepare_create = node_prepare_create, .prepare_update = node_prepare_update,
	       .prepare_status = node_prepare_status)},
	{CORE("persistentvolumeclaims", "persistentvolumeclaim", "PersistentVolumeClaim", pvc_type),
	 .columns = columns_pvc, .namespaced = true, .status = true, .returns_deleted = true,
	 .short_names = NAMES("pvc"), .subs = kind_subs_status,
	 RULES(.warn = pvc_warn, .prepare_create = pvc_prepare_create,
	       .prepare_update = pvc_prepare_update)},
	{CORE("persistentvolumes", "persistentvolume", "PersistentVolume", pv_type),
	 .columns = columns_pv, .status = true, .returns_deleted = true, .short_names = NAMES("pv"),
	 .subs = kind_subs_status, .ops = &kind_volume_ops,
	 RULES_ALONE(.warn = pv_warn, .prepare_create = pv_prepare_create)},
	{CORE("pods", "pod", "Pod", pod_type), .columns = columns_pod, .namespaced = true,
	 .status = true, .generation = true, .returns_deleted = true, .short_names = NAMES("po"),
	 .categories = NAMES("all"), .subs = pod_subs,
	 .selectable = NAMES("spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
			     "spec.serviceAccountName", "spec.hostNetwork", "status.phase",
			     "status.podIP", "status.podIPs", "status.nominatedNodeName"),
	 .ops = &kind_pod_ops},
	{CORE("podtemplates", "podtemplate", "PodTemplate", pod_template_type),
	 .columns = columns_podtemplate, .namespaced = true, .generation = true,
	 .returns_deleted = true, RULES(.template = "template")},
	{CORE("replicationcontrollers", "replicationcontroller", "ReplicationController",
	      replicationcontroller_type),
	 .columns = columns_replicationcontroller, .namespaced = true, .status = true,
	 .generation = true, .short_names = NAMES("rc"), .categories = NAMES("all"),
	 .subs = controller_subs, .scale = &kind_scale_replicas,
	 .selectable = NAMES("status.replicas"),
	 RULES(.warn = workload_warn, .template = "spec.template")},
	{CORE("resourcequotas", "resourcequota", "ResourceQuota", quota_type),
	 .columns = columns_quota, .namespaced = true, .status = true, .returns_deleted = true,
	 .short_names = NAMES("quota"), .subs = kind_subs_status, RULED},
	{CORE("secrets", "secret", "Secret", secret_type), .columns = columns_secret,
	 .namespaced = true, .selectable = NAMES("type"), RULED},
	{CORE("serviceaccounts", "serviceaccount", "ServiceAccount", serviceaccount_type),
	 .columns = columns_serviceaccount, .namespaced = true, .returns_deleted = true,
	 .short_names = NAMES("sa"), .subs = account_subs},
	{CORE("services", "service", "Service", service_type), .columns = columns_service,
	 .namespaced = true, .status = true, .create_on_update = true, .returns_deleted = true,
	 .name_format = NAME_DNS1035_LABEL, .short_names = NAMES("svc"), .categories = NAMES("all"),
	 .subs = service_subs, .selectable = NAMES("spec.clusterIP", "spec.type"),
	 .ops = &kind_service_ops,
	 RULES_ALONE(.warn = service_warn, .prepare_create = service_prepare_create,
		     .prepare_update = service_prepare_update)},
};

const struct kind_group kind_group_core = {rows, ARRAY_LEN(rows)};
