/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/text_format.h - formats of strings that OpenAPI schemas and CEL rules name, as kube-apiserver
 * checks them: "date-time", "ipv4", "uuid", ... */
#ifndef MODEL_TEXT_FORMAT_H
#define MODEL_TEXT_FORMAT_H

#include <stdbool.h>

#include "base/str.h"

struct text_format {
	const char *name;               /* without hyphens */
	const char *pattern;            /* a regular expression that the text must match, or NULL */
	bool (*check)(struct str text); /* a check in addition to the pattern, or NULL */
};

/* NULL if it is not one that is checked (int32, ...). Hyphens in `name` do not matter. */
const struct text_format *text_format_find(struct str name);

#endif
