/* SPDX-License-Identifier: Apache-2.0 */
/* model/group/autoscaling.h - autoscalers of workloads, in two versions: autoscaling/v2, which is stored, and
 * autoscaling/v1, which has one target and carries the rest in annotations. */
#ifndef MODEL_AUTOSCALING_H
#define MODEL_AUTOSCALING_H

#include "base/str.h"
#include "json/doc.h"
#include "model/core/meta.h"
#include "model/field/fields.h"
#include "model/rules/causes.h"

struct autoscaler {
	struct meta meta;
};
/* autoscaling/v2 */
extern const struct type autoscaler_type;
/* autoscaling/v1 */
extern const struct type autoscaler_v1_type;

/* The rules of autoscaling/v1 are those of what is stored. */
void autoscaler_v1_validate_create(struct json object, struct causes *causes);
void autoscaler_v1_validate_update(struct json object, struct json old, struct causes *causes);
void autoscaler_v1_validate_status(struct json object, struct json old, struct causes *causes);

/* autoscaling/v1 as autoscaling/v2 and back: new values of `doc`. Annotations that carry what v1 has no fields for
 * are read and dropped on the way there, and written on the way back; one that cannot be read is
 * dropped, as upstream does. */
struct json autoscaler_from_v1(struct json object, struct json_doc *doc);
struct json autoscaler_to_v1(struct json object, struct json_doc *doc);
/* An object of v1 as it is read after it was stored. */
void autoscaler_v1_settle(struct json_doc *doc, struct json object);

#endif
