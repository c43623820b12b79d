/* SPDX-License-Identifier: Apache-2.0 */
/* admission/policies.h - the rules of a list of lifecycle policies, of a job or of a task. */
#ifndef ADMISSION_POLICIES_H
#define ADMISSION_POLICIES_H

#include "base/buf.h"
#include "json/doc.h"

/* Appends the errors to the text, nothing if there are none. `field` is the path of the list. */
void policies_validate(struct json policies, const char *field, struct buf *to);

#endif
