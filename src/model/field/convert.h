/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/convert.h - could Go make an object of this type out of maps? Reports errors like apimachinery's
 * converter, which decodes the result of a strategic merge patch and knows neither paths nor JSON. */
#ifndef MODEL_CONVERT_H
#define MODEL_CONVERT_H

#include "base/err.h"
#include "base/macro.h"
#include "json/doc.h"

struct type;

/* ERR_BAD_REQUEST for the first value, in the order of the rows, whose kind does not fit its field.
 * Values with their own decoders (times, quantities) are not checked. */
int convert_check(const struct type *type, struct json object, struct err *err) MUST_CHECK;

#endif
