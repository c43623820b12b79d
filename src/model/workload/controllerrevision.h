/* SPDX-License-Identifier: Apache-2.0 */
/* model/workload/controllerrevision.h - controller revisions of apps/v1: states that a controller can go back
 * to. */
#ifndef MODEL_CONTROLLERREVISION_H
#define MODEL_CONTROLLERREVISION_H

#include "json/doc.h"
#include "model/field/fields.h"
#include "model/rules/causes.h"

extern const struct type controllerrevision_type;

#endif
