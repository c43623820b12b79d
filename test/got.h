/* SPDX-License-Identifier: Apache-2.0 */
/* got.h - the result of a client's request, kept for a test. */
#ifndef GOT_H
#define GOT_H

#include <stdio.h>

#include "client/client.h"
#include "json/doc.h"

struct got {
	int calls;
	int code;
	enum err_code reason;
	char text[ERR_TEXT_SIZE]; /* of the error */
	struct json_doc *doc;     /* freed by the next result, the last one by the test */
	char raw[300];
};

/* The callback of a request whose argument is a struct got. */
static inline void got_it(void *arg, const struct client_result *result)
{
	struct got *got = arg;

	got->calls++;
	got->code = result->code;
	got->reason = result->err ? result->err->code : ERR_NONE;
	snprintf(got->text, sizeof(got->text), "%s", result->err ? result->err->text : "");
	snprintf(got->raw, sizeof(got->raw), "%.*s", STR_ARG(result->text));
	json_doc_unref(got->doc);
	got->doc = result->doc ? json_doc_ref(result->doc) : NULL;
}

#endif
