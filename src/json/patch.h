/* SPDX-License-Identifier: Apache-2.0 */
/* json/patch.h - JSON patch (RFC 6902): a list of add, remove, replace, move, copy and test.
 *
 * It accepts more than the RFC, as kube-apiserver does: an index may be negative (counted
 * from the end; -1 in "add" appends), may carry a sign or leading zeros; "replace" of a member that
 * is not there adds it; "add" without a value adds null; "test" for null holds for an absent
 * member; "copy" of an absent member copies null. Extra members of an operation are ignored. */
#ifndef JSON_PATCH_H
#define JSON_PATCH_H

#include "base/err.h"
#include "base/macro.h"
#include "json/doc.h"

/* Applies `patch` to `target` and returns the result as a new, mutable document. Neither argument
 * changes.
 * ERR_BAD_REQUEST: the patch is not a list of objects.
 * ERR_TOO_LARGE: more than LIMIT_PATCH_OPS operations.
 * ERR_INVALID: an operation does not apply, a test failed, the result would be too deep, or its
 * copies add up to more than LIMIT_PATCH_COPY_BYTES. The text names the operation. */
struct json_doc *json_patch_apply(struct json target, struct json patch,
				  struct err *err) MUST_CHECK;

/* A patch that makes `to` of `from`, as a new document; [] when they are equal. Has at most
 * LIMIT_PATCH_OPS operations: if more would be needed, a single one that replaces everything. */
struct json_doc *json_patch_diff(struct json from, struct json to) __attribute__((returns_nonnull));

#endif
