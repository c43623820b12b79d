/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/fieldselector.h - field selectors: metadata.name=x,status.phase!=Running
 *
 * Values may escape ',', '=' and '\' by a '\'. The kind defines which fields can be selected, and
 * how to get their values. */
#ifndef MODEL_FIELDSELECTOR_H
#define MODEL_FIELDSELECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct field_term {
	struct str field;
	struct str value;
	bool differs; /* != */
};

struct field_selector {
	struct field_term *ptr;
	size_t len;
};

/* Lives in the arena and borrows `text`. ERR_BAD_REQUEST in upstream's words. */
int field_selector_parse(struct str text, struct arena *arena, struct field_selector *ret,
			 struct err *err) MUST_CHECK;
void field_selector_print(const struct field_selector *selector, struct buf *to);

/* The value of an object's field; none or empty if it has none. */
typedef struct str field_value_fn(void *arg, struct str field);
bool field_selector_matches(const struct field_selector *selector, field_value_fn *value,
			    void *arg);
/* The value that a field must have, or NULL if the selector does not require one. */
const struct str *field_selector_exact(const struct field_selector *selector, struct str field);

#endif
