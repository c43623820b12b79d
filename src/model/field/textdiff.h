/* SPDX-License-Identifier: Apache-2.0 */
/* model/field/textdiff.h - what has changed between two versions of an object, as messages show it. */
#ifndef MODEL_TEXTDIFF_H
#define MODEL_TEXTDIFF_H

#include "base/buf.h"
#include "base/str.h"
#include "json/doc.h"

/* Unified hunks with three lines around each change; no file names. Nothing for texts that are the
 * same; texts of too many lines are given as one hunk that replaces all. */
void textdiff_print(struct str old, struct str new, struct buf *to);

/* A value over many lines, each level indented by one blank, as Go's MarshalIndent prints it. */
void textdiff_put_value(struct json value, struct buf *to);

#endif
