/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/ingress.c - ingresses and their classes: their tables and rules.
 *
 * The tables know every field of Kubernetes 1.34; the rules are in the order and the words of its
 * kube-apiserver. The caller validates the metadata before. */
#include "model/group/ingress.h"

#include "model/core/meta.h"
#include "model/rules/rules.h"

#include "base/banned.h"

static const struct field service_backend_port_fields[] = {
	{"name", F_STR},
	{"number", F_INT32},
};
static const struct type service_backend_port_type = {
	TYPE_KNOWN("ServiceBackendPort", "v1", service_backend_port_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
	.atomic = true,
};

static const struct field ingress_service_backend_fields[] = {
	{"name", F_STR, F_ALWAYS, F_REQUIRED},
	{"port", F_OBJECT(service_backend_port), F_DEFAULT("{}")},
};
static const struct type ingress_service_backend_type = {
	TYPE_KNOWN("IngressServiceBackend", "v1", ingress_service_backend_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

static const struct field typed_local_object_reference_fields[] = {
	{"apiGroup", F_STR, F_ALWAYS, F_POINTER},
	{"kind", F_STR, F_ALWAYS, F_REQUIRED},
	{"name", F_STR, F_ALWAYS, F_REQUIRED},
};
static const struct type typed_local_object_reference_type = {
	TYPE_KNOWN("TypedLocalObjectReference", "v1", typed_local_object_reference_fields),
	.group = "io.k8s.api.core",
	.as_go = true,
	.atomic = true,
};

static const struct field ingress_backend_fields[] = {
	{"service", F_OBJECT(ingress_service_backend)},
	{"resource", F_OBJECT(typed_local_object_reference)},
};
static const struct type ingress_backend_type = {
	TYPE_KNOWN("IngressBackend", "v1", ingress_backend_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

static const struct field ingress_tls_fields[] = {
	{"hosts", F_LIST(F_STR), F_LIST_ATOMIC},
	{"secretName", F_STR},
};
static const struct type ingress_tls_type = {
	TYPE_KNOWN("IngressTLS", "v1", ingress_tls_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

static const struct field http_ingress_path_fields[] = {
	{"path", F_STR},
	{"pathType", F_STR, F_ALWAYS, F_REQUIRED, F_POINTER, F_GO("v1.PathType")},
	{"backend", F_OBJECT(ingress_backend), F_ALWAYS, F_REQUIRED},
};
static const struct type http_ingress_path_type = {
	TYPE_KNOWN("HTTPIngressPath", "v1", http_ingress_path_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

static const struct field http_ingress_rule_value_fields[] = {
	{"paths", F_LIST(F_OBJECT(http_ingress_path)), F_ALWAYS, F_REQUIRED, F_LIST_ATOMIC},
};
static const struct type http_ingress_rule_value_type = {
	TYPE_KNOWN("HTTPIngressRuleValue", "v1", http_ingress_rule_value_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

static const struct field ingress_rule_fields[] = {
	{"host", F_STR},
	{"http", F_OBJECT(http_ingress_rule_value)},
};
static const struct type ingress_rule_type = {
	TYPE_KNOWN("IngressRule", "v1", ingress_rule_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

static const struct field ingress_spec_fields[] = {
	{"ingressClassName", F_STR, F_POINTER},
	{"defaultBackend", F_OBJECT(ingress_backend)},
	{"tls", F_LIST(F_OBJECT(ingress_tls)), F_LIST_ATOMIC},
	{"rules", F_LIST(F_OBJECT(ingress_rule)), F_LIST_ATOMIC},
};
static const struct type ingress_spec_type = {
	TYPE_KNOWN("IngressSpec", "v1", ingress_spec_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

static const struct field ingress_port_status_fields[] = {
	{"port", F_INT32, F_ALWAYS, F_REQUIRED},
	{"protocol", F_STR, F_ALWAYS, F_REQUIRED, F_GO("v1.Protocol")},
	{"error", F_STR, F_POINTER},
};
static const struct type ingress_port_status_type = {
	TYPE_KNOWN("IngressPortStatus", "v1", ingress_port_status_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

static const struct field ingress_load_balancer_ingress_fields[] = {
	{"ip", F_STR},
	{"hostname", F_STR},
	{"ports", F_LIST(F_OBJECT(ingress_port_status)), F_LIST_ATOMIC},
};
static const struct type ingress_load_balancer_ingress_type = {
	TYPE_KNOWN("IngressLoadBalancerIngress", "v1", ingress_load_balancer_ingress_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

static const struct field ingress_load_balancer_status_fields[] = {
	{"ingress", F_LIST(F_OBJECT(ingress_load_balancer_ingress)), F_LIST_ATOMIC},
};
static const struct type ingress_load_balancer_status_type = {
	TYPE_KNOWN("IngressLoadBalancerStatus", "v1", ingress_load_balancer_status_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

static const struct field ingress_status_fields[] = {
	{"loadBalancer", F_OBJECT(ingress_load_balancer_status), F_DEFAULT("{}")},
};
static const struct type ingress_status_type = {
	TYPE_KNOWN("IngressStatus", "v1", ingress_status_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

static const struct field ingress_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(ingress_spec), F_DEFAULT("{}")},
	{"status", F_OBJECT(ingress_status), F_DEFAULT("{}")},
};
const struct type ingress_type = {
	TYPE_KNOWN("Ingress", "v1", ingress_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
	.rules = &ingress_rules,
	.update = &ingress_update_rules,
	.status = &ingress_status_rules,
};

static void fill_parameters(struct json_doc *doc, struct json reference)
{
	if (rules_is_empty(json_get(reference, "scope")))
		json_set_str(doc, reference, "scope", STR("Cluster"));
}

static const struct field ingress_class_parameters_reference_fields[] = {
	{"apiGroup", F_STR, F_POINTER},        {"kind", F_STR, F_ALWAYS, F_REQUIRED},
	{"name", F_STR, F_ALWAYS, F_REQUIRED}, {"scope", F_STR, F_ALWAYS, F_POINTER},
	{"namespace", F_STR, F_POINTER},
};
static const struct type ingress_class_parameters_reference_type = {
	TYPE_KNOWN("IngressClassParametersReference", "v1",
		   ingress_class_parameters_reference_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
	.fill = fill_parameters,
};

static const struct field ingress_class_spec_fields[] = {
	{"controller", F_STR},
	{"parameters", F_OBJECT(ingress_class_parameters_reference)},
};
static const struct type ingress_class_spec_type = {
	TYPE_KNOWN("IngressClassSpec", "v1", ingress_class_spec_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
};

static const struct field ingressclass_fields[] = {
	F_TYPE_META,
	{"metadata", F_OBJECT(meta), F_DEFAULT("{}")},
	{"spec", F_OBJECT(ingress_class_spec), F_DEFAULT("{}")},
};
const struct type ingressclass_type = {
	TYPE_KNOWN("IngressClass", "v1", ingressclass_fields),
	.group = "io.k8s.api.networking",
	.as_go = true,
	.rules = &ingressclass_rules,
	.update = &ingressclass_update_rules,
};
