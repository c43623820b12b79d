/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/ingress.h - ingresses and their classes. */
#ifndef MODEL_INGRESS_H
#define MODEL_INGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"
#include "model/field/fields.h"
#include "model/field/view.h"
#include "model/rules/causes.h"

extern const struct type ingress_type;

extern const struct type ingressclass_type;

/* In ingress_validate.c, for the tables. */
extern const struct rules ingress_rules, ingress_update_rules, ingress_status_rules;
extern const struct rules ingressclass_rules, ingressclass_update_rules;

#endif
