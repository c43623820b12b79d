/* SPDX-License-Identifier: Apache-2.0 */
/* model/ingress.h - ingresses and their classes. */
#ifndef MODEL_INGRESS_H
#define MODEL_INGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/causes.h"
#include "model/fields.h"
#include "model/view.h"

extern const struct type ingress_type;

extern const struct type ingressclass_type;

#endif
