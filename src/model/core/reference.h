/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/reference.h - references from one object to another. */
#ifndef MODEL_REFERENCE_H
#define MODEL_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct object_reference {
	struct str kind;
	struct str namespace;
	struct str name;
	struct str uid;
	struct str api_version;
	struct str resource_version;
	struct str field_path;
};
extern const struct type object_reference_type;

struct secret_reference {
	struct str name;
	struct str namespace;
};
extern const struct type secret_reference_type;

#endif
