/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/configmap.h - config maps. */
#ifndef MODEL_CONFIGMAP_H
#define MODEL_CONFIGMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct configmap {
	struct meta meta;
	struct opt_bool immutable;
	struct labels data;
	VIEW_MAP(struct str) binary_data;
};
extern const struct type configmap_type;

#endif
