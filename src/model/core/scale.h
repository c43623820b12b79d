/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/scale.h - the size of what can be scaled. */
#ifndef MODEL_SCALE_H
#define MODEL_SCALE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct scale_spec {
	int32_t replicas;
};
extern const struct type scale_spec_type;

struct scale_status {
	int32_t replicas;
	struct str selector;
};
extern const struct type scale_status_type;

struct scale {
	struct meta meta;
	struct scale_spec spec;
	struct scale_status status;
};
extern const struct type scale_type;

#endif
