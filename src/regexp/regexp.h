/* SPDX-License-Identifier: Apache-2.0 */
/* regexp/regexp.h - regular expressions in Go's syntax (RE2), matched in linear time.
 *
 * For patterns that people write into objects: what Go's regexp package takes is taken, what it
 * refuses is refused in its words, and no pattern takes longer than its length times that of the
 * text. Neither back references nor looking around exist in this syntax.
 *
 * Letters are those of ASCII in classes like \w and [[:alpha:]], as in Go; \pL, \p{Greek} and matching
 * without case know all of Unicode. Several threads may match the same pattern at the same time. */
#ifndef REGEXP_H
#define REGEXP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"

struct regexp;

/* ERR_BAD_REQUEST: "error parsing regexp: missing closing ): `a(b`". */
struct regexp *regexp_parse(struct str pattern, struct err *err) MUST_CHECK;
void regexp_free(struct regexp *regexp);
DEFINE_AUTO(struct regexp *, regexp_free);

/* How large it is: instructions, each of which may be visited once for each character. */
size_t regexp_size(const struct regexp *regexp);

/* Is it in the text, at any place? */
bool regexp_matches(const struct regexp *regexp, struct str text);

struct regexp_span {
	size_t start;
	size_t end;
};
/* The first match that begins at `from` or later, and of those at one place the one that Go prefers. `ret`
 * may be NULL: whether there is one is all. `steps` bounds the work and is counted down; when it is 0
 * afterwards, the answer is false because it was too much. NULL: without bound. */
bool regexp_find(const struct regexp *regexp, struct str text, size_t from, uint64_t *steps,
		 struct regexp_span *ret);

#endif
