/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/endpoints.h - endpoints of services, whole and in slices. */
#ifndef MODEL_ENDPOINTS_H
#define MODEL_ENDPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/core/reference.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct endpoint_address {
	struct str ip;
	struct str hostname;
	struct str node_name;
	const struct object_reference *target_ref;
};
extern const struct type endpoint_address_type;

struct endpoint_port {
	struct str name;
	int32_t port;
	struct str protocol;
	struct str app_protocol;
};
extern const struct type endpoint_port_type;

struct endpoint_subset {
	VIEW_LIST(struct endpoint_address) addresses;
	VIEW_LIST(struct endpoint_address) not_ready_addresses;
	VIEW_LIST(struct endpoint_port) ports;
};
extern const struct type endpoint_subset_type;

struct endpoints {
	struct meta meta;
	VIEW_LIST(struct endpoint_subset) subsets;
};
extern const struct type endpoints_type;

struct slice_conditions {
	struct opt_bool ready;
	struct opt_bool serving;
	struct opt_bool terminating;
};
extern const struct type slice_conditions_type;

struct slice_endpoint {
	struct strs addresses;
	struct slice_conditions conditions;
	struct str hostname;
	const struct object_reference *target_ref;
	struct str node_name;
};
extern const struct type slice_endpoint_type;

struct slice_port {
	struct str name;
	struct str protocol;
	struct opt_int32 port;
	struct str app_protocol;
};
extern const struct type slice_port_type;

struct endpoint_slice {
	struct meta meta;
	struct str address_type;
	VIEW_LIST(struct slice_endpoint) endpoints;
	VIEW_LIST(struct slice_port) ports;
};
extern const struct type endpoint_slice_type;

#endif
