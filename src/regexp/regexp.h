/* SPDX-License-Identifier: Apache-2.0 */
/* regexp/regexp.h - regular expressions in Go's syntax (RE2), matched in linear time.
 *
 * For patterns that users write into objects: it accepts what Go's regexp package accepts, rejects
 * the rest with Go's messages, and no match takes longer than the length of the pattern times that
 * of the text. This syntax has neither back references nor lookaround.
 *
 * Classes like \w and [[:alpha:]] contain ASCII letters only, as in Go; \pL, \p{Greek} and
 * case-insensitive matching cover all of Unicode. Several threads may match the same
 * pattern at the same time. */
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

/* Does it match anywhere in the text? */
bool regexp_matches(const struct regexp *regexp, struct str text);

struct regexp_span {
	size_t start;
	size_t end;
};
/* The first match that begins at `from` or later, and of several at one place the one that Go prefers.
 * `ret` may be NULL. `steps` limits the work and is counted down; if it reaches 0, the search was stopped
 * and the result is false. NULL: no limit. */
bool regexp_find(const struct regexp *regexp, struct str text, size_t from, uint64_t *steps,
		 struct regexp_span *ret);

#endif
