/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/runtimeclass.h - runtime classes. */
#ifndef MODEL_RUNTIMECLASS_H
#define MODEL_RUNTIMECLASS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/core/taints.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct overhead {
	struct resource_list pod_fixed;
};
extern const struct type overhead_type;

struct scheduling {
	struct labels node_selector;
	struct tolerations tolerations;
};
extern const struct type scheduling_type;

struct runtimeclass {
	struct meta meta;
	struct str handler;
	const struct overhead *overhead;
	const struct scheduling *scheduling;
};
extern const struct type runtimeclass_type;

#endif
