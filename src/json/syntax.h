/* SPDX-License-Identifier: Apache-2.0 */
/* json/syntax.h - what Go's encoding/json says of a text that is no JSON. Clients of Kubernetes know
 * these sentences: "invalid character 'b' looking for beginning of object key string". */
#ifndef JSON_SYNTAX_H
#define JSON_SYNTAX_H

#include "base/err.h"
#include "base/str.h"
#include "json/doc.h"

/* ERR_BAD_REQUEST in Go's words where it is not one JSON value. Strings may hold bytes that are no
 * UTF-8, as in Go: json_parse() is stricter. */
int json_syntax_check(struct str text, struct err *err);
/* What Go calls a type: "number" of integers and others, "bool". */
const char *json_go_name(enum json_type type);

#endif
