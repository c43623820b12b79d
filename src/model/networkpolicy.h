/* SPDX-License-Identifier: Apache-2.0 */
/* model/networkpolicy.h - network policies. */
#ifndef MODEL_NETWORKPOLICY_H
#define MODEL_NETWORKPOLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/causes.h"
#include "model/fields.h"
#include "model/meta.h"
#include "model/view.h"

struct networkpolicy {
	struct meta meta;
};
extern const struct type networkpolicy_type;

/* How to call them: model/rules.h. */
void networkpolicy_validate_create(struct json policy, struct causes *causes);
void networkpolicy_validate_update(struct json policy, struct json old, struct causes *causes);

#endif
