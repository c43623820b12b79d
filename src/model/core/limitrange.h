/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/limitrange.h - limit ranges. */
#ifndef MODEL_LIMITRANGE_H
#define MODEL_LIMITRANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct limitrange_item {
	struct str type;
	struct resource_list max;
	struct resource_list min;
	struct resource_list default_;
	struct resource_list default_request;
	struct resource_list max_limit_request_ratio;
};
extern const struct type limitrange_item_type;

struct limitrange_spec {
	VIEW_LIST(struct limitrange_item) limits;
};
extern const struct type limitrange_spec_type;

struct limitrange {
	struct meta meta;
	struct limitrange_spec spec;
};
extern const struct type limitrange_type;

#endif
