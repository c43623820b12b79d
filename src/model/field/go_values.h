/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/go_values.h - the values of Kubernetes' closed types of strings, which OpenAPI lists. */
#ifndef MODEL_GO_VALUES_H
#define MODEL_GO_VALUES_H

#include "base/str.h"

/* The values of a Go type ("v1.DNSPolicy") in the order of the alphabet, separated by '|'; none if the type is
 * not closed. `type` may be NULL. */
struct str go_values(const char *type);

#endif
