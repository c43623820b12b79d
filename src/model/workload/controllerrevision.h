/* SPDX-License-Identifier: Apache-2.0 */
/* model/workload/controllerrevision.h - controller revisions of apps/v1: states that a controller can go back
 * to. */
#ifndef MODEL_CONTROLLERREVISION_H
#define MODEL_CONTROLLERREVISION_H

#include "json/doc.h"
#include "model/field/fields.h"
#include "model/rules/causes.h"

extern const struct type controllerrevision_type;

/* How to call them: model/rules/rules.h. */
void controllerrevision_validate_create(struct json revision, struct causes *causes);
void controllerrevision_validate_update(struct json revision, struct json old,
					struct causes *causes);

#endif
