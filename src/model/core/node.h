/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/node.h - nodes. */
#ifndef MODEL_NODE_H
#define MODEL_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/core/taints.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct node_spec {
	struct str pod_cidr;
	struct strs pod_cidrs;
	struct str provider_id;
	bool unschedulable;
	struct taints taints;
};
extern const struct type node_spec_type;

struct node_condition {
	struct str type;
	struct str status;
	int64_t last_heartbeat_time;
	int64_t last_transition_time;
	struct str reason;
	struct str message;
};
extern const struct type node_condition_type;

struct node_address {
	struct str type;
	struct str address;
};
extern const struct type node_address_type;

struct node_system_info {
	struct str machine_id;
	struct str kernel_version;
	struct str os_image;
	struct str container_runtime_version;
	struct str kubelet_version;
	struct str operating_system;
	struct str architecture;
};
extern const struct type node_system_info_type;

struct container_image {
	struct strs names;
	int64_t size_bytes;
};
extern const struct type container_image_type;

struct node_status {
	struct resource_list capacity;
	struct resource_list allocatable;
	struct str phase;
	VIEW_LIST(struct node_condition) conditions;
	VIEW_LIST(struct node_address) addresses;
	struct node_system_info node_info;
	VIEW_LIST(struct container_image) images;
};
extern const struct type node_status_type;

struct node {
	struct meta meta;
	struct node_spec spec;
	struct node_status status;
};
extern const struct type node_type;

/* The condition of a type, or NULL. */
const struct node_condition *node_find_condition(const struct node *node, struct str type);
bool node_is_ready(const struct node *node);
/* "Ready", "NotReady" or "Unknown", followed by ",SchedulingDisabled" if cordoned: as kubectl shows
 * it. */
void node_print_status(const struct node *node, struct buf *to);
/* The roles that its labels give it, sorted, with commas; "<none>" without. */
void node_print_roles(const struct node *node, struct buf *to);

/* A new node is not ready: kube-apiserver adds the taint that says so. A configuration of its kubelet
 * (configSource), which is no longer used, is kept in existing nodes and dropped from new input. */
void node_prepare_create(struct json_doc *doc, struct json node);
void node_prepare_update(struct json_doc *doc, struct json node, struct json old);
void node_prepare_status(struct json_doc *doc, struct json node, struct json old);

#endif
