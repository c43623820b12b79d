/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/secret.h - secrets. */
#ifndef MODEL_SECRET_H
#define MODEL_SECRET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct secret {
	struct meta meta;
	struct opt_bool immutable;
	VIEW_MAP(struct str) data;
	struct labels string_data;
	struct str type;
};
extern const struct type secret_type;

#endif
