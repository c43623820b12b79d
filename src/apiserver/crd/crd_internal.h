/* SPDX-License-Identifier: Apache-2.0 */
/* apiserver/crd/crd_internal.h - the parts of crd_validate(). */
#ifndef APISERVER_CRD_INTERNAL_H
#define APISERVER_CRD_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "json/doc.h"

struct buf;
struct causes;
struct path;

/* `at` is the path under which members of the version or the definition are reported. */
void crd_check_deprecation(struct json version, const struct path *at, struct causes *causes);
void crd_check_selectable(struct json version, const struct path *at, struct causes *causes);
void crd_check_conversion(struct json conversion, const struct path *spec, struct causes *causes);
/* What stands around one of a schema's rules; `at` is the rule's path. */
void crd_check_rule_words(struct json schema, struct json rule, const struct path *at,
			  struct causes *causes);
/* The rules of a whole schema, compiled: what is wrong with them, and what they may cost. Causes from
 * `from` on are about the schema itself: rules at or above such a place are not checked. */
void crd_check_rules(struct json schema, const struct path *at, size_t from, struct causes *causes);
/* Follow ".a.b" (and, with brackets, "['a']") along a schema; false and why where it leads nowhere. */
bool crd_follow_path(struct json schema, struct str path, bool brackets, struct json *ret,
		     struct buf *why);

#endif
