/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/quota.h - resource quotas. */
#ifndef MODEL_QUOTA_H
#define MODEL_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct scoped_resource_selector_requirement {
	struct str scope_name;
	struct str operator;
	struct strs values;
};
extern const struct type scoped_resource_selector_requirement_type;

struct scope_selector {
	VIEW_LIST(struct scoped_resource_selector_requirement) match_expressions;
};
extern const struct type scope_selector_type;

struct quota_spec {
	struct resource_list hard;
	struct strs scopes;
	const struct scope_selector *scope_selector;
};
extern const struct type quota_spec_type;

struct quota_status {
	struct resource_list hard;
	struct resource_list used;
};
extern const struct type quota_status_type;

struct quota {
	struct meta meta;
	struct quota_spec spec;
	struct quota_status status;
};
extern const struct type quota_type;

#endif
