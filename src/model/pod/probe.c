/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/probe.c - tables of probes and lifecycle hooks. */
#include "model/pod/probe.h"

#include "model/pod/pod_default.h"

#include "base/banned.h"

#define CORE .group = "io.k8s.api.core", .as_go = true

#define VIEW struct exec_action
static const struct field exec_action_fields[] = {
	{"command", F_LIST(F_STR), AT(command), F_LIST_ATOMIC},
};
#undef VIEW
static const struct type exec_action_type = {
	TYPE("ExecAction", "v1", struct exec_action, exec_action_fields),
	CORE,
};

#define VIEW struct http_header_value
static const struct field http_header_value_fields[] = {
	{"name", F_STR, AT(name), F_REQUIRED},
	{"value", F_STR, AT(value), F_REQUIRED},
};
#undef VIEW
static const struct type http_header_value_type = {
	TYPE("HTTPHeader", "v1", struct http_header_value, http_header_value_fields),
	CORE,
};

#define VIEW struct http_get
static const struct field http_get_fields[] = {
	{"path", F_STR, AT(path)},
	{"port", F_INTSTR, AT(port), F_REQUIRED},
	{"host", F_STR, AT(host)},
	{"scheme", F_STR, AT(scheme), F_GO("v1.URIScheme")},
	{"httpHeaders", F_LIST(F_OBJECT(http_header_value)), AT(headers), F_LIST_ATOMIC},
};
#undef VIEW
static const struct type http_get_type = {
	TYPE("HTTPGetAction", "v1", struct http_get, http_get_fields),
	CORE,
	.fill = pod_default_http_get,
};

#define VIEW struct tcp_socket
static const struct field tcp_socket_fields[] = {
	{"port", F_INTSTR, AT(port), F_REQUIRED},
	{"host", F_STR, AT(host)},
};
#undef VIEW
static const struct type tcp_socket_type = {
	TYPE("TCPSocketAction", "v1", struct tcp_socket, tcp_socket_fields),
	CORE,
};

#define VIEW struct grpc_action
static const struct field grpc_action_fields[] = {
	{"port", F_INT32, AT(port), F_REQUIRED},
	{"service", F_STR, AT(service), F_POINTER, F_ALWAYS, F_DEFAULT("")},
};
#undef VIEW
static const struct type grpc_action_type = {
	TYPE("GRPCAction", "v1", struct grpc_action, grpc_action_fields),
	CORE,
};

#define VIEW struct sleep_action
static const struct field sleep_action_fields[] = {
	{"seconds", F_INT64, AT(seconds), F_REQUIRED},
};
#undef VIEW
static const struct type sleep_action_type = {
	TYPE("SleepAction", "v1", struct sleep_action, sleep_action_fields),
	CORE,
};

#define VIEW struct probe
static const struct field probe_fields[] = {
	{"exec", F_OBJECT(exec_action), AT(exec)},
	{"httpGet", F_OBJECT(http_get), AT(http_get)},
	{"tcpSocket", F_OBJECT(tcp_socket), AT(tcp_socket)},
	{"grpc", F_OBJECT(grpc_action), AT(grpc)},
	{"initialDelaySeconds", F_INT32, AT(initial_delay)},
	{"timeoutSeconds", F_INT32, AT(timeout)},
	{"periodSeconds", F_INT32, AT(period)},
	{"successThreshold", F_INT32, AT(success_threshold)},
	{"failureThreshold", F_INT32, AT(failure_threshold)},
	{"terminationGracePeriodSeconds", F_INT64, AT(grace_seconds), F_POINTER},
};
#undef VIEW
const struct type probe_type = {
	TYPE("Probe", "v1", struct probe, probe_fields),
	CORE,
	.fill = pod_default_probe,
};

#define VIEW struct lifecycle_handler
static const struct field lifecycle_handler_fields[] = {
	{"exec", F_OBJECT(exec_action), AT(exec)},
	{"httpGet", F_OBJECT(http_get), AT(http_get)},
	{"tcpSocket", F_OBJECT(tcp_socket), AT(tcp_socket)},
	{"sleep", F_OBJECT(sleep_action), AT(sleep)},
};
#undef VIEW
static const struct type lifecycle_handler_type = {
	TYPE("LifecycleHandler", "v1", struct lifecycle_handler, lifecycle_handler_fields),
	CORE,
};

#define VIEW struct lifecycle
static const struct field lifecycle_fields[] = {
	{"postStart", F_OBJECT(lifecycle_handler), AT(post_start)},
	{"preStop", F_OBJECT(lifecycle_handler), AT(pre_stop)},
	{"stopSignal", F_STR, AT(stop_signal), F_GO("v1.Signal"), F_POINTER},
};
#undef VIEW
const struct type lifecycle_type = {
	TYPE("Lifecycle", "v1", struct lifecycle, lifecycle_fields),
	CORE,
};
