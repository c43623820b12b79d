/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/request/result.h - what a patch has made, as kube-apiserver shows it if it is no object. */
#ifndef APISERVER_RESULT_H
#define APISERVER_RESULT_H

#include "json/doc.h"

struct buf;
struct type;

/* The object as text. What the patch has touched is sorted by its keys; the rest stands in the order
 * of the fields of its type (NULL: sorted). A `patch` that is no object has touched the root. */
void result_print(const struct type *type, struct json object, struct json patch, struct buf *to);

#endif
