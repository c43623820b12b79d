/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/networkpolicy.h - network policies. */
#ifndef MODEL_NETWORKPOLICY_H
#define MODEL_NETWORKPOLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

struct networkpolicy {
	struct meta meta;
};
extern const struct type networkpolicy_type;

#endif
