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

/* How to call them: model/rules/rules.h. */
void ingress_validate_create(struct json ingress, struct causes *causes);
void ingress_validate_update(struct json ingress, struct json old, struct causes *causes);
void ingress_validate_status(struct json ingress, struct json old, struct causes *causes);
/* The addresses that a load balancer has given. */
void ingress_validate_balancer(struct json balancer, const struct path *up, struct causes *causes);
void ingressclass_validate_create(struct json class, struct causes *causes);
void ingressclass_validate_update(struct json class, struct json old, struct causes *causes);

#endif
