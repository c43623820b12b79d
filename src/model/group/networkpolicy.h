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

/* How to call them: model/rules/rules.h. */
void networkpolicy_validate_create(struct json policy, struct causes *causes);
void networkpolicy_validate_update(struct json policy, struct json old, struct causes *causes);

#endif
