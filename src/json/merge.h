/* SPDX-License-Identifier: Apache-2.0 */
/* json/merge.h - JSON merge patch (RFC 7386).
 *
 * Objects merge, null removes, everything else replaces. As in kube-apiserver, members that are
 * null are also left out of objects inside lists that the patch brings. */
#ifndef JSON_MERGE_H
#define JSON_MERGE_H

#include "json/doc.h"

/* What `patch` makes of `target`, as a new document that can be changed; neither argument
 * changes. Cannot fail: a patch that is no object is the result (whether that is allowed is for the
 * caller to say). */
struct json_doc *json_merge_apply(struct json target, struct json patch)
	__attribute__((returns_nonnull));

/* A patch that makes `to` of `from`, as a new document; {} when they are the same object. Null
 * members of `to` cannot be said in a merge patch: the result lacks them. */
struct json_doc *json_merge_diff(struct json from, struct json to) __attribute__((returns_nonnull));

#endif
