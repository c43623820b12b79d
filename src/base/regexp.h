/* SPDX-License-Identifier: Apache-2.0 */
/* base/regexp.h - regular expressions in Go's syntax (RE2), matched in linear time.
 *
 * For patterns that people write into objects: what Go's regexp package takes is taken, what it
 * refuses is refused in its words, and no pattern takes longer than its length times that of the
 * text. Neither back references nor looking around exist in this syntax.
 *
 * Letters are those of ASCII in classes like \w and [[:alpha:]], as in Go; \pL and the like, and
 * matching without case, look at ASCII only. */
#ifndef BASE_REGEXP_H
#define BASE_REGEXP_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct regexp;

/* ERR_BAD_REQUEST: "error parsing regexp: missing closing ): `a(b`". */
struct regexp *regexp_parse(struct str pattern, struct err *err) MUST_CHECK;
void regexp_free(struct regexp *regexp);
DEFINE_AUTO(struct regexp *, regexp_free);

/* Is it in the text, at any place? */
bool regexp_matches(const struct regexp *regexp, struct str text);

#endif
