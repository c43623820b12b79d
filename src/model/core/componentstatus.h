/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/componentstatus.h - ComponentStatus, how the parts of a control plane once told that they are
 * well. */
#ifndef MODEL_COMPONENTSTATUS_H
#define MODEL_COMPONENTSTATUS_H

#include "model/field/fields.h"

extern const struct type componentstatus_type;

#endif
