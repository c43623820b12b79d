/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/convert.h - could Go make an object of this type out of maps? As apimachinery's converter, which
 * takes the result of a strategic merge patch apart and knows neither paths nor JSON. */
#ifndef MODEL_CONVERT_H
#define MODEL_CONVERT_H

#include "base/err.h"
#include "base/macro.h"
#include "json/doc.h"

struct type;

/* ERR_BAD_REQUEST for the first value, in the order of the rows, that is of another sort than its field.
 * Values that decode themselves (times, quantities) are not looked at. */
int convert_check(const struct type *type, struct json object, struct err *err) MUST_CHECK;

#endif
