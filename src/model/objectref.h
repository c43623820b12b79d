/* SPDX-License-Identifier: Apache-2.0 */
/* model/objectref.h - a reference to any object (core ObjectReference). */
#ifndef MODEL_OBJECTREF_H
#define MODEL_OBJECTREF_H

#include "base/str.h"
#include "model/fields.h"

struct objectref {
	struct str kind;
	struct str namespace;
	struct str name;
	struct str uid;
	struct str api_version;
	struct str resource_version;
	struct str field_path;
};
extern const struct type objectref_type;

#endif
