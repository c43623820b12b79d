/* SPDX-License-Identifier: Apache-2.0 */
/* base/intern.h - interned strings: each text is stored once and has a small number.
 *
 * Equal texts get equal numbers, counted from 0 without gaps, so that names can be compared as
 * integers and used as indexes. Texts live as long as the pool. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/str.h"

struct intern;

#define INTERN_NONE UINT32_MAX

struct intern *intern_new(uint64_t seed) __attribute__((returns_nonnull));
void intern_free(struct intern *pool);
DEFINE_AUTO(struct intern *, intern_free);

/* The number of a text; a new text gets the next number. */
uint32_t intern_id(struct intern *pool, struct str text);
/* The number of a text, or INTERN_NONE if it was never interned. */
uint32_t intern_find(const struct intern *pool, struct str text);
/* The text of a number, followed by a NUL. The number must come from this pool. */
struct str intern_text(const struct intern *pool, uint32_t id);
size_t intern_len(const struct intern *pool);

#endif
