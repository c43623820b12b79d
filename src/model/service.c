/* SPDX-License-Identifier: Apache-2.0 */
/* model/service.c - services: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. Metadata is validated by whoever calls, before. */
#include "model/service.h"

#include "model/conditions.h"
#include "model/rules.h"

#include "base/banned.h"

#define VIEW struct service_port
static const struct field service_port_fields[] = {
	{"name", F_STR, AT(name)},
	{"protocol", F_STR, AT(protocol), F_GO("v1.Protocol")},
	{"appProtocol", F_STR, AT(app_protocol), F_POINTER},
	{"port", F_INT32, AT(port), F_ALWAYS, F_REQUIRED},
	{"targetPort", F_INTSTR, AT(target_port), F_ALWAYS},
	{"nodePort", F_INT32, AT(node_port)},
};
#undef VIEW
const struct type service_port_type = {
	TYPE("ServicePort", "v1", struct service_port, service_port_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field client_ip_config_fields[] = {
	{"timeoutSeconds", F_INT32, F_POINTER},
};
static const struct type client_ip_config_type = {
	TYPE_KNOWN("ClientIPConfig", "v1", client_ip_config_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field session_affinity_config_fields[] = {
	{"clientIP", F_OBJECT(client_ip_config)},
};
static const struct type session_affinity_config_type = {
	TYPE_KNOWN("SessionAffinityConfig", "v1", session_affinity_config_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct service_spec
static const struct field service_spec_fields[] = {
	{"ports", F_LIST(F_OBJECT(service_port)), AT(ports), F_LIST_MAP("port", "protocol"),
	 F_MERGE_KEY("port")},
	{"selector", F_LABELS, AT(selector)},
	{"clusterIP", F_STR, AT(cluster_ip)},
	{"clusterIPs", F_LIST(F_STR), AT(cluster_ips), F_LIST_ATOMIC},
	{"type", F_STR, AT(type), F_GO("v1.ServiceType")},
	{"externalIPs", F_LIST(F_STR), F_LIST_ATOMIC},
	{"sessionAffinity", F_STR, F_GO("v1.ServiceAffinity")},
	{"loadBalancerIP", F_STR},
	{"loadBalancerSourceRanges", F_LIST(F_STR), F_LIST_ATOMIC},
	{"externalName", F_STR, AT(external_name)},
	{"externalTrafficPolicy", F_STR, F_GO("v1.ServiceExternalTrafficPolicy")},
	{"healthCheckNodePort", F_INT32},
	{"publishNotReadyAddresses", F_BOOL, AT(publish_not_ready_addresses)},
	{"sessionAffinityConfig", F_OBJECT(session_affinity_config)},
	{"ipFamilies", F_LIST(F_STR, F_GO("v1.IPFamily")), F_LIST_ATOMIC},
	{"ipFamilyPolicy", F_STR, F_POINTER, F_GO("v1.IPFamilyPolicy")},
	{"allocateLoadBalancerNodePorts", F_BOOL, F_POINTER},
	{"loadBalancerClass", F_STR, F_POINTER},
	{"internalTrafficPolicy", F_STR, F_POINTER, F_GO("v1.ServiceInternalTrafficPolicy")},
	{"trafficDistribution", F_STR, F_POINTER},
};
#undef VIEW
const struct type service_spec_type = {
	TYPE("ServiceSpec", "v1", struct service_spec, service_spec_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field port_status_fields[] = {
	{"port", F_INT32, F_ALWAYS, F_REQUIRED},
	{"protocol", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.Protocol")},
	{"error", F_STR, F_POINTER},
};
static const struct type port_status_type = {
	TYPE_KNOWN("PortStatus", "v1", port_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field load_balancer_ingress_fields[] = {
	{"ip", F_STR},
	{"hostname", F_STR},
	{"ipMode", F_STR, F_POINTER, F_GO("v1.LoadBalancerIPMode")},
	{"ports", F_LIST(F_OBJECT(port_status)), F_LIST_ATOMIC},
};
static const struct type load_balancer_ingress_type = {
	TYPE_KNOWN("LoadBalancerIngress", "v1", load_balancer_ingress_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field load_balancer_status_fields[] = {
	{"ingress", F_LIST(F_OBJECT(load_balancer_ingress)), F_LIST_ATOMIC},
};
static const struct type load_balancer_status_type = {
	TYPE_KNOWN("LoadBalancerStatus", "v1", load_balancer_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

static const struct field service_status_fields[] = {
	{"loadBalancer", F_OBJECT(load_balancer_status), F_DEFAULT("{}")},
	{"conditions", F_LIST(F_OBJECT(condition)), F_LIST_MAP("type"), F_MERGE_KEY("type")},
};
static const struct type service_status_type = {
	TYPE_KNOWN("ServiceStatus", "v1", service_status_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
};

#define VIEW struct service
static const struct field service_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), AT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(service_spec), AT(spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(service_status), F_DEFAULT("{}")},
};
#undef VIEW
const struct type service_type = {
	TYPE("Service", "v1", struct service, service_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.validate = rules_elsewhere,
	.whole = true,
};
