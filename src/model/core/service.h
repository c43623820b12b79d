/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/service.h - services. */
#ifndef MODEL_SERVICE_H
#define MODEL_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

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

/* Has it no address of its own ("None")? On documents. */
bool service_is_headless(struct json service);
/* Does the server give it an address? */
bool service_needs_address(struct json service);
/* Do its ports get a port on every node? */
bool service_needs_node_ports(struct json service);

/* Makes clusterIP and clusterIPs consistent, and sets ipFamilies and ipFamilyPolicy of a new
 * service (the server has IPv4). Call it before validation. */
void service_prepare_create(struct json_doc *doc, struct json service);
/* Keeps the allocated addresses and ports unless the new service names others. */
void service_prepare_update(struct json_doc *doc, struct json service, struct json old);

/* What a server with addresses of IPv4 alone cannot give; of a service that is right otherwise. */
void service_check_families(struct json service, struct causes *causes);

/* In service_validate.c, for the table. */
extern const struct rules service_rules, service_update_rules, service_status_rules;

#endif
