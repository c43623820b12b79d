/* SPDX-License-Identifier: Apache-2.0 */
/* json/pointer.h - JSON pointers (RFC 6901): "/metadata/labels/volcano.sh~1queue-name".
 *
 *	struct json name = json_pointer_get(root, STR("/spec/containers/0/name")); */
#ifndef JSON_POINTER_H
#define JSON_POINTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/str.h"
#include "json/doc.h"

/* The tokens, unescaped; none for the pointer to the whole document. A zeroed struct is that
 * pointer. */
struct json_pointer {
	struct str *tokens;
	size_t len;
	char *text; /* owns the bytes of the tokens */
};

enum json_pointer_rule {
	JSON_POINTER_STRICT, /* RFC 6901 */
	JSON_POINTER_LAX,    /* a ~ that starts no escape stands for itself, as in kube-apiserver */
};

/* ERR_BAD_REQUEST when it does not start with a slash or has a bad escape. At most
 * LIMIT_JSON_DEPTH tokens. */
int json_pointer_parse(struct str text, enum json_pointer_rule rule, struct json_pointer *ret,
		       struct err *err) MUST_CHECK;
void json_pointer_done(struct json_pointer *pointer);
DEFINE_AUTO_IN_PLACE(struct json_pointer, json_pointer_done);

/* The value, or JSON_NONE. Indexes of arrays are digits without a leading zero. */
struct json json_pointer_eval(const struct json_pointer *pointer, struct json root);
/* The same from text; JSON_NONE also if the text is not a pointer. */
struct json json_pointer_get(struct json root, struct str text);

void json_pointer_print(const struct json_pointer *pointer, struct buf *to);
/* Append one token, with its slash and its escapes. */
void json_pointer_put(struct buf *to, struct str token);

#endif
