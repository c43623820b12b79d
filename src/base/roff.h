/* SPDX-License-Identifier: Apache-2.0 */
/* base/roff.h - text for manual pages. */
#ifndef BASE_ROFF_H
#define BASE_ROFF_H

#include "base/buf.h"
#include "base/str.h"

/* Text as roff has it: backslashes, and dashes that are to be typed as they are; a dot or quote at the beginning of
 * a line is no request. */
void roff_put(struct str text, struct buf *to);

#endif
