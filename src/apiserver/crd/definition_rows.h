/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/definition_rows.h - rows of kinds from a definition. */
#ifndef APISERVER_DEFINITION_ROWS_H
#define APISERVER_DEFINITION_ROWS_H

#include "apiserver/kind/kind.h"
#include "base/arena.h"
#include "json/doc.h"

/* The row of one version of an accepted definition; all it points at is in the arena. `owner` and
 * `stored` are left to the caller. */
struct kind definition_row(struct json crd, struct json version, struct arena *arena);

#endif
