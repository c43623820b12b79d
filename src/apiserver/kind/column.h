/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/column.h - the cells of `kubectl get`. */
#ifndef APISERVER_COLUMN_H
#define APISERVER_COLUMN_H

#include <stdint.h>

#include "json/doc.h"

struct kind_column;

/* The cell of an object, a new value of `doc`: null if there is nothing to show, or nothing of
 * the column's type. */
struct json column_cell(const struct kind_column *column, struct json object, struct json_doc *doc,
			int64_t now);

#endif
