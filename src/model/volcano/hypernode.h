/* SPDX-License-Identifier: Apache-2.0 */
/* model/volcano/hypernode.h - HyperNode (topology.volcano.sh/v1alpha1): nodes, or hyper nodes, that are
 * close to one another in the network. */
#ifndef MODEL_HYPERNODE_H
#define MODEL_HYPERNODE_H

#include <stdint.h>

#include "base/str.h"
#include "model/core/conditions.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/value/labels.h"

enum hypernode_member_type {
	HYPERNODE_MEMBER_NONE,
	HYPERNODE_MEMBER_NODE,
	HYPERNODE_MEMBER_HYPERNODE,
	HYPERNODE_MEMBER_TYPE_COUNT
};

struct hypernode_exact {
	struct str name;
};

struct hypernode_regex {
	struct str pattern;
};

/* One of the three. */
struct hypernode_selector {
	const struct hypernode_exact *exact_match;
	const struct hypernode_regex *regex_match;
	const struct label_selector *label_match;
};

struct hypernode_member {
	enum hypernode_member_type type;
	struct hypernode_selector selector;
};

struct hypernode_spec {
	int64_t tier; /* smaller is closer */
	struct str tier_name;
	VIEW_LIST(struct hypernode_member) members;
};

struct hypernode_status {
	struct conditions conditions;
	int64_t node_count;
};

struct hypernode {
	struct meta meta;
	struct hypernode_spec spec;
	struct hypernode_status status;
};

extern const struct type hypernode_type;

#endif
