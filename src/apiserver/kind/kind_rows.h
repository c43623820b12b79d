/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/kind_rows.h - the built-in kinds. To add one: its field table in model/, a row in
 * kind_rows.c, and if it has rules of its own an ops table in a file of its own. */
#ifndef APISERVER_KIND_ROWS_H
#define APISERVER_KIND_ROWS_H

struct kinds;

/* Put every built-in kind into the registry. */
void kind_rows_add(struct kinds *kinds);

#endif
