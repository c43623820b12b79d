/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/fill.h - helpers for defaults that are hooks (`fill`) of a table: set a member that is absent.
 */
#ifndef MODEL_FILL_H
#define MODEL_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "json/doc.h"

static inline void fill_int(struct json_doc *doc, struct json object, const char *name,
			    int64_t value)
{
	if (json_is_absent(json_get(object, name)))
		json_set_int(doc, object, name, value);
}

static inline void fill_bool(struct json_doc *doc, struct json object, const char *name, bool value)
{
	if (json_is_absent(json_get(object, name)))
		json_set_bool(doc, object, name, value);
}

/* Of a pointer to a text: an empty one stays. */
static inline void fill_text(struct json_doc *doc, struct json object, const char *name,
			     const char *text)
{
	if (json_is_absent(json_get(object, name)))
		json_set_str(doc, object, name, str_from(text));
}

/* Of a text: an empty one is none. */
static inline void fill_plain_text(struct json_doc *doc, struct json object, const char *name,
				   const char *text)
{
	if (!json_str(json_get(object, name)).len)
		json_set_str(doc, object, name, str_from(text));
}

#endif
