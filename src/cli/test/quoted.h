/* SPDX-License-Identifier: Apache-2.0 */
/* cli/test/quoted.h - documents in JSON where ' stands for ", and \' for an escaped one. */
#ifndef CLI_TEST_QUOTED_H
#define CLI_TEST_QUOTED_H

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "json/doc.h"

/* Empty if there is no text. Invalid JSON is reported, and empty as well: the checks then fail. */
static inline struct json_doc *quoted_doc(const char *text)
{
	AUTO(buf_done) struct buf json = BUF_UNBOUNDED;
	struct json_doc *doc;
	struct err err;

	if (!text)
		return json_doc_new();
	for (; *text; text++) {
		if (*text == '\\' && text[1] == '\'') {
			buf_puts(&json, "\\\"");
			text++;
		} else {
			buf_putc(&json, *text == '\'' ? '"' : *text);
		}
	}
	doc = json_parse(buf_str(&json), NULL, &err);
	if (!doc)
		(void)fprintf(stderr, "# %s in %s\n", err.text, buf_text(&json));
	return doc ? doc : json_doc_new();
}

#endif
