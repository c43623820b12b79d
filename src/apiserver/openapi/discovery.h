/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/openapi/discovery.h - which groups, versions and resources there are. Documents are made from
 * the registry of kinds on every request: they are asked for seldom. */
#ifndef APISERVER_DISCOVERY_H
#define APISERVER_DISCOVERY_H

#include <stdbool.h>

#include "base/str.h"

struct json_doc;
struct kinds;

/* The order of versions, of two `struct str`, for qsort(): v2, v1, v1beta1, v1alpha1, others. */
int discovery_compare_versions(const void *left, const void *right);

/* Each gives a new document, or NULL if there is no such group or version. */
struct json_doc *discovery_core(struct str server_address);   /* /api */
struct json_doc *discovery_groups(const struct kinds *kinds); /* /apis */
struct json_doc *discovery_group(const struct kinds *kinds, struct str group);
struct json_doc *discovery_version(const struct kinds *kinds, struct str group, struct str version);
/* Everything at once, of the core (/api) or of the groups (/apis); `version` is that of the
 * document, "v2" or "v2beta1". */
struct json_doc *discovery_aggregated(const struct kinds *kinds, bool core, struct str version);

#endif
