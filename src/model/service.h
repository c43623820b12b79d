/* SPDX-License-Identifier: Apache-2.0 */
/* model/service.h - services. */
#ifndef MODEL_SERVICE_H
#define MODEL_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/causes.h"
#include "model/fields.h"
#include "model/meta.h"
#include "model/view.h"

struct service_port {
	struct str name;
	struct str protocol;
	struct str app_protocol;
	int32_t port;
	struct intstr target_port;
	int32_t node_port;
};
extern const struct type service_port_type;

struct service_spec {
	VIEW_LIST(struct service_port) ports;
	struct labels selector;
	struct str cluster_ip;
	struct strs cluster_ips;
	struct str type;
	struct str external_name;
	bool publish_not_ready_addresses;
};
extern const struct type service_spec_type;

struct service {
	struct meta meta;
	struct service_spec spec;
};
extern const struct type service_type;

#endif
