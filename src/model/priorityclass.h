/* SPDX-License-Identifier: Apache-2.0 */
/* model/priorityclass.h - priority classes. */
#ifndef MODEL_PRIORITYCLASS_H
#define MODEL_PRIORITYCLASS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/causes.h"
#include "model/fields.h"
#include "model/meta.h"
#include "model/view.h"

struct priorityclass {
	struct meta meta;
	int32_t value;
	bool global_default;
	struct str description;
	struct str preemption_policy;
};
extern const struct type priorityclass_type;

#endif
