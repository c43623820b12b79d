/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/priorityclass.h - priority classes. */
#ifndef MODEL_PRIORITYCLASS_H
#define MODEL_PRIORITYCLASS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct priorityclass {
	struct meta meta;
	int32_t value;
	bool global_default;
	struct str description;
	struct str preemption_policy;
};
extern const struct type priorityclass_type;

enum {
	PRIORITY_HIGHEST_USER = 1000000000,
	PRIORITY_SYSTEM = 2 * PRIORITY_HIGHEST_USER,
};

/* The classes that are always there; ends with a name that is none. */
struct priority_system_class {
	struct str name;
	int32_t value;
	const char *description;
};
extern const struct priority_system_class priority_system_classes[];

#endif
