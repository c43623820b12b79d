/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/rbac.h - roles and role bindings. */
#ifndef MODEL_RBAC_H
#define MODEL_RBAC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"
#include "model/value/labels.h"

struct policy_rule {
	struct strs verbs;
	struct strs api_groups;
	struct strs resources;
	struct strs resource_names;
	struct strs non_resource_urls;
};
extern const struct type policy_rule_type;

struct role {
	struct meta meta;
	VIEW_LIST(struct policy_rule) rules;
};
extern const struct type role_type;

struct aggregation_rule {
	VIEW_LIST(struct label_selector) cluster_role_selectors;
};
extern const struct type aggregation_rule_type;

struct clusterrole {
	struct meta meta;
	VIEW_LIST(struct policy_rule) rules;
	const struct aggregation_rule *aggregation_rule;
};
extern const struct type clusterrole_type;

struct subject {
	struct str kind;
	struct str api_group;
	struct str name;
	struct str namespace;
};
extern const struct type subject_type;

struct role_ref {
	struct str api_group;
	struct str kind;
	struct str name;
};
extern const struct type role_ref_type;

struct rolebinding {
	struct meta meta;
	VIEW_LIST(struct subject) subjects;
	struct role_ref role_ref;
};
extern const struct type rolebinding_type;

struct clusterrolebinding {
	struct meta meta;
	VIEW_LIST(struct subject) subjects;
	struct role_ref role_ref;
};
extern const struct type clusterrolebinding_type;

#endif
