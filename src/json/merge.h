/* SPDX-License-Identifier: Apache-2.0 */
/* json/merge.h - JSON merge patch (RFC 7386).
 *
 * Objects merge, null removes, everything else replaces. As in kube-apiserver, members that are
 * null are also left out of objects inside lists of the patch. */
#ifndef JSON_MERGE_H
#define JSON_MERGE_H

#include "json/doc.h"

/* Applies `patch` to `target` and returns the result as a new, mutable document; neither argument
 * changes. Cannot fail: a patch that is no object becomes the result; the caller decides whether to
 * allow that. */
struct json_doc *json_merge_apply(struct json target, struct json patch)
	__attribute__((returns_nonnull));

/* A patch that makes `to` of `from`, as a new document; {} when they are the same object. A merge
 * patch cannot express null members of `to`: they are missing from the result. */
struct json_doc *json_merge_diff(struct json from, struct json to) __attribute__((returns_nonnull));

#endif
