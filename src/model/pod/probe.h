/* SPDX-License-Identifier: Apache-2.0 */
/* model/pod/probe.h - probes of a container's health, and hooks for its start and stop. */
#ifndef MODEL_PROBE_H
#define MODEL_PROBE_H

#include <stdint.h>

#include "base/str.h"
#include "model/field/fields.h"
#include "model/field/view.h"

struct exec_action {
	struct strs command;
};
struct http_header_value {
	struct str name;
	struct str value;
};
struct http_get {
	struct str path;
	struct intstr port;
	struct str host;
	struct str scheme; /* HTTP, HTTPS */
	VIEW_LIST(struct http_header_value) headers;
};
struct tcp_socket {
	struct intstr port;
	struct str host;
};
struct grpc_action {
	int32_t port;
	struct str service;
};
struct sleep_action {
	int64_t seconds;
};

/* One of the handlers is there. */
struct probe {
	const struct exec_action *exec;
	const struct http_get *http_get;
	const struct tcp_socket *tcp_socket;
	const struct grpc_action *grpc;
	int32_t initial_delay; /* seconds, as all of these */
	int32_t timeout;
	int32_t period;
	int32_t success_threshold;
	int32_t failure_threshold;
	struct opt_int64 grace_seconds;
};
extern const struct type probe_type;

struct lifecycle_handler {
	const struct exec_action *exec;
	const struct http_get *http_get;
	const struct tcp_socket *tcp_socket;
	const struct sleep_action *sleep;
};
struct lifecycle {
	const struct lifecycle_handler *post_start;
	const struct lifecycle_handler *pre_stop;
	struct str stop_signal;
};
extern const struct type lifecycle_type;

#endif
