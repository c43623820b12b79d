/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/binding.h - the binding of a pod to a node. */
#ifndef MODEL_BINDING_H
#define MODEL_BINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/core/reference.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct binding {
	struct meta meta;
	struct object_reference target;
};
extern const struct type binding_type;

#endif
