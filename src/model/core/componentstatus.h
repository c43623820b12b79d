/* SPDX-License-Identifier: Apache-2.0 */
/* model/core/componentstatus.h - ComponentStatus, in which the parts of a control plane once reported
 * their health. */
#ifndef MODEL_COMPONENTSTATUS_H
#define MODEL_COMPONENTSTATUS_H

#include "model/field/fields.h"

extern const struct type componentstatus_type;

#endif
