/* SPDX-License-Identifier: Apache-2.0 */
/* json/syntax.h - the errors of Go's encoding/json for text that is not JSON. Clients of Kubernetes
 * know these messages: "invalid character 'b' looking for beginning of object key string". */
#ifndef JSON_SYNTAX_H
#define JSON_SYNTAX_H

#include "base/err.h"
#include "base/str.h"
#include "json/doc.h"

/* ERR_BAD_REQUEST with Go's message if the text is not one JSON value. Strings may contain bytes
 * that are not UTF-8, as in Go: json_parse() is stricter. */
int json_syntax_check(struct str text, struct err *err);
/* Go's name of a type: "number" for integers and others, "bool". */
const char *json_go_name(enum json_type type);

#endif
