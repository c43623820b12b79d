/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/kind/jsonpath.h - the paths of columns, scales and selectable fields of custom kinds:
 *
 *	.status.phase  .spec.ports[0].name  .metadata.labels['app.kubernetes.io/name']
 *	.status.conditions[?(@.type=="Ready")].status  .spec.items[*].name  .a\.b
 *
 * As kubectl's JSON path, without recursive descent, slices and unions. */
#ifndef APISERVER_JSONPATH_H
#define APISERVER_JSONPATH_H

#include "base/str.h"
#include "json/doc.h"

/* The first value that the path leads to, or JSON_NONE; also for what is no path. */
struct json jsonpath_first(struct json root, struct str path);

#endif
