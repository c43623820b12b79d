/* SPDX-License-Identifier: Apache-2.0 */
/* base/roff.h - text for manual pages. */
#ifndef BASE_ROFF_H
#define BASE_ROFF_H

#include "base/buf.h"
#include "base/str.h"

/* Escapes text for roff: backslashes, dashes that the reader types, and a dot or quote at the beginning of a line,
 * which would be a request. */
void roff_put(struct str text, struct buf *to);

#endif
